//! Reads the answers of all formats: the shared reader interface, and the checks that no answer is exempt from.

use serde_json::{Map, Value, json};

use super::profile::{Format, Quirks};
use super::schema;
use http_client::sse::Event;
use run::model::{Arguments, Content, ModelRequest, Reply, StopReason, Untouched, Usage};
use run::progress::{Doing, Saying};
use text::Clean;

/// Receives an answer as it arrives. A function that takes the text of answers is one.
pub trait Listener: Send + Sync {
    /// The first content has arrived: text, thinking or a tool call.
    fn begins(&self) {}
    /// A progress report, at intervals: the activity of the model, and the bytes written so far, thinking and arguments
    /// included.
    fn is_at(&self, _: Doing, _bytes: usize) {}
    /// More has arrived: of the answer, of the thinking before it, or of the arguments of a call.
    fn hears(&self, what: Saying, text: Clean);
}

impl<F: Fn(Clean) + Send + Sync> Listener for F {
    fn hears(&self, what: Saying, text: Clean) {
        if what == Saying::Answer {
            self(text);
        }
    }
}

pub(super) type Hear<'a> = &'a dyn Listener;

pub(super) trait AnswerReader: Send {
    /// Takes an event of the stream.
    fn event(&mut self, event: &Event, hear: Hear<'_>) -> Result<Step, Trouble>;
    /// Takes an answer that was not streamed.
    fn whole(&mut self, body: &Value, hear: Hear<'_>) -> Result<(), Trouble>;
    /// The answer, once everything has arrived.
    fn finish(&mut self, asked: &Asked<'_>) -> Result<Reply, Trouble>;
    /// The part of the answer that has arrived so far.
    fn so_far(&self) -> PartialAnswer;
    /// Bytes of everything the model wrote so far, thinking and arguments included.
    fn written(&self) -> usize;
    /// The present activity of the model.
    fn doing(&self) -> Doing {
        if self.has_begun() { Doing::Answers } else { Doing::Waits }
    }

    /// The text that grows now, of any kind: an answer, thinking, the arguments of a call.
    fn growing(&self) -> &str;
    /// Whether any content has arrived, even empty.
    fn has_begun(&self) -> bool {
        self.written() > 0
    }
}

/// The request, for checking the answer against it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// The request.
    pub request: &'a ModelRequest,
    /// The deviations of the provider from its format.
    pub quirks: &'a Quirks,
    /// The number of the answer in the conversation.
    pub turn: usize,
    /// Bytes of the request as sent.
    pub bytes: usize,
}

/// Whether more is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    More,
    Done,
}

/// The reason why there is no valid answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// It violates the protocol.
    Protocol(String),
    /// The server reports an error: its body.
    Reported(Value),
    /// It breaks off.
    Cut,
    /// It says the same again and again; the number of bytes in all.
    Repeats(usize),
    /// It goes far beyond the limit that was asked for; the number of bytes in all.
    Endless(usize),
}

/// The part of an answer that has arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PartialAnswer {
    /// The text that the person sees, without thinking.
    pub text: String,
    /// Bytes of all that the model wrote, thinking and arguments included.
    pub written: usize,
    /// The usage reported so far.
    pub usage: Usage,
}

impl PartialAnswer {
    /// The usage of an answer that broke off: input as reported, output at least as much as arrived. Impossible numbers count for
    /// nothing.
    pub fn usage(&self, asked: &Asked<'_>) -> Usage {
        let too_high = is_too_high(&self.usage, self.written, asked);
        let told = if too_high { Usage::default() } else { self.usage };
        let output = told.output.max(tokens_written(self.written, asked.request.max_tokens.into()));
        Usage { output, estimated: true, disbelieved: too_high, ..told }
    }
}

/// Whether a usage is above any server's possible count for a request and this many bytes of answer.
///
/// A token has at least one byte, and servers add few tokens of their own.
fn is_too_high(usage: &Usage, written: usize, asked: &Asked<'_>) -> bool {
    let most_input = asked.bytes as u64 + 16_384;
    let most_output = u64::from(asked.request.max_tokens).saturating_mul(4).saturating_add(65_536).max(written as u64);
    usage.input_total() > most_input || usage.output > most_output
}

/// More bytes than the tokens of any tokenizer have on average.
const MOST_BYTES: u64 = 64;

/// Estimates the tokens of this many bytes, rather too many than too few.
fn tokens_of(bytes: usize) -> u64 {
    bytes.div_ceil(2) as u64
}

/// A count as servers write it; 0 for anything else.
pub(super) fn count(value: Option<&Value>) -> u64 {
    let Some(value) = value else { return 0 };
    // A float out of range becomes the largest count, which `checked` discards later.
    value.as_u64().or_else(|| value.as_f64().map(|n| n as u64)).unwrap_or(0)
}

/// All tokens of an answer, reasoning included. `beyond_prompt` is the rest of the total beyond the prompt; 0 if no total is told.
///
/// OpenAI counts reasoning within the completion. xAI, and gateways over Gemini, count it beside: then the total is higher than
/// prompt and completion, or the reasoning longer than the completion it would be a part of.
pub(super) fn output_tokens(completion: u64, reasoning: u64, beyond_prompt: u64) -> u64 {
    let together = completion.saturating_add(reasoning);
    if reasoning > completion { together } else { beyond_prompt.clamp(completion, together) }
}

/// The arguments of a tool call, never repaired. Empty text means no arguments only if the tool
/// requires none.
pub(super) fn arguments(text: &str, tool: &str, request: &ModelRequest) -> Arguments {
    if text.trim().is_empty() {
        let offer = request.offers.iter().find(|offer| &*offer.name == tool);
        let is_enough = offer.is_some_and(|offer| schema::takes_empty(&offer.schema));
        return if is_enough { Arguments::Whole(json!({})) } else { Arguments::Broken(Clean::default()) };
    }
    whole_arguments(text)
}

/// Arguments as they stand, if they are a JSON object.
pub(super) fn whole_arguments(text: &str) -> Arguments {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => Arguments::Whole(value),
        _ => Arguments::Broken(text.into()),
    }
}

/// The trouble with an event or a body that is in another format than this one; None if it is in none that is known.
pub(super) fn foreign(data: &Value, own: Format) -> Option<Trouble> {
    let kind = data["type"].as_str().unwrap_or_default();
    let (format, like) = match data["object"].as_str().unwrap_or_default() {
        object if object.starts_with("chat.completion") => (Format::OpenAi, "openai-compatible"),
        "response" => (Format::Responses, "openai"),
        _ if kind.starts_with("response.") => (Format::Responses, "openai"),
        _ if kind == "message_start" || kind == "message" && data["content"].is_array() => {
            (Format::Anthropic, "anthropic")
        }
        _ => return None,
    };
    let why = format!("it is in the format of {format}: a server that speaks it is `like = \"{like}\"` in config.toml");
    (format != own).then_some(Trouble::Protocol(why))
}

/// The arguments of a call that is sent back.
pub(super) fn sendable(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Whole(value) => value.clone(),
        Arguments::Broken(text) => unreadable(text),
    }
}

/// Replaces malformed arguments when a call is sent back: servers reject the text itself.
pub(super) fn unreadable(text: &str) -> Value {
    json!({ "unreadable_arguments": text })
}

/// The facts that all formats report beside the content of an answer.
#[derive(Debug, Default)]
pub(super) struct Meta {
    /// The provider's id of the answer.
    pub id: String,
    /// The model that answered, as the provider calls it.
    pub model: String,
    /// The tokens used, as far as they were reported.
    pub usage: Usage,
    /// Whether the usage is that of the whole answer.
    pub has_usage: bool,
}

impl Meta {
    /// The whole answer; `raw` is the provider's own form of it, which later requests send back.
    pub fn reply(&self, content: Vec<Content>, raw: Value, stop: StopReason) -> Reply {
        Reply {
            content,
            raw: Untouched::from(raw),
            stop,
            usage: self.usage,
            served_by: Clean::line(&self.model),
            request_id: (!self.id.is_empty()).then(|| Clean::line(&self.id)),
            first_ms: 0,
            whole_ms: 0,
            recorded: None,
        }
    }
}

/// The input of a usage that counts cached tokens in the prompt's. More cached tokens than the prompt has are impossible: then all of
/// it counts as not cached.
pub(super) fn input_of(prompt: u64, cache_read: u64, cache_write: u64) -> Usage {
    match prompt.checked_sub(cache_read.saturating_add(cache_write)) {
        Some(input) => Usage { input, cache_read, cache_write, ..Usage::default() },
        None => Usage { input: prompt, estimated: true, disbelieved: true, ..Usage::default() },
    }
}

/// The answer with corrections: a call that the length limit may have cut is broken, and an implausible usage becomes
/// an estimate.
pub(super) fn checked(mut reply: Reply, written: usize, has_usage: bool, asked: &Asked<'_>) -> Reply {
    let max_tokens = u64::from(asked.request.max_tokens);
    let broken = reply.calls().any(|(_, _, arguments)| matches!(arguments, Arguments::Broken(_)));
    if broken && has_usage && reply.usage.output >= max_tokens {
        // Some servers report a complete call when it hit the limit.
        reply.stop = StopReason::Length;
    }
    if reply.stop == StopReason::Length
        && let Some(Content::Call { arguments, .. }) = reply.content.last_mut()
        && let Arguments::Whole(value) = arguments
    {
        *arguments = Arguments::Broken(value.to_string().into());
    }
    // No text has tokens of MOST_BYTES each.
    let (input, output) = (reply.usage.input_total(), reply.usage.output);
    let too_high = is_too_high(&reply.usage, written, asked);
    let no_input = !has_usage || input < asked.bytes as u64 / MOST_BYTES;
    let no_output = !has_usage || output < (written as u64).div_ceil(MOST_BYTES);
    if too_high || no_input || no_output {
        let told = if too_high { Usage::default() } else { reply.usage };
        let output = if no_output || too_high { tokens_written(written, max_tokens) } else { output };
        let usage = Usage { output, estimated: true, disbelieved: has_usage, reasoning: 0, ..told };
        reply.usage = match too_high || no_input {
            // Cached tokens are a part of the input, whose count is impossible.
            true => {
                Usage { input: tokens_of(asked.bytes), cache_read: 0, cache_write: 0, cache_write_long: 0, ..usage }
            }
            false => usage,
        };
    }
    reply
}

/// Estimates the tokens of a written answer: no more than its limit, unless the text shows that the limit was not kept.
fn tokens_written(bytes: usize, max_tokens: u64) -> u64 {
    tokens_of(bytes).min(max_tokens).max(bytes as u64 / 8)
}

/// Merges a streamed field into the fields so far: text is appended, lists grow, other values are replaced.
pub(super) fn merge(fields: &mut Map<String, Value>, key: &str, value: &Value) {
    match (fields.get_mut(key), value) {
        (_, Value::Null) => {}
        (Some(Value::String(text)), Value::String(more)) => text.push_str(more),
        (Some(Value::Array(items)), Value::Array(more)) => more.iter().for_each(|item| grow(items, item)),
        _ => {
            fields.insert(key.to_owned(), value.clone());
        }
    }
}

/// A list item continues the last one if both have the same `index` and `type`.
fn grow(items: &mut Vec<Value>, item: &Value) {
    let place = |item: &Value| Some((item.get("index")?.clone(), item.get("type").cloned()));
    match (items.last_mut(), item) {
        (Some(last), Value::Object(more)) if place(item).is_some() && place(last) == place(item) => {
            let Some(last) = last.as_object_mut() else { return };
            for (key, value) in more {
                let goes_on = matches!(key.as_str(), "text" | "summary" | "data");
                match (goes_on, last.get_mut(key), value) {
                    (true, Some(Value::String(text)), Value::String(more)) => text.push_str(more),
                    (_, _, Value::Null) => {}
                    _ => {
                        last.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        _ => items.push(item.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::model::{Form, Offer};

    fn request() -> ModelRequest {
        let offer = |name: &str, required: Value| Offer {
            name: name.into(),
            description: "".into(),
            schema: json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": required}).into(),
        };
        ModelRequest {
            model: "a/b".parse().unwrap(),
            afresh: true,
            said: vec![],
            offers: vec![offer("read", json!(["a"])), offer("list", json!([]))].into(),
            form: Form::Free,
            max_tokens: 100,
            thinking: Default::default(),
        }
    }

    #[test]
    fn arguments_are_never_repaired() {
        let request = request();
        for broken in ["", "{", "{\"a\": \"b", "null", "[]", "\"a\"", "{\"a\":1} {\"a\":2}", "{'a': 1}"] {
            assert!(matches!(arguments(broken, "read", &request), Arguments::Broken(_)), "{broken}");
        }
        assert_eq!(arguments("", "list", &request), Arguments::Whole(json!({})));
        assert!(matches!(arguments("", "unknown", &request), Arguments::Broken(_)));
        assert_eq!(arguments("{\"a\":\"b\"}", "read", &request), Arguments::Whole(json!({"a": "b"})));
    }

    fn reply(stop: StopReason, arguments: Arguments, usage: Usage) -> Reply {
        let call = Content::Call { id: "1".into(), name: "read".into(), arguments };
        Reply {
            content: vec![call],
            raw: Untouched::default(),
            stop,
            usage,
            served_by: "".into(),
            request_id: None,
            first_ms: 0,
            whole_ms: 0,
            recorded: None,
        }
    }

    #[test]
    fn a_call_that_the_limit_may_have_cut_is_broken() {
        let request = request();
        let quirks = Quirks::default();
        let asked = Asked { request: &request, quirks: &quirks, turn: 1, bytes: 400 };
        let whole = || Arguments::Whole(json!({"a": "b"}));
        let usage = Usage { input: 10, output: 100, ..Usage::default() };
        let cut = checked(reply(StopReason::Length, whole(), usage), 10, true, &asked);
        assert!(matches!(cut.calls().next().unwrap().2, Arguments::Broken(_)));
        let lied = checked(reply(StopReason::Tools, Arguments::Broken("{".into()), usage), 10, true, &asked);
        assert_eq!(lied.stop, StopReason::Length);
        let fine = checked(reply(StopReason::Tools, whole(), usage), 10, true, &asked);
        assert_eq!((fine.stop, fine.usage), (StopReason::Tools, usage));
    }

    #[test]
    fn a_usage_that_cannot_be_is_an_estimate() {
        let request = request();
        let quirks = Quirks::default();
        let asked = Asked { request: &request, quirks: &quirks, turn: 1, bytes: 400 };
        let estimate = Usage { input: 200, output: 5, estimated: true, disbelieved: true, ..Usage::default() };
        for absurd in [
            Usage { input: u64::MAX, output: 1, ..Usage::default() },
            Usage { input: 1, output: u64::MAX, ..Usage::default() },
            Usage { cache_read: u64::MAX, input: u64::MAX, ..Usage::default() },
        ] {
            let checked = checked(reply(StopReason::End, Arguments::Broken("".into()), absurd), 10, true, &asked);
            assert_eq!(checked.usage, estimate);
        }
        let reply_of = |usage| reply(StopReason::End, Arguments::Broken("".into()), usage);
        let reply = |usage| checked(reply_of(usage), 1_000, true, &asked).usage;
        let (input, output) = (200, 125);
        for (what, told, expected) in [
            ("nothing at all", (0, 0), (input, output, true)),
            ("no input", (0, 300), (input, 300, true)),
            ("less input than there are words", (5, 300), (input, 300, true)),
            ("no output", (90, 0), (90, output, true)),
            ("less output than there are words", (90, 10), (90, output, true)),
            ("what may be", (90, 300), (90, 300, false)),
        ] {
            let usage = reply(Usage { input: told.0, output: told.1, ..Usage::default() });
            assert_eq!((usage.input, usage.output, usage.estimated), expected, "{what}");
            assert_eq!(usage.disbelieved, usage.estimated, "{what}");
        }
        let untold = checked(reply_of(Usage::default()), 1_000, false, &asked).usage;
        assert!(untold.estimated && !untold.disbelieved, "what was not reported is not disbelieved: {untold:?}");
        // An answer that broke off is billed for the text that arrived, with any report on it.
        let broken = |input| {
            let usage = Usage { input, output: 1, ..Usage::default() };
            PartialAnswer { text: String::new(), written: 100, usage }.usage(&asked)
        };
        assert_eq!((broken(90).input, broken(90).disbelieved), (90, false));
        let absurd = broken(1_000_000_000_000_000_000);
        assert_eq!((absurd.input, absurd.output, absurd.disbelieved), (0, 50, true));
        assert_eq!(count(Some(&json!(-3))), 0);
        assert_eq!(count(Some(&json!("12"))), 0);
        assert_eq!(count(Some(&json!(12.0))), 12);
    }
}
