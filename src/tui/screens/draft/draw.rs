//! Draws the draft page: the draft with the selected sentence, and below it what that rests on and what was said of it.

use super::selected;
use crate::prelude::*;
use run::brief::{Item, Piece, Sentence};
use run::checkpoint::draft::Review;
use run::{Checkpoint, Finding};

pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((checkpoint, review)) = select::draft_page(run) else { return Seen::default() };
    let border = theme.style(if checkpoint.answer.is_none() { Scope::Focus } else { Scope::Border });
    let title = theme.span("draft", Scope::Title);
    let inner = paint::panel(buf, area, title, status(checkpoint, review, theme), border);
    if inner.is_empty() {
        return Seen::default();
    }
    let (at, cells) = (selected(ui, review), usize::from(inner.width));
    let (text, lit) = body(review, at, cells, theme);
    let about = review.draft.sentences().nth(at).map(|sentence| about(run, review, sentence, cells, theme));
    let about = about.unwrap_or_default();
    // What is said of a sentence has as much room as it needs, up to two fifths.
    let most = inner.height * 2 / 5;
    let below = if inner.height < 8 { 0 } else { u16::try_from(about.len() + 1).unwrap_or(u16::MAX).clamp(2, most) };
    let [upper, lower] = paint::rows(inner, [inner.height - below, below]);
    let page = usize::from(upper.height);
    let from = if lit.end <= page { 0 } else { (lit.end - page).max(lit.start.saturating_sub(page / 2)) };
    let seen = paint::scrolled(buf, upper, &text, from.min(lit.start), theme.style(Scope::Dim));
    if !lower.is_empty() {
        let edge = Rect { x: area.x, y: lower.y, width: area.width, height: 1 };
        let title = format!("sentence {} of {}", at + 1, review.draft.sentences().count());
        paint::edge(buf, edge, paint::ACROSS, theme.span(title, Scope::Title), "", border);
        let [_, rest] = paint::rows(lower, [1, lower.height - 1]);
        paint::scrolled(buf, rest, &about, 0, theme.style(Scope::Dim));
    }
    seen
}

fn status(checkpoint: &Checkpoint, review: &Review, theme: &Theme) -> Vec<Span<'static>> {
    let mut facts = vec![count(review.draft.words(), "word")];
    if review.changed > 0 {
        facts.push(format!("{} changed", review.changed));
    }
    if !review.remarks.is_empty() {
        facts.push(count(review.remarks.len(), "remark"));
    }
    let (mark, said) = select::answered(checkpoint);
    let facts = format!("{} · ", facts.join(" · "));
    vec![theme.span(facts, Scope::Dim), theme.span(said.unwrap_or("accept it, or remark on it and send it back"), mark)]
}

/// The draft as lines, and which of them are the selected sentence.
fn body(review: &Review, selected: usize, cells: usize, theme: &Theme) -> (Vec<Line<'static>>, std::ops::Range<usize>) {
    let (mut lines, mut lit) = (rows(&flat(&review.draft.title), cells, theme.style(Scope::Title), &[]), 0..0);
    let mut n = 0;
    let mut sentence = |lines: &mut Vec<Line<'static>>, one: &Sentence, head: &str| {
        if one.text.is_empty() {
            return;
        }
        let is_selected = n == selected;
        let style = theme.style(if is_selected { Scope::Selected } else { Scope::Text });
        let text = format!("{head}{}", flat(&one.text));
        let from = lines.len();
        let wrapped = rows(&text, cells.saturating_sub(2), style, &[]);
        lines.extend(hanging(sign(review, one, theme), wrapped));
        if is_selected {
            lit = from..lines.len();
        }
        n += 1;
    };
    let heading = |lines: &mut Vec<Line<'static>>, text: &str| {
        lines.push(Line::default());
        if text.is_empty() {
            return;
        }
        lines.extend(rows(&flat(text), cells, theme.style(Scope::Title).patch(theme.style(Scope::Focus)), &[]));
    };
    for section in &review.draft.sections {
        heading(&mut lines, &section.heading);
        for piece in &section.pieces {
            match piece {
                Piece::Paragraph { sentences } => sentences.iter().for_each(|one| sentence(&mut lines, one, "")),
                Piece::List { label, first, items } => {
                    if let Some(label) = label {
                        lines.extend(rows(&flat(label), cells, theme.style(Scope::Title), &[]));
                    }
                    for (n, Item(sentences)) in (0..).zip(items) {
                        for (at, one) in sentences.iter().enumerate() {
                            let head =
                                first.filter(|_| at == 0).map_or(String::new(), |first| format!("{}. ", first + n));
                            sentence(&mut lines, one, &head);
                        }
                    }
                }
                Piece::Table { label, header, rows: table } => {
                    if let Some(label) = label {
                        lines.extend(rows(&flat(label), cells, theme.style(Scope::Title), &[]));
                    }
                    for (name, row) in table {
                        for (column, one) in header.iter().skip(1).zip(row) {
                            sentence(&mut lines, one, &format!("{} · {}: ", flat(name), flat(column)));
                        }
                    }
                }
                Piece::Code { label, sentence: code } => {
                    let head = label.as_ref().map(|label| format!("{} ", flat(label))).unwrap_or_default();
                    sentence(&mut lines, code, &head);
                }
            }
        }
    }
    if !review.draft.disagreements.is_empty() {
        heading(&mut lines, "Disagreements");
        review.draft.disagreements.iter().for_each(|one| sentence(&mut lines, one, ""));
    }
    if !review.draft.gaps.is_empty() {
        heading(&mut lines, "Gaps");
        for gap in &review.draft.gaps {
            lines.extend(hanging(
                Span::raw("  "),
                rows(&flat(gap), cells.saturating_sub(2), theme.style(Scope::Dim), &[]),
            ));
        }
    }
    (lines, lit)
}

/// Whether something was remarked or is open about a sentence.
fn sign(review: &Review, one: &Sentence, theme: &Theme) -> Span<'static> {
    let issues = review.verdicts.iter().flat_map(|verdict| &verdict.issues);
    let is_open = issues.filter(|issue| issue.blocking).any(|issue| issue.sentence.as_ref() == Some(&one.text));
    match review.remarks.iter().any(|remark| remark.sentence.as_ref() == Some(&one.text)) {
        true => theme.span(format!("{} ", Mark::NeedsYou.symbol()), Scope::NeedsYou),
        false if is_open => theme.span("! ", Scope::Warning),
        false => Span::raw("  "),
    }
}

/// What a sentence rests on, and what was said of it.
fn about(run: &Run, review: &Review, one: &Sentence, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut fact = |name: &str, text: &str, scope: Scope| {
        let head = theme.span(format!("{name:<9}"), Scope::Dim);
        lines.extend(hanging(head, rows(&flat(text), cells.saturating_sub(9), theme.style(scope), &[])));
    };
    for remark in review.remarks.iter().filter(|remark| remark.sentence.as_ref().is_none_or(|of| *of == one.text)) {
        let name = if remark.sentence.is_some() { "you" } else { "you, all" };
        fact(name, &remark.what, Scope::NeedsYou);
    }
    for issue in review.verdicts.iter().flat_map(|verdict| &verdict.issues).filter(|issue| issue.blocking) {
        if issue.sentence.as_ref().is_none_or(|of| *of == one.text) {
            fact("!", &format!("{}: {}", issue.concern, issue.what), Scope::Warning);
        }
    }
    let doubts = review.verdicts.iter().flat_map(|verdict| verdict.doubts());
    for doubt in doubts.filter(|doubt| doubt.sentence.as_ref() == Some(&one.text)) {
        fact("? doubt", &format!("{}: {}", doubt.concern, doubt.what), Scope::Dim);
    }
    for finding in one.cites.iter().filter_map(|id| select::find(run, *id)) {
        fact("rests on", &rests_on(finding), Scope::Text);
    }
    if one.cites.is_empty() {
        fact("rests on", "nothing: it cites no finding", Scope::Warning);
    }
    lines
}

fn rests_on(finding: &Finding) -> String {
    match &finding.place {
        Some(place) => format!("“{}” — {}", finding.quote, place.source.path),
        None => format!("{} — in your words", finding.claim),
    }
}
