//! The draft, and the brief it becomes: sentences that cite findings.

mod above;
mod markdown;
mod numbering;
mod places;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::id::FindingId;
use markdown::one_line;
use text::Clean;

pub use above::Above;
pub use markdown::{Form, body, code_lines, markdown};
pub use numbering::{Cited, Numbering, YOURS, YOURS_MEANS, Yours, by_words, yours};

/// The text that the writer returns, with its citations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The title of the brief.
    pub title: Clean,
    /// The way in which it was made, and its reservations (extractive, partial, best effort); shown under the title.
    pub notes: Vec<Clean>,
    /// The body.
    pub sections: Vec<Section>,
    /// The gaps: things that were asked and not found.
    pub gaps: Vec<Clean>,
    /// Contradictions between the sources, one cited sentence each.
    pub disagreements: Vec<Sentence>,
    /// The author of its sentences.
    #[serde(default, skip_serializing_if = "Wording::is_quoted")]
    pub wording: Wording,
    /// The sentences that the person put into their own words, as they wrote them, also those that a writer has lost since. No
    /// writer makes such ones, and no gate holds them to the words of a finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<Clean>,
    /// The sentences that the person took out, of a table the row as one sentence. No later draft has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<Clean>,
    /// Lines that a writer put under the gaps although they state something. They are left out; the writer is told if it writes
    /// again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_gaps: Vec<Clean>,
}

/// The author of a draft's sentences: it decides how they are checked.
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
        /// Its introduction, which states nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Clean>,
        /// The number of the first item, where they are numbered: their order is part of their meaning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u64>,
        /// In order.
        #[serde(rename = "sentences")]
        items: Vec<Item>,
    },
    /// Several things, aspect by aspect.
    Table {
        /// Its introduction, which states nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Clean>,
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

    /// The findings that its sentences cite, in order, some more than once.
    pub fn cited(&self) -> impl Iterator<Item = FindingId> {
        self.sentences().flat_map(|sentence| sentence.cites.iter().copied())
    }

    /// Of a sentence of the draft that is the cell of a table, the names of its row and its column.
    pub fn cell(&self, sentence: &Sentence) -> Option<(&Clean, &Clean)> {
        let mut pieces = self.sections.iter().flat_map(|section| &section.pieces);
        pieces.find_map(|piece| {
            let Piece::Table { header, rows, .. } = piece else { return None };
            rows.iter().find_map(|(name, cells)| {
                let at = cells.iter().position(|cell| std::ptr::eq(cell, sentence))?;
                Some((name, header.get(at + 1)?))
            })
        })
    }

    /// Whether a sentence of the draft is program text.
    pub fn is_code(&self, sentence: &Sentence) -> bool {
        let is_it = |piece: &Piece| matches!(piece, Piece::Code { sentence: code, .. } if std::ptr::eq(code, sentence));
        self.sections.iter().flat_map(|section| &section.pieces).any(is_it)
    }

    /// The units that a reviewer judges: each sentence, and each row of a table as one sentence with the names of its columns.
    pub fn statements(&self) -> Vec<Sentence> {
        self.judged_together().into_iter().map(|(statement, _)| statement).collect()
    }

    /// The same units, each with the sentences of the draft that it holds: itself, or the cells of its row.
    pub fn judged_together(&self) -> Vec<(Sentence, Vec<&Sentence>)> {
        let alone = |sentence| (Sentence::clone(sentence), vec![sentence]);
        let mut all = Vec::new();
        for piece in self.sections.iter().flat_map(|section| &section.pieces) {
            match piece {
                Piece::Table { header, rows, .. } => {
                    all.extend(rows.iter().map(|row| (row_as_sentence(header, row), row.1.iter().collect())));
                }
                piece => all.extend(piece.sentences().map(alone)),
            }
        }
        all.extend(self.disagreements.iter().map(alone));
        all.retain(|(statement, _)| !statement.text.is_empty());
        all
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

    /// The title, the headings, the introductions of lists, tables and program text, and the names of rows and columns, each with
    /// the sentences below or beside it; empty ones are left out.
    pub fn labels(&self) -> Vec<(&Clean, Vec<&Sentence>)> {
        let mut labels = vec![(&self.title, self.sentences().collect())];
        for section in &self.sections {
            labels.push((&section.heading, section.pieces.iter().flat_map(Piece::sentences).collect()));
            for piece in &section.pieces {
                labels.extend(piece.label().map(|label| (label, piece.sentences().collect())));
                let Piece::Table { header, rows, .. } = piece else { continue };
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
                if let Piece::List { label, .. } | Piece::Table { label, .. } | Piece::Code { label, .. } = piece {
                    label.take_if(|label| goes(label));
                }
                let Piece::Table { header, rows, .. } = piece else { continue };
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
        }
        self.drop_what_is_empty();
        struck
    }

    /// Whether it has this text as a sentence, as a row of a table or as a label.
    pub fn holds(&self, text: &Clean) -> bool {
        self.sentences().any(|sentence| sentence.text == *text)
            || self.labels().iter().any(|(label, _)| *label == text)
            || self.statements().iter().any(|statement| statement.text == *text)
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

    /// Whether one of its sentences has this text.
    pub fn has(&self, text: &Clean) -> bool {
        self.sentences().any(|sentence| sentence.text == *text)
    }

    /// Holds it to the person's changes of the draft before it: only the sentences that they wrote there are theirs, and those that
    /// they took out stay out. A sentence of theirs that is `open` to be changed is no longer theirs once it is gone.
    pub fn hold_to(&mut self, before: Option<&Draft>, is_open: impl Fn(&Clean) -> bool) {
        let (yours, struck) = before.map(|draft| (&draft.yours[..], &draft.struck[..])).unwrap_or_default();
        self.yours = yours.iter().filter(|text| self.has(text) || !is_open(text)).cloned().collect();
        self.struck = struck.to_vec();
        // Capitals and the last mark make no other sentence.
        let form = |text: &str| one_line(text).trim_end_matches(['.', '!', ':', ';']).to_lowercase();
        let struck: BTreeSet<String> = struck.iter().map(|text| form(text)).collect();
        if !struck.is_empty() {
            self.strike(|sentence| struck.contains(&form(&sentence.text)));
        }
    }

    /// Takes out the sentence at this place, from 0, and every one with the same text outside of tables: it says nothing more. Of a
    /// table the whole row goes, and no other. The text that is out; None if there is no such sentence.
    pub fn strike_at(&mut self, at: usize) -> Option<Clean> {
        if let Some((piece, row)) = self.row_at(at) {
            let mut pieces = self.sections.iter_mut().flat_map(|section| &mut section.pieces);
            let Some(Piece::Table { header, rows, .. }) = pieces.nth(piece) else { return None };
            let struck = row_as_sentence(header, &rows.remove(row)).text;
            self.drop_what_is_empty();
            return Some(struck);
        }
        let struck = self.sentences().nth(at)?.text.clone();
        self.strike(|sentence| sentence.text == struck);
        Some(struck)
    }

    /// Of the sentence at this place, if it is the cell of a table: the place of the table among all pieces, and that of its row.
    pub fn row_at(&self, at: usize) -> Option<(usize, usize)> {
        let wanted: *const Sentence = self.sentences().nth(at)?;
        let pieces = self.sections.iter().flat_map(|section| &section.pieces).enumerate();
        pieces.into_iter().find_map(|(n, piece)| {
            let Piece::Table { rows, .. } = piece else { return None };
            let has = |(_, cells): &(Clean, Vec<Sentence>)| cells.iter().any(|cell| std::ptr::eq(cell, wanted));
            Some((n, rows.iter().position(has)?))
        })
    }

    /// Takes out every sentence that `is_out` names, of tables the whole row, with the pieces and sections that are empty then; how many.
    pub fn strike(&mut self, is_out: impl Fn(&Sentence) -> bool) -> usize {
        let before = self.sentences().count();
        self.replace(is_out, |_| Vec::new());
        before - self.sentences().count()
    }

    /// Puts other sentences in the place of every one that `is_out` names. In place of a row, of which one cell or all of it is named,
    /// they stand below its table.
    pub fn replace(&mut self, is_out: impl Fn(&Sentence) -> bool, mut instead: impl FnMut(&Sentence) -> Vec<Sentence>) {
        let put_each = |sentences: &mut Vec<Sentence>, instead: &mut dyn FnMut(&Sentence) -> Vec<Sentence>| {
            let put = |one: Sentence| if is_out(&one) { instead(&one) } else { vec![one] };
            *sentences = std::mem::take(sentences).into_iter().flat_map(put).collect();
        };
        for section in &mut self.sections {
            let mut pieces = Vec::new();
            for mut piece in std::mem::take(&mut section.pieces) {
                let mut below = Vec::new();
                match &mut piece {
                    Piece::Paragraph { sentences } => put_each(sentences, &mut instead),
                    Piece::List { items, .. } => {
                        items.iter_mut().for_each(|Item(sentences)| put_each(sentences, &mut instead));
                        items.retain(|Item(sentences)| !sentences.is_empty());
                    }
                    // A row without one of its cells would say that there is nothing to say.
                    Piece::Table { header, rows, .. } => rows.retain(|row| {
                        let whole = row_as_sentence(header, row);
                        let mut all = row.1.iter().filter(|cell| !cell.text.is_empty()).chain([&whole]);
                        let goes = all.any(&is_out);
                        if goes {
                            below.extend(instead(&whole));
                        }
                        !goes
                    }),
                    Piece::Code { sentence, .. } if is_out(sentence) => below = instead(&std::mem::take(sentence)),
                    Piece::Code { .. } => {}
                }
                pieces.extend([piece, Piece::Paragraph { sentences: below }]);
            }
            section.pieces = pieces;
        }
        self.drop_what_is_empty();
        put_each(&mut self.disagreements, &mut instead);
    }

    /// Drops pieces without a sentence, and sections without a piece.
    fn drop_what_is_empty(&mut self) {
        for section in &mut self.sections {
            section.drop_empty(&self.yours);
        }
        self.sections.retain(|section| !section.pieces.is_empty());
    }

    /// Words of the body, disagreements and gaps, citations not counted.
    pub fn words(&self) -> usize {
        let count = |text: &str| text.split_whitespace().count();
        self.sentences().map(|s| count(&s.text)).sum::<usize>() + self.gaps.iter().map(|g| count(g)).sum::<usize>()
    }
}

impl Section {
    /// Takes out the pieces that say nothing. A sentence that announced one ends with a full stop then, but for those of the person.
    fn drop_empty(&mut self, yours: &[Clean]) {
        let mut kept: Vec<Piece> = Vec::new();
        for piece in std::mem::take(&mut self.pieces) {
            if piece.sentences().any(|sentence| !sentence.text.is_empty()) {
                kept.push(piece);
            } else if !matches!(piece, Piece::Paragraph { .. })
                && let Some(before @ (Piece::Paragraph { .. } | Piece::List { .. })) = kept.last_mut()
                && let Some(last) = before.sentences_mut().last().filter(|last| !yours.contains(&last.text))
                && let Some(announced) = last.text.strip_suffix(':')
            {
                last.text = Clean::line(&format!("{announced}."));
            }
        }
        self.pieces = kept;
    }
}

impl Piece {
    /// The words above its sentences, without which they may mean nothing.
    pub fn label(&self) -> Option<&Clean> {
        match self {
            Piece::List { label, .. } | Piece::Table { label, .. } | Piece::Code { label, .. } => label.as_ref(),
            Piece::Paragraph { .. } => None,
        }
    }

    /// Its sentences, each row of a table as one of them.
    fn statements(&self) -> Vec<Sentence> {
        match self {
            Piece::Table { header, rows, .. } => rows.iter().map(|row| row_as_sentence(header, row)).collect(),
            piece => piece.sentences().cloned().collect(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_instead_of_sentences_stands_where_they_stood_and_below_the_table_for_a_row() {
        let said = |text: &str| Sentence { text: text.into(), cites: vec![] };
        let cells = |texts: [&str; 2]| texts.map(said).to_vec();
        let rows = vec![("free".into(), cells(["bad", "1"])), ("pro".into(), cells(["2", "3"]))];
        let pieces = vec![
            Piece::Paragraph { sentences: vec![said("One."), said("bad"), said("Two.")] },
            Piece::List { label: None, first: None, items: vec![said("bad").into(), said("good").into()] },
            Piece::Table { label: None, header: ["plan", "queues", "days"].map(Clean::from).to_vec(), rows },
            Piece::Code { label: None, sentence: said("bad") },
        ];
        let sections = vec![Section { heading: "".into(), pieces }];
        let whole = Draft { sections, disagreements: vec![said("bad")], ..Draft::default() };
        let is_bad = |sentence: &Sentence| sentence.text.as_str() == "bad";
        let mut put = whole.clone();
        put.replace(is_bad, |one| vec![said(&format!("({})", one.text))]);
        let texts: Vec<&str> = put.sentences().map(|one| one.text.as_str()).collect();
        let row = "(plan: free; queues: bad; days: 1)";
        assert_eq!(texts, ["One.", "(bad)", "Two.", "(bad)", "good", "2", "3", row, "(bad)", "(bad)"]);
        let mut struck = whole.clone();
        assert_eq!(struck.strike(is_bad), 6, "of the row both cells go");
        assert_eq!(struck.sections[0].pieces.len(), 3, "program text that is gone leaves nothing behind");
    }
}
