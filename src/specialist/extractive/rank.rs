//! Ranks sentences by their relevance to the question: a table of features, each from 0 to 1, with a weight for each
//! (`prompts/ranking.toml`). A weight of 0 disables a feature.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use super::alike;
use super::ask::Ask;
use super::candidate::Candidate;
use super::changelog::is_version_note;
use super::copies;
use super::entries;
use super::kind::kind;
use super::sought::is_of_a_limit;
use super::tool_results::ToolResults;
use super::topic::{Tie, Tokens, Topic};
use run::evidence::{Block, SourceRef, heading_path};
use run::finding::FindingKind;
use run::plan::Shape;

/// The names of the features in the table of weights, in the order of their values.
pub const FEATURES: [&str; 21] = [
    "own_words",
    "all_words",
    "surroundings",
    "section_words",
    "page_words",
    "feedback",
    "passage",
    "neighbours",
    "page",
    "title",
    "depth",
    "definition",
    "number",
    "subject",
    "signature",
    "beside",
    "no_limit",
    "section_alike",
    "likeness",
    "defined",
    "section_answers",
];

/// A weight for each feature, and the thresholds of a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    weights: [f64; FEATURES.len()],
    /// The least score of a finding.
    pub(super) good: f64,
    /// The least score while there are few findings.
    pub(super) fair: f64,
}

static BUILT_IN: LazyLock<Ranking> = LazyLock::new(|| {
    let ranking = Ranking::read(include_str!("../prompts/ranking.toml")).expect("it is built in, and a test reads it");
    if cfg!(feature = "encoder") { ranking } else { ranking.without("likeness").unwrap_or(ranking) }
});

impl Ranking {
    /// The built-in weights.
    pub fn built_in() -> &'static Ranking {
        &BUILT_IN
    }

    /// Parses a table: `feature = number`, every feature once, and the scores `good` and `fair`.
    ///
    /// # Errors
    /// In words: no valid table, an unknown feature, a feature without a weight, or a missing score.
    pub fn read(text: &str) -> Result<Ranking, String> {
        let mut table: BTreeMap<String, f64> = toml::from_str(text).map_err(|error| error.to_string())?;
        let [good, fair] =
            ["good", "fair"].map(|name| table.remove(name).ok_or_else(|| format!("`{name}` has no score")));
        if let Some(other) = table.keys().find(|name| !FEATURES.contains(&name.as_str())) {
            return Err(format!("there is no feature `{other}`; there are {}", FEATURES.join(", ")));
        }
        let mut weights = [0.0; FEATURES.len()];
        for (weight, name) in weights.iter_mut().zip(FEATURES) {
            *weight = *table.get(name).ok_or_else(|| format!("the feature `{name}` has no weight"))?;
        }
        Ok(Ranking { weights, good: good?, fair: fair? })
    }

    /// The ranking without a feature; None if there is no such feature. The thresholds keep their share of the greatest
    /// score.
    pub fn without(&self, feature: &str) -> Option<Ranking> {
        let at = FEATURES.iter().position(|name| *name == feature)?;
        let mut left = self.clone();
        left.weights[at] = 0.0;
        let part = left.greatest() / self.greatest();
        (left.good, left.fair) = (self.good * part, self.fair * part);
        Some(left)
    }

    /// The greatest possible score.
    fn greatest(&self) -> f64 {
        self.weights.iter().filter(|weight| **weight > 0.0).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    fn score(&self, values: &[f64; FEATURES.len()]) -> f64 {
        self.weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
    }
}

type Place = (String, u32);
/// A page by its path, and the headings of a section.
type Section = (String, Arc<str>);

/// Search results by place.
struct Places<'a> {
    passages: BTreeMap<Place, f64>,
    firsts: BTreeMap<Section, u32>,
    pages: BTreeMap<String, f64>,
    /// The likeness to the question of each section found by meaning; 1 for the most alike.
    alike: BTreeMap<Section, f64>,
    /// The share of the question in and around each block that was read ([`surroundings`]).
    surroundings: BTreeMap<Place, f64>,
    /// The words of the question in each section and page.
    of_section: BTreeMap<Section, BTreeMap<&'a str, f64>>,
    of_page: BTreeMap<String, BTreeMap<&'a str, f64>>,
    /// Stems that the best sentences have and the others lack, the question's own excepted, with their weights.
    feedback_words: BTreeMap<String, f64>,
}

/// The number of blocks on each side that count as near, within one section; nearer blocks count more.
const CLOSE: u32 = 3;
/// The weight of a word in the headings or the lead-in, and in the title; a word in the block itself counts 1.
const IN_HEADING: f64 = 1.0;
const IN_TITLE: f64 = 0.7;
/// The penalty for the length of a text, 0 to 1: a long text has many words of any question.
const LENGTH: f64 = 0.5;
/// The length of an ordinary text of this kind, in blocks.
const ORDINARY: f64 = 2.5;

/// A block that was read, with the counts of the question's words.
struct Counted<'a> {
    place: &'a Place,
    section: Arc<str>,
    /// The words of the question in it, once for each occurrence, with how far each matches.
    stems: Vec<(&'a str, f64)>,
    /// The number of its content words.
    length: f64,
    /// The weight of each word of the question in the headings and title over it.
    above: Rc<BTreeMap<&'a str, f64>>,
}

/// All blocks that were read, by page and place.
fn counted<'a>(results: &'a ToolResults, ask: &'a Ask) -> Vec<Counted<'a>> {
    let asked = |text: &str| -> Vec<(&'a str, f64)> {
        Tokens::of(text).in_order().filter_map(|stem| ask.asked(stem)).collect()
    };
    let mut found: Vec<Counted<'a>> = Vec::new();
    let mut before: Option<(&SourceRef, &Block)> = None;
    for (place, (source, block)) in &results.blocks {
        // Many blocks of a page have the same headings.
        let same = before.is_some_and(|(other, its)| {
            other.title == source.title && its.headings == block.headings && its.intro == block.intro
        });
        let (section, above) = match found.last().filter(|_| same) {
            Some(last) => (last.section.clone(), last.above.clone()),
            None => {
                let section = heading_path(block.headings.iter());
                let over = format!("{section} {}", block.intro.as_deref().unwrap_or(""));
                let mut above: BTreeMap<&str, f64> = BTreeMap::new();
                let titled = asked(&source.title).into_iter().map(|(stem, share)| (stem, share * IN_TITLE));
                for (stem, worth) in
                    titled.chain(asked(&over).into_iter().map(|(stem, share)| (stem, share * IN_HEADING)))
                {
                    let most = above.entry(stem).or_insert(0.0);
                    *most = worth.max(*most);
                }
                (section.into(), above.into())
            }
        };
        let tokens = Tokens::of(&block.text);
        let stems = tokens.in_order().filter_map(|stem| ask.asked(stem)).collect();
        found.push(Counted { place, section, stems, length: tokens.in_order().count() as f64, above });
        before = Some((source, block));
    }
    found
}

/// The share of the question in and around each block, 1 for the best: BM25 over the block, its neighbours and its
/// headings, times the root of the share of the question present, so that words found together count more.
fn surroundings(counted: &[Counted<'_>], ask: &Ask) -> BTreeMap<Place, f64> {
    let mean = counted.iter().map(|block| block.length).sum::<f64>() / counted.len().max(1) as f64;
    let mut found: BTreeMap<Place, f64> = BTreeMap::new();
    for (at, Counted { place, section, above, .. }) in counted.iter().enumerate() {
        let (page, no) = (&place.0, place.1);
        let mut counts: BTreeMap<&str, f64> = BTreeMap::clone(above);
        let mut length = 0.0;
        // Blocks are ordered by page and place.
        let from = at.saturating_sub(CLOSE as usize);
        for other in counted.iter().skip(from).take(2 * CLOSE as usize + 1) {
            let apart = other.place.1.abs_diff(no);
            if other.place.0 != *page || other.section != *section || apart > CLOSE {
                continue;
            }
            let nearness = 1.0 / f64::from(1 + apart);
            length += nearness * other.length;
            for (stem, share) in &other.stems {
                *counts.entry(stem).or_insert(0.0) += nearness * share;
            }
        }
        let long = 1.0 - LENGTH + LENGTH * length / (mean * ORDINARY).max(1.0);
        let matched: f64 = counts.iter().map(|(stem, n)| ask.weight_of(stem) * n / (n + long)).sum();
        let share: f64 = counts.iter().map(|(stem, n)| ask.weight_of(stem) * n.min(1.0)).sum();
        found.insert((*place).clone(), matched * share.min(1.0).sqrt());
    }
    let best = found.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    found.values_mut().for_each(|value| *value /= best);
    found
}

/// The number of best sentences from which feedback words are taken.
const LIKELY: usize = 20;
/// The most feedback words.
const LEARNT: usize = 24;

impl<'a> Places<'a> {
    fn of(results: &'a ToolResults, candidates: &[Candidate], ask: &'a Ask) -> Places<'a> {
        let passages = results.passage_scores();
        let feedback_words = feedback_words(candidates, ask, &passages);
        let (firsts, pages) = (BTreeMap::new(), BTreeMap::new());
        let (of_section, of_page) = (BTreeMap::new(), BTreeMap::new());
        let counted = counted(results, ask);
        let surroundings = surroundings(&counted, ask);
        let alike = sections_alike(results);
        let mut places = Places { passages, firsts, pages, alike, surroundings, of_section, of_page, feedback_words };
        for Counted { place: (page, no), section, stems, .. } in counted {
            let section = (page.clone(), section);
            let (of_section, of_page) = (
                places.of_section.entry(section.clone()).or_default(),
                places.of_page.entry(page.clone()).or_default(),
            );
            for (stem, share) in stems {
                for shares in [&mut *of_section, &mut *of_page] {
                    let most = shares.entry(stem).or_insert(0.0);
                    *most = share.max(*most);
                }
            }
            let first = places.firsts.entry(section).or_insert(*no);
            *first = *no.min(first);
        }
        for ((page, _), score) in &places.passages {
            *places.pages.entry(page.clone()).or_insert(0.0) += score;
        }
        let best = places.pages.values().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        places.pages.values_mut().for_each(|sum| *sum /= best);
        places
    }

    /// The weight of the feedback words among these stems, at most 1.
    fn feedback(&self, stems: &BTreeSet<String>) -> f64 {
        self.feedback_words
            .iter()
            .filter(|(stem, _)| stems.contains(*stem))
            .map(|(_, weight)| weight)
            .sum::<f64>()
            .min(1.0)
    }

    fn passage(&self, page: &str, no: u32) -> f64 {
        self.passages.get(&(page.to_string(), no)).copied().unwrap_or(0.0)
    }
}

/// The likeness to the question of each section found by meaning.
fn sections_alike(results: &ToolResults) -> BTreeMap<Section, f64> {
    let mut found: BTreeMap<Section, f64> = BTreeMap::new();
    for hit in results.sections() {
        let section = (hit.source.path.to_string(), heading_path(hit.headings.iter()).into());
        let most = found.entry(section).or_insert(0.0);
        *most = most.max(f64::from(hit.score));
    }
    let best = found.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    found.values_mut().for_each(|likeness| *likeness /= best);
    found
}

/// The words of the best sentences, weighted by rarity among all candidates; the heaviest four together weigh 1.
fn feedback_words(candidates: &[Candidate], ask: &Ask, passages: &BTreeMap<Place, f64>) -> BTreeMap<String, f64> {
    let mut likely: Vec<(f64, usize)> = Vec::new();
    let mut of_all: BTreeMap<&str, f64> = BTreeMap::new();
    for (at, c) in candidates.iter().enumerate() {
        let passage = passages.get(&(c.source.path.to_string(), c.block.no)).copied().unwrap_or(0.0);
        likely.push((ask.share(&c.own) + 0.5 * ask.share(&c.above) + 0.5 * passage, at));
        for stem in &c.own {
            *of_all.entry(stem).or_insert(0.0) += 1.0;
        }
    }
    likely.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut weights: BTreeMap<&str, f64> = BTreeMap::new();
    for (worth, at) in likely.into_iter().take(LIKELY) {
        for stem in candidates[at].own.iter().filter(|stem| ask.weight_of(stem) <= 0.0) {
            let rarity = (candidates.len() as f64 / of_all.get(stem.as_str()).copied().unwrap_or(1.0)).ln();
            *weights.entry(stem).or_insert(0.0) += worth * rarity;
        }
    }
    let mut heaviest: Vec<(f64, &str)> = weights.into_iter().map(|(stem, weight)| (weight, stem)).collect();
    heaviest.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let full: f64 = heaviest.iter().take(4).map(|(weight, _)| weight).sum::<f64>().max(f64::MIN_POSITIVE);
    heaviest.into_iter().take(LEARNT).map(|(weight, stem)| (stem.to_string(), weight / full)).collect()
}

/// The number of best sentences by which a section is rated.
const OF_SECTION: usize = 3;

/// The page and the headings of a candidate.
fn section(c: &Candidate) -> (&str, &str) {
    (c.source.path.as_str(), &c.section)
}

/// The indexes of features in [`FEATURES`].
const DEFINITION: usize = 11;
const SECTION_ALIKE: usize = FEATURES.len() - 4;
/// The indexes of features that are computed from others.
const LIKENESS: usize = FEATURES.len() - 3;
const DEFINED: usize = FEATURES.len() - 2;
const SECTION_ANSWERS: usize = FEATURES.len() - 1;

/// Sentences with their scores: first those near the question, then the others, each best first.
pub(super) struct Ranked {
    pub candidates: Vec<Candidate>,
    near: usize,
    /// Sentences that were not ranked, in no order.
    pub rest: Vec<Candidate>,
    /// The feature values of each sentence, in the same order.
    pub features: Vec<[f64; FEATURES.len()]>,
    /// The greatest share of the question that one place in the sources answers ([`answered`]).
    pub answered: f64,
    /// The greatest likeness of a sentence to the question, 0 to 1; None without the encoder.
    pub most_alike: Option<f64>,
}

impl Ranked {
    /// The sentences near enough to the question in meaning to count as about it.
    pub fn near(&self) -> &[Candidate] {
        &self.candidates[..self.near]
    }
}

/// The most sentences ranked: the best by their words.
pub(super) const MOST_RANKED: usize = 80;
/// The least score by words, as a share of the best, at which the meaning of a sentence is compared: below this it
/// hardly comes among the best.
const LEAST_COMPARED: f64 = 0.4;
/// The weight of the likeness of a section when choosing the sentences to compare: they may share no word with the
/// question.
const PROMISE: f64 = 1.0;
/// The least likeness, as a share of the greatest, of a sentence that is near: below this it is off topic, even if it
/// shares words.
const LEAST_ALIKE: f64 = 0.4;

/// Scores and sorts candidates: by their words first, then the best of them, at most `compared`, by their meaning too.
/// One comparison takes some milliseconds.
pub(super) fn ranked(
    candidates: Vec<Candidate>,
    ask: &Ask,
    topic: &Topic,
    results: &ToolResults,
    ranking: &Ranking,
    compared: usize,
) -> Ranked {
    let places = Places::of(results, &candidates, ask);
    let answered = answered(&candidates, ask, &places);
    let values: Vec<_> = candidates.iter().map(|candidate| feature_values(candidate, ask, topic, &places)).collect();
    let mut weighed: Vec<_> = candidates.into_iter().zip(values).collect();
    weighed
        .iter_mut()
        .for_each(|(candidate, values)| candidate.score = ranking.score(values) + PROMISE * values[SECTION_ALIKE]);
    sort(&mut weighed);
    let mut weighed = copies::keep_one_copy(weighed, &results.lengths);
    let unlikely =
        weighed.split_off(weighed.len().min(MOST_RANKED)).into_iter().map(|(candidate, _)| candidate).collect();
    let least = LEAST_COMPARED * weighed.first().map_or(0.0, |(best, _)| best.score);
    let likely = weighed.iter().map(|(candidate, _)| candidate).take_while(|candidate| candidate.score >= least);
    let texts: Vec<String> = likely.take(compared).map(alike::read).collect();
    let likenesses = ask.meaning.likenesses(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let is_compared = ranking.weights[LIKENESS] > 0.0;
    let most_alike = likenesses.iter().copied().reduce(f64::max).filter(|_| is_compared);
    // Sentences that were not compared get the least likeness of the others.
    let rest = likenesses.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let likenesses = likenesses.into_iter().chain(std::iter::repeat(rest));
    weighed.iter_mut().zip(likenesses).for_each(|((_, values), likeness)| values[LIKENESS] = likeness);
    let least = LEAST_ALIKE * most_alike.unwrap_or(0.0);
    let (mut near, mut far): (Vec<_>, Vec<_>) = weighed.into_iter().partition(|(_, values)| values[LIKENESS] >= least);
    for group in [&mut near, &mut far] {
        rate_sections(group, ranking);
        if ask.definition {
            rate_defined(group);
        }
        group.iter_mut().for_each(|(candidate, values)| candidate.score = ranking.score(values));
        sort(group);
    }
    let near_count = near.len();
    let (candidates, features) = near.into_iter().chain(far).unzip();
    Ranked { candidates, near: near_count, rest: unlikely, features, answered, most_alike }
}

/// Sorts best first, equals in the order of their pages.
fn sort(weighed: &mut [(Candidate, [f64; FEATURES.len()])]) {
    let place = |c: &Candidate| (c.source.path.clone(), c.block.no, c.claim.range.start);
    weighed.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
}

/// The number of blocks after a definition that continue it, each with less weight.
const GOES_ON: u32 = 8;

/// Sets for each candidate how closely it follows a definition in its section.
fn rate_defined(weighed: &mut [(Candidate, [f64; FEATURES.len()])]) {
    let mut definitions: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
    for (c, _) in weighed.iter().filter(|(_, values)| values[DEFINITION] > 0.0) {
        definitions.entry(section(c)).or_default().push(c.block.no);
    }
    let nearness = |c: &Candidate| {
        let above = definitions.get(&section(c)).into_iter().flatten();
        let apart = above.filter_map(|no| c.block.no.checked_sub(*no)).min().unwrap_or(GOES_ON);
        f64::from(GOES_ON.saturating_sub(apart)) / f64::from(GOES_ON)
    };
    let near: Vec<f64> = weighed.iter().map(|(c, _)| nearness(c)).collect();
    weighed.iter_mut().zip(near).for_each(|((_, values), near)| values[DEFINED] = near);
}

/// Sets for each candidate the combined weight of the best of its section: a section that answers in several sentences
/// is about the question; one sentence may only share its words.
fn rate_sections(weighed: &mut [(Candidate, [f64; FEATURES.len()])], ranking: &Ranking) {
    let mut sections: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for (candidate, values) in &*weighed {
        sections.entry(section(candidate)).or_default().push(ranking.score(values).max(0.0));
    }
    let sections: BTreeMap<(String, String), f64> = sections
        .into_iter()
        .map(|((page, section), mut scores)| {
            scores.sort_by(|a, b| b.total_cmp(a));
            ((page.to_owned(), section.to_owned()), scores.iter().take(OF_SECTION).sum())
        })
        .collect();
    let best = sections.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (candidate, values) in weighed {
        let (page, section) = section(candidate);
        values[SECTION_ANSWERS] = sections.get(&(page.to_owned(), section.to_owned())).copied().unwrap_or(0.0) / best;
    }
}

/// The share of the question that the sources answer, 0 to 1: the mean over the best sentence, the third best, the best
/// section and the best page. Synonyms do not count: every subject has some.
fn answered(candidates: &[Candidate], ask: &Ask, places: &Places) -> f64 {
    let answered_in = |c: &Candidate, there: Option<&BTreeMap<&str, f64>>| {
        let there = |stem: &str| there.and_then(|there| there.get(stem)).copied().unwrap_or(0.0);
        ask.answered_by(|stem| if c.above.contains(stem) { 1.0 } else { there(stem) })
    };
    let own =
        |c: &Candidate| ask.answered_by(|stem| f64::from(u8::from(c.own.contains(stem) || c.above.contains(stem))));
    let mut sentences: Vec<f64> = candidates.iter().map(own).collect();
    sentences.sort_by(|a, b| b.total_cmp(a));
    let of_section =
        |c: &Candidate| answered_in(c, places.of_section.get(&(c.source.path.to_string(), c.section.clone())));
    let section = candidates.iter().map(of_section).fold(0.0, f64::max);
    let page =
        candidates.iter().map(|c| answered_in(c, places.of_page.get(c.source.path.as_str()))).fold(0.0, f64::max);
    let nth = |nth: usize| sentences.get(nth.min(sentences.len().saturating_sub(1))).copied().unwrap_or(0.0);
    (nth(0) + nth(2) + section + page) / 4.0
}

fn feature_values(c: &Candidate, ask: &Ask, topic: &Topic, places: &Places) -> [f64; FEATURES.len()] {
    let text = &c.claim.text;
    let page = c.source.path.as_str();
    let section = (page.to_string(), c.section.clone());
    let no = c.block.no;
    let passage = places.passage(page, no);
    let before = no.checked_sub(1).map_or(0.0, |no| places.passage(page, no));
    let depth = no.saturating_sub(places.firsts.get(&section).copied().unwrap_or(no)).min(10);
    let kind = kind(c, ask, topic);
    let yes = |is: bool| f64::from(u8::from(is));
    // The share of the title that was asked for, and the share of the question in the title.
    let asked: f64 = c.title.iter().filter_map(|stem| ask.asked(stem)).map(|(_, share)| share).sum();
    let title = (ask.share(&c.title) * asked / c.title.len().max(1) as f64).sqrt();
    let history = ask.shape == Shape::History;
    let with_above = |stems: Option<&BTreeMap<&str, f64>>| -> f64 {
        let there = |stem: &str| stems.and_then(|stems| stems.get(stem)).copied().unwrap_or(0.0);
        ask.share_by(|stem| there(stem).max(ask.found(stem, |stem| c.above.contains(stem))))
    };
    let values = [
        ("own_words", ask.share(&c.own)),
        ("all_words", ask.share_where(|stem| c.own.contains(stem) || c.above.contains(stem))),
        ("surroundings", places.surroundings.get(&(page.to_string(), no)).copied().unwrap_or(0.0)),
        ("section_words", with_above(places.of_section.get(&section))),
        ("page_words", with_above(places.of_page.get(page))),
        ("feedback", places.feedback(&c.own)),
        ("passage", passage),
        ("neighbours", before.max(places.passage(page, no + 1))),
        ("page", places.pages.get(page).copied().unwrap_or(0.0)),
        ("title", title),
        ("depth", f64::from(depth) / 10.0),
        ("definition", yes(kind == FindingKind::Definition)),
        ("number", ask.counted.as_ref().map_or(0.0, |counted| counted.share(text))),
        ("subject", yes(c.tie == Some(Tie::Subject))),
        ("signature", yes(entries::signatures(c).next().is_some() && !history)),
        ("beside", yes(entries::is_beside(c, ask) && !history || !ask.of_versions && is_version_note(text))),
        ("no_limit", yes(ask.limit && !is_of_a_limit(text))),
        ("section_alike", places.alike.get(&section).copied().unwrap_or(0.0)),
        // Set once the best sentences are compared.
        ("likeness", 0.0),
        // Set once the definitions are known.
        ("defined", 0.0),
        // Set once all sentences of the section are scored.
        ("section_answers", 0.0),
    ];
    debug_assert!(values.iter().map(|(name, _)| name).eq(FEATURES.iter()));
    values.map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::sample::{block, source};
    use run::id::TaskId;
    use run::plan::Task;

    #[test]
    fn what_several_documents_say_to_the_letter_is_ranked_once_as_its_page_has_it() {
        let mut results = ToolResults::default();
        for (title, blocks) in
            [("Manual in one piece", 900), ("Its page", 9), ("Printed.pdf", 7), ("Plain.txt", 8), ("Next version", 8)]
        {
            let own = format!("A soft link of the {title} is told apart.");
            for (no, text) in [(0, "A hard link is another name of one file."), (1, own.as_str())] {
                let source = source(title);
                let source = SourceRef { path: source.path.trim_end_matches(".md").into(), ..source };
                results.lengths.insert(source.path.to_string(), blocks);
                results.blocks.insert((source.path.to_string(), no), (source, Arc::new(Block { no, ..block(text) })));
            }
        }
        let task = Task::new(TaskId(1), "Links".into(), "what are hard and soft links".into());
        let ask = Ask::of(&task, Shape::Overview, &task.question, &[], &results);
        let topic = Topic::new(["links"], [""; 0]);
        let found = candidates(&results, &topic, Code::Allowed);
        let ranked = ranked(found, &ask, &topic, &results, Ranking::built_in(), MOST_RANKED);
        let hard: Vec<&str> = ranked
            .candidates
            .iter()
            .filter(|c| c.claim.text.starts_with("A hard"))
            .map(|c| c.source.title.as_str())
            .collect();
        assert_eq!(hard, ["Its page"]);
        assert_eq!(ranked.candidates.len(), 6, "each of the other sentences is of its own document");
    }

    #[test]
    fn where_it_is_asked_what_a_thing_is_what_stands_below_its_definition_counts_for_more() {
        let mut results = ToolResults::default();
        for (page, no, text) in [
            ("Journals", 0, "A journal is a list of all events of a run."),
            ("Journals", 1, "The events of a journal stand in their order."),
            ("Other", 0, "The events of a journal are read in some order."),
        ] {
            let block = Block { no, lead: no == 0, ..block(text) };
            results.blocks.insert((page.to_string(), no), (source(page), Arc::new(block)));
        }
        let defined = |question: &str| -> Vec<f64> {
            let task = Task::new(TaskId(1), "Journal".into(), question.into());
            let ask = Ask::of(&task, Shape::Overview, &task.question, &[], &results);
            let topic = Topic::new(["journal"], [""; 0]);
            let found = candidates(&results, &topic, Code::Allowed);
            let ranked = ranked(found, &ask, &topic, &results, Ranking::built_in(), MOST_RANKED);
            let mut of: Vec<(String, f64)> = ranked
                .candidates
                .iter()
                .map(|c| c.claim.text.clone())
                .zip(ranked.features.iter().map(|v| v[DEFINED]))
                .collect();
            of.sort_by(|a, b| a.0.cmp(&b.0));
            of.into_iter().map(|(_, value)| value).collect()
        };
        assert_eq!(defined("what is a journal"), [1.0, 0.0, 0.875]);
        assert_eq!(defined("how is a journal read"), [0.0; 3]);
    }

    #[test]
    fn the_weights_are_one_for_each_feature_and_each_can_be_left_out() {
        assert_eq!(FEATURES[DEFINITION], "definition");
        assert_eq!([SECTION_ALIKE, LIKENESS, DEFINED].map(|at| FEATURES[at]), ["section_alike", "likeness", "defined"]);
        let file = include_str!("../prompts/ranking.toml");
        let whole = Ranking::read(file).unwrap();
        for (at, feature) in FEATURES.iter().enumerate() {
            assert_eq!(whole.without(feature).expect("there is such a feature").weights[at], 0.0);
        }
        assert_eq!(whole.without("length"), None);
        let left = whole.without("likeness").unwrap();
        assert!(left.fair < left.good && left.good < whole.good, "there is less to reach: {left:?}");
        assert!(Ranking::read("length = 1.0\ngood = 1.0\nfair = 1.0").unwrap_err().contains("no feature `length`"));
        assert!(Ranking::read("own_words = 1.0").unwrap_err().contains("has no weight"));
        assert_eq!(Ranking::read(&file.replace("\ngood =", "\n# ")).unwrap_err(), "`good` has no score");
    }
}
