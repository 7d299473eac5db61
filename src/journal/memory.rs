//! A journal in memory, for evaluations and simulations, with the same rules as the one on disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Headline, Journal, JournalError, Sending};
use run::{Envelope, RunId, Seq};

/// Events in memory, by run.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal {
    runs: Arc<Mutex<HashMap<RunId, Vec<Envelope>>>>,
}

impl MemoryJournal {
    /// The events of a run so far.
    pub fn events(&self, run: &RunId) -> Vec<Envelope> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).get(run).cloned().unwrap_or_default()
    }
}

impl Journal for MemoryJournal {
    fn append(&self, run: &RunId, events: Vec<Envelope>, _headline: Headline) -> Sending<Result<(), JournalError>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
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
