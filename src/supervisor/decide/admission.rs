//! Admits calls: reserves the most each may use before it is sent, queues it, or refuses it at a cap.

use super::Decision;
use run::budget::Tentative;
use run::event::{Admission, Event};
use run::id::{AssignmentId, CallId};
use run::price;
use run::state::Intent;
use run::{Amounts, Assignment, Cap, ModelRequest, ToolCall, forecast};

impl<'a> Decision<'a> {
    /// The most that a tool call of this assignment may use. The text for a model is counted once, with the prompts that hold
    /// it, and reserved with them.
    pub(super) fn most_of_tool(&self, assignment: &Assignment, request: &ToolCall) -> Amounts {
        let spec = self.opening.team.tool(&request.name);
        let most = spec.map_or_else(|| Amounts::of(Cap::ToolCalls, 1), |spec| spec.reservation(request));
        if self.run.model_of(assignment).is_some() { most.with(Cap::Tokens, 0) } else { most }
    }

    /// The most that a model call may use, given the most tokens of its answer; None if the price of its model is
    /// unknown.
    pub(super) fn most(
        &self,
        assignment: &Assignment,
        request: &ModelRequest,
        call: Option<CallId>,
    ) -> Option<impl Fn(u32) -> Amounts + use<'a>> {
        let model = self.run.model_of(assignment)?;
        let rates = model.rates.as_ref().filter(|_| model.id == request.model)?;
        let known = self.run.estimate(model);
        let before = assignment.transcript.said_before(call, request.afresh);
        let input = price::Input::of(before, request).most(known.reserves);
        Some(move |output| price::reservation(rates, input, output).plus(known.above))
    }

    /// Admits queued calls for which there is room, those of an assignment in order. An assignment that would lack room
    /// even if its other calls gave back their reservations waits for a larger part.
    pub(super) fn admit_what_is_queued(&mut self) {
        let mut waits = None;
        for call in self.run.queued.keys().copied() {
            if waits == Some(call.assignment) || self.is_held(call) {
                continue;
            }
            match self.admit_queued(call) {
                Some((Admission::Queued, _)) | None => {
                    waits = Some(call.assignment);
                    self.may_run_short(call.assignment);
                }
                Some((admission, max_tokens)) => self.record(Event::CallAdmitted { call, admission, max_tokens }),
            }
        }
    }

    fn may_run_short(&mut self, id: AssignmentId) {
        let Some(assignment) =
            self.run.assignment(id).filter(|assignment| !assignment.is_short && !self.is_in_line(assignment))
        else {
            return;
        };
        if self.run.under_way.range(CallId::all_of(id)).next().is_none() && self.may_get_more(assignment) {
            self.record(Event::RanShort { assignment: id });
        }
    }

    /// The admission of a recorded call without a reservation, with the most tokens of its answer where that is
    /// lowered. None if the most it may use is unknown.
    pub(super) fn admit_queued(&mut self, call: CallId) -> Option<(Admission, Option<u32>)> {
        let run = self.run;
        match run.intent(call)? {
            Intent::Tool(request) => {
                let most = self.most_of_tool(run.assignment(call.assignment)?, request);
                Some((self.admit(call.assignment, most), None))
            }
            Intent::Model(exchange) => {
                let assignment = run.assignment(call.assignment)?;
                let most = self.most(assignment, &exchange.request, Some(call))?;
                let asked = exchange.request.max_tokens;
                let (admission, max_tokens) = self.admit_answer(assignment, asked, most);
                Some((admission, (max_tokens != asked).then_some(max_tokens)))
            }
        }
    }

    /// Admits a model call; lowers the most tokens of its answer to the room there is, down to the least that is of use.
    pub(super) fn admit_answer(
        &mut self,
        assignment: &Assignment,
        asked: u32,
        most: impl Fn(u32) -> Amounts,
    ) -> (Admission, u32) {
        let least = self
            .run
            .model_of(assignment)
            .map_or(asked, |model| forecast::least_room(&assignment.role, model, self.opening.words).min(asked));
        let worked = self.run.worked(self.now);
        let ledger = &*self.ledger.get_or_insert_with(|| Tentative::of(&self.run.ledger));
        let fits = |output| ledger.fits(assignment.id, most(output), worked).is_ok();
        let mut tokens = asked;
        if !fits(asked) && fits(least) {
            let mut above = asked;
            tokens = least;
            while above - tokens > 1 {
                let middle = tokens + (above - tokens) / 2;
                if fits(middle) { tokens = middle } else { above = middle }
            }
        }
        match self.admit(assignment.id, most(tokens)) {
            Admission::Reserved(amounts) => (Admission::Reserved(amounts), tokens),
            // A short answer may fit later; its length is set when the call is admitted.
            _ => (self.admit(assignment.id, most(least)), asked),
        }
    }

    /// Reserves the most that a call may use, queues the call, or refuses it for good.
    pub(super) fn admit(&mut self, by: AssignmentId, most: Amounts) -> Admission {
        let run = self.run;
        let assignment = run.assignment(by);
        if assignment.is_some_and(|assignment| self.is_in_line(assignment)) {
            return Admission::Queued;
        }
        let may_get_more = assignment.is_some_and(|assignment| self.may_get_more(assignment));
        let worked = run.worked(self.now);
        let ledger = self.ledger.get_or_insert_with(|| Tentative::of(&run.ledger));
        let may_wait = |ledger: &Tentative<'_>| {
            ledger.may_fit_later(by, most) || (may_get_more && ledger.may_fit_with_more(by, most))
        };
        match ledger.reserve(by, most, worked) {
            Ok(()) => Admission::Reserved(most),
            Err(refusal) if refusal.cap != Cap::Time && may_wait(ledger) => Admission::Queued,
            // The person may raise a cap of the run; a cap of an assignment is final.
            Err(refusal) if refusal.of.is_none() && run.asks_at_caps() => {
                self.waits_at_cap.push((by, refusal.cap, most.get(refusal.cap)));
                Admission::Queued
            }
            Err(refusal) => Admission::Refused(refusal),
        }
    }
}
