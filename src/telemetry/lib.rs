//! OpenTelemetry: spans and metrics made from committed events, live or long after, by the same function. Pure.
//!
//! Spans follow the GenAI conventions. They hold no text of the person, of sources or of models unless that is asked for.

mod document;
mod form;
mod metrics;
mod span;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;

use run::attempt::Fault;
use run::event::{Called, Envelope, Event, Opened, Opening};
use run::handoff::Payload;
use run::model::{Arguments, Content, ModelRequest, Reply, Said, StopReason, Usage};
use run::{AssignmentId, At, CallId, CheckpointId, ModelId, Money, Outcome, RunId};
use serde_json::{Value, json};
use text::Clean;

pub use document::{Resource, metrics, spans};
pub use form::{Form, varint};
pub use metrics::Metrics;
use metrics::Model;
use span::{Attribute, Kind};
pub use span::{Span, SpanId, TraceId};

/// Spans of one run, made as its events come.
#[derive(Debug)]
pub struct Tracer {
    /// Whether spans hold the texts of messages.
    with_text: bool,
    /// Whether another program wrote the run.
    is_imported: bool,
    run: Option<(RunId, Span)>,
    /// The beginning of the run itself: of a fork, later than the events of its parent.
    began: At,
    assignments: BTreeMap<AssignmentId, Span>,
    handoffs: BTreeMap<AssignmentId, Span>,
    calls: BTreeMap<CallId, Span>,
    attempts: BTreeMap<CallId, Span>,
    checkpoints: BTreeMap<CheckpointId, Span>,
    /// The time of each model call, and its model.
    asked: BTreeMap<CallId, (At, ModelId)>,
    metrics: Metrics,
}

impl Tracer {
    /// Of a run from its first event on.
    pub fn new(with_text: bool) -> Tracer {
        Tracer {
            with_text,
            is_imported: false,
            run: None,
            began: At::default(),
            assignments: BTreeMap::new(),
            handoffs: BTreeMap::new(),
            calls: BTreeMap::new(),
            attempts: BTreeMap::new(),
            checkpoints: BTreeMap::new(),
            asked: BTreeMap::new(),
            metrics: Metrics::default(),
        }
    }

    /// Of a run that goes on: another process has exported these events, and their counts.
    pub fn after<'a>(recorded: impl IntoIterator<Item = &'a Envelope>, with_text: bool) -> Tracer {
        let mut tracer = Tracer::new(with_text);
        for envelope in recorded {
            tracer.event(envelope);
        }
        tracer.metrics = Metrics::default();
        tracer
    }

    /// The counts so far.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The spans that end with this event.
    pub fn event(&mut self, envelope: &Envelope) -> Vec<Span> {
        let at = envelope.at;
        match &envelope.event {
            Event::RunOpened(opening) => self.run_opened(opening, at),
            // Events before this one happened in the parent, and were paid for and counted there.
            Event::Forked(_) => {
                self.metrics = Metrics::default();
                self.began = at;
            }
            Event::HandedOff { by, opened, .. } => opened.iter().for_each(|opened| self.opened(*by, opened, at)),
            Event::Reported { by, outcome, handoff } => return self.reported(*by, outcome, &handoff.payload, at),
            Event::ToolsCalled { by, calls, .. } => {
                calls.iter().for_each(|called| self.tool_called(*by, called, at));
            }
            Event::ToolReturned { call, result, .. } => {
                let result = self.with_text.then(|| serde_json::to_string(&**result).unwrap_or_default());
                return self.ended(*call, at, |span| {
                    if let Some(result) = result {
                        span.set("gen_ai.tool.call.result", result);
                    }
                });
            }
            Event::ToolFailed { call, error, .. } => {
                let why = self.with_text.then(|| error.to_string());
                return self.ended(*call, at, |span| span.fail("tool_error", why));
            }
            Event::ModelCalled { by, call, request, .. } => self.asked(*by, *call, request, at),
            Event::AttemptSent { call, attempt } => self.attempt_sent(*call, *attempt, at),
            Event::AttemptFailed { call, fault, used, doubt, .. } => {
                if let Some(span) = self.attempts.get_mut(call) {
                    for (name, cost) in [("masthead.cost.usd", used), ("masthead.cost.in_doubt.usd", doubt)] {
                        if cost.money().0 > 0 {
                            span.set(name, cost.money().0 as f64 / 1e12);
                        }
                    }
                }
                return self.attempt_ended(*call, Some(fault), at);
            }
            Event::ModelReplied { call, reply, used } => return self.replied(*call, reply, used.money(), at),
            Event::ModelFailed { call, error } => {
                let why = self.with_text.then(|| error.to_string());
                return self.unanswered(*call, "model_call_failed", why, at);
            }
            Event::CheckpointOpened { checkpoint, by, subject } => {
                self.checkpoint_opened(*checkpoint, *by, &subject.title(), at);
            }
            Event::CheckpointAnswered { checkpoint, .. } => {
                return self.checkpoints.remove(checkpoint).map(|span| span.ended(at)).into_iter().collect();
            }
            _ => {}
        }
        Vec::new()
    }

    fn run_opened(&mut self, opening: &Opening, at: At) {
        let name = opening.team.name.as_str();
        let (run, id) = (&opening.run, SpanId::of(&opening.run, "run"));
        let mut span = Span::new(TraceId::of(run), id, None, format!("invoke_workflow {name}"), at);
        span.set("gen_ai.operation.name", "invoke_workflow");
        span.set("gen_ai.workflow.name", name.to_owned());
        span.set("gen_ai.conversation.id", run.to_string());
        span.set("masthead.kind", "run");
        if self.with_text {
            span.set("gen_ai.input.messages", said("user", &opening.question));
        }
        self.is_imported = opening.origin.is_some();
        self.began = at;
        self.run = Some((run.clone(), span));
    }

    fn tool_called(&mut self, by: AssignmentId, called: &Called, at: At) {
        let name = called.request.name.as_str();
        let mut span = self.below(by, called.call, format!("execute_tool {name}"), at);
        span.set("gen_ai.operation.name", "execute_tool");
        span.set("gen_ai.tool.name", name.to_owned());
        span.set("gen_ai.tool.call.id", called.call.to_string());
        if self.with_text {
            span.set("gen_ai.tool.call.arguments", called.request.arguments.get().to_string());
        }
        self.calls.insert(called.call, span);
    }

    fn attempt_sent(&mut self, call: CallId, attempt: u32, at: At) {
        let Some(above) = self.calls.get(&call) else { return };
        let id = format_args!("{call}#{attempt}");
        let mut span = self.child(above.id, id, format!("attempt {attempt}"), at);
        span.kind = Kind::Client;
        span.set("masthead.kind", "attempt");
        span.set("masthead.attempt", attempt);
        self.attempts.insert(call, span);
    }

    fn checkpoint_opened(&mut self, checkpoint: CheckpointId, by: AssignmentId, title: &str, at: At) {
        let mut span = self.below(by, format_args!("checkpoint {checkpoint}"), format!("checkpoint {title}"), at);
        span.set("masthead.kind", "checkpoint");
        span.set("masthead.checkpoint", checkpoint.to_string());
        self.checkpoints.insert(checkpoint, span);
    }

    /// The spans that have not ended, as they stand; for a run that is not at its end.
    pub fn rest(self) -> Vec<Span> {
        let Tracer { run, assignments, handoffs, calls, attempts, checkpoints, .. } = self;
        let below = assignments.into_values().chain(handoffs.into_values()).chain(calls.into_values());
        let below = below.chain(attempts.into_values()).chain(checkpoints.into_values());
        run.map(|(_, span)| span).into_iter().chain(below).collect()
    }

    fn child(&self, parent: SpanId, id: impl Display, name: String, at: At) -> Span {
        let (trace, id) = match &self.run {
            Some((run, top)) => (top.trace, SpanId::of(run, id)),
            None => {
                let unknown = RunId::from_random([0; 6]);
                (TraceId::of(&unknown), SpanId::of(&unknown, id))
            }
        };
        Span::new(trace, id, Some(parent), name, at)
    }

    /// A span below that of an assignment; below the run where the assignment is over.
    fn below(&self, by: AssignmentId, id: impl Display, name: String, at: At) -> Span {
        let run = || self.run.as_ref().map_or(SpanId::default(), |(_, span)| span.id);
        let parent = self.assignments.get(&by).map_or_else(run, |span| span.id);
        self.child(parent, id, name, at)
    }

    fn opened(&mut self, by: Option<AssignmentId>, opened: &Opened, at: At) {
        let role = opened.role.as_str();
        let name = opened.assignment.to_string();
        let payload = self.with_text.then(|| data(&opened.handoff.payload));
        let mut above = None;
        if let Some(by) = by {
            let id = format_args!("handoff {name}");
            let mut span = self.below(by, id, format!("execute_tool transfer_to_{role}"), at);
            span.set("gen_ai.operation.name", "execute_tool");
            span.set("gen_ai.tool.name", format!("transfer_to_{role}"));
            span.set("gen_ai.transfer.target.name", role.to_owned());
            span.set("gen_ai.transfer.mode", "return_to_caller");
            span.set("masthead.kind", "handoff");
            span.set("masthead.handoff", opened.handoff.no.0);
            if let Some(payload) = payload {
                span.set("gen_ai.tool.call.arguments", payload);
            }
            above = Some(span.id);
            self.handoffs.insert(opened.assignment, span);
        }
        let run = || self.run.as_ref().map_or(SpanId::default(), |(_, span)| span.id);
        let mut span = self.child(above.unwrap_or_else(run), &name, format!("invoke_agent {role}"), at);
        span.set("gen_ai.operation.name", "invoke_agent");
        span.set("gen_ai.agent.name", role.to_owned());
        span.set("gen_ai.agent.id", name);
        if self.with_text {
            span.set("masthead.title", &opened.handoff.title);
        }
        self.assignments.insert(opened.assignment, span);
    }

    fn reported(&mut self, by: AssignmentId, outcome: &Outcome, payload: &Payload, at: At) -> Vec<Span> {
        let word = outcome.word().replace(' ', "_");
        let why = outcome.why().filter(|_| self.with_text).map(ToString::to_string);
        // Calls that were out for it when it ended have no end of their own.
        let out: Vec<CallId> = self.calls.keys().filter(|call| call.assignment == by).copied().collect();
        let mut spans = Vec::new();
        for call in out {
            spans.extend(self.unanswered(call, "ended_from_outside", None, at));
        }
        // The verdicts of the last draft's checks are passed on with the brief: each is of the check that gave it.
        let given = payload.verdicts().iter().filter(|_| by != AssignmentId::ROOT);
        for (n, verdict) in given.enumerate() {
            let mut span = self.below(by, format_args!("gate {by} {n}"), "gate".into(), at);
            span.set("masthead.kind", "gate");
            span.set("masthead.gate.passed", verdict.passes());
            span.set("masthead.gate.issues", verdict.issues.len() as u64);
            spans.push(span.ended(at));
        }
        let ends = [self.assignments.remove(&by), self.handoffs.remove(&by)];
        let of_run = if by == AssignmentId::ROOT { self.run.as_ref().map(|(_, span)| span.clone()) } else { None };
        let is_run = of_run.is_some();
        for mut span in ends.into_iter().flatten().chain(of_run) {
            span.set("masthead.outcome", word.clone());
            if let Some(why) = &why {
                span.set("masthead.outcome.why", why.clone());
            }
            if matches!(outcome, Outcome::Failed(_) | Outcome::OutOfBudget(_)) {
                span.fail(word.clone(), why.clone());
            }
            if self.with_text && span.has("gen_ai.transfer.target.name") {
                span.set("gen_ai.tool.call.result", data(payload));
            }
            spans.push(span.ended(at));
        }
        if is_run {
            self.metrics.workflow(at.since(self.began));
        }
        spans
    }

    fn asked(&mut self, by: AssignmentId, call: CallId, request: &ModelRequest, at: At) {
        let model = &request.model.model;
        let mut span = self.below(by, call, format!("chat {model}"), at);
        span.kind = Kind::Client;
        span.set("gen_ai.operation.name", "chat");
        span.set("gen_ai.provider.name", &provider(&request.model));
        span.set("gen_ai.request.model", model);
        if request.max_tokens > 0 {
            span.set("gen_ai.request.max_tokens", request.max_tokens);
        }
        if self.with_text {
            span.set("gen_ai.input.messages", Value::Array(request.said.iter().map(message).collect()).to_string());
        }
        self.asked.insert(call, (at, request.model.clone()));
        self.calls.insert(call, span);
    }

    /// A call is answered. `counted` is this program's own count for it: nothing for a call of an imported run whose price nobody
    /// knows.
    fn replied(&mut self, call: CallId, reply: &Reply, counted: Money, at: At) -> Vec<Span> {
        // An answer from the record was counted where it was paid for.
        if reply.recorded.is_some() {
            self.asked.remove(&call);
        } else if let Some(model) = self.call_ended(call, None, at) {
            self.metrics.tokens(model, &reply.usage);
        }
        let mut spans = self.attempt_ended(call, None, at);
        let with_text = self.with_text;
        let cost = if self.is_imported { reply.usage.cost } else { Some(counted) };
        let is_estimated = reply.usage.cost_estimated || !self.is_imported && reply.usage.estimated;
        spans.extend(self.ended(call, at, |span| {
            let Usage { input: _, cache_read, cache_write, cache_write_long, output, reasoning, .. } = reply.usage;
            span.set("gen_ai.response.model", &reply.served_by);
            span.set("gen_ai.response.finish_reasons", Attribute::Texts(vec![finish(&reply.stop)]));
            if let Some(id) = &reply.request_id {
                span.set("gen_ai.response.id", id);
            }
            span.set("gen_ai.usage.input_tokens", reply.usage.input_total());
            span.set("gen_ai.usage.output_tokens", output);
            for (name, tokens) in [
                ("gen_ai.usage.cache_read.input_tokens", cache_read),
                ("gen_ai.usage.cache_creation.input_tokens", cache_write.saturating_add(cache_write_long)),
                ("gen_ai.usage.reasoning.output_tokens", reasoning),
            ] {
                if tokens > 0 {
                    span.set(name, tokens);
                }
            }
            if let Some(cost) = cost {
                span.set("masthead.cost.usd", cost.0 as f64 / 1e12);
                if is_estimated {
                    span.set("masthead.cost.estimated", true);
                }
            }
            if reply.first_ms > 0 {
                span.set("gen_ai.response.time_to_first_chunk", reply.first_ms as f64 / 1e3);
            }
            if with_text {
                span.set("gen_ai.output.messages", answered(reply));
            }
        }));
        spans
    }

    /// Counts the time of a model call that has ended; returns its model. None for a call of a tool.
    fn call_ended(&mut self, call: CallId, error: Option<&'static str>, at: At) -> Option<Model> {
        let (asked, model) = self.asked.remove(&call)?;
        let model = (provider(&model), model.model);
        self.metrics.call(model.clone(), error, at.since(asked));
        Some(model)
    }

    /// The spans of a call that ended without an answer; its `error` is a word.
    fn unanswered(&mut self, call: CallId, error: &'static str, why: Option<String>, at: At) -> Vec<Span> {
        self.call_ended(call, Some(error), at);
        let mut spans = self.attempt_ended(call, None, at);
        spans.extend(self.ended(call, at, |span| span.fail(error, why)));
        spans
    }

    fn attempt_ended(&mut self, call: CallId, fault: Option<&Fault>, at: At) -> Vec<Span> {
        let Some(mut span) = self.attempts.remove(&call) else { return Vec::new() };
        if let Some(fault) = fault {
            let class = serde_json::to_value(fault.class).ok().and_then(|class| class.as_str().map(str::to_owned));
            // A stream that breaks off has begun with the status of an answer.
            let status = fault.status.filter(|status| *status >= 400).map(|status| status.to_string());
            let kind = status.or(class).unwrap_or_else(|| "failed".into());
            span.fail(kind, self.with_text.then(|| fault.what.to_string()));
        }
        vec![span.ended(at)]
    }

    fn ended(&mut self, call: CallId, at: At, set: impl FnOnce(&mut Span)) -> Vec<Span> {
        let Some(mut span) = self.calls.remove(&call) else { return Vec::new() };
        set(&mut span);
        vec![span.ended(at)]
    }
}

/// All spans of a run, as far as it went, and its metrics.
pub fn trace<'a>(events: impl IntoIterator<Item = &'a Envelope>, with_text: bool) -> (Vec<Span>, Metrics) {
    let mut tracer = Tracer::new(with_text);
    let mut spans: Vec<Span> = events.into_iter().flat_map(|envelope| tracer.event(envelope)).collect();
    let metrics = tracer.metrics.clone();
    // The span of a run that has ended stands among those already.
    let ended = spans.iter().any(|span| span.has("gen_ai.workflow.name"));
    spans.extend(tracer.rest().into_iter().filter(|span| !ended || !span.has("gen_ai.workflow.name")));
    (spans, metrics)
}

/// The provider by its name in the conventions.
fn provider(model: &ModelId) -> Clean {
    let named = match model.provider.as_str() {
        "gemini" => "gcp.gemini",
        "vertex" => "gcp.vertex_ai",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        "bedrock" => "aws.bedrock",
        "azure" => "azure.ai.openai",
        _ => return model.provider.clone(),
    };
    named.into()
}

fn finish(stop: &StopReason) -> Cow<'static, str> {
    Cow::Borrowed(match stop {
        StopReason::End => "stop",
        StopReason::Tools => "tool_call",
        StopReason::Length => "length",
        StopReason::Refusal(_) => "content_filter",
        StopReason::Pause => "pause",
        StopReason::Other(other) => return other.to_string().into(),
    })
}

fn data(payload: &Payload) -> String {
    serde_json::to_string(payload).unwrap_or_default()
}

fn said(role: &str, text: &str) -> String {
    json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string()
}

fn message(said: &Said) -> Value {
    match said {
        Said::System { text } => json!({"role": "system", "parts": [{"type": "text", "content": text}]}),
        Said::User { text } => json!({"role": "user", "parts": [{"type": "text", "content": text}]}),
        Said::Results { results } => {
            let parts = results
                .iter()
                .map(|result| json!({"type": "tool_call_response", "id": result.call, "response": result.text}));
            json!({"role": "tool", "parts": parts.collect::<Vec<Value>>()})
        }
    }
}

fn answered(reply: &Reply) -> String {
    let parts = reply.content.iter().map(|content| match content {
        Content::Text { text } => json!({"type": "text", "content": text}),
        Content::Thinking { text } => json!({"type": "reasoning", "content": text}),
        Content::Call { id, name, arguments } => {
            let arguments = match arguments {
                Arguments::Whole(value) => value.clone(),
                Arguments::Broken(text) => json!(text),
            };
            json!({"type": "tool_call", "id": id, "name": name, "arguments": arguments})
        }
        Content::Other { kind } => json!({"type": kind}),
    });
    let parts: Vec<Value> = parts.collect();
    json!([{"role": "assistant", "parts": parts, "finish_reason": finish(&reply.stop)}]).to_string()
}
