//! Whole runs whose leader is relieved: the pipeline goes on where it stood, at any stage.

use headless::Trace;
use kit::{Scene, Script, Story, finding, opening, pipeline, plan, report, task, waiting_for};
use run::checkpoint::{Answer, Subject, findings};
use run::compare::compare;
use run::event::Event;
use run::transcript::Did;
use run::verdict::{Concern, Issue, Verdict};
use run::{Draft, Limits, Outcome, Payload, Role, TaskId};
use specialist::Step;

/// Everyone does their work; the first draft is sent back.
fn works(scene: Scene<'_>) -> Step {
    let id = scene.assigned.id;
    let payload = match scene.role.as_str() {
        Role::PLANNER => {
            Payload { plan: Some(plan(vec![task(1), task(2), waiting_for(3, &[1])])), ..Payload::default() }
        }
        Role::WRITER => Payload {
            draft: Some(Draft { title: format!("by {id}").as_str().into(), ..Draft::default() }),
            ..Payload::default()
        },
        Role::MERGER => Payload { findings: scene.assigned.handoff.payload.findings.clone(), ..Payload::default() },
        Role::GATES | Role::REVIEWER => {
            let first =
                scene.assigned.handoff.payload.draft.as_ref().is_some_and(|draft| draft.title.as_str() == "by 0.5");
            let issue = Issue {
                concern: Concern::Length,
                what: "long".into(),
                sentence: None,
                findings: vec![],
                missing: None,
                blocking: true,
                doubt: false,
            };
            Payload {
                verdicts: Some(vec![Verdict { issues: vec![issue; usize::from(first)], checks: vec![] }]),
                ..Payload::default()
            }
        }
        Role::MEMORY => return report(Outcome::NothingFound, Payload::default()),
        _ => Payload {
            findings: Some(vec![finding(id, scene.task().map(TaskId), &format!("found by {id}"))]),
            ..Payload::default()
        },
    };
    report(Outcome::Done, payload)
}

/// The run whose leader is relieved after `turns` turns, and its turn then: the handoffs, and its brief.
fn relieved_after(turns: usize, check_plan: bool) -> (Vec<String>, Option<Draft>, Option<usize>) {
    let leads = move |scene: Scene<'_>| match scene.transcript.turns.last() {
        Some(last) if scene.transcript.turns.len() == turns && !last.pending() => {
            Step::Relieve { why: "it is tired".into(), to: None }
        }
        _ => pipeline(scene),
    };
    let mut team = team::embedded();
    team.check_plan = check_plan;
    let script = Script::new(works).with(Role::SUPERVISOR, leads);
    let mut story = Story::begin(opening(team, Limits::default()), script);
    let mut rounds = 0;
    while story.settle().run.ended().is_none() {
        let checkpoint = story.run.open_checkpoint().expect("it waits for the person");
        let (id, approval) = (checkpoint.id, checkpoint.subject.approval());
        // Of the first findings the person wants more.
        let more = matches!(*checkpoint.subject, Subject::Findings(_)) && std::mem::replace(&mut rounds, 1) == 0;
        let more = more.then(|| findings::Answer::More { task: Some(TaskId(2)), wish: "costs".into() });
        story.answer(id, more.map_or(approval, Answer::Findings));
    }
    let handed_out = story.events.iter().filter_map(|envelope| match &envelope.event {
        Event::HandedOff { opened, .. } => Some(opened),
        _ => None,
    });
    let handed_out = handed_out.flatten().map(|one| format!("{} {}: {}", one.assignment, one.role, one.handoff.title));
    let relieved =
        story.run.root().unwrap().transcript.turns.iter().position(|turn| matches!(turn.did, Did::Relieved { .. }));
    (handed_out.collect(), story.run.brief().map(|(draft, _)| draft.clone()), relieved)
}

#[test]
fn a_leader_that_is_relieved_at_any_turn_leaves_a_run_that_hands_out_the_same_work_and_ends_with_the_same_brief() {
    for check_plan in [false, true] {
        let (handed_out, brief, _) = relieved_after(usize::MAX, check_plan);
        assert!(brief.is_some());
        let of = |role: &str| handed_out.iter().filter(|one| one.contains(role)).count();
        assert_eq!((of("researcher"), of("merger"), of("writer"), of("gates")), (4, 2, 2, 2), "{handed_out:?}");
        let mut turns = 0;
        for after in 1.. {
            let (again, same, relieved) = relieved_after(after, check_plan);
            if relieved.is_none() {
                break;
            }
            assert_eq!((again, same), (handed_out.clone(), brief.clone()), "relieved after {after} turns");
            turns += 1;
        }
        assert!(turns > 12, "{turns}");
    }
}

#[test]
fn the_time_that_a_person_takes_to_answer_is_no_work_of_the_run_nor_of_any_role() {
    let script = Script::new(works).with(Role::SUPERVISOR, pipeline);
    let mut story = Story::begin(opening(team::embedded(), Limits::default()), script);
    while story.settle().run.ended().is_none() {
        let checkpoint = story.run.open_checkpoint().expect("it waits for the person");
        let (id, approval) = (checkpoint.id, checkpoint.subject.approval());
        story.now += 600_000;
        story.answer(id, approval);
    }
    assert!(story.now >= 600_000);
    for stage in compare(&story.run, &story.run).stages {
        assert_eq!(stage.first.map(|took| took.ms), Some(0), "{}", stage.role);
    }
    let mut trace = Trace::default();
    for line in story.events.iter().flat_map(|envelope| trace.lines(envelope)) {
        assert!(line.starts_with("  0.000s") && !line.contains("600000 ms"), "{line}");
    }
}
