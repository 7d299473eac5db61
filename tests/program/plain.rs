//! A run without screens that still asks: lines that are only appended, with numbered questions; and who is called for it.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use kit::{run, until};

/// The program with a small document, and this on its standard input: exit code, output, errors.
fn plain(home: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let document = "# Gizmo\n\nGizmo keeps tables in three files. Gizmo is written in Rust.\n";
    std::fs::write(home.join("gizmo.md"), document).unwrap();
    let mut command = crate::masthead(home);
    command.current_dir(home).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

const BRIEF: [&str; 5] = ["brief", "How does Gizmo keep tables?", "--plain", "--sources", "gizmo.md"];

#[test]
fn checkpoints_are_numbered_questions_and_nothing_but_lines_is_written() {
    let home = tempfile::tempdir().unwrap();
    // A fact is added, a passage is read, and the findings are approved.
    let (code, out, err) = plain(home.path(), &BRIEF, "6\nWe have a Gizmo.\n4\n1\n1\n");
    assert_eq!(code, 0, "{out}{err}");
    for says in ["Question: ", "  Finding 1: kept: Gizmo keeps tables in three files.", "The passage: ", "(your words)"]
    {
        assert!(out.contains(says), "{says}: {out}");
    }
    assert!(out.contains("## In your words") && out.contains("We have a Gizmo."), "{out}");
    assert!(!out.contains('\x1b'), "nothing moves the cursor");
}

#[test]
fn an_input_that_ends_approves_nothing_and_the_run_is_taken_up_again() {
    let home = tempfile::tempdir().unwrap();
    let (code, out, err) = plain(home.path(), &BRIEF, "");
    assert_eq!(code, 4, "{out}{err}");
    assert!(err.contains("waits for you"), "{err}");
    let (code, out, err) = plain(home.path(), &["resume", "last", "--plain"], "12\n1\n");
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Write a number from 1 to 9.") && out.contains("# How does Gizmo keep tables"), "{out}");
}

#[test]
fn the_program_of_ones_own_is_started_when_a_run_needs_a_person_and_is_told_no_key() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config/masthead");
    std::fs::create_dir_all(&config).unwrap();
    let called = home.path().join("called");
    let script = format!("echo \"$1 [$ANTHROPIC_API_KEY]\" > {0}.part; mv {0}.part {0}", called.display());
    let command = serde_json::json!(["/bin/sh", "-c", script, "sh"]);
    std::fs::write(config.join("config.toml"), format!("[notify]\ncommand = {command}\n")).unwrap();
    std::fs::write(home.path().join("gizmo.md"), "# Gizmo\n\nGizmo keeps tables in three files.\n").unwrap();
    let mut parked = crate::masthead(home.path());
    parked.current_dir(home.path()).env("PATH", "/usr/bin:/bin").env("ANTHROPIC_API_KEY", "sk-canary");
    let args = ["brief", "How does Gizmo keep tables?", "--headless", "--extractive", "--sources", "gizmo.md"];
    let (code, _, err) = run(parked.args(args));
    assert_eq!(code, 4, "{err}");
    until("the program is called", || called.exists());
    let message = std::fs::read_to_string(&called).unwrap();
    assert!(
        message.starts_with("masthead ") && message.contains("to approve") && message.ends_with("[]\n"),
        "{message}"
    );
}

#[test]
fn each_setting_is_shown_with_where_it_comes_from_and_a_file_to_begin_with_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let config = |args: &[&str]| run(crate::masthead(home.path()).arg("config").args(args));
    let before = config(&[]);
    assert!(before.0 == 0 && before.1.contains("not there"), "{}", before.1);
    assert_eq!(config(&["--write"]).0, 0);
    let after = config(&[]);
    let rows = |out: &str| out.lines().skip(1).map(String::from).collect::<Vec<_>>();
    assert_eq!(rows(&before.1), rows(&after.1));
    let (code, _, err) = config(&["--write"]);
    assert!(code == 2 && err.contains("is left as it is"), "{err}");
    let file = home.path().join(".config/masthead/config.toml");
    std::fs::write(&file, "max_cost = \"2.50\"\n").unwrap();
    let (_, out, _) = config(&["--theme", "contrast"]);
    let row = |name: &str| {
        out.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {out}")).to_owned()
    };
    assert!(row("max_cost").contains("$2.50") && row("max_cost").ends_with("config.toml"), "{out}");
    assert!(row("screen.theme").contains("contrast") && row("screen.theme").ends_with("--theme"), "{out}");
    assert!(row("in_doubt").ends_with("default"), "{out}");
    let set = [("MASTHEAD_BACKGROUND", "dark"), ("MASTHEAD_NO_MOUSE", "1"), ("MASTHEAD_NO_MOTION", "1")];
    let (_, by_variable, _) = run(crate::masthead(home.path()).arg("config").envs(set));
    let (_, by_flag, _) = config(&["--background", "dark", "--no-mouse", "--no-motion"]);
    for (name, flag, (variable, _)) in [
        ("screen.background ", "--background", set[0]),
        ("screen.mouse ", "--no-mouse", set[1]),
        ("motion ", "--no-motion", set[2]),
    ] {
        let from = |out: &str| out.lines().find(|line| line.starts_with(name)).map(|line| line.ends_with(variable));
        assert_eq!((from(&by_variable), from(&by_flag)), (Some(true), Some(false)), "{by_variable}{by_flag}");
        assert!(by_flag.lines().any(|line| line.starts_with(name) && line.ends_with(flag)), "{by_flag}");
    }
    std::fs::write(&file, "[screen]\ntheme = \"sunset\"\n").unwrap();
    let (code, _, err) = config(&[]);
    assert!(code == 2 && err.contains("`theme` in [screen] of config.toml: there is no theme `sunset`"), "{err}");
    std::fs::write(&file, "in_doubt = 3\n").unwrap();
    let (code, _, err) = config(&[]);
    assert!(code == 2 && err.contains("line 1"), "{err}");
}

#[test]
fn an_empty_variable_counts_as_not_set_and_a_wrong_one_is_named() {
    let home = tempfile::tempdir().unwrap();
    for variable in ["MASTHEAD_THEME", "MASTHEAD_DATA_DIR", "MASTHEAD_BACKGROUND", "MASTHEAD_JOURNAL", "MASTHEAD_LOG"] {
        let (code, out, err) = run(crate::masthead(home.path()).arg("config").env(variable, ""));
        assert!(code == 0 && out.contains("max_cost"), "{variable}: {code} {out}{err}");
    }
    let (code, _, err) = run(crate::masthead(home.path()).arg("config").env("MASTHEAD_BACKGROUND", "blue"));
    assert!(code == 2 && err.contains("the environment sets it: MASTHEAD_BACKGROUND"), "{code}: {err}");
    let (code, _, err) = run(crate::masthead(home.path()).arg("config").env("MASTHEAD_THEME", "sunset"));
    assert!(code == 2 && err.contains("MASTHEAD_THEME: there is no theme `sunset`"), "{code}: {err}");
    let (code, _, err) = run(crate::masthead(home.path()).args(["config", "--background", "blue"]));
    assert!(code == 2 && !err.contains("the environment"), "{code}: {err}");
    let drill = ["drill", "lost-handoff", "--headless"];
    let (code, _, err) = run(crate::masthead(home.path()).args(drill).env("MASTHEAD_LOG", "verbose"));
    assert!(code == 0 && err.contains("MASTHEAD_LOG is none of error, warn"), "{code}: {err}");
}

#[test]
fn a_journal_of_config_toml_that_is_none_is_told_with_that_file() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(folder.join("runs")).unwrap();
    for place in ["mysql://h/d", "runs"] {
        std::fs::write(folder.join("config.toml"), format!("journal = \"{place}\"\n")).unwrap();
        let (code, _, err) = run(crate::masthead(home.path()).arg("runs"));
        assert!(code == 2 && err.contains("`journal` in ") && err.contains("config.toml: "), "{code}: {err}");
    }
}

#[test]
fn a_limit_for_a_provider_that_is_none_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead/teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    let team =
        include_str!("../../prompts/brief/team.toml").replacen("[members.", "[parallel_of]\nolama = 1\n[members.", 1);
    std::fs::write(folder.join("team.toml"), team).unwrap();
    let (code, _, err) = run(crate::masthead(home.path()).arg("doctor"));
    assert!(
        code == 2 && err.contains("parallel_of names `olama`, which is no provider: did you mean ollama?"),
        "{code}: {err}"
    );
}

#[test]
fn keys_of_ones_own_are_checked_with_their_lines_and_named_among_the_settings() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".config/masthead/keymap.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "[findings]\nA = \"t\"\n").unwrap();
    for args in [&["drill", "lost-handoff", "--headless"][..], &["config"], &["doctor"]] {
        let (code, _, err) = run(crate::masthead(home.path()).args(args));
        assert!(code == 2 && err.contains("line 2: t is taken in findings"), "{args:?}: {code}: {err}");
    }
    std::fs::write(&file, "[findings]\nA = \"Y\"\n").unwrap();
    for command in ["config", "doctor"] {
        let (code, out, err) = run(crate::masthead(home.path()).arg(command));
        assert!(code == 0 && out.contains("keymap.toml: keys of your own for 1 action"), "{out}{err}");
    }
}

#[test]
fn config_says_what_would_stop_a_run() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    for (text, says) in [
        ("[models]\nwritr = \"anthropic\"\n", "Did you mean writer?"),
        ("[models]\nwriter = \"antropic/claude\"\n", "`antropic` ("),
        ("[providers.mine]\nlike = \"anthropc\"\nbase_url = \"https://127.0.0.1:1/v1\"\n", "anthropc"),
    ] {
        std::fs::write(folder.join("config.toml"), text).unwrap();
        let (code, out, err) = run(crate::masthead(home.path()).arg("config"));
        assert!(code == 1 && err.contains(says) && out.contains("max_cost"), "{text}: {code} {out}{err}");
    }
}

#[test]
fn a_role_without_a_model_says_why_in_its_line() {
    let home = tempfile::tempdir().unwrap();
    for (args, why) in
        [(&["doctor"][..], "none is available and none was requested"), (&["doctor", "--extractive"], "--extractive")]
    {
        let (_, out, err) = run(crate::masthead(home.path()).args(args));
        let roles = out.lines().filter(|line| line.trim_start().starts_with("writer"));
        let lines: Vec<&str> = roles.collect();
        assert!(lines.len() == 1 && lines[0].contains(why), "{args:?}: {out}{err}");
    }
}
