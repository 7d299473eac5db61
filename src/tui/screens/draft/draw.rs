//! Draws the draft page: the draft with the selected sentence, and below it its evidence and the remarks on it.

use super::{row_of, selected, sent_back};
use crate::prelude::*;
use run::brief::{Draft, Item, Numbering, Piece, Sentence, YOURS};
use run::checkpoint::draft::Review;
use run::{Checkpoint, Finding};

pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((checkpoint, review)) = select::draft_page(run) else { return Seen::default() };
    let border = theme.style(if checkpoint.answer.is_none() { Scope::Focus } else { Scope::Border });
    let title = theme.span("draft", Scope::Title);
    let known = Known::of(run, checkpoint, review);
    let right = status(checkpoint, &known, paint::room_beside(area.width, title.width()), theme);
    let inner = paint::panel(buf, area, title, right, border);
    if inner.is_empty() {
        return Seen::default();
    }
    let (at, cells) = (selected(ui, review), usize::from(inner.width));
    let (text, lit) = body(&known, at, cells, theme);
    let about = review.draft.sentences().nth(at).map(|sentence| about(run, &known, at, sentence, Pen { cells, theme }));
    let about = about.unwrap_or_default();
    // Remarks on a sentence have as much room as they need, up to two fifths.
    let most = inner.height * 2 / 5;
    let below = if inner.height < 8 { 0 } else { u16::try_from(about.len() + 1).unwrap_or(u16::MAX).clamp(2, most) };
    let [upper, lower] = paint::rows(inner, [inner.height - below, below]);
    let page = usize::from(upper.height);
    let from = if lit.end <= page { 0 } else { (lit.end - page).max(lit.start.saturating_sub(page / 2)) };
    let seen = paint::scrolled(buf, upper, &text, from.min(lit.start), theme.style(Scope::Dim));
    if !lower.is_empty() {
        let edge = Rect { x: area.x, y: lower.y, width: area.width, height: 1 };
        let title = match row_of(review, at) {
            None => format!("sentence {} of {}", at + 1, review.draft.sentences().count()),
            Some(row) => cut(&format!("a cell of the row “{}”", flat(row)), cells).into_owned(),
        };
        paint::edge(buf, edge, paint::ACROSS, theme.span(title, Scope::Title), "", border);
        let [_, rest] = paint::rows(lower, [1, lower.height - 1]);
        paint::scrolled(buf, rest, &about, 0, theme.style(Scope::Dim));
    }
    seen
}

/// A draft with the facts about its sentences.
struct Known<'a> {
    review: &'a Review,
    numbering: Numbering<'a>,
    /// The draft that they sent back before, if they did.
    sent_back: Option<&'a Draft>,
}

impl<'a> Known<'a> {
    fn of(run: &'a Run, checkpoint: &Checkpoint, review: &'a Review) -> Known<'a> {
        let cited = review.draft.sentences().flat_map(|sentence| &sentence.cites);
        let cited = cited.filter_map(|id| select::find(run, *id));
        Known { review, numbering: Numbering::new(&review.draft, cited), sent_back: sent_back(run, checkpoint) }
    }

    /// Whether it says something in the person's words.
    fn is_yours(&self, sentence: &Sentence) -> bool {
        self.numbering.is_in_your_words(sentence)
    }

    /// Whether it was not in the draft that they sent back.
    fn is_new(&self, sentence: &Sentence) -> bool {
        self.sent_back.is_some_and(|before| !before.has(&sentence.text)) && !self.is_yours(sentence)
    }
}

/// The status at the right of the title: as much of it as fits, and the next step last of all.
fn status(checkpoint: &Checkpoint, known: &Known<'_>, room: usize, theme: &Theme) -> Vec<Span<'static>> {
    let review = known.review;
    let new = review.draft.sentences().filter(|sentence| known.is_new(sentence)).count();
    let mut done = Vec::new();
    if new > 0 {
        done.push(format!("{new} new"));
    }
    if review.changed > 0 {
        done.push(format!("{} changed", review.changed));
    }
    if !review.remarks.is_empty() {
        done.push(count(review.remarks.len(), "remark"));
    }
    let all: Vec<String> = std::iter::once(count(review.draft.words(), "word")).chain(done.iter().cloned()).collect();
    let (mark, said) = select::answered(checkpoint);
    let (long, short) = match (said, review.remarks.is_empty()) {
        (Some(said), _) => (said, said),
        (None, true) => ("accept it, or remark on it and send it back", "accept or remark"),
        (None, false) => ("send it back with your remarks", "S sends it back"),
    };
    let told = |facts: &[String], next: &str| match facts.is_empty() {
        true => (String::new(), next.to_owned()),
        false => (format!("{} · ", facts.join(" · ")), next.to_owned()),
    };
    let wordings = [told(&all, long), told(&all, short), told(&done, short), told(&[], short)];
    let fits = |(facts, next): &&(String, String)| width(facts) + width(next) <= room;
    let (facts, next) = wordings.iter().find(fits).unwrap_or(&wordings[3]).clone();
    vec![theme.span(facts, Scope::Dim), theme.span(next, mark)]
}

/// The draft as lines, and which of them are the selected sentence.
fn body(
    known: &Known<'_>,
    selected: usize,
    cells: usize,
    theme: &Theme,
) -> (Vec<Line<'static>>, std::ops::Range<usize>) {
    let draft = &known.review.draft;
    let lines = rows(&flat(&draft.title), cells, theme.style(Scope::Title), &[]);
    let mut text = Text { known, selected, row: draft.row_at(selected), cells, theme, lines, lit: 0..0, n: 0 };
    for section in &draft.sections {
        text.heading(&section.heading);
        section.pieces.iter().for_each(|piece| text.piece(piece));
    }
    if !draft.disagreements.is_empty() {
        text.heading("Disagreements");
        draft.disagreements.iter().for_each(|one| text.sentence(one, ""));
    }
    if !draft.gaps.is_empty() {
        text.heading("Gaps");
        for gap in &draft.gaps {
            let wrapped = rows(&flat(gap), cells.saturating_sub(SIGNS), theme.style(Scope::Dim), &[]);
            text.lines.extend(hanging(Span::raw(" ".repeat(SIGNS)), wrapped));
        }
    }
    (text.lines, text.lit)
}

/// The lines of a draft so far.
struct Text<'a> {
    known: &'a Known<'a>,
    selected: usize,
    /// The row of a table that the selected sentence is a cell of.
    row: Option<(usize, usize)>,
    cells: usize,
    theme: &'a Theme,
    lines: Vec<Line<'static>>,
    /// Those of the selected sentence.
    lit: std::ops::Range<usize>,
    /// The number of sentences so far.
    n: usize,
}

impl Text<'_> {
    fn heading(&mut self, text: &str) {
        self.lines.push(Line::default());
        if text.is_empty() {
            return;
        }
        let style = self.theme.style(Scope::Title).patch(self.theme.style(Scope::Focus));
        self.lines.extend(rows(&flat(text), self.cells, style, &[]));
    }

    /// A sentence behind its signs, and behind the first words of its piece.
    fn sentence(&mut self, one: &Sentence, head: &str) {
        if one.text.is_empty() {
            return;
        }
        let is_selected = self.n == self.selected;
        // The other cells of its row go with it when it is taken out.
        let is_beside = self.row.is_some() && self.known.review.draft.row_at(self.n) == self.row;
        let style = self.theme.style(match (is_selected, is_beside) {
            (true, _) => Scope::Selected,
            (false, true) => Scope::Focus,
            (false, false) => Scope::Text,
        });
        let text = format!("{head}{}", flat(&one.text));
        let from = self.lines.len();
        let wrapped = rows(&text, self.cells.saturating_sub(SIGNS), style, &[]);
        self.lines.extend(hanging_behind(signs(self.known, one, self.theme), wrapped));
        if is_selected {
            self.lit = from..self.lines.len();
        }
        self.n += 1;
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Paragraph { sentences } => sentences.iter().for_each(|one| self.sentence(one, "")),
            Piece::List { label, first, items } => {
                if let Some(label) = label {
                    self.lines.extend(rows(&flat(label), self.cells, self.theme.style(Scope::Title), &[]));
                }
                for (n, Item(sentences)) in (0..).zip(items) {
                    for (at, one) in sentences.iter().enumerate() {
                        let head = first.filter(|_| at == 0).map_or(String::new(), |first| format!("{}. ", first + n));
                        self.sentence(one, &head);
                    }
                }
            }
            Piece::Table { label, header, rows: table } => {
                if let Some(label) = label {
                    self.lines.extend(rows(&flat(label), self.cells, self.theme.style(Scope::Title), &[]));
                }
                for (name, row) in table {
                    for (column, one) in header.iter().skip(1).zip(row) {
                        self.sentence(one, &format!("{} · {}: ", flat(name), flat(column)));
                    }
                }
            }
            Piece::Code { label, sentence } => {
                let head = label.as_ref().map(|label| format!("{} ", flat(label))).unwrap_or_default();
                self.sentence(sentence, &head);
            }
        }
    }
}

/// The cells in front of a sentence: the sign of its open issues, that of its author, and a blank.
const SIGNS: usize = 3;

/// Whether something was remarked or is open about a sentence, and whether it is the person's or new.
fn signs(known: &Known<'_>, one: &Sentence, theme: &Theme) -> [Span<'static>; 3] {
    let review = known.review;
    let issues = review.verdicts.iter().flat_map(|verdict| &verdict.issues);
    let is_open = issues.filter(|issue| issue.blocking).any(|issue| issue.sentence.as_ref() == Some(&one.text));
    let open = match review.remarks.iter().any(|remark| remark.sentence.as_ref() == Some(&one.text)) {
        true => theme.span(Mark::NeedsYou.symbol().to_string(), Scope::NeedsYou),
        false if is_open => theme.span("!", Scope::Warning),
        false => Span::raw(" "),
    };
    let whose = match known.is_yours(one) {
        true => theme.span(YOURS.to_string(), Scope::Person),
        false if known.is_new(one) => theme.span("+", Scope::Focus),
        false => Span::raw(" "),
    };
    [open, whose, Span::raw(" ")]
}

/// Lines behind signs that take the same cells in each.
fn hanging_behind(signs: [Span<'static>; 3], lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
    let mut hung: Vec<Line<'static>> = hanging(Span::raw(" ".repeat(SIGNS)), lines).collect();
    if let Some(first) = hung.first_mut() {
        first.spans.splice(0..1, signs);
    }
    hung
}

/// The findings behind a sentence, and the remarks on it.
fn about(run: &Run, known: &Known<'_>, at: usize, one: &Sentence, pen: Pen<'_>) -> Vec<Line<'static>> {
    let Pen { cells, theme } = pen;
    let review = known.review;
    let mut lines = Vec::new();
    let mut fact = |name: &str, text: &str, scope: Scope| {
        let head = theme.span(format!("{name:<9}"), Scope::Dim);
        lines.extend(hanging(head, rows(&flat(text), cells.saturating_sub(9), theme.style(scope), &[])));
    };
    if known.is_yours(one) {
        fact(&YOURS.to_string(), "in your words: so it is marked in the brief", Scope::Person);
    }
    if known.is_new(one) {
        fact("+", "new since you sent the draft back", Scope::Focus);
    }
    if row_of(review, at).is_some() {
        fact("row", "e and m are for this cell; d takes out the whole row", Scope::Dim);
    }
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
        Some(place) => format!("“{}” — {place}", finding.quote),
        None => format!("{} — in your words", finding.claim),
    }
}
