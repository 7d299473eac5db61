//! The things that a question counts or measures ("how many days", "how long"), and whether a sentence gives a number of that. It never judges
//! whether the number is the right one.

use std::collections::BTreeSet;

use crate::numbers::has_digit;
use crate::words::WORDS;
use text::words::{Language, fold, is_stop, stem, words};

/// The most words between a number and what it counts: "20 paid days", "weeks: 6 at full pay".
const APART: usize = 3;
/// The most words of the counted thing's name.
const MOST_OF_A_NAME: usize = 2;

/// The thing that a question wants a number of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// Of something that it does not name: "the default", "how big".
    Anything,
    /// Of things with one of these stems, or in units with them.
    Of(BTreeSet<String>),
}

impl Counted {
    /// Reads a question in small letters; None if it asks for no number.
    pub fn asked(question: &str) -> Option<Counted> {
        let stems = |words: &[&str]| words.iter().map(|word| stem(word, Language::English)).collect();
        if let Some(named) = ["how many ", "number of "].iter().find_map(|cue| question.split_once(cue)) {
            let named: Vec<&str> = words(named.1).take_while(|word| !is_stop(word)).take(MOST_OF_A_NAME).collect();
            return Some(if named.is_empty() { Counted::Anything } else { Counted::Of(stems(&named)) });
        }
        if ["how long ", "how often ", "how old "].iter().any(|cue| question.contains(cue)) {
            return Some(Counted::Of(WORDS.units_of_time.iter().map(|unit| stem(unit, Language::English)).collect()));
        }
        WORDS.asks_for_a_number.are_in(question).then_some(Counted::Anything)
    }

    /// The share of a number in the answer: 1 for one of the thing asked for, a half for another, else 0.
    pub fn share(&self, text: &str) -> f64 {
        match self.is_in(text) {
            true => 1.0,
            false => 0.5 * f64::from(u8::from(has_digit(text))),
        }
    }

    /// Whether a text has a number of it.
    pub fn is_in(&self, text: &str) -> bool {
        let Counted::Of(stems) = self else { return has_digit(text) };
        let mut words: Vec<_> = words(text).map(fold).collect();
        // "$50 per day" is no number of days.
        let rates: Vec<usize> = (1..words.len()).filter(|at| words[at - 1] == "per").collect();
        rates.into_iter().for_each(|at| words[at] = "".into());
        let is_number = |word: &str| has_digit(word) || WORDS.number_words.contains(word);
        let is_of = |at: usize| {
            let near = &words[at.saturating_sub(APART)..words.len().min(at + 1 + APART)];
            near.iter().any(|word| stems.contains(&*stem(word, Language::English)))
        };
        words.iter().enumerate().any(|(at, word)| is_number(word) && is_of(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_where_it_is_of_what_was_asked_for() {
        for (question, text, wanted) in [
            ("how many vacation days do I get", "You get 20 days of vacation.", true),
            ("how many vacation days do I get", "The fee is 50 dollars a year.", false),
            ("how many vacation days do I get", "You may spend up to $50 per day.", false),
            ("how many words has a phrase", "A phrase has twelve words.", true),
            ("how long is parental leave", "Parents have 16 weeks at full pay.", true),
            ("how long is parental leave", "Call extension 4711.", false),
            ("what is the default port", "It listens on 8080.", true),
            ("how much memory does it need", "It needs 512 MB.", true),
        ] {
            assert_eq!(Counted::asked(question).unwrap().is_in(text), wanted, "{question} {text}");
        }
        assert_eq!(Counted::asked("why is it slow"), None);
    }
}
