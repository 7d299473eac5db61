//! Writer: composes the draft from the findings, and on revision fixes the named issues.

use std::collections::BTreeSet;

use super::asking;
use super::compose::Commission;
use super::parts::parts;
use crate::{Assigned, Specialist, Step};
use run::brief::{Draft, Sentence};
use run::finding::Finding;
use run::id::FindingId;
use run::transcript::Transcript;
use run::verdict::{Concern, Issue};

pub(super) struct Writer;

impl Specialist for Writer {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let handoff = assigned.handoff;
        let (Some(question), Some(plan), Some(words)) =
            (handoff.payload.question.as_ref(), handoff.payload.plan.as_ref(), handoff.payload.length)
        else {
            return Step::failed("the handoff lacks the question, the plan or the length");
        };
        let mut findings: Vec<&Finding> = handoff.payload.findings().iter().filter(|f| f.usable()).collect();
        let issues: Vec<&Issue> = assigned.issues().collect();
        let mut words = words as usize;
        let (mut required, mut kept) = (BTreeSet::new(), Vec::new());
        if let Some(draft) = handoff.payload.draft.as_ref().filter(|_| !issues.is_empty()) {
            let mut mending = Mending::of(&issues, draft.sentences());
            required = mending.required.clone();
            kept = own_sentences(draft, &issues);
            mending.banned.retain(|id| !kept.iter().any(|sentence| sentence.cites.contains(id)));
            required.extend(kept.iter().flat_map(|sentence| &sentence.cites).copied());
            let cited: BTreeSet<FindingId> =
                draft.sentences().flat_map(|sentence| sentence.cites.iter().copied()).collect();
            findings.retain(|finding| mending.keeps(finding, &cited));
            if let Some(most) = mending.most_words(words, draft.words()) {
                words = most;
            }
        }
        let shortfalls = handoff.payload.shortfalls();
        let question = &asking(question);
        let parts = parts(question, plan, &findings);
        let mut composed = Commission { question, plan, findings, words, shortfalls, required, parts }.compose();
        put_back(&mut composed, &kept);
        Step::drafted(composed)
    }
}

/// The sentences of a draft in the person's words that no issue names.
fn own_sentences(draft: &Draft, issues: &[&Issue]) -> Vec<Sentence> {
    let is_named = |sentence: &Sentence| issues.iter().any(|issue| issue.sentence.as_ref() == Some(&sentence.text));
    draft.sentences().filter(|sentence| draft.is_yours(sentence) && !is_named(sentence)).cloned().collect()
}

/// Restores sentences in the person's words where their citations are used.
fn put_back(draft: &mut Draft, kept: &[Sentence]) {
    for own in kept {
        let of_same = |sentence: &&mut Sentence| sentence.cites == own.cites;
        let place = draft.sentences_mut().find(of_same).map(|place| place.text = own.text.clone());
        draft.yours.extend(place.map(|()| own.text.clone()));
    }
    draft.unfence_yours();
}

/// The changes that the issues demand.
struct Mending {
    banned: BTreeSet<FindingId>,
    required: BTreeSet<FindingId>,
    too_long: bool,
}

impl Mending {
    fn of<'a>(issues: &[&Issue], sentences: impl Iterator<Item = &'a run::Sentence>) -> Mending {
        let sentences: Vec<_> = sentences.collect();
        let mut mending = Mending { banned: BTreeSet::new(), required: BTreeSet::new(), too_long: false };
        for issue in issues {
            match issue.concern {
                Concern::Length => mending.too_long = true,
                Concern::Coverage => mending.required.extend(issue.findings.iter().copied()),
                _ => {
                    mending.banned.extend(issue.findings.iter().copied());
                    if issue.findings.is_empty() {
                        let named = sentences.iter().filter(|s| issue.sentence.as_ref() == Some(&s.text));
                        mending.banned.extend(named.flat_map(|s| s.cites.iter().copied()));
                    }
                }
            }
        }
        mending
    }

    /// Whether a revision may use a finding: one in the last draft or requested, but not one removed before.
    fn keeps(&self, finding: &Finding, cited: &BTreeSet<FindingId>) -> bool {
        let own_words = finding.words_of.is_of_person();
        own_words
            || (!self.banned.contains(&finding.id)
                && (cited.contains(&finding.id) || self.required.contains(&finding.id)))
    }

    /// A shorter length limit: reduced by a little more than the excess of the last draft.
    fn most_words(&self, asked: usize, had: usize) -> Option<usize> {
        self.too_long.then(|| asked.saturating_sub(had.saturating_sub(asked)).max(asked / 2))
    }
}

#[cfg(test)]
mod tests {
    use run::finding::{Conflict, WordsOf};
    use std::sync::Arc;

    use super::*;
    use crate::sample::finding;
    use run::Transcript;
    use run::handoff::{Handoff, Payload};
    use run::id::{AssignmentId, HandoffNo, TaskId};
    use run::plan::{Plan, Shape, Task};
    use run::verdict::Verdict;
    use text::Clean;

    fn write(findings: Vec<Finding>, words: u32, more: Payload) -> Draft {
        let task = Task { topic: vec!["Qdrant".into()], ..Task::new(TaskId(1), "Qdrant".into(), "?".into()) };
        let plan = Plan { shape: Shape::Overview, tasks: vec![task], why: "".into() };
        let payload = Payload {
            question: Some("what is Qdrant?".into()),
            plan: Some(plan),
            findings: Some(findings),
            length: Some(words),
            ..more
        };
        let names = ("supervisor".into(), "writer".into());
        let handoff = Arc::new(Handoff { no: HandoffNo(1), from: None, to: None, names, title: "".into(), payload });
        let assigned = Assigned {
            id: AssignmentId::nth(1),
            handoff: &handoff,
            turns_left: 2,
            is_over: false,
            left: run::Limits::default(),
            known: None,
        };
        let transcript = Transcript::new(handoff.clone());
        match Writer.next(assigned, &transcript) {
            Step::Report { payload, .. } => payload.draft.clone().unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn findings() -> Vec<Finding> {
        vec![
            finding(1, "Qdrant", "Qdrant is an engine for vectors."),
            finding(2, "Qdrant", "It was made to be fast and small."),
            finding(3, "Qdrant", "Collections hold points, and points hold payloads."),
        ]
    }

    #[test]
    fn what_the_person_wrote_stands_to_the_byte() {
        let mut findings = findings();
        findings[1].words_of = WordsOf::PersonEdited;
        findings[1].claim = "it's  fast (I measured)".into();
        let draft = write(findings, 500, Payload::default());
        assert!(draft.sentences().any(|sentence| sentence.text == *"it's  fast (I measured)"));
        assert_eq!(draft.title.as_str(), "What is Qdrant?");
        assert_eq!(draft.notes.len(), 1);
    }

    #[test]
    fn what_the_person_adds_stands_beside_what_was_found() {
        let mut findings = findings();
        let mut added = findings[2].clone();
        (added.id, added.place, added.words_of) = ("f0.9/1".parse().unwrap(), None, WordsOf::Person);
        (added.claim, added.score) = ("Our own instance has run for a year.".into(), i32::MAX);
        findings.push(added);
        let draft = write(findings, 500, Payload::default());
        assert_eq!(draft.sentences().count(), 4, "{draft:?}");
    }

    #[test]
    fn a_sentence_that_the_person_reworded_outlives_a_revision_unless_they_remarked_on_it() {
        let mut draft = write(findings(), 500, Payload::default());
        let own = Clean::from("I measured it: fast.");
        let was = draft.sentences_mut().nth(1).unwrap();
        was.text = own.clone();
        draft.yours = vec![own.clone()];
        let texts: Vec<Clean> = draft.sentences().map(|sentence| sentence.text.clone()).collect();
        let revise = |named: usize| {
            let issue = Issue {
                concern: Concern::Person,
                what: "no".into(),
                sentence: Some(texts[named].clone()),
                findings: vec![],
                missing: None,
                blocking: true,
                doubt: false,
            };
            let verdicts = Some(vec![Verdict { issues: vec![issue], checks: vec![] }]);
            write(findings(), 500, Payload { draft: Some(draft.clone()), verdicts, ..Payload::default() })
        };
        let mended = revise(2);
        assert_eq!(mended.sentences().count(), 2, "what was remarked on is out");
        assert!(mended.sentences().any(|sentence| sentence.text == own && sentence.cites.len() == 1), "{mended:?}");
        assert_eq!(mended.yours, std::slice::from_ref(&own));
        let mended = revise(1);
        assert!(mended.sentences().all(|sentence| sentence.text != own) && mended.yours.is_empty(), "{mended:?}");
    }

    #[test]
    fn forty_versions_that_contradict_each_other_are_told_in_one_sentence() {
        let mut versions: Vec<Finding> = (1..=40)
            .map(|n| finding(n, &format!("Runbook {n}"), &format!("Events are kept for {} days.", 20 + n)))
            .collect();
        let ids: Vec<FindingId> = versions.iter().map(|finding| finding.id).collect();
        for version in &mut versions {
            let others = ids.iter().filter(|id| **id != version.id);
            version.conflicts = others.map(|id| Conflict { with: *id, reason: "not as long".into() }).collect();
        }
        let draft = write(versions, 200, Payload::default());
        assert_eq!(draft.disagreements.len(), 1);
        let told = &draft.disagreements[0];
        assert!(told.text.starts_with("“Events are kept for 60 days.” (runbook-40.md) against"), "{}", told.text);
        assert!(told.text.ends_with("; more say otherwise."), "{}", told.text);
        assert!(told.cites.len() == 4 && draft.words() <= 200);
    }

    #[test]
    fn a_revision_mends_what_the_issues_name() {
        let draft = write(findings(), 500, Payload::default());
        assert_eq!(draft.sentences().count(), 3);
        let issue = |concern, id: &str| Issue {
            concern,
            what: "".into(),
            sentence: None,
            findings: id.parse().into_iter().collect(),
            missing: None,
            blocking: true,
            doubt: false,
        };
        let revise = |issue: Issue, words| {
            let verdict = Verdict { issues: vec![issue], checks: vec![] };
            write(
                findings(),
                words,
                Payload { draft: Some(draft.clone()), verdicts: Some(vec![verdict]), ..Payload::default() },
            )
        };
        let dropped = revise(issue(Concern::Clarity, "f0.1/2"), 500);
        assert!(dropped.sentences().all(|sentence| !sentence.text.starts_with("It was")));
        assert_eq!(dropped.sentences().count(), 2);
        assert!(revise(issue(Concern::Length, ""), 12).words() <= 12);
    }
}
