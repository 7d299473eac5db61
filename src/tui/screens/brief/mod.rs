//! The brief page: the typeset brief, with keys that go from citation to citation and open the evidence of each, or to words that
//! are looked for.

pub mod evidence;
mod typeset;

use crate::overlays::finding;
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
    /// Whether that citation, or the place that was found, is to be scrolled into view.
    pub reveal: bool,
    /// The words that are searched for; and the number of the current line, from 1, among those with them, 0 for none.
    pub find: Clean,
    pub found: usize,
}

const WIDEST: u16 = 92;
/// From this width on, the evidence stands beside the brief.
pub const BESIDE: u16 = 130;

pub static KEYS: Keys = Keys {
    title: "brief",
    groups: &[&[
        row(
            &[c('n'), TAB],
            Action::Next,
            Some("citation"),
            "next citation; while words are looked for, the next place",
        ),
        row(&[c('N'), BACK_TAB], Action::Previous, None, "citation or place before"),
        row(
            &[ENTER],
            Action::Open,
            Some("passage"),
            "what the citation rests on: finding, passage, file; where that stands beside, the call that found it",
        ),
        row(&[c('/')], Action::Find, Some("search"), "look for words in the brief"),
        row(&[c('y')], Action::Copy, Some("copy"), "copy the brief as Markdown"),
        row(
            &[c('e')],
            Action::Export,
            Some("export"),
            "save the brief as Markdown, in the folder where masthead was started",
        ),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw, scroll, missing, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (draft, findings) = run.brief()?;
    match action {
        Action::Find => finding::open(ui),
        Action::Next | Action::Previous if !ui.brief.find.is_empty() && matches!(ui.overlay, Overlay::None) => {
            let at = ui.brief.found;
            let next = if action == Action::Next { at + 1 } else { at.saturating_sub(1).max(1) };
            go_to_found(ui, next);
        }
        Action::Back if !ui.brief.find.is_empty() => (ui.brief.find, ui.brief.found) = Default::default(),
        Action::Export => {
            let id = run.opening.as_ref().map(|opening| opening.run.to_string()).unwrap_or_default();
            let (name, text) = (format!("masthead-{id}.md"), brief::markdown(draft, findings));
            return Some(vec![Effect::Save { name, text }]);
        }
        Action::Next | Action::Previous => {
            let citations = select::citations(draft, findings);
            let at = match ui.brief.cite {
                Some(at) => turned(action, at, citations.len()),
                // Beside the brief the first one stands from the beginning.
                None if action == Action::Next => usize::from(ui.seen.beside).min(citations.len().saturating_sub(1)),
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

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    let cites = || run.brief().is_some_and(|(draft, findings)| !select::citations(draft, findings).is_empty());
    let goes_on = matches!(action, Action::Next | Action::Previous) && ui.brief.find.is_empty();
    ((goes_on || action == Action::Open) && !cites()).then(|| "this brief cites nothing".into())
}

fn missing(run: &Run) -> Option<Clean> {
    run.brief().is_none().then(|| match run.ended() {
        _ if run.is_imported() => "this run is of another program, and has no brief".into(),
        Some(outcome) => Clean::line(&format!("there is no brief: {outcome}")),
        None => "the brief is not written yet".into(),
    })
}

/// Goes to the match with this number, from 1; after the last one comes the first.
pub fn go_to_found(ui: &mut Ui, number: usize) {
    if !ui.brief.find.is_empty() {
        (ui.brief.found, ui.brief.reveal) = (number, true);
    }
}

/// The lines in which these words begin, in capitals or not, also where a line breaks between them.
fn found(lines: &[Line<'_>], words: &Clean) -> Vec<usize> {
    let wanted = words.to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let (mut text, mut begins) = (String::new(), Vec::new());
    for line in lines {
        begins.push(text.len());
        text.push_str(line.to_string().to_lowercase().trim());
        text.push(' ');
    }
    let line = |at: usize| begins.partition_point(|begin| *begin <= at).saturating_sub(1);
    let mut found: Vec<usize> = text.match_indices(&wanted).map(|(at, _)| line(at)).collect();
    found.dedup();
    found
}

/// Scrolling or drawing the brief ends the request to reveal a citation or a place.
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
    let (title, border) = (theme.span("brief", Scope::Title), theme.style(Scope::Border));
    let inner = paint::panel(buf, area, title.clone(), right.clone(), border);
    let width = inner.width.min(WIDEST);
    let text_area = Rect { x: inner.x + (inner.width - width) / 2, width, ..inner };

    // The focused citation is part of the lines: it is the one whose evidence is shown.
    let lit = ui.brief.cite.or((!beside.is_empty() && citations > 0).then_some(0));
    let name = format!("brief, citation {lit:?}");
    let lines = cache.lines(name, run.seq, width, || typeset::lines(draft, findings, usize::from(width), lit, theme));
    let places = found(&lines, &ui.brief.find);
    let place = ui.brief.found.checked_sub(1).and_then(|n| places.get(n % places.len().max(1)).copied());
    if !ui.brief.find.is_empty() {
        let words = format!("  {}", finding::places(&ui.brief.find, ui.brief.found, places.len()));
        let title = vec![title, theme.span(words, Scope::Key)];
        paint::edge(buf, Rect { height: 1, ..area }, paint::TOP, title, right, border);
    }
    let mut from = ui.brief.scroll.min(lines.len());
    if ui.brief.reveal
        && let Some(at) = place.or_else(|| focused_line(&lines, theme.style(Scope::CiteFocus)))
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
    for row in text_area.rows().filter(|_| !ui.brief.find.is_empty()) {
        paint::light(buf, row, &ui.brief.find, theme.style(Scope::CiteFocus));
    }
    let found_above = places.iter().filter(|line| **line < seen.at).count();
    Seen { beside: !beside.is_empty(), found_above, ..seen }
}

/// The places of the citations in sight.
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
