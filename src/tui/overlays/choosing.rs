//! The box in which another specialist is chosen for the work of an assignment.
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

use crate::keymap::{Action, BACK_TAB, DOWN, ENTER, ESC, Keys, TAB, UP, c, row};
use crate::measure::{cut, flat, width};
use crate::overlays::Overlay;
use crate::screens::everywhere::chosen;
use crate::screens::team::steering;
use crate::screens::{Extent, Screen};
use crate::theme::Scope;
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::{Cache, Scene, boxes, paint};
use run::{AssignmentId, Run, Steer};

/// Another specialist being chosen for the work of an assignment.
#[derive(Clone, Copy, Debug)]
pub struct Choosing {
    /// Whose work it is.
    pub assignment: AssignmentId,
    /// Which of those who could do it, by place.
    pub choice: usize,
}

pub static KEYS: Keys = Keys {
    title: "while choosing who does it",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("give it"), "give the work to this one"),
        row(&[c('j'), DOWN, TAB], Action::Down, Some("choice"), "next choice"),
        row(&[c('k'), UP, BACK_TAB], Action::Up, None, "choice before"),
        row(&[ESC, c('q')], Action::Back, Some("never mind"), "leave it as it was"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Choosing(Choosing { assignment, choice }) = &mut ui.overlay else { return None };
    let (id, roles) = (*assignment, run.could_do(*assignment));
    match action {
        Action::Down | Action::Up => {
            *choice = chosen(action, *choice, roles.len());
            Some(Vec::new())
        }
        Action::Submit => {
            let act = Steer::Reassign { role: roles.get(*choice)?.clone() };
            let effects = steering::attempt(ui, run, id, act);
            Some(ui.submitted(effects))
        }
        _ => None,
    }
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    let Overlay::Choosing(Choosing { assignment, choice }) = ui.overlay else { return false };
    choice >= run.could_do(assignment).len()
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Choosing(Choosing { assignment: id, choice }) = ui.overlay else { return Seen::default() };
    let Some(assignment) = run.assignment(id) else { return Seen::default() };
    let roles = run.could_do(id);
    let rows = u16::try_from(roles.len()).unwrap_or(u16::MAX).saturating_add(2);
    let area = boxes::middle(page, rows.min(page.height));
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
    Seen::default()
}
