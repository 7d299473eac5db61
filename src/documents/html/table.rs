//! HTML tables: a row becomes a block under its header, unless the table is layout.

use html5gum::StartTag;

use super::super::cells::{column_names, table_row};
use super::element::{Role, leads_on};
use super::reader::Reader;
use run::evidence::BlockKind;
use text::Clean;

#[derive(Default)]
pub(super) struct Table {
    pub(super) header: Option<Clean>,
    /// Cells, each with whether it is a header.
    cells: Vec<(String, bool)>,
    pub(super) all_headers: bool,
    pub(super) in_head: bool,
    /// Whether it contains headings or code: then it is layout.
    pub(super) layout: bool,
    pub(super) line: u32,
    /// The columns and rows of the open cell.
    pub(super) span: (usize, usize),
    /// The number of cells that the row has itself.
    own: usize,
    /// For each column the cell that reaches down into the next row.
    above: Vec<Option<Above>>,
    /// Bytes of cells that were repeated.
    repeated: usize,
    /// The names of its columns, until a row follows them.
    names: Vec<String>,
}

/// A cell that reaches down.
struct Above {
    text: String,
    is_header: bool,
    /// The rows that it reaches still.
    rows: usize,
}

/// The most columns and rows of a cell, and the most bytes of cells that are repeated in one table: more are mistakes or
/// attacks.
const MOST_COLUMNS: usize = 100;
const MOST_ROWS: usize = 1_000;
const MOST_REPEATED: usize = 256 << 10;

/// The columns and rows of a cell; a `rowspan` of 0 reaches to the end of the table.
pub(super) fn span(tag: &StartTag<usize>) -> (usize, usize) {
    let number = |name: &[u8]| {
        let value = tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).trim().parse::<usize>());
        value.and_then(Result::ok)
    };
    let rows = number(b"rowspan").map_or(1, |rows| if rows == 0 { MOST_ROWS } else { rows.min(MOST_ROWS) });
    (number(b"colspan").unwrap_or(1).clamp(1, MOST_COLUMNS), rows)
}

impl Table {
    /// A table that begins on this line.
    pub(super) fn at(line: u32) -> Table {
        Table { line, ..Table::default() }
    }

    /// Adds a cell to the row: in each column that it spans, behind the cells that reach down.
    pub(super) fn add(&mut self, cell: String, is_header: bool) {
        self.own += 1;
        while let Some((text, is_header)) = self.reaching_down(self.cells.len()) {
            self.cells.push((text, is_header));
        }
        let (columns, rows) = self.span;
        let from = self.cells.len();
        // Beyond the most columns each cell is one.
        for column in from..(from + columns).min(MOST_COLUMNS).max(from + 1) {
            let text = if column == from { cell.clone() } else { self.repeat(&cell) };
            if rows > 1 && column < MOST_COLUMNS {
                self.above.resize_with(self.above.len().max(column + 1), || None);
                self.above[column] = Some(Above { text: text.clone(), is_header, rows: rows - 1 });
            }
            self.cells.push((text, is_header));
        }
    }

    /// The cell that reaches down into this column of the row.
    fn reaching_down(&mut self, column: usize) -> Option<(String, bool)> {
        let mut above = self.above.get_mut(column)?.take()?;
        let cell = (self.repeat(&above.text), above.is_header);
        above.rows -= 1;
        if above.rows > 0 {
            self.above[column] = Some(above);
        }
        Some(cell)
    }

    /// A copy of a cell; empty where too much was repeated.
    fn repeat(&mut self, cell: &str) -> String {
        self.repeated = self.repeated.saturating_add(cell.len());
        if self.repeated <= MOST_REPEATED { cell.to_owned() } else { String::new() }
    }

    /// The cells of the row, and how many of them are its own.
    fn take_row(&mut self) -> (Vec<(String, bool)>, usize) {
        for column in self.cells.len()..self.above.len() {
            let cell = self.reaching_down(column).unwrap_or_default();
            self.cells.push(cell);
        }
        (std::mem::take(&mut self.cells), std::mem::take(&mut self.own))
    }

    /// Takes a header row: names below names are read together.
    fn name_columns(&mut self, row: &[String]) {
        self.names.resize(self.names.len().max(row.len()), String::new());
        for (name, below) in self.names.iter_mut().zip(row) {
            if name.is_empty() {
                name.clone_from(below);
            } else if name != below && !below.is_empty() {
                *name = format!("{name} {below}");
            }
        }
        self.header = Some(column_names(&table_row(&self.names)));
    }
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
        let (cells, own) = table.take_row();
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
            (Some((only, named)), None) if header.is_none() || own <= 1 => {
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
        if is_header && (header.is_none() || !table.names.is_empty()) {
            table.name_columns(&cells);
        } else {
            table.names.clear();
            let row = table_row(&cells);
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
