//! The parts of events on work that begins: assignments with their caps, and calls with what is reserved for them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::{Amounts, Draws, Limits, Refusal};
use crate::foreign::Told;
use crate::handoff::Handoff;
use crate::id::{AssignmentId, At, CallId, Role, TaskId};
use crate::team::Worker;
use crate::tool::ToolCall;

/// An assignment that a handoff opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Its id.
    pub assignment: AssignmentId,
    /// Its role.
    pub role: Role,
    /// The task of the plan that it fills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The assignment that it replaces: it reports in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<AssignmentId>,
    /// The worker of the role that does it.
    #[serde(default, skip_serializing_if = "Worker::is_member")]
    pub worker: Worker,
    /// The earliest moment at which it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<At>,
    /// The assignment that failed at the same work: this one has the rest of its caps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<AssignmentId>,
    /// Its name where it comes from, in an imported run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Arc<Told>>,
    /// Its caps.
    pub limits: Limits,
    /// Whether it may use the landing reserve.
    pub draws: Draws,
    /// The work it was handed.
    pub handoff: Arc<Handoff>,
}

impl Opened {
    /// By the member itself, starting at once, for no task of the plan.
    pub fn new(assignment: AssignmentId, role: Role, limits: Limits, draws: Draws, handoff: Arc<Handoff>) -> Opened {
        let (instead_of, worker, not_before, again, told) = Default::default();
        Opened { assignment, role, task: None, instead_of, worker, not_before, again, told, limits, draws, handoff }
    }
}

/// A tool call that was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// Its id.
    pub call: CallId,
    /// The request.
    pub request: Arc<ToolCall>,
    /// Whether it may go out.
    pub admission: Admission,
}

/// A part of the run's caps for an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allotment {
    /// The assignment.
    pub to: AssignmentId,
    /// The part, including its use so far.
    pub part: Limits,
}

/// Whether the ledger admits a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// It may be sent; this much is reserved for it.
    Reserved(Amounts),
    /// It may not be sent, ever.
    Refused(Refusal),
    /// It waits for calls under way to be settled: their unused part may be enough for it.
    Queued,
}

/// The decision on a call in doubt. The reservation of a model call stays in doubt either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtAnswer {
    /// It is made again: a model call with a reservation of its own.
    Retry,
    /// It is treated as failed.
    Skip,
}
