//! Messages between a program and a model, in the forms in which providers and SDKs write them.

use run::model::{Arguments, Content, Said, ToolAnswer};
use run::tool::CleanJson;
use serde_json::Value;
use text::Clean;

use super::story::kept;
use super::told::{self, as_json, shown};
use super::tree::Spoke;

/// A message of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) parts: Vec<MessagePart>,
}

#[derive(Clone, Debug)]
pub(crate) enum MessagePart {
    Text(Clean),
    Thinking(Clean),
    Call { id: Clean, name: Clean, arguments: Value },
    Answer { id: Clean, name: Clean, text: Clean },
}

impl Message {
    pub(crate) fn text(&self) -> Option<Clean> {
        let texts =
            self.parts.iter().filter_map(|part| if let MessagePart::Text(text) = part { Some(&**text) } else { None });
        let text = texts.collect::<Vec<_>>().join("\n");
        (!text.is_empty()).then(|| text.into())
    }

    /// Its parts as a model gets them.
    pub(crate) fn said(&self) -> Vec<Spoke> {
        if matches!(self.role.as_str(), "assistant" | "ai" | "model") {
            return vec![Spoke::Answer];
        }
        let system = matches!(self.role.as_str(), "system" | "developer");
        let said = self.parts.iter().filter_map(|part| match part {
            MessagePart::Text(text) if system => Some(Said::System { text: text.clone() }),
            MessagePart::Text(text) => Some(Said::User { text: text.clone() }),
            MessagePart::Answer { id, name, text } => {
                let (call, name, text) = (id.clone(), name.clone(), text.clone());
                Some(Said::Results { results: vec![ToolAnswer { call, name, text, failed: false }] })
            }
            _ => None,
        });
        said.map(Spoke::Said).collect()
    }

    /// Its parts as an answer.
    pub(crate) fn content(&self) -> Vec<Content> {
        let content = self.parts.iter().filter_map(|part| match part {
            MessagePart::Text(text) => Some(Content::Text { text: text.clone() }),
            MessagePart::Thinking(text) => Some(Content::Thinking { text: text.clone() }),
            MessagePart::Call { id, name, arguments } => {
                let arguments = Arguments::Whole(CleanJson::new(arguments.clone()).get().clone());
                Some(Content::Call { id: id.clone(), name: name.clone(), arguments })
            }
            MessagePart::Answer { .. } => None,
        });
        content.collect()
    }
}

/// Messages, as a list or as text that holds one.
pub(crate) fn messages_of(value: &Value) -> Vec<Message> {
    let parsed;
    let value = match value {
        Value::String(text) => {
            parsed = serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
            &parsed
        }
        other => other,
    };
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let message = |message: &Value| Message {
        role: told::text(message, "role").unwrap_or("user").to_lowercase(),
        parts: messages_parts(message.get("parts").or_else(|| message.get("content")).unwrap_or(message)),
    };
    list.iter().map(message).collect()
}

/// The parts of a message: text, one part, or a list of them.
pub(crate) fn messages_parts(value: &Value) -> Vec<MessagePart> {
    let parsed;
    let value = match value {
        Value::String(text) if text.trim_start().starts_with('[') => {
            parsed = serde_json::from_str::<Value>(text).unwrap_or_else(|_| value.clone());
            &parsed
        }
        other => other,
    };
    match value {
        Value::String(text) => vec![MessagePart::Text(kept(text))],
        Value::Array(parts) => parts.iter().filter_map(message_part).collect(),
        other => message_part(other).into_iter().collect(),
    }
}

fn message_part(part: &Value) -> Option<MessagePart> {
    let line = |field: &str| Clean::line(told::text(part, field).unwrap_or_default());
    let words = || part.get("content").or_else(|| part.get("text")).map(|words| kept(&shown(words)));
    match told::text(part, "type").unwrap_or("text") {
        "tool_call" | "tool_use" => {
            let arguments = part.get("arguments").or_else(|| part.get("input")).cloned().unwrap_or_default();
            let arguments = as_json(&arguments).get().clone();
            Some(MessagePart::Call { id: line("id"), name: line("name"), arguments })
        }
        "tool_call_response" | "tool_result" => {
            let text = part.get("response").or_else(|| part.get("result")).or_else(|| part.get("content"));
            Some(MessagePart::Answer {
                id: line("id"),
                name: line("name"),
                text: kept(&text.map(shown).unwrap_or_default()),
            })
        }
        "reasoning" | "thinking" => words().map(MessagePart::Thinking),
        _ => words().map(MessagePart::Text),
    }
}
