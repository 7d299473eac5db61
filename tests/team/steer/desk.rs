//! The desk while somebody is steered: in time that costs nothing, with calls that come back when they are told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::desk::{
    AttemptReporter, BoxFuture, Clock, Desk, Halt, Models, OnProgress, Outgoing, Policy, ToolError, Tools, World,
};
use journal::MemoryJournal;
use run::attempt::Fault;
use run::evidence::Corpus;
use run::tool::builtin::Search;
use run::{At, CallId, Command, Notice, Run, ToolCall, ToolResult};
use text::Clean;
use tokio::sync::{Notify, mpsc};

use kit::opened;

use super::*;

/// The state of a call: `true` while somebody waits for it, `false` once it was dropped before it came back.
type Waiting = Arc<Mutex<BTreeMap<String, bool>>>;

struct Guard(Waiting, String);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.lock().unwrap().insert(self.1.clone(), false);
    }
}

/// Calls that come back once `back` says so; models whose answers never come.
#[derive(Clone, Default)]
struct Slow {
    waiting: Waiting,
    back: Arc<Notify>,
}

impl Slow {
    fn guard(&self, name: String) -> Guard {
        self.waiting.lock().unwrap().insert(name.clone(), true);
        Guard(self.waiting.clone(), name)
    }

    fn waits_for(&self, name: &str) -> bool {
        self.waiting.lock().unwrap()[name]
    }
}

impl Tools for Slow {
    fn read_sources(&self, _: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        Box::pin(async { Ok(Corpus { documents: 1, blocks: 1, ..Corpus::default() }) })
    }

    fn perform(&self, request: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        let search: Search = request.of().unwrap();
        let (guard, back) = (self.guard(search.query.to_string()), self.back.clone());
        Box::pin(async move {
            let _guard = guard;
            back.notified().await;
            Err("nothing".into())
        })
    }
}

impl Models for Slow {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let slow = self.clone();
        Box::pin(async move {
            let _guard = slow.guard(format!("{} waits", outgoing.call));
            tokio::time::sleep(Duration::from_secs(10)).await;
            reporter.sending().await.unwrap();
            let _guard = slow.guard(format!("{} sent", outgoing.call));
            std::future::pending().await
        })
    }
}

struct Still;

impl Clock for Still {
    fn now(&self) -> At {
        At(1)
    }
}

/// A desk at work, its audience, and the way to command it.
struct AtWork {
    slow: Slow,
    disk: MemoryJournal,
    commands: mpsc::UnboundedSender<Command>,
    refused: Arc<Mutex<Vec<String>>>,
    desk: tokio::task::JoinHandle<Halt>,
}

impl AtWork {
    fn begin(team: Team, play: Play) -> AtWork {
        AtWork::with(team, play, Policy::Ask, vec![])
    }

    /// The same, picked up where these facts were the last.
    fn with(team: Team, play: Play, policy: Policy, last: Vec<Event>) -> AtWork {
        let (slow, disk) = (Slow::default(), MemoryJournal::default());
        let (commands, orders) = mpsc::unbounded_channel();
        let refused: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = refused.clone();
        let world = World {
            journal: Arc::new(disk.clone()),
            tools: Arc::new(slow.clone()),
            models: Arc::new(slow.clone()),
            roster: Arc::new(Script::new(play)),
            clock: Arc::new(Still),
        };
        let audience = Arc::new(move |notice| {
            if let Notice::Refused(why) = notice {
                heard.lock().unwrap().push(why.to_string());
            }
        });
        let mut desk = Desk::new(Run::default(), world, policy, orders, audience);
        let mut first = vec![Event::RunOpened(Arc::new(opening(team, Limits::default())))];
        first.extend(last);
        let desk = tokio::spawn(async move { desk.work(first).await });
        AtWork { slow, disk, commands, refused, desk }
    }

    /// Lets everybody work for this many seconds.
    async fn after(&self, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }

    fn steer(&self, id: u32, act: Steer) {
        let assignment = opened(&self.run(), id);
        self.commands.send(Command::Steer { assignment, act }).unwrap();
    }

    fn run(&self) -> Run {
        Run::fold(&self.disk.events(&"abcd".parse().unwrap()))
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_who_is_cancelled_are_stopped_at_once_and_those_of_siblings_are_not() {
    let at_work = AtWork::begin(team(8), three);
    at_work.after(1).await;
    let calls = ["task 1 0", "task 2 0", "task 3 0"];
    assert_eq!(calls.map(|call| at_work.slow.waits_for(call)), [true; 3]);
    at_work.steer(2, Steer::Cancel);
    at_work.after(1).await;
    assert_eq!(calls.map(|call| at_work.slow.waits_for(call)), [true, false, true]);
    let events = at_work.disk.events(&"abcd".parse().unwrap());
    let last: Vec<&str> = events.iter().rev().take(3).map(|envelope| envelope.event.name()).collect();
    assert_eq!(last, ["reported", "tool_failed", "steered"], "the last one first");
    at_work.slow.back.notify_waiters();
    at_work.after(1).await;
    let run = at_work.run();
    let turns: Vec<usize> = run.assignments().map(|a| a.transcript.turns.len()).collect();
    assert_eq!((turns, run.misfits), (vec![1, 2, 1, 2], 0));
    at_work.desk.abort();
}

#[tokio::test(start_paused = true)]
async fn another_try_begins_when_the_first_was_given_up_and_the_run_ends_with_its_report() {
    let at_work = AtWork::begin(team(8), three);
    at_work.after(1).await;
    at_work.steer(1, Steer::Retry);
    at_work.after(1).await;
    assert_eq!(at_work.run().root().unwrap().transcript.sent().next().unwrap().to, opened(&at_work.run(), 4));
    for _ in 0..3 {
        at_work.slow.back.notify_waiters();
        at_work.after(1).await;
    }
    assert!(matches!(at_work.desk.await, Ok(Halt::Ended(Outcome::NothingFound))));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_before_it_leaves_never_leaves_and_one_that_has_left_stays_in_doubt() {
    for (seconds, sent) in [(5, false), (20, true)] {
        let at_work = AtWork::begin(with_checker(8), asks_a_model);
        at_work.after(seconds).await;
        let call = CallId::new(opened(&at_work.run(), 1), 1);
        let waits = format!("{call} {}", if sent { "sent" } else { "waits" });
        assert!(at_work.slow.waits_for(&waits));
        at_work.steer(1, Steer::Cancel);
        at_work.after(60).await;
        assert!(!at_work.slow.waits_for(&waits), "nobody waits for its answer any more");
        let events = at_work.disk.events(&"abcd".parse().unwrap());
        let left = events.iter().filter(|envelope| envelope.event.name() == "attempt_sent").count();
        assert_eq!(left, usize::from(sent));
        let doubt = at_work.run().ledger.run().in_doubt;
        assert_eq!(doubt.tokens() > 0, sent, "{doubt:?}");
        at_work.desk.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_leaves_in_the_moment_it_is_given_up_does_not_leave() {
    // Chance decides which of the two the desk takes first.
    for _ in 0..20 {
        let at_work = AtWork::begin(with_checker(8), asks_a_model);
        // Both wait for the desk when it looks next: the order to give up, and the request that wants to leave.
        at_work.after(9).await;
        tokio::time::sleep(Duration::from_millis(999)).await;
        tokio::time::advance(Duration::from_millis(1)).await;
        at_work.steer(1, Steer::Cancel);
        at_work.after(60).await;
        let waiting = at_work.slow.waiting.lock().unwrap().clone();
        assert!(waiting.iter().all(|(_, waits)| !waits), "{waiting:?}");
        let run = at_work.run();
        let (account, misfits) = (*run.ledger.run(), run.misfits);
        assert_eq!((account.reserved, misfits), (Amounts::default(), 0));
        let events = at_work.disk.events(&kit::run_id());
        let names = events.iter().map(|envelope| envelope.event.name());
        let order: Vec<&str> = names.filter(|name| ["steered", "attempt_sent"].contains(name)).collect();
        assert_ne!(order, ["steered", "attempt_sent"], "it does not leave after it was given up");
        assert_eq!(account.in_doubt != Amounts::default(), order.len() == 2, "what has not left costs nothing");
        at_work.desk.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_asked_for_before_the_run_was_paused_leaves_when_it_goes_on() {
    let at_work = AtWork::begin(with_checker(8), asks_a_model);
    let left = || at_work.disk.events(&kit::run_id()).iter().filter(|one| one.event.name() == "attempt_sent").count();
    at_work.after(5).await;
    at_work.commands.send(Command::Pause).unwrap();
    at_work.after(60).await;
    assert_eq!((at_work.run().paused, left()), (true, 0), "it has been ready for long");
    at_work.commands.send(Command::Continue).unwrap();
    at_work.after(1).await;
    assert_eq!((at_work.run().paused, left()), (false, 1));
    at_work.desk.abort();
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_done_is_said_and_changes_nothing() {
    let at_work = AtWork::begin(team(8), three);
    at_work.after(1).await;
    let before = at_work.run().seq;
    at_work.steer(1, Steer::Continue);
    at_work.steer(7, Steer::Pause);
    at_work.after(1).await;
    let refused = at_work.refused.lock().unwrap().clone();
    assert_eq!(refused, ["researcher · task 1 is not paused", "there is no assignment 0.7"]);
    assert_eq!(at_work.run().seq, before);
    at_work.desk.abort();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_paused_goes_on_where_it_is_picked_up_without_a_screen() {
    for policy in [Policy::Park, Policy::Approve] {
        let at_work = AtWork::with(team(8), three, policy, vec![Event::Paused]);
        at_work.after(1).await;
        assert!(!at_work.run().paused, "{policy:?}");
        for _ in 0..3 {
            at_work.slow.back.notify_waiters();
            at_work.after(1).await;
        }
        assert!(matches!(at_work.desk.await, Ok(Halt::Ended(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn where_everybody_is_held_a_policy_lets_them_go_or_the_run_is_parked() {
    for (policy, ends) in [(Policy::Approve, true), (Policy::Park, false)] {
        let mut story = begin(team(8), Limits::default(), three);
        for id in 1..=3 {
            story.steer(id, Steer::Pause);
            story.comes_back(id);
        }
        let first = story.events.into_iter().skip(1).map(|envelope| envelope.event).collect();
        let at_work = AtWork::with(team(8), three, policy, first);
        for _ in 0..4 {
            at_work.after(1).await;
            at_work.slow.back.notify_waiters();
        }
        let stop = at_work.desk.await.unwrap();
        assert_eq!(matches!(stop, Halt::Ended(_)), ends, "{policy:?}: {stop:?}");
        assert_eq!(matches!(stop, Halt::Parked), !ends, "{policy:?}: {stop:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_may_pause_and_end_a_run_whose_checkpoints_are_approved_for_them() {
    let at_work = AtWork::with(team(8), three, Policy::ApproveAndAsk, vec![]);
    at_work.after(1).await;
    at_work.commands.send(Command::Pause).unwrap();
    at_work.after(1).await;
    assert!(at_work.run().paused);
    at_work.commands.send(Command::Continue).unwrap();
    at_work.after(1).await;
    assert!(!at_work.run().paused);
    at_work.steer(1, Steer::Pause);
    at_work.after(1).await;
    assert!(at_work.run().assignment(opened(&at_work.run(), 1)).unwrap().paused, "nobody continues it but the person");
    at_work.commands.send(Command::Cancel).unwrap();
    assert!(matches!(at_work.desk.await, Ok(Halt::Ended(Outcome::Cancelled))));
}

#[tokio::test(start_paused = true)]
async fn a_desk_that_approves_ends_at_once_when_the_person_leaves() {
    let at_work = AtWork::with(team(8), three, Policy::ApproveAndAsk, vec![]);
    at_work.after(1).await;
    drop(at_work.commands);
    assert!(matches!(at_work.desk.await, Ok(Halt::Left)));
}
