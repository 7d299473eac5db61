//! Draws the panes: one for each assignment, with its own transcript, following its end.

use super::Focus;
use crate::graph::{progress, rank};
use crate::mark;
use crate::prelude::*;
use crate::view::transcript;
use run::{Assignment, AssignmentId, Cap};

/// An open pane has at least its title and this many lines.
const LEAST_LINES: u16 = 4;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let border = theme.style(Scope::Border);
    let Some(front) = select::front(ui, run) else {
        let inner = paint::panel(buf, area, theme.span("specialists", Scope::Title), "", border);
        before_work(buf, inner, scene);
        return Seen::default();
    };
    let alone = ui.team.zoomed;
    let shown = heights(run, front.id, area.height.saturating_sub(1), alone);
    let mut seen = Seen::default();
    let mut y = area.y;
    for (n, (assignment, height)) in shown.iter().enumerate() {
        let focused = assignment.id == front.id && ui.team.focus == Focus::Panes;
        let style = theme.style(if focused { Scope::Focus } else { Scope::Border });
        let row = Rect { y, height: 1, ..area };
        let lines =
            Rect { x: area.x + 2, y: y + 1, width: area.width.saturating_sub(4), height: height.saturating_sub(1) };
        let whole = Rect { y, height: *height, ..area }.intersection(area);
        paint::sides(buf, whole, style);
        let ends = if n == 0 { paint::TOP } else { paint::ACROSS };
        let state = state(scene, assignment, row.width);
        paint::edge(buf, row, ends, title(assignment, focused, theme), state, style);
        if lines.height > 0 {
            let wrapped = lines_of(run, assignment, lines.width, theme, cache);
            let from = ui.team.scrolled.get(&assignment.id).copied().unwrap_or(usize::MAX);
            let (waits, streamed) = in_progress(scene, assignment, lines.width, cache);
            let parts = [&wrapped[..], &waits[..], streamed];
            let this = paint::scrolled_parts(buf, lines, &parts, from, theme.style(Scope::Dim));
            if assignment.id == front.id {
                seen = this;
            }
        }
        y += height;
        if n + 1 == shown.len() {
            paint::edge(buf, Rect { y, height: 1, ..area }.intersection(area), paint::BOTTOM, "", "", style);
        }
    }
    seen
}

/// Before any assignment: the progress of reading the sources, or why they could not be read.
fn before_work(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, theme, .. } = scene;
    let (text, dim) = (theme.style(Scope::Text), theme.style(Scope::Dim));
    let mut lines = match (&ui.desk, ui.reading) {
        (Desk::Stopped(Some(why)), _) => rows(why, usize::from(area.width), theme.style(Scope::Warning), &[]),
        (Desk::Stopped(None), _) => vec![Line::styled("no work on this run has started", dim)],
        (Desk::Working, None) => vec![Line::styled("reading the sources", text)],
        (Desk::Working, Some((done, total))) => {
            vec![Line::styled(format!("reading the sources: {done} of {total} files"), text)]
        }
    };
    if let (Desk::Working, Some((done, total))) = (&ui.desk, ui.reading) {
        let bar = usize::from(area.width).saturating_sub(2).min(40);
        let full = usize::try_from(u128::from(done.min(total)) * bar as u128 / u128::from(total.max(1))).unwrap_or(bar);
        lines.push(Line::from(vec![
            Span::styled("▕", dim),
            theme.span("█".repeat(full), Scope::Spent),
            theme.span("░".repeat(bar - full), Scope::Free),
            Span::styled("▏", dim),
        ]));
    }
    paint::scrolled(buf, area, &lines, 0, dim);
}

/// The panes with their heights, titles included; together they fill the room.
fn heights(run: &Run, front: AssignmentId, room: u16, alone: bool) -> Vec<(&Assignment, u16)> {
    let all: Vec<&Assignment> = run.assignments.iter().collect();
    let place = all.iter().position(|a| a.id == front).unwrap_or(0);
    if alone || room <= LEAST_LINES + 2 {
        return all.get(place).map(|a| (*a, room)).into_iter().collect();
    }
    // Open besides the one in front: those at work, as long as each has room for a few lines.
    let most_titles = usize::from(room - LEAST_LINES - 1);
    let from = place.saturating_sub(most_titles / 2).min(all.len().saturating_sub(most_titles));
    let window: Vec<&Assignment> = all.into_iter().skip(from).take(most_titles).collect();
    let titles = u16::try_from(window.len()).unwrap_or(room);
    let mut spare = room - titles;
    let mut open = vec![front];
    for assignment in &window {
        let works = assignment.ended.is_none() && assignment.id != AssignmentId::ROOT && run.ended().is_none();
        let share = spare / (u16::try_from(open.len()).unwrap_or(1) + 1);
        if works && assignment.id != front && share >= LEAST_LINES {
            open.push(assignment.id);
        }
    }
    let count = u16::try_from(open.len()).unwrap_or(1);
    let share = spare / count;
    let mut shown = Vec::new();
    for assignment in window {
        let lines = match open.contains(&assignment.id) {
            false => 0,
            true if assignment.id == front => share + spare.saturating_sub(share * count).min(spare % count),
            true => share,
        };
        shown.push((assignment, 1 + lines));
    }
    spare = room.saturating_sub(shown.iter().map(|(_, height)| height).sum());
    if let Some((_, height)) = shown.iter_mut().find(|(assignment, _)| assignment.id == front) {
        *height += spare;
    }
    shown
}

fn title(assignment: &Assignment, focused: bool, theme: &Theme) -> Vec<Span<'static>> {
    let style = theme.style(if focused { Scope::Title } else { Scope::Text });
    let mut spans = vec![Span::styled(text::Clean::line(assignment.role.as_str()).to_string(), style)];
    if let Some(subject) = assignment.subject() {
        spans.push(Span::styled(format!(" · {}", flat(subject)), style));
    }
    spans
}

/// Below the recorded lines: what the open model call waits for or how far it is, and its streamed text.
fn in_progress<'a>(
    scene: Scene<'_>,
    assignment: &Assignment,
    width: u16,
    cache: &'a mut Cache,
) -> (Vec<Line<'static>>, &'a [Line<'static>]) {
    let Scene { ui, theme, .. } = scene;
    let Some((exchange, progress)) = select::live(ui, assignment) else { return (Vec::new(), &[]) };
    let waiting = theme.style(Scope::Waiting);
    let mut lines = Vec::new();
    if let Some(wait) = &progress.waits {
        // The line above it says that it waits.
        let message = wait.in_words(ui.now);
        lines.extend(
            rows(&flat(&message), usize::from(width).saturating_sub(4), waiting, &[]).into_iter().map(indented),
        );
    }
    if let Some(goes_on) = &progress.goes_on {
        lines.push(indented(theme.line(goes_on.to_string(), Scope::Dim)));
    }
    if progress.streamed.gone > 0 {
        let message = format!("… {} before this", paint::bytes(progress.streamed.gone));
        lines.push(indented(theme.line(message, Scope::Dim)));
    }
    if progress.streamed.text.is_empty() {
        return (lines, &[]);
    }
    let name = (exchange.call, exchange.attempts.len());
    (lines, cache.tail(name, &progress.streamed, width, theme.style(Scope::Text)))
}

fn indented(line: Line<'static>) -> Line<'static> {
    let text = line.spans.into_iter().map(|span| span.patch_style(line.style));
    std::iter::once(Span::raw("    ")).chain(text).collect()
}

/// A pane of at least this width shows the context size of a role that delegates.
const ROOM_FOR_CONTEXT: u16 = 56;
/// The most cells of a title for the reason why a call waits.
const MOST_WAIT: usize = 26;

fn state(scene: Scene<'_>, assignment: &Assignment, width: u16) -> Vec<Span<'static>> {
    let Scene { ui, run, theme, .. } = scene;
    let mark = mark::shown(ui, run, assignment);
    let wait = stall::of(ui, run, assignment);
    let (mark, word) = match (mark, wait) {
        (Mark::Limited, Some(wait)) => (mark, format!("{}{}", cut(&flat(&wait.why), MOST_WAIT), wait.left(ui.now))),
        (Mark::Running | Mark::Waiting, None) if run.waits_for_room(assignment, ui.now) => {
            (Mark::Waiting, "waits for room in the budget".into())
        }
        (Mark::Running, None) if assignment.id == AssignmentId::ROOT => (mark, run.phase().word().into()),
        (Mark::Running, None) => (mark, progress(run, assignment)),
        _ => (mark, mark.word().into()),
    };
    let account = run.ledger.assignment(assignment.id);
    let mut spans = vec![theme.span(format!("{} {word}", mark.symbol()), mark)];
    if let Some(rank) = rank(assignment) {
        spans.push(theme.span(format!("  {rank}"), Scope::Person));
    }
    if account.spent.tokens() > 0 {
        spans.push(theme.span(format!("  {} tok", short(account.spent.tokens())), Scope::Dim));
    }
    if run.is_imported() {
        // The part of it that is not known is shown as such.
        if account.spent.get(Cap::Calls) > 0 {
            spans.push(theme.span(format!("  {}", assignment.pricing), Scope::Dim));
        }
    } else if account.spent.money().0 > 0 {
        spans.push(theme.span(format!("  {}", account.spent.money()), Scope::Dim));
    }
    // Spending of a role that delegates includes its assignments'; its context is its own.
    let leads = run.opening.as_ref().is_some_and(|opening| opening.team.delegates(&assignment.role));
    if leads && width >= ROOM_FOR_CONTEXT {
        let of = run.model_of(assignment).and_then(|model| model.context);
        let of = of.map(|of| format!(" of {}", short(of))).unwrap_or_default();
        let holds = format!("  context {}{of} tok", short(assignment.transcript.context()));
        spans.push(theme.span(holds, Scope::Dim));
    }
    spans
}

fn lines_of(
    run: &Run,
    assignment: &Assignment,
    width: u16,
    theme: &Theme,
    cache: &mut Cache,
) -> std::sync::Arc<Vec<Line<'static>>> {
    cache.lines(format!("transcript {}", assignment.id), assignment.changed, width, || {
        transcript::lines(run, assignment, usize::from(width), theme)
    })
}
