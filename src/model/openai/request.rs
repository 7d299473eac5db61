//! Builds the body of a chat completions request. Equal conversations give equal bytes, so that the provider's prompt cache
//! finds their common prefix.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};
use text::sha256::Sha256;

use crate::conversation::{Conversation, Message, instructions, object, result_text};
use crate::prefix::Prefix;
use crate::profile::{EffortAs, Forces, LimitAs, Quirks, Structured, named};
use crate::{reader, schema};
use run::model::{Arguments, Form, ModelRequest, Offer, Reply, ToolAnswer};
use run::thinking::Effort;
use run::transcript::Round;
use text::Clean;

/// The body of a request. Its tools are written from the offers themselves: a copy of their schemas takes as long as all the
/// rest.
#[derive(Serialize)]
pub(crate) struct Body<'a> {
    #[serde(flatten)]
    fields: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Tool<'a>>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    function: Function<'a>,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct Function<'a> {
    description: &'a str,
    name: &'a str,
    parameters: Cow<'a, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// The body; None for a conversation without a request.
pub(crate) fn body<'a>(rounds: &'a [Round], quirks: &Quirks) -> Option<Body<'a>> {
    let conversation = Conversation::of(rounds, |_| quirks.structured == Structured::JsonSchema)?;
    let request = conversation.request;
    let mut messages = Vec::new();
    messages.extend(system(&conversation.system));
    for message in &conversation.messages {
        match message {
            Message::Asker { results, texts } => asker(results, texts, quirks, &mut messages),
            Message::Model { reply, own } => messages.push(answer(reply, *own, quirks)),
        }
    }
    let named_model = request.model.model.as_str().into();
    let mut body = object([("model", named_model), ("messages", messages.into()), ("stream", true.into())]);
    let model = &request.model.model;
    let completion = quirks.max_completion_tokens || named(&quirks.completion_token_models, model);
    let limit = if completion { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = request.max_tokens.max(1).into();
    if quirks.tells_progress {
        body["return_progress"] = true.into();
    }
    if !quirks.no_stream_options {
        body["stream_options"] = json!({"include_usage": true});
    }
    let tools = tools(request, quirks);
    if tools.is_some() {
        if named(&quirks.tools_without_effort, model) {
            body["reasoning_effort"] = "none".into();
        }
        if quirks.parallel_tool_calls {
            body["parallel_tool_calls"] = true.into();
        }
        match (&request.form, quirks.forces_now(rounds)) {
            (_, Forces::No) | (Form::Free, _) => {}
            // The final answer is to be JSON: no more tool calls.
            (Form::Json { .. }, _) => body["tool_choice"] = "none".into(),
            (Form::Tool { name }, Forces::Named) => {
                body["tool_choice"] = json!({"type": "function", "function": {"name": &**name}});
            }
            (Form::Tool { .. }, Forces::Required) => body["tool_choice"] = "required".into(),
        }
    }
    if let Some(format) = response_format(request, quirks) {
        body["response_format"] = format;
    }
    thinks(request, quirks, &mut body);
    Some(Body { fields: body, tools })
}

/// Says how hard and how long to think, in the provider's own way.
fn thinks(request: &ModelRequest, quirks: &Quirks, body: &mut Value) {
    let limit = request.thinking.limit;
    match (request.thinking.effort, quirks.effort) {
        (None, _) | (_, EffortAs::No | EffortAs::OutputConfig) => {}
        (Some(effort), EffortAs::ReasoningEffort) => body["reasoning_effort"] = effort.name().into(),
        (Some(effort), EffortAs::Reasoning) => body["reasoning"] = json!({"effort": effort}),
        (Some(Effort::None), EffortAs::ThinkingSwitch) => body["thinking"] = json!({"type": "disabled"}),
        (Some(effort), EffortAs::ThinkingSwitch) => body["reasoning_effort"] = effort.name().into(),
        (Some(Effort::None), EffortAs::Template) => body["chat_template_kwargs"] = json!({"enable_thinking": false}),
        (Some(effort), EffortAs::Template) => body["chat_template_kwargs"] = json!({"reasoning_effort": effort}),
    }
    match (limit, quirks.thinking_limit) {
        (None, _) | (_, LimitAs::No | LimitAs::Budget) => {}
        (Some(limit), LimitAs::Reasoning) if request.thinking.effort.is_none() => {
            body["reasoning"] = json!({"max_tokens": limit});
        }
        (_, LimitAs::Reasoning) => {}
        (Some(limit), LimitAs::ThinkingTokenBudget) => body["thinking_token_budget"] = limit.into(),
    }
}

/// The part of the request that siblings share, in the provider's cache order: model, schema, tools, instructions.
pub(crate) fn prefix(rounds: &[Round], quirks: &Quirks) -> Option<Prefix> {
    let request = &*rounds.last()?.request;
    let tools = tools(request, quirks).and_then(|tools| serde_json::to_string(&tools).ok());
    let value = |part: Option<Value>| part.map(|part| part.to_string());
    let parts = [value(response_format(request, quirks)), tools, value(system(&instructions(rounds)))];
    let parts = parts.map(Option::unwrap_or_default);
    Some(Prefix::of([&*request.model.model].into_iter().chain(parts.iter().map(String::as_str))))
}

/// OpenAI's own name for it, `developer`, is known to few servers, and OpenAI takes this one too.
fn system(texts: &[&str]) -> Option<Value> {
    (!texts.is_empty()).then(|| object([("role", "system".into()), ("content", texts.join("\n\n").into())]))
}

fn tools<'a>(request: &'a ModelRequest, quirks: &Quirks) -> Option<Vec<Tool<'a>>> {
    let wants_json = matches!(request.form, Form::Json { .. }) && quirks.structured != Structured::No;
    if request.offers.is_empty() || quirks.no_tools_with_schema && wants_json {
        return None;
    }
    Some(request.offers.iter().map(|offer| tool(offer, quirks)).collect())
}

fn response_format(request: &ModelRequest, quirks: &Quirks) -> Option<Value> {
    let Form::Json { name, schema } = &request.form else { return None };
    match quirks.structured {
        Structured::JsonSchema => {
            let strict = schema::is_strict(schema);
            let (name, schema) = (schema::name(name), shaped(schema, strict, quirks));
            let json_schema = json!({"name": name, "schema": schema, "strict": strict});
            Some(json!({"type": "json_schema", "json_schema": json_schema}))
        }
        Structured::JsonObject => Some(json!({"type": "json_object"})),
        Structured::No | Structured::OutputConfig => None,
    }
}

fn shaped<'a>(schema: &'a Value, strict: bool, quirks: &Quirks) -> Cow<'a, Value> {
    match (quirks.open_schemas, strict) {
        (true, _) => Cow::Owned(schema::open(schema)),
        (false, true) => Cow::Owned(schema::closed(schema)),
        (false, false) => Cow::Borrowed(schema),
    }
}

fn tool<'a>(offer: &'a Offer, quirks: &Quirks) -> Tool<'a> {
    let strict = quirks.strict_tools && schema::is_strict(&offer.schema);
    let function = Function {
        description: offer.description.as_str(),
        name: offer.name.as_str(),
        parameters: shaped(&offer.schema, strict, quirks),
        strict: strict.then_some(true),
    };
    Tool { function, kind: "function" }
}

/// Each result is a message of its own with one string: some servers lose the id of the call otherwise.
fn asker(results: &[Cow<'_, ToolAnswer>], texts: &[Cow<'_, str>], quirks: &Quirks, messages: &mut Vec<Value>) {
    let mut texts = texts.join("\n\n");
    for (n, result) in results.iter().enumerate() {
        let mut content = result_text(result);
        if quirks.no_user_after_tool && n + 1 == results.len() && !texts.is_empty() {
            content = format!("{content}\n\n{}", std::mem::take(&mut texts));
        }
        let call = call_id(&result.call, quirks);
        messages.push(object([("role", "tool".into()), ("tool_call_id", call.into()), ("content", content.into())]));
    }
    if !texts.is_empty() {
        messages.push(object([("role", "user".into()), ("content", texts.into())]));
    }
}

/// An answer of this model is sent back as it came, as far as the provider accepts it; one of another model without its
/// thinking. Content is never null: one provider rejects null, another rejects a missing field.
fn answer(reply: &Reply, own: bool, quirks: &Quirks) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    let raw = reply.raw.value().as_object().filter(|raw| own && raw.contains_key("role"));
    let (content, calls): (Value, Vec<Value>) = match raw {
        Some(raw) => {
            let content = raw.get("content").filter(|content| !content.is_null()).cloned();
            let calls = raw.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
            (content.unwrap_or_else(|| "".into()), calls.map(|call| own_call(call, quirks)).collect())
        }
        None => {
            let calls = reply.calls().map(|(id, name, arguments)| told_call(id, name, arguments, quirks));
            (reply.text().into(), calls.collect())
        }
    };
    message.insert("content".to_owned(), content);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    for field in &quirks.echoes {
        if let Some(value) = raw.and_then(|raw| raw.get(field)).filter(|value| !value.is_null()) {
            message.insert(field.clone(), value.clone());
        }
    }
    if let Some(field) = &quirks.echo_required
        && !message.contains_key(field)
    {
        message.insert(field.clone(), " ".into());
    }
    message.into()
}

/// A call as it came, unknown fields included; only malformed arguments are replaced.
fn own_call(call: &Value, quirks: &Quirks) -> Value {
    let mut call = call.clone();
    call["id"] = call_id(&Clean::line(call["id"].as_str().unwrap_or_default()), quirks).into();
    let text = call["function"]["arguments"].as_str().unwrap_or_default();
    let arguments = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => text.to_owned(),
        _ if text.trim().is_empty() => "{}".to_owned(),
        _ => reader::unreadable(text).to_string(),
    };
    call["function"]["arguments"] = arguments.into();
    call
}

fn told_call(id: &str, name: &str, arguments: &Arguments, quirks: &Quirks) -> Value {
    let function = json!({"name": name, "arguments": reader::sendable(arguments).to_string()});
    json!({"id": call_id(id, quirks), "type": "function", "function": function})
}

/// A call id in the form the provider accepts: another one is mapped, always to the same id.
fn call_id(id: &str, quirks: &Quirks) -> String {
    let fits = id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric());
    if !quirks.nine_character_ids || fits {
        return id.to_owned();
    }
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    Sha256::digest(id.as_bytes()).iter().take(9).map(|b| char::from(DIGITS[usize::from(b % 62)])).collect()
}
