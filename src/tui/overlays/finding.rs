//! What is looked for in the pane in front, while it is typed; it applies at once.

use crate::prelude::*;

#[derive(Clone, Debug)]
pub struct Finding(pub Field);

pub static KEYS: Keys = Keys {
    title: "while looking for words",
    groups: &[&[
        row(
            &[ENTER],
            Action::Submit,
            Some("go on (n next, N before)"),
            "keep the words: n and N go through the places",
        ),
        row(&[ESC], Action::Back, Some("leave it"), "forget the words"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, written, ..Screen::PLAIN };

pub fn open(ui: &mut Ui) {
    let text = ui.team.find.clone();
    ui.overlay = Overlay::Finding(Finding(Field::new(&text, Lines::One)));
}

fn on(ui: &mut Ui, _: &Run, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Submit => {}
        Action::Back => ui.team.find = Clean::default(),
        _ => return None,
    }
    ui.overlay = Overlay::None;
    Some(Vec::new())
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Overlay::Finding(Finding(field)) = &scene.ui.overlay else { return Seen::default() };
    let row = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
    paint::clear(buf, row, scene.theme.style(Scope::Text));
    paint::line(buf, row, &scene.theme.line(" / ", Scope::Key));
    let at = Rect { x: row.x + 3, width: row.width.saturating_sub(3), ..row };
    crate::view::boxes::field(buf, at, field, true, scene.theme);
    Seen::default()
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Finding(Finding(field)) = &mut ui.overlay else { return None };
    Some(field)
}

fn written(ui: &mut Ui) {
    if let Overlay::Finding(Finding(field)) = &ui.overlay {
        ui.team.find = Clean::line(&field.text());
        ui.team.found = 0;
    }
}
