//! The filter of the findings while it is typed; it applies at once.

use crate::prelude::*;

#[derive(Clone, Debug)]
pub struct Filtering(pub Field);

pub static KEYS: Keys = Keys {
    title: "while filtering",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("keep the filter"), "keep the filter"),
        row(&[ESC], Action::Back, Some("show all"), "show all again"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, field, written, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, _: &Run, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Submit => {}
        Action::Back => ui.findings.filter = Clean::default(),
        _ => return None,
    }
    ui.overlay = Overlay::None;
    Some(Vec::new())
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Filtering(Filtering(field)) = &mut ui.overlay else { return None };
    Some(field)
}

fn written(ui: &mut Ui) {
    if let Overlay::Filtering(Filtering(field)) = &ui.overlay {
        ui.findings.filter = Clean::line(&field.text());
    }
}

fn is_stale(_: &Ui, run: &Run) -> bool {
    !run.is_at_a_checkpoint()
}
