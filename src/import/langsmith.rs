//! Runs of LangSmith, as LangGraph and LangChain write them: lines, a list, or a tree of `child_runs`.

use std::collections::BTreeMap;

use run::Payload;
use run::foreign::{Format, Note, NoteKind, Origin};
use run::model::{Content, StopReason, Usage};
use serde_json::{Map, Value};
use text::Clean;

use super::conversation::{Message, MessagePart};
use super::story::{Story, kept, named};
use super::told::{self, as_json, count, dollars, number, payload, shown, stop, uncached};
use super::tree::{Kind, Node, Spoken, Trace, Worker};
use super::{Importer, Unread};

/// Traces, as far as they have been read.
#[derive(Debug, Default)]
pub struct Langsmith {
    traces: BTreeMap<String, Trace>,
}

/// The most levels of `child_runs`.
const MOST_LEVELS: usize = 100;

impl Importer for Langsmith {
    fn record(&mut self, _file: &str, bytes: &[u8]) -> Result<(), Unread> {
        let record: Value = serde_json::from_slice(bytes).map_err(|_| Unread)?;
        let list = match record {
            Value::Array(list) => list,
            Value::Object(ref object) if object.contains_key("runs") => {
                object["runs"].as_array().cloned().unwrap_or_default()
            }
            one => vec![one],
        };
        let taken: Vec<bool> = list.into_iter().map(|run| self.run(&run, None, None, 0)).collect();
        if taken.contains(&true) || taken.is_empty() { Ok(()) } else { Err(Unread) }
    }

    fn stories(self: Box<Self>) -> Vec<Story> {
        let story = |(id, trace): (String, Trace)| {
            let records = trace.nodes.len() as u64;
            trace.story(Origin {
                format: Format::Langsmith,
                id: Clean::line(&id),
                version: Clean::default(),
                records,
                unread: 0,
                unknown: BTreeMap::new(),
                remarks: Vec::new(),
            })
        };
        self.traces.into_iter().filter_map(story).collect()
    }
}

impl Langsmith {
    /// Takes in a run and those below it; false if it is none.
    fn run(&mut self, run: &Value, parent: Option<&str>, trace: Option<&str>, level: usize) -> bool {
        let Some(id) = told::text(run, "id") else { return false };
        if run.get("run_type").is_none() || level > MOST_LEVELS {
            return false;
        }
        let parent = told::text(run, "parent_run_id").or(parent);
        let trace = told::text(run, "trace_id").or(trace).unwrap_or(id).to_owned();
        self.traces.entry(trace.clone()).or_default().insert(node(run, id, parent));
        let children = run.get("child_runs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for child in children {
            self.run(child, Some(id), Some(&trace), level + 1);
        }
        true
    }
}

fn node(run: &Value, id: &str, parent: Option<&str>) -> Node {
    let name = named(told::text(run, "name").unwrap_or_default());
    let metadata = run.get("extra").and_then(|extra| extra.get("metadata"));
    let of_metadata = |field: &str| metadata.and_then(|metadata| told::text(metadata, field));
    let nanos = |field: &str| told::at(run, field).map(|ms| i128::from(ms) * 1_000_000);
    let error = told::text(run, "error");
    // The graph stops here to ask a person: that is no failure.
    let asks = error.filter(|error| ["GraphInterrupt", "NodeInterrupt"].iter().any(|word| error.contains(word)));
    let failed = error.filter(|_| asks.is_none()).map(last_line);
    let failed =
        failed.or_else(|| (told::text(run, "status") == Some("error") && asks.is_none()).then(|| "it failed".into()));
    let (inputs, outputs) = (run.get("inputs"), run.get("outputs"));
    let input = inputs.map(words).unwrap_or_default();
    let output = outputs.map(|outputs| words(&brought(inputs, outputs))).unwrap_or_default();
    let cost = run.get("total_cost").and_then(told::dollars);
    let kind = match told::text(run, "run_type").unwrap_or_default() {
        "llm" => call(run, of_metadata("ls_provider"), of_metadata("ls_model_name")),
        "tool" | "retriever" => {
            let arguments = inputs.map(|inputs| inputs.get("input").map_or_else(|| as_json(inputs), as_json));
            let result = outputs.map(|outputs| kept(&shown(outputs.get("output").unwrap_or(outputs))));
            let (arguments, result) = (arguments.unwrap_or_default(), result.unwrap_or_default());
            Kind::Tool { name: name.clone(), arguments, result, hands_to: told::hands_to(&name) }
        }
        _ if asks.is_some() && parent.is_some() && of_metadata("langgraph_node").is_none() => Kind::Other,
        _ if parent.is_none() => Kind::Agent(Box::new(Worker { role: name.clone(), input, output, cost })),
        // The node's own run, not those of the runnables inside, which carry its metadata too.
        "chain" if of_metadata("langgraph_node").map(named).as_ref() == Some(&name) && !name.starts_with("__") => {
            Kind::Agent(Box::new(Worker { role: name.clone(), input, output, cost }))
        }
        _ => Kind::Other,
    };
    let kind = match (kind, asks) {
        (Kind::Other, Some(asks)) => Kind::Note(Note { kind: NoteKind::Asked, text: interrupt(asks) }),
        (Kind::Agent(mut worker), Some(asks)) => {
            let asked = Clean::from(format!("asked the person: {}", interrupt(asks)));
            worker.output = worker.output.with_notes([asked]);
            Kind::Agent(worker)
        }
        (kind, _) => kind,
    };
    let start = nanos("start_time").unwrap_or(0);
    Node {
        id: id.into(),
        parent: parent.map(Into::into),
        is_called_from_elsewhere: false,
        agent: Clean::default(),
        name,
        start,
        end: nanos("end_time"),
        failed,
        outcome: None,
        kind,
    }
}

/// The last line of a traceback, with the error.
fn last_line(error: &str) -> Clean {
    let mut lines = error.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let line = if first.starts_with("Traceback") { lines.next_back().unwrap_or(first) } else { first };
    kept(line)
}

/// The question of a graph: the value of its interrupt.
fn interrupt(error: &str) -> Clean {
    let value = error.split_once("value=").map_or(error, |(_, rest)| rest);
    let value = ["', ", ", resumable", ", id=", ", ns=", "),"]
        .iter()
        .filter_map(|end| value.find(end))
        .min()
        .map_or(value, |end| &value[..end]);
    Clean::line(value.trim_matches(['\'', '"', ' ', ')']))
}

/// The outputs that are new: a graph gives back all of its state, with the inputs that it was handed.
fn brought(inputs: Option<&Value>, outputs: &Value) -> Value {
    let (Some(Value::Object(before)), Value::Object(after)) = (inputs, outputs) else { return outputs.clone() };
    let is_new = |(name, value): &(&String, &Value)| before.get(*name) != Some(value);
    let new: Map<String, Value> =
        after.iter().filter(is_new).map(|(name, value)| (name.clone(), value.clone())).collect();
    if new.is_empty() { outputs.clone() } else { new.into() }
}

/// State as its words and the rest as data, if it has words; else all as data.
pub(crate) fn words(state: &Value) -> Payload {
    let last = state.get("messages").and_then(Value::as_array).and_then(|messages| messages.last()).map(message);
    let text = last.and_then(|message| {
        message.parts.into_iter().find_map(|part| if let MessagePart::Text(text) = part { Some(text) } else { None })
    });
    let plain =
        || ["input", "output", "question"].into_iter().find_map(|field| Some((field, kept(told::text(state, field)?))));
    match text.map(|text| ("messages", text)).or_else(plain) {
        Some((said, text)) => {
            let is_more = |(field, value): &(&String, &Value)| *field != said && !value.is_null();
            let more = state.as_object().into_iter().flatten().filter(is_more);
            let more: Map<String, Value> = more.map(|(field, value)| (field.clone(), value.clone())).collect();
            let more = if more.is_empty() { Payload::default() } else { payload(&more.into()) };
            Payload { notes: Some([&[text], more.notes()].concat()), ..more }
        }
        None if state.as_object().is_some_and(serde_json::Map::is_empty) => Payload::default(),
        None => payload(state),
    }
}

/// A message as LangChain writes it: constructor, data, or plain.
pub(crate) fn message(message: &Value) -> Message {
    if let Some(pair) = message.as_array() {
        let role = pair.first().map(shown).unwrap_or_default().to_lowercase();
        let text = pair.get(1).map(|text| MessagePart::Text(kept(&shown(text))));
        return Message { role, parts: text.into_iter().collect() };
    }
    let inner = message.get("kwargs").or_else(|| message.get("data")).unwrap_or(message);
    let class = message.get("id").and_then(Value::as_array).and_then(|id| id.last()).and_then(Value::as_str);
    let role = class.or_else(|| told::text(inner, "role")).or_else(|| told::text(message, "type")).unwrap_or("user");
    let role = match role.to_lowercase() {
        role if role.starts_with("ai") || role == "assistant" => "assistant".into(),
        role if role.starts_with("system") => "system".into(),
        role if role.starts_with("tool") => "tool".into(),
        _ => "user".to_string(),
    };
    let mut parts = Vec::new();
    let content = inner.get("content").unwrap_or(&Value::Null);
    if role == "tool" {
        let line = |field: &str| Clean::line(told::text(inner, field).unwrap_or_default());
        parts.push(MessagePart::Answer { id: line("tool_call_id"), name: line("name"), text: kept(&shown(content)) });
        return Message { role, parts };
    }
    match content {
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => parts.push(MessagePart::Text(kept(text))),
        Value::Array(blocks) => {
            for block in blocks {
                let words = ["text", "thinking"].iter().find_map(|field| told::text(block, field)).or(block.as_str());
                let Some(words) = words.map(kept) else { continue };
                let thinks = matches!(told::text(block, "type"), Some("thinking" | "reasoning"));
                parts.push(if thinks { MessagePart::Thinking(words) } else { MessagePart::Text(words) });
            }
        }
        _ => {}
    }
    let calls = inner.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    parts.extend(calls.iter().map(|call| {
        let of = call.get("function").unwrap_or(call);
        let arguments = call.get("args").or_else(|| of.get("arguments")).cloned().unwrap_or_default();
        MessagePart::Call {
            id: Clean::line(told::text(call, "id").unwrap_or_default()),
            name: named(told::text(of, "name").unwrap_or_default()),
            arguments: as_json(&arguments).get().clone(),
        }
    }));
    Message { role, parts }
}

/// The messages and prompts that a model was sent.
fn sent(inputs: Option<&Value>) -> Vec<Message> {
    let list = |name: &str| {
        let list = inputs.and_then(|inputs| inputs.get(name)).and_then(Value::as_array);
        list.map(Vec::as_slice).unwrap_or_default()
    };
    let given = list("messages");
    // A batch of conversations of which there is one.
    let is_batch =
        given.first().and_then(Value::as_array).is_some_and(|first| first.first().is_none_or(|one| !one.is_string()));
    let given = if is_batch { given[0].as_array().map(Vec::as_slice).unwrap_or_default() } else { given };
    let prompt = |text| Message { role: "user".into(), parts: vec![MessagePart::Text(kept(&shown(text)))] };
    given.iter().map(message).chain(list("prompts").iter().map(prompt)).collect()
}

fn call(run: &Value, provider: Option<&str>, model: Option<&str>) -> Kind {
    let outputs = run.get("outputs");
    let generation = outputs.and_then(|outputs| outputs.get("generations")).and_then(|list| {
        let first = list.get(0)?;
        Some(first.get(0).unwrap_or(first))
    });
    let told_message = generation
        .and_then(|generation| generation.get("message"))
        .or_else(|| outputs?.get("messages")?.as_array()?.last())
        .or_else(|| outputs?.get("choices")?.get(0)?.get("message"))
        .or_else(|| outputs.filter(|outputs| outputs.get("content").is_some()));
    let mut content: Vec<Content> = told_message.map(|told| message(told).content()).unwrap_or_default();
    if let (true, Some(text)) = (content.is_empty(), generation.and_then(|generation| told::text(generation, "text"))) {
        content.push(Content::Text { text: kept(text) });
    }
    let inner = told_message.map(|told| told.get("kwargs").or_else(|| told.get("data")).unwrap_or(told));
    let usage = inner.and_then(|inner| inner.get("usage_metadata")).or_else(|| outputs?.get("usage_metadata"));
    let response = inner.and_then(|inner| inner.get("response_metadata"));
    let of_response = |field: &str| response.and_then(|response| told::text(response, field));
    let finish = ["finish_reason", "stop_reason"].iter().find_map(|field| of_response(field));
    let finish = finish.or_else(|| told::text(outputs?.get("choices")?.get(0)?, "finish_reason"));
    let calls = content.iter().any(|content| matches!(content, Content::Call { .. }));
    let stop = match finish {
        None if calls => StopReason::Tools,
        None if !content.is_empty() => StopReason::End,
        finish => stop(finish),
    };
    let first = told::at(run, "first_token_time").zip(told::at(run, "start_time"));
    let parameters = run.get("extra").and_then(|extra| extra.get("invocation_params"));
    let of_parameters = |field: &str| parameters.and_then(|parameters| told::text(parameters, field));
    let max_tokens = parameters.and_then(|parameters| parameters.get("max_tokens")).and_then(number);
    let model = model.or_else(|| of_parameters("model")).or_else(|| of_parameters("model_name"));
    Kind::Call(Box::new(Spoken {
        provider: named(provider.unwrap_or_default()),
        model: named(model.or_else(|| told::text(run, "name")).unwrap_or_default()),
        served_by: of_response("model_name").or_else(|| of_response("model")).map(named),
        id: inner.and_then(|inner| told::text(inner, "id")).map(Clean::line),
        said: sent(run.get("inputs")).iter().flat_map(Message::said).collect(),
        content,
        stop,
        usage: usage_of(run, usage),
        max_tokens: max_tokens.and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
        first_ms: first.map_or(0, |(first, start)| u64::try_from(first.saturating_sub(start)).unwrap_or(0)),
    }))
}

fn usage_of(run: &Value, usage: Option<&Value>) -> Usage {
    let cost = run.get("total_cost").and_then(dollars);
    let Some(usage) = usage else {
        return Usage {
            input: count(run, "prompt_tokens"),
            output: count(run, "completion_tokens"),
            cost,
            ..Usage::default()
        };
    };
    let detail = |group: &str, field: &str| usage.get(group).map_or(0, |group| count(group, field));
    let (read, write) = (detail("input_token_details", "cache_read"), detail("input_token_details", "cache_creation"));
    Usage {
        input: uncached(count(usage, "input_tokens"), read, write),
        cache_read: read,
        cache_write: write,
        output: count(usage, "output_tokens"),
        reasoning: detail("output_token_details", "reasoning"),
        cost,
        ..Usage::default()
    }
}
