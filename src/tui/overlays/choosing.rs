//! The dialog in which the person gives the work of an assignment to another specialist.

use crate::prelude::*;
use crate::screens::everywhere::chosen;
use crate::screens::team::steering;
use crate::view::boxes;
use run::{AssignmentId, Steer};

#[derive(Clone, Copy, Debug)]
pub struct Choosing {
    pub assignment: AssignmentId,
    /// Index into the roles that could do the work.
    pub choice: usize,
}

pub static KEYS: Keys = Keys {
    title: "while choosing another specialist",
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
    let title = format!("give the work of {} to", flat(&run.called(assignment)));
    let title = cut(&title, usize::from(boxes::middle(page, 3).width).saturating_sub(6)).into_owned();
    let title = theme.span(title, Scope::Title);
    let inner = boxes::dialog(buf, page, roles.len() + 2, boxes::Frame::new(title, "", Scope::Focus), theme);
    let column = roles.iter().map(|role| width(role.as_str())).max().unwrap_or(0);
    paint::list(buf, inner, roles.len(), paint::reveal(inner, choice), |buf, row, n| {
        let name = flat(roles[n].as_str());
        let gap = " ".repeat(column.saturating_sub(width(&name)) + 3);
        let member = run.opening.as_ref().and_then(|opening| opening.team.members.get(&roles[n]));
        let what = member.map(|member| flat(&member.description)).unwrap_or_default();
        let what = cut(&what, usize::from(row.width).saturating_sub(2 + column + 3)).into_owned();
        let name = boxes::choice(&format!("{name}{gap}"), n == choice, theme);
        paint::line(buf, row, &Line::from(vec![name, theme.span(what, Scope::Dim)]));
    });
    Seen::default()
}
