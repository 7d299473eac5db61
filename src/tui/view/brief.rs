//! The brief as it is read: headings, paragraphs, lists, tables, gaps, disagreements, sources. Citations can be gone
//! through one by one; Enter shows what each rests on.
//!
//! ```text
//! ┌ brief ───────────────────────────────── 412 words · 18 citations ┐
//! │   Compare pgvector, Qdrant and Pinecone                          │
//! │                                                                  │
//! │   pgvector                                                       │
//! │   pgvector stores vectors in ordinary PostgreSQL tables. [1]     │
//! └──────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint::{Wrapped, count};
use super::{Cache, Scene, paint, typeset};
use crate::mark::Mark;
use crate::select;
use crate::theme::Scope;
use crate::ui::Seen;

/// The widest a line of prose may be and still be read with ease.
const WIDEST: u16 = 92;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((draft, findings)) = run.brief() else { return Seen::default() };
    let citations = select::citations(draft, findings).len();
    let mut right = Vec::new();
    if let Some(outcome) = run.ended() {
        let mark = Mark::of_outcome(outcome);
        let style = theme.style(mark.scope());
        right.push(Span::styled(format!("{} {}", mark.symbol(), mark.word()), style));
    }
    let told = format!("  {} · {}", count(draft.words(), "word"), count(citations, "citation"));
    right.push(Span::styled(told, theme.style(Scope::Dim)));
    let title = vec![Span::styled("brief", theme.style(Scope::Title))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Border));
    let width = inner.width.min(WIDEST);
    let text_area = Rect { x: inner.x + (inner.width - width) / 2, width, ..inner };

    let name = Wrapped {
        of: format!("brief of {:?}", run.opening.as_ref().map(|opening| &opening.run)),
        // The focused citation is painted into its lines.
        version: ui.brief.cite.map_or(0, |at| at as u64 + 1),
        width,
    };
    let lines = cache.lines(name, || typeset::lines(draft, findings, usize::from(width), ui.brief.cite, theme));
    let mut from = ui.brief.scroll.min(lines.len());
    if ui.brief.reveal
        && let Some(at) = focused_line(&lines, theme.style(Scope::CiteFocus))
    {
        // A passage lies over the lower three quarters: the citation is brought to the top quarter.
        let page = usize::from(text_area.height);
        let covered = matches!(ui.overlay, crate::ui::Overlay::Passage { .. });
        let (top, bottom) = if covered { (0, page / 4) } else { (2, page.saturating_sub(3)) };
        if at < from + top {
            from = at.saturating_sub(top);
        } else if at > from + bottom {
            from = at - bottom;
        }
    }
    paint::scrolled(buf, text_area, &lines, from, theme.style(Scope::Dim))
}

fn focused_line(lines: &[Line<'_>], focus: ratatui::style::Style) -> Option<usize> {
    lines.iter().position(|line| line.spans.iter().any(|span| span.style == focus))
}
