//! The traces that other programs send here: a list of them as they work, or, before any has come, how to have them sent.
//! Pure, as all screens are: the list is told anew whenever something of it changes.

mod draw;

use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use crate::keymap::{self, F1, Key, PAGE_DOWN, PAGE_UP};
use crate::mark::State;
use crate::prelude::*;
use crate::screens::everywhere::{self, chosen, moved};
use crate::spot::Mouse;
use crate::update::{DOES_NOTHING, interrupted_twice};
use run::At;

pub use draw::draw;

pub static KEYS: Keys = Keys {
    title: "traces that come in",
    groups: &[&[
        row(&[ENTER], Action::Open, Some("open"), "watch the trace"),
        row(&[c('s')], Action::Save, Some("keep"), "keep the trace in the journal, as it is now"),
        row(&[c('j'), DOWN], Action::Down, Some("down"), "next trace"),
        row(&[c('k'), UP], Action::Up, None, "trace before"),
        row(&[PAGE_DOWN, Key::Ctrl('d')], Action::PageDown, None, "a page of traces on"),
        row(&[PAGE_UP, Key::Ctrl('u')], Action::PageUp, None, "a page of traces back"),
        row(&[c('g'), Key::Plain(KeyCode::Home)], Action::Top, None, "first trace"),
        row(&[c('G'), Key::Plain(KeyCode::End)], Action::End, None, "last trace"),
        row(
            &[c('q'), c('Q')],
            Action::Quit,
            Some("leave"),
            "leave (twice where traces have come): nothing is listened for any more",
        ),
        row(&[ESC], Action::Back, None, "close the help"),
        row(&[c('?'), F1], Action::Help, Some("help"), "the help of these traces"),
    ]],
};

/// The tables in which keys are looked up.
pub static TOGETHER: [&Keys; 2] = [&KEYS, &everywhere::KEYS];

/// A trace in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceLine {
    /// Its id.
    pub id: Clean,
    pub state: State,
    /// Its question; empty until that is told.
    pub question: Clean,
    /// The program that sends it.
    pub service: Clean,
    pub spans: usize,
    pub agents: usize,
    pub cost: Clean,
    /// The time at which something of it came last.
    pub heard: At,
}

/// The traces that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The address and the port that programs send to.
    pub address: Clean,
    /// The traces, the one that began last first.
    pub lines: Vec<TraceLine>,
    /// Remarks for the person, a sentence each.
    pub remarks: Vec<Clean>,
}

/// The wish of the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceChoice {
    /// Watch this trace.
    Open(Clean),
    /// Keep this trace in the journal.
    Keep(Clean),
    Quit,
}

/// The list on the screen.
#[derive(Clone, Debug)]
pub struct TracesUi {
    pub listing: Listing,
    /// The selected trace, by its id: rows move when others begin.
    pub selected: Clean,
    /// Whether the first trace opens by itself.
    opens_the_first: bool,
    /// The first line of the help page, if it is shown.
    pub help: Option<usize>,
    pub status: Option<Clean>,
    pub seen: Seen,
    pub now: At,
    /// The rows of the last frame, each with its trace.
    pub spots: Vec<(Rect, Clean)>,
    interrupted_at: Option<Duration>,
    /// Whether the person was told the cost of leaving, and has pressed no other key since.
    is_warned: bool,
}

impl TracesUi {
    pub fn new(listing: Listing, selected: Clean, opens_the_first: bool, now: At) -> TracesUi {
        let (help, status, seen, spots, interrupted_at, is_warned) = Default::default();
        TracesUi { listing, selected, opens_the_first, help, status, seen, now, spots, interrupted_at, is_warned }
    }

    /// The list has changed. One trace alone opens by itself, once.
    pub fn told(&mut self, listing: Listing) -> ControlFlow<TraceChoice> {
        self.listing = listing;
        if let ([only], true, None) = (&self.listing.lines[..], self.opens_the_first, self.help) {
            return Break(TraceChoice::Open(only.id.clone()));
        }
        self.opens_the_first &= self.listing.lines.is_empty();
        Continue(())
    }

    /// The row that is selected.
    pub fn row(&self) -> usize {
        self.listing.lines.iter().position(|line| line.id == self.selected).unwrap_or(0)
    }

    fn select(&mut self, row: usize) {
        self.selected = self.listing.lines.get(row).map(|line| line.id.clone()).unwrap_or_default();
    }

    /// A click selects, and the wheel goes through the rows.
    pub fn mouse(&mut self, mouse: Mouse, at: (u16, u16)) {
        let action = match mouse {
            Mouse::Click => {
                let spot = self.spots.iter().find(|(area, _)| area.contains(at.into()));
                return self.selected = spot.map_or(self.selected.clone(), |(_, id)| id.clone());
            }
            Mouse::WheelUp => Action::Up,
            Mouse::WheelDown => Action::Down,
        };
        self.go(action);
    }

    fn go(&mut self, action: Action) {
        let (page, most) = (self.seen.page.max(1), self.listing.lines.len().saturating_sub(1));
        match (self.help, action) {
            (Some(scroll), action) => self.help = Some(moved(action, scroll, self.seen.most, self.seen.page)),
            (None, Action::PageDown) => self.select((self.row() + page).min(most)),
            (None, Action::PageUp) => self.select(self.row().saturating_sub(page)),
            (None, action) => self.select(chosen(action, self.row(), self.listing.lines.len())),
        }
    }

    pub fn press(&mut self, key: &KeyEvent, at: Duration) -> ControlFlow<TraceChoice, Option<Effect>> {
        if key.kind == KeyEventKind::Release {
            return Continue(None);
        }
        self.status = None;
        let was_warned = std::mem::take(&mut self.is_warned);
        let Some(row) = keymap::find(&TOGETHER, key) else {
            self.status = Some(DOES_NOTHING.into());
            return Continue(None);
        };
        match row.action {
            Action::Open | Action::Save if self.help.is_some() => {}
            Action::Open | Action::Save => match self.listing.lines.get(self.row()) {
                Some(line) if row.action == Action::Save => return Break(TraceChoice::Keep(line.id.clone())),
                Some(line) => return Break(TraceChoice::Open(line.id.clone())),
                None => self.status = Some("no trace has come yet".into()),
            },
            Action::Help => self.help = if self.help.is_some() { None } else { Some(0) },
            Action::Quit | Action::Back if self.help.is_some() => self.help = None,
            Action::Back => self.status = Some("q leaves, and nothing is listened for any more".into()),
            Action::Quit if !self.listing.lines.is_empty() && !was_warned => {
                self.is_warned = true;
                self.status =
                    Some("q again leaves: traces that are not kept are gone then · s keeps the selected one".into());
            }
            Action::Quit => return Break(TraceChoice::Quit),
            Action::Interrupt => {
                if interrupted_twice(&mut self.interrupted_at, at) {
                    return Break(TraceChoice::Quit);
                }
                self.status = Some("Ctrl-C again leaves".into());
            }
            Action::Suspend => return Continue(Some(Effect::Suspend)),
            Action::Redraw => return Continue(Some(Effect::Redraw)),
            Action::Outside => self.status = Some("there is no text here to read in a pager".into()),
            action => self.go(action),
        }
        Continue(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    fn listing(ids: &[&str]) -> Listing {
        let line = |id: &&str| TraceLine { id: (*id).into(), ..TraceLine::default() };
        Listing { lines: ids.iter().map(line).collect(), ..Listing::default() }
    }

    fn press(ui: &mut TracesUi, code: KeyCode) -> ControlFlow<TraceChoice, Option<Effect>> {
        ui.press(&KeyEvent::new(code, KeyModifiers::NONE), Duration::ZERO)
    }

    #[test]
    fn the_first_trace_opens_by_itself_once_and_several_are_a_list() {
        let new = |opens| TracesUi::new(Listing::default(), Clean::default(), opens, At(0));
        assert_eq!(new(true).told(listing(&["a"])), Break(TraceChoice::Open("a".into())));
        assert_eq!(new(false).told(listing(&["a"])), Continue(()), "the person has come back from it");
        let mut ui = new(true);
        assert_eq!(ui.told(listing(&["a", "b"])), Continue(()));
        assert_eq!(ui.told(listing(&["a"])), Continue(()), "the other was dropped");
    }

    #[test]
    fn no_key_is_offered_for_a_text_that_is_not_there() {
        let theme = Theme::load("default", None).unwrap();
        for (ids, help) in [(&[][..], None), (&["a", "b"], None), (&[], Some(0))] {
            let mut ui = TracesUi::new(listing(ids), Clean::default(), false, At(0));
            ui.help = help;
            let mut buf = Buffer::empty(Rect::new(0, 0, 100, 40));
            let area = buf.area;
            draw(&mut buf, area, &ui, &theme);
            let shown: String = buf.content.iter().map(|cell| cell.symbol()).collect();
            assert!(shown.contains("? help") && !shown.contains("editor") && !shown.contains("pager"), "{shown}");
        }
    }

    #[test]
    fn the_selected_trace_stays_selected_when_others_come() {
        let mut ui = TracesUi::new(listing(&["b", "a"]), Clean::default(), true, At(0));
        assert_eq!(press(&mut ui, KeyCode::Down), Continue(None));
        assert_eq!(ui.told(listing(&["d", "c", "b", "a"])), Continue(()));
        assert_eq!((ui.row(), ui.selected.as_str()), (3, "a"));
        assert_eq!(press(&mut ui, KeyCode::Enter), Break(TraceChoice::Open("a".into())));
        assert_eq!(press(&mut ui, KeyCode::Char('?')), Continue(None));
        assert_eq!(press(&mut ui, KeyCode::Esc), Continue(None), "the help closes");
        assert_eq!((press(&mut ui, KeyCode::Esc), ui.status.is_some()), (Continue(None), true), "it leaves nothing");
        assert_eq!(press(&mut ui, KeyCode::Char('q')), Continue(None), "traces would be gone");
        assert!(ui.status.as_ref().is_some_and(|says| says.contains("s keeps")), "{:?}", ui.status);
        assert_eq!(press(&mut ui, KeyCode::Char('s')), Break(TraceChoice::Keep("a".into())));
        assert_eq!(press(&mut ui, KeyCode::Down), Continue(None));
        assert_eq!(press(&mut ui, KeyCode::Char('q')), Continue(None), "another key was pressed since");
        assert_eq!(press(&mut ui, KeyCode::Char('q')), Break(TraceChoice::Quit));
        let mut ui = TracesUi::new(Listing::default(), Clean::default(), true, At(0));
        assert_eq!(press(&mut ui, KeyCode::Char('q')), Break(TraceChoice::Quit));
        let mut ui = TracesUi::new(Listing::default(), Clean::default(), true, At(0));
        assert_eq!((press(&mut ui, KeyCode::Enter), ui.status.is_some()), (Continue(None), true));
    }
}
