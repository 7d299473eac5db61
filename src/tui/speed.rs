//! The speed at which a run is replayed: the time that each moment stays.

use std::time::Duration;

use run::{Event, Timeline};

/// The speed of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(usize);

impl Speed {
    /// The speeds, in hundredths: half, as it is, twice, five times, twenty times.
    const ALL: [(u32, &str); 5] = [(50, "½"), (100, "1"), (200, "2"), (500, "5"), (2_000, "20")];

    /// The next faster one; after the fastest, the slowest.
    pub fn next(self) -> Speed {
        Speed((self.0 + 1) % Speed::ALL.len())
    }

    /// "×2".
    pub fn in_words(self) -> String {
        format!("×{}", Speed::ALL[self.0].1)
    }

    fn of(self, pause: Duration) -> Duration {
        pause * 100 / Speed::ALL[self.0].0
    }
}

impl Default for Speed {
    fn default() -> Speed {
        Speed(1)
    }
}

/// The time for which a shown moment stays during playback: long enough to be seen.
pub fn pause(timeline: &Timeline, speed: Speed) -> Duration {
    let at = timeline.shown().checked_sub(1).map(|at| &timeline.events()[at].event);
    speed.of(Duration::from_millis(match at {
        Some(Event::CheckpointOpened { .. }) => 1_500,
        Some(Event::CheckpointEdited { .. } | Event::PlanAdopted { .. } | Event::Reported { .. }) => 500,
        Some(Event::HandedOff { .. } | Event::CheckpointAnswered { .. }) => 350,
        _ => 60,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Until};

    #[test]
    fn a_run_is_played_at_half_once_twice_five_and_twenty_times_its_speed() {
        let mut timeline = Timeline::default();
        timeline.committed(fixture::events(Until::Done)[..1].to_vec());
        let mut speed = Speed::default();
        let mut shown = Vec::new();
        for _ in 0..5 {
            shown.push((speed.in_words(), pause(&timeline, speed).as_millis()));
            speed = speed.next();
        }
        let expected = [("×1", 60), ("×2", 30), ("×5", 12), ("×20", 3), ("×½", 120)];
        assert_eq!(shown, expected.map(|(words, ms)| (words.to_string(), ms)));
    }
}
