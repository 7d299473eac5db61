//! The meaning of a span, from its attributes: by the GenAI conventions, old and new, by OpenInference, and others.

use std::collections::BTreeMap;

use run::foreign::{Note, NoteKind};
use run::model::Usage;
use run::{Money, Outcome, Payload};
use serde_json::Value;
use text::Clean;

use super::events::{heard, of_tool};
use super::span::{Attributes, PARENT_IS_REMOTE, Span};
use super::vendors::{self, AiSpan};
use crate::conversation::{Message, MessagePart, messages_of, messages_parts};
use crate::langfuse::{self, Observation};
use crate::story::{kept, named};
use crate::told::{as_json, dollars, hands_to, payload, shown, stop, uncached};
use crate::tree::{Kind, Node, Spoken, Worker};

/// The name of a run of this program, if this is its outermost span: its question where that was exported, else its team and
/// its id.
pub(super) fn title(span: &Span) -> Option<Clean> {
    let of = |name: &str| span.attributes.text(&[name]);
    if of("masthead.kind")?.as_str() != "run" {
        return None;
    }
    let said = span.attributes.first(&["gen_ai.input.messages"]).map(messages_of).unwrap_or_default();
    let question = said.iter().find_map(Message::text).and_then(|text| text.lines().next().map(named));
    question.filter(|line| !line.is_empty()).or_else(|| {
        let (team, run) = (of("gen_ai.workflow.name")?, of("gen_ai.conversation.id")?);
        Some(named(&format!("{team}, run {run}")))
    })
}

/// The node of a tree that a span is; None for an attempt of this program that did not fail: its call tells all of it.
pub(super) fn node(mut span: Span) -> Option<Node> {
    span.attributes.take_in(&span.events);
    span.parent = span.parent.filter(|id| !id.bytes().all(|byte| byte == b'0'));
    let observation = langfuse::of_span(&span.attributes.0, span.start);
    let kind = kind(&span, observation.as_ref());
    let Span { id, parent, name, start, end, attributes, events, message, is_error, flags, .. } = span;
    let exception = events.iter().find(|(name, _)| name == "exception").and_then(|(_, told)| {
        told.0.get("exception.message").or_else(|| told.0.get("exception.type")).map(|text| kept(&shown(text)))
    });
    let error = attributes.text(&["error.type"]);
    let why =
        || message.or(exception).or_else(|| error.clone()).unwrap_or_else(|| "it failed, and says no more".into());
    let failed = (is_error || error.is_some()).then(why).or_else(|| observation?.failed());
    let failed = failed.or_else(|| failed_tool(&attributes, &kind));
    let is_attempt = attributes.text(&["masthead.kind"]).is_some_and(|kind| kind.as_str() == "attempt");
    let kind = match (is_attempt, &failed) {
        (false, _) => kind,
        (true, None) => return None,
        (true, Some(why)) => Kind::Note(Note { kind: NoteKind::Failed, text: Clean::from(format!("{name}: {why}")) }),
    };
    Some(Node {
        id: id.into(),
        parent: parent.map(Into::into),
        is_called_from_elsewhere: flags & PARENT_IS_REMOTE != 0,
        agent: attributes.text(&["gen_ai.agent.name", "agent.name"]).unwrap_or_default(),
        name,
        start: start.unwrap_or(0),
        end,
        outcome: outcome(&attributes, failed.as_ref()),
        failed,
        kind,
    })
}

/// The reason of a tool that says beside its status that it failed: its result.
fn failed_tool(attributes: &Attributes, kind: &Kind) -> Option<Clean> {
    let Kind::Tool { result, .. } = kind else { return None };
    let failed = attributes.text(&["gen_ai.tool.status"]).is_some_and(|status| status.as_str() == "error");
    failed.then(|| if result.is_empty() { "it failed, and says no more".into() } else { result.clone() })
}

/// The outcome of an assignment of this program, as its span has it.
fn outcome(attributes: &Attributes, failed: Option<&Clean>) -> Option<Outcome> {
    let why = || {
        let told = attributes.first(&["masthead.outcome.why"]).map(|why| kept(&shown(why)));
        told.or_else(|| failed.cloned()).unwrap_or_else(|| "the trace does not say why".into())
    };
    Some(match attributes.text(&["masthead.outcome"])?.as_str() {
        "done" => Outcome::Done,
        "partial" => Outcome::Partial(why()),
        "nothing_found" => Outcome::NothingFound,
        "out_of_budget" => Outcome::OutOfBudget(why()),
        "failed" => Outcome::Failed(why()),
        "cancelled" => Outcome::Cancelled,
        _ => return None,
    })
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
        Some("invoke_agent" | "invoke_workflow" | "invoke_swarm" | "invoke_graph") => return agent(span),
        Some("execute_tool" | "retrieval") => return tool(span),
        _ => {}
    }
    if let Some(kind) = observation.and_then(|it| it.kind(name, span.parent.is_none())) {
        return kind;
    }
    let kind = word(&["openinference.span.kind", "traceloop.span.kind"]);
    match kind.as_deref() {
        Some("agent" | "workflow") => return agent(span),
        Some("llm" | "generation" | "embedding") => return call(span),
        Some("tool" | "retriever" | "reranker") => return tool(span),
        Some("guardrail" | "evaluator") => {
            let text = attributes.first(&["output.value"]).map(|text| kept(&shown(text))).unwrap_or_default();
            return Kind::Note(Note {
                kind: NoteKind::Told,
                text: Clean::from(format!("{name} {text}").trim().to_owned()),
            });
        }
        Some("chain") => return Kind::Chain(Box::new(worker(span))),
        _ => {}
    }
    match AiSpan::of(attributes) {
        Some(AiSpan::Call) => return call(span),
        Some(AiSpan::Tool) => return tool(span),
        Some(AiSpan::Function) => return Kind::Chain(Box::new(worker(span))),
        None => {}
    }
    if attributes.first(&["llm.request.type", "llm.model_name", "gen_ai.request.model"]).is_some() {
        return call(span);
    }
    let lower = name.to_lowercase();
    if ["human", "approval"].iter().any(|word| lower.contains(word)) {
        return Kind::Note(Note { kind: NoteKind::Told, text: name.clone() });
    }
    Kind::Other
}

fn worker(span: &Span) -> Worker {
    let Span { attributes, name, .. } = span;
    let role = [
        "gen_ai.agent.name",
        "agent.name",
        "gen_ai.workflow.name",
        "traceloop.entity.name",
        "gen_ai.agent.id",
        "ai.telemetry.functionId",
    ];
    let role = attributes.text(&role).unwrap_or_else(|| name.clone());
    let texts = |messages: Vec<Message>| {
        let texts: Vec<Clean> = messages.iter().filter_map(Message::text).collect();
        (!texts.is_empty()).then(|| Payload { notes: Some(texts), ..Payload::default() })
    };
    let words = |messages: &str, plain: &[&str], elsewhere: Vec<Message>| {
        let said = attributes.first(&[messages]).map(messages_of).unwrap_or_default();
        let told = texts(said).or_else(|| attributes.first(plain).map(payload));
        told.or_else(|| texts(elsewhere)).unwrap_or_default()
    };
    let (said, answered) = of_vendors_or_events(span);
    let input = words("gen_ai.input.messages", &["input.value", "traceloop.entity.input"], said);
    let output = words("gen_ai.output.messages", &["output.value", "traceloop.entity.output"], answered);
    Worker { role, input, output, cost: cost(attributes) }
}

/// The messages and the answer, from the attributes of single SDKs, or else from the events of the span.
fn of_vendors_or_events(span: &Span) -> (Vec<Message>, Vec<Message>) {
    let (said, answered) = (vendors::said(&span.attributes), vendors::answered(&span.attributes));
    if said.is_empty() && answered.is_empty() {
        let heard = heard(&span.events);
        return (heard.said, heard.answered);
    }
    (said, answered)
}

fn agent(span: &Span) -> Kind {
    Kind::Agent(Box::new(worker(span)))
}

fn tool(span: &Span) -> Kind {
    let Span { attributes, events, name, .. } = span;
    let names = ["gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"];
    let tool = attributes.text(&names).unwrap_or_else(|| name.clone());
    let server = attributes.text(&["mcp.server.name", "gen_ai.mcp.server.name"]);
    let shown_name = server.map_or_else(|| tool.clone(), |server| Clean::from(format!("{server}/{tool}")));
    let arguments = attributes.first(&[
        "gen_ai.tool.call.arguments",
        "input.value",
        "tool.parameters",
        "ai.toolCall.args",
        "gcp.vertex.agent.tool_call_args",
        "traceloop.entity.input",
    ]);
    let result = attributes.first(&[
        "gen_ai.tool.call.result",
        "output.value",
        "ai.toolCall.result",
        "gcp.vertex.agent.tool_response",
        "traceloop.entity.output",
    ]);
    let (given, brought) = of_tool(events);
    let arguments = arguments.map(as_json).or(given).unwrap_or_default();
    let result = result.map(|result| kept(&shown(result))).or(brought).unwrap_or_default();
    let to = attributes.text(&["gen_ai.transfer.target.name"]);
    let hands_to = to.or_else(|| hands_to(&tool));
    Kind::Tool { name: shown_name, arguments, result, hands_to }
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
        None => heard(events).finish,
    };
    let input = attributes.first(&["gen_ai.input.messages"]).map(messages_of).unwrap_or_default();
    let mut input = if input.is_empty() { numbered(attributes, "gen_ai.prompt", "llm.input_messages") } else { input };
    let output = attributes.first(&["gen_ai.output.messages"]).map(messages_of).unwrap_or_default();
    let mut output =
        if output.is_empty() { numbered(attributes, "gen_ai.completion", "llm.output_messages") } else { output };
    if input.is_empty() && output.is_empty() {
        (input, output) = of_vendors_or_events(span);
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

/// The cost of a call, or an agent's own statement of it.
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
        "gen_ai.usage.cache_write_input_tokens",
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
                    "name" => call.1 = named(&shown(value)),
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
