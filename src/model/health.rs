//! The health of one model at its provider: one that fails too often is left alone for a while, then asked by a single probe, as
//! its circuit breaker says; one that asks for a pause gets it.
//!
//! Other models with the same key are not concerned. An attempt whose work another model can do does not wait here: it is
//! turned away. It sends nothing and retries nothing.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::breaker::{Breaker, IN_A_ROW, Leave, Sign};
use super::rate_limit::{LONGEST_PAUSE, Unavailable, Waiting, sleep_until};
use run::attempt::{About, Charge, Class, Fault};
use text::Clean;
use text::locked::Locked;

/// The longest wait for which an attempt is not turned away where another model can do its work.
pub const SHORT: Duration = Duration::from_secs(2);

/// Failures in a row after which a model is left alone where each may have been paid for, or another model can do the work.
const TWICE: u32 = 2;

/// A failure, and its subject (model, key or address) as far as that is known by now.
#[derive(Clone, Copy, Debug)]
pub struct FailedAttempt<'a> {
    /// The failure.
    pub fault: &'a Fault,
    /// The part that it says something about.
    pub about: About,
}

impl FailedAttempt<'_> {
    /// Whether the limit of its model, or of its key, was exceeded.
    pub(super) fn is_throttled_by(&self, by: About) -> bool {
        self.fault.class == Class::Throttled && self.about == by
    }
}

/// The health of one model.
#[derive(Debug)]
pub struct Health {
    name: Clean,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    breaker: Breaker,
    /// The end of the pause that its server asked for.
    pause: Option<Instant>,
    /// Its last failure.
    failed_with: Clean,
}

/// The permission for one attempt. Dropped without [`Pass::ended`], it says nothing about the model.
#[derive(Debug)]
pub struct Pass {
    health: Arc<Health>,
    /// Another model can do the work.
    hurry: bool,
    probe: bool,
    ended: bool,
}

impl Health {
    /// A model that nothing is known of; `name` is how messages call it.
    pub fn new(name: Clean) -> Arc<Health> {
        Arc::new(Health { name, state: Mutex::default(), changed: Notify::new() })
    }

    /// Waits until the model may be asked. `tell` is called each time the reason for the wait changes. With `hurry` only
    /// a short wait is waited for.
    ///
    /// # Errors
    /// A probe has failed meanwhile, the wait would take too long, or `hurry` does not allow it.
    pub async fn pass(self: &Arc<Health>, hurry: bool, mut tell: impl FnMut(Waiting)) -> Result<Pass, Unavailable> {
        let seen = self.state().breaker.failed_probes();
        let mut last = None;
        loop {
            // Registered before looking, so that no change is missed.
            let changed = self.changed.notified();
            let waiting = {
                let mut state = self.state();
                match state.leave(Instant::now(), seen)? {
                    Ok(probe) => return Ok(Pass { health: self.clone(), hurry, probe, ended: false }),
                    Err(until) => {
                        let is_short = until.is_some_and(|until| until <= Instant::now() + SHORT);
                        if hurry && !is_short {
                            return Err(Unavailable::Avoided(state.failed_with.clone()));
                        }
                        self.words(&state, until)
                    }
                }
            };
            let until = waiting.until;
            if last.as_ref() != Some(&waiting) {
                last = Some(waiting.clone());
                tell(waiting);
            }
            tokio::select! {
                () = sleep_until(until) => {}
                () = changed => {}
            }
        }
    }

    fn words(&self, state: &State, until: Option<Instant>) -> Waiting {
        let name = &self.name;
        let why = match state.pause {
            Some(_) if !state.breaker.is_open() => format!("{name} asked for a pause{}", because(&state.failed_with)),
            _ => format!("{name} is left alone for now{}", because_until(&state.failed_with, until)),
        };
        Waiting { why: why.into(), until }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.locked()
    }
}

impl State {
    /// Whether an attempt may leave, and whether it is the probe; else until when it waits, if that is known.
    fn leave(&mut self, now: Instant, seen: u64) -> Result<Result<bool, Option<Instant>>, Unavailable> {
        if self.breaker.failed_probes() > seen {
            let what = self.failed_with.clone();
            return Err(if self.breaker.is_down() { Unavailable::Down(what) } else { Unavailable::Silent(what) });
        }
        self.pause = self.pause.filter(|until| *until > now);
        if let Some(until) = self.pause {
            let pause = until.saturating_duration_since(now);
            return if pause > LONGEST_PAUSE { Err(Unavailable::Paused(pause)) } else { Ok(Err(Some(until))) };
        }
        Ok(match self.breaker.leave(now.into_std()) {
            Leave::Free => Ok(false),
            Leave::Probe => Ok(true),
            Leave::Wait(until) => Err(until.map(Into::into)),
        })
    }
}

impl Pass {
    /// Whether it still holds: where the attempt has waited for other things, the model may have failed meanwhile.
    pub fn holds(&self) -> bool {
        let state = self.health.state();
        self.probe || !(state.breaker.is_open() || state.pause.is_some_and(|until| until > Instant::now()))
    }

    /// Records how the attempt ended. Returns whether the model counts as down now.
    pub fn ended(mut self, failed: Option<FailedAttempt<'_>>) -> bool {
        let sign = sign(failed);
        self.ended = true;
        let is_down = {
            let mut state = self.health.state();
            let failure = failed.map(|failed| failed.fault).filter(|_| sign == Sign::Fails);
            let enough = failure.map_or(IN_A_ROW, |fault| enough(fault, self.hurry, state.breaker.has_worked()));
            if let Some(fault) = failure {
                state.failed_with = fault.what.clone();
                let asked = fault.retry_after_ms.map(Duration::from_millis);
                let until = asked.and_then(|pause| Instant::now().checked_add(pause));
                state.pause = state.pause.max(until);
            }
            record(&mut state, self.probe, sign, enough);
            sign == Sign::Fails && state.breaker.is_down()
        };
        self.health.changed.notify_waiters();
        is_down
    }
}

/// The number of failures in a row after which a model is left alone. With `hurry`, another one can do the work.
fn enough(fault: &Fault, hurry: bool, has_worked: bool) -> u32 {
    let may_cost = fault.charge != Charge::Nothing;
    match (hurry, fault.class) {
        // To find out took its whole time or far more than was asked for; or nothing speaks for it, and the next try may cost as much.
        (true, Class::Stalled | Class::Endless) => 1,
        (true, _) if may_cost && !has_worked => 1,
        (true, _) | (false, Class::Stalled | Class::Cut | Class::Endless) => TWICE,
        (false, _) => IN_A_ROW,
    }
}

fn record(state: &mut State, probe: bool, sign: Sign, enough: u32) {
    let now = Instant::now().into_std();
    if probe { state.breaker.probed(now, sign) } else { state.breaker.ended(now, sign, enough) }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if !self.ended {
            record(&mut self.health.state(), self.probe, Sign::Nothing, IN_A_ROW);
            self.health.changed.notify_waiters();
        }
    }
}

/// The sign that the end of an attempt gives of its model.
fn sign(failed: Option<FailedAttempt<'_>>) -> Sign {
    let Some(FailedAttempt { fault, about }) = failed else { return Sign::Works };
    match fault.class {
        // It answers, if only to refuse.
        Class::NoSuchModel | Class::Forbidden => Sign::Nothing,
        _ if about == About::Model => Sign::Fails,
        _ => Sign::Nothing,
    }
}

/// A reason behind a clause; nothing if there is none.
fn because(why: &str) -> String {
    match why.trim_end_matches('.') {
        "" => String::new(),
        why => format!(": {why}"),
    }
}

/// The same for a wait. Its end is told with it where it is known; else the next attempt is due.
pub(super) fn because_until(why: &str, until: Option<Instant>) -> String {
    let next = if until.is_some() { "" } else { "; it is tried again now" };
    because(why) + next
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::attempt::Reached;

    fn fault(class: Class, retry_after_ms: Option<u64>) -> Fault {
        let fault = Fault::before_sending(class, "it has failed".into());
        Fault { reached: Reached::Status, retry_after_ms, ..fault }
    }

    fn of(fault: &Fault) -> Option<FailedAttempt<'_>> {
        Some(FailedAttempt { fault, about: fault.about() })
    }

    fn silent(_: Waiting) {}

    async fn fails(health: &Arc<Health>, class: Class, times: u32) {
        for _ in 0..times {
            health.pass(false, silent).await.unwrap().ended(of(&fault(class, None)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_can_go_elsewhere_does_not_wait_for_a_model_that_fails_and_others_do() {
        let health = Health::new("mine/large".into());
        fails(&health, Class::Server, 5).await;
        let start = Instant::now();
        let avoided = health.pass(true, silent).await.unwrap_err();
        assert_eq!((avoided, start.elapsed()), (Unavailable::Avoided("it has failed".into()), Duration::ZERO));
        let mut heard = Vec::new();
        let pass = health.pass(false, |waiting| heard.push(waiting)).await.unwrap();
        assert_eq!(start.elapsed(), Duration::from_secs(30));
        assert_eq!(heard[0].why.as_str(), "mine/large is left alone for now: it has failed");
        pass.ended(None);
        assert!(health.pass(true, silent).await.unwrap().holds());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pass_got_before_the_model_failed_holds_no_longer() {
        let health = Health::new("mine/large".into());
        let early = health.pass(false, silent).await.unwrap();
        assert!(early.holds());
        fails(&health, Class::Server, 5).await;
        assert!(!early.holds());
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_is_overloaded_for_good_is_down_after_minutes_whatever_wait_it_asks_for() {
        for retry_after in [None, Some(1_000), Some(30_000), Some(60_000)] {
            let health = Health::new("mine/large".into());
            let start = Instant::now();
            // One caller alone, as the retry table has it: it hears of it in its own answer.
            loop {
                let pass = health.pass(false, silent).await.unwrap();
                if pass.ended(of(&fault(Class::Overloaded, retry_after))) {
                    break;
                }
                tokio::time::sleep(Duration::from_secs(8)).await;
            }
            let took = start.elapsed().as_secs();
            assert!((200..=330).contains(&took), "{retry_after:?}: {took} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn how_soon_a_model_is_left_alone_depends_on_what_a_failure_costs_and_on_whether_another_can_do_the_work() {
        let costs = |class| Fault { charge: Charge::Unknown, ..fault(class, None) };
        for (failure, hurry, has_worked, times) in [
            // One silence has used up the patience of all.
            (costs(Class::Stalled), true, true, 1),
            (costs(Class::Stalled), false, true, 2),
            (costs(Class::Endless), true, true, 1),
            (costs(Class::Endless), false, true, 2),
            // A model that has answered nothing yet, and may be paid for it, is not paid again.
            (costs(Class::Cut), true, false, 1),
            (costs(Class::Server), true, false, 1),
            (costs(Class::Cut), true, true, 2),
            (costs(Class::Server), true, true, 2),
            (costs(Class::Cut), false, false, 2),
            (Fault { reached: Reached::Sent, ..costs(Class::Broken) }, true, false, 1),
            (Fault { reached: Reached::Sent, ..costs(Class::Broken) }, true, true, 2),
            (fault(Class::Overloaded, None), true, false, 2),
            (fault(Class::Conflict, None), true, true, 2),
            (fault(Class::Conflict, None), false, true, 5),
            (fault(Class::Throttled, None), true, false, 2),
            (fault(Class::Overloaded, None), false, false, 5),
            (costs(Class::Server), false, false, 5),
        ] {
            let health = Health::new("mine/large".into());
            if has_worked {
                health.pass(hurry, silent).await.unwrap().ended(None);
            }
            for n in 1..=times {
                let pass = health.pass(hurry, silent).await.unwrap();
                assert!(pass.holds(), "{failure:?} {hurry} {has_worked}: the {n}. is sent");
                pass.ended(of(&failure));
            }
            let start = Instant::now();
            assert!(matches!(health.pass(true, silent).await, Err(Unavailable::Avoided(_))), "{failure:?} {hurry}");
            // Without another model the call waits, and tries it again.
            health.pass(false, silent).await.unwrap().ended(None);
            assert_eq!(start.elapsed(), Duration::from_secs(30), "{failure:?} {hurry}");
            assert!(health.pass(true, silent).await.unwrap().holds());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_or_an_address_that_fails_says_nothing_about_the_model() {
        let health = Health::new("mine/large".into());
        let start = Instant::now();
        for class in [Class::KeyRefused, Class::Unreachable, Class::NoSuchModel] {
            fails(&health, class, 10).await;
        }
        let unsent = Fault::before_sending(Class::Broken, "the TLS handshake failed".into());
        for _ in 0..10 {
            health.pass(false, silent).await.unwrap().ended(of(&unsent));
        }
        for _ in 0..10 {
            let throttled = fault(Class::Throttled, Some(20_000));
            health
                .pass(false, silent)
                .await
                .unwrap()
                .ended(Some(FailedAttempt { fault: &throttled, about: About::Key }));
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
