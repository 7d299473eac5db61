//! The places of the things in a frame, and what the mouse does there. It selects, scrolls and opens; it never decides anything.

use crate::graph::Key;
use crate::overlays::passage::Passage;
use crate::prelude::*;
use crate::screens::everywhere::{go, moved};
use crate::screens::team::{self, Focus, Scrolled};
use crate::screens::{Page, front};
use run::{AssignmentId, FindingId, HandoffNo};

/// Something that can be pointed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A tab of the header.
    Page(Page),
    /// The graph, beside its nodes.
    Graph,
    Node(Key),
    Pane(AssignmentId),
    /// A step of a pane, by its number from 0.
    Step(AssignmentId, usize),
    /// The list of handoffs, beside its rows.
    Handoffs,
    Handoff(HandoffNo),
    Finding(FindingId),
    /// The heading of a section of findings, by the first of them.
    Section(FindingId),
    /// A citation of the brief, by its place in reading order.
    Cite(usize),
}

/// The action of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    Click,
    WheelUp,
    WheelDown,
}

/// The lines that a turn of the wheel moves.
const LINES: usize = 3;

pub fn on(ui: &mut Ui, run: &Run, mouse: Mouse, spot: Option<Spot>) -> Vec<Effect> {
    ui.status = None;
    match mouse {
        Mouse::Click => {
            if let (Some(spot), Overlay::None) = (spot, &ui.overlay) {
                click(ui, run, spot);
            }
        }
        Mouse::WheelUp => wheel(ui, run, Action::Up, spot),
        Mouse::WheelDown => wheel(ui, run, Action::Down, spot),
    }
    Vec::new()
}

fn click(ui: &mut Ui, run: &Run, spot: Spot) {
    match spot {
        Spot::Page(page) => match (page.screen().missing)(run) {
            Some(why) => ui.status = Some(why),
            None => go(ui, page),
        },
        Spot::Graph => ui.team.focus = Focus::Graph,
        Spot::Node(key) => {
            ui.team.focus = Focus::Graph;
            team::choose_by(ui, run, &key);
        }
        Spot::Pane(id) => (ui.team.pane, ui.team.node, ui.team.focus) = (Some(id), None, Focus::Panes),
        Spot::Step(id, step) => {
            let from = if ui.seen.pane == Some(id) { ui.seen.at } else { 0 };
            (ui.team.pane, ui.team.node, ui.team.focus, ui.team.found) = (Some(id), None, Focus::Panes, 0);
            ui.team.steps.insert(id, step);
            ui.team.scrolled.insert(id, Scrolled { from, of: None });
        }
        Spot::Handoffs => ui.team.focus = Focus::Handoffs,
        Spot::Handoff(no) => (ui.team.focus, ui.team.handoff) = (Focus::Handoffs, Some(no)),
        Spot::Finding(id) => ui.findings.selected = Some(id),
        Spot::Section(first) => {
            ui.findings.selected = Some(first);
            // It folds, or opens.
            drop((Page::Findings.screen().on)(ui, run, Action::Fold));
        }
        Spot::Cite(at) => {
            let Some((draft, findings)) = run.brief() else { return };
            let Some(findings) = select::citations(draft, findings).get(at).cloned() else { return };
            (ui.brief.cite, ui.brief.reveal, ui.brief.found) = (Some(at), true, 0);
            if !ui.seen.beside {
                ui.overlay = Overlay::Passage(Passage { findings, scroll: 0 });
            }
        }
    }
}

fn wheel(ui: &mut Ui, run: &Run, action: Action, spot: Option<Spot>) {
    if matches!(ui.overlay, Overlay::None) && ui.page == Page::Team {
        match spot {
            Some(Spot::Pane(id) | Spot::Step(id, _)) => return scroll_pane(ui, run, id, action),
            Some(Spot::Graph | Spot::Node(_)) => ui.team.focus = Focus::Graph,
            Some(Spot::Handoffs | Spot::Handoff(_)) => ui.team.focus = Focus::Handoffs,
            _ => return,
        }
    }
    let screen = front(ui);
    let (page, most) = (ui.seen.page, ui.seen.most);
    match (screen.scroll)(ui) {
        Some(scroll) => (0..LINES).for_each(|_| *scroll = moved(action, *scroll, most, page)),
        None => drop((screen.on)(ui, run, action)),
    }
}

/// Scrolls the pane in front; another one comes to the front first.
fn scroll_pane(ui: &mut Ui, run: &Run, id: AssignmentId, action: Action) {
    let was_front = select::front(ui, run).is_some_and(|front| front.id == id);
    let was_focused = ui.team.focus == Focus::Panes;
    (ui.team.pane, ui.team.node, ui.team.focus) = (Some(id), None, Focus::Panes);
    // The last frame showed something else.
    if !was_front || !was_focused {
        return;
    }
    let seen = ui.seen;
    let at = (0..LINES).fold(seen.at, |at, _| moved(action, at, seen.most, seen.page));
    ui.team.steps.remove(&id);
    if at == seen.most {
        ui.team.scrolled.remove(&id);
    } else {
        ui.team.scrolled.insert(id, Scrolled { from: at, of: None });
    }
}
