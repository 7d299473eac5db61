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
pub mod motion;
mod panes;
pub mod steering;

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{self as team_graph, Folds, Graph, Key, Node, Way};
use crate::inspect::subject;
use crate::overlays::{answering, finding, inspector};
use crate::prelude::*;
use crate::screens::everywhere::{self, moved, turned};
use crate::view::transcript::{self, Shape, Step};
use run::{AssignmentId, Condition, HandoffNo};

#[derive(Clone, Debug, Default)]
pub struct TeamPage {
    pub focus: Focus,
    /// The pane in front; None for the assignment that worked last.
    pub pane: Option<AssignmentId>,
    /// The assignment that the person replaced: its successor comes to the front once it exists.
    pub awaits: Option<AssignmentId>,
    /// Whether the focused part fills the page.
    pub zoomed: bool,
    /// The position of each pane that was scrolled; the others follow their end.
    pub scrolled: BTreeMap<AssignmentId, Scrolled>,
    /// The selected step of panes.
    pub steps: BTreeMap<AssignmentId, usize>,
    /// Panes that stay open when other specialists start.
    pub pinned: BTreeSet<AssignmentId>,
    /// The form in which transcripts are shown.
    pub shape: Shape,
    /// The searched words in the pane in front, and the match at which the pane stands, from 1.
    pub find: Clean,
    pub found: usize,
    pub folds: Folds,
    /// The node that was walked to in the graph; None for the one of the pane in front.
    pub node: Option<Key>,
    /// The handoffs that have just crossed.
    pub lit: motion::Lit,
    /// The selected handoff; None for the latest.
    pub handoff: Option<HandoffNo>,
}

/// The scroll position of a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scrolled {
    /// The first line shown.
    pub from: usize,
    /// The number of lines at that time; None before it was first shown.
    pub of: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    #[default]
    Panes,
    Handoffs,
    Graph,
}

pub static KEYS: Keys = Keys {
    title: "team",
    groups: &[&[
        row(&[TAB, c('l'), RIGHT], Action::Next, Some("pane"), "next pane"),
        row(&[BACK_TAB, c('h'), LEFT], Action::Previous, None, "pane before"),
        row(
            &[ENTER],
            Action::Open,
            Some("open"),
            "open the selected step or handoff; else zoom the pane, then its last model call",
        ),
        row(&[c('z')], Action::Zoom, None, "zoom in and out again"),
        row(&[c('o')], Action::Exchange, None, "the last model call: the whole request and reply"),
        row(&[c('e')], Action::Tab, None, "transcript, handoff in, report out, calls of the pane in front"),
        row(&[c('u')], Action::Raw, None, "answers raw as they came, or as they read"),
        row(&[c('T')], Action::Thoughts, None, "unfold what models think, or fold it"),
        row(&[c('/')], Action::Find, None, "look for words in the pane in front"),
        row(&[c('n')], Action::NextFound, None, "the next place with these words"),
        row(&[c('N')], Action::PreviousFound, None, "the place before"),
        row(&[c('y')], Action::Copy, None, "copy the selected step; answer, where a question is open"),
        row(&[c(',')], Action::Pin, None, "keep the pane in front open, or no more"),
        row(&[c('i')], Action::Handoffs, Some("handoffs"), "to the list of handoffs and back"),
        row(
            &[c('v')],
            Action::Graph,
            Some("graph"),
            "walk the graph with the arrows; once more: the graph alone; and back",
        ),
        row(&[c(' ')], Action::Fold, None, "fold the section in front in the graph, or open it"),
        row(&[c('F')], Action::FoldAll, None, "fold all sections, or open all"),
        row(&[c('m')], Action::Tell, Some("message"), "a message to the specialist in front, read at its next turn"),
        row(&[c('+'), c('=')], Action::Higher, None, "the specialist in front goes before others"),
        row(&[c('-')], Action::Lower, None, "the specialist in front goes after others"),
        row(&[c('H')], Action::PauseOne, None, "pause the specialist in front, or continue it; the others work"),
        row(&[c('X')], Action::CancelOne, None, "end the specialist in front (asks first); the others work"),
        row(&[c('a')], Action::RetryOne, None, "try the work of the specialist in front again"),
        row(&[c('w')], Action::Reassign, None, "give the work of the specialist in front to another"),
        row(&[c('B')], Action::BreakHere, None, "stop before the specialist in front is handed anything, or no more"),
        row(&[c('.')], Action::FollowAgain, None, "follow the specialist that works"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            scroll(ui, run, action);
        }
        Action::Next | Action::Previous if ui.team.focus == Focus::Graph => {
            walk(ui, run, if action == Action::Next { Way::Right } else { Way::Left });
        }
        Action::Next | Action::Previous => {
            let front = select::front(ui, run)?;
            let place = run.assignments().position(|assignment| assignment.id == front.id)?;
            let at = turned(action, place, run.assignments().len());
            ui.team.pane = run.assignments().nth(at).map(|assignment| assignment.id);
            ui.team.node = None;
            if ui.team.focus == Focus::Handoffs {
                ui.team.focus = Focus::Panes;
            }
        }
        Action::Open => open(ui, run),
        Action::Exchange => exchange(ui, run),
        Action::Zoom => ui.team.zoomed = !ui.team.zoomed,
        Action::FollowAgain => {
            ui.team.pane = None;
            ui.team.node = None;
            ui.team.handoff = None;
            (ui.team.scrolled, ui.team.steps) = Default::default();
            (ui.team.find, ui.team.found) = Default::default();
            ui.status = Some("following the specialist that works".into());
        }
        Action::Tab => {
            ui.team.shape.tab = ui.team.shape.tab.next();
            (ui.team.steps, ui.team.scrolled) = Default::default();
        }
        Action::Raw | Action::Thoughts => {
            let shape = &mut ui.team.shape;
            let turned = if action == Action::Raw { &mut shape.raw } else { &mut shape.thoughts };
            *turned = !*turned;
            // The same takes other lines now: none of them is new.
            ui.team.scrolled.values_mut().for_each(|scrolled| scrolled.of = None);
        }
        Action::Find => finding::open(ui),
        Action::NextFound => ui.team.found += 1,
        Action::PreviousFound => ui.team.found = ui.team.found.saturating_sub(1).max(1),
        Action::Copy if answering::why_not(ui, run).is_none() => return Some(answering::open(ui)),
        Action::Copy => return copy(ui, run),
        Action::Outside if step(ui, run).is_none() => return read_outside(ui, run),
        Action::Pin => pin(ui, run),
        Action::BreakHere => return break_here(ui, run),
        Action::Fold => fold(ui, run),
        Action::FoldAll => fold_all(ui, run),
        Action::Graph => view_graph(ui),
        Action::Handoffs => focus(ui, Focus::Handoffs),
        Action::Back if !ui.team.find.is_empty() => (ui.team.find, ui.team.found) = Default::default(),
        Action::Back if step(ui, run).is_some() => {
            let front = select::front(ui, run)?.id;
            ui.team.steps.remove(&front);
            ui.team.scrolled.remove(&front);
        }
        Action::Back if ui.team.zoomed => (ui.team.zoomed, ui.team.focus) = (false, Focus::Panes),
        Action::Back if ui.team.focus != Focus::Panes => ui.team.focus = Focus::Panes,
        _ => return steering::on(ui, run, action),
    }
    Some(Vec::new())
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    match action {
        Action::Exchange if select::last_exchange(ui, run).is_none() => Some(match select::front(ui, run) {
            Some(front) => Clean::line(&format!("{} has called no model", front.role)),
            None => "no model was called yet".into(),
        }),
        Action::BreakHere => ui.may_not_change(run),
        Action::NextFound | Action::PreviousFound if ui.team.find.is_empty() => {
            Some("nothing is looked for: / takes words".into())
        }
        Action::Copy if answering::why_not(ui, run).is_some() && step(ui, run).is_none() => {
            Some("no step is selected: k and j go through the steps of the pane in front".into())
        }
        Action::Handoffs if run.handoffs.is_empty() => Some("there is no handoff yet".into()),
        _ => steering::why_not(ui, run, action),
    }
}

/// Sets a breakpoint before the role in front is handed anything, or clears it.
fn break_here(ui: &mut Ui, run: &Run) -> Option<Vec<Effect>> {
    let role = select::front(ui, run)?.role.clone();
    let on = Condition::Handoff { from: None, to: Some(role) };
    let (command, said) = match run.breakpoints.iter().find(|set| set.on == on) {
        Some(set) => (Command::ClearBreak(set.no), format!("cleared: {on}")),
        None => (Command::Break(on.clone()), format!("the run stops at {on}; D lists the breakpoints")),
    };
    ui.status = Some(Clean::line(&said));
    Some(vec![Effect::Send(command)])
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
        Focus::Graph => match action {
            Action::Down if seen.is_boxes => walk(ui, run, Way::Down),
            Action::Up if seen.is_boxes => walk(ui, run, Way::Up),
            _ => {
                let graph = team_graph::of(ui, run, ui.seen.graph_rows);
                let nodes: Vec<&Node> = graph.shown().collect();
                let front = selected(ui, run, &graph);
                let at = nodes.iter().position(|node| front.is_some_and(|front| front.key == node.key)).unwrap_or(0);
                if let Some(node) = nodes.get(moved(action, at, nodes.len().saturating_sub(1), seen.page)) {
                    choose(ui, run, node);
                }
            }
        },
        Focus::Panes => {
            let Some(front) = select::front(ui, run) else { return };
            let id = front.id;
            // A pane that is read stays in front.
            ui.team.pane = Some(id);
            if matches!(action, Action::Down | Action::Up) {
                let count = transcript::steps(front, ui.team.shape.tab).len();
                let at = selected_step(ui, id);
                ui.team.found = 0;
                return walk_steps(ui, id, action, (at, count));
            }
            ui.team.found = 0;
            ui.team.steps.remove(&id);
            let at = moved(action, seen.at, seen.most, seen.page);
            if at == seen.most || action == Action::End {
                ui.team.scrolled.remove(&id);
            } else {
                ui.team.scrolled.insert(id, Scrolled { from: at, of: None });
            }
        }
    }
}

/// From step to step, of `count`; after the last one the pane follows its end again. If none is selected, it begins with the one in
/// view.
fn walk_steps(ui: &mut Ui, id: AssignmentId, action: Action, (at, count): (Option<usize>, usize)) {
    let in_view = ui.seen.step.filter(|_| ui.seen.pane == Some(id) && ui.team.scrolled.contains_key(&id));
    let next = match (action, at) {
        (_, None) if in_view.is_some() => in_view.map(|step| step.min(count.saturating_sub(1))).filter(|_| count > 0),
        (Action::Up, None) => count.checked_sub(1),
        (Action::Up, Some(at)) => Some(at.saturating_sub(1)),
        (_, None) => None,
        (_, Some(at)) => Some(at + 1).filter(|at| *at < count),
    };
    match next {
        Some(next) => {
            ui.team.steps.insert(id, next);
            ui.team.scrolled.insert(id, Scrolled { from: ui.seen.at, of: None });
        }
        None => {
            ui.team.steps.remove(&id);
            ui.team.scrolled.remove(&id);
        }
    }
}

/// The number of the selected step of a pane: the one that was walked to, or that holds the words that were found.
fn selected_step(ui: &Ui, id: AssignmentId) -> Option<usize> {
    match ui.team.found {
        0 => ui.team.steps.get(&id).copied(),
        _ => ui.seen.step.filter(|_| ui.seen.pane == Some(id)),
    }
}

/// The selected step of the pane in front.
fn step(ui: &Ui, run: &Run) -> Option<Step> {
    let front = select::front(ui, run)?;
    let at = selected_step(ui, front.id)?;
    transcript::steps(front, ui.team.shape.tab).get(at).copied()
}

/// Copies the selected step as it was recorded, not as it is wrapped.
fn copy(ui: &Ui, run: &Run) -> Option<Vec<Effect>> {
    let step = step(ui, run)?;
    let (what, text) = match step {
        Step::Handoff(_) => ("the handoff", subject::json(run, step)?.to_string()),
        Step::Refused(..) => ("the refused handoff", subject::json(run, step)?.to_string()),
        Step::Exchange(call) => {
            let reply = select::exchange(run, call)?.reply()?;
            ("the answer", reply.text().to_string())
        }
        Step::Call(_) => ("the tool call", subject::json(run, step)?.to_string()),
    };
    Some(vec![Effect::Copy { what, text: Clean::new(&text).to_string() }])
}

/// Shows the pane in front in the person's pager.
fn read_outside(ui: &Ui, run: &Run) -> Option<Vec<Effect>> {
    let front = select::front(ui, run)?;
    let laid = transcript::laid(run, front, ui.team.shape, everywhere::PAGER, &Theme::bare());
    Some(vec![everywhere::read("the transcript", &laid.lines)])
}

fn pin(ui: &mut Ui, run: &Run) {
    let Some(front) = select::front(ui, run).map(|front| front.id) else { return };
    if !ui.team.pinned.remove(&front) {
        ui.team.pinned.insert(front);
    }
}

/// The node that was walked to, or that of the pane in front.
fn selected<'a>(ui: &Ui, run: &Run, graph: &'a Graph) -> Option<&'a Node> {
    let walked = ui.team.node.as_ref().and_then(|key| graph.shown().find(|node| node.key == *key));
    walked.or_else(|| {
        let front = select::front(ui, run)?.id;
        graph.shown().find(|node| node.is_of(front))
    })
}

/// Walks from the selected node to one beside it.
fn walk(ui: &mut Ui, run: &Run, way: Way) {
    let graph = team_graph::of(ui, run, ui.seen.graph_rows);
    let front = selected(ui, run, &graph).map(|node| node.key.clone());
    let at = graph.nodes.iter().position(|node| front.as_ref() == Some(&node.key)).unwrap_or(0);
    if let Some(node) = graph.nodes.get(graph.beside(at, way)) {
        choose(ui, run, node);
    }
}

/// Selects a node, and with it its pane and the last handoff to or from it.
fn choose(ui: &mut Ui, run: &Run, node: &Node) {
    ui.team.node = Some(node.key.clone());
    let Some(id) = node.assignment else { return };
    ui.team.pane = Some(id);
    let concerns = |handoff: &&std::sync::Arc<run::Handoff>| [handoff.from, handoff.to].contains(&Some(id));
    ui.team.handoff = run.handoffs.iter().rfind(concerns).map(|handoff| handoff.no);
}

/// Selects the node of this key, if the graph shows it.
pub fn choose_by(ui: &mut Ui, run: &Run, key: &Key) {
    let graph = team_graph::of(ui, run, ui.seen.graph_rows);
    if let Some(node) = graph.shown().find(|node| node.key == *key) {
        choose(ui, run, node);
    }
}

fn focus(ui: &mut Ui, focus: Focus) {
    let there = ui.team.focus == focus;
    ui.team.focus = if there { Focus::Panes } else { focus };
    ui.team.zoomed = false;
}

/// The graph beside its pane, then alone, then the panes again.
fn view_graph(ui: &mut Ui) {
    match (ui.team.focus, ui.team.zoomed) {
        (Focus::Graph, false) => ui.team.zoomed = true,
        (Focus::Graph, true) => (ui.team.focus, ui.team.zoomed) = (Focus::Panes, false),
        // If the page has no room for it beside a pane, it is shown alone at once.
        _ => (ui.team.focus, ui.team.zoomed) = (Focus::Graph, ui.seen.no_graph),
    }
}

fn fold(ui: &mut Ui, run: &Run) {
    let graph = team_graph::of(ui, run, ui.seen.graph_rows);
    let front = select::front(ui, run).map(|assignment| assignment.id);
    match front.and_then(|id| above_in(run, id).find_map(|id| graph.group_of(id))) {
        Some(group) => ui.team.folds.turn(&group),
        None => ui.status = Some("the pane in front is in no section: v and j go to one, F folds or opens all".into()),
    }
}

/// An assignment and its ancestors.
fn above_in(run: &Run, id: AssignmentId) -> impl Iterator<Item = AssignmentId> {
    std::iter::successors(Some(id), |id| run.assignment(*id)?.parent())
}

/// Folds all groups if one is open, else opens all.
fn fold_all(ui: &mut Ui, run: &Run) {
    let graph = team_graph::of(ui, run, ui.seen.graph_rows);
    let mut groups = graph.shown().filter_map(|node| node.fold).peekable();
    if groups.peek().is_none() {
        ui.status = Some("this plan has no sections".into());
        return;
    }
    let any_open = groups.any(|group| group.is_open);
    ui.team.folds.turn_all(!any_open);
}

fn open(ui: &mut Ui, run: &Run) {
    let step = step(ui, run).filter(|_| ui.team.focus == Focus::Panes);
    if let Some(step) = step {
        return inspector::open(ui, run, step);
    }
    match ui.team.focus {
        Focus::Handoffs => {
            if let Some(no) = select::handoff(ui, run) {
                inspector::open(ui, run, Step::Handoff(no));
            }
        }
        Focus::Graph => (ui.team.focus, ui.team.zoomed) = (Focus::Panes, true),
        Focus::Panes if ui.team.zoomed && select::last_exchange(ui, run).is_some() => exchange(ui, run),
        Focus::Panes => ui.team.zoomed = !ui.team.zoomed,
    }
}

/// Opens the latest model call of the pane in front.
fn exchange(ui: &mut Ui, run: &Run) {
    if let Some(exchange) = select::last_exchange(ui, run) {
        let call = exchange.call;
        inspector::open(ui, run, Step::Exchange(call));
    }
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let team = &scene.ui.team;
    let (left, right) = sides(area, scene);
    let no_graph = left.is_empty();
    if team.zoomed || (area.width < 72 && area.height < 10) {
        let seen = match team.focus {
            Focus::Panes => panes::render(buf, area, scene, cache),
            Focus::Handoffs => handoffs::render(buf, area, scene, cache),
            Focus::Graph => graph::render(buf, area, scene, cache),
        };
        return Seen { no_graph, graph_rows: graph::rows_in(area), ..seen };
    }
    let list = if right.height < 10 { 0 } else { handoffs::height(scene.run, right.height) };
    let [above, below] = paint::rows(right, [right.height - list, list]);
    let seen = [
        (Focus::Graph, graph::render(buf, left, scene, cache)),
        (Focus::Panes, panes::render(buf, above, scene, cache)),
        (Focus::Handoffs, handoffs::render(buf, below, scene, cache)),
    ];
    let seen = seen.into_iter().find(|(focus, _)| *focus == team.focus).map_or(Seen::default(), |(_, seen)| seen);
    Seen { no_graph, graph_rows: graph::rows_in(left), ..seen }
}

/// The room for the graph and for the panes, beside or below one another.
fn sides(area: Rect, scene: Scene<'_>) -> (Rect, Rect) {
    if area.width >= 72 {
        let share = if area.width >= 110 { area.width * 12 / 25 } else { area.width * 10 / 24 };
        return paint::split(area, share);
    }
    // Stacked: a part with room for a line or two only is left out.
    let tall = graph::height(scene, area.height / 2);
    let tall = if area.height < 16 { 0 } else { tall };
    let [top, rest] = paint::rows(area, [tall, area.height - tall]);
    (top, rest)
}
