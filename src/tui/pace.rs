//! When to draw and how long to wait: on change only, never more often than the eye can follow, asleep when idle.

use std::time::Duration;

/// The least time between two frames.
pub const FRAME: Duration = Duration::from_millis(33);
/// How often the elapsed time is painted while a run works.
pub const SECOND: Duration = Duration::from_secs(1);
/// How long the first frame waits for something to show, so that nobody sees an empty screen flash by.
pub const PATIENCE: Duration = Duration::from_millis(15);

/// The pace of a screen. Times are those since it was opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    opened_at: Duration,
    changed: bool,
    drawn_at: Option<Duration>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Draw now.
    Draw,
    /// Wait for input, at the most this long.
    Wait(Duration),
    /// Wait for input, however long.
    Sleep,
}

impl Pace {
    /// The pace of a screen opened now.
    pub fn new(now: Duration) -> Pace {
        Pace { opened_at: now, ..Pace::default() }
    }

    /// Something that is shown has changed.
    pub fn changed(&mut self) {
        self.changed = true;
    }

    /// A frame was drawn.
    pub fn drawn(&mut self, now: Duration) {
        self.changed = false;
        self.drawn_at = Some(now);
    }

    /// What to do at this moment; `ticking` if the elapsed time is running on the screen.
    pub fn next(&self, now: Duration, ticking: bool) -> Next {
        let since = self.drawn_at.map(|at| now.saturating_sub(at));
        match since {
            None if self.changed || now.saturating_sub(self.opened_at) >= PATIENCE => Next::Draw,
            None => Next::Wait(PATIENCE - now.saturating_sub(self.opened_at)),
            Some(since) if self.changed && since >= FRAME => Next::Draw,
            Some(since) if self.changed => Next::Wait(FRAME - since),
            Some(since) if ticking && since >= SECOND => Next::Draw,
            Some(since) if ticking => Next::Wait(SECOND - since),
            Some(_) => Next::Sleep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn an_idle_screen_sleeps_and_a_busy_one_draws_thirty_times_a_second() {
        let mut pace = Pace::new(ms(0));
        assert_eq!(
            pace.next(ms(0), false),
            Next::Wait(PATIENCE),
            "the first frame waits a moment for something to show"
        );
        assert_eq!(pace.next(PATIENCE, false), Next::Draw);
        pace.changed();
        assert_eq!(pace.next(ms(0), false), Next::Draw);
        pace.drawn(ms(0));
        assert_eq!(pace.next(ms(5), false), Next::Sleep);
        assert_eq!(pace.next(ms(5), true), Next::Wait(ms(995)));
        pace.changed();
        assert_eq!(pace.next(ms(5), false), Next::Wait(ms(28)));
        assert_eq!(pace.next(ms(33), false), Next::Draw);
        pace.drawn(ms(33));
        let mut frames = 0;
        for now in 34..1034 {
            pace.changed();
            if pace.next(ms(now), true) == Next::Draw {
                pace.drawn(ms(now));
                frames += 1;
            }
        }
        assert!(frames <= 31, "{frames}");
    }
}
