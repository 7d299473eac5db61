//! A run's record as it stands on the disk: read on and folded on, never begun anew, for who compares each call with it.

use std::sync::{Mutex, MutexGuard};

use journal::MemoryJournal;
use run::{Envelope, Run, RunId};

/// The record of one run, through all lives of its process.
pub struct Record {
    disk: MemoryJournal,
    run: RunId,
    read: Mutex<Read>,
}

/// The content of the disk when it was looked at.
#[derive(Default)]
pub struct Read {
    pub events: Vec<Envelope>,
    /// The fold of the events.
    pub run: Run,
}

impl Record {
    pub fn new(disk: MemoryJournal, run: RunId) -> Record {
        Record { disk, run, read: Mutex::default() }
    }

    /// All that is on the disk now.
    pub fn now(&self) -> MutexGuard<'_, Read> {
        let mut read = self.read.lock().unwrap();
        for event in self.disk.events_after(&self.run, read.run.seq) {
            read.run.apply(&event);
            read.events.push(event);
        }
        read
    }
}
