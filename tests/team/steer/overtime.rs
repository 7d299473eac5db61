//! Timeouts: who does not report in time, or hears nothing for too long, is ended and has failed. The others go on.

use kit::{finding, found};
use run::Cap;
use run::timeouts::Timeouts;
use run::transcript::ExchangeEnd;

use super::*;

fn timed(parallel: u32, whole: Option<u64>, idle: Option<u64>) -> Team {
    let mut team = team(parallel);
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().timeouts = Timeouts { whole, idle };
    team
}

fn at(story: &mut Story, now: i64) {
    story.now = now;
    story.settle();
}

fn why(story: &Story, id: u32) -> Option<String> {
    story.outcome(id).map(ToString::to_string)
}

#[test]
fn who_has_not_reported_within_its_time_has_failed_and_its_calls_are_given_up() {
    let mut story = begin(timed(8, Some(60_000), None), Limits::default(), three);
    assert_eq!(story.looks_again(), Some(60_000));
    at(&mut story, 40_000);
    story.comes_back(1);
    story.comes_back(2);
    story.comes_back(2);
    story.comes_back(2);
    assert_eq!((why(&story, 2).as_deref(), story.looks_again()), (Some("nothing found"), Some(60_000)));
    at(&mut story, 59_999);
    assert_eq!(story.at_work(), [1, 3]);
    at(&mut story, 60_000);
    let late = Some("failed: no report within 1 min: `timeouts.whole` of researcher".to_string());
    assert_eq!([1, 2, 3].map(|id| why(&story, id)), [late.clone(), Some("nothing found".into()), late]);
    assert_eq!(story.run.ledger.assignment(story.id(1)).spent.get(Cap::ToolCalls), 2, "what was under way is booked");
    assert_eq!((story.at_work(), story.looks_again()), (vec![], None));
    assert!(story.run.ended().is_some(), "who handed it out hears of it");
}

#[test]
fn whatever_comes_back_begins_the_idle_time_anew() {
    let mut story = begin(timed(8, None, Some(30_000)), Limits::default(), three);
    at(&mut story, 29_000);
    story.comes_back(1);
    assert_eq!(story.looks_again(), Some(30_000), "for the others");
    at(&mut story, 30_000);
    assert_eq!(why(&story, 2).as_deref(), Some("failed: no answer within 30 s: `timeouts.idle` of researcher"));
    assert_eq!((story.at_work(), story.looks_again()), (vec![1], Some(59_000)));
    at(&mut story, 59_000);
    assert_eq!(why(&story, 1).as_deref(), Some("failed: no answer within 30 s: `timeouts.idle` of researcher"));
}

#[test]
fn time_in_the_queue_held_by_the_person_or_in_a_paused_run_does_not_count() {
    let mut story = begin(timed(2, Some(60_000), Some(50_000)), Limits::default(), three);
    story.steer(1, Steer::Pause);
    at(&mut story, 20_000);
    story.record(Event::Paused);
    at(&mut story, 900_000);
    assert_eq!(story.looks_again(), None);
    story.record(Event::Continued);
    at(&mut story, 930_000);
    assert_eq!(
        why(&story, 2).as_deref(),
        Some("failed: no answer within 50 s: `timeouts.idle` of researcher"),
        "20 s before and 30 s after"
    );
    assert_eq!((story.at_work(), why(&story, 1)), (vec![1, 3], None), "the third begins when there is a place");
    story.steer(1, Steer::Continue);
    at(&mut story, 979_999);
    assert_eq!(story.at_work(), [1, 3]);
    at(&mut story, 980_000);
    assert!([1, 3].iter().all(|id| why(&story, *id) == why(&story, 2)));
}

#[test]
fn what_it_has_found_by_then_is_reported_though_it_has_failed() {
    fn finds(scene: Scene<'_>) -> Step {
        let assigned = scene.assigned;
        match scene.role.as_str() {
            Role::RESEARCHER if assigned.turns_left == 1 && assigned.id.to_string() == "0.t2" => {
                panic!("not even that")
            }
            Role::RESEARCHER if assigned.turns_left == 1 => {
                assert!(!scene.transcript.turns.last().unwrap().pending(), "what it waited for has failed");
                found(vec![finding(assigned.id, Some(TaskId(1)), "so it is")])
            }
            _ => three(scene),
        }
    }
    let mut story = begin(timed(8, Some(1_500), None), Limits::default(), finds);
    at(&mut story, 1_500);
    let reports: Vec<_> = story.run.root().unwrap().transcript.sent().filter_map(|sent| sent.report.clone()).collect();
    let late = Outcome::Failed("no report within 1500 ms: `timeouts.whole` of researcher".into());
    assert!(reports.iter().all(|(outcome, _)| *outcome == late), "{reports:?}");
    assert_eq!(reports.iter().map(|(_, report)| report.payload.findings().len()).collect::<Vec<_>>(), [1, 0, 1]);
}

#[test]
fn who_reaches_its_own_time_cap_reports_what_it_has_by_then_and_it_is_not_called_a_failure() {
    fn finds(scene: Scene<'_>) -> Step {
        let assigned = scene.assigned;
        match scene.role.as_str() {
            Role::RESEARCHER if assigned.turns_left == 1 && assigned.id.to_string() == "0.t2" => {
                // Remarks on how the work went are no part of what it has.
                report(Outcome::Partial("by rule".into()), Payload::note("it did not report in the turns it had"))
            }
            Role::RESEARCHER if assigned.turns_left == 1 => {
                found(vec![finding(assigned.id, Some(TaskId(1)), "so it is")])
            }
            _ => three(scene),
        }
    }
    let mut team = team(8);
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().limits = Limits::of(Cap::Time, 1_500);
    let mut story = begin(team, Limits::default(), finds);
    assert_eq!(story.looks_again(), Some(1_500));
    at(&mut story, 1_499);
    assert_eq!(story.at_work(), [1, 2, 3]);
    at(&mut story, 1_500);
    let reached = "the assignment's time cap of 1500ms was reached";
    let ends = [1, 2, 3].map(|id| why(&story, id).unwrap_or_default());
    assert_eq!(
        ends,
        [format!("partial: {reached}"), format!("out of budget: {reached}"), format!("partial: {reached}")]
    );
    assert_eq!(story.run.root().unwrap().transcript.sent().count(), 3, "nobody begins it anew");
    let reports = story.run.root().unwrap().transcript.sent().filter_map(|sent| sent.report.as_ref());
    let notes = reports.map(|(_, report)| report.payload.notes());
    assert!(notes.into_iter().all(|notes| notes == [reached]), "the reason, and no other");
}

#[test]
fn a_model_is_waited_for_from_when_it_was_asked_and_what_it_may_have_cost_stays_in_doubt() {
    let mut team = with_checker(8);
    team.members.get_mut(&Role::new("checker")).unwrap().timeouts = Timeouts { whole: None, idle: Some(10_000) };
    let mut story = begin(team, Limits::default(), asks_a_model);
    let call = *story.run.under_way.keys().next().unwrap();
    assert_eq!(story.looks_again(), None, "it has not left yet");
    at(&mut story, 500_000);
    let reserved = story.run.ledger.assignment(call.assignment).reserved;
    story.record(Event::AttemptSent { call, attempt: 1 });
    assert_eq!(story.looks_again(), Some(510_000));
    at(&mut story, 510_000);
    assert_eq!(why(&story, 1).as_deref(), Some("failed: no answer within 10 s: `timeouts.idle` of checker"));
    assert_eq!(story.run.ledger.assignment(call.assignment).in_doubt, reserved);
    assert!(story.run.faulted.is_empty() && story.run.asks().is_none());
}

#[test]
fn a_call_that_is_late_by_its_own_time_and_by_that_of_the_run_is_given_up_once() {
    let mut team = with_checker(8);
    team.members.get_mut(&Role::new("checker")).unwrap().timeouts = Timeouts { whole: Some(50_000), idle: None };
    let mut story = begin(team, Limits::of(Cap::Time, 60_000), asks_a_model);
    let call = *story.run.under_way.keys().next().unwrap();
    story.now = 1_000;
    story.record(Event::AttemptSent { call, attempt: 1 });
    // Both have passed by the time at which the desk looks again.
    at(&mut story, 61_000);
    let given_up = story.events.iter().filter(|envelope| envelope.event.name() == "attempt_failed").count();
    let reports =
        |id| move |envelope: &&run::Envelope| matches!(&envelope.event, Event::Reported { by, .. } if *by == id);
    let reports = story.events.iter().filter(reports(call.assignment)).count();
    assert_eq!((given_up, reports), (1, 1));
}

#[test]
fn a_call_in_doubt_waits_for_the_person_and_not_for_the_clock() {
    let mut team = with_checker(8);
    team.members.get_mut(&Role::new("checker")).unwrap().timeouts = Timeouts { whole: Some(10_000), idle: None };
    let mut story = begin(team, Limits::default(), asks_a_model);
    let call = *story.run.under_way.keys().next().unwrap();
    story.record(Event::AttemptSent { call, attempt: 1 });
    story.now = 4_000;
    story.steer(1, Steer::Prioritise(Priority::High));
    story.record(Event::Attached { version: "0".into(), worked_until: None });
    at(&mut story, 800_000);
    assert_eq!(why(&story, 1), None);
    let answer = run::event::DoubtAnswer::Retry;
    story.record(Event::DoubtAnswered { call, answer });
    story.settle();
    story.record(Event::AttemptSent { call, attempt: 2 });
    assert_eq!(story.looks_again(), Some(806_000), "4 s have gone before");
}

/// A cap on the run's time; a tenth of it is kept for landing.
fn seconds(n: u64) -> Limits {
    Limits::default().with(Cap::Time, Some(n * 1_000))
}

#[test]
fn a_model_is_waited_for_no_longer_than_the_time_cap_allows_and_what_it_may_have_cost_stays_in_doubt() {
    let mut story = begin(with_checker(8), seconds(10), asks_a_model);
    let call = *story.run.under_way.keys().next().unwrap();
    story.record(Event::AttemptSent { call, attempt: 1 });
    let reserved = story.run.ledger.assignment(call.assignment).reserved;
    assert_eq!(story.looks_again(), Some(9_000));
    at(&mut story, 8_999);
    assert_eq!(why(&story, 1), None);
    at(&mut story, 9_000);
    assert_eq!(story.run.ledger.assignment(call.assignment).in_doubt, reserved);
    assert!(story.run.under_way.is_empty() && story.run.faulted.is_empty(), "no other attempt goes out");
    let end = &story.assignment(1).transcript.exchanges().next_back().unwrap().end;
    assert!(matches!(end, ExchangeEnd::Refused(refusal) if refusal.cap == Cap::Time), "{end:?}");
}

#[test]
fn tools_that_are_out_when_the_time_is_up_are_given_up() {
    let mut story = begin(team(8), seconds(10), three);
    assert_eq!((story.at_work(), story.looks_again()), (vec![1, 2, 3], Some(9_000)));
    at(&mut story, 9_000);
    assert!(story.run.under_way.is_empty());
    assert!(story.run.ended().is_some());
}

#[test]
fn time_worked_before_a_kill_counts_up_to_the_last_sign_of_the_process() {
    let attached = |until: Option<i64>| {
        let mut story = begin(with_checker(8), seconds(100), asks_a_model);
        let call = *story.run.under_way.keys().next().unwrap();
        story.record(Event::AttemptSent { call, attempt: 1 });
        story.now = 50_000;
        story.record(Event::Attached { version: "0".into(), worked_until: until.map(run::At) });
        story.run.worked(run::At(50_000))
    };
    assert_eq!(attached(None), 0, "nothing is known");
    assert_eq!(attached(Some(30_000)), 30_000);
    assert_eq!(attached(Some(90_000)), 50_000, "the clock was set back since");
    assert_eq!(attached(Some(-5)), 0);
}
