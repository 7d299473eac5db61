//! Files that are cut anywhere, changed anywhere, strange, or made to drive the terminal.

use serde_json::{Value, json};

use crate::codex::ROLLOUTS;
use crate::langfuse::TRACE;
use crate::samples::{OPENINFERENCE, OTLP, SESSION};
use crate::{Dice, fold, run_of, runs_of, summary};

/// The number of things in a summary.
fn told(summary: &Value) -> usize {
    ["assignments", "calls", "tools"].iter().map(|list| summary[list].as_array().unwrap().len()).sum()
}

#[test]
fn a_file_that_is_cut_at_any_byte_tells_of_no_less_than_when_it_is_cut_before() {
    for (name, bytes, step) in [("t.json", OPENINFERENCE, 7), ("t.jsonl", OTLP, 11), ("t.json", TRACE, 17)] {
        let mut most = 0;
        for cut in (0..bytes.len()).step_by(step).chain([bytes.len()]) {
            let runs = runs_of(&[(name, &bytes[..cut])]);
            let now = runs.first().map_or(0, |events| told(&summary(&fold(events))));
            // Without the span above it, work stands below one that is made up for the trace.
            assert!(now + 1 >= most, "{name} cut at {cut}: {now} after {most}");
            most = most.max(now);
        }
        assert!(most > 3);
    }
    let mut most = 0;
    for cut in (0..SESSION[0].1.len()).step_by(13) {
        let mut files = SESSION.to_vec();
        files[0].1 = &files[0].1[..cut];
        let run = run_of(&files);
        most = most.max(told(&summary(&run)));
        assert!(run.origin().unwrap().unread <= 1, "at most the line that is cut");
    }
    assert_eq!(most, 16);
    for n in 0..ROLLOUTS.len() {
        for cut in (0..ROLLOUTS[n].1.len()).step_by(13) {
            let mut files = ROLLOUTS.to_vec();
            files[n].1 = &files[n].1[..cut];
            let runs: Vec<_> = runs_of(&files).iter().map(|events| fold(events)).collect();
            assert!(
                runs.iter().all(|run| run.origin().unwrap().unread <= 2),
                "at most the line that is cut, and the torn one"
            );
            assert!(runs.iter().map(|run| run.assignments().len()).sum::<usize>() >= 2);
        }
    }
}

#[test]
fn bytes_that_are_changed_break_nothing() {
    for seed in 1..400 {
        let mut dice = Dice(seed);
        for (name, bytes) in
            [("t.json", OPENINFERENCE), ("t.jsonl", OTLP), ("t.json", TRACE), SESSION[0], SESSION[1], ROLLOUTS[1]]
        {
            let mut bytes = bytes.to_vec();
            for _ in 0..=dice.below(6) {
                let at = dice.below(bytes.len());
                bytes[at] = b"\"{}[]:,0\\\n\x1b\xff"[dice.below(12)];
            }
            for events in runs_of(&[(name, &bytes)]) {
                fold(&events);
            }
        }
    }
}

/// Changes one value somewhere in a document.
fn change(value: &mut Value, dice: &mut Dice) {
    let strange = [
        json!(null),
        json!("7"),
        json!(-1),
        json!(1e300),
        json!([]),
        json!({}),
        json!(true),
        json!("\u{1b}[2J\u{202e}"),
    ];
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let n = dice.below(fields.len());
            let key = fields.keys().nth(n).unwrap().clone();
            match dice.below(8) {
                0 => drop(fields.remove(&key)),
                _ => change(&mut fields[&key], dice),
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let n = dice.below(list.len());
            change(&mut list[n], dice);
        }
        other => *other = strange[dice.below(strange.len())].clone(),
    }
}

#[test]
fn fields_that_are_missing_or_of_another_kind_break_nothing() {
    for seed in 1..600 {
        let mut dice = Dice(seed);
        for document in [OPENINFERENCE, TRACE] {
            let mut traces: Value = serde_json::from_slice(document).unwrap();
            (0..4).for_each(|_| change(&mut traces, &mut dice));
            for events in runs_of(&[("t.json", traces.to_string().as_bytes())]) {
                fold(&events);
            }
        }
        for all in [SESSION, ROLLOUTS] {
            let of = all[0].1.split(|byte| *byte == b'\n');
            let mut lines: Vec<Value> = of.filter_map(|line| serde_json::from_slice(line).ok()).collect();
            for _ in 0..6 {
                let n = dice.below(lines.len());
                change(&mut lines[n], &mut dice);
            }
            let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
            let mut files = all.to_vec();
            files[0].1 = text.as_bytes();
            for events in runs_of(&files) {
                fold(&events);
            }
        }
    }
}

fn span(id: &str, parent: Option<&str>, start: u64, end: u64, attributes: Value) -> Value {
    let attributes: Vec<Value> = attributes
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| match value {
            Value::Number(n) => json!({"key": key, "value": {"intValue": n.to_string()}}),
            other => json!({"key": key, "value": {"stringValue": other.as_str().unwrap()}}),
        })
        .collect();
    json!({"traceId": "00000000000000000000000000000001", "spanId": id, "parentSpanId": parent, "name": "a span",
        "startTimeUnixNano": (start * 1_000_000).to_string(), "endTimeUnixNano": (end * 1_000_000).to_string(), "attributes": attributes})
}

fn traces(spans: &[Value]) -> String {
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string()
}

fn agent(id: &str, parent: Option<&str>, start: u64, end: u64) -> Value {
    span(
        id,
        parent,
        start,
        end,
        json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": format!("agent {id}")}),
    )
}

fn call(id: &str, parent: &str, start: u64) -> Value {
    let of = json!({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2});
    span(id, Some(parent), start, start + 1, of)
}

#[test]
fn records_among_traces_that_are_no_traces_are_said() {
    for (line, says) in [
        ("{\"resourceMetrics\": []}", "1 × resourceMetrics"),
        ("{\"hello\": \"world\", \"n\": 1}", "1 × hello, 1 × n"),
        ("42", "1 × record without spans"),
        ("[1, \"two\"]", "2 × record without spans"),
        ("{\"resourceSpans\": [true]}", "1 × record without spans"),
    ] {
        let text = [OTLP, line.as_bytes(), b"\n"].concat();
        let gaps = run_of(&[("t.jsonl", &text)]).origin().unwrap().gaps();
        assert!(gaps.iter().any(|gap| gap.contains(says)), "{line}: {gaps:?}");
    }
    for nothing in ["{}", "null", "[]", "{\"resourceSpans\": []}"] {
        let text = [OTLP, nothing.as_bytes(), b"\n"].concat();
        assert_eq!(runs_of(&[("t.jsonl", &text)]), runs_of(&[("t.jsonl", OTLP)]), "{nothing}");
    }
}

#[test]
fn records_of_another_form_in_a_file_are_counted_as_such() {
    let (_, session) = SESSION[0];
    let others = session.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    let run = run_of(&[("mixed.jsonl", &[OTLP, session].concat())]);
    // The last one is cut, and nothing is guessed of it.
    let says = format!("{} records of another form (claude-code) left out", others - 1);
    let gaps = run.origin().unwrap().gaps();
    assert!(gaps.iter().any(|gap| gap.as_str() == says), "{gaps:?}");
    assert!(!gaps.iter().any(|gap| gap.contains("aiTitle") || gap.contains("cwd")), "{gaps:?}");
    assert_eq!(summary(&run)["calls"], summary(&run_of(&[("t.jsonl", OTLP)]))["calls"]);
}

#[test]
fn names_of_any_length_are_kept_as_far_as_a_line_goes() {
    let long = "n".repeat(3_000_000);
    let spans = [
        span("a", None, 1, 9, json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": long})),
        span("b", Some("a"), 2, 3, json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": long})),
        span("c", Some("a"), 4, 5, json!({"gen_ai.operation.name": "chat", "gen_ai.request.model": long})),
    ];
    let item =
        json!({"object": "trace.span", "id": "s", "trace_id": "t", "span_data": {"type": "agent", "name": long}});
    let graph = json!({"id": "r", "trace_id": "r", "name": long, "run_type": "chain", "dotted_order": "r",
        "start_time": "2026-11-03T09:00:01", "end_time": "2026-11-03T09:00:02", "inputs": {}});
    for (name, text) in [("t", traces(&spans)), ("s", item.to_string()), ("r", graph.to_string())] {
        let events = runs_of(&[(name, text.as_bytes())]).remove(0);
        let size: usize = events.iter().map(|event| run::record::line(event).len()).sum();
        assert!(size < 40_000, "{name}: {size} bytes");
        let role = fold(&events).root().unwrap().role.clone();
        assert!(role.as_str().starts_with("nnn") && role.as_str().ends_with('…'), "that it is cut is seen");
    }
}

#[test]
fn parents_that_come_late_never_or_in_a_circle_are_said() {
    let late = [agent("b", Some("a"), 5, 8), agent("a", None, 1, 9)];
    assert_eq!(summary(&run_of(&[("t", traces(&late).as_bytes())]))["assignments"][1]["parent"], "a");
    let never = [agent("b", Some("gone"), 5, 8), call("c", "b", 6)];
    let run = run_of(&[("t", traces(&never).as_bytes())]);
    assert_eq!((run.assignments().len(), summary(&run)["calls"].as_array().unwrap().len()), (1, 1));
    assert!(run.origin().unwrap().gaps().iter().any(|gap| gap.contains("not in the file")), "{:?}", run.origin());
    let circle = [agent("a", Some("b"), 1, 9), agent("b", Some("a"), 5, 8), call("c", "b", 6)];
    let run = run_of(&[("t", traces(&circle).as_bytes())]);
    assert_eq!(summary(&run)["calls"].as_array().unwrap().len(), 1);
    assert!(run.origin().unwrap().gaps().iter().any(|gap| gap.contains("2 spans belong to each other in a circle")));
}

#[test]
fn the_work_of_an_agent_whose_span_is_missing_is_its_own_and_not_that_of_the_agent_at_the_top() {
    let transfer = json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "transfer",
        "gen_ai.transfer.target.name": "agent x"});
    let top = [agent("a", None, 1, 9), agent("d", Some("a"), 2, 3), call("k", "a", 2)];
    for (more, role) in [(vec![], "agent gone"), (vec![span("t", Some("a"), 3, 4, transfer)], "agent x")] {
        let spans = [&top[..], &[call("c", "gone", 6), call("e", "gone", 7)], &more].concat();
        let run = run_of(&[("t", traces(&spans).as_bytes())]);
        let answers = |role: &str| {
            let mut of_role = run.assignments().filter(|one| one.role.as_str() == role);
            of_role.next().map(|one| one.transcript.exchanges().count())
        };
        assert_eq!((answers("agent a"), answers(role)), (Some(1), Some(2)), "{role}");
        let says = format!("2 spans belong to 1 agent not in the file: shown below {role}");
        let gaps = run.origin().unwrap().gaps();
        assert!(gaps.iter().any(|gap| gap.as_str() == says), "{gaps:?}");
    }
}

#[test]
fn a_span_without_a_start_begins_with_the_run_and_not_in_1970() {
    for without in ["a", "b", "c"] {
        let mut spans = [agent("a", None, 1_000, 9_000), agent("b", Some("a"), 2_000, 8_000), call("c", "b", 3_000)];
        for span in spans.iter_mut().filter(|span| span["spanId"] == without) {
            span["startTimeUnixNano"] = json!(null);
        }
        let run = run_of(&[("t", traces(&spans).as_bytes())]);
        let begun = run.opened_at.0;
        assert!(begun >= 1_000, "{without}: {begun}");
        let gaps = run.origin().unwrap().gaps();
        assert!(gaps.iter().any(|gap| gap.starts_with("1 span has no start")), "{without}: {gaps:?}");
    }
}

#[test]
fn clocks_that_run_backwards_and_ids_that_repeat_break_nothing() {
    let spans = [
        agent("a", None, 100, 50),
        agent("b", Some("a"), 10, 5),
        call("c", "b", 1),
        call("c", "b", 2),
        call("d", "b", 900),
    ];
    let run = run_of(&[("t", traces(&spans).as_bytes())]);
    assert_eq!(summary(&run)["calls"].as_array().unwrap().len(), 2, "a call that came twice is one call");
    for says in ["1 span came more than once", "runs backwards in 2 spans"] {
        assert!(run.origin().unwrap().gaps().iter().any(|gap| gap.contains(says)), "{says}: {:?}", run.origin());
    }
}

#[test]
fn times_that_no_clock_has_are_lived_with() {
    let tool = span("a", None, 1, 9, json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}));
    for end in [json!(i128::MAX.to_string()), json!(u64::MAX.to_string()), json!(u64::MAX), json!(1e300), json!("-9")] {
        let below = |id: &str| {
            let mut span = span(id, Some("a"), 2, 3, json!({}));
            span.as_object_mut().unwrap().remove("startTimeUnixNano");
            span["endTimeUnixNano"] = end.clone();
            span
        };
        let run = run_of(&[("t", traces(&[tool.clone(), below("b"), below("c")]).as_bytes())]);
        assert_eq!(summary(&run)["tools"].as_array().unwrap().len(), 1, "{end}");
    }
    for first in [json!(-1e30), json!(1e300), json!("-009999-01-01T00:00:00Z")] {
        let call = json!({"id": "a", "trace_id": "a", "run_type": "llm", "name": "m", "dotted_order": "a",
            "start_time": 1, "first_token_time": first, "inputs": {}});
        let run = run_of(&[("r", call.to_string().as_bytes())]);
        assert_eq!(summary(&run)["calls"].as_array().unwrap().len(), 1, "{first}");
    }
}

#[test]
fn a_message_that_a_person_says_twice_is_told_twice() {
    let message = |role: &str, text: &str| json!({"role": role, "parts": [{"type": "text", "content": text}]});
    let (again, answer) = (message("user", "continue"), message("assistant", "The first part."));
    let said = |id: &str, start: u64, said: &[&Value]| {
        let mut call = call(id, "a", start);
        let messages = json!({"key": "gen_ai.input.messages", "value": {"stringValue": json!(said).to_string()}});
        call["attributes"].as_array_mut().unwrap().push(messages);
        call
    };
    let spans = [agent("a", None, 1, 9), said("b", 2, &[&again]), said("c", 4, &[&again, &answer, &again])];
    let events = runs_of(&[("t", traces(&spans).as_bytes())]).remove(0);
    let told = events.iter().filter_map(|envelope| match &envelope.event {
        run::event::Event::ModelCalled { request, .. } => Some(request.said.len()),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn costs_that_do_not_add_up_are_said_and_those_of_calls_count() {
    let costs = |whole: &str| {
        let mut lead = agent("a", None, 1, 9);
        let cost =
            |dollars: &str| json!({"key": "llm.cost.total", "value": {"doubleValue": dollars.parse::<f64>().unwrap()}});
        lead["attributes"].as_array_mut().unwrap().push(cost(whole));
        let mut calls = [call("b", "a", 2), call("c", "a", 4)];
        calls.iter_mut().for_each(|call| call["attributes"].as_array_mut().unwrap().push(cost("0.1")));
        run_of(&[("t", traces(&[lead, calls[0].clone(), calls[1].clone()]).as_bytes())])
    };
    let says = |run: &run::Run| run.origin().unwrap().gaps().iter().any(|gap| gap.contains("say that they cost $9.99"));
    let (other, same) = (costs("9.99"), costs("0.2"));
    assert!(says(&other), "{:?}", other.origin());
    assert_eq!((summary(&other)["cost_usd"].clone(), summary(&same)["cost_usd"].clone()), (json!(0.2), json!(0.2)));
    assert_eq!(same.origin().unwrap().gaps(), Vec::<text::Clean>::new());
}

#[test]
fn agents_that_hand_on_deeper_than_can_be_drawn_are_all_there() {
    let id = |n: usize| format!("{n:016x}");
    let spans: Vec<Value> =
        (1..60).map(|n| agent(&id(n), (n > 1).then(|| id(n - 1)).as_deref(), n as u64, 200 - n as u64)).collect();
    let run = run_of(&[("t", traces(&spans).as_bytes())]);
    assert_eq!(run.assignments().len(), 59);
    assert!(run.origin().unwrap().gaps().iter().any(|gap| gap.contains("deeper")));
    for n in 2..60 {
        let role = |n: usize| format!("agent {}", id(n));
        let one = run.assignments().find(|one| one.role.as_str() == role(n)).unwrap();
        assert_eq!(one.transcript.handoff.names.0.as_str(), role(n - 1), "each names the one that started it");
    }
}

#[test]
fn agents_and_tools_in_each_other_as_deep_as_can_be_break_nothing() {
    const MANY: usize = 20_000;
    let id = |n: usize| format!("{n:016x}");
    let above = |n: usize| (n > 1).then(|| id(n - 1));
    let nested = |n: usize| agent(&id(n), above(n).as_deref(), n as u64, (2 * MANY - n) as u64);
    let spans: Vec<Value> = (1..=MANY).map(nested).collect();
    let run = run_of(&[("t", traces(&spans).as_bytes())]);
    assert_eq!(run.assignments().len(), MANY);
    let tool = |n: usize| {
        let of = json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"});
        span(&id(n), above(n).as_deref(), n as u64, (2 * MANY - n) as u64, of)
    };
    let spans: Vec<Value> = std::iter::once(nested(1)).chain((2..=MANY).map(tool)).collect();
    assert_eq!(summary(&run_of(&[("t", traces(&spans).as_bytes())]))["tools"].as_array().unwrap().len(), MANY - 1);
}

#[test]
fn each_of_many_calls_that_hand_work_to_one_role_hands_it_to_another_agent() {
    const MANY: usize = 20_000;
    let id = |n: usize| format!("{n:016x}");
    let of = json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "transfer_to_a"});
    let calls = (0..MANY).map(|n| span(&id(2 * n + 2), Some(&id(1)), 5, 6, of.clone()));
    let worker = json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"});
    let agents = (0..MANY).map(|n| span(&id(2 * n + 3), Some(&id(1)), 10 + n as u64 % 7, 20, worker.clone()));
    let spans: Vec<Value> = std::iter::once(agent(&id(1), None, 1, 30)).chain(calls).chain(agents).collect();
    let run = run_of(&[("t", traces(&spans).as_bytes())]);
    assert_eq!(run.assignments().len(), MANY + 1);
    assert_eq!(summary(&run)["tools"].as_array().unwrap().len(), 0, "each of them is a handoff");
}

#[test]
fn nothing_that_was_told_can_drive_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}ok\u{200b}";
    let text = String::from_utf8(OPENINFERENCE.to_vec()).unwrap();
    let mut all: Value = serde_json::from_str(&text).unwrap();
    fn spoil(value: &mut Value, evil: &str) {
        match value {
            Value::String(text)
                if !text.chars().all(|c| c.is_ascii_hexdigit()) && !text.contains('.') && text.len() > 4 =>
            {
                text.push_str(evil)
            }
            Value::Array(list) => list.iter_mut().for_each(|value| spoil(value, evil)),
            Value::Object(fields) => {
                fields.iter_mut().filter(|(key, _)| *key != "key").for_each(|(_, value)| spoil(value, evil))
            }
            _ => {}
        }
    }
    spoil(&mut all, evil);
    let mut observed: Value = serde_json::from_slice(TRACE).unwrap();
    spoil(&mut observed, evil);
    let observed = observed.to_string();
    let session: Vec<(String, String)> = SESSION
        .iter()
        .map(|(name, bytes)| {
            let lines = String::from_utf8(bytes.to_vec()).unwrap();
            let spoilt = lines.lines().map(|line| match serde_json::from_str::<Value>(line) {
                Ok(mut value) => {
                    for field in ["message", "attachment", "description", "agentType", "aiTitle", "toolUseResult"] {
                        if let Some(value) = value.get_mut(field) {
                            spoil(value, evil);
                        }
                    }
                    value.to_string()
                }
                Err(_) => line.to_owned(),
            });
            (name.to_string(), spoilt.collect::<Vec<_>>().join("\n"))
        })
        .collect();
    let session: Vec<(&str, &[u8])> = session.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let rollouts: Vec<(&str, String)> = ROLLOUTS
        .iter()
        .map(|(name, bytes)| {
            let lines = std::str::from_utf8(bytes).unwrap().lines().map(|line| {
                let Ok(mut value) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
                for field in
                    ["content", "arguments", "message", "summary", "output", "model", "reason", "name", "agent_role"]
                {
                    if let Some(value) = value["payload"].get_mut(field) {
                        spoil(value, evil);
                    }
                }
                value.to_string()
            });
            (*name, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect();
    let rollouts: Vec<(&str, &[u8])> = rollouts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let document = all.to_string();
    let mut lines = 0;
    for files in [vec![("t.json", document.as_bytes())], vec![("t.json", observed.as_bytes())], session, rollouts] {
        for events in runs_of(&files) {
            for event in &events {
                let line = run::record::line(event);
                assert!(
                    !line.chars().any(text::is_forbidden) && !line.contains("\\u001b") && !line.contains("\\u202e"),
                    "{line}"
                );
                lines += 1;
            }
        }
    }
    assert!(lines > 30);
}

#[test]
fn a_file_of_another_form_is_no_run_and_is_told_by_its_fields() {
    for (text, looked) in [
        ("{\"name\": 1, \"age\": 2}", import::Detected::Other(vec!["age".into(), "name".into()])),
        ("hello\nthere", import::Detected::Nothing),
        ("{\"resourceLogs\": []}", import::Detected::Logs),
        ("{\"v\":2,\"seq\":1,\"at\":1,\"event\":\"paused\"}", import::Detected::Ours),
        ("", import::Detected::Nothing),
    ] {
        let mut import = import::Import::new(None);
        import.begin("x");
        import.push(text.as_bytes());
        import.finish();
        assert_eq!(import.strangers(), [("x".to_string(), looked)], "{text}");
        assert!(import.stories().is_empty());
    }
}

#[test]
fn a_file_whose_first_records_say_no_form_is_given_up_whatever_comes_after() {
    let runs = |before: usize| runs_of(&[("t.jsonl", &[b"{\"n\": 1}\n".repeat(before), OTLP.to_vec()].concat())]).len();
    assert_eq!((runs(63), runs(64)), (1, 0));
}

#[test]
fn what_was_said_is_read_from_an_event_of_the_span_as_from_the_span() {
    let messages =
        |role: &str, text: &str| json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string();
    let (input, output) = (messages("user", "Which cache?"), messages("assistant", "The small one."));
    let told = json!([
        {"key": "gen_ai.input.messages", "value": {"stringValue": input}},
        {"key": "gen_ai.output.messages", "value": {"stringValue": output}},
    ]);
    let on_span = |mut span: Value| {
        span["attributes"].as_array_mut().unwrap().extend(told.as_array().unwrap().iter().cloned());
        span
    };
    let on_event = |mut span: Value| {
        span["events"] = json!([{"name": "gen_ai.client.inference.operation.details", "timeUnixNano": "3000000", "attributes": told}]);
        span
    };
    let run = |asked: Value| runs_of(&[("t.json", traces(&[agent("a", None, 1, 9), asked]).as_bytes())]);
    let by_event = run(on_event(call("b", "a", 2)));
    assert!(format!("{by_event:?}").contains("The small one."), "{by_event:?}");
    assert_eq!(by_event, run(on_span(call("b", "a", 2))));
}
