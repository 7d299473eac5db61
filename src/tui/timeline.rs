//! The events of a run and the moment that is shown: the run is the fold of a prefix of them.
//!
//! Following live, reading what another process does, replaying and stepping back are all this.

use std::sync::Arc;
use std::time::Duration;

use run::{Envelope, Event, Run, Seq};

/// Events with the fold of those shown.
#[derive(Default)]
pub struct Timeline {
    events: Vec<Arc<Envelope>>,
    shown: usize,
    run: Run,
}

impl Timeline {
    /// Adds what was committed. The latest moment stays the one that is shown if it was.
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

    /// The run at the moment shown.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// How many events are shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// Every event there is.
    pub fn events(&self) -> &[Arc<Envelope>] {
        &self.events
    }

    /// Whether the latest moment is shown.
    pub fn is_latest(&self) -> bool {
        self.shown == self.events.len()
    }

    /// How long the moment shown stays while the run is played: long enough to be seen, however fast it was.
    pub fn pause(&self) -> Duration {
        let at = self.shown.checked_sub(1).map(|at| &self.events[at].event);
        Duration::from_millis(match at {
            Some(Event::CheckpointOpened { .. }) => 1_500,
            Some(Event::CheckpointEdited { .. } | Event::PlanAdopted { .. } | Event::Reported { .. }) => 500,
            Some(Event::HandedOff { .. } | Event::CheckpointAnswered { .. }) => 350,
            _ => 60,
        })
    }

    /// The last event there is.
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
            assert_eq!(format!("{:?}", timeline.run().assignments), format!("{:?}", folded.assignments));
            assert_eq!((timeline.run().seq, timeline.shown()), (folded.seq, count));
        }
    }

    #[test]
    fn the_latest_moment_moves_on_and_an_earlier_one_stays() {
        let events = fixture::events(Until::Done);
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
}
