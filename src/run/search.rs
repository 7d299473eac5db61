//! Words that are looked for in runs, and where they stand: in question, findings or brief. Reads no file.

use std::collections::BTreeSet;

use super::brief;
use super::compare;
use super::state::Run;
use text::Clean;

/// Words that a person looks for; a run has to have them all, in any order and place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    words: Vec<String>,
}

impl Wanted {
    /// The words of the typed text; a word is found in a longer one too, and in capitals.
    pub fn new(typed: &str) -> Wanted {
        Wanted { words: typed.split_whitespace().map(str::to_lowercase).collect() }
    }

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether every word is somewhere; `has` is asked for one in lower case.
    pub fn all(&self, has: impl Fn(&str) -> bool) -> bool {
        self.words.iter().all(|word| has(word))
    }

    /// At most `most` characters of a text, so that the first of the words in it is seen; `…` stands where it is cut.
    pub fn shown_in(&self, text: &str, most: usize) -> String {
        let chars: Vec<char> = text.chars().collect();
        if chars.len() <= most {
            return text.to_owned();
        }
        let lower = text.to_lowercase();
        let found = self.words.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or(0);
        let at = lower[..found].chars().count();
        // A third of the excerpt stands before the word, and nothing is cut off that would fit.
        let from = at.saturating_sub(most / 3).min(chars.len() - most);
        let shown: String = chars[from..from + most].iter().collect();
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        format!("{}{}{}", cut(from > 0), shown.trim(), cut(from + most < chars.len()))
    }

    fn count_in(&self, lower: &str) -> usize {
        self.words.iter().filter(|word| lower.contains(word.as_str())).count()
    }
}

/// The place of words in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the question.
    Question,
    /// In the claim or the quote of a finding.
    Finding,
    /// In a line of the brief.
    Brief,
}

impl Place {
    /// The place in a word.
    pub fn word(self) -> &'static str {
        match self {
            Place::Question => "question",
            Place::Finding => "finding",
            Place::Brief => "brief",
        }
    }
}

/// The text of a run in which words are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    passages: Vec<Passage>,
    /// The texts of the passages: each stands there once.
    known: BTreeSet<Clean>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Passage {
    place: Place,
    text: Clean,
    lower: String,
}

impl Searched {
    /// The question of a run, its findings with their quotes, and the lines of its brief.
    pub fn of(run: &Run) -> Searched {
        let mut searched = Searched::default();
        if let Some(opening) = &run.opening {
            searched.add(Place::Question, &opening.question);
        }
        if let Some((draft, findings)) = run.brief() {
            brief::markdown(draft, findings).lines().for_each(|line| searched.add(Place::Brief, line));
        }
        for finding in compare::found(run) {
            searched.add(Place::Finding, &finding.claim);
            searched.add(Place::Finding, &finding.quote);
        }
        searched
    }

    /// With a passage more.
    #[must_use]
    pub fn with(mut self, place: Place, text: &str) -> Searched {
        self.add(place, text);
        self
    }

    fn add(&mut self, place: Place, text: &str) {
        let text = Clean::line(text);
        if !text.is_empty() && self.known.insert(text.clone()) {
            self.passages.push(Passage { place, lower: text.to_lowercase(), text });
        }
    }

    /// Whether a word, in lower case, stands anywhere.
    pub fn has(&self, word: &str) -> bool {
        self.passages.iter().any(|passage| passage.lower.contains(word))
    }

    /// The passages with most of the words, at most `most`; the brief before findings, and the question not at all.
    pub fn best(&self, wanted: &Wanted, most: usize) -> Vec<(Place, &Clean)> {
        let mut best: Vec<(usize, &Passage)> = self
            .passages
            .iter()
            .filter(|passage| passage.place != Place::Question)
            .map(|passage| (wanted.count_in(&passage.lower), passage))
            .filter(|(count, _)| *count > 0)
            .collect();
        best.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        best.into_iter().take(most).map(|(_, passage)| (passage.place, &passage.text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_have_to_be_there_in_whatever_place_and_case() {
        let run = Searched::default()
            .with(Place::Question, "How long does bread proof?")
            .with(Place::Brief, "Sourdough takes longer.")
            .with(Place::Finding, "A cold sourdough takes twelve hours.");
        let found = |typed: &str| Wanted::new(typed).all(|word| run.has(word));
        assert!(found("BREAD sour") && found("") && !found("bread yeast"));
        let wanted = Wanted::new("sourdough hours bread");
        let best: Vec<(Place, &str)> = run.best(&wanted, 1).into_iter().map(|(at, text)| (at, text.as_str())).collect();
        assert_eq!(best, [(Place::Finding, "A cold sourdough takes twelve hours.")]);
        assert_eq!(run.best(&wanted, 9).len(), 2, "the question stands in the list anyway");
    }

    #[test]
    fn a_passage_that_is_too_long_is_cut_around_the_first_word_that_is_looked_for() {
        let text = "The trade-off is simplicity. A higher ef_search improves Recall, and each query takes longer.";
        for (typed, most, shown) in [
            ("recall", 200, text),
            ("recall", 30, "…improves Recall, and each que…"),
            ("longer query", 30, "…, and each query takes longer."),
            ("the", 20, "The trade-off is sim…"),
            ("longer", 24, "…each query takes longer."),
            ("absent", 12, "The trade-of…"),
        ] {
            assert_eq!(Wanted::new(typed).shown_in(text, most), shown, "{typed}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_passage_is_cut_anywhere_without_a_fault(text in "[aİßé …]{0,40}", typed in "[aİßé]{1,3}", most in 1_usize..30) {
            let shown = Wanted::new(&typed).shown_in(&text, most);
            proptest::prop_assert!(shown.chars().count() <= most + 2);
        }
    }
}
