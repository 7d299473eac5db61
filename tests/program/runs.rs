//! `masthead runs`: words, tags, deletion, and how a run stands.

use std::path::Path;

use kit::{example, run};
use serde_json::Value;

use crate::masthead;

/// A run by rule over the example; `more` are flags of `brief`. Returns its id.
fn asked(home: &Path, question: &str, more: &str) -> String {
    let mut brief = masthead(home);
    brief.args(["brief", question, "--extractive", "--headless", "--sources"]).arg(example("vector-databases"));
    run(brief.args(more.split_whitespace()));
    let rows = rows(home, &[]);
    rows[0]["id"].as_str().unwrap().to_owned()
}

fn rows(home: &Path, more: &[&str]) -> Vec<Value> {
    let (code, out, err) = run(masthead(home).args(["runs", "--json"]).args(more));
    assert_eq!((code, err.as_str()), (0, ""), "{more:?}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ids(home: &Path, more: &[&str]) -> Vec<String> {
    rows(home, more).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn runs_are_found_by_words_of_their_questions_findings_briefs_and_tags() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let qdrant = asked(home, "What is Qdrant?", "--yes");
    let pinecone = asked(home, "What is Pinecone?", "");
    assert_eq!(ids(home, &["/QDRANT what"]), [qdrant.as_str()], "words of the question, in any order and case");
    let brief = run(masthead(home).args(["export", &qdrant])).1;
    let sentence = brief.lines().find(|line| line.contains("[1]")).unwrap();
    let rare = sentence.split(|c: char| !c.is_alphabetic()).max_by_key(|word| word.len()).unwrap();
    assert!(ids(home, &[&format!("/{rare}")]).contains(&qdrant), "{rare}: a word of the brief");
    // The second run has parked before it has written: its findings are found.
    let (_, out, _) = run(masthead(home).args(["runs", "/pinecone", "namespace"]));
    assert!(out.contains(&pinecone) && out.contains("\n          finding: "), "{out}");
    assert!(
        run(masthead(home).args(["runs", &pinecone, "--tag", "Clouds", "--tag", "#2026"])).2.contains("#2026 #clouds")
    );
    assert_eq!(ids(home, &["--tag", "clouds"]), [pinecone.as_str()]);
    assert_eq!(ids(home, &["/#clouds"]), [pinecone.as_str()]);
    assert_eq!(rows(home, &["--tag", "clouds", "--tag", "2026"])[0]["tags"], serde_json::json!(["2026", "clouds"]));
    assert!(run(masthead(home).args(["runs", &pinecone, "--untag", "clouds"])).2.contains("is #2026"));
    assert!(ids(home, &["--tag", "clouds"]).is_empty());
    let (code, out, err) = run(masthead(home).args(["runs", "/nothing has these words"]));
    assert!(code == 0 && out.is_empty() && err.contains("no run has all of these words"), "{err}");
    let (code, _, err) = run(masthead(home).args(["runs", &pinecone, "--tag", "\u{1b}[2J"]));
    assert!(code == 2 && err.contains("a tag is one word"), "{err}");
    let (code, _, err) = run(masthead(home).args(["runs", "two", "words"]));
    assert!(code == 2 && err.contains("after a slash"), "{err}");
    assert_eq!(run(masthead(home).args(["journal", "verify"])).0, 0);
}

#[test]
fn a_status_query_says_what_a_run_waits_for_and_what_is_spent_of_its_caps() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let id = asked(home, "What is Qdrant?", "--max-tool-calls 300");
    let row = &rows(home, &[&id])[0];
    assert_eq!(
        (&row["state"], &row["phase"], &row["active"]),
        (&"needs you".into(), &"needs you".into(), &false.into())
    );
    assert!(row["alarm"].as_str().unwrap().contains("finding"), "{row}");
    assert_eq!(row["open"][0]["state"], "needs_you", "{row}");
    assert_eq!(row["open"][0]["what"], row["alarm"], "{row}");
    assert!(row["ended"].as_u64().unwrap() > 1, "{row}");
    let calls = row["taken"].as_array().unwrap().iter().find(|taken| taken["kind"] == "tool_calls").unwrap();
    assert!(calls["cap"] == 300 && calls["spent"].as_u64().unwrap() > 2 && calls["reserved"] == 0, "{row}");
    let (code, out, err) = run(masthead(home).args(["runs", &id[..4]]));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("needs you") && out.contains("\n  ! ") && out.contains(" tool calls of 300\n"), "{out}");
    let done = asked(home, "What is Pinecone?", "--yes");
    let row = &rows(home, &[&done])[0];
    assert!(row["open"].as_array().unwrap().is_empty() && row.get("alarm").is_none(), "{row}");
}

#[test]
fn a_run_is_deleted_with_its_events_tags_and_claim_and_what_is_not_its_own_stays() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let id = asked(home, "What is Qdrant?", "--yes");
    let other = asked(home, "What is Pinecone?", "--yes");
    run(masthead(home).args(["runs", &id, "--tag", "gone"]));
    let (code, _, err) = run(masthead(home).args(["runs", &id, "--delete"]));
    assert!(code == 2 && err.contains("--yes deletes it"), "nobody is there to be asked: {err}");
    let (code, out, err) = run(masthead(home).args(["runs", &id, "--delete", "--yes"]));
    assert!(code == 0 && out.is_empty() && err.contains("is deleted") && err.contains("in the notes stays"), "{err}");
    assert_eq!(ids(home, &[]), [other.as_str()]);
    assert!(ids(home, &["--tag", "gone"]).is_empty() && !home.join(format!("data/claims/{id}.lock")).exists());
    assert_eq!(run(masthead(home).args(["journal", "verify"])).0, 0);
    assert_eq!(run(masthead(home).args(["export", &other])).0, 0);
    assert_eq!(run(masthead(home).args(["runs", &id])).0, 2);
}

#[test]
fn a_run_at_work_is_not_deleted() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let id = asked(home, "What is Qdrant?", "");
    let folder = home.join("data/claims");
    let lock = std::fs::File::options().write(true).open(folder.join(format!("{id}.lock"))).unwrap();
    lock.lock().unwrap();
    let (code, _, err) = run(masthead(home).args(["runs", &id, "--delete", "--yes"]));
    assert!(code == 2 && err.contains("works on it"), "{err}");
    assert!(rows(home, &[&id])[0]["active"] == true);
}
