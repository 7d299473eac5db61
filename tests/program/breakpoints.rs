//! Breakpoints on the command line: a run parks where one stands, also with `--yes`, and `resume` goes on.

use std::path::Path;
use std::process::Command;

use kit::{ModelServer, example, run};
use serde_json::Value;

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

fn brief(home: &Path, more: &[&str]) -> Command {
    let mut command = crate::masthead(home);
    command.args(["brief", QUESTION, "--headless", "--sources"]).arg(example("vector-databases")).args(more);
    command
}

fn resume(home: &Path, more: &[&str]) -> (i32, String, String) {
    run(crate::masthead(home).args(["resume", "last", "--headless"]).args(more))
}

fn events(home: &Path) -> Vec<Value> {
    let (code, out, err) = run(crate::masthead(home).args(["journal", "dump", "last"]));
    assert_eq!(code, 0, "{err}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn count(events: &[Value], name: &str) -> usize {
    events.iter().filter(|event| event["event"] == name).count()
}

#[test]
fn a_run_parks_before_a_handoff_crosses_also_with_yes_and_resume_sends_it_on() {
    let home = tempfile::tempdir().unwrap();
    let (code, out, err) = run(&mut brief(home.path(), &["--yes", "--break", "handoff:writer"]));
    assert_eq!(code, 4, "{out}{err}");
    assert!(out.contains("breakpoint handoff:writer — before supervisor → writer"), "{out}");
    assert!(out.contains("which carries question, named, plan, findings, length"), "{out}");
    assert!(err.contains("stands at a breakpoint, and nothing of it is lost"), "{err}");
    let before = events(home.path());
    let (code, out, err) = resume(home.path(), &["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("✓ answered    sent on"), "{out}");
    let after = events(home.path());
    // Findings are not looked for again.
    let calls = |events: &[Value]| count(&events[..before.len()], "tools_called");
    assert_eq!(calls(&before), calls(&after));
    // The brief is that of a run without a breakpoint.
    let plain = tempfile::tempdir().unwrap();
    let (code, _, err) = run(&mut brief(plain.path(), &["--yes"]));
    assert_eq!(code, 0, "{err}");
    let export = |home: &Path| run(crate::masthead(home).args(["export", "last"])).1;
    assert_eq!(export(home.path()), export(plain.path()));
}

#[test]
fn a_breakpoint_at_a_checkpoint_is_answered_before_the_checkpoint_and_the_run_comes_to_its_end() {
    let home = tempfile::tempdir().unwrap();
    let (code, out, err) = run(&mut brief(home.path(), &["--yes", "--break", "event:checkpoint_opened"]));
    assert_eq!(code, 4, "{out}{err}");
    assert!(err.contains("stands at a breakpoint"), "{err}");
    let (code, out, err) = resume(home.path(), &[]);
    assert_eq!(code, 4, "{out}{err}");
    assert!(err.contains("approves what it found"), "{err}");
    let (code, out, err) = resume(home.path(), &["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn where_all_research_was_dropped_nothing_is_said_to_be_missing_from_the_sources() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path(), &["--yes", "--break", "handoff:researcher"])).0, 4);
    let (code, out, err) = resume(home.path(), &["--yes", "--answer", "drop"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("All research was ended before it found anything."), "{out}");
    assert!(
        out.contains("- Qdrant: the research was ended (you dropped what was to be handed")
            && !out.contains("answers the question"),
        "{out}"
    );
}

#[test]
fn a_payload_is_changed_from_a_file_and_both_are_in_the_journal() {
    let home = tempfile::tempdir().unwrap();
    let stops = ["--yes", "--break", "from:supervisor,handoff:writer"];
    assert_eq!(run(&mut brief(home.path(), &stops)).0, 4);
    let parked = events(home.path());
    let put = &parked.last().unwrap()["subject"]["stop"]["what"]["handoffs"]["handoffs"][0]["sending"]["payload"];
    let file = home.path().join("payload.json");
    let write = |payload: &Value| std::fs::write(&file, payload.to_string()).unwrap();
    let path = file.to_string_lossy().into_owned();
    let mut mine = put.clone();
    mine.as_object_mut().unwrap().remove("plan");
    write(&mine);
    let (code, _, err) = resume(home.path(), &["--payload", &path]);
    assert!(code == 2 && err.contains("--payload: the payload has no `plan`"), "{code}: {err}");
    mine["plan"] = put["plan"].clone();
    mine["findings"].as_array_mut().unwrap().pop();
    write(&mine);
    let (code, _, err) = resume(home.path(), &["--payload", &path]);
    assert!(code == 2 && err.contains("not those that were approved"), "{code}: {err}");
    write(&serde_json::json!("nothing"));
    let (code, _, err) = resume(home.path(), &["--payload", &path]);
    assert!(code == 2 && err.contains("cannot be read"), "{code}: {err}");
    assert_eq!(events(home.path()).len(), parked.len(), "what is refused leaves no trace");
    mine["findings"] = put["findings"].clone();
    mine["length"] = 120.into();
    write(&mine);
    let (code, out, err) = resume(home.path(), &["--payload", &path, "--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    let all = events(home.path());
    let edited = all.iter().find(|event| event["event"] == "checkpoint_edited").unwrap();
    assert_eq!(edited["edit"]["stop"]["payload"]["length"], 120);
    let crossed =
        all.iter().filter(|event| event["event"] == "handed_off").flat_map(|event| event["opened"].as_array());
    let writers = crossed.flatten().filter(|opened| opened["role"] == "writer");
    let lengths: Vec<u64> = writers.filter_map(|opened| opened["handoff"]["payload"]["length"].as_u64()).collect();
    assert_eq!(lengths[0], 120);
    assert_eq!(put["length"], 500);
}

#[test]
fn a_handoff_is_dropped_or_refused_without_a_screen() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path(), &["--yes", "--break", "handoff:writer"])).0, 4);
    let (code, out, err) = resume(home.path(), &["--yes", "--answer", "refuse=not before I have read it"]);
    assert_eq!(code, 3, "{out}{err}");
    assert!(out.contains("the person refused it: not before I have read it"), "{out}");
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path(), &["--yes", "--break", "handoff:researcher"])).0, 4);
    let (code, out, err) = resume(home.path(), &["--yes", "--answer", "drop"]);
    assert!(out.contains("⊘ cancelled") && !out.contains("✓ done       6 findings"), "{code}: {out}{err}");
    let (code, _, err) = resume(home.path(), &["--answer", "drop"]);
    assert!(code == 2 && err.contains("has ended: --answer changes nothing there"), "{code}: {err}");
}

#[test]
fn a_breakpoint_that_can_never_hit_is_said_at_once_and_no_run_begins() {
    let home = tempfile::tempdir().unwrap();
    for (on, says) in [
        ("handoff:wirter", "there is no specialist `wirter` in the team; there are:"),
        ("tool:serach", "no specialist of the team has a tool `serach`; there are:"),
        ("event:plan_adoptd", "there is no event `plan_adoptd`"),
        ("cost:0.10", "the team uses no model, so the run costs nothing"),
        ("nonsense", "write handoff:ROLE"),
        ("verdict:maybe", "verdict:revise"),
    ] {
        let (code, out, err) = run(&mut brief(home.path(), &["--break", on]));
        assert!(code == 2 && out.is_empty() && err.contains(says), "{on}: {code}: {out}{err}");
    }
    let (code, out, _) = run(crate::masthead(home.path()).args(["runs", "--json"]));
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn breakpoints_are_set_and_cleared_as_a_run_is_resumed() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path(), &["--break", "event:plan_adopted"])).0, 4);
    let (code, out, err) = resume(home.path(), &["--yes", "--clear-breaks", "--break", "verdict:pass"]);
    assert_eq!(code, 4, "{out}{err}");
    assert!(
        out.contains("✓ cleared     breakpoint 1") && out.contains("breakpoint verdict:pass — before gates"),
        "{out}"
    );
    let (code, out, err) = resume(home.path(), &["--yes", "--clear-breaks"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_run_stops_at_a_cost_with_all_that_is_paid_for_taken_in_and_pays_nothing_twice() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    let config = server.config("mine").replace("free = true\n", "");
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let paid = ["--yes", "--model", "mine/m", "--price", "mine/m=1.00,4.00"];
    let (code, out, err) = run(&mut brief(home.path(), &[&paid[..], &["--break", "cost:0.0001"]].concat()));
    assert_eq!(code, 4, "{out}{err}");
    let parked = events(home.path());
    assert_eq!(count(&parked, "attempt_sent"), count(&parked, "model_replied"), "what was sent has come back");
    let asked = server.asked().len();
    assert_eq!(asked, count(&parked, "attempt_sent"));
    let (code, out, err) = resume(home.path(), &["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    let all = events(home.path());
    assert_eq!(server.asked().len(), count(&all, "attempt_sent"), "nothing was asked twice");
}

/// Every search and read that was called, as it was asked for.
fn called(events: &[Value]) -> Vec<String> {
    let calls =
        events.iter().filter(|event| event["event"] == "tools_called").flat_map(|event| event["calls"].as_array());
    calls.flatten().map(|call| call.to_string()).collect()
}

#[test]
fn the_others_stand_at_a_breakpoint_or_go_on_as_the_person_says() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path(), &["--yes", "--break", "from:researcher"])).0, 4);
    let reports = |events: &[Value]| {
        let stops = events.iter().filter_map(|event| event["subject"]["stop"]["what"].as_object());
        stops.filter(|what| what.contains_key("report")).count()
    };
    let first = events(home.path());
    let (code, out, err) = resume(home.path(), &["--others", "stand"]);
    assert_eq!(code, 4, "{out}{err}");
    assert_eq!((reports(&first), called(&events(home.path()))), (1, called(&first)), "who stands does nothing");
    let (code, out, err) = resume(home.path(), &["--others", "go-on"]);
    assert_eq!(code, 4, "{out}{err}");
    let gone_on = events(home.path());
    assert_eq!(reports(&gone_on), 3, "each of the others has come to its own report: {out}");
    // The report of the first stands where it stood, and is sent on with the rest.
    let mut code = 4;
    for _ in 0..4 {
        code = resume(home.path(), &["--yes"]).0;
        if code == 0 {
            break;
        }
    }
    assert_eq!(code, 0);
    let plain = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(plain.path(), &["--yes"])).0, 0);
    let export = |home: &Path| run(crate::masthead(home).args(["export", "last"])).1;
    assert_eq!(export(home.path()), export(plain.path()));
    assert_eq!(called(&events(home.path())).len(), called(&events(plain.path())).len(), "nothing is searched twice");
}

#[test]
fn ten_breakpoints_stop_one_run_each_where_it_hits_and_change_nothing_of_it() {
    let home = tempfile::tempdir().unwrap();
    let all = [
        "handoff:planner",
        "from:planner",
        "event:plan_adopted",
        "handoff:merger",
        "from:merger",
        "handoff:writer",
        "from:writer",
        "verdict:pass",
        "from:supervisor,handoff:writer",
        "handoff:reviewer",
    ];
    let breaks: Vec<&str> = all.iter().flat_map(|on| ["--break", *on]).collect();
    let (mut code, out, err) = run(&mut brief(home.path(), &[&["--yes"], &breaks[..]].concat()));
    assert_eq!(code, 4, "{out}{err}");
    let mut stops = 1;
    while code == 4 && stops < 40 {
        (code, _, _) = resume(home.path(), &["--yes"]);
        stops += 1;
    }
    assert_eq!(code, 0, "after {stops}");
    let events = events(home.path());
    let met: Vec<String> = events
        .iter()
        .filter_map(|event| event["subject"]["stop"]["met"].as_array())
        .flat_map(|met| met.iter().map(ToString::to_string))
        .collect();
    assert!(met.len() >= all.len(), "{met:?}");
    let plain = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(plain.path(), &["--yes"])).0, 0);
    let export = |home: &Path| run(crate::masthead(home).args(["export", "last"])).1;
    assert_eq!(export(home.path()), export(plain.path()));
}
