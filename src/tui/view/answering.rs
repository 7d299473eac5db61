//! The box in which a question is answered: who asks, the question, and its choices or room for words.
//!
//! ```text
//! ┌ ◆ researcher · Qdrant failed ─────────────────────────────────────────┐
//! │ It was tried 3 times: the server does not answer. What now?           │
//! │ ▸ go on without it                                                    │
//! │   try it again                                                        │
//! └───────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Scene, paint, writing};
use crate::field::Field;
use crate::mark::Mark;
use crate::measure::{cut, flat, rows};
use crate::theme::Scope;
use run::Inquiry;

/// Rows of the field for words.
const WORDS: u16 = 4;

pub fn render(buf: &mut Buffer, page: Rect, scene: Scene<'_>, choice: usize, words: &Field) {
    let Scene { run, theme, .. } = scene;
    let Some(Inquiry { question, assignment, .. }) = run.open_inquiry() else { return };
    let wide = usize::from(writing::middle(page, 3).width).saturating_sub(4);
    let text = rows(&flat(&question.text), wide, theme.style(Scope::Text), &[]);
    let below = match question.choices.len() {
        0 => WORDS,
        n => u16::try_from(n).unwrap_or(u16::MAX).min(page.height / 2),
    };
    let asked = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let area = writing::middle(page, asked.saturating_add(below + 2).min(page.height));
    paint::clear(buf, area, theme.style(Scope::Text));
    let title = format!("{} {}", Mark::NeedsYou.symbol(), flat(&question.title));
    let title = vec![Span::styled(cut(&title, wide).into_owned(), theme.style(Scope::NeedsYou))];
    let who = run.assignment(*assignment).map_or_else(String::new, |by| format!("{} asks", by.role));
    let right = vec![Span::styled(who, theme.style(Scope::Dim))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::NeedsYou));
    // What can be done about it has its place before the whole of the question.
    let below = below.min(inner.height);
    let upper = Rect { height: inner.height - below, ..inner };
    let lower = Rect { y: upper.bottom(), height: below, ..inner };
    paint::scrolled(buf, upper, &text, 0, theme.style(Scope::Dim));
    if question.choices.is_empty() {
        return writing::field(buf, lower, words, true, theme);
    }
    let first = (choice + 1).saturating_sub(usize::from(lower.height));
    for ((n, said), y) in question.choices.iter().enumerate().skip(first).zip(lower.top()..lower.bottom()) {
        let chosen = n == choice;
        let style = theme.style(if chosen { Scope::Title } else { Scope::Text });
        let sign = if chosen { "▸ " } else { "  " };
        let said = cut(&format!("{sign}{}", flat(said)), usize::from(lower.width)).into_owned();
        paint::line(buf, Rect { y, height: 1, ..lower }, &Line::styled(said, style));
    }
}
