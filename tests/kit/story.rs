//! A run folded by hand: the decisions on it are recorded, and nothing is performed.

use std::sync::Arc;

use run::checkpoint::question::{self, AfterFailure};
use run::checkpoint::{Answer, Approver, budget};
use run::event::{Event, Opening};
use run::{Amounts, Assignment, AssignmentId, At, CallId, Cap, CheckpointId, Envelope, Outcome, Run, Seq, Steer};
use supervisor::{Action, Roster, decide, decide_after};

use crate::corpus;

/// Rounds of deciding after which a run is said not to settle.
const MANY: usize = 100_000;

/// A run, everything that was recorded of it, and the time.
pub struct Story {
    pub run: Run,
    pub events: Vec<Envelope>,
    /// Milliseconds since the run was opened.
    pub now: i64,
    roster: Box<dyn Roster>,
    /// Whether the test answers when a cap is reached; else the run finishes there with its findings so far.
    pub asks_at_caps: bool,
    /// The last event after which all was decided.
    decided: Seq,
}

impl Story {
    /// A run that has read its sources, and about which nothing is decided yet.
    pub fn begin(opening: Opening, roster: impl Roster + 'static) -> Story {
        let mut story = Story {
            run: Run::default(),
            events: Vec::new(),
            now: 0,
            roster: Box::new(roster),
            asks_at_caps: false,
            decided: Seq(0),
        };
        story.record(Event::RunOpened(Arc::new(opening)));
        story.record(Event::SourcesRead { corpus: Arc::new(corpus()) });
        story
    }

    /// Records an event.
    ///
    /// # Panics
    /// If it does not fit, or breaks the ledger.
    #[track_caller]
    pub fn record(&mut self, event: Event) {
        let envelope = Envelope { seq: self.run.seq.next(), at: At(self.now), event };
        self.run.apply(&envelope);
        assert_eq!(self.run.misfits, 0, "{:?}", envelope.event);
        assert!(self.run.ledger.holds(), "{:?}", envelope.event);
        self.events.push(envelope);
    }

    /// The actions to be done now.
    pub fn decided(&self) -> Vec<Action> {
        decide(&self.run, At(self.now), &*self.roster)
    }

    /// The records that follow from them.
    ///
    /// # Panics
    /// If a look at the changes alone gives less, or the run has not kept which assignments wait.
    pub fn facts(&self) -> Vec<Event> {
        let fact = |action| if let Action::Record(event) = action { Some(event) } else { None };
        let facts: Vec<Event> = self.decided().into_iter().filter_map(fact).collect();
        let after = decide_after(&self.run, self.decided, At(self.now), &*self.roster);
        assert_eq!(after.actions.into_iter().filter_map(fact).collect::<Vec<_>>(), facts);
        let unwaiting = self.run.open().filter(|one| one.stopped.is_some() || !one.transcript.waits());
        assert!(self.run.unwaiting().map(|one| one.id).eq(unwaiting.map(|one| one.id)), "which wait is known");
        facts
    }

    /// The time at which it is to be decided again though nothing has happened by then, in milliseconds since the run was opened.
    pub fn looks_again(&self) -> Option<i64> {
        let again = |action| if let Action::LookAgain(then) = action { Some(then.0) } else { None };
        self.decided().into_iter().filter_map(again).min()
    }

    /// Records the decisions, once; whether there were any.
    pub fn step(&mut self) -> bool {
        let facts = self.facts();
        if decide_after(&self.run, self.decided, At(self.now), &*self.roster).is_all {
            self.decided = self.run.seq;
        }
        let some = !facts.is_empty();
        facts.into_iter().for_each(|fact| self.record(fact));
        some
    }

    /// Records the decisions until there are no more. Time stands still.
    pub fn settle(&mut self) -> &mut Story {
        for _ in 0..MANY {
            let waits = self.run.waits_at_cap().filter(|_| !self.asks_at_caps).map(|(open, _)| open.id);
            match waits {
                Some(checkpoint) => {
                    let answer = Answer::Budget(budget::Answer::Finish);
                    self.record(Event::CheckpointAnswered { checkpoint, by: Approver::Policy, answer });
                }
                None if !self.step() => return self,
                None => {}
            }
        }
        panic!("it never settles");
    }

    /// The same, and time goes on wherever it is waited for.
    pub fn settle_in_time(&mut self) -> &mut Story {
        for _ in 0..MANY {
            self.settle();
            match self.looks_again().filter(|then| *then > self.now) {
                Some(then) => self.now = then,
                None => return self,
            }
        }
        panic!("it never settles");
    }

    /// The person answers at a checkpoint.
    pub fn answer(&mut self, checkpoint: CheckpointId, answer: Answer) {
        self.record(Event::CheckpointAnswered { checkpoint, by: Approver::Person, answer });
    }

    /// The person decides on work that failed.
    pub fn answer_failure(&mut self, checkpoint: CheckpointId, what: AfterFailure) {
        self.answer(checkpoint, Answer::Question(question::Answer::AfterFailure(what)));
    }

    /// The name of the assignment that was opened as the `n`th, 0 for the supervisor; one that there is not where there
    /// are fewer.
    pub fn id(&self, n: u32) -> AssignmentId {
        opened(&self.run, n)
    }

    /// As the how manieth an assignment was opened.
    ///
    /// # Panics
    /// If it was not.
    #[track_caller]
    pub fn place(&self, id: AssignmentId) -> u32 {
        self.run.assignments().position(|assignment| assignment.id == id).expect("it was opened") as u32
    }

    /// The assignment that was opened as the `n`th.
    ///
    /// # Panics
    /// If there are fewer.
    #[track_caller]
    pub fn assignment(&self, n: u32) -> &Assignment {
        self.run.assignment(self.id(n)).expect("so many assignments")
    }

    /// The assignments of a role, in the order in which they were opened.
    pub fn of_role(&self, role: &str) -> Vec<&Assignment> {
        self.run.assignments().filter(|assignment| assignment.role.as_str() == role).collect()
    }

    /// The end of an assignment, if it has ended.
    pub fn outcome(&self, id: u32) -> Option<&Outcome> {
        self.assignment(id).ended.as_ref().map(|(outcome, _)| outcome)
    }

    /// Assignments with calls under way, in the order in which they were opened.
    pub fn at_work(&self) -> Vec<u32> {
        let mut at_work: Vec<u32> = self.run.under_way.keys().map(|call| self.place(call.assignment)).collect();
        at_work.sort_unstable();
        at_work.dedup();
        at_work
    }

    /// A tool call comes back: it has failed, at the price of one call.
    pub fn call_comes_back(&mut self, call: CallId) {
        let used = Amounts::of(Cap::ToolCalls, 1);
        self.record(Event::ToolFailed { call, error: "no".into(), used });
    }

    /// The calls of an assignment come back, and the run settles.
    #[track_caller]
    pub fn comes_back(&mut self, id: u32) {
        let id = self.id(id);
        let calls: Vec<CallId> = self.run.under_way.keys().filter(|call| call.assignment == id).copied().collect();
        assert!(!calls.is_empty(), "nothing is under way for {id}");
        calls.into_iter().for_each(|call| self.call_comes_back(call));
        self.settle();
    }

    /// The person steers an assignment, and the run settles.
    #[track_caller]
    pub fn steer(&mut self, id: u32, act: Steer) {
        let assignment = self.id(id);
        self.run.accepts(assignment, &act).unwrap_or_else(|why| panic!("{act:?} of {assignment}: {why}"));
        self.record(Event::Steered { assignment, act });
        self.settle();
    }

    /// The reason why the person may not steer an assignment so.
    #[track_caller]
    pub fn refused(&self, id: u32, act: Steer) -> String {
        self.run.accepts(self.id(id), &act).expect_err("it is refused")
    }
}

/// The name of the assignment that was opened as the `n`th, 0 for the supervisor; one that there is not where there are
/// fewer.
pub fn opened(run: &Run, n: u32) -> AssignmentId {
    run.assignments().nth(n as usize).map_or(AssignmentId::nth(n), |assignment| assignment.id)
}
