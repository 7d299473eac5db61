//! A process that stands still for an hour, because its machine slept or a shell stopped it, has not worked for an hour.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use desk::{BoxFuture, Clock, Desk, Halt, NoModels, OnProgress, Policy, ToolError, Tools, World, opening_events};
use journal::MemoryJournal;
use kit::{PausedClock, Scene, Script, corpus, finding, found, opening, report, search, section, task, use_tools};
use run::budget::{Cap, Limits};
use run::event::Event;
use run::evidence::{Corpus, Hits};
use run::handoff::Payload;
use run::{At, Outcome, Role, Run, ToolCall, ToolResult};
use specialist::Step;
use text::Clean;
use tokio::sync::mpsc;

const HOUR_MS: i64 = 3_600_000;
/// The time that each search takes.
const SEARCH: Duration = Duration::from_secs(20);
/// The reason why the run ends without a brief, after all of its research.
const NOTHING_WRITTEN: &str = "there is no need of a draft here";

/// A clock that can be ahead of the time that the process has seen pass.
#[derive(Default)]
struct Wall {
    seen: PausedClock,
    ahead_ms: AtomicI64,
}

impl Clock for Wall {
    fn now(&self) -> At {
        At(self.seen.now().0 + self.ahead_ms.load(Ordering::Relaxed))
    }
}

/// Searches, in the middle of which the machine sleeps for an hour.
struct SleepsMeanwhile(Arc<Wall>);

impl Tools for SleepsMeanwhile {
    fn read_sources(&self, _: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        Box::pin(async { Ok(corpus()) })
    }

    fn perform(&self, _: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        let wall = self.0.clone();
        Box::pin(async move {
            tokio::time::sleep(SEARCH / 2).await;
            wall.ahead_ms.fetch_add(HOUR_MS, Ordering::Relaxed);
            tokio::time::sleep(SEARCH / 2).await;
            Ok(ToolResult::Hits(Hits::default()))
        })
    }
}

fn work(scene: Scene<'_>) -> Step {
    match scene.role.as_str() {
        Role::PLANNER => report(Outcome::Done, Payload { plan: Some(kit::plan(vec![task(1)])), ..Payload::default() }),
        Role::EDITOR => section(scene),
        Role::MERGER => found(scene.assigned.handoff.payload.findings().to_vec()),
        Role::RESEARCHER if scene.transcript.turns.is_empty() => use_tools(vec![search("task 1")]),
        Role::RESEARCHER => {
            found(vec![finding(scene.assigned.id, scene.assigned.handoff.payload.task().map(|task| task.id), "so")])
        }
        _ => report(Outcome::Failed(NOTHING_WRITTEN.into()), Payload::default()),
    }
}

#[tokio::test(start_paused = true)]
async fn an_hour_of_sleep_does_not_use_up_a_time_cap_of_ten_minutes() {
    let mut team = team::embedded();
    team.members.remove(&Role::new(Role::MEMORY));
    let (disk, wall) = (MemoryJournal::default(), Arc::new(Wall::default()));
    let limits = Limits::default().with(Cap::Time, Some(600_000));
    let opening = opening(team, limits);
    let run = opening.run.clone();
    let world = World {
        journal: Arc::new(disk.clone()),
        tools: Arc::new(SleepsMeanwhile(wall.clone())),
        models: Arc::new(NoModels),
        roster: Arc::new(Script::led(work)),
        clock: wall,
    };
    let (_commands, orders) = mpsc::unbounded_channel();
    let mut desk = Desk::new(Run::default(), world, Policy::Approve, orders, Arc::new(|_| {}));
    let stop = desk.work(opening_events(opening)).await;
    let Halt::Ended(Outcome::Partial(why)) = stop else { panic!("{stop:?}") };
    assert!(why.contains(NOTHING_WRITTEN), "the time cap is not why: {why}");
    let events = disk.events(&run);
    let stood: Vec<_> = events.iter().filter(|one| matches!(one.event, Event::StoodStill { .. })).collect();
    let [stood] = stood[..] else { panic!("{events:?}") };
    let told = run::describe(stood, desk.run());
    assert!(told.lines[0].sentence.contains("60 min in which the program stood still"), "{told:?}");
    let worked = Duration::from_millis(desk.run().worked(desk.run().at));
    assert!((SEARCH..SEARCH + Duration::from_secs(5)).contains(&worked), "{worked:?}");
    assert_eq!(Run::fold(&events).worked(desk.run().at), desk.run().worked(desk.run().at));
}
