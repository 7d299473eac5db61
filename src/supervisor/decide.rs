//! `decide`: the actions that should be under way in this state of a run.
//!
//! Level-triggered: it reads the state, not the last event. It asks each specialist that may take a step for its next one, checks
//! the step against contracts, caps and the ledger, and returns the events to record and the actions to perform. It changes
//! nothing. Once everything decided after an event is done, only later changes need to be looked at.

mod admission;
mod allot;
mod calls;
mod capped;
mod ending;
mod load;
mod opening;
mod overdue;
mod step;
mod stopping;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Roster, guard, queue};
use run::budget::{Draws, Tentative};
use run::event::{Event, Opened, Opening};
use run::handoff::Handoff;
use run::id::{AssignmentId, At, CallId, CheckpointId, HandoffNo, Role, Seq};
use run::stage::Leading;
use run::team::Order;
use run::{Assignment, Cap, Payload, Run, ToolCall};
use text::{Clean, Named};

/// An action for the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read the sources, unless that is under way.
    ReadSources,
    /// Record this fact.
    Record(Event),
    /// Perform this tool call, whose intent is recorded, unless it is under way.
    Perform(CallId, Arc<ToolCall>),
    /// Send this attempt of a model call, whose intent is recorded, unless it is under way.
    Ask(CallId, u32),
    /// Decide again at this time.
    LookAgain(At),
}

/// The actions that should be under way now. Empty if nothing is left to do, or only the person can act.
pub fn decide(run: &Run, now: At, roster: &dyn Roster) -> Vec<Action> {
    decide_after(run, Seq(0), now, roster).actions
}

/// The result of a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// The actions to be done.
    pub actions: Vec<Action>,
    /// Whether the actions are complete: nothing must be recorded first, and nothing is stopped. The next decision may
    /// then be made with [`decide_after`] this event.
    pub is_all: bool,
}

/// Like [`decide`], where everything decided after event `done` is already under way: looks only at later changes and at those that
/// may concern every assignment. It returns the same new facts as [`decide`].
pub fn decide_after(run: &Run, done: Seq, now: At, roster: &dyn Roster) -> Decided {
    let actions = actions(run, done, now, roster);
    let stands_still =
        run.corpus.is_none() || run.paused || run.is_stopped() || run.cancelled || !run.to_end.is_empty();
    let is_all = !stands_still && !actions.iter().any(|action| matches!(action, Action::Record(_)));
    Decided { actions, is_all }
}

fn actions(run: &Run, done: Seq, now: At, roster: &dyn Roster) -> Vec<Action> {
    let Some(opening) = run.opening.clone() else { return Vec::new() };
    // An imported run is read only.
    if run.ended().is_some() || run.is_imported() {
        return Vec::new();
    }
    let changed = run.changed_after(done);
    let mut decision = Decision {
        run,
        opening: &opening,
        roster,
        now,
        changed: changed.as_deref(),
        ledger: None,
        load: None,
        named: BTreeSet::new(),
        handoffs: run.handoffs.len() as u32,
        checkpoints: 0,
        has_ended_others: false,
        waits_at_cap: Vec::new(),
        actions: Vec::new(),
    };
    decision.make();
    decision.actions
}

/// One end of a handoff: an assignment, or None for the person, and its name.
type End<'a> = (Option<AssignmentId>, &'a str);

struct Decision<'a> {
    run: &'a Run,
    opening: &'a Opening,
    roster: &'a dyn Roster,
    now: At,
    /// The assignments that have changed since all was under way; None if each has to be looked at.
    changed: Option<&'a [&'a Assignment]>,
    /// The run's ledger less the reservations of this decision; made on first use.
    ledger: Option<Tentative<'a>>,
    /// The work of each worker, this decision included; made on first use.
    load: Option<load::Load>,
    /// The assignments that this decision opens.
    named: BTreeSet<AssignmentId>,
    handoffs: u32,
    /// The number of checkpoints that this decision opens.
    checkpoints: u32,
    /// Whether this decision ends assignments that have not reported, so that none takes a step in it any more.
    has_ended_others: bool,
    /// Assignments that wait for the person to raise a cap of the run, each with the cap and the amount it needs.
    waits_at_cap: Vec<(AssignmentId, Cap, u64)>,
    actions: Vec<Action>,
}

impl<'a> Decision<'a> {
    /// The phases that may end or change assignments before work goes on, in order.
    fn phases() -> [fn(&mut Decision<'a>); 7] {
        [
            Decision::end_where_it_differs,
            Decision::carry_out_stops,
            Decision::stop_after_hits,
            Decision::cancel_orphans,
            Decision::give_up_at_time_cap,
            Decision::give_up_past_a_cap,
            Decision::end_overdue,
        ]
    }

    fn make(&mut self) {
        let run = self.run;
        if run.cancelled {
            return self.cancel_all();
        }
        if !run.to_end.is_empty() {
            return self.end_what_was_ended();
        }
        if run.paused {
            return;
        }
        let Some(corpus) = &run.corpus else { return self.actions.push(Action::ReadSources) };
        if run.root().is_none() {
            return self.open_root(corpus);
        }
        if run.is_stopped() {
            return;
        }
        // Each looks at the same state: the next would end the same assignment once more.
        for phase in Decision::phases() {
            phase(self);
            if self.has_records() {
                return;
            }
        }
        self.go_on();
    }

    /// Sees to the calls on record, then to the next step of each assignment.
    fn go_on(&mut self) {
        let run = self.run;
        self.perform_what_was_called();
        self.try_again_or_give_up();
        self.admit_what_is_queued();
        if run.has_delayed() {
            let later = run.open().filter_map(|assignment| assignment.not_before).filter(|then| *then > self.now);
            self.actions.extend(later.map(Action::LookAgain));
        }
        for assignment in queue::may_step(run, &self.opening.team, self.now, self.changed) {
            self.step(assignment);
            // An ended assignment takes no more steps; the others step once that is recorded.
            if self.has_ended_others {
                break;
            }
        }
        // Work handed out now may come before the work in line.
        if !self.has_records() {
            self.allot();
        }
        if !self.has_records() {
            self.ask_at_cap();
        }
        if run.is_debugged() {
            self.record_one();
        }
    }
}

impl Decision<'_> {
    fn record(&mut self, event: Event) {
        self.actions.push(Action::Record(event));
    }

    fn has_records(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::Record(_)))
    }

    /// The next handoff of the run, between assignments or the person; each end has its name.
    fn handoff(&mut self, from: End<'_>, to: End<'_>, title: Clean, payload: Payload) -> Arc<Handoff> {
        self.handoffs += 1;
        let names = (from.1.into(), to.1.into());
        Arc::new(Handoff { no: HandoffNo(self.handoffs), from: from.0, to: to.0, names, title, payload })
    }

    fn next_checkpoint(&mut self) -> CheckpointId {
        self.checkpoints += 1;
        CheckpointId(self.run.next_checkpoint().0 + self.checkpoints - 1)
    }

    fn open_root(&mut self, corpus: &run::evidence::Corpus) {
        let role = Role::new(Role::SUPERVISOR);
        // Read once, here, so that a later version that reads more from the question still resumes this run the same
        // way.
        let named = Some(Named::read(&self.opening.question));
        let payload = Payload {
            question: Some(self.opening.question.clone()),
            named: named.filter(|named| {
                ![Order::Inspect, Order::Judge].contains(&self.opening.team.order) && !named.is_empty()
            }),
            briefs: self.opening.briefs.clone(),
            length: Some(self.opening.words),
            corpus: Some(corpus.clone()),
            ..Payload::default()
        };
        let assignment = AssignmentId::ROOT;
        let handoff = self.handoff((None, "you"), (Some(assignment), role.as_str()), "the question".into(), payload);
        let limits = self.opening.team.members.get(&role).map(|member| member.limits).unwrap_or_default();
        let opened = Opened::new(assignment, role, limits, Draws::Landing, handoff);
        let stage = Leading::Open.into();
        self.record(Event::HandedOff { by: None, stage, why: "the person asked".into(), opened: vec![opened] });
    }
}
