//! The link between a screen and the desk: notices in, commands out. The desk alone decides and records.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use run::{Run, Seq};
use text::Clean;

pub use run::{Command, Notice};

/// A run to show, with its connection to the desk.
pub struct Link {
    pub mode: Mode,
    pub notices: Receiver<Notice>,
    pub opens: Opens,
    /// Sends commands; None if nothing may be changed.
    pub commands: Option<Box<dyn Fn(Command) + Send>>,
}

/// The page of a run that is shown first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Opens {
    /// Its latest event.
    #[default]
    Latest,
    /// The list of its places: the person chooses where a fork begins.
    Places,
    /// The dialog before a fork, as the person left it.
    Forking { at: Seq, with: Clean },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// This process works on it.
    #[default]
    Live,
    /// Another process works on it, or none can: the reason why nothing may be changed.
    ReadOnly(Clean),
    /// From the journal; no work is done.
    Replay,
}

/// Reads another run by its name, or says why it cannot be.
pub type ReadRun = Arc<dyn Fn(&str) -> Result<Run, Clean> + Send + Sync>;

/// The way in which the person left the screen of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leave {
    Home,
    /// No process works on the run any more, and this one takes it over.
    TakeOver,
    /// A new run is to begin as this one was at an event.
    Fork {
        at: Seq,
        /// The changes in it: flags, as on the command line.
        with: Clean,
    },
    Quit,
}
