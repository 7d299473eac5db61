//! The evidence for the citation in front, beside the brief: finding, passage, and the calls that brought it.

use crate::overlays::{inspector, passage};
use crate::prelude::*;
use crate::view::transcript::Step;
use run::origin::{self, Origin};
use run::transcript::Call;
use run::{Finding, FindingId, ToolResult, describe};

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, findings: &[FindingId]) {
    let Scene { run, theme, .. } = scene;
    let known: Vec<&Finding> = findings.iter().filter_map(|id| select::find(run, *id)).collect();
    let title = theme.span("evidence", Scope::Title);
    let right = passage::at_edge(&known, paint::room_beside(area.width, title.width()), theme);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Border));
    let cells = usize::from(inner.width);
    let mut lines = Vec::new();
    for finding in known {
        if !lines.is_empty() {
            lines.push(theme.line("─".repeat(cells), Scope::Border));
        }
        lines.extend(passage::whole(run, finding, cells, theme));
        lines.push(Line::default());
        lines.extend(way(run, finding, cells, theme));
    }
    if lines.is_empty() {
        lines = rows("This brief cites nothing.", cells, theme.style(Scope::Dim), &[]);
    }
    paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
}

/// The calls that brought the finding into the run, a line for each on its way.
pub fn way(run: &Run, finding: &Finding, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(Origin { by, search, read, reported }) = origin::of(run, finding) else { return Vec::new() };
    let mut said = vec![("found by", flat(&describe::name(by)).into_owned())];
    said.extend(search.map(|call| ("with", run.shown_by(by, &call.request))));
    said.extend(read.map(|call| ("then", lines_read(call).unwrap_or_else(|| run.shown_by(by, &call.request)))));
    said.extend(reported.map(|exchange| {
        let model = flat(&exchange.request.model.to_string()).into_owned();
        ("reported", format!("{} of {model}", describe::nth(exchange.call)))
    }));
    let mut lines = Vec::new();
    for (what, message) in said {
        let wrapped = rows(&flat(&message), cells.saturating_sub(10), theme.style(Scope::Text), &[]);
        lines.extend(hanging(theme.span(format!("{what:<10}"), Scope::Dim), wrapped));
    }
    lines
}

/// The lines of its file that a call has read; None if it read nothing.
fn lines_read(call: &Call) -> Option<String> {
    let Some(ToolResult::Excerpt(excerpt)) = call.result() else { return None };
    let (first, last) = (excerpt.blocks.first()?.line, excerpt.blocks.last()?.line);
    let lines = if first == last { format!("line {first}") } else { format!("lines {first}–{last}") };
    Some(format!("read {}, {lines}", flat(&excerpt.source.path)))
}

/// Opens the last call on the way of a finding, at the quote; the screen in front comes back when it is closed.
pub fn follow(ui: &mut Ui, run: &Run, findings: &[FindingId]) {
    let finding = findings.iter().filter_map(|id| select::find(run, *id)).next();
    let call = finding.and_then(|finding| origin::of(run, finding)).and_then(|origin| origin.last_call());
    match call {
        Some(call) => {
            let step = if select::exchange(run, call).is_some() { Step::Exchange(call) } else { Step::Call(call) };
            // A passage is laid out line by line.
            let quote = finding.and_then(|finding| finding.quote.trim().lines().next()).unwrap_or_default();
            inspector::open_at(ui, run, step, quote);
        }
        None => ui.status = Some("no call brought this: these are your own words".into()),
    }
}
