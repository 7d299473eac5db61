//! The course of calls in the state of a run: of tools, and of models with their attempts and doubts.

use std::sync::Arc;

use super::Run;
use crate::attempt::{Attempt, Charge, Fault};
use crate::budget::{Amounts, Cap};
use crate::density::{Density, Estimate};
use crate::event::{Admission, Called, DoubtAnswer};
use crate::id::{AssignmentId, At, CallId};
use crate::model::{ModelId, ModelRequest, Usage};
use crate::price;
use crate::stage::Stage;
use crate::team::AssignedModel;
use crate::tool::ToolCall;
use crate::transcript::{Call, CallEnd, Did, Exchange, ExchangeEnd, Turn};
use text::Clean;

/// A call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// The reserved amounts.
    pub amounts: Amounts,
    /// Whether it is a tool call that was started, and must not be made again without asking.
    pub started: bool,
    pub(super) slot: Slot,
}

/// The place of a call in the transcript of its assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub(super) turn: u32,
    pub(super) place: u32,
}

/// A model call as its event tells it.
pub(super) struct ModelCall<'a> {
    pub(super) call: CallId,
    pub(super) request: &'a Arc<ModelRequest>,
    pub(super) admission: Admission,
}

/// An attempt that failed, as its event tells it.
pub(super) struct FailedAttempt<'a> {
    pub(super) attempt: u32,
    pub(super) fault: &'a Arc<Fault>,
    pub(super) used: Amounts,
    pub(super) doubt: Amounts,
}

/// The request of a call.
#[derive(Clone, Copy, Debug)]
pub enum Intent<'a> {
    /// A tool.
    Tool(&'a Arc<ToolCall>),
    /// A model.
    Model(&'a Exchange),
}

impl Run {
    pub(super) fn tools_called(
        &mut self,
        at: At,
        by: AssignmentId,
        (stage, why): (Stage, &Clean),
        calls: &[Called],
    ) -> Option<()> {
        let ended = |called: &Called| match called.admission {
            Admission::Reserved(_) => CallEnd::Pending,
            Admission::Refused(refusal) => CallEnd::Refused(refusal),
            Admission::Queued => CallEnd::Queued,
        };
        let turn = Turn {
            stage,
            why: why.clone(),
            did: Did::Tools(
                calls
                    .iter()
                    .map(|called| Call {
                        id: called.call,
                        request: called.request.clone(),
                        end: ended(called),
                        began: matches!(called.admission, Admission::Reserved(_)).then_some(at),
                        ended: None,
                    })
                    .collect(),
            ),
        };
        let turn = self.turn(at, by, turn)?;
        for (place, called) in calls.iter().enumerate() {
            let slot = Slot { turn, place: u32::try_from(place).ok()? };
            match called.admission {
                Admission::Reserved(amounts) => self.reserve(called.call, amounts, slot),
                Admission::Queued => drop(self.queued.insert(called.call, slot)),
                Admission::Refused(_) => {}
            }
        }
        self.assignment_mut(by)?.calls += u32::try_from(calls.len()).ok()?;
        Some(())
    }

    /// The most that may be owed for sent calls without a recorded end: in doubt once nobody works on the run.
    /// None where there are none.
    pub fn unseen(&self) -> Option<Amounts> {
        let sent = self.under_way.iter().filter(|(call, _)| self.is_sent(**call));
        sent.map(|(_, reserved)| reserved.amounts).reduce(Amounts::plus)
    }

    /// The process that takes a run up does not know how calls ended that were sent or started before.
    pub(super) fn attached(&mut self) -> Option<()> {
        self.ask_all_again();
        let sent: Vec<CallId> = self.under_way.keys().copied().filter(|call| self.is_sent(*call)).collect();
        for call in sent {
            let reserved = self.under_way.remove(&call)?;
            // A tool costs the tokens of its result: its reservation stays until the answer.
            if !reserved.started {
                self.ledger.settle(call.assignment, reserved.amounts, Amounts::default(), reserved.amounts);
            }
            self.set_end(self.at, call, reserved.slot, CallEnd::InDoubt)?;
            self.in_doubt.insert(call, reserved);
        }
        Some(())
    }

    /// A call of the run that this one was forked from is this one's to make: as if it had not been sent.
    pub(super) fn is_made_again(&mut self, at: At, call: CallId) -> Option<()> {
        if self.in_doubt.contains_key(&call) {
            return self.doubt_answered(at, call, DoubtAnswer::Retry);
        }
        let reserved = self.under_way.get_mut(&call)?;
        reserved.started = false;
        let slot = reserved.slot;
        if let Some(exchange) = self.exchange_mut(at, call, slot) {
            exchange.attempts.last_mut()?.sent_at = None;
        }
        Some(())
    }

    pub(super) fn doubt_answered(&mut self, at: At, call: CallId, answer: DoubtAnswer) -> Option<()> {
        let reserved = self.in_doubt.remove(&call)?;
        let end = match answer {
            DoubtAnswer::Skip => {
                self.settle_doubt(call, reserved);
                CallEnd::Failed("its end is not known, and it was not to be made again".into())
            }
            DoubtAnswer::Retry if reserved.started => {
                self.under_way.insert(call, Reserved { started: false, ..reserved });
                CallEnd::Pending
            }
            DoubtAnswer::Retry => {
                self.faulted.insert(call, reserved.slot);
                CallEnd::Pending
            }
        };
        self.set_end(at, call, reserved.slot, end)
    }

    /// A call in doubt is not made again: of a tool, the call is spent, and the tokens of its result are not.
    pub(super) fn settle_doubt(&mut self, call: CallId, reserved: Reserved) {
        if reserved.started {
            let used = Amounts::of(Cap::ToolCalls, 1);
            self.ledger.settle(call.assignment, reserved.amounts, used, Amounts::default());
        }
    }

    pub(super) fn model_called(
        &mut self,
        at: At,
        by: AssignmentId,
        (stage, why): (Stage, &Clean),
        ModelCall { call, request, admission }: ModelCall<'_>,
    ) -> Option<()> {
        let end = match admission {
            Admission::Reserved(_) => ExchangeEnd::Pending,
            Admission::Refused(refusal) => ExchangeEnd::Refused(refusal),
            Admission::Queued => ExchangeEnd::Queued,
        };
        let first = Attempt { n: 1, not_before: at, sent_at: None, fault: None };
        let before = self.assignment(by)?.transcript.exchanges().next_back();
        let request = request.whole(before.map(|before| &*before.request));
        let exchange = Exchange::new(call, request, vec![first], end);
        let turn = self.turn(at, by, Turn { stage, why: why.clone(), did: Did::Asked(exchange) })?;
        let slot = Slot { turn, place: 0 };
        match admission {
            Admission::Reserved(amounts) => self.reserve(call, amounts, slot),
            Admission::Queued => drop(self.queued.insert(call, slot)),
            Admission::Refused(_) => {}
        }
        self.assignment_mut(by)?.calls += 1;
        Some(())
    }

    pub(super) fn attempt_failed(
        &mut self,
        at: At,
        call: CallId,
        FailedAttempt { attempt, fault, used, doubt }: FailedAttempt<'_>,
    ) -> Option<()> {
        let reserved = self.under_way.remove(&call)?;
        self.ledger.settle(call.assignment, reserved.amounts, used, doubt);
        self.faulted.insert(call, reserved.slot);
        if let Charge::AtLeast(usage) = &fault.charge {
            self.count_price(call.assignment, usage)?;
        }
        let exchange = self.exchange_mut(at, call, reserved.slot)?;
        let model = exchange.request.model.clone();
        exchange.attempts.last_mut().filter(|last| last.n == attempt)?.fault = Some((**fault).clone());
        self.refused(&model, fault);
        self.learn(call, None, used);
        Some(())
    }

    pub(super) fn due(
        &mut self,
        at: At,
        call: CallId,
        slot: Slot,
        attempt: Attempt,
        admission: Admission,
    ) -> Option<()> {
        let exchange = self.exchange_mut(at, call, slot)?;
        exchange.attempts.push(attempt);
        exchange.end = match admission {
            Admission::Reserved(_) => ExchangeEnd::Pending,
            Admission::Refused(refusal) => ExchangeEnd::Refused(refusal),
            Admission::Queued => ExchangeEnd::Queued,
        };
        match admission {
            Admission::Reserved(amounts) => self.reserve(call, amounts, slot),
            Admission::Queued => drop(self.queued.insert(call, slot)),
            Admission::Refused(_) => {}
        }
        Some(())
    }

    /// An answer, or a part of one, teaches how many tokens text makes with its model, and how much is billed beyond that.
    pub(super) fn learn(&mut self, call: CallId, usage: Option<&Usage>, used: Amounts) {
        let Some(assignment) = self.assignment(call.assignment) else { return };
        let Some(exchange) = assignment.transcript.exchanges().rev().find(|exchange| exchange.call == call) else {
            return;
        };
        let request = &exchange.request;
        let Some(model) = self.model_of(assignment).filter(|model| model.id == request.model) else { return };
        let before = assignment.transcript.said_before(Some(call), request.afresh);
        let input = price::Input::of_exchange(before, exchange);
        let mut known = self.estimate(model);
        if let Some(usage) = usage.filter(|usage| !usage.estimated) {
            known.learn(input.whole(), usage.input_total());
        }
        if let Some(rates) = &model.rates {
            let most = input.most(known.reserves);
            known.billed(used, price::reservation(rates, most, request.max_tokens));
        }
        let model = model.id.clone();
        self.estimates.insert(model, known);
    }

    /// The token density of a model, learnt in earlier runs and from its answers in this one.
    pub fn estimate(&self, model: &AssignedModel) -> Estimate {
        self.estimates.get(&model.id).copied().unwrap_or_else(|| Estimate::new(model.density))
    }

    /// The densities of models that the answers of this run have shown, for later runs.
    pub fn learnt(&self) -> impl Iterator<Item = (&ModelId, Density)> {
        self.estimates.iter().map(|(model, known)| (model, known.learnt))
    }

    pub(super) fn exchange_mut(&mut self, at: At, call: CallId, slot: Slot) -> Option<&mut Exchange> {
        let worked = self.worked_until_last;
        let assignment = self.assignment_mut(call.assignment)?;
        assignment.make_ready(at, worked);
        match &mut Arc::make_mut(&mut assignment.transcript).turn_mut(slot.turn)?.did {
            Did::Asked(exchange) if exchange.call == call => Some(exchange),
            _ => None,
        }
    }

    fn is_sent(&self, call: CallId) -> bool {
        match self.intent(call) {
            Some(Intent::Model(exchange)) => exchange.is_sent(),
            _ => self.under_way.get(&call).is_some_and(|reserved| reserved.started),
        }
    }

    pub(super) fn reserve(&mut self, call: CallId, amounts: Amounts, slot: Slot) {
        self.ledger.reserve(call.assignment, amounts);
        self.under_way.insert(call, Reserved { amounts, started: false, slot });
    }

    pub(super) fn admitted(
        &mut self,
        at: At,
        call: CallId,
        admission: Admission,
        max_tokens: Option<u32>,
    ) -> Option<()> {
        let slot = self.queued.remove(&call)?;
        if let Some(most) = max_tokens {
            Arc::make_mut(&mut self.exchange_mut(at, call, slot)?.request).max_tokens = most;
        }
        let end = match admission {
            Admission::Reserved(amounts) => {
                self.reserve(call, amounts, slot);
                CallEnd::Pending
            }
            Admission::Refused(refusal) => CallEnd::Refused(refusal),
            Admission::Queued => return None,
        };
        self.set_end(at, call, slot, end)
    }

    pub(super) fn set_end(&mut self, at: At, call: CallId, slot: Slot, end: CallEnd) -> Option<()> {
        let worked = self.worked_until_last;
        let assignment = self.assignment_mut(call.assignment)?;
        assignment.make_ready(at, worked);
        match &mut Arc::make_mut(&mut assignment.transcript).turn_mut(slot.turn)?.did {
            Did::Tools(calls) => {
                let call = calls.get_mut(slot.place as usize)?;
                match &end {
                    CallEnd::Pending => call.began = Some(at),
                    CallEnd::Returned(_) | CallEnd::Failed(_) => call.ended = Some(at),
                    CallEnd::Queued | CallEnd::InDoubt | CallEnd::Refused(_) => {}
                }
                call.end = end;
            }
            Did::Asked(exchange) => {
                exchange.end = match end {
                    CallEnd::Refused(refusal) => ExchangeEnd::Refused(refusal),
                    CallEnd::Failed(why) => ExchangeEnd::Failed(why),
                    CallEnd::InDoubt => ExchangeEnd::InDoubt,
                    _ => ExchangeEnd::Pending,
                }
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn end_call(&mut self, at: At, call: CallId, end: CallEnd, used: Amounts) -> Option<()> {
        let reserved = self.under_way.remove(&call)?;
        self.ledger.settle(call.assignment, reserved.amounts, used, Amounts::default());
        self.set_end(at, call, reserved.slot, end)
    }
}
