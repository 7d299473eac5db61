//! The loop: decide, record, perform, wait; until there is nothing left to do.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};

use super::command::{Command, Notice};
use super::world::{Reading, World};
use crate::journal::{Headline, JournalError};
use crate::run::checkpoint::Approver;
use crate::run::event::{Event, Opening};
use crate::run::evidence::Corpus;
use crate::run::{CallId, Envelope, Outcome, Run, ToolRequest, ToolResult};
use crate::supervisor::{Action, decide};
use crate::text::Clean;

/// What to do where a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Wait for commands.
    Ask,
    /// Approve (`--yes`).
    Approve,
    /// Stop and leave the run as it is: it can be picked up.
    Park,
}

/// Why the desk has stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The run has ended.
    Ended(Outcome),
    /// The run waits for a person.
    Parked,
    /// Whoever gave commands is gone.
    Left,
    /// The sources could not be read; nothing is lost.
    Sources(Clean),
    /// The journal could not be written. What was committed before is safe.
    Journal(JournalError),
}

/// The first facts of a new run.
pub fn opening_events(opening: Opening) -> Vec<Event> {
    vec![Event::RunOpened(Arc::new(opening))]
}

/// Works on one run.
pub struct Desk {
    run: Run,
    world: World,
    policy: Policy,
    commands: mpsc::UnboundedReceiver<Command>,
    audience: Arc<dyn Fn(Notice) + Send + Sync>,
    under_way: JoinSet<Ended>,
    started: HashMap<Id, Started>,
    performing: HashSet<CallId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Started {
    Reading,
    Call(CallId),
}

enum Ended {
    Reading(Result<Corpus, Clean>),
    Call(CallId, Result<ToolResult, Clean>),
}

impl Desk {
    /// A desk for a run as far as it is recorded; an empty run if it is new. Commands come in by `commands`, and
    /// `audience` is told what was committed.
    pub fn new(
        run: Run,
        world: World,
        policy: Policy,
        commands: mpsc::UnboundedReceiver<Command>,
        audience: Arc<dyn Fn(Notice) + Send + Sync>,
    ) -> Desk {
        let (under_way, started, performing) = Default::default();
        Desk { run, world, policy, commands, audience, under_way, started, performing }
    }

    /// Works until the run ends, waits for nobody, or cannot go on. `first` are the opening facts of a new run.
    pub async fn work(&mut self, first: Vec<Event>) -> Stop {
        let stop = match self.attend(first).await {
            Ok(stop) | Err(stop) => stop,
        };
        self.under_way.abort_all();
        let message = match &stop {
            Stop::Sources(why) => Some(why.clone()),
            Stop::Journal(error) => Some(error.to_string().into()),
            _ => None,
        };
        (self.audience)(Notice::Stopped(message));
        stop
    }

    async fn attend(&mut self, mut facts: Vec<Event>) -> Result<Stop, Stop> {
        if self.run.ended().is_none() {
            facts.push(Event::Attached { version: env!("CARGO_PKG_VERSION").into() });
        }
        self.commit(facts).await?;
        loop {
            if let Some(outcome) = self.run.ended() {
                return Ok(Stop::Ended(outcome.clone()));
            }
            let facts = self.decide();
            if !facts.is_empty() {
                self.commit(facts).await?;
                continue;
            }
            if let Some(checkpoint) = self.run.open_checkpoint().map(|checkpoint| checkpoint.id) {
                match self.policy {
                    Policy::Ask => {}
                    Policy::Park => return Ok(Stop::Parked),
                    Policy::Approve => {
                        let fact = Command::Approve { checkpoint }.fact(&self.run, Approver::Policy);
                        self.commit(fact.into_iter().collect()).await?;
                        continue;
                    }
                }
            }
            let facts = self.wait().await?;
            self.commit(facts).await?;
        }
    }

    /// Starts what ought to be under way and is not; returns what is to be recorded first.
    fn decide(&mut self) -> Vec<Event> {
        let mut facts = Vec::new();
        for action in decide(&self.run, self.world.clock.now(), &*self.world.roster) {
            match action {
                Action::Record(event) => facts.push(event),
                Action::ReadSources => self.read_sources(),
                Action::Perform(call, request) => self.perform(call, request),
            }
        }
        facts
    }

    fn read_sources(&mut self) {
        if self.started.values().any(|started| *started == Started::Reading) {
            return;
        }
        let audience = self.audience.clone();
        let reading: Reading = Arc::new(move |files_done, files_total| {
            audience(Notice::Reading { files_done, files_total });
        });
        let read = self.world.tools.read_sources(reading);
        let task = self.under_way.spawn(async move { Ended::Reading(read.await) });
        self.started.insert(task.id(), Started::Reading);
    }

    fn perform(&mut self, call: CallId, request: Arc<ToolRequest>) {
        if !self.performing.insert(call) {
            return;
        }
        let performing = self.world.tools.perform(request);
        let patience = self.world.tools.patience();
        let task = self.under_way.spawn(async move {
            let result = tokio::time::timeout(patience, performing).await;
            let late = |_| Err(format!("no answer within {} s", patience.as_secs()).into());
            Ended::Call(call, result.unwrap_or_else(late))
        });
        self.started.insert(task.id(), Started::Call(call));
    }

    /// Waits until something happens, then takes everything that has happened.
    async fn wait(&mut self) -> Result<Vec<Event>, Stop> {
        let mut facts = Vec::new();
        tokio::select! {
            Some(ended) = self.under_way.join_next_with_id() => facts.extend(self.ended(ended)?),
            command = self.commands.recv(), if self.policy == Policy::Ask => match command {
                Some(command) => facts.extend(self.obey(command)),
                None => return Err(Stop::Left),
            },
            else => return Err(Stop::Left),
        }
        // Everything that came back meanwhile is committed together. Commands are not: each is checked against a
        // state that holds the one before it.
        while let Some(ended) = self.under_way.try_join_next_with_id() {
            facts.extend(self.ended(ended)?);
        }
        Ok(facts)
    }

    fn ended(&mut self, ended: Result<(Id, Ended), JoinError>) -> Result<Option<Event>, Stop> {
        match ended {
            Ok((id, Ended::Reading(result))) => {
                self.started.remove(&id);
                let corpus = Arc::new(result.map_err(Stop::Sources)?);
                Ok(Some(Event::SourcesRead { corpus }))
            }
            Ok((id, Ended::Call(call, result))) => {
                self.started.remove(&id);
                Ok(self.returned(call, result))
            }
            Err(error) => match self.started.remove(&error.id()) {
                Some(Started::Call(call)) => Ok(self.returned(call, Err("a fault in the tool".into()))),
                Some(Started::Reading) => {
                    Err(Stop::Sources("a fault while reading the sources; the log says more".into()))
                }
                None => Ok(None),
            },
        }
    }

    fn returned(&mut self, call: CallId, result: Result<ToolResult, Clean>) -> Option<Event> {
        self.performing.remove(&call);
        // A call that a cancelled run has given up is settled already.
        self.run.under_way.get(&call)?;
        Some(match result {
            Ok(result) => Event::ToolReturned { call, used: result.used(), result: Arc::new(result) },
            Err(error) => {
                let used = crate::run::Amounts { tool_calls: 1, ..Default::default() };
                Event::ToolFailed { call, error, used }
            }
        })
    }

    fn obey(&mut self, command: Command) -> Option<Event> {
        match command.fact(&self.run, Approver::Person) {
            Ok(fact) => Some(fact),
            Err(why) => {
                (self.audience)(Notice::Refused(why.into()));
                None
            }
        }
    }

    /// Puts facts on disk, then folds them in, then tells the audience.
    async fn commit(&mut self, facts: Vec<Event>) -> Result<(), Stop> {
        if facts.is_empty() {
            return Ok(());
        }
        let at = self.world.clock.now();
        let mut seq = self.run.seq;
        let envelopes: Vec<Envelope> = facts
            .into_iter()
            .map(|event| {
                seq = seq.next();
                Envelope { seq, at, event }
            })
            .collect();
        // Folded in first because the headline needs it. Nobody looks at it before the facts are on disk, and if
        // they cannot be put there this desk has stopped for good.
        envelopes.iter().for_each(|envelope| self.run.apply(envelope));
        let Some(opening) = self.run.opening.clone() else { return Ok(()) };
        let headline = Headline {
            question: opening.question.to_string(),
            state: self.run.phase().word().to_string(),
            cost: self.run.ledger.run().spent.money.0,
        };
        self.world.journal.append(&opening.run, envelopes.clone(), headline).await.map_err(Stop::Journal)?;
        for envelope in &envelopes {
            tracing::debug!(run = %opening.run, seq = envelope.seq.0, event = envelope.event.name(), "committed");
        }
        (self.audience)(Notice::Committed(envelopes.into_iter().map(Arc::new).collect()));
        Ok(())
    }
}
