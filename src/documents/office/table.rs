//! A table while its cells are read. A row becomes a block below the names of its columns.

use super::super::cells::{column_names, table_row};
use super::super::draft::Draft;
use run::evidence::BlockKind;
use text::Clean;

/// The most columns that are distinguished: more are mistakes, or repeated to fill a page.
pub(super) const MOST_COLUMNS: usize = 100;
/// The most bytes of a cell that names a column in a row that nothing marks as a header.
const LONGEST_NAME: usize = 60;

/// Whether a row has the names of the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Header {
    #[default]
    No,
    /// By its letters, or by the table's design, which most programs add to every table.
    Perhaps,
    Yes,
}

#[derive(Default)]
pub(super) struct Table {
    /// Whether its cells are ordinary text: it has one column, or contains other tables.
    pub(super) is_layout: bool,
    columns: usize,
    cells: Vec<String>,
    /// The number of cells that the row has itself, however wide.
    own: usize,
    pub(super) in_cell: bool,
    rows: usize,
    /// The column in which the next cell begins.
    column: usize,
    /// The text of the cells above that may continue in further rows.
    above: Vec<String>,
    /// The first row with its line, until another row follows.
    first: Option<(String, u32)>,
    header: Option<Clean>,
}

impl Table {
    /// Adds columns before the first row.
    pub(super) fn add_columns(&mut self, count: usize) {
        self.columns = self.columns.saturating_add(count);
    }

    pub(super) fn begin_cell(&mut self) {
        self.is_layout |= self.columns == 1;
        self.in_cell = true;
        self.own += 1;
        self.cells.push(String::new());
    }

    /// Adds text to the cell.
    pub(super) fn say(&mut self, text: &str) {
        if let Some(cell) = self.cells.last_mut() {
            cell.push_str(text);
            cell.push(' ');
        }
    }

    /// Ends a cell of this many columns. `reaches_down` if it continues the one above.
    pub(super) fn end_cell(&mut self, columns: usize, reaches_down: bool, spare: &mut usize) {
        self.in_cell = false;
        let Some(cell) = self.cells.last_mut() else { return };
        *cell = cell.split_whitespace().collect::<Vec<_>>().join(" ");
        let (from, to) = (self.column, self.column.saturating_add(columns.max(1)).min(MOST_COLUMNS));
        self.column = to;
        if from >= MOST_COLUMNS || self.is_layout {
            return;
        }
        if self.above.len() < to {
            self.above.resize(to, String::new());
        }
        if reaches_down {
            let text = &self.above[from];
            if text.len() <= *spare {
                *spare -= text.len();
                cell.clone_from(text);
            }
        } else {
            self.above[from].clone_from(cell);
        }
        // The cells that a wide one covers are blank.
        self.cells.resize(self.cells.len() + to - from - 1, String::new());
    }

    pub(super) fn end_row(&mut self, header: Header, line: u32, draft: &mut Draft) {
        let (cells, own) = (std::mem::take(&mut self.cells), std::mem::take(&mut self.own));
        self.column = 0;
        self.rows += 1;
        let mut filled = cells.iter().filter(|cell| !cell.is_empty());
        match (filled.next(), filled.next()) {
            (None, _) => return,
            // A single cell is a text box, or stands above the rows that it is about.
            (Some(only), None) if own == 1 || self.header.is_none() && self.first.is_none() => {
                return draft.push(BlockKind::Paragraph, None, only, line);
            }
            _ => {}
        }
        let row = table_row(&cells);
        let is_named = match header {
            Header::Yes => true,
            Header::Perhaps => {
                self.rows == 1
                    && cells[1..].iter().all(|cell| is_name(cell))
                    && (cells[0].is_empty() || is_name(&cells[0]))
            }
            Header::No => false,
        };
        if is_named && self.header.is_none() && self.first.is_none() {
            self.first = Some((row, line));
            return;
        }
        if let Some((names, _)) = self.first.take() {
            self.header = Some(column_names(&names));
        }
        draft.push(BlockKind::TableRow, self.header.clone(), &row, line);
    }

    /// Drops the cells of the row.
    pub(super) fn drop_row(&mut self) {
        self.cells.clear();
        (self.column, self.own) = (0, 0);
    }

    /// Makes the cells of the row ordinary text, as far as they were read.
    pub(super) fn break_open(&mut self, line: u32, draft: &mut Draft) {
        self.settle(draft);
        self.is_layout = true;
        for cell in std::mem::take(&mut self.cells) {
            draft.push(BlockKind::Paragraph, None, &cell, line);
        }
    }

    /// Writes a row of column names without rows below it.
    pub(super) fn settle(&mut self, draft: &mut Draft) {
        if let Some((row, line)) = self.first.take() {
            draft.push(BlockKind::TableRow, None, &row, line);
        }
    }
}

/// Whether a cell may name its column.
fn is_name(cell: &str) -> bool {
    cell.len() <= LONGEST_NAME && cell.chars().any(char::is_alphabetic) && !cell.ends_with(['.', ':', ';', ','])
}
