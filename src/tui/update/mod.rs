//! What happens to the screen when something happens: a pure function from state and message to state and wishes.
//!
//! It reads no clock, sends nothing and draws nothing; effects are data that the loop carries out.

mod answering;
mod asked;
mod available;
mod findings;
mod movement;
mod plan;
mod raising;
mod steering;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::graph;
use super::keymap::{self, Action, Context, Row};
use super::live::{Heard, Wait};
use super::select;
use super::stage::{Command, Leave, Mode};
use super::ui::{Desk, Doubt, Focus, Form, Moment, Noticed, Overlay, Page, Purpose, Reel, Ui, Zoom};
use run::transcript::Exchange;
use run::{AssignmentId, At, CallId, Envelope, Run, brief};
use text::Clean;

pub use available::why_not;

/// Something happened. Times are those since the screen was opened.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent, Duration),
    /// Text was pasted.
    Paste(String, Duration),
    /// What time it is.
    Tick(At),
    /// While playing: it is time for the next event.
    Beat,
    /// The run beside the screen is another now, at this moment.
    Folded(Moment),
    /// This was recorded; the run may be shown as it was earlier.
    Recorded(Vec<Arc<Envelope>>),
    /// Models have said more.
    Heard(BTreeMap<CallId, Heard>),
    /// A model call waits.
    Waits(CallId, Wait),
    /// So many files of so many were read.
    Reading(u64, u64),
    /// The desk did not do what was asked.
    Refused(Clean),
    /// Whoever worked on the run is gone.
    Abandoned,
    /// The desk has stopped.
    Stopped(Option<Clean>),
}

/// Something the loop is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Ask the desk.
    Send(Command),
    /// Show another moment.
    Show(Step),
    /// Put text on the clipboard.
    Copy {
        /// What it is, for the status line.
        what: &'static str,
        /// The text.
        text: String,
    },
    /// Leave this screen.
    Leave(Leave),
    /// Give the terminal back and stop until the shell continues us.
    Suspend,
    /// Paint everything anew.
    Redraw,
}

/// Which moment to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One event back.
    Earlier,
    /// One event on.
    Later,
    /// After the first event.
    First,
    /// The latest.
    Latest,
}

/// Keys this soon after a paste may be its tail, let through by a terminal that was tricked: they approve nothing.
const AFTER_PASTE: Duration = Duration::from_millis(50);
/// Two presses of Ctrl-C within this time leave.
const TWICE: Duration = Duration::from_secs(2);

/// Takes a message in.
pub fn update(ui: &mut Ui, run: &Run, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key, at) if key.kind != KeyEventKind::Release => return press(ui, run, &key, at),
        Msg::Key(..) => {}
        Msg::Paste(text, at) => paste(ui, &text, at),
        Msg::Tick(now) => ui.now = now,
        Msg::Beat if ui.reel == Reel::Playing => return vec![Effect::Show(Step::Later)],
        Msg::Beat => {}
        Msg::Folded(moment) => folded(ui, run, moment),
        Msg::Reading(done, total) => ui.reading = Some((done, total)),
        Msg::Refused(why) => ui.status = Some(why),
        Msg::Recorded(events) => ui.live.recorded(&events),
        Msg::Heard(said) => ui.live.hears(&said),
        Msg::Waits(call, wait) => ui.live.waits(call, wait),
        Msg::Abandoned => return vec![Effect::Leave(Leave::TakeOver)],
        Msg::Stopped(why) => {
            ui.desk = Desk::Stopped(why);
            ui.live.clear();
        }
    }
    Vec::new()
}

/// Where the keys are looked up, in this order.
pub fn contexts(ui: &Ui) -> &'static [Context] {
    use Context::{
        Always, Answering, Asked, Brief, Choosing, Confirm, Filtering, Findings, Help, Passage, Payload, Plan, Raising,
        Run, Team, Writing,
    };
    match (&ui.overlay, ui.page) {
        (Overlay::Help { .. }, _) => &[Help, Run, Asked, Always],
        (Overlay::Payload { .. } | Overlay::Exchange { .. }, _) => &[Payload, Run, Asked, Always],
        (Overlay::Passage { .. }, _) => &[Passage, Run, Asked, Always],
        (Overlay::Writing { .. }, _) => &[Writing, Always],
        (Overlay::Filtering(_), _) => &[Filtering, Always],
        (Overlay::Raising { .. }, _) => &[Raising, Always],
        (Overlay::Answering { .. }, _) => &[Answering, Always],
        (Overlay::Choosing { .. }, _) => &[Choosing, Always],
        (Overlay::Confirm(_), _) => &[Confirm, Always],
        (Overlay::None, Page::Team) => &[Team, Run, Asked, Always],
        (Overlay::None, Page::Findings) => &[Findings, Run, Asked, Always],
        (Overlay::None, Page::Plan) => &[Plan, Run, Asked, Always],
        (Overlay::None, Page::Brief) => &[Brief, Run, Asked, Always],
    }
}

fn press(ui: &mut Ui, run: &Run, key: &KeyEvent, at: Duration) -> Vec<Effect> {
    ui.status = None;
    if let Overlay::Writing { field, .. } | Overlay::Raising { field, .. } | Overlay::Filtering(field) = &mut ui.overlay
        && field.key(*key)
    {
        findings::filter_as_typed(ui);
        return Vec::new();
    }
    if let Overlay::Answering { words, .. } = &mut ui.overlay
        && run.open_inquiry().is_some_and(|inquiry| inquiry.question.choices.is_empty())
        && words.key(*key)
    {
        return Vec::new();
    }
    let Some(row) = keymap::find(contexts(ui), key) else {
        if let Some(row) = keymap::elsewhere(key) {
            ui.status = Some(Clean::line(&format!(
                "{} ({}) works in: {}",
                keymap::keys(row),
                row.description,
                row.context.title()
            )));
        }
        return Vec::new();
    };
    if let Some(why) = why_not(ui, run, row.action) {
        ui.status = Some(why);
        return Vec::new();
    }
    let decides = row.context == Context::Asked
        || matches!(row.action, Action::Approve | Action::Yes | Action::Submit | Action::Cancel);
    if decides && ui.pasted_at.is_some_and(|pasted| at.saturating_sub(pasted) < AFTER_PASTE) {
        ui.status = Some("that key came with a paste, so it decided nothing: press it again".into());
        return Vec::new();
    }
    act(ui, run, row, at)
}

fn act(ui: &mut Ui, run: &Run, row: &Row, at: Duration) -> Vec<Effect> {
    match row.action {
        Action::Help => {
            ui.overlay = match ui.overlay {
                Overlay::Help { .. } => Overlay::None,
                _ => Overlay::Help { scroll: 0 },
            };
        }
        Action::Back => return back(ui),
        Action::Quit => return vec![Effect::Leave(Leave::Quit)],
        Action::Interrupt => {
            let twice = ui.interrupted_at.is_some_and(|before| at.saturating_sub(before) < TWICE);
            ui.interrupted_at = Some(at);
            if twice {
                return vec![Effect::Leave(Leave::Quit)];
            }
            ui.status = Some("Ctrl-C again leaves; the run is kept and can be resumed. x stops it for good.".into());
        }
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Redraw],
        Action::GoTeam => go(ui, Page::Team),
        Action::GoFindings => go(ui, Page::Findings),
        Action::GoBrief => go(ui, Page::Brief),
        Action::GoPlan => go(ui, Page::Plan),
        Action::Down if matches!(ui.overlay, Overlay::Answering { .. }) => answering::next(ui, run, 1),
        Action::Up if matches!(ui.overlay, Overlay::Answering { .. }) => answering::next(ui, run, -1),
        Action::Down if matches!(ui.overlay, Overlay::Choosing { .. }) => steering::next(ui, run, 1),
        Action::Up if matches!(ui.overlay, Overlay::Choosing { .. }) => steering::next(ui, run, -1),
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            movement::scroll(ui, run, row.action);
        }
        Action::Next | Action::NextBox => movement::next(ui, run, 1),
        Action::Previous => movement::next(ui, run, -1),
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
        Action::Open | Action::Start => open(ui, run),
        Action::Form => {
            if let Overlay::Payload { form, scroll, .. } | Overlay::Exchange { form, scroll, .. } = &mut ui.overlay {
                *form = if *form == Form::Tree { Form::Raw } else { Form::Tree };
                *scroll = 0;
            }
        }
        Action::Copy => return copy(ui, run),
        Action::PauseOrContinue => {
            return vec![Effect::Send(if run.held { Command::Continue } else { Command::Pause })];
        }
        Action::Cancel => ui.overlay = Overlay::Confirm(Doubt::Cancel),
        Action::Raise => raising::open(ui, run),
        Action::NextCap => raising::next(ui, run),
        Action::Answer => answering::open(ui),
        Action::Submit if matches!(ui.overlay, Overlay::Answering { .. }) => return answering::submit(ui, run),
        Action::Submit if matches!(ui.overlay, Overlay::Raising { .. }) => return raising::submit(ui, run),
        Action::Submit if matches!(ui.overlay, Overlay::Choosing { .. }) => return steering::choose(ui, run),
        Action::Submit if matches!(ui.overlay, Overlay::Writing { purpose: Purpose::Tell(_), .. }) => {
            return steering::tell(ui, run);
        }
        Action::Higher
        | Action::Lower
        | Action::HoldOne
        | Action::CancelOne
        | Action::RetryOne
        | Action::Reassign
        | Action::Tell => return steering::act(ui, run, row.action),
        Action::Exchange => exchange(ui, run),
        Action::Retry | Action::Skip | Action::RetryAll | Action::SkipAll | Action::TryAgain => {
            return asked::answer(run, row.action);
        }
        Action::Earlier => return step(ui, Step::Earlier),
        Action::Later => return step(ui, Step::Later),
        Action::First => return step(ui, Step::First),
        Action::Latest => return step(ui, Step::Latest),
        Action::Play => return play(ui),
        Action::No => ui.overlay = Overlay::None,
        Action::Yes => return yes(ui, run),
        Action::Drop
        | Action::Title
        | Action::Who
        | Action::After
        | Action::MoveDown
        | Action::MoveUp
        | Action::Another => return plan::act(ui, run, row.action),
        Action::Edit | Action::Add | Action::Undo | Action::Approve | Action::Submit if ui.page == Page::Plan => {
            return plan::act(ui, run, row.action);
        }
        Action::Toggle
        | Action::Edit
        | Action::Add
        | Action::More
        | Action::Filter
        | Action::Undo
        | Action::Approve
        | Action::Submit
        | Action::NextTopic => return findings::act(ui, run, row.action),
    }
    Vec::new()
}

/// Who steps by hand has seen enough of the reel.
fn step(ui: &mut Ui, step: Step) -> Vec<Effect> {
    ui.reel = Reel::Still;
    vec![Effect::Show(step)]
}

fn play(ui: &mut Ui) -> Vec<Effect> {
    if ui.reel == Reel::Playing {
        ui.reel = Reel::Still;
        return Vec::new();
    }
    ui.reel = Reel::Playing;
    ui.noticed = Noticed::default();
    go(ui, Page::Team);
    ui.team.pane = None;
    match ui.moment {
        Moment::Latest => vec![Effect::Show(Step::First)],
        Moment::Earlier { .. } => Vec::new(),
    }
}

fn go(ui: &mut Ui, page: Page) {
    ui.page = page;
    ui.overlay = Overlay::None;
}

fn back(ui: &mut Ui) -> Vec<Effect> {
    match (&ui.overlay, ui.page) {
        (Overlay::Filtering(_), _) => {
            ui.findings.filter = Clean::default();
            ui.overlay = Overlay::None;
        }
        (Overlay::None, Page::Findings) if !ui.findings.filter.is_empty() => ui.findings.filter = Clean::default(),
        (Overlay::None, Page::Brief) if ui.brief.cite.is_some() => ui.brief.cite = None,
        (Overlay::None, Page::Team) if ui.team.zoom == Zoom::One => {
            ui.team.zoom = Zoom::All;
            ui.team.focus = Focus::Panes;
        }
        (Overlay::None, Page::Team) if ui.team.focus != Focus::Panes => ui.team.focus = Focus::Panes,
        (Overlay::None, _) => return vec![Effect::Leave(Leave::Home)],
        _ => ui.overlay = Overlay::None,
    }
    Vec::new()
}

fn focus(ui: &mut Ui, focus: Focus) {
    let there = ui.team.focus == focus;
    ui.team.focus = if there { Focus::Panes } else { focus };
    ui.team.zoom = if focus == Focus::Graph && !there { Zoom::One } else { Zoom::All };
}

/// Folds the group of the pane in front, or opens it.
fn fold(ui: &mut Ui, run: &Run) {
    let graph = graph::of(run, &ui.team.folds);
    let front = select::front(ui, run).map(|assignment| assignment.id);
    match front.and_then(|id| above_in(run, id).find_map(|id| graph.group_of(id))) {
        Some(group) => ui.team.folds.turn(&group),
        None => ui.status = Some("the pane in front is in no section: v and j go to one, F folds or opens all".into()),
    }
}

/// An assignment and those it works for.
fn above_in(run: &Run, id: AssignmentId) -> impl Iterator<Item = AssignmentId> {
    std::iter::successors(Some(id), |id| run.assignment(*id)?.parent)
}

/// Folds all groups where one is open, else opens all.
fn fold_all(ui: &mut Ui, run: &Run) {
    let graph = graph::of(run, &ui.team.folds);
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
    match ui.page {
        Page::Team if ui.team.focus == Focus::Handoffs => {
            if let Some(no) = select::handoff(ui, run) {
                ui.overlay = Overlay::Payload { no, form: Form::Tree, scroll: 0 };
            }
        }
        Page::Team if ui.team.focus == Focus::Graph => {
            ui.team.focus = Focus::Panes;
            ui.team.zoom = Zoom::One;
        }
        Page::Team if ui.team.zoom == Zoom::One && select::last_exchange(ui, run).is_some() => exchange(ui, run),
        Page::Team => zoom(ui),
        Page::Plan => {}
        Page::Findings => {
            if let Some(checkpoint) = select::checkpoint(run) {
                let shown = select::findings(ui, checkpoint);
                if let Some(finding) = shown.get(select::finding(ui, &shown)) {
                    ui.overlay = Overlay::Passage { findings: vec![finding.id], scroll: 0 };
                }
            }
        }
        Page::Brief => {
            let Some((draft, findings)) = run.brief() else { return };
            let citations = select::citations(draft, findings);
            let at = ui.brief.cite.unwrap_or(0);
            if let Some(behind) = citations.get(at) {
                ui.brief.cite = Some(at);
                ui.overlay = Overlay::Passage { findings: behind.clone(), scroll: 0 };
            }
        }
    }
}

/// Opens what was said to the model of the pane in front, the latest first.
fn exchange(ui: &mut Ui, run: &Run) {
    if let Some(exchange) = select::last_exchange(ui, run) {
        ui.overlay = Overlay::Exchange { call: exchange.call, form: Form::Tree, scroll: 0 };
    }
}

fn copy(ui: &Ui, run: &Run) -> Vec<Effect> {
    let copied = match &ui.overlay {
        Overlay::Payload { no, .. } => {
            run.handoff(*no).and_then(|handoff| Some(("the payload", serde_json::to_string_pretty(&**handoff).ok()?)))
        }
        Overlay::Exchange { call, .. } => {
            select::exchange(run, *call).map(|exchange| ("the exchange", exchange_as_json(exchange).to_string()))
        }
        Overlay::Passage { findings, .. } => {
            let said = findings.iter().filter_map(|id| select::find(run, *id)).map(|finding| {
                let place = finding.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
                format!("{}\n> {}{place}\n", finding.claim, finding.quote)
            });
            Some(("the finding", said.collect::<Vec<_>>().join("\n")))
        }
        _ => run.brief().map(|(draft, findings)| ("the brief", brief::markdown(draft, findings))),
    };
    copied.map(|(what, text)| Effect::Copy { what, text }).into_iter().collect()
}

/// The request and the answer as they are recorded. What a server sent is not clean; what is shown and copied is.
pub fn exchange_as_json(exchange: &Exchange) -> Clean {
    let reply = exchange.reply().map(|reply| &**reply);
    let recorded = serde_json::json!({ "call": exchange.call, "request": &*exchange.request, "reply": reply });
    // Plain data with string keys: writing it as JSON cannot fail.
    Clean::new(&serde_json::to_string_pretty(&recorded).unwrap_or_default())
}

fn yes(ui: &mut Ui, run: &Run) -> Vec<Effect> {
    let Overlay::Confirm(doubt) = ui.overlay else { return Vec::new() };
    ui.overlay = Overlay::None;
    match doubt {
        Doubt::Cancel => vec![Effect::Send(Command::Cancel)],
        Doubt::ApproveNothing => findings::approve(run),
        Doubt::CancelOne(_) | Doubt::RetryOne(_) => steering::confirmed(ui, doubt),
    }
}

fn paste(ui: &mut Ui, text: &str, at: Duration) {
    ui.pasted_at = Some(at);
    match &mut ui.overlay {
        Overlay::Writing { field, .. }
        | Overlay::Raising { field, .. }
        | Overlay::Filtering(field)
        | Overlay::Answering { words: field, .. } => {
            field.paste(text);
        }
        _ => ui.status = Some("there is no text field here to paste into".into()),
    }
    findings::filter_as_typed(ui);
}

/// The run is another now: the screen turns to what needs the person, once each.
fn folded(ui: &mut Ui, run: &Run, moment: Moment) {
    ui.moment = moment;
    steering::follow(ui, run);
    if run.corpus.is_some() {
        ui.reading = None;
    }
    let open = run.waits_at().filter(|_| run.is_at_a_checkpoint());
    let free = matches!(ui.overlay, Overlay::None);
    if moment == Moment::Latest || ui.reel == Reel::Playing {
        let brief = run.brief().is_some();
        if brief && !ui.noticed.brief && free {
            ui.page = Page::Brief;
        } else if open.is_some() && open != ui.noticed.checkpoint && free {
            let plan = run.open_proposal().is_some();
            ui.page = if plan { Page::Plan } else { Page::Findings };
            (ui.findings, ui.plan) = Default::default();
        } else if open.is_none()
            && ui.noticed.checkpoint.is_some()
            && matches!(ui.page, Page::Findings | Page::Plan)
            && run.is_working()
        {
            ui.page = Page::Team;
        }
        ui.noticed = Noticed { checkpoint: open, brief };
    }
    if moment == Moment::Latest {
        ui.reel = Reel::Still;
    }
    // Back in time, or with the checkpoint closed by someone else, some things are not there to be shown.
    let lost = match ui.page {
        Page::Team => false,
        Page::Findings => run.checkpoints.is_empty(),
        Page::Brief => run.brief().is_none(),
        Page::Plan => run.proposals.is_empty(),
    };
    if lost {
        ui.page = Page::Team;
    }
    let stale = match &ui.overlay {
        Overlay::Payload { no, .. } => run.handoff(*no).is_none(),
        Overlay::Exchange { call, .. } => select::exchange(run, *call).is_none(),
        Overlay::Passage { findings, .. } => !findings.iter().any(|id| select::find(run, *id).is_some()),
        // What was written is kept though nobody may be there to read it any more: the person is told when they send it.
        Overlay::Writing { purpose: Purpose::Tell(id), .. } => run.assignment(*id).is_none() || run.ended().is_some(),
        Overlay::Choosing { assignment, choice } => *choice >= run.could_do(*assignment).len(),
        Overlay::Confirm(Doubt::CancelOne(id) | Doubt::RetryOne(id)) => {
            run.assignment(*id).is_none_or(|assignment| assignment.ended.is_some())
        }
        Overlay::Writing { .. } | Overlay::Filtering(_) | Overlay::Confirm(Doubt::ApproveNothing) => open.is_none(),
        Overlay::Raising { .. } => run.asks().is_none(),
        Overlay::Answering { .. } => run.open_inquiry().is_none(),
        Overlay::Confirm(Doubt::Cancel) => run.ended().is_some(),
        Overlay::None | Overlay::Help { .. } => false,
    };
    if stale {
        ui.overlay = Overlay::None;
    }
}

/// Whether anything may be changed here, and if not why, for the person.
fn may_not_change(ui: &Ui, run: &Run) -> Option<Clean> {
    match (&ui.mode, ui.moment, &ui.desk) {
        (Mode::Replay, ..) => Some("this is a replay: nothing can be changed".into()),
        (Mode::ReadOnly(why), ..) => Some(why.clone()),
        (_, Moment::Earlier { .. }, _) => {
            Some("this is an earlier moment of the run: } goes back to the latest".into())
        }
        _ if run.ended().is_some() => Some("the run has ended".into()),
        (.., Desk::Stopped(Some(why))) => Some(why.clone()),
        (.., Desk::Stopped(None)) => Some("nobody works on this run any more: leave and resume it".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
