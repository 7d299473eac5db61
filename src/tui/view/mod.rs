//! A frame: the regions that every page has, and what screens share when they draw. The screens draw themselves.
//!
//! Each region is a function from values to cells. It draws only within the area it is given and decides nothing.
//!
//! ```text
//! ┌────────────────────────────────────────────┐
//! │ header                                     │  2 lines (1 where the screen is low)
//! │ what a model call needs of the person      │  where one does
//! │ what a drill is about                      │  where the run is one
//! │ page: team (graph, panes, handoffs),       │
//! │       findings, plan, or brief             │  the rest
//! │ budget                                     │  1 line
//! │ journal                                    │  1 line
//! │ hints, or a word to the person             │  1 line
//! └────────────────────────────────────────────┘
//! ```

pub mod boxes;
mod budget;
mod drill;
pub mod exchange;
mod header;
pub mod hints;
pub mod paint;
mod plain;
mod tiny;
pub mod transcript;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::screens::{Extent, asked, journal};
use super::theme::Theme;
use super::ui::{Seen, Ui};
use run::{Envelope, Exercise, Run};
use text::is_forbidden;

pub use paint::Cache;

/// All a frame is drawn from.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The state of the screen.
    pub ui: &'a Ui,
    /// The run at the moment shown.
    pub run: &'a Run,
    /// Every event there is.
    pub events: &'a [Arc<Envelope>],
    /// What things look like.
    pub theme: &'a Theme,
}

impl Scene<'_> {
    /// The exercise that the run plays, if it is one that the front end knows.
    fn exercise(&self) -> Option<Exercise> {
        (self.ui.exercises)(self.run.opening.as_ref()?.drill.as_deref()?)
    }
}

/// Narrower or lower than this, there is one plain line.
pub const LEAST: (u16, u16) = (40, 10);

/// Draws a frame and says what it showed of the thing that scrolls.
pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return Seen::default();
    }
    if area.width < LEAST.0 || area.height < LEAST.1 {
        tiny::render(buf, area, scene);
        finish(buf, area, scene.theme);
        return scene.ui.seen;
    }
    let head = if area.height < 16 { 1 } else { 2 };
    let foot = if area.height < 14 { 2 } else { 3 };
    let [header, page, footer] = paint::rows(area, [head, area.height - head - foot, foot]);
    header::render(buf, header, scene);
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
    let [meter, line, last] = paint::rows(footer, if foot == 3 { [1, 1, 1] } else { [1, 0, 1] });
    budget::render(buf, meter, scene);
    journal::render(buf, line, scene);
    hints::render(buf, last, scene);
    finish(buf, area, scene.theme);
    seen
}

/// What is done to every frame at last.
pub fn finish(buf: &mut Buffer, area: Rect, theme: &Theme) {
    harmless(buf, area);
    if theme.is_ascii() {
        plain::render(buf, area);
    }
}

/// The last line of defence: whatever went wrong before, nothing that drives a terminal leaves the buffer.
fn harmless(buf: &mut Buffer, area: Rect) {
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let cell = &mut buf[(x, y)];
            if !cell.symbol().is_ascii() && cell.symbol().chars().any(is_forbidden)
                || cell.symbol().bytes().any(|b| b < 0x20 || b == 0x7f)
            {
                cell.set_symbol("·");
            }
        }
    }
}

#[cfg(test)]
mod tests;
