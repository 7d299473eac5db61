//! Selects findings from candidates: the best that add something new, until the score falls.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::score::Wanted;

/// The most findings of a researcher.
pub(super) const MOST: usize = 8;
/// The penalty for similarity to a selected candidate.
const SAMENESS: f64 = 0.4;
/// The penalty per further claim from the same paragraph: answers are spread over a section.
const SAME_BLOCK: f64 = 0.12;
/// The bonus for the first claim on an aspect.
const NEW_ASPECT: f64 = 0.15;

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
            Slot::Definition | Slot::Contrast | Slot::Cell => 1,
            Slot::Advantage | Slot::Drawback => 2,
            Slot::Other => 0,
        }
    }
}

/// Selects for a comparison: fills each slot, then takes the best of the rest.
pub(super) fn select_by_slot(
    candidates: &[Candidate],
    slots: &[Slot],
    wanted: &Wanted,
    first: Vec<usize>,
    most: usize,
    floor: f64,
) -> Vec<usize> {
    let room = |chosen: &[usize], at: usize| {
        let taken = chosen.iter().filter(|other| slots[**other] == slots[at]).count();
        taken < slots[at].room()
    };
    let chosen = pick(candidates, wanted, most, floor, first, &room);
    let weighed = |_: &[usize], at: usize| slots[at] != Slot::Cell;
    pick(candidates, wanted, most, floor, chosen, &weighed)
}

/// Selects up to `most` candidates by maximal marginal relevance. Candidates below `floor` are never selected: stopping
/// is better than padding.
pub(super) fn select(
    candidates: &[Candidate],
    wanted: &Wanted,
    first: Vec<usize>,
    most: usize,
    floor: f64,
) -> Vec<usize> {
    pick(candidates, wanted, most, floor, first, &|_, _| true)
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
        let own: Vec<BTreeSet<String>> = candidates.iter().map(|candidate| candidate.tokens.content()).collect();
        let within = |at: &usize| candidates[*at].score >= floor && side.is_subset(&own[*at]);
        let above = |at: &usize| {
            let says = |stem: &String| own[*at].contains(stem) || candidates[*at].above.contains(stem);
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
    wanted: &Wanted,
    most: usize,
    floor: f64,
    mut chosen: Vec<usize>,
    admits: &dyn Fn(&[usize], usize) -> bool,
) -> Vec<usize> {
    let like_chosen = |at: &usize, chosen: &[usize]| {
        chosen
            .iter()
            .any(|other| other == at || candidates[*other].shingles.is_near_duplicate(&candidates[*at].shingles))
    };
    let mut open: Vec<usize> =
        (0..candidates.len()).filter(|at| candidates[*at].score >= floor && !like_chosen(at, &chosen)).collect();
    let mut covered: Vec<usize> = chosen.iter().flat_map(|at| wanted.speaks_to(&candidates[*at])).collect();
    while chosen.len() < most {
        let mut best: Option<(f64, usize)> = None;
        for &at in &open {
            let candidate = &candidates[at];
            if !admits(&chosen, at) || chosen.iter().any(|other| overlaps(candidate, &candidates[*other])) {
                continue;
            }
            let alike =
                chosen.iter().map(|other| candidate.shingles.overlap(&candidates[*other].shingles)).fold(0.0, f64::max);
            let new = wanted.speaks_to(candidate).iter().any(|aspect| !covered.contains(aspect));
            let crowd = chosen.iter().filter(|other| same_block(candidate, &candidates[**other])).count();
            let value =
                candidate.score - SAMENESS * alike - SAME_BLOCK * crowd as f64 + if new { NEW_ASPECT } else { 0.0 };
            // Ties go to the first: candidates are ordered by page and position.
            if best.is_none_or(|(known, _)| value > known + 1e-9) {
                best = Some((value, at));
            }
        }
        let Some((value, at)) = best else { break };
        if value < floor * 0.6 {
            break;
        }
        open.retain(|other| *other != at && !candidates[*other].shingles.is_near_duplicate(&candidates[at].shingles));
        covered.extend(wanted.speaks_to(&candidates[at]));
        chosen.push(at);
    }
    chosen
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
