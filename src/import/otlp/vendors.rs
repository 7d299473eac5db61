//! Messages, answers and tools in the attributes of single SDKs: the AI SDK of Vercel, and the Agent Development Kit of Google.

use serde_json::Value;

use super::span::Attributes;
use crate::conversation::{Message, messages_of, messages_parts, tool_call};
use crate::told;

/// The spans of the AI SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AiSpan {
    /// A call of a model.
    Call,
    /// A call of a tool.
    Tool,
    /// The function of the SDK that was called, with all the calls that it made.
    Function,
}

impl AiSpan {
    /// The kind of a span, if it is one.
    pub(super) fn of(attributes: &Attributes) -> Option<AiSpan> {
        let operation = attributes.text(&["ai.operationId"])?;
        Some(match operation.as_str() {
            "ai.toolCall" => AiSpan::Tool,
            operation if operation.contains(".do") => AiSpan::Call,
            _ => AiSpan::Function,
        })
    }
}

/// All messages to a model, or the arguments of the AI SDK's function.
pub(super) fn said(attributes: &Attributes) -> Vec<Message> {
    let json = |name: &str| attributes.first(&[name]).map(parsed);
    if let Some(messages) = json("ai.prompt.messages") {
        return messages_of(&messages);
    }
    if let Some(prompt) = json("ai.prompt") {
        let system = prompt.get("system").map(|text| message("system", text));
        let asked = prompt.get("prompt").map(|text| message("user", text));
        let messages = prompt.get("messages").map(messages_of).unwrap_or_default();
        return system.into_iter().chain(asked).chain(messages).collect();
    }
    let Some(request) = json("gcp.vertex.agent.llm_request") else { return Vec::new() };
    let system = request.get("config").and_then(|config| config.get("system_instruction"));
    let system = system.filter(|text| !text.is_null()).map(|text| message("system", text));
    system.into_iter().chain(request.get("contents").map(messages_of).unwrap_or_default()).collect()
}

/// The answer of a model.
pub(super) fn answered(attributes: &Attributes) -> Vec<Message> {
    let mut parts = Vec::new();
    parts.extend(attributes.first(&["ai.response.text"]).map(messages_parts).unwrap_or_default());
    if let Some(calls) = attributes.first(&["ai.response.toolCalls"]).map(parsed) {
        parts.extend(calls.as_array().into_iter().flatten().map(tool_call));
    }
    if let Some(response) = attributes.first(&["gcp.vertex.agent.llm_response"]).map(parsed) {
        let content = response.get("content").and_then(|content| content.get("parts"));
        parts.extend(content.map(messages_parts).unwrap_or_default());
    }
    if parts.is_empty() { Vec::new() } else { vec![Message { role: "assistant".into(), parts }] }
}

fn message(role: &str, text: &Value) -> Message {
    Message { role: role.into(), parts: messages_parts(text) }
}

/// JSON that is written as text.
fn parsed(value: &Value) -> Value {
    told::as_json(value).get().clone()
}
