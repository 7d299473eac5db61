//! The dialog before a fork: the changes in the new run, which begins as this one was at the event shown.

use crate::link::Leave;
use crate::prelude::*;
use crate::view::boxes;

#[derive(Clone, Debug)]
pub struct Forking {
    pub field: Field,
}

pub static KEYS: Keys = Keys {
    title: "before a fork",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("show what it would cost"), "show what it keeps and what it would cost"),
        row(&[ESC], Action::Back, Some("never mind"), "leave it"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, ..Screen::PLAIN };

/// The flags that can be written, as on the command line.
const CHANGES: [(&str, &str); 6] = [
    ("--with-prompts DIR", "prompts from a folder: writer.md, …"),
    ("--model writer=PROVIDER/MODEL", "another model"),
    ("--max-cost 0.50", "another cap; what is kept counts towards it"),
    ("--break handoff:writer", "stop before it crosses, to change it"),
    ("--payload FILE", "what crosses at this event; --findings, --plan"),
    ("", "nothing: all goes on as it was then"),
];

/// Opens the dialog for the moment shown, with these changes written in it.
pub fn open(ui: &mut Ui, with: &str) -> Vec<Effect> {
    ui.playing = false;
    ui.overlay = Overlay::Forking(Forking { field: Field::new(with, Lines::One) });
    Vec::new()
}

/// The reason why the run cannot be forked at the moment shown; None if it can.
pub fn why_not(ui: &Ui, run: &Run) -> Option<Clean> {
    if run.is_imported() {
        return Some("this is a run of another program, and read only: there is no team of it to go on with".into());
    }
    if run.ended().is_some() {
        return Some("the run has ended here: go back in time first ([ or '), then f forks it from there".into());
    }
    match (&ui.mode, ui.moment) {
        (Mode::Replay, _) | (_, Moment::Earlier { .. }) => None,
        _ => Some("this is happening now: go back to an event first ([ or '), then f forks the run from there".into()),
    }
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Forking(Forking { field }) = &ui.overlay else { return None };
    if action != Action::Submit {
        return None;
    }
    let with = Clean::line(&field.text()).trim().into();
    Some(vec![Effect::Leave(Leave::Fork { at: run.seq, with })])
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Forking(Forking { field }) = &mut ui.overlay else { return None };
    Some(field)
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Forking(Forking { field }) = &ui.overlay else { return Seen::default() };
    let title = theme.span(format!("a new run that begins as this one was at {}", run.seq), Scope::Title);
    let stays = match ui.mode {
        Mode::Live => "this run is left as it stands, as with q; nothing is asked before you have seen the cost",
        _ => "this run stays what it is; nothing is asked before you have seen the cost",
    };
    let cells = usize::from(boxes::middle(page, 1).width).saturating_sub(boxes::AROUND);
    let names = CHANGES.iter().map(|(name, _)| width(name)).max().unwrap_or(0) + 3;
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (name, what) in CHANGES {
        let name = theme.span(format!("{name:<names$}"), Scope::Key);
        lines.extend(hanging(name, rows(what, cells.saturating_sub(names), theme.style(Scope::Dim), &[])));
    }
    lines.push(Line::default());
    lines.extend(rows(stays, cells, theme.style(Scope::Dim), &[]));
    let inner = boxes::dialog(buf, page, lines.len() + 4, boxes::Frame::new(title, "", Scope::Focus), theme);
    let [line, _, list] = paint::rows(inner, [1, 1, inner.height.saturating_sub(2)]);
    let label = "changed: ";
    paint::line(buf, line, &theme.line(label, Scope::Key));
    let taken = u16::try_from(width(label)).unwrap_or(u16::MAX).min(line.width);
    boxes::field(buf, Rect { x: line.x + taken, width: line.width - taken, ..line }, field, true, theme);
    for (line, row) in lines.iter().zip(list.rows()) {
        paint::line(buf, row, line);
    }
    Seen::default()
}
