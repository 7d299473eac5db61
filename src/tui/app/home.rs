//! Connects the home screen to the loop.

use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use super::{Face, Terms};
use crate::input::Input;
use crate::keys::Typed;
use crate::prelude::*;
use crate::screens::home::{self, Choice, HomeUi};

impl Face for HomeUi {
    type Answer = Choice;

    fn quit(&self) -> Choice {
        Choice::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<ControlFlow<Choice>> {
        match input {
            Input::Typed(Typed::Key(key), _) => match self.press(&key, at) {
                Break(choice) => return Ok(Break(choice)),
                Continue(Some(Effect::Suspend)) => *terms.suspend = true,
                Continue(Some(Effect::Redraw)) => *terms.redraw = true,
                Continue(_) => {}
            },
            Input::Typed(Typed::Paste(text), _) => self.paste(&text, at),
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
