//! An opened tool call: its arguments and what it brought back, hits with their passages; or the recorded JSON.

use serde_json::Value;

use crate::overlays::{Form, payload};
use crate::prelude::*;
use crate::screens::everywhere::turned;
use run::transcript::{Call, CallEnd};
use run::{CallId, ToolResult};

#[derive(Clone, Copy, Debug)]
pub struct CallView {
    pub call: CallId,
    pub form: Form,
    pub scroll: usize,
}

pub static SCREEN: Screen = Screen { keys: &payload::KEYS, on, draw, scroll, is_stale, ..Screen::PLAIN };

fn find(run: &Run, id: CallId) -> Option<&Call> {
    run.assignment(id.assignment)?.transcript.calls().find(|call| call.id == id)
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::CallView(CallView { call, form, scroll }) = &mut ui.overlay else { return None };
    match action {
        Action::Next | Action::Previous => {
            let all: Vec<CallId> = run.assignment(call.assignment)?.transcript.calls().map(|call| call.id).collect();
            let at = all.iter().position(|known| known == call).unwrap_or(0);
            *call = all.get(turned(action, at, all.len())).copied().unwrap_or(*call);
            *scroll = 0;
        }
        Action::Form => (*form, *scroll) = (form.other(), 0),
        Action::Copy => {
            let copied = find(run, *call).map(|call| as_json(call).to_string());
            return Some(copied.map(|text| Effect::Copy { what: "the tool call", text }).into_iter().collect());
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    let Overlay::CallView(view) = &mut ui.overlay else { return None };
    Some(&mut view.scroll)
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    matches!(&ui.overlay, Overlay::CallView(view) if find(run, view.call).is_none())
}

fn as_json(call: &Call) -> Clean {
    let recorded = serde_json::json!({ "call": call.id, "request": &*call.request, "result": call.result() });
    // Plain data with string keys: writing it as JSON cannot fail.
    Clean::new(&serde_json::to_string_pretty(&recorded).unwrap_or_default())
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::CallView(CallView { call: id, form, scroll }) = ui.overlay else { return Seen::default() };
    let (Some(call), Some(assignment)) = (find(run, id), run.assignment(id.assignment)) else {
        return Seen::default();
    };
    let dim = theme.style(Scope::Dim);
    let (at, all) = (assignment.transcript.calls().take_while(|known| known.id != id).count() + 1, assignment.calls());
    let title = vec![
        theme.span(flat(&call.request.name).into_owned(), Scope::Title),
        Span::styled(format!("  {}", flat(&run.called(assignment))), dim),
    ];
    let right = Span::styled(format!("{at} of {all}  {}", form.name()), dim);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let cells = usize::from(inner.width);
    let lines = cache.lines(format!("tool call {id} {}", form.name()), run.seq, inner.width, || match form {
        Form::Tree => tree(run, call, cells, theme),
        Form::Raw => rows(&as_json(call), cells, theme.style(Scope::Text), &[]),
    });
    paint::scrolled(buf, inner, &lines, scroll, dim)
}

fn tree(run: &Run, call: &Call, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = vec![theme.line("arguments", Scope::Focus)];
    let branch = |value: &Value, lines: &mut Vec<Line<'static>>| payload::branch(value, 1, cells, theme, lines);
    branch(&serde_json::to_value(&call.request.arguments).unwrap_or_default(), &mut lines);
    let back = match &call.end {
        CallEnd::Returned(result) => {
            result_lines(run, result, cells, theme, &mut lines);
            return lines;
        }
        CallEnd::Failed(why) => (Mark::Failed, format!("failed: {why}")),
        CallEnd::Refused(refusal) => (Mark::Failed, format!("not sent: it would have passed {refusal}")),
        CallEnd::InDoubt => (Mark::NeedsYou, "it was started, and its outcome is unknown".into()),
        CallEnd::Queued => (Mark::Waiting, "waits for room in the budget".into()),
        CallEnd::Pending => (Mark::Running, "under way".into()),
    };
    lines.push(Line::default());
    let wrapped = rows(&back.1, cells.saturating_sub(2), theme.style(Scope::Text), &[]);
    lines.extend(hanging(theme.span(format!("{} ", back.0.symbol()), back.0), wrapped));
    lines
}

/// What came back: of a search the passages that it found, whole where they are stored.
fn result_lines(run: &Run, result: &ToolResult, cells: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
    let text = theme.style(Scope::Text);
    let mut passage = |place: String, headings: &[Clean], words: &str| {
        let above: Vec<&str> = headings.iter().map(Clean::as_str).collect();
        lines.push(Line::default());
        lines.push(Line::from(vec![
            theme.span(place, Scope::Cite),
            theme.span(format!("  {}", flat(&above.join(" › "))), Scope::Dim),
        ]));
        let wrapped = rows(words, cells.saturating_sub(2), text, &[]);
        lines.extend(wrapped.into_iter().map(|mut line| {
            line.spans.insert(0, theme.span("│ ", Scope::Border));
            line
        }));
    };
    match result {
        ToolResult::Hits(hits) => {
            for (n, hit) in hits.hits.iter().enumerate() {
                let stored = run.sources.get(&hit.source.id).and_then(|stored| stored.blocks.get(&hit.block));
                let (line, words) = match stored {
                    Some(block) => (format!(":{}", block.line), &block.text),
                    None => (String::new(), &hit.snippet),
                };
                passage(format!("{}  {}{line}", n + 1, flat(&hit.source.path)), &hit.headings, words);
            }
            if hits.hits.is_empty() {
                lines.push(theme.line("nothing was found", Scope::Dim));
            }
        }
        ToolResult::Excerpt(excerpt) => {
            for block in &excerpt.blocks {
                passage(format!("{}:{}", flat(&excerpt.source.path), block.line), &block.headings, &block.text);
            }
        }
        other => {
            lines.push(theme.line("result", Scope::Focus));
            payload::branch(&serde_json::to_value(other).unwrap_or_default(), 1, cells, theme, lines);
        }
    }
}
