//! Connects the home screen to the loop.

use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use crossterm::event::Event as TerminalEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Face, Terms};
use crate::input::Input;
use crate::screens::home::{self, AtHome, Choice, HomeUi};
use crate::theme::Theme;
use crate::update::Effect;

impl Face for HomeUi {
    type Answer = Choice;

    fn quit(&self) -> Choice {
        Choice::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<ControlFlow<Choice>> {
        match input {
            Input::Terminal(TerminalEvent::Key(key)) => match self.press(&key, at) {
                AtHome::Chose(choice) => return Ok(Break(choice)),
                AtHome::Do(Effect::Suspend) => *terms.suspend = true,
                AtHome::Do(Effect::Redraw) => *terms.redraw = true,
                AtHome::Do(_) | AtHome::Stay => {}
            },
            Input::Terminal(TerminalEvent::Paste(text)) => self.paste(&text),
            _ => {}
        }
        Ok(Continue(()))
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        self.seen = home::draw(buf, area, self, theme);
    }
}
