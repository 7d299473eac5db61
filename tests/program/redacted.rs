//! `journal dump --redact`: a run to show to others, with nothing in it that was read, asked or said, shown on all screens.

use std::fs;

use kit::{ModelServer, run};

use crate::masthead;

#[test]
fn a_redacted_dump_of_a_run_of_models_holds_no_word_of_it_and_is_replayed() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["quillmodel"]);
    let config = home.path().join(".config/masthead");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), server.config("hausserver").replace("free = true\n", "")).unwrap();
    let papers = home.path().join("Projekt-Zaunkoenig");
    fs::create_dir_all(&papers).unwrap();
    let says =
        "# Kestrelbase\n\nKestrelbase keeps vectors in ordinary tables. Kestrelbase rebuilds its index at midnight.\n";
    fs::write(papers.join("kestrelbase.md"), says).unwrap();
    fs::write(
        papers.join("ospreystore.md"),
        says.replace("Kestrelbase", "Ospreystore").replace("midnight", "daybreak"),
    )
    .unwrap();
    let asked = ["brief", "Compare Kestrelbase and Ospreystore", "--headless", "--yes", "--sources"];
    let model = ["--model", "hausserver/quillmodel", "--price", "hausserver/quillmodel=1.00,4.00"];
    let (code, out, err) = run(masthead(home.path()).args(asked).arg(&papers).args(model));
    assert!(code == 0 || code == 3, "{out}{err}");

    let dump = |more: &[&str]| run(masthead(home.path()).args(["journal", "dump", "last"]).args(more));
    let (code, whole, _) = dump(&[]);
    assert_eq!(code, 0);
    let (code, redacted, said) = dump(&["--redact"]);
    assert_eq!(code, 0, "{said}");
    let words =
        ["kestrelbase", "ospreystore", "midnight", "daybreak", "zaunkoenig", "hausserver", "quillmodel", "vectors"];
    for word in words {
        assert!(whole.to_lowercase().contains(word), "{word} was never in it");
        assert!(!redacted.to_lowercase().contains(word), "{word}");
    }
    assert_eq!(redacted.lines().count(), whole.lines().count());
    for part in
        ["taken out: ", "documents (", "prompts (", "answers (", "findings (", "names replaced", "costs and times stay"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }

    let file = home.path().join("redacted.jsonl");
    fs::write(&file, &redacted).unwrap();
    let theirs = tempfile::tempdir().unwrap();
    let (code, shown, err) = run(masthead(theirs.path()).arg("replay").arg(&file));
    assert_eq!(code, 0, "{err}");
    let (_, own, _) = run(masthead(home.path()).args(["replay", "last"]));
    let figures = |out: &str| {
        let mut lines = out.lines().filter(|line| line.contains("  run  "));
        let last = lines.next_back().unwrap_or_else(|| panic!("{out}")).to_owned();
        // The title of the report stands before them: it is text.
        last.splitn(3, " · ").nth(2).unwrap_or_else(|| panic!("{out}")).to_owned()
    };
    assert!(figures(&own).contains('$'), "{own}");
    assert_eq!(figures(&shown), figures(&own), "{shown}");
}

#[test]
fn a_redacted_dump_is_no_telemetry() {
    let home = tempfile::tempdir().unwrap();
    let (code, _, err) = run(masthead(home.path()).args(["journal", "dump", "--redact", "--otlp"]));
    assert_eq!(code, 2, "{err}");
}
