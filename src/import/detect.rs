//! The form of a file, told by its content; of notes that stand beside a transcript, by their names.

use run::foreign::Format;
use serde_json::Value;
use text::Clean;

use super::told;

/// Records that are looked at before a file is given up.
pub(crate) const MOST_RECORDS: usize = 64;

/// The longest of them that is kept until one says what form they have.
pub(crate) const MOST_WAITING: usize = 1024 * 1024;

/// The form that a file seems to have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Detected {
    /// There is no JSON in it.
    #[default]
    Nothing,
    /// JSON of this form.
    Format(Format),
    /// Events of a run of this program.
    Ours,
    /// Telemetry that holds no traces.
    Logs,
    /// JSON of another form, with these fields first.
    Other(Vec<Clean>),
}

impl Detected {
    /// The one of the two that says more.
    pub(crate) fn or(self, other: Detected) -> Detected {
        if self == Detected::Nothing { other } else { self }
    }
}

/// Files that belong to a run by their names: the notes beside a transcript.
pub(crate) fn by_name(name: &str) -> Option<Format> {
    let is_beside = name.contains("subagents/") || name.ends_with(".meta.json");
    is_beside.then_some(Format::ClaudeCode)
}

/// The form of a record.
pub(crate) fn of(record: &[u8]) -> Detected {
    // The beginning of a long document is enough; a cut document is read as far as it goes.
    let value: Value = match serde_json::from_slice(head(record)) {
        Ok(value) => value,
        Err(_) => return of_text(record),
    };
    of_value(&value)
}

/// The form of a record that is whole; nothing is guessed of one that is cut, or too long to be parsed for that.
pub(crate) fn of_whole(record: &[u8]) -> Detected {
    let whole = Some(record).filter(|record| record.len() <= MOST_HEAD);
    whole.and_then(|record| serde_json::from_slice(record).ok()).map_or(Detected::Nothing, |value| of_value(&value))
}

/// The most bytes of a record that are parsed to detect its form.
const MOST_HEAD: usize = 4 * 1024 * 1024;

fn head(record: &[u8]) -> &[u8] {
    &record[..record.len().min(MOST_HEAD)]
}

/// The form of a record that is too long to be parsed for that, or cut.
fn of_text(record: &[u8]) -> Detected {
    let head = String::from_utf8_lossy(&record[..record.len().min(64 * 1024)]);
    if !head.trim_start().starts_with(['{', '[']) {
        return Detected::Nothing;
    }
    let has = |word: &str| head.contains(&format!("\"{word}\""));
    match () {
        () if has("resourceSpans") => Detected::Format(Format::Otlp),
        () if has("run_type") => Detected::Format(Format::Langsmith),
        () if has("trace.span") => Detected::Format(Format::OpenaiAgents),
        () if has("session_meta") || has("response_item") => Detected::Format(Format::Codex),
        () if has("parentObservationId") || has("observations") && has("traceId") => Detected::Format(Format::Langfuse),
        () if has("sessionId") && has("type") => Detected::Format(Format::ClaudeCode),
        () => Detected::Nothing,
    }
}

fn of_value(value: &Value) -> Detected {
    if let Value::Array(list) = value {
        return list.first().map_or(Detected::Nothing, of_value);
    }
    let Value::Object(fields) = value else { return Detected::Nothing };
    let has = |field: &str| fields.contains_key(field);
    let kind = told::text(value, "type");
    let object = told::text(value, "object");
    if has("resourceSpans") {
        return Detected::Format(Format::Otlp);
    }
    if has("resourceLogs") || has("resourceMetrics") {
        return Detected::Logs;
    }
    if has("event") && has("seq") && has("at") {
        return Detected::Ours;
    }
    if has("run_type") && has("id") {
        return Detected::Format(Format::Langsmith);
    }
    if matches!(object, Some("trace" | "trace.span")) {
        return Detected::Format(Format::OpenaiAgents);
    }
    // A trace names its observations, an observation its trace and its parent.
    let observed = |names: [&str; 2]| names.iter().any(|name| has(name));
    let is_trace = has("id") && fields.get("observations").is_some_and(Value::is_array);
    let is_observation = observed(["traceId", "trace_id"]) && observed(["startTime", "start_time"]) && kind.is_some();
    if is_trace || is_observation || observed(["parentObservationId", "parent_observation_id"]) {
        return Detected::Format(Format::Langfuse);
    }
    if let Some(list) = ["data", "runs"].iter().find_map(|field| fields.get(*field)?.as_array()) {
        return list.first().map_or(Detected::Nothing, of_value);
    }
    let is_of_a_thread = matches!(kind, Some("session_meta" | "response_item" | "event_msg" | "turn_context"));
    if is_of_a_thread && fields.get("payload").is_some_and(Value::is_object) {
        return Detected::Format(Format::Codex);
    }
    let threaded = matches!(kind, Some("user" | "assistant" | "system" | "attachment" | "summary"));
    if kind.is_some() && (has("sessionId") || threaded && (has("uuid") || has("leafUuid"))) {
        return Detected::Format(Format::ClaudeCode);
    }
    Detected::Other(fields.keys().take(6).map(|key| Clean::line(key)).collect())
}
