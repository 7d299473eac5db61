//! Pointers: entries in a list of documents, as in a README ("runbook.md: what to do at night"). They name a place to
//! look and answer nothing.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::tool_results::ToolResults;
use crate::words::{WORDS, has_word};
use run::evidence::BlockKind;

/// Removes candidates that describe a document or folder of the collection, unless the question asks for documents.
pub(super) fn leave_out(found: &mut Vec<Candidate>, question: &str, results: &ToolResults) {
    if has_word(question, usize::MAX, &WORDS.asks_for_documents) {
        return;
    }
    let mut keys: BTreeSet<String> = found.iter().filter_map(key).collect();
    if keys.is_empty() {
        return;
    }
    let read = results.lengths.keys().map(String::as_str);
    let hits = results.hits().flat_map(|(_, hits)| hits.hits.iter().map(|hit| hit.source.path.as_str()));
    let names: BTreeSet<String> = read.chain(hits).flat_map(|path| path.split('/')).map(str::to_lowercase).collect();
    keys.retain(|key| names.contains(key));
    found.retain(|candidate| !key(candidate).is_some_and(|key| keys.contains(&key)));
}

/// The name of a file or folder at the beginning of an entry, in lower case.
fn key(candidate: &Candidate) -> Option<String> {
    let text = &candidate.block.text;
    let (key, _) = match candidate.block.kind {
        BlockKind::TableRow => text.split_once(" | ")?,
        BlockKind::KeyValue | BlockKind::ListItem => text.split_once(": ")?,
        _ => return None,
    };
    let name = key.trim_matches(['`', ' ']);
    let is_path = name.ends_with('/') || name.trim_start_matches('.').contains('.');
    (is_path && !name.contains(' '))
        .then(|| name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_lowercase())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::{Block, SourceRef};

    /// The names of the entries that remain for a question, in the README of a runbook and a folder of decisions.
    fn left(question: &str) -> Vec<String> {
        let mut results = ToolResults::default();
        let rows = [
            "runbook.md | what to do at night when it is down",
            "decisions/ | what was decided at night and why",
            "the night | what happens then and who is called",
        ];
        let rows = rows.map(|text| ("README.md", BlockKind::TableRow, text));
        let others = ["runbook.md", "decisions/001.md"].map(|path| (path, BlockKind::Paragraph, "Call at night."));
        for ((path, kind, text), no) in rows.into_iter().chain(others).zip(0..) {
            let source = SourceRef { path: path.into(), ..source(path) };
            let intro = Some("entry | what it is about".into());
            results.lengths.insert(path.into(), 1);
            results.blocks.insert((path.into(), no), (source, Arc::new(Block { no, kind, intro, ..block(text) })));
        }
        let mut found = candidates(&results, &Topic::new(["night"], [""; 0]), Code::Allowed);
        found.retain(|candidate| &*candidate.source.path == "README.md");
        leave_out(&mut found, question, &results);
        found.into_iter().map(|candidate| candidate.block.text.split(" | ").next().unwrap_or_default().into()).collect()
    }

    #[test]
    fn entries_of_a_list_of_documents_answer_only_a_question_for_documents() {
        assert_eq!(left("what do I do at night"), ["the night"]);
        assert_eq!(left("which file says what to do at night").len(), 3);
    }
}
