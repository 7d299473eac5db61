//! Builds the body of an Anthropic request. Equal conversations give equal bytes, so that the provider's prompt cache
//! finds their common prefix.

use serde_json::{Value, json};

use crate::conversation::{Conversation, Message, instructions, object};
use crate::prefix::Prefix;
use crate::profile::{EffortAs, Forces, LimitAs, Quirks, Structured};
use crate::{reader, schema};
use run::model::{Content, Form, ModelRequest, Offer, Reply, ToolAnswer};
use run::transcript::Round;
use text::Clean;

/// The body; None for a conversation without a request.
pub(crate) fn body(rounds: &[Round], quirks: &Quirks) -> Option<Value> {
    let request = &*rounds.last()?.request;
    let holds_to = |schema: &Value| holds_to(schema, quirks, request);
    let conversation = Conversation::of(rounds, holds_to)?;
    let mut messages: Vec<Value> = conversation.messages.iter().map(message).collect();
    let mut system = system(&conversation.system);
    let mut tools = tools(rounds, quirks);
    if quirks.marks_cache {
        // Siblings share tools and instructions, and each turn of a loop begins with the turn before. A cache mark
        // is found at most twenty blocks later: hence the last two messages.
        system.last_mut().or(tools.last_mut()).into_iter().for_each(mark);
        let asked = messages.iter_mut().rev().filter(|message| message["role"] == "user").take(2);
        asked.filter_map(|message| message["content"].as_array_mut()?.last_mut()).for_each(mark);
    }
    let thinking = thinking(request, quirks);
    let mut body = object([
        ("model", request.model.model.as_str().into()),
        ("max_tokens", request.max_tokens.max(1).into()),
        ("messages", messages.into()),
        ("stream", true.into()),
    ]);
    if !system.is_empty() {
        body["system"] = system.into();
    }
    if !tools.is_empty() {
        let on_offer = !request.offers.is_empty();
        body["tools"] = tools.into();
        // A model that is asked to think takes no forced tool.
        let forces = if thinking.is_some() { Forces::No } else { quirks.forces_now(rounds) };
        body["tool_choice"] = match (&request.form, forces) {
            // The final answer is to be JSON: no more tool calls.
            (Form::Json { .. }, _) => json!({"type": "none"}),
            _ if !on_offer => json!({"type": "none"}),
            (Form::Tool { name }, Forces::Named) => json!({"type": "tool", "name": &**name}),
            (Form::Tool { .. }, Forces::Required) => json!({"type": "any"}),
            _ => json!({"type": "auto"}),
        };
    }
    if let Form::Json { schema, .. } = &request.form
        && holds_to(schema)
    {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema::closed(schema)}});
    }
    if let Some(thinking) = thinking {
        body["thinking"] = thinking;
    }
    if let Some(effort) = request.thinking.effort.filter(|_| quirks.effort == EffortAs::OutputConfig) {
        body["output_config"]["effort"] = effort.name().into();
    }
    Some(body)
}

/// The least limit of thinking that the API takes.
const LEAST_BUDGET: u32 = 1_024;

/// The request for the model's thinking: newer models take an effort and find the length themselves, older ones a limit.
fn thinking(request: &ModelRequest, quirks: &Quirks) -> Option<Value> {
    let takes_effort = !quirks.efforts(&request.model.model, false).is_empty();
    match (request.thinking.effort, request.thinking.limit) {
        (Some(_), _) if quirks.effort == EffortAs::OutputConfig => Some(json!({"type": "adaptive"})),
        (None, Some(limit)) if quirks.thinking_limit == LimitAs::Budget && !takes_effort => {
            Some(json!({"type": "enabled", "budget_tokens": limit.max(LEAST_BUDGET)}))
        }
        _ => None,
    }
}

/// The part of the request that siblings share, in the provider's cache order: model, tools, instructions, then the
/// schema, which goes before them.
pub(crate) fn prefix(rounds: &[Round], quirks: &Quirks) -> Option<Prefix> {
    let request = &*rounds.last()?.request;
    let form = match &request.form {
        Form::Json { schema, .. } if holds_to(schema, quirks, request) => schema.to_string(),
        _ => String::new(),
    };
    let (tools, system) =
        (Value::from(tools(rounds, quirks)).to_string(), Value::from(system(&instructions(rounds))).to_string());
    Some(Prefix::of([&*request.model.model, &form, &tools, &system]))
}

/// Whether the provider enforces this schema.
fn holds_to(schema: &Value, quirks: &Quirks, request: &ModelRequest) -> bool {
    let knows_it = quirks.structured == Structured::OutputConfig && quirks.is_strict(&request.model.model);
    knows_it && schema::is_strict(schema)
}

fn system(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
}

/// The tool definitions. Earlier calls in the conversation need theirs too, even if the tool is no longer offered.
fn tools(rounds: &[Round], quirks: &Quirks) -> Vec<Value> {
    let Some(model) = rounds.last().map(|round| &round.request.model.model) else { return Vec::new() };
    let strict = quirks.strict_tools && quirks.is_strict(model);
    let offers = rounds.iter().rev().map(|round| &round.request.offers).find(|offers| !offers.is_empty());
    offers.iter().flat_map(|offers| offers.iter()).map(|offer| tool(offer, strict)).collect()
}

fn mark(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

fn tool(offer: &Offer, strict: bool) -> Value {
    let mut tool = json!({"name": &*offer.name, "description": &*offer.description});
    if strict && schema::is_strict(&offer.schema) {
        tool["strict"] = true.into();
        tool["input_schema"] = schema::closed(&offer.schema);
    } else {
        tool["input_schema"] = (*offer.schema).clone();
    }
    tool
}

fn message(message: &Message<'_>) -> Value {
    match message {
        Message::Model { reply, own } => {
            object([("role", "assistant".into()), ("content", answer(reply, *own).into())])
        }
        Message::Asker { results, texts } => {
            let result = |result: &ToolAnswer| {
                let mut block = json!({"type": "tool_result", "tool_use_id": call_id(&result.call)});
                if !result.text.trim().is_empty() {
                    block["content"] = result.text.as_str().into();
                }
                if result.failed {
                    block["is_error"] = true.into();
                }
                block
            };
            let results = results.iter().map(|brought| result(brought));
            let texts = texts.iter().map(|text| json!({"type": "text", "text": text}));
            object([("role", "user".into()), ("content", results.chain(texts).collect())])
        }
    }
}

/// An answer of this model is sent back as it came; one of another model without its thinking.
fn answer(reply: &Reply, own: bool) -> Vec<Value> {
    if own && let Value::Array(blocks) = reply.raw.value() {
        return blocks.iter().filter(|block| !is_empty_text(block)).map(sendable).collect();
    }
    let blocks = reply.content.iter().filter_map(|content| match content {
        Content::Text { text } if !text.trim().is_empty() => Some(json!({"type": "text", "text": &**text})),
        Content::Call { id, name, arguments } => {
            let input = reader::sendable(arguments);
            Some(json!({"type": "tool_use", "id": call_id(id), "name": &**name, "input": input}))
        }
        _ => None,
    });
    blocks.collect()
}

/// A call id with only the characters this API takes: letters, digits, `_` and `-`.
fn call_id(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

fn is_empty_text(block: &Value) -> bool {
    block["type"] == "text" && block["text"].as_str().is_some_and(|text| text.trim().is_empty())
}

/// A block that the API accepts: malformed arguments, which were kept as text, are replaced by an object.
fn sendable(block: &Value) -> Value {
    let mut block = block.clone();
    if block["type"] == "tool_use" {
        block["id"] = call_id(&Clean::line(block["id"].as_str().unwrap_or_default())).into();
        if let Some(text) = block["input"].as_str() {
            block["input"] = reader::unreadable(text);
        }
    }
    block
}
