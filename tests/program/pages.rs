//! A brief for others: the page of its own, and the sources for citing them.

use std::path::{Path, PathBuf};
use std::process::Command;

use kit::{example, run};
use serde_json::Value;

use crate::masthead;

fn written(home: &Path) {
    let mut brief = masthead(home);
    brief.args([
        "brief",
        "Compare the trade-offs of pgvector, Qdrant and Pinecone",
        "--headless",
        "--yes",
        "--sources",
    ]);
    let (code, _, err) = run(brief.arg(example("vector-databases")));
    assert_eq!((code, err.as_str()), (0, ""));
}

fn exported(home: &Path, format: &str) -> String {
    let (code, out, err) = run(masthead(home).args(["export", "last", "--format", format]));
    assert_eq!((code, err.as_str()), (0, ""), "{format}");
    out
}

#[test]
fn a_page_stands_alone_and_has_the_evidence_of_every_citation() {
    let home = tempfile::tempdir().unwrap();
    written(home.path());
    let page = exported(home.path(), "html");
    assert!(page.starts_with("<!doctype html>") && page.contains("default-src 'none'"));
    for outside in ["<script", "<link", "<img", "<iframe", " src=", " href=", "url(", "@import", "javascript:"] {
        assert!(!page.contains(outside), "{outside} is on the page");
    }
    let json: Value = serde_json::from_str(&exported(home.path(), "json")).unwrap();
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;")
    };
    let mut cited = 0;
    for sentence in json["brief"]["sentences"].as_array().unwrap() {
        assert!(page.contains(&escaped(sentence["text"].as_str().unwrap())), "{sentence}");
        for id in sentence["findings"].as_array().unwrap() {
            let finding = json["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == *id).unwrap();
            let quote = escaped(finding["quote"].as_str().unwrap());
            assert!(page.contains(&format!("<blockquote>{quote}</blockquote>")), "{quote}");
            cited += 1;
        }
    }
    assert!(cited > 5 && page.matches("<details class=\"cite\">").count() > 5);
    let (_, dump, _) = run(masthead(home.path()).args(["journal", "dump", "last"]));
    let assignments = dump.matches("\"assignment\":\"0").count();
    assert!(assignments > 3 && page.contains("<svg") && page.matches("<rect").count() > 3);
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    assert!(!page.contains('◐'), "nothing is wrong with having nothing to remember");
}

#[test]
fn a_page_of_a_run_of_another_program_says_who_worked_on_it() {
    let home = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/samples/claude-code");
    assert_eq!(run(masthead(home.path()).args(["open", "--keep"]).arg(sample)).0, 0);
    let page = exported(home.path(), "html");
    assert!(page.contains("general-purpose") && page.contains("There is no brief") && page.contains("~$"), "{page}");
}

#[test]
fn the_sources_come_as_bibtex_and_csl_json() {
    let home = tempfile::tempdir().unwrap();
    written(home.path());
    let json: Value = serde_json::from_str(&exported(home.path(), "json")).unwrap();
    let sources = json["brief"]["sources"].as_array().unwrap();
    let bibtex = exported(home.path(), "bibtex");
    let csl: Value = serde_json::from_str(&exported(home.path(), "csl")).unwrap();
    assert_eq!((bibtex.matches("@misc{source").count(), csl.as_array().unwrap().len()), (sources.len(), sources.len()));
    for (n, source) in sources.iter().enumerate() {
        assert_eq!((&csl[n]["title"], &csl[n]["archive_location"]), (&source["title"], &source["path"]));
        assert!(
            bibtex.contains(&format!("@misc{{source{},", n + 1)) && bibtex.contains(source["sha256"].as_str().unwrap())
        );
    }
    assert_eq!(bibtex.matches('{').count(), bibtex.matches('}').count());
}

/// A browser that is installed; None where there is none.
fn browser() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// The document that a browser makes of a page.
fn shown_by(browser: &Path, page: &Path, home: &Path) -> String {
    let mut command = Command::new(browser);
    command
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
        .arg(format!("--user-data-dir={}", home.join("browser").display()))
        .arg(format!("file://{}", page.display()));
    let out = command.env("HOME", home).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn a_browser_shows_all_that_is_on_a_page() {
    let Some(browser) = browser() else { return eprintln!("no browser is installed: no page was opened in one") };
    let home = tempfile::tempdir().unwrap();
    written(home.path());
    let page = exported(home.path(), "html");
    let file = home.path().join("page.html");
    std::fs::write(&file, &page).unwrap();
    let shown = shown_by(&browser, &file, home.path());
    // A browser closes and moves parts that are not well formed: they would not count the same.
    for part in
        ["<details", "</details>", "<summary", "<blockquote", "<svg", "<rect", "<text", "<h2", "<li", "<table", "<tr"]
    {
        assert_eq!(shown.matches(part).count(), page.matches(part).count(), "{part}");
    }
    let title = |page: &str| page.split("<h1").nth(1).unwrap().split("</h1>").next().unwrap().to_owned();
    assert_eq!(title(&shown), title(&page));
}
