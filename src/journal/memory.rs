//! A journal in memory, for evaluations and simulations, with the same rules as the one on disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use text::locked::Locked;

use super::{BoxFuture, Headline, Journal, JournalError};
use run::{Envelope, RunId, Seq};

/// Events in memory, by run.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal {
    runs: Arc<Mutex<HashMap<RunId, Vec<Envelope>>>>,
}

impl MemoryJournal {
    /// The events of a run so far.
    pub fn events(&self, run: &RunId) -> Vec<Envelope> {
        self.events_after(run, Seq(0))
    }

    /// The events of a run after one of them, which was read before; after the zeroth, all.
    pub fn events_after(&self, run: &RunId, seq: Seq) -> Vec<Envelope> {
        let runs = self.runs.locked();
        let Some(known) = runs.get(run) else { return Vec::new() };
        known[known.partition_point(|event| event.seq <= seq)..].to_vec()
    }
}

impl Journal for MemoryJournal {
    fn append(&self, run: &RunId, events: Vec<Envelope>, _headline: Headline) -> BoxFuture<Result<(), JournalError>> {
        let mut runs = self.runs.locked();
        let known = runs.entry(run.clone()).or_default();
        let found = known.last().map_or(Seq(0), |last| last.seq);
        let result = match events.first() {
            Some(first) if first.seq != found.next() => {
                Err(JournalError::Conflict { run: run.clone(), expected: first.seq, found })
            }
            _ => {
                known.extend(events);
                Ok(())
            }
        };
        Box::pin(async move { result })
    }
}
