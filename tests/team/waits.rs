//! Nothing waits that need not: a result is acted on when it is there, while slow siblings are at work.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use desk::{
    AttemptReporter, BoxFuture, Clock, Desk, Halt, Models, OnProgress, Outgoing, Policy, ToolError, Tools, World,
    opening_events,
};
use journal::{Headline, Journal, JournalError, MemoryJournal};
use kit::{
    Scene, Script, Story, ask, assigned_model, corpus, finding, found, opening, play, play_on, report, search, section,
    task, use_tools, waiting_for,
};
use run::attempt::{Class, Fault};
use run::event::Event;
use run::evidence::{Corpus, Hits};
use run::model::Reply;
use run::plan::Task;
use run::team::{FailureStep, Kind};
use run::tool::builtin::Search;
use run::{At, CallId, Envelope, Limits, Outcome, Payload, Role, Run, RunId, Subject, Team, ToolCall, ToolResult};
use specialist::Step;
use text::Clean;
use tokio::sync::mpsc;

/// The time that the search of the first task takes, in milliseconds; all others take [`QUICK`].
const SLOW: i64 = 5_000;
const QUICK: i64 = 130;

struct Searches;

impl Tools for Searches {
    fn read_sources(&self, _: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        Box::pin(async { Ok(corpus()) })
    }

    fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        let search: Search = call.of().unwrap();
        let takes = if search.query.as_str() == "task 1" { SLOW } else { QUICK };
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(takes as u64)).await;
            Ok(ToolResult::Hits(Hits::default()))
        })
    }
}

/// Each task searches once and has found something; the first attempt at task 2 fails where that is wanted.
fn work(scene: Scene<'_>, tasks: &[Task], second_fails: bool) -> Step {
    match scene.role.as_str() {
        Role::PLANNER => report(Outcome::Done, Payload { plan: Some(kit::plan(tasks.to_vec())), ..Payload::default() }),
        Role::EDITOR => section(scene),
        Role::MERGER => found(scene.assigned.handoff.payload.findings().to_vec()),
        Role::RESEARCHER => match (scene.task(), scene.transcript.turns.len()) {
            (_, 0) => use_tools(vec![search(scene.assigned.handoff.title.as_str())]),
            (Some(2), _) if second_fails && scene.assigned.id.attempt() == 1 => {
                report(Outcome::Failed("no luck".into()), Payload::default())
            }
            _ => {
                found(vec![finding(scene.assigned.id, scene.assigned.handoff.payload.task().map(|task| task.id), "so")])
            }
        },
        _ => report(Outcome::Failed("it is not needed here".into()), Payload::default()),
    }
}

/// A run of these tasks by a team that may be changed first, whose researchers follow this policy.
fn run(tasks: Vec<Task>, policy: &[FailureStep], second_fails: bool, change: fn(&mut Team)) -> Vec<Envelope> {
    let mut team = team::embedded();
    team.members.remove(&Role::new(Role::MEMORY));
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().on_failure = policy.to_vec();
    change(&mut team);
    let roster = Script::led(move |scene| work(scene, &tasks, second_fails));
    play(opening(team, Limits::default()), Arc::new(roster), Arc::new(Searches))
}

/// Milliseconds from the moment when the first tasks were handed out to the first event like this.
fn after(events: &[Envelope], is: impl Fn(&Event) -> bool) -> i64 {
    let at = |is: &dyn Fn(&Event) -> bool| events.iter().find(|envelope| is(&envelope.event)).expect("it happens").at.0;
    let begin = |event: &Event| matches!(event, Event::HandedOff { opened, .. } if opened[0].task.is_some());
    at(&is) - at(&begin)
}

fn calls(event: &Event, name: &str) -> bool {
    matches!(event, Event::ToolsCalled { by, .. } if by.to_string() == name)
}

#[test]
fn a_task_begins_when_what_it_waits_for_is_there() {
    let tasks = vec![task(1), task(2), waiting_for(3, &[2])];
    let events = run(tasks, &[], false, |_| {});
    assert_eq!(after(&events, |event| calls(event, "0.t3")), QUICK);
}

#[test]
fn what_failed_is_tried_again_after_its_own_pause() {
    let events = run(vec![task(1), task(2)], &[FailureStep::Retry], true, |_| {});
    assert_eq!(after(&events, |event| calls(event, "0.t2~2")), QUICK + 1_000);
}

#[test]
fn the_person_is_asked_at_once_and_the_others_go_on_meanwhile() {
    let tasks = vec![task(1), task(2), task(3), waiting_for(4, &[3])];
    let events = run(tasks, &[FailureStep::Ask], true, |_| {});
    let is_about = |subject: &Subject| match subject {
        Subject::Question(question) => question.about.is_some_and(|about| about.to_string() == "0.t2"),
        _ => false,
    };
    let asked = |event: &Event| matches!(event, Event::CheckpointOpened { subject, .. } if is_about(subject));
    assert_eq!(after(&events, asked), QUICK);
    assert_eq!(after(&events, |event| calls(event, "0.t4")), QUICK);
}

#[test]
fn a_section_goes_on_while_another_one_waits_for_somebody_slow() {
    let tasks = (1..=6).map(task).collect();
    let in_sections = |team: &mut Team| (team.span, team.depth) = (3, 2);
    let events = run(tasks, &[], false, in_sections);
    let merges = |event: &Event| {
        matches!(event, Event::HandedOff { by: Some(by), opened, .. }
            if by.to_string() == "0.t4" && opened[0].role.as_str() == Role::MERGER)
    };
    assert_eq!(after(&events, merges), QUICK);
    let reported = |event: &Event| matches!(event, Event::Reported { by, .. } if by.to_string() == "0.t4");
    assert_eq!(after(&events, reported), QUICK);
}

#[test]
fn those_in_line_have_their_places_when_several_end_at_once() {
    let mut team = team::embedded();
    team.members.remove(&Role::new(Role::MEMORY));
    team.parallel = 3;
    let tasks: Vec<Task> = (1..=5).map(task).collect();
    let mut story =
        Story::begin(opening(team, Limits::default()), Script::led(move |scene| work(scene, &tasks, false)));
    story.settle();
    let at_work = |story: &Story| story.at_work().len();
    assert_eq!(at_work(&story), 3, "two are in line");
    // All come back before anything is decided anew: fewer are open then than there are places.
    let calls: Vec<CallId> = story.run.under_way.keys().copied().collect();
    calls.into_iter().for_each(|call| story.call_comes_back(call));
    story.settle();
    assert_eq!(at_work(&story), 2, "{:?}", story.run.open().map(|one| one.id).collect::<Vec<_>>());
}

/// A disk on which each write takes longer than the slow search.
struct SlowDisk(MemoryJournal);

impl Journal for SlowDisk {
    fn append(
        &self,
        run: &RunId,
        events: Vec<Envelope>,
        headline: Headline,
    ) -> journal::BoxFuture<Result<(), JournalError>> {
        let append = self.0.append(run, events, headline);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(SLOW as u64 + 1_000)).await;
            append.await
        })
    }
}

#[test]
fn what_comes_back_while_something_else_is_written_is_taken_then_and_there() {
    let mut team = team::embedded();
    team.members.remove(&Role::new(Role::MEMORY));
    let (disk, opening) = (MemoryJournal::default(), opening(team, Limits::default()));
    let run = opening.run.clone();
    let roster = Script::led(move |scene| work(scene, &[task(1), task(2)], false));
    play_on(Arc::new(SlowDisk(disk.clone())), opening, Arc::new(roster), Arc::new(Searches));
    let events = disk.events(&run);
    let returned = events.iter().filter(|envelope| matches!(envelope.event, Event::ToolReturned { .. }));
    let [quick, slow] = returned.map(|envelope| envelope.at.0).collect::<Vec<_>>()[..] else { panic!("{events:?}") };
    assert_eq!(slow - quick, SLOW - QUICK);
}

/// A clock that goes on by this many milliseconds each time it is read.
struct Hasty {
    by: i64,
    now: AtomicI64,
}

impl Clock for Hasty {
    fn now(&self) -> At {
        At(self.now.fetch_add(self.by, Ordering::Relaxed))
    }
}

/// Models whose key is refused.
struct Refused;

impl Models for Refused {
    fn attempt(&self, _: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        Box::pin(async move {
            reporter.sending().await.unwrap();
            Err(Fault::before_sending(Class::KeyRefused, "no such key".into()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_whose_time_comes_while_a_key_is_refused_begins_and_the_run_is_not_parked() {
    // It is due a second after the one before it: just when the desk looks at the clock, by some of these.
    for by in (50..1_500).step_by(50) {
        let mut team = team::embedded();
        team.members.remove(&Role::new(Role::MEMORY));
        let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap();
        (researcher.kind, researcher.model) = (Kind::Model, Some(assigned_model("a/one")));
        researcher.fallbacks = vec![assigned_model("b/two")];
        researcher.on_failure = vec![FailureStep::Retry, FailureStep::Failover];
        let roster = Script::led(|scene| match (scene.role.as_str(), scene.assigned.id.attempt()) {
            (Role::RESEARCHER, 1) if scene.transcript.turns.is_empty() => ask("a/one"),
            (Role::RESEARCHER, 1) => report(Outcome::Failed("no key".into()), Payload::default()),
            _ => work(scene, &[task(1)], false),
        });
        let (_commands, orders) = mpsc::unbounded_channel();
        let world = World {
            journal: Arc::new(MemoryJournal::default()),
            tools: Arc::new(Searches),
            models: Arc::new(Refused),
            roster: Arc::new(roster),
            clock: Arc::new(Hasty { by, now: AtomicI64::new(0) }),
        };
        let mut desk = Desk::new(Run::default(), world, Policy::Approve, orders, Arc::new(|_| {}));
        let stop = desk.work(opening_events(opening(team, Limits::default()))).await;
        assert!(matches!(stop, Halt::Ended(_)), "{by} ms: {stop:?}");
        assert!(!desk.run().latches.is_empty(), "the key was refused");
    }
}
