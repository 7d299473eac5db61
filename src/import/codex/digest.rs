//! The content of one record of a rollout.

use run::foreign::{Note, NoteKind};
use run::model::Content;
use serde_json::{Map, Value};
use text::Clean;

use crate::story::{Unknown, kept, named};
use crate::told::{self, as_json, count, number, shown};

/// Shown in place of an encrypted text.
pub(super) const NOT_KNOWN: &str = "not known: the rollout holds this encrypted";

/// A thing that a record tells.
#[derive(Debug)]
pub(super) enum What {
    /// The person typed something.
    Typed(Clean),
    /// Something was said to the model.
    Said {
        text: Clean,
        by_system: bool,
    },
    /// A part of an answer.
    Answer(Content),
    /// The model called a tool.
    Called(Called),
    /// A tool brought something.
    Brought(Brought),
    /// Tokens that were taken: by the call that ends here, and by all so far.
    Counted {
        last: Option<Tokens>,
        total: Option<Tokens>,
    },
    /// Calls are of this model from here on.
    Model(Clean),
    /// A turn began.
    Began,
    /// A turn ended, and this was its last answer.
    Ended(Option<Clean>),
    /// Another agent said something.
    Peer(Peer),
    /// A sub-agent did something.
    Activity(Activity),
    /// The thread is called so.
    Titled(Clean),
    Note(Note),
}

#[derive(Clone, Debug)]
pub(super) struct Called {
    pub(super) id: String,
    pub(super) name: Clean,
    pub(super) arguments: Value,
    /// Whether the provider ran it, and it brings nothing that is on record.
    pub(super) is_done: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Brought {
    pub(super) id: String,
    pub(super) text: Clean,
    pub(super) failed: bool,
    /// The agent that was opened, where it says.
    pub(super) agent: Option<String>,
    /// Whether the program tells of it, and not the text that the model was given.
    pub(super) is_by_program: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) author: String,
    pub(super) recipient: String,
    pub(super) text: Clean,
    pub(super) is_final: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Activity {
    pub(super) call: Option<String>,
    pub(super) agent: String,
    pub(super) path: Option<String>,
    pub(super) is_interrupted: bool,
}

/// Tokens as they are counted there: all input, with the part read from a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) cached: u64,
    pub(super) output: u64,
    pub(super) reasoning: u64,
}

impl Tokens {
    fn of(value: &Value) -> Tokens {
        Tokens {
            input: count(value, "input_tokens"),
            cached: count(value, "cached_input_tokens"),
            output: count(value, "output_tokens"),
            reasoning: count(value, "reasoning_output_tokens"),
        }
    }

    /// The tokens since then; all of them if the count began anew.
    pub(super) fn since(self, before: Tokens) -> Tokens {
        let less = self.input < before.input || self.output < before.output;
        let before = if less { Tokens::default() } else { before };
        Tokens {
            input: self.input - before.input,
            cached: self.cached.saturating_sub(before.cached),
            output: self.output - before.output,
            reasoning: self.reasoning.saturating_sub(before.reasoning),
        }
    }
}

/// Whether a text is a Fernet token.
fn is_encrypted(text: &str) -> bool {
    text.starts_with("gAAAA") && !text.contains(char::is_whitespace)
}

/// A text as it can be shown.
fn open(text: &str) -> Clean {
    if is_encrypted(text) { NOT_KNOWN.into() } else { kept(text) }
}

/// The content of a record of this kind; None if it has nothing that is not told elsewhere.
pub(super) fn what(kind: &str, payload: &Value, unknown: &mut Unknown) -> Option<What> {
    let of = told::text(payload, "type").unwrap_or("record of no kind");
    match kind {
        "turn_context" => told::text(payload, "model").map(|model| What::Model(named(model))),
        "compacted" => {
            let text = told::text(payload, "message").map_or_else(|| "to a summary".into(), kept);
            Some(What::Note(Note { kind: NoteKind::Compacted, text }))
        }
        "response_item" => item(of, payload, unknown),
        "event_msg" => event(of, payload, unknown),
        "world_state" | "inter_agent_communication_metadata" => None,
        other => {
            unknown.count(other);
            None
        }
    }
}

fn item(of: &str, payload: &Value, unknown: &mut Unknown) -> Option<What> {
    let id = || told::text(payload, "call_id").or_else(|| told::text(payload, "id")).unwrap_or_default().to_owned();
    match of {
        "message" => {
            let text = words(payload.get("content").unwrap_or(&Value::Null));
            match told::text(payload, "role") {
                Some("assistant") => Some(What::Answer(Content::Text { text: kept(&text) })),
                role => {
                    let by_system = matches!(role, Some("system" | "developer"));
                    (!text.is_empty()).then(|| What::Said { text: kept(&text), by_system })
                }
            }
        }
        "reasoning" => {
            let text = words(payload.get("summary").unwrap_or(&Value::Null));
            Some(What::Answer(Content::Thinking { text: kept(&text) }))
        }
        "agent_message" => {
            let text = words(payload.get("content").unwrap_or(&Value::Null));
            let name = |field: &str| told::text(payload, field).unwrap_or_default().to_owned();
            let is_final = text.trim_start().starts_with("Message Type: FINAL_ANSWER");
            let text = if is_final { answer_in(&text) } else { &text };
            let text = open(text);
            Some(What::Peer(Peer { author: name("author"), recipient: name("recipient"), text, is_final }))
        }
        _ if of.ends_with("_output") => {
            let output = payload.get("output").unwrap_or(&Value::Null);
            Some(What::Brought(brought(id(), output)))
        }
        _ if of.ends_with("_call") => {
            let given = ["arguments", "input", "action"].iter().find_map(|field| payload.get(*field));
            let name = told::text(payload, "name").unwrap_or_else(|| of.trim_end_matches("_call"));
            let is_done = told::text(payload, "call_id").is_none();
            let arguments = given.map(arguments).unwrap_or_default();
            Some(What::Called(Called { id: id(), name: named(name), arguments, is_done }))
        }
        "compaction" | "compaction_summary" | "ghost_snapshot" | "additional_tools" => None,
        other => {
            unknown.count(other);
            None
        }
    }
}

/// Arguments, with their encrypted parts marked as such.
fn arguments(given: &Value) -> Value {
    let mut arguments = as_json(given).get().clone();
    for value in arguments.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if value.as_str().is_some_and(is_encrypted) {
            *value = NOT_KNOWN.into();
        }
    }
    arguments
}

/// The answer in a last message, which begins with lines about itself.
fn answer_in(text: &str) -> &str {
    match text.split_once("Payload:") {
        Some((_, rest)) => rest.trim_start(),
        None => text.trim_start().split_once('\n').map_or("", |(_, rest)| rest.trim_start()),
    }
}

/// The text of content, which is text or a list of parts.
fn words(content: &Value) -> String {
    let part = |part: &Value| match part {
        Value::String(text) => text.clone(),
        part => match told::text(part, "text") {
            Some(text) => text.to_owned(),
            None if told::text(part, "encrypted_content").is_some() => NOT_KNOWN.to_owned(),
            None => told::text(part, "type").map(|kind| format!("[{kind}]")).unwrap_or_default(),
        },
    };
    match content {
        Value::Array(parts) => parts.iter().map(part).collect::<Vec<_>>().join("\n"),
        other => part(other),
    }
}

/// The part of a tool's result that the model was given: text, or JSON as text with the exit code beside the output.
fn brought(id: String, output: &Value) -> Brought {
    let parsed = output.as_str().filter(|text| text.trim_start().starts_with('{'));
    let parsed = parsed.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let of = parsed.as_ref().unwrap_or(output);
    let inner = of.get("output").or_else(|| of.get("content"));
    let text = match inner {
        Some(inner) => words(inner),
        None if output.is_array() => words(output),
        None => shown(output),
    };
    let code = of.get("metadata").and_then(|of| of.get("exit_code")).or_else(|| of.get("exit_code"));
    let code = code.cloned().or_else(|| exit_code(&text));
    let failed = code.as_ref().is_some_and(is_bad)
        || of.get("success").and_then(Value::as_bool) == Some(false)
        || of.get("isError").and_then(Value::as_bool) == Some(true);
    let agent = told::text(of, "agent_id").or_else(|| told::text(of, "thread_id")).map(str::to_owned);
    Brought { id, text: kept(&text), failed, agent, is_by_program: false }
}

/// Whether an exit code says that it failed.
fn is_bad(code: &Value) -> bool {
    !code.is_null() && number(code) != Some(0)
}

/// The exit code in the first lines of an output, as later versions write it.
fn exit_code(text: &str) -> Option<Value> {
    let code = |line: &str| {
        let line = line.trim();
        let rest = line.strip_prefix("Exit code:").or_else(|| line.strip_prefix("Process exited with code"))?;
        rest.trim().parse::<i64>().ok()
    };
    text.lines().take(6).find_map(code).map(Value::from)
}

fn event(of: &str, payload: &Value, unknown: &mut Unknown) -> Option<What> {
    let text = |field: &str| told::text(payload, field);
    let note = |kind, text: Clean| Some(What::Note(Note { kind, text }));
    match of {
        "user_message" => text("message").map(|message| What::Typed(kept(message))),
        "token_count" => {
            // Without it, the record is of limits of the account.
            let info = payload.get("info").filter(|info| info.is_object())?;
            let tokens = |field: &str| info.get(field).filter(|of| of.is_object()).map(Tokens::of);
            Some(What::Counted { last: tokens("last_token_usage"), total: tokens("total_token_usage") })
        }
        "task_started" | "turn_started" => Some(What::Began),
        "task_complete" | "turn_complete" => Some(What::Ended(text("last_agent_message").map(kept))),
        "turn_aborted" => note(NoteKind::Interrupted, Clean::line(text("reason").unwrap_or("no reason given"))),
        "error" | "stream_error" => note(NoteKind::Failed, kept(text("message").unwrap_or("no reason given"))),
        "exec_approval_request" | "apply_patch_approval_request" | "request_permissions" | "elicitation_request" => {
            let command = payload.get("command").map(|command| match command.as_array() {
                Some(words) => words.iter().map(shown).collect::<Vec<_>>().join(" "),
                None => shown(command),
            });
            let what = command.or_else(|| text("reason").map(str::to_owned)).unwrap_or_else(|| of.replace('_', " "));
            note(NoteKind::Asked, kept(&what))
        }
        "thread_rolled_back" => {
            let turns = text::count(count(payload, "num_turns"), "turn");
            note(NoteKind::Told, format!("went back {turns}").into())
        }
        "thread_name_updated" => text("thread_name").or_else(|| text("name")).map(|name| What::Titled(named(name))),
        "sub_agent_activity" => activity(payload).map(What::Activity),
        // Later versions wrap the event.
        "item_completed" | "item_started" => {
            payload.get("item").and_then(activity).filter(|_| of == "item_completed").map(What::Activity)
        }
        "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end" => ended(payload).map(What::Brought),
        "agent_message"
        | "agent_reasoning"
        | "agent_reasoning_raw_content"
        | "agent_reasoning_section_break"
        | "session_configured"
        | "context_compacted"
        | "turn_diff"
        | "plan_update"
        | "background_event"
        | "warning"
        | "entered_review_mode"
        | "exited_review_mode"
        | "view_image_tool_call"
        | "token_limits"
        | "thread_settings_applied"
        | "thread_goal_updated"
        | "raw_response_item"
        | "shutdown_complete" => None,
        _ if ["_begin", "_delta", "_end"].iter().any(|ending| of.ends_with(ending)) => None,
        other => {
            unknown.count(other);
            None
        }
    }
}

fn activity(payload: &Value) -> Option<Activity> {
    let text = |field: &str| told::text(payload, field).map(str::to_owned);
    let agent = text("agent_thread_id")?;
    let is_interrupted = text("kind").as_deref() == Some("interrupted");
    Some(Activity { call: text("event_id").or_else(|| text("id")), agent, path: text("agent_path"), is_interrupted })
}

/// The program's report on a tool that has ended.
fn ended(payload: &Value) -> Option<Brought> {
    let id = told::text(payload, "call_id")?.to_owned();
    let result = payload.get("result");
    let (good, bad) = (result.and_then(|of| of.get("Ok")), result.and_then(|of| of.get("Err")));
    let outputs = ["aggregated_output", "formatted_output", "stdout"].iter().find_map(|name| told::text(payload, name));
    let errors = told::text(payload, "stderr");
    let of_mcp = || good.map(|good| words(good.get("content").unwrap_or(good))).or_else(|| bad.map(shown));
    let text = outputs.or(errors).map(str::to_owned).or_else(of_mcp).unwrap_or_default();
    let failed = payload.get("exit_code").is_some_and(is_bad)
        || payload.get("success").and_then(Value::as_bool) == Some(false)
        || bad.is_some()
        || good.and_then(|good| good.get("isError").or_else(|| good.get("is_error"))).and_then(Value::as_bool)
            == Some(true);
    Some(Brought { id, text: kept(&text), failed, agent: None, is_by_program: true })
}
