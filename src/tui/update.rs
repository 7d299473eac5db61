//! What happens to the screen when something happens: a pure function from state and message to state and wishes.
//!
//! It reads no clock, sends nothing and draws nothing; effects are data that the loop carries out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::keymap::{self, Action};
use super::link::{Command, Leave};
use super::live::{Heard, Wait};
use super::overlays::Overlay;
use super::screens::team::steering;
use super::screens::{Extent, Page, front, offered};
use super::ui::{Desk, Moment, Noticed, Reel, Ui};
use crate::select;
use run::{At, CallId, Envelope, Run};
use text::Clean;

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
    /// The process that worked on the run is gone.
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
        Msg::Paste(text, at) => paste(ui, run, &text, at),
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

/// Why an action is not to be had now, in words for the person; None if it is.
pub fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    offered(ui).into_iter().find_map(|screen| (screen.why_not)(ui, run, action))
}

fn press(ui: &mut Ui, run: &Run, key: &KeyEvent, at: Duration) -> Vec<Effect> {
    ui.status = None;
    let screen = front(ui);
    if (screen.field)(ui, run).is_some_and(|field| field.key(*key)) {
        (screen.written)(ui);
        return Vec::new();
    }
    let Some(row) = keymap::find(&screen.keys_here(), key) else {
        ui.status = works_elsewhere(key);
        return Vec::new();
    };
    if let Some(why) = why_not(ui, run, row.action) {
        ui.status = Some(why);
        return Vec::new();
    }
    if row.action.decides() && ui.pasted_at.is_some_and(|pasted| at.saturating_sub(pasted) < AFTER_PASTE) {
        ui.status = Some("that key came with a paste, so it decided nothing: press it again".into());
        return Vec::new();
    }
    if row.action == Action::Interrupt {
        return interrupt(ui, at);
    }
    offered(ui).into_iter().find_map(|screen| (screen.on)(ui, run, row.action)).unwrap_or_default()
}

/// Where else a key means something, for the person who pressed it here.
fn works_elsewhere(key: &KeyEvent) -> Option<Clean> {
    let (pages, overlays) = (Page::ALL.map(Page::screen), super::overlays::ALL);
    let mut all = pages.iter().chain(overlays).filter(|screen| screen.extent == Extent::Page);
    let (keys, row) = all.find_map(|screen| Some((screen.keys, screen.keys.row(key)?)))?;
    Some(Clean::line(&format!("{} ({}) works in: {}", row.written(), row.description, keys.title)))
}

fn interrupt(ui: &mut Ui, at: Duration) -> Vec<Effect> {
    let twice = ui.interrupted_at.is_some_and(|before| at.saturating_sub(before) < TWICE);
    ui.interrupted_at = Some(at);
    if twice {
        return vec![Effect::Leave(Leave::Quit)];
    }
    ui.status = Some("Ctrl-C again leaves; the run is kept and can be resumed. x stops it for good.".into());
    Vec::new()
}

fn paste(ui: &mut Ui, run: &Run, text: &str, at: Duration) {
    ui.pasted_at = Some(at);
    let screen = front(ui);
    match (screen.field)(ui, run) {
        Some(field) => field.paste(text),
        None => ui.status = Some("there is no text field here to paste into".into()),
    }
    (screen.written)(ui);
}

/// The run is another now: the screen turns to what needs the person, once each.
fn folded(ui: &mut Ui, run: &Run, moment: Moment) {
    ui.moment = moment;
    steering::follow(ui, run);
    if run.corpus.is_some() {
        ui.reading = None;
    }
    let open = run.open_checkpoint().filter(|open| select::page_of(open).is_some()).map(|open| open.id);
    let free = matches!(ui.overlay, Overlay::None);
    if moment == Moment::Latest || ui.reel == Reel::Playing {
        let brief = run.brief().is_some();
        if brief && !ui.noticed.brief && free {
            ui.page = Page::Brief;
        } else if open.is_some() && open != ui.noticed.checkpoint && free {
            ui.page = select::waiting_page(run).unwrap_or(ui.page);
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
    if (ui.page.screen().missing)(run).is_some() {
        ui.page = Page::Team;
    }
    if (front(ui).is_stale)(ui, run) {
        ui.overlay = Overlay::None;
    }
}

#[cfg(test)]
mod tests;
