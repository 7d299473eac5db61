//! Dialogs over a page, and text fields.

use crate::prelude::*;
use ratatui::widgets::Widget;

/// Draws a text field; the cursor is a cell of its own.
pub fn field(buf: &mut Buffer, area: Rect, field: &Field, active: bool, theme: &Theme) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let mut widget = field.area().clone();
    let text = theme.style(Scope::Text);
    widget.set_style(text);
    widget.set_cursor_line_style(text);
    widget.set_cursor_style(if active { text.reversed() } else { text });
    widget.set_selection_style(theme.style(Scope::Selected));
    widget.set_placeholder_style(theme.style(Scope::Dim));
    widget.render(area, buf);
    if area.height > 1 && !field.is_blank() {
        more(buf, area, &field.text(), theme);
    }
}

/// Marks that the text of a field goes on above or below its rows: it scrolls by itself.
fn more(buf: &mut Buffer, area: Rect, text: &str, theme: &Theme) {
    let row = |y: u16| -> String {
        let symbols = (area.x..area.right()).map(|x| buf[(x, y)].symbol());
        symbols.collect::<String>().trim().to_owned()
    };
    let (first, last) = (row(area.y), row(area.bottom() - 1));
    let is_cut_above = !text.trim_start().starts_with(&first) && !first.is_empty();
    let is_cut_below = !text.trim_end().ends_with(&last);
    let at = usize::from(is_cut_above);
    paint::more(buf, area, at, at + usize::from(is_cut_below), theme.style(Scope::Dim));
}

/// The cells of a dialog's line that are not for its text: borders, and a space beside each.
pub const AROUND: usize = 4;

/// The cells of a dialog's upper edge besides its words: corners, and blanks around them.
const AROUND_WORDS: usize = 7;

/// The frame of a dialog: the words at both ends of its upper edge, and its colour.
pub struct Frame {
    title: Line<'static>,
    right: Line<'static>,
    border: Scope,
}

impl Frame {
    pub fn new(title: impl Into<Line<'static>>, right: impl Into<Line<'static>>, border: Scope) -> Frame {
        Frame { title: title.into(), right: right.into(), border }
    }
}

/// An empty dialog in the middle of the page, its borders included in the height. Returns its inside.
pub fn dialog(
    buf: &mut Buffer,
    page: Rect,
    height: usize,
    Frame { title, right, border }: Frame,
    theme: &Theme,
) -> Rect {
    let area = middle(page, u16::try_from(height).unwrap_or(u16::MAX));
    // A title that is longer than most gets the room that there is.
    let wanted = u16::try_from(title.width() + right.width() + AROUND_WORDS).unwrap_or(u16::MAX);
    let width = wanted.clamp(area.width, page.width.saturating_sub(8).max(area.width));
    let area = Rect { x: page.x + (page.width - width) / 2, width, ..area };
    paint::clear(buf, area, theme.style(Scope::Text));
    paint::panel(buf, area, title, right, theme.style(border))
}

/// A line of a list of choices: the chosen one has a mark before it.
pub fn choice(text: &str, chosen: bool, theme: &Theme) -> Span<'static> {
    let (sign, scope) = if chosen { ("▸ ", Scope::Title) } else { ("  ", Scope::Text) };
    theme.span(format!("{sign}{text}"), scope)
}

/// An area of this height in the middle of the page.
pub fn middle(page: Rect, height: u16) -> Rect {
    let width = page.width.saturating_sub(8).min(76).max(page.width.min(38));
    let height = height.min(page.height);
    Rect { x: page.x + (page.width - width) / 2, y: page.y + (page.height - height) / 2, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_of_a_dialog_is_whole_where_the_page_has_room_and_a_short_one_widens_nothing() {
        let theme = Theme::load("default", None).unwrap();
        let long = "do the work of researcher · Clock far off at boot on servers without a clock once more?";
        for (title, page, width) in [("stop?", 160, 76), (long, 160, long.chars().count() + 19), (long, 80, 72)] {
            let page = Rect::new(0, 0, page, 10);
            let mut buf = Buffer::empty(page);
            let title = theme.span(title, Scope::Title);
            let right = theme.span("y yes   n no", Scope::Key);
            let inner = dialog(&mut buf, page, 4, Frame::new(title, right, Scope::NeedsYou), &theme);
            assert_eq!(usize::from(inner.width) + AROUND, width);
        }
    }
}
