//! The keys of every page: scrolling, other pages, pausing and stopping the run, help, going back, leaving.

use crate::keymap::{F1, Key, PAGE_DOWN, PAGE_UP};
use crate::link::Leave;
use crate::mark;
use crate::outside::Errand;
use crate::overlays::breaks::Breaks;
use crate::overlays::commanding;
use crate::overlays::confirm::Confirm;
use crate::overlays::help;
use crate::overlays::raising;
use crate::prelude::*;
use crate::screens::{Page, front, journal};
use crate::update;
use crossterm::event::KeyCode;

pub static ON_PAGES: Keys = Keys { title: "on every page", groups: &[MOVING, GOING, journal::ROWS, STEERING] };
const MOVING: &[Row] = &[
    row(&[c('j'), DOWN], Action::Down, None, "down"),
    row(&[c('k'), UP], Action::Up, None, "up"),
    row(&[PAGE_DOWN, Key::Ctrl('d')], Action::PageDown, None, "a page down"),
    row(&[PAGE_UP, Key::Ctrl('u')], Action::PageUp, None, "a page up"),
    row(&[c('g'), Key::Plain(KeyCode::Home)], Action::Top, None, "to the top"),
    row(&[c('G'), Key::Plain(KeyCode::End)], Action::End, None, "to the end, and follow"),
];
const GOING: &[Row] = &[
    row(&[c('1')], Action::Go(Page::Team), None, "the team at work"),
    row(&[c('2')], Action::Go(Page::Findings), Some("findings"), "the findings"),
    row(&[c('3')], Action::Go(Page::Brief), Some("brief"), "the brief"),
    row(&[c('4')], Action::Go(Page::Plan), Some("plan"), "the plan, if the run stops for you to check it"),
    row(&[c('5')], Action::Go(Page::Stop), Some("breakpoint"), "what stands at a breakpoint"),
    row(&[c('6')], Action::Go(Page::Draft), Some("draft"), "the draft, if the run stops for you to read it"),
];
const STEERING: &[Row] = &[
    row(&[c('p')], Action::PauseOrContinue, Some("pause"), "pause the run, or continue it"),
    row(&[c('b')], Action::Raise, Some("cap"), "raise a cap of the run"),
    row(&[c('D')], Action::Breaks, None, "the breakpoints: show, clear, set"),
    row(
        &[c(':')],
        Action::Command,
        None,
        "find what a key does, and do it; or write a command: break WHERE, clear N, #N for an event",
    ),
    row(&[c('x')], Action::Cancel, None, "stop the run for good (asks first)"),
    row(
        &[c('q'), ESC],
        Action::Back,
        Some("back"),
        "back; at the top q leaves, the run is kept; q twice while a model answers",
    ),
    row(&[c('Q')], Action::Quit, None, "quit: leave the program; the run is kept"),
    row(&[c('?'), F1], Action::Help, Some("help"), "this help"),
];

/// Keys that also work while writing.
pub static KEYS: Keys = Keys {
    title: "everywhere",
    groups: &[&[
        row(&[Key::Ctrl('c')], Action::Interrupt, None, "twice: leave the program; the run is kept"),
        row(&[Key::Ctrl('z')], Action::Suspend, None, "put the program into the background"),
        row(
            &[Key::Ctrl('o')],
            Action::Outside,
            Some("editor"),
            "what you write here in your own editor ($VISUAL, $EDITOR); what you only read in your pager ($PAGER)",
        ),
        row(&[Key::Ctrl('l')], Action::Redraw, None, "paint the screen anew"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, hints_at, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            let page = ui.seen.page;
            if let Some(scroll) = (front(ui).scroll)(ui) {
                *scroll = moved(action, *scroll, usize::MAX, page);
            }
        }
        Action::Go(page) => go(ui, page),
        Action::Help => help::open(ui),
        Action::Back if matches!(ui.overlay, Overlay::None) => return Some(vec![Effect::Leave(Leave::Home)]),
        Action::Back => ui.overlay = Overlay::None,
        Action::Quit => return Some(vec![Effect::Leave(Leave::Quit)]),
        Action::Suspend => return Some(vec![Effect::Suspend]),
        Action::Redraw => return Some(vec![Effect::Redraw]),
        Action::Outside => return Some(outside(ui, run)),
        Action::PauseOrContinue => {
            return Some(vec![Effect::Send(if run.paused { Command::Continue } else { Command::Pause })]);
        }
        Action::Cancel => ui.overlay = Overlay::Confirm(Confirm::Cancel),
        Action::Raise => raising::open(ui, run),
        Action::Breaks => ui.overlay = Overlay::Breaks(Breaks::default()),
        Action::Command => return Some(commanding::open(ui, "")),
        _ => return None,
    }
    Some(Vec::new())
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    match action {
        Action::PauseOrContinue if run.is_at_a_checkpoint() => ui
            .may_not_change(run)
            .or_else(|| Some("the run waits for you already: nothing is running that could be paused".into())),
        Action::PauseOrContinue | Action::Cancel => ui.may_not_change(run),
        Action::Raise => raising::why_not(ui, run),
        Action::Go(page) => (page.screen().missing)(run),
        _ => None,
    }
}

fn hints_at(ui: &Ui, run: &Run, action: Action) -> bool {
    match action {
        Action::Go(page) => {
            let elsewhere = page != ui.page && matches!(ui.overlay, Overlay::None);
            elsewhere && (page == Page::Brief || page.needs_you(run))
        }
        Action::Outside => match ui.overlay {
            Overlay::None => matches!(ui.page, Page::Brief | Page::Draft | Page::Stop),
            Overlay::Writing(_) | Overlay::Answering(_) => true,
            _ => false,
        },
        // It can be raised at any time; that is news where something waits for it.
        Action::Raise => {
            run.paused || run.asks().is_some() || run.open().any(|assignment| mark::waits_for_room(assignment, run))
        }
        _ => true,
    }
}

/// The text that is written here goes to the person's editor; the text that `e` would change here as well; else the text that `y`
/// would copy goes to their pager.
fn outside(ui: &mut Ui, run: &Run) -> Vec<Effect> {
    let screen = front(ui);
    if let Some(field) = (screen.field)(ui, run) {
        return vec![write(field, false)];
    }
    let may = |ui: &Ui, action: Action| screen.keys.of(action).is_some() && update::why_not(ui, run, action).is_none();
    if may(ui, Action::Edit) {
        (screen.on)(ui, run, Action::Edit);
        if let Some(field) = (front(ui).field)(ui, run) {
            return vec![write(field, true)];
        }
    }
    let copied = may(ui, Action::Copy).then(|| (screen.on)(ui, run, Action::Copy)).flatten().unwrap_or_default();
    for effect in copied {
        if let Effect::Copy { what, text } = effect {
            return vec![Effect::Outside(Errand::Read { what, text })];
        }
    }
    ui.status = Some("there is no text here to read or to write in a program of your own".into());
    Vec::new()
}

/// The width of text for a pager, in cells.
pub const PAGER: usize = 100;

/// Shows lines in the person's pager.
pub fn read(what: &'static str, lines: &[Line<'_>]) -> Effect {
    let text = lines.iter().map(|line| format!("{line}\n")).collect();
    Effect::Outside(Errand::Read { what, text })
}

/// Sends a field's text to the person's editor.
pub fn write(field: &Field, submits: bool) -> Effect {
    Effect::Outside(Errand::Write { text: field.text().to_string(), submits })
}

pub fn go(ui: &mut Ui, page: Page) {
    ui.page = page;
    ui.overlay = Overlay::None;
}

/// The target of a movement from `at`, within `0..=last`. Only drawing knows how far a text scrolls: it cuts a target that is too
/// far, so that several keys between two frames are right for the next one.
pub fn moved(action: Action, at: usize, last: usize, page: usize) -> usize {
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

/// The next or previous of `count` things, wrapping around.
pub fn turned(action: Action, at: usize, count: usize) -> usize {
    let by = if action == Action::Next { 1 } else { -1 };
    if count == 0 { 0 } else { at.wrapping_add_signed(by).wrapping_add(count) % count }
}

/// The next or previous choice of a list, stopping at both ends.
pub fn chosen(action: Action, at: usize, count: usize) -> usize {
    moved(action, at, count.saturating_sub(1), 1)
}
