//! Handoffs: everything that one specialist gives another, kept whole.

mod contract;
mod payload;
pub(crate) mod room;

use serde::{Deserialize, Serialize};
use std::fmt;

use super::id::{AssignmentId, HandoffNo, Role, TaskId};
use super::team::Worker;
use text::Clean;

pub use contract::Contract;
pub use payload::{Colleague, NoPayload, Part, PartName, Passage, Payload, PlannedTask};
pub use room::LeftOut;

/// One transfer of work or results between two assignments, or between the person and the supervisor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its number in the run.
    pub no: HandoffNo,
    /// The sender; None for the person.
    pub from: Option<AssignmentId>,
    /// The receiver; None for the person.
    pub to: Option<AssignmentId>,
    /// Sender and receiver by name, as the list shows them.
    pub names: (Clean, Clean),
    /// Its title, in a few words: "pgvector", "6 findings".
    pub title: Clean,
    /// Its payload.
    pub payload: Payload,
}

impl Handoff {
    /// Whether it is the report of its sender, which goes to one above it, or to the person.
    pub fn is_report(&self) -> bool {
        self.from.is_some_and(|from| self.to.map_or(from == AssignmentId::ROOT, |to| from.is_below(to)))
    }
}

/// A handoff about to be sent: it is checked against the receiver's contract first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sending {
    /// The receiver's role.
    pub role: Role,
    /// The task of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The member with its model, one of its fallbacks, or the rules.
    #[serde(default, skip_serializing_if = "Worker::is_member")]
    pub worker: Worker,
    /// The failed attempt at the same work that this one repeats, with the rest of that one's caps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<AssignmentId>,
    /// It does not begin before this many milliseconds have passed.
    #[serde(default)]
    pub after_ms: u64,
    /// Its title, in a few words.
    pub title: Clean,
    /// The payload. Passages that are there and empty are filled from the run's stored sources with the
    /// passages that the payload's findings stand in: a specialist cannot vouch for itself.
    pub payload: Payload,
}

impl Sending {
    /// To the member as the team has it, at once.
    pub fn new(role: &Role, title: impl Into<Clean>, payload: Payload) -> Sending {
        let (role, title) = (role.clone(), title.into());
        Sending { role, task: None, worker: Worker::Member, again: None, after_ms: 0, title, payload }
    }

    /// For a task of the plan.
    #[must_use]
    pub fn of_task(self, task: TaskId) -> Sending {
        Sending { task: Some(task), ..self }
    }
}

/// A handoff that was refused before it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsent {
    /// The receiver's role.
    pub role: Role,
    /// Its title, in a few words.
    pub title: Clean,
    /// The payload as it was built.
    pub payload: Payload,
}

/// The end of an assignment. Empty is not success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did its task.
    Done,
    /// It did some of it, for this reason.
    Partial(Clean),
    /// It looked and there is nothing.
    NothingFound,
    /// A cap or a deadline stopped it before it could do anything useful: which one.
    OutOfBudget(Clean),
    /// It could not: the error, in words for a person.
    Failed(Clean),
    /// Someone stopped it.
    Cancelled,
}

/// The end of work, without its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// [`Outcome::Done`].
    Done,
    /// [`Outcome::Partial`].
    Partial,
    /// [`Outcome::NothingFound`].
    NothingFound,
    /// [`Outcome::OutOfBudget`].
    OutOfBudget,
    /// [`Outcome::Failed`].
    Failed,
    /// [`Outcome::Cancelled`].
    Cancelled,
}

impl Ended {
    /// Every one, in the order in which they are listed.
    pub const ALL: [Ended; 6] =
        [Ended::Done, Ended::Partial, Ended::NothingFound, Ended::OutOfBudget, Ended::Failed, Ended::Cancelled];

    /// The outcome as a word.
    pub fn word(self) -> &'static str {
        match self {
            Ended::Done => "done",
            Ended::Partial => "partial",
            Ended::NothingFound => "nothing found",
            Ended::OutOfBudget => "out of budget",
            Ended::Failed => "failed",
            Ended::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Ended {
    /// As people type it: `nothing-found`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word().replace(' ', "-"))
    }
}

impl Outcome {
    /// Whether its report may be used.
    pub fn usable(&self) -> bool {
        matches!(self, Outcome::Done | Outcome::Partial(_))
    }

    /// The same without its reason.
    pub fn ended(&self) -> Ended {
        match self {
            Outcome::Done => Ended::Done,
            Outcome::Partial(_) => Ended::Partial,
            Outcome::NothingFound => Ended::NothingFound,
            Outcome::OutOfBudget(_) => Ended::OutOfBudget,
            Outcome::Failed(_) => Ended::Failed,
            Outcome::Cancelled => Ended::Cancelled,
        }
    }

    /// The outcome in words, without its reason.
    pub fn word(&self) -> &'static str {
        self.ended().word()
    }

    /// Its reason, if it has one.
    pub fn why(&self) -> Option<&Clean> {
        match self {
            Outcome::Partial(why) | Outcome::OutOfBudget(why) | Outcome::Failed(why) => Some(why),
            Outcome::Done | Outcome::NothingFound | Outcome::Cancelled => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        self.why().map_or(Ok(()), |why| write!(f, ": {why}"))
    }
}
