//! The help page: what every key does, from the screens' tables of keys, with those of the page below first.

use crate::overlays::commanding;
use crate::prelude::*;
use crate::screens::{all_keys, home, reading};

#[derive(Clone, Copy, Debug)]
pub struct Help {
    pub scroll: usize,
}

pub static KEYS: Keys = Keys {
    title: "the help",
    groups: &[&[row(&[c('/')], Action::Filter, Some("find"), "find a key by its words, and press it")]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, draw, scroll, ..Screen::PLAIN };

fn on(ui: &mut Ui, _: &Run, action: Action) -> Option<Vec<Effect>> {
    (action == Action::Filter).then(|| commanding::open(ui, ""))
}

fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    let Overlay::Help(help) = &mut ui.overlay else { return None };
    Some(&mut help.scroll)
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Overlay::Help(help) = &scene.ui.overlay else { return Seen::default() };
    // The keys of the page beneath come first.
    page(buf, area, &scene.ui.page.screen().keys_here(), help.scroll, scene.theme)
}

/// The help page of any screen; its own keys come first.
pub fn page(buf: &mut Buffer, area: Rect, here: &[&'static Keys], scroll: usize, theme: &Theme) -> Seen {
    let title = theme.span("help", Scope::Title);
    let right =
        theme.span(if here.contains(&&home::KEYS) { "F1 goes back" } else { "/ finds · ? or q goes back" }, Scope::Dim);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    paint::scrolled(buf, inner, &lines(here, theme), scroll, theme.style(Scope::Dim))
}

fn lines(here: &[&'static Keys], theme: &Theme) -> Vec<Line<'static>> {
    let all = all_keys();
    let at_home = here.contains(&&home::KEYS);
    let mut shown = here.to_vec();
    if !at_home {
        let of_home = [&home::KEYS, &home::WRITING_KEYS, &home::SETTING_KEYS, &home::RUN_KEYS, &reading::KEYS];
        let elsewhere = all.iter().copied().filter(|keys| !here.contains(keys) && !of_home.contains(keys));
        shown.extend(elsewhere);
    }
    let column = all.iter().flat_map(|keys| keys.rows()).map(|row| width(&row.written())).max().unwrap_or(0);
    let mut lines = Vec::new();
    for keys in shown {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(theme.line(keys.title, Scope::Title));
        for row in keys.rows() {
            let keys = row.written();
            let gap = " ".repeat(column - width(&keys) + 2);
            lines.push(Line::from(vec![theme.span(format!("  {keys}{gap}"), Scope::Key), Span::raw(row.description)]));
        }
    }
    if at_home {
        return lines;
    }
    lines.push(Line::default());
    lines.push(theme.line("signs", Scope::Title));
    let bar = [
        ("█", "spent", Scope::Spent),
        ("▓", "reserved", Scope::Reserved),
        ("▒", "in doubt", Scope::InDoubt),
        ("░", "left", Scope::Free),
        ("┄", "kept for landing", Scope::Landing),
    ];
    let states = Mark::STATES.map(|mark| (mark.symbol(), mark.word(), Scope::from(mark)));
    for signs in [&states[..], &bar] {
        let mut spans = vec![Span::raw("  ")];
        for (symbol, word, scope) in signs {
            spans.extend([theme.span(*symbol, *scope), theme.span(format!(" {word}   "), Scope::Dim)]);
        }
        lines.push(Line::from(spans));
    }
    lines
}
