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
    let words = flat(words);
    let lines = wrap(&words, cells);
    let count = lines.len().min(MOST);
    let above = u16::try_from(count - 1).unwrap_or(0).min(last.y.saturating_sub(buf.area.y));
    let area = Rect { y: last.y - above, height: last.height + above, ..last };
    paint::clear(buf, area, theme.style(Scope::Text));
    for (n, (row, line)) in area.rows().zip(lines).enumerate() {
        // The last one says that there is more.
        let said = if n + 1 == count { cut(&words[line.start..], cells) } else { words[line].into() };
        paint::line(buf, row, &theme.line(format!(" {said}"), Scope::NeedsYou));
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

/// Keys with their hints, as many as fit; `?` keeps its place, since it leads to all of them.
pub fn keys(buf: &mut Buffer, area: Rect, rows: impl Iterator<Item = (&'static Row, String)>, theme: &Theme) {
    let (key_style, dim) = (theme.style(Scope::Key), theme.style(Scope::Dim));
    let rows: Vec<_> = rows.collect();
    let help = rows.iter().find(|(row, _)| row.action == Action::Help).map(|(row, _)| row.keys[0].to_string());
    let mut room = usize::from(area.width).saturating_sub(1);
    let mut spans = vec![Span::raw(" ")];
    let reserve = help.as_ref().map_or(0, |key| width(key) + 6);
    for (row, hint) in rows.iter().filter(|(row, _)| row.action != Action::Help) {
        let key = row.keys[0].to_string();
        let wide = width(&key) + 1 + width(hint) + 3;
        if wide + reserve > room {
            continue;
        }
        room -= wide;
        spans.extend([Span::styled(key, key_style), Span::styled(format!(" {hint}   "), dim)]);
    }
    if let Some(key) = help {
        spans.extend([Span::styled(key, key_style), Span::styled(" help", dim)]);
    }
    paint::line(buf, area, &Line::from(fit(spans, usize::from(area.width))));
}
