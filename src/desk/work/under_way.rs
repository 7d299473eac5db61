//! Work under way: starts it, aborts it, and turns its results into events. Never writes the journal: `work.rs` commits the
//! event of a call before the call starts, and the event of a result before anything follows from it.

use std::sync::Arc;

use tokio::task::{Id, JoinError};

use super::{Desk, Halt, wait_until};
use crate::world::{AttemptReporter, OnProgress, Outgoing, ToolError};
use run::attempt::{Class, Fault};
use run::command::Notice;
use run::event::Event;
use run::evidence::Corpus;
use run::price;
use run::state::Intent;
use run::{At, CallId, Cap, Envelope, Reply, Run, ToolCall, ToolResult};
use supervisor::elsewhere;
use text::Clean;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Started {
    Reading,
    Call(CallId),
    Attempt(CallId, u32),
}

pub(super) enum Ended {
    Reading(Result<Corpus, Clean>),
    Call(CallId, Result<ToolResult, ToolError>),
    Attempt(CallId, u32, Result<Reply, Fault>),
}

/// Whether nothing goes out for a call now: the person has paused the run, or it stands at a breakpoint, with its assignment
/// or with the whole run.
pub(super) fn stands(run: &Run, call: CallId) -> bool {
    run.paused || run.is_stopped() || run.assignment(call.assignment).is_some_and(|one| one.stopped.is_some())
}

impl Desk {
    /// Whether something is out whose end would be lost: a tool is at work, or a model call was sent.
    pub(super) fn is_anything_out(&self) -> bool {
        self.performing.keys().any(|call| self.run.is_out(*call))
    }

    /// Aborts the calls that these events end and that have not come back: the supervisor gave them up.
    pub(super) fn abort_what_was_given_up(&mut self, envelopes: &[Envelope]) {
        let gives_up = |event: &Event| match event {
            Event::AttemptFailed { call, .. } | Event::ToolFailed { call, .. } => Some(*call),
            _ => None,
        };
        for call in envelopes.iter().filter_map(|envelope| gives_up(&envelope.event)) {
            if let Some(task) = self.performing.remove(&call) {
                task.abort();
            }
        }
    }

    pub(super) fn read_sources(&mut self) {
        if self.started.values().any(|started| *started == Started::Reading) {
            return;
        }
        let audience = self.audience.clone();
        let on_progress: OnProgress = Arc::new(move |files_done, files_total| {
            audience(Notice::Reading { files_done, files_total });
        });
        let read = self.world.tools.read_sources(on_progress);
        let task = self.under_way.spawn(async move { Ended::Reading(read.await) });
        self.started.insert(task.id(), Started::Reading);
    }

    pub(super) fn perform(&mut self, call: CallId, request: Arc<ToolCall>) {
        // Events that were folded since that decision may have ended it.
        if self.performing.contains_key(&call) || !self.run.under_way.contains_key(&call) {
            return;
        }
        let patience = self.world.tools.patience(&request);
        let performing = self.world.tools.perform(request);
        let task = self.under_way.spawn(async move {
            let result = tokio::time::timeout(patience, performing).await;
            let late = |_| Err(ToolError::from(format!("no answer within {} s", patience.as_secs())));
            Ended::Call(call, result.unwrap_or_else(late))
        });
        self.started.insert(task.id(), Started::Call(call));
        self.performing.insert(call, task);
    }

    /// Starts an attempt of a model call; it is sent when its time has come and that is recorded.
    pub(super) fn ask(&mut self, call: CallId, attempt: u32) {
        if self.performing.contains_key(&call) || !self.run.is_tried(call, attempt) {
            return;
        }
        let (Some(opening), Some(assignment)) = (&self.run.opening, self.run.assignment(call.assignment)) else {
            return;
        };
        let rounds = assignment.transcript.conversation(call);
        let Some(exchange) = assignment.transcript.exchanges().rfind(|exchange| exchange.call == call) else { return };
        let not_before = exchange.attempts.last().map_or(At(0), |attempt| attempt.not_before);
        let wait = wait_until(not_before, self.world.clock.now());
        let outgoing = Outgoing {
            call,
            // The same for each attempt with the same body: one for a shorter answer is another request.
            key: format!("masthead-{}-{call}-{}", opening.run, exchange.request.max_tokens),
            attempt,
            rounds,
            elsewhere: elsewhere(&self.run, call),
        };
        let (sending, audience) = (self.sending.clone(), self.audience.clone());
        let reporter = AttemptReporter { call, attempt, sending, audience };
        if let (false, Some(fault)) = (wait.is_zero(), exchange.attempts.iter().rev().find_map(|a| a.fault.as_ref())) {
            reporter.waiting(format!("to try again after {}", fault.in_short()).into(), Some(not_before));
        }
        let models = self.world.models.clone();
        let task = self.under_way.spawn(async move {
            // The runtime's timers are as coarse as a millisecond, also for no time at all.
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            Ended::Attempt(call, attempt, models.attempt(outgoing, reporter).await)
        });
        self.started.insert(task.id(), Started::Attempt(call, attempt));
        self.performing.insert(call, task);
    }

    /// Takes all that has come back and all that wants to leave: that is committed together. Commands are not: each is
    /// checked against the state after the one before it.
    pub(super) fn take_all(&mut self, facts: &mut Vec<Event>) {
        while let Some(ended) = self.under_way.try_join_next_with_id() {
            facts.extend(self.ended(ended));
        }
        while let Ok(sending) = self.sent.try_recv() {
            self.want_to_leave.push(sending);
        }
    }

    /// The attempts that want to leave and may, as facts: once these are committed, they are sent.
    ///
    /// Asked when all else that has happened is folded and decided on: a call given up by then has not left, and costs nothing.
    pub(super) fn leave(&mut self) -> Vec<Event> {
        let mut facts = Vec::new();
        for sending in std::mem::take(&mut self.want_to_leave) {
            // An attempt that was given up is never sent: it learns that the desk has stopped.
            if !self.run.is_tried(sending.call, sending.attempt) {
                continue;
            }
            if stands(&self.run, sending.call) {
                self.kept_back.push(sending);
                continue;
            }
            self.to_be_sent.push((sending.call, sending.recorded));
            facts.push(Event::AttemptSent { call: sending.call, attempt: sending.attempt });
        }
        facts
    }

    pub(super) fn ended(&mut self, ended: Result<(Id, Ended), JoinError>) -> Option<Event> {
        match ended {
            Ok((id, Ended::Reading(result))) => {
                self.started.remove(&id);
                self.pass_on_remark();
                match result {
                    Ok(corpus) => Some(Event::SourcesRead { corpus: Arc::new(corpus) }),
                    Err(why) => self.stops(why),
                }
            }
            Ok((id, Ended::Call(call, result))) => {
                self.started.remove(&id);
                self.pass_on_remark();
                self.returned(call, result)
            }
            Ok((id, Ended::Attempt(call, attempt, result))) => {
                self.started.remove(&id);
                self.answered(call, attempt, result)
            }
            // It was given up, and that is recorded.
            Err(error) if error.is_cancelled() => {
                self.started.remove(&error.id());
                None
            }
            Err(error) => match self.started.remove(&error.id()) {
                Some(Started::Call(call)) => self.returned(call, Err("a fault in the tool".into())),
                Some(Started::Attempt(call, attempt)) => {
                    let fault =
                        Fault::unseen(Class::Protocol, "a fault in the program while it asked the model".into());
                    self.answered(call, attempt, Err(fault))
                }
                Some(Started::Reading) => self.stops("a fault while reading the sources; the log says more".into()),
                None => None,
            },
        }
    }

    /// Stops the run once everything that has come back is recorded: results that came back beside this are not lost.
    fn stops(&mut self, why: Clean) -> Option<Event> {
        self.stops = Some(Halt::Sources(why));
        None
    }

    /// Passes a message of the tools to the audience.
    fn pass_on_remark(&self) {
        if let Some(remark) = self.world.tools.take_remark() {
            (self.audience)(Notice::Said(remark));
        }
    }

    fn returned(&mut self, call: CallId, result: Result<ToolResult, ToolError>) -> Option<Event> {
        self.performing.remove(&call);
        // A call that was given up is settled already.
        let reserved = self.run.under_way.get(&call)?.amounts;
        Some(match result {
            Ok(result) => {
                let used = match (result.used(), reserved.tokens()) {
                    // Its text is counted with the prompts that hold it.
                    (used, 0) => used.with(Cap::Tokens, 0),
                    (used, _) => used,
                };
                Event::ToolReturned { call, used, result: Arc::new(result) }
            }
            // Not recorded as failed: it is done when the run is resumed.
            Err(ToolError::Run(why)) => return self.stops(why),
            Err(ToolError::Call(error)) => {
                let used = run::Amounts::of(Cap::ToolCalls, 1);
                Event::ToolFailed { call, error, used }
            }
        })
    }

    fn answered(&mut self, call: CallId, attempt: u32, result: Result<Reply, Fault>) -> Option<Event> {
        // One that was given up is settled already, and another may be under way.
        if !self.run.is_tried(call, attempt) {
            return None;
        }
        self.performing.remove(&call);
        let reserved = self.run.under_way.get(&call)?.amounts;
        let model = self.run.model_of(self.run.assignment(call.assignment)?);
        let rates = model.and_then(|model| model.rates.clone()).unwrap_or_default();
        let max_tokens = match self.run.intent(call) {
            Some(Intent::Model(exchange)) => exchange.request.max_tokens,
            _ => 0,
        };
        Some(match result {
            Ok(reply) => {
                let used = price::billed_for(&rates, &reply);
                Event::ModelReplied { call, reply: Arc::new(reply), used }
            }
            Err(fault) => {
                let (used, doubt) = price::billed_for_failure(&rates, reserved, max_tokens, fault.charge);
                Event::AttemptFailed { call, attempt, fault: Arc::new(fault), used, doubt }
            }
        })
    }
}
