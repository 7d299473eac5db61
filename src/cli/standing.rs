//! The states of all runs of a data folder. Open ones are read on as they grow, and of the latest that were left in the middle it
//! is read once whether they may owe something; no other run's events are read.

use std::collections::{BTreeMap, BTreeSet};

use super::engine::load;
use super::exit::Failure;
use super::place::Places;
use super::runs::{ago, cost_with_doubt, forked, origin, spent, state, state_with, tagged};
use desk::{Clock, SystemClock};
use journal::{JournalError, Reader, RunRow, Tail};
use run::{Money, Run, RunId, Seq, alarm};
use text::Clean;
use tui::{Mark, RunLine, State};

/// Open runs, as far as they are read; the next reading begins where this one ended.
#[derive(Default)]
pub struct Watched {
    open: BTreeMap<RunId, (Run, Tail)>,
    unseen: Unseen,
}

/// The most that stopped runs may owe for calls with an unknown end.
#[derive(Default)]
pub struct Unseen(BTreeMap<RunId, (Seq, Option<Money>)>);

impl Unseen {
    /// The most runs that are read for it: the latest of a list.
    const MOST: usize = 40;

    /// The most that this one may owe; None if all its calls have ended. Read once for each state of the run.
    pub fn of(&mut self, reader: &Reader, row: &RunRow) -> Option<Money> {
        if state(row) != Mark::STOPPED {
            return None;
        }
        match self.0.get(&row.id) {
            Some((head, known)) if *head == row.head => return *known,
            None if self.0.len() >= Self::MOST => return None,
            _ => {}
        }
        // A run that cannot be read is reported where it is opened.
        let (run, _) = load(reader, &row.id).ok()?;
        let known = unseen_in(row, &run);
        self.0.insert(row.id.clone(), (row.head, known));
        known
    }
}

/// The most that a stopped run may owe for calls with an unknown end; None without such calls.
pub fn unseen_in(row: &RunRow, run: &Run) -> Option<Money> {
    let was_left = state(row) == Mark::STOPPED;
    run.unseen().filter(|_| was_left).map(|unseen| unseen.money())
}

impl Watched {
    /// Reads a run on, and returns it.
    pub fn read(&mut self, reader: &Reader, id: &RunId) -> Result<&Run, JournalError> {
        // It is put back only when it was read whole: after a fault it is read from its first event.
        let (mut run, mut tail) = self.open.remove(id).unwrap_or_default();
        reader.events_after(id, &mut tail, |envelope| run.apply(&envelope))?;
        Ok(&self.open.entry(id.clone()).or_insert((run, tail)).0)
    }

    /// Forgets all others.
    pub fn keep<'a>(&mut self, ids: impl Iterator<Item = &'a RunId>) {
        let kept: BTreeSet<&RunId> = ids.collect();
        self.open.retain(|id, _| kept.contains(id));
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
/// The journal cannot be read. A run that cannot be is listed without its texts.
pub fn lines(places: &Places, mut watched: Option<&mut Watched>) -> Result<Vec<RunLine>, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(Vec::new()) };
    let (now, rows) = (SystemClock.now(), reader.runs()?);
    if let Some(watched) = &mut watched {
        watched.keep(rows.iter().filter(|row| is_open(row)).map(|row| &row.id));
    }
    let line = |row: RunRow| {
        let unseen = watched.as_mut().and_then(|watched| watched.unseen.of(&reader, &row));
        let word = state_with(&row, unseen);
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
            cost: run.map_or_else(|| cost_with_doubt(&row, unseen), spent).into(),
            alarm: match unseen {
                Some(owed) if owed > Money::default() => format!("a call is in doubt, up to {owed}").into(),
                Some(_) => "a call is in doubt".into(),
                None => run.and_then(alarm::of).map(|alarm| Clean::line(&alarm)).unwrap_or_default(),
            },
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
