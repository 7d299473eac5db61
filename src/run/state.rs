//! The state of a run: the sum of its events, and nothing else.
//!
//! `apply` is the only way in. It costs O(1) for most events; a report walks the queue, an edit its checkpoint. It never fails on what
//! the journal holds: an event that does not fit (of a damaged or newer journal) is counted in `misfits` and changes nothing.

mod asked;
mod assignment;
mod calls;
mod fits;
mod handed;
mod latches;
mod phase;
mod pool;
mod steered;
mod stopped;
mod taken;
mod timed;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::breakpoint::{Breakpoint, BreakpointNo, Condition};
use super::budget::{Amounts, Ledger};
use super::checkpoint::Checkpoint;
use super::density::Estimate;
use super::event::{Envelope, Event, Opening};
use super::evidence::{Block, Corpus, SourceRef};
use super::foreign::Pricing;
use super::fork::Forked;
use super::handoff::Handoff;
use super::id::{AssignmentId, At, CallId, CheckpointId, Seq, SourceId, TaskId};
use super::model::ModelId;
use super::plan::Plan;
use super::transcript::Turn;
use text::Clean;

pub use assignment::{Assignment, Ending};
pub use calls::{Intent, Reserved, Slot};
pub use latches::Latch;
pub use phase::Phase;

use latches::Refusing;

/// A run, folded from its events.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The beginning; None before the first event.
    pub opening: Option<Arc<Opening>>,
    /// The fork that it is, with the amounts taken over; None if it is none.
    pub forked: Option<Forked>,
    /// The last event folded in.
    pub seq: Seq,
    /// The time at which it was recorded.
    pub at: At,
    /// The time at which the first event was recorded.
    pub opened_at: At,
    /// The sources to search, once they are known.
    pub corpus: Option<Arc<Corpus>>,
    /// The plan, once there is one.
    pub plan: Option<Arc<Plan>>,
    /// Assignments in the order in which they were opened.
    assignments: Vec<Arc<Assignment>>,
    /// Every handoff, both ways, by number (1 is the first).
    pub handoffs: Vec<Arc<Handoff>>,
    /// Every checkpoint, in the order in which they were opened.
    pub checkpoints: Vec<Checkpoint>,
    /// Documents as they were when they were read.
    pub sources: BTreeMap<SourceId, Arc<Stored>>,
    /// Paths of documents that were changed or gone when the run was resumed, in the order in which that was noticed.
    pub changed_sources: Vec<Clean>,
    /// Caps and the amounts taken from them.
    pub ledger: Ledger,
    /// Calls that wait until the ledger has room, first come, first served within an assignment.
    pub queued: BTreeMap<CallId, Slot>,
    /// Whether the person has paused the run.
    pub paused: bool,
    /// Whether the person stopped it for good.
    pub cancelled: bool,
    /// Calls under way, of tools and of models, with their reservations. Ended ones leave.
    pub under_way: BTreeMap<CallId, Reserved>,
    /// Model calls whose last attempt failed: they are tried again or given up. Nothing is reserved for them.
    pub faulted: BTreeMap<CallId, Slot>,
    /// Calls that were sent to a model, or started with a tool that is not safe to repeat, and whose end is not known.
    pub in_doubt: BTreeMap<CallId, Reserved>,
    /// Models and providers that refuse every call until the person has done something about them; the first one first.
    pub latches: Vec<Latch>,
    /// The refusals of each model since its last answer.
    refusing: BTreeMap<ModelId, Refusing>,
    /// The estimates from the answers of each model: later reservations rest on them.
    estimates: BTreeMap<ModelId, Estimate>,
    /// Assignments that were ended from outside, until they are wound up or another has taken their place.
    pub to_end: BTreeSet<AssignmentId>,
    /// The breakpoints that are set, in the order in which they were.
    pub breakpoints: Vec<Breakpoint>,
    /// The number of the breakpoint that was set last.
    last_breakpoint: BreakpointNo,
    /// Until when the run goes on after the last stop, besides its breakpoints.
    until: Option<Condition>,
    /// Whether the person has the run finish within the room of its caps. Raising one ends that.
    finishes: bool,
    /// Events that met a breakpoint and were recorded, and after which the run is to be stopped.
    pub hits: Vec<Hit>,
    /// The part of an imported run's money that is known; the default in one of ours.
    pub pricing: Pricing,
    /// Events that did not fit; a sound journal has none.
    pub misfits: u64,
    worked_until_last: u64,
    /// The position of each assignment among all.
    places: Arc<BTreeMap<AssignmentId, usize>>,
    /// Assignments that are open, and where each stands among all: they are gone through again and again.
    open: BTreeMap<AssignmentId, usize>,
    /// The open assignments that wait for no answer, or stand at a breakpoint. Nothing is to be decided for the others.
    unwaiting: BTreeSet<AssignmentId>,
    /// The assignments of each task, in the order in which they were opened.
    given: BTreeMap<TaskId, Vec<AssignmentId>>,
    /// Open assignments that wait for a part of the caps of the run, should it have any, by their place in the plan.
    line: BTreeSet<(u32, AssignmentId)>,
    /// The amounts taken of the caps, and the number of assignments, when this round of tasks began.
    round: (Amounts, usize),
    open_specialists: usize,
    paused_specialists: usize,
    /// Every assignment by the last event that changed it.
    changes: BTreeSet<(Seq, AssignmentId)>,
    /// The last event that may concern assignments that it does not name.
    changed_for_all: Seq,
    /// Open assignments that do not begin at once.
    delayed: usize,
}

/// The statement that the run waits for from a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks<'a> {
    /// The answer at a checkpoint.
    Checkpoint(&'a Checkpoint),
    /// The decision on a call in doubt.
    Doubt(CallId),
    /// Permission to ask a provider again.
    Latch(&'a Latch),
}

/// An event that met a breakpoint when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The event.
    pub seq: Seq,
    /// The assignment that stands still for it: its own, or one above that is open.
    pub by: AssignmentId,
    /// The conditions that it met.
    pub met: Vec<Condition>,
    /// The event, in a line.
    pub says: Clean,
}

/// A document as far as it was read.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The document.
    pub source: SourceRef,
    /// The blocks that were read.
    pub blocks: BTreeMap<u32, Arc<Block>>,
    /// The counts of a tool over the whole of it, each with the block that shows it.
    pub measured: BTreeSet<(Clean, u32)>,
}

impl Run {
    /// Folds events into a run.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Envelope>) -> Run {
        let mut run = Run::default();
        for event in events {
            run.apply(event);
        }
        run
    }

    /// Folds one event in.
    pub fn apply(&mut self, envelope: &Envelope) {
        let first = self.seq == Seq(0);
        self.seq = envelope.seq;
        if !self.fits(&envelope.event) {
            self.misfits += 1;
            return;
        }
        let until = match &envelope.event {
            Event::Attached { worked_until, .. } => worked_until.unwrap_or(self.at).min(envelope.at),
            Event::StoodStill { worked_until } => (*worked_until).min(envelope.at),
            Event::Forked(_) => self.at,
            _ => envelope.at,
        };
        if self.opening.is_some() && self.is_working() {
            self.worked_until_last = self.worked_until_last.saturating_add(until.since(self.at));
        }
        if first {
            self.opened_at = envelope.at;
        }
        if !envelope.event.concerns_one() {
            self.changed_for_all = envelope.seq;
        }
        let (cost, stood) = (self.cost(), self.stands_at(&envelope.event));
        if self.take(envelope.at, &envelope.event).is_none() {
            self.misfits += 1;
        }
        self.keep_time(&envelope.event);
        self.at = envelope.at;
        self.compare_with_breakpoints(envelope, cost, stood);
        self.see_which_wait();
    }

    fn turn(&mut self, at: At, by: AssignmentId, turn: Turn) -> Option<u32> {
        let worked = self.worked_until_last;
        let assignment = self.assignment_mut(by)?;
        assignment.has_waited(worked);
        assignment.touch(at, worked);
        Arc::make_mut(&mut assignment.transcript).push(turn);
        u32::try_from(assignment.transcript.turns.len() - 1).ok()
    }

    /// An assignment that this event changes.
    fn assignment_mut(&mut self, id: AssignmentId) -> Option<&mut Assignment> {
        let assignment = Arc::make_mut(self.assignments.get_mut(*self.places.get(&id)?)?);
        if assignment.changed != self.seq {
            self.changes.remove(&(assignment.changed, id));
            self.changes.insert((self.seq, id));
            assignment.changed = self.seq;
        }
        Some(assignment)
    }

    /// Looks at those that this event has changed: no others begin or cease to wait.
    fn see_which_wait(&mut self) {
        for (_, id) in self.changes.range((self.seq, AssignmentId::ROOT)..) {
            let one = self.places.get(id).and_then(|place| self.assignments.get(*place));
            let is_unwaiting =
                |one: &Arc<Assignment>| one.ended.is_none() && (one.stopped.is_some() || !one.transcript.waits());
            match one.is_some_and(is_unwaiting) {
                true => self.unwaiting.insert(*id),
                false => self.unwaiting.remove(id),
            };
        }
    }

    fn checkpoint_mut(&mut self, id: CheckpointId) -> Option<&mut Checkpoint> {
        self.checkpoints.iter_mut().rev().find(|checkpoint| checkpoint.id == id)
    }
}
