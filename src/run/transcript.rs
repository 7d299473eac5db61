//! The transcript of one assignment: its handoff, its actions turn by turn, their results.
//!
//! No other assignment sees it. Results are in the order of the calls, whatever order they came in.

use std::sync::Arc;

use super::attempt::{Attempt, Charge, Class, Fault};
use super::budget::Refusal;
use super::checkpoint::question::{self, Question};
use super::checkpoint::{Answer, Approver, Subject};
use super::density::Bulk;
use super::foreign::Note;
use super::handoff::{Handoff, Outcome, Payload, Unsent};
use super::id::{AssignmentId, At, CallId, CheckpointId, Role, TaskId};
use super::model::{ModelRequest, Reply, Said, StopReason, Usage};
use super::plan::Plan;
use super::price;
use super::stage::{Conversation, Stage};
use super::steer::Message;
use super::team::Worker;
use super::tool::{ToolCall, ToolResult};
use text::Clean;

/// Everything one assignment has seen.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The work it was handed.
    pub handoff: Arc<Handoff>,
    /// Its turns since. A transcript of another moment of the run shares them.
    pub turns: Vec<Arc<Turn>>,
    /// Messages of the person.
    pub messages: Vec<Message>,
}

/// One turn: its stage, its reason, its action, its results.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The stage decides the next step, never the words of `why`.
    pub stage: Stage,
    /// The reason, in a sentence; may be empty.
    pub why: Clean,
    /// The action.
    pub did: Did,
}

/// The action of a specialist in a turn.
#[derive(Clone, Debug)]
pub enum Did {
    /// Used tools.
    Tools(Vec<Call>),
    /// Asked its model.
    Asked(Exchange),
    /// Handed off to others.
    HandOffs(Vec<Sent>),
    /// Adopted a plan.
    Adopted(Arc<Plan>),
    /// Paused for the person.
    Checkpoint(Pause),
    /// Lost the model that led. [`Turn::why`] says why.
    Relieved {
        /// The fallback that leads from here on; None for the rules of the team.
        to: Option<Worker>,
    },
    /// Something that was told of it in an imported run.
    Noted(Note),
    /// Tried something that was refused before it was done (a handoff against its contract).
    Refused {
        /// The reason.
        why: Clean,
        /// The handoff that was not sent, if it was one.
        unsent: Option<Arc<Unsent>>,
    },
}

/// A tool call and its state.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its id.
    pub id: CallId,
    /// The question.
    pub request: Arc<ToolCall>,
    /// Its state.
    pub end: CallEnd,
    /// When it went out; None while it waits, and where it was not sent.
    pub began: Option<At>,
    /// When it came back or failed.
    pub ended: Option<At>,
}

impl Call {
    /// A call in this state, at no known time.
    pub fn new(id: CallId, request: Arc<ToolCall>, end: CallEnd) -> Call {
        Call { id, request, end, began: None, ended: None }
    }

    /// Its duration (ms); None while it has not ended, and where no time passed between the two events: runs of other
    /// programs may tell only one time.
    pub fn took(&self) -> Option<u64> {
        Some(self.ended?.since(self.began?)).filter(|ms| *ms > 0)
    }

    /// Why a cap kept it from going out, if one did.
    pub fn refusal(&self) -> Option<Refusal> {
        if let CallEnd::Refused(refusal) = self.end { Some(refusal) } else { None }
    }

    /// Its result, if it has come.
    pub fn result(&self) -> Option<&ToolResult> {
        if let CallEnd::Returned(result) = &self.end { Some(result) } else { None }
    }
}

/// The state of a tool call.
#[derive(Clone, Debug)]
pub enum CallEnd {
    /// Waits until the ledger has room.
    Queued,
    /// Under way.
    Pending,
    /// It was started, and its end is unknown. The person decides on it.
    InDoubt,
    /// It came back.
    Returned(Arc<ToolResult>),
    /// It failed: the reason, for a person and for the specialist.
    Failed(Clean),
    /// The ledger refused it.
    Refused(Refusal),
}

impl CallEnd {
    /// Whether it is still to end.
    pub fn is_open(&self) -> bool {
        matches!(self, CallEnd::Queued | CallEnd::Pending | CallEnd::InDoubt)
    }
}

/// A model call and its state.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Its id.
    pub call: CallId,
    /// The part of the conversation that is new.
    pub request: Arc<ModelRequest>,
    /// Its attempts so far.
    pub attempts: Vec<Attempt>,
    /// Its state.
    pub end: ExchangeEnd,
    /// The text of its messages: measured once, asked for with each later request.
    said: Bulk,
}

/// The state of a model call.
#[derive(Clone, Debug)]
pub enum ExchangeEnd {
    /// Waits until the ledger has room.
    Queued,
    /// Waits for its turn, or is under way: its last attempt says which.
    Pending,
    /// It was sent, and its end is unknown. The person decides on it.
    InDoubt,
    /// The model answered.
    Answered(Arc<Reply>),
    /// It was given up: the reason, for a person and for the specialist.
    Failed(Clean),
    /// The ledger refused it.
    Refused(Refusal),
}

impl Exchange {
    /// A call as it is recorded.
    pub fn new(call: CallId, request: Arc<ModelRequest>, attempts: Vec<Attempt>, end: ExchangeEnd) -> Exchange {
        let said = price::bulk_said(&request.said);
        Exchange { call, request, attempts, end, said }
    }

    /// The text of its messages, measured with the marks around each.
    pub fn said(&self) -> Bulk {
        self.said
    }

    /// The answer.
    pub fn reply(&self) -> Option<&Arc<Reply>> {
        if let ExchangeEnd::Answered(reply) = &self.end { Some(reply) } else { None }
    }

    /// The cap that kept it from going out, if one did.
    pub fn refusal(&self) -> Option<Refusal> {
        if let ExchangeEnd::Refused(refusal) = self.end { Some(refusal) } else { None }
    }

    /// The number of its last attempt, from 1; that of the first one if none was made yet.
    pub fn last_attempt(&self) -> u32 {
        self.attempts.last().map_or(1, |attempt| attempt.n)
    }

    /// Whether its last attempt was sent.
    pub fn is_sent(&self) -> bool {
        self.attempts.last().is_some_and(|attempt| attempt.sent_at.is_some())
    }

    /// The fault of its last attempt, if that failed.
    pub fn fault(&self) -> Option<&Fault> {
        self.attempts.last()?.fault.as_ref()
    }

    /// The tokens that it took: of its answer, or what its last attempt is known to have taken before it failed.
    pub fn usage(&self) -> Option<&Usage> {
        match (self.reply(), self.fault().map(|fault| &fault.charge)) {
            (Some(reply), _) => Some(&reply.usage),
            (None, Some(Charge::AtLeast(usage))) => Some(usage),
            (None, _) => None,
        }
    }
}

/// One round of a conversation with a model: the request, and the answer.
#[derive(Clone, Debug)]
pub struct Round {
    /// The request.
    pub request: Arc<ModelRequest>,
    /// The answer; None for the request that is still to be answered.
    pub reply: Option<Arc<Reply>>,
}

/// A handoff to another assignment and its result.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The assignment it opened.
    pub to: AssignmentId,
    /// The receiver's role.
    pub role: Role,
    /// The task of the plan that it fills.
    pub task: Option<TaskId>,
    /// The worker of the role that does it.
    pub worker: Worker,
    /// The assignment that failed at the same work before.
    pub again: Option<AssignmentId>,
    /// The handoff that was sent.
    pub handoff: Arc<Handoff>,
    /// The end and the report, once it has come.
    pub report: Option<(Outcome, Arc<Handoff>)>,
    /// The class of the failure for which its last model call was given up, if one was; known once it has reported.
    pub failed_call: Option<Class>,
    /// Whether its model answered, and nothing could be made of its answers, or the person had its call skipped: it is not asked the same
    /// again.
    pub failed_answer: bool,
}

/// A pause for the person, and their answer.
#[derive(Clone, Debug)]
pub struct Pause {
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// The subject that was put before them; once they have answered, as they left it.
    pub subject: Arc<Subject>,
    /// Their answer.
    pub answer: Option<Answer>,
    /// The person or the policy that answered.
    pub by: Option<Approver>,
}

impl Sent {
    /// Its report, if that is usable.
    pub fn usable(&self) -> Option<&Payload> {
        self.report.as_ref().filter(|(outcome, _)| outcome.usable()).map(|(_, report)| &report.payload)
    }

    /// Whether its report is usable.
    pub fn is_usable(&self) -> bool {
        self.usable().is_some()
    }
}

impl Turn {
    /// Whether something is still to come back.
    pub fn pending(&self) -> bool {
        match &self.did {
            Did::Tools(calls) => calls.iter().any(|call| call.end.is_open()),
            Did::HandOffs(sent) => sent.iter().any(|sent| sent.report.is_none()),
            Did::Checkpoint(pause) => pause.answer.is_none(),
            Did::Asked(exchange) => {
                matches!(exchange.end, ExchangeEnd::Queued | ExchangeEnd::Pending | ExchangeEnd::InDoubt)
            }
            Did::Adopted(_) | Did::Relieved { .. } | Did::Noted(_) | Did::Refused { .. } => false,
        }
    }
}

/// Whether a step after `before` takes a turn of a model; `asks`: whether it asks for an answer.
fn takes_a_turn(before: Option<&Did>, asks: bool) -> bool {
    asks || before.is_some_and(|did| !matches!(did, Did::Asked(_)))
}

impl Transcript {
    /// Rounds of correction that a model has: for a report that cannot be read, an answer that is neither a report nor a call.
    pub const MOST_CORRECTIONS: usize = 2;

    /// The transcript of an assignment that has just been handed this.
    pub fn new(handoff: Arc<Handoff>) -> Transcript {
        Transcript { handoff, turns: Vec::new(), messages: Vec::new() }
    }

    /// Fails the open calls of its last turn.
    pub fn fail_what_is_pending(&mut self, why: &Clean) {
        match self.turns.last_mut().map(|turn| &mut Arc::make_mut(turn).did) {
            Some(Did::Tools(calls)) => {
                let pending = calls.iter_mut().filter(|call| call.end.is_open());
                pending.for_each(|call| call.end = CallEnd::Failed(why.clone()));
            }
            Some(Did::Asked(exchange)) if exchange.reply().is_none() => exchange.end = ExchangeEnd::Failed(why.clone()),
            _ => {}
        }
    }

    /// Whether a tool or the person is still to answer, so that there is nothing to decide yet. While the person is
    /// asked about one piece of work, the others go on.
    pub fn waits(&self) -> bool {
        let goes_on = |did: &Did| match did {
            Did::HandOffs(_) => true,
            Did::Checkpoint(pause) => pause.of_question().is_some_and(|(question, _)| question.about.is_some()),
            _ => false,
        };
        self.turns.last().is_some_and(|turn| !goes_on(&turn.did) && turn.pending())
    }

    /// The turn that took a message in: the first that says it to the model; without a model, the first that uses tools.
    pub fn read_in(&self, message: &Message, by_model: bool) -> Option<usize> {
        // The message alone may stand in any text: "go on".
        let told = Clean::from(message.said());
        let says = |said: &Said| matches!(said, Said::User { text } if text.contains(told.as_str()));
        let takes = |turn: &Arc<Turn>| match &turn.did {
            // A request that was given up or refused was not read.
            Did::Asked(exchange) if by_model => {
                !matches!(exchange.end, ExchangeEnd::Failed(_) | ExchangeEnd::Refused(_))
                    && exchange.request.said.iter().any(says)
            }
            Did::Tools(_) => !by_model,
            _ => false,
        };
        let from = message.before as usize;
        self.turns.get(from..)?.iter().position(takes).map(|n| from + n)
    }

    /// Adds a turn.
    pub fn push(&mut self, turn: Turn) {
        // Many moments of a run are kept: room that is not used is kept with them.
        if self.turns.len() == self.turns.capacity() {
            self.turns.reserve_exact(self.turns.len() / 8 + 4);
        }
        self.turns.push(Arc::new(turn));
    }

    /// The tool calls of its last turn that are under way go out now.
    pub(crate) fn goes_out(&mut self, at: At) {
        if let Some(Did::Tools(calls)) = self.turns.last_mut().map(|turn| &mut Arc::make_mut(turn).did) {
            let pending = calls.iter_mut().filter(|call| matches!(call.end, CallEnd::Pending));
            pending.for_each(|call| call.began = Some(at));
        }
    }

    /// A turn that what it waits for comes back to.
    pub(crate) fn turn_mut(&mut self, turn: u32) -> Option<&mut Turn> {
        self.turns.get_mut(turn as usize).map(Arc::make_mut)
    }

    /// The pause of a checkpoint.
    pub(crate) fn pause_mut(&mut self, id: CheckpointId) -> Option<&mut Pause> {
        let is_there = |turn: &Arc<Turn>| matches!(&turn.did, Did::Checkpoint(pause) if pause.checkpoint == id);
        let turn = self.turns.iter_mut().rfind(|turn| is_there(turn))?;
        if let Did::Checkpoint(pause) = &mut Arc::make_mut(turn).did { Some(pause) } else { None }
    }

    /// The turns of a model so far: its answers. What the program does at once after an answer (runs its tools, reads passages)
    /// belongs to that answer, and a first look-up to the first one; any other step is a turn of its own.
    pub fn turns_of_model(&self) -> usize {
        let before = std::iter::once(None).chain(self.turns.iter().map(Some));
        let is_turn = |(before, turn): &(Option<&Arc<Turn>>, &Arc<Turn>)| {
            takes_a_turn(before.map(|turn| &turn.did), matches!(turn.did, Did::Asked(_)))
        };
        before.zip(&self.turns).filter(is_turn).count()
    }

    /// Whether the next step of a model takes one of its turns; `asks`: whether it asks for another answer.
    pub fn takes_a_turn(&self, asks: bool) -> bool {
        takes_a_turn(self.turns.last().map(|turn| &turn.did), asks)
    }

    /// The number of turns taken at this stage, refused steps not counted.
    pub fn turns_at(&self, stage: impl Into<Stage>) -> usize {
        let stage = stage.into();
        self.turns.iter().filter(|turn| turn.stage == stage && !matches!(turn.did, Did::Refused { .. })).count()
    }

    /// Every tool call so far, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.turns.iter().flat_map(|turn| if let Did::Tools(calls) = &turn.did { &calls[..] } else { &[] })
    }

    /// The fault for which the model call that was the last turn was given up, if it was.
    pub fn failed_call(&self) -> Option<&Fault> {
        match &self.turns.last()?.did {
            Did::Asked(exchange) if matches!(exchange.end, ExchangeEnd::Failed(_)) => exchange.fault(),
            _ => None,
        }
    }

    /// Whether the person had the model call that was the last turn skipped: its end is not known, and it is not to be sent again.
    pub fn is_skipped(&self) -> bool {
        let is_left = |exchange: &Exchange| {
            matches!(exchange.end, ExchangeEnd::Failed(_)) && exchange.fault().is_none() && exchange.is_sent()
        };
        matches!(self.turns.last().map(|turn| &turn.did), Some(Did::Asked(exchange)) if is_left(exchange))
    }

    /// Whether the model answered, and nothing could be made of its answers: it was corrected as often as it may be, called
    /// its tools wrongly, or did not come to a report. `by_rule`: whether this outcome is that of rules in its place.
    pub fn failed_answer(&self, outcome: &Outcome, by_rule: bool) -> bool {
        // One that declined may not decline the next time.
        let answered = |exchange: &Exchange| {
            exchange.reply().is_some_and(|reply| !matches!(reply.stop, StopReason::Refusal(_) | StopReason::Pause))
        };
        let is_last = matches!(self.turns.last().map(|turn| &turn.did), Some(Did::Asked(_)));
        let corrected = self.turns_at(Conversation::Correct) + self.turns_at(Conversation::Nudge);
        self.exchanges().next_back().is_some_and(answered)
            && match outcome {
                Outcome::Failed(_) => is_last,
                Outcome::Partial(_) => by_rule || is_last && corrected >= Transcript::MOST_CORRECTIONS,
                _ => false,
            }
    }

    /// Every model call so far, in order.
    pub fn exchanges(&self) -> impl DoubleEndedIterator<Item = &Exchange> {
        self.turns.iter().filter_map(|turn| if let Did::Asked(exchange) = &turn.did { Some(exchange) } else { None })
    }

    /// The conversation with the model up to and with the request of `call`, as it is sent. Calls that were
    /// given up are not part of it; a request that begins afresh leaves out all before it.
    pub fn conversation(&self, call: CallId) -> Vec<Round> {
        let mut rounds: Vec<Round> = Vec::new();
        for exchange in self.exchanges() {
            let last = exchange.call == call;
            if exchange.request.afresh {
                rounds.clear();
            }
            let reply = exchange.reply().filter(|_| !last);
            if last || reply.is_some() {
                rounds.push(Round { request: exchange.request.clone(), reply: reply.cloned() });
            }
            if last {
                break;
            }
        }
        rounds
    }

    /// The conversation before a request. `call` is the request if it is on record already.
    pub fn said_before(&self, call: Option<CallId>, afresh: bool) -> price::Before<'_> {
        let mut before = price::Before::default();
        if afresh {
            return before;
        }
        for exchange in self.exchanges().take_while(|exchange| Some(exchange.call) != call) {
            if exchange.request.afresh {
                before = price::Before::default();
            }
            let Some(reply) = exchange.reply() else { continue };
            let answer = reply.raw.bulk();
            let all = before.all + exchange.said + answer;
            before = price::Before { all, answer, told: Some(&reply.usage) };
        }
        before
    }

    /// Its size in a context, in tokens: from the server's count for the last answer, or else estimated from its handoff and its
    /// results.
    pub fn context(&self) -> u64 {
        if let Some(usage) = self.said_before(None, false).told {
            return usage.total();
        }
        let reports = self.sent().filter_map(|sent| sent.report.as_ref()).map(|(_, report)| report);
        reports.chain([&self.handoff]).map(|handoff| handoff.payload.tokens()).sum()
    }

    /// Every handoff sent so far, in order.
    pub fn sent(&self) -> impl DoubleEndedIterator<Item = &Sent> {
        self.turns.iter().flat_map(|turn| if let Did::HandOffs(sent) = &turn.did { &sent[..] } else { &[] })
    }

    /// Every attempt at the same work up to this one, the first one first.
    pub fn attempts<'a>(&'a self, last: &'a Sent) -> Vec<&'a Sent> {
        let before = |sent: &&'a Sent| self.sent().find(|other| Some(other.to) == sent.again);
        let mut attempts: Vec<&Sent> = std::iter::successors(Some(last), before).collect();
        attempts.reverse();
        attempts
    }

    /// Of all attempts at the same work up to this one, the one whose result is used: the last one with a usable report, or
    /// else this one.
    pub fn result_of<'a>(&'a self, last: &'a Sent) -> &'a Sent {
        self.attempts(last).into_iter().rfind(|sent| sent.is_usable()).unwrap_or(last)
    }

    /// The last attempt so far at the work of this one.
    pub fn last_attempt<'a>(&'a self, one: &'a Sent) -> &'a Sent {
        let after = |sent: &&'a Sent| self.sent().find(|other| other.again == Some(sent.to));
        std::iter::successors(Some(one), after).last().unwrap_or(one)
    }

    /// Every question to the person so far, with the answer once there is one, in order.
    pub fn questions(&self) -> impl Iterator<Item = (&Question, Option<&question::Answer>)> {
        let pauses =
            self.turns.iter().filter_map(|turn| if let Did::Checkpoint(it) = &turn.did { Some(it) } else { None });
        pauses.filter_map(Pause::of_question)
    }

    /// The reason why the rules took over from its model, if they did.
    pub fn relieved(&self) -> Option<&Clean> {
        self.turns.iter().find(|turn| matches!(turn.did, Did::Relieved { to: None })).map(|turn| &turn.why)
    }

    /// The workers whose models have led this assignment, in order, up to the rules if they do now.
    pub fn leaders(&self) -> impl Iterator<Item = Worker> {
        let next = |turn: &Turn| match turn.did {
            Did::Relieved { to } => to.unwrap_or(Worker::Rules),
            _ => Worker::Member,
        };
        std::iter::once(Worker::Member).chain(self.relieving().map(next))
    }

    /// The turns at which a model that led was relieved, in order.
    pub(crate) fn relieving(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().map(|turn| &**turn).filter(|turn| matches!(turn.did, Did::Relieved { .. }))
    }

    /// The number of its steps that were refused before they were done.
    pub fn refused_steps(&self) -> usize {
        self.turns.iter().filter(|turn| matches!(turn.did, Did::Refused { .. })).count()
    }

    /// The last refusal of the ledger, if there was one.
    pub fn last_refusal(&self) -> Option<Refusal> {
        self.turns.iter().rev().find_map(|turn| match &turn.did {
            Did::Tools(calls) => calls.iter().rev().find_map(Call::refusal),
            Did::Asked(exchange) => exchange.refusal(),
            _ => None,
        })
    }

    /// Whether the ledger has refused anything: time to wind down.
    pub fn is_refused(&self) -> bool {
        self.last_refusal().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Cap;
    use crate::handoff::Handoff;
    use crate::stage::Conversation;
    use crate::tool::builtin::Search;
    use crate::{AssignmentId, HandoffNo, Payload};

    fn refusal(cap: Cap) -> Refusal {
        Refusal { cap, of: None, most: None }
    }

    fn tool(n: u32, end: CallEnd) -> Call {
        let request = Arc::new(Search::new("more", 2).into());
        Call::new(CallId::new(AssignmentId::nth(1), n), request, end)
    }

    fn asked(n: u32, end: ExchangeEnd) -> Did {
        let request = ModelRequest {
            model: "a/b".parse().unwrap(),
            afresh: true,
            said: vec![],
            offers: Default::default(),
            form: crate::model::Form::Free,
            max_tokens: 9,
            thinking: Default::default(),
        };
        Did::Asked(Exchange::new(CallId::new(AssignmentId::nth(1), n), Arc::new(request), vec![], end))
    }

    #[test]
    fn the_last_refusal_is_that_of_the_latest_turn_and_in_it_of_the_latest_call() {
        let tools = |n, caps: &[Cap]| {
            let calls = caps.iter().zip(n..).map(|(cap, n)| tool(n, CallEnd::Refused(refusal(*cap))));
            Did::Tools(calls.chain([tool(n + 9, CallEnd::Pending)]).collect())
        };
        let model = |n, cap| asked(n, ExchangeEnd::Refused(refusal(cap)));
        let answered = || asked(90, ExchangeEnd::Pending);
        for (turns, last) in [
            (vec![answered()], None),
            (vec![tools(1, &[Cap::ToolCalls]), model(20, Cap::Money), answered()], Some(Cap::Money)),
            (vec![model(1, Cap::Money), tools(20, &[Cap::ToolCalls])], Some(Cap::ToolCalls)),
            (vec![tools(1, &[Cap::ToolCalls, Cap::Time])], Some(Cap::Time)),
        ] {
            let handoff = Handoff {
                no: HandoffNo(1),
                from: None,
                to: None,
                names: ("supervisor".into(), "researcher".into()),
                title: "a task".into(),
                payload: Payload::default(),
            };
            let mut transcript = Transcript::new(Arc::new(handoff));
            let turn = |did| Arc::new(Turn { stage: Conversation::Tools.into(), why: Clean::default(), did });
            transcript.turns.extend(turns.into_iter().map(turn));
            assert_eq!(transcript.last_refusal().map(|refusal| refusal.cap), last);
            assert_eq!(transcript.is_refused(), last.is_some());
        }
    }
}
