//! Exports of Langfuse: a trace with its observations, or observations alone, as a document, a list or lines in any order. Its SDKs
//! send the same observations as OpenTelemetry, in attributes of spans.

use std::collections::BTreeMap;

use run::Payload;
use run::foreign::{Format, Note, NoteKind, Origin};
use run::model::{Content, StopReason, Usage};
use run::{Money, tool::CleanJson};
use serde_json::{Map, Value, json};
use text::Clean;

use super::conversation::{Message, MessagePart, messages_of};
use super::langsmith::{message, words};
use super::story::{Story, Unknown, kept, named};
use super::told::{self, as_json, dollars, number, shown};
use super::tree::{Kind, Node, Spoken, Trace, Worker};
use super::{Importer, Unread};

/// Traces, as far as they have been read.
#[derive(Debug, Default)]
pub struct Langfuse {
    traces: BTreeMap<String, Told>,
    unknown: Unknown,
}

#[derive(Debug, Default)]
struct Told {
    trace: Trace,
    /// The cost by the trace itself: the sum of its observations, which is not added to them.
    cost: Option<Money>,
    /// The session that the trace is part of.
    session: Option<Clean>,
}

impl Importer for Langfuse {
    fn record(&mut self, _file: &str, bytes: &[u8]) -> Result<(), Unread> {
        let record: Value = serde_json::from_slice(bytes).map_err(|_| Unread)?;
        let taken: Vec<bool> = told::items(&record).iter().map(|item| self.item(item)).collect();
        if taken.contains(&true) || taken.is_empty() { Ok(()) } else { Err(Unread) }
    }

    fn stories(self: Box<Self>) -> Vec<Story> {
        let unknown = self.unknown.0;
        let story = |(id, told): (String, Told)| {
            let cost = told.cost.map(|cost| format!("the trace says of itself that it cost {cost}").into());
            let session = told.session.map(|session| format!("it is part of session {session}").into());
            let records = told.trace.nodes.len() as u64;
            told.trace.story(Origin {
                format: Format::Langfuse,
                id: Clean::line(&id),
                version: Clean::default(),
                records,
                unread: 0,
                unknown: unknown.clone(),
                remarks: session.into_iter().chain(cost).collect(),
            })
        };
        self.traces.into_iter().filter_map(story).collect()
    }
}

/// A field by its name in the API, or as it is called in exports to storage.
fn field<'a>(of: &'a Value, names: [&str; 2]) -> Option<&'a Value> {
    names.iter().find_map(|name| of.get(*name)).filter(|value| !value.is_null())
}

fn words_of<'a>(of: &'a Value, names: [&str; 2]) -> Option<&'a str> {
    field(of, names).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// JSON that is written as text, as its value.
fn parsed(value: &Value) -> Value {
    let text = value.as_str().filter(|text| text.trim_start().starts_with(['{', '[']));
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}

impl Langfuse {
    /// Takes in a trace or an observation; false if it is neither.
    fn item(&mut self, item: &Value) -> bool {
        let Some(id) = told::text(item, "id") else { return false };
        if let Some(observations) = item.get("observations").and_then(Value::as_array) {
            let told = self.traces.entry(id.into()).or_default();
            told.trace.service = named(told::text(item, "name").unwrap_or_default());
            told.session = words_of(item, ["sessionId", "session_id"]).map(Clean::line);
            told.cost = field(item, ["totalCost", "total_cost"]).and_then(dollars).filter(|cost| cost.0 > 0);
            // A list of traces only names its observations.
            let read: Vec<bool> =
                observations.iter().map(|observation| self.observation(observation, Some(id))).collect();
            read.iter().filter(|read| !**read).for_each(|_| self.unknown.count("observation that is only named"));
            return true;
        }
        self.observation(item, None)
    }

    fn observation(&mut self, item: &Value, trace: Option<&str>) -> bool {
        let trace = words_of(item, ["traceId", "trace_id"]).or(trace);
        let (Some(id), Some(trace), Some(kind)) = (told::text(item, "id"), trace, told::text(item, "type")) else {
            return false;
        };
        let trace = trace.to_owned();
        let node = self.node(item, id, &kind.to_ascii_uppercase());
        self.traces.entry(trace).or_default().trace.insert(node);
        true
    }

    fn node(&mut self, item: &Value, id: &str, kind: &str) -> Node {
        let name = named(told::text(item, "name").unwrap_or(kind));
        let nanos =
            |names: [&str; 2]| names.iter().find_map(|name| told::at(item, name)).map(|ms| i128::from(ms) * 1_000_000);
        let (start, end) = (nanos(["startTime", "start_time"]), nanos(["endTime", "end_time"]));
        let failed = is_error(item).then(|| kept(said(item).unwrap_or("it failed, and says no more")));
        let parent = words_of(item, ["parentObservationId", "parent_observation_id"]);
        // A record that is its own parent has none.
        let parent = parent.filter(|parent| *parent != id).map(Into::into);
        let of_kind = kind_of(item, &name, kind, parent.is_none()).unwrap_or_else(|| {
            self.unknown.count(kind);
            Kind::Other
        });
        // An event is a moment.
        let end = if kind == "EVENT" { end.or(start) } else { end };
        Node {
            id: id.into(),
            parent,
            is_called_from_elsewhere: false,
            agent: Clean::default(),
            name,
            start: start.unwrap_or(0),
            end,
            failed,
            outcome: None,
            kind: of_kind,
        }
    }
}

fn is_error(item: &Value) -> bool {
    told::text(item, "level") == Some("ERROR")
}

/// The words of an observation on how it ended.
fn said(item: &Value) -> Option<&str> {
    words_of(item, ["statusMessage", "status_message"])
}

/// The kind of an observation of this type (in capitals); None for an unknown type.
fn kind_of(item: &Value, name: &Clean, kind: &str, is_top: bool) -> Option<Kind> {
    let input = || item.get("input").map(parsed).unwrap_or_default();
    let output = || item.get("output").map(parsed).unwrap_or_default();
    let worker = || {
        Box::new(Worker { role: name.clone(), input: handed(&input()), output: handed(&output()), ..Worker::default() })
    };
    let note = |kind, text: &str| Kind::Note(Note { kind, text: Clean::line(text.trim()) });
    Some(match kind {
        "AGENT" => Kind::Agent(worker()),
        // Steps of the program: the one at the top is the request to it.
        "SPAN" | "CHAIN" if is_top => Kind::Chain(worker()),
        "SPAN" | "CHAIN" => Kind::Other,
        "GENERATION" | "EMBEDDING" => call(item, &input(), &output()),
        "TOOL" | "RETRIEVER" => {
            let arguments = item.get("input").filter(|input| !input.is_null());
            Kind::Tool {
                arguments: arguments.map_or_else(CleanJson::default, as_json),
                result: kept(&item.get("output").map(shown).unwrap_or_default()),
                hands_to: told::hands_to(name),
                name: name.clone(),
            }
        }
        "GUARDRAIL" => {
            let (kind, word) = if is_error(item) || says_no(&output()) {
                (NoteKind::Vetoed, "triggered")
            } else {
                (NoteKind::Told, "passed")
            };
            note(kind, &format!("guardrail {name}: {word} {}", said(item).unwrap_or_default()))
        }
        "EVENT" | "EVALUATOR" => {
            let kind = if is_error(item) { NoteKind::Failed } else { NoteKind::Told };
            note(kind, &format!("{name} {}", said(item).map_or_else(|| shown(&output()), str::to_owned)))
        }
        _ => return None,
    })
}

/// The fields of an observation by the names of the attributes in which SDKs of Langfuse write them into a span.
const OF_SPANS: [(&str, &str); 8] = [
    ("langfuse.observation.input", "input"),
    ("langfuse.observation.output", "output"),
    ("langfuse.observation.level", "level"),
    ("langfuse.observation.status_message", "statusMessage"),
    ("langfuse.observation.model.name", "model"),
    ("langfuse.observation.model.parameters", "modelParameters"),
    ("langfuse.observation.usage_details", "usageDetails"),
    ("langfuse.observation.cost_details", "costDetails"),
];

/// The observation that a span with these attributes is; None if it is none. It began at `start` (ns since 1970).
pub(super) fn of_span(attributes: &Map<String, Value>, start: Option<i128>) -> Option<Observation> {
    let kind = attributes.get("langfuse.observation.type")?.as_str()?.to_ascii_uppercase();
    let field = |(there, here): (&str, &str)| Some((here.to_owned(), attributes.get(there)?.clone()));
    let mut item: Map<String, Value> = OF_SPANS.into_iter().filter_map(field).collect();
    // A moment is written as JSON, in quotes.
    let first = attributes.get("langfuse.observation.completion_start_time").and_then(Value::as_str);
    if let (Some(first), Some(start)) = (first, start) {
        item.insert("completionStartTime".into(), first.trim_matches('"').into());
        item.insert("startTime".into(), json!(start as f64));
    }
    let of_provider = ["gen_ai.provider.name", "gen_ai.system", "gen_ai.response.id"];
    let of_provider = of_provider.into_iter().filter_map(|name| Some((name.to_owned(), attributes.get(name)?.clone())));
    item.insert("metadata".into(), json!({ "attributes": of_provider.collect::<Map<_, _>>() }));
    Some(Observation { item: item.into(), kind })
}

/// An observation that was told as a span.
pub(super) struct Observation {
    item: Value,
    kind: String,
}

impl Observation {
    /// Its kind; None for an unknown type.
    pub(super) fn kind(&self, name: &Clean, is_top: bool) -> Option<Kind> {
        kind_of(&self.item, name, &self.kind, is_top)
    }

    /// The reason for its failure, if it failed.
    pub(super) fn failed(&self) -> Option<Clean> {
        is_error(&self.item).then(|| kept(said(&self.item).unwrap_or("it failed, and says no more")))
    }
}

/// Whether the output of a guardrail says that it did not let pass.
fn says_no(output: &Value) -> bool {
    let is = |names: &[&str], value| names.iter().any(|name| output.get(*name).and_then(Value::as_bool) == Some(value));
    is(&["triggered", "tripwire_triggered", "blocked"], true) || is(&["passed", "allowed"], false)
}

/// Work that was handed over, or its result: messages as the last that was said.
fn handed(value: &Value) -> Payload {
    match value {
        Value::Null => Payload::default(),
        Value::Array(list) if list.iter().any(|message| message.get("role").is_some()) => {
            words(&json!({ "messages": value }))
        }
        one if one.get("role").is_some() => words(&json!({ "messages": [one] })),
        other => words(other),
    }
}

/// Messages in any of the forms in which SDKs log them; text alone was said in this role.
fn messages(value: &Value, role: &str) -> Vec<Message> {
    let one = |value: &Value| {
        let mut one = message(value);
        // Blocks of some providers hold tool calls.
        if !one.parts.iter().any(|part| matches!(part, MessagePart::Call { .. })) {
            let blocks = messages_of(&json!([value])).into_iter().flat_map(|message| message.parts);
            one.parts.extend(blocks.filter(|part| matches!(part, MessagePart::Call { .. })));
        }
        one
    };
    match value {
        Value::Null => Vec::new(),
        Value::Array(list) => list.iter().flat_map(|value| messages(value, role)).collect(),
        Value::Object(fields) => {
            let list = ["messages", "choices", "message"].iter().find_map(|name| fields.get(*name));
            match list {
                _ if fields.contains_key("role") || fields.contains_key("kwargs") => vec![one(value)],
                Some(list) => messages(list, role),
                None if fields.contains_key("content") => vec![Message { role: role.into(), ..one(value) }],
                None => vec![Message { role: role.into(), parts: vec![MessagePart::Text(kept(&shown(value)))] }],
            }
        }
        other => vec![Message { role: role.into(), parts: vec![MessagePart::Text(kept(&shown(other)))] }],
    }
}

fn call(item: &Value, input: &Value, output: &Value) -> Kind {
    let content: Vec<Content> = messages(output, "assistant").iter().flat_map(Message::content).collect();
    let calls = content.iter().any(|content| matches!(content, Content::Call { .. }));
    let parameters = field(item, ["modelParameters", "model_parameters"]).map(parsed).unwrap_or_default();
    let most = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens"];
    let most = most.iter().find_map(|name| parameters.get(*name).and_then(number));
    let metadata = item.get("metadata").map(parsed).unwrap_or_default();
    let attributes = metadata.get("attributes").map(parsed).unwrap_or_default();
    let provider = ["gen_ai.provider.name", "gen_ai.system"].iter().find_map(|name| told::text(&attributes, name));
    let model = told::text(item, "model").or_else(|| words_of(item, ["providedModelName", "provided_model_name"]));
    let at = |names: [&str; 2]| names.iter().find_map(|name| told::at(item, name));
    let first = at(["completionStartTime", "completion_start_time"]).zip(at(["startTime", "start_time"]));
    Kind::Call(Box::new(Spoken {
        provider: named(provider.or_else(|| told::text(&metadata, "ls_provider")).unwrap_or_default()),
        model: named(model.unwrap_or_default()),
        served_by: None,
        id: told::text(&attributes, "gen_ai.response.id").map(Clean::line),
        said: messages(input, "user").iter().flat_map(Message::said).collect(),
        stop: if calls { StopReason::Tools } else { StopReason::End },
        content,
        usage: usage(item),
        max_tokens: most.and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
        first_ms: first.map_or(0, |(first, start)| u64::try_from(first.saturating_sub(start)).unwrap_or(0)),
    }))
}

/// Tokens by name, and all of them.
#[derive(Default)]
struct Counted {
    input: u64,
    read: u64,
    write: u64,
    /// Other parts of the input, such as sound.
    more_in: u64,
    output: u64,
    reasoning: u64,
    more_out: u64,
    total: Option<u64>,
}

impl Counted {
    fn of(details: &Value) -> Counted {
        let mut counted = Counted::default();
        for (name, value) in details.as_object().into_iter().flatten() {
            let Some(n) = number(value) else { continue };
            let has = |word: &str| name.contains(word);
            let place = match name.as_str() {
                "total" | "totalTokens" | "total_tokens" => {
                    counted.total = Some(n).filter(|n| *n > 0);
                    continue;
                }
                "input" | "promptTokens" | "prompt_tokens" | "input_tokens" => &mut counted.input,
                "output" | "completionTokens" | "completion_tokens" | "output_tokens" => &mut counted.output,
                _ if has("cache") && (has("creation") || has("write")) => &mut counted.write,
                _ if has("cache") => &mut counted.read,
                _ if has("reasoning") => &mut counted.reasoning,
                _ if name.starts_with("input_") => &mut counted.more_in,
                _ if name.starts_with("output_") => &mut counted.more_out,
                _ => continue,
            };
            *place = place.saturating_add(n);
        }
        counted
    }

    /// Whether parts are counted in the input and in the output, or beside them: some do so, some so, and the total tells.
    fn usage(&self) -> Usage {
        let sum = |parts: &[u64]| parts.iter().fold(0u64, |sum, n| sum.saturating_add(*n));
        let parts_in = sum(&[self.read, self.write, self.more_in]);
        let parts_out = sum(&[self.reasoning, self.more_out]);
        let beside = [(true, true), (true, false), (false, true), (false, false)];
        let all = |(beside_in, beside_out): (bool, bool)| {
            let more = sum(&[if beside_in { parts_in } else { 0 }, if beside_out { parts_out } else { 0 }]);
            sum(&[self.input, self.output, more])
        };
        let (beside_in, beside_out) =
            beside.into_iter().find(|beside| self.total == Some(all(*beside))).unwrap_or((true, true));
        let plain_in = if beside_in { sum(&[self.input, self.more_in]) } else { uncached(self) };
        let output = if beside_out { sum(&[self.output, parts_out]) } else { self.output };
        Usage {
            input: plain_in,
            cache_read: self.read,
            cache_write: self.write,
            output,
            reasoning: self.reasoning.min(output),
            ..Usage::default()
        }
    }
}

fn uncached(counted: &Counted) -> u64 {
    told::uncached(counted.input, counted.read, counted.write)
}

fn usage(item: &Value) -> Usage {
    let details = field(item, ["usageDetails", "usage_details"]).map(parsed);
    let details = details.filter(|details| details.as_object().is_some_and(|details| !details.is_empty()));
    // Before there were details, a usage could be of characters or seconds.
    let of_tokens = |usage: &Value| matches!(told::text(usage, "unit"), None | Some("TOKENS"));
    let details = details.or_else(|| item.get("usage").map(parsed).filter(of_tokens));
    let counted = details.map(|details| Counted::of(&details)).unwrap_or_default();
    let cost = field(item, ["costDetails", "cost_details"]).map(parsed);
    let cost = cost.and_then(|cost| cost.get("total").and_then(dollars));
    // A sum of nothing is written for a model whose price is not known there.
    let sums = [["totalCost", "total_cost"], ["calculatedTotalCost", "calculated_total_cost"]];
    let sum = || sums.into_iter().find_map(|names| field(item, names).and_then(dollars)).filter(|cost| cost.0 > 0);
    Usage { cost: cost.or_else(sum), ..counted.usage() }
}
