//! The events of a run, and its state at any event: for live view, replay and going back.
//!
//! A state is folded from the nearest snapshot. A few snapshots are far apart, to save memory; one is close before the
//! state shown, so that going back a step is fast.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Envelope, Run, Seq};

/// Events between two snapshots, at first. Above [`MOST`] snapshots, every other one is dropped.
const APART: usize = 1_600;
/// The most snapshots: for a run of 100,000 small events they take less than a tenth of the size of its journal.
const MOST: usize = 4;
/// Events between the state shown and the snapshot close before it, kept once the view has gone back. One step back in
/// this many folds from further away.
const NEAR: usize = 64;

/// The events of a run, and the run folded up to the event shown.
#[derive(Debug)]
pub struct Timeline {
    events: Vec<Arc<Envelope>>,
    /// The number of folded events.
    shown: usize,
    run: Run,
    /// The run, by the number of its events.
    kept: BTreeMap<usize, Run>,
    apart: usize,
    /// The snapshot close before the state shown.
    near: Option<(usize, Run)>,
}

impl Default for Timeline {
    fn default() -> Timeline {
        let (events, shown, run, kept, near) = Default::default();
        Timeline { events, shown, run, kept, apart: APART, near }
    }
}

impl Timeline {
    /// All events.
    pub fn events(&self) -> &[Arc<Envelope>] {
        &self.events
    }

    /// The number of events folded into the state shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// The run at the event shown.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Adds committed events. A view of the latest state stays at the latest.
    pub fn committed(&mut self, events: Vec<Arc<Envelope>>) {
        let latest = self.is_latest();
        // A notice may repeat events that were loaded: skip those.
        let last = self.latest();
        self.events.extend(events.into_iter().filter(|envelope| envelope.seq > last));
        if latest {
            self.show(self.events.len());
        }
    }

    /// Shows the state after `count` events.
    pub fn show(&mut self, count: usize) {
        let count = count.min(self.events.len());
        let goes_back = count < self.shown;
        let (before, kept) = self.nearest(count);
        // Going forward from the state shown needs no copy.
        if goes_back || before > self.shown {
            self.run = kept;
            self.shown = before;
        }
        let near = count.saturating_sub(NEAR);
        while self.shown < count {
            self.run.apply(&self.events[self.shown]);
            self.shown += 1;
            if self.shown.is_multiple_of(self.apart) {
                self.keep();
            }
            if goes_back && self.shown == near {
                self.near = Some((near, self.run.clone()));
            }
        }
    }

    /// The last snapshot at or before this event; the beginning if there is none.
    fn nearest(&self, count: usize) -> (usize, Run) {
        let kept = self.kept.range(..=count).next_back().map(|(at, run)| (*at, run));
        let near = self.near.as_ref().map(|(at, run)| (*at, run)).filter(|(at, _)| *at <= count);
        let best = kept.into_iter().chain(near).max_by_key(|(at, _)| *at);
        // Do not copy a snapshot that is further away than the state shown.
        match best.filter(|(at, _)| count < self.shown || *at > self.shown) {
            Some((at, run)) => (at, run.clone()),
            None => (0, Run::default()),
        }
    }

    fn keep(&mut self) {
        if self.kept.contains_key(&self.shown) {
            return;
        }
        self.kept.insert(self.shown, self.run.clone());
        if self.kept.len() > MOST {
            self.apart *= 2;
            let apart = self.apart;
            self.kept.retain(|at, _| at.is_multiple_of(apart));
        }
    }

    /// Whether the latest state is shown.
    pub fn is_latest(&self) -> bool {
        self.shown == self.events.len()
    }

    /// The number of the last event; 0 if there is none.
    pub fn latest(&self) -> Seq {
        self.events.last().map_or(Seq(0), |envelope| envelope.seq)
    }

    /// The number of snapshots, for measuring.
    pub fn kept(&self) -> usize {
        self.kept.len() + usize::from(self.near.is_some())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{At, Event};

    /// A run that pauses and continues in turn, so that its state is known at every event.
    fn events(n: u64) -> Vec<Arc<Envelope>> {
        let event = |seq: u64| if seq % 2 == 1 { Event::Paused } else { Event::Continued };
        (1..=n).map(|seq| Arc::new(Envelope { seq: Seq(seq), at: At(seq as i64), event: event(seq) })).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn any_state_shown_is_the_fold_of_the_events_before_it(
            n in 1u64..60_000,
            jumps in proptest::collection::vec((0u64..60_000, 0usize..80), 1..12),
        ) {
            let mut timeline = Timeline::default();
            timeline.committed(events(n));
            for (to, back) in jumps {
                for count in [to as usize, (to as usize).saturating_sub(1), (to as usize).saturating_sub(back)] {
                    timeline.show(count);
                    let count = count.min(n as usize);
                    prop_assert_eq!((timeline.shown(), timeline.run().seq), (count, Seq(count as u64)));
                    prop_assert_eq!((timeline.run().paused, timeline.run().misfits), (count % 2 == 1, 0));
                }
                prop_assert!(timeline.kept() <= MOST + 1);
            }
        }
    }

    #[test]
    fn the_latest_moment_moves_on_and_an_earlier_one_stays() {
        let events = events(20);
        let mut timeline = Timeline::default();
        timeline.committed(events[..10].to_vec());
        assert_eq!(timeline.run().seq, Seq(10));
        timeline.show(4);
        timeline.committed(events[8..].to_vec());
        assert_eq!((timeline.run().seq, timeline.is_latest()), (Seq(4), false));
        timeline.show(usize::MAX);
        assert_eq!(timeline.run().misfits, 0, "what came twice was taken once");
        assert_eq!(timeline.latest(), timeline.run().seq);
    }

    #[test]
    fn only_one_step_back_in_many_folds_from_far_away() {
        let mut timeline = Timeline::default();
        timeline.committed(events(20_000));
        timeline.show(15_000);
        let steps = 10 * NEAR;
        let mut from_afar = 0;
        for count in (15_000 - steps..15_000).rev() {
            let (from, _) = timeline.nearest(count);
            from_afar += usize::from(count - from > NEAR);
            timeline.show(count);
        }
        assert!(from_afar <= steps / NEAR + 1, "{from_afar} of {steps}");
    }
}
