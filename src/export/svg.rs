//! The agents of a run as a tree, a row for each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use run::{Assignment, AssignmentId, Run, describe};

use super::html::{escaped, state};

/// The height of a row, and how far each level stands in.
const ROW: usize = 34;
const STEP: usize = 26;
/// The size of a box.
const WIDE: usize = 420;
const HIGH: usize = 26;
/// The most characters of a label.
const MOST: usize = 48;
/// The most rows; the rest is counted.
pub(super) const MOST_ROWS: usize = 400;

/// The graph of a run as SVG, with a title for readers who cannot see it.
pub(super) fn graph(run: &Run) -> String {
    let mut below: BTreeMap<Option<AssignmentId>, Vec<&Assignment>> = BTreeMap::new();
    for assignment in run.assignments() {
        below.entry(assignment.parent()).or_default().push(assignment);
    }
    let mut rows: Vec<(usize, &Assignment)> = Vec::new();
    let mut to_see: Vec<(usize, &Assignment)> =
        below.get(&None).into_iter().flatten().map(|one| (0, *one)).rev().collect();
    while let Some((depth, one)) = to_see.pop() {
        rows.push((depth, one));
        to_see.extend(below.get(&Some(one.id)).into_iter().flatten().rev().map(|child| (depth + 1, *child)));
    }
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    let deepest = rows.iter().map(|(depth, _)| *depth).max().unwrap_or(0);
    let (width, height) = (deepest * STEP + WIDE + 4, rows.len() * ROW + if left_out > 0 { ROW } else { 4 });
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\"><title>Who handed work to whom</title>"
    );
    let place: BTreeMap<AssignmentId, usize> = rows.iter().zip(0..).map(|((_, one), n)| (one.id, n)).collect();
    for (n, (depth, one)) in rows.iter().enumerate() {
        let (x, y) = (depth * STEP + 2, n * ROW + 2);
        if let Some(above) = one.parent().and_then(|parent| place.get(&parent)) {
            let (from, to) = ((depth - 1) * STEP + 14, y + HIGH / 2);
            let _ = write!(out, "<path d=\"M{from} {} V{to} H{x}\"/>", above * ROW + 2 + HIGH);
        }
        let label: String = describe::name(one).chars().take(MOST).collect();
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{HIGH}\" rx=\"4\"/><text x=\"{}\" y=\"{}\">{} · {}</text>",
            x + 8,
            y + 17,
            escaped(&state(one)),
            escaped(&label)
        );
    }
    if left_out > 0 {
        let _ = write!(out, "<text x=\"8\" y=\"{}\">and {left_out} more</text>", rows.len() * ROW + 20);
    }
    out.push_str("</svg>");
    out
}
