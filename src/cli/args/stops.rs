//! Breakpoints, and the answers to what a run stands at.

use clap::{Args as ClapArgs, ValueEnum};

use run::Condition;
use run::checkpoint::question::AfterFailure;

/// Breakpoints that are set.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Breaks {
    /// Stop the run before something crosses: handoff:ROLE (what is handed to it), from:ROLE (what it hands out or
    /// reports), verdict:revise, outcome:failed, tool:NAME, event:NAME, cost:DOLLARS, or handoff, call or event for any.
    /// Without screens the run parks there (exit code 4), also with --yes, and `resume` goes on. May be given several times
    #[arg(long = "break", value_name = "WHERE")]
    pub on: Vec<Condition>,
}

/// A remark on a draft: on the sentence of this number, from 1, or on all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remarked {
    pub of: Option<u32>,
    pub what: String,
}

impl std::str::FromStr for Remarked {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let numbered = s.split_once('=').and_then(|(n, what)| Some((n.trim().parse::<u32>().ok()?, what)));
        let (of, what) = match numbered {
            Some((0, _)) => return Err("sentences are counted from 1".into()),
            Some((n, what)) => (Some(n), what),
            None => (None, s),
        };
        match what.trim() {
            "" => Err("write what is to be mended, as in 3=of which version?".into()),
            what => Ok(Remarked { of, what: what.into() }),
        }
    }
}

/// The answer to what a run stands at: a breakpoint, unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtStop {
    /// At its plan, findings, draft, a cap or a question: what `--yes` says there, and nothing beyond it.
    Approve,
    Send,
    Drop,
    Refuse(String),
    /// About work that failed.
    Failed(AfterFailure),
}

/// Whether the others go on while a run stands at a breakpoint.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// They go on
    GoOn,
    /// They stand too
    Stand,
}

impl std::str::FromStr for AtStop {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s.split_once('=') {
            None if s == "approve" => Ok(AtStop::Approve),
            None if s == "send" => Ok(AtStop::Send),
            None if s == "drop" => Ok(AtStop::Drop),
            None if s == "again" => Ok(AtStop::Failed(AfterFailure::TryAgain)),
            None if s == "without" => Ok(AtStop::Failed(AfterFailure::GoOnWithout)),
            None if s == "fail" => Ok(AtStop::Failed(AfterFailure::Stop)),
            Some(("refuse", message)) if !message.trim().is_empty() => Ok(AtStop::Refuse(message.trim().into())),
            _ => Err("write approve; at a breakpoint send, drop or refuse=MESSAGE; about work that failed again, without or fail".into()),
        }
    }
}
