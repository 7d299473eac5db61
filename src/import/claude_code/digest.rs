//! The content of one record of a transcript.

use run::Outcome;
use run::foreign::{Note, NoteKind};
use run::model::{Arguments, Content, StopReason, Usage};
use run::tool::CleanJson;
use serde_json::Value;
use text::Clean;

use super::transcript::Brought;
use crate::story::{Unknown, kept, named};
use crate::told::{self, count, shown, stop};

/// A thing that a record tells.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) at: Option<i64>,
    pub(super) what: What,
}

pub(super) enum What {
    /// Something was said to the model.
    Said {
        text: Clean,
        by_person: bool,
    },
    /// A tool brought something.
    Result {
        id: String,
        brought: Brought,
    },
    /// A line of an answer.
    Answer(Piece),
    Note(Note),
}

impl std::fmt::Debug for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("what a record tells")
    }
}

/// A line of an answer: lines with the same key are one answer.
pub(super) struct Piece {
    pub(super) key: String,
    pub(super) model: Clean,
    pub(super) request: Option<Clean>,
    pub(super) content: Vec<Content>,
    pub(super) tools: Vec<(String, Clean, Value)>,
    pub(super) stop: Option<StopReason>,
    pub(super) usage: Option<Usage>,
}

/// The program's notice of an agent that worked beside its parent.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub(super) task: Option<String>,
    pub(super) call: Option<String>,
    status: String,
    pub(super) said: Clean,
    /// The record of the conversation that it stands in; None for an echo.
    pub(super) uuid: Option<String>,
    pub(super) at: i64,
}

impl Notice {
    pub(super) fn of(text: &str, uuid: Option<&str>, at: Option<i64>) -> Option<Notice> {
        let text = text.trim_start();
        if !text.starts_with("<task-notification>") {
            return None;
        }
        let tag = |name: &str| {
            let (_, rest) = text.split_once(&format!("<{name}>"))?;
            Some(rest.split_once(&format!("</{name}>"))?.0.trim())
        };
        // An echo that names nothing but the task tells nothing of its end.
        let status = tag("status")?.to_owned();
        let said = tag("result").or_else(|| tag("summary")).unwrap_or_default();
        let name = |field: &str| tag(field).map(str::to_owned);
        let (task, call) = (name("task-id"), name("tool-use-id"));
        Some(Notice { task, call, status, said: kept(said), uuid: uuid.map(str::to_owned), at: at.unwrap_or(0) })
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self.status.as_str() {
            "completed" | "done" | "success" => Outcome::Done,
            "killed" | "stopped" | "cancelled" | "canceled" => Outcome::Cancelled,
            _ => Outcome::Failed(if self.said.is_empty() { Clean::line(&self.status) } else { self.said.clone() }),
        }
    }
}

/// The content of a threaded record. Its notices of agents that work beside others are kept apart.
pub(super) fn items(record: &Value, kind: &str, notices: &mut Vec<Notice>, unknown: &mut Unknown) -> Vec<Item> {
    let at = told::at(record, "timestamp");
    let of = |what| vec![Item { at, what }];
    let note = |kind, text: Clean| of(What::Note(Note { kind, text }));
    match kind {
        "assistant" => answer(record).map(of).unwrap_or_else(|text| note(NoteKind::Failed, text)),
        "user" => user(record, at, notices),
        "attachment" => {
            let attachment = record.get("attachment").unwrap_or(&Value::Null);
            if told::text(attachment, "type") != Some("queued_command") {
                return Vec::new();
            }
            let text = words(attachment.get("prompt").unwrap_or(&Value::Null));
            match Notice::of(&text, None, at) {
                Some(notice) => {
                    notices.push(notice);
                    Vec::new()
                }
                None if text.trim_start().starts_with('<') || text.is_empty() => Vec::new(),
                None => note(NoteKind::Said, kept(&text)),
            }
        }
        _ => match told::text(record, "subtype") {
            Some("compact_boundary") => {
                let of = record.get("compactMetadata").unwrap_or(&Value::Null);
                let (before, after) = (count(of, "preTokens"), count(of, "postTokens"));
                let why = told::text(of, "trigger").unwrap_or("not told why");
                let after = if after > 0 { format!(" to {after}") } else { String::new() };
                note(NoteKind::Compacted, format!("from {before}{after} tokens ({why})").into())
            }
            Some("api_error" | "error") => {
                note(NoteKind::Failed, kept(&told::text(record, "content").map(str::to_owned).unwrap_or_default()))
            }
            Some(_) => Vec::new(),
            None => {
                unknown.count("system record of no kind");
                Vec::new()
            }
        },
    }
}

/// A line of an answer; the text of one that the program made up in place of an answer that failed.
fn answer(record: &Value) -> Result<What, Clean> {
    let message = record.get("message").unwrap_or(&Value::Null);
    let model = told::text(message, "model").unwrap_or("unknown");
    let blocks = match message.get("content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    if model == "<synthetic>" {
        return Err(kept(&words(message.get("content").unwrap_or(&Value::Null))));
    }
    let (mut content, mut tools) = (Vec::new(), Vec::new());
    for block in blocks {
        match told::text(block, "type") {
            None if block.is_string() => content.push(Content::Text { text: kept(&shown(block)) }),
            Some("text") => content.push(Content::Text { text: kept(told::text(block, "text").unwrap_or_default()) }),
            Some("thinking") => {
                content.push(Content::Thinking { text: kept(told::text(block, "thinking").unwrap_or_default()) })
            }
            Some("tool_use") => {
                let name = named(told::text(block, "name").unwrap_or("a tool without a name"));
                let id = told::text(block, "id").unwrap_or_default().to_owned();
                let input = block.get("input").cloned().unwrap_or_default();
                content.push(content_of(&id, &name, &input));
                tools.push((id, name, input));
            }
            other => content.push(Content::Other { kind: Clean::line(other.unwrap_or("block of no kind")) }),
        }
    }
    let key = told::text(message, "id").or_else(|| told::text(record, "uuid")).unwrap_or_default().to_owned();
    let usage = message.get("usage").filter(|usage| usage.is_object()).map(usage);
    let stop = told::text(message, "stop_reason").map(|reason| stop(Some(reason)));
    let request = told::text(record, "requestId").or_else(|| told::text(message, "id")).map(Clean::line);
    Ok(What::Answer(Piece { key, model: named(model), request, content, tools, stop, usage }))
}

fn usage(usage: &Value) -> Usage {
    let long = usage.get("cache_creation").map_or(0, |creation| count(creation, "ephemeral_1h_input_tokens"));
    let written = count(usage, "cache_creation_input_tokens");
    let thought = usage.get("output_tokens_details").map_or(0, |details| count(details, "thinking_tokens"));
    Usage {
        input: count(usage, "input_tokens"),
        cache_read: count(usage, "cache_read_input_tokens"),
        cache_write: written.saturating_sub(long),
        cache_write_long: long.min(written),
        output: count(usage, "output_tokens"),
        reasoning: thought,
        ..Usage::default()
    }
}

fn user(record: &Value, at: Option<i64>, notices: &mut Vec<Notice>) -> Vec<Item> {
    let content = record.get("message").and_then(|message| message.get("content")).unwrap_or(&Value::Null);
    let mut items = Vec::new();
    let mut said = String::new();
    match content {
        Value::String(text) => said.push_str(text),
        Value::Array(blocks) => {
            for block in blocks {
                match told::text(block, "type") {
                    Some("tool_result") => items.extend(result(record, block).map(|what| Item { at, what })),
                    Some("text") => said.push_str(told::text(block, "text").unwrap_or_default()),
                    None => said.push_str(block.as_str().unwrap_or_default()),
                    Some(other) => said.push_str(&format!("[{other}]")),
                }
            }
        }
        _ => {}
    }
    if let Some(notice) = Notice::of(&said, told::text(record, "uuid"), at) {
        notices.push(notice);
    }
    if said.trim_start().starts_with("[Request interrupted by user") {
        let note = Note { kind: NoteKind::Interrupted, text: Clean::line(said.trim_matches(['[', ']', ' '])) };
        items.push(Item { at, what: What::Note(note) });
    } else if !said.trim().is_empty() {
        let flag = |field: &str| record.get(field).and_then(Value::as_bool) == Some(true);
        let by_origin = record.get("origin").and_then(|origin| told::text(origin, "kind")).map(|kind| kind == "human");
        // Records of older versions do not say who wrote them; texts of the program begin with a tag.
        let typed =
            !flag("isMeta") && !flag("isCompactSummary") && !flag("isSidechain") && !said.trim_start().starts_with('<');
        let by_person = by_origin.unwrap_or(typed) && typed;
        items.push(Item { at, what: What::Said { text: kept(&said), by_person } });
    }
    items
}

fn result(record: &Value, block: &Value) -> Option<What> {
    let id = told::text(block, "tool_use_id")?.to_owned();
    let content = block.get("content").unwrap_or(&Value::Null);
    let more = record.get("toolUseResult").filter(|more| more.is_object());
    let of_more = |field: &str| more.and_then(|more| told::text(more, field));
    let text = words(content);
    let tail = text.rsplit_once("agentId: ").map(|(_, rest)| rest);
    let agent = of_more("agentId").or_else(|| tail?.split(|c: char| !c.is_ascii_alphanumeric()).next());
    let is_launched = of_more("status") == Some("async_launched")
        || more.and_then(|more| more.get("isAsync")).and_then(Value::as_bool) == Some(true)
        || text.starts_with("Async agent launched");
    // The last part of a report is the program's remark on the agent.
    let report = match content {
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.iter().map(|block| words(std::slice::from_ref(block))).collect();
            let own = texts.iter().filter(|text| !text.starts_with("agentId: ")).map(String::as_str);
            own.collect::<Vec<_>>().join("\n")
        }
        _ => text.clone(),
    };
    let brought = Brought {
        at: 0,
        text: kept(&text),
        report: kept(&report),
        failed: block.get("is_error").and_then(Value::as_bool) == Some(true),
        denied: told::text(record, "toolDenialKind").map(Clean::line),
        agent: agent.filter(|agent| !agent.is_empty()).map(str::to_owned),
        workflow: of_more("runId").map(str::to_owned),
        launched: is_launched,
    };
    Some(What::Result { id, brought })
}

/// The text of content, which is text or a list of blocks.
fn words<'a>(content: impl Into<Words<'a>>) -> String {
    let blocks = match content.into() {
        Words::Text(text) => return text.to_owned(),
        Words::Blocks(blocks) => blocks,
    };
    let text = |block: &Value| match block {
        Value::String(text) => text.clone(),
        block => match (told::text(block, "text"), told::text(block, "type")) {
            (Some(text), _) => text.to_owned(),
            (None, Some("text") | None) => String::new(),
            (None, Some(kind)) => format!("[{kind}]"),
        },
    };
    blocks.iter().map(text).collect::<Vec<_>>().join("\n")
}

enum Words<'a> {
    Text(&'a str),
    Blocks(&'a [Value]),
}

impl<'a> From<&'a Value> for Words<'a> {
    fn from(value: &'a Value) -> Words<'a> {
        match value {
            Value::String(text) => Words::Text(text),
            Value::Array(blocks) => Words::Blocks(blocks),
            _ => Words::Blocks(&[]),
        }
    }
}

impl<'a> From<&'a [Value]> for Words<'a> {
    fn from(blocks: &'a [Value]) -> Words<'a> {
        Words::Blocks(blocks)
    }
}

/// A tool call as it stands in an answer.
fn content_of(id: &str, name: &Clean, input: &Value) -> Content {
    Content::Call {
        id: Clean::line(id),
        name: name.clone(),
        arguments: Arguments::Whole(CleanJson::new(input.clone()).get().clone()),
    }
}
