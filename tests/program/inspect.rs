//! The team that finds faults in data and logs, on the example folder, whose faults were put there on purpose.

use std::path::{Path, PathBuf};

use kit::{example, run};

use crate::masthead;

fn logs() -> PathBuf {
    example("web-shop-logs")
}

fn ask(data: &Path, more: &[&str]) -> (i32, String, String) {
    run(masthead(data).args(more))
}

fn asked(question: &str, sources: &Path) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    ask(dir.path(), &["ask", question, "--sources", &sources.to_string_lossy(), "--headless", "--yes"])
}

/// The faults put into the example, and the statements of the report on them.
const PLANTED: &[&str] = &[
    "shop.log: 10 lines say “ERROR order 5200 failed: no connection within 3000 ms”",
    "right before 5 of 5 times that “ERROR order 5200 failed: no connection within 3000 ms” begins stands “WARN connection pool exhausted",
    "shop.log: 3 lines say “FATAL out of memory",
    "shop.log: it starts 7 times",
    "shop.log: nothing was written for 45 min",
    "access.log: 16 lines say “\"POST /checkout HTTP/1.1\" 502 166”",
    "orders.csv: 1 line has another number of fields than the 6 that the first line names (line 45)",
    "the `order_id` “7019” stands in 2 rows (lines 20 and 24)",
    "`unit_price` is no number, such as “24;50” (line 18)",
    "`day` is no date, such as “2026-11-31” (line 37)",
    "far from the others, whose median is 3: “4000” (line 32)",
    "read in the wrong encoding; the first is line 53",
    "stock.jsonl: 1 line is no whole JSON object (line 29)",
    "such as “\"34\"” (line 10)",
    "`stock` is below zero: “-6” (line 22)",
];

#[test]
fn every_fault_of_the_example_is_in_the_report_with_its_line_and_nothing_else_is() {
    let (code, out, err) = asked("What is wrong with these logs?", &logs());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for planted in PLANTED {
        assert!(out.contains(planted), "no {planted:?} in:\n{out}");
    }
    let wrong = out.split("## What is wrong").nth(1).unwrap().split("## What was looked at").next().unwrap();
    assert_eq!(wrong.lines().filter(|line| line.starts_with("- ")).count(), PLANTED.len(), "{wrong}");
    for who in ["surveyor", "inspector · shop.log", "writer", "gates"] {
        assert!(out.contains(who), "{who}");
    }
    assert!(!out.contains("researcher") && !out.contains("planner"), "it is another team: {out}");
}

#[test]
fn the_same_folder_gives_the_same_report_to_the_byte() {
    let report = || asked("What is wrong?", &logs()).1.split("# What is wrong?").nth(1).unwrap().to_owned();
    assert_eq!(report(), report());
}

#[test]
fn a_question_that_names_a_file_is_about_that_file() {
    let (code, out, _) = asked("What is wrong with orders.csv?", &logs());
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("inspector · orders.csv") && !out.contains("inspector · shop.log"), "{out}");
}

#[test]
fn a_sound_file_is_said_to_be_sound_and_prose_is_not_counted() {
    let dir = tempfile::tempdir().unwrap();
    let rows: String = (1..30).map(|n| format!("{n},{}\n", n * 3)).collect();
    std::fs::write(dir.path().join("sound.csv"), format!("id,size\n{rows}")).unwrap();
    let (code, out, _) = asked("What is wrong here?", dir.path());
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("sound.csv has 29 rows in 2 columns") && out.contains("Nothing wrong was counted"), "{out}");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("note.txt"), "All is well with us.\n").unwrap();
    let (_, out, _) = asked("What is wrong here?", dir.path());
    assert!(out.contains("inspector · note.txt") && out.contains("nothing"), "{out}");
}

#[test]
fn of_more_files_than_are_looked_at_the_longest_are_and_the_others_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    for n in 1..=45 {
        let lines: String = (0..n + 5).map(|line| format!("2026-11-30T10:{line:02}:00 INFO served\n")).collect();
        std::fs::write(dir.path().join(format!("app{n:02}.log")), lines).unwrap();
    }
    let (code, out, _) = asked("What is wrong with these logs?", dir.path());
    assert_eq!(code, 0, "{out}");
    let brief = out.split_once("\n# ").unwrap().1;
    assert!(brief.contains("5 more are not looked at: name a file, or a folder with fewer"), "{brief}");
    assert!(out.contains("inspector · app45.log") && !out.contains("inspector · app05.log"), "{out}");
}

#[test]
fn a_file_that_cannot_be_read_is_named_among_what_could_not_be_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(logs().join("stock.jsonl"), dir.path().join("stock.jsonl")).unwrap();
    std::fs::write(dir.path().join("core.log"), [0u8; 300]).unwrap();
    let (code, out, _) = asked("What is wrong here?", dir.path());
    assert_eq!(code, 0, "{out}");
    let gaps = out.split("## Gaps").nth(1).unwrap_or_else(|| panic!("{out}"));
    assert!(gaps.contains("core.log: not looked at"), "{gaps}");
}

#[test]
fn a_team_that_is_not_there_and_a_lead_that_nobody_can_take_are_said_before_anything_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let sources = logs();
    let with = |more: &[&str]| {
        let sources = sources.to_string_lossy();
        ask(dir.path(), &[&["ask", "What is wrong?", "--sources", &sources, "--headless"], more].concat())
    };
    let (code, _, err) = with(&["--team", "inspct"]);
    assert!(code == 2 && err.contains("brief, inspect and alone are built in"), "{err}");
    let (code, _, err) = with(&["--lead", "model"]);
    assert!(code == 2 && err.contains("--model supervisor="), "{err}");
    let (code, _, err) = with(&["--lead", "model", "--extractive"]);
    assert!(code == 2 && err.contains("give one of the two"), "{err}");
    let (code, _, err) = with(&["--team", "drill"]);
    assert!(code == 2 && err.contains("masthead drill"), "{err}");
    let folder = dir.path().join(".config/masthead/teams/mine");
    std::fs::create_dir_all(&folder).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts/inspect/team.toml");
    let team = std::fs::read_to_string(file).unwrap().replace("[members.inspector]", "[members.detective]");
    std::fs::write(folder.join("team.toml"), team).unwrap();
    let (code, _, err) = with(&["--team", "mine"]);
    assert!(code == 2 && err.contains("the team has no `inspector`"), "{err}");
}
