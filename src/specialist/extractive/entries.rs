//! Entries: the sections of single options, functions and files, as manuals list them.
//!
//! It never reads what entries say.

use super::ask::Ask;
use super::candidate::Candidate;
use super::headings::{entry, is_signature};
use super::rank::HEADED;
use super::topic::Tokens;
use text::Clean;

/// Whether a candidate stands below a function or an option for which the question does not ask: not by its name or the plain words
/// beside that, not for one of its kind, and not for how something is done.
pub(super) fn is_beside(candidate: &Candidate, ask: &Ask) -> bool {
    let mut signatures = candidate.block.headings.iter().filter(|heading| is_signature(heading)).peekable();
    let is_asked = |heading: &Clean| {
        let name = entry(heading).unwrap_or_default().trim_start_matches('-');
        let last = name.rsplit(['.', ':']).next().unwrap_or_default();
        ask.names(name) || ask.names(last) || ask.share(&Tokens::of(&plain(heading)).content()) >= HEADED
    };
    signatures.peek().is_some() && !ask.for_entries && !signatures.any(is_asked)
}

/// The plain words of a signature: "TCP SYN scan" of "-sS (TCP SYN scan)", none of `imp.release_lock()`.
fn plain(signature: &str) -> String {
    let is_plain = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        !word.starts_with('-') && bare.chars().all(|c| c.is_alphabetic() || c == '-')
    };
    signature.split_whitespace().filter(is_plain).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::sample::{block, source};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use run::evidence::Block;
    use run::id::TaskId;
    use run::plan::{Shape, Task};

    #[test]
    fn a_function_that_the_question_does_not_ask_for_is_beside_it() {
        for (question, heading, beside) in [
            ("What is the global lock?", "PyThreadState_Get()", true),
            ("What does PyThreadState_Get do?", "PyThreadState_Get()", false),
            ("What does Popen() return?", "class subprocess.Popen(args)", false),
            ("What is --delete for?", "--delete", false),
            ("How do I take the global lock?", "PyThreadState_Get()", false),
            ("Which command takes the global lock?", "PyThreadState_Get()", false),
            ("Which functions need the global lock?", "PyThreadState_Get()", false),
            ("What is the global lock?", "-L (global lock)", false),
            ("What is the global lock?", "imp.release_lock()", true),
            ("What is the global lock?", "The lock", false),
        ] {
            let block = Block { headings: Arc::new([heading.into()]), ..block("The global lock must be held by it.") };
            let mut results = ToolResults::default();
            results.blocks.insert(("page".into(), 0), (source("Page"), Arc::new(block)));
            let task = Task::new(TaskId(1), "Lock".into(), question.into());
            let ask = Ask::of(&task, Shape::Overview, question, &[], &results);
            let found = candidates(&results, &Topic::new(["global lock"], [""; 0]), Code::Told);
            assert_eq!(is_beside(&found[0], &ask), beside, "{question} {heading}");
        }
    }
}
