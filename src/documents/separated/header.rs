//! Finds the column names of a table: in its first row, in the last comment line above it, or nowhere.

use super::rows;
use run::cells::{parted, written};

/// The most rows that are compared with the first one, and the fewest.
const SAMPLE: usize = 50;
const LEAST_ROWS: usize = 3;
/// Four digits in this range may be a year, which names a column.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2100;

/// The place of the column names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    FirstRow,
    Comment,
    Nowhere,
}

/// Whether a text begins with a comment sign.
pub(super) fn is_comment(text: &str) -> bool {
    text.trim_start_matches([' ', '\t']).starts_with('#')
}

impl Header {
    /// The place of the names of this table, below these comments.
    pub(super) fn of(comments: &str, table: &str, separator: char) -> Header {
        let has_names = in_comment(comments, table, separator).is_some();
        let is_marked = last(comments).is_some_and(|line| !line.starts_with([' ', '\t']));
        if has_names && is_marked {
            return Header::Comment;
        }
        match (is_like_the_others(table, separator), has_names) {
            (true, true) => Header::Comment,
            (true, false) => Header::Nowhere,
            (false, _) => Header::FirstRow,
        }
    }

    /// The row of names in the last comment line, if they are there.
    pub(super) fn in_comment(self, comments: &str, table: &str, separator: char) -> Option<String> {
        (self == Header::Comment).then(|| in_comment(comments, table, separator)).flatten()
    }
}

/// The text of the last comment line.
fn last(comments: &str) -> Option<&str> {
    comments.lines().rev().find_map(|line| line.trim_start().strip_prefix('#')).map(|line| line.trim_start_matches('#'))
}

/// The cells of the last comment line as a row, if it has as many as the widest of the first rows, with or without blank ones.
fn in_comment(comments: &str, table: &str, separator: char) -> Option<String> {
    let line = last(comments)?;
    let width = rows(table, separator, 1).take(SAMPLE).map(|(_, cells, _)| cells).max()?;
    let (row, cells, _) = rows(line, separator, 1).next()?;
    let named: Vec<&str> = parted(&row).into_iter().map(|(_, cell)| cell).filter(|cell| !cell.is_empty()).collect();
    let row = match () {
        () if width < 2 => return None,
        // Of a column that is called `#`.
        () if cells == width && named.len() + 1 == width && row.starts_with(" | ") => format!("#{row}"),
        () if cells == width => row,
        () if named.len() == width => written(named),
        () => return None,
    };
    Some(row)
}

/// Whether the first row is a row of data: each cell has the shape of its column, and one is a figure.
fn is_like_the_others(table: &str, separator: char) -> bool {
    let mut rows = rows(table, separator, 1).take(SAMPLE + 1).map(|(row, ..)| row);
    let Some(first) = rows.next() else { return false };
    let others: Vec<String> = rows.filter(|row| !row.is_empty()).collect();
    let others: Vec<Vec<&str>> = others.iter().map(|row| cells(row)).collect();
    let first = cells(&first);
    let is_like = |(at, cell): (usize, &&str)| {
        let column = others.iter().filter_map(|row| row.get(at)).filter(|cell| !cell.is_empty());
        let (all, same) =
            column.fold((0, 0), |(all, same), other| (all + 1, same + u32::from(shape(other) == shape(cell))));
        cell.is_empty() || same * 5 >= all * 4 && all > 0
    };
    others.len() >= LEAST_ROWS && first.iter().any(|cell| is_figure(cell)) && first.iter().enumerate().all(is_like)
}

fn cells(row: &str) -> Vec<&str> {
    parted(row).into_iter().map(|(_, cell)| cell).collect()
}

/// Whether a cell is a figure that names no column: it has digits and no letters, and is no year.
fn is_figure(cell: &str) -> bool {
    let is_year = cell.len() == 4 && cell.parse().is_ok_and(|year: u32| YEARS.contains(&year));
    cell.contains(|c: char| c.is_ascii_digit()) && !cell.contains(char::is_alphabetic) && !is_year
}

/// The shape of a cell: a `9` for each run of digits, an `a` for each run of letters, a `-` for each sign. Words have none.
fn shape(cell: &str) -> String {
    let mut shape = String::new();
    if !cell.contains(|c: char| c.is_ascii_digit()) {
        return shape;
    }
    for c in cell.chars() {
        let sign = match c {
            '+' | '-' | '\u{2212}' => '-',
            c if c.is_ascii_digit() => '9',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if !shape.ends_with(sign) || !matches!(sign, '9' | 'a') {
            shape.push(sign);
        }
    }
    shape
}
