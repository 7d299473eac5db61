//! The loop of the desk: decide, record, perform, wait, until the run ends or has to stop.

mod pulse;
mod under_way;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, Id, JoinSet};

use super::world::{PendingSend, World};
use journal::{Headline, JournalError};
use pulse::{BEAT, Pulse};
use run::checkpoint::Approver;
use run::command::{Command, Notice};
use run::event::{DoubtAnswer, Event, Opening};
use run::{At, CallId, Envelope, Outcome, Run, Seq, Steer, describe};
use supervisor::{Action, Decided, LONGEST_WAIT_MS, decide_after};
use text::Clean;
use under_way::{Ended, Started, stands};

/// The desk's answer when the run asks the person something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Wait for commands.
    Ask,
    /// Approve (`--yes`), and park where only a person can answer.
    Approve,
    /// Approve, and wait for commands: `--yes` where a person is there to give them.
    ApproveAndAsk,
    /// Stop and leave the run as it is: it can be resumed.
    Park,
}

impl Policy {
    /// Whether it approves what can be approved as it stands.
    fn approves(self) -> bool {
        matches!(self, Policy::Approve | Policy::ApproveAndAsk)
    }

    /// Whether somebody gives commands, and answers where policy does not.
    fn has_a_person(self) -> bool {
        matches!(self, Policy::Ask | Policy::ApproveAndAsk)
    }
}

/// The reason why the desk has stopped.
#[derive(Clone, Debug)]
pub enum Halt {
    /// The run has ended.
    Ended(Outcome),
    /// The run waits for a person.
    Parked,
    /// The front end that gave commands is gone.
    Left,
    /// The sources, or the copy of them on disk, could not be read; nothing is lost.
    Sources(Clean),
    /// The journal could not be written. Earlier commits are safe.
    Journal(JournalError),
    /// A fault in the program, outside of the specialists. Earlier commits are safe.
    Fault,
}

/// The longest wait before another attempt, also if the clock was set back since the wait was recorded.
const LONGEST_WAIT: Duration = Duration::from_millis(LONGEST_WAIT_MS);

/// The most batches that follow one another before commands and the clock have their turn.
const MOST_TURNS: u32 = 16;

/// The time until `then`; at most [`LONGEST_WAIT`].
fn wait_until(then: At, now: At) -> Duration {
    Duration::from_millis(then.since(now)).min(LONGEST_WAIT)
}

/// The first events of a new run.
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
    performing: HashMap<CallId, AbortHandle>,
    /// The answer for calls in doubt, instead of asking the person.
    doubts: Option<DoubtAnswer>,
    /// The last moment at which another process is known to have worked on the run before.
    worked_until: Option<At>,
    sending: mpsc::UnboundedSender<PendingSend>,
    sent: mpsc::UnboundedReceiver<PendingSend>,
    /// Tells when the process stood still.
    pulse: Pulse,
    /// The time to decide again, though nothing has happened by then.
    look_again: Option<At>,
    /// The time of the last decision on the next actions.
    decided_at: At,
    /// The reason to stop, once everything that has come back is recorded.
    stops: Option<Halt>,
    /// Attempts that want to be sent: whether they may is seen once all else that has happened is folded.
    want_to_leave: Vec<PendingSend>,
    /// Attempts whose sending is about to be folded.
    to_be_sent: Vec<(CallId, oneshot::Sender<()>)>,
    /// Attempts that were about to be sent when the run was paused or stopped at a breakpoint: sent once it goes on.
    kept_back: Vec<PendingSend>,
    /// The last event after which everything was decided and is under way; none when it begins.
    decided: Seq,
}

/// Events that are folded and not yet on disk, with the decisions on them.
#[derive(Default)]
struct Batch {
    envelopes: Vec<Envelope>,
    actions: Vec<Action>,
    /// Attempts that wait until these events are on disk.
    to_be_sent: Vec<(CallId, oneshot::Sender<()>)>,
}

impl Desk {
    /// A desk for a recorded run, or for a new one if the run is empty. It takes `commands`, and sends `audience` the committed
    /// events.
    pub fn new(
        run: Run,
        world: World,
        policy: Policy,
        commands: mpsc::UnboundedReceiver<Command>,
        audience: Arc<dyn Fn(Notice) + Send + Sync>,
    ) -> Desk {
        let (under_way, started, performing, want_to_leave, to_be_sent, kept_back) = Default::default();
        let (sending, sent) = mpsc::unbounded_channel();
        let pulse = Pulse::beginning(world.clock.now());
        Desk {
            run,
            world,
            policy,
            commands,
            audience,
            under_way,
            started,
            performing,
            doubts: None,
            worked_until: None,
            sending,
            sent,
            pulse,
            look_again: None,
            decided_at: At(0),
            stops: None,
            want_to_leave,
            to_be_sent,
            kept_back,
            decided: Seq(0),
        }
    }

    /// Decides calls in doubt by this answer instead of asking the person.
    #[must_use]
    pub fn with_doubts(mut self, answer: Option<DoubtAnswer>) -> Desk {
        self.doubts = answer;
        self
    }

    /// Counts working time until the last moment at which another process is known to have worked on the run.
    #[must_use]
    pub fn worked_until(mut self, then: Option<At>) -> Desk {
        self.worked_until = then;
        self
    }

    /// The run as it stands.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Works until the run ends, is parked, or cannot go on. `first` are the opening events of a new run.
    pub async fn work(&mut self, first: Vec<Event>) -> Halt {
        let stop = match self.work_until_stop(first).await {
            Ok(stop) | Err(stop) => stop,
        };
        self.under_way.abort_all();
        let message = match &stop {
            Halt::Sources(why) => Some(why.clone()),
            Halt::Journal(error) => Some(error.to_string().into()),
            _ => None,
        };
        (self.audience)(Notice::Stopped(message));
        stop
    }

    async fn work_until_stop(&mut self, mut facts: Vec<Event>) -> Result<Halt, Halt> {
        if self.run.ended().is_none() {
            facts.push(Event::Attached { version: env!("CARGO_PKG_VERSION").into(), worked_until: self.worked_until });
        }
        self.commit(facts).await?;
        loop {
            if let Some(stop) = self.stops.take() {
                return Ok(stop);
            }
            if let Some(outcome) = self.run.ended() {
                return Ok(Halt::Ended(outcome.clone()));
            }
            if self.policy.approves()
                && let Some(approval) = self.approval()
            {
                self.commit(vec![approval]).await?;
                continue;
            }
            // A checkpoint need not stop the other assignments, and calls that are out are paid for: they come back first.
            if !self.policy.has_a_person() && self.run.is_at_a_checkpoint() && !self.is_anything_out() {
                return Ok(Halt::Parked);
            }
            let run = &self.run;
            let let_go: Vec<PendingSend> = self.kept_back.extract_if(.., |kept| !stands(run, kept.call)).collect();
            if !let_go.is_empty() {
                self.want_to_leave.extend(let_go);
                self.commit(Vec::new()).await?;
                continue;
            }
            if let (Some(answer), Some(call)) = (self.doubts, self.run.in_doubt.keys().next().copied()) {
                self.commit(vec![Event::DoubtAnswered { call, answer }]).await?;
                continue;
            }
            if let Some(facts) = self.continued() {
                self.commit(facts).await?;
                continue;
            }
            let asks = self.run.asks().is_some() || self.run.is_all_paused();
            // Work that was not due at the last decision has yet to begin, also if it has become due since.
            let begins = || self.run.open().any(|one| one.not_before.is_some_and(|then| then > self.decided_at));
            if !self.policy.has_a_person() && self.under_way.is_empty() && asks && !begins() {
                return Ok(Halt::Parked);
            }
            let facts = self.wait().await?;
            self.commit(facts).await?;
        }
    }

    /// The answer that policy gives at a checkpoint now. Only a person answers at a breakpoint, or where nothing can be approved as it
    /// stands.
    fn approval(&self) -> Option<Event> {
        if self.run.is_stopped() {
            return None;
        }
        let open = self.run.open_checkpoint().into_iter().chain(self.run.waiting());
        open.filter(|open| !open.subject.is_for_a_person())
            .find_map(|open| Command::Approve { checkpoint: open.id }.fact(&self.run, Approver::Policy).ok())
    }

    /// Continues a paused run that was resumed without a person to continue it, and its paused assignments if the policy
    /// is to approve.
    fn continued(&self) -> Option<Vec<Event>> {
        match self.policy {
            Policy::Park | Policy::Approve if self.run.paused => Some(vec![Event::Continued]),
            Policy::Approve if self.run.is_all_paused() => {
                let paused = self.run.open().filter(|assignment| assignment.paused).map(|assignment| assignment.id);
                Some(paused.map(|assignment| Event::Steered { assignment, act: Steer::Continue }).collect())
            }
            _ => None,
        }
    }

    /// Starts the actions that ought to be under way and are not.
    fn perform_all(&mut self, actions: Vec<Action>) {
        self.look_again = None;
        for action in actions {
            match action {
                Action::LookAgain(at) => self.look_again = Some(self.look_again.map_or(at, |other| other.min(at))),
                // Recorded before anything is started.
                Action::Record(_) => {}
                Action::ReadSources => self.read_sources(),
                Action::Perform(call, request) => self.perform(call, request),
                Action::Ask(call, attempt) => self.ask(call, attempt),
            }
        }
    }

    /// Waits until something happens, then takes everything that has happened.
    async fn wait(&mut self) -> Result<Vec<Event>, Halt> {
        let mut facts = Vec::new();
        let works = self.run.is_working();
        let lost = self.run.opening.as_ref().map(|opening| self.world.journal.lost(&opening.run));
        let again = self.look_again.map(|at| wait_until(at, self.world.clock.now()));
        tokio::select! {
            Some(ended) = self.under_way.join_next_with_id() => facts.extend(self.ended(ended)),
            Some(sending) = self.sent.recv() => self.want_to_leave.push(sending),
            () = tokio::time::sleep(again.unwrap_or_default()), if again.is_some() => {}
            () = tokio::time::sleep(BEAT), if works => self.pulse.beats(self.world.clock.now()),
            Some(error) = async { Some(lost?.await) } => return Err(Halt::Journal(error)),
            command = self.commands.recv(), if self.policy.has_a_person() => match command {
                Some(command) => facts.extend(self.carry_out(command)),
                None => return Err(Halt::Left),
            },
            else => return Err(Halt::Left),
        }
        self.take_all(&mut facts);
        Ok(facts)
    }

    fn carry_out(&mut self, command: Command) -> Option<Event> {
        match command.fact(&self.run, Approver::Person) {
            Ok(fact) => Some(fact),
            Err(why) => {
                (self.audience)(Notice::Refused(why.into()));
                None
            }
        }
    }

    /// Records events together with all decisions that follow from them: they go on disk in one batch, then the audience
    /// hears of them, then the decisions are performed.
    ///
    /// Results that arrive while a batch is written are folded meanwhile, into the next batch.
    async fn commit(&mut self, facts: Vec<Event>) -> Result<(), Halt> {
        let mut batch = Batch::default();
        self.fold(facts, &mut batch);
        for turn in 1.. {
            let ahead = self.write(&batch, turn < MOST_TURNS).await?;
            self.settle(batch);
            match ahead {
                Some(next) => batch = next,
                None => break,
            }
        }
        Ok(())
    }

    /// Folds events and all decisions that follow from them.
    ///
    /// Decisions are made on the new state. Nothing is started or shown before it is on disk; if that fails, this desk stops
    /// for good.
    fn fold(&mut self, mut facts: Vec<Event>, batch: &mut Batch) {
        let at = self.world.clock.now();
        if let Some(worked_until) = self.pulse.stood_still_from(at)
            && self.run.opening.is_some()
            && self.run.is_working()
        {
            facts.insert(0, Event::StoodStill { worked_until });
        }
        loop {
            let at = self.world.clock.now();
            for event in facts {
                let envelope = Envelope { seq: self.run.seq.next(), at, event };
                self.run.apply(&envelope);
                batch.envelopes.push(envelope);
            }
            self.decided_at = at;
            let Decided { actions, is_all } = decide_after(&self.run, self.decided, at, &*self.world.roster);
            if is_all {
                self.decided = self.run.seq;
            }
            facts = actions
                .iter()
                .filter_map(|a| if let Action::Record(event) = a { Some(event.clone()) } else { None })
                .collect();
            if facts.is_empty() {
                batch.actions.extend(actions);
                facts = self.leave();
            }
            if facts.is_empty() {
                batch.to_be_sent.append(&mut self.to_be_sent);
                return;
            }
        }
    }

    /// Waits until a batch is on disk. Returns the events folded meanwhile, if `goes_ahead` and there was anything.
    async fn write(&mut self, batch: &Batch, goes_ahead: bool) -> Result<Option<Batch>, Halt> {
        let (Some(opening), false) = (&self.run.opening, batch.envelopes.is_empty()) else { return Ok(None) };
        let headline = Headline::of(&self.run).unwrap_or_default();
        let mut written = self.world.journal.append(&opening.run, batch.envelopes.clone(), headline);
        let mut ahead = None;
        loop {
            // Results that arrive after the run's end are not recorded.
            let goes_on = goes_ahead && self.run.ended().is_none();
            tokio::select! {
                biased;
                result = &mut written => return result.map(|()| ahead).map_err(Halt::Journal),
                () = tokio::time::sleep(BEAT) => self.pulse.beats(self.world.clock.now()),
                facts = self.come_back(), if goes_on => self.fold(facts, ahead.get_or_insert_default()),
            }
        }
    }

    /// Waits until work comes back or is about to be sent, then takes all that has.
    async fn come_back(&mut self) -> Vec<Event> {
        let mut facts = Vec::new();
        tokio::select! {
            Some(ended) = self.under_way.join_next_with_id() => facts.extend(self.ended(ended)),
            Some(sending) = self.sent.recv() => self.want_to_leave.push(sending),
        }
        self.take_all(&mut facts);
        facts
    }

    /// Shows the events on disk, and performs their actions.
    fn settle(&mut self, batch: Batch) {
        let Batch { envelopes, actions, to_be_sent } = batch;
        self.abort_what_was_given_up(&envelopes);
        if let (Some(opening), false) = (&self.run.opening, envelopes.is_empty()) {
            for envelope in &envelopes {
                // Without its sentences: they contain text of the person and their sources.
                let (seq, event) = (envelope.seq.0, envelope.event.name());
                tracing::debug!(run = %opening.run, seq, event, states = describe(envelope, &self.run).states(), "committed");
            }
            (self.audience)(Notice::Committed(envelopes.into_iter().map(Arc::new).collect()));
        }
        for (call, recorded) in to_be_sent {
            if self.performing.contains_key(&call) {
                // The attempt may be gone.
                let _ = recorded.send(());
            }
        }
        if self.stops.is_none() {
            self.perform_all(actions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_back_a_day_makes_no_attempt_wait_for_a_day() {
        let then = At(100_000_000);
        assert_eq!(wait_until(then, At(then.0 - 5_000)), Duration::from_secs(5));
        assert_eq!(wait_until(then, At(then.0 - 24 * 3_600_000)), LONGEST_WAIT);
        assert_eq!(wait_until(then, At(then.0 + 1)), Duration::ZERO);
    }
}
