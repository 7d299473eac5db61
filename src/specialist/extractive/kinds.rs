//! The kinds of a thing: "which storage pools are there" is answered by a sentence that names them, and by the first
//! sentence on each, if the sources list them.

mod item;
mod list;

pub(super) use item::is_only_named;

use std::collections::BTreeSet;

use crate::words::WORDS;
use text::words::{Language, fold, is_stop, stem, words};

/// The fewest kinds in a list: two are named in a sentence.
const LEAST: usize = 3;
/// The most words of a name: "queue modes", "load balancing algorithms".
const MOST_WORDS: usize = 4;
/// The most words read after the name: "can a package have".
const MOST_AFTER: usize = 5;
/// The most words of a kind's name in a sentence that names kinds.
const MOST_OF_KIND: usize = 5;

/// The thing whose kinds a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kinds {
    /// The last word of its name, as asked.
    head: String,
    /// The stems of its name.
    name: BTreeSet<String>,
    /// The stems of its owner: "in bash".
    owner: BTreeSet<String>,
}

impl Kinds {
    /// Reads the thing whose kinds a question asks for: "which levels are there", "what kinds of volumes does it have".
    pub fn asked(question: &str) -> Option<Kinds> {
        let lower = question.to_lowercase();
        let asked: Vec<&str> = words(&lower).collect();
        (1..asked.len())
            .filter(|at| matches!(asked[at - 1], "which" | "what"))
            .find_map(|at| Kinds::named(&asked[at..]))
    }

    /// Reads the thing that a question asks for in the plural, as the rows of a table may have it: "what are the exit
    /// codes of it".
    pub fn of_a_table(question: &str) -> Option<Kinds> {
        let lower = question.to_lowercase();
        let rest = lower.split_once("what are the ").map(|(_, rest)| words(rest).collect::<Vec<_>>())?;
        let name = rest.iter().take_while(|word| !is_stop(word)).count();
        let (name, after) = rest.split_at(name);
        let head = name.last().filter(|head| head.ends_with('s') && name.len() <= MOST_WORDS)?;
        let owner = after.iter().filter(|word| !is_stop(word));
        Some(Kinds { head: (*head).to_string(), name: stems(name.iter()), owner: stems(owner) })
    }

    /// Reads it from the words after "which" or "what".
    fn named(asked: &[&str]) -> Option<Kinds> {
        let before = asked.iter().take_while(|word| WORDS.before_kinds.contains(**word)).count();
        let (is_of_them, asked) = (asked.first() == Some(&"are"), &asked[before..]);
        let is_kind = |word: &&str| WORDS.kinds_of.contains(*word);
        let (of_kinds, asked) = match asked {
            [kind, "of", asked @ ..] if is_kind(kind) => (true, asked),
            asked => (false, asked),
        };
        let name = asked.iter().take_while(|word| !is_stop(word) && !WORDS.there_are.contains(**word)).count();
        let (name, after) = asked.split_at(name);
        // "Message types" are types of messages.
        let plain: Vec<&str> = name.iter().copied().filter(|word| !is_kind(word)).collect();
        let of_kinds = of_kinds || name.last().is_some_and(is_kind);
        let head = plain.last()?;
        let clause = || after.iter().take_while(|word| !WORDS.after_kinds.contains(**word)).take(MOST_AFTER);
        let are_there = head.ends_with('s') && !is_of_them && clause().any(|word| WORDS.there_are.contains(*word));
        let owner = clause().filter(|word| !is_stop(word) && !WORDS.there_are.contains(**word));
        let (name, owner) = (stems(plain.iter()), stems(owner));
        let is_asked = (of_kinds || are_there) && plain.len() <= MOST_WORDS;
        is_asked.then(|| Kinds { head: (*head).to_string(), name, owner })
    }

    /// Whether a text announces all kinds, as a heading or an introduction does.
    fn is_over(&self, text: &str) -> bool {
        let folded: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
        let is_plural = self.head.ends_with('s') && folded.contains(&self.head);
        let says_kinds = folded.iter().any(|word| WORDS.kinds_of.contains(word.as_str()));
        is_plural || says_kinds && folded.iter().any(|word| self.is_head(word))
    }

    /// Whether a word is the last of the name, in any form.
    fn is_head(&self, word: &str) -> bool {
        stem(word, Language::English) == stem(&self.head, Language::English)
    }

    /// Whether a sentence lists the kinds: "There are two kinds of it: one and another".
    pub fn are_named_in(&self, claim: &str) -> bool {
        WORDS.before_names.splits(claim).any(|(before, after)| {
            let parts = after.split(", ").flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" or "));
            let names: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
            let are_short = names.iter().all(|name| (1..=MOST_OF_KIND).contains(&words(name).count()));
            let are_two = words(before).any(|word| fold(word) == "two");
            are_short && names.len() >= if are_two { 2 } else { LEAST } && self.is_over(before)
        })
    }
}

fn stems<'w>(words: impl Iterator<Item = &'w &'w str>) -> BTreeSet<String> {
    words.map(|word| stem(word, Language::English)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_of_a_thing_are_asked_for_with_a_word_for_kinds_or_that_there_are_any() {
        for (question, head) in [
            ("which backup levels are there", Some("levels")),
            ("what kinds of expansion are there in bash", Some("expansion")),
            ("which message types are there", Some("message")),
            ("what are the different types of storage pools", Some("pools")),
            ("Which priorities can a package have?", Some("priorities")),
            ("which kind of data belongs in each directory", None),
            ("what are the rules for naming levels", None),
            ("which files are deleted when there is no room", None),
            ("which options does it have", Some("options")),
            ("what is a level", None),
        ] {
            let kinds = Kinds::asked(question);
            assert_eq!(kinds.as_ref().map(|kinds| kinds.head.as_str()), head, "{question}");
        }
    }

    #[test]
    fn what_a_table_may_have_is_asked_for_in_the_plural() {
        for (question, head) in [
            ("What are the exit codes of the tool?", Some("codes")),
            ("what are the units", Some("units")),
            ("what are the rules for naming levels", Some("rules")),
            ("what are hard links", None),
            ("what is the exit code", None),
        ] {
            let asked = Kinds::of_a_table(question);
            assert_eq!(asked.as_ref().map(|kinds| kinds.head.as_str()), head, "{question}");
        }
    }

    #[test]
    fn a_sentence_names_kinds_one_after_the_other() {
        let kinds = Kinds::asked("which kinds of fencing are there").expect("it asks for kinds");
        for (claim, wanted) in [
            ("There are two kinds of fencing: resource level and node level.", true),
            ("There are seven kinds of fencing performed: one, two, three, and four.", true),
            ("Fencing is important, useful, and neglected.", false),
            ("There are two kinds of fencing, of which one is not used.", false),
            ("The kinds of cats are black, white and red.", false),
        ] {
            assert_eq!(kinds.are_named_in(claim), wanted, "{claim}");
        }
    }
}
