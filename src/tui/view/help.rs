//! The help page: what every key does, made from the keymap, what works here first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint;
use crate::keymap::{self, Context, ROWS};
use crate::mark::Mark;
use crate::measure::width;
use crate::theme::{Scope, Theme};
use crate::ui::Seen;

pub fn render(buf: &mut Buffer, area: Rect, here: &[Context], scroll: usize, theme: &Theme) -> Seen {
    let title = vec![Span::styled("help", theme.style(Scope::Title))];
    let right = vec![Span::styled("? or q goes back", theme.style(Scope::Dim))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    paint::scrolled(buf, inner, &lines(here, theme), scroll, theme.style(Scope::Dim))
}

fn lines(here: &[Context], theme: &Theme) -> Vec<Line<'static>> {
    let (dim, key) = (theme.style(Scope::Dim), theme.style(Scope::Key));
    let mut contexts: Vec<Context> = here.to_vec();
    let at_home = here.contains(&Context::Home);
    let elsewhere = [
        Context::Team,
        Context::Findings,
        Context::Plan,
        Context::Brief,
        Context::Payload,
        Context::Passage,
        Context::Writing,
        Context::Raising,
        Context::Choosing,
        Context::Answering,
        Context::Asked,
    ];
    if !at_home {
        contexts.extend(elsewhere.into_iter().filter(|context| !here.contains(context)));
    }
    let column = ROWS.iter().map(|row| width(&keymap::keys(row))).max().unwrap_or(0);
    let mut lines = Vec::new();
    for context in contexts {
        let mut rows = ROWS.iter().filter(|row| row.context == context).peekable();
        if rows.peek().is_none() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(context.title(), theme.style(Scope::Title)));
        for row in rows {
            let keys = keymap::keys(row);
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
        ("▓", "held", Scope::Held),
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
