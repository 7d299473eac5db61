//! The home screen: ask a question, or pick up an earlier run.
//!
//! ```text
//!  masthead   a small team, your documents, a cited brief
//! ┌ question ──────────────────────────────────────────────┐
//! │ Compare the trade-offs of pgvector, Qdrant and Pinecone │
//! └────────────────────────────────────────────────────────┘
//! ┌ sources ───────────────────────────────────────────────┐
//! │ examples/vector-databases                               │
//! └────────────────────────────────────────────────────────┘
//! ┌ earlier runs ──────────────────────────────────────────┐
//! │ ✓ done       7f3k  Compare ...              2 h    $0  │
//! └────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{HomeBox, HomeUi};
use crate::keymap::Action;
use crate::measure::{cut, flat, justified, rows};
use crate::overlays::help;
use crate::theme::{Scope, Theme};
use crate::ui::Seen;
use crate::view::{LEAST, boxes, finish, hints, paint};
use text::Clean;

/// Draws the home screen.
pub fn draw(buf: &mut Buffer, area: Rect, home: &HomeUi, theme: &Theme) -> Seen {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return Seen::default();
    }
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let told = format!("masthead needs {}×{}", LEAST.0, LEAST.1);
        paint::line(buf, area, &Line::raw(cut(&told, usize::from(area.width)).into_owned()));
        return Seen::default();
    }
    let head = if area.height < 16 { 1 } else { 2 };
    let [header, body, last] = paint::rows(area, [head, area.height - head - 1, 1]);
    let left = vec![
        Span::styled(" masthead", theme.style(Scope::Brand)),
        Span::styled("   a small team, your documents, a cited brief", theme.style(Scope::Dim)),
    ];
    paint::line(buf, header, &Line::from(left));
    let who = match &home.models {
        Some(models) => format!(" {} would think; what it is told goes to its provider", flat(models)),
        None => " extractive team: no model, the sources' own sentences".into(),
    };
    let [_, second] = paint::rows(header, [1, 1]);
    paint::line(buf, second, &Line::styled(cut(&who, usize::from(area.width)).into_owned(), theme.style(Scope::Dim)));
    let seen = match home.help {
        Some(scroll) => help::page(buf, body, &home.explained(), scroll, theme),
        None => fields(buf, body, home, theme),
    };
    match &home.status {
        Some(status) => {
            let told = cut(&flat(status), usize::from(area.width).saturating_sub(2)).into_owned();
            paint::line(buf, last, &Line::styled(format!(" {told}"), theme.style(Scope::NeedsYou)));
        }
        None => {
            let hints = hints::of(&home.keys()).into_iter().map(|row| match row.action {
                Action::Start if home.focus == HomeBox::Runs => (row, "open"),
                _ => (row, row.hint.unwrap_or_default()),
            });
            hints::keys(buf, last, hints, theme);
        }
    }
    finish(buf, area, theme);
    seen
}

fn fields(buf: &mut Buffer, area: Rect, home: &HomeUi, theme: &Theme) -> Seen {
    let area = Rect { width: area.width.min(120), x: area.x + area.width.saturating_sub(120) / 2, ..area };
    let lines = |count: usize, least: u16, most: u16| u16::try_from(count).unwrap_or(most).clamp(least, most) + 2;
    let roomy = area.height >= 20;
    let ask = lines(home.question.lines().len(), if roomy { 3 } else { 1 }, 6).min(area.height / 2);
    let sources = lines(home.sources.lines().len(), 1, 5).min((area.height - ask) / 2);
    let [first, second, third] = match home.focus {
        // A low screen shows the question and the box that is being used.
        HomeBox::Runs if area.height < 11 => paint::rows(area, [3, 0, area.height - 3]),
        _ if area.height < 11 => paint::rows(area, [3, area.height - 3, 0]),
        _ => paint::rows(area, [ask, sources, area.height - ask - sources]),
    };
    let framed = |buf: &mut Buffer, area, title: &'static str, note: &'static str, which| {
        let focused = home.focus == which;
        let style = theme.style(if focused { Scope::Focus } else { Scope::Border });
        let title = vec![Span::styled(title, theme.style(Scope::Title))];
        let note = vec![Span::styled(note, theme.style(Scope::Dim))];
        paint::panel(buf, area, title, note, style)
    };
    let inner = framed(buf, first, "question", "what is the brief to answer?", HomeBox::Question);
    boxes::field(buf, inner, &home.question, home.focus == HomeBox::Question, theme);
    let inner = framed(
        buf,
        second,
        "sources",
        "a folder or file a line, or web:wikipedia · Alt+Enter adds a line",
        HomeBox::Sources,
    );
    boxes::field(buf, inner, &home.sources, home.focus == HomeBox::Sources, theme);
    if home.runs.is_empty() {
        let lines = newcomer(home.models.as_ref(), usize::from(third.width).saturating_sub(4), theme);
        let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(third.height);
        let inner = framed(buf, Rect { height, ..third }, "how it goes", "", HomeBox::Runs);
        return paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
    }
    let inner = framed(buf, third, "earlier runs", "", HomeBox::Runs);
    runs(buf, inner, home, theme)
}

/// What a person sees who has no runs yet.
fn newcomer(models: Option<&Clean>, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    const STEPS: [(&str, &str); 4] = [
        ("ask", "a question about your own documents; name the folders and files to search above"),
        ("watch", "a supervised team cut it into sub-topics and research them in parallel"),
        ("correct", "what was found, before a word is written: each fact stands with the passage it rests on"),
        ("read", "a brief in which every claim leads back to its passage, and which says what is missing"),
    ];
    let mut lines = Vec::new();
    for (step, told) in STEPS {
        for (n, line) in rows(told, cells.saturating_sub(10), theme.style(Scope::Text), &[]).into_iter().enumerate() {
            let mut spans =
                vec![Span::styled(format!("{:<10}", if n == 0 { step } else { "" }), theme.style(Scope::Key))];
            spans.extend(line.spans);
            lines.push(Line::from(spans));
        }
    }
    lines.push(Line::default());
    let who = match models {
        Some(models) => {
            format!("{} thinks for the team, and every claim is checked against your sources.", flat(models))
        }
        None => "No model, no key; network only for web: lines. The team quotes its sources by rule.".into(),
    };
    let told = format!("{who} Nothing is lost: a run that is left can be picked up here.");
    lines.extend(rows(&told, cells, theme.style(Scope::Dim), &[]));
    lines
}

fn runs(buf: &mut Buffer, area: Rect, home: &HomeUi, theme: &Theme) -> Seen {
    let page = usize::from(area.height);
    let most = home.runs.len().saturating_sub(page);
    let from = (home.selected + 1).saturating_sub(page).min(most);
    for (n, run) in home.runs.iter().enumerate().skip(from).take(page) {
        let Ok(down) = u16::try_from(n - from) else { break };
        let row = Rect { y: area.y + down, height: 1, ..area };
        let here = home.focus == HomeBox::Runs && n == home.selected;
        let base = theme.style(if here { Scope::Selected } else { Scope::Text });
        let look = |scope| if here { base } else { theme.style(scope) };
        let left = vec![
            Span::styled(
                format!("{} {:<13} ", run.state.mark.symbol(), cut(&run.state.word, 13)),
                look(run.state.mark.scope()),
            ),
            Span::styled(format!("{:<7} ", run.id), look(Scope::Dim)),
            Span::styled(flat(&run.question).into_owned(), base),
        ];
        let right = match area.width {
            60.. => vec![Span::styled(format!("{:>7}  {:>6}", run.age, run.cost), look(Scope::Dim))],
            _ => vec![],
        };
        buf.set_style(row, base);
        paint::line(buf, row, &justified(left, right, usize::from(area.width)));
    }
    Seen { at: from, most, page }
}
