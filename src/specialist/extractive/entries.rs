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

/// If the question names options by a hyphen ("-n") and one of them has an entry, removes candidates that do not name
/// it so: "N" and "n" are other things.
pub(super) fn keep_options(found: &mut Vec<Candidate>, question: &str) {
    if found.iter().any(|candidate| is_of_option(candidate, question)) {
        let says = |c: &Candidate, text: &str| is_of_option(c, question) || names_option(text, question);
        found.retain(|c| says(c, &c.claim.text) || c.block.intro.as_deref().is_some_and(|intro| says(c, intro)));
    }
}

/// Whether a candidate belongs to the entry of an option that the question names by a hyphen.
pub(super) fn is_of_option(candidate: &Candidate, question: &str) -> bool {
    let headings = candidate.block.headings.iter().map(Clean::as_str);
    headings.chain(key(candidate)).any(|over| names_option(over, question))
}

/// Whether a text names an option as the question does: "-n", not "--n", "-nr" or "n".
fn names_option(text: &str, question: &str) -> bool {
    let is_quote = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
    let options = question.split_whitespace().map(|word| word.trim_matches(is_quote));
    let mut options =
        options.filter(|word| word.strip_prefix('-').is_some_and(|name| name.starts_with(char::is_alphabetic)));
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    options.any(|option| {
        text.match_indices(option)
            .any(|(at, _)| !text[..at].ends_with(goes_on) && !text[at + option.len()..].starts_with(goes_on))
    })
}

/// Whether a candidate belongs to a function or option that the question does not ask for: not by its name or the plain words with
/// it, not as one of a kind, and not by asking how to do something. For a question that asks for a definition, the page of another
/// thing is off topic too.
pub(super) fn is_beside(candidate: &Candidate, ask: &Ask) -> bool {
    if ask.definition && is_of_other(&candidate.source.title, ask) {
        return true;
    }
    let mut signatures = signatures(candidate).peekable();
    let is_asked = |heading: &str| {
        let entry = entry(heading).unwrap_or_default();
        let is_called = |name: &str| {
            let name = name.trim_matches(|c: char| !c.is_alphanumeric());
            ask.names(name) || ask.names(name.rsplit(['.', ':']).next().unwrap_or_default())
        };
        // Several names of one option: "‘-q’, ‘--quiet’".
        let mut options = entry.split([',', ' ']).map(|name| name.trim_start_matches(['‘', '“', '\'', '"', '`']));
        is_called(entry)
            || options.any(|name| name.starts_with('-') && is_called(name))
            || ask.share(&Tokens::of(&plain(heading)).content()) >= HEADED
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
    fn an_option_is_named_with_its_hyphen_and_in_its_case() {
        for (text, named) in [
            ("Use -n to print nothing.", true),
            ("‘-n’, ‘--quiet’", true),
            ("tool -n FILE", true),
            ("The N parameter is an extension.", false),
            ("-N adds a line.", false),
            ("--n and -nr are others.", false),
            ("It prints n lines.", false),
        ] {
            assert_eq!(names_option(text, "What does tool `-n` do?"), named, "{text}");
        }
        assert!(!names_option("It takes -1 or 10.", "is it -1"), "a number is no option");
    }

    #[test]
    fn where_an_option_has_an_entry_only_what_names_it_answers() {
        let mut results = ToolResults::default();
        for (no, heading, text) in [
            (0, "-n", "By default, the tool prints the space at the end of each cycle."),
            (1, "N", "The N command adds a new line to the space."),
            (2, "Printing", "The option -n keeps the tool from printing."),
        ] {
            let block = Block { no, headings: Arc::new([heading.into()]), ..block(text) };
            results.blocks.insert(("page".into(), no), (source("Tool"), Arc::new(block)));
        }
        let kept = |question: &str| -> Vec<u32> {
            let mut found = candidates(&results, &Topic::default(), Code::Excluded);
            keep_options(&mut found, question);
            found.iter().map(|candidate| candidate.block.no).collect()
        };
        assert_eq!(kept("what does tool -n do"), [0, 2]);
        assert_eq!(kept("what does tool -x do"), [0, 1, 2], "it has no entry");
        assert_eq!(kept("what does the N command do"), [0, 1, 2]);
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
