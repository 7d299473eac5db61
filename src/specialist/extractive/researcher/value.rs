//! Values that say nothing alone: cells of tables, and short lines of a key and a value. Whether a question asks for one by its
//! name. Ranks nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::extractive::ask::Ask;
use crate::extractive::candidate::Candidate;
use crate::extractive::claim::{is_value_line, key_of_line, labelled, wants_label};
use crate::extractive::standalone::{LEAST_WORDS, count};
use crate::extractive::topic::Tokens;
use crate::extractive::verb::has_verb;
use run::SourceId;
use run::cells::parted;
use run::evidence::BlockKind;

/// The least share of a question in the name of a row or a key for the question to ask for its value.
const LEAST_NAMED: f64 = 0.33;

/// The least share of a question in a key and the words above its list.
const LEAST_OF_BOTH: f64 = 0.5;

/// Whether a question asks for a value by its whole name: the row and the column of a cell, or a key.
pub(super) fn is_asked(c: &Candidate, ask: &Ask) -> bool {
    match c.block.kind {
        BlockKind::TableRow => match name_of_cell(c) {
            (Some(column), row) => names(row, ask) && is_in(column, ask),
            (None, row) => is_subject(row, ask),
        },
        BlockKind::KeyValue | BlockKind::ListItem | BlockKind::Paragraph => {
            key_of(c).is_some_and(|key| is_subject(key, ask))
        }
        BlockKind::Code => false,
    }
}

/// The same, or a question names the row of a cell and no column of its table: it may mean each.
pub(super) fn may_be_asked(c: &Candidate, ask: &Ask) -> bool {
    let (column, row) = name_of_cell(c);
    let columns = c.block.intro.as_deref().map(parted).unwrap_or_default();
    is_asked(c, ask)
        || column.is_some() && is_subject(row, ask) && !columns.iter().skip(1).any(|(_, column)| is_in(column, ask))
}

/// Whether a claim is a line of a key and a value that says too little if the question did not ask for its key.
pub(super) fn is_short_line(c: &Candidate) -> bool {
    match c.block.kind {
        BlockKind::KeyValue => count(&c.block.text[c.claim.range.clone()]) < LEAST_WORDS,
        BlockKind::ListItem => {
            // "networked" of a key is no verb of the line.
            let says = |text: &str| text.split_once(": ").is_some_and(|(_, value)| has_verb(value));
            let text = &c.block.text;
            key_of(c).is_some() && !c.claim.text.starts_with('[') && (wants_label(text) || !says(text))
        }
        BlockKind::Paragraph => key_of(c).is_some(),
        BlockKind::TableRow | BlockKind::Code => false,
    }
}

/// Of each candidate, whether it is a short line whose key alone of its list has some word of the question, where the words above the
/// list have others: "workstation or standalone: 30 GiB" of "How much disk space does a workstation need?"
pub(super) fn are_told_apart(found: &[Candidate], ask: &Ask) -> Vec<bool> {
    let mut lists: BTreeMap<_, Vec<(usize, BTreeSet<String>)>> = BTreeMap::new();
    for (at, c) in found.iter().enumerate().filter(|(_, c)| is_short_line(c)) {
        lists.entry((&c.source.id, &c.section, &c.block.intro)).or_default().push((at, asked_of_key(c, ask)));
    }
    let mut told = vec![false; found.len()];
    for ((_, _, intro), lines) in lists {
        let of_list = intro.as_deref().map(|intro| Tokens::of(intro).content()).unwrap_or_default();
        for (at, key) in lines.iter().filter(|(_, key)| !key.is_empty()) {
            let others = lines.iter().filter(|(other, stems)| other != at && key.is_subset(stems));
            let both: BTreeSet<String> = key.iter().chain(&of_list).chain(&*found[*at].heading).cloned().collect();
            told[*at] = others.count() == 0 && ask.share(&both) >= LEAST_OF_BOTH;
        }
    }
    told
}

/// Of each candidate, whether it is an item told below the words above its list though the question has the key of another one alone: of
/// the values for several things it asks for one.
pub(super) fn are_of_others(found: &[Candidate], ask: &Ask) -> Vec<bool> {
    let is_asked = |c: &Candidate| !asked_of_key(c, ask).is_empty();
    let is_item = |c: &Candidate| {
        let intro = c.block.intro.as_deref().map(|intro| intro.trim_end_matches([':', ' ']));
        c.block.kind == BlockKind::ListItem
            && intro.is_some()
            && labelled(&c.claim.text).map(|(label, _)| label) == intro
            && key_of(c).is_some()
    };
    fn list(c: &Candidate) -> (&SourceId, &str, Option<&str>) {
        (&c.source.id, &c.section, c.block.intro.as_deref())
    }
    let asked: BTreeSet<_> = found.iter().filter(|c| is_item(c) && is_asked(c)).map(list).collect();
    found.iter().map(|c| is_item(c) && !is_asked(c) && asked.contains(&list(c))).collect()
}

/// The stems of a claim's key that the question has.
fn asked_of_key(c: &Candidate, ask: &Ask) -> BTreeSet<String> {
    let stems = key_of(c).map(|key| Tokens::of(key).content()).unwrap_or_default();
    stems.into_iter().filter(|stem| ask.weight_of(stem) > 0.0).collect()
}

/// The column of a cell, if its label has one, and its row.
fn name_of_cell(c: &Candidate) -> (Option<&str>, &str) {
    let label = labelled(&c.claim.text).map_or("", |(label, _)| label);
    label.split_once(", ").map_or((None, label), |(column, row)| (Some(column), row))
}

/// The key of a claim that is a line of a key and a value. In a paragraph it is one of several sentences.
fn key_of(c: &Candidate) -> Option<&str> {
    let line = &c.block.text[c.claim.range.clone()];
    match c.block.kind {
        BlockKind::Paragraph => key_of_line(line).filter(|_| is_value_line(line)),
        _ => key_of_line(line).filter(|_| line.len() == c.block.text.len()),
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::Block;
    use run::id::TaskId;
    use run::plan::{Shape, Task};

    #[test]
    fn of_a_list_of_values_the_line_is_told_whose_key_the_question_has() {
        const LINES: [&str; 4] = [
            "main server: 60 GiB.",
            "terminal server: 40 GiB.",
            "workstation or standalone: 30 GiB.",
            "minimal networked machine installation: 4 GiB.",
        ];
        let mut results = ToolResults::default();
        for (text, no) in LINES.iter().zip(0..) {
            let intro =
                Some("The minimum disk space that is required depends on the profile which is installed:".into());
            let block = Block { no, kind: BlockKind::ListItem, intro, ..block(text) };
            results.blocks.insert(("page".into(), no), (source("Page"), Arc::new(block)));
        }
        let told = |question: &str| -> Vec<String> {
            let task = Task::new(TaskId(1), question.into(), question.into());
            let ask = Ask::of(&task, Shape::Overview, question, &[], &results);
            let found = candidates(&results, &Topic::default(), Code::Allowed);
            let are_told = are_told_apart(&found, &ask);
            let of_others = are_of_others(&found, &ask);
            let told = found.iter().zip(are_told.into_iter().zip(of_others));
            let told = told.filter(|(c, (is_told, is_other))| !is_other && (!is_short_line(c) || *is_told));
            told.map(|(c, _)| c.block.text.to_string()).collect()
        };
        assert_eq!(told("How much disk space does a workstation need?"), [LINES[2]]);
        assert_eq!(told("How much disk space does a server need?"), LINES[..2], "two of them are servers");
        assert_eq!(told("How much disk space is required?"), LINES, "each of them");
    }
}
