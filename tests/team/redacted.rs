//! A run without its text: no word of it is left, and it is the same run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use run::record::redacted::Redactor;
use run::record::{self, Records};
use run::{Envelope, Event, Run, RunId};
use serde_json::Value;

/// Recorded runs: of a model, of the program and of simulated providers, in today's form.
fn recorded() -> Vec<(RunId, Vec<Envelope>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let file = fs::read_to_string(root.join("program/recorded/small-model.jsonl")).unwrap();
    let mut records = Records::default();
    let events: Vec<Envelope> = file.lines().map(|line| records.read_line(line).unwrap().1).collect();
    let Event::RunOpened(opening) = &events[0].event else { panic!("it begins elsewhere") };
    let mut runs = vec![(opening.run.clone(), events)];
    for name in ["program.db", "simulated.db"] {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("journal.db");
        fs::copy(root.join("journals/version-1").join(name), &copy).unwrap();
        let reader = journal::Reader::open(&copy).unwrap().unwrap();
        for row in reader.runs().unwrap() {
            let mut events = Vec::new();
            reader.events(&row.id, |envelope| events.push(envelope)).unwrap();
            runs.push((row.id, events));
        }
    }
    assert!(runs.len() > 12);
    runs
}

fn nothing_else(_: &str) -> bool {
    false
}

fn redacted(id: &RunId, events: &[Envelope]) -> Vec<Envelope> {
    let (mut redactor, mut records) = (Redactor::new(&nothing_else), Records::default());
    let lines = events.iter().map(|envelope| redactor.dump_line(id, envelope));
    lines
        .map(|line| {
            let (of, envelope) = records.read_line(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
            assert!(of.is_none_or(|of| of == *id));
            envelope
        })
        .collect()
}

#[test]
fn a_redacted_run_has_the_same_stages_costs_and_counts() {
    for (id, events) in recorded() {
        let redacted = redacted(&id, &events);
        let (mut before, mut after) = (Run::default(), Run::default());
        for (was, is) in events.iter().zip(&redacted) {
            before.apply(was);
            after.apply(is);
            assert_eq!((after.misfits, after.seq, after.at), (0, before.seq, before.at), "{id} {:?}", is.event);
            assert_eq!(is.event.name(), was.event.name());
            assert_eq!(after.phase().word(), before.phase().word(), "{id} {}", is.seq);
        }
        assert_eq!(after.ledger, before.ledger, "{id}");
        let assignments = |run: &Run| {
            let one = |one: &run::Assignment| {
                let stages: Vec<_> = one.transcript.turns.iter().map(|turn| turn.stage).collect();
                (
                    one.id,
                    one.opened_at,
                    one.touched_at,
                    one.ended.as_ref().map(|(end, _)| std::mem::discriminant(end)),
                    stages,
                )
            };
            run.assignments().map(one).collect::<Vec<_>>()
        };
        assert_eq!(assignments(&after), assignments(&before), "{id}");
        let sizes = |run: &Run| {
            let of =
                |payload: &run::Payload| (payload.findings().len(), payload.verdicts().len(), payload.parts().count());
            run.handoffs.iter().map(|one| of(&one.payload)).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&after), sizes(&before), "{id}");
        assert_eq!(after.checkpoints.len(), before.checkpoints.len(), "{id}");
    }
}

/// The words of four letters and more in the texts and keys of a value, but for those of ids.
fn words(value: &Value, found: &mut BTreeSet<String>) {
    let mut of = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
        found.extend(words.filter(|word| word.chars().any(char::is_alphabetic)).map(str::to_lowercase));
    };
    match value {
        Value::String(text) => of(text),
        Value::Array(all) => all.iter().for_each(|one| words(one, found)),
        Value::Object(fields) => fields.values().for_each(|value| words(value, found)),
        _ => {}
    }
}

/// Whether the program itself calls something so: roles, tools, stages, and the values of fields that take nothing else. They are the
/// only words that a redacted run has in common with the run.
fn is_the_programs(word: &str) -> bool {
    const VALUES: &[&str] = &[
        "advantage",
        "after",
        "again",
        "another",
        "approve",
        "approved",
        "before",
        "broken",
        "bytes",
        "call",
        "calls",
        "cancel",
        "cancelled",
        "cause",
        "citations",
        "cited",
        "clarity",
        "code",
        "comparison",
        "coverage",
        "date",
        "definition",
        "done",
        "drawback",
        "drop",
        "dropped",
        "each",
        "editor",
        "encoding",
        "errors",
        "excerpt",
        "extractive",
        "facets",
        "fact",
        "failed",
        "failover",
        "failure",
        "fields",
        "found",
        "free",
        "gates",
        "high",
        "hits",
        "hold",
        "house",
        "inspect",
        "inspector",
        "item",
        "json",
        "kind",
        "landing",
        "length",
        "list",
        "merger",
        "more",
        "move",
        "name",
        "names",
        "none",
        "normal",
        "nothing",
        "numbers",
        "outlier",
        "overview",
        "paragraph",
        "partial",
        "pass",
        "person",
        "planner",
        "policy",
        "proposed",
        "punctuation",
        "queued",
        "quotes",
        "recollection",
        "records",
        "referent",
        "release",
        "relevance",
        "remember",
        "researcher",
        "restarts",
        "retry",
        "reviewer",
        "revise",
        "reword",
        "reworded",
        "schema",
        "silence",
        "skip",
        "source",
        "stop",
        "style",
        "subject",
        "supervisor",
        "support",
        "surveyor",
        "system",
        "table",
        "text",
        "then",
        "tokens",
        "tool",
        "twice",
        "unquoted",
        "user",
        "value",
        "wait",
        "without",
        "work",
        "writer",
        "written",
    ];
    let events = run::event::NAMES.iter().flat_map(|name| name.split('_'));
    let stages = run::Stage::ALL.iter().flat_map(|stage| stage.name().split(['.', '_']));
    events.chain(stages).chain(VALUES.iter().copied()).any(|own| own == word)
}

/// Whether it is a part of an id of a source, a hash.
fn is_digest(word: &str) -> bool {
    word.len() == 12 && word.chars().all(|c| c.is_ascii_hexdigit())
}

#[test]
fn no_word_of_what_was_read_asked_and_said_is_in_a_redacted_run() {
    let mut kept = BTreeSet::new();
    for (id, events) in recorded() {
        let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
        let json = |envelope| serde_json::from_str::<Value>(&record::dump_line(&id, envelope)).unwrap();
        events.iter().for_each(|envelope| words(&json(envelope), &mut before));
        redacted(&id, &events).iter().for_each(|envelope| words(&json(envelope), &mut after));
        let known = |word: &str| is_the_programs(word) || is_digest(word) || word == id.as_str();
        kept.extend(after.intersection(&before).filter(|word| !known(word)).cloned());
    }
    assert_eq!(kept, BTreeSet::new());
}

/// Wherever an event has room for text, text that is put there is taken out.
#[test]
fn a_word_is_taken_out_wherever_an_event_can_hold_it() {
    const CANARY: &str = "Zebra/quartz-Blatt 日本 ok";
    let (mut tried, mut seen) = (0, BTreeSet::new());
    for (id, events) in recorded() {
        for envelope in &events {
            let line: Value = serde_json::from_str(&record::dump_line(&id, envelope)).unwrap();
            let mut places = Vec::new();
            texts(&line, String::new(), &mut places);
            for pointer in places {
                let shape: String = pointer.split('/').filter(|step| step.parse::<usize>().is_err()).collect();
                if !seen.insert((envelope.event.name(), shape)) {
                    continue;
                }
                let mut with_canary = line.clone();
                *with_canary.pointer_mut(&pointer).unwrap() = CANARY.into();
                // A place for a word of the program's own cannot hold it.
                let Ok((_, envelope)) = Records::default().read_line(&with_canary.to_string()) else { continue };
                tried += 1;
                let written = Redactor::new(&nothing_else).dump_line(&id, &envelope);
                for word in ["Zebra", "quartz", "Blatt", "日本", "\\u65e5"] {
                    assert!(!written.contains(word), "{word} at {pointer} of {}", envelope.event.name());
                }
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

/// The places of all texts in a value.
fn texts(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at),
        Value::Array(all) => all.iter().enumerate().for_each(|(n, one)| texts(one, format!("{at}/{n}"), found)),
        Value::Object(fields) => {
            for (name, one) in fields {
                texts(one, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}
