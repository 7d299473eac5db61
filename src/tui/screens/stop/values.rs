//! A JSON value as wrapped lines.

use serde_json::Value;

use crate::inspect::in_a_row;
use crate::prelude::*;

/// The children of a JSON value, indented by guides.
pub fn branch(value: &Value, depth: usize, pen: Pen<'_>, lines: &mut Vec<Line<'static>>) {
    match value {
        Value::Object(fields) => {
            let names = fields.keys().map(|name| width(name)).max().unwrap_or(0).min(16);
            for (name, child) in fields {
                entry((&Clean::line(name), names), child, depth, pen, lines);
            }
        }
        Value::Array(items) => {
            let digits = items.len().to_string().len();
            for (n, child) in items.iter().enumerate() {
                entry((&format!("{:>digits$}", n + 1), digits), child, depth, pen, lines);
            }
        }
        scalar => entry(("", 0), scalar, depth, pen, lines),
    }
}

/// A value behind its name, for which there are `names` cells.
fn entry((name, names): (&str, usize), value: &Value, depth: usize, pen: Pen<'_>, lines: &mut Vec<Line<'static>>) {
    let Pen { cells, theme } = pen;
    let guides = "│ ".repeat(depth.min(cells / 4));
    let (border, dim) = (theme.style(Scope::Border), theme.style(Scope::Dim));
    let Some(said) = in_a_row(name.trim(), value) else {
        let count = if let Value::Array(items) = value { format!("  {}", items.len()) } else { String::new() };
        let name = Span::styled(format!("{name}{count}"), dim);
        lines.push(Line::from(vec![Span::styled(guides, border), name]));
        return branch(value, depth + 1, pen, lines);
    };
    let lead = width(&guides) + names + 2;
    let wrapped = rows(&said, cells.saturating_sub(lead).max(8), theme.style(Scope::Text), &[]);
    lines.extend(hanging(Span::styled(format!("{name:<names$}  "), dim), wrapped).map(|mut line| {
        line.spans.insert(0, Span::styled(guides.clone(), border));
        line
    }));
}
