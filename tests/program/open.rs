//! Runs of other programs, opened by the program: its output, the kept runs, the refusals and the remarks.

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
    assert!(code == 0 && err.contains(".codex/sessions` opens it"), "{err}");
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
    for words in [
        &["resume", &id, "--headless"][..],
        &["fork", &id, "--at", "9", "--headless", "--yes"],
        &["brief", "--answers-from", &id, "--headless", "--yes"],
    ] {
        let (code, out, err) = run(masthead(home.path()).args(words));
        assert!(code == 2 && out.is_empty() && err.contains("read only"), "{words:?}: {err}");
    }
    let (_, rows, _) = run(masthead(home.path()).args(["runs", "--json"]));
    assert_eq!(rows.lines().count(), 1, "no run was opened: {rows}");
    for format in ["md", "json"] {
        let (code, out, err) = run(masthead(home.path()).args(["export", &id, "--format", format]));
        assert!(code == 2 && out.is_empty() && err.contains("has no brief: --format html"), "{format}: {err}");
    }
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
    let refused_bytes = |name: &str, bytes: &[u8], says: &str| {
        std::fs::write(home.path().join(name), bytes).unwrap();
        let (code, out, err) = run(masthead(home.path()).arg("open").arg(home.path().join(name)));
        assert!(code == 2 && out.is_empty() && err.contains(says), "{name}: {err}");
    };
    refused_bytes("f.jsonl.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3], "compressed (gzip)");
    refused_bytes("g.jsonl.zst", &[0x28, 0xb5, 0x2f, 0xfd, 4, 0, 1, 2, 3], "compressed (zstd)");
    let utf_16: Vec<u8> = "{\"a\": 1}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused_bytes("h.jsonl", &utf_16, "it is UTF-16");
    refused_bytes("i.jsonl", &[&[0xff, 0xfe], &utf_16[..]].concat(), "it is UTF-16");
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

/// The sample of traces, with other models and the id of another trace.
fn traces(trace: &str, models: [&str; 2]) -> String {
    let text = std::fs::read_to_string(sample("otlp/traces.jsonl")).unwrap();
    let text = text.replace("4bf92f3577b34da6a3ce929d0e0e4736", trace);
    text.replace("gpt-6-luna", models[0]).replace("claude-haiku-5-5", models[1])
}

const ONE: &str = "11111111111111111111111111111111";
const OTHER: &str = "22222222222222222222222222222222";

/// Keeps these traces, and returns the id of their run.
fn kept(home: &Path, text: &str) -> String {
    let file = home.join("traces.jsonl");
    std::fs::write(&file, text).unwrap();
    let (code, _, err) = run(masthead(home).args(["open", "--keep"]).arg(&file));
    let id = err.split_once(" is kept").and_then(|(before, _)| before.rsplit(' ').next());
    assert!(code == 0 && id.is_some(), "{err}");
    id.unwrap().to_owned()
}

#[test]
fn money_of_kept_runs_that_nobody_knows_is_nowhere_shown_as_nothing_and_estimates_are_marked() {
    let home = tempfile::tempdir().unwrap();
    let told = |args: &[&str]| {
        let (code, out, err) = run(masthead(home.path()).args(args));
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        out
    };
    for (trace, models, shows) in [
        (ONE, ["foo-model", "bar-model"], ["  ?  ", "  ?", " · ? · "]),
        (OTHER, ["gpt-6-luna", "bar-model"], [" + ?  ", " + ?", " + ? · "]),
        ("33333333333333333333333333333333", ["gpt-6-luna", "claude-haiku-5-5"], ["  ~$0.", "  ~$0.", " · ~$0."]),
    ] {
        let id = kept(home.path(), &traces(trace, models));
        let listed = told(&["runs"]);
        let line = listed.lines().find(|line| line.starts_with(&id)).unwrap();
        let one = told(&["runs", &id]);
        let compared = told(&["compare", &id, &id]);
        assert_eq!(one.matches('$').count(), one.lines().next().unwrap().matches('$').count(), "{one}");
        let head = compared.lines().find(|line| line.contains(&id)).unwrap();
        for (text, shows) in [line, one.lines().next().unwrap(), head].iter().zip(shows) {
            assert!(text.contains(shows) && !text.contains(" $0"), "{shows}: {text}");
        }
        for role in compared.lines().filter(|line| line.contains(" tok")) {
            assert!(role.contains(" · 0 tok") || !role.contains(" $0"), "each role, too: {compared}");
        }
        assert!(line.contains("(otlp, read only)") && one.contains("\n  otlp, read only\n"), "{line}\n{one}");
    }
    let rows = told(&["runs", "--json"]);
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls = |row: &Value, field: &str| row["pricing"][field].as_u64().unwrap();
    let [known, half, unknown] = &rows[..] else { panic!("{rows:?}") };
    assert!(rows.iter().all(|row| row["origin"] == "otlp"), "{rows:?}");
    assert!(unknown["cost_pico_dollars"].is_null() && calls(unknown, "unknown_calls") == 4, "{unknown}");
    assert!(half["cost_pico_dollars"].as_u64().unwrap() > 0 && calls(half, "unknown_calls") == 2, "{half}");
    assert!(calls(known, "estimated_calls") == 4 && calls(known, "unknown_calls") == 0, "{known}");
    assert_eq!(run(masthead(home.path()).args(["journal", "verify"])).0, 0);
}

#[test]
fn of_several_runs_json_is_a_line_each_and_what_takes_one_run_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let several = home.path().join("several.jsonl");
    let models = ["gpt-6-luna", "claude-haiku-5-5"];
    std::fs::write(&several, [traces(ONE, models), traces(OTHER, models)].concat()).unwrap();
    let open = |more: &[&str]| run(masthead(home.path()).arg("open").arg(&several).args(more));
    let (code, out, err) = open(&["--json"]);
    let listed: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(code == 0 && listed.len() == 2 && err.contains("--run ID opens one"), "{out}{err}");
    assert!(listed.iter().all(|one| one["format"] == "otlp" && one["agents"].as_u64() > Some(0)), "{out}");
    let id = listed[0]["id"].as_str().unwrap();
    for flag in ["--keep", "--follow"] {
        let (code, out, err) = open(&[flag]);
        assert!(code == 2 && out.is_empty() && err.contains(flag) && err.contains("--run ID"), "{flag}: {out}{err}");
    }
    let (code, _, err) = open(&["--keep", "--run", id]);
    assert!(code == 0 && err.contains("is kept"), "{err}");
}

#[test]
fn lines_name_each_model_that_was_asked_by_an_assignment_and_those_below_it() {
    let home = tempfile::tempdir().unwrap();
    let (code, out, err) = run(masthead(home.path()).arg("open").arg(sample("otlp/traces.jsonl")));
    assert_eq!(code, 0, "{err}");
    let line = out.lines().find(|line| line.contains("supervisor") && line.contains(" done ")).unwrap();
    assert!(line.contains("2 × openai/gpt-6-luna, 2 × anthropic/claude-haiku-5-5"), "{out}");
    assert!(!line.contains("0 tool calls"), "tool calls are counted like the tokens: {out}");
}
