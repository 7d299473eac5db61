//! Reads an Anthropic answer: message, blocks by index, cumulative usage, end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::profile::Format;
use crate::reader::{
    AnswerReader, Asked, Hear, Meta, PartialAnswer, Step, Trouble, arguments, checked, count, foreign,
};
use http_client::sse::Event;
use run::model::{Arguments, Content, Reply, StopReason, Usage};
use run::progress::{Doing, Saying};
use text::Clean;

#[derive(Debug, Default)]
pub(crate) struct Answer {
    meta: Meta,
    blocks: BTreeMap<u64, Block>,
    stop: Option<String>,
    details: Value,
    ended: bool,
    unknown: usize,
}

#[derive(Debug, Default)]
struct Block {
    raw: Map<String, Value>,
    /// Arguments of a call, in the pieces received so far.
    input: String,
    closed: bool,
    written: usize,
}

impl Block {
    fn kind(&self) -> &str {
        self.raw.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn text(&self, field: &str) -> &str {
        self.raw.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn push(&mut self, field: &str, piece: &str) {
        self.written += piece.len();
        match self.raw.get_mut(field) {
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                self.raw.insert(field.to_owned(), piece.into());
            }
        }
    }

    fn is_call(&self) -> bool {
        self.kind() == "tool_use"
    }
}

/// Events that the reader cannot do without: if one of them is not JSON, the answer is malformed.
const LOAD_BEARING: &[&str] =
    &["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "error"];

impl AnswerReader for Answer {
    fn event(&mut self, event: &Event, hear: Hear<'_>) -> Result<Step, Trouble> {
        if self.ended {
            return Ok(Step::Done);
        }
        let Ok(data) = serde_json::from_str::<Value>(&event.data) else {
            if event.name == "message_stop" {
                self.ended = true;
                return Ok(Step::Done);
            }
            if event.name.is_empty() || LOAD_BEARING.contains(&event.name.as_str()) {
                return Err(protocol("an event of it is not JSON"));
            }
            tracing::warn!(event = %Clean::line(&event.name), "an event that is not JSON was skipped");
            return Ok(Step::More);
        };
        let kind = data["type"].as_str().unwrap_or(&event.name);
        match kind {
            "message_start" => self.starts(&data["message"])?,
            "content_block_start" => self.block_starts(&data, hear)?,
            "content_block_delta" => self.block_grows(&data, hear)?,
            "content_block_stop" => {
                let block = self.open_block(&data)?;
                block.closed = true;
            }
            "message_delta" => {
                if let Some(stop) = data["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop.to_owned());
                    self.details = data["delta"]["stop_details"].clone();
                }
                self.takes(&data["usage"]);
            }
            "message_stop" => {
                self.ended = true;
                return Ok(Step::Done);
            }
            "error" => return Err(Trouble::Reported(data)),
            "ping" => {}
            // Some servers send errors in the OpenAI format.
            _ if data.get("error").is_some() => return Err(Trouble::Reported(data)),
            _ => match foreign(&data, Format::Anthropic) {
                Some(trouble) => return Err(trouble),
                None => self.unknown += 1,
            },
        }
        Ok(Step::More)
    }

    fn whole(&mut self, body: &Value, hear: Hear<'_>) -> Result<(), Trouble> {
        if body["type"] == "error" || body.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Trouble::Reported(body.clone()));
        }
        let Some(blocks) = body["content"].as_array() else {
            return Err(foreign(body, Format::Anthropic).unwrap_or_else(|| protocol("it holds no content")));
        };
        self.starts(body)?;
        for (index, block) in blocks.iter().enumerate() {
            let start = json!({"index": index, "content_block": block});
            self.block_starts(&start, hear)?;
            self.open_block(&start)?.closed = true;
        }
        self.stop = body["stop_reason"].as_str().map(str::to_owned);
        self.details = body["stop_details"].clone();
        self.meta.has_usage = body["usage"].is_object();
        self.ended = true;
        Ok(())
    }

    fn finish(&mut self, asked: &Asked<'_>) -> Result<Reply, Trouble> {
        // Only the very last event may be missing: everything before it has arrived.
        let stop = self.stop.take().ok_or(Trouble::Cut)?;
        if self.blocks.values().any(|block| !block.closed) {
            return Err(Trouble::Cut);
        }
        if self.unknown > 0 {
            tracing::debug!(events = self.unknown, "unknown events were skipped");
        }
        let written = self.written();
        let mut content = Vec::with_capacity(self.blocks.len());
        let mut raw = Vec::with_capacity(self.blocks.len());
        for (n, mut block) in std::mem::take(&mut self.blocks).into_values().enumerate() {
            content.push(read(&mut block, n, asked));
            raw.push(Value::Object(block.raw));
        }
        let called = content.iter().any(|content| matches!(content, Content::Call { .. }));
        let stop = reason(&stop, called, &self.details);
        Ok(checked(self.meta.reply(content, raw.into(), stop), written, self.meta.has_usage, asked))
    }

    fn so_far(&self) -> PartialAnswer {
        let texts = self.blocks.values().filter(|block| block.kind() == "text").map(|block| block.text("text"));
        PartialAnswer {
            text: texts.collect::<Vec<_>>().join("\n"),
            written: self.written(),
            // The first output count is a placeholder.
            usage: Usage { output: if self.meta.has_usage { self.meta.usage.output } else { 0 }, ..self.meta.usage },
        }
    }

    fn written(&self) -> usize {
        self.blocks.values().map(|block| block.written).sum()
    }

    fn doing(&self) -> Doing {
        match self.blocks.values().next_back().map(Block::kind) {
            None => Doing::Waits,
            Some("thinking" | "redacted_thinking") => Doing::Thinks,
            Some(_) => Doing::Answers,
        }
    }

    fn growing(&self) -> &str {
        let Some(block) = self.blocks.values().next_back() else { return "" };
        match block.kind() {
            "thinking" => block.text("thinking"),
            "text" => block.text("text"),
            _ => &block.input,
        }
    }

    /// Redacted thinking is a block without text.
    fn has_begun(&self) -> bool {
        !self.blocks.is_empty()
    }
}

fn protocol(what: &str) -> Trouble {
    Trouble::Protocol(what.to_owned())
}

impl Answer {
    fn starts(&mut self, message: &Value) -> Result<(), Trouble> {
        if !self.meta.id.is_empty() || !self.blocks.is_empty() {
            return Err(protocol("it begins twice"));
        }
        self.meta.id = message["id"].as_str().unwrap_or("unnamed").to_owned();
        self.meta.model = message["model"].as_str().unwrap_or_default().to_owned();
        self.takes(&message["usage"]);
        self.meta.has_usage = false;
        Ok(())
    }

    /// Usage is cumulative: a later count replaces an earlier one.
    fn takes(&mut self, usage: &Value) {
        if !usage.is_object() {
            return;
        }
        let told = |field: &str| usage.get(field).filter(|n| n.is_number()).map(|n| count(Some(n)));
        let known = &mut self.meta.usage;
        known.input = told("input_tokens").unwrap_or(known.input);
        known.cache_read = told("cache_read_input_tokens").unwrap_or(known.cache_read);
        if usage["cache_creation"].is_object() {
            known.cache_write_long = count(usage["cache_creation"].get("ephemeral_1h_input_tokens"));
        }
        if let Some(written) = told("cache_creation_input_tokens") {
            known.cache_write = written.saturating_sub(known.cache_write_long);
        }
        if usage["output_tokens_details"].is_object() {
            known.reasoning = count(usage["output_tokens_details"].get("thinking_tokens"));
        }
        if let Some(output) = told("output_tokens") {
            known.output = output;
            self.meta.has_usage = true;
        }
    }

    fn block_starts(&mut self, data: &Value, hear: Hear<'_>) -> Result<(), Trouble> {
        let index = data["index"].as_u64().unwrap_or(self.blocks.len() as u64);
        let Value::Object(raw) = &data["content_block"] else { return Err(protocol("a block of it is none")) };
        if self.blocks.contains_key(&index) {
            return Err(protocol("a block of it begins twice"));
        }
        let block = Block { raw: raw.clone(), ..Block::default() };
        if block.kind() == "text" && !block.text("text").is_empty() {
            hear.hears(Saying::Answer, block.text("text").into());
        }
        let input = if block.is_call() { raw.get("input").map_or(0, |input| input.to_string().len()) } else { 0 };
        let written = block.text("text").len() + block.text("thinking").len() + input;
        self.blocks.insert(index, Block { written, ..block });
        Ok(())
    }

    fn open_block(&mut self, data: &Value) -> Result<&mut Block, Trouble> {
        let index = data["index"].as_u64().ok_or_else(|| protocol("an event of it names no block"))?;
        match self.blocks.get_mut(&index) {
            Some(block) if !block.closed => Ok(block),
            Some(_) => Err(protocol("a block of it goes on after its end")),
            None => Err(protocol("a block of it goes on that never began")),
        }
    }

    fn block_grows(&mut self, data: &Value, hear: Hear<'_>) -> Result<(), Trouble> {
        let block = self.open_block(data)?;
        let delta = &data["delta"];
        let piece = |field: &str| delta[field].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                block.push("text", piece("text"));
                if !piece("text").is_empty() {
                    hear.hears(Saying::Answer, piece("text").into());
                }
            }
            "input_json_delta" => {
                block.input.push_str(piece("partial_json"));
                block.written += piece("partial_json").len();
                hear.hears(Saying::Arguments, piece("partial_json").into());
            }
            "thinking_delta" => {
                block.push("thinking", piece("thinking"));
                hear.hears(Saying::Thought, piece("thinking").into());
            }
            "signature_delta" => block.push("signature", piece("signature")),
            "citations_delta" => match block.raw.get_mut("citations") {
                Some(Value::Array(citations)) => citations.push(delta["citation"].clone()),
                _ => {
                    block.raw.insert("citations".to_owned(), json!([delta["citation"]]));
                }
            },
            _ => self.unknown += 1,
        }
        Ok(())
    }
}

/// A block as content. Arguments that came in pieces are joined.
fn read(block: &mut Block, n: usize, asked: &Asked<'_>) -> Content {
    match block.kind() {
        "text" => Content::Text { text: block.text("text").into() },
        "thinking" => Content::Thinking { text: block.text("thinking").into() },
        "redacted_thinking" => Content::Thinking { text: Clean::default() },
        "tool_use" => {
            let name = Clean::line(block.text("name"));
            if block.text("id").is_empty() {
                block.raw.insert("id".to_owned(), format!("call_{}_{n}", asked.turn).into());
            }
            let arguments = match block.raw.get("input") {
                Some(Value::Object(input)) if !input.is_empty() && block.input.is_empty() => {
                    Arguments::Whole(Value::Object(input.clone()))
                }
                _ => arguments(&block.input, &name, asked.request),
            };
            let input = match &arguments {
                Arguments::Whole(value) => value.clone(),
                // Kept as received; it is replaced when it is sent back.
                Arguments::Broken(_) => block.input.clone().into(),
            };
            block.raw.insert("input".to_owned(), input);
            Content::Call { id: Clean::line(block.text("id")), name, arguments }
        }
        other => Content::Other { kind: Clean::line(other) },
    }
}

fn reason(stop: &str, called: bool, details: &Value) -> StopReason {
    match stop {
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => {
            let reason = details["explanation"].as_str().or_else(|| details["category"].as_str());
            StopReason::Refusal(Clean::line(reason.unwrap_or_default()))
        }
        "pause_turn" => StopReason::Pause,
        "tool_use" | "end_turn" | "stop_sequence" if called => StopReason::Tools,
        "end_turn" | "stop_sequence" => StopReason::End,
        other => StopReason::Other(Clean::line(other)),
    }
}
