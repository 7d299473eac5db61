//! The times to draw, and the waits: only on change, at most 30 frames a second, and fewer where frames take long, so that the work
//! has the processor; asleep when idle.

use std::time::Duration;

/// The least time between two frames.
pub const FRAME: Duration = Duration::from_millis(33);
/// Times as long as a frame took before the next one that no key asks for: drawing takes a twelfth of one processor at most.
const REST: u32 = 11;
/// The longest such time.
const LONGEST_REST: Duration = Duration::from_millis(200);
/// The least time between a frame and the next for a key: a key does not wait for a full frame.
pub const QUICK: Duration = Duration::from_millis(8);
/// The interval at which the elapsed time is redrawn while a run works.
pub const SECOND: Duration = Duration::from_secs(1);
/// The wait of the first frame for content, so that no empty screen flashes by.
pub const PATIENCE: Duration = Duration::from_millis(15);

/// The pace of a screen. Times count from its opening.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    opened_at: Duration,
    changed: bool,
    pressed: bool,
    drawn_at: Option<Duration>,
    /// The time that the last frame took.
    took: Duration,
    beat_at: Duration,
}

/// The next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Draw,
    /// Advance the moving parts.
    Beat,
    /// Wait for input, at most this long.
    Wait(Duration),
    /// Wait for input without a limit.
    Sleep,
}

impl Pace {
    pub fn new(now: Duration) -> Pace {
        Pace { opened_at: now, ..Pace::default() }
    }

    pub fn changed(&mut self) {
        self.changed = true;
    }

    /// The person did something: they wait for the frame that shows it.
    pub fn pressed(&mut self) {
        (self.changed, self.pressed) = (true, true);
    }

    /// Whether input that waits is still taken in before the next frame: not where something is to be seen for as long as a frame.
    pub fn takes_more(&self, since: Duration, now: Duration) -> bool {
        !self.changed || now.saturating_sub(since) < FRAME
    }

    /// A frame was drawn, from one time to another.
    pub fn drawn(&mut self, from: Duration, to: Duration) {
        (self.changed, self.pressed) = (false, false);
        (self.drawn_at, self.took) = (Some(to), to.saturating_sub(from));
    }

    pub fn beaten(&mut self, now: Duration) {
        self.changed = true;
        self.beat_at = now;
    }

    /// The next step. `beat` is the interval of the moving parts, if there are any.
    pub fn next(&self, now: Duration, beat: Option<Duration>) -> Next {
        let Some(drawn_at) = self.drawn_at else {
            return match PATIENCE.checked_sub(now.saturating_sub(self.opened_at)) {
                Some(rest) if !self.changed && !rest.is_zero() => Next::Wait(rest),
                _ => Next::Draw,
            };
        };
        let until = |at: Duration, time: Duration| time.saturating_sub(now.saturating_sub(at));
        let least = if self.pressed { QUICK } else { (self.took * REST).min(LONGEST_REST).max(FRAME) };
        let frame = self.changed.then(|| until(drawn_at, least));
        let beat = beat.map(|time| until(self.beat_at, time));
        match (frame, beat) {
            (Some(Duration::ZERO), _) => Next::Draw,
            (_, Some(Duration::ZERO)) => Next::Beat,
            (Some(frame), Some(beat)) => Next::Wait(frame.min(beat)),
            (Some(wait), None) | (None, Some(wait)) => Next::Wait(wait),
            (None, None) => Next::Sleep,
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
    fn the_first_frame_waits_a_moment_for_something_to_show() {
        let mut pace = Pace::new(ms(100));
        assert_eq!(pace.next(ms(100), None), Next::Wait(PATIENCE));
        assert_eq!(pace.next(ms(100) + PATIENCE, None), Next::Draw);
        pace.changed();
        assert_eq!(pace.next(ms(100), None), Next::Draw);
    }

    #[test]
    fn input_that_never_ends_keeps_no_frame_back() {
        let (mut pace, mut now, mut frames) = (Pace::new(ms(0)), ms(0), 0);
        pace.drawn(now, now);
        while now < ms(1_000) {
            assert_ne!(pace.next(now, None), Next::Draw, "nothing has come");
            let since = now;
            // There is always more, each of it taken in within a millisecond.
            loop {
                pace.changed();
                now += ms(1);
                if !pace.takes_more(since, now) {
                    break;
                }
                assert!(now - since < FRAME, "a frame is due");
            }
            assert_eq!(pace.next(now, None), Next::Draw);
            pace.drawn(now, now);
            frames += 1;
        }
        assert!(frames >= 29, "{frames}");
    }

    #[test]
    fn an_idle_screen_sleeps_and_a_busy_one_draws_thirty_times_a_second() {
        let mut pace = Pace::new(ms(0));
        pace.drawn(ms(0), ms(0));
        assert_eq!(pace.next(ms(5), None), Next::Sleep);
        assert_eq!(pace.next(ms(5), Some(SECOND)), Next::Wait(ms(995)));
        assert_eq!(pace.next(ms(1000), Some(SECOND)), Next::Beat);
        pace.beaten(ms(1000));
        assert_eq!(pace.next(ms(1000), Some(SECOND)), Next::Draw);
        pace.drawn(ms(1000), ms(1000));
        assert_eq!(pace.next(ms(1000), Some(SECOND)), Next::Wait(SECOND));
        pace.changed();
        assert_eq!(pace.next(ms(1005), None), Next::Wait(ms(28)));
        pace.pressed();
        assert_eq!(pace.next(ms(1005), None), Next::Wait(ms(3)), "a key waits for no full frame");
        assert_eq!(pace.next(ms(1008), None), Next::Draw);
        let mut frames = 0;
        for now in 1000..2000 {
            pace.changed();
            if pace.next(ms(now), None) == Next::Draw {
                pace.drawn(ms(now), ms(now));
                frames += 1;
            }
        }
        assert!((28..=31).contains(&frames), "{frames}");
    }

    #[test]
    fn after_a_frame_that_took_long_the_work_has_the_processor_for_longer_and_a_key_is_shown_as_soon() {
        let mut pace = Pace::new(ms(0));
        pace.drawn(ms(0), ms(10));
        pace.changed();
        assert_eq!(pace.next(ms(10), None), Next::Wait(ms(110)));
        pace.pressed();
        assert_eq!(pace.next(ms(10), None), Next::Wait(QUICK));
        pace.drawn(ms(1_000), ms(2_000));
        pace.changed();
        assert_eq!(pace.next(ms(2_000), None), Next::Wait(LONGEST_REST), "it never seems to stand still");
        pace.drawn(ms(3_000), ms(3_002));
        pace.changed();
        assert_eq!(pace.next(ms(3_002), None), Next::Wait(FRAME));
    }
}
