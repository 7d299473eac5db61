//! The questions of the home screen to the program, and the answers: the screen itself reads no file and no journal.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::RunLine;
use run::RunId;
use run::search::Searched;
use text::Clean;

/// A question to the program, or something it is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The completions of a path.
    Complete(String),
    /// The number of documents and passages in these sources.
    Count(Vec<String>),
    /// The runs, as they are now.
    Runs,
    /// The questions, findings and briefs of all runs, to search in.
    Texts,
    /// The models of a new run, and its probable cost.
    Offer(Settings),
    /// Writes the brief of a run to a file.
    Export(RunId),
    /// Deletes a run for good; answered before the request returns, and only where it cannot be done.
    Delete(RunId),
    /// Keeps a question that was typed and not asked, and its sources, for the next time; none if it is empty.
    Keep { question: String, sources: Vec<String> },
}

/// An answer of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Completed {
        asked: String,
        /// As far as it is certain.
        path: String,
        /// The possible continuations; empty if it is whole.
        choices: Vec<String>,
    },
    /// "15 documents, 288 passages", or why they cannot be read.
    Counted {
        sources: Vec<String>,
        says: Result<Clean, Clean>,
    },
    /// All runs, those that need the person first.
    Runs(Vec<RunLine>),
    Text {
        run: RunId,
        text: Searched,
    },
    /// That was the text of all runs.
    AllTexts,
    Offered {
        settings: Settings,
        says: Clean,
    },
    /// Something the person should know.
    Said(Clean),
}

/// Passes a question on; answers come when they are known, from any thread.
pub type Aid = Arc<dyn Fn(Ask, Sender<Told>)>;

/// The settings of a new run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The name of the team.
    pub team: Clean,
    /// Whether a model is to lead; None to follow the team.
    pub by_model: Option<bool>,
    /// The most it may cost, in dollars as typed; empty for the default.
    pub cap: String,
}
