//! Asks for the other run that the inspector compares with: its name is typed; the name of a fork's parent is there.

use crate::overlays::inspector::{self, Inspector};
use crate::prelude::*;

#[derive(Clone, Debug)]
pub struct Beside {
    pub field: Field,
    /// The two texts that are compared.
    pub over: Box<Inspector>,
}

pub static KEYS: Keys = Keys {
    title: "another run to compare with",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("compare"), "compare it with the same in that run"),
        row(&[ESC], Action::Back, Some("never mind"), "leave it as it was"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, ..Screen::PLAIN };

/// Asks for the name of the other run.
pub fn open(ui: &mut Ui, run: &Run) {
    let Overlay::Inspector(open) = std::mem::take(&mut ui.overlay) else { return };
    let known = ui.beside.as_ref().map(|(name, _)| name.to_string());
    let parent = run.forked.as_ref().map(|forked| forked.fork.from.to_string());
    let field = Field::new(&known.or(parent).unwrap_or_default(), Lines::One);
    let field = field.with_placeholder("the id of a run, as `masthead runs` has it, or a file with its events");
    ui.overlay = Overlay::Beside(Beside { field, over: Box::new(open) });
}

fn on(ui: &mut Ui, _: &Run, action: Action) -> Option<Vec<Effect>> {
    if !matches!(action, Action::Submit | Action::Back) {
        return None;
    }
    let Overlay::Beside(Beside { field, over }) = std::mem::take(&mut ui.overlay) else { return None };
    let name = Clean::line(field.text().trim());
    ui.overlay = Overlay::Inspector(*over);
    if action == Action::Back {
        return Some(Vec::new());
    }
    if name.is_empty() {
        ui.status = Some("no run was named: `masthead runs` lists them".into());
        return Some(Vec::new());
    }
    ui.status = Some(Clean::line(&format!("run {name} is being read …")));
    Some(vec![Effect::Beside(name)])
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Overlay::Beside(Beside { field, over }) = &scene.ui.overlay else { return Seen::default() };
    let seen = inspector::page(buf, area, scene, over);
    let title = scene.theme.span("compare it with the same in another run", Scope::Title);
    let inner =
        crate::view::boxes::dialog(buf, area, 3, crate::view::boxes::Frame::new(title, "", Scope::Focus), scene.theme);
    crate::view::boxes::field(buf, inner, field, true, scene.theme);
    seen
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Beside(beside) = &mut ui.overlay else { return None };
    Some(&mut beside.field)
}

/// The other run was read, or cannot be.
pub fn read(ui: &mut Ui, run: &Run, name: Clean, read: Result<std::sync::Arc<Run>, Clean>) {
    match read {
        Ok(other) => {
            ui.beside = Some((name, other));
            inspector::compare(ui, run);
        }
        Err(why) => ui.status = Some(why),
    }
}
