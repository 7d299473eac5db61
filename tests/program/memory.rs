//! Memory across runs of the real binary: notes of one run are used by the next; broken ones cost nothing but their use.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use kit::{example, kill_after, run};

use crate::masthead;

const FIRST: &str = "How does Qdrant evaluate filters during search?";
const RELATED: &str = "How does filtering work in Qdrant and pgvector?";
const UNRELATED: &str = "How long does sourdough bread need to proof?";

fn examples() -> PathBuf {
    example("vector-databases")
}

fn asking(data: &Path, question: &str, sources: &Path) -> Command {
    let mut command = masthead(data);
    command.args(["brief", question, "--headless", "--yes", "--sources"]).arg(sources);
    command
}

/// Asks, and returns the words of memory at the beginning and at the end, and the brief.
fn ask(data: &Path, question: &str) -> (String, String, String) {
    let (code, out, err) = run(&mut asking(data, question, &examples()));
    assert_eq!(code, 0, "{out}{err}");
    let (trace, brief) = out.split_once("\n\n# ").unwrap();
    let said: Vec<&str> =
        trace.lines().filter(|line| line.contains("  memory  ") && !line.contains("started")).collect();
    (said[0].into(), said.get(1).map_or(String::new(), ToString::to_string), brief.into())
}

fn notes(data: &Path) -> PathBuf {
    data.join("data/memory/notes.md")
}

/// The notes without which run wrote them, and when.
fn written(data: &Path) -> String {
    let text = std::fs::read_to_string(notes(data)).unwrap();
    text.lines().filter(|line| !line.contains("· run ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_later_run_on_a_related_question_uses_what_an_earlier_one_kept_and_no_other_does() {
    let dir = tempfile::tempdir().unwrap();
    let (known, kept, _) = ask(dir.path(), FIRST);
    assert!(known.contains("nothing known of this"), "{known}");
    assert!(kept.contains(" findings kept"), "{kept}");
    let text = std::fs::read_to_string(notes(dir.path())).unwrap();
    assert!(text.contains(&format!("\n## {FIRST}\n")) && text.contains("\n  > — qdrant/overview.md:"), "{text}");

    let (code, without, _) = run(asking(dir.path(), RELATED, &examples()).arg("--no-memory"));
    assert_eq!(code, 0);
    assert!(!without.contains("memory") && !without.contains("From your notes"), "{without}");
    assert_eq!(std::fs::read_to_string(notes(dir.path())).unwrap(), text, "nothing was added");

    let (known, _, brief) = ask(dir.path(), RELATED);
    assert!(known.contains("remembered still stand"), "{known}");
    // A finding that is found again counts as found in this run: the brief names the notes where they alone have something.
    assert!(brief.contains("Qdrant"), "{brief}");
    // It went through the gates like all else, and every quote is in the file that it names.
    let (_, exported, _) = run(masthead(dir.path()).args(["export", "last", "--format", "json"]));
    let exported: serde_json::Value = serde_json::from_str(&exported).unwrap();
    for verdict in exported["verdicts"].as_array().unwrap() {
        assert_eq!(verdict["issues"].as_array().unwrap().len(), 0, "{verdict}");
    }

    let (known, _, brief) = ask(dir.path(), UNRELATED);
    assert!(known.contains("nothing known of this"), "{known}");
    assert!(!brief.contains("From your notes"), "{brief}");
}

#[test]
fn what_no_longer_stands_in_the_sources_is_left_out_and_said() {
    let dir = tempfile::tempdir().unwrap();
    ask(dir.path(), FIRST);
    let sources = dir.path().join("sources");
    std::fs::create_dir_all(sources.join("qdrant")).unwrap();
    let page = std::fs::read_to_string(examples().join("qdrant/overview.md")).unwrap();
    // One sentence is changed, all others stand where they stood, a line further down.
    let changed = page.replace("during the HNSW search instead of afterwards", "when it pleases");
    assert_ne!(page, changed);
    std::fs::write(sources.join("qdrant/overview.md"), format!("\n{changed}")).unwrap();
    let question = "How does Qdrant evaluate payload filters during search?";
    let (code, out, err) = run(&mut asking(dir.path(), question, &sources));
    assert_eq!(code, 0, "{out}{err}");
    let (_, dumped, _) = run(masthead(dir.path()).args(["journal", "dump", "--json"]));
    let left_out: Vec<&str> =
        dumped.lines().filter(|line| line.contains("\"reported\"") && line.contains("Left out of what run ")).collect();
    assert!(left_out.iter().any(|line| line.contains("its quote is no longer in the source")), "{left_out:?}");
    assert!(!out.contains("instead of afterwards"), "{out}");
    // Kept findings from documents that this run does not have are not looked up, and that is said.
    let elsewhere = dir.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("qdrant.md"), "# Qdrant\n\nQdrant evaluates payload filters for search.\n").unwrap();
    let (code, out, err) = run(&mut asking(dir.path(), question, &elsewhere));
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("0 of ") && !out.contains("From your notes"), "{out}");
    let (_, dumped, _) = run(masthead(dir.path()).args(["journal", "dump", "--json"]));
    assert!(dumped.contains("in documents that are not among the sources of this run"), "{dumped}");
    assert!(!dumped.contains("\"tool_failed\""), "{dumped}");
}

#[test]
fn what_the_person_wrote_is_put_before_them_and_nobody_else_says_it() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(notes(dir.path()).parent().unwrap()).unwrap();
    let own = "## Qdrant at work\n\nOur Qdrant filters took 3 ms in May.\n";
    std::fs::write(notes(dir.path()), own).unwrap();
    let (known, _, brief) = ask(dir.path(), RELATED);
    assert!(known.contains("no finding known, 1 line of yours"), "{known}");
    assert!(!brief.contains("in May"), "a policy does not speak for the person: {brief}");
    let (_, exported, _) = run(masthead(dir.path()).args(["export", "last", "--format", "json"]));
    let exported: serde_json::Value = serde_json::from_str(&exported).unwrap();
    let put = exported["findings"].as_array().unwrap().iter().find(|it| it["words_of"] == "person").unwrap();
    assert_eq!((&put["standing"], &put["place"]), (&"dropped".into(), &serde_json::Value::Null));
    let (_, dumped, _) = run(masthead(dir.path()).args(["journal", "dump", "--json"]));
    let mut told = dumped.lines().filter(|line| line.contains("\"tools_called\"") && line.contains("\"search\""));
    assert!(!told.any(|line| line.contains("May")), "it steers no search");
    assert!(std::fs::read_to_string(notes(dir.path())).unwrap().starts_with(own));
}

#[test]
fn notes_that_cannot_be_used_are_named_and_the_run_goes_on() {
    let calm = tempfile::tempdir().unwrap();
    let (_, _, brief) = ask(calm.path(), RELATED);
    type Breaks = fn(&Path);
    let broken: [(&str, Breaks); 4] = [
        ("not text in UTF-8", |path| std::fs::write(path, b"Caf\xe9\n").unwrap()),
        ("not text in UTF-8", |path| std::fs::write(path, [0; 4096]).unwrap()),
        ("it is no file", |path| std::fs::create_dir(path).unwrap()),
        ("read-only", |path| {
            std::fs::write(path, "Mine.\n").unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o400)).unwrap();
        }),
    ];
    for (says, breaks) in broken {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(notes(dir.path()).parent().unwrap()).unwrap();
        breaks(&notes(dir.path()));
        let (known, kept, same) = ask(dir.path(), RELATED);
        assert!(kept.contains("✗ failed") && kept.contains(says) && kept.contains("memory/notes.md"), "{kept}");
        assert!(says == "read-only" || known.contains(says), "{known}");
        assert_eq!(same, brief, "{says}");
    }
}

#[test]
fn memory_is_where_config_toml_says_and_off_if_it_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join(".config/masthead/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "[memory]\nfile = \"~/notes/runs.md\"\n").unwrap();
    let (code, told, _) = run(masthead(dir.path()).arg("memory"));
    assert_eq!(code, 0);
    assert!(told.contains("notes/runs.md") && told.contains("Nothing is kept yet"), "{told}");
    ask(dir.path(), RELATED);
    assert!(dir.path().join("notes/runs.md").exists() && !notes(dir.path()).exists());
    let (_, told, _) = run(masthead(dir.path()).arg("memory"));
    assert!(told.contains("findings from 1 run") && told.contains(RELATED), "{told}");
    std::fs::write(&config, "[memory]\noff = true\n").unwrap();
    let (code, out, err) = run(&mut asking(dir.path(), RELATED, &examples()));
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains("memory"), "{out}");
    let (_, told, _) = run(masthead(dir.path()).arg("memory"));
    assert!(told.contains("Memory is off"), "{told}");
    std::fs::write(&config, "[memory]\nfiles = \"x\"\n").unwrap();
    let (code, _, err) = run(&mut asking(dir.path(), RELATED, &examples()));
    assert_eq!(code, 2);
    assert!(err.contains("files"), "{err}");
}

#[test]
fn a_run_that_is_killed_while_it_keeps_its_findings_keeps_them_once() {
    let calm = tempfile::tempdir().unwrap();
    let (code, out, _) = run(asking(calm.path(), RELATED, &examples()).args(["--events", "jsonl"]));
    assert_eq!(code, 0);
    let asked_to_keep = out.lines().position(|line| line.contains("\"name\":\"remember\"")).unwrap();
    let undisturbed = written(calm.path());
    for lines in [asked_to_keep - 1, asked_to_keep, asked_to_keep + 1, asked_to_keep + 1, asked_to_keep + 2] {
        let dir = tempfile::tempdir().unwrap();
        kill_after(asking(dir.path(), RELATED, &examples()).args(["--events", "jsonl"]), lines);
        let (code, out, err) = run(masthead(dir.path()).args(["resume", "last", "--yes", "--headless"]));
        assert_eq!(code, 0, "{out}{err}");
        assert_eq!(written(dir.path()), undisturbed, "killed after {lines} of {}", out.lines().count());
        let (code, told, _) = run(masthead(dir.path()).args(["journal", "verify"]));
        assert_eq!(code, 0, "{told}");
    }
}

#[test]
fn recorded_answers_are_given_again_without_a_look_at_the_notes() {
    let dir = tempfile::tempdir().unwrap();
    ask(dir.path(), FIRST);
    let (_, _, brief) = ask(dir.path(), RELATED);
    let text = std::fs::read_to_string(notes(dir.path())).unwrap();
    std::fs::remove_file(notes(dir.path())).unwrap();
    let (code, out, err) = run(masthead(dir.path()).args(["brief", "--answers-from", "last", "--headless", "--yes"]));
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(out.split_once("\n\n# ").unwrap().1, brief, "\n{text}");
    assert!(!notes(dir.path()).exists(), "nothing is written");
}

#[test]
fn the_example_of_the_manual_comes_as_it_stands_there() {
    let manual = include_str!("../../docs/manual.md");
    let dir = tempfile::tempdir().unwrap();
    ask(dir.path(), "Compare the trade-offs of pgvector, Qdrant and Pinecone");
    let question = "What are the trade-offs of Qdrant?";
    let (known, _, brief) = ask(dir.path(), question);
    let mut shown = manual.split(&format!("$ masthead brief \"{question}\"")).nth(1).unwrap().lines().skip(1);
    let of_memory = |line: &str| {
        let parts: Vec<&str> = line.split(" · ").collect();
        (parts[0].split("done").nth(1).unwrap().trim().to_owned(), parts[2].to_owned())
    };
    assert_eq!(of_memory(shown.next().unwrap()), of_memory(&known));
    let of_notes = |line: &str| line.split("): ").nth(1).map(str::to_owned);
    let noted = brief.lines().find(|line| line.starts_with("_From your notes")).unwrap_or_else(|| panic!("{brief}"));
    assert_eq!(of_notes(shown.next().unwrap()), of_notes(noted));
}
