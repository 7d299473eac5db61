//! Connects the list of traces to the loop, and to the news of them.

use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use super::{Face, Terms, now};
use crate::input::Input;
use crate::keys::Typed;
use crate::outside::Back;
use crate::pace::SECOND;
use crate::prelude::*;
use crate::screens::traces::{self, TraceChoice, TracesUi};

pub struct TracesFace {
    /// The number of its link: news of other links is not for it.
    pub number: u64,
    pub ui: TracesUi,
}

impl Face for TracesFace {
    type Answer = TraceChoice;

    fn quit(&self) -> TraceChoice {
        TraceChoice::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<ControlFlow<TraceChoice>> {
        self.ui.now = now();
        match input {
            Input::Typed(Typed::Key(key), _) => match self.ui.press(&key, at) {
                Break(choice) => return Ok(Break(choice)),
                Continue(Some(Effect::Suspend)) => *terms.suspend = true,
                Continue(Some(Effect::Redraw)) => *terms.redraw = true,
                Continue(_) => {}
            },
            Input::Typed(Typed::Mouse(mouse, at), _) => self.ui.mouse(mouse, at),
            Input::Traces(number, listing) if number == self.number => return Ok(self.ui.told(listing)),
            _ => {}
        }
        Ok(Continue(()))
    }

    fn back(&mut self, _: Back, _: &mut Terms<'_>) -> io::Result<()> {
        Ok(())
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn beat(&self) -> Option<Duration> {
        (!self.ui.listing.lines.is_empty()).then_some(SECOND)
    }

    fn on_beat(&mut self) {
        self.ui.now = now();
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        (self.ui.seen, self.ui.spots) = traces::draw(buf, area, &self.ui, theme);
    }
}
