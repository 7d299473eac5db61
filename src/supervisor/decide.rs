//! `decide`: what ought to be under way in this state of a run.
//!
//! Level-triggered: it reads the state, not the last event. It asks each specialist that may take a step for its next one,
//! checks that against contracts, caps and the ledger, and returns what to record and what to perform. It changes nothing.
//! Where all is done that was decided after some event, only what has changed since needs to be looked at.

mod allot;
mod capped;
mod ending;
mod load;
mod overdue;
mod stopping;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::fallback::{around_latches, takes_over};
use super::retry::{self, Verdict};
use super::{Roster, guard, queue};
use run::attempt::{Class, Fault};
use run::budget::{Draws, Limits, Tentative};
use run::event::{Admission, Called, Event, Opened, Opening};
use run::forecast;
use run::handoff::{Handoff, Unsent};
use run::id::{AssignmentId, At, CallId, CheckpointId, HandoffNo, Role, Seq, Work};
use run::plan::Bounds;
use run::price;
use run::stage::{Leading, Stage};
use run::state::{Intent, Reserved};
use run::team::Order;
use run::transcript::Exchange;
use run::{Amounts, Assignment, Cap, ModelRequest, Payload, Run, ToolCall, ToolName, ToolSpec};
use specialist::{Assigned, MOST_REFUSALS, Sending, Step};
use text::{Clean, Named};

/// What the desk is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read the sources, if that is not under way.
    ReadSources,
    /// Record this fact.
    Record(Event),
    /// Perform this tool call, whose intent is on record, if it is not under way.
    Perform(CallId, Arc<ToolCall>),
    /// Make this attempt of a model call, whose intent is on record, if it is not under way.
    Ask(CallId, u32),
    /// Decide again at this time: something is due then.
    LookAgain(At),
}

/// What ought to be under way now. Empty if nothing is to be done, or only by the person.
pub fn decide(run: &Run, now: At, roster: &dyn Roster) -> Vec<Action> {
    decide_after(run, Seq(0), now, roster).actions
}

/// What was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// What is to be done.
    pub actions: Vec<Action>,
    /// Whether this is all that is to be done: nothing is to be recorded first, and nothing stands still. What is decided
    /// next may be decided after this event.
    pub is_all: bool,
}

/// What ought to be under way now, where all that ought to be after event `done` is: only what has changed since is looked at,
/// and what may concern all. The same facts as [`decide`] brings, and what those lead to.
pub fn decide_after(run: &Run, done: Seq, now: At, roster: &dyn Roster) -> Decided {
    let actions = actions(run, done, now, roster);
    let stands_still = run.corpus.is_none() || run.held || run.is_stopped() || run.cancelled || !run.to_end.is_empty();
    let is_all = !stands_still && !actions.iter().any(|action| matches!(action, Action::Record(_)));
    Decided { actions, is_all }
}

fn actions(run: &Run, done: Seq, now: At, roster: &dyn Roster) -> Vec<Action> {
    let Some(opening) = run.opening.clone() else { return Vec::new() };
    // What another program wrote is looked at, and never worked on.
    if run.ended().is_some() || run.is_imported() {
        return Vec::new();
    }
    let changed = run.changed_after(done);
    let mut decision = Decision {
        run,
        opening: &opening,
        roster,
        now,
        ledger: None,
        load: None,
        named: BTreeSet::new(),
        handoffs: run.handoffs.len() as u32,
        checkpoints: 0,
        has_ended_others: false,
        waits_at_cap: Vec::new(),
        actions: Vec::new(),
    };
    if run.cancelled {
        decision.cancel(false);
        return decision.actions;
    }
    if !run.to_end.is_empty() {
        decision.end_what_was_ended();
        return decision.actions;
    }
    if run.held {
        return Vec::new();
    }
    let Some(corpus) = &run.corpus else { return vec![Action::ReadSources] };
    if run.root().is_none() {
        decision.open_root(corpus);
        return decision.actions;
    }
    if run.is_stopped() {
        return decision.actions;
    }
    decision.carry_out_stops();
    if decision.has_records() {
        return decision.actions;
    }
    decision.stop_after_hits();
    if decision.has_records() {
        return decision.actions;
    }
    let leader_ended = |one: &&Assignment| one.ended.is_some() && opening.team.delegates(&one.role);
    if changed.as_ref().is_none_or(|changed| changed.iter().any(leader_ended)) {
        decision.cancel(true);
    }
    decision.fail_overdue();
    if decision.has_records() {
        return decision.actions;
    }
    decision.perform_what_was_called(changed.as_deref());
    decision.try_again_or_give_up();
    decision.admit_what_is_queued();
    if run.has_delayed() {
        let later = run.open().filter_map(|assignment| assignment.not_before).filter(|then| *then > now);
        decision.actions.extend(later.map(Action::LookAgain));
    }
    for assignment in queue::may_step(run, &opening.team, now, changed.as_deref()) {
        decision.step(assignment);
        // An ended assignment takes no more steps; the others take theirs once that is recorded.
        if decision.has_ended_others {
            break;
        }
    }
    // What is handed out now may come before those in line.
    if !decision.has_records() {
        decision.allot();
    }
    if !decision.has_records() {
        decision.ask_at_cap();
    }
    if run.is_debugged() {
        decision.record_one();
    }
    decision.actions
}

/// One end of a handoff: an assignment, or None for the person, and its name.
type End<'a> = (Option<AssignmentId>, &'a str);

struct Decision<'a> {
    run: &'a Run,
    opening: &'a Opening,
    roster: &'a dyn Roster,
    now: At,
    /// The run's ledger with what this decision has taken from it; made when it is first needed.
    ledger: Option<Tentative<'a>>,
    /// The work of each worker, this decision included; made when it is first needed.
    load: Option<load::Load>,
    /// Assignments that it opens.
    named: BTreeSet<AssignmentId>,
    handoffs: u32,
    /// Opened by this decision.
    checkpoints: u32,
    /// Whether it ends assignments that are not needed any more.
    has_ended_others: bool,
    /// Assignments that wait for the person to raise a cap of the run, with that cap and what they need of it.
    waits_at_cap: Vec<(AssignmentId, Cap, u64)>,
    actions: Vec<Action>,
}

impl<'a> Decision<'a> {
    fn record(&mut self, event: Event) {
        self.actions.push(Action::Record(event));
    }

    fn has_records(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::Record(_)))
    }

    /// The next handoff of the run, between assignments or the person, each with its name.
    fn handoff(&mut self, from: End<'_>, to: End<'_>, title: Clean, payload: Payload) -> Arc<Handoff> {
        self.handoffs += 1;
        let names = (from.1.into(), to.1.into());
        Arc::new(Handoff { no: HandoffNo(self.handoffs), from: from.0, to: to.0, names, title, payload })
    }

    fn next_checkpoint(&mut self) -> CheckpointId {
        self.checkpoints += 1;
        CheckpointId(self.run.next_checkpoint().0 + self.checkpoints - 1)
    }

    /// The name of an assignment: its work and the number of the attempt, never the time.
    fn name(&mut self, by: AssignmentId, sending: &Sending) -> Option<AssignmentId> {
        let task = sending.task.or_else(|| {
            let section = sending.payload.plan.as_ref().filter(|_| sending.role.as_str() == Role::EDITOR);
            section.and_then(|plan| plan.tasks.first()).map(|task| task.id)
        });
        let work = match sending.again.filter(|failed| failed.parent() == Some(by)) {
            Some(failed) => failed.work()?,
            None => task.map_or_else(|| self.next_work(by), Work::Task),
        };
        let mut name = self.run.next_attempt(by, work)?;
        while !self.named.insert(name) {
            name = by.child(work, name.attempt() + 1)?;
        }
        Some(name)
    }

    fn next_work(&self, by: AssignmentId) -> Work {
        let mut work = self.run.next_work(by);
        while let Work::Step(n) = work
            && by.child(work, 1).is_some_and(|name| self.named.contains(&name))
        {
            work = Work::Step(n + 1);
        }
        work
    }

    fn open_root(&mut self, corpus: &run::evidence::Corpus) {
        let role = Role::new(Role::SUPERVISOR);
        // Read once, here; what is done about it later goes by this, also in a later version that reads more.
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

    /// Calls on record that have not ended ought to be under way: after a crash they are not. One that is not safe to
    /// repeat is performed once it is on record that it starts.
    fn perform_what_was_called(&mut self, changed: Option<&[&Assignment]>) {
        let run = self.run;
        let calls: Vec<(&CallId, &Reserved)> = match changed {
            None => run.under_way.iter().collect(),
            Some(changed) => changed.iter().flat_map(|one| run.under_way.range(calls_of(one.id))).collect(),
        };
        for (call, reserved) in calls {
            let call = *call;
            // At a breakpoint nothing goes out.
            if self.run.assignment(call.assignment).is_some_and(|one| one.stopped.is_some()) {
                continue;
            }
            match self.run.intent(call) {
                Some(Intent::Tool(request)) if !reserved.started && !self.may_be_repeated(request) => {
                    self.record(Event::ToolStarted { call });
                }
                Some(Intent::Tool(request)) => self.actions.push(Action::Perform(call, request.clone())),
                // It answered no already, so it is not asked again.
                Some(Intent::Model(exchange))
                    if !is_sent(exchange) && self.run.says_no(&exchange.request.model).is_some() =>
                {
                    let Some(said) = self.run.says_no(&exchange.request.model) else { continue };
                    let (attempt, (used, doubt)) = (last_attempt(exchange), Default::default());
                    let fault = Arc::new(Fault::before_sending(said.class, said.what.clone()));
                    self.record(Event::AttemptFailed { call, attempt, fault, used, doubt });
                }
                Some(Intent::Model(exchange)) if !self.is_latched(exchange) => {
                    self.actions.push(Action::Ask(call, last_attempt(exchange)));
                }
                // Another model has the work: this one is not waited for.
                Some(Intent::Model(exchange)) if !is_sent(exchange) && self.has_fallback(call) => {
                    let latch = self.run.latch_on(&exchange.request.model);
                    let why = latch.map(|latch| latch.why.clone()).unwrap_or_default();
                    let (attempt, (used, doubt)) = (last_attempt(exchange), Default::default());
                    let fault = Arc::new(Fault::before_sending(Class::Cancelled, why));
                    self.record(Event::AttemptFailed { call, attempt, fault, used, doubt });
                }
                Some(Intent::Model(_)) | None => {}
            }
        }
    }

    fn may_be_repeated(&self, request: &ToolCall) -> bool {
        self.opening.team.tool(&request.name).is_some_and(ToolSpec::may_be_repeated)
    }

    /// The most that a tool call may use.
    fn most_of_tool(&self, request: &ToolCall) -> Amounts {
        let spec = self.opening.team.tool(&request.name);
        spec.map_or_else(|| Amounts::of(Cap::ToolCalls, 1), |spec| spec.reservation(request))
    }

    /// Whether the person holds the assignment of a call, or it stands at a breakpoint: nothing more goes out for it.
    fn is_held(&self, call: CallId) -> bool {
        let assignment = self.run.assignment(call.assignment);
        assignment.is_some_and(|assignment| assignment.held || assignment.stopped.is_some())
    }

    /// Whether the model of a call refuses everything until the person has done something about it.
    fn is_latched(&self, exchange: &Exchange) -> bool {
        self.run.latch_on(&exchange.request.model).is_some()
    }

    fn has_fallback(&self, call: CallId) -> bool {
        let assignment = self.run.assignment(call.assignment);
        assignment.is_some_and(|a| around_latches(self.run, &a.role, a.worker).is_some())
    }

    /// Calls whose last attempt failed are tried again, with a reservation of their own, or given up.
    fn try_again_or_give_up(&mut self) {
        let faulted: Vec<CallId> = self.run.faulted.keys().copied().collect();
        for call in faulted {
            if self.is_held(call) {
                continue;
            }
            let Some(Intent::Model(exchange)) = self.run.intent(call) else { continue };
            let error = exchange.fault().map(|fault| fault.what.clone()).unwrap_or_default();
            let falls_back = exchange.fault().is_some_and(|fault| {
                let assignment = self.run.assignment(call.assignment);
                assignment.is_some_and(|assignment| takes_over(self.run, assignment, fault.class.about()))
            });
            match retry::verdict(exchange, falls_back) {
                _ if self.is_latched(exchange) => {
                    if self.has_fallback(call) {
                        self.record(Event::ModelFailed { call, error });
                    }
                }
                Verdict::Again { after_ms } => {
                    let after = i64::try_from(after_ms).unwrap_or(i64::MAX);
                    let not_before = At(self.run.at.0.saturating_add(after));
                    let attempt = exchange.attempts.last().map_or(0, |attempt| attempt.n) + 1;
                    // One that has to be shorter is admitted once it is on record.
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

    /// The most a model call may take, by the most tokens of its answer; None if the price of its model is not known.
    fn most(
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

    /// Admits queued calls for which there is room, those of an assignment in order. Where not even what the others of an
    /// assignment give back is enough, it waits for more than is kept for it.
    fn admit_what_is_queued(&mut self) {
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
        let Some(assignment) = self.run.assignment(id).filter(|one| !one.is_short && !self.is_in_line(one)) else {
            return;
        };
        let calls = CallId::new(id, 0)..=CallId::new(id, u32::MAX);
        if self.run.under_way.range(calls).next().is_none() && self.may_get_more(assignment) {
            self.record(Event::RanShort { assignment: id });
        }
    }

    /// What becomes of a call on record that has no reservation: whether it may go out, and with how many tokens of an
    /// answer where that is fewer than was asked for. None if it is not known what it may take.
    fn admit_queued(&mut self, call: CallId) -> Option<(Admission, Option<u32>)> {
        let run = self.run;
        match run.intent(call)? {
            Intent::Tool(request) => {
                let most = self.most_of_tool(request);
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

    /// Admits a model call; the most tokens of its answer are lowered to what there is room for, as long as they are of use.
    fn admit_answer(&mut self, assignment: &Assignment, asked: u32, most: impl Fn(u32) -> Amounts) -> (Admission, u32) {
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
            // It may yet fit as a short answer; if it is to be admitted later, it is seen then how long it can be.
            _ => (self.admit(assignment.id, most(least)), asked),
        }
    }

    /// Reserves the most that a call may use, queues the call, or refuses it for good.
    fn admit(&mut self, by: AssignmentId, most: Amounts) -> Admission {
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
            // The person may raise a cap of the run; one of an assignment stays what it is.
            Err(refusal) if refusal.of.is_none() && run.asks_at_caps() => {
                self.waits_at_cap.push((by, refusal.cap, most.get(refusal.cap)));
                Admission::Queued
            }
            Err(refusal) => Admission::Refused(refusal),
        }
    }

    fn step(&mut self, assignment: &Assignment) {
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

    /// Whether a specialist would do something else if more were kept for it, and more may come: then it waits for that.
    fn is_cut_short(&self, assignment: &Assignment, step: &Step) -> bool {
        if !self.runs_low(assignment) || !(self.may_get_more(assignment) || self.run.asks_at_caps()) {
            return false;
        }
        let left = self.run.ledger.assignment(assignment.id).left_of_caps();
        self.next_step_with(assignment, left).is_ok_and(|(_, freely)| freely != *step)
    }

    /// The next step of a specialist and the tools it may use; the error says why it can take none.
    fn next_step(&self, assignment: &Assignment) -> Result<(&'a [ToolName], Step), String> {
        self.next_step_with(assignment, self.run.ledger.assignment(assignment.id).left())
    }

    /// The same where this much is left of its budget.
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
        let taken = transcript.turns.len() as u32;
        let Some(turns_left) = member.turns.checked_sub(taken).filter(|left| *left > 0) else {
            return Err(format!("it did not report within {} turns", member.turns));
        };
        let assigned = Assigned { id: assignment.id, handoff: &transcript.handoff, turns_left, left };
        let late = self.is_late(assignment);
        let next = || match specialist.next(assigned, transcript) {
            step if !late || matches!(step, Step::Report { .. } | Step::Wait) => step,
            // Past its deadline it takes its last turn.
            _ => ending::cut_short(specialist.next(Assigned { turns_left: 1, ..assigned }, transcript)),
        };
        // A specialist is pure: a panic leaves nothing half done, so one failure stays one failure.
        let step = catch_unwind(AssertUnwindSafe(next)).map_err(|panic| {
            let why = panic
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".into());
            format!("a fault in the program: {why}")
        })?;
        Ok((member.tools.as_slice(), step))
    }

    /// Whether its deadline has passed. A supervisor or editor has none of its own: it ends after the work it handed out.
    fn is_late(&self, assignment: &Assignment) -> bool {
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
            Step::Adopt(plan) => match plan.what_blocks(&Bounds::of(&self.opening.team)).first() {
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

    /// Records that a step was refused before it was done.
    fn refuse(&mut self, by: AssignmentId, stage: Stage, why: Clean) {
        self.record(Event::StepRefused { by, stage, why, unsent: None });
    }

    /// Admits calls in order; once one has to wait, so do those after it.
    fn call(&mut self, assignment: &Assignment, stage: Stage, why: Clean, requests: Vec<ToolCall>) {
        let mut waits = false;
        let mut calls = Vec::with_capacity(requests.len());
        for (request, n) in requests.into_iter().zip(assignment.calls() + 1..) {
            let most = self.most_of_tool(&request);
            let admission = if waits { Admission::Queued } else { self.admit(assignment.id, most) };
            waits = admission == Admission::Queued;
            calls.push(Called { call: CallId::new(assignment.id, n), request: Arc::new(request), admission });
        }
        self.record(Event::ToolsCalled { by: assignment.id, stage, why, calls });
    }

    fn hand_off(&mut self, assignment: &Assignment, stage: Stage, why: Clean, handoffs: Vec<Sending>) {
        let by = assignment.id;
        let wrong = |sending: &Sending| guard::check_sending(self.run, &self.opening.team, assignment, sending).err();
        if let Some((sending, why)) = handoffs.iter().find_map(|sending| Some((sending, wrong(sending)?))) {
            let Sending { role, title, payload, .. } = sending.clone();
            let unsent = Some(Arc::new(Unsent { role, title, payload }));
            return self.record(Event::StepRefused { by, stage, why: why.into(), unsent });
        }
        let handoffs: Vec<Sending> = handoffs.into_iter().map(|sending| self.filled(sending)).collect();
        if self.stops_before_handoffs(assignment, stage, &why, &handoffs) {
            return;
        }
        let opened = handoffs.into_iter().map(|sending| self.open(assignment, sending)).collect();
        self.record(Event::HandedOff { by: Some(by), stage, why, opened });
    }

    /// A handoff as it crosses: given to a worker, with the passages that it wants, and no more than the worker takes in.
    fn filled(&mut self, mut sending: Sending) -> Sending {
        let Sending { role, worker, again, payload, .. } = &mut sending;
        if again.is_none() && worker.is_member() {
            *worker = self.worker_by_load(role);
        }
        if let Some(wanted) = &mut payload.passages
            && wanted.is_empty()
        {
            *wanted = self.run.passages(payload.findings.as_deref().unwrap_or_default());
        }
        self.around_latches(&mut sending);
        let Sending { role, worker, payload, .. } = &mut sending;
        if let Some(most) = self.opening.team.takes_in(role, *worker) {
            payload.fit(most);
        }
        sending
    }

    /// Gives a handoff to another worker where the model of its own refuses all calls. Whether that was so.
    fn around_latches(&self, sending: &mut Sending) -> bool {
        let other = around_latches(self.run, &sending.role, sending.worker);
        sending.worker = other.unwrap_or(sending.worker);
        other.is_some()
    }

    fn open(&mut self, parent: &Assignment, sending: Sending) -> Opened {
        // No team may delegate as deep as names go: `guard` refuses what would be deeper than the team allows.
        let assignment = self.name(parent.id, &sending).expect("a name for what is handed out");
        let Sending { role, task, worker, again, after_ms, title, payload } = sending;
        let after = i64::try_from(after_ms).unwrap_or(i64::MAX);
        let not_before = (after > 0).then(|| At(self.run.at.0.saturating_add(after)));
        let member = self.opening.team.members.get(&role);
        let draws = if member.is_some_and(|member| member.lands) { Draws::Landing } else { Draws::Work };
        // Another attempt has what is left of the caps of the one before.
        let limits = match again {
            Some(failed) => self.run.ledger.assignment(failed).left_of_caps(),
            None => member.map(|member| member.limits).unwrap_or_default(),
        };
        let (from, to) = ((Some(parent.id), parent.role.as_str()), (Some(assignment), role.as_str()));
        let (instead_of, told, handoff) = (None, None, self.handoff(from, to, title, payload));
        Opened { assignment, task, instead_of, worker, not_before, again, told, limits, draws, role, handoff }
    }
}

/// Every call that an assignment may make.
fn calls_of(id: AssignmentId) -> RangeInclusive<CallId> {
    CallId::new(id, 0)..=CallId::new(id, u32::MAX)
}

/// Whether the last attempt of a call has left.
fn is_sent(exchange: &Exchange) -> bool {
    exchange.attempts.last().is_some_and(|attempt| attempt.sent_at.is_some())
}

fn last_attempt(exchange: &Exchange) -> u32 {
    exchange.attempts.last().map_or(1, |attempt| attempt.n)
}
