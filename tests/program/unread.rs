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
