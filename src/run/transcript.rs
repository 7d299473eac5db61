//! The transcript of one assignment: what it was handed, what it did turn by turn, what came back.
//!
//! Seen by no other assignment. What came back stands in the order in which it was asked for, whoever was first.

use std::sync::Arc;

use super::budget::Refusal;
use super::checkpoint::Answer;
use super::finding::Finding;
use super::handoff::{Handoff, Outcome};
use super::id::{AssignmentId, CallId, CheckpointId, Role, TaskId};
use super::plan::Plan;
use super::tool::{ToolRequest, ToolResult};
use crate::text::Clean;

/// Everything one assignment has seen.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// What it was handed.
    pub handoff: Arc<Handoff>,
    /// What it did since.
    pub turns: Vec<Turn>,
}

/// One turn: why, what was done, what came back.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Why, in a sentence; may be empty.
    pub why: Clean,
    /// What was done.
    pub did: Did,
}

/// What a specialist did in a turn.
#[derive(Clone, Debug)]
pub enum Did {
    /// Used tools.
    Tools(Vec<Call>),
    /// Handed off to others.
    HandOffs(Vec<Sent>),
    /// Adopted a plan.
    Adopted(Arc<Plan>),
    /// Paused for the person.
    Paused(Pause),
    /// Tried something that was refused before it was done (a handoff against its contract).
    Refused(Clean),
}

/// A tool call and what became of it.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its id.
    pub id: CallId,
    /// What was asked.
    pub request: Arc<ToolRequest>,
    /// What became of it.
    pub end: CallEnd,
}

/// What became of a tool call.
#[derive(Clone, Debug)]
pub enum CallEnd {
    /// Waits until the ledger has room.
    Queued,
    /// Under way.
    Pending,
    /// It came back.
    Returned(Arc<ToolResult>),
    /// It failed: the reason, for a person and for the specialist.
    Failed(Clean),
    /// The ledger did not let it go out.
    Refused(Refusal),
}

/// A handoff to another assignment and what became of it.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The assignment it opened.
    pub to: AssignmentId,
    /// Who does it.
    pub role: Role,
    /// Which task of the plan it fills.
    pub task: Option<TaskId>,
    /// What was sent.
    pub handoff: Arc<Handoff>,
    /// What came back, once it has.
    pub report: Option<(Outcome, Arc<Handoff>)>,
}

/// A pause and how the person ended it.
#[derive(Clone, Debug)]
pub struct Pause {
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// How it was closed and the findings as they were left (all of them, whatever their standing).
    pub answer: Option<(Answer, Arc<[Finding]>)>,
}

impl Turn {
    /// Whether something is still to come back.
    pub fn pending(&self) -> bool {
        match &self.did {
            Did::Tools(calls) => calls.iter().any(|call| matches!(call.end, CallEnd::Pending | CallEnd::Queued)),
            Did::HandOffs(sent) => sent.iter().any(|sent| sent.report.is_none()),
            Did::Paused(pause) => pause.answer.is_none(),
            Did::Adopted(_) | Did::Refused(_) => false,
        }
    }
}

impl Transcript {
    /// Whether a tool or the person is still to answer, so that there is nothing to decide yet.
    pub fn waits(&self) -> bool {
        self.turns.last().is_some_and(|turn| !matches!(turn.did, Did::HandOffs(_)) && turn.pending())
    }

    /// Every tool call so far, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.turns.iter().flat_map(|turn| if let Did::Tools(calls) = &turn.did { &calls[..] } else { &[] })
    }

    /// Every handoff sent so far, in order.
    pub fn sent(&self) -> impl Iterator<Item = &Sent> {
        self.turns.iter().flat_map(|turn| if let Did::HandOffs(sent) = &turn.did { &sent[..] } else { &[] })
    }

    /// Whether the ledger has refused a call, and which cap it was: time to wind down.
    pub fn refusal(&self) -> Option<Refusal> {
        self.calls().find_map(|call| if let CallEnd::Refused(refusal) = call.end { Some(refusal) } else { None })
    }
}
