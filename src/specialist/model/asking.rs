//! Asking a model within a transcript: what is shared by everybody who thinks with one.

use run::model::{Form, ModelRequest, Offer, Said, ToolAnswer};
use run::team::Engaged;
use run::transcript::Exchange;
use run::{Amounts, Limits, Reply, Transcript, price};
use text::Clean;

/// Times that an answer may be paused by its provider before it is given up.
pub const MOST_PAUSES: usize = 5;

/// A model, and what was said to it so far.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    pub engaged: &'a Engaged,
    pub transcript: &'a Transcript,
}

impl<'a> Asking<'a> {
    pub fn request(&self, said: Vec<Said>, offers: Vec<Offer>, form: Form, afresh: bool) -> ModelRequest {
        let (model, max_tokens) = (self.engaged.model.clone(), self.engaged.max_tokens);
        ModelRequest { model, afresh, said, offers, form, max_tokens }
    }

    /// Whether so many answers like the next one can be paid for.
    pub fn affords(&self, said: &[Said], offers: Vec<Offer>, left: Limits, times: u64) -> bool {
        let Some(rates) = &self.engaged.rates else { return true };
        let request = self.request(said.to_vec(), offers, Form::Free, false);
        let (bytes, told) = self.transcript.said_before(None, false);
        let one = price::reservation(rates, price::most_input(told, bytes, &request), request.max_tokens);
        let fits = |cap: Option<u64>, one: u64| cap.is_none_or(|cap| one.saturating_mul(times) <= cap);
        let Amounts { money, tokens, calls, .. } = one;
        fits(left.money.map(|m| m.0), money.0) && fits(left.tokens, tokens) && fits(left.calls, calls)
    }

    /// Whether what is said now fits into the model's context, as far as that is known.
    pub fn fits_context(&self, said: &[Said]) -> bool {
        let Some(context) = self.engaged.context else { return true };
        let (bytes, told) = self.transcript.said_before(None, false);
        // English prose has about four bytes a token; three leaves room for code and tables.
        let new = said.iter().map(|said| said.bytes() as u64).sum::<u64>() / 3;
        let before = told.map_or(bytes / 3, |(usage, _)| usage.total());
        before + new + u64::from(self.engaged.max_tokens) <= context
    }

    /// What the person has sent and was not said yet; all of it where the conversation begins anew.
    pub fn messages(self, afresh: bool) -> impl Iterator<Item = String> + 'a {
        let transcript = self.transcript;
        let unsaid = transcript.messages.iter().filter(move |m| afresh || transcript.read_in(m, true).is_none());
        unsaid.map(|message| {
            let text = &message.text;
            format!("The person you work for says:\n{text}\nAct on it, and let your report say what came of it.")
        })
    }

    /// Bytes that half of its context holds.
    pub fn half_of_context(&self) -> usize {
        self.engaged.context.unwrap_or(16_000) as usize * 3 / 2
    }

    pub fn last_reply(&self) -> Option<&'a Reply> {
        self.transcript.exchanges().rev().find_map(Exchange::reply).map(|reply| &**reply)
    }
}

/// The answer to one call of a model.
pub fn answer(call: &Clean, name: &Clean, text: String, failed: bool) -> ToolAnswer {
    ToolAnswer { call: call.clone(), name: name.clone(), text: text.into(), failed }
}

/// Says one thing more: behind the results if there are any.
pub fn add(said: &mut Vec<Said>, words: &str) {
    match said.last_mut() {
        Some(Said::User { text }) => *text = format!("{text}\n\n{words}").into(),
        _ => said.push(Said::User { text: words.into() }),
    }
}
