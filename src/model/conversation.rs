//! A conversation in the shape that all formats need: user and model messages in turn, with a result for every tool
//! call.

use std::borrow::Cow;

use run::ModelRequest;
use run::model::{Content, Form, Reply, Said, ToolAnswer};
use run::transcript::Round;
use serde_json::{Map, Value};

/// The result of a tool call that was not performed: providers reject calls without a result.
const NOT_PERFORMED: &str = "This call was not performed.";

/// The conversation up to a request, ready to be written in a provider's format.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    /// The parts of the system prompt, in order.
    pub system: Vec<&'a str>,
    /// The messages, in order; the request's own are the last.
    pub messages: Vec<Message<'a>>,
    /// The request to be answered.
    pub request: &'a ModelRequest,
}

#[derive(Debug)]
pub(super) enum Message<'a> {
    /// From the user's side: tool results first, then text.
    Asker {
        /// One result for each call of the answer before.
        results: Vec<Cow<'a, ToolAnswer>>,
        /// Texts; none is empty.
        texts: Vec<Cow<'a, str>>,
    },
    Model {
        reply: &'a Reply,
        /// Whether the model now asked wrote it: only then it is sent back as it came.
        own: bool,
    },
}

impl<'a> Conversation<'a> {
    /// The conversation of these rounds. A schema that the provider does not enforce is demanded in words.
    pub fn of(rounds: &'a [Round], enforces: impl Fn(&Value) -> bool) -> Option<Conversation<'a>> {
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
            if let Form::Json { schema, .. } = &round.request.form
                && !enforces(schema)
            {
                texts.push(Cow::Owned(json_in_words(schema)));
            }
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

    /// Appends the missing parts to the last user message, if there is one: all formats require that sides alternate.
    fn asks(&mut self, results: Vec<Cow<'a, ToolAnswer>>, texts: Vec<Cow<'a, str>>) {
        match self.messages.last_mut() {
            _ if results.is_empty() && texts.is_empty() => {}
            Some(Message::Asker { texts: before, .. }) if results.is_empty() => {
                texts.into_iter().for_each(|text| {
                    if !before.contains(&text) {
                        before.push(text)
                    }
                });
            }
            _ => self.messages.push(Message::Asker { results, texts }),
        }
    }
}

/// The system prompt of a conversation.
pub(super) fn instructions(rounds: &[Round]) -> Vec<&str> {
    let said = rounds.iter().flat_map(|round| &round.request.said);
    said.filter_map(|said| if let Said::System { text } = said { Some(&**text) } else { None }).collect()
}

/// The results in the order of the calls: exactly one for each.
fn every_call_answered<'a>(reply: &Reply, results: Vec<Cow<'a, ToolAnswer>>) -> Vec<Cow<'a, ToolAnswer>> {
    let answer = |(id, name): (&text::Clean, &text::Clean)| {
        let brought = results.iter().find(|result| result.call == *id).cloned();
        brought.unwrap_or_else(|| {
            let text = NOT_PERFORMED.into();
            Cow::Owned(ToolAnswer { call: id.clone(), name: name.clone(), text, failed: true, not_made: false })
        })
    };
    reply.calls().map(|(id, name, _)| answer((id, name))).collect()
}

/// Whether the message has content: providers reject an empty one.
fn says_something(reply: &Reply) -> bool {
    reply.content.iter().any(|content| match content {
        Content::Text { text } => !text.trim().is_empty(),
        Content::Call { .. } | Content::Other { .. } => true,
        Content::Thinking { .. } => false,
    })
}

/// An object of these fields. `json!` makes it of copies.
pub(super) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
}

/// The demand for JSON of this schema, in words.
fn json_in_words(schema: &Value) -> String {
    format!("Answer with JSON alone, no words and no code fence around it. It has to fit this JSON Schema:\n{schema}")
}

/// The text of a tool's result, for formats that have no field for a failed call.
pub(super) fn result_text(result: &ToolAnswer) -> String {
    match (result.failed, result.text.trim()) {
        (true, _) => format!("Error: {}", result.text),
        (false, "") => "(nothing)".to_owned(),
        (false, _) => result.text.to_string(),
    }
}
