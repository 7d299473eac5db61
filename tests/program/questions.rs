//! The real binary asked twelve questions at once: more than one can lead, so editors lead sections of them.

use std::path::Path;

use kit::{example, run};

use crate::masthead;

const QUESTIONS: [&str; 12] = [
    "What is pgvector?",
    "What is Qdrant?",
    "What is Pinecone?",
    "How does pgvector store vectors?",
    "How does Qdrant filter results?",
    "What does Pinecone charge for?",
    "What is the difference between an HNSW index and an IVFFlat index?",
    "What is a payload in Qdrant?",
    "What limits the dimensions of a vector in pgvector?",
    "How is data replicated in Qdrant?",
    "What is a namespace in Pinecone?",
    "How do I bake bread?",
];

fn ask(data: &Path, question: &str) -> (i32, String, String) {
    let mut command = masthead(data);
    command.args(["brief", question, "--headless", "--yes", "--sources"]).arg(example("vector-databases"));
    run(&mut command)
}

fn brief(out: &str) -> &str {
    &out[out.find("\n# ").unwrap_or_else(|| panic!("no brief: {out}")) + 1..]
}

#[test]
fn twelve_questions_are_led_in_sections_and_each_is_answered_under_its_own_heading_or_said_to_be_missing() {
    let dir = tempfile::tempdir().unwrap();
    let bulleted: String = QUESTIONS.iter().map(|question| format!("* {question}\n")).collect();
    let (code, out, err) = ask(dir.path(), &bulleted);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.lines().filter(|line| line.contains("editor · ") && line.contains("● started")).count(), 2, "{out}");
    assert!(out.contains("12 tasks"), "{out}");
    let first = brief(&out);
    assert!(first.starts_with("# 12 questions\n"), "{first}");
    let (body, sources) = first.split_once("\n## Sources\n").expect("sources");
    let mut at = 0;
    for question in QUESTIONS {
        // In the order in which they were asked.
        match body.find(&format!("\n## {question}\n")) {
            Some(found) => {
                assert!(found > at, "{question}: {first}");
                at = found;
            }
            None => assert!(body.contains(question) || body.contains("## Gaps"), "{question} is lost: {first}"),
        }
    }
    let answered = QUESTIONS.iter().filter(|question| body.contains(&format!("\n## {question}\n"))).count();
    assert!(answered >= 9, "{answered} of 12: {first}");
    assert!(!body.contains("\n## How do I bake bread?\n") && body.contains("bread"), "it is not made up: {first}");
    let cited = body.match_indices('[').filter_map(|(at, _)| body[at + 1..].split(']').next()?.parse::<usize>().ok());
    assert!(cited.clone().count() > 20, "{first}");
    assert!(cited.clone().all(|n| sources.contains(&format!("[{n}] "))), "{first}");
    // Asked in another form, it is the same list; and the same list is the same brief.
    let numbered: String = QUESTIONS.iter().zip(1..).map(|(question, n)| format!("{n}. {question} ")).collect();
    let (_, again, _) = ask(dir.path(), &numbered);
    assert_eq!(first, brief(&again));
}
