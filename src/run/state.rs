//! The state of a run: what its events add up to, and nothing else.
//!
//! `apply` is the only way in, costs O(1) an event, and never fails on what the journal holds: an event that
//! does not fit (of a damaged or newer journal) is counted in `misfits` and changes nothing.

mod asked;
mod assignment;
mod calls;
mod fits;
mod pool;
mod steered;
mod stopped;
mod timed;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::attempt::{Class, Fault};
use super::breakpoint::{Breakpoint, BreakpointNo, Condition};
use super::budget::{Amounts, Draws, Ledger, Limits};
use super::checkpoint::{Answer, Approver, Checkpoint, Subject, budget, findings};
use super::density::Estimate;
use super::event::{Allotment, Envelope, Event, Opened, Opening};
use super::evidence::{Block, Corpus, SourceRef};
use super::foreign::Pricing;
use super::fork::{Fork, Forked};
use super::handoff::{Handoff, Outcome};
use super::id::{AssignmentId, At, CallId, CheckpointId, Role, Seq, SourceId, TaskId};
use super::model::ModelId;
use super::plan::Plan;
use super::stage::{Imported, Leading, Stage};
use super::steer::Priority;
use super::timeouts::Stopwatch;
use super::tool::{ToolCall, ToolResult};
use super::transcript::{CallEnd, Did, Exchange, ExchangeEnd, Pause, Sent, Transcript, Turn};
use text::Clean;

pub use assignment::{Assignment, Ending};

/// A run, folded from its events.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// How it began; None before the first event.
    pub opening: Option<Arc<Opening>>,
    /// The fork that it is, with what it took over; None if it is none.
    pub forked: Option<Forked>,
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
    /// Assignments in the order in which they were opened.
    assignments: Vec<Arc<Assignment>>,
    /// Every handoff, both ways, by number (1 is the first).
    pub handoffs: Vec<Arc<Handoff>>,
    /// Every checkpoint, in the order in which they were opened.
    pub checkpoints: Vec<Checkpoint>,
    /// Documents as they were when they were read.
    pub sources: BTreeMap<SourceId, Arc<Stored>>,
    /// Caps and what was taken from them.
    pub ledger: Ledger,
    /// Calls that wait until the ledger has room, first come, first served within an assignment.
    pub queued: BTreeMap<CallId, Slot>,
    /// Whether the person holds the run.
    pub held: bool,
    /// Whether the person stopped it for good.
    pub cancelled: bool,
    /// Calls under way, of tools and of models, with what is reserved for each. Ended ones leave.
    pub under_way: BTreeMap<CallId, Reserved>,
    /// Model calls whose last attempt failed: they are tried again or given up. Nothing is reserved for them.
    pub faulted: BTreeMap<CallId, Slot>,
    /// Calls that were sent to a model, or started with a tool that is not safe to repeat, and whose end is not known.
    pub in_doubt: BTreeMap<CallId, Reserved>,
    /// Models and providers that refuse every call until the person has done something about them; the first one first.
    pub latches: Vec<Latch>,
    /// What models said no to since they last answered, by model.
    refusing: BTreeMap<ModelId, Refusing>,
    /// What answers have taught of their models: later reservations rest on it.
    estimates: BTreeMap<ModelId, Estimate>,
    /// Assignments that were ended from outside, until they are wound up or another has taken their place.
    pub to_end: BTreeSet<AssignmentId>,
    /// The breakpoints that are set, in the order in which they were.
    pub breakpoints: Vec<Breakpoint>,
    /// The number of the breakpoint that was set last.
    last_breakpoint: BreakpointNo,
    /// Until when the run goes on after the last stop, besides its breakpoints.
    until: Option<Condition>,
    /// Whether the person has the run finish with what its caps have room for. Raising one ends that.
    finishes: bool,
    /// What met a breakpoint and was recorded, and is to be stopped after.
    pub hits: Vec<Hit>,
    /// How far the money of an imported run is known; nothing in one of ours.
    pub pricing: Pricing,
    /// Events that did not fit; a sound journal has none.
    pub misfits: u64,
    worked_until_last: u64,
    /// Where each assignment stands among all.
    places: Arc<BTreeMap<AssignmentId, usize>>,
    /// Assignments that are open, and where each stands among all: they are gone through again and again.
    open: BTreeMap<AssignmentId, usize>,
    /// Of those that are open: which wait for no answer, or stand at a breakpoint. Nothing is to be decided for the others.
    unwaiting: BTreeSet<AssignmentId>,
    /// The assignments of each task, in the order in which they were opened.
    given: BTreeMap<TaskId, Vec<AssignmentId>>,
    /// Open assignments that wait for a part of the caps of the run, should it have any, by their place in the plan.
    line: BTreeSet<(u32, AssignmentId)>,
    /// What had been taken of the caps, and how many assignments there were, when this round of tasks began.
    round: (Amounts, usize),
    open_specialists: usize,
    held_specialists: usize,
    /// Every assignment by the last event that changed it.
    changes: BTreeSet<(Seq, AssignmentId)>,
    /// The last event that may concern assignments that it does not name.
    changed_for_all: Seq,
    /// Open assignments that do not begin at once.
    delayed: usize,
}

/// A call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// What is reserved for it.
    pub amounts: Amounts,
    /// Whether it is a tool call that was started, and must not be made again without asking.
    pub started: bool,
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
    Tool(&'a Arc<ToolCall>),
    /// A model.
    Model(&'a Exchange),
}

/// A model that said no to what it was asked.
#[derive(Clone, Debug, Default)]
struct Refusing {
    /// The number of times.
    times: u32,
    /// Whether it has answered in this run: then a no is about what was asked.
    has_answered: bool,
    /// What it said at last.
    fault: Option<Arc<Fault>>,
}

impl Refusing {
    /// Whether it would say no to the next call as well: there is no such model, or it took nothing of what it was asked.
    fn is_sure(&self) -> bool {
        match self.fault.as_ref().map(|fault| fault.class) {
            Some(Class::NoSuchModel) => true,
            Some(_) => !self.has_answered && self.times > 1,
            None => false,
        }
    }
}

/// A model that refuses every call, or a provider that does: its key, its credit, its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latch {
    /// Which provider.
    pub provider: Clean,
    /// Which of its models; None for all of them.
    pub model: Option<Clean>,
    /// What it said, and what the person can do.
    pub why: Clean,
}

impl Latch {
    /// Whether calls to this model are refused.
    pub fn concerns(&self, model: &ModelId) -> bool {
        self.provider == model.provider && self.model.as_ref().is_none_or(|only| *only == model.model)
    }
}

impl fmt::Display for Latch {
    /// The model or the provider by its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{}/{model}", self.provider),
            None => write!(f, "{}", self.provider),
        }
    }
}

/// What the run waits for a person to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks<'a> {
    /// The answer at a checkpoint.
    Checkpoint(&'a Checkpoint),
    /// What becomes of a call in doubt.
    Doubt(CallId),
    /// That a provider can be asked again.
    Latch(&'a Latch),
}

/// What met a breakpoint when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The event.
    pub seq: Seq,
    /// The assignment that stands still for it: its own, or one above that is open.
    pub by: AssignmentId,
    /// The conditions that it met.
    pub met: Vec<Condition>,
    /// What it says, in a line.
    pub says: Clean,
}

/// A document as far as it was read.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The document.
    pub source: SourceRef,
    /// The blocks that were read.
    pub blocks: BTreeMap<u32, Arc<Block>>,
    /// What a tool has counted over the whole of it, each with the block that shows it.
    pub measured: BTreeSet<(Clean, u32)>,
}

/// Where a run is, in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The sources are being read.
    Reading,
    /// The question is being cut into tasks.
    Planning,
    /// The model that leads decides what is next.
    Deciding,
    /// Researchers are at work.
    Researching,
    /// Findings are being folded.
    Merging,
    /// Another program works on it: it is imported, and has not ended.
    Elsewhere,
    /// It waits for the person.
    NeedsYou,
    /// The brief is being written.
    Writing,
    /// The draft is being checked.
    Reviewing,
    /// What was found is being kept for later runs.
    Keeping,
    /// The person has paused it.
    Paused,
    /// It has ended.
    Ended(Outcome),
}

impl Phase {
    /// The phase in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Planning => "planning",
            Phase::Deciding => "deciding",
            Phase::Researching => "researching",
            Phase::Merging => "merging",
            Phase::Elsewhere => "running",
            Phase::NeedsYou => "needs you",
            Phase::Writing => "writing",
            Phase::Reviewing => "reviewing",
            Phase::Keeping => "keeping notes",
            Phase::Paused => "paused",
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
        let first = self.seq == Seq(0);
        self.seq = envelope.seq;
        if !self.fits(&envelope.event) {
            self.misfits += 1;
            return;
        }
        let until = match &envelope.event {
            Event::Attached { worked_until, .. } => worked_until.unwrap_or(self.at).min(envelope.at),
            Event::Forked(_) => self.at,
            _ => envelope.at,
        };
        if self.opening.is_some() && self.is_working() {
            self.worked_until_last += until.since(self.at);
        }
        if first {
            self.opened_at = envelope.at;
        }
        if !envelope.event.concerns_one() {
            self.changed_for_all = envelope.seq;
        }
        let (cost, stood) = (self.cost(), self.stands_at(&envelope.event));
        if self.take(envelope.at, &envelope.event).is_none() {
            self.misfits += 1;
        }
        self.keep_time(&envelope.event);
        self.at = envelope.at;
        self.compare_with_breakpoints(envelope, cost, stood);
        self.see_which_wait();
    }

    fn take(&mut self, at: At, event: &Event) -> Option<()> {
        match event {
            Event::RunOpened(opening) => {
                self.ledger = Ledger::new(opening.limits, opening.team.landing_percent);
                self.opening = Some(opening.clone());
            }
            Event::Forked(fork) => return self.takes_over(at, fork),
            Event::Attached { .. } => self.attached()?,
            Event::SourcesRead { corpus } => self.corpus = Some(corpus.clone()),
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
                match &**result {
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
            Event::ToolFailed { call, error, used } => {
                return self.end_call(at, *call, CallEnd::Failed(error.clone()), *used);
            }
            Event::ModelCalled { by, stage, why, call, request, admission } => {
                return self.model_called(at, *by, (*stage, why), *call, request, *admission);
            }
            Event::AttemptSent { call, attempt } => {
                let reserved = self.under_way.get(call)?;
                let exchange = self.exchange_mut(at, *call, reserved.slot)?;
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
                let reserved = self.under_way.remove(call)?;
                self.ledger.settle(call.assignment, reserved.amounts, *used, Amounts::default());
                if self.is_imported() {
                    self.pricing.count(&reply.usage);
                    // As with tokens: what leaders took is what those below them took.
                    for id in std::iter::successors(Some(call.assignment), |id| id.parent()) {
                        self.assignment_mut(id)?.pricing.count(&reply.usage);
                    }
                }
                let exchange = self.exchange_mut(at, *call, reserved.slot)?;
                exchange.end = ExchangeEnd::Answered(reply.clone());
                let model = exchange.request.model.clone();
                self.learn(*call, Some(&reply.usage), *used);
                self.refusing.insert(model, Refusing { has_answered: true, ..Refusing::default() });
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
                let pause = Pause { checkpoint: *checkpoint, subject: subject.clone(), answer: None };
                self.turn(
                    at,
                    *by,
                    Turn { stage: subject.stage(), why: subject.why().into(), did: Did::Checkpoint(pause) },
                )?;
                let mut opened = Checkpoint::open(*checkpoint, *by, subject.clone());
                if opened.findings().is_some() {
                    opened.earlier = self
                        .findings_checkpoints()
                        .next_back()
                        .map_or(Vec::new(), |(before, _)| findings::earlier(before));
                }
                self.checkpoints.push(opened);
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
            Event::Paused => self.held = true,
            Event::Continued => {
                self.held = false;
                self.latches.clear();
                self.refusing.clear();
            }
            Event::Cancelled => self.cancelled = true,
        }
        Some(())
    }

    /// From here on it is a run of its own: with what is changed, and with the calls that were out made again.
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

    fn handed_off(
        &mut self,
        at: At,
        by: Option<AssignmentId>,
        (stage, why): (Stage, &Clean),
        opened: &[Opened],
    ) -> Option<()> {
        let fresh = opened.iter().filter(|opened| opened.instead_of.is_none());
        let sent: Vec<Sent> = fresh
            .map(|o| Sent {
                to: o.assignment,
                role: o.role.clone(),
                task: o.task,
                worker: o.worker,
                again: o.again,
                handoff: o.handoff.clone(),
                report: None,
                failed_call: None,
                failed_answer: false,
            })
            .collect();
        let turn = match by {
            // What takes the place of others stands where they stood.
            Some(by) if !sent.is_empty() => {
                self.turn(at, by, Turn { stage, why: why.clone(), did: Did::HandOffs(sent) })?
            }
            _ => 0,
        };
        let mut places = 0..;
        for opened in opened {
            let (priority, deadline, place) = match opened.instead_of {
                Some(old) => self.replaced(old, opened)?,
                None => {
                    let (priority, deadline) = self.first_rank(by, opened);
                    (priority, deadline, (turn, places.next()?))
                }
            };
            let held = by.and_then(|by| self.assignment(by)).is_some_and(|parent| parent.held);
            let of_plan = |task| self.plan.as_ref()?.tasks.iter().zip(1..).find(|(one, _)| one.id == task);
            let order = opened.task.map_or(0, |task| of_plan(task).map_or(u32::MAX, |(_, place)| place));
            if !self.delegates(&opened.role) {
                self.open_specialists += 1;
                self.held_specialists += usize::from(held);
            }
            // Landing is paid from what the run keeps for it, not from the share of the assignment that asked for it.
            let account_above = match opened.draws {
                Draws::Work => by,
                Draws::Landing => by.map(|_| AssignmentId::ROOT),
            };
            self.ledger.open(opened.assignment, account_above, opened.limits, opened.draws);
            self.handoffs.push(opened.handoff.clone());
            self.open.insert(opened.assignment, self.assignments.len());
            self.delayed += usize::from(opened.not_before.is_some());
            self.changes.insert((self.seq, opened.assignment));
            if let Some(task) = opened.task {
                self.given.entry(task).or_default().push(opened.assignment);
            }
            Arc::make_mut(&mut self.places).insert(opened.assignment, self.assignments.len());
            self.assignments.push(Arc::new(Assignment {
                id: opened.assignment,
                role: opened.role.clone(),
                task: opened.task,
                worker: opened.worker,
                told: opened.told.clone(),
                pricing: Pricing::default(),
                not_before: opened.not_before,
                transcript: Arc::new(Transcript::new(opened.handoff.clone())),
                ended: None,
                opened_at: at,
                touched_at: at,
                opened_after: self.worked_until_last,
                touched_after: self.worked_until_last,
                changed: self.seq,
                priority,
                deadline,
                held,
                ending: None,
                order,
                turn_of_parent: place,
                calls: 0,
                ready_since: self.worked_until_last,
                waited: 0,
                watch: Stopwatch::default(),
                is_short: false,
                stopped: None,
            }));
            self.queue_up(opened.assignment);
        }
        Some(())
    }

    /// Its first priority and deadline: of the plan, else of its member, else of its parent; of deadlines the earliest.
    fn first_rank(&self, by: Option<AssignmentId>, opened: &Opened) -> (Priority, Option<u64>) {
        let task = opened.handoff.payload.task();
        let member = self.opening.as_ref().and_then(|opening| opening.team.members.get(&opened.role));
        let parent = by.and_then(|by| self.assignment(by));
        let priority = task
            .and_then(|task| task.priority)
            .or_else(|| member.and_then(|member| member.priority))
            .or_else(|| parent.map(|parent| parent.priority));
        let deadlines = task.and_then(|task| task.deadline).into_iter().chain(parent.and_then(|p| p.deadline));
        (priority.unwrap_or_default(), deadlines.min())
    }

    fn delegates(&self, role: &Role) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.team.delegates(role))
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
        assignment.touch(at, worked);
        let pause = Arc::make_mut(&mut assignment.transcript).pause_mut(id)?;
        (pause.subject, pause.answer) = (subject, Some(answer.clone()));
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

    fn reported(&mut self, at: At, by: AssignmentId, outcome: &Outcome, handoff: &Arc<Handoff>) -> Option<()> {
        let assignment = self.assignment_mut(by)?;
        if assignment.ended.is_some() {
            return None;
        }
        assignment.ended = Some((outcome.clone(), handoff.clone()));
        assignment.touched_at = at;
        let (held, role, parent) = (assignment.held, assignment.role.clone(), by.parent());
        let was_delayed = assignment.not_before.is_some();
        let goes_on = matches!(assignment.ending, Some(Ending::Replaced { with: None, .. }));
        let failed_call = assignment.transcript.failed_call().map(|fault| fault.class);
        let failed_answer = assignment.ending.is_none() && assignment.transcript.failed_answer(outcome);
        self.open.remove(&by);
        self.delayed -= usize::from(was_delayed);
        self.allotted(by, None);
        if !self.delegates(&role) {
            self.open_specialists -= 1;
            self.held_specialists -= usize::from(held);
        }
        if !goes_on {
            self.to_end.remove(&by);
        }
        self.queued.retain(|call, _| call.assignment != by);
        self.faulted.retain(|call, _| call.assignment != by);
        let doubted = self.in_doubt.extract_if(.., |call, _| call.assignment == by).collect::<Vec<_>>();
        doubted.into_iter().for_each(|(call, reserved)| self.settle_doubt(call, reserved));
        self.handoffs.push(handoff.clone());
        if parent.is_some() {
            match self.slot_of(by) {
                Some(slot) => {
                    slot.report = Some((outcome.clone(), handoff.clone()));
                    (slot.failed_call, slot.failed_answer) = (failed_call, failed_answer);
                }
                // Another has taken its place: nobody waits for it.
                None => self.assignment(by).filter(|a| matches!(a.ending, Some(Ending::Replaced { .. }))).map(drop)?,
            }
        }
        Some(())
    }

    fn turn(&mut self, at: At, by: AssignmentId, turn: Turn) -> Option<u32> {
        let worked = self.worked_until_last;
        let assignment = self.assignment_mut(by)?;
        assignment.has_waited(worked);
        assignment.touched_at = at;
        Arc::make_mut(&mut assignment.transcript).push(turn);
        u32::try_from(assignment.transcript.turns.len() - 1).ok()
    }

    /// An assignment that this event changes.
    fn assignment_mut(&mut self, id: AssignmentId) -> Option<&mut Assignment> {
        let assignment = Arc::make_mut(self.assignments.get_mut(*self.places.get(&id)?)?);
        if assignment.changed != self.seq {
            self.changes.remove(&(assignment.changed, id));
            self.changes.insert((self.seq, id));
            assignment.changed = self.seq;
        }
        Some(assignment)
    }

    /// Looks at those that this event has changed: no others begin or cease to wait.
    fn see_which_wait(&mut self) {
        for (_, id) in self.changes.range((self.seq, AssignmentId::ROOT)..) {
            let one = self.places.get(id).and_then(|place| self.assignments.get(*place));
            let is_unwaiting =
                |one: &Arc<Assignment>| one.ended.is_none() && (one.stopped.is_some() || !one.transcript.waits());
            match one.is_some_and(is_unwaiting) {
                true => self.unwaiting.insert(*id),
                false => self.unwaiting.remove(id),
            };
        }
    }

    fn checkpoint_mut(&mut self, id: CheckpointId) -> Option<&mut Checkpoint> {
        self.checkpoints.iter_mut().rev().find(|checkpoint| checkpoint.id == id)
    }
}
