//! The brief as it is read: headings, paragraphs, lists, tables, gaps, disagreements, sources. Citations can be gone
//! through one by one; Enter shows what each rests on.
//!
//! ```text
//! ┌ brief ───────────────────────────────── 412 words · 18 citations ┐
//! │   Compare pgvector, Qdrant and Pinecone                          │
//! │                                                                  │
//! │   pgvector                                                       │
//! │   pgvector stores vectors in ordinary PostgreSQL tables. [1]     │
//! └──────────────────────────────────────────────────────────────────┘
//! ```

mod typeset;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::keymap::{Action, BACK_TAB, ENTER, Keys, TAB, c, row};
use crate::mark::Mark;
use crate::overlays::Overlay;
use crate::overlays::passage::{self, Passage};
use crate::screens::Screen;
use crate::screens::everywhere::turned;
use crate::select;
use crate::theme::Scope;
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::paint::{self, Wrapped, count};
use crate::view::{Cache, Scene};
use run::{Run, brief};
use text::Clean;

/// The brief page.
#[derive(Clone, Debug, Default)]
pub struct BriefPage {
    /// First line shown.
    pub scroll: usize,
    /// The citation the keys act on, in reading order.
    pub cite: Option<usize>,
    /// Whether that citation is to be brought into view.
    pub reveal: bool,
}

/// The widest a line of prose may be and still be read with ease.
const WIDEST: u16 = 92;

pub static KEYS: Keys = Keys {
    title: "brief",
    groups: &[&[
        row(&[c('n'), TAB], Action::Next, Some("citation"), "next citation"),
        row(&[c('N'), BACK_TAB], Action::Previous, None, "citation before"),
        row(&[ENTER], Action::Open, Some("passage"), "what the citation rests on: finding, passage, file"),
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
        Some(outcome) => Clean::line(&format!("there is no brief: {outcome}")),
        None => "the brief is not written yet".into(),
    })
}

/// A brief that is scrolled, or was drawn, has no citation to be brought into view any more.
fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    ui.brief.reveal = false;
    Some(&mut ui.brief.scroll)
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((draft, findings)) = run.brief() else { return Seen::default() };
    let citations = select::citations(draft, findings).len();
    let mut right = Vec::new();
    if let Some(outcome) = run.ended() {
        let mark = Mark::of_outcome(outcome);
        let style = theme.style(mark.scope());
        right.push(Span::styled(format!("{} {}", mark.symbol(), mark.word()), style));
    }
    let told = format!("  {} · {}", count(draft.words(), "word"), count(citations, "citation"));
    right.push(Span::styled(told, theme.style(Scope::Dim)));
    let title = vec![Span::styled("brief", theme.style(Scope::Title))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Border));
    let width = inner.width.min(WIDEST);
    let text_area = Rect { x: inner.x + (inner.width - width) / 2, width, ..inner };

    let name = Wrapped {
        of: format!("brief of {:?}", run.opening.as_ref().map(|opening| &opening.run)),
        // The focused citation is painted into its lines.
        version: ui.brief.cite.map_or(0, |at| at as u64 + 1),
        width,
    };
    let lines = cache.lines(name, || typeset::lines(draft, findings, usize::from(width), ui.brief.cite, theme));
    let mut from = ui.brief.scroll.min(lines.len());
    if ui.brief.reveal
        && let Some(at) = focused_line(&lines, theme.style(Scope::CiteFocus))
    {
        // A passage lies over the lower three quarters: the citation is brought to the top quarter.
        let page = usize::from(text_area.height);
        let covered = matches!(ui.overlay, Overlay::Passage(_));
        let (top, bottom) = if covered { (0, page / 4) } else { (2, page.saturating_sub(3)) };
        if at < from + top {
            from = at.saturating_sub(top);
        } else if at > from + bottom {
            from = at - bottom;
        }
    }
    paint::scrolled(buf, text_area, &lines, from, theme.style(Scope::Dim))
}

fn focused_line(lines: &[Line<'_>], focus: ratatui::style::Style) -> Option<usize> {
    lines.iter().position(|line| line.spans.iter().any(|span| span.style == focus))
}
