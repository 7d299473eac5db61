//! Drafts from the writer to the brief: the one that a model reviews, the fate of code's doubts, and the replacements of struck
//! sentences.

use std::collections::BTreeSet;

use super::*;
use crate::pipeline::reviewed::tests::{draft, finding, issue};
use run::brief::Wording;
use run::team::Kind;

/// The issues that the checks of a run report.
struct Checks<'c> {
    /// The issues that code has with a draft.
    gates: &'c dyn Fn(&Draft) -> Vec<Issue>,
    /// The issues of the reviewer; None if it fails.
    reviewer: &'c dyn Fn(&Payload) -> Option<Vec<Issue>>,
}

/// The handoffs, with their receivers, and the result.
struct Played {
    handed: Vec<(Role, Payload)>,
    outcome: Outcome,
    brief: Draft,
}

impl Played {
    fn to(&self, role: &str) -> Vec<&Payload> {
        self.handed.iter().filter(|(to, _)| to.as_str() == role).map(|(_, payload)| payload).collect()
    }

    fn texts(&self) -> Vec<&str> {
        self.brief.sentences().map(|sentence| sentence.text.as_str()).collect()
    }

    fn has_note(&self, words: &str) -> bool {
        self.brief.notes.iter().any(|note| note.contains(words))
    }
}

const FIRST: (&str, u32) = ("Queues hold fifty jobs.", 1);
const SECOND: (&str, u32) = ("Jobs never leave.", 2);

fn findings() -> Vec<Finding> {
    let of = |n, quote: &str| Finding { task: Some(TaskId(1)), claim: quote.into(), ..finding(n, quote) };
    vec![of(1, "A queue holds 50 jobs."), of(2, "Jobs stay for ever."), of(3, "It drops the oldest.")]
}

/// A team whose reviewer is a model, or a rule.
fn reviewed_by(kind: Kind, revisions: u32) -> Team {
    let mut team = Team { revisions, ..team() };
    team.members.get_mut(&Role::new(Role::REVIEWER)).unwrap().kind = kind;
    team
}

/// Plays a run from the approved findings, with a writer that returns these drafts one after another.
fn play(team: &Team, drafts: &[&[(&str, u32)]], checks: &Checks<'_>) -> Played {
    let mut transcript = transcript(&[Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger]);
    let left = findings();
    let answer = Some(Answered::Findings(Answer::Approved { digest: findings::digest(&left) }));
    let (subject, by) = (Arc::new(Subject::Findings(left)), Some(run::checkpoint::Approver::Person));
    let did = Did::Checkpoint(Pause { checkpoint: CheckpointId(9), subject, answer, by });
    transcript.push(Turn { stage: Leading::Approve.into(), why: "so".into(), did });
    let (mut handed, mut drafts) = (Vec::new(), drafts.iter());
    for _ in 0..20 {
        let (stage, handoffs) = match Progress::new(&transcript, team, 20).next_from(Reached::LastTurn) {
            Step::HandOff { stage, handoffs, .. } => (stage, handoffs),
            Step::Report { outcome, payload, .. } => {
                return Played { handed, outcome, brief: payload.draft.unwrap() };
            }
            other => panic!("{other:?}"),
        };
        let first = transcript.sent().count() as u32 + 1;
        let answered = (first..).zip(handoffs).map(|(n, Sending { role, payload, .. })| {
            let verdict =
                |issues| Payload { verdicts: Some(vec![Verdict { issues, checks: vec![] }]), ..Payload::default() };
            let report = match role.as_str() {
                Role::WRITER => {
                    let draft = Draft { wording: Wording::Reworded, ..draft(drafts.next().expect("a draft more")) };
                    Some(Payload { draft: Some(draft), ..Payload::default() })
                }
                Role::GATES => Some(verdict((checks.gates)(payload.draft.as_ref().unwrap()))),
                _ => (checks.reviewer)(&payload).map(verdict),
            };
            let report =
                report.map_or((Outcome::Failed("no luck".into()), Payload::default()), |it| (Outcome::Done, it));
            let sent = Sent {
                handoff: Arc::new(super::handoff("it", payload.clone())),
                ..sent(n, role.as_str(), Some(report))
            };
            handed.push((role, payload));
            sent
        });
        let did = Did::HandOffs(answered.collect());
        transcript.push(Turn { stage, why: "so".into(), did });
    }
    panic!("it does not end: {handed:?}");
}

/// Issues with these sentences, each with the finding that it is about.
fn issues_with(sentences: &[(&str, u32)]) -> Vec<Issue> {
    sentences.iter().map(|(text, n)| issue("no", Some(text), *n)).collect()
}

#[test]
fn a_doubt_of_code_is_an_issue_only_where_no_model_bears_the_sentence_out() {
    let doubts = |_: &Draft| issues_with(&[SECOND]).into_iter().map(Issue::in_doubt).collect();
    let (no, yes, fails) = (Some(issues_with(&[SECOND])), Some(vec![]), None);
    let quote = "Jobs stay for ever.";
    for (kind, revisions, said, drafts, kept, done) in [
        (Kind::Model, 2, &yes, 1, SECOND.0, true),
        (Kind::Model, 0, &no, 1, quote, false),
        (Kind::Model, 0, &fails, 1, quote, false),
        (Kind::Extractive, 0, &yes, 1, quote, false),
        // If no model reviews, it costs a revision.
        (Kind::Extractive, 2, &yes, 2, quote, false),
    ] {
        let checks = Checks { gates: &doubts, reviewer: &|_| said.clone() };
        let played = play(&reviewed_by(kind, revisions), &[&[FIRST, SECOND], &[FIRST, SECOND]], &checks);
        let case = format!("{kind:?} {revisions} {said:?}: {} {:?}", played.outcome, played.brief.notes);
        assert_eq!(played.texts(), [FIRST.0, kept], "{case}");
        assert_eq!((played.to(Role::WRITER).len(), played.outcome == Outcome::Done), (drafts, done), "{case}");
        let asked = played.to(Role::REVIEWER)[0].verdicts().iter().flat_map(Verdict::doubts).count();
        assert_eq!(asked, usize::from(kind == Kind::Model), "a model that reviews is told of the doubt: {case}");
    }
}

#[test]
fn what_is_certain_goes_back_to_the_writer_with_no_word_of_doubts() {
    let gates = |draft: &Draft| match draft.sentences().count() {
        2 => vec![issue("no", Some(FIRST.0), 1), issue("perhaps", Some(SECOND.0), 2).in_doubt()],
        _ => vec![],
    };
    let checks = Checks { gates: &gates, reviewer: &|_| Some(vec![]) };
    let played = play(&reviewed_by(Kind::Model, 2), &[&[FIRST, SECOND], &[SECOND]], &checks);
    let told = played.to(Role::WRITER)[1].verdicts().iter().flat_map(|verdict| &verdict.issues);
    let told: Vec<&str> = told.filter(|issue| issue.blocking).map(|issue| issue.what.as_str()).collect();
    assert_eq!((told, &played.outcome), (vec!["no"], &Outcome::Done));
}

#[test]
fn the_draft_that_goes_out_is_the_one_that_was_reviewed() {
    let short: &[(&str, u32)] = &[FIRST];
    let long: &[(&str, u32)] = &[FIRST, SECOND];
    let whole = |n: usize| vec![issue("long", None, 9); n];
    for (drafts, of_short, of_long, wanted) in [
        // The second is no better: the first goes out, and is reviewed.
        ([long, short], 2, 1, 2),
        ([short, long], 1, 2, 1),
        ([long, long], 1, 1, 2),
    ] {
        let gates = |draft: &Draft| whole(if draft.sentences().count() == 1 { of_short } else { of_long });
        let checks = Checks { gates: &gates, reviewer: &|_| Some(issues_with(&[FIRST])) };
        let played = play(&reviewed_by(Kind::Model, 2), &drafts, &checks);
        let reviews = played.to(Role::REVIEWER);
        let reviewed = reviews[0].draft.as_ref().unwrap().sentences().count();
        assert_eq!((reviews.len(), reviewed, played.texts().len()), (1, wanted, wanted), "{drafts:?}");
        assert!(!played.has_note("has not seen"), "{:?}", played.brief.notes);
        assert!(played.has_note(&format!("Not borne out, as the reviewer says: “{}”", FIRST.0)));
    }
}

#[test]
fn the_sound_sentences_of_a_draft_that_goes_back_are_reviewed_before_it_is_revised() {
    let [bad, mended] = [("Jobs leave.", 2), ("Jobs stay.", 2)];
    let others = [FIRST, ("Queues drop jobs.", 3), ("The oldest goes.", 3)];
    let before: Vec<_> = others.into_iter().chain([bad]).collect();
    let after: Vec<_> = others.into_iter().chain([mended]).collect();
    let gates = |draft: &Draft| match draft.sentences().any(|one| one.text == bad.0) {
        true => issues_with(&[bad]),
        false => vec![],
    };
    let reviewer = |payload: &Payload| match payload.settled().contains(&statement(bad)) {
        true => Some(issues_with(&[FIRST])),
        false => Some(vec![]),
    };
    let checks = Checks { gates: &gates, reviewer: &reviewer };
    let played = play(&reviewed_by(Kind::Model, 2), &[&before, &after, &after], &checks);
    let order: Vec<&str> = played.handed.iter().map(|(role, _)| role.as_str()).collect();
    let [writer, code, review] = [Role::WRITER, Role::GATES, Role::REVIEWER];
    assert_eq!(order[..5], [writer, code, review, writer, code], "{order:?}");
    let told: BTreeSet<&str> = played.to(writer)[1]
        .verdicts()
        .iter()
        .flat_map(|verdict| &verdict.issues)
        .filter_map(|issue| issue.sentence.as_deref())
        .collect();
    assert_eq!(told, BTreeSet::from([FIRST.0, bad.0]), "both lists go to the writer");
    // With much against it a draft is not reviewed first.
    let much = |draft: &Draft| match draft.sentences().count() {
        2 => issues_with(&[FIRST]),
        _ => vec![],
    };
    let checks = Checks { gates: &much, reviewer: &reviewer };
    let played = play(&reviewed_by(Kind::Model, 1), &[&[FIRST, SECOND], &after], &checks);
    let order: Vec<&str> = played.handed.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(order[..4], [writer, code, writer, code], "{order:?}");
}

/// A sentence with its citation, as a draft has it.
fn statement(one: (&str, u32)) -> run::brief::Sentence {
    draft(&[one]).sentences().next().cloned().unwrap()
}

#[test]
fn nothing_is_asked_of_a_reviewer_that_has_judged_all_or_has_a_quote_before_it() {
    let (quote, third) = (("Jobs stay for ever.", 2), ("The oldest goes.", 3));
    for (second, reviews, judged_before) in [(&[FIRST][..], 1, 0), (&[FIRST, quote], 1, 0), (&[FIRST, third], 2, 1)] {
        let refused =
            |payload: &Payload| Some(if payload.settled().is_empty() { issues_with(&[SECOND]) } else { vec![] });
        let checks = Checks { gates: &|_| vec![], reviewer: &refused };
        let played = play(&reviewed_by(Kind::Model, 1), &[&[FIRST, SECOND], second], &checks);
        assert_eq!(played.outcome, Outcome::Done, "{second:?}: {:?}", played.brief.notes);
        let asked = played.to(Role::REVIEWER);
        assert_eq!((asked.len(), asked.last().unwrap().settled().len()), (reviews, judged_before), "{second:?}");
    }
}

#[test]
fn the_claim_of_a_finding_stands_where_a_sentence_was_taken_out_that_alone_cites_it() {
    let refused = |_: &Draft| issues_with(&[SECOND]);
    let checks = Checks { gates: &refused, reviewer: &|_| Some(vec![]) };
    let team = reviewed_by(Kind::Extractive, 0);
    for (others, stands) in [
        (&[FIRST, SECOND][..], &[FIRST.0, "Jobs stay for ever."][..]),
        (&[FIRST, SECOND, ("They stay.", 2)], &[FIRST.0, "They stay."]),
        // Nobody could tell the subject of "drops the oldest".
        (&[FIRST, ("Jobs never leave.", 3)], &[FIRST.0]),
    ] {
        let played = play(&team, &[others], &checks);
        assert_eq!(played.texts(), stands, "{:?}", played.brief.notes);
        let is_quoted = stands.contains(&"Jobs stay for ever.");
        assert_eq!(
            played.has_note("the words of its finding stand there instead"),
            is_quoted,
            "{:?}",
            played.brief.notes
        );
        assert!(!played.has_note("left after revision") && !played.has_note("issue"), "{:?}", played.brief.notes);
        assert_eq!(played.outcome, Outcome::Partial("1 sentence taken out".into()));
    }
}

#[test]
fn a_sub_topic_on_which_the_draft_cites_nothing_is_told_in_the_words_of_its_findings() {
    let missing = |draft: &Draft| {
        let own = findings()[1].id;
        let is_cited = draft.cited().any(|id| id == own);
        let issue = Issue::new(Concern::Coverage, "nothing on it is cited", None, vec![own]);
        if is_cited { vec![] } else { vec![issue] }
    };
    let checks = Checks { gates: &missing, reviewer: &|_| Some(vec![]) };
    let played = play(&reviewed_by(Kind::Extractive, 0), &[&[FIRST]], &checks);
    assert_eq!(played.texts(), [FIRST.0, "Jobs stay for ever."], "{:?}", played.brief.notes);
    assert!(played.has_note("Added in the words of the findings"), "{:?}", played.brief.notes);
    assert!(!played.has_note("issue"), "it is mended: {:?}", played.brief.notes);
    assert_eq!(played.outcome, Outcome::Partial("1 sub-topic added from the findings".into()));
}
