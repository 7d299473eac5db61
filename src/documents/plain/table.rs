//! Tables drawn with characters: columns that are aligned, or parted by bars.

use super::super::draft::{Draft, column_names};
use super::Line;
use run::evidence::BlockKind;

/// Reads lines whose cells begin in the same columns. Returns whether they are a table.
pub(super) fn read(lines: &[Line<'_>], draft: &mut Draft) -> bool {
    let rows: Vec<(Vec<(usize, &str)>, u32)> = lines
        .iter()
        .filter(|line| !line.words().chars().all(|c| "-=+| \t".contains(c)))
        .map(|line| (cells(line.text), line.no))
        .collect();
    let ruled = rows.len() < lines.len();
    let Some((header, _)) = rows.first() else { return false };
    let columns = header.len();
    if columns < 2 || rows.len() < if ruled { 2 } else { 3 } || rows.iter().any(|(cells, _)| cells.len() != columns) {
        return false;
    }
    let piped = lines.iter().all(|line| line.text.contains('|') || line.words().starts_with('+'));
    let aligned = (1..columns).all(|column| rows.iter().all(|(cells, _)| cells[column].0 == header[column].0));
    if !piped && !aligned {
        return false;
    }
    let row = |cells: &[(usize, &str)]| cells.iter().map(|(_, cell)| *cell).collect::<Vec<_>>().join(" | ");
    let name = |cell: &str| cell.starts_with(char::is_uppercase) && !cell.contains(|c: char| c.is_ascii_digit());
    let names = |cells: &[(usize, &str)]| cells.iter().all(|(_, cell)| name(cell));
    let has_header = ruled || names(header) && !rows[1..].iter().any(|(cells, _)| names(cells));
    let intro = has_header.then(|| column_names(&row(header)));
    for (cells, no) in rows.iter().skip(usize::from(has_header)) {
        draft.push(BlockKind::TableRow, intro.clone(), &row(cells), *no);
    }
    true
}

/// The cells of a line with their columns: separated by bars, tabs, or at least two spaces.
fn cells(line: &str) -> Vec<(usize, &str)> {
    if line.contains('|') {
        return line.trim().trim_matches('|').split('|').map(|cell| (0, cell.trim())).collect();
    }
    let mut cells = Vec::new();
    let mut from: Option<usize> = None;
    let mut gap = 2;
    let mut end = 0;
    for (at, c) in line.char_indices() {
        match c {
            ' ' => gap += 1,
            '\t' => gap += 2,
            _ => {
                if gap >= 2 {
                    if let Some(from) = from {
                        cells.push((from, &line[from..end]));
                    }
                    from = Some(at);
                }
                gap = 0;
                end = at + c.len_utf8();
            }
        }
    }
    if let Some(from) = from {
        cells.push((from, &line[from..end]));
    }
    cells
}
