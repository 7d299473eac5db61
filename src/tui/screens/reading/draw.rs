//! Draws a page to read; columns are stacked if there is no room for two.

use super::{KEYS, Piece, ReadingUi, TOGETHER};
use crate::overlays::help;
use crate::prelude::*;
use crate::view::{LEAST, finish, hints};

/// Two columns need this many cells.
const WIDE: usize = 96;

pub fn draw(buf: &mut Buffer, area: Rect, page: &ReadingUi, theme: &Theme) -> Seen {
    let area = area.intersection(buf.area);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let message = format!("masthead needs {}×{}", LEAST.0, LEAST.1);
        paint::line(buf, area, &Line::raw(cut(&message, usize::from(area.width)).into_owned()));
        return Seen { tiny: true, ..Seen::default() };
    }
    let [body, last] = paint::rows(area, [area.height - 1, 1]);
    let seen = if page.help.is_some() {
        help::page(
            buf,
            body,
            (&TOGETHER, |row| row.action == Action::Down || page.takes(row.action)),
            page.scroll,
            theme,
        )
    } else {
        let title = theme.span(flat(&page.page.title).into_owned(), Scope::Title);
        let inner = paint::panel(buf, body, title, "", theme.style(Scope::Focus));
        let cells = usize::from(inner.width);
        let (lines, _) = laid(page, cells, theme);
        Seen { cells, ..paint::scrolled(buf, inner, &lines, page.scroll, theme.style(Scope::Dim)) }
    };
    match &page.status {
        Some(status) => hints::message(buf, last, status, theme),
        None => {
            let rows = hints::of(&[&KEYS]).into_iter();
            let seen = ReadingUi { seen, ..page.clone() };
            let of_page = |action| matches!(action, Action::Yes | Action::Next | Action::Previous | Action::Fold);
            let rows = rows.filter(|row| seen.takes(row.action) && (page.help.is_none() || !of_page(row.action)));
            let hint = |row: &Row| match row.action {
                Action::Help if page.help.is_some() => "close".to_owned(),
                Action::Fold if page.shows_alike => "fold what is alike".to_owned(),
                _ => row.hint.unwrap_or_default().to_owned(),
            };
            hints::keys(buf, last, rows.map(|row| (row, hint(row))), theme);
        }
    }
    finish(buf, area, theme);
    seen
}

/// The lines of the page, and those at which differences begin.
pub(super) fn laid(page: &ReadingUi, cells: usize, theme: &Theme) -> (Vec<Line<'static>>, Vec<usize>) {
    /// As many that are alike are shown.
    const FEW: usize = 2;
    let (mut lines, mut differences): (Vec<Line<'static>>, Vec<usize>) = Default::default();
    let is_alike = |piece: &Piece| matches!(piece, Piece::Beside { alike: true, .. });
    let pieces = &page.page.pieces;
    let half = cells.saturating_sub(3) / 2;
    if let (Some((first, second)), true) = (&page.page.columns, cells >= WIDE) {
        lines.extend(beside([(first, Scope::Title), (second, Scope::Title)].map(Some), half, theme));
    }
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let alike = pieces[at..].iter().take_while(|piece| is_alike(piece)).count();
        if alike > FEW && !page.shows_alike {
            lines.push(theme.line(format!("… {alike} alike"), Scope::Dim));
            at += alike;
            continue;
        }
        at += 1;
        if matches!(piece, Piece::Beside { alike: false, .. }) {
            differences.push(lines.len());
        }
        match piece {
            Piece::Title(title) => {
                if !lines.is_empty() {
                    lines.push(Line::default());
                }
                lines.extend(rows(&flat(title), cells, theme.style(Scope::Title), &[]));
            }
            Piece::Text(text) => lines.extend(rows(&flat(text), cells, theme.style(Scope::Text), &[])),
            Piece::Beside { first, second, alike } => {
                let scope = if *alike { Scope::Dim } else { Scope::Text };
                let both = [first, second].map(|text| text.as_ref().map(|text| (text, scope)));
                match (cells >= WIDE, alike) {
                    (true, _) => lines.extend(beside(both, half, theme)),
                    (false, true) => {
                        lines.extend(first.iter().flat_map(|text| stacked("=", text, cells, scope, theme)))
                    }
                    (false, false) => {
                        for (sign, one) in ["<", ">"].into_iter().zip([first, second]) {
                            lines.extend(one.iter().flat_map(|text| stacked(sign, text, cells, scope, theme)));
                        }
                    }
                }
            }
        }
    }
    (lines, differences)
}

fn stacked(sign: &'static str, text: &Clean, cells: usize, scope: Scope, theme: &Theme) -> Vec<Line<'static>> {
    let head = theme.span(format!("{sign} "), Scope::Key);
    hanging(head, rows(&flat(text), cells.saturating_sub(2).max(1), theme.style(scope), &[])).collect()
}

/// Two texts, each in its half.
fn beside(both: [Option<(&Clean, Scope)>; 2], half: usize, theme: &Theme) -> Vec<Line<'static>> {
    let wrapped = both.map(|one| {
        let lines = one.map(|(text, scope)| rows(&flat(text), half.max(1), theme.style(scope), &[]));
        lines.unwrap_or_else(|| vec![theme.line("·", Scope::Dim)])
    });
    let [left, right] = wrapped;
    let count = left.len().max(right.len());
    let filled = |lines: Vec<Line<'static>>| lines.into_iter().map(Some).chain(std::iter::repeat(None)).take(count);
    let pairs = filled(left).zip(filled(right));
    pairs
        .map(|(left, right)| {
            let mut spans = left.map(|line| line.spans).unwrap_or_default();
            spans.push(Span::raw(" ".repeat(half.saturating_sub(total_width(&spans)))));
            spans.push(theme.span(" │ ", Scope::Border));
            spans.extend(right.map(|line| line.spans).unwrap_or_default());
            Line::from(spans)
        })
        .collect()
}
