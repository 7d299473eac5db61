//! The team page: the graph at the left, panes and handoffs at the right; below one another where it is narrow.
//!
//! ```text
//! ┌ graph ─────────────┐┌ researcher · Qdrant ── ● turn 2/8 ┐
//! │                    ││ what it was handed, what it did   │
//! │                    │├ researcher · Pinecone ── ○ ───────┤
//! │                    │└───────────────────────────────────┘
//! │                    │┌ handoffs ─────────────────────────┐
//! │                    ││ #1 supervisor → researcher        │
//! └────────────────────┘└───────────────────────────────────┘
//! ```

mod graph;
mod handoffs;
mod panes;
pub mod steering;

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::graph::{self as team_graph, Folds};
use crate::keymap::{Action, BACK_TAB, ENTER, Keys, LEFT, RIGHT, TAB, c, row};
use crate::overlays::exchange::Exchange;
use crate::overlays::payload::Payload;
use crate::overlays::{Form, Overlay};
use crate::screens::Screen;
use crate::screens::everywhere::{moved, turned};
use crate::select;
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::{Cache, Scene, paint};
use run::{AssignmentId, HandoffNo, Run};
use text::Clean;

/// The team page.
#[derive(Clone, Debug, Default)]
pub struct TeamPage {
    /// What the keys act on.
    pub focus: Focus,
    /// The pane in front; None follows the one that worked last.
    pub pane: Option<AssignmentId>,
    /// The assignment whose work the person gave to another: that one's pane comes to the front when it is there.
    pub awaits: Option<AssignmentId>,
    /// Whether the focused part fills the page.
    pub zoom: Zoom,
    /// First line shown in each pane that was scrolled; the others follow their end.
    pub scrolled: BTreeMap<AssignmentId, usize>,
    /// Which groups of the graph are folded, and which are open.
    pub folds: Folds,
    /// The selected handoff; None follows the latest.
    pub handoff: Option<HandoffNo>,
}

/// What the keys of the team page act on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// The panes.
    #[default]
    Panes,
    /// The list of handoffs.
    Handoffs,
    /// The graph.
    Graph,
}

/// Whether the focused part fills its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// All parts side by side.
    #[default]
    All,
    /// The focused one alone.
    One,
}

pub static KEYS: Keys = Keys {
    title: "team",
    groups: &[&[
        row(&[TAB, c('l'), RIGHT], Action::Next, Some("pane"), "next pane"),
        row(&[BACK_TAB, c('h'), LEFT], Action::Previous, None, "pane before"),
        row(&[ENTER], Action::Open, Some("open"), "zoom the pane, then what its model was told; or the handoff"),
        row(&[c('z')], Action::Zoom, None, "zoom in and out again"),
        row(&[c('o')], Action::Exchange, None, "what the model was told and answered, to the letter"),
        row(&[c('i')], Action::Handoffs, Some("handoffs"), "to the list of handoffs and back"),
        row(&[c('v')], Action::Graph, None, "view the graph alone, and back"),
        row(&[c(' ')], Action::Fold, None, "fold the section in front in the graph, or open it"),
        row(&[c('F')], Action::FoldAll, None, "fold all sections, or open all"),
        row(
            &[c('m')],
            Action::Tell,
            Some("message"),
            "a message to the specialist in front; it reads it at its next turn",
        ),
        row(&[c('+'), c('=')], Action::Higher, None, "the specialist in front goes before others"),
        row(&[c('-')], Action::Lower, None, "the specialist in front goes after others"),
        row(&[c('H')], Action::PauseOne, None, "pause the specialist in front, or let it go on; the others work"),
        row(&[c('X')], Action::CancelOne, None, "end the specialist in front (asks first); the others work"),
        row(&[c('a')], Action::RetryOne, None, "try the work of the specialist in front again"),
        row(&[c('w')], Action::Reassign, None, "give the work of the specialist in front to another"),
        row(&[c('f')], Action::FollowAgain, None, "follow whoever works, as it comes"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            scroll(ui, run, action);
        }
        Action::Next | Action::Previous => {
            let front = select::front(ui, run)?;
            let place = run.assignments.iter().position(|assignment| assignment.id == front.id)?;
            let at = turned(action, place, run.assignments.len());
            ui.team.pane = run.assignments.get(at).map(|assignment| assignment.id);
            if ui.team.focus == Focus::Handoffs {
                ui.team.focus = Focus::Panes;
            }
        }
        Action::Open => open(ui, run),
        Action::Exchange => exchange(ui, run),
        Action::Zoom => zoom(ui),
        Action::FollowAgain => {
            ui.team.pane = None;
            ui.team.handoff = None;
            ui.team.scrolled.clear();
            ui.status = Some("following whoever works".into());
        }
        Action::Fold => fold(ui, run),
        Action::FoldAll => fold_all(ui, run),
        Action::Graph => focus(ui, Focus::Graph),
        Action::Handoffs => focus(ui, Focus::Handoffs),
        Action::Back if ui.team.zoom == Zoom::One => (ui.team.zoom, ui.team.focus) = (Zoom::All, Focus::Panes),
        Action::Back if ui.team.focus != Focus::Panes => ui.team.focus = Focus::Panes,
        _ => return steering::on(ui, run, action),
    }
    Some(Vec::new())
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    match action {
        Action::Exchange if select::last_exchange(ui, run).is_none() => Some(match select::front(ui, run) {
            Some(front) => Clean::line(&format!("{} has asked no model", front.role)),
            None => "no model was asked yet".into(),
        }),
        Action::Handoffs if run.handoffs.is_empty() => Some("nothing has been handed over yet".into()),
        _ => steering::why_not(ui, run, action),
    }
}

fn scroll(ui: &mut Ui, run: &Run, action: Action) {
    let seen = ui.seen;
    match ui.team.focus {
        Focus::Handoffs => {
            let Some(no) = select::handoff(ui, run) else { return };
            let last = run.handoffs.len().saturating_sub(1);
            let at = moved(action, no.0 as usize - 1, last, seen.page);
            let latest = at == last;
            ui.team.handoff = if latest { None } else { u32::try_from(at + 1).ok().map(HandoffNo) };
        }
        Focus::Graph => {
            let in_graph: Vec<AssignmentId> =
                team_graph::of(run, &ui.team.folds).shown().filter_map(|node| node.assignment).collect();
            let front = select::front(ui, run).map(|assignment| assignment.id);
            let at = in_graph.iter().position(|id| Some(*id) == front).unwrap_or(0);
            ui.team.pane = in_graph.get(moved(action, at, in_graph.len().saturating_sub(1), 2)).copied();
        }
        Focus::Panes => {
            let Some(front) = select::front(ui, run).map(|assignment| assignment.id) else { return };
            let at = moved(action, seen.at, seen.most, seen.page);
            // A pane that is scrolled is being read: it stays, even if another one goes on.
            ui.team.pane = Some(front);
            if at == seen.most || action == Action::End {
                ui.team.scrolled.remove(&front);
            } else {
                ui.team.scrolled.insert(front, at);
            }
        }
    }
}

fn focus(ui: &mut Ui, focus: Focus) {
    let there = ui.team.focus == focus;
    ui.team.focus = if there { Focus::Panes } else { focus };
    ui.team.zoom = if focus == Focus::Graph && !there { Zoom::One } else { Zoom::All };
}

/// Folds the group of the pane in front, or opens it.
fn fold(ui: &mut Ui, run: &Run) {
    let graph = team_graph::of(run, &ui.team.folds);
    let front = select::front(ui, run).map(|assignment| assignment.id);
    match front.and_then(|id| above_in(run, id).find_map(|id| graph.group_of(id))) {
        Some(group) => ui.team.folds.turn(&group),
        None => ui.status = Some("the pane in front is in no section: v and j go to one, F folds or opens all".into()),
    }
}

/// An assignment and those it works for.
fn above_in(run: &Run, id: AssignmentId) -> impl Iterator<Item = AssignmentId> {
    std::iter::successors(Some(id), |id| run.assignment(*id)?.parent())
}

/// Folds all groups where one is open, else opens all.
fn fold_all(ui: &mut Ui, run: &Run) {
    let graph = team_graph::of(run, &ui.team.folds);
    let mut groups = graph.shown().filter_map(|node| node.fold).peekable();
    if groups.peek().is_none() {
        ui.status = Some("this plan has no sections".into());
        return;
    }
    let any_open = groups.any(|group| group.is_open);
    ui.team.folds.turn_all(!any_open);
}

fn zoom(ui: &mut Ui) {
    ui.team.zoom = if ui.team.zoom == Zoom::All { Zoom::One } else { Zoom::All };
}

fn open(ui: &mut Ui, run: &Run) {
    match ui.team.focus {
        Focus::Handoffs => {
            if let Some(no) = select::handoff(ui, run) {
                ui.overlay = Overlay::Payload(Payload { no, form: Form::Tree, scroll: 0 });
            }
        }
        Focus::Graph => (ui.team.focus, ui.team.zoom) = (Focus::Panes, Zoom::One),
        Focus::Panes if ui.team.zoom == Zoom::One && select::last_exchange(ui, run).is_some() => exchange(ui, run),
        Focus::Panes => zoom(ui),
    }
}

/// Opens what was said to the model of the pane in front, the latest first.
fn exchange(ui: &mut Ui, run: &Run) {
    if let Some(exchange) = select::last_exchange(ui, run) {
        ui.overlay = Overlay::Exchange(Exchange { call: exchange.call, form: Form::Tree, scroll: 0 });
    }
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let team = &scene.ui.team;
    if team.zoom == Zoom::One || (area.width < 72 && area.height < 10) {
        return match team.focus {
            Focus::Panes => panes::render(buf, area, scene, cache),
            Focus::Handoffs => handoffs::render(buf, area, scene),
            Focus::Graph => graph::render(buf, area, scene),
        };
    }
    let side_by_side = area.width >= 72;
    let (left, right) = if side_by_side {
        let share = if area.width >= 110 { area.width * 11 / 24 } else { area.width * 10 / 24 };
        paint::split(area, share)
    } else {
        // Below one another, a part that would show a line or two gives way to the others.
        let tall = (area.height / 2).min(graph::rows_needed(scene.ui, scene.run) + 2);
        let tall = if area.height < 16 { 0 } else { tall };
        let [top, rest] = paint::rows(area, [tall, area.height - tall]);
        (top, rest)
    };
    let list = if right.height < 10 { 0 } else { handoffs::height(scene.run, right.height) };
    let [above, below] = paint::rows(right, [right.height - list, list]);
    let seen = [
        (Focus::Graph, graph::render(buf, left, scene)),
        (Focus::Panes, panes::render(buf, above, scene, cache)),
        (Focus::Handoffs, handoffs::render(buf, below, scene)),
    ];
    seen.into_iter().find(|(focus, _)| *focus == team.focus).map_or(Seen::default(), |(_, seen)| seen)
}
