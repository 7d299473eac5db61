//! An opened handoff: everything that crossed, as a tree or as the JSON that was recorded.
//!
//! ```text
//! ┌ handoff #3  supervisor → researcher  Qdrant ────────────────── tree ┐
//! │ question                                                            │
//! │ │ text      Compare pgvector, Qdrant and Pinecone                   │
//! │ task                                                                │
//! │ │ title     Qdrant                                                  │
//! └─────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::paint::Wrapped;
use super::{Cache, Scene, paint};
use crate::measure::{flat, rows, width};
use crate::theme::{Scope, Theme};
use crate::ui::{Form, Seen};
use run::{Handoff, HandoffNo};
use text::Clean;

pub fn render(
    buf: &mut Buffer,
    area: Rect,
    scene: Scene<'_>,
    cache: &mut Cache,
    (no, form, scroll): (HandoffNo, Form, usize),
) -> Seen {
    let Scene { run, theme, .. } = scene;
    let Some(handoff) = run.handoff(no) else { return Seen::default() };
    let dim = theme.style(Scope::Dim);
    let title = vec![
        Span::styled(format!("handoff {no}"), theme.style(Scope::Title)),
        Span::styled(format!("  {} → {}  ", flat(&handoff.names.0), flat(&handoff.names.1)), dim),
        Span::styled(flat(&handoff.title).into_owned(), theme.style(Scope::Title)),
    ];
    let form_name = if form == Form::Tree { "tree" } else { "raw" };
    let right = vec![Span::styled(format!("{no} of {}  {form_name}", run.handoffs.len()), dim)];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let name = Wrapped {
        of: format!("payload {no} {form_name} of {:?}", run.opening.as_ref().map(|opening| &opening.run)),
        version: 0,
        width: inner.width,
    };
    let lines = cache.lines(name, || match form {
        Form::Tree => tree(handoff, usize::from(inner.width), theme),
        Form::Raw => raw(handoff, usize::from(inner.width), theme),
    });
    paint::scrolled(buf, inner, &lines, scroll, dim)
}

fn raw(handoff: &Handoff, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    // Plain data with string keys: writing it as JSON cannot fail.
    let text = serde_json::to_string_pretty(handoff).unwrap_or_default();
    rows(&Clean::new(&text), cells, theme.style(Scope::Text), &[])
}

fn tree(handoff: &Handoff, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for part in &handoff.parts {
        let mut value = serde_json::to_value(part).unwrap_or_default();
        if let Value::Object(fields) = &mut value {
            fields.remove("part");
            // `findings: {findings: [...]}` says it once.
            if fields.len() == 1 && matches!(fields.values().next(), Some(Value::Array(_) | Value::Object(_))) {
                value = fields.values().next().cloned().unwrap_or_default();
            }
        }
        let mut heading = vec![Span::styled(part.name().to_string(), theme.style(Scope::Focus))];
        if let Value::Array(items) = &value {
            heading.push(Span::styled(format!("  {}", items.len()), theme.style(Scope::Dim)));
        }
        lines.push(Line::from(heading));
        branch(&value, 1, cells, theme, &mut lines);
    }
    if handoff.parts.is_empty() {
        lines.push(Line::styled("the payload is empty", theme.style(Scope::Dim)));
    }
    lines
}

/// The children of a value, indented by guides.
pub(super) fn branch(value: &Value, depth: usize, cells: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
    match value {
        Value::Object(fields) => {
            let names = fields.keys().map(|name| width(name)).max().unwrap_or(0).min(16);
            for (name, child) in fields {
                entry(&Clean::line(name), names, child, depth, cells, theme, lines);
            }
        }
        Value::Array(items) => {
            let digits = items.len().to_string().len();
            for (n, child) in items.iter().enumerate() {
                entry(&format!("{:>digits$}", n + 1), digits, child, depth, cells, theme, lines);
            }
        }
        scalar => entry("", 0, scalar, depth, cells, theme, lines),
    }
}

fn entry(
    name: &str,
    names: usize,
    value: &Value,
    depth: usize,
    cells: usize,
    theme: &Theme,
    lines: &mut Vec<Line<'static>>,
) {
    let guides = "│ ".repeat(depth.min(cells / 4));
    let (border, dim) = (theme.style(Scope::Border), theme.style(Scope::Dim));
    let branches = match value {
        Value::Object(fields) => !fields.is_empty(),
        // A few ids or words stand in one line.
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array() || plain(item).len() > 40),
        _ => false,
    };
    if branches {
        let count = if let Value::Array(items) = value { format!("  {}", items.len()) } else { String::new() };
        let name = Span::styled(format!("{name}{count}"), dim);
        lines.push(Line::from(vec![Span::styled(guides, border), name]));
        return branch(value, depth + 1, cells, theme, lines);
    }
    let said = match value {
        Value::Array(items) if !items.is_empty() => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::String(text) => Clean::new(text).to_string(),
        Value::Null => "–".into(),
        Value::Array(_) | Value::Object(_) => "(none)".into(),
        other => other.to_string(),
    };
    let lead = width(&guides) + names + 2;
    for (n, line) in
        rows(&said, cells.saturating_sub(lead).max(8), theme.style(Scope::Text), &[]).into_iter().enumerate()
    {
        let head = if n == 0 { format!("{name:<names$}  ") } else { " ".repeat(names + 2) };
        let mut spans = vec![Span::styled(guides.clone(), border), Span::styled(head, dim)];
        spans.extend(line.spans);
        lines.push(Line::from(spans));
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => Clean::line(text).to_string(),
        other => other.to_string(),
    }
}
