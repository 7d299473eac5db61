//! Draws a frame: header, requests to the person, page, budget, journal line, hints. Screens draw their own pages;
//! the tests keep pictures of all of them in `snapshots/`.
//!
//! ```text
//! ┌────────────────────────────────────────────┐
//! │ header                                     │  2 lines (1 where the screen is low)
//! │ requests to the person                     │  if there are any
//! │ the drill                                  │  if the run is one
//! │ page: team (graph, panes, handoffs),       │
//! │       findings, plan, or brief             │  the rest
//! │ budget                                     │  1 line
//! │ journal                                    │  1 line; one more with its stages while the past is shown
//! │ hints, or a message                        │  1 line
//! └────────────────────────────────────────────┘
//! ```

pub mod boxes;
pub mod budget;
mod drill;
pub mod exchange;
pub mod growing;
mod header;
pub mod hints;
pub mod items;
pub mod markdown;
pub mod paint;
mod pen;
mod plain;
pub mod sheet;
pub mod tiny;
pub mod transcript;

use std::sync::Arc;

use super::screens::{Extent, asked, journal};
use super::theme::Theme;
use super::ui::{Seen, Ui};
use crate::prelude::*;
use run::{At, Envelope, Exercise};
use text::is_forbidden;

pub use paint::Cache;
pub use pen::Pen;

/// The data that a frame is drawn from.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub ui: &'a Ui,
    pub run: &'a Run,
    pub events: &'a [Arc<Envelope>],
    pub theme: &'a Theme,
}

impl Scene<'_> {
    /// The time at the moment shown: the clock's only for a live run at its latest event.
    pub fn now(&self) -> At {
        self.ui.time(self.run)
    }

    /// The exercise that the run plays, if the front end knows it.
    fn exercise(&self) -> Option<Exercise> {
        (self.ui.exercises?)(self.run.opening.as_ref()?.drill.as_deref()?)
    }
}

/// On a smaller screen there is one plain line.
pub const LEAST: (u16, u16) = (40, 10);

/// Draws a frame and returns the visible range of its scrolled part.
pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let area = area.intersection(buf.area);
    cache.begin();
    if area.is_empty() {
        return Seen::default();
    }
    if area.width < LEAST.0 || area.height < LEAST.1 {
        tiny::render(buf, area, scene);
        finish(buf, area, scene.theme);
        return Seen { tiny: true, ..scene.ui.seen };
    }
    let head = if area.height < 16 { 1 } else { 2 };
    let names = journal::names_stages(scene.ui, area.height);
    let foot = if area.height < 14 { 2 } else { 3 + u16::from(names) };
    let [header, page, footer] = paint::rows(area, [head, area.height - head - foot, foot]);
    header::render(buf, header, scene, cache);
    let banner = asked::height(scene, page);
    let [banner, page] = paint::rows(page, [banner, page.height - banner]);
    asked::render(buf, banner, scene);
    let lesson = drill::height(scene, page);
    let [lesson, page] = paint::rows(page, [lesson, page.height - lesson]);
    drill::render(buf, lesson, scene);
    let below = scene.ui.page.screen();
    let seen = match scene.ui.overlay.screen() {
        None => (below.draw)(buf, page, scene, cache),
        Some(over) if over.extent == Extent::Page => (over.draw)(buf, page, scene, cache),
        Some(over) => {
            let seen_below = (below.draw)(buf, page, scene, cache);
            let seen = (over.draw)(buf, page, scene, cache);
            if over.extent == Extent::Part { seen } else { seen_below }
        }
    };
    let [meter, line, stages, last] = paint::rows(footer, [1, u16::from(foot > 2), u16::from(names), 1]);
    budget::render(buf, meter, scene);
    journal::render(buf, line, scene);
    journal::render_stages(buf, stages, scene);
    hints::render(buf, last, scene);
    finish(buf, area, scene.theme);
    seen
}

/// Applied to every frame at the end.
pub fn finish(buf: &mut Buffer, area: Rect, theme: &Theme) {
    harmless(buf, area);
    if theme.ascii {
        plain::render(buf, area);
    }
}

/// Last defence: nothing that controls a terminal leaves the buffer.
fn harmless(buf: &mut Buffer, area: Rect) {
    for position in area.positions() {
        let cell = &mut buf[position];
        if !cell.symbol().is_ascii() && cell.symbol().chars().any(is_forbidden)
            || cell.symbol().bytes().any(|b| b < 0x20 || b == 0x7f)
        {
            cell.set_symbol("·");
        }
    }
}

#[cfg(test)]
mod tests;
