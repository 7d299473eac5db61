//! Reads a Responses answer: items by their place, each in pieces and then whole, and one last event with the result.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::OUTPUT;
use crate::profile::Format;
use crate::reader::{
    AnswerReader, Asked, Hear, Meta, PartialAnswer, Step, Trouble, arguments, checked, count, foreign, input_of,
    output_tokens,
};
use http_client::sse::Event;
use run::model::{Arguments, Content, Reply, StopReason, Usage};
use run::progress::{Doing, Saying};
use text::Clean;

#[derive(Debug, Default)]
pub(crate) struct Answer {
    meta: Meta,
    items: BTreeMap<u64, Item>,
    /// The end, from the last event.
    end: Option<End>,
    unknown: usize,
}

#[derive(Debug)]
enum End {
    Completed,
    /// For this reason.
    Incomplete(String),
}

#[derive(Debug, Default)]
struct Item {
    raw: Map<String, Value>,
    /// Text, refusal, arguments or thinking as it came in pieces.
    text: String,
    refusal: String,
    arguments: String,
    thought: String,
    whole: bool,
}

impl Item {
    fn kind(&self) -> &str {
        self.field("type")
    }

    fn field(&self, name: &str) -> &str {
        self.raw.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The pieces of a list of parts, each with its text in a field of its own name.
    fn parts<'a>(&'a self, list: &str, field: &'a str) -> impl Iterator<Item = &'a str> {
        let parts = self.raw.get(list).and_then(Value::as_array).into_iter().flatten();
        parts.filter_map(move |part| part[field].as_str())
    }

    /// Its text: whole, or as far as it has come.
    fn says(&self) -> String {
        let whole: String = self.parts("content", "text").collect();
        if self.kind() == "message" && whole.len() >= self.text.len() { whole } else { self.text.clone() }
    }

    /// Its refusal: whole, or as far as it has come.
    fn refuses(&self) -> String {
        let whole: String = self.parts("content", "refusal").collect();
        if whole.len() >= self.refusal.len() { whole } else { self.refusal.clone() }
    }

    fn calls(&self) -> &str {
        let whole = self.field("arguments");
        if whole.len() >= self.arguments.len() { whole } else { &self.arguments }
    }

    fn thinks(&self) -> String {
        let parts: Vec<&str> = self.parts("summary", "text").chain(self.parts("content", "text")).collect();
        let whole = parts.join("\n");
        if whole.len() >= self.thought.len() { whole } else { self.thought.clone() }
    }

    fn written(&self) -> usize {
        match self.kind() {
            "message" => self.says().len() + self.refuses().len(),
            "function_call" => self.field("name").len() + self.calls().len(),
            "reasoning" => self.thinks().len(),
            _ => 0,
        }
    }
}

/// Events that say nothing that the items do not say again.
const KNOWN: &[&str] = &[
    "response.queued",
    "response.content_part.added",
    "response.content_part.done",
    "response.output_text.done",
    "response.output_text.annotation.added",
    "response.refusal.done",
    "response.function_call_arguments.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.reasoning_summary_text.done",
    "response.reasoning_text.done",
];

impl AnswerReader for Answer {
    fn event(&mut self, event: &Event, hear: Hear<'_>) -> Result<Step, Trouble> {
        if self.end.is_some() {
            return Ok(Step::Done);
        }
        // Some gateways add the end marker of chat completions, which says nothing here.
        if event.data.trim() == "[DONE]" {
            return Ok(Step::More);
        }
        let data: Value = serde_json::from_str(&event.data).map_err(|_| protocol("an event of it is not JSON"))?;
        match data["type"].as_str().unwrap_or(&event.name) {
            "response.created" | "response.in_progress" => self.names(&data["response"]),
            "response.output_item.added" => self.item_begins(&data)?,
            "response.output_item.done" => self.item_ends(&data, hear)?,
            "response.output_text.delta" => {
                let piece = data["delta"].as_str().unwrap_or_default();
                self.open_item(&data)?.text.push_str(piece);
                if !piece.is_empty() {
                    hear.hears(Saying::Answer, piece.into());
                }
            }
            "response.function_call_arguments.delta" => {
                let piece = data["delta"].as_str().unwrap_or_default();
                self.open_item(&data)?.arguments.push_str(piece);
                hear.hears(Saying::Arguments, piece.into());
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let piece = data["delta"].as_str().unwrap_or_default();
                self.open_item(&data)?.thought.push_str(piece);
                hear.hears(Saying::Thought, piece.into());
            }
            "response.refusal.delta" => {
                let piece = data["delta"].as_str().unwrap_or_default();
                self.open_item(&data)?.refusal.push_str(piece);
            }
            "response.completed" | "response.incomplete" => {
                self.ends(&data["response"], hear)?;
                return Ok(Step::Done);
            }
            "response.failed" | "response.cancelled" => return Err(failure(&data["response"])),
            "error" => return Err(Trouble::Reported(data)),
            _ if data.get("error").is_some_and(|error| !error.is_null()) => return Err(Trouble::Reported(data)),
            kind if KNOWN.contains(&kind) => {}
            _ => match foreign(&data, Format::Responses) {
                Some(trouble) => return Err(trouble),
                None => self.unknown += 1,
            },
        }
        Ok(Step::More)
    }

    fn whole(&mut self, body: &Value, hear: Hear<'_>) -> Result<(), Trouble> {
        if body.get("error").is_some_and(|error| !error.is_null()) || body["type"] == "error" {
            return Err(Trouble::Reported(body.clone()));
        }
        if !body["output"].is_array() {
            return Err(foreign(body, Format::Responses).unwrap_or_else(|| protocol("it holds no output")));
        }
        match body["status"].as_str() {
            Some("failed" | "cancelled") => return Err(failure(body)),
            Some("queued" | "in_progress") => return Err(protocol("it is not finished, and no stream")),
            _ => {}
        }
        self.ends(body, hear)
    }

    fn finish(&mut self, asked: &Asked<'_>) -> Result<Reply, Trouble> {
        let end = self.end.take().ok_or(Trouble::Cut)?;
        // Only an answer that was cut at its limit may have an item that was not finished.
        if matches!(end, End::Completed) && self.items.values().any(|item| !item.whole) {
            return Err(Trouble::Cut);
        }
        if self.unknown > 0 {
            tracing::debug!(events = self.unknown, "unknown events were skipped");
        }
        let written = self.written();
        let (mut content, mut raw, mut refusal) = (Vec::new(), Vec::new(), String::new());
        for (n, item) in std::mem::take(&mut self.items).into_values().enumerate() {
            refusal.push_str(&item.refuses());
            let (read, item) = read(item, n, asked);
            content.extend(read);
            raw.push(item);
        }
        let called = content.iter().any(|content| matches!(content, Content::Call { .. }));
        let stop = match end {
            _ if !refusal.is_empty() => StopReason::Refusal(Clean::line(&refusal)),
            End::Completed if called => StopReason::Tools,
            End::Completed => StopReason::End,
            End::Incomplete(reason) => match reason.as_str() {
                "max_output_tokens" | "max_tokens" => StopReason::Length,
                "content_filter" => StopReason::Refusal("content filter".into()),
                other => StopReason::Other(Clean::line(if other.is_empty() { "incomplete" } else { other })),
            },
        };
        Ok(checked(self.meta.reply(content, json!({ OUTPUT: raw }), stop), written, self.meta.has_usage, asked))
    }

    fn so_far(&self) -> PartialAnswer {
        let texts = self.items.values().filter(|item| item.kind() == "message").map(Item::says);
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        PartialAnswer { text: texts.join("\n"), written: self.written(), usage: self.meta.usage }
    }

    fn written(&self) -> usize {
        self.items.values().map(Item::written).sum()
    }

    fn doing(&self) -> Doing {
        match self.items.values().next_back() {
            None => Doing::Waits,
            Some(item) if item.kind() == "reasoning" => Doing::Thinks,
            Some(_) => Doing::Answers,
        }
    }

    fn growing(&self) -> &str {
        let Some(item) = self.items.values().next_back() else { return "" };
        let grown = [&item.text, &item.refusal, &item.arguments, &item.thought];
        grown.into_iter().find(|text| !text.is_empty()).map(String::as_str).unwrap_or_default()
    }

    /// A model that reasons says so by an item without text.
    fn has_begun(&self) -> bool {
        !self.items.is_empty()
    }
}

fn protocol(what: &str) -> Trouble {
    Trouble::Protocol(what.to_owned())
}

/// A response that failed: its error, which some servers leave out.
fn failure(response: &Value) -> Trouble {
    let error = match &response["error"] {
        Value::Null => json!({"type": "server_error", "message": "the response failed, and no reason was given"}),
        error => error.clone(),
    };
    Trouble::Reported(json!({ "error": error, "request_id": response["id"] }))
}

impl Answer {
    fn names(&mut self, response: &Value) {
        for (field, value) in [(&mut self.meta.id, &response["id"]), (&mut self.meta.model, &response["model"])] {
            if let Some(value) = value.as_str().filter(|value| !value.is_empty()) {
                value.clone_into(field);
            }
        }
    }

    fn item_begins(&mut self, data: &Value) -> Result<(), Trouble> {
        let Value::Object(raw) = &data["item"] else { return Err(protocol("an item of it is none")) };
        let at = data["output_index"].as_u64().unwrap_or(self.items.len() as u64);
        let item = Item { raw: raw.clone(), ..Item::default() };
        if self.items.insert(at, item).is_some() {
            return Err(protocol("an item of it begins twice"));
        }
        Ok(())
    }

    fn open_item(&mut self, data: &Value) -> Result<&mut Item, Trouble> {
        let at = data["output_index"].as_u64().ok_or_else(|| protocol("an event of it names no item"))?;
        match self.items.get_mut(&at) {
            Some(item) if !item.whole => Ok(item),
            Some(_) => Err(protocol("an item of it goes on after its end")),
            None => Err(protocol("an item of it goes on that never began")),
        }
    }

    fn item_ends(&mut self, data: &Value, hear: Hear<'_>) -> Result<(), Trouble> {
        let Value::Object(raw) = &data["item"] else { return Err(protocol("an item of it is none")) };
        let at = data["output_index"].as_u64().ok_or_else(|| protocol("an event of it names no item"))?;
        let item = self.items.entry(at).or_default();
        if item.whole {
            return Err(protocol("an item of it ends twice"));
        }
        whole(item, raw.clone(), hear);
        Ok(())
    }

    /// Takes the last event: the whole response, in which items may be missing that were sent before.
    fn ends(&mut self, response: &Value, hear: Hear<'_>) -> Result<(), Trouble> {
        self.names(response);
        self.counts(&response["usage"]);
        let status = response["status"].as_str().unwrap_or("completed");
        for (at, raw) in response["output"].as_array().into_iter().flatten().enumerate() {
            let Value::Object(raw) = raw else { return Err(protocol("an item of it is none")) };
            let item = self.items.entry(at as u64).or_default();
            if !item.whole {
                whole(item, raw.clone(), hear);
            }
        }
        self.end = Some(match status {
            "incomplete" => {
                let reason = response["incomplete_details"]["reason"].as_str();
                End::Incomplete(reason.unwrap_or_default().to_owned())
            }
            _ => End::Completed,
        });
        Ok(())
    }

    /// This format includes cached input in the input.
    fn counts(&mut self, usage: &Value) {
        if !usage.is_object() {
            return;
        }
        let details = &usage["input_tokens_details"];
        let cache_read = count(details.get("cached_tokens"));
        let cache_write = count(details.get("cache_write_tokens"));
        let input = input_of(count(usage.get("input_tokens")), cache_read, cache_write);
        let answer = count(usage.get("output_tokens"));
        let reasoning = count(usage["output_tokens_details"].get("reasoning_tokens"));
        let beyond_input = count(usage.get("total_tokens")).saturating_sub(count(usage.get("input_tokens")));
        let output = output_tokens(answer, reasoning, beyond_input);
        self.meta.usage = Usage { output, reasoning, ..input };
        self.meta.has_usage = true;
    }
}

/// Puts the whole item in the place of its pieces. Text that did not come in pieces is heard now.
fn whole(item: &mut Item, raw: Map<String, Value>, hear: Hear<'_>) {
    let heard = item.text.len();
    item.raw = raw;
    item.whole = true;
    if heard == 0 && item.kind() == "message" {
        let text = item.says();
        if !text.is_empty() {
            hear.hears(Saying::Answer, text.as_str().into());
        }
    }
}

/// An item as content, and as it is sent back: if it was cut, with the part that had come.
fn read(mut item: Item, n: usize, asked: &Asked<'_>) -> (Option<Content>, Value) {
    let content = match item.kind() {
        "message" => {
            let text = item.says();
            if !item.whole {
                item.raw.insert("status".to_owned(), "incomplete".into());
                let part = json!({"type": "output_text", "text": text, "annotations": []});
                item.raw.insert("content".to_owned(), json!([part]));
            }
            (!text.is_empty()).then(|| Content::Text { text: text.as_str().into() })
        }
        "function_call" => {
            let name = Clean::line(item.field("name"));
            if item.field("call_id").is_empty() {
                item.raw.insert("call_id".to_owned(), format!("call_{}_{n}", asked.turn).into());
            }
            let text = item.calls().to_owned();
            let arguments = match item.whole {
                true => arguments(&text, &name, asked.request),
                false => {
                    item.raw.insert("status".to_owned(), "incomplete".into());
                    Arguments::Broken(text.as_str().into())
                }
            };
            item.raw.insert("arguments".to_owned(), text.into());
            Some(Content::Call { id: Clean::line(item.field("call_id")), name, arguments })
        }
        "reasoning" => Some(Content::Thinking { text: item.thinks().as_str().into() }),
        other => Some(Content::Other { kind: Clean::line(other) }),
    };
    (content, item.raw.into())
}
