//! The list of handoffs, in the order in which they crossed.
//!
//! ```text
//! ┌ handoffs ───────────────────────────── 7 ┐
//! │ #3 supervisor → researcher   Qdrant      │
//! │ #4 researcher → supervisor   6 findings  │
//! └──────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Focus;
use crate::measure::{cut, flat, justified, width};
use crate::select;
use crate::theme::Scope;
use crate::ui::Seen;
use crate::view::Scene;
use crate::view::paint::{self, short};
use run::{Handoff, Run};

/// How many rows the list takes of a column this high.
pub fn height(run: &Run, column: u16) -> u16 {
    let wanted = u16::try_from(run.handoffs.len()).unwrap_or(u16::MAX).saturating_add(2);
    wanted.clamp(3, (column / 3).max(3)).min(column)
}

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let focused = ui.team.focus == Focus::Handoffs;
    let style = theme.style(if focused { Scope::Focus } else { Scope::Border });
    let count = Span::styled(run.handoffs.len().to_string(), theme.style(Scope::Dim));
    let inner = paint::panel(buf, area, vec![Span::styled("handoffs", theme.style(Scope::Title))], vec![count], style);
    let selected = select::handoff(ui, run).map_or(0, |no| no.0 as usize - 1);
    let page = usize::from(inner.height);
    let most = run.handoffs.len().saturating_sub(page);
    // The selected one stays in view, the latest at the bottom.
    let from = selected.saturating_sub(page.saturating_sub(1)).max(if selected >= most { most } else { 0 }).min(most);
    let shown: Vec<&Handoff> = run.handoffs.iter().skip(from).take(page).map(|handoff| &**handoff).collect();
    let route = |handoff: &Handoff| format!("{} → {}", flat(&handoff.names.0), flat(&handoff.names.1));
    let routes = shown.iter().map(|handoff| width(&route(handoff))).max().unwrap_or(0);
    for (n, handoff) in shown.into_iter().enumerate() {
        let Ok(down) = u16::try_from(n) else { break };
        let row = Rect { y: inner.y + down, height: 1, ..inner };
        let here = focused && from + n == selected;
        let base = theme.style(if here { Scope::Selected } else { Scope::Text });
        let dim = if here { base } else { theme.style(Scope::Dim) };
        let route = route(handoff);
        let gap = " ".repeat(routes - width(&route) + 2);
        let left = vec![
            Span::styled(format!("{:>3} ", handoff.no.to_string()), dim),
            Span::styled(route, base),
            Span::styled(gap, base),
            Span::styled(flat(&handoff.title).into_owned(), if here { base } else { theme.style(Scope::Title) }),
        ];
        let right = if inner.width >= 60 { vec![Span::styled(size(handoff), dim)] } else { vec![] };
        let line = justified(left, right, usize::from(inner.width));
        paint::line(buf, row, &if here { line.style(base) } else { line });
    }
    if run.handoffs.is_empty() {
        paint::line(buf, inner, &Line::styled("nothing has crossed yet", theme.style(Scope::Dim)));
    }
    Seen { at: from, most, page }
}

/// What a payload would weigh if a model had to read it.
fn size(handoff: &Handoff) -> String {
    cut(&format!("{} tok", short(handoff.payload.tokens())), 9).into_owned()
}
