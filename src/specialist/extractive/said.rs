//! The words of findings with the headings above them, and the words of a question that neither findings nor sources have.
//! Judges no finding.

use std::collections::BTreeSet;

use super::topic::Tokens;
use run::finding::Finding;
use run::plan::AskedWord;
use text::words::{Language, stem};

/// A claim with its headings and the title of its page, at every place it rests on.
pub(super) fn said_with(finding: &Finding) -> String {
    let mut text = finding.claim.to_string();
    for place in finding.places() {
        for part in place.headings.iter().chain([&place.source.title]) {
            text.push(' ');
            text.push_str(part);
        }
    }
    text
}

/// The words of a claim and of its headings, as stems.
pub(super) fn words_of(finding: &Finding) -> BTreeSet<String> {
    Tokens::of(&said_with(finding)).content()
}

/// Whether the sources do not have a word that is asked for, and nothing that was `said` does.
pub(super) fn is_missing(asked: &AskedWord, said: &BTreeSet<String>) -> bool {
    asked.nowhere && !said.contains(&stem(&asked.word, Language::English))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::finding;

    #[test]
    fn a_word_over_any_of_the_places_of_a_finding_is_said() {
        let asked = AskedWord { word: "Voodoo".into(), weight: 500, read_as: None, nowhere: true, instead: None };
        let mut one = finding(1, "Drivers", "The driver is kept in the first folder.");
        assert!(is_missing(&asked, &words_of(&one)));
        let mut place = one.place.clone().unwrap();
        place.headings = ["Voodoo cards".into()].into();
        one.also_at.push(place);
        assert!(!is_missing(&asked, &words_of(&one)));
        assert!(!is_missing(&AskedWord { nowhere: false, ..asked }, &BTreeSet::new()), "the sources have it");
    }
}
