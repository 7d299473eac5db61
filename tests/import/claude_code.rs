//! The differences between versions of Claude Code, and the facts that its transcripts do not tell.

use serde_json::{Value, json};

use crate::samples::SESSION;
use crate::{fold, run_of, runs_of, summary};

fn line(n: u32, kind: &str, message: Value) -> Value {
    json!({"type": kind, "uuid": format!("u{n}"), "parentUuid": (n > 1).then(|| format!("u{}", n - 1)), "sessionId": "s",
        "timestamp": format!("2026-11-03T09:00:{n:02}.000Z"), "message": message, "isSidechain": false})
}

fn answer(n: u32, id: &str, blocks: Value, stop: Option<&str>, output: u64) -> Value {
    let usage = json!({"input_tokens": 10, "output_tokens": output});
    line(
        n,
        "assistant",
        json!({"id": id, "role": "assistant", "model": "claude-opus-5", "content": blocks, "stop_reason": stop, "usage": usage}),
    )
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\r\n")
}

#[test]
fn without_the_notes_beside_transcripts_agents_are_found_by_what_their_calls_brought() {
    let files: Vec<_> = SESSION.iter().filter(|(name, _)| !name.ends_with(".meta.json")).copied().collect();
    let run = run_of(&files);
    let found = summary(&run);
    let parents: Vec<&Value> = found["assignments"].as_array().unwrap().iter().map(|one| &one["parent"]).collect();
    assert_eq!(parents, [&Value::Null, &json!("main"), &json!("main"), &json!("a1111111111111111")]);
    assert_eq!(found["assignments"][1]["role"], "Explore", "the call says which");
}

#[test]
fn a_sub_agent_whose_transcript_is_gone_is_still_handed_its_work() {
    let run = run_of(&SESSION[..1]);
    let found = summary(&run);
    assert_eq!(found["assignments"].as_array().unwrap().len(), 3);
    assert_eq!(found["assignments"][1]["outcome"], "done");
    assert!(run.origin().unwrap().gaps().iter().any(|gap| gap.contains("not among the files")), "{:?}", run.origin());
}

#[test]
fn the_counts_of_an_answer_are_those_of_its_last_line() {
    let lines = [
        line(1, "user", json!({"role": "user", "content": "Why?"})),
        answer(2, "m1", json!([{"type": "thinking", "thinking": ""}]), None, 1),
        answer(3, "m1", json!([{"type": "text", "text": "Because."}]), None, 1),
        answer(4, "m1", json!([{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]), Some("tool_use"), 70),
    ];
    let run = run_of(&[("s.jsonl", text(&lines).as_bytes())]);
    let found = summary(&run);
    assert_eq!(
        found["calls"],
        json!([{"assignment": "main", "model": "claude-opus-5", "input": 10, "cache_read": 0, "cache_write": 0, "output": 70}])
    );
    assert_eq!(found["assignments"][0]["outcome"], "running", "a tool is still out");
}

#[test]
fn side_chains_of_older_versions_are_agents_of_their_own() {
    let side = |mut line: Value| {
        line["isSidechain"] = true.into();
        line
    };
    let mut first = side(line(3, "user", json!({"role": "user", "content": "Look there."})));
    first["parentUuid"] = Value::Null;
    let task = json!([{"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look there.", "description": "Look", "subagent_type": "scout"}}]);
    let result =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Nothing there."}]});
    let lines = [
        line(1, "user", json!({"role": "user", "content": "Why?"})),
        answer(2, "m1", task, Some("tool_use"), 5),
        first,
        side(answer(4, "m2", json!([{"type": "text", "text": "Nothing there."}]), Some("end_turn"), 6)),
        line(5, "user", result),
        answer(6, "m3", json!([{"type": "text", "text": "I do not know."}]), Some("end_turn"), 7),
    ];
    let found = summary(&run_of(&[("s.jsonl", text(&lines).as_bytes())]));
    assert_eq!(found["assignments"][1]["role"], "scout");
    assert_eq!(
        (&found["calls"][2]["assignment"], &found["calls"][2]["output"]),
        (&found["assignments"][1]["id"], &json!(6))
    );
    assert_eq!(found["handoffs"].as_array().unwrap().len(), 2);
}

#[test]
fn a_person_who_interrupts_ends_it_and_an_api_error_is_no_call() {
    let mut error = answer(2, "m1", json!([{"type": "text", "text": "API Error: overloaded"}]), None, 0);
    error["message"]["model"] = "<synthetic>".into();
    let lines = [
        line(1, "user", json!({"role": "user", "content": "Why?"})),
        error,
        answer(3, "m2", json!([{"type": "text", "text": "Bec"}]), None, 4),
        line(
            4,
            "user",
            json!({"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}),
        ),
    ];
    let found = summary(&run_of(&[("s.jsonl", text(&lines).as_bytes())]));
    assert_eq!(
        (found["calls"].as_array().unwrap().len(), &found["assignments"][0]["outcome"]),
        (1, &json!("cancelled"))
    );
    assert_eq!(found["asks"], json!(["interrupted: Request interrupted by user"]));
}

/// Half of them call a sub-agent of an older version, whose records are a side chain each.
#[test]
fn a_session_of_many_answers_and_sub_agents_is_read_in_time_linear_to_its_length() {
    const ANSWERS: u32 = 40_000;
    const AGENTS: u32 = 5_000;
    let started = kit::Spent::now();
    let mut lines = vec![line(1, "user", json!({"role": "user", "content": "Why?"}))];
    for n in 2..ANSWERS {
        let call = |n: u32| json!([{"type": "tool_use", "id": format!("t{n}"), "name": "Task", "input": {"prompt": format!("Look at {n}")}}]);
        let said = if n < AGENTS { call(n) } else { json!([{"type": "text", "text": "Because."}]) };
        lines.push(answer(n, &format!("m{n}"), said, Some("end_turn"), 1));
    }
    for n in 2..AGENTS {
        lines.push(json!({"type": "user", "uuid": format!("side{n}"), "parentUuid": null, "sessionId": "s", "isSidechain": true,
            "timestamp": "2026-11-03T09:00:01.000Z", "message": {"role": "user", "content": format!("Look at {n}")}}));
    }
    let runs = runs_of(&[("s.jsonl", text(&lines).as_bytes())]);
    // Linear is seconds without optimisation; quadratic would be minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(40), "{:?}", started.elapsed());
    let opened = runs[0].iter().filter(|event| event.event.name() == "handed_off").count();
    assert!(runs.len() == 1 && opened >= AGENTS as usize - 2, "{opened}");
}

#[test]
fn kinds_that_nobody_knows_are_counted_by_name() {
    let lines = [
        line(1, "user", json!({"role": "user", "content": "Why?"})),
        json!({"type": "hologram", "sessionId": "s"}),
        json!({"type": "hologram", "sessionId": "s"}),
    ];
    let run = run_of(&[("s.jsonl", text(&lines).as_bytes())]);
    assert_eq!(run.origin().unwrap().gaps(), ["of a kind that is not known here: 2 × hologram"].map(text::Clean::from));
}

/// A short session of this name.
fn session(name: &str) -> Vec<Value> {
    let said = line(1, "user", json!({"role": "user", "content": format!("What is {name}?")}));
    let answered = answer(2, "m1", json!([{"type": "text", "text": "A thing."}]), Some("end_turn"), 7);
    let named = |mut record: Value| {
        record["sessionId"] = json!(name);
        record["uuid"] = json!(format!("{name} {}", record["uuid"]));
        if !record["parentUuid"].is_null() {
            record["parentUuid"] = json!(format!("{name} {}", record["parentUuid"]));
        }
        record
    };
    let title = json!({"type": "summary", "summary": format!("About {name}")});
    [said, answered].into_iter().map(named).chain([title]).collect()
}

#[test]
fn sessions_behind_each_other_in_one_file_are_runs_of_their_own() {
    let joined = [session("one"), session("two")].concat();
    let runs = runs_of(&[("standard input", text(&joined).as_bytes())]);
    let runs: Vec<_> = runs.iter().map(|events| fold(events)).collect();
    let ids: Vec<&str> = runs.iter().map(|run| run.origin().unwrap().id.as_str()).collect();
    assert_eq!(ids, ["standard input", "two"]);
    for (run, title) in runs.iter().zip(["About one", "About two"]) {
        assert_eq!(run.opening.as_ref().unwrap().question.as_str(), title);
        assert_eq!(summary(run)["totals"]["output"], 7);
    }
}

#[test]
fn a_session_that_goes_on_with_an_earlier_one_stays_one_run() {
    let mut goes_on = session("two");
    goes_on[0]["parentUuid"] = session("one")[1]["uuid"].clone();
    let joined = [session("one"), goes_on].concat();
    assert_eq!(runs_of(&[("s.jsonl", text(&joined).as_bytes())]).len(), 1);
}
