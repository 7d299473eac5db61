//! An opened handoff: its whole payload, as a tree or as the recorded JSON.

use serde_json::Value;

use crate::overlays::Form;
use crate::prelude::*;
use crate::screens::everywhere::turned;
use run::{Handoff, HandoffNo};

#[derive(Clone, Copy, Debug)]
pub struct Payload {
    pub no: HandoffNo,
    pub form: Form,
    pub scroll: usize,
}

/// Keys of an opened handoff and of an opened exchange.
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
            let copied = run.handoff(*no).map(|handoff| as_json(handoff).to_string());
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
        theme.span(format!("handoff {no}"), Scope::Title),
        Span::styled(format!("  {} → {}  ", flat(&handoff.names.0), flat(&handoff.names.1)), dim),
        theme.span(flat(&handoff.title).into_owned(), Scope::Title),
    ];
    let form_name = form.name();
    let right = Span::styled(format!("{no} of {}  {form_name}", run.handoffs.len()), dim);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let lines = cache.lines(format!("payload {no} {form_name}"), run.seq, inner.width, || match form {
        Form::Tree => tree(handoff, usize::from(inner.width), theme),
        Form::Raw => rows(&as_json(handoff), usize::from(inner.width), theme.style(Scope::Text), &[]),
    });
    paint::scrolled(buf, inner, &lines, scroll, dim)
}

fn as_json(handoff: &Handoff) -> Clean {
    // Plain data with string keys: writing it as JSON cannot fail.
    Clean::new(&serde_json::to_string_pretty(handoff).unwrap_or_default())
}

fn tree(handoff: &Handoff, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for part in handoff.payload.parts() {
        let value = serde_json::to_value(part).unwrap_or_default();
        let mut heading = vec![theme.span(part.name().to_string(), Scope::Focus)];
        if let Value::Array(items) = &value {
            heading.push(theme.span(format!("  {}", items.len()), Scope::Dim));
        }
        lines.push(Line::from(heading));
        branch(&value, 1, cells, theme, &mut lines);
    }
    if handoff.payload.is_empty() {
        lines.push(theme.line("the payload is empty", Scope::Dim));
    }
    lines
}

/// The children of a JSON value, indented by guides.
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
    let wrapped = rows(&said, cells.saturating_sub(lead).max(8), theme.style(Scope::Text), &[]);
    lines.extend(hanging(Span::styled(format!("{name:<names$}  "), dim), wrapped).map(|mut line| {
        line.spans.insert(0, Span::styled(guides.clone(), border));
        line
    }));
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => Clean::line(text).to_string(),
        other => other.to_string(),
    }
}
