//! Entries: the sections of single options, functions and files, as manuals list them.
//!
//! It does not read the text of entries. If a question names an option that has an entry, other entries are off topic
//! unless they mention the option.

use std::collections::BTreeSet;

use super::ask::Ask;
use super::candidate::Candidate;
use super::headings::{entry, is_signature, is_technical, member, unnumbered};
use super::kind::HEADED;
use super::topic::Tokens;
use run::evidence::BlockKind;
use text::Clean;
use text::words::fold;

/// Removes candidates from the entries of options that the question does not name.
pub(super) fn keep_asked(found: &mut Vec<Candidate>, question: &str) {
    let asked: BTreeSet<String> = question.split_whitespace().filter_map(name).collect();
    let with_entries: BTreeSet<String> = found.iter().filter_map(own).filter(|own| asked.contains(own)).collect();
    if with_entries.is_empty() {
        return;
    }
    found.retain(|candidate| {
        let names = |text: &str| {
            let text = fold(text);
            with_entries.iter().any(|asked| has_name(&text, asked))
        };
        let headings = || candidate.block.headings.iter().any(|heading| names(heading));
        own(candidate).is_none_or(|own| with_entries.contains(&own)) || headings() || names(&candidate.claim.text)
    });
}

/// Whether a candidate belongs to a function or option that the question does not ask for: not by its name or the plain
/// words with it, not as one of a kind, and not by asking how to do something. For a question what a thing is, the page
/// of another thing is off topic too.
pub(super) fn is_beside(candidate: &Candidate, ask: &Ask) -> bool {
    if ask.definition && is_of_other(&candidate.source.title, ask) {
        return true;
    }
    let mut signatures = signatures(candidate).peekable();
    let is_asked = |heading: &str| {
        let name = entry(heading).unwrap_or_default().trim_start_matches('-');
        let last = name.rsplit(['.', ':']).next().unwrap_or_default();
        ask.names(name) || ask.names(last) || ask.share(&Tokens::of(&plain(heading)).content()) >= HEADED
    };
    signatures.peek().is_some() && !ask.for_entries && !signatures.any(is_asked)
}

/// The functions and options in the headings above a candidate, and the option that its line describes.
pub(super) fn signatures(candidate: &Candidate) -> impl Iterator<Item = &str> {
    let headings = candidate.block.headings.iter().map(Clean::as_str);
    headings.chain(key(candidate)).filter(|over| is_signature(over))
}

/// The key of a candidate that describes an option in one line: "--all" of "--all: …".
fn key(candidate: &Candidate) -> Option<&str> {
    let block = &candidate.block;
    block.text.split_once(": ").filter(|_| block.kind == BlockKind::KeyValue).map(|(key, _)| key)
}

/// Whether a page is named after a command, option or file that the question does not mention.
fn is_of_other(title: &str, ask: &Ask) -> bool {
    let title = member(unnumbered(title));
    let is_asked = |part: &str| !part.is_empty() && ask.names(part);
    is_technical(title) && !title.contains(' ') && !title.split(|c: char| !c.is_alphanumeric()).any(is_asked)
}

/// The plain words of a signature: "TCP SYN scan" of "-sS (TCP SYN scan)", none of `imp.release_lock()`.
fn plain(signature: &str) -> String {
    let is_plain = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        !word.starts_with('-') && bare.chars().all(|c| c.is_alphabetic() || c == '-')
    };
    signature.split_whitespace().filter(is_plain).collect::<Vec<_>>().join(" ")
}

/// The name of the entry of a candidate: its key, or a heading above it.
pub(super) fn own(candidate: &Candidate) -> Option<String> {
    let headings = candidate.block.headings.iter().rev().map(Clean::as_str);
    key(candidate).into_iter().chain(headings).find_map(|over| {
        let over = entry(over).unwrap_or_else(|| member(unnumbered(over)));
        name(over).filter(|_| !over.contains(' '))
    })
}

/// Whether a text contains a name by itself, not as part of another: "sync" in "fsync" or "sync-all".
fn has_name(text: &str, name: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let joined = |rest: &str, mark: char| rest.strip_prefix(mark).is_some_and(|rest| rest.starts_with(goes_on));
        !before.trim_end_matches('-').ends_with(goes_on) && !after.starts_with(goes_on) && !joined(after, '-')
    })
}

/// A word that can only be the name of an option or function: "harden-glue", "--all", "PermitRootLogin". Paths do not
/// count: a question with a path may be about its neighbours.
fn name(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/' | '~' | '$'));
    let name = word.trim_start_matches('-');
    let is_name = is_technical(name) || word.starts_with("--") && !name.is_empty();
    (is_name && !name.contains(['/', '~'])).then(|| fold(name).into_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::Block;
    use run::id::TaskId;
    use run::plan::{Shape, Task};

    #[test]
    fn a_name_is_named_by_itself_alone() {
        for (text, named) in [
            ("fsync-mode is kept.", false),
            ("The option sync-mode is kept.", true),
            ("See --sync-mode=full.", true),
            ("sync-mode-all is another.", false),
            ("sync-modes are others.", false),
            ("my_sync-mode", false),
            ("full-sync-mode", false),
            ("(sync-mode)", true),
        ] {
            assert_eq!(has_name(text, "sync-mode"), named, "{text}");
        }
    }

    #[test]
    fn a_function_that_the_question_does_not_ask_for_is_beside_it() {
        for (question, heading, beside) in [
            ("What is the global lock?", "PyThreadState_Get()", true),
            ("What does PyThreadState_Get do?", "PyThreadState_Get()", false),
            ("What does Popen() return?", "class subprocess.Popen(args)", false),
            ("What is --delete for?", "--delete", false),
            ("What is the global lock?", "--delete", true),
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
            let found = candidates(&results, &Topic::new(["global lock"], [""; 0]), Code::Allowed);
            assert_eq!(is_beside(&found[0], &ask), beside, "{question} {heading}");
            if heading.starts_with("--") {
                let line = format!("{heading}: The global lock is held by it.");
                let own = Block { headings: [].into(), kind: BlockKind::KeyValue, ..(*found[0].block).clone() };
                let mut of_line = found[0].clone();
                of_line.block = Arc::new(Block { text: line.as_str().into(), ..own });
                assert_eq!(is_beside(&of_line, &ask), beside, "{question} {line}");
            }
        }
    }
}
