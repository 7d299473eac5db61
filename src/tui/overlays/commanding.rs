//! The palette of a run: everything that a key does here, found by its words and done with Enter; and commands that are
//! written: `:break handoff:writer`, `:clear 1`, `:breaks`, `:#120`.

use crate::overlays::breaks::Breaks;
use crate::prelude::*;
use crate::screens::team::Focus;
use crate::screens::{Page, asked, everywhere, journal, offered};
use crate::update::Step;
use crate::view::boxes;
use run::{AssignmentId, BreakpointNo, Condition, describe};

#[derive(Clone, Debug)]
pub struct Commanding {
    pub field: Field,
    /// The chosen line of those that are found.
    pub choice: usize,
}

pub static KEYS: Keys = Keys {
    title: "while writing a command",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("do it"), "do it"),
        row(&[DOWN, TAB], Action::Down, Some("next"), "the next of what is found"),
        row(&[UP, BACK_TAB], Action::Up, None, "the one before of what is found"),
        row(&[ESC], Action::Back, Some("never mind"), "leave it"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, written, ..Screen::PLAIN };

/// The commands that can be written.
const COMMANDS: [(&str, &str); 7] = [
    ("break handoff:writer", "before a handoff to it; from:ROLE, by it"),
    ("break verdict:revise", "before such a verdict; or outcome:failed"),
    ("break tool:search", "before such a call goes out; call for any"),
    ("break cost:0.10", "once the run has cost that much"),
    ("break event:plan_adopted", "after such an event; event for any"),
    ("clear 1 · clear all", "clear breakpoints; breaks lists them"),
    ("#120", "show the run as it was after this event"),
];

pub fn open(ui: &mut Ui, words: &str) -> Vec<Effect> {
    ui.overlay = Overlay::Commanding(Commanding { field: Field::new(words, Lines::One), choice: 0 });
    Vec::new()
}

/// A line of the search results.
struct Offer {
    keys: String,
    says: Clean,
    /// The reason why it does nothing now.
    why_not: Option<Clean>,
    does: Does,
}

enum Does {
    Key(Action),
    /// Brings the pane of this assignment to the front.
    Pane(AssignmentId),
}

/// The most assignments that are found by name.
const MOST_NAMES: usize = 20;

/// The actions of the page's keys below that hold all these words, those that work first; then the assignments with such a name.
fn found(ui: &Ui, run: &Run, words: &str) -> Vec<Offer> {
    let words: Vec<String> = words.to_lowercase().split_whitespace().map(String::from).collect();
    let tables = [ui.page.screen().keys, &everywhere::ON_PAGES, &asked::KEYS, &everywhere::KEYS];
    let mut named: Vec<Action> = vec![Action::Command, Action::Interrupt];
    let mut found = Vec::new();
    for row in tables.into_iter().flat_map(Keys::rows) {
        let said = format!("{} {} {}", row.hint.unwrap_or_default(), row.description, row.written()).to_lowercase();
        if named.contains(&row.action) || !words.iter().all(|word| said.contains(word.as_str())) {
            continue;
        }
        named.push(row.action);
        let why_not = why_not_below(ui, run, ui.page.screen(), row.action);
        found.push(Offer { keys: row.written(), says: row.description.into(), why_not, does: Does::Key(row.action) });
    }
    found.sort_by_key(|offer| offer.why_not.is_some());
    let is_named = |name: &str| words.iter().all(|word| name.to_lowercase().contains(word.as_str()));
    let named = run.assignments().map(|one| (one.id, describe::name(one)));
    let named = named.filter(|(_, name)| !words.is_empty() && is_named(name)).take(MOST_NAMES);
    found.extend(named.map(|(id, name)| Offer {
        keys: String::new(),
        says: Clean::line(&format!("go to {name}")),
        why_not: None,
        does: Does::Pane(id),
    }));
    found
}

/// The reason why an action is not available on this screen below an overlay; None if it is.
pub fn why_not_below(ui: &Ui, run: &Run, below: &'static Screen, action: Action) -> Option<Clean> {
    let offered = [below, &asked::SCREEN, &journal::SCREEN, &everywhere::SCREEN];
    offered.into_iter().find_map(|screen| (screen.why_not)(ui, run, action))
}

/// Performs the action of a key on the screen in front.
pub fn act(ui: &mut Ui, run: &Run, action: Action) -> Vec<Effect> {
    offered(ui).into_iter().find_map(|screen| (screen.on)(ui, run, action)).unwrap_or_default()
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Commanding(Commanding { field, choice }) = &ui.overlay else { return None };
    let (words, choice) = (field.text(), *choice);
    let words = words.trim().trim_start_matches(':').trim();
    if matches!(action, Action::Down | Action::Up) {
        let many = found(ui, run, words).len();
        let Overlay::Commanding(Commanding { choice, .. }) = &mut ui.overlay else { return None };
        *choice = everywhere::chosen(action, *choice, many);
        return Some(Vec::new());
    }
    if action != Action::Submit {
        return None;
    }
    let (what, rest) = words.split_once(' ').unwrap_or((words, ""));
    let done = match (what, rest.trim()) {
        ("breaks", "") | ("break", "") => {
            ui.overlay = Overlay::Breaks(Breaks::default());
            return Some(Vec::new());
        }
        ("break", on) => may(ui, run).and_then(|()| set(run, on)),
        ("clear", which) => may(ui, run).and_then(|()| clear(run, which)),
        _ => match words.strip_prefix('#').unwrap_or(words).parse::<u64>() {
            Ok(n) => event(ui, run, n),
            Err(_) => return Some(run_found(ui, run, words, choice)),
        },
    };
    Some(ui.submitted(done))
}

/// Shows the run as it was after this event.
fn event(ui: &Ui, run: &Run, n: u64) -> Result<Vec<Effect>, String> {
    let latest = if let Moment::Earlier { latest } = ui.moment { latest } else { run.seq };
    match (1..=latest.0).contains(&n) {
        true => Ok(vec![Effect::Show(Step::To(run::Seq(n)))]),
        false => Err(format!("there is no event #{n}: the latest is {latest}")),
    }
}

/// Performs the chosen line, as its key would; else says why not, and the written text stays.
fn run_found(ui: &mut Ui, run: &Run, words: &str, choice: usize) -> Vec<Effect> {
    match found(ui, run, words).into_iter().nth(choice) {
        Some(Offer { why_not: Some(why), .. }) => {
            ui.status = Some(why);
            Vec::new()
        }
        Some(Offer { does: Does::Key(action), .. }) => {
            ui.overlay = Overlay::None;
            act(ui, run, action)
        }
        Some(Offer { does: Does::Pane(id), .. }) => {
            (ui.overlay, ui.page) = (Overlay::None, Page::Team);
            (ui.team.pane, ui.team.node, ui.team.focus, ui.team.found) = (Some(id), None, Focus::Panes, 0);
            Vec::new()
        }
        None => ui.submitted(Err(format!(
            "no key does `{}`, and there is no such command: break, clear, breaks, #N",
            flat(words)
        ))),
    }
}

fn written(ui: &mut Ui) {
    if let Overlay::Commanding(Commanding { choice, .. }) = &mut ui.overlay {
        *choice = 0;
    }
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
    let Overlay::Commanding(Commanding { field, .. }) = &mut ui.overlay else { return None };
    Some(field)
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Commanding(Commanding { field, choice }) = &ui.overlay else { return Seen::default() };
    let title = theme.span("command", Scope::Title);
    let words = field.text();
    let words = words.trim().trim_start_matches(':').trim();
    let written =
        COMMANDS.iter().filter(|(name, _)| words.is_empty() || name.starts_with(words.split(' ').next().unwrap_or("")));
    let written: Vec<_> = written.collect();
    let found = found(ui, run, words);
    let wanted = found.len() + written.len() + 4;
    let note = theme.span(format!("{} found", found.len()), Scope::Dim);
    let inner = boxes::dialog(buf, page, wanted, boxes::Frame::new(title, note, Scope::Focus), theme);
    let below = u16::try_from(written.len()).unwrap_or(u16::MAX).min(inner.height.saturating_sub(2) / 2);
    let [line, _, list, commands] = paint::rows(inner, [1, 1, inner.height.saturating_sub(2 + below), below]);
    paint::line(buf, line, &theme.line(":", Scope::Key));
    boxes::field(buf, Rect { x: line.x + 1, width: line.width.saturating_sub(1), ..line }, field, true, theme);
    let keys = found.iter().map(|offer| width(&offer.keys)).max().unwrap_or(0) + 2;
    paint::list(buf, list, found.len(), paint::reveal(list, *choice), |buf, at, n| {
        let Offer { keys: written, says, why_not: why, .. } = &found[n];
        let here = n == *choice;
        let base = theme.style(if here { Scope::Selected } else { Scope::Text });
        let look = |scope| if here { base } else { theme.style(scope) };
        let scope = if why.is_some() { Scope::Waiting } else { Scope::Text };
        let mut spans = vec![
            Span::styled(format!("{written:<keys$}"), look(if why.is_some() { Scope::Waiting } else { Scope::Key })),
            Span::styled(flat(says).into_owned(), look(scope)),
        ];
        // The reason why it does nothing now.
        spans.extend(why.as_ref().map(|why| Span::styled(format!("  · {}", flat(why)), look(Scope::Dim))));
        buf.set_style(at, base);
        paint::line(buf, at, &Line::from(fit(spans, usize::from(at.width))));
    });
    let names = written.iter().map(|(name, _)| width(name)).max().unwrap_or(0) + 3;
    for ((name, what), row) in written.iter().zip(commands.rows()) {
        let what = cut(what, usize::from(row.width).saturating_sub(names)).into_owned();
        let name = theme.span(format!("{name:<names$}"), Scope::Key);
        paint::line(buf, row, &Line::from(vec![name, theme.span(what, Scope::Dim)]));
    }
    Seen::default()
}
