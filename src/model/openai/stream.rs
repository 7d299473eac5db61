//! Reads an OpenAI answer: pieces of one message, usage in any chunk, an optional end marker.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::calls::Calls;
use crate::profile::Format;
use crate::reader::{
    AnswerReader, Asked, Hear, Meta, PartialAnswer, Step, Trouble, checked, count, foreign, input_of, merge,
    output_tokens,
};
use http_client::sse::Event;
use run::budget::Money;
use run::model::{Content, Reply, StopReason, Usage};
use run::progress::{Doing, Saying};
use text::Clean;

#[derive(Debug, Default)]
pub(crate) struct Answer {
    meta: Meta,
    text: String,
    /// Content that came as typed pieces, for sending back.
    pieces: Vec<Value>,
    refusal: String,
    calls: Calls,
    /// All other fields of the message.
    other_fields: Map<String, Value>,
    finish: Option<String>,
    cost: Option<Money>,
    ended: bool,
    seen: bool,
    /// Tokens of the prompt that were read, and all of them, where the server tells.
    reading: Option<(u64, u64)>,
}

/// The usual event of a stream: a piece of text, and nothing else that counts. It is read where it stands; any other event is
/// read as a [`Value`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Usual<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    choices: [UsualChoice<'a>; 1],
    #[serde(default, rename = "object")]
    _object: IgnoredAny,
    #[serde(default, rename = "created")]
    _created: IgnoredAny,
    #[serde(default, rename = "system_fingerprint")]
    _system_fingerprint: IgnoredAny,
    #[serde(default, rename = "service_tier")]
    _service_tier: IgnoredAny,
    #[serde(default)]
    usage: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsualChoice<'a> {
    index: u32,
    #[serde(borrow)]
    delta: UsualDelta<'a>,
    #[serde(default, rename = "logprobs")]
    _logprobs: IgnoredAny,
    #[serde(default)]
    finish_reason: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsualDelta<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(default, rename = "role")]
    _role: IgnoredAny,
}

impl Usual<'_> {
    fn read(data: &str) -> Option<Usual<'_>> {
        // A list would be read field by field.
        let usual: Usual<'_> = serde_json::from_str(data).ok().filter(|_| data.trim_start().starts_with('{'))?;
        let choice = &usual.choices[0];
        (usual.usage.is_none() && choice.index == 0 && choice.finish_reason.is_none()).then_some(usual)
    }
}

/// Fields with the model's thinking, by server.
const THINKING: &[&str] = &["reasoning_content", "reasoning"];

impl AnswerReader for Answer {
    fn event(&mut self, event: &Event, hear: Hear<'_>) -> Result<Step, Trouble> {
        if self.ended {
            return Ok(Step::Done);
        }
        if event.data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(Step::Done);
        }
        if let Some(usual) = Usual::read(&event.data) {
            self.takes_usual(&usual, hear);
            return Ok(Step::More);
        }
        let data: Value = serde_json::from_str(&event.data)
            .map_err(|_| Trouble::Protocol("an event of it is not JSON".to_owned()))?;
        self.takes(&data, "delta", hear)?;
        Ok(Step::More)
    }

    fn whole(&mut self, body: &Value, hear: Hear<'_>) -> Result<(), Trouble> {
        self.takes(body, "message", hear)?;
        if !self.seen {
            return Err(Trouble::Protocol("it holds no choices".to_owned()));
        }
        self.finish.get_or_insert_with(String::new);
        self.ended = true;
        Ok(())
    }

    fn finish(&mut self, asked: &Asked<'_>) -> Result<Reply, Trouble> {
        // The end marker is optional once the finish reason has arrived.
        let finish = match self.finish.take() {
            Some(finish) => finish,
            None if self.ended && self.seen => String::new(),
            None => return Err(Trouble::Cut),
        };
        let written = self.written();
        let mut content = Vec::new();
        let thought = self.thought();
        if !thought.is_empty() {
            content.push(Content::Thinking { text: thought.as_str().into() });
        }
        if !self.text.is_empty() {
            content.push(Content::Text { text: self.text.as_str().into() });
        }
        let called = !self.calls.is_empty();
        let (calls, raw_calls) = std::mem::take(&mut self.calls).finish(asked);
        content.extend(calls);
        let mut raw = std::mem::take(&mut self.other_fields);
        let pieces = std::mem::take(&mut self.pieces);
        let raw_content = if pieces.is_empty() { self.text.as_str().into() } else { Value::Array(pieces) };
        raw.insert("role".to_owned(), "assistant".into());
        raw.insert("content".to_owned(), raw_content);
        if called {
            raw.insert("tool_calls".to_owned(), raw_calls.into());
        }
        let stop = reason(&finish, called, &self.refusal);
        let mut reply = checked(self.meta.reply(content, raw.into(), stop), written, self.meta.has_usage, asked);
        reply.usage.cost = self.cost.filter(|_| asked.quirks.tells_cost);
        Ok(reply)
    }

    fn so_far(&self) -> PartialAnswer {
        PartialAnswer { text: self.text.clone(), written: self.written(), usage: self.meta.usage }
    }

    fn doing(&self) -> Doing {
        match (self.reading, self.text.is_empty() && self.refusal.is_empty() && self.calls.is_empty()) {
            (_, false) => Doing::Answers,
            (_, true) if !self.growing().is_empty() => Doing::Thinks,
            (Some((done, all)), true) => Doing::Reads { done, all },
            (None, true) => Doing::Waits,
        }
    }

    fn growing(&self) -> &str {
        let thought = || THINKING.iter().find_map(|name| self.other_fields.get(*name)?.as_str());
        match self.calls.last() {
            Some(arguments) => arguments,
            None if !self.text.is_empty() => &self.text,
            None if !self.refusal.is_empty() => &self.refusal,
            None => thought().unwrap_or_default(),
        }
    }

    fn written(&self) -> usize {
        self.text.len() + self.refusal.len() + self.calls.written() + self.thought().len()
    }
}

impl Answer {
    fn takes_usual(&mut self, usual: &Usual<'_>, hear: Hear<'_>) {
        for (field, value) in [(&mut self.meta.id, &usual.id), (&mut self.meta.model, &usual.model)] {
            if !value.is_empty() && field.as_str() != &**value {
                field.clear();
                field.push_str(value);
            }
        }
        self.seen = true;
        self.says_text(&usual.choices[0].delta.content, hear);
    }

    fn says_text(&mut self, text: &str, hear: Hear<'_>) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        hear.hears(Saying::Answer, text.into());
        if !self.pieces.is_empty() {
            self.adds(&serde_json::json!({"type": "text", "text": text}));
        }
    }

    fn takes(&mut self, data: &Value, message: &str, hear: Hear<'_>) -> Result<(), Trouble> {
        let failed = |error: &Value| !error.is_null();
        if data.get("error").is_some_and(failed) || data["x_groq"].get("error").is_some_and(failed) || data.is_array() {
            let body = if data["x_groq"]["error"].is_null() { data } else { &data["x_groq"] };
            return Err(Trouble::Reported(body.clone()));
        }
        for (field, value) in [(&mut self.meta.id, &data["id"]), (&mut self.meta.model, &data["model"])] {
            if let Some(value) = value.as_str().filter(|value| !value.is_empty()) {
                value.clone_into(field);
            }
        }
        if let Some(progress) = data.get("prompt_progress").filter(|progress| progress.is_object()) {
            self.reading = Some((count(progress.get("processed")), count(progress.get("total"))));
        }
        self.counts(&data["usage"]);
        self.counts(&data["x_groq"]["usage"]);
        // The usage chunk has no choices. Only one choice was requested: others are ignored.
        let choices = data["choices"].as_array();
        if choices.is_none()
            && let Some(trouble) = foreign(data, Format::OpenAi)
        {
            return Err(trouble);
        }
        let Some(choice) = choices.and_then(|choices| choices.iter().find(|choice| count(choice.get("index")) == 0))
        else {
            return Ok(());
        };
        self.seen = true;
        if let Value::Object(fields) = &choice[message] {
            fields.iter().for_each(|(field, value)| self.adds_field(field, value, hear));
        }
        match choice["finish_reason"].as_str() {
            None => {}
            // The server gave up, although the choice may say more.
            Some(reason @ ("error" | "insufficient_system_resource")) => {
                return Err(Trouble::Reported(serde_json::json!({"error": {"type": reason, "message": reason}})));
            }
            Some(reason) => self.finish = Some(reason.to_owned()),
        }
        Ok(())
    }

    /// One field of a message, or of a piece of it.
    fn adds_field(&mut self, field: &str, value: &Value, hear: Hear<'_>) {
        match field {
            "role" => {}
            "content" => self.says(value, hear),
            "refusal" => self.refusal.push_str(value.as_str().unwrap_or_default()),
            "tool_calls" => {
                for call in value.as_array().into_iter().flatten() {
                    self.calls.take(call);
                    if let Some(arguments) = call["function"]["arguments"].as_str() {
                        hear.hears(Saying::Arguments, arguments.into());
                    }
                }
            }
            "reasoning_content" | "reasoning" => {
                if let Some(thought) = value.as_str() {
                    hear.hears(Saying::Thought, thought.into());
                }
                merge(&mut self.other_fields, field, value);
            }
            _ => merge(&mut self.other_fields, field, value),
        }
    }

    /// Content is a string or a list of typed pieces.
    fn says(&mut self, content: &Value, hear: Hear<'_>) {
        match content {
            Value::String(text) => self.says_text(text, hear),
            Value::Array(pieces) => {
                for piece in pieces {
                    if let Some(text) = piece["text"].as_str().filter(|_| piece["type"] == "text") {
                        self.text.push_str(text);
                        hear.hears(Saying::Answer, text.into());
                    }
                    self.adds(piece);
                }
            }
            _ => {}
        }
    }

    /// Consecutive pieces of one kind are joined, in place: a stream may have very many.
    fn adds(&mut self, piece: &Value) {
        let Some(last) = self.pieces.last_mut().filter(|last| last["type"] == piece["type"]) else {
            return self.pieces.push(piece.clone());
        };
        if let (Some(Value::String(text)), Value::String(more)) = (last.get_mut("text"), &piece["text"]) {
            return text.push_str(more);
        }
        match (last.get_mut("thinking"), &piece["thinking"]) {
            (Some(Value::Array(thought)), Value::Array(more)) => thought.extend(more.iter().cloned()),
            _ => self.pieces.push(piece.clone()),
        }
    }

    /// The model's thinking, if shown. Some servers send it twice, under two names.
    fn thought(&self) -> String {
        let field = |name: &&str| self.other_fields.get(*name).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(text) = THINKING.iter().find_map(field) {
            return text.to_owned();
        }
        let thoughts = self.pieces.iter().filter(|piece| piece["type"] == "thinking");
        let parts = thoughts.flat_map(|piece| piece["thinking"].as_array().into_iter().flatten());
        parts.filter_map(|part| part["text"].as_str()).collect()
    }

    /// Counts are for the whole answer, however often they come. This format includes cached input in the input.
    fn counts(&mut self, usage: &Value) {
        if !usage.is_object() {
            return;
        }
        let details = &usage["prompt_tokens_details"];
        let cached = details.get("cached_tokens").filter(|n| n.is_number()).or(usage.get("prompt_cache_hit_tokens"));
        let cache_read = count(cached);
        let cache_write = count(details.get("cache_write_tokens"));
        let input = input_of(count(usage.get("prompt_tokens")), cache_read, cache_write);
        let completion = count(usage.get("completion_tokens"));
        let reasoning = count(usage["completion_tokens_details"].get("reasoning_tokens"));
        let beyond_prompt = count(usage.get("total_tokens")).saturating_sub(count(usage.get("prompt_tokens")));
        let output = output_tokens(completion, reasoning, beyond_prompt);
        self.meta.usage = Usage { output, reasoning, ..input };
        self.meta.has_usage = true;
        self.cost = told_cost(usage).or(self.cost);
    }
}

/// The cost that the provider tells, if it tells it whole. With the user's own key at the provider behind a gateway (`is_byok`),
/// `cost` is the gateway's fee only, and the bill is told beside it: <https://openrouter.ai/docs/use-cases/usage-accounting>.
fn told_cost(usage: &Value) -> Option<Money> {
    let told = |amount: &Value| amount.as_f64().and_then(dollars);
    let cost = told(&usage["cost"])?;
    if usage["is_byok"] != true {
        return Some(cost);
    }
    let bill = told(&usage["cost_details"]["upstream_inference_cost"])?;
    Some(Money(cost.0 + bill.0))
}

/// Dollars as pico-dollars; None for an amount that no single call can cost.
fn dollars(amount: f64) -> Option<Money> {
    const MOST: f64 = 1_000.0;
    (0.0..=MOST).contains(&amount).then(|| Money((amount * 1e12).round() as u64))
}

/// The stop reason. Servers disagree about it: whether tools are called is read off the calls.
fn reason(finish: &str, called: bool, refusal: &str) -> StopReason {
    match finish {
        "length" | "max_tokens" | "model_length" => StopReason::Length,
        "content_filter" => {
            StopReason::Refusal(Clean::line(if refusal.is_empty() { "content filter" } else { refusal }))
        }
        _ if !refusal.is_empty() => StopReason::Refusal(Clean::line(refusal)),
        "" | "stop" | "eos" | "end_turn" | "tool_calls" | "function_call" if called => StopReason::Tools,
        "stop" | "eos" | "end_turn" => StopReason::End,
        "" => StopReason::Other("none".into()),
        other => StopReason::Other(Clean::line(other)),
    }
}
