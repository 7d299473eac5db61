//! The search line of the pane in front, the brief, or the inspector; it applies as it is typed.

use crate::overlays::inspector;
use crate::prelude::*;
use crate::screens::team::Focus;
use crate::screens::{Page, brief};
use run::{Assignment, compare, describe};

#[derive(Clone, Debug)]
pub struct Finding {
    pub field: Field,
    /// The overlay below it: the inspector, or nothing.
    pub over: Box<Overlay>,
}

pub static KEYS: Keys = Keys {
    title: "while looking for words",
    groups: &[&[
        row(
            &[ENTER],
            Action::Submit,
            Some("go on (n next, N before)"),
            "to the first place from here on; n and N go through the places",
        ),
        row(&[ESC], Action::Back, Some("leave it"), "forget the words"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, written, ..Screen::PLAIN };

pub fn open(ui: &mut Ui) {
    let over = Box::new(std::mem::take(&mut ui.overlay));
    let text = match &*over {
        Overlay::Inspector(open) => open.words.clone(),
        _ if ui.page == Page::Brief => ui.brief.find.clone(),
        _ => ui.team.find.clone(),
    };
    ui.overlay = Overlay::Finding(Finding { field: Field::new(&text, Lines::One).selected(), over });
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    if !matches!(action, Action::Submit | Action::Back) {
        return None;
    }
    if action == Action::Back {
        looks_for(ui, Clean::default());
    }
    if let Overlay::Finding(finding) = &mut ui.overlay {
        ui.overlay = std::mem::take(&mut finding.over);
    }
    if action == Action::Submit && matches!(ui.overlay, Overlay::None) {
        let next = ui.seen.found_above + 1;
        if ui.page == Page::Brief {
            brief::go_to_found(ui, next);
        } else {
            ui.team.found = if ui.team.find.is_empty() { 0 } else { next };
            elsewhere(ui, run);
        }
    }
    Some(Vec::new())
}

/// If the pane in front has no match, the first that has one comes to the front.
fn elsewhere(ui: &mut Ui, run: &Run) {
    let words = ui.team.find.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&words);
    let holds = |one: &&Assignment| has(&describe::name(one)) || compare::said(one).iter().any(|(_, says)| has(says));
    let Some(front) = select::front(ui, run) else { return };
    if words.is_empty() || ui.seen.found > 0 || holds(&front) {
        return;
    }
    let have: Vec<&Assignment> = run.assignments().filter(holds).collect();
    let name = |one: &Assignment| flat(&describe::name(one)).into_owned();
    let said = match &have[..] {
        [] => format!("nobody in this run has “{}”", flat(&ui.team.find)),
        [first] => format!("not in {}: {} has it", name(front), name(first)),
        [first, others @ ..] => format!("not in {}: {} and {} more have it", name(front), name(first), others.len()),
    };
    ui.status = Some(Clean::line(&said));
    if let Some(first) = have.first() {
        (ui.team.pane, ui.team.node, ui.team.focus, ui.team.found) = (Some(first.id), None, Focus::Panes, 1);
    }
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Overlay::Finding(Finding { field, over }) = &scene.ui.overlay else { return Seen::default() };
    let seen = match &**over {
        Overlay::Inspector(open) => inspector::page(buf, area, scene, open),
        _ => Seen::default(),
    };
    let row = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
    paint::clear(buf, row, scene.theme.style(Scope::Text));
    paint::line(buf, row, &scene.theme.line(" / ", Scope::Key));
    let at = Rect { x: row.x + 3, width: row.width.saturating_sub(3), ..row };
    crate::view::boxes::field(buf, at, field, true, scene.theme);
    seen
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Finding(finding) = &mut ui.overlay else { return None };
    Some(&mut finding.field)
}

fn written(ui: &mut Ui) {
    if let Overlay::Finding(finding) = &ui.overlay {
        looks_for(ui, Clean::line(&finding.field.text()));
    }
}

fn looks_for(ui: &mut Ui, words: Clean) {
    match &mut ui.overlay {
        Overlay::Finding(Finding { over, .. }) if matches!(**over, Overlay::Inspector(_)) => {
            if let Overlay::Inspector(open) = &mut **over {
                open.look_for(words);
            }
        }
        _ if ui.page == Page::Brief => (ui.brief.find, ui.brief.found) = (words, 0),
        _ => (ui.team.find, ui.team.found) = (words, 0),
    }
}

/// The words, and the number of the current line, from 1, among those that match: `/limits 2 of 3`.
pub fn places(words: &Clean, at: usize, of: usize) -> String {
    let words = cut(&flat(words), 16).into_owned();
    match (at.checked_sub(1), of) {
        (_, 0) => format!("/{words} not found"),
        (None, of) => format!("/{words} {}", count(of, "line")),
        (Some(at), of) => format!("/{words} {} of {of}", at % of + 1),
    }
}
