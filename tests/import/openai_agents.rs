//! Traces of the OpenAI Agents SDK: who handed over to whom.

use serde_json::{Value, json};

use crate::{Dice, format_of, run_of, runs_of, summary};
use run::foreign::Format;
use run::{Run, describe};

fn item(id: &str, parent: Option<&str>, at: u32, data: Value) -> Value {
    json!({"object": "trace.span", "id": id, "trace_id": "trace_1", "parent_id": parent, "span_data": data, "error": null,
        "started_at": format!("2026-11-03T09:00:{at:02}Z"), "ended_at": format!("2026-11-03T09:00:{:02}Z", at + 1)})
}

#[test]
fn items_of_the_agents_sdk_tell_who_handed_over_to_whom() {
    let usage = |n: u64| json!({"input_tokens": n, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 20}});
    let turn = json!({"type": "custom", "name": "turn", "data": {"sdk_span_type": "turn", "usage": usage(9_999)}});
    let mut items = [
        json!({"object": "trace", "id": "trace_1", "workflow_name": "Cache choice"}),
        item("s1", None, 1, json!({"type": "agent", "name": "triage"})),
        item("s2", Some("s1"), 1, turn),
        item(
            "s3",
            Some("s2"),
            1,
            json!({"type": "generation", "model": "gpt-6-luna", "input": [{"role": "user", "content": "Which?"}],
            "output": [{"role": "assistant", "content": "Ask the reader."}], "usage": usage(100)}),
        ),
        item("s4", Some("s1"), 3, json!({"type": "handoff", "from_agent": "triage", "to_agent": "reader"})),
        item("s5", None, 4, json!({"type": "agent", "name": "reader"})),
        item("s6", Some("s5"), 5, json!({"type": "response", "response_id": "resp_1", "usage": usage(50)})),
        item(
            "s7",
            Some("s5"),
            6,
            json!({"type": "function", "name": "read", "input": "{\"path\": \"a\"}", "output": "text"}),
        ),
        item("s8", Some("s5"), 7, json!({"type": "guardrail", "name": "tone", "triggered": true})),
    ];
    let lines = |items: &[Value]| items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let told = runs_of(&[("agents.jsonl", lines(&items).as_bytes())]);
    let run = run_of(&[("agents.jsonl", lines(&items).as_bytes())]);
    assert_eq!(format_of(&run), Format::OpenaiAgents);
    let found = summary(&run);
    assert_eq!(
        found["totals"],
        json!({"input": 110, "cache_read": 40, "cache_write": 0, "output": 14}),
        "sums are not added"
    );
    assert_eq!(found["tools"], json!([{"assignment": "s5", "name": "read", "failed": false}]));
    let roles: Vec<&Value> = found["assignments"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["Cache choice", "triage", "reader"]);
    for seed in 1..50 {
        Dice(seed).shuffle(&mut items);
        assert_eq!(runs_of(&[("agents.jsonl", lines(&items).as_bytes())]), told, "{seed}");
    }
}

/// An agent at work for these seconds, below this span.
fn agent(id: &str, parent: Option<&str>, name: &str, (from, to): (u32, u32)) -> Value {
    let mut agent = item(id, parent, from, json!({"type": "agent", "name": name}));
    agent["ended_at"] = json!(format!("2026-11-03T09:00:{to:02}Z"));
    agent
}

fn handoff(id: &str, by: &str, at: u32, to: &str) -> Value {
    item(id, Some(by), at, json!({"type": "handoff", "from_agent": "it", "to_agent": to}))
}

fn told(items: &[Value]) -> Value {
    let lines = items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    summary(&run_of(&[("agents.jsonl", lines.as_bytes())]))
}

/// Each agent with the one that handed it its work.
fn parents(told: &Value) -> Vec<(&str, Option<&str>)> {
    let all = told["assignments"].as_array().unwrap().iter();
    all.map(|one| (one["id"].as_str().unwrap(), one["parent"].as_str())).collect()
}

#[test]
fn who_was_handed_over_to_stands_below_the_one_that_handed_over_and_reports_to_the_one_still_at_work() {
    let found =
        told(&[agent("a", None, "triage", (1, 4)), handoff("h", "a", 3, "reader"), agent("b", None, "reader", (4, 9))]);
    assert_eq!(parents(&found), [("trace_1", None), ("a", Some("trace_1")), ("b", Some("a"))]);
    let crossed = |from: &str, to: &str, title: &str| json!({"from": from, "to": to, "title": title});
    assert_eq!(
        found["handoffs"],
        json!([
            crossed("trace_1", "a", "triage"),
            crossed("a", "trace_1", "report"),
            crossed("a", "b", "reader"),
            crossed("b", "trace_1", "report")
        ])
    );
}

#[test]
fn work_that_is_handed_back_and_on_again_is_a_line_of_agents() {
    let items = [
        agent("a1", None, "triage", (1, 3)),
        handoff("h1", "a1", 2, "reader"),
        agent("b1", None, "reader", (3, 5)),
        handoff("h2", "b1", 4, "triage"),
        agent("a2", None, "triage", (5, 7)),
        handoff("h3", "a2", 6, "reader"),
        agent("b2", None, "reader", (7, 9)),
    ];
    let found = told(&items);
    let expected =
        [("trace_1", None), ("a1", Some("trace_1")), ("b1", Some("a1")), ("a2", Some("b1")), ("b2", Some("a2"))];
    assert_eq!(parents(&found), expected);
}

#[test]
fn agents_with_one_name_belong_to_the_handoff_of_their_own_run_of_the_runner() {
    let task = |id: &str| item(id, None, 0, json!({"type": "custom", "name": "task"}));
    let items = [
        task("t1"),
        task("t2"),
        agent("a1", Some("t1"), "triage", (1, 4)),
        agent("a2", Some("t2"), "triage", (1, 5)),
        handoff("h1", "a1", 2, "reader"),
        handoff("h2", "a2", 3, "reader"),
        // The second of both begins first.
        agent("b2", Some("t2"), "reader", (5, 9)),
        agent("b1", Some("t1"), "reader", (6, 9)),
    ];
    let found = told(&items);
    let mut found = parents(&found);
    found.sort();
    let expected =
        [("a1", Some("trace_1")), ("a2", Some("trace_1")), ("b1", Some("a1")), ("b2", Some("a2")), ("trace_1", None)];
    assert_eq!(found, expected);
}

#[test]
fn an_agent_that_another_called_stays_below_that_one_whatever_handoff_has_its_name() {
    let items = [
        agent("lead", None, "lead", (1, 20)),
        agent("a", Some("lead"), "triage", (1, 4)),
        handoff("h", "a", 3, "reader"),
        agent("b", Some("lead"), "editor", (5, 19)),
        item("f", Some("b"), 6, json!({"type": "function", "name": "read_it"})),
        agent("called", Some("f"), "reader", (6, 8)),
        agent("own", Some("b"), "reader", (9, 10)),
    ];
    let found = told(&items);
    let expected =
        [("lead", None), ("a", Some("lead")), ("b", Some("lead")), ("called", Some("b")), ("own", Some("b"))];
    assert_eq!(parents(&found), expected);
}

#[test]
fn an_agent_within_one_that_was_called_as_a_tool_hands_over_within_it() {
    let items = [
        agent("lead", None, "lead", (1, 20)),
        item("f", Some("lead"), 2, json!({"type": "function", "name": "ask_the_desk"})),
        agent("a", Some("f"), "desk", (2, 5)),
        handoff("h", "a", 4, "reader"),
        agent("b", Some("f"), "reader", (5, 9)),
    ];
    let found = told(&items);
    assert_eq!(parents(&found), [("lead", None), ("a", Some("lead")), ("b", Some("a"))]);
    assert_eq!(found["handoffs"][3], json!({"from": "b", "to": "lead", "title": "report"}));
}

#[test]
fn agents_that_hand_over_in_a_circle_of_clocks_are_all_told() {
    let items = [
        agent("a", None, "triage", (6, 9)),
        handoff("h1", "a", 5, "reader"),
        agent("b", None, "reader", (6, 9)),
        handoff("h2", "b", 5, "triage"),
        agent("c", Some("b"), "checker", (7, 8)),
        handoff("h3", "c", 4, "reader"),
    ];
    let found = told(&items);
    let mut all: Vec<&str> = parents(&found).into_iter().map(|(id, _)| id).collect();
    all.sort();
    assert_eq!(all, ["a", "b", "c", "trace_1"]);
}

#[test]
fn a_line_of_handoffs_longer_than_names_have_room_for_is_told_whole_and_that_is_said() {
    let mut items = Vec::new();
    for n in 0..20 {
        let at = 2 * n;
        items.push(agent(&format!("s{n:02}"), None, &format!("agent {n}"), (at, at + 2)));
        items.push(handoff(&format!("h{n:02}"), &format!("s{n:02}"), at + 1, &format!("agent {}", n + 1)));
    }
    let lines = items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let run = run_of(&[("agents.jsonl", lines.as_bytes())]);
    assert_eq!(run.assignments().len(), 21);
    assert!(run.origin().unwrap().gaps().iter().any(|gap| gap.contains("deeper than")), "{:?}", run.origin());
}

#[test]
fn what_crossed_is_what_the_first_call_was_told_and_what_the_last_one_answered() {
    let generation = |id: &str, of: &str, at: u32, said: &str, answer: Value| {
        let input = json!([{"role": "system", "content": "You help."}, {"role": "user", "content": said}]);
        item(id, Some(of), at, json!({"type": "generation", "model": "m", "input": input, "output": [answer]}))
    };
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "c0", "type": "function", "function": {"name": "transfer_to_reader", "arguments": "{}"}}]});
    let items = [
        agent("a", None, "triage", (1, 4)),
        generation("g1", "a", 1, "Which cache?", call),
        handoff("h", "a", 3, "reader"),
        agent("b", None, "reader", (4, 9)),
        generation("g2", "b", 5, "Which cache?", json!({"role": "assistant", "content": "SQLite."})),
    ];
    let lines = items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let run = run_of(&[("agents.jsonl", lines.as_bytes())]);
    let crossed: Vec<(String, Vec<String>)> = run
        .handoffs
        .iter()
        .skip(1)
        .map(|one| {
            let notes = one.payload.notes().iter().map(ToString::to_string).collect();
            (format!("{} → {}", one.names.0, one.names.1), notes)
        })
        .collect();
    let expected = [
        ("trace → triage", "Which cache?"),
        ("triage → reader", "Which cache?"),
        ("triage → trace", "handed over to reader"),
        ("reader → trace", "SQLite."),
    ];
    assert_eq!(crossed[..4], expected.map(|(route, note)| (route.to_string(), vec![note.to_string()])));
}

#[test]
fn lines_tell_of_tools_that_failed_and_of_checks_that_said_no() {
    let mut failed =
        item("s2", Some("s1"), 2, json!({"type": "function", "name": "read", "input": "{}", "output": null}));
    failed["error"] = json!({"message": "boom"});
    let items = [
        json!({"object": "trace", "id": "trace_1", "workflow_name": "Cache choice"}),
        agent("s1", None, "reader", (1, 9)),
        failed,
        item("s3", Some("s1"), 4, json!({"type": "guardrail", "name": "tone", "triggered": true})),
    ];
    let text = items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let events = runs_of(&[("agents.jsonl", text.as_bytes())]).remove(0);
    let mut run = Run::default();
    let lines = events.iter().flat_map(|envelope| {
        run.apply(envelope);
        describe::stage(envelope, &run)
    });
    let lines: Vec<String> = lines.map(|line| format!("{} {} {}", line.subject, line.word, line.sentence)).collect();
    assert!(lines.iter().any(|line| line == "reader tool failed read: boom"), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("reader vetoed") && line.contains("tone")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("run done") && line.contains("1 tool call")), "{lines:#?}");
}

#[test]
fn a_program_fails_as_its_last_agent_does_and_a_tool_with_its_cause() {
    let run = |last: Value| {
        let mut tool =
            item("s2", Some("s1"), 2, json!({"type": "function", "name": "read", "input": "{}", "output": null}));
        tool["error"] =
            json!({"message": "Error running tool", "data": {"tool_name": "read", "error": "token expired"}});
        let mut ended = agent("s3", None, "writer", (4, 9));
        ended["error"] = last;
        let items = [
            json!({"object": "trace", "id": "trace_1", "workflow_name": "Cache choice"}),
            agent("s1", None, "reader", (1, 3)),
            tool,
            ended,
        ];
        let text = items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        runs_of(&[("agents.jsonl", text.as_bytes())]).remove(0)
    };
    let failed = run(json!({"message": "Max turns exceeded", "data": {"max_turns": 10}}));
    assert!(format!("{failed:?}").contains("Error running tool: token expired"), "{failed:?}");
    assert_eq!(Run::fold(&failed).ended(), Some(&run::Outcome::Failed("Max turns exceeded".into())));
    assert_eq!(Run::fold(&run(Value::Null)).ended(), Some(&run::Outcome::Done), "a failed tool fails nobody");
}
