//! How much of a receiver's context a payload takes, and what is left out where it does not fit.
//!
//! Whole items go, the least important first, and never a piece of one: a quote that is cut is no quote. What went is a
//! part of the payload itself, so that the receiver and whoever reads the record know of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Part, PartName, Parts};
use crate::finding::Finding;
use crate::id::{FindingId, SourceId};
use crate::tool::estimate_tokens;

/// What was left out of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Of which part.
    pub of: PartName,
    /// How many items.
    pub items: u32,
    /// What they would have taken, in tokens (estimated).
    pub tokens: u64,
}

impl Part {
    /// What it takes of a context if a model has to read it, in tokens (estimated): its words, its claims and quotes.
    pub fn tokens(&self) -> u64 {
        let bytes: usize = match self {
            Part::Question { text } | Part::Note { text } => text.len(),
            Part::Findings { findings } => findings.iter().map(bytes_of).sum(),
            Part::Passages { passages } => passages.iter().map(|passage| passage.block.text.len()).sum(),
            Part::Draft { draft } => draft.sentences().map(|sentence| sentence.text.len()).sum(),
            Part::Task { task, .. } => task.question.len(),
            Part::Team { members } => members.iter().map(|member| member.description.len()).sum(),
            Part::Plan { plan } => plan.tasks.iter().map(|task| task.question.len()).sum(),
            Part::Flaws { flaws } => flaws.iter().map(|flaw| flaw.to_string().len()).sum(),
            Part::Verdicts { verdicts } => {
                let issues = verdicts.iter().flat_map(|verdict| &verdict.issues).map(|issue| issue.what.len());
                let checks = verdicts.iter().flat_map(|verdict| &verdict.checks).map(|check| check.result.len());
                issues.sum::<usize>() + checks.sum::<usize>()
            }
            Part::Shortfalls { notes } => notes.iter().map(|note| note.len()).sum(),
            Part::Groups { groups } => groups.iter().map(|group| group.title.len() + 4 * group.tasks.len()).sum(),
            Part::Ends { ends } => ends.iter().map(|end| end.title.len() + 12).sum(),
            Part::Corpus { .. } | Part::Length { .. } | Part::LeftOut { .. } => 4,
        };
        estimate_tokens(bytes)
    }
}

fn bytes_of(finding: &Finding) -> usize {
    finding.claim.len() + finding.quote.len()
}

/// Leaves out what does not fit into `most` tokens, and says so in a part of its own. In this order: passages that none
/// of the findings stands in; what fell short, the last first; findings that the draft does not cite, the weakest
/// first, each with the passages that only it stands in. The question, the task, the plan, a draft and what was said of
/// it, and one finding stay, whatever they take.
pub fn fit(parts: &mut Vec<Part>, most: u64) {
    let taken = |parts: &[Part]| parts.iter().map(Part::tokens).sum::<u64>();
    if taken(parts) <= most {
        return;
    }
    let before: Vec<(PartName, usize, u64)> = parts.iter().map(|p| (p.name(), items(p), p.tokens())).collect();
    drop_idle_passages(parts);
    while taken(parts) > most && drop_last_shortfall(parts) {}
    let go = too_many(parts, taken(parts).saturating_sub(most));
    for part in &mut *parts {
        if let Part::Findings { findings } = part {
            findings.retain(|finding| !go.contains(&finding.id));
        }
    }
    drop_idle_passages(parts);
    let gone = before.into_iter().zip(&*parts).filter_map(|((of, items_before, tokens), part)| {
        let items = u32::try_from(items_before - items(part)).unwrap_or(u32::MAX);
        (items > 0).then(|| LeftOut { of, items, tokens: tokens - part.tokens() })
    });
    let left_out: Vec<LeftOut> = gone.collect();
    if !left_out.is_empty() {
        parts.push(Part::LeftOut { left_out });
    }
}

fn items(part: &Part) -> usize {
    match part {
        Part::Findings { findings } => findings.len(),
        Part::Passages { passages } => passages.len(),
        Part::Shortfalls { notes } => notes.len(),
        _ => 0,
    }
}

/// Passages that no finding of the payload stands in.
fn drop_idle_passages(parts: &mut [Part]) {
    let places = parts.findings().iter().flat_map(Finding::places);
    let stood_in: BTreeSet<_> = places.map(|place| (place.source.id.clone(), place.block)).collect();
    for part in parts {
        if let Part::Passages { passages } = part {
            passages.retain(|passage| stood_in.contains(&(passage.source.id.clone(), passage.block.no)));
        }
    }
}

fn drop_last_shortfall(parts: &mut [Part]) -> bool {
    let shortfalls =
        parts.iter_mut().find_map(|part| if let Part::Shortfalls { notes } = part { Some(notes) } else { None });
    shortfalls.is_some_and(|notes| notes.pop().is_some())
}

/// The findings that go so that `over` tokens are not taken.
fn too_many(parts: &[Part], mut over: u64) -> BTreeSet<FindingId> {
    let findings = parts.findings();
    let mut stand: BTreeMap<(SourceId, u32), (usize, u64)> = BTreeMap::new();
    for passage in parts.passages() {
        stand.insert((passage.source.id.clone(), passage.block.no), (0, estimate_tokens(passage.block.text.len())));
    }
    let places =
        |finding: &'_ Finding| finding.places().map(|p| (p.source.id.clone(), p.block)).collect::<BTreeSet<_>>();
    for place in findings.iter().flat_map(places) {
        if let Some((count, _)) = stand.get_mut(&place) {
            *count += 1;
        }
    }
    let mut go = BTreeSet::new();
    for finding in weakest_first(parts) {
        if over == 0 {
            break;
        }
        over = over.saturating_sub(estimate_tokens(bytes_of(finding)));
        for place in places(finding) {
            let Some((count, tokens)) = stand.get_mut(&place) else { continue };
            *count -= 1;
            if *count == 0 {
                over = over.saturating_sub(*tokens);
            }
        }
        go.insert(finding.id);
    }
    go
}

/// The findings that may go, the one to go first in front: by score, and of equal ones the last. One always stays.
fn weakest_first(parts: &[Part]) -> Vec<&Finding> {
    let sentences = parts.draft().into_iter().flat_map(|draft| draft.sentences());
    let cited: BTreeSet<FindingId> = sentences.flat_map(|sentence| sentence.cites.iter().copied()).collect();
    let findings = parts.findings();
    let mut free: Vec<(usize, &Finding)> =
        findings.iter().enumerate().filter(|(_, finding)| !cited.contains(&finding.id)).collect();
    free.sort_by_key(|(n, finding)| (finding.score, Reverse(*n)));
    if free.len() == findings.len() {
        free.pop();
    }
    free.into_iter().map(|(_, finding)| finding).collect()
}

#[cfg(test)]
pub(super) mod tests;
