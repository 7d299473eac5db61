//! The rate limits of a provider for one key, as last reported, minus the use since then.
//!
//! Pure: time is a value. Limits are modelled as refilling steadily, which is how providers describe them. A provider
//! that counts whole minutes instead throttles, and then everything waits.

use std::time::{Duration, Instant};

use super::breaker::DOWN_FOR;
use super::limits::{Allowance, Counted, RateHeaders};

/// The wait after a throttle without a stated duration; it doubles with each one in a row.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// The longest such wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The time in which a limit refills if the provider states none.
const A_MINUTE: Duration = Duration::from_secs(60);
/// A concurrency limit of this many after a throttle counts as no limit.
const WIDE: usize = 64;

/// The estimated size of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Tokens of the request.
    pub input: u64,
    /// The most tokens of the answer.
    pub output: u64,
}

/// The reason why an attempt has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The provider asked for a pause.
    Pause(Instant),
    /// A limit is used up until then.
    Quota(Counted, Instant),
    /// After a throttle, concurrency is limited until the provider has shown that it copes.
    Few(usize),
}

/// The limits of one provider and key.
#[derive(Clone, Debug, Default)]
pub struct Quotas {
    quotas: [Option<Quota>; 4],
    pause: Option<Instant>,
    throttles: u32,
    /// The first throttle since it last worked.
    throttled_since: Option<Instant>,
    is_down: bool,
    at_a_time: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Quota {
    limit: u64,
    left: u64,
    at: Instant,
    /// The time in which the whole limit refills.
    fills_in: Duration,
}

impl Need {
    fn of(self, counted: Counted) -> u64 {
        match counted {
            Counted::Requests => 1,
            Counted::Tokens => self.input.saturating_add(self.output),
            Counted::InputTokens => self.input,
            Counted::OutputTokens => self.output,
        }
    }

    fn plus(self, other: Need) -> Need {
        Need { input: self.input.saturating_add(other.input), output: self.output.saturating_add(other.output) }
    }
}

impl Quota {
    fn left(&self, now: Instant) -> u64 {
        let passed = now.saturating_duration_since(self.at).as_nanos();
        let back = passed.saturating_mul(u128::from(self.limit)) / self.fills_in.as_nanos().max(1);
        self.left.saturating_add(u64::try_from(back).unwrap_or(u64::MAX)).min(self.limit)
    }

    /// The time at which this much is available; a need above the limit counts as the limit.
    fn has(&self, need: u64, now: Instant) -> Option<Instant> {
        let need = need.min(self.limit);
        let left = self.left(now);
        if left >= need {
            return None;
        }
        let lacks = u128::from(need - self.left);
        let nanos = lacks.saturating_mul(self.fills_in.as_nanos()).div_ceil(u128::from(self.limit));
        let at = self.at + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        (at > now).then_some(at)
    }
}

impl Quotas {
    /// The obstacle to sending a request of this size now, with `under_way` in flight; None if it may be sent.
    pub(crate) fn obstacle(&self, now: Instant, need: Need, under_way: usize) -> Option<Obstacle> {
        if let Some(until) = self.paused_until(now) {
            return Some(Obstacle::Pause(until));
        }
        if let Some(few) = self.at_a_time.filter(|few| under_way >= *few) {
            return Some(Obstacle::Few(few));
        }
        let waits = Counted::ALL.into_iter().zip(&self.quotas).filter_map(|(counted, quota)| {
            let until = quota.as_ref()?.has(need.of(counted), now)?;
            Some((until, counted))
        });
        waits.max().map(|(until, counted)| Obstacle::Quota(counted, until))
    }

    /// The end of the pause that the provider asked for; None without one.
    pub(crate) fn paused_until(&self, now: Instant) -> Option<Instant> {
        self.pause.filter(|until| *until > now)
    }

    /// Counts a request that is sent.
    pub fn take(&mut self, now: Instant, need: Need) {
        for (counted, quota) in Counted::ALL.into_iter().zip(&mut self.quotas) {
            if let Some(quota) = quota {
                *quota = Quota { left: quota.left(now).saturating_sub(need.of(counted)), at: now, ..*quota };
            }
        }
    }

    /// Takes over the remainder that the provider reports. The report does not include `since`: the requests sent after the one it
    /// answers.
    pub fn report<I: Iterator<Item = Need>>(&mut self, now: Instant, headers: &RateHeaders, since: impl Fn() -> I) {
        for (counted, allowance) in Counted::ALL.into_iter().zip(headers.allowances) {
            let Some(Allowance { limit, remaining: Some(left), reset }) = allowance else { continue };
            let slot = &mut self.quotas[counted as usize];
            let limit = limit.or(slot.map(|quota| quota.limit)).unwrap_or(left).max(1);
            let left = left.min(limit);
            let fills_in = match reset {
                // The missing part refills within the reported time.
                Some(time) if left < limit && !time.is_zero() => {
                    let nanos = time.as_nanos().saturating_mul(u128::from(limit)) / u128::from(limit - left);
                    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
                }
                _ => slot.map_or(A_MINUTE, |quota| quota.fills_in),
            };
            let unseen = match counted {
                Counted::Requests => since().count() as u64,
                _ => since().fold(Need::default(), Need::plus).of(counted),
            };
            *slot = Some(Quota { limit, left: left.saturating_sub(unseen), at: now, fills_in });
        }
    }

    /// Records that the provider throttled, with the wait it asked for, if any.
    pub fn throttled(&mut self, now: Instant, retry_after: Option<Duration>) {
        let pause =
            retry_after.unwrap_or_else(|| FIRST_PAUSE.saturating_mul(1 << self.throttles.min(5)).min(LONGEST_PAUSE));
        // Requests in flight together get the same answer: that is one throttle.
        if self.paused_until(now).is_none() {
            self.throttles += 1;
            // The requested wait is over, and nothing gets through all the same.
            self.is_down = now.saturating_duration_since(*self.throttled_since.get_or_insert(now)) >= DOWN_FOR;
        }
        let until = now.checked_add(pause).unwrap_or(now + Duration::from_secs(86_400));
        self.pause = self.pause.max(Some(until));
        self.at_a_time = Some(1);
    }

    /// Whether it has throttled for minutes and answered nothing, although all waited as it asked.
    pub fn is_down(&self) -> bool {
        self.is_down
    }

    /// Records an answer.
    pub fn worked(&mut self, now: Instant) {
        // Requests sent before the throttle say nothing about the load that the provider takes now.
        if self.paused_until(now).is_some() {
            return;
        }
        (self.throttles, self.throttled_since, self.is_down) = (0, None, false);
        self.at_a_time = self.at_a_time.map(|few| few * 2).filter(|few| *few < WIDE);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secs(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn reported(counted: Counted, limit: Option<u64>, left: u64, full_in: Option<Duration>) -> RateHeaders {
        let mut headers = RateHeaders::default();
        headers.allowances[counted as usize] = Some(Allowance { limit, remaining: Some(left), reset: full_in });
        headers
    }

    /// This many left of a limit that is full again after a minute.
    fn of_a_minute(counted: Counted, limit: u64, left: u64) -> RateHeaders {
        reported(counted, Some(limit), left, Some(secs(60)))
    }

    const NEED: Need = Need { input: 800, output: 200 };

    fn none() -> std::iter::Empty<Need> {
        std::iter::empty()
    }

    #[test]
    fn what_was_never_told_does_not_limit() {
        let mut quotas = Quotas::default();
        let now = Instant::now();
        for n in 0..1_000 {
            assert_eq!(quotas.obstacle(now, NEED, n), None);
            quotas.take(now, NEED);
        }
    }

    #[test]
    fn a_quota_fills_up_steadily_and_is_waited_for_no_longer_than_needed() {
        let mut quotas = Quotas::default();
        let now = Instant::now();
        // 10,000 tokens a minute, none left: 1,000 are there after six seconds.
        quotas.report(now, &of_a_minute(Counted::Tokens, 10_000, 0), none);
        assert_eq!(quotas.obstacle(now, NEED, 0), Some(Obstacle::Quota(Counted::Tokens, now + secs(6))));
        assert_eq!(quotas.obstacle(now + secs(6), NEED, 0), None);
        quotas.take(now + secs(6), NEED);
        assert_eq!(quotas.obstacle(now + secs(6), NEED, 0), Some(Obstacle::Quota(Counted::Tokens, now + secs(12))));
    }

    #[test]
    fn the_scarcest_of_several_quotas_decides() {
        let mut quotas = Quotas::default();
        let now = Instant::now();
        quotas.report(now, &of_a_minute(Counted::Requests, 60, 0), none);
        quotas.report(now, &of_a_minute(Counted::OutputTokens, 100, 0), none);
        // 200 tokens of output are more than there ever are: it waits until all are there.
        assert_eq!(quotas.obstacle(now, NEED, 0), Some(Obstacle::Quota(Counted::OutputTokens, now + secs(60))));
    }

    #[test]
    fn what_left_after_the_answered_request_is_taken_off_what_it_was_told() {
        let mut quotas = Quotas::default();
        let now = Instant::now();
        quotas.report(now, &of_a_minute(Counted::Requests, 50, 2), || [NEED, NEED].into_iter());
        assert!(matches!(quotas.obstacle(now, NEED, 2), Some(Obstacle::Quota(Counted::Requests, _))));
        quotas.report(now, &of_a_minute(Counted::Requests, 50, 3), || [NEED, NEED].into_iter());
        assert_eq!(quotas.obstacle(now, NEED, 2), None);
    }

    #[test]
    fn after_a_throttle_all_pause_and_then_go_one_two_four_at_a_time() {
        let mut quotas = Quotas::default();
        let now = Instant::now();
        quotas.throttled(now, Some(secs(20)));
        quotas.throttled(now, Some(secs(5)));
        assert_eq!(quotas.obstacle(now + secs(19), NEED, 0), Some(Obstacle::Pause(now + secs(20))));
        let now = now + secs(20);
        for few in [1, 2, 4, 8, 16, 32] {
            assert_eq!(quotas.obstacle(now, NEED, few - 1), None);
            assert_eq!(quotas.obstacle(now, NEED, few), Some(Obstacle::Few(few)));
            quotas.worked(now);
        }
        assert_eq!(quotas.obstacle(now, NEED, 1_000), None);
    }

    #[test]
    fn a_throttle_without_a_time_pauses_longer_each_time_until_something_works() {
        let mut quotas = Quotas::default();
        let mut now = Instant::now();
        for wait in [2, 4, 8, 16, 32, 60, 60] {
            quotas.throttled(now, None);
            assert_eq!(quotas.paused_until(now), Some(now + secs(wait)));
            now += secs(wait);
        }
        quotas.worked(now);
        quotas.throttled(now, None);
        assert_eq!(quotas.paused_until(now), Some(now + secs(2)));
    }

    proptest! {
        /// For any reports of a provider: a request that waits until the given moment may then be sent.
        #[test]
        fn whoever_waits_as_long_as_told_may_leave(
            steps in proptest::collection::vec((0usize..4, proptest::option::of(0u64..=u64::MAX), 0u64..=u64::MAX, proptest::option::of(0u64..100_000), 0u64..5_000), 1..30),
            input in 0u64..2_000_000,
        ) {
            let mut quotas = Quotas::default();
            let mut now = Instant::now();
            let need = Need { input, output: 1_000 };
            for (counted, limit, left, full_in, size) in steps {
                now += secs(1);
                let headers = reported(Counted::ALL[counted], limit, left, full_in.map(Duration::from_millis));
                quotas.report(now, &headers, || std::iter::once(Need { input: size, output: size }));
                if let Some(Obstacle::Quota(_, until)) = quotas.obstacle(now, need, 0) {
                    prop_assert!(until > now);
                    prop_assert_eq!(quotas.obstacle(until, need, 0), None);
                }
                quotas.take(now, need);
            }
        }
    }
}
