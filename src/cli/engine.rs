//! Starts a run that was made ready: sets a desk to work on it, and ends the work in good order.

mod opened;
mod resumed;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::exit::Failure;
use super::notify;
use super::telemetry_out;
use ::drill::Drill;
use ::mcp::Servers;
use collector::Exporter;
use desk::{Desk, Halt, Models, Policy, SystemClock, Tools, World};
use journal::{Claim, Headline, Journal, JournalError};
use model::learnt::Learnt;
use run::event::{DoubtAnswer, Event, Opening, PartOfEval};
use run::{Command, Envelope, Notice, Run, RunId};
use supervisor::{Roster, Staff};

pub use opened::{
    and_servers, assign_models, default_models, new_id, offer, prepare_drill, prepare_new, question, sources, tools,
};
pub use resumed::{Changes, Found, find, load, load_seeing, prepare_resume};

/// A run that this process has claimed.
pub struct Prepared {
    pub id: RunId,
    pub(super) claim: Claim,
    pub(super) runtime: Runtime,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) tools: Arc<dyn Tools>,
    pub(super) models: Arc<dyn Models>,
    /// The drill whose specialists work on it, if any.
    pub drill: Option<&'static Drill>,
    pub(super) doubts: Option<DoubtAnswer>,
    /// The folder for the numbers that its answers teach about their models; None if no model answers.
    pub(super) learns: Option<PathBuf>,
    pub(super) run: Run,
    pub(super) first: Vec<Event>,
    pub recorded: Vec<Arc<Envelope>>,
    /// The events that a fork begins with: they are recorded, all at once, when the work on it starts.
    pub(super) begins_with: Vec<Arc<Envelope>>,
    /// The servers whose tools it uses.
    pub(super) servers: Servers,
    /// The program that calls the person; None without one.
    pub(super) calls: Option<Vec<String>>,
    /// The models of a new run and their cost; None if it uses none.
    pub outlook: Option<Outlook>,
}

impl Prepared {
    /// A run without recorded events and without cost; the differences are set beside it.
    pub(super) fn bare(
        (id, claim): (RunId, Claim),
        runtime: Runtime,
        journal: Arc<dyn Journal>,
        (tools, models): (Arc<dyn Tools>, Arc<dyn Models>),
    ) -> Prepared {
        let (run, first, recorded, begins_with) = Default::default();
        let (drill, doubts, learns, calls, outlook) = (None, None, None, None, None);
        let servers = Servers::default();
        Prepared {
            id,
            claim,
            runtime,
            journal,
            tools,
            models,
            drill,
            doubts,
            learns,
            run,
            first,
            recorded,
            begins_with,
            servers,
            calls,
            outlook,
        }
    }
}

impl Prepared {
    /// The opening of a new run; None for one that goes on, or is a fork.
    pub(super) fn opening(&self) -> Option<&Opening> {
        self.first.iter().find_map(|event| match event {
            Event::RunOpened(opening) => Some(&**opening),
            _ => None,
        })
    }

    /// The same run as a part of an evaluation.
    pub(super) fn of_eval(mut self, part: PartOfEval) -> Prepared {
        for event in &mut self.first {
            if let Event::RunOpened(opening) = event {
                Arc::make_mut(opening).part_of_eval = Some(part.clone());
            }
        }
        self
    }
}

/// The models, the cost and the warnings that are shown before a new run begins.
pub struct Outlook {
    /// Its models, in words; None where it works by rule.
    pub models: Option<String>,
    /// Its probable cost, and how far its caps reach.
    pub cost: Option<String>,
    /// Warnings: caps without room, models that are set up and not used.
    pub warnings: Vec<String>,
    /// Whether it costs money without a request for models: they are merely available.
    pub unasked: bool,
}

impl Outlook {
    /// All of it, in a line.
    pub fn message(&self) -> String {
        let all = self.models.iter().chain(&self.cost).chain(&self.warnings).map(String::as_str);
        all.collect::<Vec<_>>().join("; ")
    }
}

pub fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .map_err(|error| Failure::Other(format!("cannot start threads: {error}")))
}

pub type Audience = Arc<dyn Fn(Notice) + Send + Sync>;

/// The time that a halted desk has to record its last events, before its runtime ends.
const HALTS: Duration = Duration::from_secs(2);

/// The time between two signs that a process works on a run: the most working time that is lost when it is killed.
const SIGNS: Duration = Duration::from_secs(1);

pub struct Working {
    runtime: Runtime,
    commands: mpsc::UnboundedSender<Command>,
    stop: std::sync::mpsc::Receiver<Halt>,
    /// The sender of telemetry, if there is one.
    exporter: Option<Exporter>,
    servers: Servers,
    /// The work itself.
    desk: JoinHandle<()>,
}

/// Takes events that were committed together.
type Commits = mpsc::UnboundedSender<Vec<Arc<Envelope>>>;

/// Passes committed events to an exporter as well. It comes last, and nothing waits for it.
fn and_exporter(audience: Audience, commits: Option<Commits>) -> Audience {
    let Some(commits) = commits else { return audience };
    Arc::new(move |notice| {
        let committed = match &notice {
            Notice::Committed(committed) => Some(committed.clone()),
            _ => None,
        };
        audience(notice);
        // One that has stopped has said why in the log.
        committed.into_iter().for_each(|committed| drop(commits.send(committed)));
    })
}

/// Sets a desk to work on a run. `audience` hears of each of its steps.
pub fn start(prepared: Prepared, policy: Policy, audience: Audience) -> Working {
    let (commands, orders) = mpsc::unbounded_channel();
    let (stopped, stop) = std::sync::mpsc::channel();
    let Prepared { id, claim, runtime, journal, tools, models, run, first, recorded, servers, .. } = prepared;
    let Prepared { drill, doubts, learns, begins_with, calls, .. } = prepared;
    // The first events of a fork are sent once they are recorded: nobody has sent them as the fork's.
    let exported = if begins_with.is_empty() { &recorded[..] } else { &[] };
    let exporter = telemetry_out::exporter(&runtime, exported);
    let commits = exporter.as_ref().map(Exporter::commits);
    let audience = and_exporter(audience, commits.clone());
    let audience = match calls {
        Some(command) => notify::calling(command, id.clone(), run.clone(), audience),
        None => audience,
    };
    let roster: Arc<dyn Roster> = match drill {
        Some(drill) => Arc::new(*drill),
        None => Arc::new(Staff),
    };
    let tell = audience.clone();
    let world = World { journal, tools, models, roster, clock: Arc::new(SystemClock) };
    let work =
        Work { id, claim, run, begins_with, first, world, policy, doubts, learns, orders, audience, commits }.done();
    let desk = runtime.spawn(async move {
        let stop = match unless_it_panics(work).await {
            Ok(stop) => stop,
            Err(Panicked) => {
                let why = "this is a fault in masthead. What was recorded is safe, and the log says more";
                tell(Notice::Stopped(Some(why.into())));
                Halt::Fault
            }
        };
        // The receiver may be gone.
        let _ = stopped.send(stop);
    });
    Working { runtime, commands, stop, exporter, servers, desk }
}

/// The work on a run that this process has claimed.
struct Work {
    id: RunId,
    run: Run,
    begins_with: Vec<Arc<Envelope>>,
    first: Vec<Event>,
    world: World,
    policy: Policy,
    doubts: Option<DoubtAnswer>,
    learns: Option<PathBuf>,
    orders: mpsc::UnboundedReceiver<Command>,
    audience: Audience,
    /// The channel on which an exporter of telemetry takes committed events.
    commits: Option<Commits>,
    /// It is the last to be released: the journal is closed before.
    claim: Claim,
}

impl Work {
    /// Works until the desk stops.
    async fn done(mut self) -> Halt {
        if let Err(error) = self.record_beginning().await {
            (self.audience)(Notice::Stopped(Some(error.to_string().into())));
            return Halt::Journal(error);
        }
        let Work { claim, run, first, world, policy, doubts, learns, orders, audience, .. } = self;
        let worked_until = claim.worked_until();
        let signing = Signing(claim);
        let mut desk = Desk::new(run, world, policy, orders, audience).with_doubts(doubts).worked_until(worked_until);
        let stop = tokio::select! {
            stop = desk.work(first) => stop,
            () = signing.for_ever() => Halt::Left,
        };
        tracing::info!(?stop, "the desk has stopped");
        if let Some(Err(error)) = learns.map(|data| Learnt::keep(&data, desk.run().learnt())) {
            tracing::warn!(%error, "what was learnt of models could not be kept");
        }
        // The journal is closed before the claim is released.
        drop(desk);
        drop(signing);
        stop
    }

    /// Records the events that a fork begins with, all at once.
    async fn record_beginning(&mut self) -> Result<(), JournalError> {
        let begins_with = std::mem::take(&mut self.begins_with);
        if begins_with.is_empty() {
            return Ok(());
        }
        let headline = Headline::of(&self.run).unwrap_or_default();
        let events = begins_with.iter().map(|envelope| (**envelope).clone()).collect();
        self.world.journal.append(&self.id, events, headline).await?;
        if let Some(commits) = &self.commits {
            // One that has stopped has said why in the log.
            let _ = commits.send(begins_with);
        }
        Ok(())
    }
}

/// The work has panicked; the log says where.
#[derive(Debug)]
struct Panicked;

/// Does the work, and drops everything it holds if it panics, as if it had ended.
async fn unless_it_panics<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut work = Some(Box::pin(work));
    std::future::poll_fn(move |context| {
        let Some(at_work) = work.as_mut() else { return Poll::Ready(Err(Panicked)) };
        match catch_unwind(AssertUnwindSafe(|| at_work.as_mut().poll(context))) {
            Ok(polled) => polled.map(Ok),
            Err(_) => {
                work = None;
                Poll::Ready(Err(Panicked))
            }
        }
    })
    .await
}

/// Leaves signs that the process works on the run for as long as its desk does, the last one when it is halted: so working time is
/// known also where nothing came back before the end.
struct Signing(Claim);

impl Signing {
    async fn for_ever(&self) {
        let mut every = tokio::time::interval(SIGNS);
        loop {
            every.tick().await;
            self.0.works_now();
        }
    }
}

impl Drop for Signing {
    fn drop(&mut self) {
        self.0.works_now();
    }
}

/// Stops the work where it stands, if it has not stopped: calls under way are neither done nor failed, as after a crash. Only then
/// may servers end, whose calls would be recorded as failed.
fn halt(runtime: &Runtime, desk: JoinHandle<()>) {
    desk.abort();
    // It is dropped at its next step, which commits to the journal at most.
    let _ = runtime.block_on(async { tokio::time::timeout(HALTS, desk).await });
}

/// Waits for a signal that asks the process to end; returns its number. Once waited for, none of them ends it by itself.
pub async fn signalled() -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    let one = async |kind: SignalKind| match signal(kind) {
        Ok(mut signal) => {
            signal.recv().await;
            kind.as_raw_value()
        }
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        number = one(SignalKind::interrupt()) => number,
        number = one(SignalKind::terminate()) => number,
        number = one(SignalKind::hangup()) => number,
    }
}

impl Working {
    pub fn commands(&self) -> mpsc::UnboundedSender<Command> {
        self.commands.clone()
    }

    /// Waits until the desk stops by itself, or until a signal asks it to; then returns the number of the signal.
    pub fn wait(self) -> Result<Halt, i32> {
        let (interrupted, signals) = std::sync::mpsc::channel::<i32>();
        let by_signal = interrupted.clone();
        self.runtime.spawn(async move {
            let _ = by_signal.send(signalled().await);
        });
        let Working { runtime, stop, exporter, servers, desk, .. } = self;
        let stopped = interrupted;
        let waiter = std::thread::spawn(move || {
            let stop = stop.recv();
            let _ = stopped.send(0);
            stop
        });
        let number = signals.recv().unwrap_or(0);
        if let Some(exporter) = exporter {
            exporter.finish(&runtime);
        }
        halt(&runtime, desk);
        servers.end(&runtime);
        if number != 0 {
            runtime.shutdown_background();
            return Err(number);
        }
        // A desk that is gone without a word had a fault.
        let stop = waiter.join().ok().and_then(Result::ok).unwrap_or(Halt::Fault);
        runtime.shutdown_background();
        Ok(stop)
    }

    /// Asks the desk to stop at the next safe moment, and waits for it.
    pub fn leave(self) -> Option<Halt> {
        let Working { runtime, commands, stop, exporter, servers, desk } = self;
        drop(commands);
        let stop = stop.recv_timeout(Duration::from_secs(3)).ok();
        if let Some(exporter) = exporter {
            exporter.finish(&runtime);
        }
        halt(&runtime, desk);
        servers.end(&runtime);
        runtime.shutdown_background();
        stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_panics_is_told_from_work_that_ends_and_lets_go_what_it_held() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            assert_eq!(unless_it_panics(async { 7 }).await.ok(), Some(7));
            let held = Arc::new(());
            let holds = held.clone();
            let work = async move {
                let _holds = holds;
                tokio::time::sleep(Duration::from_millis(1)).await;
                panic!("a fault outside of the specialists");
            };
            assert!(unless_it_panics(work).await.is_err());
            assert_eq!(Arc::strong_count(&held), 1);
        });
    }
}
