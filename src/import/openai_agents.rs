//! Traces of the OpenAI Agents SDK, as a trace processor writes them: items of traces and spans, in any order.

use std::collections::BTreeMap;

use run::Payload;
use run::foreign::{Format, Note, NoteKind, Origin};
use run::model::{Content, StopReason, Usage};
use serde_json::Value;
use text::Clean;

use super::conversation::{Message, messages_of};
use super::story::{Agent, Did, Step, Story, Unknown, kept, named};
use super::told::{self, as_json, count, shown, uncached};
use super::tree::{Kind, Node, Spoken, Trace, Worker};
use super::{Importer, Unread};

/// Traces, as far as they have been read.
#[derive(Debug, Default)]
pub struct OpenaiAgents {
    traces: BTreeMap<String, Trace>,
    unknown: Unknown,
}

impl Importer for OpenaiAgents {
    fn record(&mut self, _file: &str, bytes: &[u8]) -> Result<(), Unread> {
        let record: Value = serde_json::from_slice(bytes).map_err(|_| Unread)?;
        told::items(&record).iter().for_each(|item| self.item(item));
        Ok(())
    }

    fn stories(self: Box<Self>) -> Vec<Story> {
        let unknown = self.unknown.0;
        let story = |(id, trace): (String, Trace)| {
            let records = trace.nodes.len() as u64;
            trace.story(Origin {
                format: Format::OpenaiAgents,
                id: Clean::line(&id),
                version: Clean::default(),
                records,
                unread: 0,
                unknown: unknown.clone(),
                remarks: Vec::new(),
            })
        };
        let mut stories: Vec<Story> = self.traces.into_iter().filter_map(story).collect();
        stories.iter_mut().for_each(tell_what_crossed);
        stories
    }
}

/// Spans of agents give neither their task nor their result: the task is the input of their first call, the result the answer of
/// their last one. One that handed over ended with that.
fn tell_what_crossed(story: &mut Story) {
    let mut successors: Vec<Option<Clean>> = vec![None; story.agents.len()];
    let ends = |agent: &Agent| agent.end.as_ref().map_or(i64::MAX, |end| end.at);
    for agent in story.agents.iter().skip(1) {
        if let Some(parent) = agent.parent.filter(|parent| ends(&story.agents[*parent]) < ends(agent)) {
            successors[parent] = Some(agent.role.clone());
        }
    }
    for (agent, successor) in story.agents.iter_mut().zip(successors) {
        if agent.payload.is_empty() {
            agent.payload = agent.told_first().cloned().map(Payload::note).unwrap_or_default();
        }
        let answered = answer(&agent.steps);
        if let Some(end) = agent.end.as_mut().filter(|end| end.payload.is_empty()) {
            let says = successor.map(|to| Clean::from(format!("handed over to {to}"))).or(answered);
            end.payload = says.map(Payload::note).unwrap_or_default();
        }
    }
}

/// The text of the last answer of a model, if it has any.
fn answer(steps: &[Step]) -> Option<Clean> {
    let asked =
        steps.iter().rev().find_map(|step| if let Did::Asked(asked) = &step.did { Some(asked) } else { None })?;
    asked
        .content
        .iter()
        .find_map(|content| if let Content::Text { text } = content { Some(text.clone()) } else { None })
}

impl OpenaiAgents {
    fn item(&mut self, item: &Value) {
        let Some(id) = told::text(item, "id") else { return self.unknown.count("item without an id") };
        match told::text(item, "object") {
            Some("trace") => {
                let name = named(told::text(item, "workflow_name").unwrap_or_default());
                self.traces.entry(id.into()).or_default().service = name;
            }
            Some("trace.span") => {
                let trace = told::text(item, "trace_id").unwrap_or(id).to_owned();
                let node = self.node(item, id);
                self.traces.entry(trace).or_default().insert(node);
            }
            other => self.unknown.count(other.unwrap_or("item of no kind")),
        }
    }

    fn node(&mut self, item: &Value, id: &str) -> Node {
        let data = item.get("span_data").unwrap_or(&Value::Null);
        let nanos = |field: &str| told::at(item, field).map(|ms| i128::from(ms) * 1_000_000);
        let failed = item.get("error").filter(|error| !error.is_null());
        let failed = failed.map(why);
        let kind = told::text(data, "type").unwrap_or_default();
        let name = named(told::text(data, "name").unwrap_or(kind));
        let field = |field: &str| data.get(field).filter(|value| !value.is_null());
        let of_kind = match kind {
            "agent" => Kind::Agent(Box::new(Worker { role: name.clone(), ..Worker::default() })),
            "generation" | "response" => call(data),
            "function" => Kind::Tool {
                name: name.clone(),
                arguments: field("input").map(as_json).unwrap_or_default(),
                result: kept(&field("output").map(shown).unwrap_or_default()),
                hands_to: None,
            },
            "handoff" => {
                let to = told::text(data, "to_agent").map(named);
                let to_name = Clean::from(format!("transfer_to_{}", to.clone().unwrap_or_default()));
                Kind::Tool { name: to_name, arguments: Default::default(), result: Clean::default(), hands_to: to }
            }
            "guardrail" => {
                let triggered = data.get("triggered").and_then(Value::as_bool) == Some(true);
                let (kind, word) = if triggered { (NoteKind::Vetoed, "triggered") } else { (NoteKind::Told, "passed") };
                Kind::Note(Note { kind, text: format!("guardrail {name}: {word}").into() })
            }
            // Tasks and turns hold sums of the spans below them, which are not added.
            "custom" | "mcp_tools" | "transcription" | "speech" | "speech_group" | "task" | "turn" => Kind::Other,
            other => {
                self.unknown.count(if other.is_empty() { "span of no kind" } else { other });
                Kind::Other
            }
        };
        let (start, end) = (nanos("started_at").unwrap_or(0), nanos("ended_at"));
        let parent = told::text(item, "parent_id").map(Into::into);
        Node {
            id: id.into(),
            parent,
            is_called_from_elsewhere: false,
            agent: Clean::default(),
            name,
            start,
            end,
            failed,
            outcome: None,
            kind: of_kind,
        }
    }
}

/// The reason of a failure: the message, which often says only that there was one, with the error that it is about.
fn why(error: &Value) -> Clean {
    let message = told::text(error, "message").unwrap_or("it failed, and says no more");
    match error.get("data").and_then(|data| told::text(data, "error")) {
        Some(cause) if cause != message => kept(&format!("{message}: {cause}")),
        _ => kept(message),
    }
}

fn call(data: &Value) -> Kind {
    let usage = data.get("usage").unwrap_or(&Value::Null);
    let either = |names: [&str; 2]| names.iter().map(|name| count(usage, name)).find(|n| *n > 0).unwrap_or(0);
    let detail = |group: &str, field: &str| usage.get(group).map_or(0, |group| count(group, field));
    let read = detail("input_tokens_details", "cached_tokens");
    let usage = Usage {
        input: uncached(either(["input_tokens", "prompt_tokens"]), read, 0),
        cache_read: read,
        output: either(["output_tokens", "completion_tokens"]),
        reasoning: detail("output_tokens_details", "reasoning_tokens"),
        ..Usage::default()
    };
    let messages = |field: &str| data.get(field).map(messages_of).unwrap_or_default();
    let content: Vec<Content> = messages("output").iter().flat_map(Message::content).collect();
    let calls = content.iter().any(|content| matches!(content, Content::Call { .. }));
    let response = told::text(data, "response_id");
    Kind::Call(Box::new(Spoken {
        provider: "openai".into(),
        model: named(told::text(data, "model").unwrap_or_default()),
        served_by: None,
        id: response.map(Clean::line),
        said: messages("input").iter().flat_map(Message::said).collect(),
        stop: if calls { StopReason::Tools } else { StopReason::End },
        content,
        usage,
        max_tokens: 0,
        first_ms: 0,
    }))
}
