//! The draft, and the brief it becomes: sentences that cite findings, laid out as Markdown.

mod places;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::evidence::{Place, SourceRef};
use super::finding::{Finding, WordsOf};
use super::id::{FindingId, SourceId};
use text::Clean;

/// What the writer returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The title of the brief.
    pub title: Clean,
    /// How it was made and what to keep in mind (extractive, partial, best effort); shown under the title.
    pub notes: Vec<Clean>,
    /// The body.
    pub sections: Vec<Section>,
    /// What was asked and not found.
    pub gaps: Vec<Clean>,
    /// Where the sources contradict each other, one cited sentence each.
    pub disagreements: Vec<Sentence>,
    /// Whose sentences they are.
    #[serde(default, skip_serializing_if = "Wording::is_quoted")]
    pub wording: Wording,
    /// The sentences that the person put into their own words, as they wrote them. No writer makes such ones, and no gate holds
    /// them to the words of a finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<Clean>,
    /// Lines that a writer put under the gaps although they state something. They are left out; the writer is told if it writes
    /// again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_gaps: Vec<Clean>,
}

/// Whose sentences a draft is made of: it decides how they are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// Those of its findings, to the letter.
    #[default]
    Quoted,
    /// The writer's own, over its findings.
    Reworded,
}

impl Wording {
    fn is_quoted(&self) -> bool {
        *self == Wording::Quoted
    }
}

/// One part of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Its heading.
    pub heading: Clean,
    /// Its pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Piece {
    /// Sentences that run on.
    Paragraph {
        /// In order.
        sentences: Vec<Sentence>,
    },
    /// Bullets, or numbered steps.
    List {
        /// What it lists, above it; it states nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Clean>,
        /// The number of the first item, where they are numbered: their order is part of what they say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u64>,
        /// In order.
        #[serde(rename = "sentences")]
        items: Vec<Item>,
    },
    /// Several things, aspect by aspect.
    Table {
        /// Header cells; the first is above the row names.
        header: Vec<Clean>,
        /// Rows: a name, then one cell a column.
        rows: Vec<(Clean, Vec<Sentence>)>,
    },
    /// Program text, line by line.
    Code {
        /// The words of its source on its purpose, above it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Clean>,
        /// The lines, as one statement.
        sentence: Sentence,
    },
}

/// An item of a list: its sentences, which run on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ItemInJson", into = "ItemInJson")]
pub struct Item(pub Vec<Sentence>);

/// An item in JSON: a single sentence stands without a list around it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ItemInJson {
    One(Sentence),
    Several(Vec<Sentence>),
}

impl From<ItemInJson> for Item {
    fn from(item: ItemInJson) -> Self {
        match item {
            ItemInJson::One(sentence) => Item(vec![sentence]),
            ItemInJson::Several(sentences) => Item(sentences),
        }
    }
}

impl From<Item> for ItemInJson {
    fn from(Item(mut sentences): Item) -> Self {
        match sentences.len() {
            1 => ItemInJson::One(sentences.remove(0)),
            _ => ItemInJson::Several(sentences),
        }
    }
}

impl From<Sentence> for Item {
    fn from(sentence: Sentence) -> Self {
        Item(vec![sentence])
    }
}

/// One sentence (or table cell) with the findings it rests on. An empty cell has neither.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// The text, without its citation.
    pub text: Clean,
    /// The findings it rests on.
    pub cites: Vec<FindingId>,
}

impl Draft {
    /// Every sentence of the body and of the disagreements, in order; empty table cells are left out.
    pub fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        self.sections
            .iter()
            .flat_map(|section| &section.pieces)
            .flat_map(Piece::sentences)
            .chain(&self.disagreements)
            .filter(|sentence| !sentence.text.is_empty())
    }

    /// Of a sentence of the draft that is the cell of a table, the names of its row and its column.
    pub fn cell(&self, sentence: &Sentence) -> Option<(&Clean, &Clean)> {
        let mut pieces = self.sections.iter().flat_map(|section| &section.pieces);
        pieces.find_map(|piece| {
            let Piece::Table { header, rows } = piece else { return None };
            rows.iter().find_map(|(name, cells)| {
                let at = cells.iter().position(|cell| std::ptr::eq(cell, sentence))?;
                Some((name, header.get(at + 1)?))
            })
        })
    }

    /// The units that a reviewer judges: each sentence, and each row of a table as one sentence with the names of its columns.
    pub fn statements(&self) -> Vec<Sentence> {
        let of_piece = |piece: &Piece| match piece {
            Piece::Table { header, rows } => rows.iter().map(|row| row_as_sentence(header, row)).collect(),
            piece => piece.sentences().cloned().collect::<Vec<_>>(),
        };
        let pieces = self.sections.iter().flat_map(|section| &section.pieces);
        let all = pieces.flat_map(of_piece).chain(self.disagreements.iter().cloned());
        all.filter(|statement| !statement.text.is_empty()).collect()
    }

    /// The same sentences, to change.
    pub fn sentences_mut(&mut self) -> impl Iterator<Item = &mut Sentence> {
        self.sections
            .iter_mut()
            .flat_map(|section| &mut section.pieces)
            .flat_map(Piece::sentences_mut)
            .chain(&mut self.disagreements)
            .filter(|sentence| !sentence.text.is_empty())
    }

    /// The title, the headings, what introduces lists and program text, and the names of rows and columns, each with the sentences below
    /// or beside it; empty ones are left out.
    pub fn labels(&self) -> Vec<(&Clean, Vec<&Sentence>)> {
        let mut labels = vec![(&self.title, self.sentences().collect())];
        for section in &self.sections {
            labels.push((&section.heading, section.pieces.iter().flat_map(Piece::sentences).collect()));
            for piece in &section.pieces {
                labels.extend(piece.label().map(|label| (label, piece.sentences().collect())));
                let Piece::Table { header, rows } = piece else { continue };
                // Below the first cell of the header are names.
                let column = |at: usize| rows.iter().filter_map(|(_, cells)| cells.get(at.checked_sub(1)?)).collect();
                labels.extend(header.iter().enumerate().map(|(at, name)| (name, column(at))));
                labels.extend(rows.iter().map(|(name, cells)| (name, cells.iter().collect())));
            }
        }
        labels.retain(|(label, _)| !label.is_empty());
        labels
    }

    /// Takes out the labels that `is_out` names, but for the title; how many. Sections get another heading, rows and columns go with
    /// their names.
    pub fn strike_labels(&mut self, is_out: impl Fn(&Clean) -> bool, heading: impl Fn(&Section) -> Clean) -> usize {
        let mut struck = 0;
        let mut goes = |label: &Clean| {
            let goes = is_out(label);
            struck += usize::from(goes);
            goes
        };
        for section in &mut self.sections {
            if goes(&section.heading) {
                section.heading = heading(section);
            }
            for piece in &mut section.pieces {
                if let Piece::List { label, .. } | Piece::Code { label, .. } = piece {
                    label.take_if(|label| goes(label));
                }
                let Piece::Table { header, rows } = piece else { continue };
                rows.retain(|(name, _)| !goes(name));
                for at in (0..header.len()).rev().filter(|at| goes(&header[*at])).collect::<Vec<_>>() {
                    match at.checked_sub(1) {
                        None => header[0] = Clean::default(),
                        Some(cell) => {
                            header.remove(at);
                            rows.iter_mut()
                                .filter(|(_, cells)| cell < cells.len())
                                .for_each(|(_, cells)| drop(cells.remove(cell)));
                        }
                    }
                }
            }
            section.pieces.retain(|piece| piece.sentences().any(|sentence| !sentence.text.is_empty()));
        }
        self.sections.retain(|section| !section.pieces.is_empty());
        struck
    }

    /// Whether a sentence is one that the person put into their own words.
    pub fn is_yours(&self, sentence: &Sentence) -> bool {
        self.yours.contains(&sentence.text)
    }

    /// Makes program text that the person put into their own words running text: it is code no more.
    pub fn unfence_yours(&mut self) {
        for piece in self.sections.iter_mut().flat_map(|section| &mut section.pieces) {
            if let Piece::Code { sentence, .. } = piece
                && self.yours.contains(&sentence.text)
            {
                *piece = Piece::Paragraph { sentences: vec![std::mem::take(sentence)] };
            }
        }
    }

    /// Keeps of what it says is the person's only what it holds, and what they did write.
    pub fn keep_yours_of(&mut self, before: Option<&Draft>) {
        let written = before.map(|draft| &draft.yours[..]).unwrap_or_default();
        let is_there = |text: &Clean| self.sentences().any(|sentence| sentence.text == *text);
        self.yours = written.iter().filter(|text| is_there(text)).cloned().collect();
    }

    /// Takes out every sentence that `is_out` names, of tables the whole row, with the pieces and sections that are empty then; how many.
    pub fn strike(&mut self, is_out: impl Fn(&Sentence) -> bool) -> usize {
        let before = self.sentences().count();
        for section in &mut self.sections {
            for piece in &mut section.pieces {
                match piece {
                    Piece::Paragraph { sentences } => sentences.retain(|s| !is_out(s)),
                    Piece::List { items, .. } => {
                        items.iter_mut().for_each(|Item(sentences)| sentences.retain(|s| !is_out(s)));
                        items.retain(|Item(sentences)| !sentences.is_empty());
                    }
                    // A row without one of its cells would say that there is nothing to say.
                    Piece::Table { header, rows } => {
                        let has_out =
                            |cells: &[Sentence]| cells.iter().any(|cell| !cell.text.is_empty() && is_out(cell));
                        rows.retain(|row| !has_out(&row.1) && !is_out(&row_as_sentence(header, row)));
                    }
                    Piece::Code { sentence, .. } if is_out(sentence) => *sentence = Sentence::default(),
                    Piece::Code { .. } => {}
                }
            }
            section.pieces.retain(|piece| piece.sentences().any(|sentence| !sentence.text.is_empty()));
        }
        self.sections.retain(|section| !section.pieces.is_empty());
        self.disagreements.retain(|sentence| !is_out(sentence));
        before - self.sentences().count()
    }

    /// Words of the body, disagreements and gaps, citations not counted.
    pub fn words(&self) -> usize {
        let count = |text: &str| text.split_whitespace().count();
        self.sentences().map(|s| count(&s.text)).sum::<usize>() + self.gaps.iter().map(|g| count(g)).sum::<usize>()
    }
}

impl Piece {
    /// The words above its sentences, without which they may mean nothing.
    pub fn label(&self) -> Option<&Clean> {
        match self {
            Piece::List { label, .. } | Piece::Code { label, .. } => label.as_ref(),
            Piece::Paragraph { .. } | Piece::Table { .. } => None,
        }
    }

    /// Its sentences, in order.
    pub fn sentences(&self) -> Box<dyn Iterator<Item = &Sentence> + '_> {
        match self {
            Piece::Paragraph { sentences } => Box::new(sentences.iter()),
            Piece::List { items, .. } => Box::new(items.iter().flat_map(|Item(sentences)| sentences)),
            Piece::Table { rows, .. } => Box::new(rows.iter().flat_map(|(_, cells)| cells)),
            Piece::Code { sentence, .. } => Box::new(std::iter::once(sentence)),
        }
    }

    fn sentences_mut(&mut self) -> Box<dyn Iterator<Item = &mut Sentence> + '_> {
        match self {
            Piece::Paragraph { sentences } => Box::new(sentences.iter_mut()),
            Piece::List { items, .. } => Box::new(items.iter_mut().flat_map(|Item(sentences)| sentences)),
            Piece::Table { rows, .. } => Box::new(rows.iter_mut().flat_map(|(_, cells)| cells)),
            Piece::Code { sentence, .. } => Box::new(std::iter::once(sentence)),
        }
    }
}

/// A row of a table as one sentence, each cell with the name of its column: "plan: free; queues: three".
fn row_as_sentence(header: &[Clean], (name, cells): &(Clean, Vec<Sentence>)) -> Sentence {
    let texts = std::iter::once(name).chain(cells.iter().map(|cell| &cell.text));
    let told = texts.zip(header).filter(|(text, _)| !text.is_empty()).map(|(text, column)| match column.is_empty() {
        true => text.to_string(),
        false => format!("{column}: {text}"),
    });
    let mut cites: Vec<FindingId> = cells.iter().flat_map(|cell| cell.cites.iter().copied()).collect();
    let mut seen = BTreeSet::new();
    cites.retain(|id| seen.insert(*id));
    Sentence { text: told.collect::<Vec<_>>().join("; ").into(), cites }
}

/// A source with its number in the brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cited<'a> {
    /// A document.
    Document(&'a SourceRef),
    /// The person, whose words have no source: they added them, or wrote them over a finding whose quote went.
    Person,
}

/// Numbers for the sources a draft rests on, in the order in which it cites them.
pub struct Numbering<'a> {
    findings: Vec<&'a Finding>,
    numbers: Vec<(Option<SourceId>, Cited<'a>)>,
}

impl<'a> Numbering<'a> {
    /// Numbers the sources of `draft`, whose citations are among `findings`.
    pub fn new(draft: &Draft, findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut findings: Vec<&Finding> = findings.into_iter().collect();
        findings.sort_by_key(|finding| finding.id);
        let mut numbering = Numbering { findings, numbers: Vec::new() };
        for id in draft.sentences().flat_map(|sentence| &sentence.cites) {
            let Some(finding) = numbering.finding(*id) else { continue };
            match &finding.place {
                Some(place) => numbering.add(Some(place.source.id.clone()), Cited::Document(&place.source)),
                None => numbering.add(None, Cited::Person),
            }
        }
        numbering
    }

    fn add(&mut self, key: Option<SourceId>, cited: Cited<'a>) {
        if !self.numbers.iter().any(|(known, _)| *known == key) {
            self.numbers.push((key, cited));
        }
    }

    fn finding(&self, id: FindingId) -> Option<&'a Finding> {
        self.findings.binary_search_by_key(&id, |finding| finding.id).ok().map(|at| self.findings[at])
    }

    /// The number of the source a finding rests on, from 1.
    pub fn of(&self, id: FindingId) -> Option<usize> {
        let key = self.finding(id)?.place.as_ref().map(|place| place.source.id.clone());
        self.numbers.iter().position(|(known, _)| *known == key).map(|at| at + 1)
    }

    /// The numbers of a sentence's sources as it shows them: `[1][3]`.
    pub fn marks(&self, sentence: &Sentence) -> String {
        let mut numbers: Vec<usize> = sentence.cites.iter().filter_map(|id| self.of(*id)).collect();
        let mut seen = Vec::new();
        numbers.retain(|n| {
            !seen.contains(n) && {
                seen.push(*n);
                true
            }
        });
        numbers.iter().fold(String::new(), |mut marks, n| {
            let _ = write!(marks, "[{n}]");
            marks
        })
    }

    /// What a sentence says in the person's words: the findings behind it that they reworded or added. A sentence in the words of
    /// the quote says nothing in theirs.
    pub fn in_your_words<'s>(&'s self, sentence: &'s Sentence) -> impl Iterator<Item = &'a Finding> + 's {
        let cited = sentence.cites.iter().filter_map(|id| self.finding(*id));
        let text = one_line(sentence.text.trim_end_matches('.'));
        cited.filter(move |finding| finding.words_of.is_of_person() && !one_line(&finding.quote).contains(&text))
    }

    /// The numbers of a sentence's sources, with [`YOURS`] where it says something in the person's words.
    fn signs(&self, sentence: &Sentence) -> String {
        let marks = self.marks(sentence);
        match self.in_your_words(sentence).next() {
            None => marks,
            Some(_) if marks.is_empty() => YOURS.into(),
            Some(_) => format!("{marks} {YOURS}"),
        }
    }

    /// The sources, number 1 first.
    pub fn sources(&self) -> impl Iterator<Item = &Cited<'a>> {
        self.numbers.iter().map(|(_, cited)| cited)
    }
}

/// The sign of what is in the person's words, not in a source's or a model's.
pub const YOURS: char = '✎';

/// A statement of a brief in the person's words, with what it replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Yours<'a> {
    /// Its name.
    pub finding: FindingId,
    /// What the person wrote.
    pub words: &'a Clean,
    /// The text of the source at the place that the brief cites; None where the words have no source.
    pub original: Option<&'a Clean>,
}

/// What a draft says in the person's words, each once, in the order in which it is cited.
pub fn yours<'a>(draft: &Draft, findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Yours<'a>> {
    let numbering = Numbering::new(draft, findings);
    let mut all: Vec<Yours<'a>> = Vec::new();
    for finding in draft.sentences().flat_map(|sentence| numbering.in_your_words(sentence)) {
        if all.iter().all(|known| known.finding != finding.id) {
            let original = (finding.words_of == WordsOf::PersonEdited).then_some(&finding.quote);
            all.push(Yours { finding: finding.id, words: &finding.claim, original });
        }
    }
    all
}

/// The line above the list of what is in the person's words, which says what the sign means.
pub const YOURS_MEANS: &str = "What is marked ✎ is in your words, not in those of a source.";

/// A text in whose own words no number in brackets reads as one of the brief's citations.
fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let inner = rest[at + 1..].split(']').next().unwrap_or("");
        let is_mark =
            !inner.is_empty() && inner.len() < rest.len() - at - 1 && inner.bytes().all(|b| b.is_ascii_digit());
        out.push_str(&rest[..at]);
        out.push_str(if is_mark { "\\[" } else { "[" });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out
}

/// Sentences that run on.
fn run_on(sentences: &[Sentence], cited: impl Fn(&Sentence) -> String) -> String {
    sentences.iter().map(cited).collect::<Vec<_>>().join(" ")
}

/// The body of a draft as Markdown: sections, gaps, disagreements. Each sentence is followed by its `signs`.
pub fn body(draft: &Draft, signs: impl Fn(&Sentence) -> String) -> String {
    let mut out = String::new();
    let cited = |sentence: &Sentence| match signs(sentence) {
        marks if marks.is_empty() => without_marks(&sentence.text),
        marks => format!("{} {marks}", without_marks(&sentence.text)),
    };
    for section in &draft.sections {
        // The lead of a model's brief stands above the first heading.
        if !section.heading.is_empty() {
            let _ = write!(out, "\n## {}\n", without_marks(&section.heading));
        }
        for piece in &section.pieces {
            out.push('\n');
            match piece {
                Piece::Paragraph { sentences } => {
                    let _ = writeln!(out, "{}", run_on(sentences, cited));
                }
                Piece::List { label, first, items } => {
                    if let Some(label) = label {
                        let _ = write!(out, "**{}**\n\n", without_marks(label));
                    }
                    for (n, Item(sentences)) in (0..).zip(items) {
                        let mark = first.map_or("-".into(), |first| format!("{}.", first + n));
                        let _ = writeln!(out, "{mark} {}", run_on(sentences, cited));
                    }
                }
                Piece::Table { header, rows } => {
                    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
                    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
                    out.push_str(&line(header.iter().map(|name| cell(&without_marks(name))).collect()));
                    out.push_str(&line(header.iter().map(|_| "---".to_string()).collect()));
                    for (name, cells) in rows {
                        let mut row = vec![cell(&without_marks(name))];
                        row.extend(cells.iter().map(|c| if c.text.is_empty() { "–".into() } else { cell(&cited(c)) }));
                        out.push_str(&line(row));
                    }
                }
                Piece::Code { label, sentence } => {
                    let label = label.iter().map(|label| without_marks(label));
                    let above: Vec<String> = label.chain([signs(sentence)]).collect();
                    let (fence, code) = (fence(&sentence.text), code_lines(&sentence.text).join("\n"));
                    let _ = writeln!(out, "{}\n\n{fence}\n{code}\n{fence}", above.join(" ").trim());
                }
            }
        }
    }
    if !draft.gaps.is_empty() {
        out.push_str("\n## Gaps\n\n");
        for gap in &draft.gaps {
            let _ = writeln!(out, "- {}", without_marks(gap));
        }
    }
    if !draft.disagreements.is_empty() {
        out.push_str("\n## Disagreements\n\n");
        for sentence in &draft.disagreements {
            let _ = writeln!(out, "- {}", cited(sentence));
        }
    }
    out
}

/// The brief as Markdown: title, notes, sections, gaps, disagreements, sources. Nothing in it depends on the clock.
pub fn markdown<'a>(draft: &Draft, findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let findings: Vec<&Finding> = findings.into_iter().collect();
    let numbering = Numbering::new(draft, findings.iter().copied());
    let mut out = format!("# {}\n", without_marks(&draft.title));
    for note in &draft.notes {
        let _ = write!(out, "\n_{note}_\n");
    }
    out.push_str(&body(draft, |sentence| numbering.signs(sentence)));
    let yours = yours(draft, findings.iter().copied());
    if !yours.is_empty() {
        let _ = write!(out, "\n## In your words\n\n{YOURS_MEANS}\n\n");
        for yours in yours {
            let number = numbering.of(yours.finding).map_or(String::new(), |n| format!(" [{n}]"));
            let words = without_marks(yours.words);
            let _ = match yours.original {
                Some(original) => {
                    writeln!(out, "- “{words}” The source says:{number} “{}”", without_marks(&one_line(original)))
                }
                None => writeln!(out, "- “{words}” You wrote it, without a source."),
            };
        }
    }
    if numbering.sources().next().is_some() {
        let places = |source: &SourceRef| -> Vec<&Place> {
            let cited = draft.sentences().flat_map(|sentence| &sentence.cites).filter_map(|id| numbering.finding(*id));
            cited.filter_map(|finding| finding.place.as_ref()).filter(|place| place.source.id == source.id).collect()
        };
        out.push_str("\n## Sources\n\n");
        for (n, cited) in numbering.sources().enumerate() {
            let _ = match cited {
                Cited::Document(source) => {
                    let caveat = source.caveat().map(|caveat| format!(" ({caveat})")).unwrap_or_default();
                    // A file without a title is called by its name.
                    let title = if source.title == source.path { "" } else { &format!(": {}", source.title) };
                    writeln!(out, "[{}] {}{title}{caveat}{}", n + 1, source.path, places::in_short(&places(source)))
                }
                Cited::Person => writeln!(out, "[{}] you, without a source", n + 1),
            };
        }
    }
    out
}

/// The lines of program text, without the indentation that all of them have.
pub fn code_lines(code: &str) -> Vec<&str> {
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let shared = code.lines().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    code.lines().map(|line| line.get(shared..).unwrap_or("").trim_end()).collect()
}

/// The line above and below program text in Markdown: longer than any run of its own backticks.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// A quote as one line: it may span lines of its source.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Place;
    use crate::id::AssignmentId;

    #[test]
    fn words_of_the_person_are_marked_as_theirs_with_the_original_beside() {
        let id = |n| FindingId::new(AssignmentId::nth(2), n);
        let text = |text: &str| Clean::from(text);
        let source = SourceRef {
            id: SourceId("s".into()),
            path: text("a.md"),
            title: text("A"),
            sha256: text("0"),
            superseded: None,
        };
        let place = Place { source, block: 0, headings: [].into(), line: 1, start: 0, end: 9 };
        let found = |n, claim: &str, words_of| Finding {
            quote: "It stores up to\n2,000 dimensions [3].".into(),
            place: (words_of != WordsOf::Person).then(|| place.clone()),
            words_of,
            ..Finding::new(id(n), claim.into())
        };
        let findings = [
            found(1, "As it is said.", WordsOf::Source),
            found(2, "It takes 2,000.", WordsOf::PersonEdited),
            found(3, "We know better.", WordsOf::Person),
        ];
        let says = |n: u32| Sentence { text: findings[n as usize - 1].claim.clone(), cites: vec![id(n)] };
        let piece = Piece::Paragraph { sentences: vec![says(1), says(2), says(3)] };
        let draft = Draft {
            title: "T".into(),
            sections: vec![Section { heading: "S".into(), pieces: vec![piece] }],
            ..Draft::default()
        };
        let brief = markdown(&draft, &findings);
        assert!(brief.contains("As it is said. [1] It takes 2,000. [1] ✎ We know better. [2] ✎\n"), "{brief}");
        let listed = "- “It takes 2,000.” The source says: [1] “It stores up to 2,000 dimensions \\[3].”\n\
                      - “We know better.” You wrote it, without a source.\n";
        assert!(brief.contains(YOURS_MEANS) && brief.contains(listed), "{brief}");
        let quoted = Sentence { text: "It stores up to 2,000 dimensions [3].".into(), cites: vec![id(2)] };
        for (sentences, marked) in [(vec![quoted.clone()], false), (vec![quoted, says(2)], true)] {
            let sections = vec![Section { heading: "S".into(), pieces: vec![Piece::Paragraph { sentences }] }];
            let brief = markdown(&Draft { sections, ..draft.clone() }, &findings);
            assert!(!brief.contains("[3]. [1] ✎") && brief.contains(YOURS_MEANS) == marked, "{brief}");
        }
        let draft = Draft { sections: vec![], disagreements: vec![says(1)], ..draft };
        assert!(!markdown(&draft, &findings).contains('✎'), "what is the sources' is not marked");
    }

    #[test]
    fn program_text_stands_line_by_line_below_its_label_and_breaks_out_of_no_fence() {
        let source = SourceRef {
            id: SourceId("s".into()),
            path: "a.md".into(),
            title: "A".into(),
            sha256: "0".into(),
            superseded: None,
        };
        let id = FindingId::new(AssignmentId::nth(2), 1);
        let code = "    if it:\n\n        print(```a```)\n";
        let place = Place { source, block: 0, headings: [].into(), line: 1, start: 0, end: code.len() as u32 };
        let finding = Finding { quote: code.into(), place: Some(place), ..Finding::new(id, code.into()) };
        let piece = |label: Option<&str>| Piece::Code {
            label: label.map(Clean::from),
            sentence: Sentence { text: code.into(), cites: vec![id] },
        };
        let pieces = vec![piece(Some("To show a[1]:")), piece(None)];
        let mut draft = Draft { sections: vec![Section { heading: "S".into(), pieces }], ..Draft::default() };
        let labels: Vec<Option<&str>> = draft.sections[0].pieces.iter().map(|p| p.label().map(Clean::as_str)).collect();
        assert_eq!(labels, [Some("To show a[1]:"), None]);
        let brief = markdown(&draft, [&finding]);
        let fenced = "````\nif it:\n\n    print(```a```)\n````\n";
        assert!(brief.contains(&format!("\nTo show a\\[1]: [1]\n\n{fenced}\n[1]\n\n{fenced}")), "{brief}");
        let mut reworded = draft.clone();
        reworded.sentences_mut().take(1).for_each(|sentence| sentence.text = "Print it.".into());
        reworded.yours = vec!["Print it.".into()];
        reworded.unfence_yours();
        let own = markdown(&reworded, [&finding]);
        assert!(own.contains("\nPrint it. [1]\n") && own.matches("````\n").count() == 2, "{own}");
        assert_eq!((draft.sentences().count(), draft.strike(|sentence| sentence.text == *code)), (2, 2));
        assert!(draft.sections.is_empty());
    }

    #[test]
    fn a_number_in_brackets_within_a_sentence_is_no_citation() {
        assert_eq!(
            without_marks("It was shown in 1936 [3] and again [12]."),
            "It was shown in 1936 \\[3] and again \\[12]."
        );
        assert_eq!(without_marks("[Qdrant] takes argv[n] and []."), "[Qdrant] takes argv[n] and [].");
    }
}
