//! The kind of statement that a question asks for: a definition, a limit, removals; and which sentences are of that
//! kind. Whether they are about the same thing is checked elsewhere.

use crate::numbers::has_digit;
use crate::words::WORDS;
use run::evidence::Block;
use text::words::{is_stop, words};

/// Whether a question asks what a thing is: "what is a checkpoint", "explain rebase"; not "what is the best way", "what
/// is needed".
pub(super) fn asks_for_a_definition(question: &str) -> bool {
    let asked = apart(question);
    // "a checkpoint: what is it good for".
    let is_of_the_head = |rest: &str| ["it ", "this ", "that "].iter().any(|word| rest.starts_with(word));
    let names = |rest: &str| {
        let first = rest.split(' ').find(|word| !matches!(*word, "a" | "an" | "the"));
        let is_thing = |word: &str| {
            let is_asked_of_it = WORDS.asked_of_a_thing.contains(word) || word.ends_with("ed");
            !word.is_empty() && !is_stop(word) && !is_asked_of_it && !asks_for_a_limit(rest)
        };
        is_of_the_head(rest) || first.is_some_and(is_thing)
    };
    let what_it_does = |rest: &str| WORDS.does.end(rest) && names(rest);
    WORDS.asks_for_a_definition.rests(&asked).any(names) || WORDS.asks_what_it_does.rests(&asked).any(what_it_does)
}

/// Whether a question asks for a limit: "max size of a message".
pub(super) fn asks_for_a_limit(question: &str) -> bool {
    let asked = apart(question);
    // "How many jobs can an array have".
    let asks_how_many = asked.split_once(" how many ").is_some_and(|(_, rest)| rest.contains(" can "));
    asks_how_many || WORDS.asks_for_a_limit.are_in(&asked)
}

/// Whether a sentence mentions a limit.
pub(super) fn is_of_a_limit(claim: &str) -> bool {
    WORDS.limits.are_in(&apart(claim))
}

/// Whether a sentence gives the value of a limit.
pub(super) fn gives_a_limit(claim: &str) -> bool {
    has_digit(claim) && is_of_a_limit(claim)
}

/// Whether a question asks for things that were or will be removed: "which options were removed"; not "what happens
/// when it is removed".
pub(super) fn asks_for_removals(question: &str) -> bool {
    let asked = apart(question);
    let asks_which = asked.contains(" which ") || asked.contains(" what ");
    asks_which && !WORDS.not_for_removals.are_in(&asked) && WORDS.asks_for_removals.are_in(&asked)
}

/// Whether a block, or a heading or introduction above it, reports a removal: its other sentences advise on the change.
pub(super) fn tells_of_removal(block: &Block) -> bool {
    let texts = block.headings.iter().chain(&block.intro).map(|text| text.as_str()).chain([block.text.as_str()]);
    texts.into_iter().any(|text| WORDS.removals.are_in(&apart(text)))
}

/// The words of a text in lower case, each between spaces.
fn apart(text: &str) -> String {
    let mut apart = String::from(" ");
    for word in words(text) {
        apart.extend(word.chars().flat_map(char::to_lowercase));
        apart.push(' ');
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::block;

    #[test]
    fn what_a_thing_is_is_asked_for_in_few_ways() {
        for (question, wanted) in [
            ("What is write-ahead logging, and what is it good for?", true),
            ("whats a conffile", true),
            ("what is a type hint", true),
            ("Explain rebase.", true),
            ("lazy loading: what is it", true),
            ("what does the babel package do", true),
            ("how do I undo a commit", false),
            ("what do I do when the battery is empty", false),
            ("what is the best way to keep a copy", false),
            ("what is needed to build it", false),
            ("what is the maximum size of a row", false),
            ("write-ahead log: what is it good for", true),
            ("Which is the whatis command?", false),
        ] {
            assert_eq!(asks_for_a_definition(question), wanted, "{question}");
        }
    }

    #[test]
    fn a_limit_is_told_in_words_and_a_number() {
        for (question, wanted) in [
            ("max size of a message", true),
            ("How deep can containers be nested?", true),
            ("how much value does my car lose", false),
            ("how do I see the limits of a user", true),
            ("how deep is the lake, and which is the largest", false),
            ("how many jobs can an array have", true),
            ("how many people are on it", false),
        ] {
            assert_eq!(asks_for_a_limit(question), wanted, "{question}");
        }
        assert!(gives_a_limit("Arrays have a maximum length of 64 MiB."));
        assert!(is_of_a_limit("It must not exceed this length.") && !gives_a_limit("It must not exceed this length."));
        assert!(!is_of_a_limit("The header is aligned to 8 bytes."));
    }

    #[test]
    fn what_goes_is_asked_for_and_told_in_words_of_its_own() {
        for (question, wanted) in [
            ("which things does it say it will drop", true),
            ("What was removed in 2.0?", true),
            ("which options are deprecated", true),
            ("What happens to its files when a package is removed?", false),
            ("how do I remove a package", false),
            ("what is the difference between truncate and drop table", false),
            ("which command removes a package", false),
        ] {
            assert_eq!(asks_for_removals(question), wanted, "{question}");
        }
        assert!(tells_of_removal(&block("We intend to remove support for the old layout.")));
        assert!(tells_of_removal(&block("The option --old is deprecated.")));
        assert!(!tells_of_removal(&block("Drop-ins are now allowed for transient units, too.")));
        let below = Block { headings: ["Removed features".into()].into(), ..block("The old layout.") };
        assert!(tells_of_removal(&below));
    }
}
