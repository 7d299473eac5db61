//! Draws the home screen: question, sources, earlier runs.

use super::{HomeBox, HomeUi};
use crate::overlays::help;
use crate::prelude::*;
use crate::view::{LEAST, boxes, finish, hints};

pub fn draw(buf: &mut Buffer, area: Rect, home: &HomeUi, theme: &Theme) -> Seen {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return Seen::default();
    }
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let message = format!("masthead needs {}×{}", LEAST.0, LEAST.1);
        paint::line(buf, area, &Line::raw(cut(&message, usize::from(area.width)).into_owned()));
        return Seen::default();
    }
    let head = if area.height < 16 { 1 } else { 2 };
    let [header, body, last] = paint::rows(area, [head, area.height - head - 1, 1]);
    let left = vec![
        theme.span(" masthead", Scope::Brand),
        theme.span("   a small team, your documents, a cited brief", Scope::Dim),
    ];
    paint::line(buf, header, &Line::from(left));
    let models = match &home.models {
        Some(models) => format!(" a new run would use {}; what a model is sent goes to its provider", flat(models)),
        None => " extractive team: no model, the sources' own sentences".into(),
    };
    let [_, second] = paint::rows(header, [1, 1]);
    paint::line(buf, second, &theme.line(cut(&models, usize::from(area.width)).into_owned(), Scope::Dim));
    let seen = match home.help {
        Some(scroll) => help::page(buf, body, &home.explained(), scroll, theme),
        None => fields(buf, body, home, theme),
    };
    match &home.status {
        Some(status) => {
            let message = cut(&flat(status), usize::from(area.width).saturating_sub(2)).into_owned();
            paint::line(buf, last, &theme.line(format!(" {message}"), Scope::NeedsYou));
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
        let title = theme.span(title, Scope::Title);
        let note = theme.span(note, Scope::Dim);
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

/// The introduction for a person without runs.
fn newcomer(models: Option<&Clean>, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    const STEPS: [(&str, &str); 4] = [
        ("ask", "a question about your own documents; name the folders and files to search above"),
        ("watch", "a supervised team cut it into sub-topics and research them in parallel"),
        ("correct", "what was found, before a word is written: each fact stands with the passage it rests on"),
        ("read", "a brief in which every claim leads back to its passage, and which says what is missing"),
    ];
    let mut lines = Vec::new();
    for (step, message) in STEPS {
        let wrapped = rows(message, cells.saturating_sub(10), theme.style(Scope::Text), &[]);
        lines.extend(hanging(theme.span(format!("{step:<10}"), Scope::Key), wrapped));
    }
    lines.push(Line::default());
    let how = match models {
        Some(models) => format!("The team uses {}, and every claim is checked against your sources.", flat(models)),
        None => "No model, no key; network only for web: lines. The team quotes its sources by rule.".into(),
    };
    let message = format!("{how} Nothing is lost: an unfinished run can be resumed here.");
    lines.extend(rows(&message, cells, theme.style(Scope::Dim), &[]));
    lines
}

fn runs(buf: &mut Buffer, area: Rect, home: &HomeUi, theme: &Theme) -> Seen {
    paint::list(buf, area, home.runs.len(), paint::reveal(area, home.selected), |buf, row, n| {
        let run = &home.runs[n];
        let here = home.focus == HomeBox::Runs && n == home.selected;
        let base = theme.style(if here { Scope::Selected } else { Scope::Text });
        let look = |scope: Scope| if here { base } else { theme.style(scope) };
        let left = vec![
            Span::styled(
                format!("{} {:<13} ", run.state.mark.symbol(), cut(&run.state.word, 13)),
                look(run.state.mark.into()),
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
    })
}
