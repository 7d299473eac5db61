//! OpenAI's Responses API: its questions as chat completions, which is how `answers.rs` reads them, and answers as its
//! streams.

use serde_json::{Value, json};

use super::stream::Answer;
use crate::server::Said;

/// The question of a request, as chat completions would put it.
pub(super) fn as_chat(body: &Value) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": body["instructions"] })];
    for item in body["input"].as_array().into_iter().flatten() {
        messages.extend(match item["type"].as_str().unwrap_or("message") {
            "message" => Some(json!({ "role": item["role"], "content": text(&item["content"]) })),
            "function_call" => {
                let function = json!({ "name": item["name"], "arguments": item["arguments"] });
                let call = json!({ "id": item["call_id"], "type": "function", "function": function });
                Some(json!({ "role": "assistant", "content": "", "tool_calls": [call] }))
            }
            "function_call_output" => {
                Some(json!({ "role": "tool", "tool_call_id": item["call_id"], "content": item["output"] }))
            }
            _ => None,
        });
    }
    let mut chat = json!({ "model": body["model"], "messages": messages, "max_tokens": body["max_output_tokens"] });
    if let Some(tools) = body["tools"].as_array() {
        let tool = |tool: &Value| json!({ "type": "function", "function": tool });
        chat["tools"] = tools.iter().map(tool).collect();
    }
    chat["tool_choice"] = body["tool_choice"].clone();
    chat["response_format"] = body["text"]["format"].clone();
    chat
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    }
}

/// An answer as a stream: a reasoning item first, as reasoning models do, then text or calls.
pub(super) fn said(answer: &Answer) -> Said {
    let mut events: Vec<Value> =
        vec![json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } })];
    let mut output: Vec<Value> = Vec::new();
    let reasoning = json!({ "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "c2VhbGVk" });
    item(&mut events, &mut output, reasoning, Vec::new());
    let pieces = answer.pieces();
    if !pieces.is_empty() {
        let part = json!({ "type": "output_text", "text": pieces.concat(), "annotations": [] });
        let message =
            json!({ "id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part] });
        let deltas = pieces.iter().map(|piece| json!({ "type": "response.output_text.delta", "delta": piece }));
        item(&mut events, &mut output, message, deltas.collect());
    }
    for (n, (name, arguments)) in answer.calls.iter().enumerate() {
        let arguments = arguments.to_string();
        let delta = json!({ "type": "response.function_call_arguments.delta", "delta": arguments });
        let call = json!({ "id": format!("fc_{n}"), "type": "function_call", "status": "completed",
            "call_id": format!("call-{n}"), "name": name, "arguments": arguments });
        item(&mut events, &mut output, call, vec![delta]);
    }
    let (kind, status, details) = match answer.declines {
        _ if answer.cut => ("response.incomplete", "incomplete", json!({ "reason": "max_output_tokens" })),
        true => ("response.incomplete", "incomplete", json!({ "reason": "content_filter" })),
        false => ("response.completed", "completed", Value::Null),
    };
    let usage = json!({ "input_tokens": answer.input, "input_tokens_details": { "cached_tokens": answer.cached }, "output_tokens": answer.output() });
    events.push(json!({ "type": kind, "response": { "id": "resp_1", "status": status, "incomplete_details": details,
        "output": output, "usage": usage } }));
    let stream: String = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect();
    Said::new(200, "text/event-stream", stream).with("x-request-id", "r1")
}

fn item(events: &mut Vec<Value>, output: &mut Vec<Value>, whole: Value, deltas: Vec<Value>) {
    let at = output.len();
    let begun = json!({ "id": whole["id"], "type": whole["type"], "name": whole["name"], "call_id": whole["call_id"] });
    events.push(json!({ "type": "response.output_item.added", "output_index": at, "item": begun }));
    events.extend(deltas.into_iter().map(|mut delta| {
        delta["output_index"] = at.into();
        delta
    }));
    events.push(json!({ "type": "response.output_item.done", "output_index": at, "item": whole }));
    output.push(whole);
}
