//! The last line: a message if there is one, else hints for the keys that work now.

use crate::prelude::*;
use crate::screens::team::Focus;
use crate::screens::{Page, all_keys, brief, front, offered};
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
        // What works everywhere may stand in the keys of a page as well, nearer to the front.
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

/// The hint of a row; some depend on the state, or on the width of the screen.
fn hint(ui: &Ui, run: &Run, row: &Row, cells: u16) -> String {
    let words = match row.action {
        Action::PauseOrContinue if run.held => "go on",
        Action::Open if ui.page == Page::Brief && cells >= brief::BESIDE && matches!(ui.overlay, Overlay::None) => {
            "its call"
        }
        Action::Outside if ui.page == Page::Brief && matches!(ui.overlay, Overlay::None) => "pager",
        Action::Play if ui.playing => "stop playing",
        Action::Back if goes_back(ui) => row.hint.unwrap_or_default(),
        Action::Back
            if matches!(ui.overlay, Overlay::None) && ui.mode == Mode::Live && run.open_checkpoint().is_some() =>
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

/// Whether going back stays within the page.
fn goes_back(ui: &Ui) -> bool {
    match ui.page {
        Page::Team => ui.team.zoomed || ui.team.focus != Focus::default(),
        Page::Findings => !ui.findings.filter.is_empty(),
        Page::Brief => ui.brief.cite.is_some(),
        Page::Plan | Page::Stop | Page::Draft => false,
    }
}

/// Keys with their hints, as many as fit; the way back and `?` keep their places, since it leads to all of them.
pub fn keys(buf: &mut Buffer, area: Rect, rows: impl Iterator<Item = (&'static Row, String)>, theme: &Theme) {
    let (key_style, dim) = (theme.style(Scope::Key), theme.style(Scope::Dim));
    let rows: Vec<_> = rows.collect();
    let wide = |row: &Row, hint: &str| width(&row.keys[0].to_string()) + 1 + width(hint) + 3;
    let is_kept = |row: &Row| matches!(row.action, Action::Help | Action::Back | Action::Quit);
    let mut kept: usize = rows.iter().filter(|(row, _)| is_kept(row)).map(|(row, hint)| wide(row, hint)).sum();
    let mut room = usize::from(area.width).saturating_sub(1);
    let mut spans = vec![Span::raw(" ")];
    for (row, hint) in rows.iter().filter(|(row, _)| row.action != Action::Help) {
        let wide = wide(row, hint);
        if is_kept(row) {
            kept -= wide;
        }
        if wide + kept > room {
            continue;
        }
        room -= wide;
        spans.extend([Span::styled(row.keys[0].to_string(), key_style), Span::styled(format!(" {hint}   "), dim)]);
    }
    if let Some((row, hint)) = rows.iter().find(|(row, _)| row.action == Action::Help) {
        spans.extend([Span::styled(row.keys[0].to_string(), key_style), Span::styled(format!(" {hint}"), dim)]);
    }
    paint::line(buf, area, &Line::from(fit(spans, usize::from(area.width))));
}
