//! A question as a set of words: enough to tell quickly, for many tasks, whether two of them ask the same.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use text::words::{fold, is_stop};

/// Words that a question can have more or less of and ask the same.
const LIGHT: &str = "
    basic basically briefly certain current currently describe detail detailed different exactly explain find
    general generally give identify important information key list main mainly major out overall overview please
    primary really relevant research significant specific specifically state summarise summarize tell typical
    various";

static LIGHT_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| LIGHT.split_whitespace().collect());

/// The words of a text that carry meaning, each once, sorted. Held as numbers: two words of one number are taken to be
/// the same, which is one chance in 2⁶⁴.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wording(Vec<u64>);

impl Wording {
    pub(crate) fn of(text: &str) -> Wording {
        Wording::sorted(content(text).map(|word| number(&word)).collect())
    }

    fn sorted(mut numbers: Vec<u64>) -> Wording {
        numbers.sort_unstable();
        numbers.dedup();
        Wording(numbers)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many words it has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many words of the other are in it.
    pub(crate) fn shared(&self, other: &Wording) -> usize {
        other.0.iter().filter(|word| self.0.binary_search(word).is_ok()).count()
    }

    /// Whether every word of the other is in it, and there is one.
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

/// The words that carry meaning, in lower case, one of several as the one.
pub(super) fn content(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’' && c != '+' && c != '#');
    let carries = |word: &str| !word.is_empty() && !is_stop(word);
    let words = words.filter(move |word| carries(word)).map(|word| singular(fold(word).into_owned()));
    words.filter(|word| !LIGHT_WORDS.contains(word.as_str()))
}

fn singular(mut word: String) -> String {
    let long = word.chars().count() > 3;
    if long && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        word.pop();
    }
    word
}

/// FNV-1a.
pub(super) fn number(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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
}
