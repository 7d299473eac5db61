//! The share of a receiver's context that a payload takes, and the content that is left out if it does not fit.
//!
//! Whole items go, the least important first, and never a piece of one: a quote that is cut is no quote. The payload itself lists
//! the items left out, for the receiver and for readers of the record.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Part, PartName, Payload};
use crate::finding::Finding;
use crate::id::{FindingId, SourceId};
use crate::tool::estimate_tokens;

/// The content left out of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The part.
    pub of: PartName,
    /// The number of items.
    pub items: u32,
    /// Their size, in tokens (estimated).
    pub tokens: u64,
}

impl Payload {
    /// Its size for a model that has to read it, in tokens (estimated): its words, its claims and quotes.
    pub fn tokens(&self) -> u64 {
        self.parts().map(Part::tokens).sum()
    }

    /// Leaves out the items that do not fit into `most` tokens, and says so in a part of its own. In this order: passages that no
    /// finding is quoted from; shortfalls, the last first; findings that the draft does not cite, the weakest first, each with the
    /// passages that only it is quoted from. The question, the task, the plan, a draft with its verdicts, and one finding stay,
    /// however many tokens they take.
    pub fn fit(&mut self, most: u64) {
        if self.tokens() <= most {
            return;
        }
        let before: Vec<(PartName, usize, u64)> = self.parts().map(size).collect();
        self.drop_idle_passages();
        while self.tokens() > most && self.shortfalls.as_mut().and_then(Vec::pop).is_some() {}
        let go = too_many(self, self.tokens().saturating_sub(most));
        if let Some(findings) = &mut self.findings {
            findings.retain(|finding| !go.contains(&finding.id));
        }
        self.drop_idle_passages();
        let gone =
            before.into_iter().zip(self.parts().map(size)).filter_map(|((of, items, tokens), (_, kept, still))| {
                let items = u32::try_from(items - kept).unwrap_or(u32::MAX);
                (items > 0).then(|| LeftOut { of, items, tokens: tokens - still })
            });
        let left_out: Vec<LeftOut> = gone.collect();
        if !left_out.is_empty() {
            self.left_out = Some(left_out);
        }
    }

    /// Drops the passages that no finding of the payload is quoted from.
    fn drop_idle_passages(&mut self) {
        let findings = || self.findings.iter().flatten();
        let announced = findings().flat_map(|finding| &finding.announced).map(|announced| &announced.place);
        let places = findings().flat_map(Finding::places).chain(announced);
        let quoted: BTreeSet<_> = places.map(|place| (place.source.id.clone(), place.block)).collect();
        if let Some(passages) = &mut self.passages {
            passages.retain(|passage| quoted.contains(&(passage.source.id.clone(), passage.block.no)));
        }
    }
}

/// A part by name, with the items that may be left out of it and its tokens.
fn size(part: Part<'_>) -> (PartName, usize, u64) {
    let items = match part {
        Part::Findings(findings) => findings.len(),
        Part::Passages(passages) => passages.len(),
        Part::Shortfalls(shortfalls) => shortfalls.len(),
        _ => 0,
    };
    (part.name(), items, part.tokens())
}

impl Part<'_> {
    /// Its size for a model that has to read it, in tokens (estimated).
    pub fn tokens(self) -> u64 {
        tokens_of(self)
    }
}

fn tokens_of(part: Part<'_>) -> u64 {
    let bytes: usize = match part {
        Part::Question(text) | Part::ByRule(text) => text.len(),
        Part::Notes(lines) | Part::Shortfalls(lines) => lines.iter().map(|line| line.len()).sum(),
        Part::Findings(findings) => findings.iter().map(bytes_of).sum(),
        Part::Passages(passages) => passages.iter().map(|passage| passage.block.text.len()).sum(),
        Part::Draft(draft) => draft.sentences().map(|sentence| sentence.text.len()).sum(),
        Part::Task(planned) => planned.task.question.len(),
        Part::Team(members) => members.iter().map(|member| member.description.len()).sum(),
        Part::Plan(plan) => plan.tasks.iter().map(|task| task.question.len()).sum(),
        Part::Flaws(flaws) => flaws.iter().map(|flaw| flaw.to_string().len()).sum(),
        Part::Verdicts(verdicts) => {
            let issues = verdicts.iter().flat_map(|verdict| &verdict.issues).map(|issue| issue.what.len());
            let checks = verdicts.iter().flat_map(|verdict| &verdict.checks).map(|check| check.result.len());
            issues.sum::<usize>() + checks.sum::<usize>()
        }
        Part::Groups(groups) => groups.iter().map(|group| group.title.len() + 4 * group.tasks.len()).sum(),
        Part::Ends(ends) => ends.iter().map(|end| end.title.len() + 12).sum(),
        Part::Named(named) => {
            named.questions.iter().chain(&named.things).chain(&named.sides).map(|one| one.len()).sum()
        }
        Part::Settled(sentences) => sentences.iter().map(|sentence| sentence.text.len()).sum(),
        Part::Searched(points) | Part::Withheld(points) => points.iter().map(|point| point.name.len() + 8).sum(),
        Part::Briefs(briefs) => briefs.iter().map(|brief| brief.len()).sum(),
        Part::Preferences(all) => all.iter().map(|one| one.why.len() + 8).sum(),
        Part::Data(data) => data.get().to_string().len(),
        Part::Corpus(_) | Part::Length(_) | Part::LeftOut(_) => 4,
    };
    estimate_tokens(bytes)
}

fn bytes_of(finding: &Finding) -> usize {
    finding.claim.len() + finding.said().len()
}

/// The findings that go so that `over` tokens are not taken.
fn too_many(payload: &Payload, mut over: u64) -> BTreeSet<FindingId> {
    let findings = payload.findings();
    let mut stand: BTreeMap<(SourceId, u32), (usize, u64)> = BTreeMap::new();
    for passage in payload.passages() {
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
    for finding in weakest_first(payload) {
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
fn weakest_first(payload: &Payload) -> Vec<&Finding> {
    let sentences = payload.draft.iter().flat_map(|draft| draft.sentences());
    let cited: BTreeSet<FindingId> = sentences.flat_map(|sentence| sentence.cites.iter().copied()).collect();
    let findings = payload.findings();
    let mut free: Vec<(usize, &Finding)> =
        findings.iter().enumerate().filter(|(_, finding)| !cited.contains(&finding.id)).collect();
    free.sort_by_key(|(n, finding)| (finding.score, Reverse(*n)));
    if free.len() == findings.len() {
        free.pop();
    }
    free.into_iter().map(|(_, finding)| finding).collect()
}

#[cfg(test)]
pub(crate) mod tests;
