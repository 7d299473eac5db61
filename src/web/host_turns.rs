//! Limits requests per host: one at a time, with a pause between them, and the wait the host asks for.
//!
//! It keeps nothing but the time of the next request to each host, as long as that is to come.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use http_client::retry_after;
use reqwest::header::HeaderMap;
use text::locked::Locked;
use tokio::sync::{Mutex as Queue, OwnedMutexGuard};
use tokio::time::{Instant, sleep_until};

/// The number of hosts from which those are dropped that nobody waits for.
const MANY: usize = 200;

/// The turns at all hosts.
#[derive(Debug, Default)]
pub struct HostTurns {
    hosts: Mutex<HashMap<String, Arc<Queue<Host>>>>,
}

/// The time at which a host may be called again; None: at once.
#[derive(Debug, Default)]
struct Host {
    not_before: Option<Instant>,
}

/// The turn of one request: until it is dropped, no other request to the host starts.
#[derive(Debug)]
pub struct Turn {
    host: OwnedMutexGuard<Host>,
    pause: Duration,
}

impl HostTurns {
    /// Waits for a turn at a host, first come, first served. The next turn starts `pause` after this one ends.
    pub async fn turn(&self, host: &str, pause: Duration) -> Turn {
        let queue = {
            let mut hosts = self.hosts.locked();
            if hosts.len() >= MANY && !hosts.contains_key(host) {
                let now = Instant::now();
                hosts.retain(|_, queue| Arc::strong_count(queue) > 1 || is_paused(queue, now));
            }
            hosts.entry(host.to_owned()).or_default().clone()
        };
        let host = queue.lock_owned().await;
        if let Some(until) = host.not_before {
            sleep_until(until).await;
        }
        Turn { host, pause }
    }
}

/// Whether a host is not to be called yet.
fn is_paused(queue: &Queue<Host>, now: Instant) -> bool {
    let Ok(host) = queue.try_lock() else { return true };
    host.not_before.is_some_and(|until| until > now)
}

impl Turn {
    /// Extends the pause after this turn, as the host asks.
    pub fn wait(&mut self, wait: Duration) {
        self.pause = self.pause.max(wait);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.host.not_before = Some(Instant::now() + self.pause);
    }
}

/// The wait that a host asks for: `Retry-After` in seconds or as a date, at most 30 days.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    retry_after::retry_after(headers.get(reqwest::header::RETRY_AFTER)?.to_str().ok()?, now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_client::retry_after::LONGEST;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_host_is_asked_once_at_a_time_with_a_pause_between() {
        let host_turns = Arc::new(HostTurns::default());
        let (at_once, begun) = (Arc::new(AtomicUsize::new(0)), Instant::now());
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                let (host_turns, at_once) = (host_turns.clone(), at_once.clone());
                tokio::spawn(async move {
                    let _turn = host_turns.turn("a.example", SECOND).await;
                    assert_eq!(at_once.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    at_once.fetch_sub(1, Ordering::SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(begun.elapsed(), 3 * SECOND + 4 * Duration::from_millis(100));
    }

    #[tokio::test(start_paused = true)]
    async fn one_host_does_not_wait_for_another() {
        let host_turns = HostTurns::default();
        let begun = Instant::now();
        drop(host_turns.turn("a.example", 60 * SECOND).await);
        drop(host_turns.turn("b.example", 60 * SECOND).await);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_that_a_host_asks_for_is_kept_by_everybody() {
        let host_turns = HostTurns::default();
        let begun = Instant::now();
        host_turns.turn("a.example", SECOND).await.wait(7 * SECOND);
        drop(host_turns.turn("a.example", SECOND).await);
        assert_eq!(begun.elapsed(), 7 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn of_many_hosts_those_are_kept_that_are_waited_for_or_want_a_pause() {
        let host_turns = HostTurns::default();
        let begun = Instant::now();
        let _turn = host_turns.turn("busy.example", SECOND).await;
        host_turns.turn("pause.example", SECOND).await.wait(60 * SECOND);
        for n in 0..3 * MANY {
            drop(host_turns.turn(&format!("{n}.example"), Duration::ZERO).await);
        }
        let hosts: Vec<String> = host_turns.hosts.locked().keys().cloned().collect();
        let has = |host: &str| hosts.iter().any(|kept| kept == host);
        assert!(hosts.len() <= MANY && has("busy.example") && has("pause.example"), "{hosts:?}");
        drop(host_turns.turn("pause.example", SECOND).await);
        assert_eq!(begun.elapsed(), 60 * SECOND);
    }

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (value, wait) in [
            ("5", Some(5 * SECOND)),
            (" 120 ", Some(120 * SECOND)),
            ("Sun, 06 Nov 1994 08:49:40 GMT", Some(3 * SECOND)),
            ("Sun, 06 Nov 1994 08:49:30 GMT", Some(Duration::ZERO)),
            ("99999999999999999999999", Some(LONGEST)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(LONGEST)),
            ("soon", None),
            ("1.5", Some(Duration::from_millis(1_500))),
            ("-3", None),
        ] {
            let headers = HeaderMap::from_iter([(reqwest::header::RETRY_AFTER, value.parse().unwrap())]);
            assert_eq!(retry_after(&headers, now), wait, "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
