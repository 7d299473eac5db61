//! Selects findings from candidates: the best that say more of what was asked, until the next is no longer about it.

use std::collections::{BTreeMap, BTreeSet};

use super::ask::Ask;
use super::candidate::Candidate;
use super::entries;

/// The penalty for similarity to a selected candidate.
const SAMENESS: f64 = 0.4;
/// The penalty per further claim from the same paragraph: answers are spread over a section.
const SAME_BLOCK: f64 = 0.08;
/// The penalty per further claim from the entry of one option or function, beyond the first [`OF_ENTRY`]: an answer is seldom all that a
/// manual says of one of many.
const SAME_ENTRY: f64 = 0.15;
const OF_ENTRY: usize = 3;
/// The bonus for a claim that has all words of the question, where none before had any; each time a word has been
/// said it counts half.
const NEW_WORDS: f64 = 0.3;

/// The slots of a comparison, the same for each thing, so that they can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Definition,
    Contrast,
    Advantage,
    Drawback,
    /// A number that the others have too.
    Cell,
    Other,
}

impl Slot {
    /// How many of them the first round takes.
    fn room(self) -> usize {
        match self {
            Slot::Definition | Slot::Contrast => 1,
            Slot::Cell => 3,
            Slot::Advantage | Slot::Drawback => 2,
            Slot::Other => 0,
        }
    }
}

/// Selects for a comparison: fills each slot, then takes the best of the rest.
pub(super) fn select_by_slot(
    candidates: &[Candidate],
    slots: &[Slot],
    ask: &Ask,
    first: Vec<usize>,
    most: usize,
    floor: f64,
) -> Vec<usize> {
    let room = |chosen: &[usize], at: usize| {
        let taken = chosen.iter().filter(|other| slots[**other] == slots[at]).count();
        taken < slots[at].room()
    };
    let chosen = pick(candidates, ask, most, floor, first, &room);
    let weighed = |_: &[usize], at: usize| slots[at] != Slot::Cell;
    pick(candidates, ask, most, floor, chosen, &weighed)
}

/// Selects up to `most` candidates by maximal marginal relevance. Candidates below `floor` are never selected: stopping
/// is better than padding.
pub(super) fn select(candidates: &[Candidate], ask: &Ask, first: Vec<usize>, most: usize, floor: f64) -> Vec<usize> {
    pick(candidates, ask, most, floor, first, &|_, _| true)
}

/// For each of these sides the best candidate that speaks of it, in its own words before in its headings: what was asked for by
/// name goes before what is good besides.
pub(super) fn best_of_sides(
    candidates: &[Candidate],
    sides: &[BTreeSet<String>],
    most: usize,
    floor: f64,
) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for side in sides.iter().filter(|side| !side.is_empty()) {
        let within = |at: &usize| candidates[*at].score >= floor && side.is_subset(&candidates[*at].own);
        let above = |at: &usize| {
            let says = |stem: &String| candidates[*at].own.contains(stem) || candidates[*at].above.contains(stem);
            candidates[*at].score >= floor && side.iter().all(says)
        };
        let free = |at: &usize| !chosen.iter().any(|other| overlaps(&candidates[*other], &candidates[*at]));
        let best = (0..candidates.len()).find(within).or_else(|| (0..candidates.len()).find(above));
        if let Some(at) = best.filter(free).filter(|_| chosen.len() < most) {
            chosen.push(at);
        }
    }
    chosen
}

fn pick(
    candidates: &[Candidate],
    ask: &Ask,
    most: usize,
    floor: f64,
    mut chosen: Vec<usize>,
    admits: &dyn Fn(&[usize], usize) -> bool,
) -> Vec<usize> {
    let like_chosen = |at: &usize, chosen: &[usize]| {
        chosen
            .iter()
            .any(|other| other == at || candidates[*other].shingles().is_near_duplicate(candidates[*at].shingles()))
    };
    let mut open: Vec<usize> =
        (0..candidates.len()).filter(|at| candidates[*at].score >= floor && !like_chosen(at, &chosen)).collect();
    let mut said: BTreeMap<&str, i32> = BTreeMap::new();
    let words: BTreeMap<usize, Vec<&str>> =
        open.iter().chain(&chosen).map(|at| (*at, asked_in(&candidates[*at], ask).collect())).collect();
    // The likeness of each to the chosen one nearest to it.
    let mut alike: BTreeMap<usize, f64> = open.iter().map(|at| (*at, 0.0)).collect();
    let take = |at: usize, said: &mut BTreeMap<_, i32>, alike: &mut BTreeMap<usize, f64>| {
        words[&at].iter().for_each(|stem| *said.entry(*stem).or_default() += 1);
        for (other, most) in alike {
            *most = most.max(candidates[*other].shingles().overlap(candidates[at].shingles()));
        }
    };
    chosen.iter().for_each(|at| take(*at, &mut said, &mut alike));
    let entries: Vec<Option<String>> = candidates.iter().map(entries::own).collect();
    while chosen.len() < most {
        let mut best: Option<(f64, usize)> = None;
        for &at in &open {
            let candidate = &candidates[at];
            if !admits(&chosen, at) || chosen.iter().any(|other| overlaps(candidate, &candidates[*other])) {
                continue;
            }
            let gain = |stem: &&str| ask.weight_of(stem) * 0.5_f64.powi(said.get(stem).copied().unwrap_or(0));
            let new: f64 = words[&at].iter().map(gain).sum();
            let crowd = chosen.iter().filter(|other| same_block(candidate, &candidates[**other])).count();
            let is_beside = |other: &&usize| entries[at].is_some() && entries[**other] == entries[at];
            let of_entry = (chosen.iter().filter(is_beside).count() + 1).saturating_sub(OF_ENTRY);
            let crowded = SAME_BLOCK * crowd as f64 + SAME_ENTRY * of_entry as f64;
            let value = candidate.score - SAMENESS * alike[&at] - crowded + NEW_WORDS * new;
            // Ties go to the first: candidates are ordered by page and position.
            if best.is_none_or(|(known, _)| value > known + 1e-9) {
                best = Some((value, at));
            }
        }
        let Some((value, at)) = best else { break };
        if value < floor * 0.6 {
            break;
        }
        open.retain(|other| {
            *other != at && !candidates[*other].shingles().is_near_duplicate(candidates[at].shingles())
        });
        alike.retain(|other, _| open.binary_search(other).is_ok());
        take(at, &mut said, &mut alike);
        chosen.push(at);
    }
    chosen
}

/// The words of the question in a claim and in the heading right above it, in order.
fn asked_in<'a>(candidate: &Candidate, ask: &'a Ask) -> impl Iterator<Item = &'a str> {
    ask.stems().filter(|stem| candidate.own.contains(*stem) || candidate.heading.contains(*stem))
}

fn same_block(a: &Candidate, b: &Candidate) -> bool {
    a.source.id == b.source.id && a.block.no == b.block.no
}

/// Whether two candidates quote overlapping words.
pub(super) fn overlaps(a: &Candidate, b: &Candidate) -> bool {
    a.source.id == b.source.id
        && a.block.no == b.block.no
        && a.claim.range.start < b.claim.range.end
        && b.claim.range.start < a.claim.range.end
}
