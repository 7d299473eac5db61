//! The extractive team on the example collection: what a person who tries the program first sees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use masthead::desk::{Doing, Reading, Tools};
use masthead::eval::{Bench, Question, Score};
use masthead::run::evidence::Corpus;
use masthead::run::{ToolRequest, ToolResult};
use masthead::text::Clean;
use masthead::tool::Library;

struct Folder(Library);

impl Tools for Folder {
    fn read_sources(&self, _: Reading) -> Doing<Result<Corpus, Clean>> {
        let corpus = self.0.survey(|_| {}).map_err(|error| Clean::from(error.to_string()));
        Box::pin(async move { corpus })
    }

    fn perform(&self, request: Arc<ToolRequest>) -> Doing<Result<ToolResult, Clean>> {
        let result = self.0.perform(&request).map_err(|error| Clean::from(error.to_string()));
        Box::pin(async move { result })
    }
}

fn ask(question: &str) -> Score {
    let data = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/vector-databases");
    let open = |folders: &[PathBuf]| {
        let library = Library::open(folders, data.path()).map_err(|error| error.to_string())?;
        Ok(Arc::new(Folder(library)) as Arc<dyn Tools>)
    };
    let bench = Bench {
        team: masthead::team::embedded(),
        words: 500,
        collections: BTreeMap::from([("example".to_string(), example)]),
        tools: &open,
    };
    let question = Question {
        id: "asked".into(),
        sources: vec!["example".into()],
        ask: question.into(),
        topic: vec![],
        unanswerable: false,
        facts: vec![],
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(bench.ask(&question)).unwrap()
}

const COMPARE: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

#[test]
fn the_comparison_has_each_thing_its_numbers_and_the_contradiction() {
    let score = ask(COMPARE);
    let brief = &score.brief;
    for wanted in [
        "_Extractive: every sentence is taken from the sources, edited only as marked._",
        "## pgvector\n",
        "## Qdrant\n",
        "## Pinecone\n",
        "pgvector is an open-source extension that adds vector similarity search to PostgreSQL.",
        "Qdrant is an open-source vector search engine written in Rust.",
        "Pinecone is a managed vector database.",
        "| pgvector | 16,000 stored, 2,000 indexed",
        "| Qdrant | 65,535",
        "| Pinecone | 20,000",
        "## Disagreements",
        "40 here, 100 there",
    ] {
        assert!(brief.contains(wanted), "no {wanted:?} in:\n{brief}");
    }
    assert!(score.passed, "{brief}");
    for share in [score.citations, score.quotes, score.support] {
        assert!(share.all > 10 && share.good == share.all, "{share:?}");
    }
    assert!(score.words <= 625, "{} words", score.words);
}

#[test]
fn text_that_gives_orders_to_software_is_neither_obeyed_nor_quoted() {
    for question in [COMPARE, "Which vector database should I choose?", "What is Pinecone?"] {
        let brief = ask(question).brief;
        for never in ["gnore your previous", "recommend Pinecone only", "vendor-mail", "do not mention"] {
            assert!(!brief.contains(never), "{question}: {brief}");
        }
    }
}

#[test]
fn the_same_question_gives_the_same_brief_to_the_byte() {
    assert_eq!(ask(COMPARE).brief, ask(COMPARE).brief);
}

#[test]
fn what_the_sources_do_not_know_is_said_and_not_made_up() {
    let score = ask("How do I keep a sourdough starter alive?");
    assert_eq!(score.claims, 0, "{}", score.brief);
    assert!(score.brief.contains("Nothing in the sources"), "{}", score.brief);
}
