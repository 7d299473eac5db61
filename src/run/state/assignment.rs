//! One assignment: its specialist, its result, and its place among those that wait for a turn.

use std::ops::Range;
use std::sync::Arc;

use crate::foreign::{Pricing, Told};
use crate::handoff::{Handoff, Outcome};
use crate::id::{AssignmentId, At, CheckpointId, Role, Seq, TaskId};
use crate::steer::Priority;
use crate::team::Worker;
use crate::timeouts::Stopwatch;
use crate::transcript::{Exchange, Transcript};

/// One assignment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Its id.
    pub id: AssignmentId,
    /// Its role.
    pub role: Role,
    /// The task of the plan that it fills.
    pub task: Option<TaskId>,
    /// The worker of the role that does it.
    pub worker: Worker,
    /// Its name where it comes from, in an imported run.
    pub told: Option<Arc<Told>>,
    /// The part of its money, and of all below it, that is known, in an imported run.
    pub pricing: Pricing,
    /// It does not begin before.
    pub not_before: Option<At>,
    /// The transcript: everything that it has seen and done.
    pub transcript: Arc<Transcript>,
    /// Its end; None while it is open.
    pub ended: Option<(Outcome, Arc<Handoff>)>,
    /// The time at which it was opened.
    pub opened_at: At,
    /// The time at which something last happened to it.
    pub touched_at: At,
    /// The run's work time when it was opened (ms).
    pub(super) opened_after: u64,
    /// The run's work time when something last happened to it (ms).
    pub(super) touched_after: u64,
    /// The last event that changed anything of it.
    pub changed: Seq,
    /// Whether it goes before or after others.
    pub priority: Priority,
    /// The run's work time (ms) at which it reports its findings so far.
    pub deadline: Option<u64>,
    /// Whether the person has paused it: it starts no further step.
    pub paused: bool,
    /// The way in which it was ended before it had reported, if it was.
    pub ending: Option<Ending>,
    /// The time for which it has been at work.
    pub watch: Stopwatch,
    /// Whether it waits for more of the run's caps than is kept for it.
    pub is_short: bool,
    /// The checkpoint of the breakpoint at which it stands still, until the answer there is carried out.
    pub stopped: Option<CheckpointId>,
    /// The position of its task in the plan: 1 for the first, 0 for work that is no task of it.
    pub order: u32,
    /// The target of its report: the turn of its parent, and the place in that turn.
    pub(crate) turn_of_parent: (u32, u32),
    pub(super) calls: u32,
    pub(super) ready_since: u64,
    pub(super) waited: u64,
}

/// The way in which an assignment was ended before it had reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the person, for good.
    Cancelled,
    /// By the supervisor that handed it out, which has enough without it.
    Enough,
    /// By the person, who gives its work to another.
    Replaced {
        /// To a member of this role.
        by: Role,
        /// The assignment that took its place, once it is there.
        with: Option<AssignmentId>,
    },
}

impl Assignment {
    /// The title of its handoff, in a few words.
    pub fn title(&self) -> &str {
        &self.transcript.handoff.title
    }

    /// The part of the money of its own calls that is known, without those below it, in an imported run.
    pub fn own_pricing(&self) -> Pricing {
        let mut pricing = Pricing::default();
        self.transcript.exchanges().filter_map(Exchange::usage).for_each(|usage| pricing.count(usage));
        pricing
    }

    /// The subject of its work, if several may have its role: its task, or its section; in an imported run its title.
    pub fn subject(&self) -> Option<&str> {
        let is_titled = || self.told.is_some() && self.parent().is_some() && self.title() != self.role.as_str();
        (self.task.is_some() || self.role.as_str() == Role::EDITOR || is_titled()).then(|| self.title())
    }

    /// The assignment that opened it; None for the root.
    pub fn parent(&self) -> Option<AssignmentId> {
        self.id.parent()
    }

    /// The number of tool calls that it has made.
    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// Its waits for its turn in all (ms of the run's work time), when the run has worked for `worked`.
    pub fn waited(&self, worked: u64) -> u64 {
        match self.ended.is_some() || self.paused || self.transcript.waits() {
            true => self.waited,
            false => self.waited.saturating_add(worked.saturating_sub(self.ready_since)),
        }
    }

    /// It takes its turn now, or is kept from it for another reason than that others go first.
    pub(super) fn has_waited(&mut self, worked: u64) {
        self.waited = self.waited.saturating_add(worked.saturating_sub(self.ready_since));
        self.ready_since = worked;
    }

    /// The run's work time (ms) in which it was at work: from its beginning until something last happened to it.
    pub fn worked(&self) -> Range<u64> {
        self.opened_after..self.touched_after
    }

    /// Something happened to it.
    pub(super) fn touch(&mut self, at: At, worked: u64) {
        self.touched_at = at;
        self.touched_after = worked;
    }

    /// Something came that it can go on with.
    pub(super) fn make_ready(&mut self, at: At, worked: u64) {
        self.touch(at, worked);
        self.ready_since = worked;
    }
}
