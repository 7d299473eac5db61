//! Whether to retry a failed attempt of a model call, and when.
//!
//! The only layer that retries. Pure: the jitter derives from the name of the call, so that the same journal gives the
//! same result.

use run::CallId;
use run::attempt::{Attempt, Charge, Class, Fault, LONGEST_PAUSE_MS, Reached};
use run::transcript::Exchange;

/// The decision about a call whose attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Another attempt after a pause.
    Again {
        /// Milliseconds.
        after_ms: u64,
    },
    /// No other attempt.
    GiveUp,
}

/// The way on for the work of a call that is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// No other model can do it.
    Nothing,
    /// Another model begins it, as this one would have.
    Begun,
    /// Another model begins it anew: the work of this one is lost.
    Anew,
}

/// The way in which a class of failure is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Not at all.
    Never,
    /// Soon, with full jitter, to spread attempts. At most this many attempts.
    Soon(u32),
    /// Later, with equal jitter: at least half of the pause is kept. At most this many attempts.
    Later(u32),
    /// At once, when the person has removed the cause of the provider's refusal.
    OnceMended,
}

/// The most attempts of one call, whatever the failures.
const MOST_ATTEMPTS: usize = 8;
/// The most attempts of a call if another model can take over.
const HURRIED_ATTEMPTS: usize = 2;
/// The longest pause before such an attempt.
const HURRIED_WAIT_MS: u64 = 2_000;
/// The longest wait before another attempt: up to a tenth more than a server may ask for.
pub const LONGEST_WAIT_MS: u64 = LONGEST_PAUSE_MS + most_more(LONGEST_PAUSE_MS);

/// The longest wait beyond the pause that a server asks for: not all come back at once.
const fn most_more(asked: u64) -> u64 {
    asked / 10
}

fn way(class: Class, reached: Reached) -> Way {
    match class {
        class if class.latches() => Way::OnceMended,
        // Another attempt is refused for lack of time or of money, or waits until the person raises the cap.
        Class::OutOfTime | Class::OutOfBudget => Way::OnceMended,
        Class::Throttled | Class::Overloaded => Way::Later(6),
        // It failed in the middle of its answer: that was paid for, like one that breaks off.
        Class::Server if reached >= Reached::Accepted => Way::Soon(2),
        Class::Server | Class::Conflict => Way::Soon(5),
        // The breaker of the address decides when to retry, and when to ask the person.
        Class::Unreachable => Way::Soon(8),
        Class::TimedOut | Class::KeyEnded => Way::Soon(3),
        Class::Broken if reached == Reached::Nothing => Way::Soon(5),
        // A page instead of an answer: the next request would get the same.
        Class::Protocol if reached == Reached::Accepted => Way::Never,
        // Sent and not answered: once more, because the usual cause is a stale connection.
        Class::Broken | Class::Stalled | Class::Cut | Class::Protocol => Way::Soon(2),
        // It would fail alike, or nobody wants its answer any more.
        _ => Way::Never,
    }
}

/// The decision about a call whose last attempt failed, or about one in doubt that the person wants repeated. If another model can
/// take over, it is asked within seconds.
pub(super) fn verdict(exchange: &Exchange, instead: Instead) -> Verdict {
    let Some(fault) = exchange.fault() else { return Verdict::Again { after_ms: 0 } };
    if exchange.attempts.len() >= MOST_ATTEMPTS {
        return Verdict::GiveUp;
    }
    let alike = exchange.attempts.iter().filter(|a| is_like(a, way(fault.class, fault.reached))).count() as u32;
    let asked = fault.retry_after_ms.unwrap_or(0);
    let chance = chance(exchange.call, exchange.attempts.len() as u64);
    let falls_back = instead != Instead::Nothing;
    let step = |first: u64, most: u64| first.saturating_mul(1 << alike.saturating_sub(1).min(16)).min(most);
    match way(fault.class, fault.reached) {
        Way::Soon(_) | Way::Later(_) if falls_back && is_enough(exchange, fault, instead) => Verdict::GiveUp,
        Way::Later(_) if falls_back && asked == 0 => {
            Verdict::Again { after_ms: part(step(500, HURRIED_WAIT_MS), chance) }
        }
        Way::Never => Verdict::GiveUp,
        Way::OnceMended => Verdict::Again { after_ms: 0 },
        _ if asked > LONGEST_PAUSE_MS => Verdict::GiveUp,
        Way::Soon(most) | Way::Later(most) if alike >= most => Verdict::GiveUp,
        way => {
            let asks = asked + part(most_more(asked), chance);
            let wait = match way {
                // A server that asks for half a second each time is waited for as one that says nothing.
                Way::Later(_) if asked == 0 || alike > 1 => {
                    let wait = step(2_000, 60_000);
                    wait / 2 + part(wait / 2, chance)
                }
                Way::Soon(_) if asked == 0 => part(step(500, 20_000), chance),
                _ => 0,
            };
            Verdict::Again { after_ms: wait.max(asks) }
        }
    }
}

/// Whether a call has failed so that the other model is asked now.
fn is_enough(exchange: &Exchange, fault: &Fault, instead: Instead) -> bool {
    let tries = exchange.attempts.iter().filter_map(|attempt| attempt.fault.as_ref());
    let tries = tries.filter(|fault| fault.class != Class::Cancelled).count();
    let may_cost = fault.charge != Charge::Nothing;
    // It has already timed out.
    fault.class == Class::Stalled
        // The other model is as likely to answer, and the cap is not spent on failures.
        || (may_cost && instead == Instead::Begun)
        || tries >= HURRIED_ATTEMPTS
        || fault.retry_after_ms.is_some_and(|asked| asked > HURRIED_WAIT_MS)
}

fn is_like(attempt: &Attempt, wanted: Way) -> bool {
    attempt.fault.as_ref().is_some_and(|fault| way(fault.class, fault.reached) == wanted)
}

/// A part of `n` in proportion to `chance`, in thousandths.
fn part(n: u64, chance: u64) -> u64 {
    n.saturating_mul(chance % 1_001) / 1_000
}

/// A pseudo-random number, always the same for the same attempt (SplitMix64).
fn chance(call: CallId, attempt: u64) -> u64 {
    let name = call.assignment.fingerprint().rotate_left(32) ^ (u64::from(call.n) << 8 | attempt);
    let mut z = name.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use run::model::{Form, ModelRequest};
    use run::transcript::ExchangeEnd;
    use run::{AssignmentId, At};

    fn after(faults: &[(Class, Reached, Option<u64>)]) -> Verdict {
        verdict(&failed(faults), Instead::Nothing)
    }

    fn failed(faults: &[(Class, Reached, Option<u64>)]) -> Exchange {
        let attempt = |(n, (class, reached, retry_after_ms)): (usize, &(Class, Reached, Option<u64>))| Attempt {
            n: n as u32 + 1,
            not_before: At(0),
            sent_at: Some(At(0)),
            fault: Some(Fault {
                class: *class,
                reached: *reached,
                what: "".into(),
                status: None,
                request_id: None,
                retry_after_ms: *retry_after_ms,
                charge: if *reached == Reached::Content { Charge::Unknown } else { Charge::Nothing },
                partial: "".into(),
            }),
        };
        let request = ModelRequest {
            model: "a/b".parse().unwrap(),
            afresh: false,
            said: vec![],
            offers: vec![].into(),
            form: Form::Free,
            max_tokens: 1,
            thinking: Default::default(),
        };
        let attempts = faults.iter().enumerate().map(attempt).collect();
        Exchange::new(CallId::new(AssignmentId::nth(1), 1), Arc::new(request), attempts, ExchangeEnd::Pending)
    }

    #[test]
    fn what_another_model_can_do_is_waited_for_for_seconds() {
        for class in
            [Class::Server, Class::Overloaded, Class::Throttled, Class::Unreachable, Class::TimedOut, Class::Conflict]
        {
            let (mut waited, mut n) = (0, 1);
            let after = |n| verdict(&failed(&vec![(class, Reached::Status, None); n]), Instead::Begun);
            while let Verdict::Again { after_ms } = after(n) {
                (waited, n) = (waited + after_ms, n + 1);
            }
            assert!(n <= 2 && waited <= 2_000, "{class:?}: {n} attempts, {waited} ms");
        }
        let asks = |ms| verdict(&failed(&[(Class::Throttled, Reached::Status, Some(ms))]), Instead::Begun);
        assert!(matches!(asks(1_000), Verdict::Again { .. }));
        assert_eq!(asks(20_000), Verdict::GiveUp);
    }

    #[test]
    fn what_may_be_paid_twice_is_left_to_another_model_at_once_unless_work_is_lost_by_it() {
        for (class, instead, again) in [
            (Class::Cut, Instead::Begun, false),
            (Class::Cut, Instead::Anew, true),
            (Class::Cut, Instead::Nothing, true),
            (Class::Server, Instead::Begun, false),
            (Class::Server, Instead::Anew, true),
            (Class::Stalled, Instead::Anew, false),
            (Class::Stalled, Instead::Nothing, true),
        ] {
            let once = verdict(&failed(&[(class, Reached::Content, None)]), instead);
            assert_eq!(matches!(once, Verdict::Again { .. }), again, "{class:?} {instead:?}");
            let twice = failed(&[(class, Reached::Content, None), (class, Reached::Content, None)]);
            assert_eq!(verdict(&twice, instead), Verdict::GiveUp, "{class:?} {instead:?}");
        }
        let mixed = failed(&[(Class::Overloaded, Reached::Status, None), (Class::Server, Reached::Status, None)]);
        assert_eq!(verdict(&mixed, Instead::Begun), Verdict::GiveUp, "two tries, however each failed");
    }

    #[test]
    fn what_cannot_get_better_is_not_tried_again() {
        for class in
            [Class::Malformed, Class::TooLong, Class::TooLarge, Class::NoSuchModel, Class::Redirected, Class::Proxy]
        {
            assert_eq!(after(&[(class, Reached::Status, None)]), Verdict::GiveUp, "{class:?}");
        }
    }

    #[test]
    fn a_throttle_is_waited_for_as_long_as_the_server_asks_and_a_little_longer() {
        let Verdict::Again { after_ms } = after(&[(Class::Throttled, Reached::Status, Some(20_000))]) else { panic!() };
        assert!((20_000..=22_000).contains(&after_ms));
        assert_eq!(after(&[(Class::Throttled, Reached::Status, Some(3_600_000))]), Verdict::GiveUp);
    }

    #[test]
    fn a_server_that_asks_for_short_waits_is_waited_for_as_long_as_one_that_asks_for_none() {
        let waited = |retry_after: Option<u64>| {
            (1..6).map(move |n| match after(&vec![(Class::Throttled, Reached::Status, retry_after); n]) {
                Verdict::Again { after_ms } => after_ms,
                Verdict::GiveUp => panic!("attempt {n}"),
            })
        };
        for asked in [1, 500, 1_000, 3_000] {
            assert!((asked..=asked * 11 / 10).contains(&waited(Some(asked)).next().unwrap()), "at first as it asks");
            assert!(waited(Some(asked)).skip(1).ge(waited(None).skip(1)), "{asked}");
            assert!(waited(Some(asked)).all(|wait| wait >= asked), "{asked}");
        }
        // A long one is not made longer.
        assert!(waited(Some(60_000)).all(|wait| (60_000..=66_000).contains(&wait)));
        // Another model is not kept waiting.
        let short = failed(&[(Class::Throttled, Reached::Status, Some(500)); 2]);
        assert_eq!(verdict(&short, Instead::Begun), Verdict::GiveUp);
    }

    #[test]
    fn waits_grow_and_end() {
        let mut last = 0;
        for n in 1..6 {
            let Verdict::Again { after_ms } = after(&vec![(Class::Overloaded, Reached::Status, None); n]) else {
                panic!()
            };
            let step = 2_000 << (n - 1);
            assert!((step / 2..=step).contains(&after_ms), "attempt {n}: {after_ms}");
            assert!(after_ms > last / 2);
            last = after_ms;
        }
        assert_eq!(after(&[(Class::Overloaded, Reached::Status, None); 6]), Verdict::GiveUp);
        assert_eq!(after(&[(Class::Cut, Reached::Content, None); 2]), Verdict::GiveUp);
        assert!(matches!(after(&[(Class::Cut, Reached::Content, None)]), Verdict::Again { .. }));
    }

    #[test]
    fn different_failures_do_not_add_up_to_for_ever() {
        let mixed = [Class::Server, Class::Overloaded, Class::Cut, Class::Unreachable];
        let eight: Vec<_> = (0..8).map(|n| (mixed[n % 4], Reached::Status, None)).collect();
        assert_eq!(after(&eight), Verdict::GiveUp);
    }

    #[test]
    fn each_class_is_tried_as_often_as_it_may_help() {
        let attempts = |class, reached| {
            let again = |n: &usize| matches!(after(&vec![(class, reached, None); *n]), Verdict::Again { .. });
            (1..20).take_while(again).count() + 1
        };
        for (class, reached, most) in [
            (Class::Unreachable, Reached::Nothing, 8),
            (Class::Broken, Reached::Nothing, 5),
            (Class::Server, Reached::Status, 5),
            // It says so in the middle of its answer: that was paid for, like one that breaks off.
            (Class::Server, Reached::Content, 2),
            (Class::Conflict, Reached::Status, 5),
            (Class::TimedOut, Reached::Status, 3),
            (Class::Throttled, Reached::Status, 6),
            (Class::Overloaded, Reached::Status, 6),
            // It may have been at work: once more and no oftener.
            (Class::Broken, Reached::Sent, 2),
            (Class::Stalled, Reached::Sent, 2),
            (Class::Stalled, Reached::Content, 2),
            (Class::Cut, Reached::Content, 2),
            (Class::Protocol, Reached::Content, 2),
            (Class::Protocol, Reached::Accepted, 1),
        ] {
            assert_eq!(attempts(class, reached), most, "{class:?} {reached:?}");
        }
    }

    #[test]
    fn a_silent_model_is_asked_no_second_time_where_another_can_do_the_work() {
        let stalled = failed(&[(Class::Stalled, Reached::Sent, None)]);
        assert!(matches!(verdict(&stalled, Instead::Nothing), Verdict::Again { .. }));
        assert_eq!(verdict(&stalled, Instead::Begun), Verdict::GiveUp);
    }

    #[test]
    fn a_refused_key_is_tried_again_once_it_was_mended() {
        assert_eq!(after(&[(Class::KeyRefused, Reached::Status, None)]), Verdict::Again { after_ms: 0 });
    }
}
