//! The state of a run: what its events add up to, and nothing else.
//!
//! `apply` is the only way in, costs O(1) an event, and never fails on what the journal holds: an event that
//! does not fit (of a damaged or newer journal) is counted in `misfits` and changes nothing.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::attempt::{Attempt, Fault};
use super::brief::Draft;
use super::budget::{Amounts, Ledger, Refusal};
use super::checkpoint::{Answer, Checkpoint};
use super::event::{Admission, Called, DoubtAnswer, Envelope, Event, Opened, Opening};
use super::evidence::{Block, Corpus, Place, SourceRef};
use super::finding::Finding;
use super::handoff::{Handoff, Outcome, Parts, Passage};
use super::id::{AssignmentId, At, CallId, CheckpointId, HandoffNo, Role, Seq, SourceId, TaskId};
use super::model::ModelRequest;
use super::plan::Plan;
use super::proposal::{PlanAnswer, Proposal};
use super::tool::{ToolRequest, ToolResult};
use super::transcript::{Call, CallEnd, Did, Exchange, ExchangeEnd, Pause, Proposed, Sent, Transcript, Turn};
use crate::text::Clean;

/// A run, folded from its events.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// How it began; None before the first event.
    pub opening: Option<Arc<Opening>>,
    /// The last event folded in.
    pub seq: Seq,
    /// When it was recorded.
    pub at: At,
    /// When the first event was recorded.
    pub opened_at: At,
    /// What there is to search, once it is known.
    pub corpus: Option<Arc<Corpus>>,
    /// The plan, once there is one.
    pub plan: Option<Arc<Plan>>,
    /// Assignments by id, which counts up from 0.
    pub assignments: Vec<Assignment>,
    /// Every handoff, both ways, by number (1 is the first).
    pub handoffs: Vec<Arc<Handoff>>,
    /// Every findings checkpoint, in order.
    pub checkpoints: Vec<Checkpoint>,
    /// Every plan that was put before the person, in order.
    pub proposals: Vec<Proposal>,
    /// Documents as they were when they were read.
    pub sources: HashMap<SourceId, Stored>,
    /// Caps and what was taken from them.
    pub ledger: Ledger,
    /// Tool calls that wait until the ledger has room, first come, first served within an assignment.
    pub queued: BTreeMap<CallId, Slot>,
    /// Whether the person holds the run.
    pub held: bool,
    /// Whether the person stopped it for good.
    pub cancelled: bool,
    /// Calls under way, of tools and of models, with what is held for each. Ended ones leave.
    pub under_way: BTreeMap<CallId, Held>,
    /// Model calls whose last attempt failed: they are tried again or given up. Nothing is held for them.
    pub faulted: BTreeMap<CallId, Slot>,
    /// Model calls that were sent and whose end nobody saw.
    pub in_doubt: BTreeMap<CallId, Held>,
    /// A provider that answers nobody until the person has done something about it.
    pub latch: Option<Latch>,
    /// Events that did not fit; a sound journal has none.
    pub misfits: u64,
    worked_until_last: u64,
    working: usize,
}

/// A call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// What is held for it.
    pub amounts: Amounts,
    slot: Slot,
}

/// Where a call stands in the transcript of its assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    turn: u32,
    place: u32,
}

/// What a call asks.
#[derive(Clone, Copy, Debug)]
pub enum Intent<'a> {
    /// A tool.
    Tool(&'a Arc<ToolRequest>),
    /// A model.
    Model(&'a Exchange),
}

/// A provider that refuses every call: its key, its credit, its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latch {
    /// Which provider.
    pub provider: Clean,
    /// What it said, and what the person can do.
    pub why: Clean,
}

/// What the run waits for a person to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Which tasks are worked on.
    Plan(CheckpointId),
    /// Which findings the writer may use.
    Findings(CheckpointId),
    /// What becomes of a model call that was sent and whose end nobody saw.
    Doubt(CallId),
    /// That a provider can be asked again.
    Latch(Latch),
}

/// One assignment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Its id.
    pub id: AssignmentId,
    /// Who does it.
    pub role: Role,
    /// Which task of the plan it fills.
    pub task: Option<TaskId>,
    /// Who opened it; None for the root.
    pub parent: Option<AssignmentId>,
    /// What it has seen and done.
    pub transcript: Transcript,
    /// How it ended; None while it is open.
    pub ended: Option<(Outcome, Arc<Handoff>)>,
    /// When it was opened.
    pub opened_at: At,
    /// When something last happened to it.
    pub touched_at: At,
    turn_of_parent: (u32, u32),
    calls: u32,
}

impl Assignment {
    /// What it is in a few words: the title of its handoff.
    pub fn title(&self) -> &str {
        &self.transcript.handoff.title
    }

    /// How many tool calls it has made.
    pub fn calls(&self) -> u32 {
        self.calls
    }
}

/// A document as far as it was read.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The document.
    pub source: SourceRef,
    /// The blocks that were read.
    pub blocks: BTreeMap<u32, Arc<Block>>,
}

/// Where a run is, in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The sources are being read.
    Reading,
    /// The question is being cut into tasks.
    Planning,
    /// Researchers are at work.
    Researching,
    /// Findings are being folded.
    Merging,
    /// It waits for the person.
    NeedsYou,
    /// The brief is being written.
    Writing,
    /// The draft is being checked.
    Reviewing,
    /// The person holds it.
    Held,
    /// It has ended.
    Ended(Outcome),
}

impl Phase {
    /// The phase in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Planning => "planning",
            Phase::Researching => "researching",
            Phase::Merging => "merging",
            Phase::NeedsYou => "needs you",
            Phase::Writing => "writing",
            Phase::Reviewing => "reviewing",
            Phase::Held => "paused",
            Phase::Ended(Outcome::Done) => "done",
            Phase::Ended(Outcome::Partial(_)) => "partial",
            Phase::Ended(Outcome::NothingFound) => "nothing found",
            Phase::Ended(Outcome::OutOfBudget(_)) => "out of budget",
            Phase::Ended(Outcome::Failed(_)) => "failed",
            Phase::Ended(Outcome::Cancelled) => "cancelled",
        }
    }
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
        if self.opening.is_some() && !matches!(envelope.event, Event::Attached { .. }) && self.is_working() {
            self.worked_until_last += envelope.at.since(self.at);
        }
        if self.seq == Seq(0) {
            self.opened_at = envelope.at;
        }
        let fits = self.take(envelope.at, &envelope.event);
        if fits.is_none() {
            self.misfits += 1;
        }
        self.seq = envelope.seq;
        self.at = envelope.at;
    }

    fn take(&mut self, at: At, event: &Event) -> Option<()> {
        match event {
            Event::RunOpened(opening) => {
                self.ledger = Ledger::new(opening.limits, opening.team.landing_percent);
                self.opening = Some(opening.clone());
            }
            Event::Attached { .. } => self.attached()?,
            Event::SourcesRead { corpus } => self.corpus = Some(corpus.clone()),
            Event::HandedOff { by, why, opened } => return self.handed_off(at, *by, why, opened),
            Event::ToolsCalled { by, why, calls } => return self.tools_called(at, *by, why, calls),
            Event::CallAdmitted { call, admission } => return self.admitted(at, *call, *admission),
            Event::ToolReturned { call, result, used } => {
                self.end_call(at, *call, CallEnd::Returned(result.clone()), *used)?;
                if let ToolResult::Excerpt(excerpt) = &**result {
                    let stored = self
                        .sources
                        .entry(excerpt.source.id.clone())
                        .or_insert_with(|| Stored { source: excerpt.source.clone(), blocks: BTreeMap::new() });
                    stored.blocks.extend(excerpt.blocks.iter().map(|block| (block.no, block.clone())));
                }
            }
            Event::ToolFailed { call, error, used } => {
                return self.end_call(at, *call, CallEnd::Failed(error.clone()), *used);
            }
            Event::ModelCalled { by, why, call, request, admission } => {
                return self.model_called(at, *by, why, *call, request, *admission);
            }
            Event::AttemptSent { call, attempt } => {
                let held = self.under_way.get(call)?;
                let exchange = self.exchange_mut(at, *call, held.slot)?;
                exchange.attempts.last_mut().filter(|last| last.n == *attempt)?.sent_at = Some(at);
            }
            Event::AttemptFailed { call, attempt, fault, used, doubt } => {
                return self.attempt_failed(at, *call, *attempt, fault, *used, *doubt);
            }
            Event::AttemptDue { call, attempt, not_before, admission } => {
                let slot = self.faulted.remove(call)?;
                return self.due(at, *call, slot, *attempt, *not_before, *admission);
            }
            Event::ModelReplied { call, reply, used } => {
                let held = self.under_way.remove(call)?;
                self.ledger.settle(call.assignment, held.amounts, *used);
                self.exchange_mut(at, *call, held.slot)?.end = ExchangeEnd::Answered(reply.clone());
            }
            Event::ModelFailed { call, error } => {
                let slot = self.faulted.remove(call)?;
                self.exchange_mut(at, *call, slot)?.end = ExchangeEnd::Failed(error.clone());
            }
            Event::DoubtAnswered { call, answer } => {
                let held = self.in_doubt.remove(call)?;
                let end = match answer {
                    DoubtAnswer::Retry => {
                        self.faulted.insert(*call, held.slot);
                        ExchangeEnd::Pending
                    }
                    DoubtAnswer::Skip => {
                        ExchangeEnd::Failed("nobody saw its end, and it was not to be made again".into())
                    }
                };
                self.exchange_mut(at, *call, held.slot)?.end = end;
            }
            Event::PlanAdopted { by, plan } => {
                self.turn(at, *by, Turn { why: plan.why.clone(), did: Did::Adopted(plan.clone()) })?;
                self.plan = Some(plan.clone());
            }
            Event::StepRefused { by, why, unsent } => {
                let did = Did::Refused { why: why.clone(), unsent: unsent.clone() };
                self.turn(at, *by, Turn { why: why.clone(), did })?;
            }
            Event::PlanPut { checkpoint, by, plan } => {
                let proposed = Proposed { checkpoint: *checkpoint, answer: None };
                let why = "the person decides which tasks are worked on".into();
                self.turn(at, *by, Turn { why, did: Did::Proposed(proposed) })?;
                self.proposals.push(Proposal::open(*checkpoint, *by, plan.clone()));
            }
            Event::PlanEdited { checkpoint, edit } => self.proposal_mut(*checkpoint)?.apply(edit.clone()),
            Event::PlanAnswered { checkpoint, answer } => return self.plan_answered(at, *checkpoint, answer),
            Event::CheckpointOpened { checkpoint, by, findings } => {
                let pause = Pause { checkpoint: *checkpoint, answer: None };
                self.turn(
                    at,
                    *by,
                    Turn { why: "the person decides what the writer may use".into(), did: Did::Paused(pause) },
                )?;
                self.checkpoints.push(Checkpoint::open(*checkpoint, *by, findings.to_vec()));
            }
            Event::PersonActed { checkpoint, act } => self.checkpoint_mut(*checkpoint)?.apply(act.clone()),
            Event::CapRaised { to } => self.ledger.raise(*to).ok()?,
            Event::CheckpointClosed { checkpoint, answer } => return self.closed(at, *checkpoint, answer),
            Event::Reported { by, outcome, handoff } => return self.reported(at, *by, outcome, handoff),
            Event::Paused => self.held = true,
            Event::Continued => (self.held, self.latch) = (false, None),
            Event::Cancelled => self.cancelled = true,
        }
        Some(())
    }

    fn handed_off(&mut self, at: At, by: Option<AssignmentId>, why: &Clean, opened: &[Opened]) -> Option<()> {
        let sent = opened
            .iter()
            .map(|o| Sent {
                to: o.assignment,
                role: o.role.clone(),
                task: o.task,
                handoff: o.handoff.clone(),
                report: None,
            })
            .collect();
        let turn = match by {
            Some(by) => self.turn(at, by, Turn { why: why.clone(), did: Did::HandOffs(sent) })?,
            None => 0,
        };
        for (place, opened) in opened.iter().enumerate() {
            if opened.assignment.0 as usize != self.assignments.len() {
                return None;
            }
            self.ledger.open(opened.assignment, by, opened.limits, opened.draws);
            self.handoffs.push(opened.handoff.clone());
            self.working += 1;
            self.assignments.push(Assignment {
                id: opened.assignment,
                role: opened.role.clone(),
                task: opened.task,
                parent: by,
                transcript: Transcript { handoff: opened.handoff.clone(), turns: Vec::new() },
                ended: None,
                opened_at: at,
                touched_at: at,
                turn_of_parent: (turn, u32::try_from(place).ok()?),
                calls: 0,
            });
        }
        Some(())
    }

    fn tools_called(&mut self, at: At, by: AssignmentId, why: &Clean, calls: &[Called]) -> Option<()> {
        let ended = |called: &Called| match called.admission {
            Admission::Held(_) => CallEnd::Pending,
            Admission::Refused(refusal) => CallEnd::Refused(refusal),
            Admission::Queued => CallEnd::Queued,
        };
        let turn = Turn {
            why: why.clone(),
            did: Did::Tools(
                calls.iter().map(|c| Call { id: c.call, request: c.request.clone(), end: ended(c) }).collect(),
            ),
        };
        let turn = self.turn(at, by, turn)?;
        for (place, called) in calls.iter().enumerate() {
            let slot = Slot { turn, place: u32::try_from(place).ok()? };
            match called.admission {
                Admission::Held(amounts) => self.hold(called.call, amounts, slot),
                Admission::Queued => drop(self.queued.insert(called.call, slot)),
                Admission::Refused(_) => {}
            }
        }
        self.assignment_mut(by)?.calls += u32::try_from(calls.len()).ok()?;
        Some(())
    }

    /// Whoever takes a run up did not see how calls ended that were sent before.
    fn attached(&mut self) -> Option<()> {
        self.latch = None;
        let sent: Vec<CallId> = self.under_way.keys().copied().filter(|call| self.is_sent(*call)).collect();
        for call in sent {
            let held = self.under_way.remove(&call)?;
            self.ledger.doubt(call.assignment, held.amounts);
            self.exchange_mut(self.at, call, held.slot)?.end = ExchangeEnd::InDoubt;
            self.in_doubt.insert(call, held);
        }
        Some(())
    }

    fn model_called(
        &mut self,
        at: At,
        by: AssignmentId,
        why: &Clean,
        call: CallId,
        request: &Arc<ModelRequest>,
        admission: Admission,
    ) -> Option<()> {
        let end = match admission {
            Admission::Held(_) => ExchangeEnd::Pending,
            Admission::Refused(refusal) => ExchangeEnd::Refused(refusal),
            Admission::Queued => ExchangeEnd::Queued,
        };
        let first = Attempt { n: 1, not_before: at, sent_at: None, fault: None };
        let exchange = Exchange { call, request: request.clone(), attempts: vec![first], end };
        let turn = self.turn(at, by, Turn { why: why.clone(), did: Did::Asked(exchange) })?;
        let slot = Slot { turn, place: 0 };
        match admission {
            Admission::Held(amounts) => self.hold(call, amounts, slot),
            Admission::Queued => drop(self.queued.insert(call, slot)),
            Admission::Refused(_) => {}
        }
        self.assignment_mut(by)?.calls += 1;
        Some(())
    }

    fn attempt_failed(
        &mut self,
        at: At,
        call: CallId,
        attempt: u32,
        fault: &Arc<Fault>,
        used: Amounts,
        doubt: Amounts,
    ) -> Option<()> {
        let held = self.under_way.remove(&call)?;
        self.ledger.settle_in_part(call.assignment, held.amounts, used, doubt);
        self.faulted.insert(call, held.slot);
        let exchange = self.exchange_mut(at, call, held.slot)?;
        let provider = exchange.request.model.provider.clone();
        exchange.attempts.last_mut().filter(|last| last.n == attempt)?.fault = Some((**fault).clone());
        if fault.class.latches() {
            self.latch = Some(Latch { provider, why: fault.what.clone() });
        }
        Some(())
    }

    fn due(
        &mut self,
        at: At,
        call: CallId,
        slot: Slot,
        attempt: u32,
        not_before: At,
        admission: Admission,
    ) -> Option<()> {
        let exchange = self.exchange_mut(at, call, slot)?;
        exchange.attempts.push(Attempt { n: attempt, not_before, sent_at: None, fault: None });
        exchange.end = match admission {
            Admission::Held(_) => ExchangeEnd::Pending,
            Admission::Refused(refusal) => ExchangeEnd::Refused(refusal),
            Admission::Queued => ExchangeEnd::Queued,
        };
        match admission {
            Admission::Held(amounts) => self.hold(call, amounts, slot),
            Admission::Queued => drop(self.queued.insert(call, slot)),
            Admission::Refused(_) => {}
        }
        Some(())
    }

    fn exchange_mut(&mut self, at: At, call: CallId, slot: Slot) -> Option<&mut Exchange> {
        let assignment = self.assignment_mut(call.assignment)?;
        assignment.touched_at = at;
        match &mut assignment.transcript.turns.get_mut(slot.turn as usize)?.did {
            Did::Asked(exchange) if exchange.call == call => Some(exchange),
            _ => None,
        }
    }

    fn is_sent(&self, call: CallId) -> bool {
        match self.intent(call) {
            Some(Intent::Model(exchange)) => exchange.attempts.last().is_some_and(|attempt| attempt.sent_at.is_some()),
            _ => false,
        }
    }

    fn hold(&mut self, call: CallId, amounts: Amounts, slot: Slot) {
        self.ledger.replay_hold(call.assignment, amounts);
        self.under_way.insert(call, Held { amounts, slot });
    }

    fn admitted(&mut self, at: At, call: CallId, admission: Admission) -> Option<()> {
        let slot = self.queued.remove(&call)?;
        let end = match admission {
            Admission::Held(amounts) => {
                self.hold(call, amounts, slot);
                CallEnd::Pending
            }
            Admission::Refused(refusal) => CallEnd::Refused(refusal),
            Admission::Queued => return None,
        };
        self.set_end(at, call, slot, end)
    }

    fn set_end(&mut self, at: At, call: CallId, slot: Slot, end: CallEnd) -> Option<()> {
        let assignment = self.assignment_mut(call.assignment)?;
        assignment.touched_at = at;
        match &mut assignment.transcript.turns.get_mut(slot.turn as usize)?.did {
            Did::Tools(calls) => calls.get_mut(slot.place as usize)?.end = end,
            Did::Asked(exchange) => {
                exchange.end = match end {
                    CallEnd::Refused(refusal) => ExchangeEnd::Refused(refusal),
                    _ => ExchangeEnd::Pending,
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn end_call(&mut self, at: At, call: CallId, end: CallEnd, used: Amounts) -> Option<()> {
        let held = self.under_way.remove(&call)?;
        self.ledger.settle(call.assignment, held.amounts, used);
        self.set_end(at, call, held.slot, end)
    }

    fn plan_answered(&mut self, at: At, id: CheckpointId, answer: &PlanAnswer) -> Option<()> {
        let proposal = self.proposal_mut(id)?;
        proposal.answer = Some(answer.clone());
        let (by, plan) = (proposal.assignment, proposal.plan.clone());
        let assignment = self.assignment_mut(by)?;
        assignment.touched_at = at;
        let proposed = assignment.transcript.turns.iter_mut().rev().find_map(|turn| match &mut turn.did {
            Did::Proposed(proposed) if proposed.checkpoint == id => Some(proposed),
            _ => None,
        })?;
        proposed.answer = Some((answer.clone(), plan));
        Some(())
    }

    fn closed(&mut self, at: At, id: CheckpointId, answer: &Answer) -> Option<()> {
        let checkpoint = self.checkpoint_mut(id)?;
        checkpoint.answer = Some(answer.clone());
        let findings: Arc<[Finding]> = checkpoint.findings.clone().into();
        let by = checkpoint.assignment;
        let assignment = self.assignment_mut(by)?;
        assignment.touched_at = at;
        let pause = assignment.transcript.turns.iter_mut().rev().find_map(|turn| match &mut turn.did {
            Did::Paused(pause) if pause.checkpoint == id => Some(pause),
            _ => None,
        })?;
        pause.answer = Some((answer.clone(), findings));
        Some(())
    }

    fn reported(&mut self, at: At, by: AssignmentId, outcome: &Outcome, handoff: &Arc<Handoff>) -> Option<()> {
        let assignment = self.assignment_mut(by)?;
        if assignment.ended.is_some() {
            return None;
        }
        assignment.ended = Some((outcome.clone(), handoff.clone()));
        assignment.touched_at = at;
        let (parent, (turn, place)) = (assignment.parent, assignment.turn_of_parent);
        self.working -= 1;
        self.queued.retain(|call, _| call.assignment != by);
        self.faulted.retain(|call, _| call.assignment != by);
        self.in_doubt.retain(|call, _| call.assignment != by);
        self.handoffs.push(handoff.clone());
        if let Some(parent) = parent {
            let parent = self.assignment_mut(parent)?;
            let Did::HandOffs(sent) = &mut parent.transcript.turns.get_mut(turn as usize)?.did else { return None };
            sent.get_mut(place as usize)?.report = Some((outcome.clone(), handoff.clone()));
        }
        Some(())
    }

    fn turn(&mut self, at: At, by: AssignmentId, turn: Turn) -> Option<u32> {
        let assignment = self.assignment_mut(by)?;
        assignment.touched_at = at;
        assignment.transcript.turns.push(turn);
        u32::try_from(assignment.transcript.turns.len() - 1).ok()
    }

    fn assignment_mut(&mut self, id: AssignmentId) -> Option<&mut Assignment> {
        self.assignments.get_mut(id.0 as usize)
    }

    fn checkpoint_mut(&mut self, id: CheckpointId) -> Option<&mut Checkpoint> {
        self.checkpoints.iter_mut().rev().find(|checkpoint| checkpoint.id == id)
    }

    fn proposal_mut(&mut self, id: CheckpointId) -> Option<&mut Proposal> {
        self.proposals.iter_mut().rev().find(|proposal| proposal.id == id)
    }

    /// The number of the next checkpoint.
    pub fn next_checkpoint(&self) -> CheckpointId {
        CheckpointId((self.checkpoints.len() + self.proposals.len()) as u32 + 1)
    }

    /// The assignment of this id.
    pub fn assignment(&self, id: AssignmentId) -> Option<&Assignment> {
        self.assignments.get(id.0 as usize)
    }

    /// The supervisor at the root.
    pub fn root(&self) -> Option<&Assignment> {
        self.assignments.first()
    }

    /// What a call that has not ended asks.
    pub fn intent(&self, call: CallId) -> Option<Intent<'_>> {
        let held = self.under_way.get(&call).or_else(|| self.in_doubt.get(&call)).map(|held| held.slot);
        let slot = held.or_else(|| self.queued.get(&call).or_else(|| self.faulted.get(&call)).copied())?;
        match &self.assignment(call.assignment)?.transcript.turns.get(slot.turn as usize)?.did {
            Did::Tools(calls) => Some(Intent::Tool(&calls.get(slot.place as usize)?.request)),
            Did::Asked(exchange) => Some(Intent::Model(exchange)),
            _ => None,
        }
    }

    /// What the run waits for a person to say, if it waits for one. Others may be at work meanwhile.
    pub fn asks(&self) -> Option<Asks> {
        let findings = self.open_checkpoint().map(|checkpoint| Asks::Findings(checkpoint.id));
        let latch = || self.latch.clone().map(Asks::Latch);
        let plan = self.open_proposal().map(|proposal| Asks::Plan(proposal.id));
        findings.or(plan).or_else(latch).or_else(|| self.in_doubt.keys().next().copied().map(Asks::Doubt))
    }

    /// The handoff of this number.
    pub fn handoff(&self, no: HandoffNo) -> Option<&Arc<Handoff>> {
        self.handoffs.get((no.0 as usize).checked_sub(1)?)
    }

    /// The checkpoint that waits for the person.
    pub fn open_checkpoint(&self) -> Option<&Checkpoint> {
        self.checkpoints.last().filter(|checkpoint| checkpoint.answer.is_none())
    }

    /// The plan that waits for the person.
    pub fn open_proposal(&self) -> Option<&Proposal> {
        self.proposals.last().filter(|proposal| proposal.answer.is_none())
    }

    /// Why no other plan can be asked for any more, in words for the person; None if one can.
    pub fn no_other_plan(&self) -> Option<String> {
        let most = self.opening.as_ref().map_or(0, |opening| opening.team.more_rounds) as usize;
        let asked = self.proposals.iter().filter(|p| matches!(p.answer, Some(PlanAnswer::Another { .. }))).count();
        (asked >= most).then(|| {
            format!(
                "another plan was asked for {asked} times, which is the team's limit; change this one, and approve it"
            )
        })
    }

    /// The checkpoint, of findings or of a plan, that waits for the person.
    pub fn waits_at(&self) -> Option<CheckpointId> {
        let findings = self.open_checkpoint().map(|checkpoint| checkpoint.id);
        findings.or_else(|| self.open_proposal().map(|proposal| proposal.id))
    }

    /// How the run ended, if it has.
    pub fn ended(&self) -> Option<&Outcome> {
        match self.root() {
            Some(root) => root.ended.as_ref().map(|(outcome, _)| outcome),
            // Stopped before anybody had begun.
            None => self.cancelled.then_some(&Outcome::Cancelled),
        }
    }

    /// The brief with the findings it rests on: what the root reported.
    pub fn brief(&self) -> Option<(&Draft, &[Finding])> {
        let (_, handoff) = self.root()?.ended.as_ref()?;
        Some((handoff.draft()?, handoff.findings()))
    }

    /// Assignments that are open, the root included.
    pub fn open(&self) -> impl Iterator<Item = &Assignment> {
        self.assignments.iter().filter(|assignment| assignment.ended.is_none())
    }

    /// The first call that a cap kept from going out, if any was.
    pub fn refusal(&self) -> Option<Refusal> {
        self.assignments.iter().find_map(|assignment| assignment.transcript.refusal())
    }

    /// Whether somebody other than the person has to do something.
    pub fn is_working(&self) -> bool {
        let stuck = self.under_way.is_empty() && (self.latch.is_some() || !self.in_doubt.is_empty());
        !self.held && !stuck && self.waits_at().is_none() && (self.assignments.is_empty() || self.working > 0)
    }

    /// How long the run has worked (ms); time spent waiting for the person or for a process does not count.
    pub fn worked(&self, now: At) -> u64 {
        let running = if self.opening.is_some() && self.is_working() { now.since(self.at) } else { 0 };
        self.worked_until_last + running
    }

    /// Where the run is.
    pub fn phase(&self) -> Phase {
        if let Some(outcome) = self.ended() {
            return Phase::Ended(outcome.clone());
        }
        if self.waits_at().is_some() || (self.under_way.is_empty() && self.asks().is_some()) {
            return Phase::NeedsYou;
        }
        if self.held {
            return Phase::Held;
        }
        if self.corpus.is_none() {
            return Phase::Reading;
        }
        let doing = |role: &str| self.open().any(|assignment| assignment.role.as_str() == role);
        if doing(Role::RESEARCHER) || self.open().any(|assignment| assignment.task.is_some()) {
            Phase::Researching
        } else if doing(Role::MERGER) {
            Phase::Merging
        } else if doing(Role::WRITER) {
            Phase::Writing
        } else if doing(Role::GATES) || doing(Role::REVIEWER) {
            Phase::Reviewing
        } else {
            Phase::Planning
        }
    }

    /// Whether a quote is in its stored source to the letter, at the place it names.
    pub fn is_quoted(&self, quote: &str, place: &Place) -> bool {
        self.stored(place).is_some_and(|block| {
            !quote.is_empty() && block.text.get(place.start as usize..place.end as usize) == Some(quote)
        })
    }

    /// The stored passage of a place.
    pub fn stored(&self, place: &Place) -> Option<&Arc<Block>> {
        self.sources.get(&place.source.id)?.blocks.get(&place.block)
    }

    /// The stored passages these findings stand in, each once, in the order of source and place.
    pub fn passages(&self, findings: &[Finding]) -> Vec<Passage> {
        let mut places: Vec<&Place> = findings.iter().flat_map(Finding::places).collect();
        places.sort_by_key(|place| (&place.source.id, place.block));
        places.dedup_by_key(|place| (&place.source.id, place.block));
        places
            .into_iter()
            .filter_map(|place| Some(Passage { source: place.source.clone(), block: self.stored(place)?.clone() }))
            .collect()
    }
}
