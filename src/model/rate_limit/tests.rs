use std::sync::mpsc;

use super::*;
use crate::limits::Allowance;
use run::attempt::{Charge, Reached};

const NEED: Need = Need { input: 100, output: 100 };

fn fault(class: Class, retry_after_ms: Option<u64>) -> Fault {
    Fault {
        class,
        reached: Reached::Status,
        what: "no answer".into(),
        status: None,
        request_id: None,
        retry_after_ms,
        charge: Charge::Nothing,
        partial: "".into(),
    }
}

/// A failure where no other model can do the work.
fn of_key(fault: &Fault) -> Option<FailedAttempt<'_>> {
    let about = if fault.class == Class::Throttled { About::Key } else { fault.class.about() };
    Some(FailedAttempt { fault, about })
}

fn silent(_: Waiting) {}

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// Opens the breaker of a rate limit.
async fn broken(rate_limit: &Arc<RateLimit>) {
    for _ in 0..5 {
        let permit = rate_limit.acquire(NEED, false, silent).await.unwrap();
        permit.ended(of_key(&fault(Class::Unreachable, None)), &RateHeaders::default());
    }
}

/// Somebody who enters, says when, and stays for a while.
fn visitor(
    rate_limit: &Arc<RateLimit>,
    name: u32,
    stays: Duration,
    log: &mpsc::Sender<(u32, Duration)>,
    start: Instant,
) -> tokio::task::JoinHandle<()> {
    let (rate_limit, log) = (rate_limit.clone(), log.clone());
    tokio::spawn(async move {
        let Ok(permit) = rate_limit.acquire(NEED, false, silent).await else { return };
        log.send((name, start.elapsed())).unwrap();
        tokio::time::sleep(stays).await;
        permit.ended(None, &RateHeaders::default());
    })
}

#[tokio::test(start_paused = true)]
async fn a_provider_without_limits_makes_nobody_wait() {
    let rate_limit = RateLimit::new("openai".into(), None);
    let start = Instant::now();
    let mut permits = Vec::new();
    for _ in 0..1_000 {
        permits.push(rate_limit.acquire(NEED, false, |waiting| panic!("{waiting:?}")).await.unwrap());
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_local_server_takes_as_many_as_it_has_places_first_come_first_served() {
    let rate_limit = RateLimit::new("ollama".into(), Some(2));
    let (log, told) = mpsc::channel();
    let start = Instant::now();
    let mut visitors = Vec::new();
    for name in 0..6 {
        visitors.push(visitor(&rate_limit, name, secs(10), &log, start));
        tokio::task::yield_now().await;
    }
    for visitor in visitors {
        visitor.await.unwrap();
    }
    drop(log);
    let expected = [(0, 0), (1, 0), (2, 10), (3, 10), (4, 20), (5, 20)].map(|(name, at)| (name, secs(at)));
    assert_eq!(told.iter().collect::<Vec<_>>(), expected);
}

#[tokio::test(start_paused = true)]
async fn one_who_is_told_to_come_back_later_stops_all_and_all_hear_until_when() {
    let rate_limit = RateLimit::new("anthropic".into(), None);
    let first = rate_limit.acquire(NEED, false, silent).await.unwrap();
    first.ended(of_key(&fault(Class::Throttled, Some(20_000))), &RateHeaders::default());
    let start = Instant::now();
    let (heard, hears) = mpsc::channel();
    let others: Vec<_> = (0..5)
        .map(|_| {
            let (rate_limit, heard) = (rate_limit.clone(), heard.clone());
            tokio::spawn(async move {
                let permit = rate_limit.acquire(NEED, false, |waiting| heard.send(waiting).unwrap()).await.unwrap();
                let at = start.elapsed();
                permit.ended(None, &RateHeaders::default());
                at
            })
        })
        .collect();
    for other in others {
        assert_eq!(other.await.unwrap(), secs(20));
    }
    drop(heard);
    let hears: Vec<Waiting> = hears.iter().collect();
    let paused = hears.iter().filter(|waiting| waiting.until == Some(start + secs(20)));
    assert_eq!(paused.count(), 5, "{hears:?}");
    assert!(hears[0].why.contains("anthropic asked for a pause"));
}

#[tokio::test(start_paused = true)]
async fn those_already_waiting_hear_of_a_longer_pause() {
    let rate_limit = RateLimit::new("anthropic".into(), None);
    let slow = rate_limit.acquire(NEED, false, silent).await.unwrap();
    rate_limit
        .acquire(NEED, false, silent)
        .await
        .unwrap()
        .ended(of_key(&fault(Class::Throttled, Some(5_000))), &RateHeaders::default());
    let start = Instant::now();
    let (heard, hears) = mpsc::channel();
    let waits = {
        let rate_limit = rate_limit.clone();
        tokio::spawn(async move {
            rate_limit.acquire(NEED, false, |waiting| heard.send(waiting).unwrap()).await.map(|_| start.elapsed())
        })
    };
    tokio::task::yield_now().await;
    slow.ended(of_key(&fault(Class::Throttled, Some(60_000))), &RateHeaders::default());
    assert_eq!(waits.await.unwrap(), Ok(secs(60)));
    let until: Vec<_> = hears.iter().map(|waiting| waiting.until.unwrap() - start).collect();
    assert_eq!(until, [secs(5), secs(60)]);
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_one_goes_first_and_the_others_when_it_was_borne() {
    let rate_limit = RateLimit::new("openai".into(), None);
    rate_limit
        .acquire(NEED, false, silent)
        .await
        .unwrap()
        .ended(of_key(&fault(Class::Throttled, Some(1_000))), &RateHeaders::default());
    let start = Instant::now();
    let (log, told) = mpsc::channel();
    let visitors: Vec<_> = (0..4).map(|name| visitor(&rate_limit, name, secs(10), &log, start)).collect();
    for visitor in visitors {
        visitor.await.unwrap();
    }
    drop(log);
    let at: Vec<u64> = told.iter().map(|(_, at)| at.as_secs()).collect();
    assert_eq!(at, [1, 11, 11, 21]);
}

#[tokio::test(start_paused = true)]
async fn a_pause_of_an_hour_is_not_waited_for() {
    let rate_limit = RateLimit::new("openai".into(), None);
    rate_limit
        .acquire(NEED, false, silent)
        .await
        .unwrap()
        .ended(of_key(&fault(Class::Throttled, Some(3_600_000))), &RateHeaders::default());
    assert_eq!(rate_limit.acquire(NEED, false, silent).await.unwrap_err(), Unavailable::Paused(secs(3_600)));
}

#[tokio::test(start_paused = true)]
async fn limits_are_learned_from_what_the_provider_tells() {
    let rate_limit = RateLimit::new("openai".into(), None);
    let permit = rate_limit.acquire(NEED, false, silent).await.unwrap();
    let used_up = Allowance { limit: Some(2_000), remaining: Some(0), reset: Some(secs(60)) };
    let mut limits = RateHeaders::default();
    limits.allowances[Counted::Tokens as usize] = Some(used_up);
    permit.ended(None, &limits);
    let start = Instant::now();
    let mut heard = Vec::new();
    let permit = rate_limit.acquire(NEED, false, |waiting| heard.push(waiting)).await.unwrap();
    // 200 of 2,000 tokens a minute.
    assert_eq!(start.elapsed(), secs(6));
    assert!(heard[0].why.contains("rate limit of openai on tokens is used up"), "{heard:?}");
    drop(permit);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_fails_is_left_alone_and_then_asked_by_exactly_one() {
    let rate_limit = RateLimit::new("openai".into(), None);
    broken(&rate_limit).await;
    let start = Instant::now();
    let (heard, hears) = mpsc::channel();
    let visitors: Vec<_> = (0..8)
        .map(|_| {
            let (rate_limit, heard) = (rate_limit.clone(), heard.clone());
            tokio::spawn(async move {
                let permit = rate_limit.acquire(NEED, false, |waiting| heard.send(waiting).unwrap()).await.unwrap();
                let entered = start.elapsed();
                tokio::time::sleep(secs(3)).await;
                permit.ended(None, &RateHeaders::default());
                entered
            })
        })
        .collect();
    let mut entered = Vec::new();
    for visitor in visitors {
        entered.push(visitor.await.unwrap().as_secs());
    }
    entered.sort_unstable();
    assert_eq!(entered, [30, 33, 33, 33, 33, 33, 33, 33]);
    drop(heard);
    let first = hears.recv().unwrap();
    assert!(first.why.contains("openai failed repeatedly: no answer") && first.until == Some(start + secs(30)));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_fails_answers_all_who_wait_for_it() {
    let rate_limit = RateLimit::new("openai".into(), Some(3));
    broken(&rate_limit).await;
    let start = Instant::now();
    let visitors: Vec<_> = (0..8)
        .map(|_| {
            let rate_limit = rate_limit.clone();
            tokio::spawn(async move {
                let entered = rate_limit.acquire(NEED, false, silent).await;
                match entered {
                    Ok(permit) => {
                        tokio::time::sleep(secs(1)).await;
                        permit.ended(of_key(&fault(Class::Unreachable, None)), &RateHeaders::default());
                        None
                    }
                    Err(closed) => Some((closed, start.elapsed())),
                }
            })
        })
        .collect();
    let mut sent = 0;
    for visitor in visitors {
        match visitor.await.unwrap() {
            None => sent += 1,
            Some(answer) => assert_eq!(answer, (Unavailable::Silent("no answer".into()), secs(31))),
        }
    }
    assert_eq!(sent, 1);
    // An attempt that comes after that waits for the next probe, a minute later.
    let permit = rate_limit.acquire(NEED, false, silent).await.unwrap();
    assert_eq!(start.elapsed(), secs(91));
    drop(permit);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_no_probe_reaches_is_down_after_three_of_them() {
    let rate_limit = RateLimit::new("openai".into(), None);
    broken(&rate_limit).await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        let waits = {
            let rate_limit = rate_limit.clone();
            tokio::spawn(async move {
                let permit = rate_limit.acquire(NEED, false, silent).await.unwrap();
                let second = rate_limit.acquire(NEED, false, silent);
                // The second waits for how the first ends.
                let (answer, ()) = tokio::join!(second, async {
                    tokio::task::yield_now().await;
                    permit.ended(of_key(&fault(Class::Unreachable, None)), &RateHeaders::default());
                });
                answer.unwrap_err()
            })
        };
        answers.push(waits.await.unwrap());
    }
    let what = || "no answer".into();
    assert_eq!(answers, [Unavailable::Silent(what()), Unavailable::Silent(what()), Unavailable::Down(what())]);
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_waiting_or_is_stopped_under_way_leaves_the_way_free() {
    let rate_limit = RateLimit::new("ollama".into(), Some(1));
    let start = Instant::now();
    let inside = rate_limit.acquire(NEED, false, silent).await.unwrap();
    let gone = tokio::time::timeout(secs(1), rate_limit.acquire(NEED, false, silent)).await;
    assert!(gone.is_err());
    let next = {
        let rate_limit = rate_limit.clone();
        tokio::spawn(async move { rate_limit.acquire(NEED, false, silent).await.unwrap() })
    };
    tokio::task::yield_now().await;
    // Stopped without a word, as an aborted task is.
    drop(inside);
    drop(next.await.unwrap());
    assert_eq!(start.elapsed(), secs(1));
    // The same with a probe: the next one probes.
    broken(&rate_limit).await;
    drop(rate_limit.acquire(NEED, false, silent).await.unwrap());
    rate_limit.acquire(NEED, false, silent).await.unwrap().ended(None, &RateHeaders::default());
    assert_eq!(start.elapsed(), secs(31));
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_a_request_or_a_key_does_not_open_the_breaker() {
    let rate_limit = RateLimit::new("openai".into(), None);
    let start = Instant::now();
    for class in [Class::Malformed, Class::TooLong, Class::NoSuchModel, Class::KeyRefused, Class::OutOfCredit] {
        for _ in 0..10 {
            rate_limit
                .acquire(NEED, false, silent)
                .await
                .unwrap()
                .ended(of_key(&fault(class, None)), &RateHeaders::default());
        }
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_throttled_for_good_is_down_after_minutes_whatever_wait_it_is_told() {
    for retry_after in [None, Some(1_000), Some(60_000), Some(300_000)] {
        let rate_limit = RateLimit::new("openai".into(), None);
        let start = Instant::now();
        let throttled = fault(Class::Throttled, retry_after);
        // One caller alone hears of it in its own answer.
        while !rate_limit.acquire(NEED, false, silent).await.unwrap().ended(of_key(&throttled), &RateHeaders::default())
        {
        }
        let took = start.elapsed().as_secs();
        assert!((200..=310).contains(&took), "{retry_after:?}: {took} s");
    }
}

#[tokio::test(start_paused = true)]
async fn who_can_go_to_another_provider_does_not_wait_for_a_long_pause() {
    let rate_limit = RateLimit::new("openai".into(), None);
    let throttled = fault(Class::Throttled, Some(20_000));
    rate_limit.acquire(NEED, false, silent).await.unwrap().ended(of_key(&throttled), &RateHeaders::default());
    let start = Instant::now();
    let turned_away = rate_limit.acquire(NEED, true, silent).await.unwrap_err();
    assert_eq!((turned_away, start.elapsed()), (Unavailable::Avoided("it asked for a pause".into()), Duration::ZERO));
}

/// A rate limit of which 50 requests in a time are used up.
async fn used_up(fills_in: Duration) -> Arc<RateLimit> {
    let rate_limit = RateLimit::new("openai".into(), None);
    let mut limits = RateHeaders::default();
    let used_up = Allowance { limit: Some(50), remaining: Some(0), reset: Some(fills_in) };
    limits.allowances[Counted::Requests as usize] = Some(used_up);
    rate_limit.acquire(NEED, false, silent).await.unwrap().ended(None, &limits);
    rate_limit
}

#[tokio::test(start_paused = true)]
async fn a_used_up_limit_is_waited_for_by_the_minute_where_another_can_do_the_work_and_never_for_longer_than_a_pause() {
    const DAY: u64 = 86_400;
    let avoided = Unavailable::Avoided("its rate limit is used up".into());
    for (fills_in, hurry, expected) in [
        (60, true, Ok(2)),
        (60, false, Ok(2)),
        // A request in 5 minutes: too long where another provider is there.
        (15_000, true, Err(avoided.clone())),
        (15_000, false, Ok(300)),
        // A request in 29 minutes.
        (DAY, true, Err(avoided)),
        (DAY, false, Err(Unavailable::Paused(secs(DAY / 50)))),
    ] {
        let rate_limit = used_up(secs(fills_in)).await;
        let start = Instant::now();
        let permit = rate_limit.acquire(NEED, hurry, silent).await;
        let went = permit.map(|_| start.elapsed().as_secs_f64().round() as u64);
        let took = start.elapsed();
        if went.is_err() {
            assert_eq!(took, Duration::ZERO);
        }
        match (went, expected) {
            (Ok(went), Ok(expected)) => assert!(went.abs_diff(expected) <= 1, "{fills_in} {hurry}: {went}"),
            (went, expected) => assert_eq!(went, expected, "{fills_in} {hurry}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_can_go_elsewhere_does_not_stand_behind_one_who_waits_long_for_a_limit() {
    let rate_limit = used_up(secs(15_000)).await;
    let first = rate_limit.clone();
    let waits = tokio::spawn(async move { first.acquire(NEED, false, silent).await });
    tokio::task::yield_now().await;
    let start = Instant::now();
    let avoided = rate_limit.acquire(NEED, true, silent).await.unwrap_err();
    assert!(matches!(avoided, Unavailable::Avoided(_)) && start.elapsed().is_zero());
    waits.abort();
}

#[tokio::test(start_paused = true)]
async fn what_a_model_fails_at_does_not_stop_the_others_of_its_provider() {
    let rate_limit = RateLimit::new("openai".into(), None);
    let start = Instant::now();
    for class in [Class::Server, Class::Overloaded, Class::TimedOut, Class::Stalled, Class::Cut] {
        for _ in 0..10 {
            let permit = rate_limit.acquire(NEED, false, silent).await.unwrap();
            permit.ended(of_key(&fault(class, Some(60_000))), &RateHeaders::default());
        }
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_is_of_its_model_where_another_can_do_the_work_until_that_is_throttled_too() {
    let throttled = fault(Class::Throttled, Some(60_000));
    let used_up = Allowance { limit: Some(10), remaining: Some(0), reset: Some(secs(60)) };
    let limits = RateHeaders { allowances: [Some(used_up), None, None, None], ..RateHeaders::default() };
    let (large, small): (Clean, Clean) = ("large".into(), "small".into());
    // The throttled model, whether another model can do the work, and the reason why the next one waits.
    for (asked, waits) in [
        (&[(&large, true)][..], 0),
        (&[(&large, true), (&large, true)], 0),
        (&[(&large, true), (&small, true)], 60),
        (&[(&large, true), (&small, false)], 60),
        (&[(&large, false)], 60),
    ] {
        let rate_limit = RateLimit::new("openai".into(), None);
        let mut permits = Vec::new();
        for _ in asked {
            permits.push(rate_limit.acquire(NEED, false, silent).await.unwrap());
        }
        for (permit, (model, has_another)) in permits.into_iter().zip(asked) {
            let failed = permit.means(&throttled, model, *has_another);
            permit.ended(Some(failed), &limits);
        }
        let start = Instant::now();
        rate_limit.acquire(NEED, false, silent).await.unwrap().ended(None, &RateHeaders::default());
        assert_eq!(start.elapsed().as_secs(), waits, "{asked:?}");
    }
    // An answer of one of them shows that it was not the key.
    let rate_limit = RateLimit::new("openai".into(), None);
    for model in [&large, &small] {
        let permit = rate_limit.acquire(NEED, false, silent).await.unwrap();
        let failed = permit.means(&throttled, model, true);
        assert_eq!(failed.about, About::Model);
        permit.ended(Some(failed), &limits);
        rate_limit.acquire(NEED, false, silent).await.unwrap().ended(None, &RateHeaders::default());
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_is_of_its_model_where_another_can_do_the_work_until_that_breaks_too() {
    let sent = Fault { reached: Reached::Sent, charge: Charge::Unknown, ..fault(Class::Broken, None) };
    let (large, small): (Clean, Clean) = ("large".into(), "small".into());
    let breaks = async |rate_limit: &Arc<RateLimit>, model: &Clean, fault: &Fault, has_another: bool| {
        let permit = rate_limit.acquire(NEED, true, silent).await.ok()?;
        let failed = permit.means(fault, model, has_another);
        let about = failed.about;
        permit.ended(Some(failed), &RateHeaders::default());
        Some(about)
    };
    let rate_limit = RateLimit::new("openai".into(), None);
    let start = Instant::now();
    for _ in 0..12 {
        assert_eq!(breaks(&rate_limit, &large, &sent, true).await, Some(About::Model));
    }
    // Once another has answered, it may break in its turn without being taken for the address.
    rate_limit.acquire(NEED, true, silent).await.unwrap().ended(None, &RateHeaders::default());
    assert_eq!(breaks(&rate_limit, &small, &sent, true).await, Some(About::Model));
    assert_eq!(start.elapsed(), Duration::ZERO, "the other model is asked all the while");
    for _ in 0..5 {
        assert_eq!(breaks(&rate_limit, &large, &sent, true).await, Some(About::Address));
    }
    assert_eq!(breaks(&rate_limit, &large, &sent, true).await, None, "the address is left alone");
    // Before a byte is sent, or without another model, it is the address from the first.
    let unsent = fault(Class::Broken, None);
    for (fault, has_another) in [(Fault { reached: Reached::Nothing, ..unsent }, true), (sent, false)] {
        let rate_limit = RateLimit::new("openai".into(), None);
        for _ in 0..5 {
            assert_eq!(breaks(&rate_limit, &large, &fault, has_another).await, Some(About::Address));
        }
        assert_eq!(breaks(&rate_limit, &large, &fault, has_another).await, None);
    }
}
