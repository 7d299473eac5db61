//! The home screen: starts a new run from a question and sources, or opens an earlier run. Pure, as all screens are.

mod draw;

use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use crate::keymap::{self, F1};
use crate::mark::State;
use crate::prelude::*;
use crate::screens::everywhere::{self, chosen, moved};
use crate::update::{CAME_WITH_A_PASTE, came_with_a_paste, interrupted_twice};
use run::RunId;

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
        row(
            &[c('c')],
            Action::Compare,
            Some("compare"),
            "compare this run with another: c on the one, then c on the other",
        ),
        row(&[c('q')], Action::Quit, None, "leave"),
    ]],
};

#[derive(Clone, Debug, Default)]
pub struct Home {
    /// Earlier runs, newest first.
    pub runs: Vec<RunLine>,
    /// Folders and files to start with.
    pub sources: Vec<String>,
    pub question: String,
    /// The models that a new run would use: "claude-sonnet-5-5 and 2 more"; None without any.
    pub models: Option<Clean>,
    /// A message to the person, such as why a run could not start.
    pub message: Option<Clean>,
}

#[derive(Clone, Debug)]
pub struct RunLine {
    pub id: RunId,
    pub state: State,
    pub question: Clean,
    /// Since it was opened: "2 h".
    pub age: Clean,
    pub cost: Clean,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    Ask {
        question: Clean,
        /// Folders and files to search.
        sources: Vec<String>,
    },
    Open(RunId),
    /// Show two runs side by side.
    Compare(RunId, RunId),
    Quit,
}

#[derive(Clone, Debug)]
pub struct HomeUi {
    pub question: Field,
    /// The sources, one a line.
    pub sources: Field,
    pub runs: Vec<RunLine>,
    pub selected: usize,
    /// The run that another is to be compared with.
    pub beside: Option<RunId>,
    pub focus: HomeBox,
    /// The first line of the help page, if it is shown.
    pub help: Option<usize>,
    /// The models that a new run would use.
    pub models: Option<Clean>,
    pub status: Option<Clean>,
    pub seen: Seen,
    interrupted_at: Option<Duration>,
    /// When text was pasted, or a key came with it.
    pasted_at: Option<Duration>,
}

/// The result of a key: what the person chose, or an effect for the loop.
pub type Step = ControlFlow<Choice, Option<Effect>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeBox {
    Question,
    Sources,
    Runs,
}

impl HomeUi {
    pub fn new(home: Home) -> HomeUi {
        HomeUi {
            question: Field::new(&home.question, Lines::Many),
            sources: Field::new(&home.sources.join("\n"), Lines::Many),
            runs: home.runs,
            selected: 0,
            beside: None,
            focus: HomeBox::Question,
            help: None,
            models: home.models,
            status: home.message,
            seen: Seen::default(),
            interrupted_at: None,
            pasted_at: None,
        }
    }

    /// The keys that work now.
    fn keys(&self) -> Vec<&'static Keys> {
        match self.help {
            Some(_) => vec![&everywhere::ON_PAGES, &everywhere::KEYS],
            None => self.explained(),
        }
    }

    /// The keys that the help page lists.
    fn explained(&self) -> Vec<&'static Keys> {
        match self.focus {
            HomeBox::Runs => vec![&RUN_KEYS, &KEYS, &everywhere::KEYS],
            HomeBox::Question | HomeBox::Sources => vec![&KEYS, &everywhere::KEYS],
        }
    }

    pub fn sources(&self) -> Vec<String> {
        let lines = self.sources.lines().iter();
        lines.map(|line| Clean::line(line).to_string()).filter(|line| !line.is_empty()).collect()
    }

    /// Text was pasted: it goes into the focused field and starts nothing.
    pub fn paste(&mut self, text: &str, at: Duration) {
        self.pasted_at = Some(at);
        match self.field() {
            Some(field) => field.paste(text),
            None => self.status = Some("there is no text field here to paste into".into()),
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        match self.focus {
            HomeBox::Question => Some(&mut self.question),
            HomeBox::Sources => Some(&mut self.sources),
            HomeBox::Runs => None,
        }
    }

    pub fn press(&mut self, key: &KeyEvent, at: Duration) -> Step {
        if key.kind == KeyEventKind::Release {
            return Continue(None);
        }
        self.status = None;
        let pasted = came_with_a_paste(&mut self.pasted_at, at);
        if self.help.is_none() && self.field().is_some_and(|field| field.key(*key)) {
            return Continue(None);
        }
        let Some(row) = keymap::find(&self.keys(), key) else { return Continue(None) };
        if let Some(scroll) = self.help {
            self.help = match row.action {
                Action::Back | Action::Help | Action::Quit => None,
                Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
                    Some(moved(row.action, scroll, self.seen.most, self.seen.page))
                }
                _ => Some(scroll),
            };
            return Continue(None);
        }
        if row.action.decides() && pasted {
            self.status = Some(CAME_WITH_A_PASTE.into());
            return Continue(None);
        }
        match row.action {
            Action::Start => return self.start(),
            Action::NextBox => self.turn(1),
            Action::Previous => self.turn(2),
            Action::Down | Action::Up | Action::Top | Action::End => {
                self.selected = chosen(row.action, self.selected, self.runs.len());
            }
            Action::Compare => return self.compare(),
            Action::Help => self.help = Some(0),
            Action::Quit => return Break(Choice::Quit),
            Action::Interrupt => {
                if interrupted_twice(&mut self.interrupted_at, at) {
                    return Break(Choice::Quit);
                }
                self.status = Some("Ctrl-C again leaves".into());
            }
            Action::Suspend => return Continue(Some(Effect::Suspend)),
            Action::Redraw => return Continue(Some(Effect::Redraw)),
            _ => {}
        }
        Continue(None)
    }

    fn turn(&mut self, by: usize) {
        let boxes = [HomeBox::Question, HomeBox::Sources, HomeBox::Runs];
        let boxes = if self.runs.is_empty() { &boxes[..2] } else { &boxes[..] };
        let at = boxes.iter().position(|one| *one == self.focus).unwrap_or(0);
        // Two on is one back among three; among two it is where one was, so one on.
        let by = if boxes.len() == 2 { 1 } else { by };
        self.focus = boxes[(at + by) % boxes.len()];
    }

    fn compare(&mut self) -> Step {
        let Some(run) = self.runs.get(self.selected) else { return Continue(None) };
        match self.beside.take() {
            Some(first) if first != run.id => return Break(Choice::Compare(first, run.id.clone())),
            Some(_) => self.status = Some("compared with none".into()),
            None => {
                self.status = Some(Clean::line(&format!("{} is compared with: choose another run, then c", run.id)));
                self.beside = Some(run.id.clone());
            }
        }
        Continue(None)
    }

    fn start(&mut self) -> Step {
        if self.focus == HomeBox::Runs {
            return match self.runs.get(self.selected) {
                Some(run) => Break(Choice::Open(run.id.clone())),
                None => Continue(None),
            };
        }
        if self.question.is_blank() {
            self.focus = HomeBox::Question;
            self.status = Some("write a question first: what is the brief to answer?".into());
            return Continue(None);
        }
        let sources = self.sources();
        if sources.is_empty() {
            self.focus = HomeBox::Sources;
            self.status = Some("name at least one folder or file to search, or web:wikipedia".into());
            return Continue(None);
        }
        Break(Choice::Ask { question: Clean::line(&self.question.text()), sources })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    fn press(home: &mut HomeUi, code: KeyCode) -> Step {
        home.press(&KeyEvent::new(code, KeyModifiers::NONE), Duration::ZERO)
    }

    #[test]
    fn a_pasted_question_waits_for_enter() {
        let mut home = HomeUi::new(Home { sources: vec!["docs".into()], ..Home::default() });
        home.paste("What is a vector\nindex?\n", Duration::ZERO);
        for _ in 0..3 {
            assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
            assert_eq!(home.status.as_deref(), Some(CAME_WITH_A_PASTE));
        }
        assert_eq!(home.question.lines(), ["What is a vector", "index?"]);
        let asked = Choice::Ask { question: "What is a vector index?".into(), sources: vec!["docs".into()] };
        let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(home.press(&enter, Duration::from_secs(1)), Break(asked));
    }

    #[test]
    fn help_is_a_key_away_in_every_box() {
        let mut home = HomeUi::new(Home::default());
        for focus in [HomeBox::Question, HomeBox::Sources, HomeBox::Runs] {
            home.focus = focus;
            let _ = press(&mut home, KeyCode::F(1));
            assert_eq!(home.help, Some(0), "{focus:?}");
            let _ = press(&mut home, KeyCode::F(1));
            assert_eq!(home.help, None, "{focus:?}");
        }
    }

    #[test]
    fn a_question_or_a_source_that_is_missing_is_asked_for() {
        let mut home = HomeUi::new(Home::default());
        assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
        assert!(home.status.as_ref().unwrap().contains("question"));
        let _ = press(&mut home, KeyCode::Char('?'));
        assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
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
        let _ = press(&mut home, KeyCode::Char('q'));
        assert_eq!(home.question.text(), "q");
        let _ = press(&mut home, KeyCode::BackTab);
        assert_eq!(home.focus, HomeBox::Runs);
        let _ = press(&mut home, KeyCode::Char('j'));
        assert_eq!(home.selected, 1);
        assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Open("7f3k".parse().unwrap())));
    }

    #[test]
    fn two_runs_are_compared_once_both_are_chosen() {
        let line = |id: &str| RunLine {
            id: id.parse().unwrap(),
            state: Default::default(),
            question: "?".into(),
            age: "2 h".into(),
            cost: "$0".into(),
        };
        let mut home = HomeUi::new(Home { runs: vec![line("7f3k"), line("8a2b")], ..Home::default() });
        home.focus = HomeBox::Runs;
        assert_eq!(press(&mut home, KeyCode::Char('c')), Continue(None));
        assert!(home.status.as_ref().unwrap().contains("7f3k is compared with"));
        assert_eq!(press(&mut home, KeyCode::Char('c')), Continue(None), "not with itself");
        let _ = press(&mut home, KeyCode::Char('c'));
        let _ = press(&mut home, KeyCode::Char('j'));
        let both = Choice::Compare("7f3k".parse().unwrap(), "8a2b".parse().unwrap());
        assert_eq!(press(&mut home, KeyCode::Char('c')), Break(both));
    }
}
