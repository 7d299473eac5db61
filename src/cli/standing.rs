//! The states of all runs of a data folder. Open ones are read on as they grow; no other run's events are read.

use std::collections::{BTreeMap, BTreeSet};

use super::exit::Failure;
use super::place::Places;
use super::runs::{ago, cost, forked, origin, spent, state, tagged};
use desk::{Clock, SystemClock};
use journal::{JournalError, Reader, RunRow, Tail};
use run::{Run, RunId, alarm};
use text::Clean;
use tui::{Mark, RunLine, State};

/// Open runs, as far as they are read; the next reading begins where this one ended.
#[derive(Default)]
pub struct Watched(BTreeMap<RunId, (Run, Tail)>);

impl Watched {
    /// Reads a run on, and returns it.
    pub fn read(&mut self, reader: &Reader, id: &RunId) -> Result<&Run, JournalError> {
        // It is put back only when it was read whole: after a fault it is read from its first event.
        let (mut run, mut tail) = self.0.remove(id).unwrap_or_default();
        reader.events_after(id, &mut tail, |envelope| run.apply(&envelope))?;
        Ok(&self.0.entry(id.clone()).or_insert((run, tail)).0)
    }

    /// Forgets all others.
    pub fn keep<'a>(&mut self, ids: impl Iterator<Item = &'a RunId>) {
        let kept: BTreeSet<&RunId> = ids.collect();
        self.0.retain(|id, _| kept.contains(id));
    }
}

/// Whether a run is at work or waits for the person.
pub fn is_open(row: &RunRow) -> bool {
    row.active || Mark::of_word(state(row)) == Mark::NeedsYou
}

/// The runs of the home screen, those that need the person first. With `watched`, open runs carry their
/// spending against their caps, and their alarm.
///
/// # Errors
/// The journal cannot be read. A run that cannot be is listed without what it says.
pub fn lines(places: &Places, mut watched: Option<&mut Watched>) -> Result<Vec<RunLine>, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(Vec::new()) };
    let (now, rows) = (SystemClock.now(), reader.runs()?);
    if let Some(watched) = &mut watched {
        watched.keep(rows.iter().filter(|row| is_open(row)).map(|row| &row.id));
    }
    let line = |row: RunRow| {
        let word = state(&row);
        let run = watched.as_mut().filter(|_| is_open(&row)).and_then(|watched| watched.read(&reader, &row.id).ok());
        RunLine {
            id: row.id.clone(),
            state: State { mark: Mark::of_word(word), word: word.into() },
            tags: Clean::line(&tagged(&row)),
            question: match origin(&row).or_else(|| forked(&row)) {
                Some(from) => Clean::line(&format!("({from}) {}", row.headline.question)),
                None => row.headline.question.as_str().into(),
            },
            age: ago(now.since(row.touched_at) / 1_000).into(),
            cost: run.map_or_else(|| cost(&row), spent).into(),
            alarm: run.and_then(alarm::of).map(|alarm| Clean::line(&alarm)).unwrap_or_default(),
            is_active: row.active,
        }
    };
    let mut lines: Vec<RunLine> = rows.into_iter().map(line).collect();
    // Those that need the person first, then those at work; each the latest first.
    lines.sort_by_key(|line| match line.state.mark {
        Mark::NeedsYou => 0,
        Mark::Running => 1,
        _ => 2,
    });
    Ok(lines)
}
