//! The last line: a message if there is one, else hints for the keys that work now.

use crate::prelude::*;
use crate::screens::team::Focus;
use crate::screens::{Page, all_keys, brief, front, offered, stop};
use crate::update::why_not;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, theme, .. } = scene;
    let said = match (&ui.status, &ui.desk) {
        (Some(status), _) => Some(status),
        (None, Desk::Stopped(Some(why))) if run.ended().is_none() => Some(why),
        _ => None,
    };
    if let Some(words) = said {
        return message(buf, area, words, theme);
    }
    let offered = offered(ui);
    let hinted = |row: &&Row| {
        let worth = offered.iter().all(|screen| (screen.hints_at)(ui, run, row.action));
        worth && why_not(ui, run, row.action).is_none()
    };
    let mut named = Vec::new();
    let rows = of(&front(ui).keys_here()).into_iter().filter(hinted).filter(|row| {
        // Keys that work everywhere may be listed for a page as well, nearer to the front.
        let first = !named.contains(&row.action);
        named.push(row.action);
        first
    });
    keys(buf, area, rows.map(|row| (row, hint(ui, run, row, area.width))), theme);
}

/// The most lines that a message takes.
const MOST: usize = 3;

/// A message on the last line. One that is longer covers lines above it as well.
pub fn message(buf: &mut Buffer, last: Rect, words: &str, theme: &Theme) {
    let cells = usize::from(last.width).saturating_sub(2).max(1);
    let lines = rows_within(&flat(words), cells, MOST, theme.style(Scope::NeedsYou));
    let above = u16::try_from(lines.len() - 1).unwrap_or(0).min(last.y.saturating_sub(buf.area.y));
    let area = Rect { y: last.y - above, height: last.height + above, ..last };
    paint::clear(buf, area, theme.style(Scope::Text));
    for (row, line) in area.rows().zip(hanging(Span::raw(" "), lines)) {
        paint::line(buf, row, &line);
    }
}

/// The rows of these keys that have a hint, in the order of all keys.
pub fn of(here: &[&'static Keys]) -> Vec<&'static Row> {
    let shown = all_keys().into_iter().filter(|keys| here.contains(keys));
    shown.flat_map(|keys| keys.rows()).filter(|row| row.hint.is_some()).collect()
}

/// From this width on there is room for hints of several words.
const ROOMY: u16 = 120;

/// The hint of a row; some depend on the state, or on the width of the screen.
fn hint(ui: &Ui, run: &Run, row: &Row, cells: u16) -> String {
    let at_a_stop =
        (ui.page == Page::Stop && matches!(ui.overlay, Overlay::None)).then(|| stop::hint(ui, run, row.action));
    if let Some(words) = at_a_stop.flatten() {
        return words.to_owned();
    }
    let words = match row.action {
        Action::PauseOrContinue if run.paused => "go on",
        Action::Open if ui.page == Page::Brief && cells >= brief::BESIDE && matches!(ui.overlay, Overlay::None) => {
            "its call"
        }
        Action::Next if looks_for_words(ui) => "next place",
        Action::Previous if looks_for_words(ui) => "the one before",
        Action::Back if looks_for_words(ui) => "forget the words",
        Action::Outside if ui.page == Page::Brief && matches!(ui.overlay, Overlay::None) => "pager",
        Action::Help if matches!(ui.overlay, Overlay::Help(_)) => "close",
        Action::Play if ui.playing => "stop playing",
        Action::Back if goes_back(ui) => row.hint.unwrap_or_default(),
        Action::Back
            if cells >= ROOMY
                && matches!(ui.overlay, Overlay::None)
                && ui.mode == Mode::Live
                && run.open_checkpoint().is_some() =>
        {
            "leave it parked"
        }
        Action::Back if matches!(ui.overlay, Overlay::None) => "leave",
        Action::RetryAll | Action::SkipAll => {
            return format!("{} {}", row.hint.unwrap_or_default(), run.in_doubt.len());
        }
        _ => row.hint.unwrap_or_default(),
    };
    words.to_owned()
}

/// Whether the keys of the brief go through the places of words.
fn looks_for_words(ui: &Ui) -> bool {
    ui.page == Page::Brief && !ui.brief.find.is_empty() && matches!(ui.overlay, Overlay::None)
}

/// Whether going back stays within the page.
fn goes_back(ui: &Ui) -> bool {
    match ui.page {
        Page::Team => ui.team.zoomed || ui.team.focus != Focus::default(),
        Page::Findings => !ui.findings.filter.is_empty(),
        Page::Brief => ui.brief.cite.is_some(),
        Page::Plan | Page::Stop | Page::Draft => false,
    }
}

/// The number of hints that go before the way back.
const FIRST: usize = 2;

/// Keys with their hints, as many as fit: `?`, since it leads to all of them, the first ones, the way back, and then the others.
pub fn keys(buf: &mut Buffer, area: Rect, rows: impl Iterator<Item = (&'static Row, String)>, theme: &Theme) {
    let (key_style, dim) = (theme.style(Scope::Key), theme.style(Scope::Dim));
    let rows: Vec<_> = rows.collect();
    let mut by_rank: Vec<usize> = (0..rows.len()).collect();
    by_rank.sort_by_key(|at| match rows[*at].0.action {
        Action::Help => 0,
        _ if *at < FIRST => 1,
        Action::Back | Action::Quit => 2,
        _ => 3,
    });
    let mut room = usize::from(area.width).saturating_sub(1);
    let mut fits = vec![false; rows.len()];
    for at in by_rank {
        let (row, hint) = &rows[at];
        let wide = width(&row.keys[0].to_string()) + 1 + width(hint) + 3;
        fits[at] = wide <= room;
        room -= if fits[at] { wide } else { 0 };
    }
    let mut spans = vec![Span::raw(" ")];
    for ((row, hint), _) in rows.iter().zip(&fits).filter(|((row, _), fits)| **fits && row.action != Action::Help) {
        spans.extend([Span::styled(row.keys[0].to_string(), key_style), Span::styled(format!(" {hint}   "), dim)]);
    }
    if let Some((row, hint)) = rows.iter().find(|(row, _)| row.action == Action::Help) {
        spans.extend([Span::styled(row.keys[0].to_string(), key_style), Span::styled(format!(" {hint}"), dim)]);
    }
    paint::line(buf, area, &Line::from(fit(spans, usize::from(area.width))));
}
