//! A page to read without a run below it: the prospect of a fork, or two runs side by side. Pure, as all screens are.

mod compared;
mod draw;

use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use crate::keymap::{self, F1, Key, PAGE_DOWN, PAGE_UP};
use crate::outside::Errand;
use crate::prelude::*;
use crate::screens::everywhere::{self, moved};
use crate::spot::Mouse;
use crate::update::{CAME_WITH_A_PASTE, DOES_NOTHING, UNSEEN, came_with_a_paste, interrupted_twice};
use crossterm::event::KeyCode;

pub use compared::compared;
pub use draw::draw;

pub static KEYS: Keys = Keys {
    title: "a page to read",
    groups: &[&[
        row(&[c('y')], Action::Yes, Some("begin"), "begin the fork"),
        row(&[c('j'), DOWN], Action::Down, Some("down"), "down"),
        row(&[c('k'), UP], Action::Up, None, "up"),
        row(&[PAGE_DOWN, Key::Ctrl('d')], Action::PageDown, None, "a page down"),
        row(&[PAGE_UP, Key::Ctrl('u')], Action::PageUp, None, "a page up"),
        row(&[c('g'), Key::Plain(KeyCode::Home)], Action::Top, None, "to the top"),
        row(&[c('G'), Key::Plain(KeyCode::End)], Action::End, None, "to the end"),
        row(&[c('n')], Action::Next, Some("next difference"), "to the next difference of two runs"),
        row(&[c('N')], Action::Previous, None, "to the difference before"),
        row(&[c(' ')], Action::Fold, Some("what is alike"), "show what is alike in two runs, or fold it"),
        row(&[c('q'), ESC], Action::Back, Some("back"), "back"),
        row(&[c('Q')], Action::Quit, None, "leave the program"),
        row(&[c('?'), F1, c(':')], Action::Help, Some("help"), "the keys of this page"),
    ]],
};

/// The tables in which keys are looked up.
static TOGETHER: [&Keys; 2] = [&KEYS, &everywhere::KEYS];

/// The content of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The title of a part.
    Title(Clean),
    /// A paragraph.
    Text(Clean),
    /// Something of two runs, side by side; None where one has nothing like it.
    Beside {
        first: Option<Clean>,
        second: Option<Clean>,
        /// Whether both are alike.
        alike: bool,
    },
}

/// A page to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub title: Clean,
    /// The names of the two columns.
    pub columns: Option<(Clean, Clean)>,
    pub pieces: Vec<Piece>,
    /// Whether something begins if the person says so.
    pub asks: bool,
}

impl Reading {
    /// The page as text; the columns below each other.
    fn text(&self) -> String {
        let mut lines = vec![self.title.to_string()];
        if let Some((first, second)) = &self.columns {
            lines.push(format!("< {first}\n> {second}"));
        }
        for piece in &self.pieces {
            match piece {
                Piece::Title(title) => lines.push(format!("\n{title}\n")),
                Piece::Text(text) => lines.push(text.to_string()),
                Piece::Beside { first: Some(both), alike: true, .. } => lines.push(format!("  {both}")),
                Piece::Beside { first, second, .. } => {
                    lines.extend(first.as_ref().map(|first| format!("< {first}")));
                    lines.extend(second.as_ref().map(|second| format!("> {second}")));
                }
            }
        }
        lines.join("\n")
    }
}

/// The way in which the person left the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// The question is to begin.
    Begin,
    Back,
    Quit,
}

/// The page on the screen.
#[derive(Clone, Debug)]
pub struct ReadingUi {
    pub page: Reading,
    /// The first line shown, of the page or of its help.
    pub scroll: usize,
    /// The first line of the page while its help is shown.
    pub help: Option<usize>,
    /// Whether equal entries are shown, and not only counted.
    pub shows_alike: bool,
    pub seen: Seen,
    pub status: Option<Clean>,
    pasted_at: Option<Duration>,
    interrupted_at: Option<Duration>,
}

impl ReadingUi {
    pub fn new(page: Reading) -> ReadingUi {
        let (scroll, help, shows_alike, seen, status, pasted_at, interrupted_at) = Default::default();
        ReadingUi { page, scroll, help, shows_alike, seen, status, pasted_at, interrupted_at }
    }

    /// Opens the help, or closes it: the page is where it was.
    fn turn_help(&mut self) {
        match self.help.take() {
            Some(scroll) => self.scroll = scroll,
            None => self.help = Some(std::mem::take(&mut self.scroll)),
        }
    }

    /// Whether a key does something on this page.
    fn takes(&self, action: Action) -> bool {
        match action {
            Action::Yes => self.page.asks,
            Action::Next | Action::Previous | Action::Fold => self.page.columns.is_some(),
            Action::Down => self.help.is_some() || self.seen.most > 0,
            _ => true,
        }
    }

    /// To the next difference, or to the one before.
    fn goes_to_difference(&mut self, onwards: bool) {
        let (_, differences) = draw::laid(self, self.seen.cells, &Theme::bare());
        let next = match onwards {
            true => differences.into_iter().find(|line| *line > self.scroll && self.scroll < self.seen.most),
            false => differences.into_iter().rfind(|line| *line < self.scroll),
        };
        match next {
            Some(line) => self.scroll = line.min(self.seen.most),
            None => self.status = Some(format!("no difference {}", if onwards { "below" } else { "above" }).into()),
        }
    }

    /// The wheel scrolls.
    pub fn mouse(&mut self, mouse: Mouse) {
        let action = match mouse {
            Mouse::Click => return,
            Mouse::WheelUp => Action::Up,
            Mouse::WheelDown => Action::Down,
        };
        self.scroll = moved(action, self.scroll, self.seen.most, self.seen.page);
    }

    pub fn paste(&mut self, at: Duration) {
        self.pasted_at = Some(at);
        self.status = Some("there is no text field here to paste into".into());
    }

    pub fn press(&mut self, key: &KeyEvent, at: Duration) -> ControlFlow<Read, Option<Effect>> {
        if key.kind == KeyEventKind::Release {
            return Continue(None);
        }
        self.status = None;
        let pasted = came_with_a_paste(&mut self.pasted_at, at);
        let Some(row) = keymap::find(&TOGETHER, key) else {
            self.status = Some(DOES_NOTHING.into());
            return Continue(None);
        };
        match row.action {
            Action::Help => self.turn_help(),
            Action::Back if self.help.is_some() => self.turn_help(),
            Action::Yes if self.help.is_some() => {}
            action if !self.takes(action) && action != Action::Down => self.status = Some(DOES_NOTHING.into()),
            Action::Next | Action::Previous | Action::Fold if self.help.is_some() => {}
            Action::Next | Action::Previous => self.goes_to_difference(row.action == Action::Next),
            Action::Fold => self.shows_alike = !self.shows_alike,
            Action::Yes if pasted => self.status = Some(CAME_WITH_A_PASTE.into()),
            Action::Yes if self.seen.tiny => {
                self.status = Some(UNSEEN.into());
            }
            Action::Yes => return Break(Read::Begin),
            Action::Back => return Break(Read::Back),
            Action::Quit => return Break(Read::Quit),
            Action::Interrupt => {
                if interrupted_twice(&mut self.interrupted_at, at) {
                    return Break(Read::Quit);
                }
                self.status = Some("Ctrl-C again leaves".into());
            }
            Action::Suspend => return Continue(Some(Effect::Suspend)),
            Action::Redraw => return Continue(Some(Effect::Redraw)),
            Action::Outside => {
                let errand = Errand::Read { what: "the page", text: self.page.text() };
                return Continue(Some(Effect::Outside(errand)));
            }
            action => self.scroll = moved(action, self.scroll, self.seen.most, self.seen.page),
        }
        Continue(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    #[test]
    fn a_fork_begins_with_y_alone_and_not_with_a_key_that_came_with_a_paste() {
        let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
        let mut page = ReadingUi::new(Reading { asks: true, ..Reading::default() });
        for code in [KeyCode::Enter, KeyCode::Char('x'), KeyCode::Char('j')] {
            assert_eq!(page.press(&key(code), Duration::ZERO), Continue(None));
        }
        page.paste(Duration::from_secs(1));
        assert_eq!(page.press(&key(KeyCode::Char('y')), Duration::from_secs(1)), Continue(None));
        assert_eq!(page.press(&key(KeyCode::Char('y')), Duration::from_secs(2)), Break(Read::Begin));
        let mut page = ReadingUi::new(Reading::default());
        assert_eq!(page.press(&key(KeyCode::Char('y')), Duration::ZERO), Continue(None), "it asks nothing");
        assert_eq!(page.press(&key(KeyCode::Char('q')), Duration::ZERO), Break(Read::Back));
    }

    #[test]
    fn its_help_has_the_key_that_begins_something_only_where_it_does() {
        let theme = Theme::load("default", None).unwrap();
        for asks in [true, false] {
            let mut page = ReadingUi::new(Reading { asks, ..Reading::default() });
            page.turn_help();
            let mut buf = Buffer::empty(Rect::new(0, 0, 100, 40));
            let area = buf.area;
            draw(&mut buf, area, &page, &theme);
            let shown: String = buf.content.iter().map(|cell| cell.symbol()).collect();
            assert_eq!((shown.contains("begin the fork"), shown.contains("a page up")), (asks, true), "{shown}");
        }
    }

    #[test]
    fn its_keys_are_a_key_away_and_it_is_where_it_was_afterwards() {
        let press = |page: &mut ReadingUi, code| page.press(&KeyEvent::new(code, KeyModifiers::NONE), Duration::ZERO);
        for code in [KeyCode::Char('?'), KeyCode::F(1), KeyCode::Char(':')] {
            let mut page = ReadingUi::new(Reading { asks: true, ..Reading::default() });
            page.scroll = 7;
            assert_eq!(press(&mut page, code), Continue(None));
            assert_eq!((page.help, page.scroll), (Some(7), 0), "{code:?}");
            assert_eq!(press(&mut page, KeyCode::Char('y')), Continue(None), "what begins is not to be seen");
            assert_eq!(press(&mut page, KeyCode::Esc), Continue(None));
            assert_eq!((page.help, page.scroll), (None, 7), "{code:?}");
        }
    }
}
