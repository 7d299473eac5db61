//! Timeouts of assignments: the limits of each member, and the stopwatch that measures working time.
//!
//! Working time is time in which a tool call or a model call of the assignment is under way. Time in which it is paused,
//! or waits for the person, its turn, a rate limit or another attempt, does not count.

use serde::{Deserialize, Serialize};

use super::id::Role;

/// Working time after which an assignment that has not reported fails; None for no limit.
///
/// Assignments that delegate have none: those below them have their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// Working time in all (ms).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<u64>,
    /// Working time without progress (ms). An answer that is streamed is progress when it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<u64>,
}

impl Timeouts {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Timeouts::default()
    }

    /// The reason why an assignment of this role fails when the run has worked for `worked`, in words that name the setting; None
    /// if no timeout
    /// has passed.
    pub fn passed(&self, role: &Role, watch: &Stopwatch, worked: u64) -> Option<String> {
        if let Some(whole) = self.whole.filter(|whole| watch.whole(worked) >= *whole) {
            return Some(format!("no report within {}: `timeouts.whole` of {role}", in_words(whole)));
        }
        let idle = self.idle.filter(|idle| watch.idle(worked).is_some_and(|for_ms| for_ms >= *idle))?;
        Some(format!("no answer within {}: `timeouts.idle` of {role}", in_words(idle)))
    }

    /// Working time (ms) until one of them passes, if nothing happens till then; None while no call is under way.
    pub fn next(&self, watch: &Stopwatch, worked: u64) -> Option<u64> {
        let for_ms = watch.idle(worked)?;
        let whole = self.whole.map(|whole| whole.saturating_sub(watch.whole(worked)));
        let idle = self.idle.map(|idle| idle.saturating_sub(for_ms));
        whole.into_iter().chain(idle).min()
    }
}

/// A time in words: “10 s”, “3 min”.
pub(crate) fn in_words(ms: u64) -> String {
    match ms {
        0 => "0 s".into(),
        ms if ms.is_multiple_of(60_000) => format!("{} min", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{} s", ms / 1_000),
        ms => format!("{ms} ms"),
    }
}

/// The working time of an assignment, measured in the run's work time (ms).
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

    /// Since its last progress; None while no call is under way.
    pub fn idle(&self, worked: u64) -> Option<u64> {
        Some(worked.saturating_sub(self.since?))
    }

    /// Notes progress, and whether a call is under way from now on.
    pub(super) fn happened(&mut self, out: bool, worked: u64) {
        (self.before, self.since) = (self.whole(worked), out.then_some(worked));
    }

    /// Whether a call is under way, as it was last noted.
    pub(super) fn runs(&self) -> bool {
        self.since.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_in_which_something_is_out_counts_and_whatever_happens_begins_the_idle_time_anew() {
        let role = Role::new("numbers");
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
            assert_eq!((timeouts.passed(&role, &watch, at), timeouts.next(&watch, at)), (passed, next), "{at}");
        }
        assert_eq!(timeouts.passed(&role, &watch, 969_999), None);
        assert_eq!(
            timeouts.passed(&role, &watch, 970_000).as_deref(),
            Some("no report within 2 min: `timeouts.whole` of numbers")
        );
        let idle = Timeouts { whole: None, ..timeouts };
        assert_eq!(idle.passed(&role, &watch, 987_999), None);
        assert_eq!(
            idle.passed(&role, &watch, 988_000).as_deref(),
            Some("no answer within 30 s: `timeouts.idle` of numbers")
        );
        watch.happened(false, 990_000);
        assert_eq!(idle.passed(&role, &watch, 2_000_000), None, "nothing is out for it");
        assert_eq!(Timeouts::default().passed(&role, &watch, u64::MAX), None);
    }
}
