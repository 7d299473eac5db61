//! Draws the inspector: the lines around the place where the person stands, and no others.

use super::{Form, Inspector};
use crate::inspect::subject::{self, Heading};
use crate::inspect::{Cursor, Kind, Node, Shape, Sheet};
use crate::prelude::*;
use crate::view::transcript::Step;

pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Overlay::Inspector(open) = &scene.ui.overlay else { return Seen::default() };
    page(buf, area, scene, open)
}

/// The page of something that is inspected, also below a box.
pub fn page(buf: &mut Buffer, area: Rect, scene: Scene<'_>, open: &Inspector) -> Seen {
    let Scene { run, theme, .. } = scene;
    let Some(heading) = subject::heading(run, open.what) else { return Seen::default() };
    paint::clear(buf, area, theme.style(Scope::Text));
    let (title, right) = edge(open, heading, usize::from(area.width), theme);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let cells = usize::from(inner.width);
    let height = usize::from(inner.height);
    let (lines, is_above, is_below) = open.sheet.window(height, cells);
    let mut shaped: Option<(usize, Shape)> = None;
    for (row, at) in inner.rows().zip(lines) {
        let shape = match shaped.take() {
            Some((node, shape)) if node == at.node => shape,
            _ => open.sheet.shape(at.node, cells),
        };
        line(buf, row, &open.sheet, at, &shape, theme);
        if !open.words.is_empty() {
            paint::light(buf, row, &open.words, theme.style(Scope::CiteFocus));
        }
        if at == open.sheet.at && open.form != Form::Raw {
            paint::select(buf, row, theme);
        }
        shaped = Some((at.node, shape));
    }
    let at = usize::from(is_above);
    let most = at + usize::from(is_below);
    paint::more(buf, inner, at, most, theme.style(Scope::Dim));
    Seen { at, most, page: height, cells, ..Seen::default() }
}

/// The words at the left and at the right of the upper edge.
fn edge(open: &Inspector, heading: Heading, cells: usize, theme: &Theme) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let dim = theme.style(Scope::Dim);
    let mut title = Vec::new();
    title.extend(heading.mark.map(|mark| theme.span(format!("{} ", mark.symbol()), mark)));
    title.push(theme.span(heading.name, Scope::Title));
    title.push(Span::styled(format!("  {}", heading.route), dim));
    if !heading.title.is_empty() {
        title.push(theme.span(format!("  {}", heading.title), Scope::Title));
    }
    let mut right = Vec::new();
    if !open.words.is_empty() {
        let (at, of) = open.sheet.found();
        let found = if of == 0 { "not found".to_string() } else { format!("{at} of {of}") };
        right.push(theme.span(format!("/{} {found}  ", cut(&open.words, 16)), Scope::Key));
    }
    if open.tokens > 0 && cells >= 100 {
        right.push(Span::styled(format!("~{} tokens, estimated  ", short(open.tokens)), dim));
    }
    let (at, of) = heading.place;
    let kind = match open.what {
        Step::Handoff(_) => "handoff",
        Step::Refused(..) => "refused",
        Step::Call(_) | Step::Exchange(_) => "call",
    };
    right.push(Span::styled(format!("{kind} {at} of {of}  {}", open.form.name()), dim));
    (title, right)
}

/// One line of a row.
fn line(buf: &mut Buffer, area: Rect, sheet: &Sheet, at: Cursor, shape: &Shape, theme: &Theme) {
    let Some(node) = sheet.node(at.node) else { return };
    let cells = usize::from(area.width);
    let own = usize::from(shape.is_named_above);
    let lines = own + shape.text.len();
    if let Some(range) = at.line.checked_sub(lines).and_then(|n| shape.from.get(n)) {
        let says = node.from.as_ref().and_then(|from| from.says.get(range.clone())).unwrap_or_default();
        let arrow = if at.line == lines { "← " } else { "  " };
        let spans = vec![Span::raw(" ".repeat(shape.indent + 2)), theme.span(format!("{arrow}{says}"), Scope::Cite)];
        return paint::line(buf, area, &Line::from(fit(spans, cells)));
    }
    let mut spans = Vec::new();
    let is_first = at.line == 0;
    if is_first {
        spans.push(Span::raw(" ".repeat(shape.indent)));
        spans.extend(sign(node, sheet.is_folded(at.node), theme));
        spans.push(name(node, theme));
    } else {
        spans.push(Span::raw(" ".repeat(shape.lead)));
    }
    if node.below > 0 {
        beside(node, &sheet.tree().says(at.node), sheet.is_folded(at.node), &mut spans, theme);
    } else if let Some(range) = at.line.checked_sub(own).and_then(|n| shape.text.get(n)) {
        let gap = shape.lead.saturating_sub(total_width(&spans));
        spans.push(Span::raw(" ".repeat(gap)));
        value(node, range.clone(), &mut spans, theme);
    }
    match node.tokens.filter(|_| is_first && cells > 24) {
        Some(tokens) => {
            let right = theme.span(format!("~{} tok", short(tokens)), Scope::Dim);
            paint::line(buf, area, &justified(spans, vec![right], cells));
        }
        None => paint::line(buf, area, &Line::from(fit(spans, cells))),
    }
}

fn sign(node: &Node, is_folded: bool, theme: &Theme) -> Option<Span<'static>> {
    let (sign, scope) = match node.kind {
        Kind::Line | Kind::Gap => return None,
        Kind::Gone => ("- ", Scope::Failed),
        Kind::New => ("+ ", Scope::Done),
        _ if node.below == 0 => ("  ", Scope::Dim),
        _ if is_folded => ("▸ ", Scope::Key),
        _ => ("▾ ", Scope::Key),
    };
    Some(theme.span(sign, scope))
}

fn name(node: &Node, theme: &Theme) -> Span<'static> {
    theme.span(node.name.clone(), if node.kind == Kind::Part { Scope::Focus } else { Scope::Dim })
}

/// The text beside the name of a row that has others below it: of a folded one, the words that say most of it.
fn beside(node: &Node, says: &str, is_folded: bool, spans: &mut Vec<Span<'static>>, theme: &Theme) {
    if !node.note.is_empty() {
        spans.push(theme.span(format!("  {}", flat(&node.note)), Scope::Dim));
    }
    // Words that are read in full below are not said twice; an item is known by its words.
    if (is_folded || node.kind == Kind::Item && !node.text.is_empty()) && !says.is_empty() && says != node.note {
        spans.push(theme.span(format!("  {}", flat(says)), Scope::Text));
    }
}

fn value(node: &Node, range: std::ops::Range<usize>, spans: &mut Vec<Span<'static>>, theme: &Theme) {
    let scope = match node.kind {
        Kind::Gone => Scope::Failed,
        Kind::New => Scope::Done,
        Kind::Gap | Kind::Same => Scope::Dim,
        _ => Scope::Text,
    };
    let style = theme.style(scope);
    let lit = node.lit.start as usize..node.lit.end as usize;
    let (from, to) = (lit.start.clamp(range.start, range.end), lit.end.clamp(range.start, range.end));
    let pieces = [(range.start..from, style), (from..to, style.underlined().bold()), (to..range.end, style)];
    for (range, style) in pieces {
        if let Some(text) = node.text.get(range).filter(|text| !text.is_empty()) {
            spans.push(Span::styled(flat(text).into_owned(), style));
        }
    }
}

/// All of it as plain text, as a file with changes is.
pub fn plain(sheet: &Sheet) -> String {
    let line = |node: &Node| {
        let sign = match node.kind {
            Kind::Gone => "-",
            Kind::New => "+",
            Kind::Gap => "@@ ",
            _ => " ",
        };
        format!("{sign}{}\n", node.text)
    };
    sheet.tree().nodes().iter().map(line).collect()
}
