//! A question as a set of words: enough to tell quickly, for many tasks, whether two ask the same.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use text::hash::{SEED, hash};
use text::words::{Language, fold, is_stop, stem};

/// Words that do not change the meaning of a question.
const LIGHT: &str = "
    basic basically briefly certain current currently describe detail detailed different exactly explain find
    general generally give identify important information key list main mainly major out overall overview please
    primary really relevant research significant specific specifically state summarise summarize tell typical
    various";

/// Words for how a thing behaves at large: beside the words for its action, they ask nothing more.
const MANNER: &str = "behave behavior behaviour handle handled handling happen happened happening work working";

static MANNER_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| MANNER.split_whitespace().collect());
static LIGHT_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| LIGHT.split_whitespace().collect());

/// The content words of a text, sorted and without repeats. Stored as hashes: two different words collide with a chance
/// of 1 in 2⁶⁴.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wording(Vec<u64>);

impl Wording {
    pub(crate) fn of(text: &str) -> Wording {
        Wording::made(text, |word| word)
    }

    /// Of the stems of its words: "encrypts" names encryption.
    pub(crate) fn of_stems(text: &str) -> Wording {
        Wording::made(text, |word| if is_version(&word) { word } else { stem(&word, Language::English) })
    }

    fn made(text: &str, form: impl Fn(String) -> String) -> Wording {
        let mut numbers = Vec::new();
        // "Engine 4" is named only by a 4 right after "engine".
        let mut numbered: Option<String> = None;
        for word in content(text).map(form) {
            // A text on 3.10.2 is on 3.10 as well.
            for end in word.match_indices('.').map(|(at, _)| at).chain([word.len()]) {
                numbers.push(number(&word[..end]));
                if let Some(thing) = numbered.as_ref().filter(|_| is_version(&word) && !is_year(&word)) {
                    numbers.push(number(&format!("{thing} {}", &word[..end])));
                }
            }
            if !is_version(&word) {
                numbered = Some(word);
            }
        }
        Wording::sorted(numbers)
    }

    /// The stems of the content words, without those that make no other question: two questions with the same ones ask
    /// the same in other words.
    pub(super) fn in_stems(text: &str) -> Wording {
        let asks = content(text).filter(|word| !MANNER_WORDS.contains(word.as_str()));
        Wording::sorted(asks.map(|word| number(&stem(&word, Language::English))).collect())
    }

    fn sorted(mut numbers: Vec<u64>) -> Wording {
        numbers.sort_unstable();
        numbers.dedup();
        Wording(numbers)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of its words.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of words that both have.
    pub(crate) fn shared(&self, other: &Wording) -> usize {
        other.0.iter().filter(|word| self.0.binary_search(word).is_ok()).count()
    }

    /// Whether it contains every word of the other, which must not be empty.
    pub(crate) fn names(&self, other: &Wording) -> bool {
        !other.is_empty() && other.0.iter().all(|word| self.0.binary_search(word).is_ok())
    }

    pub(crate) fn with(&self, other: &Wording) -> Wording {
        Wording::sorted(self.0.iter().chain(&other.0).copied().collect())
    }

    pub(crate) fn without(&self, other: &Wording) -> Wording {
        Wording(self.0.iter().copied().filter(|word| other.0.binary_search(word).is_err()).collect())
    }

    /// Whether the two have a word in common.
    pub(crate) fn meets(&self, other: &Wording) -> bool {
        self.0.iter().any(|word| other.0.binary_search(word).is_ok())
    }
}

/// The content words, in lower case and in the singular.
pub(crate) fn content(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"'’+#.".contains(c)).map(|word| word.trim_matches('.'));
    let words = words.flat_map(|word| word.split(move |c| c == '.' && !is_version(word)));
    let carries = |word: &str| !word.is_empty() && !is_stop(word);
    let words = words.filter(move |word| carries(word)).map(|word| singular(fold(word).into_owned()));
    words.filter(|word| !LIGHT_WORDS.contains(word.as_str()))
}

/// Whether a word is a number, or several separated by dots.
fn is_version(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && !word.contains('.')
}

fn singular(mut word: String) -> String {
    let long = word.chars().count() > 3;
    if long && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        word.pop();
    }
    word
}

/// A number that stands for a text: equal texts have equal ones.
pub(super) fn number(text: &str) -> u64 {
    hash(SEED, text.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_adds_nothing_is_not_heard_and_what_does_is() {
        for (a, b, same) in [
            ("What are the trade-offs of Qdrant?", "what are the main trade-offs of qdrant", true),
            ("What does it cost?", "What do they cost?", true),
            ("Explain the limits of pgvector.", "Which limits does pgvector have?", true),
            ("limit", "limits", true),
            ("What changed in 3.10?", "What changed in 3.11?", false),
            ("pgvector: cost", "Qdrant: cost", false),
            ("C++ and its costs", "C# and its costs", false),
        ] {
            assert_eq!(Wording::of(a) == Wording::of(b), same, "{a} / {b}");
        }
    }

    #[test]
    fn a_thing_with_a_number_is_named_only_where_the_number_is_its_own() {
        for (text, name, named) in [
            ("Engine 4 keeps 1 fact.", "Engine 4", true),
            ("Engines 1 and 4 keep facts.", "Engine 4", true),
            ("Engine 2 keeps 4 facts.", "Engine 4", false),
            ("What 3.11 brings, in 10 points", "3.10", false),
            ("Changes of Python 3.10.2", "Python 3.10", true),
            ("HTTP/2 and its streams", "HTTP 2", true),
            ("Prices of 2023 and 2024", "2024", true),
            ("Prices fell in 2024.", "prices in 2024", true),
        ] {
            assert_eq!(Wording::of(text).names(&Wording::of(name)), named, "{text} / {name}");
        }
    }
}
