//! Draws the panes: one for each assignment, with its own transcript, following its end.

use std::cell::OnceCell;
use std::sync::Arc;

use super::Focus;
use crate::graph::{progress, rank, short_titles, times, within};
use crate::mark;
use crate::overlays::finding::places;
use crate::prelude::*;
use crate::spot::Spot;
use crate::view::growing::Grown;
use crate::view::paint::Wrapped;
use crate::view::sheet::Window;
use crate::view::transcript::{self, Source};
use run::progress::Saying;
use run::{Assignment, AssignmentId, Cap, Role, forecast};

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
    let shown = heights(ui, run, front.id, area.height.saturating_sub(1), alone);
    let short = run.plan.as_deref().map(|plan| short_titles(&plan.tasks)).unwrap_or_default();
    let mut seen = Seen::default();
    let mut y = area.y;
    for (n, (assignment, height)) in shown.iter().enumerate() {
        let is_front = assignment.id == front.id;
        let pane = Pane { assignment, is_front, focused: is_front && ui.team.focus == Focus::Panes };
        let style = theme.style(if pane.focused { Scope::Focus } else { Scope::Border });
        let row = Rect { y, height: 1, ..area };
        let lines =
            Rect { x: area.x + 2, y: y + 1, width: area.width.saturating_sub(4), height: height.saturating_sub(1) };
        let whole = Rect { y, height: *height, ..area }.intersection(area);
        cache.mark(whole, Spot::Pane(assignment.id));
        paint::sides(buf, whole, style);
        let ends = if n == 0 { paint::TOP } else { paint::ACROSS };
        let short = assignment.task.and_then(|task| short.get(&task)).map(|short| &**short);
        let (mut title, state) = pane.heading(scene, short, row.width);
        if lines.height > 0 {
            let this = pane.transcript(buf, lines, scene, cache);
            if is_front && !ui.team.find.is_empty() {
                title.push(theme.span(format!("  {}", places(&ui.team.find, ui.team.found, this.found)), Scope::Key));
            }
            if is_front {
                seen = this;
            }
        }
        paint::edge(buf, row, ends, title, state, style);
        y += height;
        if n + 1 == shown.len() {
            let more = run.assignments().len() - shown.len();
            let more = if more == 0 || alone { String::new() } else { format!("{more} more") };
            let below = Rect { y, height: 1, ..area }.intersection(area);
            paint::edge(buf, below, paint::BOTTOM, "", theme.line(more, Scope::Dim), style);
        }
    }
    seen
}

/// A pane: an assignment, and whether it is the one in front, with the keys or without.
#[derive(Clone, Copy)]
struct Pane<'a> {
    assignment: &'a Assignment,
    is_front: bool,
    focused: bool,
}

impl Pane<'_> {
    /// Its title and its state. The whole name goes before the spending, and the distinguishing part before a cut name.
    fn heading(self, scene: Scene<'_>, short: Option<&str>, cells: u16) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let whole = self.title(scene, None);
        let least = short.map_or_else(|| total_width(&whole), |short| total_width(&self.title(scene, Some(short))));
        let state = state(scene, self.assignment, cells, least);
        let room = usize::from(cells).saturating_sub(total_width(&state) + AROUND_TITLE);
        let title = match short.filter(|_| total_width(&whole) > room) {
            Some(short) => {
                let cells = (room + width(short)).saturating_sub(least);
                self.title(scene, Some(&within(self.assignment.title(), short, cells)))
            }
            None => whole,
        };
        (title, state)
    }

    /// Draws its transcript below the title; returns the part that shows, and the places found in it if it is in front.
    fn transcript(self, buf: &mut Buffer, lines: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
        let Scene { ui, run, theme, .. } = scene;
        let assignment = self.assignment;
        let growing = in_progress(scene, assignment, lines.width, cache);
        let source = Source::new(run, assignment, ui.team.shape, usize::from(lines.width), theme);
        let sheet = cache.sheet((assignment.id, lines.width, ui.team.shape));
        sheet.follow(&source);
        let found = if self.is_front { sheet.found(&source, &ui.team.find) } else { Vec::new() };
        let step = ui.team.steps.get(&assignment.id).filter(|_| self.is_front);
        let selected = step.and_then(|n| sheet.step(&source, *n));
        let page = usize::from(lines.height);
        let at_match = ui.team.found.checked_sub(1).and_then(|n| found.get(n % found.len().max(1)).copied());
        let scrolled = ui.team.scrolled.get(&assignment.id);
        let from = match at_match.or(selected) {
            Some(line) => Some(line.saturating_sub(page / 3)),
            None => scrolled.map(|scrolled| scrolled.from),
        };
        let window = sheet.window(&source, from, page, growing.iter().map(|part| part.len()).sum());
        let this = written(buf, lines, &window, &growing, theme);
        let above = window.parts.first().map_or(0, |(begins, _)| sheet.steps_above(&source, *begins));
        if let Some(line) = selected.filter(|_| self.focused) {
            mark(buf, lines, this.at, line, theme);
        }
        light(buf, lines, this.at, &found, &ui.team.find, theme);
        let new = scrolled.and_then(|scrolled| scrolled.of).map_or(0, |of| this.lines.saturating_sub(of));
        if new > 0 && this.at < this.most {
            new_below(buf, lines, new, theme);
        }
        let step = match (at_match, scrolled) {
            (Some(line), _) => sheet.steps_above(&source, line + 1).checked_sub(1),
            (None, Some(_)) => Some(sheet.steps_above(&source, this.at)),
            (None, None) => None,
        };
        let found_above = found.iter().filter(|line| **line < this.at).count();
        mark_steps(lines, assignment.id, &window, above, cache);
        Seen { pane: Some(assignment.id), step, found_above, found: found.len(), ..this }
    }

    fn title(self, scene: Scene<'_>, name: Option<&str>) -> Vec<Span<'static>> {
        let Scene { ui, run, theme, .. } = scene;
        let assignment = self.assignment;
        let style = theme.style(if self.focused { Scope::Title } else { Scope::Text });
        let mut spans = vec![Span::styled(text::Clean::line(assignment.role.as_str()).to_string(), style)];
        let keeps = |assignment: &'_ Assignment| {
            assignment.role.as_str() == Role::MEMORY && assignment.transcript.handoff.payload.findings.is_some()
        };
        // As the graph names it.
        let subject = |assignment: &'_ Assignment| match keeps(assignment) {
            true => Some("keep".to_owned()),
            false => assignment.subject().map(str::to_owned),
        };
        let own = subject(assignment);
        if let Some(subject) = name.or(own.as_deref()) {
            spans.push(Span::styled(format!(" · {}", flat(subject)), style));
        }
        // No two panes have one name: repeated work is counted, as in the graph.
        let is_like = |other: &&Assignment| other.role == assignment.role && subject(other) == own;
        let before = run.assignments().take_while(|other| other.id != assignment.id).filter(is_like);
        let times = times(run, &before.chain([assignment]).collect::<Vec<_>>());
        if !times.is_empty() {
            spans.push(theme.span(format!(" {times}"), Scope::Dim));
        }
        if ui.team.pinned.contains(&assignment.id) {
            spans.push(theme.span("  pinned", Scope::Person));
        }
        if self.focused && ui.team.shape.tab != transcript::Tab::Transcript {
            spans.push(theme.span(format!("  {}", ui.team.shape.tab.name()), Scope::Key));
        }
        if self.focused && ui.team.shape.raw {
            spans.push(theme.span("  raw", Scope::Key));
        }
        spans
    }
}

/// Says in the last row how many lines have come below it.
fn new_below(buf: &mut Buffer, area: Rect, new: usize, theme: &Theme) {
    let words = format!(" ▾ {} below ", count(new, "new line"));
    let wide = u16::try_from(width(&words)).unwrap_or(0).min(area.width);
    let at = Rect { x: area.right() - wide, y: area.bottom() - 1, width: wide, height: 1 };
    paint::line(buf, at, &theme.line(words, Scope::NeedsYou));
}

/// Marks the rows of the steps in sight; `above` steps begin above the first block that is shown.
fn mark_steps(area: Rect, id: AssignmentId, window: &Window, above: usize, cache: &mut Cache) {
    let mut above = above;
    for (begins, laid) in &window.parts {
        let shown = window.at.max(*begins)..(window.at + usize::from(area.height)).min(begins + laid.lines.len());
        for (line, row) in shown.clone().zip(area.rows().skip(shown.start.saturating_sub(window.at))) {
            let before = above + laid.steps.iter().filter(|step| begins + **step <= line).count();
            if let Some(step) = before.checked_sub(1) {
                cache.mark(row, Spot::Step(id, step));
            }
        }
        above += laid.steps.len();
    }
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
fn heights<'a>(ui: &Ui, run: &'a Run, front: AssignmentId, room: u16, alone: bool) -> Vec<(&'a Assignment, u16)> {
    let all: Vec<&Assignment> = run.assignments().collect();
    let place = all.iter().position(|a| a.id == front).unwrap_or(0);
    if alone || room <= LEAST_LINES + 2 {
        return all.get(place).map(|a| (*a, room)).into_iter().collect();
    }
    // Editors have little to show while their members work.
    let leads = |a: &Assignment| run.opening.as_ref().is_some_and(|opening| opening.team.delegates(&a.role));
    let is_at_work =
        |a: &Assignment| matches!(mark::shown(ui, run, a), Mark::Running | Mark::Limited | Mark::NeedsYou) && !leads(a);
    let window = titled(&all, place, usize::from(room / 2), |a| is_at_work(a) || ui.team.pinned.contains(&a.id));
    // Open besides the one in front: those at work, as long as each has room for a few lines.
    let titles = u16::try_from(window.len()).unwrap_or(room);
    let mut spare = room - titles;
    let mut open = vec![front];
    for assignment in &window {
        let works = assignment.ended.is_none() && !leads(assignment) && run.ended().is_none();
        let works = works || ui.team.pinned.contains(&assignment.id);
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

/// Those whose titles are shown where not all are: those at work, nearest to the one in front first, and then its neighbours. In the
/// order of all.
fn titled<'a>(
    all: &[&'a Assignment],
    front: usize,
    most: usize,
    is_first: impl Fn(&Assignment) -> bool,
) -> Vec<&'a Assignment> {
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.sort_by_key(|at| (*at != front && !is_first(all[*at]), at.abs_diff(front)));
    places.truncate(most.max(1));
    places.sort_unstable();
    places.into_iter().map(|at| all[at]).collect()
}

/// Marks the first line of the selected step.
fn mark(buf: &mut Buffer, area: Rect, at: usize, line: usize, theme: &Theme) {
    let Some(row) = line.checked_sub(at).and_then(|row| area.rows().nth(row)) else { return };
    buf.set_style(row, theme.style(Scope::Selected));
}

/// Writes the visible part of a transcript, and of the answer that grows below it.
fn written(buf: &mut Buffer, area: Rect, window: &Window, growing: &[Wrapped], theme: &Theme) -> Seen {
    let area = area.intersection(buf.area);
    let blocks = window.parts.iter().map(|(begins, laid)| (*begins, &laid.lines[..]));
    let growing = growing.iter().scan(window.below, |begins, part| {
        let this = (*begins, &part[..]);
        *begins += part.len();
        Some(this)
    });
    for (begins, lines) in blocks.chain(growing) {
        let (from, down) = (window.at.saturating_sub(begins), begins.saturating_sub(window.at));
        for (line, row) in lines.iter().skip(from).zip(area.rows().skip(down)) {
            buf.set_line(row.x, row.y, line, row.width);
        }
    }
    paint::more(buf, area, window.at, window.most, theme.style(Scope::Dim));
    let page = usize::from(area.height);
    Seen { at: window.at, most: window.most, page, lines: window.lines, ..Seen::default() }
}

/// Lights the searched words in the lines that are shown.
fn light(buf: &mut Buffer, area: Rect, at: usize, found: &[usize], wanted: &str, theme: &Theme) {
    for row in found.iter().filter_map(|line| area.rows().nth(line.checked_sub(at)?)) {
        paint::light(buf, row, wanted, theme.style(Scope::CiteFocus));
    }
}

/// The reason why work waits for room though its caps are not used up: the rest of the cap that the budget line shows, the amount
/// that it needs, and
/// the work that the rest is kept for. At a cap the dialog has these figures.
fn no_room(run: &Run, assignment: &Assignment) -> String {
    if run.waits_at_cap().is_some() {
        return "you are asked to raise the cap, or to finish with what there is".into();
    }
    let kind = if run.ledger.run().limits.money().is_some() { Cap::Money } else { Cap::Tokens };
    let Some(free) = run.ledger.free().cap(kind) else { return WAITS_FOR_ROOM.into() };
    let others = run.ledger.allotted().filter(|id| *id != assignment.id);
    let kept: Vec<(u64, AssignmentId)> =
        others.map(|id| (run.ledger.assignment(id).kept().get(kind), id)).filter(|(kept, _)| *kept > 0).collect();
    let opening = run.opening.as_ref();
    let member = opening.and_then(|opening| opening.team.members.get(&assignment.role));
    let needs = member.zip(opening).map(|(member, opening)| {
        let needs = forecast::in_full(&assignment.role, member, opening.words).get(kind);
        format!(", {} are needed so that nothing is cut short", kind.written(needs))
    });
    let needs = needs.unwrap_or_default();
    let free = format!("{} of the {kind} is free{needs}", kind.written(free));
    let names =
        kept.iter().filter_map(|(_, id)| run.assignment(*id)).map(|one| one.subject().unwrap_or(one.role.as_str()));
    match &names.map(flat).collect::<Vec<_>>()[..] {
        [] => free,
        names => {
            let sum = kept.iter().map(|(kept, _)| kept).sum();
            format!("{free}, and {} is kept for {}", kind.about(sum), names.join(", "))
        }
    }
}

/// Below the recorded lines: the wait or the progress of the open model call, its thoughts, and its words. In parts, so that only
/// the visible ones are copied.
fn in_progress(scene: Scene<'_>, assignment: &Assignment, cells: u16, cache: &mut Cache) -> Vec<Wrapped> {
    let Scene { ui, theme, .. } = scene;
    let (mut parts, mut lines): (Vec<Wrapped>, Vec<Line<'static>>) = Default::default();
    if let Some(stall) = stall::of(ui, scene.run, assignment) {
        let words = format!("{} {}", Mark::Limited.symbol(), stall.in_words(ui.now));
        let wrapped = rows(&words, usize::from(cells).saturating_sub(2), theme.style(Scope::Limited), &[]);
        lines.extend(wrapped.into_iter().map(indented));
    }
    if mark::shown(ui, scene.run, assignment) == Mark::Waiting && mark::waits_for_room(assignment, scene.run) {
        let words = format!("{} {}", Mark::Waiting.symbol(), no_room(scene.run, assignment));
        let wrapped = rows(&words, usize::from(cells).saturating_sub(2), theme.style(Scope::Limited), &[]);
        lines.extend(wrapped.into_iter().map(indented));
    }
    let Some((exchange, progress)) = select::live(ui, assignment) else { return vec![Arc::new(lines)] };
    let heard = &progress.heard;
    let says = [(&heard.answer, Saying::Answer), (&heard.arguments, Saying::Arguments)];
    let has_begun = says.iter().any(|(said, _)| !said.text.is_empty());
    if let Some(goes_on) = &progress.goes_on {
        lines.push(indented(how_far(goes_on, theme)));
    }
    let attempt = exchange.attempts.len();
    if !heard.thought.text.is_empty() {
        let size = heard.thought.gone + heard.thought.text.len();
        if has_begun && !ui.team.shape.thoughts {
            let words = format!("▸ thought, {} (T unfolds it)", paint::bytes(size));
            lines.push(indented(theme.line(words, Scope::Dim)));
        } else {
            // While nothing else has come, the end of its thinking shows that it goes on.
            const MOST: usize = 8;
            let thought =
                cache.tail((exchange.call, attempt, Saying::Thought), &heard.thought, cells, theme.style(Scope::Dim));
            if ui.team.shape.thoughts {
                parts.extend([Arc::new(std::mem::take(&mut lines)), thought]);
            } else {
                lines.extend(thought[thought.len().saturating_sub(MOST)..].iter().cloned());
            }
        }
    }
    for (said, what) in says.into_iter().filter(|(said, _)| !said.text.is_empty()) {
        let name = (exchange.call, attempt, what);
        let grown = if ui.team.shape.raw {
            let lines = cache.tail(name, said, cells, theme.style(Scope::Text));
            Grown { before: said.gone, counted: None, lines }
        } else {
            let names = OnceCell::new();
            let path = |id: &str| {
                let known = names.get_or_init(|| transcript::names(assignment)).get(&run::SourceId(id.into()));
                known.map_or_else(|| id.to_string(), |path| flat(path).into_owned())
            };
            cache.growing(name).follow(said, usize::from(cells), path, theme)
        };
        lines.extend(grown.counted);
        if grown.before > 0 {
            lines.push(indented(theme.line(format!("… {} before this", paint::bytes(grown.before)), Scope::Dim)));
        }
        parts.extend([Arc::new(std::mem::take(&mut lines)), grown.lines]);
    }
    parts.push(Arc::new(lines));
    parts
}

/// `● thinks  0:12 · 140 tok · 30 a second`.
fn how_far(progress: &run::progress::Progress, theme: &Theme) -> Line<'static> {
    use run::progress::Doing;
    let (mark, doing) = match progress.doing {
        Doing::Waits => (Mark::Waiting, "nothing has come yet".to_string()),
        Doing::Reads { done, all } => (Mark::Running, format!("reads {} of {} tok", short(done), short(all))),
        Doing::Thinks => (Mark::Running, "thinks".into()),
        Doing::Answers => (Mark::Running, "answers".into()),
    };
    let minutes = |ms: u64| format!("{}:{:02}", ms / 60_000, ms / 1_000 % 60);
    let mut words = format!("  {}", minutes(progress.ms));
    if progress.doing == Doing::Waits && progress.gives_up_ms > 0 {
        words.push_str(&format!(" · given up at {}", minutes(progress.gives_up_ms.into())));
    }
    if progress.tokens > 0 {
        words.push_str(&format!(" · {} tok", short(progress.tokens)));
    }
    if let Some(rate) = progress.rate().filter(|rate| *rate > 0) {
        words.push_str(&format!(" · {rate} a second"));
    }
    Line::from(vec![theme.span(format!("{} {doing}", mark.symbol()), mark), theme.span(words, Scope::Dim)])
}

fn indented(line: Line<'static>) -> Line<'static> {
    let text = line.spans.into_iter().map(|span| span.patch_style(line.style));
    std::iter::once(Span::raw("  ")).chain(text).collect()
}

const WAITS_FOR_ROOM: &str = "waits for room in the budget";
/// Cells of an edge that are not for the text at its right: corners, spaces and the least of a title.
const LEAST_BESIDE: usize = 20;
/// A pane of at least this width shows the context size of a role that delegates.
const ROOM_FOR_CONTEXT: u16 = 56;
/// Cells of a title that are kept for the name.
const LEAST_TITLE: usize = 24;
/// Cells of a title's line besides the title and the state.
const AROUND_TITLE: usize = 7;

/// State and spending, beside a title of `title` cells.
fn state(scene: Scene<'_>, assignment: &Assignment, width: u16, title: usize) -> Vec<Span<'static>> {
    let Scene { ui, run, theme, .. } = scene;
    let mark = mark::shown(ui, run, assignment);
    let wait = stall::of(ui, run, assignment);
    let (mark, word) = match (mark, wait) {
        (Mark::Limited, Some(wait)) => {
            // The wait goes before its reason: the lines below give that in full.
            let room = usize::from(width).saturating_sub(title + AROUND_TITLE + 2);
            let whole = wait.in_words(ui.now);
            (mark, if self::width(&whole) <= room { whole } else { wait.in_short(ui.now) })
        }
        (Mark::Running | Mark::Waiting, None) if mark::waits_for_room(assignment, run) => {
            (Mark::Waiting, WAITS_FOR_ROOM.into())
        }
        (Mark::Running, None) if assignment.id == AssignmentId::ROOT => (mark, run.phase().word().into()),
        (Mark::Running, None) => (mark, progress(run, assignment)),
        (Mark::Paused, _) if !run.paused && !assignment.paused && ui.is_past() => {
            let root = assignment.id == AssignmentId::ROOT;
            (mark, if root { run.phase().word().into() } else { progress(run, assignment) })
        }
        (Mark::Paused, _) if !run.paused && !assignment.paused => (mark, mark::stopped(run).into()),
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
    // Parts that do not fit are left out from the right; the state comes last.
    let title = (title + AROUND_TITLE).max(LEAST_TITLE);
    while spans.len() > 1 && total_width(&spans) + title > usize::from(width) {
        spans.pop();
    }
    // Of this state fewer words are left before none.
    let room = usize::from(width).saturating_sub(LEAST_BESIDE);
    if word == WAITS_FOR_ROOM && total_width(&spans) > room {
        return fit(vec![theme.span(format!("{} waits for room", mark.symbol()), mark)], room.max(1));
    }
    spans
}
