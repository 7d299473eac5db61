//! Draws the page of a breakpoint: the parts of the standing message, and the selected one whole, with its text before the change.

use super::parts::{self, Row};
use super::values::branch;
use crate::prelude::*;
use run::checkpoint::stop::{Standstill, Stop, What};
use run::transcript::Did;
use run::{Checkpoint, Condition, Subject, describe};

/// Cells of the upper edge besides its words: corners, and blanks around them.
const AROUND: usize = 7;

pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((checkpoint, stop)) = select::stop_page(run) else { return Seen::default() };
    let is_open = checkpoint.answer.is_none();
    let border = theme.style(if is_open { Scope::Focus } else { Scope::Border });
    let met: Vec<String> = stop.met.iter().map(Condition::to_string).collect();
    let title = vec![
        theme.span("breakpoint  ", Scope::Title),
        theme.span(flat(&met.join(" · ")).into_owned(), Scope::NeedsYou),
    ];
    // Its own state goes before that of the others.
    let mut status = status(checkpoint, stop, theme);
    while status.len() > 1 && total_width(&title) + total_width(&status) + AROUND > usize::from(area.width) {
        status.remove(0);
    }
    let inner = paint::panel(buf, area, title, status, border);
    if inner.is_empty() {
        return Seen::default();
    }
    let payloads = stop.payloads();
    let at = ui.stop.one.min(payloads.len().saturating_sub(1));
    let Some(one) = payloads.get(at) else {
        let lines = happened(stop, &calls(run, checkpoint), usize::from(inner.width), theme);
        return paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
    };
    let rows = parts::rows(one.payload);
    let selected = ui.stop.row.min(rows.len().saturating_sub(1));
    let was = put(checkpoint, at);
    let was = was.as_ref().map(parts::rows).unwrap_or_default();

    let room = inner.height.saturating_sub(1);
    let wanted = u16::try_from(rows.len().max(1)).unwrap_or(u16::MAX);
    let detailed = rows.get(selected).map(|row| detail(row, &was, Pen::new(inner.width, theme)).len());
    let least = u16::try_from(detailed.unwrap_or(0) + 1).unwrap_or(u16::MAX).min(room.div_ceil(2));
    // The selected part has as many lines as it needs, up to half of the page; the list has the others.
    let above = if inner.height >= 8 { wanted.min(room - least) } else { room };
    let [head, list, below] = paint::rows(inner, [1, above, room - above]);
    let heading = heading(ends(run, checkpoint, one), one, (at, payloads.len()), theme);
    paint::line(buf, head, &Line::from(fit(heading, usize::from(head.width))));
    let seen = paint::list(buf, list, rows.len(), paint::reveal(list, selected), |buf, row, n| {
        part_row(buf, row, &rows[n], (n == selected, is_changed(&rows[n], &was)), theme);
    });
    paint::more(buf, list, seen.at, seen.most, theme.style(Scope::Dim));
    if rows.is_empty() {
        paint::line(buf, list, &theme.line("it carries nothing", Scope::Dim));
    }
    if let Some(row) = rows.get(selected).filter(|_| below.height > 1) {
        let edge = Rect { x: area.x, y: below.y, width: area.width, height: 1 };
        let changed = is_changed(row, &was);
        let right = theme.span(if changed { "changed by you" } else { "" }, Scope::Person);
        paint::edge(buf, edge, paint::ACROSS, theme.span(row.path.to_string(), Scope::Title), right, border);
        let [_, text] = paint::rows(below, [1, below.height - 1]);
        let lines = detail(row, &was, Pen::new(text.width, theme));
        paint::scrolled(buf, text, &lines, 0, theme.style(Scope::Dim));
    }
    seen
}

/// The payload that stood here before any change.
fn put(checkpoint: &Checkpoint, at: usize) -> Option<run::Payload> {
    let Subject::Stop(put) = &*checkpoint.put else { return None };
    put.payloads().get(at).map(|one| one.payload.clone())
}

fn status(checkpoint: &Checkpoint, stop: &Stop, theme: &Theme) -> Vec<Span<'static>> {
    let others = if stop.others_go_on { "the others go on · " } else { "the others stand · " };
    match &checkpoint.answer {
        Some(answered) => {
            let said = checkpoint.subject.said(&answered.answer).unwrap_or_default();
            vec![theme.span(flat(&said).into_owned(), Scope::Done)]
        }
        None => {
            let stands = match stop.what {
                What::Happened { .. } => "nothing has come of it yet",
                _ => "nothing has crossed",
            };
            vec![theme.span(others, Scope::Dim), theme.span(stands, Scope::NeedsYou)]
        }
    }
}

/// Between which two it stands: "researcher · pgvector → supervisor".
fn ends(run: &Run, checkpoint: &Checkpoint, one: &Standstill<'_>) -> String {
    let by = run.assignment(checkpoint.by).map_or_else(|| one.from.to_string(), describe::name);
    format!("{} → {}", flat(&by), one.to.map_or("you", |to| to.as_str()))
}

fn heading(ends: String, one: &Standstill<'_>, (at, of): (usize, usize), theme: &Theme) -> Vec<Span<'static>> {
    let mut spans = vec![theme.span(ends, Scope::Focus), theme.span(format!("  {}", flat(one.title)), Scope::Title)];
    if let Some(outcome) = one.outcome {
        spans.push(
            theme.span(
                format!("  {} {}", Mark::from(outcome).symbol(), flat(&outcome.to_string())),
                Mark::from(outcome),
            ),
        );
    }
    spans.push(theme.span(format!("  about {} tokens", short(one.payload.tokens())), Scope::Dim));
    if of > 1 {
        let waits = if one.is_met { "" } else { ", waits with it" };
        spans.push(theme.span(format!("  {} of {of}{waits}", at + 1), Scope::Dim));
    }
    if one.is_dropped {
        spans.push(theme.span(format!("  {} dropped", Mark::Cancelled.symbol()), Mark::Cancelled));
    }
    spans
}

fn is_changed(row: &Row, was: &[Row]) -> bool {
    was.iter().find(|was| was.path == row.path).is_none_or(|was| was.value != row.value)
}

fn part_row(buf: &mut Buffer, area: Rect, row: &Row, (selected, changed): (bool, bool), theme: &Theme) {
    let sign = if selected { "▸ " } else { "  " };
    let name = match row.path.item {
        Some(item) => format!("  {:>3}", item + 1),
        None => row.path.part.to_string(),
    };
    let scope = if selected { Scope::Title } else { Scope::Text };
    let mut spans = vec![
        theme.span(sign, Scope::Focus),
        theme.span(format!("{name:<12}"), if row.path.item.is_some() { Scope::Dim } else { Scope::Focus }),
        theme.span(if changed { "✎ " } else { "  " }, Scope::Person),
    ];
    let room = usize::from(area.width).saturating_sub(total_width(&spans));
    spans.push(theme.span(cut(&flat(&row.gist), room).into_owned(), scope));
    paint::line(buf, area, &Line::from(spans));
}

fn detail(row: &Row, was: &[Row], pen: Pen<'_>) -> Vec<Line<'static>> {
    let theme = pen.theme;
    let mut lines = Vec::new();
    branch(&row.value, 0, pen, &mut lines);
    if let Some(was) = was.iter().find(|was| was.path == row.path && was.value != row.value) {
        lines.push(theme.line("as it stood", Scope::Person));
        branch(&was.value, 0, pen, &mut lines);
    }
    lines
}

/// The tool calls that stand, as they would go out.
fn calls(run: &Run, checkpoint: &Checkpoint) -> Vec<String> {
    let by = run.assignment(checkpoint.by).filter(|_| checkpoint.answer.is_none());
    match by.and_then(|by| by.transcript.turns.last()).map(|turn| &turn.did) {
        Some(Did::Tools(calls)) => calls.iter().map(|call| run.shown(&call.request)).collect(),
        _ => Vec::new(),
    }
}

fn happened(stop: &Stop, calls: &[String], cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let What::Happened { seq, says } = &stop.what else { return Vec::new() };
    let mut lines = vec![theme.line(format!("event {seq}"), Scope::Focus)];
    lines.extend(rows(says, cells, theme.style(Scope::Text), &[]));
    for call in calls {
        lines.extend(rows(&flat(call), cells, theme.style(Scope::Focus), &[]));
    }
    let told = "It is on record, and a call has not gone out. A lets the run go on; E H C W go on to the next event, handoff, \
                call, or report of this specialist.";
    lines.push(Line::default());
    lines.extend(rows(told, cells, theme.style(Scope::Dim), &[]));
    lines
}
