//! The way to one provider with one key: everybody who asks it passes here, in the order in which they came.
//!
//! It knows how many may be under way, what the provider allows in a minute, whether it asked for a pause, and whether
//! it answers at all. Who waits is told for what and until when, and leaves the queue by dropping the future. It sends
//! nothing and retries nothing.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::breaker::{Breaker, Leave, Sign};
use super::limits::RateHeaders;
use super::quota::{Counted, Need, Obstacle, Quotas};
use run::attempt::{Class, Fault};
use text::Clean;

/// A pause longer than this is the person's to wait for.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

/// The way to one provider with one key.
#[derive(Debug)]
pub struct Gate {
    name: Clean,
    places: Option<(usize, Arc<Semaphore>)>,
    /// Whoever holds it is the first in the queue.
    queue: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// The first in the queue looks again.
    first: Notify,
    /// Everybody in the queue looks again: what they wait for has changed.
    all: Notify,
}

#[derive(Debug, Default)]
struct State {
    breaker: Breaker,
    quotas: Quotas,
    under_way: BTreeMap<u64, Need>,
    left: u64,
    /// What the provider last failed with.
    failed_with: Clean,
}

/// What somebody waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// In words for a person.
    pub why: Clean,
    /// Until when, if that is known.
    pub until: Option<Instant>,
}

/// Nobody gets through for now, and waiting longer is not for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// The provider does not answer: another attempt has just tried.
    Silent(Clean),
    /// It has not for minutes, however often it was tried.
    Down(Clean),
    /// It asked for a pause of so long.
    Paused(Duration),
}

/// The right to make one attempt. Dropped without a word, it says nothing about the provider.
#[derive(Debug)]
pub struct Pass {
    gate: Arc<Gate>,
    number: u64,
    probe: bool,
    ended: bool,
    _place: Option<OwnedSemaphorePermit>,
}

impl Gate {
    /// A gate; `name` is what a person calls the provider, `places` how many attempts it bears at the same time.
    pub fn new(name: Clean, places: Option<usize>) -> Arc<Gate> {
        let places = places.map(|n| n.max(1)).map(|n| (n, Arc::new(Semaphore::new(n))));
        let (queue, state, first, all) = Default::default();
        Arc::new(Gate { name, places, queue, state, first, all })
    }

    /// Waits for one's turn. `tell` hears what for, each time that changes.
    ///
    /// # Errors
    /// The provider is down, or wants nobody for longer than a program waits.
    pub async fn enter(self: &Arc<Gate>, need: Need, mut tell: impl FnMut(Waiting)) -> Result<Pass, Closed> {
        let seen = self.state().breaker.failed_probes();
        let mut last = None;
        let mut tell = move |waiting: Waiting| {
            if last.as_ref() != Some(&waiting) {
                last = Some(waiting.clone());
                tell(waiting);
            }
        };
        let place = match &self.places {
            None => None,
            Some((_, places)) => match places.clone().try_acquire_owned() {
                Ok(place) => Some(place),
                Err(_) => self.in_turn(seen, &mut tell, places.clone().acquire_owned()).await?.ok(),
            },
        };
        let _first = match self.queue.try_lock() {
            Ok(first) => first,
            Err(_) => self.in_turn(seen, &mut tell, self.queue.lock()).await?,
        };
        loop {
            let (first, all) = (self.first.notified(), self.all.notified());
            let now = Instant::now();
            let waiting = match self.state().take(now, need, seen)? {
                Taken::Yes { number, probe } => {
                    return Ok(Pass { gate: self.clone(), number, probe, ended: false, _place: place });
                }
                Taken::No(why) => self.words(&why),
            };
            let until = waiting.until;
            tell(waiting);
            tokio::select! {
                () = sleep_until(until) => {}
                () = first => {}
                () = all => {}
            }
        }
    }

    /// Waits for something that comes in turn, and looks up whenever what everybody waits for has changed.
    async fn in_turn<T>(
        &self,
        seen: u64,
        tell: &mut impl FnMut(Waiting),
        turn: impl Future<Output = T>,
    ) -> Result<T, Closed> {
        let mut turn = pin!(turn);
        loop {
            // From here on nothing is missed, polled or not.
            let changed = self.all.notified();
            let waiting = {
                let state = self.state();
                match state.hindrance(Instant::now(), seen)? {
                    Some(hindrance) => self.words(&hindrance),
                    None => self.words(&Hindrance::Others(self.places.as_ref().map(|(n, _)| *n))),
                }
            };
            tell(waiting);
            tokio::select! {
                got = &mut turn => return Ok(got),
                () = changed => {}
            }
        }
    }

    fn words(&self, hindrance: &Hindrance) -> Waiting {
        let name = &self.name;
        let (why, until) = match hindrance {
            Hindrance::Down(until, what) => {
                let what = if what.is_empty() { String::new() } else { format!(": {what}") };
                let next = if until.is_some() { "it is asked again" } else { "it is being asked again" };
                (format!("{name} has failed again and again{what}; {next}"), *until)
            }
            Hindrance::Quotas(Obstacle::Pause(until)) => {
                (format!("{name} asked for a pause, for everybody with this key"), Some((*until).into()))
            }
            Hindrance::Quotas(Obstacle::Quota(counted, until)) => {
                let what = match counted {
                    Counted::Requests => "requests",
                    Counted::Tokens => "tokens",
                    Counted::Input => "tokens of input",
                    Counted::Output => "tokens of output",
                };
                (format!("the {what} that {name} allows in this time are used up"), Some((*until).into()))
            }
            Hindrance::Quotas(Obstacle::Few(few)) => {
                (format!("{name} was asked too much: {few} at a time, until it is clear that it bears more"), None)
            }
            Hindrance::Others(Some(places)) => (format!("a place at {name}, which takes {places} at a time"), None),
            Hindrance::Others(None) => (format!("others who came first to {name}"), None),
        };
        Waiting { why: why.into(), until }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

enum Taken {
    Yes { number: u64, probe: bool },
    No(Hindrance),
}

enum Hindrance {
    Down(Option<Instant>, Clean),
    Quotas(Obstacle),
    Others(Option<usize>),
}

impl State {
    /// Lets the first in the queue leave, or says what hinders it.
    fn take(&mut self, now: Instant, need: Need, seen: u64) -> Result<Taken, Closed> {
        if let Some(hindrance) = self.hindrance(now, seen)? {
            return Ok(Taken::No(hindrance));
        }
        let std = now.into_std();
        if let Some(obstacle) = self.quotas.obstacle(std, need, self.under_way.len()) {
            return Ok(Taken::No(Hindrance::Quotas(obstacle)));
        }
        let probe = match self.breaker.leave(std) {
            Leave::Free => false,
            Leave::Probe => true,
            Leave::Wait(until) => {
                return Ok(Taken::No(Hindrance::Down(until.map(Into::into), self.failed_with.clone())));
            }
        };
        self.quotas.take(std, need);
        self.left += 1;
        self.under_way.insert(self.left, need);
        Ok(Taken::Yes { number: self.left, probe })
    }

    /// What hinders everybody, whatever they need.
    fn hindrance(&self, now: Instant, seen: u64) -> Result<Option<Hindrance>, Closed> {
        if self.breaker.failed_probes() > seen {
            let what = self.failed_with.clone();
            return Err(if self.breaker.is_down() { Closed::Down(what) } else { Closed::Silent(what) });
        }
        let Some(until) = self.quotas.paused_until(now.into_std()) else { return Ok(None) };
        match until.saturating_duration_since(now.into_std()) {
            pause if pause > LONGEST_PAUSE => Err(Closed::Paused(pause)),
            _ => Ok(Some(Hindrance::Quotas(Obstacle::Pause(until)))),
        }
    }
}

impl Pass {
    /// Says how the attempt ended, and what the provider told of its limits.
    pub fn ended(mut self, fault: Option<&Fault>, told: &RateHeaders) {
        self.ended = true;
        let now = Instant::now();
        let mut everybody = false;
        {
            let mut state = self.gate.state();
            let std = now.into_std();
            let since: Vec<Need> = state.under_way.range(self.number + 1..).map(|(_, need)| *need).collect();
            state.quotas.told(std, told, &since);
            match fault {
                None => state.quotas.worked(std),
                Some(fault) => {
                    let retry_after = fault.retry_after_ms.map(Duration::from_millis);
                    // A server that has too much to do is left alone only if it asks for that.
                    if fault.class == Class::Throttled || (fault.class == Class::Overloaded && retry_after.is_some()) {
                        state.quotas.throttled(std, retry_after);
                        everybody = true;
                    }
                    if sign(Some(fault)) == Sign::Fails {
                        state.failed_with = fault.what.clone();
                    }
                }
            }
            everybody |= state.leaves(self.number, self.probe, now, sign(fault));
        }
        self.gate.wake(everybody);
    }
}

impl State {
    /// An attempt is no longer under way; whether that concerns everybody in the queue.
    fn leaves(&mut self, number: u64, probe: bool, now: Instant, sign: Sign) -> bool {
        self.under_way.remove(&number);
        let was_open = self.breaker.is_open();
        match probe {
            true => self.breaker.probed(now.into_std(), sign),
            false => self.breaker.ended(now.into_std(), sign),
        }
        probe || was_open != self.breaker.is_open()
    }
}

impl Gate {
    fn wake(&self, everybody: bool) {
        if everybody {
            self.all.notify_waiters();
        }
        self.first.notify_one();
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if !self.ended {
            let everybody = self.gate.state().leaves(self.number, self.probe, Instant::now(), Sign::Nothing);
            self.gate.wake(everybody);
        }
    }
}

/// What the end of an attempt says about the provider.
fn sign(fault: Option<&Fault>) -> Sign {
    let Some(fault) = fault else { return Sign::Works };
    match fault.class {
        Class::Server
        | Class::Overloaded
        | Class::TimedOut
        | Class::Unreachable
        | Class::Proxy
        | Class::Broken
        | Class::Stalled
        | Class::Cut
        | Class::Protocol => Sign::Fails,
        // It answers, if only to say no. What is wrong with a key is kept elsewhere, until the person acts.
        Class::Malformed
        | Class::TooLong
        | Class::TooLarge
        | Class::NoSuchModel
        | Class::KeyRefused
        | Class::Forbidden
        | Class::OutOfCredit
        | Class::Throttled
        | Class::Conflict
        | Class::Certificate
        | Class::Redirected
        | Class::Differs
        | Class::GivenUp
        | Class::Down
        | Class::NoRoom
        | Class::Cancelled => Sign::Nothing,
    }
}

#[cfg(test)]
mod tests;
