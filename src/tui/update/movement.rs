//! Moving about: scrolling what is in front, going to the next pane, handoff, finding or citation.

use super::Action;
use crate::graph;
use crate::select;
use crate::ui::{Focus, Overlay, Page, Ui};
use run::{AssignmentId, CallId, FindingId, HandoffNo, Run};

/// Where a movement leads from `at`, within `0..=last`. How far a text can be scrolled only the view knows: it cuts
/// what is too far when it draws, so that keys pressed between two frames are right about the next one.
fn moved(action: Action, at: usize, last: usize, page: usize) -> usize {
    let page = page.saturating_sub(1).max(1);
    match action {
        Action::Down => at.saturating_add(1),
        Action::Up => at.saturating_sub(1),
        Action::PageDown => at.saturating_add(page),
        Action::PageUp => at.saturating_sub(page),
        Action::Top => 0,
        _ => last,
    }
    .min(last)
}

pub(super) fn scroll(ui: &mut Ui, run: &Run, action: Action) {
    let seen = ui.seen;
    if let Overlay::Help { scroll }
    | Overlay::Payload { scroll, .. }
    | Overlay::Exchange { scroll, .. }
    | Overlay::Passage { scroll, .. } = &mut ui.overlay
    {
        *scroll = moved(action, *scroll, usize::MAX, seen.page);
        return;
    }
    match (ui.page, ui.team.focus) {
        (Page::Brief, _) => {
            ui.brief.scroll = moved(action, ui.brief.scroll, usize::MAX, seen.page);
            ui.brief.reveal = false;
        }
        (Page::Findings, _) => {
            let Some(checkpoint) = select::checkpoint(run) else { return };
            let shown = select::findings(ui, checkpoint);
            let last = shown.len().saturating_sub(1);
            let at = moved(action, select::finding(ui, &shown), last, seen.page);
            ui.findings.selected = shown.get(at).map(|finding| finding.id);
        }
        (Page::Plan, _) => {
            let Some(proposal) = run.proposals.last() else { return };
            let Some(at) = select::task(ui, proposal) else { return };
            let tasks = &proposal.plan.tasks;
            let at = moved(action, at, tasks.len().saturating_sub(1), seen.page);
            ui.plan.selected = tasks.get(at).map(|task| task.id);
        }
        (Page::Team, Focus::Handoffs) => {
            let Some(no) = select::handoff(ui, run) else { return };
            let last = run.handoffs.len().saturating_sub(1);
            let at = moved(action, no.0 as usize - 1, last, seen.page);
            let latest = at == last;
            ui.team.handoff = if latest { None } else { u32::try_from(at + 1).ok().map(HandoffNo) };
        }
        (Page::Team, Focus::Graph) => {
            let in_graph: Vec<AssignmentId> =
                graph::of(run, &ui.team.folds).shown().filter_map(|node| node.assignment).collect();
            let front = select::front(ui, run).map(|assignment| assignment.id);
            let at = in_graph.iter().position(|id| Some(*id) == front).unwrap_or(0);
            ui.team.pane = in_graph.get(moved(action, at, in_graph.len().saturating_sub(1), 2)).copied();
        }
        (Page::Team, Focus::Panes) => {
            let Some(front) = select::front(ui, run).map(|assignment| assignment.id) else { return };
            let at = moved(action, seen.at, seen.most, seen.page);
            // Who scrolls reads this pane: it stays, even if another one goes on.
            ui.team.pane = Some(front);
            if at == seen.most || action == Action::End {
                ui.team.scrolled.remove(&front);
            } else {
                ui.team.scrolled.insert(front, at);
            }
        }
    }
}

pub(super) fn next(ui: &mut Ui, run: &Run, by: isize) {
    let turned = |at: usize, count: usize| {
        if count == 0 { 0 } else { at.wrapping_add_signed(by).wrapping_add(count) % count }
    };
    if let Overlay::Payload { no, scroll, .. } = &mut ui.overlay {
        let at = turned((no.0 as usize).saturating_sub(1), run.handoffs.len());
        *no = HandoffNo(u32::try_from(at + 1).unwrap_or(1));
        *scroll = 0;
        ui.team.handoff = Some(*no);
        return;
    }
    if let Overlay::Exchange { call, scroll, .. } = &mut ui.overlay {
        let Some(assignment) = run.assignment(call.assignment) else { return };
        let calls: Vec<CallId> = assignment.transcript.exchanges().map(|exchange| exchange.call).collect();
        let at = calls.iter().position(|known| known == call).unwrap_or(0);
        *call = calls.get(turned(at, calls.len())).copied().unwrap_or(*call);
        *scroll = 0;
        return;
    }
    match ui.page {
        Page::Team => {
            let Some(front) = select::front(ui, run) else { return };
            let at = turned(front.id.0 as usize, run.assignments.len());
            ui.team.pane = run.assignments.get(at).map(|assignment| assignment.id);
            if ui.team.focus == Focus::Handoffs {
                ui.team.focus = Focus::Panes;
            }
        }
        Page::Plan => {}
        Page::Findings => {
            let Some(checkpoint) = select::checkpoint(run) else { return };
            let shown = select::findings(ui, checkpoint);
            let at = turned(select::finding(ui, &shown), shown.len());
            ui.findings.selected = shown.get(at).map(|finding| finding.id);
            open_passage(ui, ui.findings.selected.into_iter().collect());
        }
        Page::Brief => {
            let Some((draft, findings)) = run.brief() else { return };
            let citations = select::citations(draft, findings);
            let at = match ui.brief.cite {
                Some(at) => turned(at, citations.len()),
                None if by > 0 => 0,
                None => citations.len().saturating_sub(1),
            };
            ui.brief.cite = Some(at);
            ui.brief.reveal = true;
            open_passage(ui, citations.get(at).cloned().unwrap_or_default());
        }
    }
}

/// Shows these in the passage overlay if it is open.
fn open_passage(ui: &mut Ui, ids: Vec<FindingId>) {
    if let Overlay::Passage { findings, scroll } = &mut ui.overlay {
        *findings = ids;
        *scroll = 0;
    }
}
