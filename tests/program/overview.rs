//! The real binary asked about documents as such: what they are about, in a few sentences.

use std::path::Path;

use kit::{example, run};

use crate::masthead;

/// The brief of a question about these documents.
fn brief(question: &str, sources: &Path) -> String {
    let data = tempfile::tempdir().unwrap();
    let mut command = masthead(data.path());
    command.args(["brief", question, "--headless", "--yes", "--sources"]).arg(sources);
    let (code, out, err) = run(&mut command);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1.to_owned()
}

#[test]
fn documents_are_summarised_by_how_each_of_them_begins() {
    let brief = brief("Summarize these documents", &example("vector-databases"));
    assert!(brief.contains("told is how each of them begins"), "{brief}");
    for begins in [
        "## pgvector at a glance\n\npgvector is an open-source extension that adds vector similarity search to PostgreSQL.",
        "## Pinecone overview\n\nPinecone is a managed vector database.",
        "## Qdrant overview\n\nQdrant is an open-source vector search engine written in Rust.",
    ] {
        assert!(brief.contains(begins), "{begins}: {brief}");
    }
    assert_eq!(brief.matches("\n## ").count(), 16, "15 documents and the sources: {brief}");
    assert!(!brief.contains("\n## Gaps"), "{brief}");
}

#[test]
fn a_single_document_is_summarised_by_how_each_of_its_parts_begins() {
    let brief = brief("What is this about?", &example("vector-databases/qdrant/operations.txt"));
    assert!(brief.contains("told is how each of its parts begins"), "{brief}");
    for begins in ["## Disks\n\nQdrant needs block storage", "## Memory\n\nA rough estimate", "## Ports and paths\n"] {
        assert!(brief.contains(begins), "{begins}: {brief}");
    }
    let at = |heading: &str| brief.find(&format!("\n## {heading}\n")).unwrap();
    assert!(at("Disks") < at("Memory") && at("Memory") < at("Backups"), "in the order of the document: {brief}");
}

#[test]
fn of_many_documents_those_come_first_that_introduce_the_others_and_the_rest_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    for n in 1..=25 {
        let text = format!("# Station {n}\n\nStation {n} measures the depth of the snow.\n");
        std::fs::write(folder.path().join(format!("station-{n:02}.md")), text).unwrap();
    }
    let readme = "# The network\n\nThe network measures snow in twenty-five places.\n";
    std::fs::write(folder.path().join("README.md"), readme).unwrap();
    let brief = brief("Give me a short overview of all files", folder.path());
    assert!(brief.contains("told is how 20 of 26 documents begin"), "{brief}");
    let first = brief.split("\n## ").nth(1).unwrap();
    assert!(first.starts_with("The network\n\nThe network measures snow"), "{brief}");
}
