//! The room and the look of text that is laid out as lines. It draws nothing.

use crate::theme::Theme;

/// The width of lines, and the theme that colours them.
#[derive(Clone, Copy)]
pub struct Pen<'a> {
    pub cells: usize,
    pub theme: &'a Theme,
}

impl<'a> Pen<'a> {
    /// Lines of this many cells.
    pub fn new(cells: impl Into<usize>, theme: &'a Theme) -> Pen<'a> {
        Pen { cells: cells.into(), theme }
    }
}
