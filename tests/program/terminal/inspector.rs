//! Any crossing is inspected in a terminal: folded, searched, compared, saved.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::Terminal;

/// The recorded run of a team of models, with a handoff to the writer that was refused first because it lost its findings, and
/// with a second draft that says one thing otherwise.
fn journal(home: &Path) -> String {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/model-team.jsonl");
    let text = fs::read_to_string(recorded).unwrap();
    let mut events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let to_writer = |event: &Value| event["event"] == "handed_off" && event["opened"][0]["role"] == "writer";
    let sent = events.iter().position(to_writer).unwrap();
    let handoff = &events[sent]["opened"][0]["handoff"];
    let mut payload = handoff["payload"].clone();
    payload.as_object_mut().unwrap().remove("findings");
    let refused = json!({
        "v": events[sent]["v"],
        "at": events[sent]["at"],
        "event": "step_refused",
        "by": events[sent]["by"],
        "stage": events[sent]["stage"],
        "why": "the writer is handed no findings",
        "unsent": { "role": "writer", "title": handoff["title"], "payload": payload },
    });
    let is_draft = |event: &&mut Value| event["event"] == "reported" && event["handoff"]["names"][0] == "writer";
    let second = events.iter_mut().filter_map(|event| Some(event).filter(is_draft)).nth(1).unwrap();
    let draft = second["handoff"]["payload"]["draft"].to_string().replace("grow in steps, each", "rise in steps, each");
    second["handoff"]["payload"]["draft"] = serde_json::from_str(&draft).unwrap();
    events.insert(sent, refused);
    let lines = (1..).zip(&mut events).map(|(seq, event): (u64, &mut Value)| {
        event["seq"] = seq.into();
        format!("{event}\n")
    });
    let file = home.join("run.jsonl");
    fs::write(&file, lines.collect::<String>()).unwrap();
    file.to_string_lossy().into_owned()
}

/// The screen of the team, with the list of handoffs in front.
fn handoffs(home: &Path) -> Terminal {
    let file = journal(home);
    let mut terminal = Terminal::start_in(home, home, &["replay", &file], 40, 120, &[]);
    terminal.wait_for("112 words · 9 citations");
    terminal.press("1i");
    terminal.wait_for("#28 supervisor → you");
    terminal
}

fn saved(home: &Path, name: &str) -> String {
    fs::read_to_string(home.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_refused_handoff_is_opened_folded_searched_compared_and_saved_with_its_whole_payload() {
    let home = tempfile::tempdir().unwrap();
    let mut terminal = handoffs(home.path());
    // Refused ones come last: from the first handoff they are the one before.
    terminal.press("g\r");
    terminal.wait_for("handoff #1  you → supervisor");
    terminal.press("\x1b[Z");
    terminal.wait_for("✗ refused handoff  supervisor → writer");
    terminal.wait_for("the writer is handed no findings");
    terminal.wait_for("← from you, in handoff #1");
    terminal.press("c");
    terminal.wait_for("▸ plan");
    terminal.press("/operations");
    terminal.wait_for("of 3");
    terminal.press("\r");
    terminal.wait_for("What are limits, cost and operations of pgvector?");
    terminal.press("t");
    terminal.wait_for("\"handoff\": {");
    terminal.press("d");
    terminal.wait_for("− the one sent after it: handoff #14");
    terminal.wait_for("- findings  9");
    terminal.press("ts");
    terminal.wait_for("saved: masthead-csxtaf-refused-0-");
    let name = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = name.into_iter().find(|name| name.starts_with("masthead-csxtaf-refused-0-")).unwrap();
    let whole: Value = serde_json::from_str(&saved(home.path(), &name)).unwrap();
    assert_eq!(whole["refused"], "the writer is handed no findings");
    assert_eq!(whole["handoff"]["payload"]["length"], 500);
    assert!(whole["handoff"]["payload"]["plan"]["tasks"].as_array().is_some_and(|tasks| tasks.len() == 3));
    // A file that is there already stays.
    terminal.press("s");
    terminal.wait_for("-2.json");
    terminal.press("Q");
    assert!(terminal.end_and_given_back().success());
}

#[test]
fn the_second_draft_is_compared_with_the_first_and_a_finding_leads_to_the_search_that_found_it() {
    let home = tempfile::tempdir().unwrap();
    let mut terminal = handoffs(home.path());
    terminal.press("g");
    terminal.press(&"j".repeat(20));
    terminal.press("\r");
    terminal.wait_for("handoff #21  writer → supervisor");
    terminal.wait_for("rise in steps");
    terminal.press("d");
    terminal.wait_for("− handoff #15  writer → supervisor");
    terminal.wait_for("pgvector costs grow in steps, each time");
    terminal.press("s");
    terminal.wait_for("handoff-21-changes.diff");
    let diff = saved(home.path(), "masthead-csxtaf-handoff-21-changes.diff");
    let changed: Vec<&str> =
        diff.lines().filter(|line| line.starts_with(['+', '-'])).map(|line| line[1..].trim()).collect();
    assert_eq!(changed.len(), 2, "{diff}");
    assert!(changed[0].starts_with("pgvector costs grow") && changed[1].starts_with("pgvector costs rise"), "{diff}");
    terminal.press("t/costs rise\r");
    terminal.wait_for("1 of 1");
    terminal.press("o");
    terminal.wait_for("asked for by the researcher");
    terminal.wait_for("comparison/costs.html");
    terminal.press("\x1b");
    terminal.wait_for("handoff #21  writer → supervisor");
    // The run as it was recorded has the first wording also in its second draft.
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/model-team.jsonl");
    terminal.press("w");
    terminal.wait_for("compare it with the same in another run");
    terminal.press("nowhere\r");
    terminal.wait_for("no run");
    terminal.press("w");
    terminal.wait_for("compare it with the same in another run");
    terminal.press(&format!("{}\r", recorded.display()));
    terminal.wait_for("− the same in run");
    terminal.wait_for("+       pgvector costs rise in steps");
    terminal.press("Q");
    assert!(terminal.end_and_given_back().success());
}
