//! A conversation as both formats tell it: messages of the one who asks and of the model in turn, every call answered.

use std::borrow::Cow;

use run::ModelRequest;
use run::model::{Content, Form, Reply, Said, ToolAnswer};
use run::transcript::Round;

/// What a tool call is answered that nobody performed: providers refuse a call that has no answer.
const NOT_PERFORMED: &str = "This call was not performed.";

/// A conversation.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    /// Standing instructions.
    pub system: Vec<&'a str>,
    /// What was said in turn.
    pub messages: Vec<Message<'a>>,
    /// The request that is to be answered.
    pub request: &'a ModelRequest,
}

/// One message.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// Of the one who asks: results of tools first, then words.
    Asker {
        /// Results, one for each call of the answer before.
        results: Vec<Cow<'a, ToolAnswer>>,
        /// Words; none of them is empty.
        texts: Vec<Cow<'a, str>>,
    },
    /// Of a model.
    Model {
        /// The answer.
        reply: &'a Reply,
        /// Whether the model that is asked now gave it: only then is it sent back as it came.
        own: bool,
    },
}

impl<'a> Conversation<'a> {
    /// The conversation that these rounds are. `in_words` says in words what form an answer has to have, where the
    /// provider has no other means.
    pub fn of(rounds: &'a [Round], in_words: impl Fn(&'a Form) -> Option<String>) -> Option<Conversation<'a>> {
        let request = &*rounds.last()?.request;
        let mut conversation = Conversation { system: Vec::new(), messages: Vec::new(), request };
        let mut unanswered: Option<&Reply> = None;
        for round in rounds {
            let mut results: Vec<Cow<ToolAnswer>> = Vec::new();
            let mut texts: Vec<Cow<str>> = Vec::new();
            for said in &round.request.said {
                match said {
                    Said::System { text } => conversation.system.push(text),
                    Said::User { text } => texts.push(Cow::Borrowed(text)),
                    Said::Results { results: brought } => results.extend(brought.iter().map(Cow::Borrowed)),
                }
            }
            texts.extend(in_words(&round.request.form).map(Cow::Owned));
            texts.retain(|text| !text.trim().is_empty());
            let results = unanswered.take().map(|reply| every_call_answered(reply, results)).unwrap_or_default();
            conversation.asks(results, texts);
            let Some(reply) = round.reply.as_deref().filter(|reply| says_something(reply)) else { continue };
            let own = round.request.model == request.model;
            conversation.messages.push(Message::Model { reply, own });
            unanswered = Some(reply);
        }
        Some(conversation)
    }

    /// Words that follow words are one message: formats want the two to take turns.
    fn asks(&mut self, results: Vec<Cow<'a, ToolAnswer>>, texts: Vec<Cow<'a, str>>) {
        match self.messages.last_mut() {
            _ if results.is_empty() && texts.is_empty() => {}
            Some(Message::Asker { texts: before, .. }) if results.is_empty() => before.extend(texts),
            _ => self.messages.push(Message::Asker { results, texts }),
        }
    }
}

/// The standing instructions of a conversation.
pub(super) fn instructions(rounds: &[Round]) -> Vec<&str> {
    let said = rounds.iter().flat_map(|round| &round.request.said);
    said.filter_map(|said| if let Said::System { text } = said { Some(&**text) } else { None }).collect()
}

/// The results in the order of the calls, one for each call and none beside.
fn every_call_answered<'a>(reply: &Reply, results: Vec<Cow<'a, ToolAnswer>>) -> Vec<Cow<'a, ToolAnswer>> {
    let answer = |(id, name): (&text::Clean, &text::Clean)| {
        let brought = results.iter().find(|result| result.call == *id).cloned();
        brought.unwrap_or_else(|| {
            let text = NOT_PERFORMED.into();
            Cow::Owned(ToolAnswer { call: id.clone(), name: name.clone(), text, failed: true })
        })
    };
    reply.calls().map(|(id, name, _)| answer((id, name))).collect()
}

/// Whether there is anything to send back: providers refuse an empty message.
fn says_something(reply: &Reply) -> bool {
    reply.content.iter().any(|content| match content {
        Content::Text { text } => !text.trim().is_empty(),
        Content::Call { .. } | Content::Other { .. } => true,
        Content::Thinking { .. } => false,
    })
}

/// A form in words.
pub(super) fn json_in_words(schema: &serde_json::Value) -> String {
    format!("Answer with JSON alone, no words and no code fence around it. It has to fit this JSON Schema:\n{schema}")
}
