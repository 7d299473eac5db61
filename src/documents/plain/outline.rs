//! The numbers of headings, as in `2.1 Storage` or `Appendix B. Limits`.
//!
//! `2. Storage` may be a list item as well: it is a heading only in a text with numbered headings, and only in
//! sequence.

use super::{Line, chunks};

/// Words before a number. Appendices are on the level of the numbered headings, the other parts above them.
const DIVISIONS: [&str; 5] = [APPENDIX, "Article", "Chapter", "Part", "Section"];
const APPENDIX: &str = "Appendix";
/// One in this many lines in a table of contents may not be an entry: "Preface", or the rest of a long entry.
const FEW_OF: usize = 8;

/// The least indent of a text that is set in as a whole, as that of an RFC.
const LEAST_MARGIN: usize = 2;

/// The numbering of a text's headings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outline {
    /// There are headings with a single number, like `2. Storage`.
    pub has_tops: bool,
    /// There are headings like `2.1 Storage`.
    has_parts: bool,
    has_divisions: bool,
    next: u32,
}

/// A heading's number: its depth, and the number itself if it is a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// `Chapter 2`, `Appendix B`.
    Division,
    Single(u32),
    Parts(usize),
}

impl Outline {
    /// The numbering of these lines, whose running text is set in by `margin`.
    pub fn of(lines: &[Line<'_>], margin: usize) -> Outline {
        let (mut has_parts, mut has_divisions) = (false, false);
        // Of the headings of one number in their turn: how many there are, and how many have text right below.
        let (mut next, mut singles, mut headed) = (1, 0, 0);
        let mut chunks = chunks(lines).peekable();
        while let Some(chunk) = chunks.next() {
            let [line] = chunk else { continue };
            match number(line) {
                Some((Number::Division, _)) => {
                    has_divisions |= !line.words().starts_with(APPENDIX);
                    next = 1;
                }
                Some((Number::Parts(_), _)) => has_parts = true,
                Some((Number::Single(number), _)) if number == next && line.indent == 0 => {
                    // In a text that is set in as a whole, what stands at its margin is below the headings.
                    let has_text = |chunk: &&[Line<'_>]| match chunk[0].indent {
                        0 => chunk[0].item().is_none(),
                        indent => margin >= LEAST_MARGIN && indent >= margin,
                    };
                    singles += 1;
                    headed += usize::from(chunks.peek().is_some_and(has_text));
                    next += 1;
                }
                _ => {}
            }
        }
        let has_tops = singles > 0 && (has_parts || headed > 1 && headed == singles);
        Outline { has_tops, has_parts, has_divisions, next: 1 }
    }

    /// Whether a line is the next heading with a single number.
    pub fn is_single(&self, line: &Line<'_>) -> bool {
        self.has_tops && line.indent == 0 && number(line).is_some_and(|(number, _)| number == Number::Single(self.next))
    }

    /// Whether lines are a table of contents: only numbered headings, perhaps below a heading of its own.
    pub fn are_headings(&self, lines: &[Line<'_>]) -> bool {
        let [first, below @ ..] = lines else { return false };
        let is_numbered = |line: &Line<'_>| matches!(number(line), Some((Number::Parts(_), _)));
        let many = usize::from(is_numbered(first)) + below.iter().filter(|line| is_numbered(line)).count();
        self.has_parts && many > 1 && below.iter().all(|line| number(line).is_some())
    }

    /// The depth of a numbered heading, counted from 1.
    pub fn depth(&mut self, line: &Line<'_>) -> Option<usize> {
        let (number, rest) = number(line)?;
        let above = usize::from(self.has_divisions);
        match number {
            Number::Division => {
                self.next = 1;
                Some(1)
            }
            Number::Single(_) => {
                let is_next = self.is_single(line);
                self.next += u32::from(is_next);
                is_next.then_some(above + 1)
            }
            Number::Parts(parts) => {
                // `3.66. name` is the entry of an option.
                let label = line.words().strip_suffix(rest).unwrap_or_default().trim_end();
                let is_name = parts > 2 || label.ends_with('.') && !rest.contains(' ');
                let begins = rest.starts_with(char::is_uppercase) || is_name && rest.starts_with(char::is_alphabetic);
                begins.then_some(above + parts - usize::from(!self.has_tops))
            }
        }
    }
}

/// A heading without its number, in lower case.
pub(super) fn unnumbered(heading: &str) -> String {
    heading.trim_start_matches(|c: char| c.is_ascii_digit() || ". ".contains(c)).trim().to_lowercase()
}

/// The number of parts of a heading's number.
pub(super) fn parts(line: &Line<'_>) -> Option<u8> {
    match number(line)?.0 {
        Number::Division | Number::Single(_) => Some(1),
        Number::Parts(parts) => u8::try_from(parts).ok(),
    }
}

/// The number of a heading, and the rest of it.
fn number<'a>(line: &Line<'a>) -> Option<(Number, &'a str)> {
    let words = line.words();
    if words.len() > 80 || words.ends_with(['.', ',', ';', '!', ':']) {
        return None;
    }
    let (label, rest) = words.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    if DIVISIONS.contains(&label) {
        let label = rest.split_whitespace().next()?.trim_end_matches(['.', ':']);
        let is_number = label.chars().all(|c| c.is_ascii_digit()) || label.chars().all(|c| "IVXLABCDEFGH".contains(c));
        return is_number.then_some((Number::Division, rest));
    }
    let parts: Vec<&str> = label.trim_end_matches('.').split('.').collect();
    let is_digits = |part: &&str| !part.is_empty() && part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit());
    let is_letter = |part: &&str| part.len() == 1 && part.bytes().all(|b| b.is_ascii_uppercase());
    let [first, below @ ..] = parts.as_slice() else { return None };
    let is_number = (is_digits(first) || is_letter(first) && !below.is_empty()) && below.iter().all(is_digits);
    match below.is_empty() {
        _ if !is_number || !rest.starts_with(char::is_alphabetic) => None,
        true if rest.starts_with(char::is_uppercase) => Some((Number::Single(first.parse().ok()?), rest)),
        true => None,
        false => Some((Number::Parts(parts.len()), rest)),
    }
}

/// Whether a line is an entry of a table of contents, with its page: `Storage ...... 12`.
pub(super) fn has_leader(line: &Line<'_>) -> bool {
    let words = line.words().trim_end_matches(|c: char| c.is_ascii_digit() || "ivxlc".contains(c));
    words.len() < line.words().len() && (words.trim_end().ends_with("....") || words.trim_end().ends_with(". . ."))
}

/// Whether a heading announces a table of contents.
pub(super) fn is_contents(heading: &str) -> bool {
    let heading = heading.trim_end_matches(':').to_ascii_lowercase();
    ["table of contents", "contents", "list of tables", "list of figures", "list of examples"].contains(&&*heading)
}

/// Whether lines below such a heading are its entries, not text.
pub(super) fn are_entries(lines: &[Line<'_>]) -> bool {
    let is_entry = |line: &Line<'_>| {
        let words = line.words();
        let numbered =
            words.starts_with(|c: char| c.is_ascii_digit()) || DIVISIONS.iter().any(|d| words.starts_with(d));
        has_leader(line) || numbered && !words.ends_with(['.', ':', '!'])
    };
    let fits = |line: &&Line<'_>| is_entry(line) || line.indent > 0 && !line.words().ends_with(['.', ':']);
    let others = lines.len() - lines.iter().filter(fits).count();
    others <= lines.len() / FEW_OF
        && lines.iter().any(is_entry)
        && (lines.len() > 1 || lines.iter().all(|line| line.indent > 0 || has_leader(line)))
}
