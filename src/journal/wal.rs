//! The damage that SQLite passes over in silence: it ends a write-ahead log at the first frame whose checksum is wrong, and the
//! commits behind it are gone without a word. The frames themselves still show that they were written, until the next writer
//! overwrites them: a journal is opened only after a look at them.
//!
//! The format: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>. Nothing is written here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::JournalError;
use super::error::named;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The file is read again until two looks agree, since another process may be writing it; at most this often.
const LOOKS: usize = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// The write-ahead log beside a database.
pub(super) fn path(database: &Path) -> PathBuf {
    beside(database, "-wal")
}

/// A file that SQLite keeps beside a database.
pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Refuses a database whose log has lost commits. A log that cannot be read is left to SQLite, which says why.
///
/// A commit is written only once the one before it is on disk, so that of two behind the fault the first was whole. A single one
/// may have been interrupted while it was written: it had not returned, and the journal is opened without it.
///
/// # Errors
/// The log is damaged.
pub(super) fn check(database: &Path) -> Result<(), JournalError> {
    let torn = |what: String| Err(JournalError::Torn { place: named(database), what });
    match fault(&path(database)) {
        Some(Fault::Beginning) => torn("the beginning of its write-ahead log is damaged".into()),
        Some(Fault::Frame { n, commits: commits @ 2.. }) => torn(format!(
            "frame {n} of its write-ahead log does not fit: {} behind it are gone, and what they had recorded",
            text::count(commits, "commit"),
        )),
        Some(Fault::Frame { .. }) | None => Ok(()),
    }
}

/// The last commit of a log that is not refused and yet not whole, in words.
pub(super) fn unfinished(database: &Path) -> Option<String> {
    match fault(&path(database))? {
        Fault::Frame { n, commits: 1 } => Some(format!(
            "frame {n} of its write-ahead log does not fit: the last commit was interrupted while it was written, or what it had recorded is gone"
        )),
        _ => None,
    }
}

/// A place from which on SQLite ignores a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Beginning,
    Frame {
        /// Its number, from 1.
        n: usize,
        /// The commits of this round from it on; at least one.
        commits: usize,
    },
}

/// The fault of a log; None if it is sound, or cannot be read.
fn fault(log: &Path) -> Option<Fault> {
    let mut before = std::fs::read(log).ok()?;
    for _ in 0..LOOKS {
        fault_of(&before)?;
        std::thread::sleep(PAUSE);
        let now = std::fs::read(log).ok()?;
        if now == before {
            break;
        }
        before = now;
    }
    fault_of(&before)
}

fn fault_of(log: &[u8]) -> Option<Fault> {
    let (header, frames) = log.split_at_checked(HEADER)?;
    let damaged = || (!frames.is_empty()).then_some(Fault::Beginning);
    let big_endian = match word(header, 0) {
        0x377f_0682 => false,
        0x377f_0683 => true,
        _ => return damaged(),
    };
    let mut sum = Sum { a: 0, b: 0, big_endian };
    sum.add(&header[..24]);
    if (sum.a, sum.b) != (word(header, 24), word(header, 28)) {
        return damaged();
    }
    let page = word(header, 8) as usize;
    // Every restart of the log counts up the first salt; the frames of earlier rounds stay behind the new ones.
    let (restarts, salt) = (word(header, 12), word(header, 16));
    let mut frames = frames.chunks_exact(FRAME_HEADER + page).enumerate();
    let bad = frames.find(|(_, frame)| !is_next(frame, &mut sum, &header[16..24]))?;
    let is_left_over = |frame: &[u8]| {
        let before = salt.wrapping_sub(word(frame, 8));
        (1..=restarts).contains(&before) || frame.iter().all(|byte| *byte == 0)
    };
    let of_this_round = std::iter::once(bad).chain(frames).take_while(|(_, frame)| !is_left_over(frame));
    // A transaction that was never committed may end in frames that were not written whole: only a commit is a loss.
    let commits = of_this_round.filter(|(_, frame)| word(frame, 4) != 0).count();
    (commits > 0).then_some(Fault::Frame { n: bad.0 + 1, commits })
}

/// Whether a frame belongs to this round of the log and follows the ones before.
fn is_next(frame: &[u8], sum: &mut Sum, salts: &[u8]) -> bool {
    sum.add(&frame[..8]);
    sum.add(&frame[FRAME_HEADER..]);
    frame[8..16] == *salts && (sum.a, sum.b) == (word(frame, 16), word(frame, 20))
}

/// The running checksum of a log.
struct Sum {
    a: u32,
    b: u32,
    big_endian: bool,
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let word = |at| if self.big_endian { word(pair, at) } else { word(pair, at).swap_bytes() };
            self.a = self.a.wrapping_add(word(0)).wrapping_add(self.b);
            self.b = self.b.wrapping_add(word(4)).wrapping_add(self.a);
        }
    }
}

/// The big-endian number at a place; 0 behind the end.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_be_bytes)
}
