//! Typesets a draft as lines: wrapped prose, tables in columns, citations in place.

use std::ops::Range;

use crate::prelude::*;
use run::brief::{self, Cited, Item, Numbering, Piece, YOURS, YOURS_MEANS, by_words};
use run::{Draft, Finding, FindingId, Sentence};

/// The narrowest column of a table that can be read.
const NARROWEST: usize = 14;

/// The cells by which program text is set in.
const INDENT: usize = 4;

/// The draft at this width; the `focus`th citation is highlighted.
pub fn lines(
    draft: &Draft,
    findings: &[Finding],
    cells: usize,
    focus: Option<usize>,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let numbering = Numbering::new(draft, findings);
    let mut set = Setter { lines: Vec::new(), cells, theme, findings, numbering: &numbering, cited: 0, focus };
    set.plain(&draft.title, Scope::Title);
    for note in &draft.notes {
        set.plain(note, Scope::Dim);
    }
    for section in &draft.sections {
        set.heading(&section.heading);
        for (n, piece) in section.pieces.iter().enumerate() {
            if n > 0 {
                set.lines.push(Line::default());
            }
            set.piece(piece);
        }
    }
    if !draft.gaps.is_empty() {
        set.heading("Gaps");
        draft.gaps.iter().for_each(|gap| set.uncited(gap));
    }
    if !draft.disagreements.is_empty() {
        set.heading("Disagreements");
        draft.disagreements.iter().for_each(|sentence| set.item(BULLET, std::slice::from_ref(sentence)));
    }
    set.yours(draft);
    set.sources();
    set.lines
}

/// Text with the byte ranges of its citations and signs.
#[derive(Default)]
struct Run {
    text: String,
    marks: Vec<(Range<usize>, Sign)>,
}

/// A part of running text with a look of its own.
#[derive(Clone, Copy)]
enum Sign {
    /// A citation, by its index in reading order.
    Cite(usize),
    /// The sign that warns the reader of the sentence before it.
    Of(Scope),
}

/// The meanings of the signs in the text of a brief, of those that it has.
pub fn legend(draft: &Draft, findings: &[Finding]) -> String {
    let numbering = Numbering::new(draft, findings);
    let has =
        |sign: char| draft.sentences().any(|sentence| signs(&numbering, findings, sentence).any(|(s, _)| s == sign));
    let known = [(YOURS, "your words"), (DISPUTED, "disputed"), (UNSUPPORTED, "cites nothing")];
    let shown = known.into_iter().filter(|(sign, _)| has(*sign)).map(|(sign, means)| format!("{sign} {means}"));
    shown.collect::<Vec<_>>().join(" · ")
}

const BULLET: &str = "• ";
const DISPUTED: char = '≠';
const UNSUPPORTED: char = '○';

/// The signs after a sentence.
fn signs<'s>(
    numbering: &'s Numbering<'_>,
    findings: &'s [Finding],
    sentence: &'s Sentence,
) -> impl Iterator<Item = (char, Scope)> + 's {
    let is_there = |id| findings.iter().any(|finding| finding.id == id);
    let cited = || findings.iter().filter(|finding| sentence.cites.contains(&finding.id));
    let yours = numbering.is_in_your_words(sentence);
    // A finding that the person dropped disputes nothing any more.
    let disputed = cited().any(|finding| finding.conflicts.iter().any(|conflict| is_there(conflict.with)));
    let unsupported = !yours && !sentence.text.is_empty() && cited().next().is_none();
    let all = [
        (yours, YOURS, Scope::Person),
        (disputed, DISPUTED, Scope::Warning),
        (unsupported, UNSUPPORTED, Scope::Warning),
    ];
    all.into_iter().filter(|(is, ..)| *is).map(|(_, sign, scope)| (sign, scope))
}

struct Setter<'a> {
    lines: Vec<Line<'static>>,
    cells: usize,
    theme: &'a Theme,
    findings: &'a [Finding],
    numbering: &'a Numbering<'a>,
    cited: usize,
    focus: Option<usize>,
}

impl Setter<'_> {
    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Paragraph { sentences } => self.paragraph(sentences),
            Piece::List { label, first, items } => {
                if let Some(label) = label {
                    self.plain(label, Scope::Title);
                }
                for (n, Item(sentences)) in (0..).zip(items) {
                    self.item(&first.map_or(BULLET.into(), |first| format!("{}. ", first + n)), sentences);
                }
            }
            Piece::Table { label, header, rows } => {
                if let Some(label) = label {
                    self.plain(label, Scope::Title);
                }
                let header: Vec<String> = header.iter().map(|cell| flat(cell).into_owned()).collect();
                self.table(&header, rows);
            }
            Piece::Code { label, sentence } => self.code(label.as_deref(), sentence),
        }
    }

    /// The sentences in the person's words, each with the words of the sources in whose place it stands.
    fn yours(&mut self, draft: &Draft) {
        let yours = brief::yours(draft, self.findings);
        if yours.is_empty() {
            return;
        }
        self.heading("In your words");
        self.plain(YOURS_MEANS, Scope::Dim);
        for (words, sources) in by_words(&yours) {
            self.uncited(words);
            let said = |(finding, original): &(FindingId, &Clean)| {
                let number = self.numbering.of(*finding).map_or(String::new(), |n| format!(" [{n}]"));
                format!("the source says:{number} “{}”", flat(original))
            };
            let mut below: Vec<String> = sources.iter().map(said).collect();
            if below.is_empty() {
                below.push("you wrote it, without a source".into());
            }
            for line in below {
                let lines = rows(&line, self.cells.saturating_sub(2), self.theme.style(Scope::Dim), &[]);
                self.lines.extend(hanging(Span::raw("  "), lines));
            }
        }
    }

    /// The cited sources, by their numbers.
    fn sources(&mut self) {
        let numbering = self.numbering;
        if numbering.sources().next().is_none() {
            return;
        }
        self.heading("Sources");
        for (n, cited) in numbering.sources().enumerate() {
            let (place, title) = match cited {
                Cited::Document(source) => {
                    let told = [Some(source.title.to_string()), source.caveat()].into_iter().flatten();
                    (flat(&source.path).into_owned(), flat(&told.collect::<Vec<_>>().join(", ")).into_owned())
                }
                Cited::Person => ("you".into(), "without a source".into()),
            };
            self.source(n + 1, &place, &title);
        }
    }

    fn plain(&mut self, text: &str, scope: Scope) {
        self.lines.extend(rows(text, self.cells, self.theme.style(scope), &[]));
    }

    fn heading(&mut self, text: &str) {
        self.lines.push(Line::default());
        // The lead of a model's brief has none.
        if text.is_empty() {
            return;
        }
        let style = self.theme.style(Scope::Title).patch(self.theme.style(Scope::Focus));
        self.lines.extend(rows(text, self.cells, style, &[]));
    }

    /// Appends a sentence with its citations to running text.
    fn append(&mut self, run: &mut Run, sentence: &Sentence) {
        if !run.text.is_empty() {
            run.text.push(' ');
        }
        run.text.push_str(&flat(&sentence.text));
        self.mark(run, sentence);
    }

    /// Appends the signs of a sentence and then its citations: a sign behind a number would read as one of the next sentence.
    fn mark(&mut self, run: &mut Run, sentence: &Sentence) {
        if sentence.text.is_empty() {
            return;
        }
        for (sign, scope) in signs(self.numbering, self.findings, sentence) {
            run.text.push('\u{a0}');
            let start = run.text.len();
            run.text.push(sign);
            run.marks.push((start..run.text.len(), Sign::Of(scope)));
        }
        let marks = self.numbering.shown(sentence);
        if !marks.is_empty() {
            run.text.push('\u{a0}');
        }
        for (number, _) in marks {
            let start = run.text.len();
            run.text.push_str(&format!("[{number}]"));
            run.marks.push((start..run.text.len(), Sign::Cite(self.cited)));
            self.cited += 1;
        }
    }

    fn set(&self, run: &Run, cells: usize) -> Vec<Line<'static>> {
        let marked: Vec<(Range<usize>, Style)> = run
            .marks
            .iter()
            .map(|(range, sign)| {
                let scope = match sign {
                    Sign::Cite(at) if self.focus == Some(*at) => Scope::CiteFocus,
                    Sign::Cite(_) => Scope::Cite,
                    Sign::Of(scope) => *scope,
                };
                (range.clone(), self.theme.style(scope))
            })
            .collect();
        rows(&run.text, cells, self.theme.style(Scope::Text), &marked)
    }

    fn running(&mut self, sentences: &[Sentence]) -> Run {
        let mut run = Run::default();
        sentences.iter().for_each(|sentence| self.append(&mut run, sentence));
        run
    }

    fn paragraph(&mut self, sentences: &[Sentence]) {
        let run = self.running(sentences);
        let lines = self.set(&run, self.cells);
        self.lines.extend(lines);
    }

    /// An item of a list behind its mark.
    fn item(&mut self, mark: &str, sentences: &[Sentence]) {
        let run = self.running(sentences);
        self.lines_of_item(mark, &run);
    }

    fn lines_of_item(&mut self, mark: &str, run: &Run) {
        let lines = self.set(run, self.cells.saturating_sub(width(mark)));
        self.lines.extend(hanging(self.theme.span(mark.to_owned(), Scope::Dim), lines));
    }

    /// Program text line by line, set in, below its label and its citations.
    fn code(&mut self, label: Option<&str>, sentence: &Sentence) {
        let mut run = Run { text: label.map(|label| flat(label).into_owned()).unwrap_or_default(), marks: Vec::new() };
        self.mark(&mut run, sentence);
        let lines = self.set(&run, self.cells);
        self.lines.extend(lines);
        let style = self.theme.style(Scope::Quote);
        for line in brief::code_lines(&sentence.text) {
            let code = line.trim_start();
            let indentation = (INDENT + width(line) - width(code)).min(self.cells / 2);
            let lines = rows(code, self.cells.saturating_sub(indentation), style, &[]);
            self.lines.extend(hanging(Span::raw(" ".repeat(indentation)), lines));
        }
    }

    /// A bullet that cites nothing by its nature.
    fn uncited(&mut self, text: &str) {
        let lines = rows(&flat(text), self.cells.saturating_sub(2), self.theme.style(Scope::Text), &[]);
        self.lines.extend(hanging(self.theme.span(BULLET, Scope::Dim), lines));
    }

    fn source(&mut self, number: usize, place: &str, title: &str) {
        let head = format!("[{number}] ");
        let message = if title.is_empty() || title == place { place.to_string() } else { format!("{place}: {title}") };
        let lines = rows(&message, self.cells.saturating_sub(width(&head)), self.theme.style(Scope::Text), &[]);
        self.lines.extend(hanging(self.theme.span(head, Scope::Cite), lines));
    }

    fn table(&mut self, header: &[String], rows: &[(text::Clean, Vec<Sentence>)]) {
        let columns = header.len().max(1);
        let room = self.cells.saturating_sub(3 * (columns - 1));
        let names = rows.iter().map(|(name, _)| width(name)).chain([width(header.first().map_or("", |h| h))]).max();
        let first = names.unwrap_or(0).clamp(4, (room / 4).max(4));
        let each = room.saturating_sub(first) / columns.saturating_sub(1).max(1);
        if columns < 2 || each < NARROWEST {
            return self.stacked(header, rows);
        }
        let widths: Vec<usize> = (0..columns).map(|n| if n == 0 { first } else { each }).collect();
        let bold = self.theme.style(Scope::Title);
        let head: Vec<Vec<Line<'static>>> =
            header.iter().zip(&widths).map(|(cell, wide)| crate::measure::rows(cell, *wide, bold, &[])).collect();
        self.cells_side_by_side(&head, &widths);
        let rule: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
        self.lines.push(self.theme.line(rule.join("─┼─"), Scope::Border));
        for (n, (name, sentences)) in rows.iter().enumerate() {
            if n > 0 {
                let blank: Vec<String> = widths.iter().map(|wide| " ".repeat(*wide)).collect();
                self.lines.push(self.theme.line(blank.join(" │ "), Scope::Border));
            }
            let mut row = vec![crate::measure::rows(&flat(name), first, bold, &[])];
            for (sentence, wide) in sentences.iter().zip(&widths[1..]) {
                let mut run = Run::default();
                self.append(&mut run, sentence);
                if run.text.trim().is_empty() {
                    run.text = "–".into();
                }
                row.push(self.set(&run, *wide));
            }
            self.cells_side_by_side(&row, &widths);
        }
    }

    fn cells_side_by_side(&mut self, row: &[Vec<Line<'static>>], widths: &[usize]) {
        let border = self.theme.style(Scope::Border);
        for n in 0..row.iter().map(Vec::len).max().unwrap_or(0) {
            let mut spans = Vec::new();
            for (column, wide) in widths.iter().enumerate() {
                if column > 0 {
                    spans.push(Span::styled(" │ ", border));
                }
                let cell = row.get(column).and_then(|lines| lines.get(n)).cloned().unwrap_or_default();
                let taken = cell.width();
                spans.extend(cell.spans.into_iter().map(|span| span.patch_style(cell.style)));
                spans.push(Span::raw(" ".repeat(wide.saturating_sub(taken))));
            }
            self.lines.push(Line::from(spans));
        }
    }

    /// A table too wide for its place: each row by itself, column by column.
    fn stacked(&mut self, header: &[String], rows: &[(text::Clean, Vec<Sentence>)]) {
        for (name, sentences) in rows {
            self.plain(&flat(name), Scope::Title);
            for (column, sentence) in header.iter().skip(1).zip(sentences) {
                if sentence.text.is_empty() {
                    self.uncited(&format!("{column}: –"));
                    continue;
                }
                // The signs are those of the cell, and not of the cell with its column.
                let mut run = Run { text: format!("{column}: {}", flat(&sentence.text)), marks: Vec::new() };
                self.mark(&mut run, sentence);
                self.lines_of_item(BULLET, &run);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_in_the_persons_words_is_marked_also_where_its_table_is_stacked() {
        let cell = Sentence { text: "Backups cost nothing.".into(), cites: vec![] };
        let rows = vec![("Qdrant".into(), vec![cell])];
        let table = Piece::Table { label: None, header: vec!["".into(), "Backups".into()], rows };
        let sections = vec![brief::Section { heading: "S".into(), pieces: vec![table] }];
        for (yours, marked) in [(vec!["Backups cost nothing.".into()], true), (vec![], false)] {
            let draft = Draft { sections: sections.clone(), yours, ..Draft::default() };
            for cells in [70, 16] {
                let text: Vec<String> =
                    lines(&draft, &[], cells, None, &Theme::bare()).iter().map(ToString::to_string).collect();
                assert_eq!(text.join("\n").contains("nothing.\u{a0}✎"), marked, "{text:#?}");
            }
        }
    }

    #[test]
    fn the_heading_of_a_narrow_column_is_whole() {
        let cell = || Sentence { text: "100".into(), cites: vec![] };
        let header = ["", "HNSW build breadth default", "Licence", "Highest dimension of a vector"].map(Clean::from);
        let rows = vec![("Qdrant".into(), vec![cell(), cell(), cell()])];
        let section = brief::Section {
            heading: "Compared".into(),
            pieces: vec![Piece::Table { label: None, header: header.into(), rows }],
        };
        let draft = Draft { sections: vec![section], ..Draft::default() };
        let text: Vec<String> = lines(&draft, &[], 70, None, &Theme::bare()).iter().map(ToString::to_string).collect();
        let columns =
            || text.iter().take_while(|line| !line.contains('┼')).map(|line| line.split(" │ ").collect::<Vec<_>>());
        let heading = |n: usize| columns().filter_map(|row| Some(row.get(n)?.trim())).collect::<Vec<_>>().join(" ");
        assert_eq!(heading(1).trim(), "HNSW build breadth default", "{text:#?}");
        assert_eq!(heading(3).trim(), "Highest dimension of a vector", "{text:#?}");
    }
}
