//! A run that a small language model did, given again: `tests/program/recorded/small-model.jsonl` is the output of `journal dump`
//! for a brief by a model of 1.5 billion parameters. Its answers drive the whole team once more, without a network, a model or the
//! documents.
//!
//! Its answers are as the model gave them; the requests and the results of tools are those of today, and if a specialist asks once
//! more than it did then, its last answer is given again. If the text for a model changes, the recording no longer fits, and is
//! renewed so or made anew against a real server.

use std::path::{Path, PathBuf};

use kit::run;

fn recording() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/recorded/small-model.jsonl")
}

fn masthead(data: &Path, args: &[&str]) -> (i32, String, String) {
    run(crate::masthead(data).args(args))
}

fn given_again(data: &Path, recording: &Path) -> (i32, String, String) {
    masthead(data, &["brief", "--answers-from", &recording.to_string_lossy(), "--headless", "--yes"])
}

fn recorded_events() -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(recording()).unwrap();
    // It was recorded by an earlier version.
    let mut records = run::record::Records::default();
    let mut of_today = |line: &str| run::record::line(&records.read_line(line).unwrap().1);
    text.lines().map(|line| serde_json::from_str(&of_today(line)).unwrap()).collect()
}

#[test]
fn the_answers_of_a_model_drive_the_same_team_to_the_same_brief_at_no_cost() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = given_again(dir.path(), &recording());
    assert_eq!(code, 3, "{out}{err}");
    let last = err.lines().last().unwrap_or_default();
    assert!(last.contains("left after revision"), "a draft full of inventions: {err}");
    assert!(out.contains("as they answered in") && out.contains("no model is called"), "{out}");
    let (_, dumped, _) = masthead(dir.path(), &["journal", "dump", "last"]);
    let events: Vec<serde_json::Value> = dumped.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let brief = |events: &[serde_json::Value]| {
        let last = events.iter().rfind(|event| event["event"] == "reported").unwrap();
        assert_eq!(last["by"], "0");
        last["handoff"]["payload"].clone()
    };
    assert_eq!(brief(&events), brief(&recorded_events()));
    let asked = events.iter().filter(|event| event["event"] == "model_replied").count();
    assert!(asked > 5, "{asked}");
    let (_, runs, _) = masthead(dir.path(), &["runs", "--json"]);
    assert!(runs.contains("\"cost_pico_dollars\":0"), "{runs}");
}

#[test]
fn what_a_weak_model_invents_does_not_reach_the_brief() {
    let dir = tempfile::tempdir().unwrap();
    let (_, _, _) = given_again(dir.path(), &recording());
    let (_, text, _) = masthead(dir.path(), &["export", "last", "--format", "json"]);
    let exported: serde_json::Value = serde_json::from_str(&text).unwrap();
    let vetoed = recorded_events().iter().any(|event| {
        event["event"] == "reported"
            && event["handoff"]["names"][0] == "gates"
            && event["handoff"]["payload"].to_string().contains("numbers_and_names")
    });
    assert!(vetoed, "the model did invent something");
    let findings = exported["findings"].as_array().unwrap();
    let sentences = exported["brief"]["sentences"].as_array().unwrap();
    assert!(!sentences.is_empty());
    for sentence in sentences {
        assert!(!sentence["findings"].as_array().unwrap().is_empty(), "{sentence}");
    }
    for finding in findings.iter().filter(|finding| finding["standing"] == "approved") {
        assert!(finding["place"].is_object(), "nothing is approved without its place: {finding}");
    }
}

#[test]
fn a_request_that_differs_is_shown_and_stops_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let changed = dir.path().join("changed.jsonl");
    let text = std::fs::read_to_string(recording()).unwrap();
    let said = "which is cheaper to run?\\n</question>";
    assert!(text.contains(said));
    // The question of then is not the question of now.
    let lines = text.lines().map(|line| match line.contains("\"event\":\"model_called\"") {
        true => line.replacen(said, "which is dearer to run?\\n</question>", 1),
        false => line.to_owned(),
    });
    std::fs::write(&changed, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let (code, out, err) = given_again(dir.path(), &changed);
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("does not ask what it asked in run"), "{err}");
    assert!(!err.contains("until that is mended") && !err.contains("masthead resume"), "{err}");
    let (_, listed, _) = masthead(dir.path(), &["runs"]);
    assert!(listed.contains("  failed  "), "nobody can mend it, so it waits for nobody: {listed}");
    assert!(err.contains("dearer to run?") && err.contains("cheaper to run?"), "{err}");
}

#[test]
fn a_tool_used_otherwise_than_in_the_record_is_named_as_the_first_difference() {
    let dir = tempfile::tempdir().unwrap();
    let changed = dir.path().join("changed.jsonl");
    let text = std::fs::read_to_string(recording()).unwrap();
    // It searched for other words then: today's search is not in the record.
    let mut is_changed = false;
    let lines = text.lines().map(|line| {
        let query = "\"query\":\"";
        let changes = line.contains("\"event\":\"tools_called\"") && line.contains(query);
        is_changed |= changes;
        if changes { line.replace(query, "\"query\":\"zanzibar ") } else { line.to_owned() }
    });
    std::fs::write(&changed, lines.collect::<Vec<_>>().join("\n")).unwrap();
    assert!(is_changed);
    let (code, out, err) = given_again(dir.path(), &changed);
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("`search` is used with {") && !err.contains("zanzibar"), "{err}");
}

#[test]
fn a_prompt_that_has_changed_since_the_recording_is_named_with_the_difference() {
    let dir = tempfile::tempdir().unwrap();
    let server = kit::ModelServer::start(&["m"]);
    let team = dir.path().join(".config/masthead/teams/brief");
    std::fs::create_dir_all(&team).unwrap();
    std::fs::write(team.parent().unwrap().parent().unwrap().join("config.toml"), server.config("mine")).unwrap();
    let prompt = |says: &str| std::fs::write(team.join("writer.md"), format!("You write.\n{says}\n")).unwrap();
    prompt("Be short.");
    let sources = kit::example("vector-databases");
    let args = ["brief", "What is Qdrant?", "--headless", "--yes", "--model", "mine/m", "--sources"];
    let (code, out, err) = run(crate::masthead(dir.path()).args(args).arg(sources));
    assert_eq!(code, 0, "{out}{err}");
    let again = || masthead(dir.path(), &["brief", "--answers-from", "last", "--headless", "--yes"]);
    let (code, out, err) = again();
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    prompt("Be long.");
    let (code, out, err) = again();
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("the prompt of the writer is another today than in "), "{err}");
    assert!(err.contains("line 2 said “Be short.”, and now says “Be long.”"), "{err}");
    assert!(err.contains("the recorded prompts are used"), "{err}");
    assert_eq!(err.lines().count(), 2, "{err}");
}

#[test]
fn a_dump_of_somebody_elses_run_is_replayed_with_all_its_lines_and_one_that_is_not_whole_says_where() {
    let home = tempfile::tempdir().unwrap();
    let mut brief = crate::masthead(home.path());
    brief.args(["brief", "How does pgvector store vectors?", "--headless", "--yes", "--sources"]);
    let (code, out, err) = run(brief.arg(kit::example("vector-databases")));
    assert_eq!(code, 0, "{out}{err}");
    let (_, told, _) = run(crate::masthead(home.path()).args(["replay", "last"]));
    let (_, dump, _) = run(crate::masthead(home.path()).args(["journal", "dump", "last"]));
    // Somebody else has the file, and no run of their own.
    let other = tempfile::tempdir().unwrap();
    let file = other.path().join("theirs.jsonl");
    let replay = |text: &str| {
        std::fs::write(&file, text).unwrap();
        run(crate::masthead(other.path()).arg("replay").arg(&file))
    };
    assert_eq!(replay(&dump), (0, told.clone(), String::new()));
    let lines: Vec<&str> = dump.lines().collect();
    let newer = dump.replacen("\"v\":2", "\"v\":99", 1);
    let without = [&lines[..9], &lines[10..]].concat().join("\n");
    let changed = dump.replacen("store vectors", "store wectors", 1);
    assert_ne!(changed, dump);
    // Earlier versions wrote no digests.
    let old = lines.iter().map(|line| format!("{}}}\n", line.rsplit_once(",\"sum\"").unwrap().0)).collect::<String>();
    let old = old.replacen(&format!(",\"events\":{}", lines.len()), "", 1);
    let changed_old = old.replacen("\"by\":\"0.1\"", "\"by\":\"0.7\"", 1);
    assert_ne!(changed_old, old);
    assert_eq!(replay(&old), (0, told.clone(), String::new()));
    for (text, says) in [
        (&dump[..dump.len() / 2], "is no event of a run"),
        (newer.as_str(), "a newer version of masthead wrote it"),
        (without.as_str(), "line 10 of the recording"),
        (changed.as_str(), "line 1 of the recording"),
        (changed.as_str(), "is not as it was written"),
        (changed_old.as_str(), "does not fit what is before it"),
        ("", "there is no run in"),
    ] {
        let (code, out, err) = replay(text);
        assert!(code == 2 && out.is_empty() && err.contains(says), "{says}: {code}: {out}{err}");
    }
    let (code, _, err) = run(crate::masthead(other.path()).args(["replay", "nowhere.jsonl"]));
    assert!(code == 2 && err.contains("cannot be read"), "{code}: {err}");
    // Cut between two lines: the part that is there is shown, and is not taken for the whole.
    let (_, out, err) = replay(&lines[..20].join("\n"));
    let says = format!("was cut: the last {} of its {} events are missing", lines.len() - 20, lines.len());
    assert!(out.contains("How does pgvector store vectors?") && err.contains(&says), "{out}{err}");
    let there = |args: &[&str]| run(crate::masthead(other.path()).current_dir(other.path()).args(args));
    let (code, out, err) = there(&["compare", "theirs.jsonl", "theirs.jsonl"]);
    assert!(code == 2 && out.is_empty() && err.contains(&says), "{code}: {out}{err}");
    let (_, _, err) = there(&["fork", "theirs.jsonl", "--at", "9", "--headless", "--yes"]);
    assert!(err.contains(&says), "{err}");
}
