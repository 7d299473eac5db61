//! Builds the body of a Responses request. Equal conversations give equal bytes, so that the provider's prompt cache finds
//! their common prefix.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::OUTPUT;
use crate::conversation::{Conversation, Message, instructions, object, result_text};
use crate::prefix::Prefix;
use crate::profile::{Forces, Quirks, Structured, named};
use crate::{reader, schema};
use run::model::{Arguments, Content, Form, ModelRequest, Offer, Reply, ToolAnswer};
use run::transcript::Round;

/// The body; None for a conversation without a request.
pub(crate) fn body(rounds: &[Round], quirks: &Quirks) -> Option<Value> {
    let conversation = Conversation::of(rounds, |_| quirks.structured == Structured::JsonSchema)?;
    let request = conversation.request;
    let mut input = Vec::new();
    for message in &conversation.messages {
        match message {
            Message::Asker { results, texts } => asker(results, texts, &mut input),
            Message::Model { reply, own } => answer(reply, *own, &mut input),
        }
    }
    let mut body = object([
        ("model", request.model.model.as_str().into()),
        ("input", input.into()),
        ("max_output_tokens", request.max_tokens.max(1).into()),
        ("store", false.into()),
        ("stream", true.into()),
        ("prompt_cache_key", cache_key(rounds)?.into()),
    ]);
    if !named(&quirks.unreasoning, &request.model.model) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if let Some(effort) = request.thinking.effort {
        body["reasoning"] = json!({"effort": effort});
    }
    if !conversation.system.is_empty() {
        body["instructions"] = conversation.system.join("\n\n").into();
    }
    if let Some(tools) = tools(request, quirks) {
        body["tools"] = tools;
        match (&request.form, quirks.forces_now(rounds)) {
            (_, Forces::No) | (Form::Free, _) => {}
            // The final answer is to be JSON: no more tool calls.
            (Form::Json { .. }, _) => body["tool_choice"] = "none".into(),
            (Form::Tool { name }, Forces::Named) => body["tool_choice"] = json!({"type": "function", "name": &**name}),
            (Form::Tool { .. }, Forces::Required) => body["tool_choice"] = "required".into(),
        }
    }
    if let Some(format) = format(request, quirks) {
        body["text"] = json!({"format": format});
    }
    Some(body)
}

/// The part of the request that siblings share: model, schema, tools, instructions.
pub(crate) fn prefix(rounds: &[Round], quirks: &Quirks) -> Option<Prefix> {
    let request = &*rounds.last()?.request;
    let parts = [format(request, quirks), tools(request, quirks)];
    let parts = parts.map(|part| part.map(|part| part.to_string()).unwrap_or_default());
    let system = instructions(rounds).join("\n\n");
    let parts = [&*request.model.model].into_iter().chain(parts.iter().map(String::as_str)).chain([&*system]);
    Some(Prefix::of(parts))
}

/// The key by which the provider sends requests to the same cache: the same in every turn, and for siblings.
fn cache_key(rounds: &[Round]) -> Option<String> {
    let request = &*rounds.last()?.request;
    let system = instructions(rounds).join("\n\n");
    let names = request.offers.iter().map(|offer| &*offer.name);
    let prefix = Prefix::of([&*request.model.model, &*system].into_iter().chain(names));
    Some(format!("masthead-{}", prefix.short()))
}

fn tools(request: &ModelRequest, quirks: &Quirks) -> Option<Value> {
    if request.offers.is_empty() {
        return None;
    }
    Some(request.offers.iter().map(|offer| tool(offer, quirks)).collect())
}

/// Tools are strict here unless the contrary is said.
fn tool(offer: &Offer, quirks: &Quirks) -> Value {
    let strict = quirks.strict_tools && schema::is_strict(&offer.schema);
    object([
        ("type", "function".into()),
        ("name", offer.name.as_str().into()),
        ("description", offer.description.as_str().into()),
        ("parameters", shaped(&offer.schema, strict)),
        ("strict", strict.into()),
    ])
}

fn format(request: &ModelRequest, quirks: &Quirks) -> Option<Value> {
    let Form::Json { name, schema } = &request.form else { return None };
    match quirks.structured {
        Structured::JsonSchema => {
            let strict = schema::is_strict(schema);
            let (name, schema) = (schema::name(name), shaped(schema, strict));
            Some(json!({"type": "json_schema", "name": name, "schema": schema, "strict": strict}))
        }
        Structured::JsonObject => Some(json!({"type": "json_object"})),
        Structured::No | Structured::OutputConfig => None,
    }
}

fn shaped(schema: &Value, strict: bool) -> Value {
    if strict { schema::closed(schema) } else { schema.clone() }
}

fn asker(results: &[Cow<'_, ToolAnswer>], texts: &[Cow<'_, str>], input: &mut Vec<Value>) {
    for result in results {
        let output = result_text(result);
        input.push(object([
            ("type", "function_call_output".into()),
            ("call_id", result.call.as_str().into()),
            ("output", output.into()),
        ]));
    }
    if !texts.is_empty() {
        let texts: Vec<Value> = texts.iter().map(|text| json!({"type": "input_text", "text": text})).collect();
        input.push(json!({"type": "message", "role": "user", "content": texts}));
    }
}

/// An answer of this model goes back item by item as it came, reasoning included; one of another model in words and calls.
fn answer(reply: &Reply, own: bool, input: &mut Vec<Value>) {
    if let Some(items) = reply.raw.value().get(OUTPUT).and_then(Value::as_array).filter(|_| own) {
        // Reasoning without its encrypted content is known only if it was stored, which it is not. The text after it is refused
        // without it, unless the provider no longer knows it by its id.
        let is_whole = items.iter().all(|item| !is_reasoning(item) || item["encrypted_content"].is_string());
        let kept = items.iter().filter(|item| is_whole || !is_reasoning(item));
        input.extend(kept.map(|item| sendable(item, is_whole)));
        return;
    }
    for content in &reply.content {
        match content {
            Content::Text { text } if !text.trim().is_empty() => {
                input.push(json!({"type": "message", "role": "assistant", "content": &**text}));
            }
            Content::Call { id, name, arguments } => {
                let arguments = reader::sendable(arguments).to_string();
                input.push(json!({"type": "function_call", "call_id": &**id, "name": &**name, "arguments": arguments}));
            }
            _ => {}
        }
    }
}

fn is_reasoning(item: &Value) -> bool {
    item["type"] == "reasoning"
}

/// An item that the API accepts: malformed arguments are replaced.
fn sendable(item: &Value, with_id: bool) -> Value {
    let mut item = item.clone();
    if item["type"] == "function_call" {
        let text = item["arguments"].as_str().unwrap_or_default();
        if !matches!(reader::whole_arguments(text), Arguments::Whole(_)) {
            let arguments = if text.trim().is_empty() { json!({}) } else { reader::unreadable(text) };
            item["arguments"] = arguments.to_string().into();
        }
    }
    if !with_id && let Some(fields) = item.as_object_mut() {
        fields.remove("id");
    }
    item
}
