//! `profile`: a summary of a data file or log, with its anomalies. Everything is counted over the whole file, and each
//! statement comes with a line that shows it.

mod column;
mod log;
mod moment;
mod table;

use std::borrow::Cow;
use std::sync::Arc;

use run::Block;
use run::evidence::{BlockKind, Excerpt};
use run::profile::{Ailment, Form, Measure, Profile};
use text::Clean;

/// The profile of a whole file.
pub(super) fn of(whole: &Excerpt) -> Profile {
    let name = &*whole.source.path;
    let blocks = &whole.blocks;
    let mut lines = whole_lines(blocks);
    let form = form(name, &lines);
    let unread = (whole.of as usize).saturating_sub(blocks.len());
    if unread > 0 {
        // The rest of it may not have been read.
        lines.pop();
    }
    let mut measures = match form {
        Form::Table => table::of_rows(name, &lines),
        Form::Records => table::of_records(name, &lines),
        Form::Log => log::of(name, &lines),
        Form::Text => Vec::new(),
    };
    measures.extend(encoding(name, &lines));
    // The form of the file first, then the gravest anomalies, in a stable order.
    measures.sort_by_key(|measure| measure.ailment.map_or(i32::MIN, |ailment| -ailment.weight()));
    measures.truncate(Profile::MOST_MEASURES);
    let number = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
    let (blocks, of) = (number(lines.len()), number(lines.len() + unread));
    Profile { source: whole.source.clone(), form, measures, blocks, of }
}

fn form(name: &str, lines: &[Line<'_>]) -> Form {
    // The bytes and not the text: the name may be in any script.
    let ends = |ending: &str| {
        let last = name.len().checked_sub(ending.len()).filter(|before| *before > 0).map(|at| &name.as_bytes()[at..]);
        last.is_some_and(|last| last.eq_ignore_ascii_case(ending.as_bytes()))
    };
    let has_rows = || lines.iter().any(|line| line.block.kind == BlockKind::TableRow);
    let first = &lines[..lines.len().min(200)];
    let timed = first.iter().filter(|line| moment::of(&line.text).is_some()).count();
    match () {
        () if ends(".jsonl") || ends(".ndjson") => Form::Records,
        () if (ends(".csv") || ends(".tsv")) && has_rows() => Form::Table,
        () if timed * 2 > first.len() => Form::Log,
        () => Form::Text,
    }
}

/// A line of a file.
struct Line<'a> {
    text: Cow<'a, str>,
    /// The block that it is, or begins with.
    block: &'a Arc<Block>,
}

/// The lines of a file: long ones are several blocks.
fn whole_lines(blocks: &[Arc<Block>]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::with_capacity(blocks.len());
    let mut before: Option<&Arc<Block>> = None;
    for block in blocks {
        let continued = lines.last_mut().filter(|_| before.is_some_and(|before| block.continues(before)));
        match continued {
            Some(line) => line.text.to_mut().push_str(&block.text),
            None => lines.push(Line { text: Cow::Borrowed(&block.text), block }),
        }
        before = Some(block);
    }
    lines
}

/// The statement that describes a file.
fn overview(count: usize, line: &Arc<Block>, says: String) -> Measure {
    Measure {
        ailment: None,
        says: Clean::line(&says),
        count: u32::try_from(count).unwrap_or(u32::MAX),
        line: line.clone(),
    }
}

/// A statement on a fault of a file.
fn measure(ailment: Ailment, count: usize, line: &Arc<Block>, says: String) -> Measure {
    Measure { ailment: Some(ailment), ..overview(count, line, says) }
}

/// Sequences that show UTF-8 read as Latin-1, and the replacement character.
const DAMAGE: &[&str] = &[
    "\u{fffd}", "Ã¤", "Ã¶", "Ã¼", "ÃŸ", "Ã©", "Ã¨", "Ã ", "Ã±", "Ã§", "Ã¡", "Ã³", "Ã¸", "Ã¥", "â€™", "â€œ", "â€“", "Â°",
];

fn encoding(name: &str, all: &[Line<'_>]) -> Option<Measure> {
    let damaged = |line: &&Line<'_>| DAMAGE.iter().any(|damage| line.text.contains(damage));
    let first = all.iter().find(damaged)?.block;
    let count = all.iter().filter(damaged).count();
    let says = format!(
        "{name}: {} characters that were read in the wrong encoding; the first is line {}.",
        lines(count, "has", "have"),
        first.line
    );
    Some(measure(Ailment::Encoding, count, first, says))
}

/// "1 line has", "3 lines have".
fn lines(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 line {one}") } else { format!("{n} lines {many}") }
}

/// "line 4", "lines 4, 7 and 9", "lines 4, 7, 9 and 12 more".
fn places(blocks: &[&Arc<Block>]) -> String {
    const SHOWN: usize = 3;
    let numbers: Vec<String> = blocks.iter().take(SHOWN).map(|block| block.line.to_string()).collect();
    match (&numbers[..], blocks.len()) {
        ([only], 1) => format!("line {only}"),
        ([before @ .., last], all) if all <= SHOWN => format!("lines {} and {last}", before.join(", ")),
        (shown, all) => format!("lines {} and {} more", shown.join(", "), all - shown.len()),
    }
}

/// A value for display: short, in quotation marks.
fn shown(value: &str) -> String {
    let cut: String = value.chars().take(72).collect();
    if cut.len() < value.len() { format!("“{cut}…”") } else { format!("“{cut}”") }
}

#[cfg(test)]
mod tests;
