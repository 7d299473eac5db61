//! Wording: the synonyms that the sources use for words of the question, with their weights.
//!
//! A synonym never counts as much as the word itself.

use std::collections::BTreeMap;

use super::ask::weight;
use super::phrases::is_cue;
use super::synonyms::others;
use super::tool_results::ToolResults;
use super::topic::Tokens;

/// The weight of a synonym, as a share of the weight of the word.
const OTHER: f64 = 0.4;
/// The weight of a word that only synonyms stand for, as a share of the weight of the rarest synonym.
const ALONE: f64 = 0.7;
/// The most that a synonym counts.
const NEARLY: f64 = 0.99;

/// The synonyms that the sources use for the words of a question, by stem.
#[derive(Default)]
pub(super) struct Wording {
    /// The synonyms of each word of the question, with their shares of its weight.
    of: BTreeMap<String, Vec<(String, f64)>>,
    /// For each synonym, the word of the question that it represents best.
    stands_for: BTreeMap<String, (String, f64)>,
}

impl Wording {
    /// The wording of these texts by the sources. `weights` are the weights of the question's words. A word that the
    /// sources lack gets the weight of its synonym in them.
    pub fn of(texts: &[&str], weights: &mut BTreeMap<String, f64>, results: &ToolResults) -> Wording {
        let mut wording = Wording::default();
        for (asked, of) in texts.iter().flat_map(|text| others(text)) {
            let Ok([asked]) = <[String; 1]>::try_from(results.meant(&asked)) else { continue };
            let Some(own) = weights.get(&asked).copied().filter(|_| !wording.of.contains_key(&asked)) else { continue };
            // A word of the question is never a synonym of another.
            let has = |stem: &str| results.count(stem).is_some_and(|blocks| blocks > 0) && !weights.contains_key(stem);
            let weighed = of.iter().filter(|other| has(&other.stem));
            let of: BTreeMap<&str, f64> =
                weighed.map(|other| (other.stem.as_str(), weight(&other.stem, is_cue(other.word), results))).collect();
            let Some(heaviest) = of.values().copied().max_by(f64::total_cmp) else { continue };
            let is_there = results.count(&asked).is_none_or(|blocks| blocks > 0);
            let (own, most) = if is_there { (own, OTHER) } else { (ALONE * heaviest.min(own), NEARLY) };
            weights.insert(asked.clone(), own);
            for (stem, weight) in of {
                wording.add(&asked, stem, most * (weight / own).min(1.0), weights);
            }
        }
        wording
    }

    /// Lets the words of a name stand for those of another, in their order.
    pub fn add_name(&mut self, asked: &str, called: &str, weights: &BTreeMap<String, f64>) {
        let (asked, called) = (Tokens::of(asked), Tokens::of(called));
        let called: Vec<&str> = called.in_order().collect();
        let Some(last) = called.last() else { return };
        let pairs = asked.in_order().zip(called.iter().chain(std::iter::repeat(last)));
        for (asked, called) in pairs.filter(|(asked, called)| asked != *called) {
            self.add(asked, called, NEARLY, weights);
        }
    }

    fn add(&mut self, asked: &str, other: &str, share: f64, weights: &BTreeMap<String, f64>) {
        self.of.entry(asked.to_string()).or_default().push((other.to_string(), share));
        let worth = |asked: &str, share: f64| weights.get(asked).copied().unwrap_or(0.0) * share;
        let known = self.stands_for.get(other).map_or(0.0, |(known, share)| worth(known, *share));
        if worth(asked, share) > known {
            self.stands_for.insert(other.to_string(), (asked.to_string(), share));
        }
    }

    /// Whether the sources have a synonym for a word of the question.
    pub fn has(&self, asked: &str) -> bool {
        self.of.contains_key(asked)
    }

    /// The degree to which a text has a word of the question, 0 to 1: 1 for the word itself, less for a synonym.
    pub fn found(&self, asked: &str, has: impl Fn(&str) -> bool) -> f64 {
        let others = || self.of.get(asked).into_iter().flatten().filter(|(other, _)| has(other));
        if has(asked) { 1.0 } else { others().map(|(_, share)| *share).fold(0.0, f64::max) }
    }

    /// The word of the question that a synonym stands for, and how far.
    pub fn stands_for(&self, other: &str) -> Option<(&str, f64)> {
        self.stands_for.get(other).map(|(asked, share)| (asked.as_str(), *share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_word_counts_less_than_the_one_that_was_asked_for() {
        let mut results = ToolResults::default();
        results.know("broken", 4, 100);
        results.know("corrupt", 4, 100);
        results.know("faulty", 60, 100);
        let mut weights = BTreeMap::from([("broken".to_string(), 3.0)]);
        let wording = Wording::of(&["what is broken"], &mut weights, &results);
        let of = |word: &'static str| wording.found("broken", |stem| stem == word);
        assert!(of("broken") > of("corrupt") && of("corrupt") > of("faulti") && of("faulti") > 0.0);
        assert_eq!(of("damag"), 0.0, "the sources do not have it");
        assert_eq!(wording.stands_for("corrupt").map(|(asked, _)| asked), Some("broken"));
        assert_eq!(weights["broken"], 3.0);
    }

    #[test]
    fn a_word_that_the_sources_nowhere_have_is_asked_for_in_theirs() {
        let mut results = ToolResults::default();
        results.know("broken", 0, 100);
        results.know("corrupt", 40, 100);
        let mut weights = BTreeMap::from([("broken".to_string(), 8.0)]);
        let wording = Wording::of(&["what is broken"], &mut weights, &results);
        assert!(wording.has("broken") && weights["broken"] < 1.0);
        assert!(wording.found("broken", |stem| stem == "corrupt") > 0.9);
    }
}
