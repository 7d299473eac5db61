//! The screens of a run, a module each: its state, its keys and their actions, and its drawing.
//!
//! Pages fill the middle of the screen; [`crate::overlays`] lie over them. Three more have keys on every page: requests to the
//! person ([`asked`]), the [`journal`] line, and the keys that work [`everywhere`]. A key is offered to the screen in front first,
//! then to those three. [`home`] and [`traces`] are shown without a run.

pub mod asked;
pub mod brief;
pub mod draft;
pub mod everywhere;
pub mod findings;
pub mod home;
pub mod journal;
pub mod plan;
pub mod reading;
pub mod stop;
pub mod team;
pub mod traces;

use crate::overlays;
use crate::prelude::*;

/// A screen of a run: functions over the run and [`Ui`], which holds its state. They only return effects.
#[derive(Clone, Copy)]
pub struct Screen {
    pub keys: &'static Keys,
    pub extent: Extent,
    /// Performs the action of a key on this screen; None if it means nothing here.
    pub on: fn(&mut Ui, &Run, Action) -> Option<Vec<Effect>>,
    /// The reason why a key does nothing now; None if it works.
    pub why_not: fn(&Ui, &Run, Action) -> Option<Clean>,
    /// Whether a key that works gets a hint now.
    pub hints_at: fn(&Ui, &Run, Action) -> bool,
    /// Draws the screen and returns the visible range of its scrolled part.
    pub draw: fn(&mut Buffer, Rect, Scene<'_>, &mut Cache) -> Seen,
    /// The text field, if there is one: it takes keys first.
    pub field: for<'a> fn(&'a mut Ui, &Run) -> Option<&'a mut Field>,
    /// Called after a change of the field.
    pub written: fn(&mut Ui),
    /// The first line shown, if the screen is one text that scrolls.
    pub scroll: fn(&mut Ui) -> Option<&mut usize>,
    /// The reason why the page has nothing to show at this moment; None if it has.
    pub missing: fn(&Run) -> Option<Clean>,
    /// Whether the content of an overlay is gone, so that it closes.
    pub is_stale: fn(&Ui, &Run) -> bool,
}

/// The part of the page and of the keyboard that a screen takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole page. Keys of every page work here too.
    Page,
    /// A part of the page; the rest stays visible. Keys of every page work here too.
    Part,
    /// A box over the page that takes every key.
    Box,
}

impl Screen {
    /// The defaults: no keys, nothing shown.
    pub const PLAIN: Screen = Screen {
        keys: &Keys { title: "", groups: &[] },
        extent: Extent::Page,
        on: |_, _, _| None,
        why_not: |_, _, _| None,
        hints_at: |_, _, _| true,
        draw: |_, _, _, _| Seen::default(),
        field: |_, _| None,
        written: |_| {},
        scroll: |_| None,
        missing: |_| None,
        is_stale: |_, _| false,
    };

    /// The tables in which keys are looked up while this screen is in front, in order.
    pub fn keys_here(&self) -> Vec<&'static Keys> {
        match self.extent {
            Extent::Page | Extent::Part => vec![self.keys, &everywhere::ON_PAGES, &asked::KEYS, &everywhere::KEYS],
            Extent::Box => vec![self.keys, &everywhere::KEYS],
        }
    }
}

/// The pages of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// Graph, panes, handoffs.
    #[default]
    Team,
    Findings,
    Plan,
    Brief,
    /// The message that stands at a breakpoint.
    Stop,
    Draft,
}

impl Page {
    pub const ALL: [Page; 6] = [Page::Team, Page::Findings, Page::Plan, Page::Draft, Page::Brief, Page::Stop];

    pub fn screen(self) -> &'static Screen {
        match self {
            Page::Team => &team::SCREEN,
            Page::Findings => &findings::SCREEN,
            Page::Plan => &plan::SCREEN,
            Page::Brief => &brief::SCREEN,
            Page::Stop => &stop::SCREEN,
            Page::Draft => &draft::SCREEN,
        }
    }

    /// Whether the run waits for the person on this page.
    pub fn needs_you(self, run: &Run) -> bool {
        select::waiting_page(run) == Some(self)
    }
}

/// The screen in front: the overlay, or the page.
pub fn front(ui: &Ui) -> &'static Screen {
    ui.overlay.screen().unwrap_or(ui.page.screen())
}

/// The screens that a key is offered to, in order.
pub fn offered(ui: &Ui) -> [&'static Screen; 4] {
    [front(ui), &asked::SCREEN, &journal::SCREEN, &everywhere::SCREEN]
}

/// The tables in which a key is looked up together with the table of this heading, each once: there it would mean two
/// things.
pub fn together(title: &str) -> Vec<&'static Keys> {
    let pages = Page::ALL.map(Page::screen);
    let of_runs = pages.iter().chain(overlays::ALL).map(|screen| screen.keys_here());
    let at_home = home::TOGETHER.iter().map(|keys| keys.to_vec()).chain([traces::TOGETHER.to_vec()]);
    let mut together: Vec<&'static Keys> = Vec::new();
    for keys in of_runs.chain(at_home).filter(|keys| keys.iter().any(|keys| keys.title == title)).flatten() {
        if !together.contains(&keys) {
            together.push(keys);
        }
    }
    together
}

/// The keys that every page of a run has, but for the help, as they are written, with the action of each.
pub fn page_keys() -> impl Iterator<Item = (String, &'static str)> {
    let rows = everywhere::ON_PAGES.rows().filter(|row| row.action != Action::Help);
    rows.map(|row| (row.written(), row.description))
}

/// All tables of keys, in the order of hints and help.
pub fn all_keys() -> Vec<&'static Keys> {
    let pages = Page::ALL.map(|page| page.screen().keys);
    let overlays = overlays::ALL.iter().map(|screen| screen.keys);
    let mut all = vec![&asked::KEYS];
    all.extend(pages.into_iter().chain(overlays).filter(|keys| !keys.groups.is_empty()));
    all.extend([
        &home::KEYS,
        &home::WRITING_KEYS,
        &home::SETTING_KEYS,
        &home::RUN_KEYS,
        &home::FILTER_KEYS,
        &reading::KEYS,
        &traces::KEYS,
        &everywhere::ON_PAGES,
        &everywhere::KEYS,
    ]);
    all
}
