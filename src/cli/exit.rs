//! How the program ends: exit codes, and failures in words.

use std::io::Write;

use journal::JournalError;
use run::{Outcome, Run};

/// The run is done (also if the honest answer is that there is nothing).
pub const DONE: u8 = 0;
/// It failed.
pub const FAILED: u8 = 1;
/// The command line, or what it names, is not right.
pub const USAGE: u8 = 2;
/// A budget stopped it; there is a partial brief.
pub const BUDGET: u8 = 3;
/// It waits for a person.
pub const PARKED: u8 = 4;
/// The journal is damaged.
pub const DAMAGED: u8 = 65;
/// Something could not be written.
pub const NOT_WRITTEN: u8 = 74;
/// Somebody interrupted it.
pub const INTERRUPTED: u8 = 130;

/// Why the program could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// What was asked is not right.
    #[error("{0}")]
    Usage(String),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Something could not be written.
    #[error("{0}")]
    NotWritten(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// Its exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => USAGE,
            Failure::Journal(JournalError::NoSuchRun(_) | JournalError::Ambiguous(..)) => USAGE,
            Failure::Journal(error) if error.is_damage() => DAMAGED,
            Failure::Journal(_) | Failure::NotWritten(_) => NOT_WRITTEN,
            Failure::Other(_) => FAILED,
        }
    }

    /// Standard output could not be written.
    pub fn output(error: std::io::Error) -> Failure {
        Failure::NotWritten(format!("standard output could not be written: {error}"))
    }
}

/// The exit code of a run that has ended.
pub fn of_ended(run: &Run) -> u8 {
    match run.ended() {
        Some(Outcome::Partial(_) | Outcome::OutOfBudget(_)) if run.refusal().is_some() => BUDGET,
        Some(Outcome::Done | Outcome::NothingFound | Outcome::Partial(_)) => DONE,
        Some(Outcome::Cancelled) => INTERRUPTED,
        Some(Outcome::OutOfBudget(_)) => BUDGET,
        Some(Outcome::Failed(_)) | None => FAILED,
    }
}

/// Says something to the person on standard error; nobody there is no failure.
pub fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "masthead: {message}");
}

/// Asks the person something on standard error, so that the answer stands on the same line.
pub fn ask(question: &str) {
    let _ = write!(std::io::stderr(), "{question}");
}
