//! Connects a page to read to the loop.

use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use super::{Face, Terms};
use crate::input::Input;
use crate::keys::Typed;
use crate::outside::Back;
use crate::prelude::*;
use crate::screens::reading::{self, Read, ReadingUi};

impl Face for ReadingUi {
    type Answer = Read;

    fn quit(&self) -> Read {
        Read::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<ControlFlow<Read>> {
        match input {
            Input::Typed(Typed::Key(key), _) => match self.press(&key, at) {
                Break(read) => return Ok(Break(read)),
                Continue(Some(Effect::Suspend)) => *terms.suspend = true,
                Continue(Some(Effect::Redraw)) => *terms.redraw = true,
                Continue(Some(Effect::Outside(errand))) => *terms.errand = Some(errand),
                Continue(_) => {}
            },
            Input::Typed(Typed::Mouse(mouse, _), _) => self.mouse(mouse),
            Input::Typed(Typed::Paste(_), _) => self.paste(at),
            _ => {}
        }
        Ok(Continue(()))
    }

    fn back(&mut self, back: Back, _: &mut Terms<'_>) -> io::Result<()> {
        if let Back::Failed(why) = back {
            self.status = Some(Clean::line(&why));
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        self.seen = reading::draw(buf, area, self, theme);
        self.scroll = self.seen.at;
    }
}
