//! Boxes over a page, and the fields in them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::field::Field;
use crate::theme::{Scope, Theme};

/// Draws a text field; the cursor is a cell of its own.
pub fn field(buf: &mut Buffer, area: Rect, field: &Field, active: bool, theme: &Theme) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let mut widget = field.area().clone();
    widget.set_style(theme.style(Scope::Text));
    widget.set_cursor_line_style(theme.style(Scope::Text));
    let cursor = if active { theme.style(Scope::Text).reversed() } else { theme.style(Scope::Text) };
    widget.set_cursor_style(cursor);
    widget.set_placeholder_style(theme.style(Scope::Dim));
    widget.render(area, buf);
}

/// A box of this height in the middle of the page.
pub fn middle(page: Rect, height: u16) -> Rect {
    let width = page.width.saturating_sub(8).min(76).max(page.width.min(38));
    let height = height.min(page.height);
    Rect { x: page.x + (page.width - width) / 2, y: page.y + (page.height - height) / 2, width, height }
}
