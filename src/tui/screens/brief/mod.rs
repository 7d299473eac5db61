//! The brief page: the typeset brief, with keys that go from citation to citation and open what each rests on.

pub mod evidence;
mod typeset;

use crate::overlays::passage::{self, Passage};
use crate::prelude::*;
use crate::screens::everywhere::turned;
use crate::spot::Spot;
use run::brief;

#[derive(Clone, Debug, Default)]
pub struct BriefPage {
    pub scroll: usize,
    /// The focused citation, in reading order.
    pub cite: Option<usize>,
    /// Whether that citation is to be scrolled into view.
    pub reveal: bool,
}

const WIDEST: u16 = 92;
/// From this width on, the evidence stands beside the brief.
pub const BESIDE: u16 = 130;

pub static KEYS: Keys = Keys {
    title: "brief",
    groups: &[&[
        row(&[c('n'), TAB], Action::Next, Some("citation"), "next citation"),
        row(&[c('N'), BACK_TAB], Action::Previous, None, "citation before"),
        row(
            &[ENTER],
            Action::Open,
            Some("passage"),
            "what the citation rests on: finding, passage, file; where that stands beside, the call that found it",
        ),
        row(&[c('y')], Action::Copy, Some("copy"), "copy the brief as Markdown"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw, scroll, missing, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (draft, findings) = run.brief()?;
    match action {
        Action::Next | Action::Previous => {
            let citations = select::citations(draft, findings);
            let at = match ui.brief.cite {
                Some(at) => turned(action, at, citations.len()),
                None if action == Action::Next => 0,
                None => citations.len().saturating_sub(1),
            };
            (ui.brief.cite, ui.brief.reveal) = (Some(at), true);
            passage::show(ui, citations.get(at).cloned().unwrap_or_default());
        }
        Action::Open => {
            let at = ui.brief.cite.unwrap_or(0);
            if let Some(findings) = select::citations(draft, findings).get(at).cloned() {
                ui.brief.cite = Some(at);
                if ui.seen.beside {
                    evidence::follow(ui, run, &findings);
                    return Some(Vec::new());
                }
                ui.overlay = Overlay::Passage(Passage { findings, scroll: 0 });
            }
        }
        Action::Copy => {
            return Some(vec![Effect::Copy { what: "the brief", text: brief::markdown(draft, findings) }]);
        }
        Action::Back if ui.brief.cite.is_some() => ui.brief.cite = None,
        _ => return None,
    }
    Some(Vec::new())
}

fn why_not(_: &Ui, run: &Run, action: Action) -> Option<Clean> {
    let cites = || run.brief().is_some_and(|(draft, findings)| !select::citations(draft, findings).is_empty());
    let needs_one = matches!(action, Action::Open | Action::Next | Action::Previous);
    (needs_one && !cites()).then(|| "this brief cites nothing".into())
}

fn missing(run: &Run) -> Option<Clean> {
    run.brief().is_none().then(|| match run.ended() {
        _ if run.is_imported() => "this run is of another program, and has no brief".into(),
        Some(outcome) => Clean::line(&format!("there is no brief: {outcome}")),
        None => "the brief is not written yet".into(),
    })
}

/// Scrolling or drawing the brief ends the request to reveal a citation.
fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    ui.brief.reveal = false;
    Some(&mut ui.brief.scroll)
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((draft, findings)) = run.brief() else { return Seen::default() };
    let all = select::citations(draft, findings);
    let citations = all.len();
    let (area, beside) = match area.width {
        BESIDE.. => paint::split(area, (WIDEST + 6).max(area.width * 11 / 20)),
        _ => (area, Rect::default()),
    };
    if !beside.is_empty() {
        let shown = all.get(ui.brief.cite.unwrap_or(0)).map_or(&[][..], |ids| ids);
        evidence::render(buf, beside, scene, shown);
    }
    let mut right = Vec::new();
    if let Some(outcome) = run.ended() {
        let mark = Mark::from(outcome);
        right.push(theme.span(format!("{} {}", mark.symbol(), mark.word()), mark));
    }
    let message = format!("  {} · {}", count(draft.words(), "word"), count(citations, "citation"));
    right.push(theme.span(message, Scope::Dim));
    let legend = typeset::legend(draft, findings);
    if !legend.is_empty() && area.width >= 80 {
        right.insert(0, theme.span(format!("{legend}   "), Scope::Dim));
    }
    let title = theme.span("brief", Scope::Title);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Border));
    let width = inner.width.min(WIDEST);
    let text_area = Rect { x: inner.x + (inner.width - width) / 2, width, ..inner };

    // The focused citation is part of the lines.
    let name = format!("brief, citation {:?}", ui.brief.cite);
    let lines =
        cache.lines(name, run.seq, width, || typeset::lines(draft, findings, usize::from(width), ui.brief.cite, theme));
    let mut from = ui.brief.scroll.min(lines.len());
    if ui.brief.reveal
        && let Some(at) = focused_line(&lines, theme.style(Scope::CiteFocus))
    {
        // An opened passage covers the lower three quarters.
        let page = usize::from(text_area.height);
        let covered = matches!(ui.overlay, Overlay::Passage(_));
        let (top, bottom) = if covered { (0, page / 4) } else { (2, page.saturating_sub(3)) };
        if at < from + top {
            from = at.saturating_sub(top);
        } else if at > from + bottom {
            from = at - bottom;
        }
    }
    let seen = paint::scrolled(buf, text_area, &lines, from, theme.style(Scope::Dim));
    mark_citations(text_area, &lines, seen.at, citations, theme, cache);
    Seen { beside: !beside.is_empty(), ..seen }
}

/// Where the citations in sight stand.
fn mark_citations(area: Rect, lines: &[Line<'_>], from: usize, citations: usize, theme: &Theme, cache: &mut Cache) {
    let styles = [theme.style(Scope::Cite), theme.style(Scope::CiteFocus)];
    let is_mark = |span: &Span<'_>| {
        let number = span.content.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        styles.contains(&span.style) && number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut nth = 0;
    for (n, line) in lines.iter().enumerate().take(from + usize::from(area.height)) {
        let mut x = area.x;
        for span in &line.spans {
            let wide = u16::try_from(width(&span.content)).unwrap_or(u16::MAX);
            if is_mark(span) && nth < citations {
                if let Some(row) = n.checked_sub(from).and_then(|row| area.rows().nth(row)) {
                    cache.mark(Rect { x, width: wide, ..row }.intersection(area), Spot::Cite(nth));
                }
                nth += 1;
            }
            x = x.saturating_add(wide);
        }
    }
}

fn focused_line(lines: &[Line<'_>], focus: ratatui::style::Style) -> Option<usize> {
    lines.iter().position(|line| line.spans.iter().any(|span| span.style == focus))
}
