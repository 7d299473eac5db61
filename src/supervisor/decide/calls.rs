//! Recorded calls: which should be under way, which to retry, and which to give up.

use std::sync::Arc;

use super::{Action, Decision};
use crate::fallback::takes_over;
use crate::retry::{self, Instead, Verdict};
use run::attempt::{Class, Fault};
use run::event::{Admission, Event};
use run::id::{At, CallId};
use run::state::{Intent, Reserved};
use run::transcript::Exchange;
use run::{ToolCall, ToolSpec};
use text::Clean;

impl<'a> Decision<'a> {
    /// Performs recorded calls that have not ended; after a crash none is under way. A call that is not safe to repeat
    /// is performed once its start is recorded.
    pub(super) fn perform_what_was_called(&mut self) {
        let run = self.run;
        let calls: Vec<(&CallId, &Reserved)> = match self.changed {
            None => run.under_way.iter().collect(),
            Some(changed) => {
                changed.iter().flat_map(|assignment| run.under_way.range(CallId::all_of(assignment.id))).collect()
            }
        };
        for (call, reserved) in calls {
            let call = *call;
            // Nothing is sent for an assignment stopped at a breakpoint.
            if self.run.assignment(call.assignment).is_some_and(|assignment| assignment.stopped.is_some()) {
                continue;
            }
            match self.run.intent(call) {
                Some(Intent::Tool(request)) if !reserved.started && !self.may_be_repeated(request) => {
                    self.record(Event::ToolStarted { call });
                }
                Some(Intent::Tool(request)) => self.actions.push(Action::Perform(call, request.clone())),
                Some(Intent::Model(exchange)) => self.ask_or_end(exchange),
                None => {}
            }
        }
    }

    /// Has a model asked, unless it answers no more such calls.
    fn ask_or_end(&mut self, exchange: &Exchange) {
        let model = &exchange.request.model;
        match (self.run.says_no(model), self.run.latch_on(model)) {
            // The model has refused such calls already: do not ask it again.
            (Some(refused), _) if !exchange.is_sent() => {
                self.record(unsent(exchange, refused.class, refused.what.clone()));
            }
            (_, None) => self.actions.push(Action::Ask(exchange.call, exchange.last_attempt())),
            // Another model has the work: do not wait for this one.
            (_, Some(latch)) if !exchange.is_sent() && self.has_fallback(exchange.call) => {
                self.record(unsent(exchange, Class::Cancelled, latch.why.clone()));
            }
            (_, Some(_)) => {}
        }
    }

    fn may_be_repeated(&self, request: &ToolCall) -> bool {
        self.opening.team.tool(&request.name).is_some_and(ToolSpec::may_be_repeated)
    }

    /// Whether the assignment of a call is paused by the person or stopped at a breakpoint: nothing more is sent for it.
    pub(super) fn is_held(&self, call: CallId) -> bool {
        let assignment = self.run.assignment(call.assignment);
        assignment.is_some_and(|assignment| assignment.paused || assignment.stopped.is_some())
    }

    /// Whether the model of a call refuses all calls until the person acts.
    pub(super) fn is_latched(&self, exchange: &Exchange) -> bool {
        self.run.latch_on(&exchange.request.model).is_some()
    }

    fn has_fallback(&self, call: CallId) -> bool {
        let assignment = self.run.assignment(call.assignment);
        assignment.is_some_and(|a| self.run.stand_in(&a.role, a.worker).is_some())
    }

    /// The way on for the work of a call that is given up after its last failure.
    fn instead(&self, call: CallId, exchange: &Exchange) -> Instead {
        let (Some(fault), Some(caller)) = (exchange.fault(), self.run.assignment(call.assignment)) else {
            return Instead::Nothing;
        };
        match takes_over(self.run, caller, fault.about()) {
            false => Instead::Nothing,
            true if caller.transcript.exchanges().any(|before| before.reply().is_some()) => Instead::Anew,
            true => Instead::Begun,
        }
    }

    /// Retries calls whose last attempt failed, each attempt with a reservation of its own, or gives them up.
    pub(super) fn try_again_or_give_up(&mut self) {
        let faulted: Vec<CallId> = self.run.faulted.keys().copied().collect();
        for call in faulted {
            if self.is_held(call) {
                continue;
            }
            let Some(Intent::Model(exchange)) = self.run.intent(call) else { continue };
            let error = exchange.fault().map(|fault| fault.what.clone()).unwrap_or_default();
            match retry::verdict(exchange, self.instead(call, exchange)) {
                _ if self.is_latched(exchange) => {
                    if self.has_fallback(call) {
                        self.record(Event::ModelFailed { call, error });
                    }
                }
                Verdict::Again { after_ms } => {
                    let after = i64::try_from(after_ms).unwrap_or(i64::MAX);
                    let not_before = At(self.run.at.0.saturating_add(after));
                    let attempt = exchange.attempts.last().map_or(0, |attempt| attempt.n) + 1;
                    // A call with a shorter answer is admitted once that is recorded.
                    let admission = match self.admit_queued(call) {
                        Some((_, Some(_))) | None => Admission::Queued,
                        Some((admission, None)) => admission,
                    };
                    self.record(Event::AttemptDue { call, attempt, not_before, admission });
                }
                Verdict::GiveUp => self.record(Event::ModelFailed { call, error }),
            }
        }
    }
}

/// The end of an attempt that is not sent any more: it costs nothing.
pub(super) fn unsent(exchange: &Exchange, class: Class, why: Clean) -> Event {
    let (call, attempt, (used, doubt)) = (exchange.call, exchange.last_attempt(), Default::default());
    Event::AttemptFailed { call, attempt, fault: Arc::new(Fault::before_sending(class, why)), used, doubt }
}
