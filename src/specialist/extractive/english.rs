//! Whether a text is in English, by its function words. It tells no other language from another.

use crate::words::WORDS;
use text::words::{fold, function_words, is_stop, words};

/// The fewest words of a text whose function words show its language.
const LEAST_TO_TELL: usize = 10;
/// English has at least one function word in this many words, or in the second number of them if other languages share each one.
const ONE_IN: usize = 10;
const ONE_IN_IF_SHARED: usize = 5;

/// Whether a text may be English: a short one, or one with function words.
pub(super) fn reads_as_english(text: &str) -> bool {
    let (all, of_english) = function_words(words(text));
    let is_shared = |word: &str| !is_stop(word) || WORDS.of_other_languages.contains(&*fold(word));
    let one_in = if words(text).all(is_shared) { ONE_IN_IF_SHARED } else { ONE_IN };
    all < LEAST_TO_TELL || of_english * one_in >= all
}

/// Whether a question is put in English, by its function words: three at least, and a quarter of it.
pub(super) fn is_in_english(question: &str) -> bool {
    let (all, of_english) = function_words(words(question));
    of_english >= 3 && of_english * 4 >= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_english_has_function_words() {
        for text in [
            "The worker is based on the first one, with two threads for each process.",
            "Le module est fondé sur le premier, qui a deux fils pour chaque processus.",
            "Windows tilbyder en funktion, kaldt “fast boot” i Windows 8, “fast startup” i Windows 10, til at formindske tiden.",
            "Write-Ahead Logging (WAL) is a standard method for ensuring data integrity.",
            "Le module vite.",
        ] {
            assert_eq!(reads_as_english(text), !text.contains("fondé") && !text.contains("tilbyder"), "{text}");
        }
    }
}
