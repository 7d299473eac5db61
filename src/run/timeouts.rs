//! How long an assignment may be at work: as data for each member, and the watch that measures it.
//!
//! Only time of the run's work counts in which something is out for it, a tool at work or a model that has been asked:
//! no time in which it waits for the person, for its turn, for a provider that lets nobody through or for another attempt,
//! or in which the person holds it.

use serde::{Deserialize, Serialize};

/// After how long an assignment that has not reported is ended; it has failed then. None for no limit.
///
/// Whoever leads others has none: theirs have their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// At work (ms) in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<u64>,
    /// At work (ms) with nothing having happened to it. An answer that streams in has happened when it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<u64>,
}

impl Timeouts {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Timeouts::default()
    }

    /// Why it is ended when the run has worked for `worked`, in words; None if it is not.
    pub fn passed(&self, watch: &Stopwatch, worked: u64) -> Option<String> {
        if let Some(whole) = self.whole.filter(|whole| watch.whole(worked) >= *whole) {
            return Some(format!("no report within {}", in_words(whole)));
        }
        let idle = self.idle.filter(|idle| watch.idle(worked).is_some_and(|for_ms| for_ms >= *idle))?;
        Some(format!("nothing happened for {}", in_words(idle)))
    }

    /// After how much more work (ms) one of them passes, if nothing happens till then; None while nothing is out for it.
    pub fn next(&self, watch: &Stopwatch, worked: u64) -> Option<u64> {
        let for_ms = watch.idle(worked)?;
        let whole = self.whole.map(|whole| whole.saturating_sub(watch.whole(worked)));
        let idle = self.idle.map(|idle| idle.saturating_sub(for_ms));
        whole.into_iter().chain(idle).min()
    }
}

fn in_words(ms: u64) -> String {
    match ms {
        0 => "0 s".into(),
        ms if ms.is_multiple_of(60_000) => format!("{} min", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{} s", ms / 1_000),
        ms => format!("{ms} ms"),
    }
}

/// How long something has been out for an assignment, in the run's work time (ms).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopwatch {
    before: u64,
    since: Option<u64>,
}

impl Stopwatch {
    /// In all, when the run has worked for `worked`.
    pub fn whole(&self, worked: u64) -> u64 {
        self.before.saturating_add(self.idle(worked).unwrap_or(0))
    }

    /// Since something last happened to it; None while nothing is out for it.
    pub fn idle(&self, worked: u64) -> Option<u64> {
        Some(worked.saturating_sub(self.since?))
    }

    /// Something has happened to it, and something is out for it since, or nothing.
    pub(super) fn happened(&mut self, out: bool, worked: u64) {
        (self.before, self.since) = (self.whole(worked), out.then_some(worked));
    }

    /// Whether something is out for it, as it was last told.
    pub(super) fn runs(&self) -> bool {
        self.since.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_in_which_something_is_out_counts_and_whatever_happens_begins_the_idle_time_anew() {
        let timeouts = Timeouts { whole: Some(120_000), idle: Some(30_000) };
        let mut watch = Stopwatch::default();
        for (at, out, passed, next) in [
            (0, false, None, None),
            (500_000, true, None, Some(30_000)),
            (525_000, true, None, Some(30_000)),
            (550_000, false, None, None),
            (900_000, true, None, Some(30_000)),
            (929_000, true, None, Some(30_000)),
            (958_000, true, None, Some(12_000)),
        ] {
            watch.happened(out, at);
            assert_eq!((timeouts.passed(&watch, at), timeouts.next(&watch, at)), (passed, next), "{at}");
        }
        assert_eq!(timeouts.passed(&watch, 969_999), None);
        assert_eq!(timeouts.passed(&watch, 970_000).as_deref(), Some("no report within 2 min"));
        let idle = Timeouts { whole: None, ..timeouts };
        assert_eq!(idle.passed(&watch, 987_999), None);
        assert_eq!(idle.passed(&watch, 988_000).as_deref(), Some("nothing happened for 30 s"));
        watch.happened(false, 990_000);
        assert_eq!(idle.passed(&watch, 2_000_000), None, "nothing is out for it");
        assert_eq!(Timeouts::default().passed(&watch, u64::MAX), None);
    }
}
