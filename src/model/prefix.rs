//! Lets siblings of a fan-out share a cached prompt prefix: one request goes first, the others follow once its answer
//! has begun and the provider has the prefix cached.
//!
//! Sent at the same moment, each of them would pay for writing the cache. This module sends nothing, takes no place in
//! the rate limit and knows neither prices nor models: the caller has found that waiting pays.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use text::sha256::Sha256;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::rate_limit::sleep_until;
use text::locked::Locked;

/// The time for which a provider keeps a prefix after its last use, at the normal price.
const KEPT: Duration = Duration::from_secs(5 * 60);
/// The time for which the others wait after the first request was sent. An answer begins within one to three seconds; one that
/// takes longer is thinking silently, and the lost time is worth more than a few thousand tokens at a tenth of the price.
const PATIENCE: Duration = Duration::from_secs(5);

/// The prefix of a request as it is sent: model, tools and instructions, identified by a digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefix {
    digest: [u8; 32],
    /// Its length.
    pub bytes: usize,
}

impl Prefix {
    /// The prefix of these parts, in this order.
    pub(super) fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Prefix {
        let (mut digest, mut bytes) = (Sha256::new(), 0);
        for part in parts {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
            bytes += part.len();
        }
        Prefix { digest: digest.finalize(), bytes }
    }

    /// Its digest in 32 hexadecimal digits.
    pub(super) fn short(&self) -> String {
        self.digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The prefixes that one provider has cached for one key, and those on their way to it.
#[derive(Debug, Default)]
pub struct Prefixes {
    known: Mutex<BTreeMap<Prefix, State>>,
    changed: Notify,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// A request goes first; when it was sent, if it was.
    Ahead { left: Option<Instant> },
    /// The provider has it cached.
    Kept { until: Instant },
}

/// The turn of one request. Dropped before its answer begins, it lets another request go first.
#[derive(Debug)]
pub struct Turn {
    prefixes: Arc<Prefixes>,
    prefix: Prefix,
    ahead: bool,
    begun: AtomicBool,
}

impl Prefixes {
    /// Waits for another request to get this prefix cached, if one is about to. `tell` is called with the end of the
    /// wait as far as it is known, each time that changes. Dropping the future ends the wait.
    pub async fn turn(self: &Arc<Self>, prefix: Prefix, mut tell: impl FnMut(Option<Instant>)) -> Turn {
        let mut last = None;
        loop {
            // Registered before looking, so that no change is missed.
            let changed = self.changed.notified();
            let until = match self.looks(&prefix, Instant::now()) {
                Looks::Go { ahead } => {
                    let (prefixes, begun) = (self.clone(), AtomicBool::new(false));
                    return Turn { prefixes, prefix, ahead, begun };
                }
                Looks::Wait(until) => until,
            };
            if last != Some(until) {
                last = Some(until);
                tell(until);
            }
            tokio::select! {
                () = changed => {}
                () = sleep_until(until) => {}
            }
        }
    }

    fn looks(&self, prefix: &Prefix, now: Instant) -> Looks {
        let mut known = self.known();
        match known.get(prefix) {
            Some(State::Kept { until }) if now < *until => return Looks::Go { ahead: false },
            Some(State::Ahead { left: None }) => return Looks::Wait(None),
            Some(State::Ahead { left: Some(left) }) if now < *left + PATIENCE => {
                return Looks::Wait(Some(*left + PATIENCE));
            }
            Some(State::Ahead { .. }) => return Looks::Go { ahead: false },
            Some(State::Kept { .. }) | None => {}
        }
        known.retain(|_, state| !matches!(state, State::Kept { until } if *until <= now));
        known.insert(prefix.clone(), State::Ahead { left: None });
        Looks::Go { ahead: true }
    }

    fn becomes(&self, prefix: &Prefix, state: State) {
        self.known().insert(prefix.clone(), state);
        self.changed.notify_waiters();
    }

    /// Lets another request go first, unless the prefix was cached meanwhile.
    fn gives_way(&self, prefix: &Prefix) {
        let mut known = self.known();
        if let Some(State::Ahead { .. }) = known.get(prefix) {
            known.remove(prefix);
        }
        drop(known);
        self.changed.notify_waiters();
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Prefix, State>> {
        self.known.locked()
    }
}

enum Looks {
    Go { ahead: bool },
    Wait(Option<Instant>),
}

impl Turn {
    /// The request is sent: the others wait [`PATIENCE`] from now on.
    pub fn leaves(&self) {
        if self.ahead {
            self.prefixes.becomes(&self.prefix, State::Ahead { left: Some(Instant::now()) });
        }
    }

    /// Its answer has begun: the provider has the prefix cached.
    pub fn begins(&self) {
        self.begun.store(true, Ordering::Relaxed);
        self.prefixes.becomes(&self.prefix, State::Kept { until: Instant::now() + KEPT });
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.ahead && !*self.begun.get_mut() {
            self.prefixes.gives_way(&self.prefix);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use tokio::task::{JoinHandle, yield_now};
    use tokio::time::advance;

    use super::*;

    fn prefix(text: &str) -> Prefix {
        Prefix::of([text])
    }

    /// One of many with the same beginning; its turn, once it has come.
    fn asks(prefixes: &Arc<Prefixes>, left: &Arc<AtomicUsize>) -> JoinHandle<Turn> {
        let (prefixes, left) = (prefixes.clone(), left.clone());
        tokio::spawn(async move {
            let turn = prefixes.turn(prefix("shared"), |_| {}).await;
            turn.leaves();
            left.fetch_add(1, Ordering::SeqCst);
            turn
        })
    }

    async fn settled(left: &AtomicUsize) -> usize {
        for _ in 0..20 {
            yield_now().await;
        }
        left.load(Ordering::SeqCst)
    }

    fn four() -> (Arc<Prefixes>, Arc<AtomicUsize>, Vec<JoinHandle<Turn>>) {
        let (prefixes, left) = (Arc::<Prefixes>::default(), Arc::default());
        let all = (0..4).map(|_| asks(&prefixes, &left)).collect();
        (prefixes, left, all)
    }

    #[tokio::test(start_paused = true)]
    async fn one_goes_ahead_and_the_others_leave_when_its_answer_has_begun() {
        let (prefixes, left, mut all) = four();
        assert_eq!(settled(&left).await, 1);
        let first = all.remove(0).await.unwrap();
        first.begins();
        assert_eq!(settled(&left).await, 4);
        // A request during that time need not wait, and using the prefix extends it.
        drop(first);
        for _ in 0..3 {
            advance(KEPT - Duration::from_secs(1)).await;
            let turn = prefixes.turn(prefix("shared"), |_| panic!("it waited")).await;
            assert!(!turn.ahead);
            turn.begins();
        }
        advance(KEPT).await;
        assert!(prefixes.turn(prefix("shared"), |_| panic!("it waited")).await.ahead, "it is no longer kept");
    }

    #[tokio::test(start_paused = true)]
    async fn where_the_first_fails_the_next_goes_ahead_alone() {
        let (_, left, mut all) = four();
        for gone in 1..4 {
            assert_eq!(settled(&left).await, gone);
            drop(all.remove(0).await.unwrap());
        }
        assert_eq!(settled(&left).await, 4);
    }

    #[tokio::test(start_paused = true)]
    async fn one_who_is_cancelled_while_waiting_holds_up_nobody() {
        let (_, left, mut all) = four();
        assert_eq!(settled(&left).await, 1);
        all.remove(1).abort();
        all.remove(0).await.unwrap().begins();
        assert_eq!(settled(&left).await, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_long_in_coming_is_not_waited_for() {
        let (prefixes, left, mut all) = four();
        assert_eq!(settled(&left).await, 1);
        advance(PATIENCE - Duration::from_millis(2)).await;
        assert_eq!(settled(&left).await, 1);
        advance(Duration::from_millis(4)).await;
        assert_eq!(settled(&left).await, 4);
        // It has failed after all; those that left are on their way, and the next goes ahead.
        drop(all.remove(0).await.unwrap());
        assert!(prefixes.turn(prefix("shared"), |_| {}).await.ahead);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_runs_from_when_the_first_has_left_and_not_while_it_waits_itself() {
        let prefixes = Arc::<Prefixes>::default();
        let first = prefixes.turn(prefix("shared"), |_| {}).await;
        let left = Arc::default();
        let next = asks(&prefixes, &left);
        advance(10 * PATIENCE).await;
        assert_eq!(settled(&left).await, 0);
        first.leaves();
        assert_eq!(settled(&left).await, 0);
        advance(PATIENCE).await;
        assert_eq!(settled(&left).await, 1);
        assert!(!next.await.unwrap().ahead);
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_same_beginning_is_waited_for() {
        let prefixes = Arc::<Prefixes>::default();
        let turns = [prefix("shared"), prefix("other"), Prefix::of(["sh", "ared"]), Prefix::of(["s", "hared"])];
        let mut held = Vec::new();
        for other in turns {
            let turn = prefixes.turn(other, |_| panic!("it waited")).await;
            assert!(turn.ahead);
            held.push(turn);
        }
    }
}
