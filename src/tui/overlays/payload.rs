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

use crate::keymap::{Action, BACK_TAB, Keys, LEFT, RIGHT, TAB, c, row};
use crate::measure::{flat, rows, width};
use crate::overlays::{Form, Overlay};
use crate::screens::Screen;
use crate::screens::everywhere::turned;
use crate::theme::{Scope, Theme};
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::paint::{self, Wrapped};
use crate::view::{Cache, Scene};
use run::{Handoff, HandoffNo, Run};
use text::Clean;

/// A handoff with its whole payload.
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    /// Which.
    pub no: HandoffNo,
    /// How it is shown.
    pub form: Form,
    /// First line shown.
    pub scroll: usize,
}

/// Keys of an opened handoff, and of an opened exchange.
pub static KEYS: Keys = Keys {
    title: "an opened handoff or exchange",
    groups: &[&[
        row(&[c('t')], Action::Form, Some("tree or raw"), "as a tree, or as the recorded JSON"),
        row(&[c('y')], Action::Copy, Some("copy"), "copy it as JSON"),
        row(&[c('n'), c('l'), RIGHT, TAB], Action::Next, Some("next"), "next handoff or exchange"),
        row(&[c('N'), c('h'), LEFT, BACK_TAB], Action::Previous, None, "handoff or exchange before"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, draw, scroll, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Payload(Payload { no, form, scroll }) = &mut ui.overlay else { return None };
    match action {
        Action::Next | Action::Previous => {
            let at = turned(action, (no.0 as usize).saturating_sub(1), run.handoffs.len());
            *no = HandoffNo(u32::try_from(at + 1).unwrap_or(1));
            *scroll = 0;
            ui.team.handoff = Some(*no);
        }
        Action::Form => (*form, *scroll) = (form.other(), 0),
        Action::Copy => {
            let copied = run.handoff(*no).and_then(|handoff| serde_json::to_string_pretty(&**handoff).ok());
            return Some(copied.map(|text| Effect::Copy { what: "the payload", text }).into_iter().collect());
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    let Overlay::Payload(payload) = &mut ui.overlay else { return None };
    Some(&mut payload.scroll)
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    matches!(&ui.overlay, Overlay::Payload(payload) if run.handoff(payload.no).is_none())
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Payload(Payload { no, form, scroll }) = ui.overlay else { return Seen::default() };
    let Some(handoff) = run.handoff(no) else { return Seen::default() };
    let dim = theme.style(Scope::Dim);
    let title = vec![
        Span::styled(format!("handoff {no}"), theme.style(Scope::Title)),
        Span::styled(format!("  {} → {}  ", flat(&handoff.names.0), flat(&handoff.names.1)), dim),
        Span::styled(flat(&handoff.title).into_owned(), theme.style(Scope::Title)),
    ];
    let form_name = form.name();
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
    for part in handoff.payload.parts() {
        let value = serde_json::to_value(part).unwrap_or_default();
        let mut heading = vec![Span::styled(part.name().to_string(), theme.style(Scope::Focus))];
        if let Value::Array(items) = &value {
            heading.push(Span::styled(format!("  {}", items.len()), theme.style(Scope::Dim)));
        }
        lines.push(Line::from(heading));
        branch(&value, 1, cells, theme, &mut lines);
    }
    if handoff.payload.is_empty() {
        lines.push(Line::styled("the payload is empty", theme.style(Scope::Dim)));
    }
    lines
}

/// The children of a value, indented by guides.
pub fn branch(value: &Value, depth: usize, cells: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
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
