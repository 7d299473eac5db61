//! Updates the state of a run's screen for a message: a pure function whose effects the loop carries out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::field::{MOST_PASTED, PASTE_WAS_CUT};
use super::keymap;
use super::link::{Leave, Notice};
use super::live::{Heard, Wait};
use super::outside::{Back, Errand};
use super::overlays::{beside, inspector};
use super::places::Sort;
use super::screens::team::steering;
use super::screens::{Page, findings, front, offered};
use super::spot::{self, Mouse, Spot};
use super::ui::{Noticed, Turned, Warned};
use super::view::tiny;
use crate::prelude::*;
use run::state::Intent;
use run::{At, CallId, Envelope, Event, Money, Seq};

/// Something happened. Times count from the opening of the screen.
#[derive(Clone, Debug)]
pub enum Msg {
    Key(KeyEvent, Duration),
    Paste(String, Duration),
    /// The mouse, and the spot of the last frame under it.
    Mouse(Mouse, Option<Spot>),
    Tick(At),
    /// While playing: it is time for the next event.
    Beat,
    /// The run on the screen changed; it is folded up to this moment.
    Folded(Moment),
    /// From the desk. The run may be shown at an earlier moment.
    Notice(Notice),
    /// A program of the person's own that had the terminal has ended.
    Back(Back),
    /// Another run that was asked for was read, or why it cannot be.
    Beside(Clean, Result<Arc<Run>, Clean>),
    /// Streamed text of model calls.
    Streamed(BTreeMap<CallId, Heard>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Send(Command),
    Show(Step),
    Copy {
        /// The name of the text, for the status line.
        what: &'static str,
        text: String,
    },
    /// Read another run to compare with.
    Beside(Clean),
    /// Write a new file into the folder in which the program was started.
    Save {
        name: String,
        text: String,
    },
    Leave(Leave),
    /// Give the terminal to a program of the person's own, and come back with its text.
    Outside(Errand),
    /// Give the terminal back and stop until the shell continues us.
    Suspend,
    Redraw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Earlier,
    Later,
    First,
    Latest,
    /// To the moment after this event, or the nearest there is.
    To(Seq),
    /// To the next place of this sort, onwards or back.
    Next(Sort, bool),
    /// To a place that is chosen from a list.
    Choose,
}

/// Keys this soon after a paste, or after another such key, may be part of it if the terminal was tricked.
const AFTER_PASTE: Duration = Duration::from_millis(50);
pub const CAME_WITH_A_PASTE: &str = "that key arrived with a paste and was ignored: press it again";
pub const UNSEEN: &str = "the screen is too small to show what this key decides: enlarge it first";
const TURNED: &str = "the page has just changed by itself, so that key was ignored: press it again";
/// The time for which a person who was pressing keys when a page turned may still mean the page before.
const AFTER_TURN: Duration = Duration::from_millis(300);
/// A key that came this long before a page turned says that the person was pressing keys.
const WAS_PRESSING: Duration = Duration::from_millis(700);
const TWICE: Duration = Duration::from_secs(2);

pub fn update(ui: &mut Ui, run: &Run, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key, at) if key.kind != KeyEventKind::Release => return press(ui, run, &key, at),
        Msg::Key(..) => {}
        Msg::Paste(text, at) => paste(ui, run, &text, at),
        Msg::Mouse(mouse, spot) => return spot::on(ui, run, mouse, spot),
        Msg::Tick(now) => ui.now = now,
        Msg::Beat if ui.playing => return vec![Effect::Show(Step::Later)],
        Msg::Beat => {}
        Msg::Folded(moment) => folded(ui, run, moment),
        Msg::Back(back) => return came_back(ui, run, back),
        Msg::Beside(name, read) => beside::read(ui, run, name, read),
        Msg::Streamed(said) => ui.live.streams(&said),
        Msg::Notice(notice) => match notice {
            Notice::Committed(events) => {
                findings::recorded(ui, run, &events);
                recorded(ui, &events);
            }
            Notice::Retold(events) => recorded(ui, &events),
            Notice::Reading { files_done, files_total } => ui.reading = Some((files_done, files_total)),
            Notice::Waiting { call, why, until } => ui.live.waits(call, Wait { why, until, since: ui.now }),
            Notice::GoesOn { call, progress } => ui.live.goes_on(call, progress),
            Notice::Heard { call, what, text } => ui.hears(call, what, &text),
            Notice::Refused(why) => {
                ui.findings.redoing = 0;
                ui.status = Some(why);
            }
            Notice::Said(why) => ui.status = Some(why),
            Notice::Abandoned => return vec![Effect::Leave(Leave::TakeOver)],
            Notice::Stopped(why) => {
                ui.desk = Desk::Stopped(why);
                ui.live.clear();
            }
        },
    }
    Vec::new()
}

/// Takes in the events recorded now.
fn recorded(ui: &mut Ui, events: &[Arc<Envelope>]) {
    ui.live.recorded(events);
    light(ui, events);
}

/// Lights the edges of the handoffs that cross with these events.
fn light(ui: &mut Ui, events: &[Arc<Envelope>]) {
    // Handoffs that are loaded have crossed long ago.
    const LATE: u64 = 2_000;
    let now = ui.now;
    for envelope in events.iter().filter(|envelope| ui.moves && now.since(envelope.at) < LATE) {
        match &envelope.event {
            Event::HandedOff { opened, .. } => {
                opened.iter().for_each(|opened| ui.team.lit.crosses(opened.handoff.no, now));
            }
            Event::Reported { handoff, .. } => ui.team.lit.crosses(handoff.no, now),
            _ => {}
        }
    }
}

/// The reason why an action is not available now; None if it is.
pub fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    offered(ui).into_iter().find_map(|screen| (screen.why_not)(ui, run, action))
}

fn press(ui: &mut Ui, run: &Run, key: &KeyEvent, at: Duration) -> Vec<Effect> {
    let was_told = ui.status.take().is_some();
    ui.warned = None;
    let pasted = came_with_a_paste(&mut ui.pasted_at, at);
    if meant_before_it_turned(ui, at) && !matches!(key.code, KeyCode::Char(_) if key.modifiers == KeyModifiers::CONTROL)
    {
        ui.status = Some(TURNED.into());
        return Vec::new();
    }
    let screen = front(ui);
    if (screen.field)(ui, run).is_some_and(|field| field.key(*key)) {
        (screen.written)(ui);
        return Vec::new();
    }
    let Some(row) = keymap::find(&screen.keys_here(), key) else {
        ui.status = Some(if screen.extent == Extent::Box { works_here(screen) } else { works_elsewhere(key) });
        return Vec::new();
    };
    if let Some(why) = why_not(ui, run, row.action) {
        ui.status = Some(why);
        return Vec::new();
    }
    if row.action.decides() && ui.seen.tiny {
        ui.status = Some(UNSEEN.into());
        return Vec::new();
    }
    if row.action.decides() && pasted {
        ui.status = Some(CAME_WITH_A_PASTE.into());
        return Vec::new();
    }
    if row.action == Action::Interrupt {
        return interrupt(ui, at);
    }
    let effects = act(ui, run, row.action);
    let leaves = effects.iter().any(|effect| matches!(effect, Effect::Leave(Leave::Home | Leave::Quit)));
    // Esc closes boxes and takes messages away, and is easily pressed once more than needed: it never leaves.
    if leaves && key.code == KeyCode::Esc && was_told {
        return Vec::new();
    }
    let lost = if leaves { left_in_doubt(ui, run) } else { None };
    let Some(lost) = lost else {
        if leaves && key.code == KeyCode::Esc {
            ui.status = Some("q leaves".into());
            return Vec::new();
        }
        return effects;
    };
    if interrupted_twice(&mut ui.interrupted_at, at) && key.code != KeyCode::Esc {
        return effects;
    }
    let leave = match key.code {
        KeyCode::Char(key @ ('q' | 'Q')) => format!("{key} again leaves"),
        _ => "q leaves".into(),
    };
    let said = Clean::line(&format!("{lost}: {leave}"));
    ui.status = Some(said.clone());
    ui.warned = Some(Warned { said, lost, asks: run.open_checkpoint().map(|open| open.id) });
    Vec::new()
}

/// Takes the warning about leaving away once it is no longer true, or once the run asks something of the person.
fn warn_no_more(ui: &mut Ui, run: &Run) {
    let Some(warned) = ui.warned.as_ref().filter(|warned| ui.status.as_ref() == Some(&warned.said)) else { return };
    let asks = run.open_checkpoint().map(|open| open.id);
    if left_in_doubt(ui, run).as_ref() != Some(&warned.lost) || asks != warned.asks {
        (ui.warned, ui.status) = (None, None);
    }
}

/// The calls that would be in doubt after leaving now: model calls that wait for an answer. None if there are none.
fn left_in_doubt(ui: &Ui, run: &Run) -> Option<String> {
    if ui.mode != Mode::Live || ui.desk != Desk::Working {
        return None;
    }
    let is_asked = |call: &CallId| matches!(run.intent(*call), Some(Intent::Model(_))) && run.is_out(*call);
    let lost: Vec<_> = run.under_way.iter().filter(|(call, _)| is_asked(call)).collect();
    let most: u64 = lost.iter().map(|(_, reserved)| reserved.amounts.money().0).sum();
    let cost = if most > 0 { format!(", up to {}", Money(most)) } else { String::new() };
    let calls = count(lost.len(), "model call");
    (!lost.is_empty()).then(|| format!("{calls} under way would be left in doubt{cost}"))
}

/// Performs an action on the screens that are shown.
fn act(ui: &mut Ui, run: &Run, action: Action) -> Vec<Effect> {
    let before = ui.seen.tiny.then(|| ui.overlay.clone());
    let mut effects = offered(ui).into_iter().find_map(|screen| (screen.on)(ui, run, action)).unwrap_or_default();
    let Some(before) = before else { return effects };
    if effects.iter().any(|effect| matches!(effect, Effect::Send(_))) {
        effects.retain(|effect| !matches!(effect, Effect::Send(_)));
        ui.status = Some(UNSEEN.into());
    }
    if matches!(before, Overlay::None) && !tiny::shows(&ui.overlay) {
        ui.overlay = before;
        ui.status = Some("the screen is too small to show that: enlarge it first".into());
    }
    effects
}

/// The person's text from elsewhere comes into its field, and stays there if it cannot be accepted.
fn came_back(ui: &mut Ui, run: &Run, back: Back) -> Vec<Effect> {
    let (text, submits) = match back {
        Back::Read => return Vec::new(),
        Back::Failed(why) => {
            ui.status = Some(Clean::line(&why));
            return Vec::new();
        }
        Back::Written { text, submits } => (text, submits),
    };
    let screen = front(ui);
    let Some(field) = (screen.field)(ui, run) else {
        // The run has gone on, and asks for it no more.
        return vec![Effect::Copy { what: "what you wrote is not asked for any more; it", text }];
    };
    field.set(&text);
    (screen.written)(ui);
    if submits { act(ui, run, Action::Submit) } else { Vec::new() }
}

/// Whether a key was pressed before the person can have seen that the page turned by itself.
fn meant_before_it_turned(ui: &mut Ui, at: Duration) -> bool {
    let before = ui.pressed_at.replace(at);
    let Some(turned) = ui.turned else { return false };
    let unseen = turned.shown_at.is_none_or(|shown| {
        let was_pressing = before.is_some_and(|before| shown.saturating_sub(before) < WAS_PRESSING);
        at < shown || was_pressing && at.saturating_sub(shown) < AFTER_TURN
    });
    if unseen {
        // It tells of the turn, and is no sign of a person who knows of it.
        ui.pressed_at = before;
    } else {
        ui.turned = None;
    }
    unseen
}

/// Whether a key may be part of the paste before it: then it decides nothing.
pub fn came_with_a_paste(pasted_at: &mut Option<Duration>, at: Duration) -> bool {
    *pasted_at = pasted_at.filter(|pasted| at.saturating_sub(*pasted) < AFTER_PASTE).map(|_| at);
    pasted_at.is_some()
}

/// The keys that work in a dialog.
fn works_here(dialog: &Screen) -> Clean {
    let hints = dialog.keys.rows().filter_map(|row| Some(format!("{} {}", row.keys[0], row.hint?)));
    Clean::line(&format!("that key does nothing here: {}", hints.collect::<Vec<_>>().join(" · ")))
}

/// Said of a key that works nowhere.
pub const DOES_NOTHING: &str = "that key does nothing here: F1 lists those that do";

/// The other pages on which the key works.
fn works_elsewhere(key: &KeyEvent) -> Clean {
    let (pages, overlays) = (Page::ALL.map(Page::screen), super::overlays::ALL);
    let mut all = pages.iter().chain(overlays).filter(|screen| screen.extent == Extent::Page);
    match all.find_map(|screen| Some((screen.keys, screen.keys.row(key)?))) {
        Some((keys, row)) => Clean::line(&format!("{} ({}) works in: {}", row.written(), row.description, keys.title)),
        None => DOES_NOTHING.into(),
    }
}

/// Whether Ctrl-C was pressed twice within a short time.
pub fn interrupted_twice(before: &mut Option<Duration>, at: Duration) -> bool {
    before.replace(at).is_some_and(|before| at.saturating_sub(before) < TWICE)
}

fn interrupt(ui: &mut Ui, at: Duration) -> Vec<Effect> {
    if interrupted_twice(&mut ui.interrupted_at, at) {
        return vec![Effect::Leave(Leave::Quit)];
    }
    ui.status = Some("Ctrl-C again leaves; the run is kept and can be resumed. x stops it for good.".into());
    Vec::new()
}

fn paste(ui: &mut Ui, run: &Run, text: &str, at: Duration) {
    ui.pasted_at = Some(at);
    let screen = front(ui);
    match (screen.field)(ui, run) {
        Some(field) => {
            field.paste(text);
            if text.len() >= MOST_PASTED {
                ui.status = Some(PASTE_WAS_CUT.into());
            }
        }
        None => ui.status = Some("there is no text field here to paste into".into()),
    }
    (screen.written)(ui);
}

/// The run changed: the screen turns to the page that needs the person, once each.
fn folded(ui: &mut Ui, run: &Run, moment: Moment) {
    warn_no_more(ui, run);
    let before = ui.page;
    ui.moment = moment;
    steering::follow(ui, run);
    findings::follow(ui, run);
    inspector::follow(ui, run);
    if run.corpus.is_some() {
        ui.reading = None;
    }
    let open = run.open_checkpoint().filter(|open| select::page_of(open).is_some()).map(|open| open.id);
    let free = matches!(ui.overlay, Overlay::None);
    if moment == Moment::Latest || ui.playing {
        let brief = run.brief().is_some();
        if brief && !ui.noticed.brief && free {
            ui.page = Page::Brief;
        } else if open.is_some() && open != ui.noticed.checkpoint && free {
            ui.page = select::waiting_page(run).unwrap_or(ui.page);
            (ui.findings, ui.plan, ui.stop, ui.draft) = Default::default();
        } else if open.is_none()
            && ui.noticed.checkpoint.is_some()
            && matches!(ui.page, Page::Findings | Page::Plan | Page::Stop | Page::Draft)
            && run.is_working()
        {
            ui.page = Page::Team;
        }
        ui.noticed = Noticed { checkpoint: open, brief };
    }
    if moment == Moment::Latest {
        ui.playing = false;
    }
    // At an earlier moment, or after an answer from elsewhere, a page or an overlay may have nothing to show.
    if (ui.page.screen().missing)(run).is_some() {
        ui.page = Page::Team;
    }
    let stale = (front(ui).is_stale)(ui, run);
    if stale {
        ui.overlay = Overlay::None;
    }
    // Keys that were meant for the old page do nothing on the new one.
    if ui.mode == Mode::Live && moment == Moment::Latest && (stale || ui.page != before) {
        ui.turned = Some(Turned::default());
    }
}

#[cfg(test)]
mod tests;
