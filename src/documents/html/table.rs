//! HTML tables: a row becomes a block under its header, unless the table is layout.

use super::super::draft::column_names;
use super::element::{Role, leads_on};
use super::reader::Reader;
use run::evidence::BlockKind;
use text::Clean;

#[derive(Default)]
pub(super) struct Table {
    pub(super) header: Option<Clean>,
    /// Cells, each with whether it is a header.
    pub(super) cells: Vec<(String, bool)>,
    pub(super) all_headers: bool,
    pub(super) in_head: bool,
    /// Whether it contains headings or code: then it is layout.
    pub(super) layout: bool,
    pub(super) line: u32,
}

impl Reader {
    pub(super) fn in_cell(&self) -> bool {
        self.tables.last().is_some_and(|table| !table.layout)
            && self.stack.iter().rev().find_map(|open| match open.role {
                Role::Cell(_) => Some(true),
                Role::Table => Some(false),
                _ => None,
            }) == Some(true)
    }

    /// Treats the table as layout because of a heading, code or another table in a cell: its cells become ordinary
    /// text.
    pub(super) fn break_table_open(&mut self) {
        if !self.in_cell() {
            return;
        }
        if let Some(table) = self.tables.last_mut() {
            table.layout = true;
            for (cell, _) in std::mem::take(&mut table.cells) {
                self.draft.push(BlockKind::Paragraph, None, &cell, self.line);
            }
        }
    }

    pub(super) fn end_row(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let cells = std::mem::take(&mut table.cells);
        let is_header = table.all_headers || table.in_head;
        let (header, line) = (table.header.clone(), table.line);
        let cells: Vec<(String, bool)> = cells
            .iter()
            .map(|(cell, header)| (cell.split_whitespace().collect::<Vec<_>>().join(" "), *header))
            .collect();
        let mut filled = cells.iter().filter(|(cell, _)| !cell.is_empty());
        match (filled.next(), filled.next()) {
            (None, _) => return,
            // A single cell is a text box; a lone header is its label ("Note").
            (Some((only, named)), None) if header.is_none() || cells.len() == 1 => {
                if !named {
                    self.draft.push(BlockKind::Paragraph, None, only, line);
                }
                return;
            }
            _ => {}
        }
        let cells: Vec<String> = cells.into_iter().map(|(cell, _)| cell).collect();
        if cells.iter().all(|cell| leads_on(cell)) {
            return;
        }
        if let [name, rest @ ..] = &cells[..]
            && header.is_none()
            && are_of_entry(name, rest)
        {
            return self.begin_entry(name, rest, line);
        }
        let row = cells.join(" | ");
        if is_header && header.is_none() {
            table.header = Some(column_names(&row));
        } else {
            self.draft.push(BlockKind::TableRow, header, &row, line);
        }
    }

    /// Begins the entry of an option: a row with its name, its type, its default and the like.
    fn begin_entry(&mut self, name: &str, known: &[String], line: u32) {
        let level = self.term_level();
        self.draft.close(level);
        self.draft.term(level, name);
        for known in known {
            self.draft.push(BlockKind::KeyValue, None, known, line);
        }
    }
}

/// Whether a row is the head of an entry: a name, and then at least two values, each with its key, "Type: string".
fn are_of_entry(name: &str, values: &[String]) -> bool {
    let has_key = |value: &String| {
        let parts = value.split_once(": ").filter(|(_, value)| !value.is_empty());
        parts.is_some_and(|(key, _)| !key.is_empty() && key.chars().all(char::is_alphabetic))
    };
    !name.is_empty() && !name.contains([' ', ':']) && values.len() >= 2 && values.iter().all(has_key)
}
