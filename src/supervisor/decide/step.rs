//! The next step of an assignment: asks its specialist, and checks the step before recording it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Decision, ending};
use crate::guard;
use run::budget::Limits;
use run::event::{Admission, Called, Event};
use run::id::{AssignmentId, CallId};
use run::plan::Bounds;
use run::stage::{Leading, Stage};
use run::{Assignment, ModelRequest, ToolCall, ToolName};
use specialist::{Assigned, MOST_REFUSALS, Step};
use text::{Clean, count};

impl<'a> Decision<'a> {
    pub(super) fn step(&mut self, assignment: &Assignment) {
        match self.next_step(assignment) {
            Ok((tools, step)) => match step.stage().filter(|_| self.is_late(assignment)) {
                Some(stage) => {
                    let why = "its deadline has passed: all that it can do now is to report what it has".into();
                    self.refuse(assignment.id, stage, why);
                }
                None if self.is_cut_short(assignment, &step) => {
                    self.record(Event::RanShort { assignment: assignment.id })
                }
                None => self.take(assignment, tools, step),
            },
            Err(why) => self.fail(assignment, why),
        }
    }

    /// Whether a specialist would do something else with a larger part, and may get one: then it waits for that. The
    /// person is asked for more only where too little is left for a short piece of work.
    fn is_cut_short(&self, assignment: &Assignment, step: &Step) -> bool {
        let may_ask = || self.run.asks_at_caps() && self.lacks_room(assignment);
        if !self.runs_low(assignment) || !(self.may_get_more(assignment) || may_ask()) {
            return false;
        }
        let left = self.run.ledger.assignment(assignment.id).left_of_caps();
        self.next_step_with(assignment, left).is_ok_and(|(_, freely)| freely != *step)
    }

    /// The next step of a specialist and the tools it may use; the error is why it can take none.
    fn next_step(&self, assignment: &Assignment) -> Result<(&'a [ToolName], Step), String> {
        self.next_step_with(assignment, self.run.ledger.assignment(assignment.id).left())
    }

    /// The next step with this much left of its budget.
    fn next_step_with(&self, assignment: &Assignment, left: Limits) -> Result<(&'a [ToolName], Step), String> {
        let transcript = &assignment.transcript;
        let Some(member) = self.opening.team.members.get(&assignment.role) else {
            return Err(format!("there is no `{}` in the team", assignment.role));
        };
        let Some(specialist) = self.roster.specialist(&self.opening.team, &assignment.role, assignment.worker) else {
            return Err(format!("there is no specialist for `{}`", assignment.role));
        };
        if transcript.refused_steps() > MOST_REFUSALS {
            return Err("its steps were refused again and again".into());
        }
        let team = &self.opening.team;
        let counts_answers = team.counts_answers(&assignment.role, assignment.worker);
        let turns_left = member.turns.saturating_sub(team.turns_used(&assignment.role, assignment.worker, transcript));
        let no_report = || format!("it did not report within {}", count(member.turns as usize, "turn"));
        // What belongs to the last answer of a model can still be done.
        if turns_left == 0 && !counts_answers {
            return Err(no_report());
        }
        let known = self.run.model_of(assignment).map(|model| self.run.estimate(model));
        let assigned =
            Assigned { id: assignment.id, handoff: &transcript.handoff, turns_left, is_over: false, left, known };
        let late = self.is_late(assignment);
        let next = || match specialist.next(assigned, transcript) {
            step if !late || matches!(step, Step::Report { .. } | Step::Wait) => step,
            // Past its deadline it takes its last turn.
            _ => ending::cut_short(specialist.next(assigned.over(), transcript)),
        };
        // A specialist is pure, so a panic leaves nothing half done, and one failure stays one failure.
        let step = catch_unwind(AssertUnwindSafe(next)).map_err(|panic| {
            let why = panic
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".into());
            format!("a fault in the program: {why}")
        })?;
        let asks = matches!(step, Step::Ask { .. });
        if turns_left == 0 && step.stage().is_some() && transcript.takes_a_turn(asks) {
            return Err(no_report());
        }
        Ok((member.tools.as_slice(), step))
    }

    /// Whether its deadline has passed. A supervisor or editor has none of its own: it ends after its tasks.
    pub(super) fn is_late(&self, assignment: &Assignment) -> bool {
        let leads = self.opening.team.delegates(&assignment.role);
        !leads && assignment.deadline.is_some_and(|deadline| self.run.worked(self.now) >= deadline)
    }

    fn take(&mut self, assignment: &Assignment, tools: &[ToolName], step: Step) {
        let by = assignment.id;
        match step {
            Step::Wait => {}
            Step::Use { stage, why, requests } => {
                match guard::check_calls(&self.opening.team, &assignment.transcript, tools, &requests) {
                    Ok(()) => self.call(assignment, stage, why, requests),
                    Err(refused) => self.refuse(by, stage, refused),
                }
            }
            Step::Ask { stage, why, request } => self.ask(assignment, stage, why, request),
            Step::HandOff { stage, why, handoffs } => self.hand_off(assignment, stage, why, handoffs),
            Step::Adopt(plan) => match plan.blocking_flaws(&Bounds::of(&self.opening.team)).first() {
                None => self.record(Event::PlanAdopted { by, plan: Arc::new(plan) }),
                Some(flaw) => self.refuse(by, Leading::Plan.into(), flaw.to_string().into()),
            },
            Step::Checkpoint(subject) => match subject.flaw(&self.opening.team) {
                None => {
                    let (checkpoint, subject) = (self.next_checkpoint(), Arc::new(subject));
                    self.record(Event::CheckpointOpened { checkpoint, by, subject });
                }
                Some(why) => self.refuse(by, subject.stage(), why.into()),
            },
            Step::Enough { of } => self.end_those(assignment, &of),
            Step::Relieve { why, to } => self.record(Event::Relieved { by, why, to }),
            Step::Report { outcome, title, payload } => {
                if !self.stops_before_report(assignment, &outcome, &title, &payload) {
                    self.report(assignment, outcome, title, payload);
                }
            }
        }
    }

    /// Records that a step was refused.
    pub(super) fn refuse(&mut self, by: AssignmentId, stage: Stage, why: Clean) {
        self.record(Event::StepRefused { by, stage, why, unsent: None });
    }

    /// Admits calls in order; once one has to wait, the later ones wait too.
    fn call(&mut self, assignment: &Assignment, stage: Stage, why: Clean, requests: Vec<ToolCall>) {
        let mut waits = false;
        let mut calls = Vec::with_capacity(requests.len());
        for (request, n) in requests.into_iter().zip(assignment.calls() + 1..) {
            let most = self.most_of_tool(assignment, &request);
            let admission = if waits { Admission::Queued } else { self.admit(assignment.id, most) };
            waits = admission == Admission::Queued;
            calls.push(Called { call: CallId::new(assignment.id, n), request: Arc::new(request), admission });
        }
        self.record(Event::ToolsCalled { by: assignment.id, stage, why, calls });
    }

    fn ask(&mut self, assignment: &Assignment, stage: Stage, why: Clean, mut request: ModelRequest) {
        let by = assignment.id;
        let Some(most) = self.most(assignment, &request, None) else {
            let why = format!(
                "{} is not called: its price is not known, or it is not the model of this specialist",
                request.model
            );
            return self.refuse(by, stage, why.into());
        };
        let (admission, max_tokens) = self.admit_answer(assignment, request.max_tokens, most);
        request.max_tokens = max_tokens;
        let call = CallId::new(by, assignment.calls() + 1);
        let request = request.after(assignment.transcript.exchanges().next_back().map(|before| &*before.request));
        self.record(Event::ModelCalled { by, stage, why, call, request: Arc::new(request), admission });
    }
}
