//! The link between a screen and the desk: notices in, commands out.
//!
//! A screen knows the desk by these types alone. It asks; the desk decides, records, and tells what was recorded.

use std::sync::mpsc::Receiver;

use run::RunId;
use text::Clean;

pub use run::{Command, Notice};

/// One run on the screen, with the two ends of what connects it to the desk.
pub struct Link {
    /// Which run.
    pub run: RunId,
    /// How the run is followed.
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
    /// Nowhere: no process works on the run any more, and this one takes it over.
    TakeOver,
    /// Out of the program.
    Quit,
}
