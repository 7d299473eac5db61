//! The rate limit of one provider and key: all its attempts queue here, first come, first served.
//!
//! It limits how many are in flight, keeps to the provider's reported limits and requested pauses, and applies the
//! circuit breaker of the address. Failures of one model of the provider do not count here (`health.rs`), nor does a
//! throttle where another model with the key can do the work, until that one is throttled too. A waiting attempt is told
//! why and until when; dropping its future leaves the queue. It sends nothing and retries nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::breaker::{Breaker, IN_A_ROW, Leave, Sign};
use super::health::{FailedAttempt, SHORT, because_until};
use super::limits::{Counted, RateHeaders};
use super::quota::{Need, Obstacle, Quotas};
use run::attempt::{About, Class, Fault, LONGEST_PAUSE_MS, Reached};
use text::Clean;
use text::locked::Locked;

/// A longer pause, or wait for a used-up limit, is not waited for: the run stops and the person picks it up later.
pub const LONGEST_PAUSE: Duration = Duration::from_millis(LONGEST_PAUSE_MS);

/// The longest wait for a used-up limit where another provider can do the work: most limits are by the minute, and to keep
/// to one is no reason to leave a provider that works.
const LONGEST_PACING: Duration = Duration::from_secs(60);

/// The queue for calls with one key: it keeps to the limits that the provider tells, and to a number of calls at the same time.
#[derive(Debug)]
pub struct RateLimit {
    name: Clean,
    places: Option<(usize, Arc<Semaphore>)>,
    /// Its holder is first in the queue.
    queue: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// Wakes the first in the queue.
    first: Notify,
    /// Wakes the whole queue: the cause of its wait has changed.
    all: Notify,
}

#[derive(Debug, Default)]
struct State {
    breaker: Breaker,
    quotas: Quotas,
    under_way: BTreeMap<u64, Need>,
    left: u64,
    /// Models that were throttled since one was last answered.
    throttled: BTreeSet<Clean>,
    /// Models whose connections broke after a request was sent, since one was last answered.
    broken: BTreeSet<Clean>,
    /// The provider's last failure.
    failed_with: Clean,
}

/// The reason why an attempt waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The reason, in words for the person.
    pub why: Clean,
    /// The end of the wait, as far as it is known.
    pub until: Option<Instant>,
}

/// The provider cannot be called now, and waiting would take too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// It does not answer: a probe has just failed.
    Silent(Clean),
    /// It has not answered for minutes, despite several probes.
    Down(Clean),
    /// It asked for a pause of this length.
    Paused(Duration),
    /// It fails, and another one can do the work: that is not waited for.
    Avoided(Clean),
}

/// The permit for one attempt. Dropped without [`Permit::ended`], it says nothing about the provider.
#[derive(Debug)]
pub struct Permit {
    rate_limit: Arc<RateLimit>,
    number: u64,
    probe: bool,
    ended: bool,
    _place: Option<OwnedSemaphorePermit>,
}

impl RateLimit {
    /// A rate limit; `name` is the provider's name in messages, `places` the most attempts in flight.
    pub fn new(name: Clean, places: Option<usize>) -> Arc<RateLimit> {
        let places = places.map(|n| n.max(1)).map(|n| (n, Arc::new(Semaphore::new(n))));
        let (queue, state, first, all) = Default::default();
        Arc::new(RateLimit { name, places, queue, state, first, all })
    }

    /// Waits for a permit. `tell` is called each time the reason for the wait changes. With `hurry`, because another
    /// provider can do the work, only a short pause is waited for, and a used-up limit for a minute at most.
    ///
    /// # Errors
    /// The provider is down, asks for a pause that is too long to wait for, or has a limit that is used up for so long.
    pub async fn acquire(
        self: &Arc<RateLimit>,
        need: Need,
        hurry: bool,
        mut tell: impl FnMut(Waiting),
    ) -> Result<Permit, Unavailable> {
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
                Err(_) => self.in_turn((seen, hurry, need), &mut tell, places.clone().acquire_owned()).await?.ok(),
            },
        };
        let _first = match self.queue.try_lock() {
            Ok(first) => first,
            Err(_) => self.in_turn((seen, hurry, need), &mut tell, self.queue.lock()).await?,
        };
        loop {
            let (first, all) = (self.first.notified(), self.all.notified());
            let now = Instant::now();
            let waiting = match self.state().take(now, need, seen)? {
                Taken::Yes { number, probe } => {
                    return Ok(Permit { rate_limit: self.clone(), number, probe, ended: false, _place: place });
                }
                Taken::No(why) => {
                    may_wait(&why, hurry)?;
                    self.words(&why)
                }
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

    /// Waits for `turn`, and tells again each time the reason for the wait changes.
    async fn in_turn<T>(
        &self,
        (seen, hurry, need): (u64, bool, Need),
        tell: &mut impl FnMut(Waiting),
        turn: impl Future<Output = T>,
    ) -> Result<T, Unavailable> {
        let mut turn = pin!(turn);
        loop {
            // Registered before looking, so that no change is missed.
            let changed = self.all.notified();
            let waiting = {
                let state = self.state();
                let now = Instant::now();
                // Those in front may have the time to wait for a limit that this one has not.
                if let Some(quota @ Obstacle::Quota(..)) =
                    state.quotas.obstacle(now.into_std(), need, state.under_way.len())
                {
                    may_wait(&Delay::Quotas(quota), hurry)?;
                }
                match state.delay(now, seen)? {
                    Some(delay) => {
                        may_wait(&delay, hurry)?;
                        self.words(&delay)
                    }
                    None => self.words(&Delay::Others(self.places.as_ref().map(|(n, _)| *n))),
                }
            };
            tell(waiting);
            tokio::select! {
                got = &mut turn => return Ok(got),
                () = changed => {}
            }
        }
    }

    fn words(&self, delay: &Delay) -> Waiting {
        let name = &self.name;
        let (why, until) = match delay {
            Delay::Down(until, what) => (format!("{name} failed repeatedly{}", because_until(what, *until)), *until),
            Delay::Quotas(Obstacle::Pause(until)) => {
                (format!("{name} asked for a pause, for all requests with this key"), Some((*until).into()))
            }
            Delay::Quotas(Obstacle::Quota(counted, until)) => {
                let what = match counted {
                    Counted::Requests => "requests",
                    Counted::Tokens => "tokens",
                    Counted::InputTokens => "input tokens",
                    Counted::OutputTokens => "output tokens",
                };
                (format!("the rate limit of {name} on {what} is used up"), Some((*until).into()))
            }
            Delay::Quotas(Obstacle::Few(few)) => {
                (format!("{name} throttled: {few} at a time until it copes with more"), None)
            }
            Delay::Others(Some(places)) => (format!("a place at {name}, which takes {places} at a time"), None),
            Delay::Others(None) => (format!("earlier requests to {name}"), None),
        };
        Waiting { why: why.into(), until }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.locked()
    }

    fn wake(&self, all: bool) {
        if all {
            self.all.notify_waiters();
        }
        self.first.notify_one();
    }
}

/// Sleeps until a moment, or for ever without one.
pub(super) async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

/// Whether so long a wait is waited for.
fn may_wait(delay: &Delay, hurry: bool) -> Result<(), Unavailable> {
    let (until, what, most): (Option<Instant>, _, _) = match delay {
        Delay::Down(until, what) => (*until, what.clone(), SHORT),
        Delay::Quotas(Obstacle::Pause(until)) => (Some((*until).into()), "it asked for a pause".into(), SHORT),
        Delay::Quotas(Obstacle::Quota(_, until)) => {
            (Some((*until).into()), "its rate limit is used up".into(), LONGEST_PACING)
        }
        Delay::Quotas(Obstacle::Few(_)) | Delay::Others(_) => return Ok(()),
    };
    let wait = until.map(|until| until.saturating_duration_since(Instant::now()));
    match (delay, wait) {
        (_, wait) if hurry && wait.is_none_or(|wait| wait > most) => Err(Unavailable::Avoided(what)),
        (Delay::Quotas(_), Some(wait)) if wait > LONGEST_PAUSE => Err(Unavailable::Paused(wait)),
        _ => Ok(()),
    }
}

enum Taken {
    Yes { number: u64, probe: bool },
    No(Delay),
}

enum Delay {
    Down(Option<Instant>, Clean),
    Quotas(Obstacle),
    Others(Option<usize>),
}

impl State {
    /// Lets the first in the queue go, or says why it has to wait.
    fn take(&mut self, now: Instant, need: Need, seen: u64) -> Result<Taken, Unavailable> {
        if let Some(delay) = self.delay(now, seen)? {
            return Ok(Taken::No(delay));
        }
        let std = now.into_std();
        if let Some(obstacle) = self.quotas.obstacle(std, need, self.under_way.len()) {
            return Ok(Taken::No(Delay::Quotas(obstacle)));
        }
        let probe = match self.breaker.leave(std) {
            Leave::Free => false,
            Leave::Probe => true,
            Leave::Wait(until) => {
                return Ok(Taken::No(Delay::Down(until.map(Into::into), self.failed_with.clone())));
            }
        };
        self.quotas.take(std, need);
        self.left += 1;
        self.under_way.insert(self.left, need);
        Ok(Taken::Yes { number: self.left, probe })
    }

    /// The reason why everything in the queue has to wait, of any size.
    fn delay(&self, now: Instant, seen: u64) -> Result<Option<Delay>, Unavailable> {
        if self.breaker.failed_probes() > seen {
            let what = self.failed_with.clone();
            return Err(if self.breaker.is_down() { Unavailable::Down(what) } else { Unavailable::Silent(what) });
        }
        let Some(until) = self.quotas.paused_until(now.into_std()) else { return Ok(None) };
        match until.saturating_duration_since(now.into_std()) {
            pause if pause > LONGEST_PAUSE => Err(Unavailable::Paused(pause)),
            _ => Ok(Some(Delay::Quotas(Obstacle::Pause(until)))),
        }
    }

    /// Removes an attempt from those in flight. Returns whether the whole queue has to look again.
    fn leaves(&mut self, number: u64, probe: bool, now: Instant, sign: Sign) -> bool {
        self.under_way.remove(&number);
        let was_open = self.breaker.is_open();
        match probe {
            true => self.breaker.probed(now.into_std(), sign),
            false => self.breaker.ended(now.into_std(), sign, IN_A_ROW),
        }
        probe || was_open != self.breaker.is_open()
    }
}

impl Permit {
    /// The subject of a failure of a model. A throttle, or a connection that breaks, is about this model alone where another one
    /// can do its work: most providers limit each by itself, and have servers for each. Once a second one is throttled too, it is
    /// about the key; once a second one breaks too, about the address.
    pub fn means<'a>(&self, fault: &'a Fault, model: &Clean, has_another: bool) -> FailedAttempt<'a> {
        let mut state = self.rate_limit.state();
        let (alike, whole) = match (fault.class, fault.about()) {
            (Class::Throttled, _) => (&mut state.throttled, About::Key),
            (Class::Broken, About::Model) => (&mut state.broken, About::Address),
            (_, about) => return FailedAttempt { fault, about },
        };
        alike.insert(model.clone());
        let is_alone = alike.len() == 1;
        FailedAttempt { fault, about: if has_another && is_alone { About::Model } else { whole } }
    }

    /// Records how the attempt ended, and the limits that the provider reported. Returns whether the provider counts as
    /// down now: this attempt, too, has found that out.
    pub fn ended(mut self, failed: Option<FailedAttempt<'_>>, limits: &RateHeaders) -> bool {
        self.ended = true;
        let fault = failed.map(|failed| failed.fault);
        // The limits that its answer tells of are then its model's, too.
        let is_throttled = |by: About| failed.is_some_and(|failed| failed.is_throttled_by(by));
        let (now, sign) = (Instant::now(), sign(failed));
        let mut wake_all = false;
        let is_down;
        {
            let mut state = self.rate_limit.state();
            let std = now.into_std();
            let State { quotas, under_way, .. } = &mut *state;
            if !is_throttled(About::Model) {
                quotas.report(std, limits, || under_way.range(self.number + 1..).map(|(_, need)| *need));
            }
            match fault {
                None => {
                    state.quotas.worked(std);
                    state.throttled.clear();
                    state.broken.clear();
                }
                Some(fault) => {
                    let retry_after = fault.retry_after_ms.map(Duration::from_millis);
                    if is_throttled(About::Key) {
                        state.quotas.throttled(std, retry_after);
                        wake_all = true;
                    }
                    if sign == Sign::Fails {
                        state.failed_with = fault.what.clone();
                    }
                }
            }
            wake_all |= state.leaves(self.number, self.probe, now, sign);
            is_down = match is_throttled(About::Key) {
                true => state.quotas.is_down(),
                false => sign == Sign::Fails && state.breaker.is_down(),
            };
        }
        self.rate_limit.wake(wake_all);
        is_down
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if !self.ended {
            let wake_all = self.rate_limit.state().leaves(self.number, self.probe, Instant::now(), Sign::Nothing);
            self.rate_limit.wake(wake_all);
        }
    }
}

/// The sign that the end of an attempt gives of the address.
fn sign(failed: Option<FailedAttempt<'_>>) -> Sign {
    let Some(FailedAttempt { fault, about }) = failed else { return Sign::Works };
    match fault.class {
        Class::Broken if about == About::Model => Sign::Nothing,
        Class::Unreachable | Class::Proxy | Class::Broken => Sign::Fails,
        // Somebody answers there, if only to refuse.
        _ if fault.reached >= Reached::Status => Sign::Works,
        _ => Sign::Nothing,
    }
}

#[cfg(test)]
mod tests;
