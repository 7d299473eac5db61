//! A circuit breaker: after too many failures it blocks attempts for a while, then lets a single probe through. Each
//! model has one, and each address (`health.rs`, `rate_limit.rs`).
//!
//! Pure: time is a value. It does not classify failures. Problems with keys, credit and spending limits never reach it: the run
//! pauses on those until the person acts.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Failures in a row that open it, unless fewer are enough.
pub const IN_A_ROW: u32 = 5;
/// The time for which an attempt counts.
const WINDOW: Duration = Duration::from_secs(60);
/// The least attempts within the window for their failure rate to count.
const ENOUGH: usize = 10;
/// The most attempts that are remembered.
const KEPT: usize = 1_000;
/// The time for which it stays open at first, then the second time, and so on.
const OPEN_FOR: [Duration; 4] =
    [Duration::from_secs(30), Duration::from_secs(60), Duration::from_secs(120), Duration::from_secs(300)];

/// Failed probes in a row after which it counts as down.
const DOWN_AFTER: usize = 3;
/// So long without a single success, it counts as down too: where a server asks for a wait with each failure, probes are
/// rare. As long as three failed probes take.
pub const DOWN_FOR: Duration = Duration::from_secs(210);

/// The outcome of an attempt as the breaker sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The provider works.
    Works,
    /// It failed.
    Fails,
    /// Says nothing about the provider: the request was wrong, or it was cancelled.
    Nothing,
}

/// Whether an attempt may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Yes.
    Free,
    /// Yes, as the only one: its outcome decides about the others.
    Probe,
    /// Not before this moment; None: not before the probe in flight has ended.
    Wait(Option<Instant>),
}

/// Opens after failures of a provider, so that no calls go out to it for a while, then lets one through to see whether it works again.
#[derive(Clone, Debug, Default)]
pub struct Breaker {
    state: State,
    in_a_row: u32,
    recent: VecDeque<(Instant, Sign)>,
    /// The times it has opened since the provider last answered.
    opened: usize,
    failed_probes: u64,
    /// The first failure since the last success, and how many there were.
    failing: Option<(Instant, u32)>,
    is_down: bool,
    has_worked: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Closed,
    Open {
        until: Instant,
    },
    /// One probe is in flight.
    Probing,
}

impl Breaker {
    /// Whether an attempt may be sent now. The caller must end a [`Leave::Probe`] with [`Breaker::probed`].
    pub fn leave(&mut self, now: Instant) -> Leave {
        match self.state {
            State::Closed => Leave::Free,
            State::Open { until } if now < until => Leave::Wait(Some(until)),
            State::Open { .. } => {
                self.state = State::Probing;
                Leave::Probe
            }
            State::Probing => Leave::Wait(None),
        }
    }

    /// Records the outcome of an attempt that was not a probe. After `enough` failures in a row it opens.
    pub fn ended(&mut self, now: Instant, sign: Sign, enough: u32) {
        // Attempts sent before it opened say nothing about the provider now.
        if self.state != State::Closed || sign == Sign::Nothing {
            return;
        }
        self.in_a_row = if sign == Sign::Fails { self.in_a_row + 1 } else { 0 };
        match sign {
            Sign::Fails => self.fails(now),
            _ => (self.failing, self.is_down, self.has_worked) = (None, false, true),
        }
        self.recent.push_back((now, sign));
        while self.recent.len() > KEPT || self.recent.front().is_some_and(|(at, _)| now.duration_since(*at) > WINDOW) {
            self.recent.pop_front();
        }
        let failed = self.recent.iter().filter(|(_, sign)| *sign == Sign::Fails).count();
        let too_many = self.recent.len() >= ENOUGH && failed * 2 >= self.recent.len();
        if self.in_a_row >= enough || (sign == Sign::Fails && too_many) {
            self.open(now);
        }
    }

    /// Records the outcome of a probe.
    pub fn probed(&mut self, now: Instant, sign: Sign) {
        if self.state != State::Probing {
            return;
        }
        match sign {
            Sign::Works => {
                *self = Breaker { failed_probes: self.failed_probes, has_worked: true, ..Breaker::default() };
            }
            Sign::Fails => {
                self.failed_probes += 1;
                self.fails(now);
                self.open(now);
            }
            // The next attempt becomes the probe.
            Sign::Nothing => self.state = State::Open { until: now },
        }
    }

    /// The number of probes that failed. A waiting attempt gives up when this grows.
    pub(crate) fn failed_probes(&self) -> u64 {
        self.failed_probes
    }

    /// Whether so many probes failed in a row that the person has to decide when to go on.
    pub fn is_down(&self) -> bool {
        self.is_down || self.opened > DOWN_AFTER
    }

    /// Whether an attempt has ever been answered.
    pub(crate) fn has_worked(&self) -> bool {
        self.has_worked
    }

    /// Whether attempts have to wait.
    pub fn is_open(&self) -> bool {
        self.state != State::Closed
    }

    fn fails(&mut self, now: Instant) {
        let (since, times) = self.failing.map_or((now, 1), |(since, times)| (since, times + 1));
        self.failing = Some((since, times));
        self.is_down |= times >= IN_A_ROW && now.saturating_duration_since(since) >= DOWN_FOR;
    }

    fn open(&mut self, now: Instant) {
        let time = OPEN_FOR[self.opened.min(OPEN_FOR.len() - 1)];
        self.opened += 1;
        self.state = State::Open { until: now + time };
        self.in_a_row = 0;
        self.recent.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secs(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    /// A breaker that five failures at `now` have opened.
    fn opened(now: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        (0..5).for_each(|_| breaker.ended(now, Sign::Fails, IN_A_ROW));
        breaker
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_four_do_not() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..3 {
            (0..4).for_each(|_| breaker.ended(now, Sign::Fails, IN_A_ROW));
            breaker.ended(now, Sign::Nothing, IN_A_ROW);
            assert_eq!(breaker.leave(now), Leave::Free);
            // Successes between them end the row.
            (0..9).for_each(|_| breaker.ended(now, Sign::Works, IN_A_ROW));
        }
        (0..5).for_each(|_| breaker.ended(now, Sign::Fails, IN_A_ROW));
        assert_eq!(breaker.leave(now), Leave::Wait(Some(now + secs(30))));
    }

    #[test]
    fn fewer_failures_open_it_where_fewer_are_enough() {
        let now = Instant::now();
        for enough in 1..IN_A_ROW {
            let mut breaker = Breaker::default();
            breaker.ended(now, Sign::Works, enough);
            for n in 1..=enough {
                assert!(!breaker.is_open());
                breaker.ended(now, Sign::Fails, enough);
                assert_eq!(breaker.is_open(), n == enough);
            }
            assert!(breaker.has_worked() && !breaker.is_down());
        }
    }

    #[test]
    fn every_other_attempt_failing_opens_it_once_there_were_ten_within_a_minute() {
        let start = Instant::now();
        let attempts = |pause: Duration, n: u32| {
            let mut breaker = Breaker::default();
            for n in 0..n {
                breaker.ended(start + pause * n, if n % 2 == 0 { Sign::Works } else { Sign::Fails }, IN_A_ROW);
            }
            breaker.is_open()
        };
        assert!(!attempts(secs(1), 9));
        assert!(attempts(secs(1), 10));
        assert!(!attempts(secs(7), 40), "fewer than ten within any minute");
    }

    #[test]
    fn it_stays_open_longer_each_time_and_starts_anew_once_the_provider_works() {
        let mut now = Instant::now();
        let mut breaker = opened(now);
        for wait in [30, 60, 120, 300, 300] {
            assert_eq!(breaker.leave(now), Leave::Wait(Some(now + secs(wait))));
            assert_eq!(breaker.is_down(), wait == 300, "after three probes, three and a half minutes");
            now += secs(wait);
            assert_eq!(breaker.leave(now), Leave::Probe);
            breaker.probed(now, Sign::Fails);
        }
        now += secs(300);
        assert_eq!(breaker.leave(now), Leave::Probe);
        breaker.probed(now, Sign::Works);
        assert_eq!((breaker.leave(now), breaker.is_down()), (Leave::Free, false));
        (0..5).for_each(|_| breaker.ended(now, Sign::Fails, IN_A_ROW));
        assert_eq!(breaker.leave(now), Leave::Wait(Some(now + secs(30))));
    }

    #[test]
    fn what_fails_for_minutes_without_a_success_is_down_however_seldom_it_is_tried() {
        let start = Instant::now();
        let mut breaker = Breaker::default();
        for n in 0..4 {
            breaker.ended(start + secs(60 * n), Sign::Fails, IN_A_ROW);
            assert!(!breaker.is_down());
        }
        breaker.ended(start + secs(240), Sign::Fails, IN_A_ROW);
        assert!(breaker.is_down());
        let mut breaker = Breaker::default();
        for n in 0..20 {
            breaker.ended(start + secs(60 * n), if n % 4 == 3 { Sign::Works } else { Sign::Fails }, IN_A_ROW);
            assert!(!breaker.is_down(), "it works now and then");
        }
    }

    #[test]
    fn a_probe_that_says_nothing_leaves_the_place_to_another() {
        let now = Instant::now();
        let mut breaker = opened(now);
        let later = now + secs(30);
        assert_eq!(breaker.leave(later), Leave::Probe);
        assert_eq!(breaker.leave(later), Leave::Wait(None));
        breaker.probed(later, Sign::Nothing);
        assert_eq!(breaker.leave(later), Leave::Probe);
    }

    #[test]
    fn what_left_before_it_opened_neither_closes_it_nor_keeps_it_open() {
        let now = Instant::now();
        let mut breaker = opened(now);
        breaker.ended(now + secs(1), Sign::Works, IN_A_ROW);
        (0..9).for_each(|_| breaker.ended(now + secs(29), Sign::Fails, IN_A_ROW));
        assert_eq!(breaker.leave(now + secs(29)), Leave::Wait(Some(now + secs(30))));
        assert_eq!(breaker.leave(now + secs(30)), Leave::Probe);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// For any events in any order: while it is not closed at most one attempt is out as a probe, nobody waits for more than
        /// five minutes, and without a failure it never opens.
        #[test]
        fn never_two_probes_and_never_an_endless_wait(steps in proptest::collection::vec((0u8..4, 0u64..40), 0..200)) {
            let mut now = Instant::now();
            let mut breaker = Breaker::default();
            let mut probes = 0;
            let mut failed = false;
            for (what, pause) in steps {
                now += secs(pause);
                let sign = [Sign::Works, Sign::Fails, Sign::Nothing][usize::from(what % 3)];
                match (what, probes) {
                    (3, _) => match breaker.leave(now) {
                        Leave::Probe => probes += 1,
                        Leave::Free => prop_assert_eq!(probes, 0),
                        Leave::Wait(until) => {
                            prop_assert!(failed);
                            prop_assert_eq!(until.is_none(), probes == 1);
                            prop_assert!(until.is_none_or(|until| until > now && until - now <= secs(300)));
                        }
                    },
                    (_, 1) => {
                        probes = 0;
                        breaker.probed(now, sign);
                    }
                    _ => {
                        failed |= sign == Sign::Fails;
                        breaker.ended(now, sign, IN_A_ROW);
                    }
                }
                prop_assert!(probes <= 1);
            }
        }
    }
}
