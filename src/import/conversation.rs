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
                Some(Said::Results { results: vec![ToolAnswer { call, name, text, failed: false, not_made: false }] })
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

/// The text of these parts.
pub(crate) fn text_of(value: &Value) -> Clean {
    let parts = messages_parts(value);
    Message { role: String::new(), parts }.text().unwrap_or_default()
}

fn message_part(part: &Value) -> Option<MessagePart> {
    // Bedrock and Gemini name the kind of a part by the field that it stands in.
    if let Some(call) = field(part, &["toolUse", "function_call", "functionCall"]) {
        return Some(tool_call(call));
    }
    if let Some(answer) = field(part, &["toolResult", "function_response", "functionResponse"]) {
        return Some(tool_answer(answer));
    }
    let words = || field(part, &["content", "text"]).map(|words| kept(&shown(words)));
    match told::text(part, "type").unwrap_or("text") {
        "tool_call" | "tool_use" | "tool-call" => Some(tool_call(part)),
        "tool_call_response" | "tool_result" | "tool-result" => Some(tool_answer(part)),
        "reasoning" | "thinking" => words().map(MessagePart::Thinking),
        _ => words().map(MessagePart::Text),
    }
}

/// The value of the first of these fields that a part has.
fn field<'a>(part: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| part.get(*name)).filter(|value| !value.is_null())
}

fn named_by(part: &Value, names: &[&str]) -> Clean {
    field(part, names).and_then(Value::as_str).map(Clean::line).unwrap_or_default()
}

const IDS: [&str; 3] = ["id", "toolUseId", "toolCallId"];
const TOOLS: [&str; 2] = ["name", "toolName"];

/// A call of a tool, in whichever form.
pub(crate) fn tool_call(part: &Value) -> MessagePart {
    let arguments = field(part, &["arguments", "input", "args"]).map(as_json).unwrap_or_default();
    MessagePart::Call { id: named_by(part, &IDS), name: named_by(part, &TOOLS), arguments: arguments.get().clone() }
}

/// The answer of a tool, in whichever form.
fn tool_answer(part: &Value) -> MessagePart {
    let text = match field(part, &["response", "result", "output", "content"]) {
        Some(Value::Array(parts)) if parts.iter().all(|part| part.get("text").is_some()) => {
            text_of(&Value::Array(parts.clone()))
        }
        other => kept(&other.map(shown).unwrap_or_default()),
    };
    MessagePart::Answer { id: named_by(part, &IDS), name: named_by(part, &TOOLS), text }
}
