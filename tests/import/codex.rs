//! Rollouts of Codex: threads with their sub-agents, copied and encrypted parts, and counts that are said again.

use run::Run;
use run::foreign::Format;
use serde_json::{Value, json};

use crate::{Dice, fold, format_of, run_of, runs_of, summary};

macro_rules! rollout {
    ($name:literal) => {
        (
            concat!("2026/11/03/rollout-2026-11-03T10-00-", $name, ".jsonl"),
            include_bytes!(concat!("samples/codex/2026/11/03/rollout-2026-11-03T10-00-", $name, ".jsonl")) as &[u8],
        )
    };
}

pub const ROLLOUTS: &[(&str, &[u8])] = &[
    rollout!("00-019a4f00-0000-7000-8000-000000000001"),
    rollout!("07-019a4f00-0000-7000-8000-00000000000a"),
    rollout!("08-019a4f00-0000-7000-8000-00000000000b"),
];

fn gaps(run: &Run) -> String {
    run.origin().unwrap().gaps().iter().map(|gap| format!("{gap}\n")).collect()
}

#[test]
fn a_thread_with_its_sub_agents_comes_out_to_the_token() {
    let run = run_of(ROLLOUTS);
    assert_eq!(format_of(&run), Format::Codex);
    let expected: Value = serde_json::from_str(include_str!("samples/expected/codex.json")).unwrap();
    assert_eq!(summary(&run), expected);
    let gaps = gaps(&run);
    for says in ["1 × hologram", "11 records copied", "2 messages to sub-agents not known"] {
        assert!(gaps.contains(says), "{says}: {gaps}");
    }
    assert_eq!(run.origin().unwrap().version, "0.98.0");
}

#[test]
fn what_a_sub_agent_was_told_is_said_to_be_not_known_and_no_ciphertext_is_shown() {
    let events = runs_of(ROLLOUTS).remove(0);
    let run = fold(&events);
    let handed = run.assignments().nth(1).unwrap().transcript.handoff.payload.notes();
    assert!(handed.iter().any(|note| note.contains("not known")), "{handed:?}");
    let (_, report) = run.assignments().nth(1).unwrap().ended.as_ref().unwrap();
    assert_eq!(
        report.payload.notes(),
        ["Entries expire by use."].map(text::Clean::from),
        "without the lines about itself"
    );
    assert!(!events.iter().any(|event| run::record::line(event).contains("gAAAA")));
}

#[test]
fn the_order_of_files_changes_nothing() {
    let told = runs_of(ROLLOUTS);
    for seed in 1..20 {
        let mut files = ROLLOUTS.to_vec();
        Dice(seed).shuffle(&mut files);
        assert_eq!(runs_of(&files), told, "{seed}");
    }
}

#[test]
fn without_the_thread_that_was_copied_from_the_copy_counts_as_its_own_and_that_is_said() {
    let run = run_of(&ROLLOUTS[1..2]);
    let gaps = gaps(&run);
    assert!(gaps.contains("began with a copy of thread 019a4f00") && gaps.contains("was handed its work by"), "{gaps}");
    assert_eq!(summary(&run)["totals"]["output"], 160);
}

#[test]
fn sub_agents_whose_rollouts_are_not_there_are_still_handed_their_work() {
    let run = run_of(&ROLLOUTS[..1]);
    let found = summary(&run);
    let outcomes: Vec<&Value> = found["assignments"].as_array().unwrap().iter().map(|one| &one["outcome"]).collect();
    assert_eq!(outcomes, ["done", "done", "running"], "the report of one is on record");
    assert!(gaps(&run).contains("not among the files"));
}

fn line(second: u32, kind: &str, payload: Value) -> Value {
    json!({"timestamp": format!("2026-11-03T09:00:{second:02}.000Z"), "type": kind, "payload": payload})
}

fn thread(id: &str, lines: &[Value]) -> String {
    let meta = line(0, "session_meta", json!({"id": id, "cwd": "/", "model_provider": "openai"}));
    std::iter::once(&meta).chain(lines).map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn answered(second: u32, text: &str) -> Value {
    line(
        second,
        "response_item",
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
    )
}

fn counted(second: u32, last: Option<u64>, total: u64) -> Value {
    let usage =
        |n: u64| json!({"input_tokens": n, "cached_input_tokens": 0, "output_tokens": 1, "reasoning_output_tokens": 0});
    let info = json!({"total_token_usage": usage(total), "last_token_usage": last.map(usage)});
    line(second, "event_msg", json!({"type": "token_count", "info": info}))
}

#[test]
fn counts_of_all_so_far_are_no_counts_of_a_call() {
    let inputs = |lines: &[Value]| {
        let found = summary(&run_of(&[("r.jsonl", thread("t", lines).as_bytes())]));
        found["calls"].as_array().unwrap().iter().map(|call| call["input"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let growing = [answered(1, "a"), counted(1, None, 100), answered(2, "b"), counted(2, None, 250)];
    assert_eq!(inputs(&growing), [100, 150]);
    let again = [answered(1, "a"), counted(1, Some(100), 100), counted(2, Some(100), 100), answered(3, "b")];
    assert_eq!(inputs(&again), [100, 0], "what is said again is no call");
    let anew = [answered(1, "a"), counted(1, None, 100), answered(2, "b"), counted(2, None, 30)];
    assert_eq!(inputs(&anew), [100, 30], "a count that began anew");
}

#[test]
fn a_thread_that_is_still_at_work_is_running_and_one_that_goes_on_runs_again() {
    let outcome = |lines: &[Value]| {
        summary(&run_of(&[("r.jsonl", thread("t", lines).as_bytes())]))["assignments"][0]["outcome"].clone()
    };
    let event = |second: u32, kind: &str| line(second, "event_msg", json!({"type": kind}));
    assert_eq!(outcome(&[answered(1, "a")]), "running");
    assert_eq!(outcome(&[answered(1, "a"), event(2, "task_complete")]), "done");
    assert_eq!(outcome(&[answered(1, "a"), event(2, "task_complete"), event(3, "task_started")]), "running");
    assert_eq!(outcome(&[answered(1, "a"), event(2, "turn_aborted")]), "cancelled");
}

#[test]
fn threads_that_belong_to_each_other_in_a_circle_are_all_there() {
    let of = |id: &str, parent: &str| {
        let meta = line(0, "session_meta", json!({"id": id, "parent_thread_id": parent, "forked_from_id": parent}));
        format!("{meta}\n{}", answered(1, id))
    };
    let (a, b) = (of("a", "b"), of("b", "a"));
    let run = run_of(&[("a.jsonl", a.as_bytes()), ("b.jsonl", b.as_bytes())]);
    assert_eq!((run.assignments().len(), summary(&run)["calls"].as_array().unwrap().len()), (2, 2));
}
