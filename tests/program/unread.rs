//! The words for files that were not read, for languages that are not read, and for questions that ask nothing.

use std::path::Path;

use kit::run;

use crate::masthead;

/// A brief by rule over these files: exit code, output, errors.
fn ask(question: &str, files: &[(&str, &[u8])]) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let sources = dir.path().join("sources");
    std::fs::create_dir(&sources).unwrap();
    for (name, text) in files {
        std::fs::write(sources.join(name), text).unwrap();
    }
    asked(dir.path(), question, &sources)
}

fn asked(home: &Path, question: &str, sources: &Path) -> (i32, String, String) {
    run(masthead(home).args(["brief", question, "--headless", "--yes", "--extractive", "--sources"]).arg(sources))
}

#[test]
fn files_that_were_not_read_are_counted_and_may_hold_the_answer() {
    let binary: [u8; 64] = [0; 64];
    let mut files: Vec<(&str, &[u8])> = vec![("a.md", b"# Notes\n\nThe gull is a bird.\n")];
    files.extend([("a.json", &b"{\"timeout\": 30}"[..]), ("b.yaml", b"timeout: 30\n"), ("c.png", b"png")]);
    files.extend(["1.dat", "2.dat", "3.dat", "4.dat", "5.dat", "6.dat", "7.dat"].map(|name| (name, &binary[..])));
    let (code, out, err) = ask("What is the timeout?", &files);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(out.matches(".dat: ").count(), 5, "{out}");
    for says in [
        " 2 more\n",
        " 2 files: data or source code, not read\n",
        "- 7 files skipped, which may hold the answer.\n",
        "- 2 files of data or source code not read, which may hold the answer.\n",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
}

#[test]
fn a_document_in_another_language_is_not_said_to_hold_no_answer() {
    let german: &[u8] = "# Arbeitszeit\n\nDie Arbeitszeit beträgt 38 Stunden in der Woche.\n".as_bytes();
    let french: &[u8] = "# Congés\n\nChaque salarié a droit à 25 jours de congés par an.\n".as_bytes();
    for (question, document) in [
        ("Wie lang ist die Arbeitszeit?", german),
        ("Arbeitszeit", german),
        ("Combien de jours de congés ai-je ?", french),
    ] {
        let (code, out, err) = ask(question, &[("a.md", document)]);
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("- No answer was found in the sources (1 document), and there may be one."), "{out}");
        assert!(out.contains("only English is read") && out.contains("The closest: “"), "{out}");
        assert!(!out.contains("Nothing in the sources") && !out.contains("do not occur"), "{out}");
    }
}

#[test]
fn a_question_without_a_letter_is_a_usage_error() {
    for question in ["???", " - ", "…"] {
        let (code, out, err) = ask(question, &[("a.md", b"# Notes\n\nThe gull is a bird.\n")]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("there is no question"), "{err}");
    }
}

#[test]
fn a_folder_without_a_document_is_told_by_what_it_holds() {
    for (files, says) in [
        (
            &[("a.png", &b"png"[..]), ("docs.zip", b"PK"), (".notes.md", b"# Notes\n")][..],
            "1 picture, 1 archive (unpack it), 1 hidden file",
        ),
        (&[("a.rs", b"fn a() {}"), ("b.rs", b"fn b() {}")], "2 files of data or source code"),
        (
            &[("prices.xlsx", b"\0\x01\x02\0\0\0")],
            "1 file skipped; the first: prices.xlsx (a spreadsheet; save each sheet as CSV)",
        ),
        (&[], "no file in them"),
    ] {
        let (code, out, err) = ask("What is the timeout?", files);
        assert_eq!(code, 1, "{out}{err}");
        let last = err.lines().last().unwrap_or_default();
        assert!(last.contains("no document to read") && last.contains(says), "{says}: {err}");
    }
}

#[test]
fn files_that_were_not_read_stand_in_the_brief_in_its_exports_and_with_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let sources = dir.path().join("sources");
    std::fs::create_dir(&sources).unwrap();
    std::fs::write(sources.join("a.md"), "# Gulls\n\nThe gull is a large bird of the coast.\n").unwrap();
    for n in 0..8 {
        std::fs::write(sources.join(format!("{n}.dat")), [0; 64]).unwrap();
    }
    let (code, out, err) = asked(dir.path(), "What is the gull?", &sources);
    assert_eq!(code, 0, "{out}{err}");
    let line = out.lines().rev().find(|line| !line.is_empty()).unwrap();
    assert!(line.starts_with("_1 document read, 8 files not: `masthead runs "), "{out}");
    let told = |args: &[&str]| run(masthead(dir.path()).args(args)).1;
    let listed = told(&["runs", "last"]);
    assert!(listed.contains("not read: 8 files skipped") && listed.contains("7.dat: binary, not text"), "{listed}");
    let page = told(&["export", "last", "--format", "html"]);
    assert!(page.contains("Files that were not read (8)") && page.contains("7.dat: binary, not text"), "{page}");
    let json: serde_json::Value = serde_json::from_str(&told(&["export", "last", "--format", "json"])).unwrap();
    assert_eq!(json["corpus"]["skipped"].as_array().unwrap().len(), 8);
    assert_eq!(json["corpus"]["skipped"][7]["path"], "7.dat");
    assert!(json.get("why").is_none());

    std::fs::remove_file(sources.join("a.md")).unwrap();
    let (code, ..) = asked(dir.path(), "What is the gull?", &sources);
    assert_eq!(code, 1);
    let json: serde_json::Value = serde_json::from_str(&told(&["export", "last", "--format", "json"])).unwrap();
    assert!(json["why"].as_str().unwrap().starts_with("there is no document to read"), "{json}");
}

#[test]
fn a_citation_names_the_line_of_its_sentence() {
    let mut text: String = (1..=60).map(|n| format!("In this line of the text number {n} is mentioned.\n")).collect();
    text.push_str("The gull is a large bird\nof the northern coast, and it eats fish.\n");
    let (code, out, err) = ask("What is the gull?", &[("a.txt", text.as_bytes())]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("a.txt; line 61\n"), "{out}");
}

/// A run over one document that stopped at its findings, or at its plan.
fn stopped(home: &Path, more: &[&str]) -> std::path::PathBuf {
    let sources = home.join("sources");
    std::fs::create_dir(&sources).unwrap();
    std::fs::write(sources.join("a.md"), "# Gulls\n\nThe gull is a large bird of the coast.\n").unwrap();
    std::fs::write(sources.join("b.md"), "# Terns\n\nThe tern is small.\n").unwrap();
    let mut command = masthead(home);
    command.args(["brief", "What is the gull?", "--headless", "--extractive", "--sources"]).arg(&sources).args(more);
    let (code, out, err) = run(&mut command);
    assert_eq!(code, 4, "{out}{err}");
    sources
}

#[test]
fn a_resumed_run_says_which_of_its_documents_have_changed() {
    for (changed, is_told) in [("a.md", true), ("b.md", false), ("new.md", false)] {
        let home = tempfile::tempdir().unwrap();
        let sources = stopped(home.path(), &[]);
        std::fs::write(sources.join(changed), "# Gulls\n\nThe gull is a small bird of the coast.\n").unwrap();
        let (code, out, err) = run(masthead(home.path()).args(["resume", "last", "--headless", "--yes"]));
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("The gull is a large bird of the coast."), "{out}");
        let note = "_Sources: a.md has changed or is gone since it was read._";
        assert_eq!(out.contains(note), is_told, "{changed}: {out}");
    }
}

#[test]
fn a_run_whose_sources_are_gone_is_written_from_its_record_and_does_not_go_on_searching() {
    let home = tempfile::tempdir().unwrap();
    let sources = stopped(home.path(), &[]);
    std::fs::rename(&sources, home.path().join("elsewhere")).unwrap();
    let (code, out, err) = run(masthead(home.path()).args(["resume", "last", "--headless", "--yes"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("The gull is a large bird of the coast."), "{out}");
    assert!(out.contains("_Sources: a.md has changed or is gone since it was read._"), "{out}");
    assert!(err.contains("goes on with what is on record"), "{err}");

    let home = tempfile::tempdir().unwrap();
    let sources = stopped(home.path(), &["--check-plan"]);
    std::fs::rename(&sources, home.path().join("elsewhere")).unwrap();
    let (code, out, err) = run(masthead(home.path()).args(["resume", "last", "--headless", "--yes"]));
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("put it back, or fork the run") && !err.contains("Give a file"), "{err}");
}
