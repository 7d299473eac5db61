//! Tables between lines like `|===`: cells begin with a bar, and fall into rows by the number of columns.

use run::evidence::BlockKind;
use text::Clean;

use super::super::cells::{column_names, table_row, without_blank_end};
use super::super::draft::MOST_BLOCKS;
use super::super::separated;
use super::inline::Inline;
use super::line::{Fence, Line};
use super::without_break;

/// The most columns, and the most columns of one cell: more are mistakes in the markup.
const MOST_COLUMNS: usize = 100;
/// The most bytes added to a table by cells that are copied or span several rows.
const MOST_REPEATED: usize = 1 << 20;

struct Cell {
    text: String,
    line: u32,
    copies: usize,
    columns: usize,
    rows: usize,
}

type Row = (BlockKind, Option<Clean>, String, u32);

/// The rows of a table, given by the lines within its fence, each with its column names.
pub(super) fn rows(lines: &[Line<'_>], fence: &str, attributes: &str, inline: &mut Inline) -> Vec<Row> {
    let separator = match fence.chars().next() {
        Some(',') => ',',
        Some(':') => ':',
        _ if attributes.contains("format=csv") || attributes.contains("format=\"csv\"") => ',',
        _ if attributes.contains("format=dsv") || attributes.contains("format=\"dsv\"") => ':',
        _ => '|',
    };
    // A first row with a blank line below it has the names of the columns.
    let is_apart = lines.len() > 2 && !lines[0].is_blank() && lines[1].is_blank() && !attributes.contains("noheader");
    let has_header = is_apart || attributes.contains("header") && !attributes.contains("noheader");
    let rows = match separator {
        '|' => barred(lines, if fence.starts_with('!') { '!' } else { '|' }, attributes, inline),
        _ => {
            let text: String = lines.iter().flat_map(|line| [line.text, "\n"]).collect();
            let first = lines.first().map_or(0, |line| line.no);
            separated::rows(&text, separator, first)
                .map(|(row, cells, no)| (inline.plain(without_blank_end(&row)), cells, no))
                .collect()
        }
    };
    let mut rows = rows.into_iter();
    let header = if has_header && rows.len() > 1 { rows.next() } else { None };
    let header = header.map(|(row, _, _)| column_names(&row));
    let kind = |cells: usize| if cells > 1 { BlockKind::TableRow } else { BlockKind::Paragraph };
    let intro = |cells: usize| header.clone().filter(|_| cells > 1);
    rows.map(|(row, cells, no)| (kind(cells), intro(cells), row, no)).collect()
}

/// The text of each row, its cells parted by bars, with the number of its columns and its line.
fn barred(lines: &[Line<'_>], bar: char, attributes: &str, inline: &mut Inline) -> Vec<(String, usize, u32)> {
    let cells = cells(lines, bar);
    let Some(first) = cells.first() else { return Vec::new() };
    let in_first = cells.iter().take_while(|cell| cell.line == first.line).map(|cell| cell.columns * cell.copies);
    let columns = columns(attributes).unwrap_or_else(|| in_first.sum()).clamp(1, MOST_COLUMNS);
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    // The cells of rows further up that reach down into a column, and for how many rows yet.
    let mut above = vec![(0_usize, String::new()); columns];
    let mut begin = first.line;
    let mut spare = MOST_REPEATED;
    let mut repeated = |text: &str| {
        let kept = if text.len() <= spare { text } else { "" };
        spare -= kept.len();
        kept.to_owned()
    };
    for cell in cells {
        let text = inline.plain(cell.text.trim());
        for copy in 0..cell.copies {
            if rows.len() > MOST_BLOCKS {
                return rows;
            }
            while let Some((left, text)) = above.get_mut(row.len()).filter(|(left, _)| *left > 0) {
                *left -= 1;
                row.push(repeated(text));
                if row.len() >= columns {
                    rows.push((written(&row), columns, begin));
                    row.clear();
                }
            }
            if row.is_empty() {
                begin = cell.line;
            }
            let first = row.len();
            row.push(if copy == 0 { text.clone() } else { repeated(&text) });
            row.resize((first + cell.columns).min(columns), String::new());
            for (at, place) in above[..row.len()].iter_mut().enumerate().skip(first) {
                *place = (cell.rows - 1, if at == first && cell.rows > 1 { text.clone() } else { String::new() });
            }
            if row.len() >= columns {
                rows.push((written(&row), columns, begin));
                row.clear();
            }
        }
    }
    if !row.is_empty() {
        rows.push((written(&row), columns, begin));
    }
    rows
}

fn written(row: &[String]) -> String {
    let filled = row.iter().filter(|cell| !cell.is_empty()).count();
    // A cell alone in its row is a heading over the ones below.
    match row.iter().find(|cell| !cell.is_empty()) {
        Some(only) if filled == 1 => only.clone(),
        _ => table_row(row),
    }
}

fn cells(lines: &[Line<'_>], bar: char) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut is_within = false;
    for line in lines {
        let mut rest = line.text;
        // A table within a cell is read cell by cell.
        let is_fence = rest.starts_with("!==");
        is_within ^= is_fence;
        let within = (is_within && !is_fence).then(|| rest.replace('!', ",").trim_start_matches(',').to_owned());
        rest = within.as_deref().unwrap_or(rest);
        let is_markup = line.fence().is_some_and(|fence| fence != Fence::Table || is_fence)
            || line.attributes().is_some()
            || line.is_comment()
            || line.words() == "+";
        if is_markup {
            continue;
        }
        let mut from = 0;
        while let Some(at) = rest[from..].find(bar).map(|at| from + at) {
            if rest[..at].ends_with('\\') {
                from = at + bar.len_utf8();
                continue;
            }
            let before = &rest[..at];
            let begin = before.rfind([' ', '\t']).map_or(0, |space| space + 1);
            let (text, cell) = match specified(&before[begin..], line.no) {
                Some(cell) => (&before[..begin], cell),
                None => (before, Cell { text: String::new(), line: line.no, copies: 1, columns: 1, rows: 1 }),
            };
            add(&mut cells, text);
            cells.push(cell);
            rest = &rest[at + bar.len_utf8()..];
            from = 0;
        }
        add(&mut cells, rest);
    }
    cells
}

/// Adds a line to the last cell; a list in it loses its markers.
fn add(cells: &mut [Cell], text: &str) {
    let line = Line { text: text.trim(), no: 0 };
    if let Some(cell) = cells.last_mut().filter(|_| !line.is_blank() && line.fence().is_none()) {
        let text = line.item().map_or(line.text, |(_, text)| text);
        cell.text.push(' ');
        cell.text.push_str(without_break(text));
    }
}

/// A cell with the spans, copies, alignment and style before its bar: `2.3+^.>s`.
fn specified(spec: &str, line: u32) -> Option<Cell> {
    let mut cell = Cell { text: String::new(), line, copies: 1, columns: 1, rows: 1 };
    let digits = spec.len() - spec.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (numbers, mut rest) = spec.split_at(digits);
    let (columns, rows) = numbers.split_once('.').unwrap_or((numbers, ""));
    let number = |text: &str| text.parse().unwrap_or(1).clamp(1, MOST_COLUMNS);
    if let Some(after) = rest.strip_prefix('+') {
        (cell.columns, cell.rows, rest) = (number(columns), number(rows), after);
    } else if let Some(after) = rest.strip_prefix('*') {
        (cell.copies, rest) = (number(columns), after);
    } else {
        // A dot alone belongs to the alignment.
        rest = if numbers.bytes().any(|b| b.is_ascii_digit()) { return None } else { spec };
    }
    let style = rest.trim_start_matches(['<', '^', '>', '.']);
    let is_style = matches!(style, "" | "a" | "d" | "e" | "h" | "l" | "m" | "s" | "v");
    (is_style && !spec.is_empty()).then_some(cell)
}

/// The number of columns that the attributes of a table give.
fn columns(attributes: &str) -> Option<usize> {
    let (_, rest) = attributes.split_once("cols=")?;
    let given = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split([',', ']']).next()?,
    };
    if let Ok(number) = given.trim().parse() {
        return Some(number);
    }
    let copies = |column: &str| column.split_once('*').and_then(|(copies, _)| copies.trim().parse().ok()).unwrap_or(1);
    let columns = given.trim_end_matches([',', ';']).split([',', ';']).map(|column| copies(column).min(MOST_COLUMNS));
    Some(columns.take(MOST_COLUMNS).sum::<usize>()).filter(|columns| *columns > 0)
}
