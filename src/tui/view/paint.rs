//! The drawing code that screens and regions share: rows, panels, lists, scrolled and cached lines, figures in words.
//!
//! Nothing is drawn outside its area.

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::style::{Color, Modifier};
use ratatui::widgets::{Clear, Widget};

use super::growing::Growing;
use super::sheet::Sheet;
use super::transcript::Shape;
use crate::live::Streamed;
use crate::measure::wrap;
use crate::prelude::*;
use crate::spot::Spot;
use run::progress::Saying;
use run::{AssignmentId, CallId, Seq};

pub type Wrapped = Arc<Vec<Line<'static>>>;

/// Wrapped lines of earlier frames. Lines that a frame does not use are dropped.
#[derive(Default)]
pub struct Cache {
    kept: HashMap<(String, Seq, u16), (bool, Wrapped)>,
    tails: HashMap<Piece, (bool, Tail)>,
    growing: HashMap<Piece, (bool, Growing)>,
    sheets: HashMap<Transcript, (bool, Sheet)>,
    /// The spots of the last frame; later ones lie over earlier ones.
    spots: Vec<(Rect, Spot)>,
}

/// A transcript by its assignment, its width and its shape.
pub type Transcript = (AssignmentId, u16, Shape);
/// A growing text of an attempt of a call: its words, its thoughts, or its tool calls.
pub type Piece = (CallId, usize, Saying);

/// Growing text, wrapped. When it grows, only its last line changes.
#[derive(Default)]
struct Tail {
    width: usize,
    gone: usize,
    /// The beginning of the last line.
    from: usize,
    lines: Wrapped,
}

impl Tail {
    fn follow(&mut self, streamed: &Streamed, width: usize, style: Style) {
        if (self.width, self.gone) != (width, streamed.gone) || self.from > streamed.text.len() {
            *self = Tail { width, gone: streamed.gone, ..Tail::default() };
        }
        let lines = Arc::make_mut(&mut self.lines);
        lines.pop();
        let rest = streamed.text.get(self.from..).unwrap_or_default();
        let wrapped = wrap(rest, width.saturating_sub(INDENT));
        let last = wrapped.last().map_or(0, |line| line.start);
        let line = |text: &str| Line::from(vec![Span::raw(" ".repeat(INDENT)), Span::styled(text.to_string(), style)]);
        lines.extend(wrapped.into_iter().map(|range| line(&rest[range])));
        if let Some(open) = lines.last_mut() {
            open.push_span(Span::styled(CURSOR, style));
        }
        self.from += last;
    }
}

/// The sign at the place of an answer's next words.
pub const CURSOR: &str = "▌";
/// The cells before the words of an answer.
pub const INDENT: usize = 2;

impl Cache {
    /// The lines of `name` after this event at this width, made if they are not kept.
    pub fn lines(&mut self, name: String, at: Seq, width: u16, make: impl FnOnce() -> Vec<Line<'static>>) -> Wrapped {
        let entry = self.kept.entry((name, at, width)).or_insert_with(|| (true, Arc::new(make())));
        entry.0 = true;
        entry.1.clone()
    }

    /// The laid-out lines of a transcript at this width.
    pub fn sheet(&mut self, name: Transcript) -> &mut Sheet {
        let (used, sheet) = self.sheets.entry(name).or_default();
        *used = true;
        sheet
    }

    /// The cached lines of an answer that comes.
    pub fn growing(&mut self, name: Piece) -> &mut Growing {
        let (used, growing) = self.growing.entry(name).or_default();
        *used = true;
        growing
    }

    /// Streamed text as it came, wrapped. Drop it before the next frame: it is not copied then.
    pub fn tail(&mut self, name: Piece, streamed: &Streamed, width: u16, style: Style) -> Wrapped {
        let (used, tail) = self.tails.entry(name).or_default();
        *used = true;
        tail.follow(streamed, usize::from(width), style);
        tail.lines.clone()
    }

    /// Something that can be pointed at is drawn here.
    pub fn mark(&mut self, area: Rect, spot: Spot) {
        self.spots.push((area, spot));
    }

    /// The spot at this column and row of the last frame.
    pub fn spot(&self, at: (u16, u16)) -> Option<Spot> {
        self.spots.iter().rfind(|(area, _)| area.contains(at.into())).map(|(_, spot)| spot.clone())
    }

    /// A new frame begins.
    pub fn begin(&mut self) {
        self.spots.clear();
    }

    /// Drops the entries that the last frame did not use.
    pub fn sweep(&mut self) {
        self.kept.retain(|_, (used, _)| std::mem::take(used));
        self.tails.retain(|_, (used, _)| std::mem::take(used));
        self.growing.retain(|_, (used, _)| std::mem::take(used));
        self.sheets.retain(|_, (used, _)| std::mem::take(used));
    }
}

/// Draws the rows of a list of `count` things from the `from`th on.
pub fn list(
    buf: &mut Buffer,
    area: Rect,
    count: usize,
    from: usize,
    mut draw: impl FnMut(&mut Buffer, Rect, usize),
) -> Seen {
    let page = usize::from(area.height);
    let most = count.saturating_sub(page);
    let at = from.min(most);
    area.rows().zip(at..count).for_each(|(row, n)| draw(buf, row, n));
    Seen { at, most, page, ..Seen::default() }
}

/// Marks a row as selected: its dim and coloured parts read as the rest does.
pub fn select(buf: &mut Buffer, row: Rect, theme: &Theme) {
    let look = Style { fg: Some(Color::Reset), bg: Some(Color::Reset), ..Style::default() };
    let look = look.remove_modifier(Modifier::DIM).patch(theme.style(Scope::Selected));
    buf.set_style(row.intersection(buf.area), look);
}

/// The first line of a list in this area, so that the selected row is its last visible one at most.
pub fn reveal(area: Rect, selected: usize) -> usize {
    (selected + 1).saturating_sub(usize::from(area.height))
}

/// Cuts an area into rows of these heights from the top; rows that do not fit are empty.
pub fn rows<const N: usize>(area: Rect, heights: [u16; N]) -> [Rect; N] {
    let mut y = area.y;
    heights.map(|height| {
        let row = Rect { y, height, ..area }.intersection(area);
        y = y.saturating_add(height).min(area.bottom());
        Rect { y: row.y.min(area.bottom()), ..row }
    })
}

pub fn split(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    (Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area })
}

pub fn line(buf: &mut Buffer, area: Rect, line: &Line<'_>) {
    let area = area.intersection(buf.area);
    if !area.is_empty() {
        buf.set_line(area.x, area.y, line, area.width);
    }
}

/// Empties an area before an overlay is drawn on it.
pub fn clear(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    // A wide character goes whole where the overlay covers its right half.
    if let Some(x) = area.x.checked_sub(1).filter(|x| *x >= buf.area.x && area.width > 0) {
        for y in area.top()..area.bottom() {
            let before = &mut buf[(x, y)];
            if width(before.symbol()) > 1 {
                before.set_symbol(" ");
            }
        }
    }
    Clear.render(area, buf);
    buf.set_style(area, style);
}

/// Draws lines from the `from`th on, and returns the visible range. Marks in the right margin say that there is more.
pub fn scrolled(buf: &mut Buffer, area: Rect, lines: &[Line<'_>], from: usize, more: Style) -> Seen {
    let area = area.intersection(buf.area);
    let page = usize::from(area.height);
    let most = lines.len().saturating_sub(page);
    let at = from.min(most);
    for (row, text) in (area.top()..area.bottom()).zip(&lines[at..]) {
        buf.set_line(area.x, row, text, area.width);
    }
    self::more(buf, area, at, most, more);
    Seen { at, most, page, ..Seen::default() }
}

/// Lights words wherever they stand in a row, in capitals or not.
pub fn light(buf: &mut Buffer, row: Rect, words: &str, style: Style) {
    let wanted = words.to_lowercase();
    let row = row.intersection(buf.area);
    let cells: Vec<(u16, String)> =
        row.positions().map(|position| (position.x, buf[position].symbol().to_lowercase())).collect();
    let text: String = cells.iter().map(|(_, symbol)| symbol.as_str()).collect();
    for (from, _) in text.match_indices(&wanted).filter(|(_, found)| !found.is_empty()) {
        let mut byte = 0;
        for (x, symbol) in &cells {
            if (from..from + wanted.len()).contains(&byte) {
                buf.set_style(Rect { x: *x, width: 1, ..row }, style);
            }
            byte += symbol.len();
        }
    }
}

/// Marks in the right margin that there is more above or below.
pub fn more(buf: &mut Buffer, area: Rect, at: usize, most: usize, style: Style) {
    let edge = area.right();
    if edge < buf.area.right() && !area.is_empty() {
        if at > 0 {
            buf.set_string(edge, area.y, "▴", style);
        }
        if at < most {
            buf.set_string(edge, area.bottom() - 1, "▾", style);
        }
    }
}

/// A box with a title at the left and a note at the right of its upper edge. Returns the area inside, with a margin of one cell at
/// the sides.
///
/// ```text
/// ┌ title ──────────────── right ┐
/// │ inside                       │
/// └──────────────────────────────┘
/// ```
pub fn panel(
    buf: &mut Buffer,
    area: Rect,
    title: impl Into<Line<'static>>,
    right: impl Into<Line<'static>>,
    style: Style,
) -> Rect {
    let area = area.intersection(buf.area);
    if area.width < 4 || area.height < 2 {
        return Rect { width: 0, height: 0, ..area };
    }
    edge(buf, Rect { height: 1, ..area }, TOP, title, right, style);
    edge(buf, Rect { y: area.bottom() - 1, height: 1, ..area }, BOTTOM, "", "", style);
    sides(buf, Rect { height: area.height - 1, ..area }, style);
    Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: area.height - 2 }
}

/// The left and right border of a panel, by themselves.
pub fn sides(buf: &mut Buffer, area: Rect, style: Style) {
    for row in area.rows().skip(1) {
        buf.set_string(row.x, row.y, "│", style);
        buf.set_string(row.right().saturating_sub(1), row.y, "│", style);
    }
}

/// The ends of the edges of a panel: the upper one, a line across it, the lower one.
pub const TOP: [&str; 2] = ["┌", "┐"];
pub const ACROSS: [&str; 2] = ["├", "┤"];
pub const BOTTOM: [&str; 2] = ["└", "┘"];

/// The cells that an edge of this width has for the text at its right, beside a whole title of `title` cells.
pub fn room_beside(width: u16, title: usize) -> usize {
    usize::from(width).saturating_sub(title + AROUND_EDGE)
}

/// The cells of a title that are kept where something stands at the right of an edge.
const LEAST_TITLE: usize = 12;
/// The cells of an edge besides its title and the text at its right: corners, spaces, and the line between them.
const AROUND_EDGE: usize = 8;

/// A horizontal edge of a panel with a title: `├ title ──── right ┤`.
pub fn edge(
    buf: &mut Buffer,
    area: Rect,
    ends: [&str; 2],
    title: impl Into<Line<'static>>,
    right: impl Into<Line<'static>>,
    style: Style,
) {
    let area = area.intersection(buf.area);
    if area.width < 4 || area.height == 0 {
        return;
    }
    let inner = usize::from(area.width) - 2;
    buf.set_string(area.x, area.y, ends[0], style);
    buf.set_string(area.x + 1, area.y, "─".repeat(inner), style);
    buf.set_string(area.right() - 1, area.y, ends[1], style);
    let (title, right) = (title.into().spans, right.into().spans);
    let right_wide = total_width(&right);
    // The title comes first; the note at the right shows only if both have room.
    let shows_right = right_wide > 0 && right_wide <= room_beside(area.width, total_width(&title).min(LEAST_TITLE));
    let room = if shows_right { inner - right_wide - 5 } else { inner.saturating_sub(3) };
    let title = fit(title, room);
    // Words in the edge have a style of their own, not the edge's.
    let mut words = |x: u16, spans: Vec<Span<'static>>, cells: u16| {
        for x in x..x + cells {
            buf[(x, area.y)].reset();
        }
        buf.set_line(x + 1, area.y, &Line::from(spans), cells - 1);
    };
    let title_wide = total_width(&title);
    if title_wide > 0 {
        words(area.x + 1, title, u16::try_from(title_wide + 2).unwrap_or(0).min(area.width - 2));
    }
    if shows_right {
        let cells = u16::try_from(right_wide + 2).unwrap_or(0);
        words(area.right() - 2 - cells, right, cells);
    }
}

pub use text::{clock, count, short};

/// Bytes as a person reads them: `812 B`, `3.1 kB`, `1.2 MB`.
pub fn bytes(n: usize) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..999_950 => format!("{:.1} kB", n as f64 / 1e3),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::measure::rows;

    proptest! {
        #[test]
        fn what_grows_is_wrapped_as_if_it_had_been_whole(
            pieces in prop::collection::vec("[a-c 日é\n\u{301}]{0,12}", 1..40),
            width in 4usize..24,
        ) {
            let (mut tail, mut streamed) = (Tail::default(), Streamed::default());
            for piece in &pieces {
                streamed.push(&piece.as_str().into());
                tail.follow(&streamed, width, Style::new());
            }
            let text = |lines: &[Line<'_>]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
            let whole: Vec<String> = text(&rows(&streamed.text, width - INDENT, Style::new(), &[]));
            let grown: Vec<String> = text(&tail.lines).iter().map(|line| line[INDENT..].trim_end_matches(CURSOR).to_string()).collect();
            prop_assert_eq!(grown, whole);
        }
    }
}
