//! A model that reviews is asked, and paid, for each sentence once: its judgement holds as long as the sentence, its
//! citations and their quotes stay the same.

use std::collections::BTreeSet;

use super::Progress;
use super::drafts::draft_of;
use run::brief::{Draft, Sentence};
use run::coverage;
use run::finding::Finding;
use run::id::{FindingId, Role};
use run::team::Kind;
use run::transcript::Sent;
use run::verdict::{Concern, Issue, Verdict};
use specialist::model::{UNJUDGED, doubted_labels, is_quote, to_judge};
use text::Clean;

/// A statement of a draft that a review has judged.
struct Settled<'a> {
    statement: Sentence,
    /// The issues that it got.
    issues: Vec<Issue>,
    by: &'a Sent,
}

/// The reviews of one draft in a run.
pub(super) struct Reviewed {
    /// The verdict of the reviews of other drafts on it; None if they say nothing.
    pub verdict: Option<Verdict>,
    /// Whether all that is to judge in it was judged.
    pub is_whole: bool,
    /// Of sentences that code doubts, those that a review holds to be borne out by their quotes.
    pub borne_out: BTreeSet<Clean>,
    /// Of these sentences, those that a review refuses.
    pub refused: BTreeSet<Clean>,
}

impl<'a> Progress<'a> {
    /// Whether a role that checks drafts asks a model, which costs.
    pub(super) fn asks_model(&self, role: &Role) -> bool {
        self.team.members.get(role).is_some_and(|member| member.kind == Kind::Model && member.gate.is_none())
    }

    /// The sentences of this writer's draft that were judged before.
    pub(super) fn judged_before(&self, writer: &Sent) -> Vec<Sentence> {
        let Some(draft) = draft_of(writer) else { return Vec::new() };
        let doubts = self.doubts_about(draft).unwrap_or_default();
        let settled = settled(&self.reviews(), (draft, &doubts), &self.findings_of(writer));
        settled.into_iter().map(|one| one.statement).collect()
    }

    /// Whether a model has reviewed a draft before, and nothing is left to judge in this writer's besides these statements.
    pub(super) fn is_settled(&self, writer: &Sent, besides: &[Sentence]) -> bool {
        let Some(draft) = draft_of(writer) else { return false };
        let doubts = self.doubts_about(draft).unwrap_or_default();
        !self.reviews().is_empty() && is_whole((draft, &doubts), &self.findings_of(writer), besides)
    }

    /// Whether a model reviews the drafts of this team.
    pub(super) fn model_reviews(&self) -> bool {
        self.order().checks().contains(&Role::REVIEWER) && self.asks_model(&Role::new(Role::REVIEWER))
    }

    /// The reviews of a model so far.
    pub(super) fn reviews(&self) -> Vec<&'a Sent> {
        let sent = self.transcript.sent().filter(|sent| self.is_review(sent));
        sent.filter(|sent| sent.is_usable()).collect()
    }

    /// Whether a model was asked to review here. Issues that the rules found in its place are no judgement of it.
    pub(super) fn is_review(&self, sent: &Sent) -> bool {
        let by_rule = || sent.report.as_ref().is_some_and(|(_, report)| report.payload.by_rule.is_some());
        sent.role.as_str() == Role::REVIEWER && self.asks_model(&sent.role) && !by_rule()
    }
}

/// A draft with the doubts of code about it.
type Doubted<'d> = (&'d Draft, &'d [Verdict]);

/// What these reviews say of a draft over these findings; `own` are those that were asked about this draft.
pub(super) fn reviewed(reviews: &[&Sent], own: &[&Sent], doubted: Doubted<'_>, findings: &[Finding]) -> Reviewed {
    let (draft, doubts) = doubted;
    let settled = settled(reviews, doubted, findings);
    let judged: Vec<Sentence> = settled.iter().map(|one| one.statement.clone()).collect();
    let is_whole = is_whole(doubted, findings, &judged);
    let is_own = |by: &Sent| own.iter().any(|own| std::ptr::eq(*own, by));
    let of_others = settled.iter().filter(|one| !is_own(one.by));
    let mut issues: Vec<Issue> = of_others.flat_map(|one| one.issues.iter().cloned()).collect();
    if is_whole && own.is_empty() {
        let is_cited = |id: &FindingId| draft.sentences().any(|sentence: &Sentence| sentence.cites.contains(id));
        let last = reviews.last().map(|sent| issues_of(sent)).into_iter().flatten();
        let is_told = |issue: &Issue| issue.missing.as_ref().is_some_and(|topic| coverage::is_told(topic, &draft.gaps));
        let stands = |issue: &&Issue| !issue.findings.iter().any(is_cited) && !is_told(issue);
        let left = last.filter(|issue| issue.sentence.is_none()).filter(stands);
        issues.extend(left.cloned());
    }
    let (mut borne_out, mut refused) = (BTreeSet::new(), BTreeSet::new());
    let labels = doubted_labels(draft, doubts).into_iter().map(|label| (label.clone(), vec![label.text]));
    let texts = |sentences: Vec<&Sentence>| sentences.into_iter().map(|sentence| sentence.text.clone()).collect();
    let units = draft.judged_together().into_iter().map(|(statement, sentences)| (statement, texts(sentences)));
    for (statement, texts) in units.chain(labels) {
        let Some(is_borne_out) = is_borne_out(&statement, &settled, findings) else { continue };
        if is_borne_out { borne_out.extend(texts) } else { refused.extend(texts) }
    }
    let verdict = (!issues.is_empty()).then(|| Verdict { issues, checks: Vec::new() });
    Reviewed { verdict, is_whole, borne_out, refused }
}

/// Whether a statement is borne out by its quotes: it is one of them to the letter, or a review says so; None if none has judged it.
fn is_borne_out(statement: &Sentence, settled: &[Settled<'_>], findings: &[Finding]) -> Option<bool> {
    if is_quote(statement, findings) {
        return Some(true);
    }
    let judged = settled.iter().find(|one| one.statement == *statement)?;
    Some(!judged.issues.iter().any(|issue| issue.concern == Concern::Support))
}

/// Whether all that is to judge in a draft was judged.
fn is_whole((draft, doubts): Doubted<'_>, findings: &[Finding], judged: &[Sentence]) -> bool {
    draft.sentences().any(|sentence| !sentence.cites.is_empty()) && to_judge(draft, findings, judged, doubts).is_empty()
}

fn issues_of(review: &Sent) -> impl Iterator<Item = &Issue> {
    review.usable().into_iter().flat_map(|report| report.verdicts()).flat_map(|verdict| &verdict.issues)
}

/// The statements of a draft that a review has judged as they stand, each with the issues of the last such review.
fn settled<'a>(reviews: &[&'a Sent], (draft, doubts): Doubted<'_>, findings: &[Finding]) -> Vec<Settled<'a>> {
    let all = |draft: &Draft, doubts: &[Verdict]| [draft.statements(), doubted_labels(draft, doubts)].concat();
    let cited = all(draft, doubts).into_iter().filter(|statement| !statement.cites.is_empty());
    let of_review = |review: &&'a Sent| {
        let payload = &review.handoff.payload;
        (*review, payload.draft.as_ref().map(|draft| all(draft, payload.verdicts())).unwrap_or_default())
    };
    let asked: Vec<(&'a Sent, Vec<Sentence>)> = reviews.iter().rev().map(of_review).collect();
    let judged = |statement: Sentence| {
        let has_judged = |(review, of_it): &&(&'a Sent, Vec<Sentence>)| has_judged(review, of_it, &statement, findings);
        let by: &'a Sent = asked.iter().find(has_judged)?.0;
        let issues: Vec<Issue> =
            issues_of(by).filter(|issue| issue.sentence.as_ref() == Some(&statement.text)).cloned().collect();
        let is_judged = !issues.iter().any(|issue| issue.what.as_str() == UNJUDGED);
        is_judged.then_some(Settled { statement, issues, by })
    };
    cited.filter_map(judged).collect()
}

/// Whether a review, which was asked about these statements, has judged this one, with the same quotes.
fn has_judged(review: &Sent, asked: &[Sentence], statement: &Sentence, findings: &[Finding]) -> bool {
    let payload = &review.handoff.payload;
    let quote = |findings: &[Finding], id: &FindingId| {
        findings.iter().find(|finding| finding.id == *id).map(|finding| finding.quote.clone())
    };
    asked.contains(statement)
        && !payload.settled().contains(statement)
        && statement.cites.iter().all(|id| quote(findings, id) == quote(payload.findings(), id))
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::*;
    use run::brief::{Piece, Section};
    use run::finding::WordsOf;
    use run::handoff::Handoff;
    use run::id::{HandoffNo, Work};
    use run::team::Worker;
    use run::{AssignmentId, Outcome, Payload};

    pub(in super::super) fn finding(n: u32, quote: &str) -> Finding {
        let id = FindingId::new(AssignmentId::ROOT, n);
        let (subtopic, quote, words_of) = ("all".into(), quote.into(), WordsOf::Model);
        Finding { subtopic, quote, words_of, ..Finding::new(id, "so".into()) }
    }

    pub(in super::super) fn draft(sentences: &[(&str, u32)]) -> Draft {
        let cites = |n: u32| vec![FindingId::new(AssignmentId::ROOT, n)];
        let sentences = sentences.iter().map(|(text, n)| Sentence { text: (*text).into(), cites: cites(*n) });
        let pieces = vec![Piece::Paragraph { sentences: sentences.collect() }];
        Draft { sections: vec![Section { heading: "".into(), pieces }], ..Draft::default() }
    }

    fn review(draft: &Draft, findings: &[Finding], settled: &[Sentence], issues: Vec<Issue>) -> Sent {
        let handoff = |payload: Payload| {
            let (no, names) = (HandoffNo(1), ("a".into(), "b".into()));
            Arc::new(Handoff { no, from: None, to: None, names, title: "draft".into(), payload })
        };
        let (draft, settled) = (Some(draft.clone()), Some(settled.to_vec()));
        let asked = Payload { draft, findings: Some(findings.to_vec()), settled, ..Payload::default() };
        let verdicts = Some(vec![Verdict { issues, checks: vec![] }]);
        Sent {
            to: AssignmentId::ROOT.child(Work::Step(1), 1).unwrap(),
            role: Role::new(Role::REVIEWER),
            task: None,
            worker: Worker::Member,
            again: None,
            handoff: handoff(asked),
            report: Some((Outcome::Done, handoff(Payload { verdicts, ..Payload::default() }))),
            failed_call: None,
            failed_answer: false,
        }
    }

    pub(in super::super) fn issue(what: &str, sentence: Option<&str>, finding: u32) -> Issue {
        let findings = vec![FindingId::new(AssignmentId::ROOT, finding)];
        let sentence = sentence.map(Into::into);
        Issue { sentence, ..Issue::new(Concern::Support, what, None, findings) }
    }

    #[test]
    fn a_judgement_holds_while_the_sentence_its_citations_and_their_quotes_are_the_same() {
        let findings = [finding(1, "one"), finding(2, "two")];
        let first = draft(&[("A good one.", 1), ("A bad one.", 2), ("One left out.", 1)]);
        let issues = vec![issue("no", Some("A bad one."), 2), issue(UNJUDGED, Some("One left out."), 1)];
        let of_first = review(&first, &findings, &[], issues);
        for (sentences, known, said) in [
            (&[("A good one.", 1)][..], &["A good one."][..], &[][..]),
            (&[("A good one.", 1), ("A new one.", 1)], &["A good one."], &[]),
            (&[("A bad one.", 2)], &["A bad one."], &["no"]),
            (&[("A good one.", 2)], &[], &[]),
            (&[("One left out.", 1)], &[], &[]),
        ] {
            let now = draft(sentences);
            let settled = settled(&[&of_first], (&now, &[]), &findings);
            let texts: Vec<&str> = settled.iter().map(|one| one.statement.text.as_str()).collect();
            assert_eq!(texts, known, "{sentences:?}");
            let Reviewed { verdict, is_whole, .. } = reviewed(&[&of_first], &[], (&now, &[]), &findings);
            let issues = verdict.map(|verdict| verdict.issues).unwrap_or_default();
            assert_eq!(issues.iter().map(|issue| issue.what.as_str()).collect::<Vec<_>>(), said, "{sentences:?}");
            assert_eq!(is_whole, known.len() == sentences.len(), "{sentences:?}");
        }
        let changed = [finding(1, "another"), finding(2, "two")];
        assert!(
            settled(&[&of_first], (&draft(&[("A good one.", 1)]), &[]), &changed).is_empty(),
            "its quote is another one"
        );
    }

    #[test]
    fn a_sentence_that_a_later_review_was_not_asked_about_keeps_its_judgement() {
        let findings = [finding(1, "one"), finding(2, "two")];
        let bad = draft(&[("A bad one.", 2)]);
        let first = review(&bad, &findings, &[], vec![issue("no", Some("A bad one."), 2)]);
        let both = draft(&[("A bad one.", 2), ("A good one.", 1)]);
        let known: Vec<Sentence> = bad.sentences().cloned().collect();
        let second = review(&both, &findings, &known, vec![]);
        let Reviewed { verdict, is_whole, .. } = reviewed(&[&first, &second], &[], (&both, &[]), &findings);
        assert_eq!((verdict.unwrap().issues.len(), is_whole), (1, true));
    }

    #[test]
    fn a_label_that_code_doubts_is_judged_by_a_review_that_was_told_of_the_doubt() {
        let findings = [finding(1, "one")];
        let mut labelled = draft(&[("A good one.", 1)]);
        labelled.sections[0].heading = "Why it takes long".into();
        let doubt = Issue { sentence: Some("Why it takes long".into()), ..issue("takes", None, 1).in_doubt() };
        let doubts = [Verdict { issues: vec![doubt], checks: vec![] }];
        let of = |verdicts: &[Verdict], issues: Vec<Issue>| {
            let mut sent = review(&labelled, &findings, &[], issues);
            Arc::make_mut(&mut sent.handoff).payload.verdicts = Some(verdicts.to_vec());
            let reviewed = reviewed(&[&sent], &[], (&labelled, &doubts), &findings);
            (
                reviewed.borne_out.contains("Why it takes long"),
                reviewed.refused.contains("Why it takes long"),
                reviewed.is_whole,
            )
        };
        assert_eq!(of(&doubts, vec![]), (true, false, true));
        assert_eq!(of(&doubts, vec![issue("no", Some("Why it takes long"), 1)]), (false, true, true));
        assert_eq!(of(&[], vec![]), (false, false, false), "it was not asked about it");
    }

    #[test]
    fn an_unchanged_draft_still_lacks_what_it_lacked_and_one_that_cites_it_does_not() {
        let findings = [finding(1, "one"), finding(2, "two")];
        let lacking = draft(&[("A good one.", 1)]);
        let of_it = review(&lacking, &findings, &[], vec![issue("nothing on two", None, 2)]);
        let Reviewed { verdict, is_whole, .. } = reviewed(&[&of_it], &[], (&lacking, &[]), &findings);
        assert_eq!((verdict.unwrap().issues.len(), is_whole), (1, true));
        let whole = draft(&[("A good one.", 1), ("And two.", 2)]);
        let Reviewed { verdict, is_whole, .. } = reviewed(&[&of_it], &[], (&whole, &[]), &findings);
        assert_eq!((verdict, is_whole), (None, false));
    }
}
