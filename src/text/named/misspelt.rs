//! Words by which the form of a question is read, if they are misspelt: "what's the differnce between A and B". Names stay as written.

use std::borrow::Cow;

use crate::edits::distance;

const READ_BY: &[&str] = &[
    "difference",
    "differences",
    "between",
    "compare",
    "comparison",
    "advantages",
    "disadvantages",
    "drawbacks",
    "benefits",
];

/// The fewest letters of a word that is taken for another one.
const LEAST_LETTERS: usize = 6;

/// A question with those words as they are meant.
pub fn as_meant(question: &str) -> Cow<'_, str> {
    let mut meant = Cow::Borrowed(question);
    let words: Vec<&str> = question.split(|c: char| !c.is_alphanumeric()).filter(|word| word.is_ascii()).collect();
    for (word, other) in words.into_iter().filter_map(|word| Some((word, read_by(word)?))) {
        meant = meant.replacen(word, other, 1).into();
    }
    meant
}

/// The word of which this is a slip: one letter is wrong, missing or too many, or two have changed places.
fn read_by(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let is_slip = |other: &str| distance(&word, other) == 1 && !word.starts_with(other) && !other.starts_with(&word);
    let is_known = word.len() < LEAST_LETTERS || READ_BY.contains(&word.as_str());
    READ_BY.iter().copied().find(|other| !is_known && word.starts_with(&other[..1]) && is_slip(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_a_word_by_which_a_question_is_read_is_mended_and_nothing_else() {
        for (asked, meant) in [
            ("differnce between allergy and intolerance", "difference between allergy and intolerance"),
            ("what are the diferences betwen A and B", "what are the differences between A and B"),
            ("Compaer A and B", "compare A and B"),
            ("advantges of A", "advantages of A"),
        ] {
            assert_eq!(as_meant(asked), meant);
        }
        for same in [
            "what is compared here",
            "how does it differ, and what benefit has it",
            "what is a comparator",
            "a different one",
            "the compass and the company",
            "größe",
        ] {
            assert_eq!(as_meant(same), same);
        }
    }
}
