//! The help page: what every key does, from the tables of keys, those of the screen below first. Entries are found by their words
//! and done with Enter; one that does nothing now says why.

use crate::graph::BREAKPOINT;
use crate::overlays::commanding::{act, why_not_below};
use crate::prelude::*;
use crate::screens::everywhere::{self, moved};
use crate::screens::{all_keys, home, journal, reading};
use crate::view::{boxes, budget};

#[derive(Clone, Debug)]
pub struct Help {
    /// The overlay below it.
    pub over: Box<Overlay>,
    /// Words that the entries shown contain.
    pub filter: Field,
    pub filtering: bool,
    /// The selected entry of those shown.
    pub choice: usize,
}

pub static KEYS: Keys = Keys {
    title: "the help",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("do it"), "do what the selected line says"),
        row(&[c('/')], Action::Filter, Some("find"), "show only lines with these words"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, draw, field, written, ..Screen::PLAIN };

/// A line of the page.
pub struct Listed {
    pub keys: &'static Keys,
    pub row: &'static Row,
    /// The reason why it does nothing now; None if it works.
    pub why: Option<Clean>,
}

pub const NONE_FOUND: &str = "no line has these words: Esc shows all again";

/// Whether a line has all these words.
pub fn has(keys: &Keys, row: &Row, words: &str) -> bool {
    let hint = row.hint.unwrap_or_default();
    let said = format!("{} {hint} {} {}", row.written(), row.description, keys.title).to_lowercase();
    words.to_lowercase().split_whitespace().all(|word| said.contains(word))
}

pub fn open(ui: &mut Ui) {
    let over = Box::new(std::mem::take(&mut ui.overlay));
    ui.overlay = Overlay::Help(Help { over, filter: Field::new("", Lines::One), filtering: false, choice: 0 });
}

/// Closes the page: the screen below it is in front again.
pub fn close(ui: &mut Ui) {
    if let Overlay::Help(help) = &mut ui.overlay {
        ui.overlay = std::mem::take(&mut help.over);
    }
}

/// The screen below the page.
fn below(ui: &Ui, help: &Help) -> &'static Screen {
    help.over.screen().unwrap_or(ui.page.screen())
}

pub fn entries(ui: &Ui, run: &Run, help: &Help) -> Vec<Listed> {
    let below = below(ui, help);
    let here = below.keys_here();
    let words = help.filter.text();
    let of_home =
        [&home::KEYS, &home::WRITING_KEYS, &home::SETTING_KEYS, &home::RUN_KEYS, &home::FILTER_KEYS, &reading::KEYS];
    let elsewhere = all_keys().into_iter().filter(|keys| !here.contains(keys) && !of_home.contains(keys));
    let mut entries = Vec::new();
    for keys in here.iter().copied().chain(elsewhere) {
        for row in keys.rows() {
            // A key that works on every page is listed once, where it works, although a page repeats it.
            let everywhere = everywhere::ON_PAGES.of(row.action).filter(|_| keys != &everywhere::ON_PAGES);
            let is_repeated = !here.contains(&keys) && everywhere.is_some_and(|same| same.keys == row.keys);
            if is_repeated || !has(keys, row, &words) {
                continue;
            }
            let why = match here.contains(&keys) {
                true => why_not_below(ui, run, below, row.action),
                false => Some(Clean::line(&format!("works in: {}", keys.title))),
            };
            entries.push(Listed { keys, row, why });
        }
    }
    entries
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Help(help) = &ui.overlay else { return None };
    let entries = entries(ui, run, help);
    let chosen = entries.get(help.choice).map(|entry| (entry.row.action, entry.why.clone()));
    let page = ui.seen.page;
    let Overlay::Help(help) = &mut ui.overlay else { return None };
    match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            help.choice = moved(action, help.choice, entries.len().saturating_sub(1), page);
        }
        Action::Filter => help.filtering = true,
        Action::Back if help.filtering || !help.filter.is_blank() => {
            (help.filter, help.filtering, help.choice) = (Field::new("", Lines::One), false, 0);
        }
        Action::Back | Action::Help => close(ui),
        Action::Submit => match chosen {
            None => ui.status = Some(NONE_FOUND.into()),
            Some((_, Some(why))) => ui.status = Some(why),
            Some((action, None)) => {
                close(ui);
                return Some(act(ui, run, action));
            }
        },
        _ => return None,
    }
    Some(Vec::new())
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Help(help) = &mut ui.overlay else { return None };
    help.filtering.then_some(&mut help.filter)
}

fn written(ui: &mut Ui) {
    if let Overlay::Help(help) = &mut ui.overlay {
        help.choice = 0;
    }
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Help(help) = &ui.overlay else { return Seen::default() };
    let (filter, filtering, choice) = (&help.filter, help.filtering, help.choice);
    list(buf, area, Contents { entries: &entries(ui, run, help), filter, filtering, choice }, theme)
}

/// The entries of the help that are shown.
pub struct Contents<'a> {
    pub entries: &'a [Listed],
    /// The words that they contain, and whether these are being typed.
    pub filter: &'a Field,
    pub filtering: bool,
    /// The index of the selected one.
    pub choice: usize,
}

/// Draws entries of the help.
pub fn list(buf: &mut Buffer, area: Rect, contents: Contents<'_>, theme: &Theme) -> Seen {
    let Contents { entries, filter, filtering, choice } = contents;
    let title = theme.span("help", Scope::Title);
    let words = filter.text();
    let right = match words.is_empty() && !filtering {
        true => theme.span("/ finds · Enter does it · ? or q goes back", Scope::Dim),
        false => theme.span(format!("/{words}  {} found · Esc shows all", entries.len()), Scope::NeedsYou),
    };
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let [line, list] =
        paint::rows(inner, [u16::from(filtering), inner.height - u16::from(filtering).min(inner.height)]);
    if filtering {
        paint::line(buf, line, &theme.line("/", Scope::Key));
        boxes::field(buf, Rect { x: line.x + 1, width: line.width.saturating_sub(1), ..line }, filter, true, theme);
    }
    let column = key_column();
    let (mut lines, mut at) = (Vec::new(), 0);
    for (n, entry) in entries.iter().enumerate() {
        if n == 0 || entry.keys != entries[n - 1].keys {
            heading(&mut lines, entry.keys, theme);
        }
        lines.extend(lines_of(entry.row, entry.why.as_ref(), n == choice, column, Pen::new(list.width, theme)));
        if n == choice {
            at = lines.len() - 1;
        }
    }
    if words.is_empty() {
        lines.extend(signs(usize::from(list.width), theme));
    }
    // The first heading stays in sight above the first entry.
    // The signs below the last entry come into sight with it.
    let shown = if choice + 1 == entries.len() { lines.len() } else { at + 1 };
    let from = if choice == 0 { 0 } else { paint::reveal(list, shown) };
    let seen = paint::scrolled(buf, list, &lines, from, theme.style(Scope::Dim));
    Seen { page: usize::from(list.height), ..seen }
}

/// A help page that is only read, with the keys that work.
pub fn page(
    buf: &mut Buffer,
    area: Rect,
    (here, works): (&[&'static Keys], impl Fn(&Row) -> bool),
    scroll: usize,
    theme: &Theme,
) -> Seen {
    let title = theme.span("help", Scope::Title);
    let right = theme.span("F1 goes back", Scope::Dim);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let (column, mut lines) = (key_column(), Vec::new());
    for keys in here {
        heading(&mut lines, keys, theme);
        let pen = Pen::new(inner.width, theme);
        lines.extend(keys.rows().filter(|row| works(row)).flat_map(|row| lines_of(row, None, false, column, pen)));
    }
    paint::scrolled(buf, inner, &lines, scroll, theme.style(Scope::Dim))
}

fn key_column() -> usize {
    all_keys().iter().flat_map(|keys| keys.rows()).map(|row| width(&row.written())).max().unwrap_or(0)
}

fn heading(lines: &mut Vec<Line<'static>>, keys: &Keys, theme: &Theme) {
    if !lines.is_empty() {
        lines.push(Line::default());
    }
    lines.push(theme.line(keys.title, Scope::Title));
}

fn lines_of(
    row: &'static Row,
    why: Option<&Clean>,
    selected: bool,
    column: usize,
    Pen { cells, theme }: Pen<'_>,
) -> Vec<Line<'static>> {
    let base = theme.style(if selected { Scope::Selected } else { Scope::Text });
    let look = |scope| if selected { base } else { theme.style(scope) };
    let keys = row.written();
    let gap = " ".repeat(column.saturating_sub(width(&keys)) + 2);
    let head = Span::styled(format!("  {keys}{gap}"), look(if why.is_some() { Scope::Waiting } else { Scope::Key }));
    let why = why.map_or_else(String::new, |why| format!("  · {}", flat(why)));
    let said = format!("{}{why}", row.description);
    let style = look(if why.is_empty() { Scope::Text } else { Scope::Waiting });
    let marked = [(row.description.len()..said.len(), look(Scope::Dim))];
    let room = cells.saturating_sub(width(&head.content));
    let mut lines: Vec<Line<'static>> = hanging(head, rows(&said, room, style, &marked)).collect();
    for line in lines.iter_mut().filter(|_| selected) {
        let rest = cells.saturating_sub(total_width(&line.spans));
        line.spans.iter_mut().for_each(|span| span.style = base);
        line.spans.push(Span::styled(" ".repeat(rest), base));
    }
    lines
}

/// The signs of states, of the journal line, and of the budget bar.
fn signs(cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default(), theme.line("signs", Scope::Title)];
    let states = Mark::STATES.map(|mark| (mark.symbol(), mark.word(), Scope::from(mark)));
    let states = [&states[..], &[(BREAKPOINT, "breakpoint", Scope::Person)]].concat();
    let line = [&journal::SIGNS[..], &[("┃", "the moment shown", Scope::Focus)]].concat();
    for (name, signs) in [("", &states[..]), ("journal ", &line[..]), ("budget  ", &budget::PARTS[..])] {
        let mut spans = vec![theme.span(format!("  {name}"), Scope::Dim)];
        for (symbol, word, scope) in signs {
            if total_width(&spans) + width(symbol) + 1 + width(word) > cells && spans.len() > 1 {
                lines.push(Line::from(std::mem::replace(&mut spans, vec![Span::raw("  ")])));
            }
            spans.extend([theme.span(*symbol, *scope), theme.span(format!(" {word}   "), Scope::Dim)]);
        }
        lines.push(Line::from(spans));
    }
    lines
}
