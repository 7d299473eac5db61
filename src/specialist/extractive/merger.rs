//! Merger: merges near-duplicates; keeps contradictions and marks both sides.

use std::collections::BTreeMap;

use super::contradiction::Statement;
use super::near_duplicates::Shingles;
use super::topic::{Name, Tokens};
use crate::{Assigned, Specialist, Step};
use run::finding::{Conflict, Finding, FindingKind, Standing, WordsOf};
use run::handoff::Payload;
use run::id::TaskId;
use run::plan::{Plan, Shape, Task};
use run::transcript::Transcript;
use text::count;
use text::listed::listed;

pub(super) struct Merger;

impl Specialist for Merger {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let Some(plan) = assigned.handoff.payload.plan.as_ref() else {
            return Step::failed("the handoff carries no plan");
        };
        let before = assigned.handoff.payload.findings().len();
        let question = assigned.handoff.payload.question.as_ref();
        let is_list = question.is_some_and(|question| !listed(question).questions.is_empty());
        let findings = merge(plan, assigned.handoff.payload.findings(), is_list);
        let conflicts = findings.iter().map(|finding| finding.conflicts.len()).sum::<usize>() / 2;
        let folded = before - findings.len();
        let title =
            format!("{}, {folded} folded, {}", count(findings.len(), "finding"), count(conflicts, "contradiction"));
        Step::done(title, Payload { findings: Some(findings), ..Payload::default() })
    }
}

/// Merges and marks findings; the result is in the order of the plan's tasks, best first. Of a list of questions each keeps
/// what answers it, whatever answers another; of compared things each keeps what is said of it in words of its own.
pub(super) fn merge(plan: &Plan, findings: &[Finding], is_list: bool) -> Vec<Finding> {
    let mut findings = findings.to_vec();
    let place: BTreeMap<TaskId, usize> = plan.tasks.iter().map(|task| task.id).zip(0..).collect();
    let order = |finding: &Finding| finding.task.and_then(|task| place.get(&task).copied()).unwrap_or(usize::MAX);
    // The person's wording is kept: their findings come first, and others are merged into them.
    findings.sort_by_key(|finding| {
        (order(finding), !finding.words_of.is_of_person(), std::cmp::Reverse(finding.score), finding.id)
    });
    let is_comparison = plan.shape == Shape::Comparison;
    let may_be_one = |one: &Finding, other: &Finding| {
        one.task == other.task || !is_list && (!is_comparison || one.claim == other.claim)
    };
    let mut kept: Vec<(Finding, Shingles)> = Vec::new();
    let mut by_score: Vec<usize> = (0..findings.len()).collect();
    by_score.sort_by_key(|at| {
        let finding = &findings[*at];
        (
            !finding.words_of.is_of_person(),
            // Findings that the person dropped stay out, also if they are found again with a better score.
            finding.standing != Standing::Dropped,
            finding.is_superseded(),
            // A list stands whole.
            finding.kind != FindingKind::Member,
            std::cmp::Reverse(finding.score),
            finding.id,
        )
    });
    for at in by_score {
        let finding = &findings[at];
        let shingles = Shingles::of(if foldable(finding) { &finding.claim } else { &finding.quote });
        let duplicate_of = kept.iter_mut().find(|(other, known)| {
            foldable(finding)
                && may_be_one(other, finding)
                && other.standing != Standing::Unquoted
                && (known.is_near_duplicate(&shingles) || same_words(other, finding) && are_of_source(other, finding))
        });
        match duplicate_of {
            Some((other, _)) => fold(other, finding),
            None => kept.push((finding.clone(), shingles)),
        }
    }
    let mut findings: Vec<Finding> = kept.into_iter().map(|(finding, _)| finding).collect();
    findings.sort_by_key(|finding| (order(finding), std::cmp::Reverse(finding.score), finding.id));
    mark_conflicts(plan, &mut findings);
    findings
}

/// Whether a finding may be merged into another: not if the person wrote it, nor without a verified quote.
fn foldable(finding: &Finding) -> bool {
    !finding.words_of.is_of_person() && finding.standing != Standing::Unquoted
}

/// Whether both findings are in the words of their quotes. A model may tell two facts of one quote.
fn are_of_source(a: &Finding, b: &Finding) -> bool {
    a.words_of == WordsOf::Source && b.words_of == WordsOf::Source
}

/// Whether two findings quote overlapping words of the same place.
fn same_words(a: &Finding, b: &Finding) -> bool {
    let (Some(a), Some(b)) = (&a.place, &b.place) else { return false };
    a.source.id == b.source.id && a.block == b.block && a.start < b.end && b.start < a.end
}

fn fold(into: &mut Finding, other: &Finding) {
    into.also.push(other.id);
    into.also.extend(other.also.iter().copied());
    for place in other.places() {
        if !into.places().any(|known| known == place) {
            into.also_at.push(place.clone());
        }
    }
    // A finding that a researcher found too counts as found in this run.
    into.kept_from = into.kept_from.take().filter(|_| other.kept_from.is_some());
    into.also.sort_unstable();
    into.also.dedup();
}

fn names(task: &Task) -> Vec<Name> {
    task.topic.iter().filter_map(|name| Name::new(name)).collect()
}

/// The compared thing that a finding names, by its task, if it names no other.
fn subject_of(names: &[(TaskId, Vec<Name>)], finding: &Finding) -> Option<TaskId> {
    let tokens = Tokens::of(&finding.claim);
    let mut named = names.iter().filter(|(_, names)| names.iter().any(|name| name.is_in(&tokens)));
    let (only, _) = named.next()?;
    named.next().is_none().then_some(*only)
}

/// Marks both sides of every contradiction.
fn mark_conflicts(plan: &Plan, findings: &mut [Finding]) {
    let statements: Vec<Statement> = findings.iter().map(|finding| Statement::of(&finding.claim)).collect();
    let names: Vec<(TaskId, Vec<Name>)> = match plan.shape {
        Shape::Comparison => plan.tasks.iter().map(|task| (task.id, names(task))).collect(),
        _ => Vec::new(),
    };
    let subjects: Vec<Option<TaskId>> = findings.iter().map(|finding| subject_of(&names, finding)).collect();
    for at in 0..findings.len() {
        for other in at + 1..findings.len() {
            // Each of several examples has its own values.
            let states =
                |at: usize| findings[at].standing != Standing::Unquoted && findings[at].kind != FindingKind::Code;
            if !states(at) || !states(other) {
                continue;
            }
            // A difference between compared things is the answer.
            if let (Some(one), Some(another)) = (subjects[at], subjects[other])
                && one != another
            {
                continue;
            }
            // Different values within one document are mostly about different things.
            let document = |at: usize| findings[at].place.as_ref().map(|place| &place.source.id);
            if document(at).is_some() && document(at) == document(other) {
                continue;
            }
            // Releases of one thing, each on a page of its own: "support ends 5 years after 3.6", "… after 3.7".
            let title = |at: usize| findings[at].place.as_ref().map_or("", |place| place.source.title.as_str());
            let is_of_its_page = |at: usize, other: usize| statements[at].has_value_of(title(at), title(other));
            if is_of_its_page(at, other) && is_of_its_page(other, at) {
                continue;
            }
            for (from, to) in [(at, other), (other, at)] {
                let Some(reason) = statements[from].against(&statements[to]) else { continue };
                let with = findings[to].id;
                if !findings[from].conflicts.iter().any(|known| known.with == with) {
                    findings[from].conflicts.push(Conflict { with, reason: reason.into() });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::finding;

    fn plan() -> Plan {
        let task = Task::new(TaskId(1), "x".into(), "x".into());
        Plan { shape: Shape::Overview, tasks: vec![task], why: "".into() }
    }

    #[test]
    fn what_pages_say_each_of_its_own_release_is_no_contradiction() {
        let mut of_each = [
            finding(
                1,
                "One lifespan",
                "Security updates will be released until 5 years after the release of 3.6 final.",
            ),
            finding(
                2,
                "Other lifespan",
                "Security updates will be released until 5 years after the release of 3.7 final.",
            ),
        ];
        let conflicts = |findings: &[Finding]| {
            merge(&plan(), findings, false).iter().filter(|finding| !finding.conflicts.is_empty()).count()
        };
        assert_eq!(conflicts(&of_each), 2, "nothing says that they are of two releases");
        for (finding, title) in of_each.iter_mut().zip(["Python 3.6 Release Schedule", "Python 3.7 Release Schedule"]) {
            let place = finding.place.as_mut().unwrap();
            (place.source.title, place.source.id) = (title.into(), run::SourceId(title.into()));
        }
        assert_eq!(conflicts(&of_each), 0);
    }

    #[test]
    fn in_what_compared_things_differ_is_no_contradiction() {
        let task = |id: u32, thing: &str| Task {
            topic: vec![thing.into()],
            ..Task::new(TaskId(id), thing.into(), format!("{thing}: costs").into())
        };
        let plan = Plan { shape: Shape::Comparison, tasks: vec![task(1, "Alder"), task(2, "Birch")], why: "".into() };
        let of = |n: u32, page: &str, claim: &str| finding(n, page, claim);
        let against = |one: &str, other: &str| {
            let merged = merge(&plan, &[of(1, "A", one), of(2, "B", other)], false);
            merged.iter().any(|finding| !finding.conflicts.is_empty())
        };
        assert!(!against(
            "The cache of Alder costs 816 dollars a month.",
            "The cache of Birch costs 257 dollars a month."
        ));
        assert!(against(
            "The cache of Alder costs 816 dollars a month.",
            "The cache of Alder costs 257 dollars a month."
        ));
        assert!(
            against("The cache costs 816 dollars a month.", "The cache costs 257 dollars a month."),
            "of no thing that is named"
        );
    }

    #[test]
    fn copies_are_folded_and_their_places_kept() {
        let a = finding(1, "A", "Because the data lives in tables, every change passes through the write-ahead log.");
        let b = finding(2, "B", "Because the data lives in tables, each change passes through the write-ahead log.");
        let merged = merge(&plan(), &[a.clone(), b.clone()], false);
        assert_eq!(merged.len(), 1);
        assert_eq!(merged[0].also, [b.id]);
        assert_eq!(merged[0].places().count(), 2);
    }

    #[test]
    fn a_sentence_that_answers_two_questions_of_a_list_is_kept_for_both() {
        let said = "Backups run every night at 02:00 and are kept for 30 days.";
        let mut found = [finding(1, "A", said), finding(2, "A", said), finding(3, "A", said)];
        found[1].task = Some(TaskId(2));
        found[2].task = Some(TaskId(2));
        let tasks = |is_list| merge(&plan(), &found, is_list).iter().map(|one| one.task).collect::<Vec<_>>();
        assert_eq!(tasks(false).len(), 1);
        assert_eq!(tasks(true), [found[0].task, Some(TaskId(2))]);
    }

    #[test]
    fn of_compared_things_findings_are_folded_only_where_they_have_the_same_words() {
        let said = "Because the data lives in tables, every change passes through the write-ahead log.";
        let near = "Because the data lives in tables, each change passes through the write-ahead log.";
        let count = |shape: Shape, second: &str, task: u32| {
            let of_other = Finding { task: Some(TaskId(task)), ..finding(2, "B", second) };
            merge(&Plan { shape, ..plan() }, &[finding(1, "A", said), of_other], false).len()
        };
        assert_eq!(count(Shape::Comparison, near, 2), 2);
        assert_eq!(count(Shape::Comparison, said, 2), 1);
        assert_eq!(count(Shape::Comparison, near, 1), 1, "they are of one thing");
        assert_eq!(count(Shape::Overview, near, 2), 1);
    }

    #[test]
    fn what_memory_and_a_researcher_know_was_found_in_this_run() {
        let found =
            finding(2, "A", "Because the data lives in tables, every change passes through the write-ahead log.");
        let remembered = |n| {
            let other =
                finding(n, "A", "Because the data lives in tables, each change passes through the write-ahead log.");
            Finding { kept_from: Some("run 7f3k".into()), ..other }
        };
        for (findings, kept_from) in [
            (vec![remembered(1), found.clone()], None),
            (vec![found, remembered(3)], None),
            (vec![remembered(1), remembered(3)], Some("run 7f3k".into())),
        ] {
            let merged = merge(&plan(), &findings, false);
            assert_eq!((merged.len(), &merged[0].kept_from), (1, &kept_from));
        }
    }

    #[test]
    fn two_facts_that_a_model_takes_from_one_quote_are_both_kept() {
        let quote = "Widget stores vectors in 32-bit floats and moves 100 MB a second from disk.";
        let told = |n: u32, claim: &str, words_of| Finding { claim: claim.into(), words_of, ..finding(n, "A", quote) };
        let first = "Widget stores vectors in 32-bit floats.";
        for (second, words_of, kept) in [
            ("Widget moves 100 MB a second from disk.", WordsOf::Model, 2),
            ("Widget stores its vectors in 32-bit floats.", WordsOf::Model, 1),
            ("Widget moves 100 MB a second from disk.", WordsOf::Source, 1),
        ] {
            let mut found = [told(1, first, words_of), told(2, second, words_of)];
            found[1].place = found[0].place.clone();
            assert_eq!(merge(&plan(), &found, false).len(), kept, "{second}");
        }
    }

    #[test]
    fn contradictions_are_kept_and_marked_on_both_sides() {
        let a = finding(1, "A", "The default value of hnsw.ef_search is 40.");
        let b = finding(2, "B", "The default value of hnsw.ef_search is 100.");
        let merged = merge(&plan(), &[a.clone(), b.clone()], false);
        assert_eq!(merged.len(), 2);
        assert_eq!(merged[0].conflicts, [Conflict { with: b.id, reason: "40 here, 100 there".into() }]);
        assert_eq!(merged[1].conflicts, [Conflict { with: a.id, reason: "100 here, 40 there".into() }]);
        assert_eq!(merge(&plan(), &merged, false), merged, "merging again changes nothing");
    }

    #[test]
    fn what_is_superseded_is_folded_into_what_holds_whatever_their_scores() {
        let now = finding(2, "B", "The default value of hnsw.ef_search is 100.");
        let mut old = finding(1, "A", &now.quote);
        old.place.as_mut().unwrap().source.superseded = Some("Status: superseded.".into());
        let merged = merge(&plan(), &[old, now.clone()], false);
        assert_eq!((merged.len(), &merged[0].id), (1, &now.id));
    }

    #[test]
    fn one_document_does_not_contradict_itself() {
        let a = finding(1, "A", "The default value of hnsw.ef_search is 40.");
        let b = finding(2, "A", "The default value of hnsw.ef_search is 100.");
        assert!(merge(&plan(), &[a, b], false).iter().all(|finding| finding.conflicts.is_empty()));
    }

    #[test]
    fn what_the_person_decided_stays_decided() {
        let mut dropped = finding(1, "A", "The server is fast when the index fits into memory.");
        dropped.standing = Standing::Dropped;
        let mut edited = finding(2, "B", "The server was written in Rust by a small team.");
        edited.words_of = WordsOf::PersonEdited;
        edited.claim = "Rust, small team.".into();
        let mut unquoted = finding(3, "C", "Nobody ever said this about the server.");
        unquoted.standing = Standing::Unquoted;
        let merged = merge(&plan(), &[dropped.clone(), edited.clone(), unquoted.clone()], false);
        assert_eq!(merged, [dropped, edited, unquoted]);
    }

    #[test]
    fn what_the_person_dropped_stays_out_when_it_is_found_again() {
        let said = "Because the data lives in tables, every change passes through the write-ahead log.";
        let dropped = |score| Finding { standing: Standing::Dropped, score, ..finding(1, "A", said) };
        for (again, source) in
            [(said, "A"), ("Because the data lives in tables, each change passes through the write-ahead log.", "B")]
        {
            for score in [-1_000, 0, 100_000] {
                let found = finding(2, source, again);
                let merged = merge(&plan(), &[dropped(score), found.clone()], false);
                assert_eq!((merged.len(), merged[0].id, merged[0].standing), (1, dropped(0).id, Standing::Dropped));
                assert_eq!(merged[0].also, [found.id], "{again}");
            }
        }
    }
}
