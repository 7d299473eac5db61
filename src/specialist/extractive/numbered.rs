//! Things that a question names by a number: "error 417", "item 4711", "part 5".
//!
//! Their neighbours have the same words. So they go out where the thing itself is found, and a thing that no sentence has is a gap.

use super::candidate::Candidate;
use text::words::{Language, is_stop, stem, word_indices};

/// A noun with the number behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbered<'t> {
    /// The noun as it is written.
    pub noun: &'t str,
    pub number: &'t str,
    stem: String,
}

impl Numbered<'_> {
    fn is(&self, other: &Numbered<'_>) -> bool {
        self.stem == other.stem && self.number == other.number
    }
}

/// The things that a text names by a number. The number of an edition is none: it is read as such.
pub(super) fn numbered(text: &str) -> Vec<Numbered<'_>> {
    let all: Vec<(usize, &str)> = word_indices(text).collect();
    let of = |pair: &[(usize, &str)]| {
        let [(at, noun), (behind, number)] = *pair else { return false };
        // "When does it run? 2. How …" names nothing.
        let is_one_name = text[at + noun.len()..behind] == *" ";
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let is_noun = noun.len() > 2 && noun.chars().all(char::is_alphabetic) && !is_stop(noun);
        let is_edition = matches!(noun.to_ascii_lowercase().as_str(), "version" | "edition" | "release");
        is_one_name && is_number && is_noun && !is_edition
    };
    let pairs = all.windows(2).filter(|pair| of(pair));
    pairs
        .map(|pair| Numbered { noun: pair[0].1, number: pair[1].1, stem: stem(pair[0].1, Language::English) })
        .collect()
}

/// Leaves out candidates on a neighbour of the thing that is asked for, if that is among them.
pub(super) fn keep_asked(found: &mut Vec<Candidate>, question: &str) {
    let asked = numbered(question);
    if asked.is_empty() {
        return;
    }
    let named = |c: &Candidate| -> (bool, bool) {
        let texts = c.block.headings.last().into_iter().map(|heading| heading.as_str()).chain([c.claim.text.as_str()]);
        let all: Vec<Numbered<'_>> = texts.flat_map(numbered).collect();
        let is_asked = all.iter().any(|thing| asked.iter().any(|asked| asked.is(thing)));
        (is_asked, !is_asked && all.iter().any(|thing| asked.iter().any(|asked| asked.stem == thing.stem)))
    };
    let all: Vec<(bool, bool)> = found.iter().map(named).collect();
    if all.iter().any(|(is_asked, _)| *is_asked) {
        let mut is_other = all.into_iter().map(|(_, is_other)| is_other);
        found.retain(|_| is_other.next() == Some(false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_named_by_the_number_behind_its_noun() {
        let told = |text: &'static str| -> Vec<String> {
            numbered(text).into_iter().map(|thing| format!("{} {}", thing.noun, thing.number)).collect()
        };
        assert_eq!(told("What does error 417 mean, and what item 4711?"), ["error 417", "item 4711"]);
        for text in [
            "What is new in version 3?",
            "Is 2.0 faster?",
            "How many of the 12 are left?",
            "When does it run?\n2. How?",
        ] {
            assert!(told(text).is_empty(), "{text}: {:?}", told(text));
        }
    }
}
