//! Choosing among candidates: the best that add something, until the score falls.

use super::candidate::Candidate;
use super::score::Wanted;

/// Most findings a researcher returns.
pub(super) const MOST: usize = 8;
/// How much being like one already chosen costs.
const SAMENESS: f64 = 0.7;
/// What a first statement on an aspect is worth.
const NEW_ASPECT: f64 = 0.15;

/// Picks up to `most` candidates by maximal marginal relevance. Those below `floor` are never picked: it is better to
/// stop than to pad.
pub(super) fn select(candidates: &[Candidate], wanted: &Wanted, most: usize, floor: f64) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut open: Vec<usize> = (0..candidates.len()).filter(|at| candidates[*at].score >= floor).collect();
    let mut covered: Vec<usize> = Vec::new();
    while chosen.len() < most {
        let mut best: Option<(f64, usize)> = None;
        for &at in &open {
            let candidate = &candidates[at];
            if chosen.iter().any(|other| overlaps(candidate, &candidates[*other])) {
                continue;
            }
            let alike =
                chosen.iter().map(|other| candidate.shingles.overlap(&candidates[*other].shingles)).fold(0.0, f64::max);
            let new = wanted.speaks_to(candidate).iter().any(|aspect| !covered.contains(aspect));
            let value = candidate.score - SAMENESS * alike + if new { NEW_ASPECT } else { 0.0 };
            // Ties go to the one that stands first: the order of candidates is the order of pages and places.
            if best.is_none_or(|(known, _)| value > known + 1e-9) {
                best = Some((value, at));
            }
        }
        let Some((value, at)) = best else { break };
        if value < floor * 0.6 {
            break;
        }
        open.retain(|other| *other != at && !candidates[*other].shingles.same_family(&candidates[at].shingles));
        covered.extend(wanted.speaks_to(&candidates[at]));
        chosen.push(at);
    }
    chosen
}

/// Whether two candidates quote the same words.
pub(super) fn overlaps(a: &Candidate, b: &Candidate) -> bool {
    a.source.id == b.source.id
        && a.block.no == b.block.no
        && a.claim.range.start < b.claim.range.end
        && b.claim.range.start < a.claim.range.end
}
