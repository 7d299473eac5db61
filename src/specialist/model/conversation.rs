//! The conversation of a specialist or supervisor with a model: requests, pauses, full contexts and failed calls.
//!
//! The differences between the two (tools, opening, use of an answer, end) are behind [`Converses`].

use crate::Step;
use run::attempt::Class;
use run::budget::Refusal;
use run::density::{self, Bulk, Estimate};
use run::model::{Form, ModelRequest, Offers, Said, StopReason, ToolAnswer};
use run::price::Rates;
use run::stage::Conversation;
use run::steer::Message;
use run::team::AssignedModel;
use run::transcript::{Did, Exchange, ExchangeEnd};
use run::{Amounts, Limits, Reply, Transcript, price};
use text::Clean;

/// The most times that a provider may pause one answer.
const MOST_PAUSES: usize = 5;
/// The most times that a conversation begins anew.
pub(super) const MOST_RESTARTS: usize = 2;
/// The context assumed where the model's own is unknown, in tokens.
const USUAL_CONTEXT: u64 = 16_000;
/// Bytes of a summary to a token of the context: fewer than prose has.
const BYTES_A_TOKEN: u64 = 3;

/// The reason why a conversation cannot continue.
#[derive(Clone, Debug)]
pub enum End<'a> {
    /// The model declined, for this reason, which may be empty.
    Declined(&'a Clean),
    /// The provider paused the answer more than [`MOST_PAUSES`] times.
    Paused,
    /// The conversation does not fit the model's context, even after it began anew.
    TooLong,
    /// The call failed, for this reason.
    Failed(&'a Clean),
    /// A cap refused the call.
    OutOfBudget(Refusal),
}

/// The stage at which a model is asked, and the required form of its answer.
pub type Held = (Conversation, Form);

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

    /// Tells the model the rest of its turns or budget when they run short. Returns the stage at which it is asked and the
    /// required form of the answer.
    ///
    /// # Errors
    /// The step to take instead, if the model is not asked any more.
    fn wind_down(&self, stage: Conversation, afresh: bool, said: &mut Vec<Said>) -> Result<Held, Box<Step>>;

    /// The reason why the model is asked at a stage, in a sentence.
    fn in_words(&self, stage: Conversation) -> &'static str;

    /// The instruction to the model on a message of the person.
    fn heeding(&self) -> &'static str;

    /// The rest of the assignment's budget.
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
        // A continued answer continues from the text before it.
        if stage != Conversation::Continue {
            asking.messages(afresh).for_each(|message| add(&mut said, &message.told(self.heeding())));
        }
        let (asked_at, form) = match self.wind_down(stage, afresh, &mut said) {
            Ok(held) => held,
            Err(step) => return *step,
        };
        if !afresh && !asking.fits_context(&said) {
            return self.restart();
        }
        let request = asking.request(said, self.offers(), form, afresh, asking.room(Some(stage)));
        Step::Ask { stage: asked_at.into(), why: self.in_words(asked_at).into(), request }
    }

    /// Restarts the conversation with a summary; not where the last restart was not answered either.
    fn restart(&self) -> Step {
        let asking = self.asking();
        if asking.transcript.turns_at(Conversation::Restart) >= MOST_RESTARTS || asking.has_restarted_in_vain() {
            return self.end(End::TooLong);
        }
        let so_far = self.so_far(self.room_for_summary());
        self.ask(Conversation::Restart, self.opening(so_far), true)
    }

    /// The most bytes of a summary: half of the context, so that the conversation can go on.
    fn room_for_summary(&self) -> usize {
        self.asking().half_of_context()
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
        let coming = Coming { said: &said, offers: self.offers(), afresh: false };
        asking.affords(&coming, self.left(), (2, u32::MAX)).then(|| self.ask(Conversation::Room, said, false))
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
            StopReason::Refusal(why) => self.end(End::Declined(why)),
            StopReason::Pause if self.asking().transcript.turns_at(Conversation::Continue) < MOST_PAUSES => {
                self.ask(Conversation::Continue, Vec::new(), false)
            }
            StopReason::Pause => self.end(End::Paused),
            StopReason::Length if !self.is_whole(reply) => {
                self.with_more_room(reply).unwrap_or_else(|| self.take(reply))
            }
            _ => self.take(reply),
        }
    }
}

/// The next request to a model.
#[derive(Clone, Debug)]
pub struct Coming<'s> {
    /// The new text.
    pub said: &'s [Said],
    /// The tools on offer.
    pub offers: Offers,
    /// Whether the conversation begins anew with it.
    pub afresh: bool,
}

/// A model, and the conversation with it so far.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    pub model: &'a AssignedModel,
    /// The transcript of the assignment.
    pub transcript: &'a Transcript,
    /// The known figures of the model's tokens and bills: the ledger reserves by them.
    pub known: Estimate,
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
    pub(super) fn affords(&self, coming: &Coming<'_>, left: Limits, (times, tokens): (u64, u32)) -> bool {
        let Some(rates) = self.rates_below(left) else { return true };
        let (input, room) = (self.input(coming).0, self.room(None));
        let reserved = self.reserved(rates, input, tokens.min(room));
        left.caps().all(|(kind, cap)| reserved.get(kind).saturating_mul(times) <= cap)
    }

    /// Whether the budget has room for the next answer and for a last one behind it, each of at least `least` tokens.
    ///
    /// The next one has to be reserved, and then costs the usual amount of such answers; the last one has to be reserved when the
    /// next one and the results of its calls stand before it.
    pub(super) fn affords_to_go_on(&self, coming: &Coming<'_>, left: Limits, least: u32) -> bool {
        let Some(rates) = self.rates_below(left) else { return true };
        let (most, likely) = self.input(coming);
        let least = least.min(self.room(None));
        let next = self.reserved(rates, most, least);
        let cost = price::reservation(rates, likely, self.usual_answer(least));
        let more = self.known.reserves.most_tokens(self.longest_said(coming.said)).saturating_add(density::FRAMING);
        let last = self.reserved(rates, likely.saturating_add(more), least);
        let both = cost.plus(last);
        left.caps().all(|(kind, cap)| next.get(kind) <= cap && both.get(kind) <= cap)
    }

    /// The rates of its model, if there is a cap to hold.
    fn rates_below(&self, left: Limits) -> Option<&'a Rates> {
        self.model.rates.as_ref().filter(|_| left.caps().next().is_some())
    }

    /// The tokens of the next request: the most, as the ledger reckons it, and about how many it will be.
    fn input(&self, Coming { said, offers, afresh }: &Coming<'_>) -> (u64, u64) {
        let request = self.request(said.to_vec(), offers.clone(), Form::Free, *afresh, self.room(None));
        let input = price::Input::of(self.transcript.said_before(None, *afresh), &request);
        (input.most(self.known.reserves), with_margin(input.likely(self.known.learnt)))
    }

    fn reserved(&self, rates: &Rates, input: u64, output: u32) -> Amounts {
        price::reservation(rates, input, output).plus(self.known.above)
    }

    /// The tokens of its longest answer so far, or of the shortest useful one before there is any.
    fn usual_answer(&self, least: u32) -> u32 {
        let longest = self.transcript.exchanges().filter_map(Exchange::reply).map(|reply| reply.usage.output).max();
        longest.map_or(least, |longest| u32::try_from(longest).unwrap_or(u32::MAX))
    }

    /// The longest message to it so far, this one included, its instructions left out.
    fn longest_said(&self, said: &[Said]) -> Bulk {
        let last = |said: &[Said]| said.last().map(Said::bulk).unwrap_or_default();
        let before = self.transcript.exchanges().map(|exchange| match exchange.request.afresh {
            true => last(&exchange.request.said),
            false => exchange.said(),
        });
        before.chain([last(said)]).max_by_key(|bulk| bulk.bytes()).unwrap_or_default()
    }

    /// Whether the new messages fit into the model's context, as far as its size is known.
    fn fits_context(&self, said: &[Said]) -> bool {
        let Some(context) = self.model.context else { return true };
        let before = self.transcript.said_before(None, false);
        let new = self.likely_tokens(said);
        let before = before
            .told
            .map_or_else(|| with_margin(self.model.density.tokens(before.all.bytes())), |usage| usage.total());
        before + new + u64::from(self.room(None)) <= context
    }

    /// Whether a conversation that begins with these messages fits into the model's context.
    pub(super) fn fits_anew(&self, opening: &[Said], offers: &Offers) -> bool {
        let Some(context) = self.model.context else { return true };
        let offered = with_margin(self.model.density.tokens(offers.bulk().bytes()));
        self.likely_tokens(opening) + offered + u64::from(self.room(None)) <= context
    }

    fn likely_tokens(&self, said: &[Said]) -> u64 {
        with_margin(self.model.density.tokens(said.iter().map(|said| said.bytes() as u64).sum()))
    }

    /// Whether the last request was a restart, and was not answered.
    fn has_restarted_in_vain(&self) -> bool {
        let last = self.transcript.turns.last().filter(|turn| turn.stage == Conversation::Restart.into());
        last.is_some_and(|turn| matches!(&turn.did, Did::Asked(exchange) if exchange.reply().is_none()))
    }

    /// The person's messages that the model has not seen; all of them in a restarted conversation.
    pub fn messages(self, afresh: bool) -> impl Iterator<Item = &'a Message> + 'a {
        let transcript = self.transcript;
        transcript.messages.iter().filter(move |m| afresh || transcript.read_in(m, true).is_none())
    }

    /// The bytes that fit half of the model's context.
    pub(super) fn half_of_context(&self) -> usize {
        let half = self.model.context.unwrap_or(USUAL_CONTEXT) / 2;
        usize::try_from(half * BYTES_A_TOKEN).unwrap_or(usize::MAX)
    }

    /// The bytes for which the model's context has room beside an opening and an answer.
    pub(super) fn room_beside(&self, opening: &[Said], offers: &Offers) -> usize {
        let Some(context) = self.model.context else { return usize::MAX };
        let free = context.saturating_sub(self.room(None).into()) * 3 / 4;
        let taken = opening.iter().map(|said| said.bytes() as u64).sum::<u64>() + offers.bulk().bytes();
        usize::try_from(self.model.density.bytes(free).saturating_sub(taken)).unwrap_or(usize::MAX)
    }

    /// The last answer, if any.
    pub fn last_reply(&self) -> Option<&'a Reply> {
        self.transcript.exchanges().rev().find_map(Exchange::reply).map(|reply| &**reply)
    }
}

/// A third more than is likely: leaves room for code and tables.
fn with_margin(tokens: u64) -> u64 {
    tokens.saturating_mul(4) / 3
}

/// The result of one tool call of a model.
pub fn answer(call: &Clean, name: &Clean, text: String, failed: bool) -> ToolAnswer {
    ToolAnswer { call: call.clone(), name: name.clone(), text: text.into(), failed, not_made: false }
}

/// The answer to a call that was not made, with the reason.
pub fn not_made(call: &Clean, name: &Clean, why: String) -> ToolAnswer {
    ToolAnswer { not_made: true, ..answer(call, name, why, true) }
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
