//! The home screen in the loop.

use std::io;
use std::time::Duration;

use crossterm::event::Event as TerminalEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Face, Flow, Terms};
use crate::input::Input;
use crate::screens::home::{self, AtHome, Choice, HomeUi};
use crate::theme::Theme;
use crate::update::Effect;

pub struct HomeFace {
    pub ui: HomeUi,
}

impl Face for HomeFace {
    type Answer = Choice;

    fn quit(&self) -> Choice {
        Choice::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<Flow<Choice>> {
        match input {
            Input::Terminal(TerminalEvent::Key(key)) => match self.ui.press(&key, at) {
                AtHome::Chose(choice) => return Ok(Flow::Done(choice)),
                AtHome::Do(Effect::Suspend) => *terms.suspend = true,
                AtHome::Do(Effect::Redraw) => *terms.redraw = true,
                AtHome::Do(_) | AtHome::Stay => {}
            },
            Input::Terminal(TerminalEvent::Paste(text)) => self.ui.paste(&text),
            _ => {}
        }
        Ok(Flow::Go)
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn beat(&self) -> Option<Duration> {
        None
    }

    fn on_beat(&mut self) {}

    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        self.ui.seen = home::draw(buf, area, &self.ui, theme);
    }
}
