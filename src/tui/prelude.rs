//! The names that nearly every screen, overlay and region of the frame uses.

pub(crate) use crate::field::{Field, Lines};
pub(crate) use crate::keymap::{Action, BACK_TAB, DOWN, ENTER, ESC, Keys, LEFT, RIGHT, Row, TAB, UP, c, row};
pub(crate) use crate::link::{Command, Mode};
pub(crate) use crate::mark::Mark;
pub(crate) use crate::measure::{
    cut, cut_front, fit, flat, hanging, justified, rows, rows_within, total_width, width, wrap,
};
pub(crate) use crate::overlays::Overlay;
pub(crate) use crate::screens::{Extent, Screen};
pub(crate) use crate::select;
pub(crate) use crate::stall;
pub(crate) use crate::theme::{Scope, Theme};
pub(crate) use crate::ui::{Desk, Moment, Seen, Ui};
pub(crate) use crate::update::Effect;
pub(crate) use crate::view::paint::{self, bytes, clock, count, short};
pub(crate) use crate::view::{Cache, Pen, Scene};
pub(crate) use ratatui::buffer::Buffer;
pub(crate) use ratatui::layout::Rect;
pub(crate) use ratatui::style::Style;
pub(crate) use ratatui::text::{Line, Span};
pub(crate) use run::Run;
pub(crate) use text::Clean;
