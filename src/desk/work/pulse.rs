//! Notices that the process stood still: its machine slept, a shell stopped it, or the clock was set forward. Never decides the consequence.

use std::time::Duration;

use run::At;

/// The time between two beats while the run works.
pub(super) const BEAT: Duration = Duration::from_secs(1);

/// A beat that comes so late was missed: long enough that a busy machine or a slow disk is none.
const MISSED_MS: u64 = 10_000;

/// The beats of a process that works on a run.
pub(super) struct Pulse {
    last: At,
    stopped: Option<At>,
}

impl Pulse {
    pub(super) fn beginning(now: At) -> Pulse {
        Pulse { last: now, stopped: None }
    }

    /// Takes a beat.
    pub(super) fn beats(&mut self, now: At) {
        let last = std::mem::replace(&mut self.last, now);
        if now.since(last) > MISSED_MS {
            self.stopped.get_or_insert(last);
        }
    }

    /// The last beat before the process stood still, if it has since this was last asked.
    pub(super) fn stood_still_from(&mut self, now: At) -> Option<At> {
        self.beats(now);
        self.stopped.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_beat_that_was_missed_for_long_means_that_the_process_stood_still() {
        let mut pulse = Pulse::beginning(At(0));
        assert_eq!(pulse.stood_still_from(At(1_000)), None);
        assert_eq!(pulse.stood_still_from(At(11_000)), None, "a slow disk");
        pulse.beats(At(3_611_000));
        pulse.beats(At(3_612_000));
        assert_eq!(pulse.stood_still_from(At(3_612_000)), Some(At(11_000)));
        assert_eq!(pulse.stood_still_from(At(3_613_000)), None, "it is told once");
        assert_eq!(pulse.stood_still_from(At(5_000)), None, "the clock was set back");
    }
}
