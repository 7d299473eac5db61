//! Reduces a query to its content words. Operators of a backend's query language never get through.

use std::collections::BTreeSet;

use text::common;
use text::words::{fold, is_stop, words};

/// The most words sent.
const MOST_WORDS: usize = 12;
const MOST_BYTES: usize = 300;

/// The content words of a query, each once, in order; all its words if it has none.
pub(super) fn content(query: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let mut bytes = 0;
    let fits = |word: &&str, bytes: &mut usize| {
        *bytes += word.len() + 1;
        *bytes <= MOST_BYTES
    };
    // UAX 29 allows a colon within a word; to backends it is an operator.
    let words = || words(query).flat_map(|word| word.split(':')).filter(|word| !word.is_empty());
    let mut content: Vec<&str> =
        words().filter(|word| !is_stop(word) && seen.insert(fold(word).into_owned())).collect();
    if content.is_empty() {
        content = words().collect();
    }
    content.truncate(MOST_WORDS);
    content.into_iter().take_while(|word| fits(word, &mut bytes)).collect()
}

/// The `most` rarest of these words, in their order; the first of equally rare ones.
pub(super) fn rarest<'a>(content: &[&'a str], most: usize) -> Vec<&'a str> {
    let mut by_share: Vec<usize> = (0..content.len()).collect();
    by_share.sort_by(|a, b| common::share(content[*a]).total_cmp(&common::share(content[*b])));
    by_share.truncate(most);
    by_share.sort_unstable();
    by_share.into_iter().map(|at| content[at]).collect()
}

/// Queries for backends that require every word: all words, then fewer, finally the rarest one.
pub(super) fn narrowing(query: &str) -> Vec<String> {
    let content = content(query);
    let mut tried: Vec<String> = Vec::new();
    for most in [6, 3, 2, 1] {
        let words = rarest(&content, most).join(" ");
        if !words.is_empty() && !tried.contains(&words) {
            tried.push(words);
        }
    }
    tried
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_its_words_and_no_operator() {
        assert_eq!(
            content("How does -photosynthesis \"work\" in intitle:plants OR algae?").join(" "),
            "photosynthesis work intitle plants algae"
        );
        assert_eq!(content("who is it").join(" "), "who is it");
        assert!(content(&"word ".repeat(900)).len() == 1);
    }

    #[test]
    fn what_is_rare_stays_longest() {
        let narrowing =
            narrowing("What are the advantages and disadvantages of photosynthesis in desert plants and cacti?");
        assert_eq!(
            narrowing,
            [
                "advantages disadvantages photosynthesis desert plants cacti",
                "photosynthesis desert cacti",
                "photosynthesis desert",
                "photosynthesis"
            ]
        );
        assert_eq!(super::narrowing("Rust"), ["Rust"]);
    }
}
