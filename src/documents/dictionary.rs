//! The words of the language: they tell split words from two, and slips from names.

/// Whether it is a known word of the language, with or without a prefix: "reinstalling" is correct.
#[cfg(feature = "encoder")]
pub(crate) fn is_word(word: &str) -> bool {
    /// The fewest letters of a word that may have a prefix.
    const LEAST_BEHIND_PREFIX: usize = 5;
    let prefixes = ["auto", "de", "dis", "mis", "multi", "non", "over", "pre", "re", "sub", "un", "under"];
    let mut without = prefixes.iter().filter_map(|prefix| word.strip_prefix(prefix));
    meaning::is_word(word) || without.any(|rest| rest.len() >= LEAST_BEHIND_PREFIX && meaning::is_word(rest))
}

/// Without the encoder no words are known.
#[cfg(not(feature = "encoder"))]
pub(crate) fn is_word(_: &str) -> bool {
    false
}
