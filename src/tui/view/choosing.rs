//! The box in which somebody else is chosen for a piece of work.
//!
//! ```text
//! ┌ give the work of researcher · Qdrant to ──────────────────────────────┐
//! │ ▸ checker     checks facts against a second source                    │
//! │   archivist   knows the older documents                               │
//! └───────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Scene, paint, writing};
use crate::measure::{cut, flat, width};
use crate::theme::Scope;
use run::AssignmentId;

pub fn render(buf: &mut Buffer, page: Rect, scene: Scene<'_>, id: AssignmentId, choice: usize) {
    let Scene { run, theme, .. } = scene;
    let Some(assignment) = run.assignment(id) else { return };
    let roles = run.could_do(id);
    let rows = u16::try_from(roles.len()).unwrap_or(u16::MAX).saturating_add(2);
    let area = writing::middle(page, rows.min(page.height));
    paint::clear(buf, area, theme.style(Scope::Text));
    let title = format!("give the work of {} to", flat(&run.called(assignment)));
    let title = cut(&title, usize::from(area.width).saturating_sub(6)).into_owned();
    let title = vec![Span::styled(title, theme.style(Scope::Title))];
    let inner = paint::panel(buf, area, title, vec![], theme.style(Scope::Focus));
    let column = roles.iter().map(|role| width(role.as_str())).max().unwrap_or(0);
    let first = (choice + 1).saturating_sub(usize::from(inner.height));
    for ((n, role), y) in roles.iter().enumerate().skip(first).zip(inner.top()..inner.bottom()) {
        let chosen = n == choice;
        let style = theme.style(if chosen { Scope::Title } else { Scope::Text });
        let sign = if chosen { "▸ " } else { "  " };
        let name = flat(role.as_str());
        let gap = " ".repeat(column.saturating_sub(width(&name)) + 3);
        let member = run.opening.as_ref().and_then(|opening| opening.team.members.get(role));
        let what = member.map(|member| flat(&member.description)).unwrap_or_default();
        let room = usize::from(inner.width).saturating_sub(2 + column + 3);
        let line = Line::from(vec![
            Span::styled(format!("{sign}{name}{gap}"), style),
            Span::styled(cut(&what, room).into_owned(), theme.style(Scope::Dim)),
        ]);
        paint::line(buf, Rect { y, height: 1, ..inner }, &line);
    }
}
