//! Titles that stand alone and are set in further than the text, with two blank lines above: `        Wordlist mode.` One or two
//! of them in a text may be quotations or output, and are left as they are.

use super::headings::MARKS_OF_CODE;
use super::{LONGEST_TERM, Line};

/// A text with fewer such lines has none.
const LEAST: usize = 3;
/// The blank lines above a title that is not the first line.
const BLANKS: usize = 2;
/// The columns by which it is set in from the text.
const DEPTH: usize = 2;

/// Notes which lines are such titles. `margin` is the indent of running text.
pub(super) fn mark(lines: &mut [Line<'_>], margin: usize) {
    let inked: Vec<usize> = (0..lines.len()).filter(|at| !lines[*at].is_blank()).collect();
    let is_title = |nth: usize| {
        let (at, line) = (inked[nth], lines[inked[nth]]);
        let Some(below) = inked.get(nth + 1).copied() else { return false };
        let before = nth.checked_sub(1).map(|before| inked[before]);
        let apart = before.is_none_or(|before| at - before > BLANKS && !lines[before].words().ends_with(':'));
        apart && below > at + 1 && lines[below].indent <= margin && line.indent >= margin + DEPTH && names(&line)
    };
    let titles: Vec<usize> = (0..inked.len()).filter(|nth| is_title(*nth)).map(|nth| inked[nth]).collect();
    if titles.len() >= LEAST {
        titles.into_iter().for_each(|at| lines[at].is_title = true);
    }
}

/// Whether a line may be a title: a few words, no item, no pair of a key and a value, no program text.
fn names(line: &Line<'_>) -> bool {
    let words = line.words();
    words.len() <= LONGEST_TERM
        && words.starts_with(|c: char| c.is_uppercase() || "\"\u{201c}".contains(c))
        && !words.ends_with([',', ';', ':'])
        && !words.contains(MARKS_OF_CODE)
        && !words.contains("://")
        && line.item().is_none()
        && line.key_value().is_none()
        && line.mark.is_none()
}

/// The words of such a title, without a full stop at their end.
pub(super) fn words<'t>(line: &Line<'t>) -> &'t str {
    let words = line.words();
    words.strip_suffix('.').filter(|rest| !rest.ends_with('.')).unwrap_or(words)
}
