//! Draws the graph of the team: boxes and lines if they fit, else rows as in `git log --graph`.
//!
//! ```text
//!         ╭──────────────╮             ● supervisor   2 at work
//!         │ ● supervisor │             ├─✓ planner    3 tasks
//!         ╰──────┬───────╯             ├─┬─✓ pgvector 6 findings
//!            ✓ planner                 │ ├─● Qdrant   turn 2/8
//!       ╭────────┼────────╮            │ ╰─○ Pinecone waiting
//! ```

use super::Focus;
use crate::graph::{self, Boxes, Graph, Layer, Node, Placed};
use crate::prelude::*;
use run::{AssignmentId, Role};

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let style = theme.style(if ui.team.focus == Focus::Graph { Scope::Focus } else { Scope::Border });
    let inner = paint::panel(buf, area, theme.span("graph", Scope::Title), "", style);
    let graph = graph::of(run, &ui.team.folds);
    let front = in_front(ui, run, &graph);
    match graph::layout(&graph, inner.width, inner.height) {
        Some(boxes) => paint_boxes(buf, inner, &boxes, front, theme),
        None => return as_rows(buf, inner, &graph, front, theme),
    }
    Seen { page: usize::from(inner.height), ..Seen::default() }
}

/// The node of the pane in front, or the folded group that contains it.
fn in_front(ui: &Ui, run: &Run, graph: &Graph) -> Option<AssignmentId> {
    let front = select::front(ui, run)?;
    let shown = |id: &AssignmentId| graph.shown().any(|node| node.assignment == Some(*id));
    let folded = front.task.is_some() || front.role.as_str() == Role::EDITOR;
    let above = std::iter::successors(Some(front.id), |id| run.assignment(*id)?.parent().filter(|_| folded));
    above.into_iter().find(shown)
}

/// The rows of the graph if it is drawn without boxes.
pub fn rows_needed(ui: &Ui, run: &Run) -> u16 {
    u16::try_from(graph::of(run, &ui.team.folds).shown().count()).unwrap_or(u16::MAX)
}

fn paint_boxes(buf: &mut Buffer, area: Rect, boxes: &Boxes<'_>, front: Option<AssignmentId>, theme: &Theme) {
    let top = area.y + (area.height - boxes.height) / 2;
    let line_style = theme.style(Scope::Border);
    for y in 0..boxes.height {
        for x in 0..boxes.width {
            let symbol = boxes.symbol(x, y);
            if symbol != " " {
                buf.set_string(area.x + x, top + y, symbol, line_style);
            }
        }
    }
    for placed in &boxes.nodes {
        let at = Rect { x: area.x + placed.area.x, y: top + placed.area.y, ..placed.area }.intersection(area);
        paint_node(buf, at, placed, front, theme);
    }
}

fn paint_node(buf: &mut Buffer, at: Rect, placed: &Placed<'_>, front: Option<AssignmentId>, theme: &Theme) {
    let node = placed.node;
    let selected = is_front(node, front);
    if !placed.boxed {
        return paint::line(buf, at, &label(node, usize::from(at.width), selected, theme));
    }
    if selected {
        // With the lines that run into it.
        for edge in [Rect { height: 1, ..at }, Rect { width: 1, ..at }] {
            let far = Rect { x: at.right() - edge.width, y: at.bottom() - edge.height, ..edge };
            buf.set_style(edge, theme.style(Scope::Focus));
            buf.set_style(far, theme.style(Scope::Focus));
        }
    }
    let inner =
        Rect { x: at.x + 2, y: at.y + 1, width: at.width.saturating_sub(4), height: at.height.saturating_sub(2) };
    paint::line(buf, inner, &label(node, usize::from(inner.width), selected, theme));
    let members = node.shown();
    let members = &members[1..];
    let mut y = inner.y + 1;
    if usize::from(inner.height) > 1 + members.len() {
        let note = cut(&flat(&node.note), usize::from(inner.width)).into_owned();
        paint::line(buf, Rect { y, height: 1, ..inner }, &theme.line(note, Scope::Dim));
        y += 1;
    }
    for ((depth, member), y) in members.iter().zip(y..inner.bottom()) {
        let indent = u16::try_from(2 * (depth - 1)).unwrap_or(u16::MAX).min(inner.width);
        let row = Rect { x: inner.x + indent, y, width: inner.width - indent, height: 1 };
        paint::line(buf, row, &with_note(member, usize::from(row.width), is_front(member, front), theme));
    }
}

fn is_front(node: &Node, front: Option<AssignmentId>) -> bool {
    node.assignment.is_some() && node.assignment == front
}

/// Label and note in one line: the note at its end if both fit.
fn with_note(node: &Node, cells: usize, selected: bool, theme: &Theme) -> Line<'static> {
    let note = flat(&node.note).into_owned();
    let taken = width(&node.label) + 2;
    let room = cells.saturating_sub(width(&note) + 2);
    let (label_cells, note) = if room >= taken.min(cells / 2) { (room, note) } else { (cells, String::new()) };
    let mut line = label(node, label_cells, selected, theme);
    let gap = cells.saturating_sub(line.width() + width(&note));
    line.spans.push(Span::raw(" ".repeat(gap)));
    line.spans.push(theme.span(note, Scope::Dim));
    line
}

fn label(node: &Node, cells: usize, selected: bool, theme: &Theme) -> Line<'static> {
    let fold = match node.fold {
        Some(fold) if fold.is_open => "▾ ",
        Some(_) => "▸ ",
        None => "",
    };
    let name = cut(&flat(&node.label), cells.saturating_sub(2 + width(fold))).into_owned();
    let style = theme.style(if selected { Scope::Title } else { Scope::Text });
    Line::from(vec![
        theme.span(format!("{} ", node.mark.symbol()), node.mark),
        theme.span(fold, Scope::Border),
        Span::styled(name, style),
    ])
}

struct Row<'a> {
    lead: String,
    node: &'a Node,
}

/// All rows; members of a group are indented below it.
fn rows(graph: &Graph) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (nth, layer) in graph.layers.iter().enumerate() {
        let nodes = layer.nodes();
        let indented = matches!(layer, Layer::Fan(nodes) if nodes.len() > 1);
        for (n, node) in nodes.iter().enumerate() {
            let (last, last_layer) = (n + 1 == nodes.len(), nth + 1 == graph.layers.len());
            let lead = match (indented, n) {
                (false, _) if nth == 0 => "",
                (false, _) if last_layer && last => "╰─",
                (false, _) => "├─",
                (true, 0) => "├─┬─",
                (true, _) if last => "│ ╰─",
                (true, _) => "│ ├─",
            };
            rows.push(Row { lead: lead.into(), node });
            let below = if last { "│   " } else { "│ │ " };
            members(&mut rows, node, if indented { below } else { "│ " });
        }
    }
    rows
}

fn members<'a>(rows: &mut Vec<Row<'a>>, node: &'a Node, before: &str) {
    for (n, member) in node.members.iter().enumerate() {
        let last = n + 1 == node.members.len();
        rows.push(Row { lead: format!("{before}{}", if last { "╰─" } else { "├─" }), node: member });
        members(rows, member, &format!("{before}{}", if last { "  " } else { "│ " }));
    }
}

/// Lays out only the visible rows: a plan may have thousands.
fn as_rows(buf: &mut Buffer, area: Rect, graph: &Graph, front: Option<AssignmentId>, theme: &Theme) -> Seen {
    let rows = rows(graph);
    let selected = rows.iter().position(|row| is_front(row.node, front)).unwrap_or(0);
    let page = usize::from(area.height);
    let most = rows.len().saturating_sub(page);
    let at = paint::reveal(area, selected).min(most);
    let seen = &rows[at..rows.len().min(at + page)];
    let fold = |node: &Node| if node.fold.is_some() { 2 } else { 0 };
    let names = seen.iter().map(|row| width(&row.node.label) + fold(row.node)).max().unwrap_or(0);
    let names = names.min(usize::from(area.width) / 2);
    let heads: Vec<(Vec<Span<'static>>, usize, &Node)> = seen
        .iter()
        .map(|Row { lead, node }| {
            let mut spans = vec![theme.span(lead.clone(), Scope::Border)];
            spans.extend(label(node, names + 2, is_front(node, front), theme).spans);
            let taken = total_width(&spans);
            (spans, taken, *node)
        })
        .collect();
    // Notes are aligned in one column.
    let column = heads.iter().map(|(_, taken, _)| taken + 2).max().unwrap_or(0);
    for ((mut spans, taken, node), row) in heads.into_iter().zip(area.rows()) {
        let note = cut(&flat(&node.note), usize::from(area.width).saturating_sub(column)).into_owned();
        spans.push(Span::raw(" ".repeat(column - taken)));
        spans.push(theme.span(note, Scope::Dim));
        paint::line(buf, row, &Line::from(spans));
    }
    paint::more(buf, area, at, most, theme.style(Scope::Dim));
    Seen { at, most, page, ..Seen::default() }
}
