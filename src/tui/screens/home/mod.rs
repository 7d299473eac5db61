//! The home screen: a question, the sources, earlier runs. Pure, as the screens of a run are; it has none.

mod draw;

use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use crate::field::{Field, Lines};
use crate::keymap::{self, Action, BACK_TAB, DOWN, ENTER, ESC, F1, Keys, TAB, UP, c, row};
use crate::mark::State;
use crate::screens::everywhere;
use crate::ui::Seen;
use crate::update::Effect;
use run::RunId;
use text::Clean;

pub use draw::draw;

pub static KEYS: Keys = Keys {
    title: "home",
    groups: &[&[
        row(&[ENTER], Action::Start, Some("start"), "start, or open the selected run"),
        row(&[TAB], Action::NextBox, Some("next box"), "question, sources, earlier runs"),
        row(&[BACK_TAB], Action::Previous, None, "box before"),
        row(&[ESC], Action::Quit, Some("quit"), "leave"),
        row(&[F1], Action::Help, Some("help"), "this help"),
    ]],
};

pub static RUN_KEYS: Keys = Keys {
    title: "earlier runs",
    groups: &[&[
        row(&[c('j'), DOWN], Action::Down, None, "next run"),
        row(&[c('k'), UP], Action::Up, None, "run before"),
        row(&[c('g')], Action::Top, None, "first run"),
        row(&[c('G')], Action::End, None, "last run"),
        row(&[c('q')], Action::Quit, None, "leave"),
    ]],
};

/// What the home screen shows.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// Earlier runs, newest first.
    pub runs: Vec<RunLine>,
    /// Folders and files to begin with.
    pub sources: Vec<String>,
    /// A question to begin with.
    pub question: String,
    /// Which models would think in a new run: "claude-sonnet-5-5 and 2 more"; None where none would.
    pub models: Option<Clean>,
    /// Something the person ought to know, such as why a run could not start.
    pub message: Option<Clean>,
}

/// An earlier run in a line.
#[derive(Clone, Debug)]
pub struct RunLine {
    /// Its name.
    pub id: RunId,
    /// Where it is: symbol and word.
    pub state: State,
    /// What was asked.
    pub question: Clean,
    /// How long ago it was opened: "2 h".
    pub age: Clean,
    /// What it cost.
    pub cost: Clean,
}

/// What the person chose at home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A new run.
    Ask {
        /// What is asked.
        question: Clean,
        /// Folders and files to search.
        sources: Vec<String>,
    },
    /// An earlier run.
    Open(RunId),
    /// Out of the program.
    Quit,
}

/// The state of the home screen.
#[derive(Clone, Debug)]
pub struct HomeUi {
    /// The question.
    pub question: Field,
    /// The sources, one a line.
    pub sources: Field,
    /// Earlier runs.
    pub runs: Vec<RunLine>,
    /// The selected one.
    pub selected: usize,
    /// Which box the keys act on.
    pub focus: HomeBox,
    /// Whether the help page is shown, and from which line.
    pub help: Option<usize>,
    /// Which models would think in a new run.
    pub models: Option<Clean>,
    /// A word to the person.
    pub status: Option<Clean>,
    /// What the last frame showed.
    pub seen: Seen,
    interrupted_at: Option<Duration>,
}

/// A box of the home screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeBox {
    /// The question.
    Question,
    /// The sources.
    Sources,
    /// Earlier runs.
    Runs,
}

/// What comes of a key at home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtHome {
    /// The person chose.
    Chose(Choice),
    /// Something for the loop.
    Do(Effect),
    /// Nothing beyond the screen.
    Stay,
}

impl HomeUi {
    /// The screen as it opens.
    pub fn new(home: Home) -> HomeUi {
        HomeUi {
            question: Field::new(&home.question, Lines::Many),
            sources: Field::new(&home.sources.join("\n"), Lines::Many),
            runs: home.runs,
            selected: 0,
            focus: HomeBox::Question,
            help: None,
            models: home.models,
            status: home.message,
            seen: Seen::default(),
            interrupted_at: None,
        }
    }

    /// Where keys are looked up.
    fn keys(&self) -> Vec<&'static Keys> {
        match self.help {
            Some(_) => vec![&everywhere::ON_PAGES, &everywhere::KEYS],
            None => self.explained(),
        }
    }

    /// The keys that the help page explains.
    fn explained(&self) -> Vec<&'static Keys> {
        match self.focus {
            HomeBox::Runs => vec![&RUN_KEYS, &KEYS, &everywhere::KEYS],
            HomeBox::Question | HomeBox::Sources => vec![&KEYS, &everywhere::KEYS],
        }
    }

    /// The sources as they stand in the box.
    pub fn sources(&self) -> Vec<String> {
        let lines = self.sources.lines().iter();
        lines.map(|line| Clean::line(line).to_string()).filter(|line| !line.is_empty()).collect()
    }

    /// Text was pasted. It goes into the box, whatever it holds, and starts nothing.
    pub fn paste(&mut self, text: &str) {
        match self.focus {
            HomeBox::Question => self.question.paste(text),
            HomeBox::Sources => self.sources.paste(text),
            HomeBox::Runs => self.status = Some("there is no text field here to paste into".into()),
        }
    }

    /// A key was pressed.
    pub fn press(&mut self, key: &KeyEvent, at: Duration) -> AtHome {
        if key.kind == KeyEventKind::Release {
            return AtHome::Stay;
        }
        self.status = None;
        if self.help.is_none() {
            let typed = match self.focus {
                HomeBox::Question => self.question.key(*key),
                HomeBox::Sources => self.sources.key(*key),
                HomeBox::Runs => false,
            };
            if typed {
                return AtHome::Stay;
            }
        }
        let Some(row) = keymap::find(&self.keys(), key) else { return AtHome::Stay };
        if let Some(scroll) = self.help {
            self.help = match row.action {
                Action::Back | Action::Help | Action::Quit => None,
                Action::Down => Some((scroll + 1).min(self.seen.most)),
                Action::Up => Some(scroll.saturating_sub(1)),
                Action::PageDown => Some((scroll + self.seen.page).min(self.seen.most)),
                Action::PageUp => Some(scroll.saturating_sub(self.seen.page)),
                Action::Top => Some(0),
                Action::End => Some(self.seen.most),
                _ => Some(scroll),
            };
            return AtHome::Stay;
        }
        match row.action {
            Action::Start => return self.start(),
            Action::NextBox => self.turn(1),
            Action::Previous => self.turn(2),
            Action::Down => self.selected = (self.selected + 1).min(self.runs.len().saturating_sub(1)),
            Action::Up => self.selected = self.selected.saturating_sub(1),
            Action::Top => self.selected = 0,
            Action::End => self.selected = self.runs.len().saturating_sub(1),
            Action::Help => self.help = Some(0),
            Action::Quit => return AtHome::Chose(Choice::Quit),
            Action::Interrupt => {
                let twice =
                    self.interrupted_at.is_some_and(|before| at.saturating_sub(before) < Duration::from_secs(2));
                self.interrupted_at = Some(at);
                if twice {
                    return AtHome::Chose(Choice::Quit);
                }
                self.status = Some("Ctrl-C again leaves".into());
            }
            Action::Suspend => return AtHome::Do(Effect::Suspend),
            Action::Redraw => return AtHome::Do(Effect::Redraw),
            _ => {}
        }
        AtHome::Stay
    }

    fn turn(&mut self, by: usize) {
        let boxes = [HomeBox::Question, HomeBox::Sources, HomeBox::Runs];
        let boxes = if self.runs.is_empty() { &boxes[..2] } else { &boxes[..] };
        let at = boxes.iter().position(|one| *one == self.focus).unwrap_or(0);
        // Two on is one back among three; among two it is where one was, so one on.
        let by = if boxes.len() == 2 { 1 } else { by };
        self.focus = boxes[(at + by) % boxes.len()];
    }

    fn start(&mut self) -> AtHome {
        if self.focus == HomeBox::Runs {
            return match self.runs.get(self.selected) {
                Some(run) => AtHome::Chose(Choice::Open(run.id.clone())),
                None => AtHome::Stay,
            };
        }
        if self.question.is_blank() {
            self.focus = HomeBox::Question;
            self.status = Some("write a question first: what is the brief to answer?".into());
            return AtHome::Stay;
        }
        let sources = self.sources();
        if sources.is_empty() {
            self.focus = HomeBox::Sources;
            self.status = Some("name at least one folder or file to search, or web:wikipedia".into());
            return AtHome::Stay;
        }
        AtHome::Chose(Choice::Ask { question: Clean::line(&self.question.text()), sources })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    fn press(home: &mut HomeUi, code: KeyCode) -> AtHome {
        home.press(&KeyEvent::new(code, KeyModifiers::NONE), Duration::ZERO)
    }

    #[test]
    fn a_pasted_question_waits_for_enter() {
        let mut home = HomeUi::new(Home { sources: vec!["docs".into()], ..Home::default() });
        home.paste("What is a vector\nindex?\n");
        assert_eq!(home.question.lines(), ["What is a vector", "index?"]);
        let asked = Choice::Ask { question: "What is a vector index?".into(), sources: vec!["docs".into()] };
        assert_eq!(press(&mut home, KeyCode::Enter), AtHome::Chose(asked));
    }

    #[test]
    fn a_question_or_a_source_that_is_missing_is_asked_for() {
        let mut home = HomeUi::new(Home::default());
        assert_eq!(press(&mut home, KeyCode::Enter), AtHome::Stay);
        assert!(home.status.as_ref().unwrap().contains("question"));
        home.paste("Why?");
        assert_eq!(press(&mut home, KeyCode::Enter), AtHome::Stay);
        assert_eq!(home.focus, HomeBox::Sources);
    }

    #[test]
    fn letters_are_letters_in_the_question_and_keys_in_the_list() {
        let run = RunLine {
            id: "7f3k".parse().unwrap(),
            state: Default::default(),
            question: "?".into(),
            age: "2 h".into(),
            cost: "$0".into(),
        };
        let mut home = HomeUi::new(Home { runs: vec![run.clone(), run], ..Home::default() });
        press(&mut home, KeyCode::Char('q'));
        assert_eq!(home.question.text(), "q");
        press(&mut home, KeyCode::BackTab);
        assert_eq!(home.focus, HomeBox::Runs);
        press(&mut home, KeyCode::Char('j'));
        assert_eq!(home.selected, 1);
        assert_eq!(press(&mut home, KeyCode::Enter), AtHome::Chose(Choice::Open("7f3k".parse().unwrap())));
    }
}
