//! Selects findings from ranked candidates: best first, without repetitions, down to a least score.
//!
//! It does not trade score for variety: the sentences that answer a question are often together.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::program_text;

/// The slots of a comparison, the same for each thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Definition,
    Contrast,
    Advantage,
    Drawback,
    /// A number that the other things have too.
    Cell,
    Other,
}

impl Slot {
    /// The number of candidates that the first round puts into the slot.
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
    first: Vec<usize>,
    most: usize,
    floor: f64,
) -> Vec<usize> {
    let room = |chosen: &[usize], at: usize| {
        let filled = chosen.iter().filter(|other| slots[**other] == slots[at]).count();
        filled < slots[at].room()
    };
    let chosen = pick(candidates, most, floor, first, &room);
    let weighed = |_: &[usize], at: usize| slots[at] != Slot::Cell;
    pick(candidates, most, floor, chosen, &weighed)
}

/// The best candidates of a list, which may be short.
const BEST: usize = 10;

/// Selects up to `most` candidates, those in `first` before all others. Candidates below `floor` are never selected: a
/// short list is better than padding. Behind the best, a candidate has to say enough.
pub(super) fn select(
    candidates: &[Candidate],
    first: Vec<usize>,
    most: usize,
    floor: f64,
    says_enough: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    pick(candidates, most, floor, first, &|chosen, at| chosen.len() < BEST || says_enough(at))
}

/// The best candidate on each of these sides, preferring its own words over its headings: the names of the question come before
/// other good candidates.
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
    most: usize,
    floor: f64,
    mut chosen: Vec<usize>,
    admits: &dyn Fn(&[usize], usize) -> bool,
) -> Vec<usize> {
    for (at, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| candidate.score >= floor) {
        if chosen.len() >= most {
            break;
        }
        if admits(&chosen, at) && !chosen.iter().any(|other| repeats(candidate, &candidates[*other])) {
            chosen.push(at);
        }
    }
    chosen
}

/// The first of these candidates, up to `most`, without repetitions.
pub(super) fn without_repeats(candidates: &[Candidate], these: Vec<usize>, most: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for at in these {
        if chosen.len() < most && !chosen.iter().any(|other| repeats(&candidates[at], &candidates[*other])) {
            chosen.push(at);
        }
    }
    chosen
}

/// Whether a candidate repeats another.
fn repeats(candidate: &Candidate, other: &Candidate) -> bool {
    overlaps(candidate, other)
        || candidate.shingles().is_near_duplicate(other.shingles())
        || program_text::are_of_one_heading(candidate, other)
}

/// Whether two candidates quote overlapping words.
pub(super) fn overlaps(a: &Candidate, b: &Candidate) -> bool {
    a.source.id == b.source.id
        && a.block.no == b.block.no
        && a.claim.range.start < b.claim.range.end
        && b.claim.range.start < a.claim.range.end
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};

    /// The sentences of a page as candidates, each with a score.
    fn ranked(sentences: &[(&str, f64)]) -> Vec<Candidate> {
        let mut results = ToolResults::default();
        for ((text, _), no) in sentences.iter().zip(0..) {
            let block = run::evidence::Block { no, ..block(text) };
            results.blocks.insert(("page".into(), no), (source("Page"), Arc::new(block)));
        }
        let mut found = candidates(&results, &Topic::new(["lock"], [""; 0]), Code::Allowed);
        found.iter_mut().zip(sentences).for_each(|(candidate, (_, score))| candidate.score = *score);
        found
    }

    #[test]
    fn the_best_are_selected_however_near_they_stand_and_none_that_repeats_another() {
        let found = ranked(&[
            ("The lock is taken by the first thread that asks for it.", 5.0),
            ("The lock is taken by the first thread which asks for it.", 4.9),
            ("The lock is given back when the thread waits for input.", 4.8),
            ("Every module has a file of its own.", 4.7),
            ("The weather was fine on that day.", 2.0),
        ]);
        assert_eq!(select(&found, vec![], 2, 3.0, &|_| true), [0, 2], "the second says what the first says");
        assert_eq!(
            select(&found, vec![3], 3, 3.0, &|_| true),
            [3, 0, 2],
            "what was asked for by name goes before all others"
        );
        assert_eq!(select(&found, vec![], 9, 3.0, &|_| true), [0, 2, 3], "what is too weak is never selected");
        let long_enough = |at: usize| at != 3;
        let best = vec![0; BEST];
        assert_eq!(select(&found, best.clone(), 9, 3.0, &long_enough), best, "behind the best, one has to say enough");
        assert_eq!(without_repeats(&found, vec![4, 1, 0, 2], 2), [4, 1], "these are told however weak");
        assert_eq!(without_repeats(&found, vec![4, 1, 0, 2], 9), [4, 1, 2]);
    }
}
