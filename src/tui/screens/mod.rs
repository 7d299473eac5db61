//! What can be on the screen of a run: a module each, with its state, its keys, what they do, and how it is drawn.
//!
//! Pages fill the middle of the screen; [`crate::overlays`] lie over them. Three more have keys on every page: what a
//! specialist or a model call asks of the person, the journal line, and what works everywhere. Home is a screen
//! without a run. A key is offered to what is in front first, then to those three.

pub mod asked;
pub mod brief;
pub mod everywhere;
pub mod findings;
pub mod home;
pub mod journal;
pub mod plan;
pub mod team;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::field::Field;
use crate::keymap::{Action, Keys};
use crate::overlays;
use crate::select;
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::{Cache, Scene};
use run::Run;
use text::Clean;

/// A screen of a run: functions over [`Ui`], where its state is, and the run. None of them has effects of its own.
#[derive(Clone, Copy)]
pub struct Screen {
    /// Its keys.
    pub keys: &'static Keys,
    /// How much of the page and of the keyboard is its own.
    pub extent: Extent,
    /// Does what a key of this screen means; None where it means nothing here in particular.
    pub on: fn(&mut Ui, &Run, Action) -> Option<Vec<Effect>>,
    /// Why a key does nothing now, in words for the person; None if it does.
    pub why_not: fn(&Ui, &Run, Action) -> Option<Clean>,
    /// Whether a key that works is worth a hint now.
    pub hints_at: fn(&Ui, &Run, Action) -> bool,
    /// Draws it, and says what was shown of what scrolls.
    pub draw: fn(&mut Buffer, Rect, Scene<'_>, &mut Cache) -> Seen,
    /// Where the person writes: it takes keys before the table does.
    pub field: for<'a> fn(&'a mut Ui, &Run) -> Option<&'a mut Field>,
    /// Something was written in the field.
    pub written: fn(&mut Ui),
    /// The first line shown, where the screen is one text that scrolls.
    pub scroll: fn(&mut Ui) -> Option<&mut usize>,
    /// Why the run has nothing to show on this page at the moment shown, in words for the person; None if it has.
    pub missing: fn(&Run) -> Option<Clean>,
    /// Whether an overlay is about something that is gone: it closes.
    pub is_stale: fn(&Ui, &Run) -> bool,
}

/// How much of the page and of the keyboard a screen has for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole page. What works on every page works here too.
    Page,
    /// A part of the page, the rest of which stays in view. What works on every page works here too.
    Part,
    /// A box over the page that takes every key.
    Box,
}

impl Screen {
    /// One without keys that shows nothing: what a screen does not say of itself.
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

    /// Where keys are looked up while this screen is in front, in this order.
    pub fn keys_here(&self) -> Vec<&'static Keys> {
        match self.extent {
            Extent::Page | Extent::Part => vec![self.keys, &everywhere::ON_PAGES, &asked::KEYS, &everywhere::KEYS],
            Extent::Box => vec![self.keys, &everywhere::KEYS],
        }
    }
}

/// What fills the middle of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Graph, panes, handoffs.
    Team,
    /// The findings checkpoint.
    Findings,
    /// The plan checkpoint.
    Plan,
    /// The brief.
    Brief,
}

impl Page {
    /// All pages.
    pub const ALL: [Page; 4] = [Page::Team, Page::Findings, Page::Plan, Page::Brief];

    /// Its screen.
    pub fn screen(self) -> &'static Screen {
        match self {
            Page::Team => &team::SCREEN,
            Page::Findings => &findings::SCREEN,
            Page::Plan => &plan::SCREEN,
            Page::Brief => &brief::SCREEN,
        }
    }

    /// Whether the run waits for the person on this page.
    pub fn needs_you(self, run: &Run) -> bool {
        select::waiting_page(run) == Some(self)
    }
}

/// The screen in front: what lies over the page, or the page.
pub fn front(ui: &Ui) -> &'static Screen {
    ui.overlay.screen().unwrap_or(ui.page.screen())
}

/// The screens that a key is offered to, the one in front first.
pub fn offered(ui: &Ui) -> [&'static Screen; 4] {
    [front(ui), &asked::SCREEN, &journal::SCREEN, &everywhere::SCREEN]
}

/// All keys there are, in the order in which hints and help show them.
pub fn all_keys() -> Vec<&'static Keys> {
    let pages = Page::ALL.map(|page| page.screen().keys);
    let overlays = overlays::ALL.iter().map(|screen| screen.keys);
    let mut all = vec![&asked::KEYS];
    all.extend(pages.into_iter().chain(overlays).filter(|keys| !keys.groups.is_empty()));
    all.extend([&home::KEYS, &home::RUN_KEYS, &everywhere::ON_PAGES, &everywhere::KEYS]);
    // A handoff and an exchange have the same.
    all.dedup();
    all
}
