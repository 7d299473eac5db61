//! The results that the samples must give, to the token.

use serde_json::Value;

use crate::{Dice, fold, format_of, run_of, runs_of, summary};
use run::Run;
use run::foreign::Format;

pub const OTLP: &[u8] = include_bytes!("samples/otlp/traces.jsonl");
pub const OPENINFERENCE: &[u8] = include_bytes!("samples/otlp/openinference.json");

macro_rules! session {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("7c1f0a52-3d1e-4a55-9a0b-2f6d3b1c9e10", $name),
            include_bytes!(concat!("samples/claude-code/7c1f0a52-3d1e-4a55-9a0b-2f6d3b1c9e10", $name)) as &[u8])),*]
    };
}

pub const SESSION: &[(&str, &[u8])] = session![
    ".jsonl",
    "/subagents/agent-a1111111111111111.jsonl",
    "/subagents/agent-a1111111111111111.meta.json",
    "/subagents/agent-a2222222222222222.jsonl",
    "/subagents/agent-a2222222222222222.meta.json",
    "/subagents/agent-a3333333333333333.jsonl",
    "/subagents/agent-a3333333333333333.meta.json",
];

fn expected(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_session_with_sub_agents_comes_out_to_the_token() {
    let run = run_of(SESSION);
    assert_eq!(format_of(&run), Format::ClaudeCode);
    assert_eq!(summary(&run), expected(include_str!("samples/expected/claude-code.json")));
}

#[test]
fn traces_of_the_genai_conventions_come_out_to_the_token() {
    let run = run_of(&[("t.jsonl", OTLP)]);
    assert_eq!(format_of(&run), Format::Otlp);
    assert_eq!(summary(&run), expected(include_str!("samples/expected/otlp.json")));
}

#[test]
fn traces_of_openinference_and_of_numbered_attributes_come_out_to_the_token() {
    assert_eq!(
        summary(&run_of(&[("t.json", OPENINFERENCE)])),
        expected(include_str!("samples/expected/openinference.json"))
    );
}

#[test]
fn what_a_graph_and_the_agents_sdk_really_wrote_comes_out_to_the_token() {
    let graph = run_of(&[("run.jsonl", include_bytes!("samples/langsmith/langgraph.jsonl"))]);
    assert_eq!(format_of(&graph), Format::Langsmith);
    assert_eq!(summary(&graph), expected(include_str!("samples/expected/langgraph.json")));
    let back = &graph.assignments().next().unwrap().ended.as_ref().unwrap().1.payload;
    assert!(back.notes().is_empty(), "what was asked did not come back: {back:?}");
    assert!(format!("{back:?}").contains("on one machine a file is enough"), "{back:?}");
    let handed = graph.handoffs.iter().find(|handoff| &*handoff.names.1 == "writer").unwrap();
    assert!(format!("{:?}", handed.payload).contains("SQLite is a file"), "all of it is there: {handed:?}");
    let agents = run_of(&[("agents.jsonl", include_bytes!("samples/openai-agents/agents.jsonl"))]);
    assert_eq!(format_of(&agents), Format::OpenaiAgents);
    assert_eq!(summary(&agents), expected(include_str!("samples/expected/openai-agents.json")));
}

#[test]
fn the_order_of_files_and_of_spans_changes_nothing() {
    let session = runs_of(SESSION);
    let text = String::from_utf8(OTLP.to_vec()).unwrap();
    let traces = runs_of(&[("t.jsonl", OTLP)]);
    let documents: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let spans: Vec<&Value> = documents
        .iter()
        .flat_map(|document| document["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap())
        .collect();
    for seed in 1..200 {
        let mut dice = Dice(seed);
        let mut files = SESSION.to_vec();
        dice.shuffle(&mut files);
        assert_eq!(runs_of(&files), session, "{seed}");
        let mut shuffled = spans.clone();
        dice.shuffle(&mut shuffled);
        let one_a_line = shuffled.iter().map(|span| {
            let resource = &documents[0]["resourceSpans"][0]["resource"];
            serde_json::json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]})
                .to_string()
        });
        let lines = one_a_line.collect::<Vec<_>>().join("\n");
        assert_eq!(runs_of(&[("t.jsonl", lines.as_bytes())]), traces, "{seed}");
    }
}

#[test]
fn nothing_is_decided_at_any_moment_of_an_imported_run() {
    let events = runs_of(SESSION).remove(0);
    for n in 1..=events.len() {
        let run = Run::fold(&events[..n]);
        assert!(run.is_imported());
        assert_eq!(supervisor::decide(&run, run.at, &supervisor::Staff), [], "after {n} events");
    }
}

#[test]
fn the_sums_of_calls_assignments_and_run_are_one_sum() {
    for files in [
        SESSION,
        &[("t.jsonl", OTLP)],
        &[("t.json", OPENINFERENCE)],
        &[("t.json", crate::langfuse::TRACE)],
        crate::codex::ROLLOUTS,
    ] {
        let run = fold(&runs_of(files)[0]);
        let totals = &summary(&run)["totals"];
        let sum: u64 =
            ["input", "cache_read", "cache_write", "output"].iter().map(|name| totals[name].as_u64().unwrap()).sum();
        assert_eq!(run.ledger.run().spent.tokens(), sum);
        assert_eq!(run.ledger.run().overrun, Default::default());
        let own = |id| {
            let all = run.assignment(id).unwrap().transcript.exchanges().filter_map(|call| call.reply().cloned());
            all.map(|reply| reply.usage.total()).sum::<u64>()
        };
        assert_eq!(run.assignments().map(|one| own(one.id)).sum::<u64>(), sum);
    }
}
