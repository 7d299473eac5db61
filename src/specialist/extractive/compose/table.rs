//! A table of the numbers that several of the compared things have.

use std::collections::{BTreeMap, BTreeSet};

use super::Commission;
use super::layout::label;
use run::brief::{Piece, Sentence};
use run::finding::Finding;
use run::id::FindingId;
use run::plan::{Shape, Task};
use text::Clean;

impl Commission<'_> {
    /// A table of numbers that several of the compared things have: a row an item, a column an aspect.
    pub(super) fn table(&self, contested: &BTreeSet<FindingId>) -> Option<(Piece, Vec<FindingId>)> {
        if self.plan.shape != Shape::Comparison {
            return None;
        }
        let mut aspects: Vec<String> = Vec::new();
        let mut cells: BTreeMap<(usize, String), &Finding> = BTreeMap::new();
        for finding in self.findings.iter().filter(|f| !contested.contains(&f.id) && !f.words_of.is_of_person()) {
            let Some((column, row)) = cell_of(finding) else { continue };
            // The things are the columns of their table, or its rows.
            let Some((item, aspect)) = self
                .thing(&column)
                .map(|item| (item, row.clone()))
                .or_else(|| Some((self.thing(&row)?, column.clone())))
            else {
                continue;
            };
            if !finding.quote.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            if !aspects.contains(&aspect) {
                aspects.push(aspect.clone());
            }
            cells.entry((item, aspect)).or_insert(finding);
        }
        aspects.retain(|aspect| cells.keys().filter(|(_, known)| known == aspect).count() >= 2);
        aspects.truncate(5);
        let items: Vec<(usize, &Task)> = self
            .plan
            .tasks
            .iter()
            .enumerate()
            .filter(|(at, _)| cells.keys().any(|(item, aspect)| item == at && aspects.contains(aspect)))
            .collect();
        if aspects.is_empty() || items.len() < 2 {
            return None;
        }
        let mut used = Vec::new();
        let rows = items
            .into_iter()
            .map(|(at, task)| {
                let row = aspects
                    .iter()
                    .map(|aspect| match cells.get(&(at, aspect.clone())) {
                        Some(finding) => {
                            used.push(finding.id);
                            Sentence { text: finding.quote.clone(), cites: vec![finding.id] }
                        }
                        None => Sentence::default(),
                    })
                    .collect();
                (task.title.clone(), row)
            })
            .collect();
        let header = std::iter::once(Clean::default()).chain(aspects.iter().map(|a| a.as_str().into())).collect();
        Some((Piece::Table { label: None, header, rows }, used))
    }

    /// The place in the plan of the thing with this name.
    fn thing(&self, name: &str) -> Option<usize> {
        self.plan.tasks.iter().position(|task| task.topic.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// Whether a finding is a table cell that the table does not show and that says too little alone.
    pub(super) fn is_bare_cell(&self, finding: &Finding) -> bool {
        !finding.words_of.is_of_person()
            && cell_of(finding).is_some()
            && finding.quote.split_whitespace().count() < 5
            && self.plan.shape == Shape::Comparison
    }
}

/// Column and row of a claim that is a table cell: `[pgvector, Max dimensions]: 2,000`.
fn cell_of(finding: &Finding) -> Option<(String, String)> {
    let (column, row) = label(finding)?.split_once(", ")?;
    Some((column.to_string(), row.to_string()))
}
