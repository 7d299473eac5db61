//! A text field. Typed and pasted text is cleaned; a paste never submits.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea, WrapMode};

use text::{Clean, is_forbidden};

/// The most that is taken of a paste, in bytes.
pub const MOST_PASTED: usize = 1 << 20;
pub const PASTE_WAS_CUT: &str = "the paste is longer than 1 MiB: its beginning was taken, the rest was not";

#[derive(Clone, Debug)]
pub struct Field {
    area: TextArea<'static>,
    lines: Lines,
    /// Whether the arrows up and down are for a list beside it.
    pub lends_arrows: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// A paste's line breaks become spaces.
    One,
    /// Alt+Enter (or Ctrl+J) breaks the line.
    Many,
}

impl Field {
    /// A field with this text, the cursor at its end.
    pub fn new(text: &str, lines: Lines) -> Field {
        let clean = if lines == Lines::One { on_one_line(text) } else { Clean::new(text) };
        let mut area = TextArea::new(clean.split('\n').map(String::from).collect());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Field { area, lines, lends_arrows: false }
    }

    /// All of its text is selected: typed text takes its place.
    #[must_use]
    pub fn selected(mut self) -> Field {
        self.area.select_all();
        self
    }

    #[must_use]
    pub fn with_placeholder(mut self, words: &str) -> Field {
        self.area.set_placeholder_text(Clean::line(words).as_str());
        self
    }

    /// Puts another text in its place; the cursor is at its end.
    pub fn set(&mut self, text: &str) {
        self.area.select_all();
        self.area.cut();
        self.area.insert_str(self.cleaned(text).as_str());
    }

    /// Puts the cursor at the beginning of a line, from 0.
    pub fn go_to(&mut self, line: usize) {
        self.area.move_cursor(CursorMove::Jump(u16::try_from(line).unwrap_or(u16::MAX), 0));
    }

    fn cleaned(&self, text: &str) -> Clean {
        match self.lines {
            Lines::One => on_one_line(text),
            Lines::Many => Clean::new(text.trim_end_matches(['\r', '\n'])),
        }
    }

    pub fn text(&self) -> Clean {
        Clean::new(&self.area.lines().join("\n"))
    }

    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Inserts a paste; a longer one than [`MOST_PASTED`] loses its end.
    pub fn paste(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(MOST_PASTED)];
        self.area.insert_str(self.cleaned(text).as_str());
    }

    /// Handles a key that edits; false if the key is not an editing key.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let modified = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(c) if is_forbidden(c) => true,
            KeyCode::Char('j') if key.modifiers.contains(KeyModifiers::CONTROL) => self.newline(),
            KeyCode::Enter if modified => self.newline(),
            KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab | KeyCode::Esc | KeyCode::F(_) => false,
            KeyCode::Char('c' | 'z' | 'l' | 'o') if key.modifiers.contains(KeyModifiers::CONTROL) => false,
            // As in a shell; the editor's own meaning is undo.
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.area.delete_line_by_head();
                true
            }
            // Terminals send the byte of Ctrl-_ for Ctrl-/ and Ctrl-7, too.
            KeyCode::Char('7' | '_' | '/') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.area.undo();
                true
            }
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::ALT) => {
                self.area.undo();
                true
            }
            // One line has nothing above it and nothing below: a list beside it may.
            KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown
                if self.lines == Lines::One || self.lends_arrows =>
            {
                false
            }
            KeyCode::Char('m') if key.modifiers.contains(KeyModifiers::CONTROL) => false,
            _ => {
                self.area.input(key);
                true
            }
        }
    }

    /// Whether the cursor is in the first line, and in the last.
    pub fn at_edges(&self) -> (bool, bool) {
        let row = self.area.cursor().0;
        (row == 0, row + 1 >= self.area.lines().len())
    }

    /// The line with the cursor, up to the cursor.
    pub fn before_cursor(&self) -> String {
        let at = self.area.cursor();
        let (row, column) = (at.0, at.1);
        self.area.lines().get(row).map(|line| line.chars().take(column).collect()).unwrap_or_default()
    }

    /// Puts another text in place of the line with the cursor; the cursor is at its end.
    pub fn replace_line(&mut self, text: &str) {
        self.area.move_cursor(CursorMove::End);
        self.area.delete_line_by_head();
        self.area.insert_str(Clean::line(text).as_str());
    }

    fn newline(&mut self) -> bool {
        if self.lines == Lines::Many {
            self.area.insert_newline();
        }
        true
    }

    pub fn area(&self) -> &TextArea<'static> {
        &self.area
    }
}

/// The text on one line. A space before it and one after it stay: the text beside it, or the next typed one, needs them.
fn on_one_line(text: &str) -> Clean {
    let text = Clean::new(text.trim_matches(['\r', '\n']));
    let line = Clean::line(&text);
    let space = |is_there: bool| if is_there { " " } else { "" };
    let after = !line.is_empty() && text.ends_with(' ');
    Clean::from(format!("{}{line}{}", space(text.starts_with(' ')), space(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_cleaned_and_its_line_breaks_never_submit() {
        let mut one = Field::new("", Lines::One);
        one.paste("first\r\nsecond\x1b[31m\u{202e}!\n");
        assert_eq!(one.text(), "first second!");
        let mut many = Field::new("", Lines::Many);
        many.paste("first\r\nsecond\n");
        assert_eq!(many.lines(), ["first", "second"]);
    }

    #[test]
    fn a_space_at_either_end_of_a_single_line_stays() {
        let mut field = Field::new("break ", Lines::One);
        field.paste("handoff:writer\n");
        assert_eq!(field.text(), "break handoff:writer");
        field.paste(" and \r\n");
        field.paste("more");
        assert_eq!(field.text(), "break handoff:writer and more");
    }

    #[test]
    fn ctrl_u_takes_the_line_away_up_to_the_cursor() {
        let mut field = Field::new("one\ntwo", Lines::Many);
        assert!(field.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL)));
        assert_eq!(field.lines(), ["one", ""]);
    }

    #[test]
    fn what_was_deleted_in_a_text_is_taken_back_piece_by_piece() {
        let mut field = Field::new("What does it cost to run a hundred of them", Lines::Many);
        for key in ['u', 'w'] {
            field.key(KeyEvent::new(KeyCode::Char('a'), KeyModifiers::NONE));
            field.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL));
        }
        assert!(field.is_blank());
        for _ in 0..4 {
            assert!(field.key(KeyEvent::new(KeyCode::Char('7'), KeyModifiers::CONTROL)));
        }
        assert_eq!(field.text(), "What does it cost to run a hundred of them");
        assert!(field.key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL)), "and is done again");
        assert_eq!(field.text(), "What does it cost to run a hundred of thema");
        assert!(field.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::ALT)));
        assert_eq!(field.text(), "What does it cost to run a hundred of them");
    }

    #[test]
    fn what_is_typed_takes_the_place_of_a_selected_text() {
        let mut field = Field::new("old words", Lines::One).selected();
        field.key(KeyEvent::new(KeyCode::Char('n'), KeyModifiers::NONE));
        assert_eq!(field.text(), "n");
        let mut field = Field::new("old words", Lines::One).selected();
        field.key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
        field.key(KeyEvent::new(KeyCode::Char('s'), KeyModifiers::NONE));
        assert_eq!(field.text(), "old wordss");
    }

    #[test]
    fn enter_is_left_to_the_screen_and_alt_enter_breaks_a_line() {
        let mut field = Field::new("a", Lines::Many);
        assert!(!field.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
        assert!(field.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)));
        assert!(field.key(KeyEvent::new(KeyCode::Char('b'), KeyModifiers::NONE)));
        assert!(field.key(KeyEvent::new(KeyCode::Char('\u{200b}'), KeyModifiers::NONE)));
        assert_eq!(field.lines(), ["a", "b"]);
    }
}
