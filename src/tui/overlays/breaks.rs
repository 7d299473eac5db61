//! The breakpoints of the run: a list that shows and clears them, and a line in which another is written.

use crate::prelude::*;
use crate::screens::everywhere::chosen;
use crate::view::boxes;
use run::Condition;

#[derive(Clone, Debug, Default)]
pub struct Breaks {
    /// Index of the selected one.
    pub choice: usize,
}

pub static KEYS: Keys = Keys {
    title: "the breakpoints",
    groups: &[&[
        row(&[c('a')], Action::Add, Some("another"), "set another"),
        row(&[c('d')], Action::Drop, Some("clear"), "clear this one"),
        row(&[c('j'), DOWN], Action::Down, None, "next one"),
        row(&[c('k'), UP], Action::Up, None, "the one before"),
        row(&[ESC, c('q')], Action::Back, Some("close"), "close the list"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, why_not, draw, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Breaks(Breaks { choice }) = &mut ui.overlay else { return None };
    match action {
        Action::Down | Action::Up => *choice = chosen(action, *choice, run.breakpoints.len()),
        Action::Add => return Some(super::commanding::open(ui, "break ")),
        Action::Drop => {
            let set = run.breakpoints.get((*choice).min(run.breakpoints.len().saturating_sub(1)))?;
            return Some(vec![Effect::Send(Command::ClearBreak(set.no))]);
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    match action {
        Action::Drop if run.breakpoints.is_empty() => Some("there is no breakpoint to clear".into()),
        Action::Drop | Action::Add => ui.may_not_change(run),
        _ => None,
    }
}

/// The meaning of a condition, in words.
fn in_words(on: &Condition) -> String {
    match on {
        Condition::Handoff { from: None, to: None } => "before anything is handed over or reported".into(),
        Condition::Handoff { from: None, to: Some(to) } => format!("before anything is handed to the {to}"),
        Condition::Handoff { from: Some(from), to: None } => format!("before the {from} hands out or reports anything"),
        Condition::Handoff { from: Some(from), to: Some(to) } => {
            format!("before the {from} hands anything to the {to}")
        }
        Condition::Report(id) => format!("before {id} reports"),
        Condition::Verdict { passes: true } => "before a PASS is reported".into(),
        Condition::Verdict { passes: false } => "before a REVISE is reported".into(),
        Condition::Outcome(ended) => format!("before work is reported that ended {ended}"),
        Condition::Tool(name) => format!("before {} goes out", flat(name.as_str())),
        Condition::Call => "before any call goes out".into(),
        Condition::Event(None) => "after any event".into(),
        Condition::Event(Some(name)) => format!("after the event {}", flat(name)),
        Condition::Cost(most) => format!("once the run has cost {most}"),
    }
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Breaks(Breaks { choice }) = &ui.overlay else { return Seen::default() };
    let set = &run.breakpoints;
    let choice = (*choice).min(set.len().saturating_sub(1));
    let hint = |action: Action| {
        let row = KEYS.of(action).filter(|_| why_not(ui, run, action).is_none());
        row.map(|row| {
            vec![
                theme.span(row.keys[0].to_string(), Scope::Key),
                theme.span(format!(" {}   ", row.hint.unwrap_or_default()), Scope::Dim),
            ]
        })
    };
    let right: Vec<Span<'static>> = [Action::Add, Action::Drop].into_iter().filter_map(hint).flatten().collect();
    let title = theme.span("breakpoints", Scope::Title);
    let cells = usize::from(boxes::middle(page, 1).width).saturating_sub(boxes::AROUND);
    let names = set.iter().map(|set| width(&set.on.to_string())).max().unwrap_or(0).min(30);
    let (mut lines, mut at): (Vec<Line<'static>>, _) = (Vec::new(), 0);
    for (n, set) in set.iter().enumerate() {
        let written = flat(&set.on.to_string()).into_owned();
        let gap = " ".repeat(names.saturating_sub(width(&written)) + 3);
        let one = boxes::choice(&format!("{:>2}  {written}{gap}", set.no.0), n == choice, theme);
        let room = cells.saturating_sub(width(&one.content)).max(1);
        lines.extend(hanging(one, rows(&in_words(&set.on), room, theme.style(Scope::Dim), &[])));
        if n == choice {
            at = lines.len();
        }
    }
    if set.is_empty() {
        let none = match ui.may_not_change(run) {
            None => "none: a sets one, and B one before the specialist in front is handed anything".to_owned(),
            Some(why) if run.is_imported() => format!("none: {why}"),
            Some(why) => format!("none: {why}. A fork may have them: f, --break"),
        };
        lines = rows(&none, cells, theme.style(Scope::Dim), &[]);
    }
    let inner = boxes::dialog(buf, page, lines.len() + 2, boxes::Frame::new(title, right, Scope::Focus), theme);
    paint::scrolled(buf, inner, &lines, paint::reveal(inner, at), theme.style(Scope::Dim));
    Seen::default()
}
