//! Runs of other programs, opened by the program: what it prints, keeps, refuses and says.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use kit::run;
use serde_json::Value;

use crate::masthead;

const SESSION: &str = "7c1f0a52-3d1e-4a55-9a0b-2f6d3b1c9e10";

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/samples").join(name)
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copied(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[test]
fn a_session_is_opened_by_its_file_its_folder_or_its_id() {
    let home = tempfile::tempdir().unwrap();
    let projects = home.path().join(".claude/projects/-home-ada-shop");
    copied(&sample("claude-code"), &projects);
    std::fs::write(projects.join("99.jsonl"), "{\"type\":\"user\",\"sessionId\":\"99\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"Another\"}}\n").unwrap();
    let expected: Value = serde_json::from_slice(&std::fs::read(sample("expected/claude-code.json")).unwrap()).unwrap();
    let ways: [&[&str]; 3] = [
        &["-home-ada-shop/7c1f0a52-3d1e-4a55-9a0b-2f6d3b1c9e10.jsonl"],
        &["-home-ada-shop/7c1f0a52-3d1e-4a55-9a0b-2f6d3b1c9e10"],
        &["", "--run", "7c1f"],
    ];
    for way in ways {
        let path = home.path().join(".claude/projects").join(way[0]);
        let (code, out, err) = run(masthead(home.path()).args(["open", "--json"]).arg(path).args(&way[1..]));
        assert_eq!((code, err.as_str()), (0, ""), "{way:?}");
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), expected, "{way:?}");
    }
    let (code, out, _) = run(masthead(home.path()).env_remove("CLAUDE_CONFIG_DIR").args(["open", "--list"]));
    assert!(code == 0 && out.lines().count() == 2 && out.contains("Which cache") && out.contains("Another"), "{out}");
    let (code, out, err) = run(masthead(home.path()).arg("open").arg(home.path().join(".claude")));
    assert!(code == 0 && out.lines().count() == 2 && err.contains("--run ID"), "{out}{err}");
}

#[test]
fn an_id_that_no_run_begins_with_opens_nothing() {
    let home = tempfile::tempdir().unwrap();
    for (name, id) in [("claude-code", "7c1f"), ("codex", "019a4f00"), ("otlp/traces.jsonl", "")] {
        let open = |id: &str| run(masthead(home.path()).args(["open", "--json", "--run", id]).arg(sample(name)));
        let (code, out, err) = open("zzz");
        assert!(code == 2 && out.is_empty() && err.contains("no run begins with `zzz`"), "{name}: {code}: {out}{err}");
        let (code, _, err) = open(id);
        assert_eq!(code, 0, "{name}: {err}");
    }
}

#[test]
fn sessions_of_codex_are_listed_and_opened_by_their_ids() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".codex/sessions");
    copied(&sample("codex"), &sessions);
    let open = |words: &[&str]| {
        let mut command = masthead(home.path());
        run(command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME").arg("open").args(words))
    };
    let (code, out, err) = open(&["--list"]);
    assert!(code == 0 && err.contains(".codex/sessions --run ID"), "{err}");
    let thread = "019a4f00-0000-7000-8000-000000000001";
    assert!(out.lines().count() == 1 && out.starts_with(thread) && out.contains("Which cache"), "no sub-agents: {out}");
    let (code, out, err) = open(&["--json", sessions.to_str().unwrap(), "--run", "019a4f00"]);
    let expected: Value = serde_json::from_slice(&std::fs::read(sample("expected/codex.json")).unwrap()).unwrap();
    assert_eq!((code, serde_json::from_str::<Value>(&out).unwrap()), (0, expected), "{err}");
}

#[test]
fn an_imported_run_is_kept_shown_again_and_never_gone_on_with() {
    let home = tempfile::tempdir().unwrap();
    let open =
        |more: &str| run(masthead(home.path()).arg("open").arg(sample("claude-code")).args(more.split_whitespace()));
    let (code, printed, err) = open("--keep");
    assert!(code == 0 && err.contains("1 of 34 records could not be read") && err.contains("is kept"), "{err}");
    assert!(printed.contains("denied      user-rejected") && printed.contains("~$0."), "{printed}");
    let (_, out, _) = run(masthead(home.path()).args(["runs", "--json"]));
    let id = serde_json::from_str::<Value>(&out).unwrap()["id"].as_str().unwrap().to_owned();
    let (code, again, err) = open("--keep");
    assert!(code == 0 && again == printed && err.contains("is in the journal"), "{err}");
    assert_eq!(
        run(masthead(home.path()).args(["replay", &id])),
        (0, printed, String::new()),
        "the journal tells the same"
    );
    let (code, out, err) = run(masthead(home.path()).args(["resume", &id, "--headless"]));
    assert!(code == 2 && out.is_empty() && err.contains("read only"), "{err}");
    assert_eq!(run(masthead(home.path()).args(["journal", "verify"])).0, 0);
}

#[test]
fn what_is_no_run_is_refused_with_what_was_found_in_it() {
    let home = tempfile::tempdir().unwrap();
    let refused = |name: &str, text: &str, says: &str| {
        let file = home.path().join(name);
        std::fs::write(&file, text).unwrap();
        let (code, out, err) = run(masthead(home.path()).arg("open").arg(&file));
        assert!(code == 2 && out.is_empty() && err.contains(says), "{name}: {err}");
    };
    refused("a.json", "{\"colour\": 1}", "its first fields are colour");
    refused("e.json", "{}", "its first record has no fields");
    refused("b.txt", "\u{1b}[2Jhello", "nothing in it can be read as one");
    refused("c.json", "{\"resourceLogs\": []}", "logs or metrics");
    refused("d.jsonl", "{\"v\":2,\"seq\":1,\"at\":1,\"event\":\"paused\"}", "masthead replay");
    let (code, _, err) = run(masthead(home.path()).args(["open", "not-there"]));
    assert!(code == 2 && err.contains("cannot be opened"), "{err}");
    let (code, _, err) = run(masthead(home.path()).arg("open"));
    assert!(code == 2 && err.contains("say what to open"), "{err}");
}

/// The output of `open - --json` for these bytes.
pub fn opened_from_input(home: &Path, bytes: &[u8]) -> String {
    let mut child =
        masthead(home).args(["open", "-", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn traces_come_from_standard_input_too() {
    let home = tempfile::tempdir().unwrap();
    let out = opened_from_input(home.path(), &std::fs::read(sample("otlp/traces.jsonl")).unwrap());
    assert_eq!(out.trim(), std::fs::read_to_string(sample("expected/otlp.json")).unwrap().trim(), "to the letter");
}

#[test]
fn folders_that_are_passed_over_are_said() {
    let home = tempfile::tempdir().unwrap();
    let (near, far) = (home.path().join("in/1"), home.path().join("in/1/2/3/4/5/6/7/8/9/10"));
    std::fs::create_dir_all(&far).unwrap();
    for folder in [near, far] {
        std::fs::copy(sample("otlp/traces.jsonl"), folder.join("traces.jsonl")).unwrap();
    }
    let (code, _, err) = run(masthead(home.path()).arg("open").arg(home.path().join("in")).arg("--json"));
    assert!(code == 0 && err.contains("passed over: 1 folder more than 8 levels down"), "{err}");
}

#[test]
fn standard_input_is_not_followed_and_that_is_said() {
    let home = tempfile::tempdir().unwrap();
    let (code, out, err) = run(masthead(home.path()).args(["open", "-", "--follow"]).stdin(Stdio::null()));
    assert!(code == 2 && out.is_empty() && err.contains("standard input cannot be followed"), "{out}{err}");
}

#[test]
fn names_of_session_files_cannot_drive_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let projects = home.path().join(".claude/projects/-x");
    std::fs::create_dir_all(&projects).unwrap();
    let session = sample(&format!("claude-code/{SESSION}.jsonl"));
    for name in ["a\u{1b}[2J", "b\u{1b}]0;owned\u{7}\u{202e}"] {
        std::fs::copy(&session, projects.join(format!("{name}.jsonl"))).unwrap();
    }
    let open = |words: &[&str]| {
        let mut command = masthead(home.path());
        run(command.env_remove("CLAUDE_CONFIG_DIR").current_dir(home.path()).arg("open").args(words))
    };
    for words in [&["--list"][..], &["--list", "--json"], &[".claude"]] {
        let (code, out, err) = open(words);
        assert!(code == 0 && out.lines().count() == 2, "{words:?}: {out}{err}");
        let hidden = |c: char| c != '\n' && text::is_forbidden(c);
        assert!(!out.chars().chain(err.chars()).any(hidden), "{words:?}: {out:?} {err:?}");
    }
}

/// Opens a folder or a file as it is followed, has it grow once the first words are printed, and waits for the words after it.
fn followed(home: &Path, path: &Path, first: &str, grow: impl FnOnce(), then: &[&str]) {
    let mut child = masthead(home)
        .args(["open", "--follow"])
        .arg(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut until = |words: &str| out.by_ref().map_while(Result::ok).any(|line| line.contains(words));
    assert!(until(first));
    grow();
    for words in then {
        assert!(until(words), "what came since is printed: {words}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_session_is_followed_as_it_grows() {
    let home = tempfile::tempdir().unwrap();
    let session = std::fs::read_to_string(sample(&format!("claude-code/{SESSION}.jsonl"))).unwrap();
    let lines: Vec<&str> = session.lines().collect();
    let file = home.path().join("s.jsonl");
    std::fs::write(&file, lines[..9].join("\n") + "\n").unwrap();
    followed(home.path(), &file, "started", || std::fs::write(&file, &session).unwrap(), &["go by the notes"]);
}

#[test]
fn a_codex_thread_is_followed_as_it_grows() {
    let home = tempfile::tempdir().unwrap();
    let rollout = "rollout-2026-11-03T10-00-00-019a4f00-0000-7000-8000-000000000001.jsonl";
    let thread = std::fs::read_to_string(sample("codex/2026/11/03").join(rollout)).unwrap();
    let lines: Vec<&str> = thread.lines().collect();
    let day = home.path().join("day");
    std::fs::create_dir(&day).unwrap();
    let file = day.join(rollout);
    std::fs::write(&file, lines[..20].join("\n") + "\n").unwrap();
    let grow = || std::fs::write(&file, &thread).unwrap();
    followed(home.path(), &day, "started", grow, &["Go by the notes.", "✓ done"]);
}
