//! Rows of tables as blocks, and the names of their columns.

use run::cells::{CUT_OFF, written};
use text::Clean;

use super::pieces::LONGEST_BLOCK;

/// A row of a table, without the blank cells at its end: most tables have them for their layout only.
pub(super) fn table_row<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    let mut row = written(cells);
    row.truncate(without_blank_end(&row).len());
    row
}

/// A row without the blank cells at its end.
pub(super) fn without_blank_end(row: &str) -> &str {
    row.trim_end_matches(" | ")
}

/// The column names of a table, which introduce each of its rows. If they are too long, [`CUT_OFF`] stands for the last
/// ones.
pub(super) fn column_names(row: &str) -> Clean {
    let names = Clean::line(row);
    if names.len() <= LONGEST_BLOCK {
        return names;
    }
    let begin = &names[..names.floor_char_boundary(LONGEST_BLOCK - " | ".len() - CUT_OFF.len())];
    let whole = begin.rfind(" | ").map_or(begin, |bar| &begin[..bar]);
    Clean::line(&format!("{whole} | {CUT_OFF}"))
}

/// Whether the last column names are left out.
pub(super) fn is_cut_off(names: &str) -> bool {
    names.strip_suffix(CUT_OFF).is_some_and(|kept| kept.ends_with(" | "))
}
