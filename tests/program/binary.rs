//! The real binary without a terminal: its output, its files, its ends, and that kill -9 costs nothing.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use kit::{TimeLimit, example, kill_after, run};

use crate::masthead;

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

fn examples() -> PathBuf {
    example("vector-databases")
}

fn brief(data: &Path) -> Command {
    let mut command = masthead(data);
    command.args(["brief", QUESTION, "--headless", "--sources"]).arg(examples());
    command
}

fn exported(data: &Path, format: &str) -> String {
    let (code, out, err) = run(masthead(data).args(["export", "last", "--format", format]));
    assert_eq!(code, 0, "{err}");
    out
}

#[test]
fn a_run_prints_a_line_a_stage_and_then_a_brief_whose_citations_resolve() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("brief.md");
    let (code, out, err) = run(brief(dir.path()).arg("--yes"));
    assert_eq!((code, err.as_str()), (0, ""));
    for stage in ["sources", "planner", "researcher · pgvector", "merger", "you", "writer", "gates", "reviewer"] {
        assert!(out.lines().any(|line| line.contains(stage)), "no line for {stage}: {out}");
    }
    let markdown = &out[out.find("\n# ").expect("a brief") + 1..];
    let (body, sources) = markdown.split_once("\n## Sources\n").expect("sources");
    let cited = body.match_indices('[').filter_map(|(at, _)| body[at + 1..].split(']').next()?.parse::<usize>().ok());
    let mut count = 0;
    for n in cited {
        count += 1;
        assert!(sources.contains(&format!("[{n}] ")), "[{n}] leads nowhere");
    }
    assert!(count > 5, "{markdown}");
    assert!(markdown.contains("## In superseded documents"), "what no longer holds is told so: {markdown}");
    assert!(!markdown.contains("Ignore your previous instructions"), "a document gives no orders");
    let (code, _, err) = run(masthead(dir.path()).args(["export", "last", "-o"]).arg(&file));
    assert!(err.ends_with(&format!("the brief is in {}\n", file.display())), "{err}");
    assert_eq!(code, 0, "{err}");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim_end(), markdown.trim_end());
}

#[test]
fn the_brief_of_a_recording_is_exported_and_what_takes_none_says_which_commands_do() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(dir.path()).arg("--yes")).0, 0);
    let (_, dump, _) = run(masthead(dir.path()).args(["journal", "dump", "last"]));
    let file = dir.path().join("run.jsonl");
    std::fs::write(&file, dump).unwrap();
    let other = tempfile::tempdir().unwrap();
    let (code, out, err) = run(masthead(other.path()).arg("export").arg(&file));
    assert_eq!((code, out), (0, exported(dir.path(), "md")), "{err}");
    // Words behind a slash are searched for in the runs.
    let (code, _, err) = run(masthead(other.path()).args(["runs", "run.jsonl"]).current_dir(dir.path()));
    assert!(code == 2 && err.contains("is a file, and no run of the journal: `masthead replay "), "{err}");
}

#[test]
fn every_quote_of_an_export_is_in_the_file_it_names() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(dir.path()).arg("--yes")).0, 0);
    let json: serde_json::Value = serde_json::from_str(&exported(dir.path(), "json")).unwrap();
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace(['`', '*', '_', '>'], "");
    let mut checked = 0;
    for finding in json["findings"].as_array().unwrap() {
        let path = finding["place"]["source"]["path"].as_str().unwrap();
        if !path.ends_with(".txt") {
            continue;
        }
        let text = squeeze(&std::fs::read_to_string(examples().join(path)).unwrap());
        let quote = squeeze(finding["quote"].as_str().unwrap());
        assert!(text.contains(&quote), "{quote:?} is not in {path}");
        checked += 1;
    }
    assert!(checked > 0 || !json["findings"].as_array().unwrap().is_empty());
    for sentence in json["brief"]["sentences"].as_array().unwrap() {
        assert!(!sentence["findings"].as_array().unwrap().is_empty(), "{sentence}");
    }
}

#[test]
fn without_yes_a_run_parks_and_is_picked_up_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = run(&mut brief(dir.path()));
    assert_eq!(code, 4, "{out}{err}");
    assert!(err.contains("masthead resume"), "{err}");
    let (code, listed, _) = run(masthead(dir.path()).args(["runs", "--json"]));
    assert_eq!(code, 0);
    let line: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    assert_eq!(line["state"], "needs you");
    let (code, out, _) = run(masthead(dir.path()).args(["resume", "last", "--headless", "--yes"]));
    assert_eq!(code, 0);
    assert!(!out.contains("planner"), "finished steps are not done again: {out}");
    assert!(out.contains("\n## Sources"));
    let (code, told, _) = run(masthead(dir.path()).args(["replay", "last"]));
    assert_eq!(code, 0);
    assert!(told.contains("planner") && told.contains("\n## Sources"));
}

#[test]
fn a_run_that_stops_for_its_plan_parks_there_and_yes_approves_it() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = run(brief(dir.path()).arg("--check-plan"));
    assert_eq!(code, 4, "{out}{err}");
    assert!(out.contains("a plan of 3 tasks to approve") && out.contains("Pinecone: "), "{out}");
    assert!(!out.contains("researcher ·"), "nobody works on it yet: {out}");
    assert!(err.contains("opens it") && err.contains("--yes` approves its plan and what it finds"), "{err}");
    let (code, _, err) = run(masthead(dir.path()).args(["resume", "last", "--headless", "--answer", "send"]));
    assert!(code == 2 && err.contains("stands at no breakpoint"), "{code}: {err}");
    let (code, out, err) = run(masthead(dir.path()).args(["resume", "last", "--headless", "--answer", "approve"]));
    assert!(code == 4 && out.contains("3 tasks approved") && err.contains("approves what it found"), "{out}{err}");
    let (code, out, _) = run(masthead(dir.path()).args(["resume", "last", "--headless", "--yes"]));
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("\n## Sources"), "{out}");
    let (code, out, _) = run(brief(dir.path()).args(["--check-plan", "--yes"]));
    assert_eq!(code, 0, "{out}");
}

#[test]
fn a_draft_that_is_checked_is_printed_by_sentence_yes_accepts_it_and_a_remark_needs_one() {
    let dir = tempfile::tempdir().unwrap();
    let resume = |options: &[&str]| run(masthead(dir.path()).args(["resume", "last", "--headless"]).args(options));
    assert_eq!(run(brief(dir.path()).arg("--check-draft")).0, 4, "the findings come first");
    let (code, _, err) = resume(&["--remark", "1=no"]);
    assert!(code == 2 && err.contains("does not stop for its draft"), "{code}: {err}");
    let (code, out, err) = resume(&[]);
    assert!(code == 4 && err.contains("`--answer approve` in place of `--yes` approves this alone"), "{out}{err}");
    let (code, out, err) = resume(&["--answer", "approve"]);
    assert!(code == 4 && out.contains("a draft of") && out.contains(" 1. "), "{out}{err}");
    assert!(err.contains("--yes` accepts the draft, `--headless --remark [N=]TEXT` sends it back"), "{err}");
    let (code, out, err) = resume(&["--remark", "1=of which version?"]);
    assert!(code == 4 && out.contains("sent back to the writer with 1 remark"), "{out}{err}");
    let (code, out, err) = resume(&["--answer", "approve"]);
    assert!(code == 0 && out.contains("answered    accepted"), "{code}: {out}{err}");
    let (code, out, err) = run(masthead(dir.path())
        .args(["brief", "What is pgvector?", "--check-draft", "--headless"])
        .args(["--yes", "--sources"])
        .arg(example("vector-databases")));
    assert_eq!(code, 0, "{out}{err}");
    let put = out.lines().position(|line| line.contains("a draft of")).unwrap_or_else(|| panic!("{out}"));
    assert!(out.lines().skip(put).any(|line| line.contains(" 1. ")), "{out}");
    assert!(out.contains("answered    accepted"), "{out}");
}

#[test]
fn a_run_asks_at_a_cap_before_it_lands_and_the_cap_is_raised_upwards_only() {
    let dir = tempfile::tempdir().unwrap();
    let resume = |options: &[&str]| run(masthead(dir.path()).args(["resume", "last", "--headless"]).args(options));
    let raised = |dir: &Path| {
        let (_, dumped, _) = run(masthead(dir).args(["journal", "dump", "--json"]));
        dumped.lines().filter(|line| line.contains("\"raise\"")).map(String::from).collect::<Vec<_>>()
    };
    let (code, out, err) = run(brief(dir.path()).args(["--max-tokens", "30k"]));
    assert_eq!(code, 4, "{err}");
    assert!(
        out.contains("◆ needs you   the token cap of 30k has no room for what comes next: ")
            && out.contains(" needed; researcher"),
        "{out}"
    );
    assert!(
        out.contains("  token cap 30k: ") && out.contains(" · 3k kept back for landing"),
        "what was spent is said: {out}"
    );
    assert!(!out.contains("supervisor → merger") && err.contains("--yes` finishes with what there is"), "{out}{err}");
    let before = out.lines().filter(|line| line.contains("✓ done")).count();
    for (options, says) in [
        (["--max-tokens", "9000"], "the token cap is 30k and is only ever raised: 9k is less"),
        (["--max-cost", "2.00"], "has no money cap"),
        (["--max-tokens", "lots"], "write it as in 60000 or 200k"),
    ] {
        let (code, _, err) = resume(&options);
        assert_eq!(code, 2, "{options:?}: {err}");
        assert!(err.contains(says), "{options:?}: {err}");
    }
    assert_eq!(raised(dir.path()), [""; 0], "what was refused left no trace");
    let (code, out, err) = resume(&["--max-tokens", "36000"]);
    assert_eq!(code, 4, "{out}{err}");
    assert!(out.contains("✓ answered    raise it: token cap 36k"), "{out}");
    assert!(out.contains("the token cap of 36k has no room for what comes next"), "it asks again: {out}");
    let (code, out, err) = resume(&["--max-tokens", "200000"]);
    assert_eq!(code, 4, "it waits for somebody to approve: {out}{err}");
    let all = before + out.lines().filter(|line| line.contains(" researcher ·") && line.contains("✓ done")).count();
    assert!(all >= 3 && out.contains("findings to approve"), "{all}: {out}");
    let (code, _, err) = resume(&["--max-tokens", "200k"]);
    assert!(code == 4 && err.contains("the token cap is 200k already"), "{code}: {err}");
    let (code, out, _) = resume(&["--max-tokens", "210k", "--yes"]);
    assert_eq!(code, 0, "nothing is missing: {out}");
    assert!(out.contains("token cap 210k") && !out.contains("_Partial: "), "{out}");
    let (code, _, err) = resume(&["--max-tokens", "300k"]);
    assert!(code == 2 && err.contains("the run has ended"), "{code}: {err}");
    assert_eq!(raised(dir.path()).len(), 2, "{:?}", raised(dir.path()));
    let (code, out, _) = run(masthead(dir.path()).args(["journal", "verify"]));
    assert_eq!(code, 0, "{out}");
}

#[test]
fn a_cap_of_a_run_that_was_at_work_is_raised_and_not_of_one_that_another_process_works_on() {
    let dir = tempfile::tempdir().unwrap();
    kill_after(brief(dir.path()).args(["--max-tokens", "60k", "--events", "jsonl"]), 1);
    let resume = |cap| run(masthead(dir.path()).args(["resume", "last", "--headless", "--max-tokens", cap]));
    let (code, out, err) = resume("70k");
    assert_eq!(code, 4, "it waits for somebody to approve: {err}");
    let (_, dumped, _) = run(masthead(dir.path()).args(["journal", "dump", "--json"]));
    assert!(dumped.lines().any(|line| line.contains("cap_raised") && line.contains("70000")), "{out}");
    let (_, listed, _) = run(masthead(dir.path()).args(["runs", "--json"]));
    let line: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let id: run::RunId = line["id"].as_str().unwrap().parse().unwrap();
    let store = journal::at(dir.path().join("data/journal.db").to_str().unwrap()).unwrap();
    let claim = store.claim(&id).unwrap();
    assert!(matches!(claim, journal::Claimed::Ours(_)));
    let (code, _, err) = resume("80k");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("worked on by another process"), "{err}");
}

#[test]
fn a_capped_run_lands_in_a_partial_brief_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    for (cap, value) in [("--max-tool-calls", "34"), ("--max-tokens", "16000")] {
        let (code, out, err) = run(brief(dir.path()).args(["--yes", cap, value]));
        assert_eq!(code, 3, "{cap}: {out}{err}");
        assert!(out.contains("_Partial: "), "{out}");
        assert!(out.contains("\n## Gaps"), "{out}");
    }
    let (code, out, _) = run(brief(dir.path()).args(["--yes", "--max-tool-calls", "0"]));
    assert_eq!(code, 3, "{out}");
}

#[test]
fn events_are_json_lines_without_gaps_and_the_same_as_in_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = run(brief(dir.path()).args(["--yes", "--events", "jsonl"]));
    assert_eq!(code, 0);
    let printed: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (n, event) in printed.iter().enumerate() {
        assert_eq!(event["seq"], n + 1);
    }
    let (_, dumped, _) = run(masthead(dir.path()).args(["journal", "dump", "--json"]));
    let dumped = dumped.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // A dump names the run in each line, and holds the numbers that a reader compares it with.
    let events = |lines: Vec<serde_json::Value>| -> Vec<serde_json::Value> {
        let of_the_event = |mut line: serde_json::Value| {
            let fields = line.as_object_mut().unwrap();
            ["run", "sum", "events"].iter().for_each(|name| drop(fields.remove(*name)));
            line
        };
        lines.into_iter().map(of_the_event).collect()
    };
    let (printed, dumped) = (events(printed), events(dumped));
    assert_eq!(printed, dumped);
    let (code, out, _) = run(masthead(dir.path()).args(["journal", "verify"]));
    assert_eq!(code, 0);
    assert!(out.starts_with("sound: 1 run, "), "{out}");
}

#[test]
fn kill_9_at_any_moment_then_resume_comes_to_the_same_brief_and_loses_nothing() {
    let calm = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(calm.path()).arg("--yes")).0, 0);
    let undisturbed = exported(calm.path(), "md");
    for kill in 0..20usize {
        let dir = tempfile::tempdir().unwrap();
        let mut killed = 0;
        let first = kill_after(brief(dir.path()).args(["--yes", "--events", "jsonl"]), 1 + kill * 8);
        killed += usize::from(first);
        // Again while it is being picked up, and then in peace.
        kill_after(masthead(dir.path()).args(["resume", "last", "--yes", "--headless", "--events", "jsonl"]), 1 + kill);
        let (code, _, err) = run(masthead(dir.path()).args(["resume", "last", "--yes", "--headless"]));
        assert_eq!(code, 0, "kill {kill}: {err}");
        assert!(killed == 1 || kill > 5, "the run ended before it could be killed");
        assert_eq!(exported(dir.path(), "md"), undisturbed, "kill {kill}");
        let (code, out, _) = run(masthead(dir.path()).args(["journal", "verify"]));
        assert_eq!(code, 0, "kill {kill}: {out}");
    }
}

#[test]
fn every_drill_is_played_headless_and_says_what_caught_it() {
    let dir = tempfile::tempdir().unwrap();
    let (code, listed, _) = run(masthead(dir.path()).arg("drill"));
    assert_eq!(code, 0);
    let names = ["infinite-delegation", "lost-handoff", "runaway-specialist", "loop-of-two", "loop-of-three"];
    let playing = names.map(|name| {
        assert!(listed.lines().any(|line| line.trim_start().starts_with(name)), "{listed}");
        let mut command = masthead(dir.path());
        command.args(["drill", name, "--headless"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        (name, command.spawn().unwrap())
    });
    for (name, child) in playing {
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        assert_eq!(status.code(), Some(0), "{out}{err}");
        assert!(err.contains(name), "what will go wrong is said before: {err}");
        assert!(out.contains(&format!("\n\n{name}: caught.\n")), "{out}");
        assert!(!out.contains("\n\n\n"), "{out}");
    }
    let (_, runs, _) = run(masthead(dir.path()).arg("runs"));
    assert_eq!(runs.lines().filter(|line| line.contains("Drill: ")).count(), names.len(), "{runs}");
    let (code, told, _) = run(masthead(dir.path()).args(["replay", "last"]));
    assert_eq!(code, 0);
    assert!(told.contains(": caught."), "a replay says so again: {told}");
}

#[test]
fn a_drill_whose_guard_is_widened_in_the_users_own_team_file_is_not_caught_and_ends_with_1() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".config/masthead/teams/drill");
    std::fs::create_dir_all(&folder).unwrap();
    let team = include_str!("../../prompts/drill/team.toml").replace("same_handoff = 1", "same_handoff = 9");
    std::fs::write(folder.join("team.toml"), team).unwrap();
    let (code, out, err) = run(masthead(dir.path()).args(["drill", "loop-of-two", "--headless"]));
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("loop-of-two: not caught.") && out.contains("came round"), "{out}");
    let (code, out, err) = run(masthead(dir.path()).args(["replay", "last"]));
    assert_eq!(code, 1, "{out}{err}");
    let (code, _, err) = run(masthead(dir.path()).args(["drill", "loop"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("no drill `loop`") && err.contains("lost-handoff"), "{err}");
}

#[test]
fn a_drill_that_was_killed_is_picked_up_by_the_same_script_and_its_answers_can_be_given_again() {
    let dir = tempfile::tempdir().unwrap();
    assert!(kill_after(masthead(dir.path()).args(["drill", "lost-handoff", "--events", "jsonl"]), 9));
    let (code, out, err) = run(masthead(dir.path()).args(["resume", "last", "--events", "jsonl"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{out}");
    assert!(err.contains("lost-handoff: caught."), "{err}");
    let refused = out.lines().filter(|line| line.contains("\"step_refused\"")).collect::<Vec<_>>();
    assert!(refused.iter().all(|line| line.contains("\"unsent\":{\"role\":\"writer\"")), "{refused:?}");
    assert_eq!(refused.len(), 2);
    let (code, out, err) = run(masthead(dir.path()).args(["brief", "--answers-from", "last", "--headless"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("(it carried question, plan, length)") && out.contains("lost-handoff: caught."), "{out}");
}

#[test]
fn what_is_not_right_is_said_in_words_and_ends_with_the_code_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let question = ["brief", "What is this?", "--headless", "--yes"];
    for (args, code, says) in [
        (vec!["brief", "What?", "--headless"], 2, "--sources"),
        (vec!["brief", "What?", "--headless", "--sources", "/nowhere/at/all"], 2, "/nowhere/at/all"),
        (vec!["brief", "   ", "--headless", "--sources", "."], 2, "no question"),
        (vec!["resume", "zzzz"], 2, "no runs yet"),
        (vec!["brief", "What?", "--sources", ".", "--max-time", "soon"], 2, "as in 90s"),
        (vec!["brief", "What?", "--sources", ".", "--max-time", "5"], 2, "`5` has no unit; 5s is seconds, 5m minutes"),
        (vec!["brief", "What?", "--sources", ".", "--words", "abc"], 2, "from 50 to 5000, as in 800"),
        (vec!["brief", "What?", "--sources", ".", "--words", "49"], 2, "from 50 to 5000, as in 800"),
        (vec!["brief", "What?", "--sources", ".", "-o", "/nowhere/at/all/x.md"], 2, "cannot be written"),
        (vec!["frobnicate"], 2, "frobnicate"),
    ] {
        let (got, _, err) = run(masthead(dir.path()).args(&args));
        assert_eq!(got, code, "{args:?}: {err}");
        assert!(err.contains(says), "{args:?}: {err}");
    }
    let (code, _, err) = run(masthead(dir.path()).args(question).arg("--sources").arg(&empty));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("no document"), "{err}");
}

#[test]
fn a_question_that_nothing_answers_gets_an_honest_short_brief() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = masthead(dir.path());
    command.args(["brief", "How long does sourdough bread need to proof?", "--headless", "--yes", "--sources"]);
    let (code, out, err) = run(command.arg(examples()));
    assert_eq!(code, 0, "{out}{err}");
    let brief = &out[out.find("\n# ").expect("a brief")..];
    assert!(brief.split_whitespace().count() < 120, "{brief}");
    assert!(!brief.contains("## Sources"), "{brief}");
}

#[test]
fn a_damaged_journal_is_refused_with_its_own_code_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(dir.path()).arg("--yes")).0, 0);
    let journal = dir.path().join("data/journal.db");
    let connection = rusqlite::Connection::open(&journal).unwrap();
    connection.execute_batch("UPDATE events SET body = replace(body, 'pgvector', 'pgVector')").unwrap();
    drop(connection);
    for args in [vec!["journal", "verify"], vec!["export", "last"], vec!["resume", "last", "--headless"]] {
        let (code, out, err) = run(masthead(dir.path()).args(&args));
        assert_eq!(code, 65, "{args:?}: {out}{err}");
    }
}

#[test]
fn a_journal_that_lacks_something_or_says_otherwise_than_its_events_is_damaged() {
    let home = tempfile::tempdir().unwrap();
    let (data, journal) = (home.path().join("data"), home.path().join("data/journal.db"));
    let verified = || run(masthead(home.path()).args(["journal", "verify"]));
    assert_eq!(verified().0, 0, "nothing is there yet");
    assert_eq!(run(masthead(home.path()).args(["drill", "loop-of-two", "--headless"])).0, 0);
    let sound = std::fs::read(&journal).unwrap();
    for sql in [
        "UPDATE runs SET question = 'Is it?'",
        "UPDATE runs SET state = 'done '",
        "UPDATE runs SET cost = cost + 1",
        "UPDATE runs SET in_doubt = in_doubt + 1",
        "DROP TABLE events",
        "DROP TABLE runs",
        "DROP TABLE runs; DROP TABLE events",
        "ALTER TABLE runs RENAME COLUMN head_hash TO x",
    ] {
        rusqlite::Connection::open(&journal).unwrap().execute_batch(sql).unwrap();
        let (code, out, err) = verified();
        assert_eq!(code, 65, "{sql}: {out}{err}");
        std::fs::write(&journal, &sound).unwrap();
        assert_eq!(verified().0, 0, "{sql}");
    }
    std::fs::write(&journal, "").unwrap();
    assert_eq!(verified().0, 65, "it is empty");
    std::fs::remove_file(&journal).unwrap();
    assert_eq!(verified().0, 65, "it is gone, and there were runs");
    assert!(Command::new("mkfifo").arg(&journal).status().unwrap().success());
    for args in [&["journal", "verify"][..], &["runs"], &["export", "last"]] {
        let (code, _, err) = run(masthead(home.path()).args(args));
        assert_eq!(code, 65, "{args:?}: {err}");
        assert!(err.contains("it is no file"), "{err}");
    }
    let (code, _, err) = run(brief(home.path()).arg("--yes"));
    assert_ne!(code, 0, "{err}");
    assert!(data.join("claims").exists());
}

/// All commands that only read.
const READING: [&[&str]; 7] = [
    &["runs"],
    &["runs", "--json"],
    &["export", "last", "--format", "json"],
    &["replay", "last"],
    &["export", "last", "-o", "/dev/stdout"],
    &["journal", "verify"],
    &["journal", "dump"],
];

/// All but the age of the run, which is a column of the list of runs, and seconds at the end of its JSON.
fn without_age(out: &str) -> String {
    let out = out.split("age_seconds").next().unwrap();
    let Some((before, after)) = out.split_once(" ago") else { return out.to_owned() };
    format!("{}{after}", before.trim_end_matches(|c: char| !c.is_whitespace()).trim_end())
}

#[test]
fn what_only_reads_rolls_back_what_a_killed_process_left_half_done() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(home.path()).arg("--yes")).0, 0);
    let journal = home.path().join("data/journal.db");
    let whole = |args: &[&str]| run(masthead(home.path()).args(args)).1;
    let before = READING.map(whole);
    // A process at work on it, in the middle of a change that is partly in the file already.
    let at_work = rusqlite::Connection::open(&journal).unwrap();
    at_work
        .execute_batch("PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN; UPDATE events SET body = body || 'x'; UPDATE runs SET state = 'x';")
        .unwrap();
    let half = [&journal, &home.path().join("data/journal.db-journal")].map(|file| std::fs::read(file).unwrap());
    drop(at_work);
    for (args, before) in READING.iter().zip(before) {
        std::fs::write(&journal, &half[0]).unwrap();
        std::fs::write(home.path().join("data/journal.db-journal"), &half[1]).unwrap();
        let (code, out, err) = run(masthead(home.path()).args(*args));
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}: {out}");
        assert_eq!(without_age(&out), without_age(&before), "{args:?}");
    }
}

#[test]
fn what_only_reads_works_where_nothing_can_be_written() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(home.path()).arg("--yes")).0, 0);
    let data = home.path().join("data");
    std::fs::remove_dir_all(data.join("logs")).unwrap();
    let program = home.path().join("masthead");
    // By a process of its own: a child of this one at the same moment would hold the new file open, and it could not be run.
    assert!(std::process::Command::new("cp").arg(crate::PROGRAM).arg(&program).status().unwrap().success());
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(home.path(), 0o755);
    mode(&program, 0o755);
    let is_root = rustix::process::geteuid().is_root();
    let read_only = |file: &Path| mode(file, if file.is_dir() { 0o555 } else { 0o444 });
    std::fs::read_dir(&data).unwrap().for_each(|entry| read_only(&entry.unwrap().path()));
    read_only(&data);
    for args in READING {
        let mut command = kit::program(program.to_str().unwrap(), home.path());
        // Nothing is read-only for root.
        if is_root {
            command.uid(65_534);
        }
        let (code, out, err) = run(command.args(args));
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}: {out}");
        assert!(!out.is_empty(), "{args:?}");
    }
    mode(&data, 0o755);
}

#[test]
fn what_only_reads_works_on_a_disk_without_room() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(home.path()).arg("--yes")).0, 0);
    let data = home.path().join("data");
    for name in ["journal.db-wal", "journal.db-shm"] {
        let _ = std::fs::remove_file(data.join(name));
    }
    std::fs::remove_dir_all(data.join("logs")).unwrap();
    let without_room = |args: &[&str]| {
        let mut command = std::process::Command::new("/bin/sh");
        command.env_clear().env("HOME", home.path()).stdin(Stdio::null());
        // No file may grow, which SQLite takes for a full disk.
        run(command
            .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", crate::PROGRAM, "--data-dir"])
            .arg(&data)
            .args(args))
    };
    for args in READING {
        let (code, out, err) = without_room(args);
        assert_eq!(code, 0, "{args:?}: {out}{err}");
        assert!(!out.is_empty() && !err.contains("journal"), "{args:?}: {err}");
    }
    // A run that is worked on may write at any moment.
    let lock = std::fs::read_dir(data.join("claims")).unwrap().next().unwrap().unwrap().path();
    let lock = std::fs::File::open(lock).unwrap();
    lock.lock().unwrap();
    let (code, out, err) = without_room(READING[0]);
    assert!(code == 1 && err.contains("could not be read") && err.contains("the disk is full"), "{code} {out}{err}");
}

/// A process that goes on, and its error stream so far.
pub struct Watching {
    pub child: std::process::Child,
    said: BufReader<std::process::ChildStderr>,
    _limit: TimeLimit,
}

impl Watching {
    pub fn start(command: &mut Command) -> Watching {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        let _limit = TimeLimit::of(&child);
        Watching { child, said, _limit }
    }

    pub fn says(&mut self, what: &str) {
        let mut line = String::new();
        while !line.contains(what) {
            line.clear();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "it never says {what:?}");
        }
    }

    /// Its exit code and its output.
    pub fn ends(self) -> (i32, String) {
        let output = self.child.wait_with_output().unwrap();
        (output.status.code().unwrap_or(-1), String::from_utf8(output.stdout).unwrap())
    }
}

#[test]
fn a_second_process_on_the_same_run_watches_and_takes_over_when_the_first_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(dir.path())).0, 4);
    let (_, listed, _) = run(masthead(dir.path()).args(["runs", "--json"]));
    let line: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let id: run::RunId = line["id"].as_str().unwrap().parse().unwrap();
    let store = journal::at(dir.path().join("data/journal.db").to_str().unwrap()).unwrap();
    let claim = store.claim(&id).unwrap();
    assert!(matches!(claim, journal::Claimed::Ours(_)));
    let mut second = Watching::start(masthead(dir.path()).args(["resume", id.as_str(), "--headless", "--yes"]));
    second.says("read-only");
    drop(claim);
    second.says("this one goes on with it");
    let (code, out) = second.ends();
    assert_eq!(code, 0, "{out}");
    assert_eq!(out.matches("planner").count(), 2, "what was on record is told once: {out}");
    assert!(out.contains("\n# "), "and it comes to its end: {out}");
}

#[test]
fn kill_9_at_any_moment_and_whoever_watches_comes_to_the_same_brief() {
    let calm = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(calm.path()).arg("--yes")).0, 0);
    let undisturbed = exported(calm.path(), "md");
    for lines in [3, 9, 21, 40] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = brief(dir.path());
        let mut first = command.args(["--yes", "--events", "jsonl"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(first.stdout.take().unwrap());
        let stop = |signal: &str| {
            let pid = first.id().to_string();
            assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        };
        let mut line = String::new();
        for _ in 0..lines {
            out.read_line(&mut line).unwrap();
        }
        // It stands still, and holds the run, until the second one is seen to watch.
        stop("-STOP");
        let mut second = Watching::start(masthead(dir.path()).args(["resume", "last", "--headless", "--yes"]));
        second.says("read-only");
        stop("-KILL");
        first.wait().unwrap();
        let (code, told) = second.ends();
        assert_eq!(code, 0, "{lines}: {told}");
        assert_eq!(exported(dir.path(), "md"), undisturbed, "{lines}");
    }
}

#[test]
fn the_gates_of_the_manual_are_enforced_as_they_stand_there() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead/teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    let sample = |with: &str| {
        let samples = include_str!("../../docs/manual.md").split("```toml\n").skip(1);
        let mut samples = samples.filter_map(|rest| rest.split("```").next());
        samples.find(|sample| sample.contains(with)).expect("a sample in the manual")
    };
    let team = format!("{}\n{}", include_str!("../../prompts/brief/team.toml"), sample("[members.style]"));
    std::fs::write(folder.join("team.toml"), team).unwrap();
    std::fs::write(folder.join("style.toml"), sample("[[rule]]")).unwrap();
    std::fs::write(folder.join("check"), "#!/bin/sh\necho 'it names no author'\nexit 1\n").unwrap();
    std::fs::set_permissions(folder.join("check"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let source = home.path().join("gizmo.md");
    std::fs::write(&source, "# Gizmo\n\nGizmo keeps tables in very many files.\n").unwrap();
    let question = ["brief", "How does Gizmo keep tables?", "--headless", "--yes", "--sources"];
    let (code, out, err) = run(masthead(home.path()).args(question).arg(&source));
    assert_eq!(code, 3, "{out}{err}");
    let verdicts = exported(home.path(), "json");
    for issue in ["“very”: say how much", "no heading “Costs”: say what it costs", "it names no author"] {
        assert!(verdicts.contains(issue), "{issue}: {verdicts}");
    }
}

#[test]
fn a_model_that_no_member_of_a_team_can_use_is_refused_before_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".config/masthead/teams/mine");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("team.toml"), include_str!("../../prompts/brief/team.toml")).unwrap();
    let (code, _, err) = run(brief(dir.path()).args(["--yes", "--team", "mine", "--model", "openai/gpt-5"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("no member of this team has a prompt for one"), "{err}");
}

#[test]
fn a_team_that_works_by_rule_although_a_model_is_set_for_it_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join(".config/masthead");
    let folder = config.join("teams/mine");
    std::fs::create_dir_all(&folder).unwrap();
    let team = include_str!("../../prompts/brief/team.toml");
    std::fs::write(folder.join("team.toml"), team).unwrap();
    let said = |more: &[&str]| {
        let (code, out, err) = run(brief(dir.path()).args(["--yes", "--no-memory", "--team", "mine"]).args(more));
        assert_eq!(code, 0, "{out}{err}");
        err
    };
    assert!(!said(&[]).contains("works by rule"));
    for models in ["default = \"openai/gpt-5\"", "writer = \"openai/gpt-5\""] {
        std::fs::write(config.join("config.toml"), format!("[models]\n{models}\n")).unwrap();
        let err = said(&[]);
        assert!(err.contains("no member of the team brief has a prompt for one, so it works by rule"), "{err}");
        assert!(!said(&["--extractive"]).contains("works by rule"), "the person asked for it");
    }
    std::fs::remove_file(config.join("config.toml")).unwrap();
    let at = team.find("[members.researcher]").unwrap();
    let thinks = team[at..].replacen("kind = \"extractive\"", "kind = \"model\"", 1);
    std::fs::write(folder.join("team.toml"), format!("{}{thinks}", &team[..at])).unwrap();
    let err = said(&[]);
    assert!(err.contains("`researcher` has kind = \"model\" in team.toml and works by rule"), "{err}");
    assert!(err.contains("it has no prompt: put researcher.md beside team.toml"), "{err}");
}

#[test]
fn a_researcher_that_could_not_search_is_refused_before_a_run_says_that_there_is_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".config/masthead/teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    let team = include_str!("../../prompts/brief/team.toml");
    let at = team.find("[members.researcher]").unwrap();
    let tools = "tools = [\"search\", \"read\", \"outline\"]";
    for (key, with, says) in [
        ("turns = 8", "turns = 1", "members.researcher: turns is 1"),
        (tools, "tools = []", "`researcher` has no tools, and could not search"),
        (tools, "tools = [\"outline\"]", "`researcher` has only outline, and could not search"),
    ] {
        let changed = team[at..].replacen(key, with, 1);
        assert_ne!(changed, team[at..], "{key}");
        std::fs::write(folder.join("team.toml"), format!("{}{changed}", &team[..at])).unwrap();
        let (code, out, err) = run(brief(dir.path()).args(["--yes", "--no-memory"]));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(says), "{with}: {err}");
    }
}

#[test]
fn a_gate_of_the_users_own_is_heard_the_writer_is_told_and_what_is_left_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".config/masthead/teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    let member = |name: &str, gate: &str| {
        format!(
            "\n[members.{name}]\ndescription = \"\"\nkind = \"extractive\"\nlands = true\nturns = 3\ngate = {gate}\n"
        )
    };
    let gates = [member("house", "{ command = [\"./check\"] }"), member("style", "{ rules = \"style.toml\" }")];
    // Settings of the team come before its tables of limits.
    let team = format!("{}{}", include_str!("../../prompts/brief/team.toml"), gates.concat());
    std::fs::write(folder.join("team.toml"), team).unwrap();
    std::fs::write(folder.join("style.toml"), "[[rule]]\nwords = 1000\nwhy = \"shorten\"\n").unwrap();
    let check = folder.join("check");
    let refused = |says: &str| {
        let (code, out, err) = run(brief(dir.path()).args(["--yes", "--no-memory"]));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("the gate `house` cannot check anything: ") && err.contains(says), "{says}: {err}");
        let (code, out, err) = run(masthead(dir.path()).arg("doctor"));
        assert!(code == 1 && out.contains("To fix: the gate `house`") && out.contains(says), "{out}{err}");
    };
    refused("is not there");
    std::fs::write(&check, "#!/bin/sh\n").unwrap();
    refused("is not executable: chmod +x");
    std::fs::write(&check, "#!/bin/sh\ngrep -q '^# ' || exit 2\necho 'it names no author'\nexit 1\n").unwrap();
    std::fs::set_permissions(&check, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (code, out, err) = run(brief(dir.path()).args(["--yes", "--no-memory"]));
    assert_eq!(code, 3, "a draft that a gate does not let pass is partial: {out}{err}");
    let told = |who: &str| out.lines().filter(|line| line.contains(who) && line.contains("✓ done")).collect::<Vec<_>>();
    assert!(told("house").iter().all(|line| line.contains("REVISE: 1 issue")), "{out}");
    assert!(told("style").iter().all(|line| line.contains("PASS")) && !told("style").is_empty(), "{out}");
    assert_eq!(told("writer").len(), 2, "a revision that does not get better ends it: {out}");
    assert!(out.contains("_Best effort: 1 issue left after revision (house rules)._"), "{out}");
    std::fs::write(&check, "#!/bin/sh\necho 'no dictionary' >&2\nexit 2\n").unwrap();
    let (code, out, err) = run(brief(dir.path()).args(["--yes", "--no-memory"]));
    assert_eq!(code, 3, "{out}{err}");
    assert!(out.contains("the program ended with 2. Its last words: no dictionary"), "{out}{err}");
}

#[test]
fn the_doctor_tells_what_a_run_would_refuse_or_miss() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join(".config/masthead");
    let folder = config.join("teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    let doctor = || run(masthead(dir.path()).env("OPENAI_API_KEY", "sk-canary").args(["doctor", "--model", "openai"]));
    let told = |config_toml: &str, says: &str| {
        std::fs::write(config.join("config.toml"), config_toml).unwrap();
        let (code, out, err) = doctor();
        assert!(code == 1 && out.contains(&format!("To fix: {says}")), "{says}: {code}: {out}{err}");
    };
    let (code, out, err) = doctor();
    assert_eq!(code, 0, "{out}{err}");
    told(
        "[providers.mine]\nbase_url = \"https://a.example\"\napi_key_cmd = [\"no-such-program\"]\n",
        "mine: its api_key_cmd brings no key: `no-such-program` is in no folder of PATH",
    );
    told("[memory]\nfile = \"/\"\n", "");
    told("[notify]\ncommand = [\"no-such-program\"]\n", "[notify] in config.toml calls nobody: `no-such-program`");
    std::fs::write(folder.join("researcher.md"), "---\ntools: search, serch\n---\nFind.").unwrap();
    told("", "`researcher` is to use `serch`, and there is no such tool");
    std::fs::write(folder.join("researcher.md"), "---\ntools: search, kb__look_up\n---\nFind.").unwrap();
    std::fs::write(config.join("mcp.json"), r#"{ "mcpServers": { "kb": { "command": "kb" } } }"#).unwrap();
    let (code, out, err) = doctor();
    assert!(code == 1 && out.contains("masthead mcp approve kb"), "{code}: {out}{err}");
    assert!(!out.contains("there is no such tool"), "it may be a tool of a server: {out}{err}");
}

#[test]
fn an_ended_run_has_no_use_for_answers_and_breakpoints_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(brief(dir.path()).arg("--yes")).0, 0);
    for (options, flag) in [
        (&["--answer", "send"][..], "--answer"),
        (&["--clear-breaks"], "--clear-breaks"),
        (&["--others", "go-on"], "--others"),
    ] {
        let (code, _, err) = run(masthead(dir.path()).args(["resume", "last", "--headless"]).args(options));
        assert!(code == 2 && err.contains(&format!("has ended: {flag} changes nothing there")), "{code}: {err}");
    }
    let (code, out, err) = run(masthead(dir.path()).args(["replay", "last", "--headless"]));
    assert!(code == 0 && out.contains("opened"), "{code}: {out}{err}");
}

#[test]
fn what_the_environment_sets_is_not_shown_as_required() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = masthead(dir.path());
    let (code, _, err) = run(command.env("MASTHEAD_DATA_DIR", dir.path()).arg("replay"));
    assert!(code == 2 && err.contains("Usage: masthead replay") && !err.contains("--data-dir"), "{code}: {err}");
    let (_, out, _) = run(masthead(dir.path()).env("MASTHEAD_DATA_DIR", dir.path()).args(["replay", "--help"]));
    assert!(out.contains("MASTHEAD_DATA_DIR"), "{out}");
}

#[test]
fn shells_complete_the_names_of_the_drills() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh"] {
        let (code, out, err) = run(masthead(dir.path()).args(["completions", shell]));
        assert!(code == 0 && out.contains("runaway-specialist"), "{shell}: {err}");
    }
    let (code, _, err) = run(masthead(dir.path()).args(["drill", "runaway"]));
    assert!(code == 2 && err.contains("there is no drill `runaway`: there are "), "{err}");
}

#[test]
fn shells_offer_runs_with_their_questions_and_own_teams_where_these_may_stand() {
    let dir = tempfile::tempdir().unwrap();
    let (code, _, err) = run(brief(dir.path()).arg("--yes"));
    assert_eq!(code, 0, "{err}");
    let (_, listed, _) = run(masthead(dir.path()).args(["runs", "--json"]));
    let id = listed.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    std::fs::create_dir_all(dir.path().join(".config/masthead/teams/lawyers")).unwrap();
    let names = |words: &[&str]| {
        let at = (words.len() - 1).to_string();
        let (code, out, err) = run(masthead(dir.path()).args(["completions", "--at", &at, "--"]).args(words));
        assert_eq!((code, err.as_str()), (0, ""), "{words:?}");
        out
    };
    assert_eq!(names(&["masthead", "replay", &id[..5]]), format!("{id}\t{QUESTION}\n"));
    assert!(names(&["masthead", "compare", "last", ""]).ends_with("last\tthe latest run\n"));
    assert_eq!(names(&["masthead", "resume", &id[..5]]), "", "it has ended");
    assert_eq!(names(&["masthead", "brief", "q", "--team", "la"]), "lawyers\tyour own\n");
    assert_eq!(names(&["masthead", "brief", ""]), "");
    // In a shell: one name is written alone, of several each is told with its question.
    let (_, script, _) = run(masthead(dir.path()).args(["completions", "bash"]));
    let program = Path::new(crate::PROGRAM).parent().unwrap();
    let completed = |word: &str| {
        let asks = format!(
            "{script}\nCOMP_WORDS=(masthead replay '{word}'); COMP_CWORD=2; _masthead; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        bash.env_clear().env("HOME", dir.path()).env("MASTHEAD_DATA_DIR", dir.path().join("data"));
        run(bash.env("PATH", format!("{}:/usr/bin:/bin", program.display())).args(["-c", &asks])).1
    };
    assert_eq!(completed(&id[..5]), format!("{id}\n"));
    assert!(completed("").contains(&format!("{id}  {QUESTION}\n")) && completed("").contains("last  the latest run"));
}

#[test]
fn the_list_of_drills_fits_a_terminal_of_80_columns() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = run(masthead(dir.path()).arg("drill"));
    assert_eq!(code, 0);
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
}
