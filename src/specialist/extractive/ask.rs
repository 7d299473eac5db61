//! The content words of a task's question, each with its weight in these sources.
//!
//! It names no topic. The rarer a word is in the passages, the more it weighs; words that only phrase a question
//! ("compare", "best way") weigh little.

use std::collections::{BTreeMap, BTreeSet};

use super::aliases::{Alias, aliases};
use super::alike::Asked;
use super::changelog::asks_of_changes;
use super::clauses::leans;
use super::counted::Counted;
use super::kinds::Kinds;
use super::phrases::is_cue;
use super::question::{asks_for_entries, asks_how, framed};
use super::sought::{asks_for_a_definition, asks_for_a_limit};
use super::synonyms::others;
use super::tool_results::ToolResults;
use super::topic::Tokens;
use super::wording::Wording;
use crate::numbers::has_digit;
use crate::words::WORDS;
use run::plan::{AskedWord, Shape, Task};
use text::Clean;
use text::common::is_common;
use text::sentence::sentences;
use text::words::{Language, fold, is_stop, stem, words};

/// The weight of a word that only phrases a question, as a share of the weight by rarity.
const CUE: f64 = 0.3;
/// The most words of a question that an answer is measured by.
const MOST_ASKED: usize = 9;
/// The weight of words of the whole question in a task that asks a part of it.
const REST: f64 = 0.5;
/// The weight of the aspects a task asks for by name, and of the person's wishes for it.
const SIDE: f64 = 1.4;
const WISH: f64 = 2.0;

pub(super) struct Ask {
    pub shape: Shape,
    /// Weights by stem, also of words that are in no passage.
    weights: BTreeMap<String, f64>,
    /// The synonyms that the sources use for these words.
    wording: Wording,
    /// The sum of the weights of words in the sources.
    known: f64,
    /// The greatest of these weights.
    heaviest: f64,
    /// The sum of all weights.
    all: f64,
    /// The same two sums, without weights taken over from synonyms.
    own: (f64, f64),
    /// The thing that it wants a number of, if it asks for one.
    pub counted: Option<Counted>,
    /// Whether it asks how to do something. Parts of the same question may differ in this.
    pub how: bool,
    /// Whether it asks for a definition, or for a limit.
    pub definition: bool,
    pub limit: bool,
    /// The thing whose kinds it asks for.
    pub kinds: Option<Kinds>,
    /// Whether it asks for changes, or contains a number that may be a version.
    pub of_versions: bool,
    /// Whether the entry of a function or option may answer it, even one that it does not name.
    pub for_entries: bool,
    /// The folded words of the question, without surrounding punctuation, to match names of options and functions.
    written: BTreeSet<String>,
    /// The other names that the sources tell for names in the question.
    pub aliases: BTreeSet<Alias>,
    /// The stems of words that the sources lack while they have a synonym.
    replaced: BTreeSet<String>,
    /// The meanings of the whole question, of the task's part of it, of each interrogative sentence, and of the
    /// person's wishes.
    pub meaning: Asked,
}

impl Ask {
    /// Reads the question of a task.
    pub fn of(task: &Task, shape: Shape, question: &str, wishes: &[String], results: &ToolResults) -> Ask {
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        let mut add = |text: &str, factor: f64| {
            for (stem, weight) in content(text, results) {
                let known = weights.entry(stem).or_insert(0.0);
                *known = f64::max(*known, factor * weight);
            }
        };
        let is_part = *task.question != *question;
        let leans = leans(&task.question);
        add(question, if is_part && !leans { REST } else { 1.0 });
        add(&task.question, 1.0);
        let sides: Vec<&str> = task.aspects.iter().map(|aspect| aspect.as_str()).collect();
        sides.iter().for_each(|side| add(side, SIDE));
        wishes.iter().for_each(|wish| add(wish, WISH));
        // A word that the sources lack is there by the synonym that they have.
        let instead: BTreeMap<String, &Clean> = task
            .words
            .iter()
            .filter_map(|asked| Some((stem(&asked.word, Language::English), asked.instead.as_ref()?)))
            .collect();
        let is_there = |stem: &str| results.count(stem).is_none_or(|blocks| blocks > 0) || instead.contains_key(stem);
        let of_own = weights.iter().filter(|(stem, _)| is_there(stem)).map(|(_, weight)| *weight);
        let own = (heaviest_of(of_own), heaviest_of(weights.values().copied()));
        let texts: Vec<&str> = [question].into_iter().chain(sides).collect();
        let mut wording = Wording::of(&texts, &mut weights, results);
        let aliases = aliases(question, results);
        for Alias { asked, called } in &aliases {
            wording.add_name(asked, called, &weights);
        }
        let is_known = |stem: &&String| is_there(stem) || wording.has(stem);
        let of_known = || weights.iter().filter(|(stem, _)| is_known(stem)).map(|(_, weight)| *weight);
        let (known, heaviest) = (heaviest_of(of_known()), of_known().fold(0.0, f64::max));
        let all = heaviest_of(weights.values().copied());
        let asked = question.to_lowercase();
        let counted = Counted::asked(&asked);
        let (asking, its_shape) = if is_part { (&*task.question, Shape::Overview) } else { (question, shape) };
        let (how, for_entries) = (asks_how(asking, its_shape), asks_for_entries(asking, its_shape));
        let of_versions = asks_of_changes(question, shape) || has_digit(question);
        let (definition, limit) = (asks_for_a_definition(&task.question), asks_for_a_limit(&task.question));
        let bare = |word: &str| fold(word.trim_matches(|c: char| !c.is_alphanumeric())).into_owned();
        let written = question.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
        // The encoder reads only the beginning of a text, and the question is often at the end.
        let asking = sentences(question).into_iter().map(|range| question[range].trim()).filter(|it| it.ends_with('?'));
        let wordings = [&*task.question, question].into_iter().chain(framed(&task.question)).chain(asking);
        let renamed: Vec<String> =
            aliases.iter().map(|alias| asked.replace(alias.asked.as_str(), &alias.called)).collect();
        let wordings = wordings.chain(wishes.iter().map(String::as_str)).chain(renamed.iter().map(String::as_str));
        let spelt = |stem: &str| results.read_as(stem).or_else(|| instead.get(stem).copied());
        let meaning = Asked::of(wordings.map(|text| as_spelt(text, spelt)).collect());
        let replaced = instead.into_keys().collect();
        Ask {
            shape,
            known,
            heaviest,
            all,
            own,
            counted,
            how,
            definition,
            limit,
            kinds: Kinds::asked(&task.question),
            of_versions,
            for_entries,
            written,
            meaning,
            aliases,
            replaced,
            weights,
            wording,
        }
    }

    /// The task's question, the whole question and the other wordings, in the spelling of the sources.
    pub fn wordings(&self) -> &[String] {
        &self.meaning.wordings
    }

    /// Whether one of its words is this name.
    pub fn names(&self, name: &str) -> bool {
        self.written.contains(&*fold(name))
    }

    /// The share (0 to 1) of the question's weight in these stems, counting only words in the sources.
    pub fn share(&self, stems: &BTreeSet<String>) -> f64 {
        self.share_where(|stem| stems.contains(stem))
    }

    /// Like [`Ask::share`], for a text whose stems are in several sets.
    pub fn share_where(&self, has: impl Fn(&str) -> bool) -> f64 {
        self.share_by(|stem| self.found(stem, &has))
    }

    /// The degree to which a text has a word of the question, 0 to 1: 1 for the word itself, less for a synonym.
    pub fn found(&self, asked: &str, has: impl Fn(&str) -> bool) -> f64 {
        self.wording.found(asked, has)
    }

    /// The share of the question's weight, given how far a text has each word.
    pub fn share_by(&self, found: impl Fn(&str) -> f64) -> f64 {
        // The question has few words, a page many: look up the few.
        let weight: f64 = self.weights.iter().map(|(stem, weight)| weight * found(stem)).sum();
        if self.known <= 0.0 { 0.0 } else { (weight / self.known).min(1.0) }
    }

    /// The share (0 to 1) of the question's weight that a text has in the question's own words; `found` is how far it
    /// has each word.
    pub fn answered_by(&self, found: impl Fn(&str) -> f64) -> f64 {
        let (known, all) = self.own;
        let is_own = |stem: &str| found(stem) >= 1.0 || self.replaced.contains(stem) && found(stem) > 0.0;
        let literal = self.weights.iter().filter(|(stem, _)| is_own(stem)).map(|(_, weight)| weight).sum::<f64>();
        if known <= 0.0 { 0.0 } else { (literal / known).min(1.0) * known / all }
    }

    /// The word of the question that a stem matches, itself or as a synonym, and how far; None if it matches none.
    pub fn asked(&self, stem: &str) -> Option<(&str, f64)> {
        let own = self.weights.get_key_value(stem).map(|(own, _)| (own.as_str(), 1.0));
        let found = own.or_else(|| self.wording.stands_for(stem))?;
        Some(found).filter(|(asked, _)| self.weight_of(asked) > 0.0)
    }

    /// The share of the question's weight in words that the sources have.
    pub fn known_share(&self) -> f64 {
        if self.all <= 0.0 { 0.0 } else { self.known / self.all }
    }

    /// The weight of the heaviest word that the sources have, as a share of all.
    pub fn heaviest(&self) -> f64 {
        if self.known <= 0.0 { 0.0 } else { self.heaviest / self.known }
    }

    /// The weight of a stem, as a share of all weights in the sources.
    pub fn weight_of(&self, stem: &str) -> f64 {
        if self.known <= 0.0 { 0.0 } else { self.weights.get(stem).copied().unwrap_or(0.0) / self.known }
    }
}

/// A text with its misspelt words in the spelling of the sources.
pub(super) fn as_spelt<'a>(text: &str, read_as: impl Fn(&str) -> Option<&'a Clean>) -> String {
    let (mut spelt, mut rest) = (String::with_capacity(text.len()), text);
    for word in words(text) {
        let Some((before, after)) = rest.split_once(word) else { continue };
        spelt.push_str(before);
        spelt.push_str(read_as(&stem(word, Language::English)).map_or(word, |meant| meant));
        rest = after;
    }
    spelt + rest
}

/// The sum of the heaviest weights: an answer need not have every word of a long question.
fn heaviest_of(weights: impl Iterator<Item = f64>) -> f64 {
    let mut weights: Vec<f64> = weights.collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    weights.iter().take(MOST_ASKED).sum()
}

/// The content words of a task, as far as the person's question (given by its stems) has them too: the weight of each,
/// its spelling in the sources or the synonym that they have in its place, and whether the sources lack it, unless it is part of a
/// name that the question asks for.
pub(super) fn asked_words(
    task: &str,
    question: &BTreeSet<String>,
    named: &BTreeSet<String>,
    results: &ToolResults,
) -> Vec<AskedWord> {
    let mut asked: BTreeMap<String, (usize, &str, f64)> = BTreeMap::new();
    for (at, word) in words(task).enumerate().filter(|(_, word)| !is_stop(word)) {
        let stem = stem(word, Language::English);
        if question.contains(&stem) {
            let meant = results.meant(&stem);
            let weight = meant.iter().map(|stem| weight(stem, is_cue(word), results)).fold(0.0, f64::max);
            asked.entry(stem).or_insert((at, word, weight));
        }
    }
    let all: f64 = asked.values().map(|(.., weight)| weight).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut asked: Vec<(String, (usize, &str, f64))> = asked.into_iter().collect();
    asked.sort_by_key(|(_, (at, ..))| *at);
    let others = others(task);
    let asked_word = |(stem, (_, word, weight)): (String, (usize, &str, f64))| {
        let is_missing = is_missing(&stem, results) && names_something(word) && !named.contains(&stem);
        let of = others.get(&stem).filter(|_| is_missing).into_iter().flatten();
        let synonym = of.filter_map(|other| Some((results.count(&other.stem).filter(|n| *n > 0)?, other.word))).max();
        AskedWord {
            word: Clean::line(word),
            weight: (1000.0 * weight / all) as u16,
            read_as: results.read_as(&stem).cloned(),
            nowhere: is_missing && synonym.is_none() && !is_everyday(word),
            instead: synonym.map(|(_, word)| word.into()),
        }
    };
    asked.into_iter().map(asked_word).collect()
}

/// Whether the sources have neither a word nor another spelling of it, as far as it was searched for.
fn is_missing(stem: &str, results: &ToolResults) -> bool {
    results.read_as(stem).is_none() && results.count(stem) == Some(0)
}

/// The synonyms of the words of a question that the sources do not have, to be searched for; empty if there are none.
pub(super) fn synonyms_of_missing(question: &str, results: &ToolResults) -> String {
    let missing = |word: &&str| is_missing(&stem(word, Language::English), results) && names_something(word);
    let missing: BTreeSet<String> = words(question).filter(missing).map(|word| stem(word, Language::English)).collect();
    let of = others(question).into_iter().filter(|(asked, _)| missing.contains(asked));
    let synonyms: BTreeSet<&str> = of.flat_map(|(_, of)| of).map(|other| other.word).collect();
    synonyms.into_iter().collect::<Vec<_>>().join(" ")
}

/// Whether a word does more than phrase a question: it may have a synonym in the sources.
fn names_something(word: &str) -> bool {
    !is_stop(word) && !is_cue(word) && !WORDS.actions.contains(word)
}

/// Whether a word names no thing, so that a source without it proves nothing: "alone", "bigger".
fn is_everyday(word: &str) -> bool {
    let compared = word.strip_suffix("er").or_else(|| word.strip_suffix("est")).unwrap_or(word);
    // "bigger" doubles the last letter of "big".
    let mut shorter = compared.chars();
    let once = match shorter.next_back() {
        Some(last) if shorter.as_str().ends_with(last) => shorter.as_str(),
        _ => compared,
    };
    is_cue(word) || WORDS.actions.contains(word) || [word, compared, once].iter().any(|word| is_common(word))
}

/// The weight of a word by its rarity, less if it only phrases a question.
pub(super) fn weight(stem: &str, is_cue: bool, results: &ToolResults) -> f64 {
    results.idf(stem).clamp(0.3, 8.0) * if is_cue { CUE } else { 1.0 }
}

/// The stems of a text's content words in order, in the spelling of the sources, with their weights.
fn content(text: &str, results: &ToolResults) -> Vec<(String, f64)> {
    let cues: BTreeSet<String> =
        words(text).filter(|word| is_cue(word)).map(|word| stem(word, Language::English)).collect();
    let weighed = |asked: &str| {
        let is_cue = cues.contains(asked);
        results.meant(asked).into_iter().map(move |meant| {
            let weight = weight(&meant, is_cue, results);
            (meant, weight)
        })
    };
    Tokens::of(text).in_order().flat_map(weighed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_misspelt_word_is_replaced_once_and_no_part_of_another() {
        let meant = Clean::from("thrown");
        let read_as = |stem: &str| (stem == "throw").then_some(&meant);
        let spelt = as_spelt("when does it throw, and why is a throwaway no throw?", read_as);
        assert_eq!(spelt, "when does it thrown, and why is a throwaway no thrown?");
    }
}
