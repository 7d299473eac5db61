//! Traces as they come: as protobuf, in any order, cut and hostile, and more of them than there is room for.

use import::live::{Batch, Room, Traces};
use import::{Malformed, Teller};
use kit::otlp::{message, protobuf};
use proptest::prelude::*;
use run::Envelope;
use run::foreign::Format;
use serde_json::{Value, json};

use crate::samples::{OPENINFERENCE, OTLP};
use crate::{Dice, fold, format_of, runs_of, summary};

/// A body that the exporter of the Python SDK sent, and the same in the JSON form of protobuf.
const PYTHON: &[u8] = include_bytes!("samples/otlp/python-sdk.pb");
const PYTHON_JSON: &[u8] = include_bytes!("samples/otlp/python-sdk.json");

fn take(traces: &mut Traces, batch: Result<Batch, Malformed>) {
    let kept = traces.take(batch.unwrap(), 0);
    assert_eq!((kept.rejected, kept.dropped), (0, Vec::new()));
}

fn told(traces: &Traces, id: &str, now: i64) -> Vec<Envelope> {
    let teller = Teller { version: "0", rates: &|_| None };
    import::events(traces.story(id, now).unwrap(), &teller)
}

fn documents(lines: &[u8]) -> Vec<Value> {
    lines
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// A document for each span.
fn one_by_one(documents: &[Value]) -> Vec<Value> {
    let mut found = Vec::new();
    for of in documents.iter().flat_map(|document| document["resourceSpans"].as_array().unwrap()) {
        for span in of["scopeSpans"].as_array().unwrap().iter().flat_map(|scope| scope["spans"].as_array().unwrap()) {
            found.push(json!({"resourceSpans": [{"resource": of["resource"], "scopeSpans": [{"spans": [span]}]}]}));
        }
    }
    found
}

fn span(id: &str, parent: Option<&str>, name: &str, operation: &str) -> Value {
    let at = |n: u64| (1_793_700_000_000_000_000_u64 + n * 1_000_000_000).to_string();
    let n = u64::from_str_radix(id, 16).unwrap();
    let pair = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let span = json!({
        "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": id, "parentSpanId": parent.unwrap_or_default(), "name": name,
        "startTimeUnixNano": at(n), "endTimeUnixNano": at(n + 20),
        "attributes": [pair("gen_ai.operation.name", operation), pair("gen_ai.agent.name", name)],
    });
    let resource = json!({"attributes": [pair("service.name", "shop")]});
    json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]})
}

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

#[test]
fn protobuf_tells_the_same_as_json() {
    for (name, lines) in
        [("t.jsonl", documents(OTLP)), ("t.json", vec![serde_json::from_slice(OPENINFERENCE).unwrap()])]
    {
        let mut traces = Traces::default();
        lines.iter().for_each(|document| take(&mut traces, Batch::protobuf(&protobuf(document))));
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        let expected = runs_of(&[(name, text.join("\n").as_bytes())]);
        let id = traces.standing(0)[0].id.clone();
        assert_eq!(told(&traces, &id, i64::MAX), expected[0], "{name}");
    }
}

#[test]
fn what_an_exporter_really_sends_opens_as_the_same_run_as_its_json() {
    let mut traces = Traces::default();
    take(&mut traces, Batch::protobuf(PYTHON));
    let standing = traces.standing(0);
    assert_eq!((standing[0].service.as_str(), standing[0].spans, standing[0].has_ended), ("research-team", 8, true));
    let events = told(&traces, &standing[0].id, 0);
    assert_eq!(events, runs_of(&[("t.json", PYTHON_JSON)])[0]);
    let run = fold(&events);
    let roles: Vec<&str> = run.assignments().map(|one| one.role.as_str()).collect();
    assert_eq!((format_of(&run), roles), (Format::Otlp, vec!["supervisor", "reader Redis", "reader SQLite"]));
}

/// Two messages, each with its length before it, as collectors write them into files.
fn with_lengths(messages: &[Vec<u8>]) -> Vec<u8> {
    messages.iter().flat_map(|one| [&(one.len() as u32).to_be_bytes()[..], one].concat()).collect()
}

#[test]
fn a_file_of_protobuf_opens_as_the_same_run_as_its_json() {
    assert_eq!(runs_of(&[("t.pb", PYTHON)]), runs_of(&[("t.json", PYTHON_JSON)]));
    let messages: Vec<Vec<u8>> = documents(OTLP).iter().map(protobuf).collect();
    let expected = runs_of(&[("t.jsonl", OTLP)]);
    assert_eq!(runs_of(&[("t", &messages.concat())]), expected, "one after another");
    assert_eq!(runs_of(&[("t", &with_lengths(&messages))]), expected, "with their lengths");
    let empty_line = [b"\n", OTLP].concat();
    assert_eq!(runs_of(&[("t", &empty_line)]), expected, "text that begins as protobuf does");
}

#[test]
fn a_file_of_protobuf_that_is_cut_or_broken_tells_what_is_whole_of_it_and_that_it_is_not_all() {
    let framed = with_lengths(&[PYTHON.to_vec()]);
    for whole in [PYTHON, &framed] {
        let mut most = 0;
        for cut in 0..whole.len() {
            let Some(events) = runs_of(&[("t.pb", &whole[..cut])]).pop() else { continue };
            let run = fold(&events);
            let origin = run.origin().unwrap();
            assert_eq!(origin.unread, 1, "cut at {cut}");
            assert!(origin.records >= most, "cut at {cut}: {} after {most}", origin.records);
            most = origin.records;
        }
        assert_eq!(most, 7, "all spans but the one that is cut");
    }
    for seed in 1..300 {
        let mut dice = Dice(seed);
        let mut bytes = PYTHON.to_vec();
        for _ in 0..=dice.below(5) {
            let at = dice.below(bytes.len());
            bytes[at] = dice.below(256) as u8;
        }
        for events in runs_of(&[("t.pb", &bytes)]) {
            fold(&events);
        }
        let noise: Vec<u8> = [b'\n'].into_iter().chain((0..dice.below(3_000)).map(|_| dice.below(256) as u8)).collect();
        runs_of(&[("t.pb", &noise)]);
    }
}

#[test]
fn spans_come_in_any_order_in_any_batches_and_tell_the_same_in_the_end() {
    let spans = one_by_one(&documents(OTLP));
    let expected = runs_of(&[("t.jsonl", OTLP)]);
    let whole = summary(&fold(&expected[0]));
    for seed in 1..100 {
        let mut dice = Dice(seed);
        let (mut traces, mut spans) = (Traces::default(), spans.clone());
        dice.shuffle(&mut spans);
        for span in &spans {
            let batch = if dice.below(2) == 0 {
                Batch::json(span.to_string().as_bytes())
            } else {
                Batch::protobuf(&protobuf(span))
            };
            take(&mut traces, batch);
            // At every moment it is a run that can be shown, and it is at work until all of it is there.
            let id = traces.standing(0)[0].id.clone();
            if let Some(story) = traces.story(&id, 0) {
                let run = fold(&import::events(story, &Teller { version: "0", rates: &|_| None }));
                assert_eq!(run.ended().is_some(), traces.one(&id, 0).unwrap().has_ended, "{seed}");
            }
        }
        let id = traces.standing(0)[0].id.clone();
        assert!(traces.one(&id, 0).unwrap().has_ended);
        assert_eq!(summary(&fold(&told(&traces, &id, 0))), whole, "{seed}");
    }
}

#[test]
fn what_has_not_ended_is_at_work_and_has_its_own_name_once_it_has() {
    let mut traces = Traces::default();
    let mut at_work = |document: Value| {
        take(&mut traces, Batch::json(document.to_string().as_bytes()));
        let run = fold(&told(&traces, TRACE, 0));
        let one =
            |one: &run::Assignment| format!("{}{}", one.role.as_str(), if one.ended.is_some() { "." } else { "" });
        run.assignments().map(one).collect::<Vec<_>>().join(" ")
    };
    let call = |id, parent| span(id, Some(parent), "", "chat");
    assert_eq!(at_work(call("0000000000000003", "0000000000000001")), "shop", "it is the only one");
    assert_eq!(at_work(span("0000000000000004", Some("0000000000000002"), "reader", "chat")), "shop agent 0000 reader");
    assert_eq!(at_work(span("0000000000000002", Some("0000000000000001"), "reader", "invoke_agent")), "shop reader.");
    assert_eq!(at_work(span("0000000000000001", None, "lead", "invoke_agent")), "lead. reader.");
}

#[test]
fn a_trace_whose_top_has_ended_is_not_waited_for_for_ever() {
    let mut traces = Traces::default();
    take(&mut traces, Batch::json(span("0000000000000001", None, "lead", "invoke_agent").to_string().as_bytes()));
    take(
        &mut traces,
        Batch::json(span("0000000000000009", Some("0000000000000005"), "", "chat").to_string().as_bytes()),
    );
    assert!(!traces.one(TRACE, 1_000).unwrap().has_ended, "the fifth may still come");
    let version = traces.one(TRACE, 1_000).unwrap().version;
    let later = traces.one(TRACE, 60_000).unwrap();
    assert!(later.has_ended && later.version != version);
    assert!(fold(&told(&traces, TRACE, 60_000)).ended().is_some());
    // A parent in another process may be told of to somebody else.
    let mut document = span("0000000000000001", Some("00000000000000ff"), "lead", "invoke_agent");
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["flags"] = json!(0x300);
    let mut traces = Traces::default();
    take(&mut traces, Batch::json(document.to_string().as_bytes()));
    assert!(traces.one(TRACE, 0).unwrap().has_ended);
}

#[test]
fn a_body_that_is_cut_or_hostile_is_refused_with_what_is_wrong() {
    let refused = |bytes: &[u8], says: &str| {
        let wrong = Batch::protobuf(bytes).unwrap_err().to_string();
        assert!(wrong.contains(says), "{wrong}, not {says}");
    };
    let span = |fields: &[u8]| message(1, &message(2, &message(2, fields)));
    refused(&[0x0a], "in the middle of a field");
    refused(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], "beyond the end");
    refused(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], "beyond the end");
    refused(&[0xff; 20], "longer than any can be");
    refused(&[0x0b, 0x0c], "of a type");
    refused(&[0x02, 0x00], "the number 0");
    refused(&span(&message(5, &[0xc3, 0x28])), "not UTF-8");
    refused(&span(&[0x39, 1, 2]), "in the middle of a field");
    let mut deep = message(1, b"x");
    (0..5_000).for_each(|_| deep = message(5, &message(1, &deep)));
    refused(&span(&message(9, &message(2, &deep))), "too deep");
    refused(&span(&message(9, b"").repeat(4_000_001)), "more in it");
    assert_eq!(Batch::protobuf(b"").unwrap().spans(), 0, "nothing is a document without spans");
    // Unknown fields of any kind are passed over.
    let unknown = [message(99, b"x"), vec![0x80, 0x01, 0x05, 0x8d, 0x01, 0, 0, 0, 0]].concat();
    assert_eq!(Batch::protobuf(&[PYTHON.to_vec(), unknown].concat()).unwrap().spans(), 8);
    for text in ["", "[]", "\"\"", "{", "{\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [{]}", "{} {}", "nul"] {
        assert_eq!(Batch::json(text.as_bytes()).map(|batch| batch.spans()).ok(), None, "{text}");
    }
    let deep = format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}", "[".repeat(100_000));
    assert!(Batch::json(deep.as_bytes()).is_err());
    assert_eq!(Batch::json(b" {\"other\": [1]}").unwrap().spans(), 0, "fields that are not known are passed over");
}

#[test]
fn a_body_that_is_cut_at_any_byte_is_refused_or_ends_there() {
    let whole = Batch::protobuf(PYTHON).unwrap().spans();
    let read = (0..PYTHON.len()).filter_map(|cut| Batch::protobuf(&PYTHON[..cut]).ok());
    assert!(read.into_iter().all(|batch| batch.spans() < whole));
}

proptest! {
    #[test]
    fn bytes_that_are_changed_anywhere_break_nothing(changes in prop::collection::vec((0..PYTHON.len(), any::<u8>()), 1..8)) {
        let mut bytes = PYTHON.to_vec();
        changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        if let Ok(batch) = Batch::protobuf(&bytes) {
            let mut traces = Traces::default();
            traces.take(batch, 0);
            for standing in traces.standing(0) {
                if let Some(story) = traces.story(&standing.id, 0) {
                    fold(&import::events(story, &Teller { version: "0", rates: &|_| None }));
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_a_document_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Batch::protobuf(&bytes);
        let _ = Batch::json(&bytes);
    }
}

#[test]
fn text_in_spans_cannot_drive_the_terminal() {
    let mut traces = Traces::default();
    let document = span("0000000000000001", None, "le\u{1b}]0;x\u{7}ad\u{202e}", "invoke_agent");
    take(&mut traces, Batch::protobuf(&protobuf(&document)));
    assert_eq!(fold(&told(&traces, TRACE, 0)).assignments().next().unwrap().role.as_str(), "lead");
}

#[test]
fn of_more_traces_than_there_is_room_for_those_go_that_ended_first() {
    let of = |trace: usize, parent: Option<&str>| {
        let mut document = span("0000000000000001", parent, "lead", "invoke_agent");
        document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"] = json!(format!("{trace:032x}"));
        Batch::json(document.to_string().as_bytes()).unwrap()
    };
    let mut traces = Traces::new(Room { traces: 3, ..Room::default() });
    // The first is still at work.
    assert!(traces.take(of(0, Some("00000000000000ff")), 10).dropped.is_empty());
    traces.take(of(1, None), 20);
    traces.take(of(2, None), 30);
    let dropped = |traces: &mut Traces, trace, now| {
        let kept = traces.take(of(trace, None), now);
        kept.dropped.iter().map(|id| usize::from_str_radix(id, 16).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(dropped(&mut traces, 3, 40), [1], "the one that ended the longest ago");
    assert!(dropped(&mut traces, 2, 50).is_empty(), "it is there already");
    assert_eq!(dropped(&mut traces, 4, 60), [3]);
    assert_eq!(traces.standing(60).len(), 3);
    // One that alone takes more than half is not taken further, and costs no other.
    let mut traces = Traces::new(Room { traces: 9, bytes: 20_000 });
    traces.take(of(1, None), 10);
    let mut rejected = 0;
    for n in 1..30 {
        let document = span(&format!("{n:016x}"), None, "lead", "invoke_agent");
        let kept = traces.take(Batch::json(document.to_string().as_bytes()).unwrap(), 20);
        assert!(kept.dropped.is_empty());
        rejected += kept.rejected;
    }
    let known: Vec<usize> = traces.standing(20).iter().map(|standing| standing.spans).collect();
    assert!(known.len() == 2 && known[1] + rejected == 29 && rejected > 10, "{known:?} {rejected}");
}
