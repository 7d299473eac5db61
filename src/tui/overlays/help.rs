//! The help page: what every key does, made from the tables of the screens, what works here first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::keymap::Keys;
use crate::mark::Mark;
use crate::measure::width;
use crate::overlays::Overlay;
use crate::screens::{Screen, all_keys, home};
use crate::theme::{Scope, Theme};
use crate::ui::{Seen, Ui};
use crate::view::paint;
use crate::view::{Cache, Scene};

/// Which keys do what.
#[derive(Clone, Copy, Debug)]
pub struct Help {
    /// First line shown.
    pub scroll: usize,
}

pub static SCREEN: Screen = Screen { draw, scroll, ..Screen::PLAIN };

fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    let Overlay::Help(help) = &mut ui.overlay else { return None };
    Some(&mut help.scroll)
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Overlay::Help(help) = &scene.ui.overlay else { return Seen::default() };
    // The keys of the page beneath come first.
    page(buf, area, &scene.ui.page.screen().keys_here(), help.scroll, scene.theme)
}

/// The help page of any screen, whose keys come first.
pub fn page(buf: &mut Buffer, area: Rect, here: &[&'static Keys], scroll: usize, theme: &Theme) -> Seen {
    let title = vec![Span::styled("help", theme.style(Scope::Title))];
    let right = vec![Span::styled("? or q goes back", theme.style(Scope::Dim))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    paint::scrolled(buf, inner, &lines(here, theme), scroll, theme.style(Scope::Dim))
}

fn lines(here: &[&'static Keys], theme: &Theme) -> Vec<Line<'static>> {
    let (dim, key) = (theme.style(Scope::Dim), theme.style(Scope::Key));
    let all = all_keys();
    let at_home = here.contains(&&home::KEYS);
    let mut shown = here.to_vec();
    if !at_home {
        let of_home = [&home::KEYS, &home::RUN_KEYS];
        let elsewhere = all.iter().copied().filter(|keys| !here.contains(keys) && !of_home.contains(keys));
        shown.extend(elsewhere);
    }
    let column = all.iter().flat_map(|keys| keys.rows()).map(|row| width(&row.written())).max().unwrap_or(0);
    let mut lines = Vec::new();
    for keys in shown {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(keys.title, theme.style(Scope::Title)));
        for row in keys.rows() {
            let keys = row.written();
            let gap = " ".repeat(column - width(&keys) + 2);
            lines.push(Line::from(vec![Span::styled(format!("  {keys}{gap}"), key), Span::raw(row.description)]));
        }
    }
    if at_home {
        return lines;
    }
    lines.push(Line::default());
    lines.push(Line::styled("signs", theme.style(Scope::Title)));
    let mut states = vec![Span::raw("  ")];
    for mark in Mark::ALL {
        states.push(Span::styled(mark.symbol(), theme.style(mark.scope())));
        states.push(Span::styled(format!(" {}   ", mark.word()), dim));
    }
    lines.push(Line::from(states));
    let bar = [
        ("█", "spent", Scope::Spent),
        ("▓", "reserved", Scope::Held),
        ("▒", "in doubt", Scope::InDoubt),
        ("░", "left", Scope::Free),
        ("┄", "kept for landing", Scope::Reserve),
    ];
    let mut budget = vec![Span::raw("  ")];
    for (glyph, word, scope) in bar {
        budget.push(Span::styled(glyph, theme.style(scope)));
        budget.push(Span::styled(format!(" {word}   "), dim));
    }
    lines.push(Line::from(budget));
    lines
}
