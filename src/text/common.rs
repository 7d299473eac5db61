//! The frequency of common English words in general prose: for passages outside any collection in which words could be counted.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::words::{Language, fold, stem};

/// Words in about one of 50 passages.
const COMMON: &str = include_str!("common_words.txt");

/// Words in about one of 150 passages.
const OFTEN: &str = include_str!("frequent_words.txt");

/// The assumed share of passages for a word that is everywhere.
pub const EVERYWHERE: f64 = 0.02;

/// The assumed share of passages for any other word.
const RARE: f64 = 0.001;

static COMMON_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| stems(COMMON));
static OFTEN_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| stems(OFTEN));

fn stems(words: &str) -> BTreeSet<String> {
    words.split_whitespace().map(|word| stem(word, Language::English)).collect()
}

/// Whether a word is common in prose on any topic.
pub fn is_common(word: &str) -> bool {
    share(word) > RARE
}

/// The approximate share of passages of general prose that contain a word.
pub fn share(word: &str) -> f64 {
    let stem = stem(&fold(word), Language::English);
    if COMMON_STEMS.contains(&stem) {
        EVERYWHERE
    } else if OFTEN_STEMS.contains(&stem) {
        0.007
    } else {
        RARE
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn what_a_question_is_about_is_rarer_than_how_it_is_asked() {
        for (rare, common) in [
            ("photosynthesis", "works"),
            ("tuberculosis", "treatment"),
            ("Qdrant", "advantages"),
            ("volcano", "causes"),
            ("treaty", "important"),
        ] {
            assert!(share(rare) < share(common), "{rare} {common}");
        }
    }
}
