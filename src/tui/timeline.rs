//! The events of a run, and the run folded up to the moment shown: following, replaying and stepping back alike.

use std::sync::Arc;
use std::time::Duration;

use run::{Envelope, Event, Run, Seq};

/// The events of a run, and the run folded up to the moment shown.
#[derive(Default)]
pub struct Timeline {
    pub events: Vec<Arc<Envelope>>,
    /// How many of them are folded.
    pub shown: usize,
    pub run: Run,
}

impl Timeline {
    /// Adds committed events. If the latest moment was shown, it still is.
    pub fn committed(&mut self, events: Vec<Arc<Envelope>>) {
        let latest = self.is_latest();
        // A notice may overlap what was loaded: an event is taken once.
        let last = self.latest();
        self.events.extend(events.into_iter().filter(|envelope| envelope.seq > last));
        if latest {
            self.show(self.events.len());
        }
    }

    /// Shows the moment after `count` events.
    pub fn show(&mut self, count: usize) {
        let count = count.min(self.events.len());
        if count < self.shown {
            self.run = Run::default();
            self.shown = 0;
        }
        for envelope in &self.events[self.shown..count] {
            self.run.apply(envelope);
        }
        self.shown = count;
    }

    pub fn is_latest(&self) -> bool {
        self.shown == self.events.len()
    }

    /// How long the moment shown stays during playback: long enough to be seen.
    pub fn pause(&self) -> Duration {
        let at = self.shown.checked_sub(1).map(|at| &self.events[at].event);
        Duration::from_millis(match at {
            Some(Event::CheckpointOpened { .. }) => 1_500,
            Some(Event::CheckpointEdited { .. } | Event::PlanAdopted { .. } | Event::Reported { .. }) => 500,
            Some(Event::HandedOff { .. } | Event::CheckpointAnswered { .. }) => 350,
            _ => 60,
        })
    }

    pub fn latest(&self) -> Seq {
        self.events.last().map_or(Seq(0), |envelope| envelope.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Until};

    #[test]
    fn every_moment_is_the_fold_of_what_came_before_it() {
        let events = fixture::events(Until::Done);
        let mut timeline = Timeline::default();
        timeline.committed(events.clone());
        for count in [events.len(), 3, 20, 1, 0, events.len() + 5] {
            timeline.show(count);
            let count = count.min(events.len());
            let folded = Run::fold(events[..count].iter().map(|envelope| &**envelope));
            assert_eq!(format!("{:?}", timeline.run.assignments), format!("{:?}", folded.assignments));
            assert_eq!((timeline.run.seq, timeline.shown), (folded.seq, count));
        }
    }

    #[test]
    fn the_latest_moment_moves_on_and_an_earlier_one_stays() {
        let events = fixture::events(Until::Done);
        let mut timeline = Timeline::default();
        timeline.committed(events[..10].to_vec());
        assert_eq!(timeline.run.seq, Seq(10));
        timeline.show(4);
        timeline.committed(events[8..].to_vec());
        assert_eq!((timeline.run.seq, timeline.is_latest()), (Seq(4), false));
        timeline.show(usize::MAX);
        assert_eq!(timeline.run.misfits, 0, "what came twice was taken once");
        assert_eq!(timeline.latest(), timeline.run.seq);
    }
}
