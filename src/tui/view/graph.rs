//! The graph: boxes and lines where they fit, else rows in the manner of `git log --graph`.
//!
//! ```text
//!         ╭──────────────╮             ● supervisor   2 at work
//!         │ ● supervisor │             ├─✓ planner    3 tasks
//!         ╰──────┬───────╯             ├─┬─✓ pgvector 6 findings
//!            ✓ planner                 │ ├─● Qdrant   turn 2/8
//!       ╭────────┼────────╮            │ ╰─○ Pinecone waiting
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Scene, paint};
use crate::run::{AssignmentId, Run};
use crate::tui::graph::{self, Boxes, Graph, Layer, Node, Placed};
use crate::tui::measure::{cut, flat, width};
use crate::tui::select;
use crate::tui::theme::{Scope, Theme};
use crate::tui::ui::{Focus, Seen};

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let style = theme.style(if ui.team.focus == Focus::Graph { Scope::Focus } else { Scope::Border });
    let inner = paint::panel(buf, area, vec![Span::styled("graph", theme.style(Scope::Title))], vec![], style);
    let graph = graph::of(run);
    let front = select::front(ui, run).map(|assignment| assignment.id);
    match graph::layout(&graph, inner.width, inner.height) {
        Some(boxes) => paint_boxes(buf, inner, &boxes, front, theme),
        None => return as_rows(buf, inner, &graph, front, theme),
    }
    Seen { at: 0, most: 0, page: usize::from(inner.height) }
}

/// How many rows the graph takes without boxes.
pub fn rows_needed(run: &Run) -> u16 {
    u16::try_from(graph::of(run).nodes().count()).unwrap_or(u16::MAX)
}

fn paint_boxes(buf: &mut Buffer, area: Rect, boxes: &Boxes<'_>, front: Option<AssignmentId>, theme: &Theme) {
    let top = area.y + (area.height - boxes.height) / 2;
    let line_style = theme.style(Scope::Border);
    for y in 0..boxes.height {
        for x in 0..boxes.width {
            let glyph = boxes.line(x, y).glyph();
            if glyph != " " {
                buf.set_string(area.x + x, top + y, glyph, line_style);
            }
        }
    }
    for placed in &boxes.nodes {
        let at = Rect { x: area.x + placed.area.x, y: top + placed.area.y, ..placed.area }.intersection(area);
        paint_node(buf, at, placed, front.is_some() && placed.node.assignment == front, theme);
    }
}

fn paint_node(buf: &mut Buffer, at: Rect, placed: &Placed<'_>, selected: bool, theme: &Theme) {
    let node = placed.node;
    if !placed.boxed {
        return paint::line(buf, at, &label(node, usize::from(at.width), selected, theme));
    }
    if selected {
        // The border of the pane in front stands out, whatever lines run into it.
        for (x, y) in border(at) {
            buf[(x, y)].set_style(theme.style(Scope::Focus));
        }
    }
    let inner =
        Rect { x: at.x + 2, y: at.y + 1, width: at.width.saturating_sub(4), height: at.height.saturating_sub(2) };
    paint::line(buf, inner, &label(node, usize::from(inner.width), selected, theme));
    if inner.height > 1 {
        let note = cut(&flat(&node.note), usize::from(inner.width)).into_owned();
        let row = Rect { y: inner.y + 1, height: 1, ..inner };
        paint::line(buf, row, &Line::styled(note, theme.style(Scope::Dim)));
    }
}

fn border(at: Rect) -> impl Iterator<Item = (u16, u16)> {
    let edge = move |x: u16, y: u16| x == at.left() || x + 1 == at.right() || y == at.top() || y + 1 == at.bottom();
    (at.top()..at.bottom())
        .flat_map(move |y| (at.left()..at.right()).map(move |x| (x, y)))
        .filter(move |(x, y)| edge(*x, *y))
}

fn label(node: &Node, cells: usize, selected: bool, theme: &Theme) -> Line<'static> {
    let name = cut(&flat(&node.label), cells.saturating_sub(2)).into_owned();
    let style = theme.style(if selected { Scope::Title } else { Scope::Text });
    Line::from(vec![
        Span::styled(format!("{} ", node.mark.symbol()), theme.style(node.mark.scope())),
        Span::styled(name, style),
    ])
}

fn as_rows(buf: &mut Buffer, area: Rect, graph: &Graph, front: Option<AssignmentId>, theme: &Theme) -> Seen {
    let indented = |layer: &Layer| matches!(layer, Layer::Fan(nodes) if nodes.len() > 1);
    let names = graph.nodes().map(|node| width(&node.label)).max().unwrap_or(0).min(usize::from(area.width) / 2);
    let mut heads = Vec::new();
    let mut selected_line = 0;
    for (nth, layer) in graph.layers.iter().enumerate() {
        let nodes = layer.nodes();
        for (n, node) in nodes.iter().enumerate() {
            let last_layer = nth + 1 == graph.layers.len() && n + 1 == nodes.len();
            let lead = match (indented(layer), n, n + 1 == nodes.len()) {
                (false, ..) if nth == 0 => "",
                (false, ..) if last_layer => "╰─",
                (false, ..) => "├─",
                (true, 0, false) => "├─┬─",
                (true, _, true) => "│ ╰─",
                (true, ..) => "│ ├─",
            };
            let selected = node.assignment.is_some() && node.assignment == front;
            if selected {
                selected_line = heads.len();
            }
            let mut spans = vec![Span::styled(lead, theme.style(Scope::Border))];
            spans.extend(label(node, names + 2, selected, theme).spans);
            let taken: usize = spans.iter().map(|span| width(&span.content)).sum();
            heads.push((spans, taken, node));
        }
    }
    // Notes stand in one column, below one another.
    let column = heads.iter().map(|(_, taken, _)| taken + 2).max().unwrap_or(0);
    let lines: Vec<Line<'static>> = heads
        .into_iter()
        .map(|(mut spans, taken, node)| {
            let note = cut(&flat(&node.note), usize::from(area.width).saturating_sub(column)).into_owned();
            spans.push(Span::raw(" ".repeat(column - taken)));
            spans.push(Span::styled(note, theme.style(Scope::Dim)));
            Line::from(spans)
        })
        .collect();
    let from = (selected_line + 1).saturating_sub(usize::from(area.height).max(1));
    paint::scrolled(buf, area, &lines, from, theme.style(Scope::Dim))
}
