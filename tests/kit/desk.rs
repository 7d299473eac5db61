//! The desk in a test: time that costs nothing, and the documents of a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use desk::{BoxFuture, Clock, Desk, Halt, NoModels, OnProgress, Policy, ToolError, Tools, World, opening_events};
use journal::{Journal, MemoryJournal};
use run::event::Opening;
use run::evidence::Corpus;
use run::tool::builtin::{Outline, Read, Search};
use run::{At, Envelope, Run, ToolCall, ToolResult};
use supervisor::Roster;
use text::Clean;
use tokio::sync::mpsc;
use tool::Library;

/// A clock that stands still but for time that is waited with tokio's clock paused.
pub struct PausedClock(tokio::time::Instant);

impl Default for PausedClock {
    fn default() -> PausedClock {
        PausedClock(tokio::time::Instant::now())
    }
}

impl Clock for PausedClock {
    fn now(&self) -> At {
        At(1_700_000_000_000 + self.0.elapsed().as_millis() as i64)
    }
}

/// The events of a run without models, approved by policy, from its opening to its end. Time costs nothing.
///
/// # Panics
/// If the run does not end.
pub fn play(opening: Opening, roster: Arc<dyn Roster + Send + Sync>, tools: Arc<dyn Tools>) -> Vec<Envelope> {
    let (journal, run) = (MemoryJournal::default(), opening.run.clone());
    play_on(Arc::new(journal.clone()), opening, roster, tools);
    journal.events(&run)
}

/// The same, written to this journal.
///
/// # Panics
/// If the run does not end.
pub fn play_on(
    journal: Arc<dyn Journal>,
    opening: Opening,
    roster: Arc<dyn Roster + Send + Sync>,
    tools: Arc<dyn Tools>,
) {
    let stop = play_until_stop(journal, opening, roster, tools);
    assert!(matches!(stop, Halt::Ended(_)), "{stop:?}");
}

/// The same, up to where the desk stops.
pub fn play_until_stop(
    journal: Arc<dyn Journal>,
    opening: Opening,
    roster: Arc<dyn Roster + Send + Sync>,
    tools: Arc<dyn Tools>,
) -> Halt {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let (_commands, orders) = mpsc::unbounded_channel();
        let world =
            World { journal, tools, models: Arc::new(NoModels), roster, clock: Arc::new(PausedClock::default()) };
        let mut desk = Desk::new(Run::default(), world, Policy::Approve, orders, Arc::new(|_| {}));
        desk.work(opening_events(opening)).await
    })
}

/// The folder `examples/NAME` of the repository.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).canonicalize().expect("an example")
}

/// A numbered list of `n` questions, at most 42, on the example of vector databases.
pub fn questions(n: usize) -> String {
    const THINGS: [&str; 3] = ["pgvector", "Qdrant", "Pinecone"];
    const OF_THEM: [&str; 14] = [
        "filtering",
        "indexes",
        "memory",
        "limits",
        "replication",
        "backups",
        "prices",
        "dimensions",
        "queries",
        "scaling",
        "updates",
        "recall",
        "clients",
        "quantization",
    ];
    let asked = OF_THEM.iter().flat_map(|what| THINGS.map(|thing| format!("How does {thing} deal with {what}?")));
    asked.take(n).zip(1..).map(|(question, n)| format!("{n}. {question}\n")).collect()
}

/// Tools over the documents of a library; each call has its result at once.
pub struct Folder(pub Library);

impl Tools for Folder {
    fn read_sources(&self, _: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        let corpus = self.0.survey(|_| {}).map_err(|error| Clean::from(error.to_string()));
        Box::pin(async move { corpus })
    }

    fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        let result = self.answer(&call);
        Box::pin(async move { Ok(result?) })
    }
}

impl Folder {
    /// The answer of the documents to this call.
    ///
    /// # Errors
    /// They cannot: in words for a person.
    pub fn answer(&self, call: &ToolCall) -> Result<ToolResult, Clean> {
        let answer = if let Some(it) = call.of::<Search>() {
            self.0.searched(&it).map(ToolResult::Hits)
        } else if let Some(it) = call.of::<Read>() {
            self.0.read(&it.source, it.from, it.to).map(ToolResult::Excerpt)
        } else if let Some(it) = call.of::<Outline>() {
            self.0.outline(&it.source).map(ToolResult::Outline)
        } else {
            return Err(format!("`{}` is not asked of documents", call.name).into());
        };
        answer.map_err(|error| error.to_string().into())
    }
}
