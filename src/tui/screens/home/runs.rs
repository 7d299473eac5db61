//! The list below: earlier runs as far as a filter leaves them, the example, the drills.

use std::ops::ControlFlow::{Break, Continue};

use super::{Ask, Choice, HomeUi, Step};
use crate::mark::State;
use crate::prelude::*;
use run::RunId;
use run::search::Wanted;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLine {
    pub id: RunId,
    pub state: State,
    pub question: Clean,
    /// Its tags: "#databases #2026".
    pub tags: Clean,
    /// The time since its last event: "2 h".
    pub age: Clean,
    /// Spent of the cap, where there is one: "$0.042 / $0.50".
    pub cost: Clean,
    /// A reason to look at it: it waits for the person, or nears a cap; empty without one.
    pub alarm: Clean,
    /// Whether a process works on it: its state may change.
    pub is_active: bool,
}

/// A row of the list below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Run(usize),
    Example,
    Drills,
    Drill(usize),
}

impl HomeUi {
    /// The rows of the list: runs that the filter leaves, the example where there is none, the drills.
    pub fn entries(&self) -> Vec<Entry> {
        let wanted = self.filter.as_ref().map_or_else(Wanted::default, |field| Wanted::new(&field.text()));
        let holds = |run: &RunLine| {
            let row = format!("{} {} {}", run.question, run.tags, run.id).to_lowercase();
            let text = self.texts.get(&run.id);
            wanted.all(|word| row.contains(word) || text.is_some_and(|text| text.has(word)))
        };
        let shown = |n: &usize| !self.deleted.contains(&self.runs[*n].id) && holds(&self.runs[*n]);
        let mut entries: Vec<Entry> = (0..self.runs.len()).filter(shown).map(Entry::Run).collect();
        if !wanted.is_empty() {
            return entries;
        }
        if self.runs.is_empty() {
            entries.push(Entry::Example);
        }
        if self.shows_drills {
            entries.extend((0..self.drills.len()).map(Entry::Drill));
        } else if !self.drills.is_empty() {
            entries.push(Entry::Drills);
        }
        entries
    }

    pub(super) fn entry(&self) -> Option<Entry> {
        self.entries().get(self.selected).copied()
    }

    pub(super) fn run(&self) -> Option<&RunLine> {
        let Some(Entry::Run(n)) = self.entry() else { return None };
        self.runs.get(n)
    }

    /// Whether the state of a listed run may change without the person.
    pub fn is_watching(&self) -> bool {
        self.runs.iter().any(|run| run.is_active)
    }

    /// Asks for the runs as they are now, if one may have changed.
    pub fn watch(&mut self) {
        if self.is_watching() {
            self.look_again();
        }
    }

    /// Asks for the runs as they are now, unless an answer is still to come.
    pub fn look_again(&mut self) {
        if !self.waits() {
            self.wants(Ask::Runs);
        }
    }

    /// Takes in the runs as they are now. The selected row stays selected, wherever it is now.
    pub(super) fn renew(&mut self, runs: Vec<RunLine>) {
        let (entry, id) = (self.entry(), self.run().map(|run| run.id.clone()));
        self.runs = runs;
        let entries = self.entries();
        let is_it = |other: &Entry| match (&id, other) {
            (Some(id), Entry::Run(n)) => self.runs[*n].id == *id,
            (Some(_), _) => false,
            (None, other) => Some(*other) == entry,
        };
        let last = entries.len().saturating_sub(1);
        self.selected = entries.iter().position(is_it).unwrap_or(self.selected.min(last));
    }

    pub(super) fn compare(&mut self) -> Step {
        let Some(run) = self.run().cloned() else { return Continue(None) };
        match self.beside.take() {
            Some(first) if first != run.id => return Break(Choice::Compare(first, run.id)),
            Some(_) => self.status = Some("compared with none".into()),
            None => {
                self.status = Some(Clean::line(&format!("{} is compared with: choose another run, then c", run.id)));
                self.beside = Some(run.id);
            }
        }
        Continue(None)
    }
}
