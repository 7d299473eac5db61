//! The documents of a drill: a few sentences about octopuses, behind tools slow enough to watch. Touches neither disk
//! nor network.

use std::sync::Arc;
use std::time::Duration;

use text::sha256::{Sha256, hex};

use desk::{BoxFuture, OnProgress, ToolError, Tools};
use run::evidence::{Corpus, Excerpt, Hit, Hits, Outline, Section};
use run::tool::builtin;
use run::{Block, BlockKind, SourceId, SourceRef, ToolCall, ToolResult};
use text::Clean;

const PACE: Duration = Duration::from_millis(300);

/// Path, title and paragraphs of each document.
const DOCUMENTS: [(&str, &str, &[&str]); 2] = [
    (
        "blood.md",
        "The blood of an octopus",
        &[
            "The blood of an octopus is blue.",
            "It carries oxygen with haemocyanin, a protein that holds copper where haemoglobin holds iron.",
        ],
    ),
    (
        "hearts.md",
        "The hearts of an octopus",
        &[
            "An octopus has three hearts.",
            "Two of its hearts pump blood through the gills, and the third pumps it through the rest of the body.",
        ],
    ),
];

/// Tools over a few documents that are part of the program: their results are always the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrillTools;

impl Tools for DrillTools {
    fn read_sources(&self, _: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        let paragraphs = || DOCUMENTS.iter().flat_map(|(.., paragraphs)| *paragraphs);
        let corpus = Corpus {
            documents: DOCUMENTS.len() as u32,
            blocks: paragraphs().count() as u32,
            bytes: paragraphs().map(|text| text.len() as u64).sum(),
            ..Corpus::default()
        };
        Box::pin(async move {
            tokio::time::sleep(PACE).await;
            Ok(corpus)
        })
    }

    fn perform(&self, request: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        Box::pin(async move {
            tokio::time::sleep(PACE).await;
            Ok(answer(&request)?)
        })
    }
}

/// The answer to a tool call, always the same.
fn answer(call: &ToolCall) -> Result<ToolResult, Clean> {
    if let Some(asked) = call.of::<builtin::Search>() {
        return Ok(ToolResult::Hits(search(&asked.query, asked.limit)));
    }
    if let Some(builtin::Read { source, from, to }) = call.of() {
        let (source, blocks) = document(&source)?;
        let of = blocks.len() as u32;
        let blocks = blocks.into_iter().filter(|block| (from..to).contains(&block.no)).collect();
        return Ok(ToolResult::Excerpt(Excerpt { source, blocks, of }));
    }
    if let Some(builtin::Outline { source }) = call.of() {
        let (source, blocks) = document(&source)?;
        let blocks = blocks.len() as u32;
        let sections = vec![Section { headings: Arc::new([]), first: 0, end: blocks }];
        return Ok(ToolResult::Outline(Outline { source, sections, blocks }));
    }
    Err(format!("there is no `{}` in a drill", call.name).into())
}

fn search(query: &str, limit: u32) -> Hits {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let mut hits: Vec<Hit> = documents()
        .flat_map(|(source, blocks)| blocks.into_iter().map(move |block| (source.clone(), block)))
        .filter_map(|(source, block)| {
            let text = format!("{} {}", source.title, block.text).to_lowercase();
            let score = words.iter().filter(|word| text.contains(word.as_str())).count() as u32 * 1_000;
            let (block, headings, snippet) = (block.no, block.headings.clone(), block.text.clone());
            (score > 0).then_some(Hit { source, block, headings, columns: None, snippet, score })
        })
        .collect();
    hits.sort_by(|a, b| b.score.cmp(&a.score).then(a.source.path.as_str().cmp(b.source.path.as_str())));
    hits.truncate(limit as usize);
    let blocks = documents().map(|(_, blocks)| blocks.len() as u32).sum();
    Hits { hits, documents: DOCUMENTS.len() as u32, blocks, ..Hits::default() }
}

fn document(id: &SourceId) -> Result<(SourceRef, Vec<Arc<Block>>), Clean> {
    documents().find(|(source, _)| source.id == *id).ok_or_else(|| format!("there is no document {id}").into())
}

fn documents() -> impl Iterator<Item = (SourceRef, Vec<Arc<Block>>)> {
    DOCUMENTS.iter().map(|(path, title, paragraphs)| {
        let sha256 = digest(&[&paragraphs.join("\n")]);
        let id = SourceId(digest(&[path, &sha256])[..12].into());
        let mut start = 0;
        let blocks = paragraphs.iter().zip(0..).map(|(text, no)| {
            let block = Block {
                no,
                kind: BlockKind::Paragraph,
                headings: Arc::new([]),
                intro: None,
                text: (*text).into(),
                line: no + 1,
                breaks: Vec::new(),
                start,
                lead: no == 0,
            };
            start += text.len() as u64 + 1;
            Arc::new(block)
        });
        let blocks = blocks.collect();
        (
            SourceRef { id, path: (*path).into(), title: (*title).into(), sha256: sha256.into(), superseded: None },
            blocks,
        )
    })
}

fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    texts.iter().for_each(|text| hash.update(text.as_bytes()));
    hex(&hash.finalize())
}
