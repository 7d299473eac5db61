//! The headings of typeset pages, detected by their font: their nesting, and which are entries of a table of contents.

use std::collections::HashSet;

use super::super::pdf::Mark;
use super::{Line, outline};

/// The most lines of a heading.
pub(super) const LONGEST: usize = 3;
/// With this many, headings are recognised by their font alone.
const LEAST: usize = 3;
/// With this many that have a number before and after them, they are entries of a table of contents.
const LEAST_ENTRIES: usize = 5;
/// The levels of the largest letters, which head parts of a document.
const LARGEST: u8 = 2;
/// The levels by which headings without a number are below numbered ones.
const BELOW_NUMBERS: u8 = 3;

/// The headings of a text.
#[derive(Debug, Default)]
pub(super) struct Headings {
    are_told: bool,
    are_numbered: bool,
    /// Without their numbers, in lower case.
    words: HashSet<String>,
    /// Whether entries of a table of contents are among them, in the same font.
    have_entries: bool,
    /// The level, by its font, of the last heading with a number of several parts.
    of_parts: Option<u8>,
}

impl Headings {
    pub fn of(lines: &[Line<'_>]) -> Headings {
        let all = lines.iter().filter(|line| line.mark.is_some_and(Mark::is_heading));
        let numbered = all.clone().filter(|line| outline::parts(line).is_some());
        let entries = numbered.clone().filter(|line| line.words().ends_with(|c: char| c.is_ascii_digit()));
        Headings {
            are_told: all.clone().count() >= LEAST
                || lines.iter().any(|line| matches!(line.mark, Some(Mark::Titled(_)))),
            are_numbered: numbered.count() >= LEAST,
            words: all.map(|line| outline::unnumbered(line.words())).collect(),
            have_entries: entries.count() >= LEAST_ENTRIES,
            of_parts: None,
        }
    }

    /// Whether fonts or marks tell headings, which is more reliable than numbers.
    pub fn are_told(&self) -> bool {
        self.are_told
    }

    /// Whether a heading is an entry of a table of contents, with its page number: the heading itself has none.
    pub fn is_entry(&self, words: &str, in_contents: bool) -> bool {
        let title = words.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_numbered = || words.starts_with(|c: char| c.is_ascii_digit()) && self.have_entries;
        title.len() < words.len() && (in_contents || is_numbered() || self.words.contains(&outline::unnumbered(title)))
    }

    /// The level of a heading, given the level of its font. Numbers determine the nesting; headings without one are
    /// below numbered ones, except the largest.
    pub fn level(&mut self, line: &Line<'_>, by_letters: u8) -> u8 {
        match outline::parts(line).filter(|_| self.are_numbered) {
            // In letters no larger than those of `2.1`, `5.` counts parts of that section.
            Some(1) if self.of_parts.is_some_and(|of_parts| by_letters >= of_parts) => by_letters + BELOW_NUMBERS,
            Some(parts) => {
                self.of_parts = Some(by_letters).filter(|_| parts > 1).or(self.of_parts);
                parts.saturating_add(1)
            }
            None if self.are_numbered && by_letters > LARGEST => by_letters + BELOW_NUMBERS,
            None => by_letters,
        }
    }
}

/// Whether two lines have the same mark. A heading continues on the next line, unless that has a number of its own.
pub(super) fn goes_on(line: &Line<'_>, next: &Line<'_>) -> bool {
    let is_numbered = next.words().starts_with(|c: char| c.is_ascii_digit());
    line.mark == next.mark && !(line.mark.is_some_and(Mark::is_heading) && is_numbered)
}
