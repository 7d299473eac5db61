//! The first difference between a request to a model and a recorded one: in the prompt, the handoff, the model and so
//! on. Two requests are equal if their whole conversations are.

use std::fmt;

use crate::model::{Content, ModelRequest, Reply, Said};
use crate::transcript::Round;
use text::difference::{self, Difference};
use text::sha256::Sha256;

/// The part in which two requests differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The model.
    Model,
    /// The system prompt.
    Prompt,
    /// The handoff, which begins the conversation.
    Payload,
    /// The tool results.
    Results,
    /// A later message: a correction, or a message of the person.
    Said,
    /// An earlier answer of the model.
    Answer,
    /// The tools on offer.
    Tools,
    /// The required form of the answer.
    Form,
    /// The thinking settings.
    Thinking,
}

impl Part {
    /// Its name, with the article.
    pub fn name(self) -> &'static str {
        match self {
            Part::Model => "the model",
            Part::Prompt => "the prompt",
            Part::Payload => "the payload",
            Part::Results => "the results of tools",
            Part::Said => "a later message to the model",
            Part::Answer => "an earlier answer of the model",
            Part::Tools => "the tools on offer",
            Part::Form => "the form of the answer",
            Part::Thinking => "the effort of thinking",
        }
    }
}

/// The first difference between a request and a recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// The part that differs.
    pub part: Part,
    /// The line in that part, for text.
    pub line: Option<usize>,
    /// The recorded content; in quotation marks for text.
    pub then: String,
    /// The present content.
    pub now: String,
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unlike { part, line, then, now } = self;
        match line {
            Some(line) => write!(f, "{}: in line {line} it said {then}, and this one says {now}", part.name()),
            None => write!(f, "{}: it was {then}, and now is {now}", part.name()),
        }
    }
}

/// The first difference between two conversations, each up to its last request; None if they differ at most in the
/// token limit of the answer.
pub fn of(recorded: &[Round], now: &[Round]) -> Option<Unlike> {
    let mut rounds = (0..).zip(recorded).zip(now);
    let first = rounds.find_map(|((n, recorded), now)| {
        let asked = of_requests(&recorded.request, &now.request, n == 0);
        asked.or_else(|| of_replies(recorded.reply.as_deref(), now.reply.as_deref()))
    });
    first.or_else(|| {
        let (then, now) = (recorded.len(), now.len());
        let rounds = |n: usize| text::count(n, "round");
        (then != now).then(|| Unlike { part: Part::Said, line: None, then: rounds(then), now: rounds(now) })
    })
}

fn of_requests(recorded: &ModelRequest, now: &ModelRequest, begins: bool) -> Option<Unlike> {
    if recorded.asks_like(now) {
        return None;
    }
    let words = |part, then: String, now: String| Some(Unlike { part, line: None, then, now });
    if recorded.model != now.model {
        return words(Part::Model, recorded.model.to_string(), now.model.to_string());
    }
    let mut said = recorded.said.iter().zip(&now.said);
    if let Some((then, now)) = said.find(|(then, now)| then != now) {
        let part = match now {
            Said::System { .. } => Part::Prompt,
            Said::User { .. } if begins => Part::Payload,
            Said::User { .. } => Part::Said,
            Said::Results { .. } => Part::Results,
        };
        return of_text(part, &text_of(then), &text_of(now));
    }
    if recorded.said.len() != now.said.len() {
        let n = |request: &ModelRequest| text::count(request.said.len(), "message");
        return words(Part::Said, n(recorded), n(now));
    }
    if recorded.offers != now.offers {
        let names = |request: &ModelRequest| {
            let names: Vec<&str> = request.offers.iter().map(|offer| offer.name.as_str()).collect();
            if names.is_empty() { "none".into() } else { names.join(", ") }
        };
        let (then, is) = (names(recorded), names(now));
        if then != is {
            return words(Part::Tools, then, is);
        }
        let offers = |request: &ModelRequest| {
            let each =
                request.offers.iter().map(|offer| format!("{}: {} {}", offer.name, offer.description, offer.schema));
            each.collect::<Vec<_>>().join("\n")
        };
        return of_text(Part::Tools, &offers(recorded), &offers(now));
    }
    if recorded.form != now.form {
        let form = |request: &ModelRequest| serde_json::to_string(&request.form).unwrap_or_default();
        return of_text(Part::Form, &form(recorded), &form(now));
    }
    let thinking = |request: &ModelRequest| serde_json::to_string(&request.thinking).unwrap_or_default();
    words(Part::Thinking, thinking(recorded), thinking(now))
}

fn of_replies(recorded: Option<&Reply>, now: Option<&Reply>) -> Option<Unlike> {
    let (recorded, now) = (recorded?, now?);
    if recorded.raw == now.raw {
        return None;
    }
    let text = |reply: &Reply| reply.content.iter().map(in_words).collect::<Vec<_>>().join("\n");
    let unseen = || Unlike { part: Part::Answer, line: None, then: "another one".into(), now: "a new one".into() };
    Some(of_text(Part::Answer, &text(recorded), &text(now)).unwrap_or_else(unseen))
}

fn in_words(content: &Content) -> String {
    match content {
        Content::Text { text } | Content::Thinking { text } => text.to_string(),
        Content::Call { name, arguments, .. } => {
            format!("{name} {}", serde_json::to_string(arguments).unwrap_or_default())
        }
        Content::Other { kind } => kind.to_string(),
    }
}

fn text_of(said: &Said) -> String {
    match said {
        Said::System { text } | Said::User { text } => text.to_string(),
        Said::Results { results } => results.iter().map(|result| result.text.as_str()).collect::<Vec<_>>().join("\n"),
    }
}

fn of_text(part: Part, then: &str, now: &str) -> Option<Unlike> {
    let Difference { line, first, second } = difference::of(then.lines(), now.lines())?;
    Some(Unlike { part, line: Some(line), then: first, now: second })
}

/// The digest of a conversation: equal if [`of`] finds no difference.
pub fn digest(rounds: &[Round]) -> [u8; 32] {
    rounds.iter().fold([0; 32], |before, round| after(before, &round.request, round.reply.as_deref()))
}

/// The digest of a conversation extended by a request and, if there is one, its answer.
pub fn after(before: [u8; 32], request: &ModelRequest, reply: Option<&Reply>) -> [u8; 32] {
    let ModelRequest { model, afresh: _, said: _, offers, form, max_tokens: _, thinking } = request;
    let mut hash = Sha256::new();
    hash.update(before);
    // Plain data: serialising it as JSON cannot fail.
    hash.update(serde_json::to_vec(&(model, request.told(), offers, form, thinking)).unwrap_or_default());
    if let Some(reply) = reply {
        hash.update(serde_json::to_vec(&reply.raw).unwrap_or_default());
    }
    hash.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Form;
    use std::sync::Arc;

    fn request(prompt: &str, payload: &str) -> ModelRequest {
        ModelRequest {
            model: "a/b".parse().unwrap(),
            afresh: true,
            said: vec![Said::System { text: prompt.into() }, Said::User { text: payload.into() }],
            offers: vec![].into(),
            form: Form::Free,
            max_tokens: 9,
            thinking: Default::default(),
        }
    }

    fn asked(request: ModelRequest) -> Vec<Round> {
        vec![Round { request: Arc::new(request), reply: None }]
    }

    #[test]
    fn where_two_requests_part_is_shown_with_the_part_that_differs() {
        let then = asked(request("Write.\nBe short.", "a question"));
        for (now, says) in [
            (
                request("Write.\nBe long.", "a question"),
                "the prompt: in line 2 it said “Be short.”, and this one says “Be long.”",
            ),
            (
                request("Write.\nBe short.", "another question"),
                "the payload: in line 1 it said “a question”, and this one says “another question”",
            ),
            (
                ModelRequest { model: "a/c".parse().unwrap(), ..request("Write.\nBe short.", "a question") },
                "the model: it was a/b, and now is a/c",
            ),
        ] {
            let now = asked(now);
            assert_eq!(of(&then, &now).unwrap().to_string(), says);
            assert_ne!(digest(&then), digest(&now), "{says}");
        }
    }

    #[test]
    fn how_long_an_answer_may_be_makes_no_other_request_of_it() {
        let then = asked(request("Write.", "?"));
        let now = asked(ModelRequest { max_tokens: 10, ..request("Write.", "?") });
        assert_eq!((of(&then, &now), digest(&then)), (None, digest(&now)));
    }
}
