//! The questions to the simulated provider and its answers, in the formats of real ones: each question is put into the body that
//! would be sent, which has to keep the rules of its format, and each answer comes as a stream, torn into pieces by chance.

use std::sync::Arc;

use desk::Outgoing;
use model::profile::Format;
use model::{Endpoint, Profile, wire};
use run::Reply;
use run::model::{Arguments, Content, Usage};
use serde_json::{Value, json};

use crate::world::hash;

/// The format of a run.
fn profile(seed: u64) -> Arc<Profile> {
    let name = ["azure", "anthropic", "openai-compatible"][(seed % 3) as usize];
    Profile::named(name).expect("it is built in")
}

/// The answer after it has gone over the wire.
pub fn spoken(seed: u64, outgoing: &Outgoing, reply: &Reply) -> Reply {
    let profile = profile(seed);
    let endpoint = Endpoint::at(&profile, Some("http://127.0.0.1:1"), None).expect("it is an address");
    let body = wire::body(&profile, &outgoing.rounds).expect("there is a request");
    let body = serde_json::from_slice(&body).expect("it is JSON");
    let stream = match profile.format {
        Format::Responses => {
            keeps_the_rules_of_responses(seed, &body);
            responses(outgoing, reply)
        }
        Format::Anthropic => {
            keeps_the_rules_of_messages(seed, &body);
            messages(reply)
        }
        Format::OpenAi => {
            keeps_the_rules_of_chat(seed, &body);
            chat(reply)
        }
    };
    let mut pieces: Vec<&[u8]> = Vec::new();
    let (mut rest, mut n) = (stream.as_bytes(), 0);
    while !rest.is_empty() {
        n += 1;
        let length = 1 + hash(seed, &format!("{} {n}", outgoing.call)) as usize % 900;
        let (piece, behind) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    let read = wire::answer(&endpoint, &outgoing.rounds, pieces);
    let read = read.unwrap_or_else(|fault| panic!("seed {seed}: {}: {fault}: {stream}", outgoing.call));
    assert_eq!(said(&read), said(reply), "seed {seed}: what was said is not what was heard");
    assert_eq!(read.usage, reply.usage, "seed {seed}");
    Reply { stop: read.stop.clone(), first_ms: reply.first_ms, whole_ms: reply.whole_ms, ..read }
}

/// Texts and calls of an answer, in order.
fn said(reply: &Reply) -> Vec<String> {
    let say = |content: &Content| match content {
        Content::Text { text } => Some(text.to_string()),
        Content::Call { name, arguments: Arguments::Whole(value), .. } => Some(format!("{name} {value}")),
        Content::Call { name, arguments: Arguments::Broken(text), .. } => Some(format!("{name} {text}")),
        _ => None,
    };
    reply.content.iter().filter_map(say).collect()
}

/// The text of arguments, as a model writes them.
fn written(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Whole(value) => value.to_string(),
        Arguments::Broken(text) => text.to_string(),
    }
}

fn events(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect()
}

fn responses(outgoing: &Outgoing, reply: &Reply) -> String {
    let sealed = format!("sealed {}", outgoing.call);
    let mut items = vec![json!({ "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": sealed })];
    items.extend(reply.content.iter().enumerate().filter_map(|(n, content)| match content {
        Content::Text { text } => {
            let part = json!({ "type": "output_text", "text": text, "annotations": [] });
            Some(json!({ "id": format!("msg_{n}"), "type": "message", "role": "assistant", "status": "completed", "content": [part] }))
        }
        Content::Call { name, arguments, .. } => Some(json!({ "id": format!("fc_{n}"), "type": "function_call", "status": "completed",
            "call_id": format!("call_{}_{n}", outgoing.rounds.len()), "name": name, "arguments": written(arguments) })),
        _ => None,
    }));
    let mut told = vec![json!({ "type": "response.created", "response": { "id": "resp_1", "model": "one" } })];
    for (at, item) in items.iter().enumerate() {
        let mut begun = item.clone();
        for field in ["arguments", "content"] {
            begun.as_object_mut().expect("it is one").remove(field);
        }
        told.push(json!({ "type": "response.output_item.added", "output_index": at, "item": begun }));
        if let Some(text) = item["content"][0]["text"].as_str() {
            let (one, two) = text.split_at(text.floor_char_boundary(text.len() / 2));
            let delta =
                |piece: &str| json!({ "type": "response.output_text.delta", "output_index": at, "delta": piece });
            told.extend([delta(one), delta(two)]);
        }
        if let Some(text) = item["arguments"].as_str() {
            told.push(json!({ "type": "response.function_call_arguments.delta", "output_index": at, "delta": text }));
        }
        told.push(json!({ "type": "response.output_item.done", "output_index": at, "item": item }));
    }
    let Usage { input, cache_read, output, .. } = reply.usage;
    let usage = json!({ "input_tokens": input + cache_read, "input_tokens_details": { "cached_tokens": cache_read }, "output_tokens": output });
    told.push(
        json!({ "type": "response.completed", "response": { "id": "resp_1", "model": "one", "status": "completed",
        "output": items, "usage": usage } }),
    );
    events(&told)
}

/// Nothing is stored; thoughts go back sealed, in their place before their results; each call has its result.
fn keeps_the_rules_of_responses(seed: u64, body: &Value) {
    assert_eq!(
        (&body["store"], &body["include"][0]),
        (&json!(false), &json!("reasoning.encrypted_content")),
        "seed {seed}"
    );
    let items = body["input"].as_array().expect("there is input");
    for (at, item) in items.iter().enumerate() {
        let of = |kind: &str| {
            items.iter().filter(|other| other["type"] == kind && other["call_id"] == item["call_id"]).count()
        };
        match item["type"].as_str() {
            Some("reasoning") => {
                assert!(
                    item["encrypted_content"].as_str().is_some_and(|sealed| sealed.starts_with("sealed k")),
                    "seed {seed}: {item}"
                );
                let next = items.get(at + 1).map(|next| next["type"] == "function_call" || next["role"] == "assistant");
                assert_eq!(next, Some(true), "seed {seed}: reasoning goes back without what came of it: {body}");
            }
            Some("function_call") => {
                assert_eq!((of("function_call"), of("function_call_output")), (1, 1), "seed {seed}: {item}");
                let arguments = item["arguments"].as_str().expect("they are text");
                assert!(
                    serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()),
                    "seed {seed}: {item}"
                );
            }
            Some("function_call_output") => assert_eq!(of("function_call"), 1, "seed {seed}: {item}"),
            Some("message") => assert!(!item["content"].to_string().is_empty(), "seed {seed}: {item}"),
            other => panic!("seed {seed}: {other:?} in {body}"),
        }
    }
}

fn messages(reply: &Reply) -> String {
    let Usage { input, cache_read, output, .. } = reply.usage;
    let usage = json!({ "input_tokens": input, "cache_read_input_tokens": cache_read, "output_tokens": 1 });
    let mut told = vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "role": "assistant", "model": "one", "content": [], "usage": usage } }),
    ];
    for (at, content) in reply.content.iter().enumerate() {
        let (block, delta) = match content {
            Content::Text { text } => {
                (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }))
            }
            Content::Call { name, arguments, .. } => (
                json!({ "type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": written(arguments) }),
            ),
            _ => continue,
        };
        told.push(json!({ "type": "content_block_start", "index": at, "content_block": block }));
        told.push(json!({ "type": "content_block_delta", "index": at, "delta": delta }));
        told.push(json!({ "type": "content_block_stop", "index": at }));
    }
    let is_call = reply.content.iter().any(|content| matches!(content, Content::Call { .. }));
    let stop = if is_call { "tool_use" } else { "end_turn" };
    told.push(
        json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": { "output_tokens": output } }),
    );
    told.push(json!({ "type": "message_stop" }));
    events(&told)
}

/// Sides alternate, the user's first; each call has its result in the message after it.
fn keeps_the_rules_of_messages(seed: u64, body: &Value) {
    let messages = body["messages"].as_array().expect("there are messages");
    for (at, message) in messages.iter().enumerate() {
        let side = if at % 2 == 0 { "user" } else { "assistant" };
        assert_eq!(message["role"], side, "seed {seed}: {body}");
        let ids = |message: &Value, kind: &str, field: &str| {
            let blocks = message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == kind);
            blocks.map(|block| block[field].clone()).collect::<Vec<_>>()
        };
        let called = ids(message, "tool_use", "id");
        let answered = messages.get(at + 1).map(|next| ids(next, "tool_result", "tool_use_id")).unwrap_or_default();
        assert_eq!(called, answered, "seed {seed}: {body}");
    }
}

fn chat(reply: &Reply) -> String {
    let delta = |delta: Value| json!({ "id": "x", "model": "one", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
    let mut told = Vec::new();
    let mut calls = 0;
    for content in &reply.content {
        match content {
            Content::Text { text } => told.push(delta(json!({ "content": text }))),
            Content::Call { name, arguments, .. } => {
                let function = json!({ "name": name, "arguments": written(arguments) });
                let call =
                    json!({ "index": calls, "id": format!("call-{calls}"), "type": "function", "function": function });
                told.push(delta(json!({ "tool_calls": [call] })));
                calls += 1;
            }
            _ => {}
        }
    }
    let Usage { input, cache_read, output, .. } = reply.usage;
    let finish = if calls > 0 { "tool_calls" } else { "stop" };
    told.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }], "usage": {
        "prompt_tokens": input + cache_read, "prompt_tokens_details": { "cached_tokens": cache_read }, "completion_tokens": output } }));
    let events: String = told.iter().map(|event| format!("data: {event}\n\n")).collect();
    format!("{events}data: [DONE]\n\n")
}

/// Each call has its result directly after it, in a message of its own.
fn keeps_the_rules_of_chat(seed: u64, body: &Value) {
    let messages = body["messages"].as_array().expect("there are messages");
    for (at, message) in messages.iter().enumerate() {
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        let after = messages[at + 1..].iter().take_while(|next| next["role"] == "tool");
        let answered: Vec<&Value> = after.map(|next| &next["tool_call_id"]).collect();
        let called: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
        assert!(message["role"] == "tool" || called == answered, "seed {seed}: {body}");
    }
}
