//! Drafts in the pipeline: gates and reviewer may veto a draft, the writer revises it, and a revision that is no better
//! is the last.

mod judged;

use std::cmp::Reverse;

use super::reviewed::reviewed;
use super::{Progress, hand_off, sending};
use crate::delegation::is_task;
use judged::accepted;
use run::brief::{Draft, Sentence, Wording};
use run::checkpoint::Subject;
use run::checkpoint::draft::{self, Review};
use run::finding::Finding;
use run::gate::Gate;
use run::id::Role;
use run::stage::Leading;
use run::team::Worker;
use run::transcript::{Did, Pause, Sent};
use run::verdict::{Concern, Issue, Verdict, remarks};
use run::{Outcome, Payload};
use specialist::{Sending, Step};
use text::{Clean, count};

pub(crate) use judged::Judged;

/// The draft that the writer returned.
pub(crate) fn draft_of(writer: &Sent) -> Option<&Draft> {
    writer.usable()?.draft.as_ref()
}

/// The sentences of the person that a revision has lost, but for those that they remarked on.
fn lost(before: Option<&Draft>, verdicts: &[Verdict], draft: &Draft) -> Option<Verdict> {
    let is_lost = |text: &&Clean| !draft.has(text) && !remarks(verdicts).any(|on| on == *text);
    let issue = |text: &Clean| {
        let what = format!("the person wrote “{text}”: it has to stand in the draft, to the letter");
        Issue::new(Concern::Person, what, None, Vec::new())
    };
    let issues: Vec<Issue> = before?.yours.iter().filter(is_lost).map(issue).collect();
    (!issues.is_empty()).then(|| Verdict { issues, checks: Vec::new() })
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
        let (why, worker) = match revise {
            None => ("the findings are approved", Worker::Member),
            Some(judged) => {
                payload.draft = Some(judged.draft.clone());
                payload.verdicts = Some(judged.verdicts.clone());
                ("gates or reviewer sent the draft back", self.writer_of(judged))
            }
        };
        let sending = Sending { worker, ..sending(self.order().writes(), &title, payload) };
        hand_off(Leading::Write, why, vec![sending])
    }

    /// The worker that revises this draft. What rules wrote in place of a model they also revise: it could not write it.
    fn writer_of(&self, judged: &Judged<'_>) -> Worker {
        let is_by_rule =
            |own: &&Sent| own.worker == Worker::Rules || own.usable().is_some_and(|report| report.by_rule.is_some());
        self.handoff_of(judged)
            .filter(is_by_rule)
            .and_then(|own| self.team.by_rule(&own.role))
            .unwrap_or(Worker::Member)
    }

    /// Hands a draft to the gates and reviewers that have not checked it yet: those in code first, which cost nothing.
    pub(crate) fn check(&self, writer: &Sent) -> Step {
        let checks = self.next_checks();
        let to_review = self.to_review().filter(|_| checks.iter().any(|role| self.asks_model(role)));
        let writer = to_review.unwrap_or(writer);
        let (Some(draft), Some(plan)) = (draft_of(writer).cloned(), self.adopted()) else {
            return self.land("there is no draft");
        };
        let title = format!("draft, {}", count(draft.words(), "word"));
        let (question, words) = self.for_writer();
        let common = Payload {
            question: Some(question),
            plan: Some(plan.clone()),
            findings: Some(self.findings_of(writer)),
            passages: Some(Vec::new()),
            length: Some(words),
            ..Payload::default()
        };
        let named = self.named().cloned();
        let settled = Some(self.not_to_judge(writer)).filter(|settled| !settled.is_empty());
        let verdicts = self.doubts_about(&draft);
        let common = Payload { draft: Some(draft), ..common };
        let reviewed = Payload { named: named.clone(), settled, verdicts, ..common.clone() };
        // A line that the writer was handed is no fault of the draft.
        let shortfalls = Some(writer.handoff.payload.shortfalls().to_vec()).filter(|lines| !lines.is_empty());
        let common = Payload { shortfalls, ..common };
        let gated = match named.is_some() {
            true => Payload {
                named,
                searched: Some(self.searched().into_iter().collect()),
                withheld: Some(self.withheld(writer)).filter(|withheld| !withheld.is_empty()),
                ..common
            },
            false => common,
        };
        let checks = checks.into_iter().map(|role| {
            let payload = if role.as_str() == Role::REVIEWER { reviewed.clone() } else { gated.clone() };
            Sending::new(&role, title.as_str(), payload)
        });
        hand_off(Leading::Check, "no draft goes out unchecked", checks.collect())
    }

    /// The writer's handoff of the draft that a model is to review: the one that is to go out; or the last one although it goes back to the
    /// writer, if code has little against it. None if the last one goes back and is not worth a review.
    fn to_review(&self) -> Option<&'a Sent> {
        let (last, all) = (self.drafts().last()?, self.judged());
        let Some(judged) = all.last().filter(|judged| draft_of(last).is_some_and(|draft| judged.is_of(draft))) else {
            return Some(last);
        };
        match self.is_worth_revising(&all) {
            true => judged.is_mostly_sound().then_some(last),
            false => self.chosen().or(Some(last)),
        }
    }

    /// The statements of this writer's draft that a review need not judge: those that were judged before, and those that the writer is to
    /// mend in any case.
    fn not_to_judge(&self, writer: &Sent) -> Vec<Sentence> {
        let all = self.judged();
        let goes_back = self.is_worth_revising(&all);
        let is_it = |judged: &&Judged<'_>| draft_of(writer).is_some_and(|draft| judged.is_of(draft));
        let faulted = all.last().filter(is_it).filter(|_| goes_back).map(Judged::faulted).unwrap_or_default();
        let mut settled = self.judged_before(writer);
        settled.extend(faulted.into_iter().filter(|one| !settled.contains(one)).collect::<Vec<_>>());
        settled
    }

    /// The doubts of code about a draft, for the model that reviews it.
    pub(super) fn doubts_about(&self, draft: &Draft) -> Option<Vec<Verdict>> {
        let all = self.judged();
        let of_it = all.iter().rev().find(|judged| judged.draft == draft)?;
        let issues: Vec<Issue> = of_it.verdicts.iter().flat_map(Verdict::doubts).cloned().collect();
        (!issues.is_empty()).then(|| vec![Verdict { issues, checks: Vec::new() }])
    }

    /// The writer's handoff of the draft to end with, as far as its checks in code and the reviews so far tell.
    fn chosen(&self) -> Option<&'a Sent> {
        let all = self.judged();
        self.handoff_of(self.best(&all)?)
    }

    /// The writer's handoff of this draft.
    fn handoff_of(&self, judged: &Judged<'_>) -> Option<&'a Sent> {
        self.drafts().find(|writer| draft_of(writer).is_some_and(|draft| judged.is_of(draft)))
    }

    /// Every checked draft so far with its verdicts, oldest first.
    pub(crate) fn judged(&self) -> Vec<Judged<'a>> {
        let mut all: Vec<Judged<'a>> = Vec::new();
        let mut checks: Vec<Vec<&'a Sent>> = Vec::new();
        let mut fresh: Option<&'a Draft> = None;
        // The number of drafts that there were when a review was asked for and no model gave it.
        let mut unreviewed = 0;
        for sent in self.in_order() {
            match sent.role.as_str() {
                role if role == self.order().writes() => {
                    fresh = draft_of(self.transcript.result_of(sent)).or(fresh);
                }
                _ if self.checks(&sent.role) => {
                    if let Some(draft) = fresh.take() {
                        let lost = self.lost_in(draft);
                        let in_code = lost.as_ref().map_or(0, |verdict| verdict.issues.len());
                        all.push(Judged { verdicts: lost.into_iter().collect(), in_code, ..Judged::of(draft) });
                        checks.push(Vec::new());
                    }
                    // The draft that was reviewed may be an older one.
                    let asked = sent.handoff.payload.draft.as_ref();
                    let of_asked = all.iter().rposition(|judged| asked == Some(judged.draft));
                    let Some(at) = of_asked.or(all.len().checked_sub(1)) else { continue };
                    checks[at].push(sent);
                    let Some((outcome, report)) = &sent.report else { continue };
                    if sent.role.as_str() == Role::REVIEWER {
                        unreviewed = if self.is_review(sent) && outcome.usable() { 0 } else { all.len() };
                    }
                    self.take(&mut all[at], sent, outcome, report.payload.verdicts());
                }
                _ => {}
            }
        }
        let reviews = self.reviews();
        for (at, (judged, checks)) in all.iter_mut().zip(&checks).enumerate() {
            let own: Vec<&Sent> =
                checks.iter().copied().filter(|sent| self.is_review(sent) && sent.is_usable()).collect();
            let findings = checks.first().map_or(&[][..], |sent| sent.handoff.payload.findings());
            let reviewed = reviewed(&reviews, &own, (judged.draft, &judged.verdicts), findings);
            let carried = reviewed.verdict.iter().flat_map(|verdict| &verdict.issues);
            judged.noes.extend(carried.filter(|issue| issue.sentence.is_some()).cloned());
            judged.settle(reviewed, self.model_reviews() && at >= unreviewed);
        }
        all
    }

    /// The work handed out, in the order of the plan, and then in that of time; of checks that were tried again, the last.
    fn in_order(&self) -> Vec<&'a Sent> {
        let mut sent: Vec<&Sent> =
            self.transcript.sent().filter(|sent| !self.failures().is_tried_again(sent)).collect();
        // A task is named by its place in the plan, everything else by the time it was handed out.
        sent.sort_by_key(|sent| (!is_task(sent), sent.to));
        sent
    }

    /// Adds the result of a check of a draft.
    fn take(&self, judged: &mut Judged<'_>, sent: &Sent, outcome: &Outcome, verdicts: &[Verdict]) {
        judged.gated |= sent.role.as_str() == Role::GATES;
        judged.reviewed |= sent.role.as_str() == Role::REVIEWER && outcome.usable();
        if !outcome.usable() {
            judged.unchecked = Some((sent.role.clone(), outcome.clone()));
            return;
        }
        judged.verdicts.extend(verdicts.iter().cloned());
        let issues = || verdicts.iter().flat_map(|verdict| &verdict.issues).filter(|issue| issue.blocking);
        if !self.asks_model(&sent.role) {
            judged.in_code += issues().count();
        }
        if self.is_code(&sent.role) {
            judged.vetoed.extend(issues().filter_map(|issue| issue.sentence.clone()));
        }
        if self.is_review(sent) {
            judged.noes.extend(issues().filter(|issue| issue.sentence.is_some()).cloned());
        }
    }

    /// The person's words that this draft has lost from the draft that its writer was to revise.
    fn lost_in(&self, draft: &Draft) -> Option<Verdict> {
        let writer = self.drafts().find(|writer| draft_of(writer).is_some_and(|of| std::ptr::eq(of, draft)))?;
        let revised = &writer.handoff.payload;
        lost(revised.draft.as_ref(), revised.verdicts(), draft)
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

    /// Roles that must check a draft and were not asked since the last one was written: those in code check that one, and a model
    /// reviews the one that is to go out, or the sound part of one that goes back. It is not asked where much of the last one goes back to
    /// the writer in any case, nor where nothing is left to judge.
    pub(crate) fn unasked(&self) -> Vec<Role> {
        let since = self.since_written();
        let asked = |role: &Role| since.iter().any(|sent| sent.role == *role);
        let own = self.team.members.iter().filter(|(_, member)| member.gate.is_some()).map(|(role, _)| role.clone());
        let all = self.order().checks().iter().copied().map(Role::new).chain(own);
        let mut open: Vec<Role> = all.filter(|role| !asked(role)).collect();
        if open.iter().any(|role| self.asks_model(role)) {
            if self.drafts().next().is_none() {
                return open;
            }
            if self.to_review().is_none_or(|writer| self.is_settled(writer, &self.not_to_judge(writer))) {
                open.retain(|role| !self.asks_model(role));
            }
        }
        open
    }

    /// The work handed out since the last draft was asked for, with that.
    fn since_written(&self) -> Vec<&'a Sent> {
        let mut sent: Vec<&Sent> = self.transcript.sent().collect();
        let since = sent.iter().rposition(|sent| sent.role.as_str() == self.order().writes()).unwrap_or(0);
        sent.split_off(since)
    }

    /// Whether a model has reviewed a draft since the last one was written and code had checked that.
    fn is_reviewed_since(&self) -> bool {
        let written = self.last_to(self.order().writes()).map(|(turn, _)| turn);
        let since = || self.handed_out().filter(|(turn, _)| Some(*turn) > written);
        // A run of an earlier version has both checked at once: that review tells of no choice.
        let checked = since().find(|(_, sent)| self.is_code(&sent.role)).map(|(turn, _)| turn);
        since().any(|(turn, sent)| Some(turn) > checked && self.is_review(sent) && sent.is_usable())
    }

    /// Of the roles that must check the last draft, those that come next.
    pub(crate) fn next_checks(&self) -> Vec<Role> {
        let open = self.unasked();
        let (asks, code): (Vec<Role>, Vec<Role>) = open.into_iter().partition(|role| self.asks_model(role));
        if code.is_empty() { asks } else { code }
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
        if self.is_worth_revising(&all) {
            return self.write(Some(last));
        }
        self.end_with(self.best(&all).unwrap_or(last))
    }

    /// Whether the last draft is blocked, may be revised, and is better than the one before it. Once a model has reviewed the draft
    /// that goes out although code refuses the last one, none is revised.
    fn is_worth_revising(&self, all: &[Judged<'_>]) -> bool {
        // A draft that the person sent back is not compared.
        let sent_back = self.sent_back_by_person();
        let mut since = all.iter().rev().take_while(|judged| self.turn_of(judged.draft) > sent_back);
        let Some(last) = since.next().or(all.last()) else { return false };
        // Not every draft is reviewed, so issues from code count first.
        let faults = |judged: &Judged<'_>| (judged.in_code, judged.blocking());
        let is_better = since.next().is_none_or(|before| faults(last) < faults(before));
        let has_ended = last.in_code > 0 && self.is_reviewed_since() && !last.reviewed;
        last.blocking() > 0 && self.may_be_revised() && is_better && !has_ended
    }

    /// The draft to end with: one that passed, or else that of which most stays, of those that gates have checked and, once the one
    /// to go out was reviewed, a model has judged, or else of all. A draft that the person sent back is chosen only if nothing came after it. Of equally good drafts the latest
    /// is chosen: it rests on the most findings.
    pub(crate) fn best<'j>(&self, all: &'j [Judged<'a>]) -> Option<&'j Judged<'a>> {
        let sent_back = self.sent_back_by_person();
        let open = all.iter().rev().filter(|judged| self.turn_of(judged.draft) > sent_back);
        let is_reviewed = self.is_reviewed_since();
        let rank = |judged: &&Judged<'_>| {
            let issues = judged.blocking();
            let is_unseen = is_reviewed && !judged.reviewed;
            (!judged.gated, is_unseen, issues > 0, Reverse(judged.worth(self.words() as usize)), issues)
        };
        open.min_by_key(rank).or(all.last())
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
                let mut review = Review::of(best.draft.clone(), best.verdicts.clone());
                if best.draft.wording == Wording::Reworded {
                    review.vetoed = best.vetoed.iter().map(|text| (*text).clone()).collect();
                }
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

#[cfg(test)]
mod tests {
    use super::super::reviewed::tests::{draft, issue};
    use super::*;

    #[test]
    fn a_revision_that_loses_a_sentence_of_the_person_has_an_issue_unless_they_remarked_on_it() {
        let own = "As I wrote it.";
        let before = Draft { yours: vec![own.into()], ..draft(&[(own, 1), ("Another.", 1)]) };
        let remarked = |text: &str, concern: Concern| {
            let issue = Issue { concern, ..issue("no", Some(text), 1) };
            vec![Verdict { issues: vec![issue], checks: vec![] }]
        };
        for (after, verdicts, is_lost) in [
            (own, vec![], false),
            ("As you wrote it.", vec![], true),
            ("As you wrote it.", remarked(own, Concern::Person), false),
            ("As you wrote it.", remarked(own, Concern::Support), true),
            ("As you wrote it.", remarked("Another.", Concern::Person), true),
        ] {
            let lost = lost(Some(&before), &verdicts, &draft(&[(after, 1)]));
            assert_eq!(lost.is_some(), is_lost, "{after} {verdicts:?}");
            assert!(lost.is_none_or(|verdict| verdict.issues[0].what.contains(own) && !verdict.passes()));
        }
        assert_eq!(lost(None, &[], &draft(&[("One.", 1)])), None);
    }

    #[test]
    fn what_code_takes_out_of_an_accepted_draft_is_no_open_issue_and_another_one_is() {
        let texts: &[(&str, u32)] = &[("Refused.", 1), ("Unclear.", 1)];
        let before = Draft { wording: Wording::Reworded, ..draft(texts) };
        let mut issues: Vec<Issue> = texts.iter().map(|(text, _)| issue("no", Some(text), 1)).collect();
        issues.push(Issue::new(Concern::Person, "“Mine.” is lost", None, vec![]));
        let verdicts = vec![Verdict { issues, checks: vec![] }];
        let mut review = Review::of(before.clone(), verdicts.clone());
        review.vetoed = vec!["Refused.".into()];
        let vetoed = review.vetoed.clone();
        let judged = Judged { verdicts, vetoed: vetoed.iter().cloned().collect(), ..Judged::of(&before) };
        let accepted = accepted(&judged, &review);
        let open: Vec<_> = accepted.issues().filter_map(|issue| issue.sentence.as_deref()).collect();
        assert_eq!((open, accepted.blocking()), (vec!["Unclear."], 1));
        assert!(accepted.draft.sentences().next().is_some_and(|sentence| accepted.is_struck(sentence)));
    }

    #[test]
    fn a_draft_is_worth_what_stays_of_it_however_many_issues_it_has() {
        let good: &[(&str, u32)] = &[("One two three.", 1), ("Four five six.", 1), ("Seven eight nine.", 1)];
        let faulted = |texts: &[&str]| {
            let issues = texts.iter().map(|text| issue("no", Some(text), 1)).collect();
            vec![Verdict { issues, checks: vec![] }]
        };
        let of_whole = |concern: Concern| {
            let issue = Issue { concern, ..issue("no", None, 1) };
            vec![Verdict { issues: vec![issue], checks: vec![] }]
        };
        let all = "One two three. Four five six. Seven eight nine.";
        for (sentences, verdicts, is_struck, asked, worth) in [
            (good, faulted(&[]), true, 90, 9),
            // A sentence that code takes out costs only itself; one that stays weighs as much as a good one.
            (good, faulted(&["One two three."]), true, 90, 6),
            (good, faulted(&["One two three."]), false, 90, 3),
            // One huge sentence has one issue, and nothing stays.
            (&[(all, 1)][..], faulted(&[all]), true, 90, 0),
            (good, of_whole(Concern::Coverage), true, 90, 0),
            // Beyond the length nothing is worth anything, and too much is a fault.
            (good, faulted(&[]), true, 6, 6),
            (good, of_whole(Concern::Length), true, 6, 3),
        ] {
            let wording = if is_struck { Wording::Reworded } else { Wording::Quoted };
            let draft = Draft { wording, ..draft(sentences) };
            let vetoed = verdicts.iter().flat_map(|verdict| &verdict.issues);
            let vetoed = vetoed.filter_map(|issue| issue.sentence.clone()).collect();
            let judged = Judged { verdicts: verdicts.clone(), vetoed, ..Judged::of(&draft) };
            assert_eq!(judged.worth(asked), worth, "{sentences:?} {verdicts:?} of {asked}");
        }
    }
}
