//! Values that say nothing alone: cells of tables, and short lines of a key and a value. Whether a question asks for one by its
//! name. Ranks nothing.

use crate::extractive::ask::Ask;
use crate::extractive::candidate::Candidate;
use crate::extractive::claim::{key_of_line, labelled, wants_label};
use crate::extractive::standalone::{LEAST_WORDS, count};
use crate::extractive::topic::Tokens;
use run::cells::parted;
use run::evidence::BlockKind;

/// The least share of a question in the name of a row or a key for the question to ask for its value.
const LEAST_NAMED: f64 = 0.33;

/// Whether a question asks for a value by its whole name: the row and the column of a cell, or a key.
pub(super) fn is_asked(c: &Candidate, ask: &Ask) -> bool {
    match c.block.kind {
        BlockKind::TableRow => match name_of_cell(c) {
            (Some(column), row) => names(row, ask) && is_in(column, ask),
            (None, row) => is_subject(row, ask),
        },
        BlockKind::KeyValue | BlockKind::ListItem => key_of(c).is_some_and(|key| is_subject(key, ask)),
        BlockKind::Paragraph | BlockKind::Code => false,
    }
}

/// The same, or a question names the row of a cell and no column of its table: it may mean each.
pub(super) fn may_be_asked(c: &Candidate, ask: &Ask) -> bool {
    let (column, row) = name_of_cell(c);
    let columns = c.block.intro.as_deref().map(parted).unwrap_or_default();
    is_asked(c, ask)
        || column.is_some() && is_subject(row, ask) && !columns.iter().skip(1).any(|(_, column)| is_in(column, ask))
}

/// Whether a claim is a line of a key and a value that says too little to those who did not ask for its key.
pub(super) fn is_short_line(c: &Candidate) -> bool {
    match c.block.kind {
        BlockKind::KeyValue => count(&c.block.text[c.claim.range.clone()]) < LEAST_WORDS,
        BlockKind::ListItem => key_of(c).is_some() && !c.claim.text.starts_with('[') && wants_label(&c.block.text),
        _ => false,
    }
}

/// The column of a cell, if its label has one, and its row.
fn name_of_cell(c: &Candidate) -> (Option<&str>, &str) {
    let label = labelled(&c.claim.text).map_or("", |(label, _)| label);
    label.split_once(", ").map_or((None, label), |(column, row)| (Some(column), row))
}

/// The key of a claim that is a line of a key and a value.
fn key_of(c: &Candidate) -> Option<&str> {
    key_of_line(&c.block.text).filter(|_| c.claim.range == (0..c.block.text.len()))
}

/// Whether a question has each word of a name.
fn names(name: &str, ask: &Ask) -> bool {
    let stems = Tokens::of(name).content();
    !stems.is_empty() && stems.iter().all(|stem| ask.weight_of(stem) > 0.0)
}

/// The same, and the name is a large part of the question.
fn is_subject(name: &str, ask: &Ask) -> bool {
    names(name, ask) && ask.share(&Tokens::of(name).content()) >= LEAST_NAMED
}

/// Whether a question has a word of a text.
fn is_in(text: &str, ask: &Ask) -> bool {
    Tokens::of(text).content().iter().any(|stem| ask.weight_of(stem) > 0.0)
}
