//! The limit for files in flight, which determine the memory use of an update.

use std::sync::{Condvar, Mutex};

use text::locked::{Locked, Woken};

/// Room for files that are read and not stored yet.
pub(super) struct Room {
    /// The most bytes in flight. A larger file is read alone.
    most: u64,
    used: Mutex<Used>,
    freed: Condvar,
    /// Held by the thread that waits for room, so that no smaller file overtakes it.
    turn: Mutex<()>,
}

#[derive(Default)]
struct Used {
    bytes: u64,
    /// Whether nothing more is to be read.
    closed: bool,
}

impl Room {
    pub(super) fn new(most: u64) -> Room {
        let (used, freed, turn) = Default::default();
        Room { most, used, freed, turn }
    }

    /// Waits until there is room for a file; None once the room is closed.
    pub(super) fn take(&self, bytes: u64) -> Option<InFlight<'_>> {
        let _turn = self.turn.locked();
        let is_full = |used: &mut Used| !used.closed && used.bytes > 0 && used.bytes + bytes > self.most;
        let waited = self.freed.wait_while(self.used.locked(), is_full);
        let mut used = waited.woken();
        if used.closed {
            return None;
        }
        used.bytes += bytes;
        Some(InFlight { room: self, bytes })
    }

    pub(super) fn close(&self) {
        self.used.locked().closed = true;
        self.freed.notify_all();
    }
}

/// The place of a file in flight; freed on drop.
pub(super) struct InFlight<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.room.used.locked().bytes -= self.bytes;
        self.room.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_file_larger_than_all_the_room_goes_alone_and_none_goes_once_it_is_closed() {
        let room = Room::new(10);
        let (six, four) = (room.take(6), room.take(4));
        let (went, gone) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| went.send(room.take(20).map(|place| place.bytes)));
            drop(six);
            assert!(gone.try_recv().is_err());
            drop(four);
            assert_eq!(gone.recv(), Ok(Some(20)));
            let _all = room.take(10);
            scope.spawn(|| went.send(room.take(1).map(|place| place.bytes)));
            room.close();
            assert_eq!(gone.recv(), Ok(None));
        });
    }
}
