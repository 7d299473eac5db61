//! The changes that each event makes to the state of a run; the larger ones stand in the modules beside this one. Checks no
//! event: one that does not fit never comes here (`fits.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::calls::{FailedAttempt, ModelCall};
use super::{Ending, Run, Stored};
use crate::attempt::Attempt;
use crate::breakpoint::Breakpoint;
use crate::budget::{Amounts, Ledger, Limits};
use crate::checkpoint::{Answer, Approver, Checkpoint, Subject, budget, findings};
use crate::event::{Allotment, Event};
use crate::evidence::SourceRef;
use crate::forecast;
use crate::fork::{Fork, Forked};
use crate::id::{AssignmentId, At, CallId, CheckpointId};
use crate::model::{Reply, Usage};
use crate::stage::{Imported, Leading};
use crate::tool::ToolResult;
use crate::transcript::{CallEnd, Did, ExchangeEnd, Pause, Turn};
use text::Clean;

impl Run {
    pub(super) fn take(&mut self, at: At, event: &Event) -> Option<()> {
        match event {
            Event::RunOpened(opening) => {
                self.ledger = Ledger::new(opening.limits, forecast::for_landing(opening));
                self.opening = Some(opening.clone());
            }
            Event::Forked(fork) => return self.takes_over(at, fork),
            Event::Attached { .. } => self.attached()?,
            // Only the time that was worked is less.
            Event::StoodStill { .. } => {}
            Event::SourcesRead { corpus } => self.corpus = Some(corpus.clone()),
            Event::SourcesChanged { documents } => {
                let known = self.changed_sources.clone();
                self.changed_sources.extend(documents.iter().filter(|path| !known.contains(path)).cloned());
            }
            Event::HandedOff { by, stage, why, opened } => return self.handed_off(at, *by, (*stage, why), opened),
            Event::ToolsCalled { by, stage, why, calls } => return self.tools_called(at, *by, (*stage, why), calls),
            Event::CallAdmitted { call, admission, max_tokens } => {
                return self.admitted(at, *call, *admission, *max_tokens);
            }
            Event::Allotted { parts } => {
                for Allotment { to, part } in parts {
                    self.allotted(*to, Some(*part))?;
                }
            }
            Event::RanShort { assignment } => {
                self.assignment_mut(*assignment)?.is_short = true;
                self.queue_up(*assignment);
            }
            Event::ToolStarted { call } => self.under_way.get_mut(call)?.started = true,
            Event::ToolReturned { call, result, used } => {
                self.end_call(at, *call, CallEnd::Returned(result.clone()), *used)?;
                self.store(result);
            }
            Event::ToolFailed { call, error, used } => {
                return self.end_call(at, *call, CallEnd::Failed(error.clone()), *used);
            }
            Event::ModelCalled { by, stage, why, call, request, admission } => {
                let call = ModelCall { call: *call, request, admission: *admission };
                return self.model_called(at, *by, (*stage, why), call);
            }
            Event::AttemptSent { call, attempt } => {
                let reserved = self.under_way.get(call)?;
                let exchange = self.exchange_mut(at, *call, reserved.slot)?;
                exchange.attempts.last_mut().filter(|last| last.n == *attempt)?.sent_at = Some(at);
            }
            Event::AttemptFailed { call, attempt, fault, used, doubt } => {
                let failed = FailedAttempt { attempt: *attempt, fault, used: *used, doubt: *doubt };
                return self.attempt_failed(at, *call, failed);
            }
            Event::AttemptDue { call, attempt, not_before, admission } => {
                let slot = self.faulted.remove(call)?;
                let attempt = Attempt { n: *attempt, not_before: *not_before, sent_at: None, fault: None };
                return self.due(at, *call, slot, attempt, *admission);
            }
            Event::ModelReplied { call, reply, used } => {
                return self.replied(at, *call, reply, *used);
            }
            Event::ModelFailed { call, error } => {
                let slot = self.faulted.remove(call)?;
                self.exchange_mut(at, *call, slot)?.end = ExchangeEnd::Failed(error.clone());
            }
            Event::DoubtAnswered { call, answer } => return self.doubt_answered(at, *call, *answer),
            Event::PlanAdopted { by, plan } => {
                self.turn(
                    at,
                    *by,
                    Turn { stage: Leading::Plan.into(), why: plan.why.clone(), did: Did::Adopted(plan.clone()) },
                )?;
                self.plan = Some(plan.clone());
                self.round_begins();
            }
            Event::StepRefused { by, stage, why, unsent } => {
                let did = Did::Refused { why: why.clone(), unsent: unsent.clone() };
                self.turn(at, *by, Turn { stage: *stage, why: why.clone(), did })?;
            }
            Event::Relieved { by, why, to } => {
                let did = Did::Relieved { to: *to };
                self.turn(at, *by, Turn { stage: Leading::TakeOver.into(), why: why.clone(), did })?;
                if let Some(worker) = to {
                    self.assignment_mut(*by)?.worker = *worker;
                }
            }
            Event::CheckpointOpened { checkpoint, by, subject } if matches!(**subject, Subject::Stop(_)) => {
                return self.stopped_at(*checkpoint, *by, subject);
            }
            // It is of the run, and no turn of the one that leads.
            Event::CheckpointOpened { checkpoint, by, subject } if matches!(**subject, Subject::Budget(_)) => {
                self.checkpoints.push(Checkpoint::open(*checkpoint, *by, subject.clone()));
            }
            Event::CheckpointOpened { checkpoint, by, subject } => {
                return self.paused_for_the_person(at, *checkpoint, *by, subject);
            }
            Event::CheckpointEdited { checkpoint, edit } => self.checkpoint_mut(*checkpoint)?.edited(edit)?,
            Event::CheckpointAnswered { checkpoint, by, answer } => {
                return self.answered(at, *checkpoint, *by, answer);
            }
            Event::CapRaised { to } => self.raise(*to)?,
            Event::BreakpointSet { breakpoint, on } => {
                self.last_breakpoint = *breakpoint;
                self.breakpoints.push(Breakpoint { no: *breakpoint, on: on.clone() });
            }
            Event::BreakpointCleared { breakpoint } => self.breakpoints.retain(|set| set.no != *breakpoint),
            Event::Noted { by, note } => {
                let did = Did::Noted(note.clone());
                self.turn(at, *by, Turn { stage: Imported::Told.into(), why: Clean::default(), did })?;
            }
            Event::Reported { by, outcome, handoff } => return self.reported(at, *by, outcome, handoff),
            Event::Steered { assignment, act } => return self.steered(at, *assignment, act),
            Event::NoLongerNeeded { assignment } => self.end_from_outside(*assignment, &Ending::Enough),
            Event::Paused => self.paused = true,
            Event::Continued => {
                self.paused = false;
                self.ask_all_again();
            }
            Event::Cancelled => self.cancelled = true,
        }
        Some(())
    }

    /// Keeps the blocks that a tool read of a source, so that quotes are checked against it as it was then.
    fn store(&mut self, result: &ToolResult) {
        match result {
            ToolResult::Excerpt(excerpt) => {
                let stored = self.stored_mut(&excerpt.source);
                stored.blocks.extend(excerpt.blocks.iter().map(|block| (block.no, block.clone())));
            }
            ToolResult::Profile(profile) => {
                let stored = self.stored_mut(&profile.source);
                let lines = profile.measures.iter().map(|measure| (measure.line.no, measure.line.clone()));
                stored.blocks.extend(lines);
                stored.measured.extend(profile.measures.iter().map(|m| (m.says.clone(), m.line.no)));
            }
            _ => {}
        }
    }

    fn replied(&mut self, at: At, call: CallId, reply: &Arc<Reply>, used: Amounts) -> Option<()> {
        let reserved = self.under_way.remove(&call)?;
        self.ledger.settle(call.assignment, reserved.amounts, used, Amounts::default());
        self.count_price(call.assignment, &reply.usage)?;
        let exchange = self.exchange_mut(at, call, reserved.slot)?;
        exchange.end = ExchangeEnd::Answered(reply.clone());
        let model = exchange.request.model.clone();
        self.learn(call, Some(&reply.usage), used);
        self.has_answered(model);
        Some(())
    }

    /// Counts how far the money of a call of an imported run is known.
    pub(super) fn count_price(&mut self, of: AssignmentId, usage: &Usage) -> Option<()> {
        if !self.is_imported() {
            return Some(());
        }
        self.pricing.count(usage);
        // As with tokens: what leaders took is what those below them took.
        for id in std::iter::successors(Some(of), |id| id.parent()) {
            self.assignment_mut(id)?.pricing.count(usage);
        }
        Some(())
    }

    /// Opens a checkpoint that is a turn of the assignment that leads.
    fn paused_for_the_person(
        &mut self,
        at: At,
        checkpoint: CheckpointId,
        by: AssignmentId,
        subject: &Arc<Subject>,
    ) -> Option<()> {
        let pause = Pause { checkpoint, subject: subject.clone(), answer: None, by: None };
        self.turn(at, by, Turn { stage: subject.stage(), why: subject.why().into(), did: Did::Checkpoint(pause) })?;
        let mut opened = Checkpoint::open(checkpoint, by, subject.clone());
        if opened.findings().is_some() {
            let before = self.findings_checkpoints().next_back();
            opened.earlier = before.map_or(Vec::new(), |(before, _)| findings::earlier(before));
        }
        self.checkpoints.push(opened);
        Some(())
    }

    /// From here on it is a run of its own: with the changes, and with the calls that were out made again.
    fn takes_over(&mut self, at: At, fork: &Arc<Fork>) -> Option<()> {
        let account = self.ledger.run();
        let (spent, in_doubt) = (account.spent, account.in_doubt);
        self.forked = Some(Forked { fork: fork.clone(), spent, in_doubt });
        self.ledger.cap_anew(fork.limits);
        if let Some(team) = &fork.team {
            Arc::make_mut(self.opening.as_mut()?).team = (**team).clone();
        }
        for call in &fork.again {
            self.is_made_again(at, *call)?;
        }
        Some(())
    }

    fn stored_mut(&mut self, source: &SourceRef) -> &mut Stored {
        let stored = self.sources.entry(source.id.clone()).or_insert_with(|| {
            Arc::new(Stored { source: source.clone(), blocks: BTreeMap::new(), measured: BTreeSet::new() })
        });
        Arc::make_mut(stored)
    }

    fn answered(&mut self, at: At, id: CheckpointId, who: Approver, answer: &Answer) -> Option<()> {
        let checkpoint = self.checkpoint_mut(id)?;
        checkpoint.answered(who, answer)?;
        let (by, subject) = (checkpoint.by, checkpoint.subject.clone());
        if let Answer::Stop(answer) = answer {
            return self.stop_answered(at, by, &subject, answer);
        }
        match answer {
            Answer::Budget(budget::Answer::Raise { to }) => return self.raise(*to),
            Answer::Budget(budget::Answer::Finish) => {
                self.finishes = true;
                return Some(());
            }
            _ => {}
        }
        let worked = self.worked_until_last;
        let assignment = self.assignment_mut(by)?;
        assignment.make_ready(at, worked);
        let pause = Arc::make_mut(&mut assignment.transcript).pause_mut(id)?;
        (pause.subject, pause.answer, pause.by) = (subject, Some(answer.clone()), Some(who));
        if pause.of_findings().is_some() {
            self.round_begins();
        }
        Some(())
    }

    fn raise(&mut self, to: Limits) -> Option<()> {
        self.ledger.raise(to).ok()?;
        self.finishes = false;
        Some(())
    }
}
