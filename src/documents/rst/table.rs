//! Tables drawn with characters: simple (`====  ===`) and grid (`+---+---+`).

use super::super::cells::{column_names, table_row};
use super::{Line, inline};
use text::Clean;

/// The columns between two stops of tabs, as docutils counts them.
const TAB: usize = 8;

pub(super) struct Rows {
    pub(super) header: Option<Clean>,
    pub(super) rows: Vec<(String, u32)>,
    /// The number of lines of the table.
    pub(super) used: usize,
}

/// Reads the table that begins here, if there is one.
pub(super) fn read(lines: &[Line<'_>], margin: usize) -> Option<Rows> {
    let words = lines[0].words();
    if words.starts_with("+-") || words.starts_with("+=") {
        return grid(lines);
    }
    if is_rule(words) { simple(lines, margin) } else { None }
}

/// Whether a line is a rule `===  ====` with at least two columns.
fn is_rule(words: &str) -> bool {
    words.contains("= ") && words.chars().all(|c| c == '=' || c == ' ') && words.starts_with("==")
}

fn simple(lines: &[Line<'_>], margin: usize) -> Option<Rows> {
    let columns = columns(lines[0].text);
    // Two rules frame the header or the whole table; a third one ends it, and so does one above a blank line.
    let rules: Vec<usize> = (1..lines.len())
        .take_while(|at| lines[*at].is_blank() || lines[*at].indent >= margin)
        .filter(|at| is_rule(lines[*at].text.trim()))
        .take(2)
        .collect();
    let ends = |rule: usize| lines.get(rule + 1).is_none_or(Line::is_blank);
    let (header_end, end) = match rules.as_slice() {
        [only] => (0, *only),
        [first, _] if ends(*first) => (0, *first),
        [header, end] if ends(*end) || *end > *header + 1 => (*header, *end),
        _ => return None,
    };
    let mut rows: Vec<(Vec<String>, u32)> = Vec::new();
    let mut header: Option<Vec<String>> = None;
    for (at, line) in lines.iter().enumerate().take(end).skip(1) {
        let dashes = !line.is_blank() && line.text.chars().all(|c| c == '-' || c == ' ');
        if line.is_blank() || dashes || at == header_end {
            continue;
        }
        let cells = cut(line.text, &columns);
        if at < header_end {
            match &mut header {
                Some(header) => append(header, &cells),
                None => header = Some(cells),
            }
        } else if cells.first().is_some_and(String::is_empty) && !rows.is_empty() {
            // A row with an empty first cell continues the row above.
            if let Some((row, _)) = rows.last_mut() {
                append(row, &cells);
            }
        } else {
            rows.push((cells, line.no));
        }
    }
    Some(finish(header, rows, end + 1))
}

fn grid(lines: &[Line<'_>]) -> Option<Rows> {
    let border = lines[0].text;
    let columns: Vec<(usize, usize)> = {
        let marks: Vec<usize> = border.char_indices().filter(|(_, c)| *c == '+').map(|(at, _)| at).collect();
        marks.windows(2).map(|pair| (pair[0] + 1, pair[1])).collect()
    };
    let end = lines.iter().position(|l| l.is_blank() || !l.words().starts_with(['+', '|'])).unwrap_or(lines.len());
    if columns.is_empty() || end < 3 {
        return None;
    }
    let (mut header, mut rows) = (None, Vec::new());
    let mut row: Option<(Vec<String>, u32)> = None;
    for line in &lines[1..end] {
        if line.words().starts_with("+-") || line.words().starts_with("+=") {
            if let Some(done) = row.take() {
                if line.words().starts_with("+=") && header.is_none() && rows.is_empty() {
                    header = Some(done.0);
                } else {
                    rows.push(done);
                }
            }
            continue;
        }
        let cells = framed(line.text, &columns);
        match &mut row {
            Some((row, _)) => append(row, &cells),
            None => row = Some((cells, line.no)),
        }
    }
    rows.extend(row);
    Some(finish(header, rows, end))
}

/// The cells of a line of a grid. One that reaches over the bar between two columns stands in each.
fn framed(line: &str, columns: &[(usize, usize)]) -> Vec<String> {
    let chars = in_columns(line);
    let has_bar = |at: usize| chars.get(at).is_none_or(|c| matches!(c, '|' | '+'));
    let mut cells: Vec<String> = Vec::with_capacity(columns.len());
    while let Some((from, _)) = columns.get(cells.len()) {
        let spanned = &columns[cells.len()..];
        let wide = spanned.iter().position(|(_, to)| has_bar(*to)).map_or(spanned.len(), |more| more + 1);
        let to = if wide == spanned.len() { chars.len() } else { spanned[wide - 1].1 };
        let from = (*from).min(chars.len());
        let text: String = chars[from..to.clamp(from, chars.len())].iter().collect();
        cells.extend(std::iter::repeat_n(text.trim().trim_matches('|').trim().to_owned(), wide));
    }
    cells
}

fn columns(rule: &str) -> Vec<(usize, usize)> {
    let mut columns = Vec::new();
    let mut from = None;
    for (at, c) in rule.char_indices() {
        match (c, from) {
            ('=', None) => from = Some(at),
            (' ', Some(begin)) => {
                columns.push((begin, at));
                from = None;
            }
            _ => {}
        }
    }
    if let Some(begin) = from {
        columns.push((begin, rule.len()));
    }
    columns
}

/// The cells of a line; columns are counted in characters, and the last one is open-ended.
fn cut(line: &str, columns: &[(usize, usize)]) -> Vec<String> {
    let chars = in_columns(line);
    let last = columns.len().saturating_sub(1);
    let cell = |(no, (from, to)): (usize, &(usize, usize))| {
        let to = if no == last { chars.len() } else { *to };
        let from = (*from).min(chars.len());
        chars[from..to.clamp(from, chars.len())].iter().collect::<String>().trim().to_owned()
    };
    columns.iter().enumerate().map(cell).collect()
}

/// The characters of a line, with spaces for its tabs.
fn in_columns(line: &str) -> Vec<char> {
    let mut chars = Vec::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => chars.resize((chars.len() / TAB + 1) * TAB, ' '),
            c => chars.push(c),
        }
    }
    chars
}

fn append(row: &mut [String], more: &[String]) {
    for (cell, more) in row.iter_mut().zip(more).filter(|(_, more)| !more.is_empty()) {
        if !cell.is_empty() {
            cell.push(' ');
        }
        cell.push_str(more);
    }
}

fn finish(header: Option<Vec<String>>, rows: Vec<(Vec<String>, u32)>, used: usize) -> Rows {
    let line = |cells: &[String]| table_row(cells.iter().map(|c| inline::plain(c)));
    Rows {
        header: header.map(|cells| column_names(&line(&cells))),
        rows: rows.iter().map(|(cells, no)| (line(cells), *no)).collect(),
        used,
    }
}
