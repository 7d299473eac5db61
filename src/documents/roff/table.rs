//! Tables of tbl(1).

use text::Clean;

use super::super::cells::{column_names, table_row};
use super::control;
use super::escapes::plain;

/// The rows of a table, each with its column names, from the lines between `.TS` and `.TE`.
pub(super) fn rows<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<(Option<Clean>, String)> {
    let mut tab = '\t';
    let mut in_format = true;
    let mut whole: Vec<String> = Vec::new();
    // A cell of several lines stands between "T{" and "T}".
    let mut in_cell = false;
    for line in lines {
        let line = line.trim_end();
        if in_format {
            let given = line.split_once("tab").map(|(_, rest)| rest.trim_start().trim_start_matches('('));
            tab = given.and_then(|rest| rest.chars().next()).unwrap_or(tab);
            in_format = !line.ends_with('.');
            continue;
        }
        let text = control(line).map_or(line, |(_, words)| words);
        match whole.last_mut().filter(|_| in_cell) {
            Some(row) => match line.strip_prefix("T}") {
                Some(after) => row.push_str(after),
                None => row.extend([" ", text]),
            },
            None if matches!(line, "_" | "=" | "") || line.starts_with('.') => continue,
            None => whole.push(line.to_owned()),
        }
        let begins = whole.last().is_some_and(|row| row.ends_with("T{"));
        in_cell = begins || in_cell && !line.starts_with("T}");
        if let Some(row) = whole.last_mut().filter(|_| begins) {
            row.truncate(row.len() - "T{".len());
        }
    }
    let cells = |row: &String| table_row(row.split(tab).map(plain));
    let mut rows = whole.iter().filter(|row| row.contains(tab)).map(cells);
    let Some(header) = rows.next() else { return Vec::new() };
    let intro = column_names(&header);
    let below: Vec<_> = rows.map(|row| (Some(intro.clone()), row)).collect();
    if below.is_empty() { vec![(None, header)] } else { below }
}
