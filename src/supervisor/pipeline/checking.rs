//! How the pipeline has a draft checked, and what was said of each: gates and reviewer veto, the writer revises, and a
//! revision that does not get better is the last.

use std::collections::BTreeSet;

use super::{Story, hand_off};
use run::Payload;
use run::brief::Draft;
use run::gate::Gate;
use run::id::Role;
use run::stage::Leading;
use run::transcript::Sent;
use run::verdict::Verdict;
use specialist::{Sending, Step};
use text::{Clean, count};

/// A draft with what was said of it.
pub(crate) struct Judged<'a> {
    pub(super) draft: &'a Draft,
    pub(crate) verdicts: Vec<Verdict>,
    /// Sentences that code vetoes: no statement reaches a brief that leads to no passage.
    pub(super) vetoed: BTreeSet<&'a Clean>,
    pub(super) unchecked: Option<String>,
    gated: bool,
}

impl Judged<'_> {
    /// Whether it is about this draft.
    pub(crate) fn is_of(&self, draft: &Draft) -> bool {
        std::ptr::eq(self.draft, draft)
    }

    /// Whether gates were asked.
    pub(crate) fn is_gated(&self) -> bool {
        self.gated
    }

    /// How much of it may not go out.
    pub(crate) fn blocking(&self) -> usize {
        self.verdicts.iter().flat_map(|verdict| &verdict.issues).filter(|issue| issue.blocking).count()
    }
}

impl<'a> Story<'a> {
    pub(crate) fn check(&self, writer: &Sent) -> Step {
        let Some((outcome, report)) = &writer.report else { return Step::Wait };
        let (Some(draft), true) = (report.payload.draft.as_ref(), outcome.usable()) else {
            return self.land(&format!("the writer {outcome}"));
        };
        let Some(plan) = self.adopted() else { return self.land("there is no plan") };
        let (draft, findings) = (draft.clone(), writer.handoff.payload.findings().to_vec());
        let title = format!("draft, {}", count(draft.words(), "word"));
        let common = Payload {
            draft: Some(draft),
            findings: Some(findings),
            passages: Some(Vec::new()),
            length: Some(self.words()),
            ..Payload::default()
        };
        let reviewed = Payload { question: Some(self.question()), plan: Some(plan.clone()), ..common.clone() };
        let checks = self.unasked().into_iter().map(|role| {
            let payload = if role.as_str() == Role::REVIEWER { reviewed.clone() } else { common.clone() };
            Sending::new(&role, title.as_str(), payload)
        });
        hand_off(Leading::Check, "no draft goes out unchecked", checks.collect())
    }

    /// Every draft so far that was checked, with its verdicts, oldest first.
    pub(crate) fn judged(&self) -> Vec<Judged<'a>> {
        let mut all: Vec<Judged<'a>> = Vec::new();
        let mut fresh: Option<&'a Draft> = None;
        // A check that failed and was made again is about the same draft.
        let mut sent: Vec<&Sent> =
            self.transcript.sent().filter(|sent| !self.remedies().is_tried_again(sent)).collect();
        sent.sort_by_key(|sent| sent.to);
        for sent in sent {
            match sent.role.as_str() {
                Role::WRITER => {
                    fresh = sent.report.as_ref().and_then(|(_, report)| report.payload.draft.as_ref()).or(fresh)
                }
                _ if self.checks(&sent.role) => {
                    if let Some(draft) = fresh.take() {
                        let (verdicts, vetoed) = Default::default();
                        all.push(Judged { draft, verdicts, vetoed, unchecked: None, gated: false });
                    }
                    let (Some(judged), Some((outcome, report))) = (all.last_mut(), &sent.report) else { continue };
                    judged.gated |= sent.role.as_str() == Role::GATES;
                    if !outcome.usable() {
                        judged.unchecked = Some(format!("the {} {outcome}", sent.role));
                        continue;
                    }
                    judged.verdicts.extend(report.payload.verdicts().iter().cloned());
                    if self.is_code(&sent.role) {
                        let issues = report.payload.verdicts().iter().flat_map(|verdict| &verdict.issues);
                        let vetoed = issues.filter(|issue| issue.blocking).filter_map(|issue| issue.sentence.as_ref());
                        judged.vetoed.extend(vetoed);
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// Everything that the writer was asked for, oldest first; of work that was tried again the last attempt.
    pub(crate) fn drafts(&self) -> impl Iterator<Item = &'a Sent> {
        self.transcript
            .sent()
            .filter(|sent| sent.role.as_str() == Role::WRITER && !self.remedies().is_tried_again(sent))
    }

    /// Who has not yet looked at the last draft, of those who have to.
    pub(crate) fn unasked(&self) -> Vec<Role> {
        let sent: Vec<&Sent> = self.transcript.sent().collect();
        let since = sent.iter().rposition(|sent| sent.role.as_str() == Role::WRITER).unwrap_or(0);
        let asked = |role: &Role| sent[since..].iter().any(|sent| sent.role == *role);
        let own = self.team.members.iter().filter(|(_, member)| member.gate.is_some()).map(|(role, _)| role.clone());
        let all = self.order().checks().iter().copied().map(Role::new).chain(own);
        all.filter(|role| !asked(role)).collect()
    }

    /// Whether a role checks drafts.
    fn checks(&self, role: &Role) -> bool {
        let gate = |role| self.team.members.get(role).is_some_and(|member| member.gate.is_some());
        [Role::GATES, Role::REVIEWER].contains(&role.as_str()) || gate(role)
    }

    /// Whether a role checks that statements lead to passages, in code.
    fn is_code(&self, role: &Role) -> bool {
        let gate = self.team.members.get(role).and_then(|member| member.gate.as_ref());
        role.as_str() == Role::GATES || matches!(gate, Some(Gate::Checks(_)))
    }

    /// Sends the draft back, or ends: with what passed, or with the best there is, labelled so.
    pub(super) fn judge(&self) -> Step {
        let judged = self.judged();
        let Some(last) = judged.last() else { return self.land("there is no draft") };
        let better = judged.len() < 2 || last.blocking() < judged[judged.len() - 2].blocking();
        if last.blocking() > 0 && self.may_be_revised() && better {
            return self.write(Some(last));
        }
        // Of equally good drafts the latest counts: it is the one that knows the most.
        let Some(best) = judged.iter().rev().min_by_key(|judged| judged.blocking()).filter(|_| last.blocking() > 0)
        else {
            return self.finish(last);
        };
        self.finish(best)
    }

    /// Whether the writer may be asked once more.
    pub(crate) fn may_be_revised(&self) -> bool {
        self.drafts().count() as u32 <= self.team.revisions
    }
}
