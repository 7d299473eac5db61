//! OpenTelemetry traces as OTLP JSON or protobuf: the GenAI conventions, old and new, OpenInference, and what others write.
//!
//! Spans are read one by one, so that a file of any size costs what its spans cost, and a file that is cut costs its end.

mod protobuf;

use std::collections::BTreeMap;
use std::fmt;

use run::foreign::{Format, Note, NoteKind, Origin};
use run::model::{Arguments, Content, Said, Stop, ToolAnswer, Usage};
use run::tool::CleanJson;
use run::{Money, Payload};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use text::Clean;

use super::langfuse::{self, Observation};
use super::story::{Story, Unknown, kept};
use super::told::{self, dollars, number, shown};
use super::tree::{Kind, Node, Spoke, Spoken, Trace, Worker};
use super::{Importer, Malformed, Unread};

/// Traces, as far as they have been read.
#[derive(Debug, Default)]
pub struct Otlp {
    traces: BTreeMap<String, Trace>,
    logs: u64,
    unknown: Unknown,
    /// Spans without an id.
    unread_spans: usize,
}

impl Otlp {
    /// Takes in a document in JSON.
    pub(crate) fn document(&mut self, bytes: &[u8]) -> Result<(), serde_json::Error> {
        let mut from = serde_json::Deserializer::from_slice(bytes);
        Level { spans: self, level: 0, service: None }.deserialize(&mut from)?;
        from.end()
    }

    /// Takes in a document as protobuf.
    pub(crate) fn protobuf(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        protobuf::spans(bytes, false, &mut |span, service| self.take(span, service))
    }

    pub(crate) fn traces(&self) -> &BTreeMap<String, Trace> {
        &self.traces
    }

    pub(crate) fn into_traces(self) -> BTreeMap<String, Trace> {
        self.traces
    }

    /// Spans without an id.
    pub(crate) fn unread_spans(&self) -> usize {
        self.unread_spans
    }

    /// The origin of a trace of which nothing else is known.
    pub(crate) fn origin(id: &str, trace: &Trace) -> Origin {
        let (version, unknown, remarks) = Default::default();
        let records = trace.nodes.len() as u64;
        Origin { format: Format::Otlp, id: Clean::line(id), version, records, unread: 0, unknown, remarks }
    }

    fn take(&mut self, span: Span, service: &Clean) {
        if span.id.is_empty() {
            self.unread_spans += 1;
            return self.unknown.count("span without an id");
        }
        if !self.traces.contains_key(&span.trace) {
            self.traces.insert(span.trace.clone(), Trace::default());
        }
        // It was put there if it was not.
        let Some(trace) = self.traces.get_mut(&span.trace) else { return };
        if trace.service.is_empty() {
            trace.service = service.clone();
        }
        trace.insert(node(span));
    }
}

/// A span as either form tells it.
#[derive(Default)]
struct Span {
    id: String,
    trace: String,
    parent: Option<String>,
    name: Clean,
    /// When it began and ended, in nanoseconds since 1970; None where that is not told.
    start: Option<i128>,
    end: Option<i128>,
    attributes: Attributes,
    /// Its events by their names.
    events: Vec<(String, Attributes)>,
    /// The message of its status, and whether the status is an error.
    message: Option<Clean>,
    is_error: bool,
    flags: u64,
}

impl Span {
    fn of_json(span: &Value) -> Span {
        let nanos = |field: &str| {
            span.get(field).and_then(|value| match value {
                Value::String(text) => text.trim().parse::<i128>().ok(),
                other => number(other).map(i128::from),
            })
        };
        let nanos = |field: &str| nanos(field).filter(|at| *at > 0);
        let status = span.get("status");
        let code = status.and_then(|status| status.get("code"));
        let events = span.get("events").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Span {
            id: hex(told::text(span, "spanId").unwrap_or_default()),
            trace: hex(told::text(span, "traceId").unwrap_or_default()),
            parent: told::text(span, "parentSpanId").map(hex),
            name: Clean::line(told::text(span, "name").unwrap_or_default()),
            start: nanos("startTimeUnixNano"),
            end: nanos("endTimeUnixNano"),
            attributes: Attributes(attributes(span)),
            events: events
                .iter()
                .filter_map(|event| Some((told::text(event, "name")?.to_owned(), Attributes(attributes(event)))))
                .collect(),
            message: status.and_then(|status| told::text(status, "message")).map(Clean::new),
            is_error: code.is_some_and(|code| number(code) == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR")),
            flags: told::count(span, "flags"),
        }
    }
}

impl Importer for Otlp {
    fn record(&mut self, _file: &str, bytes: &[u8]) -> Result<(), Unread> {
        self.document(bytes).map_err(|_| Unread)
    }

    fn message(&mut self, bytes: &[u8], is_cut: bool) -> Result<(), Unread> {
        let read = protobuf::spans(bytes, is_cut, &mut |span, service| self.take(span, service));
        // Cut between two spans, what there is can be read to its end.
        if read.is_err() || is_cut { Err(Unread) } else { Ok(()) }
    }

    fn stories(self: Box<Self>) -> Vec<Story> {
        let Otlp { traces, logs, unknown, .. } = *self;
        let stories = traces.into_iter().filter_map(|(id, trace)| {
            let mut origin = Otlp::origin(&id, &trace);
            if logs > 0 {
                origin.remarks.push("logs were left out: the traces tell of the same work".into());
            }
            origin.unknown = unknown.0.clone();
            trace.story(origin)
        });
        stories.collect()
    }
}

/// The lists that spans stand in, by level.
const LISTS: [&[&str]; 3] = [&["resourceSpans"], &["scopeSpans", "instrumentationLibrarySpans"], &["spans"]];

/// One level of a document: an object with a list of the next level in it.
struct Level<'a> {
    spans: &'a mut Otlp,
    level: usize,
    service: Option<Clean>,
}

impl Level<'_> {
    /// Says that something stood here that is no object.
    fn has_no_spans<E>(self) -> Result<(), E> {
        self.spans.unknown.count("record without spans");
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document of traces")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if LISTS[self.level].contains(&key.as_str()) {
                let (level, service) = (self.level + 1, self.service.clone());
                map.next_value_seed(List { spans: self.spans, level, service })?;
            } else if key == "resource" && self.level == 1 {
                let resource: Value = map.next_value()?;
                self.service = service_of(&attributes(&resource));
            } else {
                match key.as_str() {
                    "resourceLogs" => self.spans.logs += 1,
                    other if self.level == 0 => self.spans.unknown.count(other),
                    _ => {}
                }
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Level { spans, level, service } = self;
        while list.next_element_seed(Level { spans: &mut *spans, level, service: service.clone() })?.is_some() {}
        Ok(())
    }
}

/// A list of one level.
struct List<'a> {
    spans: &'a mut Otlp,
    level: usize,
    service: Option<Clean>,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if self.level < LISTS.len() {
            let List { spans, level, service } = self;
            return Level { spans, level, service }.deserialize(from);
        }
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of spans")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let service = self.service.unwrap_or_default();
        while let Some(span) = list.next_element::<Value>()? {
            self.spans.take(Span::of_json(&span), &service);
        }
        Ok(())
    }
}

/// An id in hexadecimal; exporters that follow the protobuf mapping write base64.
fn hex(id: &str) -> String {
    if id.bytes().all(|byte| byte.is_ascii_hexdigit()) && matches!(id.len(), 16 | 32) {
        return id.to_ascii_lowercase();
    }
    base64(id)
        .filter(|bytes| matches!(bytes.len(), 8 | 16))
        .map_or_else(|| Clean::line(id).to_string(), |bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut n) = (0u32, 0);
    for c in text.trim_end_matches('=').bytes() {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        n += 6;
        if n >= 8 {
            n -= 8;
            bytes.push(u8::try_from(bits >> n & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// A value as OTLP wraps it.
fn unwrapped(value: &Value) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|object| object.iter().next()) else { return Value::Null };
    match kind.as_str() {
        "intValue" => number(inner).map_or_else(|| inner.clone(), Value::from),
        "arrayValue" => list(inner).map(|list| list.iter().map(unwrapped).collect()).unwrap_or_default(),
        "kvlistValue" => Value::Object(pairs(inner.get("values"))),
        _ => inner.clone(),
    }
}

fn list(value: &Value) -> Option<&Vec<Value>> {
    value.get("values")?.as_array()
}

fn pairs(list: Option<&Value>) -> Map<String, Value> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let pair = |pair: &Value| Some((pair.get("key")?.as_str()?.to_owned(), unwrapped(pair.get("value")?)));
    list.iter().filter_map(pair).collect()
}

fn attributes(of: &Value) -> Map<String, Value> {
    pairs(of.get("attributes"))
}

/// The name of the program that a resource describes.
fn service_of(resource: &Map<String, Value>) -> Option<Clean> {
    resource.get("service.name").map(|name| Clean::line(&shown(name)))
}

/// The bit of a span's flags that says that its parent is of another process.
const PARENT_IS_REMOTE: u64 = 0x200;

/// The attributes of a span, asked for by all the names that one thing goes by.
#[derive(Default)]
struct Attributes(Map<String, Value>);

impl Attributes {
    fn first(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.0.get(*name)).filter(|value| !value.is_null())
    }

    fn text(&self, names: &[&str]) -> Option<Clean> {
        self.first(names).map(|value| Clean::line(&shown(value))).filter(|text| !text.is_empty())
    }

    fn count(&self, names: &[&str]) -> Option<u64> {
        self.first(names).and_then(number)
    }
}

fn node(mut span: Span) -> Node {
    span.parent = span.parent.filter(|id| !id.bytes().all(|byte| byte == b'0'));
    let observation = langfuse::of_span(&span.attributes.0, span.start);
    let kind = kind(&span, observation.as_ref());
    let Span { id, parent, name, start, end, attributes, events, message, is_error, flags, .. } = span;
    let exception = events.iter().find(|(name, _)| name == "exception").and_then(|(_, told)| {
        told.0.get("exception.message").or_else(|| told.0.get("exception.type")).map(|text| Clean::new(&shown(text)))
    });
    let error = attributes.text(&["error.type"]);
    let why =
        || message.or(exception).or_else(|| error.clone()).unwrap_or_else(|| "it failed, and says no more".into());
    let failed = (is_error || error.is_some()).then(why).or_else(|| observation?.failed());
    Node {
        id: id.into(),
        parent: parent.map(Into::into),
        is_called_from_elsewhere: flags & PARENT_IS_REMOTE != 0,
        agent: attributes.text(&["gen_ai.agent.name", "agent.name"]).unwrap_or_default(),
        name,
        start: start.unwrap_or(0),
        end,
        failed,
        kind,
    }
}

/// The kind of a span, by its own conventions before those that were added to it.
fn kind(span: &Span, observation: Option<&Observation>) -> Kind {
    let Span { attributes, name, .. } = span;
    let word = |names: &[&str]| attributes.text(names).map(|word| word.to_lowercase());
    // Spans of this program that are no work of anybody's.
    match word(&["masthead.kind"]).as_deref() {
        Some("run" | "attempt") => return Kind::Other,
        Some("gate") => {
            let passed = attributes.first(&["masthead.gate.passed"]).and_then(Value::as_bool) == Some(true);
            let (kind, text) =
                if passed { (NoteKind::Told, "gate: passed") } else { (NoteKind::Vetoed, "gate: sent back") };
            return Kind::Note(Note { kind, text: text.into() });
        }
        Some("checkpoint") => return Kind::Note(Note { kind: NoteKind::Asked, text: name.clone() }),
        _ => {}
    }
    let operation = word(&["gen_ai.operation.name"]);
    match operation.as_deref() {
        Some("chat" | "generate_content" | "text_completion" | "embeddings") => return call(span),
        Some("invoke_agent" | "invoke_workflow") => return agent(attributes, name),
        Some("execute_tool" | "retrieval") => return tool(attributes, name),
        _ => {}
    }
    if let Some(kind) = observation.and_then(|it| it.kind(name, span.parent.is_none())) {
        return kind;
    }
    let kind = word(&["openinference.span.kind", "traceloop.span.kind"]);
    match kind.as_deref() {
        Some("agent" | "workflow") => return agent(attributes, name),
        Some("llm" | "generation" | "embedding") => return call(span),
        Some("tool" | "retriever" | "reranker") => return tool(attributes, name),
        Some("guardrail" | "evaluator") => {
            let text = attributes.text(&["output.value"]).unwrap_or_default();
            return Kind::Note(Note {
                kind: NoteKind::Told,
                text: Clean::from(format!("{name} {text}").trim().to_owned()),
            });
        }
        Some("chain") => return Kind::Chain(Box::new(worker(attributes, name))),
        _ => {}
    }
    let asks = attributes.first(&["llm.request.type", "llm.model_name", "gen_ai.request.model"]).is_some();
    if asks || word(&["ai.operationId"]).is_some_and(|operation| operation.contains(".do")) {
        return call(span);
    }
    let lower = name.to_lowercase();
    if ["human", "approval"].iter().any(|word| lower.contains(word)) {
        return Kind::Note(Note { kind: NoteKind::Told, text: name.clone() });
    }
    Kind::Other
}

fn worker(attributes: &Attributes, name: &Clean) -> Worker {
    let role = ["gen_ai.agent.name", "agent.name", "gen_ai.workflow.name", "traceloop.entity.name", "gen_ai.agent.id"];
    let role = attributes.text(&role).unwrap_or_else(|| name.clone());
    let words = |messages: &[&str], plain: &[&str]| {
        let said = attributes.first(messages).map(messages_of).unwrap_or_default();
        let texts: Vec<Clean> = said.iter().filter_map(Message::text).collect();
        match texts.is_empty() {
            false => Payload { notes: Some(texts), ..Payload::default() },
            true => attributes.first(plain).map(payload).unwrap_or_default(),
        }
    };
    let input = words(&["gen_ai.input.messages"], &["input.value", "traceloop.entity.input"]);
    let output = words(&["gen_ai.output.messages"], &["output.value", "traceloop.entity.output"]);
    Worker { role, input, output, cost: cost(attributes) }
}

/// Text as a remark, data as data.
pub(crate) fn payload(value: &Value) -> Payload {
    let value = match value {
        Value::String(text) => match text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text)) {
            Some(Ok(data)) => data,
            _ => return Payload::note(kept(text)),
        },
        other => other.clone(),
    };
    match value {
        Value::Null => Payload::default(),
        Value::String(text) => Payload::note(kept(&text)),
        data if data.to_string().len() > super::story::MOST_TEXT => Payload::note(kept(&data.to_string())),
        data => Payload { data: Some(CleanJson::new(data)), ..Payload::default() },
    }
}

fn agent(attributes: &Attributes, name: &Clean) -> Kind {
    Kind::Agent(Box::new(worker(attributes, name)))
}

fn tool(attributes: &Attributes, name: &Clean) -> Kind {
    let tool =
        attributes.text(&["gen_ai.tool.name", "tool.name", "traceloop.entity.name"]).unwrap_or_else(|| name.clone());
    let server = attributes.text(&["mcp.server.name", "gen_ai.mcp.server.name"]);
    let shown_name = server.map_or_else(|| tool.clone(), |server| Clean::from(format!("{server}/{tool}")));
    let arguments =
        attributes.first(&["gen_ai.tool.call.arguments", "input.value", "tool.parameters", "traceloop.entity.input"]);
    let result = attributes.first(&["gen_ai.tool.call.result", "output.value", "traceloop.entity.output"]);
    let to = attributes.text(&["gen_ai.transfer.target.name"]);
    let by_name = ["transfer_to_", "handoff_to_", "delegate_to_"].iter().find_map(|prefix| tool.strip_prefix(prefix));
    let hands_to = to.or_else(|| by_name.map(Clean::line));
    let arguments = arguments.map(as_json).unwrap_or_default();
    let result = kept(&result.map(shown).unwrap_or_default());
    Kind::Tool { name: shown_name, arguments, result, hands_to }
}

/// Arguments as JSON, also where they are written as text.
pub(crate) fn as_json(value: &Value) -> CleanJson {
    let parsed = match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| serde_json::json!({ "text": text })),
        other => other.clone(),
    };
    CleanJson::new(parsed)
}

fn call(span: &Span) -> Kind {
    let Span { attributes, events, .. } = span;
    let usage = usage(attributes);
    let model = attributes.text(&["gen_ai.request.model", "llm.model_name", "ai.model.id", "gen_ai.response.model"]);
    let finish = attributes.first(&[
        "gen_ai.response.finish_reasons",
        "gen_ai.completion.0.finish_reason",
        "ai.response.finishReason",
    ]);
    let finish = match finish {
        Some(Value::Array(reasons)) => reasons.first().map(shown),
        Some(other) => Some(shown(other)),
        None => None,
    };
    let input = attributes.first(&["gen_ai.input.messages"]).map(messages_of).unwrap_or_default();
    let mut input = if input.is_empty() { numbered(attributes, "gen_ai.prompt", "llm.input_messages") } else { input };
    let output = attributes.first(&["gen_ai.output.messages"]).map(messages_of).unwrap_or_default();
    let mut output =
        if output.is_empty() { numbered(attributes, "gen_ai.completion", "llm.output_messages") } else { output };
    if input.is_empty() && output.is_empty() {
        (input, output) = of_events(events);
    }
    if let Some(system) = attributes.first(&["gen_ai.system_instructions"]) {
        input.insert(0, Message { role: "system".into(), parts: messages_parts(system) });
    }
    let seconds = attributes.first(&["gen_ai.response.time_to_first_chunk"]).and_then(Value::as_f64);
    Kind::Call(Box::new(Spoken {
        provider: attributes
            .text(&["gen_ai.provider.name", "gen_ai.system", "llm.provider", "ai.model.provider"])
            .unwrap_or_default(),
        served_by: attributes.text(&["gen_ai.response.model", "ai.response.model"]),
        model: model.unwrap_or_default(),
        id: attributes.text(&["gen_ai.response.id", "ai.response.id"]),
        said: exactly(input.iter().flat_map(Message::said)),
        content: exactly(output.iter().flat_map(Message::content)),
        stop: stop(finish.as_deref()),
        usage,
        max_tokens: attributes.count(&["gen_ai.request.max_tokens"]).and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
        first_ms: seconds.filter(|s| *s >= 0.0).map_or(0, |s| (s * 1e3) as u64),
    }))
}

/// A list without room for more: there are as many of them as there are calls.
fn exactly<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.collect();
    list.shrink_to_fit();
    list
}

/// The cost of a call, or what an agent says of itself.
fn cost(attributes: &Attributes) -> Option<Money> {
    attributes.first(&["llm.cost.total", "gen_ai.usage.cost", "operation.cost", "masthead.cost.usd"]).and_then(dollars)
}

fn usage(attributes: &Attributes) -> Usage {
    let all =
        ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens"];
    let out = [
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "ai.usage.completionTokens",
    ];
    let read = [
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ];
    let write = [
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ];
    let thought = ["gen_ai.usage.reasoning.output_tokens", "llm.token_count.completion_details.reasoning"];
    let count = |names: &[&str]| attributes.count(names).unwrap_or(0);
    let (read, write) = (count(&read), count(&write));
    let input = uncached(count(&all), read, write);
    let cost = cost(attributes);
    let estimated = attributes.first(&["masthead.cost.estimated"]).and_then(Value::as_bool).unwrap_or(false);
    Usage {
        input,
        cache_read: read,
        cache_write: write,
        output: count(&out),
        reasoning: count(&thought),
        cost,
        cost_estimated: estimated && cost.is_some(),
        ..Usage::default()
    }
}

/// Of all input, what was neither read from a cache nor written to one. Some tell only that, which shows where it is less.
pub(crate) fn uncached(all: u64, read: u64, written: u64) -> u64 {
    all.checked_sub(read.saturating_add(written)).unwrap_or(all)
}

/// Why a model stopped, in the words of any provider.
pub(crate) fn stop(reason: Option<&str>) -> Stop {
    match reason.map(str::to_ascii_lowercase).as_deref() {
        Some("stop" | "end_turn" | "stop_sequence" | "end") => Stop::End,
        Some("tool_calls" | "tool_call" | "tool_use" | "tool-calls" | "function_call") => Stop::Tools,
        Some("length" | "max_tokens" | "max_output_tokens") => Stop::Length,
        Some("refusal" | "content_filter" | "content-filter") => Stop::Refusal(Clean::default()),
        Some(other) => Stop::Other(Clean::line(other)),
        None => Stop::Other("not told".into()),
    }
}

/// A message of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) parts: Vec<MessagePart>,
}

#[derive(Clone, Debug)]
pub(crate) enum MessagePart {
    Text(Clean),
    Thinking(Clean),
    Call { id: Clean, name: Clean, arguments: Value },
    Answer { id: Clean, name: Clean, text: Clean },
}

impl Message {
    fn text(&self) -> Option<Clean> {
        let texts =
            self.parts.iter().filter_map(|part| if let MessagePart::Text(text) = part { Some(&**text) } else { None });
        let text = texts.collect::<Vec<_>>().join("\n");
        (!text.is_empty()).then(|| text.into())
    }

    /// What it says to a model.
    pub(crate) fn said(&self) -> Vec<Spoke> {
        if matches!(self.role.as_str(), "assistant" | "ai" | "model") {
            return vec![Spoke::Answer];
        }
        let system = matches!(self.role.as_str(), "system" | "developer");
        let said = self.parts.iter().filter_map(|part| match part {
            MessagePart::Text(text) if system => Some(Said::System { text: text.clone() }),
            MessagePart::Text(text) => Some(Said::User { text: text.clone() }),
            MessagePart::Answer { id, name, text } => {
                let (call, name, text) = (id.clone(), name.clone(), text.clone());
                Some(Said::Results { results: vec![ToolAnswer { call, name, text, failed: false }] })
            }
            _ => None,
        });
        said.map(Spoke::Said).collect()
    }

    /// What it says as an answer.
    pub(crate) fn content(&self) -> Vec<Content> {
        let content = self.parts.iter().filter_map(|part| match part {
            MessagePart::Text(text) => Some(Content::Text { text: text.clone() }),
            MessagePart::Thinking(text) => Some(Content::Thinking { text: text.clone() }),
            MessagePart::Call { id, name, arguments } => {
                let arguments = Arguments::Whole(CleanJson::new(arguments.clone()).get().clone());
                Some(Content::Call { id: id.clone(), name: name.clone(), arguments })
            }
            MessagePart::Answer { .. } => None,
        });
        content.collect()
    }
}

/// Messages, as a list or as text that holds one.
pub(crate) fn messages_of(value: &Value) -> Vec<Message> {
    let parsed;
    let value = match value {
        Value::String(text) => {
            parsed = serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
            &parsed
        }
        other => other,
    };
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let message = |message: &Value| Message {
        role: told::text(message, "role").unwrap_or("user").to_lowercase(),
        parts: messages_parts(message.get("parts").or_else(|| message.get("content")).unwrap_or(message)),
    };
    list.iter().map(message).collect()
}

fn messages_parts(value: &Value) -> Vec<MessagePart> {
    let parsed;
    let value = match value {
        Value::String(text) if text.trim_start().starts_with('[') => {
            parsed = serde_json::from_str::<Value>(text).unwrap_or_else(|_| value.clone());
            &parsed
        }
        other => other,
    };
    match value {
        Value::String(text) => vec![MessagePart::Text(kept(text))],
        Value::Array(parts) => parts.iter().filter_map(message_part).collect(),
        other => message_part(other).into_iter().collect(),
    }
}

fn message_part(part: &Value) -> Option<MessagePart> {
    let line = |field: &str| Clean::line(told::text(part, field).unwrap_or_default());
    let words = || part.get("content").or_else(|| part.get("text")).map(|words| kept(&shown(words)));
    match told::text(part, "type").unwrap_or("text") {
        "tool_call" | "tool_use" => {
            let arguments = part.get("arguments").or_else(|| part.get("input")).cloned().unwrap_or_default();
            let arguments = as_json(&arguments).get().clone();
            Some(MessagePart::Call { id: line("id"), name: line("name"), arguments })
        }
        "tool_call_response" | "tool_result" => {
            let text = part.get("response").or_else(|| part.get("result")).or_else(|| part.get("content"));
            Some(MessagePart::Answer {
                id: line("id"),
                name: line("name"),
                text: kept(&text.map(shown).unwrap_or_default()),
            })
        }
        "reasoning" | "thinking" => words().map(MessagePart::Thinking),
        _ => words().map(MessagePart::Text),
    }
}

/// Messages whose parts are attributes with numbers in their names.
fn numbered(attributes: &Attributes, plain: &str, openinference: &str) -> Vec<Message> {
    // Attributes are sorted as text, and ten stands before two.
    let mut messages: BTreeMap<u32, Message> = BTreeMap::new();
    let mut calls: BTreeMap<(u32, u32), (Clean, Clean, Value)> = BTreeMap::new();
    for (name, value) in &attributes.0 {
        let Some(rest) = [plain, openinference].iter().find_map(|prefix| name.strip_prefix(prefix)?.strip_prefix('.'))
        else {
            continue;
        };
        let Some((n, field)) = rest.split_once('.') else { continue };
        let Ok(n) = n.parse::<u32>() else { continue };
        let field = field.strip_prefix("message.").unwrap_or(field);
        let message = messages.entry(n).or_default();
        match field {
            "role" => message.role = shown(value).to_lowercase(),
            "content" => message.parts.insert(0, MessagePart::Text(kept(&shown(value)))),
            _ => {
                let Some((m, of)) = field.strip_prefix("tool_calls.").and_then(|rest| rest.split_once('.')) else {
                    continue;
                };
                let Ok(m) = m.parse::<u32>() else { continue };
                let call = calls.entry((n, m)).or_default();
                match of.rsplit('.').next().unwrap_or_default() {
                    "id" => call.0 = Clean::line(&shown(value)),
                    "name" => call.1 = Clean::line(&shown(value)),
                    "arguments" => call.2 = as_json(value).get().clone(),
                    _ => {}
                }
            }
        }
    }
    for ((n, _), (id, name, arguments)) in calls {
        messages.entry(n).or_default().parts.push(MessagePart::Call { id, name, arguments });
    }
    messages.into_values().collect()
}

/// Messages that are events of the span, as instrumentations wrote them for a while.
fn of_events(events: &[(String, Attributes)]) -> (Vec<Message>, Vec<Message>) {
    let (mut said, mut answered) = (Vec::new(), Vec::new());
    for (name, Attributes(told)) in events {
        let content = told.get("content").or_else(|| told.get("gen_ai.event.content")).map(shown);
        let message = |role: &str| Message {
            role: role.into(),
            parts: content.iter().map(|text| MessagePart::Text(kept(text))).collect(),
        };
        match name.as_str() {
            "gen_ai.user.message" => said.push(message("user")),
            "gen_ai.system.message" => said.push(message("system")),
            "gen_ai.assistant.message" => said.push(message("assistant")),
            "gen_ai.choice" => {
                let text = told.get("message").map(shown).or_else(|| content.clone()).unwrap_or_default();
                answered.push(Message { role: "assistant".into(), parts: vec![MessagePart::Text(kept(&text))] });
            }
            _ => {}
        }
    }
    (said, answered)
}
