//! Tables drawn with characters: aligned columns, or columns separated by bars.

use super::super::cells::{column_names, table_row};
use super::super::draft::Draft;
use super::line::columns;
use super::{Line, words_of};
use run::evidence::BlockKind;

/// The marks between columns of a framed table, and the characters of its rules.
const BARS: [char; 4] = ['|', '│', '┃', '║'];
const RULES: &str = "+-=─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋╞╡╪╤╧";

/// The fewest rows of a table without rules: two lines may be alike by chance.
pub(super) const LEAST_ROWS: usize = 3;

/// The lines before, of and behind a framed table that other lines stand right above or below, as a caption does; None if there
/// is no such table.
pub(super) fn parts<'l, 't>(lines: &'l [Line<'t>]) -> Option<[&'l [Line<'t>]; 3]> {
    let is_rule = |line: &Line<'_>| {
        let words = line.words();
        ["+-", "+="].iter().any(|begin| words.starts_with(begin)) && words.ends_with('+') && is_rule(line)
    };
    let first = lines.iter().position(is_rule)?;
    let last = lines.iter().rposition(is_rule)?;
    let (table, below) = lines.split_at(last + 1);
    let (above, table) = table.split_at(first);
    let is_of_table = |line: &Line<'_>| line.words().starts_with(['+', '|']);
    let stands_between = !above.is_empty() || !below.is_empty();
    (stands_between && first < last && table.iter().all(is_of_table)).then_some([above, table, below])
}

/// Whether a line is a rule between the rows of a framed table.
fn is_rule(line: &Line<'_>) -> bool {
    line.words().chars().all(|c| c == ' ' || RULES.contains(c) || BARS.contains(&c))
}

/// Reads lines whose cells begin in the same columns, or are in a frame. Returns whether they are a table.
pub(super) fn read(lines: &[Line<'_>], draft: &mut Draft) -> bool {
    if framed(lines, draft) {
        return true;
    }
    let rows: Vec<(Vec<(usize, &str)>, u32)> = lines
        .iter()
        .filter(|line| !line.words().chars().all(|c| "-=+| \t".contains(c)))
        .map(|line| (cells(line.text), line.no))
        .collect();
    let ruled = rows.len() < lines.len();
    let Some((header, _)) = rows.first() else { return false };
    let columns = header.len();
    if columns < 2
        || rows.len() < if ruled { 2 } else { LEAST_ROWS }
        || rows.iter().any(|(cells, _)| cells.len() != columns)
    {
        return false;
    }
    let piped = lines.iter().all(|line| line.text.contains('|') || line.words().starts_with('+'));
    let aligned = (1..columns).all(|column| rows.iter().all(|(cells, _)| cells[column].0 == header[column].0));
    if !piped && !aligned {
        return false;
    }
    let row = |cells: &[(usize, &str)]| table_row(cells.iter().map(|(_, cell)| *cell));
    let name = |cell: &str| cell.starts_with(char::is_uppercase) && !cell.contains(|c: char| c.is_ascii_digit());
    let names = |cells: &[(usize, &str)]| cells.iter().all(|(_, cell)| name(cell));
    let has_header = ruled || names(header) && !rows[1..].iter().any(|(cells, _)| names(cells));
    let intro = has_header.then(|| column_names(&row(header)));
    for (cells, no) in rows.iter().skip(usize::from(has_header)) {
        draft.push(BlockKind::TableRow, intro.clone(), &row(cells), *no);
    }
    true
}

/// Reads a table in a frame, with rules of its own above and below the header. Rows with other columns than the header are
/// left out if they are the fewer ones.
fn framed(lines: &[Line<'_>], draft: &mut Draft) -> bool {
    let [first, .., last] = lines else { return false };
    if !is_rule(first) || !is_rule(last) {
        return false;
    }
    let groups: Vec<&[Line<'_>]> = lines.split(is_rule).filter(|group| !group.is_empty()).collect();
    let [header, body @ ..] = groups.as_slice() else { return false };
    let Some(bar) = header[0].words().chars().next().filter(|c| BARS.contains(c)) else { return false };
    // If rules part all rows, the lines between two of them are one row.
    let rows: Vec<&[Line<'_>]> = match body {
        [] => return false,
        [one] => one.chunks(1).collect(),
        many => many.to_vec(),
    };
    let columns = |line: &Line<'_>| line.words().matches(bar).count();
    let fits = |row: &&[Line<'_>]| row.iter().all(|line| columns(line) == columns(&header[0]));
    let whole: Vec<&[Line<'_>]> = rows.iter().copied().filter(fits).collect();
    if columns(&header[0]) < 3 || !fits(header) || whole.len() * 2 <= rows.len() {
        return false;
    }
    let intro = column_names(&row_of(header, bar));
    for row in whole {
        draft.push(BlockKind::TableRow, Some(intro.clone()), &row_of(row, bar), row[0].no);
    }
    true
}

/// A row of a framed table, whose cells may continue on the lines below.
fn row_of(lines: &[Line<'_>], bar: char) -> String {
    let mut cells: Vec<String> = Vec::new();
    for line in lines {
        for (at, part) in line.words().trim_matches(bar).split(bar).map(str::trim).enumerate() {
            match cells.get_mut(at) {
                Some(cell) if part.is_empty() || cell.is_empty() => cell.push_str(part),
                Some(cell) => *cell = format!("{cell} {part}"),
                None => cells.push(part.to_owned()),
            }
        }
    }
    table_row(cells.iter().map(|cell| words_of(cell)))
}

/// The cells of a line with their columns: separated by bars, tabs, or at least two spaces.
fn cells(line: &str) -> Vec<(usize, &str)> {
    if line.contains('|') {
        return line.trim().trim_matches('|').split('|').map(|cell| (0, cell.trim())).collect();
    }
    let mut cells = Vec::new();
    let mut from: Option<(usize, usize)> = None;
    let mut gap = 2;
    let mut end = 0;
    for (column, at, c) in columns(line) {
        match c {
            ' ' => gap += 1,
            '\t' => gap += 2,
            _ => {
                if gap >= 2 {
                    if let Some((column, from)) = from {
                        cells.push((column, &line[from..end]));
                    }
                    from = Some((column, at));
                }
                gap = 0;
                end = at + c.len_utf8();
            }
        }
    }
    if let Some((column, from)) = from {
        cells.push((column, &line[from..end]));
    }
    cells
}
