//! Drafts in the pipeline: gates and reviewer may veto a draft, the writer revises it, and a revision that is no better
//! is the last.

use std::collections::BTreeSet;

use super::{Progress, hand_off, sending};
use crate::delegation::is_task;
use run::brief::Draft;
use run::checkpoint::Subject;
use run::checkpoint::draft::{self, Review};
use run::finding::Finding;
use run::gate::Gate;
use run::id::Role;
use run::stage::Leading;
use run::transcript::{Did, Pause, Sent};
use run::verdict::{Issue, Verdict};
use run::{Outcome, Payload};
use specialist::{Sending, Step};
use text::{Clean, count};

/// The draft that the writer returned.
pub(crate) fn draft_of(writer: &Sent) -> Option<&Draft> {
    writer.usable()?.draft.as_ref()
}

/// A draft with its verdicts.
pub(crate) struct Judged<'a> {
    pub(super) draft: &'a Draft,
    pub(crate) verdicts: Vec<Verdict>,
    /// Sentences that a code gate vetoes: only sentences that lead to a passage may reach a brief.
    pub(super) vetoed: BTreeSet<&'a Clean>,
    /// The check that could not be run, and how it ended.
    pub(super) unchecked: Option<(Role, Outcome)>,
    /// Whether the gates have checked it.
    pub(crate) gated: bool,
    /// The number of sentences that the person has changed or removed.
    pub(super) changed: u32,
}

/// A draft as the person has accepted it, with the verdicts on what is left of it.
fn accepted<'r>(judged: &'r Judged<'_>, review: &'r Review) -> Judged<'r> {
    let vetoed = judged.vetoed.iter().map(|text| &**text).collect();
    let (unchecked, gated) = (judged.unchecked.clone(), judged.gated);
    Judged { draft: &review.draft, verdicts: review.standing(), vetoed, unchecked, gated, changed: review.changed }
}

impl<'a> Judged<'a> {
    /// A draft without verdicts yet.
    fn of(draft: &'a Draft) -> Judged<'a> {
        let (verdicts, vetoed) = Default::default();
        Judged { draft, verdicts, vetoed, unchecked: None, gated: false, changed: 0 }
    }
}

impl Judged<'_> {
    /// Whether it judges this draft.
    pub(crate) fn is_of(&self, draft: &Draft) -> bool {
        std::ptr::eq(self.draft, draft)
    }

    /// The issues that block it.
    pub(super) fn issues(&self) -> impl Iterator<Item = &Issue> {
        self.verdicts.iter().flat_map(|verdict| &verdict.issues).filter(|issue| issue.blocking)
    }

    /// The number of issues that block it.
    pub(crate) fn blocking(&self) -> usize {
        self.issues().count()
    }
}

impl<'a> Progress<'a> {
    /// Hands the approved findings to the writer, with the last draft and its verdicts if it is to be revised.
    pub(crate) fn write(&self, revise: Option<&Judged<'_>>) -> Step {
        let Some(plan) = self.adopted() else { return self.land("there is no plan") };
        let findings = self.approved();
        if findings.is_empty() {
            return self.nothing(plan);
        }
        let title = match revise {
            None => format!("{} approved", count(findings.len(), "finding")),
            Some(judged) => format!("revise: {}", count(judged.blocking(), "issue")),
        };
        let (question, words) = self.for_writer();
        let mut payload = Payload {
            question: Some(question),
            named: self.named().cloned(),
            plan: Some(plan.clone()),
            findings: Some(findings),
            length: Some(words),
            shortfalls: Some(self.shortfalls()).filter(|shortfalls| !shortfalls.is_empty()),
            ..Payload::default()
        };
        let why = match revise {
            None => "the findings are approved",
            Some(judged) => {
                payload.draft = Some(judged.draft.clone());
                payload.verdicts = Some(judged.verdicts.clone());
                "gates or reviewer sent the draft back"
            }
        };
        hand_off(Leading::Write, why, vec![sending(self.order().writes(), &title, payload)])
    }

    /// Hands a draft to the gates and reviewers that have not checked it yet.
    pub(crate) fn check(&self, writer: &Sent) -> Step {
        let (Some(draft), Some(plan)) = (draft_of(writer).cloned(), self.adopted()) else {
            return self.land("there is no draft");
        };
        let title = format!("draft, {}", count(draft.words(), "word"));
        let (question, words) = self.for_writer();
        let common = Payload {
            question: Some(question),
            plan: Some(plan.clone()),
            draft: Some(draft),
            findings: Some(self.findings_of(writer)),
            passages: Some(Vec::new()),
            length: Some(words),
            ..Payload::default()
        };
        let named = self.named().cloned();
        let reviewed = Payload { named: named.clone(), ..common.clone() };
        let gated = match named.is_some() {
            true => Payload {
                named,
                shortfalls: Some(writer.handoff.payload.shortfalls().to_vec()),
                searched: Some(self.searched().into_iter().collect()),
                ..common
            },
            false => common,
        };
        let checks = self.unasked().into_iter().map(|role| {
            let payload = if role.as_str() == Role::REVIEWER { reviewed.clone() } else { gated.clone() };
            Sending::new(&role, title.as_str(), payload)
        });
        hand_off(Leading::Check, "no draft goes out unchecked", checks.collect())
    }

    /// Every checked draft so far with its verdicts, oldest first.
    pub(crate) fn judged(&self) -> Vec<Judged<'a>> {
        let mut all: Vec<Judged<'a>> = Vec::new();
        let mut fresh: Option<&'a Draft> = None;
        // A retried check is about the same draft.
        let mut sent: Vec<&Sent> =
            self.transcript.sent().filter(|sent| !self.failures().is_tried_again(sent)).collect();
        // A task is named by its place in the plan, everything else by the time it was handed out.
        sent.sort_by_key(|sent| (!is_task(sent), sent.to));
        for sent in sent {
            match sent.role.as_str() {
                role if role == self.order().writes() => {
                    fresh = draft_of(self.transcript.result_of(sent)).or(fresh);
                }
                _ if self.checks(&sent.role) => {
                    if let Some(draft) = fresh.take() {
                        all.push(Judged::of(draft));
                    }
                    let (Some(judged), Some((outcome, report))) = (all.last_mut(), &sent.report) else { continue };
                    judged.gated |= sent.role.as_str() == Role::GATES;
                    if !outcome.usable() {
                        judged.unchecked = Some((sent.role.clone(), outcome.clone()));
                        continue;
                    }
                    judged.verdicts.extend(report.payload.verdicts().iter().cloned());
                    let issues = report.payload.verdicts().iter().flat_map(|verdict| &verdict.issues);
                    let vetoed = issues.filter(|issue| issue.blocking && self.is_code(&sent.role));
                    judged.vetoed.extend(vetoed.filter_map(|issue| issue.sentence.as_ref()));
                }
                _ => {}
            }
        }
        all
    }

    /// Every handoff to the writer, oldest first; of retried ones, the attempt whose result is used.
    pub(crate) fn drafts(&self) -> impl Iterator<Item = &'a Sent> {
        let failures = self.failures();
        let writers = self.transcript.sent().filter(|sent| sent.role.as_str() == self.order().writes());
        writers.filter(move |sent| !failures.is_tried_again(sent)).map(move |sent| failures.transcript.result_of(sent))
    }

    /// The findings that a draft was written from: those handed to its writer, or those it found itself.
    pub(super) fn findings_of(&self, writer: &Sent) -> Vec<Finding> {
        let handed = writer.handoff.payload.findings();
        let own = writer.usable().filter(|_| self.order().is_alone()).map_or(&[][..], Payload::findings);
        let quoted = own.iter().filter(|finding| finding.usable());
        handed.iter().chain(quoted.filter(|own| !handed.iter().any(|known| known.id == own.id))).cloned().collect()
    }

    /// Roles that must check the last draft and were not asked yet.
    pub(crate) fn unasked(&self) -> Vec<Role> {
        let sent: Vec<&Sent> = self.transcript.sent().collect();
        let since = sent.iter().rposition(|sent| sent.role.as_str() == self.order().writes()).unwrap_or(0);
        let asked = |role: &Role| sent[since..].iter().any(|sent| sent.role == *role);
        let own = self.team.members.iter().filter(|(_, member)| member.gate.is_some()).map(|(role, _)| role.clone());
        let all = self.order().checks().iter().copied().map(Role::new).chain(own);
        all.filter(|role| !asked(role)).collect()
    }

    /// The last draft, if a gate or the reviewer sent it back.
    pub(crate) fn sent_back(&self) -> Option<Judged<'a>> {
        self.judged().pop().filter(|judged| judged.blocking() > 0 && self.unasked().is_empty())
    }

    /// Whether a role checks drafts.
    fn checks(&self, role: &Role) -> bool {
        [Role::GATES, Role::REVIEWER].contains(&role.as_str()) || self.gate(role).is_some()
    }

    /// Whether a role checks in code that sentences lead to passages.
    fn is_code(&self, role: &Role) -> bool {
        role.as_str() == Role::GATES || matches!(self.gate(role), Some(Gate::Checks(_)))
    }

    fn gate(&self, role: &Role) -> Option<&Gate> {
        self.team.members.get(role)?.gate.as_ref()
    }

    /// Sends the draft back to the writer, ends with it, or ends with the best of those that did not pass.
    pub(super) fn judge(&self) -> Step {
        let all = self.judged();
        let Some(last) = all.last() else { return self.land("there is no draft") };
        // A draft that the person sent back is not chosen again.
        let sent_back = self.sent_back_by_person();
        let judged: Vec<&Judged<'_>> = all.iter().filter(|judged| self.turn_of(judged.draft) > sent_back).collect();
        let better = judged.len() < 2 || last.blocking() < judged[judged.len() - 2].blocking();
        if last.blocking() > 0 && self.may_be_revised() && better {
            return self.write(Some(last));
        }
        self.end_with(self.best(&all).unwrap_or(last))
    }

    /// The draft to end with: the one with the fewest issues of those that gates have checked, or else of all. A draft
    /// that the person sent back is chosen only if nothing came after it. Of equally good drafts the latest is chosen:
    /// it rests on the most findings.
    pub(crate) fn best<'j>(&self, all: &'j [Judged<'a>]) -> Option<&'j Judged<'a>> {
        let sent_back = self.sent_back_by_person();
        let open = all.iter().rev().filter(|judged| self.turn_of(judged.draft) > sent_back);
        open.min_by_key(|judged| (!judged.gated, judged.blocking())).or(all.last())
    }

    /// Whether the writer may be asked once more.
    pub(crate) fn may_be_revised(&self) -> bool {
        self.drafts().count() <= self.team.revisions as usize + self.remarked().count()
    }

    /// Ends with a draft, once the person has accepted it if the team asks them; or has it revised as they remarked.
    pub(crate) fn end_with(&self, judged: &Judged<'_>) -> Step {
        if !self.team.check_draft {
            return self.finish(judged);
        }
        let (all, written) = (self.judged(), self.last_to(self.order().writes()).map(|(turn, _)| turn));
        match self.last_pause(Pause::of_draft).filter(|(turn, _)| Some(*turn) > written) {
            Some((_, (draft::Answer::Accepted, review))) => self.finish(&accepted(judged, review)),
            Some((_, (draft::Answer::Revise, review))) => {
                let mut verdicts = review.standing();
                verdicts.push(review.verdict());
                self.write(Some(&Judged { draft: &review.draft, verdicts, ..Judged::of(&review.draft) }))
            }
            None => {
                // A draft that they sent back is not shown to them again.
                let sent_back = self.sent_back_by_person();
                let newest = || all.iter().rev().find(|judged| self.turn_of(judged.draft) > sent_back);
                let best = if self.turn_of(judged.draft) > sent_back { Some(judged) } else { newest() };
                let best = best.unwrap_or(judged);
                let review = Review::of(best.draft.clone(), best.verdicts.clone());
                Step::Checkpoint(Subject::Draft(review))
            }
        }
    }

    /// The turns at which the person sent a draft back with remarks.
    fn remarked(&self) -> impl DoubleEndedIterator<Item = usize> {
        let turns = self.transcript.turns.iter().enumerate();
        turns.filter_map(|(turn, it)| match &it.did {
            Did::Checkpoint(pause) if matches!(pause.of_draft(), Some((draft::Answer::Revise, _))) => Some(turn),
            _ => None,
        })
    }

    /// The turn at which the person last sent a draft back.
    fn sent_back_by_person(&self) -> Option<usize> {
        self.remarked().next_back()
    }

    /// The turn at which a draft was requested.
    fn turn_of(&self, draft: &Draft) -> Option<usize> {
        let is_it = |sent: &Sent| draft_of(sent).is_some_and(|of| std::ptr::eq(of, draft));
        self.handed_out().find(|(_, sent)| is_it(sent)).map(|(turn, _)| turn)
    }
}
