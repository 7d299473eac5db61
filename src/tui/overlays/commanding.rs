//! The command line of a run: `:break handoff:writer`, `:clear 1`, `:breaks`, `:#120`.

use crate::overlays::breaks::Breaks;
use crate::prelude::*;
use crate::update::Step;
use crate::view::boxes;
use run::{BreakpointNo, Condition};

#[derive(Clone, Debug)]
pub struct Commanding {
    pub field: Field,
}

pub static KEYS: Keys = Keys {
    title: "while writing a command",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("do it"), "do it"),
        row(&[ESC], Action::Back, Some("never mind"), "leave it"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, ..Screen::PLAIN };

/// What can be written.
const COMMANDS: [(&str, &str); 7] = [
    ("break handoff:writer", "stop before it is handed anything; from:ROLE what it hands out or reports"),
    ("break verdict:revise", "stop before a verdict is reported; outcome:failed how work ends"),
    ("break tool:search", "stop before a call goes out; call for any"),
    ("break cost:0.10", "stop once the run has cost that much"),
    ("break event:plan_adopted", "stop after an event; event for any"),
    ("clear 1 · clear all", "clear a breakpoint, or all; breaks lists them"),
    ("#120", "show the run as it was after this event"),
];

pub fn open(ui: &mut Ui, words: &str) -> Vec<Effect> {
    ui.overlay = Overlay::Commanding(Commanding { field: Field::new(words, Lines::One) });
    Vec::new()
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Commanding(Commanding { field }) = &ui.overlay else { return None };
    if action != Action::Submit {
        return None;
    }
    let words = field.text();
    let words = words.trim().trim_start_matches(':').trim();
    let (what, rest) = words.split_once(' ').unwrap_or((words, ""));
    let done = match (what, rest.trim()) {
        ("breaks", "") | ("break", "") => {
            ui.overlay = Overlay::Breaks(Breaks::default());
            return Some(Vec::new());
        }
        ("break", on) => may(ui, run).and_then(|()| set(run, on)),
        ("clear", which) => may(ui, run).and_then(|()| clear(run, which)),
        _ => match words.trim_start_matches('#').parse::<u64>() {
            Ok(n) => Ok(vec![Effect::Show(Step::To(run::Seq(n)))]),
            Err(_) if words.is_empty() => Ok(Vec::new()),
            Err(_) => Err(format!("there is no command `{}`: break, clear, breaks, or #N", flat(what))),
        },
    };
    Some(ui.submitted(done))
}

fn may(ui: &Ui, run: &Run) -> Result<(), String> {
    ui.may_not_change(run).map_or(Ok(()), |why| Err(why.to_string()))
}

fn set(run: &Run, on: &str) -> Result<Vec<Effect>, String> {
    let on: Condition = on.parse()?;
    run.may_break(&on)?;
    Ok(vec![Effect::Send(Command::Break(on))])
}

fn clear(run: &Run, which: &str) -> Result<Vec<Effect>, String> {
    let all: Vec<BreakpointNo> = run.breakpoints.iter().map(|set| set.no).collect();
    let which = match which.parse().map(BreakpointNo) {
        _ if which == "all" => all,
        Ok(no) if all.contains(&no) => vec![no],
        _ => return Err(format!("there is no breakpoint `{}`: breaks lists them", flat(which))),
    };
    if which.is_empty() {
        return Err("there is no breakpoint to clear".into());
    }
    Ok(which.into_iter().map(|no| Effect::Send(Command::ClearBreak(no))).collect())
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Commanding(Commanding { field }) = &mut ui.overlay else { return None };
    Some(field)
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, theme, .. } = scene;
    let Overlay::Commanding(Commanding { field }) = &ui.overlay else { return Seen::default() };
    let title = theme.span("command", Scope::Title);
    let inner = boxes::dialog(buf, page, COMMANDS.len() + 4, title, "", Scope::Focus, theme);
    let [line, _, list] = paint::rows(inner, [1, 1, inner.height.saturating_sub(2)]);
    paint::line(buf, line, &theme.line(":", Scope::Key));
    boxes::field(buf, Rect { x: line.x + 1, width: line.width.saturating_sub(1), ..line }, field, true, theme);
    let names = COMMANDS.iter().map(|(name, _)| width(name)).max().unwrap_or(0) + 3;
    for ((name, what), row) in COMMANDS.iter().zip(list.rows()) {
        let what = cut(what, usize::from(row.width).saturating_sub(names)).into_owned();
        let name = theme.span(format!("{name:<names$}"), Scope::Key);
        paint::line(buf, row, &Line::from(vec![name, theme.span(what, Scope::Dim)]));
    }
    Seen::default()
}
