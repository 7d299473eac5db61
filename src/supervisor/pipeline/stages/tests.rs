//! The table of stages, row by row: facts of a transcript, and the step that follows from them.

use std::sync::Arc;

use super::*;
use run::brief::Draft;
use run::checkpoint::{Answer as Answered, Subject, findings};
use run::evidence::Corpus;
use run::finding::{Finding, WordsOf};
use run::handoff::{Handoff, PlannedTask, Unsent};
use run::id::{CheckpointId, FindingId, HandoffNo, Work};
use run::model::{Form, ModelRequest};
use run::plan::Shape;
use run::stage::{Conversation, Leading};
use run::team::{FailureStep, Member, Team, Worker};
use run::transcript::{Exchange, ExchangeEnd, Transcript, Turn};
use run::verdict::{Concern, Issue, Verdict};
use run::{AssignmentId, CallId, Outcome, Payload};
use specialist::Sending;

use Fact::*;

/// One thing that has happened.
#[derive(Clone, Copy, Debug)]
enum Fact {
    /// A model was asked for the next step.
    Asked,
    /// The model was relieved.
    Relieved,
    /// Memory has reported.
    Memory,
    /// A planner has reported a plan of this many tasks, or failed.
    Planner(Option<u32>),
    /// The person answered about a plan of this many tasks: they approve it, or want another.
    PlanSeen(u32, bool),
    /// A plan of these tasks was adopted.
    Adopted(&'static [u32]),
    /// These tasks were handed out, and each has found something.
    Found(&'static [u32]),
    /// These tasks were handed out, and have found nothing.
    Nothing(&'static [u32]),
    /// These tasks were handed out, and have not reported.
    Open(&'static [u32]),
    /// Work of this role was handed out, and has not reported.
    Waits(&'static str),
    /// The merger has reported.
    Merger,
    /// The person approved the findings, or wants more.
    FindingsSeen(bool),
    /// The writer has reported a draft.
    Writer,
    /// The writer has failed.
    NoDraft,
    /// Gates and reviewer have reported: the number of issues.
    Checks(usize),
    /// Only the reviewer has reported.
    Reviewer,
    /// Only the gates have reported: the number of issues.
    Gates(usize),
    /// A handoff to this role was refused.
    Refused(&'static str),
}

/// A transcript in which this happened.
fn transcript(facts: &[Fact]) -> Transcript {
    let payload = Payload {
        question: Some("why?".into()),
        length: Some(300),
        corpus: Some(Corpus { documents: 1, blocks: 1, ..Corpus::default() }),
        ..Payload::default()
    };
    let mut transcript = Transcript::new(Arc::new(handoff("the question", payload)));
    for fact in facts {
        let names = transcript.sent().count() as u32 + 1;
        let (stage, did) = turn(*fact, names);
        transcript.push(Turn { stage, why: "so".into(), did });
    }
    transcript
}

fn turn(fact: Fact, first: u32) -> (run::Stage, Did) {
    let to = |role: &str, outcome: Outcome, payload: Payload| {
        Did::HandOffs(vec![sent(first, role, Some((outcome, payload)))])
    };
    let pause = |subject: Subject, answer: Answered| {
        let by = Some(run::checkpoint::Approver::Person);
        let checkpoint = CheckpointId(first);
        Did::Checkpoint(Pause { checkpoint, subject: Arc::new(subject), answer: Some(answer), by })
    };
    let failed = || Outcome::Failed("no luck".into());
    let verdicts = |issues: usize| {
        let issue = Issue::new(Concern::Length, "long", None, vec![]);
        Payload { verdicts: Some(vec![Verdict { issues: vec![issue; issues], checks: vec![] }]), ..Payload::default() }
    };
    let tasks = |tasks: &[u32], report: &dyn Fn(AssignmentId, u32) -> Option<(Outcome, Payload)>| {
        let one = |(n, task): (u32, &u32)| {
            let payload = Payload {
                task: Some(PlannedTask { task: a_task(*task), shape: Shape::Overview }),
                ..Payload::default()
            };
            let to = name(first + n);
            Sent {
                task: Some(TaskId(*task)),
                handoff: Arc::new(handoff("task", payload)),
                ..sent(first + n, Role::RESEARCHER, report(to, *task))
            }
        };
        Did::HandOffs((0..).zip(tasks).map(one).collect())
    };
    let stage = |stage: Leading| run::Stage::from(stage);
    match fact {
        Asked => {
            let request = ModelRequest {
                model: "a/b".parse().unwrap(),
                afresh: true,
                said: vec![],
                offers: vec![].into(),
                form: Form::Free,
                max_tokens: 1,
                thinking: Default::default(),
            };
            let end = ExchangeEnd::Failed("no".into());
            let call = CallId::new(AssignmentId::ROOT, first);
            (Conversation::Begin.into(), Did::Asked(Exchange::new(call, Arc::new(request), vec![], end)))
        }
        Relieved => (stage(Leading::TakeOver), Did::Relieved { to: None }),
        Memory => (stage(Leading::Recall), to(Role::MEMORY, Outcome::NothingFound, Payload::default())),
        Planner(Some(n)) => (
            stage(Leading::Plan),
            to(Role::PLANNER, Outcome::Done, Payload { plan: Some(plan(1..=n)), ..Payload::default() }),
        ),
        Planner(None) => (stage(Leading::Plan), to(Role::PLANNER, failed(), Payload::default())),
        PlanSeen(n, true) => {
            (stage(Leading::Plan), pause(Subject::Plan(plan(1..=n)), Answered::Plan(plan::Answer::Approved)))
        }
        PlanSeen(n, false) => {
            let another = plan::Answer::Another { wish: "finer".into() };
            (stage(Leading::Plan), pause(Subject::Plan(plan(1..=n)), Answered::Plan(another)))
        }
        Adopted(tasks) => (stage(Leading::Plan), Did::Adopted(Arc::new(plan(tasks.iter().copied())))),
        Found(ids) => {
            let found = |to, task| {
                Some((Outcome::Done, Payload { findings: Some(vec![finding(to, task)]), ..Payload::default() }))
            };
            (stage(Leading::Research), tasks(ids, &found))
        }
        Nothing(ids) => {
            (stage(Leading::Research), tasks(ids, &|_, _| Some((Outcome::NothingFound, Payload::default()))))
        }
        Open(ids) => (stage(Leading::Research), tasks(ids, &|_, _| None)),
        Waits(role) => (stage(Leading::Check), Did::HandOffs(vec![sent(first, role, None)])),
        Merger => {
            let findings = vec![finding(AssignmentId::ROOT, 1)];
            (
                stage(Leading::Merge),
                to(Role::MERGER, Outcome::Done, Payload { findings: Some(findings), ..Payload::default() }),
            )
        }
        FindingsSeen(approved) => {
            let left = vec![finding(AssignmentId::ROOT, 1)];
            let answer = match approved {
                true => Answer::Approved { digest: findings::digest(&left) },
                false => Answer::More { task: None, wish: "costs".into() },
            };
            (stage(Leading::Approve), pause(Subject::Findings(left), Answered::Findings(answer)))
        }
        Writer => (
            stage(Leading::Write),
            to(Role::WRITER, Outcome::Done, Payload { draft: Some(Draft::default()), ..Payload::default() }),
        ),
        NoDraft => (stage(Leading::Write), to(Role::WRITER, failed(), Payload::default())),
        Checks(issues) => {
            let checks = [Role::GATES, Role::REVIEWER];
            let checks = (first..).zip(checks).map(|(n, role)| sent(n, role, Some((Outcome::Done, verdicts(issues)))));
            (stage(Leading::Check), Did::HandOffs(checks.collect()))
        }
        Gates(issues) => (stage(Leading::Check), to(Role::GATES, Outcome::Done, verdicts(issues))),
        Reviewer => (stage(Leading::Check), to(Role::REVIEWER, Outcome::Done, verdicts(0))),
        Refused(role) => {
            let unsent = Unsent { role: Role::new(role), title: "it".into(), payload: Payload::default() };
            (stage(Leading::Research), Did::Refused { why: "no".into(), unsent: Some(Arc::new(unsent)) })
        }
    }
}

fn sent(n: u32, role: &str, report: Option<(Outcome, Payload)>) -> Sent {
    let report = report.map(|(outcome, payload)| (outcome, Arc::new(handoff("report", payload))));
    let handoff = Arc::new(handoff(role, Payload::default()));
    Sent {
        to: name(n),
        role: Role::new(role),
        task: None,
        worker: Worker::Member,
        again: None,
        handoff,
        report,
        failed_call: None,
        failed_answer: false,
    }
}

fn name(n: u32) -> AssignmentId {
    AssignmentId::ROOT.child(Work::Step(n), 1).unwrap()
}

fn handoff(title: &str, payload: Payload) -> Handoff {
    Handoff { no: HandoffNo(1), from: None, to: None, names: ("a".into(), "b".into()), title: title.into(), payload }
}

fn a_task(n: u32) -> Task {
    Task::new(TaskId(n), format!("task {n}").as_str().into(), format!("what of {n}?").as_str().into())
}

fn plan(tasks: impl IntoIterator<Item = u32>) -> Plan {
    Plan { shape: Shape::Facets, tasks: tasks.into_iter().map(a_task).collect(), why: "".into() }
}

fn finding(by: AssignmentId, task: u32) -> Finding {
    Finding {
        task: Some(TaskId(task)),
        subtopic: "all".into(),
        score: 1,
        words_of: WordsOf::Person,
        ..Finding::new(FindingId::new(by, 1), "so".into())
    }
}

/// The default team, whose work is done once.
fn team() -> Team {
    let mut team = team::embedded();
    team.members.values_mut().for_each(|member| member.on_failure.clear());
    team
}

fn comes_next(team: &Team, turns_left: u32, facts: &[Fact]) -> (Reached, String) {
    let transcript = transcript(facts);
    let progress = Progress::new(&transcript, team, turns_left);
    let (reached, step) = progress.stage_from(Reached::LastTurn).unwrap();
    assert_eq!(step, progress.next_from(Reached::LastTurn), "deciding twice decides the same");
    (reached, in_words(&step))
}

fn in_words(step: &Step) -> String {
    let to = |sending: &Sending| match sending.task {
        Some(TaskId(n)) => format!("{} {n}", sending.role),
        None => sending.role.to_string(),
    };
    match step {
        Step::HandOff { handoffs, .. } => handoffs.iter().map(to).collect::<Vec<_>>().join(", "),
        Step::Adopt(plan) => plan.tasks.iter().map(|task| format!("adopt {}", task.id)).collect::<Vec<_>>().join(", "),
        Step::Checkpoint(subject) => format!("ask about {}", subject.title()),
        Step::Report { outcome, .. } => outcome.to_string(),
        Step::Wait => "wait".into(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn from_what_has_happened_the_first_row_whose_need_is_met_says_what_comes_next() {
    // To the findings of a plan of two tasks, and to a draft of them.
    let found = [Memory, Planner(Some(2)), Adopted(&[1, 2]), Found(&[1, 2])];
    let approved = [&found[..], &[Merger, FindingsSeen(true)]].concat();
    let then = |before: &[Fact], facts: &[Fact]| [before, facts].concat();
    for (facts, reached, next) in [
        (vec![], Reached::Opened, "memory"),
        (vec![Waits("memory")], Reached::UnderWay, "wait"),
        (vec![Memory], Reached::Recalled, "planner"),
        (vec![Memory, Planner(Some(2))], Reached::PlannerBack, "adopt t1, adopt t2"),
        (vec![Memory, Planner(None)], Reached::PlannerBack, "adopt t1"),
        (vec![Memory, Planner(Some(2)), PlanSeen(2, true)], Reached::PlanAnswered, "adopt t1, adopt t2"),
        (vec![Memory, Planner(Some(2)), PlanSeen(2, false)], Reached::PlanAnswered, "planner"),
        (
            vec![Memory, Planner(Some(2)), PlanSeen(2, false), Planner(Some(3))],
            Reached::PlannerBack,
            "adopt t1, adopt t2, adopt t3",
        ),
        (vec![Memory, Planner(Some(2)), Adopted(&[1, 2])], Reached::Planned, "researcher 1, researcher 2"),
        (vec![Memory, Planner(Some(2)), Adopted(&[1, 2]), Open(&[1, 2])], Reached::Planned, "wait"),
        (vec![Memory, Planner(Some(2)), Adopted(&[1, 2]), Nothing(&[1, 2])], Reached::Planned, "nothing found"),
        (
            vec![Memory, Planner(Some(2)), Adopted(&[1, 2]), Refused("editor")],
            Reached::Planned,
            "researcher 1, researcher 2",
        ),
        (vec![Memory, Planner(Some(2)), Adopted(&[1, 2]), Refused("researcher")], Reached::Refused, "failed: no"),
        (then(&found, &[]), Reached::Planned, "merger"),
        (then(&found, &[Waits("merger")]), Reached::UnderWay, "wait"),
        (then(&found, &[Merger]), Reached::Merged, "ask about findings"),
        (then(&found, &[Merger, FindingsSeen(false)]), Reached::MoreWanted, "researcher 1, researcher 2"),
        (
            then(&found, &[Merger, FindingsSeen(false), Refused("editor")]),
            Reached::MoreWanted,
            "researcher 1, researcher 2",
        ),
        (then(&found, &[Merger, FindingsSeen(false), Found(&[1, 2])]), Reached::Planned, "merger"),
        (then(&found, &[Merger, FindingsSeen(false), Found(&[1, 2]), Merger]), Reached::Merged, "ask about findings"),
        (approved.clone(), Reached::Approved, "writer"),
        (then(&approved, &[NoDraft]), Reached::Unwritten, "partial: the writer failed: no luck"),
        (then(&approved, &[Refused("writer")]), Reached::Refused, "partial: no"),
        // A refused step that was done after all is no reason to land.
        (then(&approved, &[Refused("writer"), Writer]), Reached::Written, "gates, reviewer"),
        (then(&approved, &[Writer]), Reached::Written, "gates, reviewer"),
        (then(&approved, &[Writer, Reviewer]), Reached::Written, "gates"),
        (then(&approved, &[Writer, Checks(0)]), Reached::Checked, "done"),
        (then(&approved, &[Writer, Checks(1)]), Reached::Checked, "writer"),
        (
            then(&approved, &[Writer, Checks(1), NoDraft]),
            Reached::Unwritten,
            "partial: the writer failed: no luck; 2 issues left after revision (length)",
        ),
        (
            then(&approved, &[Writer, Checks(1), Writer, Checks(1)]),
            Reached::Checked,
            "partial: 2 issues left after revision (length)",
        ),
        (
            then(&approved, &[Writer, Checks(3), Writer, Checks(2), Writer, Checks(1)]),
            Reached::Checked,
            "partial: 2 issues left after revision (length)",
        ),
    ] {
        assert_eq!(comes_next(&team(), 9, &facts), (reached, next.to_string()), "{facts:?}");
    }
}

#[test]
fn the_rules_go_on_where_a_model_that_led_stood_and_do_nothing_twice_that_is_of_use() {
    let led = [Memory, Asked];
    let researched = [Memory, Asked, Adopted(&[1]), Found(&[1])];
    let approved = [&researched[..], &[Merger, FindingsSeen(true)]].concat();
    let relieved = |before: &[Fact], facts: &[Fact]| [before, facts, &[Relieved]].concat();
    for (facts, reached, next) in [
        (relieved(&led, &[]), Reached::Recalled, "planner"),
        (relieved(&led, &[Refused("writer")]), Reached::Recalled, "planner"),
        // A plan that the model did not use is used; of one that it did, only the tasks that led to something count.
        (relieved(&led, &[Planner(Some(2))]), Reached::PlannerBack, "adopt t1, adopt t2"),
        (relieved(&led, &[Planner(None)]), Reached::Recalled, "planner"),
        (relieved(&led, &[Planner(Some(2)), Adopted(&[1]), Nothing(&[1])]), Reached::Recalled, "planner"),
        (relieved(&led, &[Planner(Some(2)), Adopted(&[1]), Found(&[1])]), Reached::Planned, "merger"),
        (relieved(&led, &[Planner(Some(2)), Adopted(&[3]), Nothing(&[3])]), Reached::PlannerBack, "adopt t1, adopt t2"),
        (relieved(&led, &[Adopted(&[1]), Nothing(&[1])]), Reached::Recalled, "planner"),
        (relieved(&led, &[Adopted(&[1, 2]), Nothing(&[1])]), Reached::Planned, "researcher 2"),
        (relieved(&led, &[Adopted(&[1]), PlanSeen(2, true)]), Reached::Planned, "researcher 1"),
        (relieved(&led, &[PlanSeen(2, true)]), Reached::PlanAnswered, "adopt t1, adopt t2"),
        // The plan of the rules counts, and its tasks are numbered apart.
        (
            [&relieved(&led, &[Adopted(&[1]), Nothing(&[1])])[..], &[Planner(Some(2))]].concat(),
            Reached::PlannerBack,
            "adopt t2, adopt t3",
        ),
        (
            [&relieved(&led, &[Adopted(&[1]), Nothing(&[1])])[..], &[Planner(Some(1)), Adopted(&[2]), Nothing(&[2])]]
                .concat(),
            Reached::Planned,
            "nothing found",
        ),
        (relieved(&researched, &[]), Reached::Planned, "merger"),
        (relieved(&researched, &[Merger]), Reached::Merged, "ask about findings"),
        (relieved(&researched, &[Merger, FindingsSeen(false)]), Reached::MoreWanted, "researcher 1"),
        (relieved(&approved, &[]), Reached::Approved, "writer"),
        (relieved(&approved, &[Adopted(&[1, 2]), Found(&[2])]), Reached::Planned, "merger"),
        // A writer that failed before is asked again, and one that the rules have asked is not.
        (relieved(&approved, &[NoDraft]), Reached::Approved, "writer"),
        (
            [&relieved(&approved, &[NoDraft])[..], &[NoDraft]].concat(),
            Reached::Unwritten,
            "partial: the writer failed: no luck",
        ),
        (relieved(&approved, &[NoDraft, NoDraft, NoDraft]), Reached::Unwritten, "partial: the writer failed: no luck"),
        (relieved(&approved, &[Writer]), Reached::Written, "gates, reviewer"),
        (relieved(&approved, &[Writer, Reviewer]), Reached::Written, "gates"),
        (relieved(&approved, &[Writer, Checks(1)]), Reached::Checked, "writer"),
        // A draft from before the person went through the findings again is written anew, as often as it may be.
        (
            relieved(&approved, &[Writer, Adopted(&[1, 2]), Found(&[2]), Merger, FindingsSeen(true)]),
            Reached::Approved,
            "writer",
        ),
        (relieved(&approved, &[Writer, Merger, FindingsSeen(false)]), Reached::MoreWanted, "researcher 1"),
        (
            relieved(&approved, &[Writer, Writer, Writer, Merger, FindingsSeen(true)]),
            Reached::Written,
            "gates, reviewer",
        ),
    ] {
        assert_eq!(comes_next(&team(), 20, &facts), (reached, next.to_string()), "{facts:?}");
    }
}

#[test]
fn a_run_at_its_last_turn_lands_with_what_there_is_once_all_is_back() {
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true)];
    for (facts, next) in [
        (vec![Memory], "failed: the supervisor ran out of turns"),
        (vec![Memory, Planner(Some(1)), Adopted(&[1]), Open(&[1])], "wait"),
        ([&approved[..], &[]].concat(), "partial: the supervisor ran out of turns"),
        ([&approved[..], &[Waits("writer")]].concat(), "wait"),
        ([&approved[..], &[Writer, Checks(0)]].concat(), "partial: the supervisor ran out of turns"),
        (
            [&approved[..], &[Writer, Checks(1), Writer, Checks(3)]].concat(),
            "partial: the supervisor ran out of turns; 2 issues left after revision (length)",
        ),
    ] {
        assert_eq!(comes_next(&team(), 1, &facts), (Reached::LastTurn, next.to_string()), "{facts:?}");
    }
}

#[test]
fn work_that_failed_is_handed_out_again_before_anything_else_and_not_what_a_model_had_handed_out() {
    let mut team = team();
    for role in [Role::PLANNER, Role::WRITER] {
        team.members.get_mut(&Role::new(role)).unwrap().on_failure = vec![FailureStep::Retry, FailureStep::Skip];
    }
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true)];
    for (facts, reached, next) in [
        (vec![Memory, Planner(None)], Reached::Failed, "planner"),
        (vec![Memory, Asked, Planner(None), Relieved], Reached::Recalled, "planner"),
        ([&approved[..], &[NoDraft]].concat(), Reached::Failed, "writer"),
        ([&[Asked], &approved[..], &[NoDraft, Relieved]].concat(), Reached::Approved, "writer"),
        ([&[Asked], &approved[..], &[NoDraft, Relieved, NoDraft]].concat(), Reached::Failed, "writer"),
    ] {
        assert_eq!(comes_next(&team, 9, &facts), (reached, next.to_string()), "{facts:?}");
    }
}

#[test]
fn a_model_reviews_only_drafts_that_code_lets_pass_or_that_nobody_revises() {
    let mut team = team();
    let reviewer = team.members.get_mut(&Role::new(Role::REVIEWER)).unwrap();
    reviewer.kind = run::team::Kind::Model;
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true)];
    for (facts, reached, next) in [
        (&[Writer][..], Reached::Written, "gates"),
        (&[Writer, Gates(0)], Reached::Written, "reviewer"),
        (&[Writer, Gates(0), Reviewer], Reached::Checked, "done"),
        (&[Writer, Gates(2)], Reached::Checked, "writer"),
        (&[Writer, Gates(2), Writer, Gates(0)], Reached::Written, "reviewer"),
        (&[Writer, Gates(2), Writer, Gates(0), Reviewer], Reached::Checked, "done"),
        // A revision that is no better is the last, and the better of both is reviewed before it goes out.
        (&[Writer, Gates(2), Writer, Gates(2)], Reached::Written, "reviewer"),
        (&[Writer, Gates(3), Writer, Gates(2), Writer, Gates(1)], Reached::Written, "reviewer"),
    ] {
        let facts = [&approved[..], facts].concat();
        assert_eq!(comes_next(&team, 20, &facts), (reached, next.to_string()), "{facts:?}");
    }
}

/// The last turn of a transcript, to change its handoffs.
fn last_sent(transcript: &mut Transcript) -> &mut [Sent] {
    match &mut Arc::make_mut(transcript.turns.last_mut().unwrap()).did {
        Did::HandOffs(sent) => sent,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_length_and_the_question_that_the_writer_last_got_hold_for_what_it_gets_next_and_for_its_checks() {
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true)];
    let team = team();
    for (changed, length, question) in [(None, 300, "why?"), (Some((150, "why so?")), 150, "why so?")] {
        for after in [&[][..], &[Checks(1)]] {
            let mut transcript = transcript(&[&approved[..], &[Writer]].concat());
            if let Some((length, question)) = changed {
                let sent = &mut last_sent(&mut transcript)[0];
                Arc::make_mut(&mut sent.handoff).payload.length = Some(length);
                Arc::make_mut(&mut sent.handoff).payload.question = Some(question.into());
            }
            for fact in after {
                let (stage, did) = turn(*fact, 40);
                transcript.push(Turn { stage, why: "so".into(), did });
            }
            let step = Progress::new(&transcript, &team, 40).next_from(Reached::LastTurn);
            let Step::HandOff { handoffs, .. } = step else { panic!("{step:?}") };
            for Sending { role, payload, .. } in handoffs {
                assert_eq!((payload.length, payload.question.as_deref()), (Some(length), Some(question)), "{role}");
            }
        }
    }
}

#[test]
fn what_a_reviewer_still_misses_stands_under_the_gaps_and_is_no_issue_that_is_left() {
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true)];
    let team = Team { revisions: 0, ..team() };
    for (missing, is_done) in [(Some("restarts"), true), (None, false)] {
        let mut transcript = transcript(&[&approved[..], &[Writer, Checks(1)]].concat());
        for sent in last_sent(&mut transcript) {
            let report = &mut sent.report.as_mut().unwrap().1;
            let verdicts = Arc::make_mut(report).payload.verdicts.as_mut().unwrap();
            verdicts[0].issues[0].missing = missing.map(Into::into);
        }
        let step = Progress::new(&transcript, &team, 40).next_from(Reached::LastTurn);
        let Step::Report { outcome, payload, .. } = step else { panic!("{step:?}") };
        let gaps = payload.draft.unwrap().gaps;
        assert_eq!(outcome == Outcome::Done, is_done, "{outcome}");
        assert_eq!(gaps.iter().filter(|gap| gap.contains("restarts")).count(), usize::from(is_done), "{gaps:?}");
    }
}

#[test]
fn what_has_found_nothing_without_a_search_of_the_sources_says_nothing_of_them() {
    let mut team = team();
    let tickets = Role::new("tickets");
    let member = Member { tools: vec!["ticket".into()], ..team.members[&Role::new(Role::RESEARCHER)].clone() };
    team.members.insert(tickets.clone(), member);
    for (role, expected) in [
        (tickets, "task: the tickets found nothing; the sources were not searched for it."),
        (Role::new(Role::RESEARCHER), "task: nothing was found in the sources."),
    ] {
        let mut transcript = transcript(&[Memory, Planner(Some(1)), Adopted(&[1]), Nothing(&[1])]);
        last_sent(&mut transcript)[0].role = role;
        let gaps = Progress::new(&transcript, &team, 40).shortfalls();
        assert_eq!(gaps, [expected]);
    }
}

#[test]
fn rules_write_in_place_of_a_model_that_was_ended_or_out_of_budget_unless_a_draft_was_checked() {
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true)];
    let mut by_model = team();
    by_model.members.get_mut(&Role::new(Role::WRITER)).unwrap().kind = run::team::Kind::Model;
    let next = |team: &Team, before: &[Fact], worker: Worker, outcome: Outcome| {
        let mut transcript = transcript(&[&approved[..], before].concat());
        let (stage, did) = turn(NoDraft, 40);
        transcript.push(Turn { stage, why: "so".into(), did });
        let last = &mut last_sent(&mut transcript)[0];
        (last.worker, last.report.as_mut().unwrap().0) = (worker, outcome);
        Progress::new(&transcript, team, 40).next_from(Reached::LastTurn)
    };
    let stopped = || Outcome::OutOfBudget("too little was left of the run's money cap of $1".into());
    for outcome in [Outcome::Cancelled, stopped()] {
        let step = next(&by_model, &[], Worker::Member, outcome);
        let Step::HandOff { handoffs, .. } = &step else { panic!("{step:?}") };
        assert_eq!(
            (handoffs[0].role.as_str(), handoffs[0].worker, handoffs[0].again),
            ("writer", Worker::Rules, Some(name(40)))
        );
    }
    for (team, before, worker, outcome) in [
        (&by_model, &[][..], Worker::Rules, Outcome::Cancelled),
        (&team(), &[], Worker::Member, Outcome::Cancelled),
        (&by_model, &[], Worker::Member, Outcome::Failed("no luck".into())),
        (&by_model, &[Writer, Checks(1)], Worker::Member, Outcome::Cancelled),
        (&by_model, &[], Worker::Rules, stopped()),
        (&by_model, &[Writer, Checks(1)], Worker::Member, stopped()),
    ] {
        let step = next(team, before, worker, outcome);
        assert!(matches!(step, Step::Report { .. }), "{before:?} {worker:?}: {step:?}");
    }
}

#[test]
fn a_cause_that_stopped_the_writer_and_the_reviewer_is_said_once_and_two_causes_are_both_said() {
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true)];
    let team = team();
    for (reviewer, said) in [
        ("the money cap of $1", "(the reviewer out of budget)"),
        ("the token cap", "(the reviewer out of budget: the token cap)"),
    ] {
        let mut transcript = transcript(&[&approved[..], &[Writer, Checks(1)]].concat());
        last_sent(&mut transcript)[1].report.as_mut().unwrap().0 = Outcome::OutOfBudget(reviewer.into());
        let (stage, did) = turn(NoDraft, 40);
        transcript.push(Turn { stage, why: "so".into(), did });
        last_sent(&mut transcript)[0].report.as_mut().unwrap().0 = Outcome::OutOfBudget("the money cap of $1".into());
        let step = Progress::new(&transcript, &team, 40).next_from(Reached::LastTurn);
        let Step::Report { outcome: Outcome::Partial(why), .. } = step else { panic!("{step:?}") };
        assert!(why.contains(said) && why.matches("$1").count() == 1, "{why}");
    }
}

#[test]
fn a_brief_that_rules_wrote_for_want_of_budget_is_partial_and_says_so() {
    let approved = [Memory, Planner(Some(1)), Adopted(&[1]), Found(&[1]), Merger, FindingsSeen(true), NoDraft];
    let mut transcript = transcript(&approved);
    let stopped = &mut last_sent(&mut transcript)[0];
    stopped.report.as_mut().unwrap().0 = Outcome::OutOfBudget("the money cap of $1".into());
    let first = stopped.to;
    for (n, fact) in [(41, Writer), (42, Checks(0))] {
        let (stage, did) = turn(fact, n);
        transcript.push(Turn { stage, why: "so".into(), did });
        if matches!(fact, Writer) {
            let written = &mut last_sent(&mut transcript)[0];
            (written.worker, written.again) = (Worker::Rules, Some(first));
        }
    }
    let step = Progress::new(&transcript, &team(), 40).next_from(Reached::LastTurn);
    let Step::Report { outcome: Outcome::Partial(why), .. } = step else { panic!("{step:?}") };
    assert_eq!(why, "the writer out of budget: the money cap of $1");
}

#[test]
fn a_plan_by_rule_in_place_of_a_model_is_mended_by_rule_and_a_plan_of_the_model_is_made_once_more() {
    let mut team = team();
    team.members.get_mut(&Role::new(Role::PLANNER)).unwrap().kind = run::team::Kind::Model;
    let next = |by_rule: bool, worker: Worker| {
        let mut transcript = transcript(&[Memory]);
        // A task waits for one that is not there, which the check of a plan does not let pass.
        let (stage, did) = turn(Planner(Some(2)), 7);
        transcript.push(Turn { stage, why: "so".into(), did });
        let planner = &mut last_sent(&mut transcript)[0];
        planner.worker = worker;
        let report = Arc::make_mut(&mut planner.report.as_mut().unwrap().1);
        report.payload.by_rule = by_rule.then(|| "its answer was cut at its token limit".into());
        report.payload.plan.as_mut().unwrap().tasks[0].after = vec![TaskId(9)];
        in_words(&Progress::new(&transcript, &team, 40).next_from(Reached::LastTurn))
    };
    assert_eq!(next(false, Worker::Member), "planner");
    for (by_rule, worker) in [(true, Worker::Member), (false, Worker::Rules)] {
        let step = next(by_rule, worker);
        assert!(step.starts_with("adopt "), "{step}");
    }
}

mod reviews;
