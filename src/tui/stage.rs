//! What passes between a screen and the desk: notices in, commands out.
//!
//! A screen knows the desk by these types alone. It asks; the desk decides, records, and tells what was recorded.

use std::sync::mpsc::Receiver;

use run::RunId;
use text::Clean;

pub use run::{Command, Notice};

/// One run on the screen.
pub struct Stage {
    /// Which run.
    pub run: RunId,
    /// Who the screen follows the run for.
    pub mode: Mode,
    /// What happens.
    pub notices: Receiver<Notice>,
    /// Where wishes go. None where nothing may be changed.
    pub commands: Option<Box<dyn Fn(Command) + Send>>,
}

/// How a run is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// This process works on it.
    Live,
    /// Another process works on it, or nobody can: why nothing may be changed.
    ReadOnly(Clean),
    /// From the journal; nothing is done.
    Replay,
}

/// How the person left a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// To the home screen.
    Home,
    /// Nowhere: nobody works on the run any more, and this process takes it over.
    TakeOver,
    /// Out of the program.
    Quit,
}

/// What the home screen shows.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// Earlier runs, newest first.
    pub runs: Vec<RunLine>,
    /// Folders and files to begin with.
    pub sources: Vec<String>,
    /// A question to begin with.
    pub question: String,
    /// Which models would think in a new run: "claude-sonnet-5-5 and 2 more"; None where none would.
    pub models: Option<Clean>,
    /// Something the person ought to know, such as why a run could not start.
    pub message: Option<Clean>,
}

/// An earlier run in a line.
#[derive(Clone, Debug)]
pub struct RunLine {
    /// Its name.
    pub id: RunId,
    /// Where it is: symbol and word.
    pub state: crate::mark::State,
    /// What was asked.
    pub question: Clean,
    /// How long ago it was opened: "2 h".
    pub age: Clean,
    /// What it cost.
    pub cost: Clean,
}

/// What the person chose at home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A new run.
    Ask {
        /// What is asked.
        question: Clean,
        /// Folders and files to search.
        sources: Vec<String>,
    },
    /// An earlier run.
    Open(RunId),
    /// Out of the program.
    Quit,
}
