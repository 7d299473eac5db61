//! Tables of keys, from which dispatch, hints and the help page are made. Each screen has its own;
//! [`crate::screens::all_keys`] has all. The person's own keys ([`own`]) stand in place of those that are built in.

pub mod own;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::places::Sort;
use crate::screens::Page;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Help,
    Back,
    Quit,
    Interrupt,
    Suspend,
    Redraw,
    Outside,
    Go(Page),
    Next,
    Previous,
    Down,
    Up,
    PageDown,
    PageUp,
    Top,
    End,
    Zoom,
    FollowAgain,
    Fold,
    FoldAll,
    Graph,
    Handoffs,
    Open,
    Form,
    Copy,
    Raw,
    Thoughts,
    Tab,
    Find,
    NextFound,
    PreviousFound,
    Pin,
    PauseOrContinue,
    Cancel,
    Exchange,
    Retry,
    Skip,
    RetryAll,
    SkipAll,
    TryAgain,
    Answer,
    Earlier,
    Later,
    First,
    Latest,
    Play,
    Toggle,
    ToggleSection,
    ToggleShown,
    ToggleSource,
    Order,
    NextConflict,
    PreviousConflict,
    Edit,
    Add,
    More,
    Filter,
    Undo,
    Redo,
    Approve,
    Drop,
    Title,
    NextRole,
    After,
    MoveDown,
    MoveUp,
    Another,
    Raise,
    NextCap,
    Yes,
    No,
    Submit,
    NextTopic,
    Higher,
    Lower,
    PauseOne,
    CancelOne,
    RetryOne,
    Reassign,
    Tell,
    Start,
    NextBox,
    Example,
    Drills,
    Replay,
    Export,
    Delete,
    Refuse,
    Others,
    StepEvent,
    StepHandoff,
    StepCall,
    StepReport,
    Breaks,
    BreakHere,
    Remark,
    RemarkAll,
    SendBack,
    Changes,
    Whence,
    Beside,
    Save,
    CopyPart,
    OpenPart,
    ClosePart,
    OpenAll,
    Place(Sort, bool),
    Places,
    Speed,
    Command,
    Fork,
    Compare,
}

impl Action {
    /// Whether it commits the person to something. Such a key is ignored right after a paste.
    pub fn decides(self) -> bool {
        use Action::{Answer, Approve, Cancel, Retry, RetryAll, Skip, SkipAll, Start, Submit, TryAgain, Yes};
        use Action::{SendBack, StepCall, StepEvent, StepHandoff, StepReport};
        matches!(self, SendBack | StepCall | StepEvent | StepHandoff | StepReport)
            || matches!(
                self,
                Start | Approve | Yes | Submit | Cancel | Answer | Retry | RetryAll | Skip | SkipAll | TryAgain
            )
    }
}

#[derive(Debug, PartialEq)]
pub struct Keys {
    /// Its heading on the help page; unique.
    pub title: &'static str,
    /// The rows, the most used first, in groups that may be defined in several files.
    pub groups: &'static [&'static [Row]],
}

impl Keys {
    /// Its rows with the keys that are in force.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row> + use<> {
        let (own, built_in) = match own::rows_of(self.title) {
            Some(own) => (own, &[][..]),
            None => (&[][..], self.groups),
        };
        own.iter().chain(built_in.iter().flat_map(|group| group.iter()))
    }

    /// Its rows with the built-in keys.
    fn built_in(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.groups.iter().flat_map(|group| group.iter())
    }

    pub fn row(&self, key: &KeyEvent) -> Option<&'static Row> {
        self.rows().find(|row| row.keys.iter().any(|known| known.is(key)))
    }

    pub fn of(&self, action: Action) -> Option<&'static Row> {
        self.rows().find(|row| row.action == action)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub keys: &'static [Key],
    pub action: Action,
    /// Its text on the help page.
    pub description: &'static str,
    /// Its text on the last line; None keeps it off.
    pub hint: Option<&'static str>,
}

impl Row {
    pub fn written(&self) -> String {
        self.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Without a modifier (Shift is in the character).
    Plain(KeyCode),
    Ctrl(char),
}

impl Key {
    fn is(self, event: &KeyEvent) -> bool {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        match self {
            Key::Plain(code) => code == event.code && !ctrl && !alt,
            Key::Ctrl(c) => event.code == KeyCode::Char(c) && ctrl && !alt,
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Key::Ctrl(c) => return write!(f, "^{}", c.to_ascii_uppercase()),
            Key::Plain(KeyCode::Char(' ')) => "space",
            Key::Plain(KeyCode::Char(c)) => return write!(f, "{c}"),
            Key::Plain(KeyCode::Enter) => "Enter",
            Key::Plain(KeyCode::Esc) => "Esc",
            Key::Plain(KeyCode::Tab) => "Tab",
            Key::Plain(KeyCode::BackTab) => "Shift-Tab",
            Key::Plain(KeyCode::Up) => "↑",
            Key::Plain(KeyCode::Down) => "↓",
            Key::Plain(KeyCode::Left) => "←",
            Key::Plain(KeyCode::Right) => "→",
            Key::Plain(KeyCode::PageUp) => "PgUp",
            Key::Plain(KeyCode::PageDown) => "PgDn",
            Key::Plain(KeyCode::Home) => "Home",
            Key::Plain(KeyCode::End) => "End",
            Key::Plain(KeyCode::F(n)) => return write!(f, "F{n}"),
            Key::Plain(_) => "?",
        };
        f.write_str(name)
    }
}

pub const fn c(c: char) -> Key {
    Key::Plain(KeyCode::Char(c))
}
pub const ENTER: Key = Key::Plain(KeyCode::Enter);
pub const ESC: Key = Key::Plain(KeyCode::Esc);
pub const TAB: Key = Key::Plain(KeyCode::Tab);
pub const BACK_TAB: Key = Key::Plain(KeyCode::BackTab);
pub const UP: Key = Key::Plain(KeyCode::Up);
pub const DOWN: Key = Key::Plain(KeyCode::Down);
pub const LEFT: Key = Key::Plain(KeyCode::Left);
pub const RIGHT: Key = Key::Plain(KeyCode::Right);
pub const F1: Key = Key::Plain(KeyCode::F(1));
pub const PAGE_UP: Key = Key::Plain(KeyCode::PageUp);
pub const PAGE_DOWN: Key = Key::Plain(KeyCode::PageDown);

pub const fn row(keys: &'static [Key], action: Action, hint: Option<&'static str>, description: &'static str) -> Row {
    Row { keys, action, description, hint }
}

/// The row of a key, from the first table that has it.
pub fn find(here: &[&'static Keys], key: &KeyEvent) -> Option<&'static Row> {
    here.iter().find_map(|keys| keys.row(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screens::all_keys;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for keys in all_keys() {
            for (n, row) in keys.rows().enumerate() {
                for other in keys.rows().skip(n + 1) {
                    let shared = row.keys.iter().find(|key| other.keys.contains(key));
                    assert!(shared.is_none(), "{shared:?} in {}", keys.title);
                }
            }
        }
    }

    #[test]
    fn every_movement_has_an_arrow_and_a_letter() {
        for keys in all_keys() {
            for (action, arrow, letter) in [(Action::Down, DOWN, 'j'), (Action::Up, UP, 'k')] {
                let Some(row) = keys.of(action) else { continue };
                assert!(row.keys.contains(&arrow), "{}", keys.title);
                // In a text field, letters are letters.
                let writes = ["while answering", "the question", "while writing a command"].contains(&keys.title);
                assert!(writes || row.keys.contains(&c(letter)), "{}", keys.title);
            }
        }
    }
}
