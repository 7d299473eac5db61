//! The conversation of a specialist or supervisor with a model: requests, pauses, full contexts and failed calls.
//!
//! What differs between the two (tools, opening, use of an answer, end) is behind [`Converses`].

use crate::Step;
use run::attempt::Class;
use run::budget::Refusal;
use run::model::{Form, ModelRequest, Offers, Said, Stop, ToolAnswer};
use run::stage::Conversation;
use run::steer::Message;
use run::team::AssignedModel;
use run::transcript::{Exchange, ExchangeEnd};
use run::{Limits, Reply, Transcript, price};
use text::Clean;

/// The most times that a provider may pause one answer.
const MOST_PAUSES: usize = 5;

/// Why a conversation cannot continue.
#[derive(Clone, Debug)]
pub enum End<'a> {
    /// The model declined, for this reason, which may be empty.
    Declined(&'a Clean),
    /// The provider paused the answer more than [`MOST_PAUSES`] times.
    Paused,
    /// The conversation does not fit the model's context, even after a restart.
    TooLong,
    /// The call failed, for this reason.
    Failed(&'a Clean),
    /// A cap refused the call.
    OutOfBudget(Refusal),
}

/// A party to a conversation with a model: a specialist or a supervisor.
pub trait Converses<'a> {
    /// The model, and the conversation so far.
    fn asking(&self) -> Asking<'a>;

    /// The tools that the model may call.
    fn offers(&self) -> Offers;

    /// The opening messages, with `besides` at their end.
    fn opening(&self, besides: String) -> Vec<Said>;

    /// A summary for a restarted conversation, in at most `room` bytes.
    fn so_far(&self, room: usize) -> String;

    /// Tells the model how much is left when turns or budget run short. Returns the required form of the answer.
    ///
    /// # Errors
    /// The step to take instead, if the model is not asked any more.
    fn wind_down(&self, stage: Conversation, afresh: bool, said: &mut Vec<Said>) -> Result<Form, Box<Step>>;

    /// Why the model is asked at a stage, in a sentence.
    fn in_words(&self, stage: Conversation) -> &'static str;

    /// What is left of the assignment's budget.
    fn left(&self) -> Limits;

    /// Whether an answer that reached its token limit is complete all the same.
    fn is_whole(&self, reply: &Reply) -> bool;

    /// The step that follows a complete answer.
    fn take(&self, reply: &'a Reply) -> Step;

    /// The step that follows if the conversation cannot continue.
    fn end(&self, end: End<'_>) -> Step;

    fn begin_with(&self, besides: String) -> Step {
        self.ask(Conversation::Begin, self.opening(besides), true)
    }

    /// Asks the model, with the person's unread messages; restarts the conversation if the context is full.
    fn ask(&self, stage: Conversation, mut said: Vec<Said>, afresh: bool) -> Step {
        let asking = self.asking();
        // A continued answer continues from what came before it.
        if stage != Conversation::Continue {
            asking.messages(afresh).for_each(|words| add(&mut said, &words));
        }
        let form = match self.wind_down(stage, afresh, &mut said) {
            Ok(form) => form,
            Err(step) => return *step,
        };
        if !afresh && !asking.fits_context(&said) {
            return self.restart();
        }
        let request = asking.request(said, self.offers(), form, afresh, asking.room(Some(stage)));
        Step::Ask { stage: stage.into(), why: self.in_words(stage).into(), request }
    }

    /// Restarts the conversation, once, with a summary that fits half of the context.
    fn restart(&self) -> Step {
        let asking = self.asking();
        if asking.transcript.turns_at(Conversation::Restart) > 0 {
            return self.end(End::TooLong);
        }
        let so_far = self.so_far(asking.half_of_context());
        self.ask(Conversation::Restart, self.opening(so_far), true)
    }

    /// Asks again, once, for an answer that was cut at its token limit, with a higher limit, if the model allows it and
    /// the budget can pay for it.
    fn with_more_room(&self, reply: &'a Reply) -> Option<Step> {
        let asking = self.asking();
        if asking.transcript.turns_at(Conversation::Room) > 0 || asking.model.more_room() <= asking.model.room() {
            return None;
        }
        let what = "Your answer was cut at its token limit before it was whole, and nothing was done. There is more room \
                    now: give the whole answer again.";
        let said = vec![answer_all(reply, what)];
        asking
            .affords(&said, self.offers(), self.left(), (2, u32::MAX))
            .then(|| self.ask(Conversation::Room, said, false))
    }

    /// The step that follows the end of a model call.
    fn hear(&self, exchange: &'a Exchange) -> Step {
        let reply = match &exchange.end {
            ExchangeEnd::Answered(reply) => reply,
            ExchangeEnd::Failed(why) => {
                return match exchange.fault().map(|fault| fault.class) {
                    Some(Class::TooLong) => self.restart(),
                    Some(Class::Stale) if self.asking().transcript.turns_at(Conversation::Restart) == 0 => {
                        self.restart()
                    }
                    _ => self.end(End::Failed(why)),
                };
            }
            ExchangeEnd::Refused(refusal) => return self.end(End::OutOfBudget(*refusal)),
            ExchangeEnd::Queued | ExchangeEnd::Pending | ExchangeEnd::InDoubt => return Step::Wait,
        };
        match &reply.stop {
            Stop::Refusal(why) => self.end(End::Declined(why)),
            Stop::Pause if self.asking().transcript.turns_at(Conversation::Continue) < MOST_PAUSES => {
                self.ask(Conversation::Continue, Vec::new(), false)
            }
            Stop::Pause => self.end(End::Paused),
            Stop::Length if !self.is_whole(reply) => self.with_more_room(reply).unwrap_or_else(|| self.take(reply)),
            _ => self.take(reply),
        }
    }
}

/// A model, and the conversation with it so far.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    pub model: &'a AssignedModel,
    /// The transcript of the assignment.
    pub transcript: &'a Transcript,
}

impl<'a> Asking<'a> {
    /// The most tokens of the next answer: more than at first after one was cut.
    fn room(&self, stage: Option<Conversation>) -> u32 {
        let was_cut = stage == Some(Conversation::Room) || self.transcript.turns_at(Conversation::Room) > 0;
        if was_cut { self.model.more_room() } else { self.model.room() }
    }

    fn request(&self, said: Vec<Said>, offers: Offers, form: Form, afresh: bool, max_tokens: u32) -> ModelRequest {
        let (model, thinking) = (self.model.id.clone(), self.model.thinking);
        ModelRequest { model, afresh, said, offers, form, max_tokens, thinking }
    }

    /// Whether the budget can pay for `times` answers like the next one, each of at most `tokens`.
    pub(super) fn affords(&self, said: &[Said], offers: Offers, left: Limits, (times, tokens): (u64, u32)) -> bool {
        let Some(rates) = &self.model.rates else { return true };
        let request = self.request(said.to_vec(), offers, Form::Free, false, self.room(None));
        let input = price::Input::of(self.transcript.said_before(None, false), &request).most(self.model.density);
        let reserved = price::reservation(rates, input, tokens.min(request.max_tokens));
        left.caps().all(|(kind, cap)| reserved.get(kind).saturating_mul(times) <= cap)
    }

    /// Whether the new messages fit into the model's context, as far as its size is known.
    fn fits_context(&self, said: &[Said]) -> bool {
        let Some(context) = self.model.context else { return true };
        let before = self.transcript.said_before(None, false);
        // A third more than estimated leaves room for code and tables.
        let tokens = |bytes: u64| self.model.density.tokens(bytes) * 4 / 3;
        let new = tokens(said.iter().map(|said| said.bytes() as u64).sum());
        let said = before.told.map_or_else(|| tokens(before.all.bytes()), |usage| usage.total());
        said + new + u64::from(self.room(None)) <= context
    }

    /// The person's messages that the model has not seen; all of them in a restarted conversation.
    pub(super) fn messages(self, afresh: bool) -> impl Iterator<Item = String> + 'a {
        let transcript = self.transcript;
        let unsaid = transcript.messages.iter().filter(move |m| afresh || transcript.read_in(m, true).is_none());
        unsaid.map(Message::told)
    }

    /// The number of bytes that fit half of the model's context.
    fn half_of_context(&self) -> usize {
        self.model.context.unwrap_or(16_000) as usize * 3 / 2
    }

    /// The last answer, if any.
    pub fn last_reply(&self) -> Option<&'a Reply> {
        self.transcript.exchanges().rev().find_map(Exchange::reply).map(|reply| &**reply)
    }
}

/// The result of one tool call of a model.
pub fn answer(call: &Clean, name: &Clean, text: String, failed: bool) -> ToolAnswer {
    ToolAnswer { call: call.clone(), name: name.clone(), text: text.into(), failed }
}

/// Answers every call of a reply with the same text, as failures; sends it as a message if there were no calls.
pub fn answer_all(reply: &Reply, words: &str) -> Said {
    let calls: Vec<ToolAnswer> = reply.calls().map(|(id, name, _)| answer(id, name, words.to_owned(), true)).collect();
    if calls.is_empty() { Said::User { text: words.into() } } else { Said::Results { results: calls } }
}

/// Adds a text to the messages: after the results if there are any.
pub fn add(said: &mut Vec<Said>, words: &str) {
    match said.last_mut() {
        Some(Said::User { text }) => *text = format!("{text}\n\n{words}").into(),
        _ => said.push(Said::User { text: words.into() }),
    }
}
