//! The sentences and list items that a researcher reports, chosen from those that it has ranked: the answers to its task, best first,
//! without repeats.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use super::{Work, value};
use crate::extractive::candidate::{Candidate, unlocked};
use crate::extractive::changelog::asks_of_changes;
use crate::extractive::kind::{is_its_definition, kind, slot};
use crate::extractive::kinds::is_only_named;
use crate::extractive::planner::asks_the_usual;
use crate::extractive::select::{Slot, best_of_sides, overlaps, select, select_by_slot, without_repeats};
use crate::extractive::steps::Steps;
use crate::extractive::topic::{Name, Tie, Tokens, Topic};
use crate::extractive::{differences, edition, pros_and_cons};
use run::plan::Shape;

/// The most findings: more than a brief of the usual length has room for.
const MOST: usize = 32;
/// The most findings on one of several things.
const MOST_OF_ONE: usize = 12;
/// The least score of a finding, as a share of the average score of the best sentences of the best sections. It applies
/// in addition to the thresholds of the ranking: weaker sentences are off topic.
const FLOOR: f64 = 0.7;
/// The share of it that holds for one of several things, and if one thing is asked of each.
const OF_SEVERAL: f64 = 0.5;
const OF_EACH: f64 = 0.8;
const BEST_SECTIONS: usize = 3;
/// Below this number of findings, weaker ones are accepted too: one strong sentence should not make a brief half as
/// long as requested.
const ENOUGH: usize = 10;
const LEAST_FLOOR: f64 = 0.6;
/// The fewest words of a sentence behind the best: of shorter ones one in seven is of use, of longer ones two in five
/// (docs/evaluation.md).
const FEWEST_OF_LATER: usize = 8;
/// The most editions of a document that are reported for one statement.
const MOST_EDITIONS: usize = 4;
/// From this many changes of the requested release on, they alone are the answer.
pub(super) const ENOUGH_CHANGES: usize = 3;

/// The content of a report.
pub(super) struct Chosen {
    /// Sentences, best first, and behind them the items of lists of sides and the two of a contradiction.
    pub sentences: Vec<Candidate>,
    /// Items of the lists that are the answer: kinds, differences, steps.
    pub members: Vec<Candidate>,
}

impl Work<'_> {
    /// The content of the report; empty if the sources have no answer.
    pub(super) fn chosen(&self) -> Chosen {
        let (topic, ask) = (self.topic(), self.asks());
        let [all, ranked, rest] = match self.is_unanswered(self.ranked()) {
            true => [&[][..]; 3],
            false => [&self.ranked().candidates[..], self.ranked().near(), &self.ranked().rest],
        };
        let contradiction = self.contradiction(all, topic);
        // A contradiction between sources is worth reporting; the other side is attached to its finding and takes no
        // place of its own.
        let most = if topic.rivals.is_empty() { MOST } else { MOST_OF_ONE };
        let most = if contradiction.is_some() { most - 1 } else { most };
        let names_kinds = |c: &Candidate| ask.kinds.as_ref().is_some_and(|kinds| kinds.are_named_in(&c.claim.text));
        let names = ranked.iter().position(names_kinds);
        let mut chosen = self.sentences(ranked, names, most);
        keep_newest_editions(ranked, &mut chosen);
        let mut listed = self.sides_listed(all.iter().chain(rest));
        let mut members = self.kinds_listed();
        // Names alone add nothing to the sentence that has them all.
        if names.is_some() && members.iter().all(is_only_named) {
            members.clear();
        }
        if !ranked.is_empty() {
            members.append(&mut self.differences_listed());
            members.append(&mut self.steps_listed(ranked, &mut chosen));
        }
        chosen.retain(|at| !members.iter().any(|member| overlaps(member, &ranked[*at])));
        // If the task asks for one side and the sources list it, other sentences do not answer.
        if let Some(side) = pros_and_cons::side_of(&self.task.question).filter(|_| !listed.is_empty()) {
            chosen.retain(|at| kind(&ranked[*at], ask, topic) == side);
        }
        let are_told =
            |c: &Candidate| chosen.iter().any(|at| overlaps(&ranked[*at], c)) || members.iter().any(|m| overlaps(m, c));
        listed.retain(|item| !are_told(item));
        // The list is the answer.
        let as_best = |item: &mut Candidate| item.score = ranked.first().map_or(item.score, |best| best.score);
        listed.iter_mut().chain(&mut members).for_each(as_best);
        if let Some((first, second)) = contradiction {
            chosen.retain(|at| !overlaps(&ranked[*at], &first) && !overlaps(&ranked[*at], &second));
            listed.extend([first, second]);
        }
        let sentences = chosen.iter().map(|at| ranked[*at].clone()).chain(listed).collect();
        Chosen { sentences, members }
    }

    /// The chosen of the ranked sentences, at most `most`. `names` is the one that has the names of all kinds.
    fn sentences(&self, ranked: &[Candidate], names: Option<usize>, most: usize) -> Vec<usize> {
        let (topic, ask) = (self.topic(), self.asks());
        let best = best_of_sections(ranked);
        // There is less on one of several things, and each of its slots should be filled, unless one thing is asked of each.
        let of_several = if self.asks_one_thing_of_each() { OF_EACH } else { OF_SEVERAL };
        let floor = (FLOOR * best).max(self.ranking.good) * if topic.rivals.is_empty() { 1.0 } else { of_several };
        let changes = without_repeats(ranked, self.changes(ranked), most);
        if changes.len() >= ENOUGH_CHANGES {
            return changes;
        }
        let first = if changes.is_empty() { self.first(ranked, names, most, floor) } else { changes };
        if self.shape == Shape::Comparison && !self.asks_one_thing_of_each() {
            let slots: Vec<Slot> =
                ranked.iter().map(|candidate| slot(candidate, ask, topic).unwrap_or(Slot::Other)).collect();
            return select_by_slot(ranked, &slots, first, most, floor);
        }
        let says = |at: usize| self.says_enough(&ranked[at]);
        let strong = select(ranked, first, most, floor, &says);
        let least = (LEAST_FLOOR * best).max(self.ranking.fair);
        if strong.len() < ENOUGH { select(ranked, strong, ENOUGH, least, &says) } else { strong }
    }

    /// The sentences that come first: the definition that is asked for, the one that has the names of all kinds, the best of each
    /// side of a comparison.
    fn first(&self, ranked: &[Candidate], names: Option<usize>, most: usize, floor: f64) -> Vec<usize> {
        let (topic, ask) = (self.topic(), self.asks());
        let definition = ranked.iter().position(|c| ask.definition && is_its_definition(c, ask, topic));
        let mut first: Vec<usize> = definition.into_iter().chain(names.filter(|at| Some(*at) != definition)).collect();
        let sides: Vec<BTreeSet<String>> = self.named.sides.iter().map(|side| Tokens::of(side).content()).collect();
        let sides = best_of_sides(ranked, &sides, most, floor * 0.5);
        let others: Vec<usize> = sides.into_iter().filter(|at| !first.contains(at)).collect();
        first.extend(others);
        first
    }

    /// Whether it asks the question itself of one of several things, and not the usual question of a comparison.
    fn asks_one_thing_of_each(&self) -> bool {
        let is_of_question =
            || Tokens::of(&self.task.question).content().is_subset(&Tokens::of(&self.question).content());
        !self.topic().rivals.is_empty()
            && self.task.aspects.is_empty()
            && !asks_the_usual(&self.task.question)
            && is_of_question()
    }

    /// The items of a list of the differences between the compared things.
    fn differences_listed(&self) -> Vec<Candidate> {
        match self.shape {
            Shape::Comparison => self.unknown(differences::listed(self.topic(), &self.results)),
            _ => Vec::new(),
        }
    }

    /// The steps of partly chosen lists, if the task asks how something is done. Chosen parts of lists on another thing are left
    /// out.
    fn steps_listed(&self, ranked: &[Candidate], chosen: &mut Vec<usize>) -> Vec<Candidate> {
        let ask = self.asks();
        if !ask.how {
            return Vec::new();
        }
        let candidates: Vec<&Candidate> = chosen.iter().map(|at| &ranked[*at]).collect();
        let steps = Steps::of(&candidates, &self.results, |text| ask.share(&text.content()));
        chosen.retain(|at| !steps.are_of_another_thing(&ranked[*at], |stems| ask.share(stems)));
        self.unknown(steps.items)
    }

    /// Whether a sentence says enough to be told behind the best: it has some words, or a number or the name that is asked for.
    fn says_enough(&self, c: &Candidate) -> bool {
        let words = c.claim.text.split_whitespace().count();
        let is_number = || self.asks().counted.as_ref().is_some_and(|counted| counted.is_in(&c.claim.text));
        words >= FEWEST_OF_LATER || is_number() || c.tie == Some(Tie::Subject) || value::is_asked(c, self.asks())
    }

    /// If the question asks for the changes in an edition, those below its name.
    pub(super) fn changes(&self, ranked: &[Candidate]) -> Vec<usize> {
        match asks_of_changes(&self.question, self.shape) {
            true => edition::answers(ranked, &self.question),
            false => Vec::new(),
        }
    }

    /// The best pair of contradicting statements, at least one of them about the topic.
    fn contradiction(&self, ranked: &[Candidate], topic: &Topic) -> Option<(Candidate, Candidate)> {
        // The other side need not name the topic if it names the same setting verbatim.
        let names: Vec<Name> = Vec::new();
        let anywhere = Topic { names, rivals: topic.rivals.clone() };
        let others: LazyCell<Vec<Candidate>, _> = LazyCell::new(|| unlocked(&self.results, &anywhere));
        // Candidates are ranked, so the first is the best.
        ranked.iter().enumerate().filter(|(_, c)| c.gives_a_value()).take(40).find_map(|(first, candidate)| {
            let inside = ranked[first + 1..].iter().find(|other| other.is_against(candidate));
            let other = inside.or_else(|| others.iter().find(|other| other.is_against(candidate)))?;
            Some((candidate.clone(), other.clone()))
        })
    }
}

/// Keeps, of statements in which editions of one document differ, those of the newest editions that were ranked.
fn keep_newest_editions(ranked: &[Candidate], chosen: &mut Vec<usize>) {
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    for at in chosen.clone() {
        let own = &ranked[at];
        if seen.contains(&at) || !own.gives_a_value() {
            continue;
        }
        let edition_of = |other: usize| {
            let other = &ranked[other];
            edition::versions(&own.source, &other.source).filter(|_| other.is_against(own)).map(|(_, its)| its)
        };
        let mut editions: Vec<(edition::Version, usize)> =
            (0..ranked.len()).filter_map(|other| Some((edition_of(other)?, other))).collect();
        if editions.len() < MOST_EDITIONS {
            continue;
        }
        let of_own = editions.first().and_then(|(_, other)| edition::versions(&own.source, &ranked[*other].source));
        editions.extend(of_own.map(|(its, _)| (its, at)));
        editions.sort_by(|(a, at), (b, other)| b.cmp(a).then(at.cmp(other)));
        seen.extend(editions.iter().map(|(_, at)| *at));
        let newest: Vec<usize> = editions.iter().take(MOST_EDITIONS).map(|(_, at)| *at).collect();
        let place = chosen.iter().position(|chosen| *chosen == at).unwrap_or(0);
        let before = chosen[..place].iter().filter(|at| !seen.contains(at)).count();
        chosen.retain(|at| !editions.iter().any(|(_, edition)| edition == at));
        chosen.splice(before..before, newest);
    }
}

/// The mean score of the best sentences of the best sections, so that a single sentence with all the words does not set
/// the standard.
fn best_of_sections(ranked: &[Candidate]) -> f64 {
    let mut sections = BTreeSet::new();
    let mut is_new = |c: &Candidate| sections.insert((c.source.path.clone(), c.section.clone()));
    let best: Vec<f64> = ranked.iter().filter(|c| is_new(c)).take(BEST_SECTIONS).map(|c| c.score).collect();
    best.iter().sum::<f64>() / best.len().max(1) as f64
}
