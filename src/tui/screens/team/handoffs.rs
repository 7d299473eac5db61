//! Draws the list of handoffs, in order.

use std::collections::{BTreeMap, BTreeSet};

use super::Focus;
use crate::graph::{short_titles, within};
use crate::prelude::*;
use crate::spot::Spot;
use run::{Assignment, AssignmentId, Handoff, Role, TaskId, describe};

/// The rows of the list in a column of this height.
pub fn height(run: &Run, column: u16) -> u16 {
    let wanted = u16::try_from(run.handoffs.len()).unwrap_or(u16::MAX).saturating_add(2);
    wanted.clamp(3, (column / 3).max(3)).min(column)
}

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let focused = ui.team.focus == Focus::Handoffs;
    let style = theme.style(if focused { Scope::Focus } else { Scope::Border });
    let count = theme.span(run.handoffs.len().to_string(), Scope::Dim);
    let inner = paint::panel(buf, area, theme.span("handoffs", Scope::Title), count, style);
    let selected = select::handoff(ui, run).map_or(0, |no| no.0 as usize - 1);
    let page = usize::from(inner.height);
    let most = run.handoffs.len().saturating_sub(page);
    // The selected one stays in view, the latest at the bottom.
    let from = if selected >= most { most } else { paint::reveal(inner, selected).min(most) };
    let shown: Vec<&Handoff> = run.handoffs.iter().skip(from).take(page).map(|handoff| &**handoff).collect();
    let number = shown.iter().map(|handoff| handoff.no.to_string().len()).max().unwrap_or(0).max(3);
    // Titles and sizes keep their half, however long one name is.
    let cells = usize::from(inner.width);
    let most_of_route = cells.saturating_sub(number + LEAST_TITLE + SIZE + 3).min(cells / 2).max(LEAST_ROUTE);
    let titles = Titles::of(run, &shown);
    let route = |handoff: &Handoff| {
        // Handed-out work is told apart by its title, reports by the assignment that reports.
        let by = handoff.from.and_then(|from| run.assignment(from));
        // An imported run may name another than the one below which it is shown.
        let by = by.filter(|by| by.role.as_str() == handoff.names.0.as_str());
        let to = format!(" → {}", flat(&handoff.names.1));
        let room = most_of_route.saturating_sub(width(&to)).clamp(LEAST_OF_A_NAME, MOST_OF_A_NAME);
        let whole = by.map_or_else(|| handoff.names.0.to_string(), named);
        // The distinguishing name goes before its role.
        let name = match by.and_then(|by| Some((by, by.subject()?))).filter(|_| width(&whole) > room) {
            Some((by, subject)) => within(subject, titles.short(by), room).into_owned(),
            None => flat(&whole).into_owned(),
        };
        format!("{}{to}", cut(&name, room))
    };
    let routes = shown.iter().map(|handoff| width(&route(handoff))).max().unwrap_or(0);
    // The sizes stand in a column where that leaves room for titles.
    let room = usize::from(inner.width).saturating_sub(number + routes + 3);
    let has_sizes = room >= LEAST_TITLE + SIZE;
    cache.mark(area, Spot::Handoffs);
    let room = if has_sizes { room - SIZE } else { room };
    for ((n, handoff), row) in (from..).zip(shown).zip(inner.rows()) {
        cache.mark(row, Spot::Handoff(handoff.no));
        let here = focused && n == selected;
        let base = theme.style(if here { Scope::Selected } else { Scope::Text });
        let dim = if here { base } else { theme.style(Scope::Dim) };
        let route = route(handoff);
        let gap = " ".repeat(routes - width(&route) + 2);
        let left = vec![
            Span::styled(format!("{:>number$} ", handoff.no.to_string()), dim),
            Span::styled(route, base),
            Span::styled(gap, base),
            Span::styled(titles.title(run, handoff, room), if here { base } else { theme.style(Scope::Title) }),
        ];
        let right = if has_sizes { vec![Span::styled(size(handoff), dim)] } else { vec![] };
        let line = justified(left, right, usize::from(inner.width));
        paint::line(buf, row, &if here { line.style(base) } else { line });
    }
    if run.handoffs.is_empty() {
        paint::line(buf, inner, &theme.line("no handoff yet", Scope::Dim));
    }
    Seen { at: from, most, page, ..Seen::default() }
}

/// The name of one that hands on: of an editor the places of its section, without the title of its first task.
fn named(by: &Assignment) -> String {
    match by.subject().filter(|_| by.role.as_str() == Role::EDITOR).and_then(|subject| subject.split_once(": ")) {
        Some((places, _)) => format!("{} · {places}", by.role),
        None => describe::name(by),
    }
}

/// The titles of tasks without the words that they share with others of the same leader, by that leader.
struct Titles(BTreeMap<AssignmentId, BTreeMap<TaskId, Clean>>);

impl Titles {
    /// Those of the tasks that these handoffs hand out, or report on.
    fn of(run: &Run, shown: &[&Handoff]) -> Titles {
        let ends = shown.iter().flat_map(|handoff| [handoff.from, handoff.to]).flatten();
        let workers = ends.filter_map(|id| run.assignment(id)).filter(|one| one.task.is_some());
        let leaders: BTreeSet<AssignmentId> = workers.filter_map(Assignment::parent).collect();
        let titles = leaders.into_iter().map(|id| {
            let own = run.assignment(id).and_then(|leader| leader.transcript.handoff.payload.plan.as_ref());
            let plan = own.or(run.plan.as_deref());
            (id, plan.map(|plan| short_titles(&plan.tasks)).unwrap_or_default())
        });
        Titles(titles.collect())
    }

    fn short(&self, worker: &Assignment) -> &str {
        let of = worker.parent().zip(worker.task);
        of.and_then(|(leader, task)| self.0.get(&leader)?.get(&task)).map_or("", Clean::as_str)
    }

    /// The title of a handoff in `cells` cells.
    fn title(&self, run: &Run, handoff: &Handoff, cells: usize) -> String {
        let handed = handoff.to.filter(|_| !handoff.is_report()).and_then(|to| run.assignment(to));
        let short = handed.map_or("", |worker| self.short(worker));
        within(&flat(&handoff.title), &flat(short), cells).into_owned()
    }
}

/// Cells for the name of one that reports.
const LEAST_OF_A_NAME: usize = 10;
const MOST_OF_A_NAME: usize = 32;
/// Cells of a route that it has on the narrowest list: "researcher → supervisor".
const LEAST_ROUTE: usize = 23;

/// Cells that names leave for a title.
const LEAST_TITLE: usize = 12;

/// Cells for the size of a handoff.
const SIZE: usize = 9;

fn size(handoff: &Handoff) -> String {
    cut(&format!("{} tok", short(handoff.payload.tokens())), SIZE).into_owned()
}
