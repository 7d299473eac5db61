//! Joins: when work begins that rests on other work, over runs folded by hand in which results come in as it is said.

use std::num::NonZeroU32;

use kit::{Scene, Script, Story, finding, opening, plan, report, search, task, use_tools};
use run::checkpoint::Subject;
use run::checkpoint::question::AfterFailure::{self, GoOnWithout, Stop, TryAgain};
use run::event::Event;
use run::join::{Join, Joins};
use run::plan::{Plan, Task};
use run::state::Ending;
use run::team::FailureStep;
use run::{CallId, Cap, Limits, Outcome, Payload, Role, TaskId};
use specialist::Step;

use Join::{All, BestEffort};

/// The result of each task, attempt by attempt: "2nw" of the second nothing, then something (w: works out, p: in part, n: nothing
/// found, f: fails). Those that are not named work out.
type Fates = &'static str;

fn step(Scene { assigned, transcript, .. }: Scene<'_>, fates: Fates) -> Step {
    let Some(task) = assigned.handoff.payload.task() else { return Step::Wait };
    if transcript.turns.is_empty() {
        return use_tools(vec![search(&task.title)]);
    }
    let fates = fates.split(' ').find(|fates| fates.starts_with(&task.id.0.to_string())).unwrap_or_default();
    let attempt = assigned.id.attempt().min(2) as usize;
    let finding = finding(assigned.id, Some(task.id), &format!("of {}", task.id));
    let payload = Payload { findings: Some(vec![finding]), ..Payload::default() };
    match fates.chars().nth(attempt) {
        Some('p') => report(Outcome::Partial("half of it".into()), payload),
        Some('n') => report(Outcome::NothingFound, Payload::default()),
        Some('f') => report(Outcome::Failed("no luck".into()), Payload::default()),
        _ => report(Outcome::Done, payload),
    }
}

fn at_least(n: u32) -> Join {
    Join::AtLeast(NonZeroU32::new(n).unwrap())
}

/// Three tasks, a fourth that waits for them, and a fifth that waits for nobody.
fn five(join: Join) -> Plan {
    let fourth = Task { join, ..kit::waiting_for(4, &[1, 2, 3]) };
    plan(vec![task(1), task(2), task(3), fourth, task(5)])
}

/// A run whose planner makes that plan, after everything that needs no tool.
fn begin(join: Join, merge: Join, policy: &[FailureStep], fates: Fates) -> Story {
    let mut team = team::embedded();
    team.members.remove(&Role::new(Role::MEMORY));
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().on_failure = policy.to_vec();
    team.joins = Joins { merge };
    let plan = five(join);
    let script = Script::led(move |scene| step(scene, fates)).with(Role::PLANNER, move |_| {
        report(Outcome::Done, Payload { plan: Some(plan.clone()), ..Payload::default() })
    });
    let mut story = Story::begin(opening(team, Limits::default()), script);
    story.settle_in_time();
    story
}

/// The beginnings, questions and ends, in this order.
fn trail(story: &Story) -> Vec<String> {
    let told = |event: &Event| match event {
        Event::HandedOff { opened, .. } if opened[0].role.as_str() == Role::MERGER => {
            let found: Vec<&str> = opened[0].handoff.payload.findings().iter().map(|f| f.claim.as_str()).collect();
            Some(format!("merges {}", found.join(", ")))
        }
        Event::HandedOff { opened, .. } => {
            let tasks: Vec<String> = opened.iter().filter_map(|o| Some(o.task?.to_string())).collect();
            (!tasks.is_empty()).then(|| tasks.join("+"))
        }
        Event::CheckpointOpened { subject, .. } => match &**subject {
            Subject::Question(question) => Some(format!("asks of {}", question.about.unwrap())),
            _ => None,
        },
        Event::NoLongerNeeded { assignment } => Some(format!("ends {assignment}")),
        _ => None,
    };
    story.events.iter().filter_map(|envelope| told(&envelope.event)).collect()
}

/// The results of tasks come back in this order; questions are answered so.
fn goes(story: &mut Story, order: &[u32], answers: &[AfterFailure]) -> String {
    let mut answers = answers.iter();
    for task in order {
        let question = |story: &Story| story.run.waiting().find(|open| open.question().is_some()).map(|open| open.id);
        while let Some(question) = question(story) {
            let Some(answer) = answers.next() else { break };
            story.answer_failure(question, *answer);
            story.settle_in_time();
        }
        let of = |call: &&CallId| story.run.assignment(call.assignment).unwrap().task == Some(TaskId(*task));
        let Some(call) = story.run.under_way.keys().find(of).copied() else {
            if *task == 0 { continue } else { panic!("t{task} is not at work: {:?}", trail(story)) }
        };
        story.call_comes_back(call);
        story.settle_in_time();
    }
    match story.run.ended() {
        Some(outcome) => format!("{} · {outcome}", trail(story).join(" · ")),
        None => trail(story).join(" · "),
    }
}

#[test]
fn a_task_begins_when_what_it_needs_is_there_or_the_person_says_what_becomes_of_it() {
    const BEGIN: &str = "t1+t2+t3+t5";
    const SKIP: &[FailureStep] = &[FailureStep::Skip];
    for (join, policy, fates, order, answers, expected) in [
        // Best effort: all have ended, however.
        (BestEffort, &[][..], "2f 3n", &[3, 2, 1][..], &[][..], "t4"),
        (at_least(2), &[], "", &[3, 1], &[], "t4"),
        (at_least(2), &[], "1n", &[3, 1], &[], ""),
        (at_least(2), &[], "1n", &[3, 1, 2], &[], "t4"),
        (at_least(2), &[], "1n 2p", &[2, 1, 3], &[], "t4"),
        (at_least(1), &[], "1f", &[1, 5, 3], &[], "t4"),
        // Of fewer than that, all.
        (at_least(9), &[], "", &[5, 3, 1, 2], &[], "t4"),
        // Two are out of reach as soon as two have failed.
        (at_least(2), &[], "1f 2f", &[2, 1], &[], "asks of 0.t1"),
        (at_least(2), &[], "1f 2f", &[2, 1, 3, 0], &[GoOnWithout, GoOnWithout], "asks of 0.t1 · asks of 0.t2 · t4"),
        (at_least(2), &[], "1f 2f", &[2, 1, 0], &[Stop], "asks of 0.t1 · failed: the researcher failed: no luck"),
        (All, &[], "1p", &[3, 2, 1], &[], "t4"),
        (All, &[], "2n", &[3, 1, 2], &[], "asks of 0.t2"),
        // It is asked as soon as it is known, while others are at work.
        (All, &[], "2n", &[2, 3], &[], "asks of 0.t2"),
        (All, &[], "2n", &[2, 1, 0], &[], "asks of 0.t2"),
        (All, &[], "2n", &[1, 2, 3, 0], &[GoOnWithout], "asks of 0.t2 · t4"),
        (All, &[], "2n", &[1, 2, 0], &[Stop], "asks of 0.t2 · failed: the researcher found nothing"),
        // The policy of the role says so already.
        (All, SKIP, "2n 3f", &[1, 2, 3], &[], "t4"),
        (at_least(3), SKIP, "2n", &[1, 2, 3], &[], "t4"),
    ] {
        let went = goes(&mut begin(join, BestEffort, policy, fates), order, answers);
        let expected = match expected {
            "" => BEGIN.to_string(),
            expected => format!("{BEGIN} · {expected}"),
        };
        assert_eq!(went, expected, "{join:?} {policy:?} {order:?}");
    }
}

#[test]
fn what_was_tried_once_more_counts_and_what_it_found_goes_along() {
    let mut story = begin(All, BestEffort, &[], "2nw");
    assert_eq!(goes(&mut story, &[1, 2, 3, 5, 0], &[TryAgain]), "t1+t2+t3+t5 · asks of 0.t2 · t2");
    assert_eq!(goes(&mut story, &[2], &[]), "t1+t2+t3+t5 · asks of 0.t2 · t2 · t4");
    let fourth = story.run.assignments().find(|a| a.task == Some(TaskId(4))).unwrap();
    assert_eq!(fourth.transcript.handoff.payload.findings().len(), 3);
    let question = story.run.checkpoints[0].question().unwrap();
    assert!(question.text.contains("“task 4” needs all 3"), "{}", question.text);
}

#[test]
fn the_merging_begins_with_enough_and_those_still_at_work_are_ended_and_named() {
    let mut story = begin(BestEffort, at_least(2), &[], "5f");
    let went = goes(&mut story, &[3, 5, 1], &[]);
    assert_eq!(went, "t1+t2+t3+t5 · ends 0.t2 · merges of t1, of t3");
    let ended = story.run.assignment("0.t2".parse().unwrap()).unwrap();
    assert_eq!(ended.ending, Some(Ending::Enough));
    let (outcome, report) = ended.ended.clone().unwrap();
    assert_eq!((outcome, report.payload.notes()[0].as_str()), (Outcome::Cancelled, "enough was in without it"));
    assert_eq!(story.run.ledger.assignment(ended.id).spent.get(Cap::ToolCalls), 1, "what it took is booked");
    assert!(story.run.to_end.is_empty() && story.run.under_way.is_empty());
}

#[test]
fn a_merging_that_needs_all_asks_about_what_brought_nothing() {
    let mut story = begin(BestEffort, All, &[], "5n");
    let went = goes(&mut story, &[1, 2, 3, 5, 4, 0], &[]);
    assert_eq!(went, "t1+t2+t3+t5 · t4 · asks of 0.t5");
    assert_eq!(
        goes(&mut story, &[0], &[GoOnWithout]),
        "t1+t2+t3+t5 · t4 · asks of 0.t5 · merges of t1, of t2, of t3, of t4"
    );
}

#[test]
fn a_merging_that_cannot_have_enough_any_more_asks() {
    let mut story = begin(BestEffort, at_least(4), &[], "1n 2n");
    assert_eq!(goes(&mut story, &[1, 2], &[]), "t1+t2+t3+t5 · asks of 0.t1");
    assert_eq!(goes(&mut story, &[0], &[GoOnWithout]), "t1+t2+t3+t5 · asks of 0.t1 · asks of 0.t2");
    let went = goes(&mut story, &[3, 5, 4], &[GoOnWithout]);
    assert_eq!(went, "t1+t2+t3+t5 · asks of 0.t1 · asks of 0.t2 · t4 · merges of t3, of t4, of t5");
}
