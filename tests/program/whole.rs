//! The real binary asked questions that name several things, sides and years: each has a cited sentence in the brief, or stands
//! under its gaps, and each of these was searched for.

use std::path::Path;

use kit::{example, run};

use crate::masthead;

/// The brief of a question about the documents of `examples/vector-databases`, and the searches.
fn ask(data: &Path, question: &str) -> (String, Vec<String>) {
    let mut command = masthead(data);
    command.args(["brief", question, "--headless", "--yes", "--sources"]).arg(example("vector-databases"));
    let (code, out, err) = run(&mut command);
    assert_eq!(code, 0, "{out}{err}");
    let brief = out[out.find("\n# ").unwrap_or_else(|| panic!("no brief: {out}"))..].to_owned();
    let (_, dumped, _) = run(masthead(data).args(["journal", "dump", "last"]));
    let mut queries = Vec::new();
    for line in dumped.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        for call in event["calls"].as_array().into_iter().flatten() {
            let request = if call["request"].is_object() { &call["request"] } else { call };
            queries.extend(request["arguments"]["query"].as_str().map(String::from));
        }
    }
    assert!(!queries.is_empty(), "{dumped}");
    (brief, queries)
}

/// The lines under the gaps; none if there is no such heading.
fn gaps(brief: &str) -> Vec<&str> {
    let Some((_, after)) = brief.split_once("\n## Gaps\n") else { return Vec::new() };
    let own = after.split("\n## ").next().unwrap_or("");
    own.lines().filter_map(|line| line.strip_prefix("- ")).collect()
}

#[test]
fn two_things_and_two_sides_are_four_answers_and_no_false_gap() {
    let dir = tempfile::tempdir().unwrap();
    let (brief, _) = ask(dir.path(), "Compare the licence and the cost of pgvector and Qdrant");
    assert!(brief.contains("\n## pgvector\n") && brief.contains("\n## Qdrant\n"), "{brief}");
    assert!(brief.contains("PostgreSQL License") && brief.contains("Apache 2.0"), "{brief}");
    assert_eq!(gaps(&brief), [""; 0], "{brief}");
}

#[test]
fn of_five_things_those_that_are_not_in_the_sources_are_gaps_and_were_searched_for_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let (brief, queries) = ask(dir.path(), "Compare pgvector, Qdrant, Pinecone, Milvus and Weaviate");
    for known in ["pgvector", "Qdrant", "Pinecone"] {
        assert!(brief.contains(&format!("\n## {known}\n")), "{known}: {brief}");
    }
    let missing = ["Milvus: nothing was found in the sources.", "Weaviate: nothing was found in the sources."];
    assert_eq!(gaps(&brief), missing, "{brief}");
    for name in ["Milvus", "Weaviate"] {
        assert!(queries.iter().any(|query| query == name), "{name}: {queries:?}");
    }
}

#[test]
fn a_side_that_the_sources_do_not_know_is_a_gap_of_that_side_only() {
    let dir = tempfile::tempdir().unwrap();
    let (brief, queries) = ask(dir.path(), "Compare pgvector and Qdrant in terms of cost and trademarks");
    assert_eq!(gaps(&brief), ["Nothing was found on “trademarks” of pgvector and Qdrant."], "{brief}");
    assert!(queries.iter().any(|query| query == "Qdrant trademarks"), "{queries:?}");
}

#[test]
fn years_that_a_question_names_are_cited_or_gaps() {
    let dir = tempfile::tempdir().unwrap();
    let (brief, queries) = ask(dir.path(), "Compare pgvector and Qdrant in 1999 and 2001");
    for year in ["1999", "2001"] {
        assert!(gaps(&brief).iter().any(|gap| gap.starts_with(&format!("{year}: nothing was found"))), "{brief}");
        assert!(queries.iter().any(|query| query.contains(year) && !query.starts_with("Compare")), "{queries:?}");
    }
}

#[test]
fn a_brief_ends_where_what_was_found_is_no_longer_about_the_question() {
    let dir = tempfile::tempdir().unwrap();
    let (brief, _) = ask(dir.path(), "Which of them should a small team without an administrator take?");
    for wanted in ["choose the one that your team can operate", "when nobody on the team should operate a database"] {
        assert!(brief.contains(wanted), "{wanted}: {brief}");
    }
    for aside in ["Compute the exact answers once", "Note the memory", "Measure the median"] {
        assert!(!brief.contains(aside), "{aside}: {brief}");
    }
}
