//! Exit codes, and failures as messages.

use std::io::Write;
use std::path::Path;

use journal::JournalError;
use run::{Money, Outcome, Run};
use text::Clean;

/// The run is done (also if the honest result is that nothing was found).
pub const DONE: u8 = 0;
pub const FAILED: u8 = 1;
/// The command line, or something it names, is wrong.
pub const USAGE: u8 = 2;
/// The brief is partial: a budget stopped it, work failed, or a check does not let the draft pass.
pub const PARTIAL: u8 = 3;
/// It waits for the person.
pub const PARKED: u8 = 4;
pub const DAMAGED: u8 = 65;
/// The program itself is at fault.
pub const FAULT: u8 = 70;
pub const NOT_WRITTEN: u8 = 74;
pub const INTERRUPTED: u8 = 130;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// An MCP server is not approved as it is now.
    #[error(
        "the MCP server {name}: {why}. `masthead mcp approve {name}` shows it and asks you; --no-mcp goes on without"
    )]
    Unapproved { name: String, why: String },
    #[error("{0}")]
    NotWritten(String),
    /// A panic that nothing else caught; `log` is the folder of the log, None if the panic was printed instead.
    #[error("this is a fault in masthead. What was recorded is safe: `masthead runs` lists it{}", more_of(*.log))]
    Fault { log: Option<&'static Path> },
    #[error("{0}")]
    Other(String),
}

fn more_of(log: Option<&Path>) -> String {
    log.map_or_else(String::new, |folder| format!(". The log in {} says more", folder.display()))
}

impl Failure {
    pub fn usage(error: impl std::fmt::Display) -> Failure {
        Failure::Usage(error.to_string())
    }

    pub fn other(error: impl std::fmt::Display) -> Failure {
        Failure::Other(error.to_string())
    }

    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => USAGE,
            Failure::Unapproved { .. } => PARKED,
            Failure::Journal(
                JournalError::NoSuchRun(_)
                | JournalError::Ambiguous(..)
                | JournalError::Address(_)
                | JournalError::Folder(_)
                | JournalError::NoPostgres,
            ) => USAGE,
            Failure::Journal(error) if error.is_damage() => DAMAGED,
            Failure::Fault { .. } => FAULT,
            Failure::Journal(JournalError::Unread { .. } | JournalError::NotRead { .. }) | Failure::Other(_) => FAILED,
            Failure::Journal(_) | Failure::NotWritten(_) => NOT_WRITTEN,
        }
    }

    pub fn output(error: std::io::Error) -> Failure {
        Failure::NotWritten(format!("standard output could not be written: {error}"))
    }
}

pub fn of_ended(run: &Run) -> u8 {
    match run.ended() {
        Some(Outcome::Partial(_) | Outcome::OutOfBudget(_)) => PARTIAL,
        Some(Outcome::Done | Outcome::NothingFound) => DONE,
        Some(Outcome::Cancelled) => INTERRUPTED,
        Some(Outcome::Failed(_)) | None => FAILED,
    }
}

/// The end of a run that fell short in some way, with its exit code: partial work, roles that fell back, the possible
/// cost of calls whose outcome is unknown, costs that are estimates. None for a run that did all of its work as asked.
pub fn in_words(run: &Run) -> Option<String> {
    let outcome = run.ended()?;
    let code = of_ended(run);
    let takeovers = run.takeovers();
    let (doubt, estimated) = (run.ledger.run().in_doubt.money(), run.estimated());
    if code == DONE && takeovers.is_empty() && doubt == Money::default() && estimated.is_empty() {
        return None;
    }
    let mut said = vec![format!("{outcome} (exit code {code})")];
    said.extend(takeovers.iter().map(ToString::to_string));
    if doubt > Money::default() {
        said.push(format!("{doubt} in doubt: calls whose outcome is unknown may have cost that much"));
    }
    said.extend(estimated.iter().map(ToString::to_string));
    Some(said.join("; "))
}

/// Prints a message on standard error, each line of it with the name of the program; a closed stream is ignored. Nothing that it
/// quotes drives the terminal.
pub fn say(message: &str) {
    let _ = write!(std::io::stderr(), "{}", signed(message));
}

/// A message whose lines say which program it is from; empty lines are left out.
fn signed(message: &str) -> String {
    let message = Clean::new(message);
    message.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("masthead: {line}\n")).collect()
}

/// Prints a text that ends its own lines on standard error.
pub fn print_error(text: &Clean) {
    let _ = write!(std::io::stderr(), "{text}");
}

pub fn ask(question: &str) {
    let _ = write!(std::io::stderr(), "{question}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_message_says_which_program_it_is_from() {
        for (message, said) in [
            ("done", "masthead: done\n"),
            (
                "a fork\nkept: 5 events\n\ncost: $0\n",
                "masthead: a fork\nmasthead: kept: 5 events\nmasthead: cost: $0\n",
            ),
            ("\u{1b}[2Jred", "masthead: red\n"),
        ] {
            assert_eq!(signed(message), said);
        }
    }
}
