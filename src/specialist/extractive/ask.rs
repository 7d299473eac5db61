//! What a task asks for: the content words of its question, each with its weight in this collection, and the parts of the
//! question that an answer has to cover.
//!
//! It names no topic. A word weighs what it tells apart: much if few passages have it, little if it is one of those in which
//! questions are put ("compare", "best way").

use std::collections::{BTreeMap, BTreeSet};

use super::phrases::is_cue;
use super::question::Asked;
use super::tool_results::ToolResults;
use super::topic::Tokens;
use super::words::WORDS;
use run::plan::{Shape, Task};
use text::Named;
use text::words::{fold, words};

/// The weight of a word in which questions are put, as a share of what its rarity would give it.
const CUE: f64 = 0.3;
/// So many words of a question are all that an answer has to be about.
const MOST_ASKED: usize = 9;
/// The weight of the words of the whole question in a task that asks for a part of it.
const REST: f64 = 0.5;
/// A clause with one of these leans on the rest of its question.
const LEANING: [&str; 9] = ["it", "its", "they", "them", "their", "this", "these", "one", "there"];
/// The weight of what a task asks for by name, and of what the person has said to it.
const SIDE: f64 = 1.4;
const WISH: f64 = 2.0;

pub(super) struct Ask {
    pub shape: Shape,
    /// Weights by stem; of words that no passage has, too.
    weights: BTreeMap<String, f64>,
    /// The sum of the weights of words that the sources have.
    known: f64,
    /// The sum of all weights.
    all: f64,
    /// The parts to be covered: clauses, sides, what the person has asked for.
    parts: Vec<BTreeSet<String>>,
    /// Whether a number, an advice, a rule or the better of several is asked for.
    pub number: bool,
    pub advice: bool,
    pub rules: bool,
    pub choosing: bool,
}

impl Ask {
    /// What a task of this question asks for.
    pub fn of(
        task: &Task,
        shape: Shape,
        question: &str,
        named: &Named,
        wishes: &[String],
        results: &ToolResults,
    ) -> Ask {
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        let mut add = |text: &str, factor: f64| {
            for (stem, is_cue) in content(text) {
                let weight = factor * results.idf(&stem).clamp(0.3, 8.0) * if is_cue { CUE } else { 1.0 };
                let known = weights.entry(stem).or_insert(0.0);
                *known = f64::max(*known, weight);
            }
        };
        let is_part = *task.question != *question;
        // "what does it change": what "it" is stands in the rest of the question.
        let leans = words(&task.question).any(|word| LEANING.contains(&fold(word).as_ref()));
        add(question, if is_part && !leans { REST } else { 1.0 });
        add(&task.question, 1.0);
        let sides: Vec<&str> = task.aspects.iter().map(|aspect| aspect.as_str()).collect();
        sides.iter().for_each(|side| add(side, SIDE));
        wishes.iter().for_each(|wish| add(wish, WISH));
        let is_known = |stem: &&String| results.count(stem).is_none_or(|blocks| blocks > 0);
        let known = heaviest_of(weights.iter().filter(|(stem, _)| is_known(stem)).map(|(_, weight)| *weight));
        let all = heaviest_of(weights.values().copied());
        let clauses = Asked::of(&task.question, named).clauses;
        let several = if clauses.len() > 1 { clauses } else { Vec::new() };
        let parts =
            sides.iter().copied().chain(wishes.iter().map(String::as_str)).chain(several.iter().map(String::as_str));
        let asked = question.to_lowercase();
        let has = |wanted: &[&str]| words(&asked).any(|word| wanted.contains(&fold(word).as_ref()));
        Ask {
            shape,
            known,
            all,
            parts: parts.map(|part| Tokens::of(part).content()).filter(|part| !part.is_empty()).collect(),
            number: WORDS.asks_for_a_number.are_in(&asked),
            advice: WORDS.asks_for_advice.are_in(&asked),
            rules: has(&["rules", "rule", "requirements", "must", "allowed"]),
            choosing: super::question::asks_which_to_use(question),
            weights,
        }
    }

    /// The share of the question's weight in these stems, as far as the sources have its words at all.
    pub fn share(&self, stems: &BTreeSet<String>) -> f64 {
        if self.known <= 0.0 { 0.0 } else { (self.weight(stems) / self.known).min(1.0) }
    }

    /// The same share, words that no passage has included.
    pub fn share_of_all(&self, stems: &BTreeSet<String>) -> f64 {
        if self.all <= 0.0 { 0.0 } else { (self.weight(stems) / self.all).min(1.0) }
    }

    /// The share of the question's weight that is in words which the sources have at all.
    pub fn known_share(&self) -> f64 {
        if self.all <= 0.0 { 0.0 } else { self.known / self.all }
    }

    fn weight(&self, stems: &BTreeSet<String>) -> f64 {
        stems.iter().filter_map(|stem| self.weights.get(stem)).sum()
    }

    /// The weight of one stem, as a share of all that the sources have.
    pub fn weight_of(&self, stem: &str) -> f64 {
        if self.known <= 0.0 { 0.0 } else { self.weights.get(stem).copied().unwrap_or(0.0) / self.known }
    }

    /// The parts of the question that have all their words in these stems.
    pub fn parts_in(&self, stems: &BTreeSet<String>) -> usize {
        self.parts.iter().filter(|part| part.is_subset(stems)).count()
    }
}

/// The sum of the heaviest weights: of a long story not every word has to be answered.
fn heaviest_of(weights: impl Iterator<Item = f64>) -> f64 {
    let mut weights: Vec<f64> = weights.collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    weights.iter().take(MOST_ASKED).sum()
}

/// The stems of a text's content words in order, and whether each is a word in which questions are put.
fn content(text: &str) -> Vec<(String, bool)> {
    let cues: BTreeSet<String> = words(text)
        .filter(|word| is_cue(word))
        .map(|word| text::words::stem(word, text::words::Language::English))
        .collect();
    Tokens::of(text).in_order().map(|stem| (stem.to_string(), cues.contains(stem))).collect()
}
