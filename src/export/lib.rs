//! Exports the brief of a run: as Markdown, as JSON or a page with all its evidence, and its sources for citing; and two runs
//! compared. Pure.

mod bibliography;
mod compared;
mod html;
mod svg;

use serde::Serialize;

use run::brief::{self, Draft, Numbering, Yours};
use run::deed::Deed;
use run::evidence::{Corpus, SourceRef};
use run::finding::Finding;
use run::verdict::Verdict;
use run::{FindingId, Run};
use text::{Clean, count};

pub use bibliography::{bibtex, csl};
pub use compared::{compared, compared_json};
pub use html::{escaped, html};

/// The brief as Markdown, with a last line on files that were not read; None if the run has none.
pub fn markdown(run: &Run) -> Option<String> {
    let (draft, findings) = run.brief()?;
    let brief = brief::markdown(draft, findings);
    Some(match unread(run) {
        Some(unread) => format!("{}\n\n_{unread}_\n", brief.trim_end()),
        None => brief,
    })
}

/// Says that files of the collection were not read, and where they are listed; None if all were.
fn unread(run: &Run) -> Option<String> {
    let (opening, corpus) = (run.opening.as_ref()?, run.corpus.as_ref()?);
    let [read, not] = [corpus.documents, corpus.skipped_count].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let read = count(read, "document");
    (not > 0).then(|| format!("{read} read, {} not: `masthead runs {}` lists them.", count(not, "file"), opening.run))
}

#[derive(Serialize)]
struct Exported<'a> {
    run: &'a str,
    question: &'a Clean,
    state: &'static str,
    /// The reason of its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a Clean>,
    /// The collection, with the files that were not read.
    corpus: Option<&'a Corpus>,
    brief: Option<ExportedBrief<'a>>,
    /// All findings that were merged or shown at the checkpoint, dropped ones included.
    findings: Vec<&'a Finding>,
    verdicts: &'a [Verdict],
    /// The person's actions beside approving.
    person: Vec<Deed>,
}

#[derive(Serialize)]
struct ExportedBrief<'a> {
    title: &'a Clean,
    words: usize,
    notes: &'a [Clean],
    sentences: Vec<ExportedSentence<'a>>,
    gaps: &'a [Clean],
    sources: Vec<ExportedSource<'a>>,
    /// The sentences in the person's words, with the words of the source at that place.
    in_your_words: Vec<Yours<'a>>,
    markdown: String,
}

#[derive(Serialize)]
struct ExportedSentence<'a> {
    section: &'a str,
    /// The words above it, of the list that it is an item of or of the program text that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a Clean>,
    text: &'a Clean,
    findings: Vec<&'a FindingId>,
    citations: Vec<usize>,
    /// Whether it says something in the person's words.
    in_your_words: bool,
}

#[derive(Serialize)]
struct ExportedSource<'a> {
    n: usize,
    #[serde(flatten)]
    source: Option<&'a SourceRef>,
    /// Whether these are words of the person without a source.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    you: bool,
}

/// The run as JSON: the sentences of the brief with their findings, and the findings with claim, edits, quote, source
/// and status.
pub fn json(run: &Run) -> Option<String> {
    let opening = run.opening.as_ref()?;
    let root = run.root().and_then(|root| root.ended.as_ref()).map(|(_, handoff)| handoff);
    let findings = match run.findings_checkpoints().next_back() {
        Some((_, findings)) => findings.iter().collect(),
        None => root.map(|handoff| handoff.payload.findings().iter().collect()).unwrap_or_default(),
    };
    let exported = Exported {
        run: opening.run.as_str(),
        question: &opening.question,
        state: run.phase().word(),
        why: run.ended().and_then(|outcome| outcome.why()),
        corpus: run.corpus.as_deref(),
        brief: run.brief().map(|(draft, findings)| exported_brief(run, draft, findings)),
        findings,
        verdicts: root.map(|handoff| handoff.payload.verdicts()).unwrap_or_default(),
        person: run.deeds(),
    };
    serde_json::to_string_pretty(&exported).ok().map(text::escape_in_json)
}

fn exported_brief<'a>(run: &Run, draft: &'a Draft, findings: &'a [Finding]) -> ExportedBrief<'a> {
    let numbering = Numbering::new(draft, findings);
    let sentence = |section: &'a str, label: Option<&'a Clean>, sentence: &'a brief::Sentence| ExportedSentence {
        section,
        label,
        text: &sentence.text,
        findings: sentence.cites.iter().filter(|id| **id != FindingId::NOWHERE).collect(),
        citations: numbering.shown(sentence).into_iter().map(|(number, _)| number).collect(),
        in_your_words: numbering.is_in_your_words(sentence),
    };
    let body = draft.sections.iter().flat_map(|section| {
        let pieces = section.pieces.iter().flat_map(|piece| piece.sentences().map(|s| (piece.label(), s)));
        pieces.filter(|(_, s)| !s.text.is_empty()).map(|(label, s)| sentence(&section.heading, label, s))
    });
    let sentences = body.chain(draft.disagreements.iter().map(|s| sentence("Disagreements", None, s))).collect();
    let sources = numbering
        .sources()
        .enumerate()
        .map(|(n, cited)| ExportedSource {
            n: n + 1,
            source: match cited {
                brief::Cited::Document(source) => Some(source),
                brief::Cited::Person => None,
            },
            you: *cited == brief::Cited::Person,
        })
        .collect();
    ExportedBrief {
        title: &draft.title,
        words: draft.words(),
        notes: &draft.notes,
        sentences,
        gaps: &draft.gaps,
        sources,
        in_your_words: brief::yours(draft, findings),
        markdown: markdown(run).unwrap_or_default(),
    }
}
