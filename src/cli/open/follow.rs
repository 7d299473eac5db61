//! Follows the files of a run while another program writes them: its new events, for the screens or as lines. It changes no file.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant, SystemTime};

use super::table::Table;
use super::{Found, find, listen, read};
use crate::args::Open;
use crate::exit::{self, Failure};
use crate::lines;
use run::{Envelope, Notice};

/// The least time between two looks at files that are followed.
const EVERY: Duration = Duration::from_millis(500);

/// Files as they were seen last: their paths, sizes and times.
pub(super) type State = Vec<(PathBuf, u64, Option<SystemTime>)>;

pub(super) fn state_of(asked: &Open) -> State {
    let sources = asked.paths.iter().filter_map(|path| find::below(path).ok()).flat_map(|files| files.sources);
    sources.map(|source| (source.path, source.bytes, source.changed)).collect()
}

/// Reads the files again whenever they change, and rests as long as that took; ends when nobody listens. Remarks on the files from
/// the first reading are not repeated.
pub(super) fn follow(
    asked: &Open,
    prices: &Table,
    (mut state, mut known): (State, Vec<Arc<Envelope>>),
    notices: &Sender<Notice>,
) {
    let mut pause = EVERY;
    loop {
        std::thread::sleep(pause);
        let begun = Instant::now();
        let now = state_of(asked);
        if now == state {
            // An empty notice tells whether anybody is there.
            if notices.send(Notice::Committed(Vec::new())).is_err() {
                return;
            }
            continue;
        }
        state = now;
        let read = read(asked, &|_| {});
        let Ok(Found::One(story)) = read else { continue };
        let events = prices.events(*story, &known);
        pause = listen::rest_after(begun.elapsed(), EVERY);
        let notice = news(&known, &events);
        known = events;
        if notice.is_some_and(|notice| notices.send(notice).is_err()) {
            return;
        }
    }
}

/// The new events: those that follow on the known ones, or all of them where an earlier one has changed.
pub(super) fn news(known: &[Arc<Envelope>], now: &[Arc<Envelope>]) -> Option<Notice> {
    // Remarks on the files as a whole are in the first event, and change with each line.
    let same = known.iter().zip(now).skip(1).all(|(a, b)| a == b);
    match (same && known.len() <= now.len(), now.len() - known.len().min(now.len())) {
        (true, 0) => None,
        (true, _) => Some(Notice::Committed(now[known.len()..].to_vec())),
        (false, _) => Some(Notice::Retold(now.to_vec())),
    }
}

pub(super) fn follow_printing(
    asked: &Open,
    prices: &Table,
    state: State,
    events: Vec<Arc<Envelope>>,
) -> Result<u8, Failure> {
    let (notices, inbox) = std::sync::mpsc::channel();
    let mut lines = lines::Lines::default();
    if !lines.print(&events) {
        return Ok(exit::DONE);
    }
    let (asked, prices) = (asked.clone(), prices.clone());
    std::thread::spawn(move || follow(&asked, &prices, (state, events), &notices));
    for notice in inbox {
        let goes_on = match notice {
            Notice::Committed(new) => lines.print(&new),
            // Lines are printed once: of a run that is retold, only the lines since then are printed.
            Notice::Retold(all) => lines.print_after(&all),
            _ => true,
        };
        if !goes_on {
            break;
        }
    }
    Ok(exit::DONE)
}
