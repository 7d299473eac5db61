//! LangGraph, Langfuse's SDK, and others that are told as a tree of spans.

use serde_json::{Value, json};

use crate::{Dice, format_of, run_of, runs_of, summary};
use run::foreign::Format;

fn run(id: &str, parent: Option<&str>, name: &str, kind: &str, at: u32, more: Value) -> Value {
    let mut run = json!({"id": id, "trace_id": "r0", "parent_run_id": parent, "name": name, "run_type": kind, "dotted_order": id,
        "start_time": format!("2026-11-03T09:00:{at:02}"), "end_time": format!("2026-11-03T09:00:{:02}.500", at + 1), "status": "success"});
    more.as_object().unwrap().iter().for_each(|(key, value)| run[key] = value.clone());
    run
}

fn node(name: &str) -> Value {
    json!({"metadata": {"langgraph_node": name, "langgraph_step": 1}})
}

/// A graph with a planner and a writer; the writer is asked about, then writes.
fn graph() -> Vec<Value> {
    let message = json!({"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": {
        "content": "Three parts.", "tool_calls": [{"name": "search", "args": {"q": "cache"}, "id": "c1"}],
        "usage_metadata": {"input_tokens": 120, "output_tokens": 30, "input_token_details": {"cache_read": 100}},
        "response_metadata": {"finish_reason": "tool_calls", "model_name": "gpt-6-luna-2026"}}});
    let llm = json!({"inputs": {"messages": [[{"lc": 1, "id": ["HumanMessage"], "kwargs": {"content": "Which cache?"}}]]},
        "outputs": {"generations": [[{"message": message}]]}, "total_cost": "0.0021", "extra": {"metadata":
        {"langgraph_node": "planner", "ls_provider": "openai", "ls_model_name": "gpt-6-luna"}}});
    let interrupt = "GraphInterrupt((Interrupt(value='Shall I write?', resumable=True, ns=['writer:1']),))";
    vec![
        run(
            "r0",
            None,
            "LangGraph",
            "chain",
            0,
            json!({"inputs": {"messages": [["user", "Which cache?"]]}, "outputs": {"answer": 1}}),
        ),
        run("r1", Some("r0"), "planner", "chain", 1, json!({"extra": node("planner"), "inputs": {"n": 1}})),
        run("r2", Some("r1"), "RunnableSequence", "chain", 1, json!({"extra": node("planner")})),
        run("r3", Some("r2"), "ChatOpenAI", "llm", 1, llm),
        run(
            "r4",
            Some("r1"),
            "search",
            "tool",
            3,
            json!({"inputs": {"input": "{'q': 'cache'}"}, "outputs": {"output": "3 hits"}, "extra": node("planner")}),
        ),
        run(
            "r5",
            Some("r0"),
            "writer",
            "chain",
            5,
            json!({"extra": node("writer"), "status": "error", "error": interrupt}),
        ),
        run(
            "r6",
            Some("r0"),
            "checker",
            "chain",
            7,
            json!({"extra": node("checker"), "status": "error",
            "error": "ValueError('no')\n\nTraceback (most recent call last):\n  File"}),
        ),
    ]
}

#[test]
fn a_graph_is_its_nodes_with_what_they_called() {
    let lines = graph().iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let run = run_of(&[("runs.jsonl", lines.as_bytes())]);
    assert_eq!(format_of(&run), Format::Langsmith);
    let found = summary(&run);
    let roles: Vec<&Value> = found["assignments"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["LangGraph", "planner", "writer", "checker"]);
    let outcomes: Vec<&Value> = found["assignments"].as_array().unwrap().iter().map(|one| &one["outcome"]).collect();
    assert_eq!(outcomes, ["done", "done", "done", "failed"], "a graph that asks a person has not failed");
    assert_eq!(
        found["calls"],
        json!([{"assignment": "r1", "model": "gpt-6-luna-2026", "input": 20, "cache_read": 100, "cache_write": 0, "output": 30}])
    );
    assert_eq!(found["tools"], json!([{"assignment": "r1", "name": "search", "failed": false}]));
    assert_eq!(found["cost_usd"], json!(0.0021));
    let asked = run.assignments().nth(2).unwrap().ended.as_ref().unwrap().1.payload.notes().to_vec();
    assert_eq!(asked, ["asked the person: Shall I write?"].map(text::Clean::from));
}

#[test]
fn a_graph_is_the_same_as_lines_in_any_order_as_a_list_and_as_a_tree() {
    let mut runs = graph();
    let lines = |runs: &[Value]| runs.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let told = runs_of(&[("r", lines(&runs).as_bytes())]);
    let list = serde_json::to_string_pretty(&runs).unwrap();
    assert_eq!(runs_of(&[("r", list.as_bytes())]), told);
    fn tree(runs: &[Value], of: &Value) -> Value {
        let mut of = of.clone();
        let below = runs.iter().filter(|run| run["parent_run_id"] == of["id"]).map(|run| tree(runs, run)).collect();
        of["child_runs"] = Value::Array(below);
        of
    }
    let nested = serde_json::to_string_pretty(&tree(&runs, &runs[0])).unwrap();
    assert_eq!(runs_of(&[("r", nested.as_bytes())]), told);
    for seed in 1..50 {
        Dice(seed).shuffle(&mut runs);
        assert_eq!(runs_of(&[("r", lines(&runs).as_bytes())]), told, "{seed}");
    }
}

/// An observation of an export as the SDK sends it: a span whose attributes are its fields.
fn sent(observation: &Value) -> Value {
    // All of it is of one minute: `2026-11-03T09:00:05.010Z`.
    let nanos = |field: &str| {
        let second: f64 = observation[field].as_str()?[17..23].parse().unwrap();
        Some(((1_793_696_400_000 + (second * 1e3).round() as u64) * 1_000_000).to_string())
    };
    let mut attributes = vec![("type", observation["type"].as_str().unwrap().to_lowercase())];
    let cost = json!({"total": observation["totalCost"]});
    for (there, here) in [
        ("input", "input"),
        ("output", "output"),
        ("level", "level"),
        ("status_message", "statusMessage"),
        ("model.name", "model"),
        ("model.parameters", "modelParameters"),
        ("usage_details", "usageDetails"),
        ("usage_details", "usage"),
        ("cost_details", "costDetails"),
    ] {
        let value = &observation[here];
        let value = if here == "costDetails" && observation["totalCost"].is_number() { &cost } else { value };
        let is_nothing = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
        if !is_nothing {
            attributes.push((there, value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        }
    }
    let attributes: Vec<Value> = attributes
        .into_iter()
        .map(|(name, value)| json!({"key": format!("langfuse.observation.{name}"), "value": {"stringValue": value}}))
        .collect();
    json!({"traceId": observation["traceId"], "spanId": observation["id"], "parentSpanId": observation["parentObservationId"],
        "name": observation["name"], "startTimeUnixNano": nanos("startTime"),
        "endTimeUnixNano": nanos("endTime").or(nanos("startTime")), "attributes": attributes})
}

/// A body that the Python SDK of Langfuse (5.0.4) sent.
const LANGFUSE_SDK: &[u8] = include_bytes!("samples/otlp/langfuse-sdk.pb");

#[test]
fn what_the_sdk_of_langfuse_really_sent_comes_out_to_the_token() {
    let run = run_of(&[("body.pb", LANGFUSE_SDK)]);
    let found = summary(&run);
    let roles: Vec<&Value> = found["assignments"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["supervisor", "reader Redis", "reader SQLite"]);
    assert_eq!(found["totals"], json!({"input": 2_200, "cache_read": 300, "cache_write": 0, "output": 230}));
    let failed: Vec<&Value> = found["tools"].as_array().unwrap().iter().map(|tool| &tool["failed"]).collect();
    assert_eq!((failed, &found["cost_usd"]), (vec![&json!(false), &json!(true)], &json!(0.003)));
    assert!(found["calls"].as_array().unwrap().iter().all(|call| call["model"] == "gpt-5-mini"), "{found}");
    let asked = &run.opening.as_ref().unwrap().question;
    assert_eq!(&**asked, "Which cache fits a shop on one machine?");
}

#[test]
fn what_the_sdk_of_langfuse_sends_as_spans_is_what_its_export_has() {
    let trace: Value = serde_json::from_slice(crate::langfuse::TRACE).unwrap();
    let spans: Vec<Value> = trace["observations"].as_array().unwrap().iter().map(sent).collect();
    let document = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    let run = run_of(&[("spans.json", document.as_bytes())]);
    assert_eq!(format_of(&run), Format::Otlp);
    let expected: Value = serde_json::from_str(include_str!("samples/expected/langfuse.json")).unwrap();
    assert_eq!(summary(&run), expected);
}
