//! Exports of Langfuse: a trace in one document, and observations alone in any order and by either spelling.

use run::foreign::{Format, NoteKind};
use run::transcript::Did;
use run::{Money, Run};
use serde_json::{Value, json};

use crate::{Dice, format_of, run_of, runs_of, summary};

pub const TRACE: &[u8] = include_bytes!("samples/langfuse/trace.json");

fn observations() -> Vec<Value> {
    let trace: Value = serde_json::from_slice(TRACE).unwrap();
    trace["observations"].as_array().unwrap().clone()
}

fn lines(list: &[Value]) -> String {
    list.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn notes(run: &Run) -> Vec<(NoteKind, String)> {
    let turns = run.assignments().flat_map(|one| one.transcript.turns.iter());
    turns
        .filter_map(
            |turn| if let Did::Noted(note) = &turn.did { Some((note.kind, note.text.to_string())) } else { None },
        )
        .collect()
}

#[test]
fn a_trace_with_its_observations_comes_out_to_the_token() {
    let run = run_of(&[("trace.json", TRACE)]);
    assert_eq!(format_of(&run), Format::Langfuse);
    let expected: Value = serde_json::from_str(include_str!("samples/expected/langfuse.json")).unwrap();
    assert_eq!(summary(&run), expected);
    let said = [(NoteKind::Vetoed, "guardrail tone: triggered"), (NoteKind::Told, "cache warmed 3 entries")];
    assert_eq!(notes(&run), said.map(|(kind, text)| (kind, text.to_owned())));
    let gaps = run.origin().unwrap().gaps();
    for says in ["1 × HOLOGRAM", "part of session shop-7", "says of itself that it cost $0.0031"] {
        assert!(gaps.iter().any(|gap| gap.contains(says)), "{says}: {gaps:?}");
    }
    let pricing = run.pricing;
    assert_eq!(
        (pricing.told, pricing.told_calls, pricing.unknown_calls),
        (Money(3_100_000_000), 2, 1),
        "not the sums above"
    );
}

#[test]
fn observations_alone_are_the_same_in_any_order_as_a_list_and_as_an_answer_of_the_api() {
    let mut all = observations();
    let told = runs_of(&[("o.jsonl", lines(&all).as_bytes())]);
    let of_trace = summary(&run_of(&[("trace.json", TRACE)]));
    assert_eq!(summary(&run_of(&[("o.jsonl", lines(&all).as_bytes())])), of_trace);
    assert_eq!(runs_of(&[("o.json", serde_json::to_string_pretty(&all).unwrap().as_bytes())]), told);
    let answer = json!({"data": all, "meta": {"cursor": "x"}});
    assert_eq!(runs_of(&[("o.json", answer.to_string().as_bytes())]), told);
    for seed in 1..50 {
        Dice(seed).shuffle(&mut all);
        assert_eq!(runs_of(&[("o.jsonl", lines(&all).as_bytes())]), told, "{seed}");
    }
}

#[test]
fn exports_to_storage_spell_their_fields_otherwise_and_write_json_as_text() {
    let names = [
        ("traceId", "trace_id"),
        ("parentObservationId", "parent_observation_id"),
        ("startTime", "start_time"),
        ("endTime", "end_time"),
        ("completionStartTime", "completion_start_time"),
        ("statusMessage", "status_message"),
        ("model", "provided_model_name"),
        ("modelParameters", "model_parameters"),
        ("usageDetails", "usage_details"),
        ("costDetails", "cost_details"),
        ("totalCost", "total_cost"),
    ];
    let stored: Vec<Value> = observations()
        .into_iter()
        .map(|mut observation| {
            let fields = observation.as_object_mut().unwrap();
            for (name, stored) in names {
                let value = fields.remove(name);
                value.map(|value| fields.insert(stored.into(), value));
            }
            for name in ["input", "output", "model_parameters", "usage_details", "cost_details", "metadata", "usage"] {
                if let Some(value) = fields.get_mut(name).filter(|value| value.is_object() || value.is_array()) {
                    *value = value.to_string().into();
                }
            }
            observation
        })
        .collect();
    assert_eq!(
        runs_of(&[("o.jsonl", lines(&stored).as_bytes())]),
        runs_of(&[("o.jsonl", lines(&observations()).as_bytes())])
    );
}

#[test]
fn parts_that_are_counted_in_a_sum_or_beside_it_are_told_apart_by_the_total() {
    let usage = |details: Value| {
        let one = json!({"id": "g", "traceId": "t", "type": "GENERATION", "startTime": "2026-11-03T09:00:00Z",
            "endTime": "2026-11-03T09:00:01Z", "model": "m", "usageDetails": details});
        let found = summary(&run_of(&[("o.json", one.to_string().as_bytes())]));
        ["input", "cache_read", "cache_write", "output"].map(|name| found["totals"][name].as_u64().unwrap())
    };
    let beside = json!({"input": 10, "input_cached_tokens": 4, "output": 7, "output_reasoning_tokens": 3, "total": 24});
    assert_eq!(usage(beside), [10, 4, 0, 10]);
    let within = json!({"input": 10, "input_cached_tokens": 4, "output": 7, "output_reasoning_tokens": 3, "total": 17});
    assert_eq!(usage(within), [6, 4, 0, 7]);
    let written = json!({"input": 10, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 5, "output": "7"});
    assert_eq!(usage(written), [10, 4, 5, 7], "without a total they stand beside it");
    assert_eq!(usage(json!({"input": 10, "input_audio_tokens": 2, "output": 7, "total": 19})), [12, 0, 0, 7]);
}

#[test]
fn a_list_of_traces_that_only_names_its_observations_holds_no_run() {
    let list = json!({"data": [{"id": "t", "name": "x", "observations": ["o1", "o2"]}]});
    let mut import = import::Import::new(None);
    import.begin("traces.json");
    import.push(list.to_string().as_bytes());
    import.finish();
    assert!(import.strangers().is_empty());
    assert!(import.stories().is_empty());
}
