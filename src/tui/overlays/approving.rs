//! The last look before the findings go to the writer: how many, and whose words they are in.

use crate::prelude::*;
use crate::screens::findings;
use crate::view::boxes;
use run::finding::WordsOf;
use run::{Finding, Standing};

#[derive(Clone, Copy, Debug)]
pub struct Approving;

pub static KEYS: Keys = Keys {
    title: "before approving",
    groups: &[&[
        row(&[ENTER, c('y')], Action::Submit, Some("write"), "approve, and write with these"),
        row(&[ESC, c('n'), c('q')], Action::Back, Some("back"), "back to the findings"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    if !matches!(action, Action::Submit | Action::Back) {
        return None;
    }
    ui.overlay = Overlay::None;
    Some(if action == Action::Submit { findings::approve(run) } else { Vec::new() })
}

fn is_stale(_: &Ui, run: &Run) -> bool {
    !run.is_at_a_checkpoint()
}

/// The findings that go to the writer: "84 go to the writer: 3 dropped, 1 left out without a quote, 2 in your words, 1 yours".
pub fn what_goes(all: &[Finding]) -> String {
    let kept = all.iter().filter(|finding| finding.usable());
    let (total, edited, yours) = kept.fold((0, 0, 0), |(total, edited, yours), finding| {
        let is = |words| usize::from(finding.words_of == words);
        (total + 1, edited + is(WordsOf::PersonEdited), yours + is(WordsOf::Person))
    });
    let out = |standing| all.iter().filter(|finding| finding.standing == standing).count();
    let parts = [
        (out(Standing::Dropped), "dropped"),
        (out(Standing::Unquoted), "left out without a quote"),
        (edited, "in your words"),
        (yours, "yours"),
    ];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let verb = if total == 1 { "goes" } else { "go" };
    match parts.is_empty() {
        true => format!("{total} {verb} to the writer, as they were found"),
        false => format!("{total} {verb} to the writer: {}", parts.join(", ")),
    }
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((_, all)) = select::findings_page(run) else { return Seen::default() };
    let cells = usize::from(page.width).saturating_sub(12).min(72);
    let mut lines = rows(&what_goes(all), cells, theme.style(Scope::Title), &[]);
    let hidden: Vec<&Finding> = {
        let shown = select::findings(ui, all);
        all.iter().filter(|finding| shown.iter().all(|one| one.id != finding.id)).collect()
    };
    let kept = hidden.iter().filter(|finding| finding.usable()).count();
    if !hidden.is_empty() {
        let message = format!("The filter hides {} of them, of which {kept} go as well.", hidden.len());
        lines.extend(rows(&message, cells, theme.style(Scope::Warning), &[]));
    }
    let disputed = all.iter().filter(|finding| finding.usable() && !finding.conflicts.is_empty()).count();
    if disputed > 0 {
        let esc = if hidden.is_empty() { "Esc" } else { "Esc, Esc for all findings" };
        let message = format!(
            "≠ {} others: the brief says so. {esc}, then n shows both sides.",
            if disputed == 1 { "1 contradicts".to_owned() } else { format!("{disputed} contradict") }
        );
        lines.extend(rows(&message, cells, theme.style(Scope::Warning), &[]));
    }
    let title = theme.span("approve", Scope::Title);
    let right = theme.span("Enter writes   Esc back", Scope::Key);
    let inner = boxes::dialog(buf, page, lines.len() + 2, boxes::Frame::new(title, right, Scope::NeedsYou), theme);
    paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
    Seen::default()
}
