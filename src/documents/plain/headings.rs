//! Headings by their layout: underlined, in capitals, further out than the text, or numbered. In doubt a line is none.

use super::{LONGEST_TERM, Line, Reader, outline, set_in};
use crate::draft::TERM_LEVEL;

/// Characters that no heading in capitals has, and none set in as a title.
pub(super) const MARKS_OF_CODE: [char; 10] = ['*', '=', '<', '>', '{', '}', '|', '$', ';', '\\'];

/// Whether a line that has lines right below its rule has the names of their columns, as over a table that a program prints: they
/// stand far apart. The number of a heading may stand before it so.
fn names_columns(line: &Line<'_>) -> bool {
    line.second_column().is_some() && !line.words().starts_with(|c: char| c.is_ascii_digit())
}

/// Whether words are part of a drawing, whose lines are no rules of a title.
fn is_of_drawing(words: &str) -> bool {
    const EDGES: [char; 4] = ['|', '<', '>', '+'];
    words.contains('|') && (words.starts_with(EDGES) || words.ends_with(EDGES))
}

impl Reader<'_, '_> {
    /// Skips a table of contents.
    pub(super) fn contents(&mut self, lines: &[Line<'_>]) -> bool {
        if let [line] = lines
            && outline::is_contents(line.words())
        {
            self.in_contents = true;
            return true;
        }
        self.in_contents &= outline::are_entries(lines);
        let leaders = lines.iter().filter(|line| outline::has_leader(line)).count();
        self.in_contents || leaders > 1 && leaders * 2 >= lines.len() || self.outline.are_headings(lines)
    }

    /// Reads a heading that its text follows without a blank line, set in further, as in manual pages. Returns the text.
    pub(super) fn headed<'l, 't>(&mut self, lines: &'l [Line<'t>]) -> Option<&'l [Line<'t>]> {
        let [line, rest @ ..] = lines else { return None };
        let words = line.words();
        let short = words.len() <= LONGEST_TERM && !words.ends_with(['.', ',', ';', ':', '!', '?']);
        let outside = line.indent < self.margin && rest.iter().all(|below| below.indent >= self.margin);
        let capitals = line.indent == 0
            && words.chars().filter(|c| c.is_alphabetic()).count() >= 4
            && !words.chars().any(char::is_lowercase);
        let begins = words.starts_with(char::is_uppercase) && line.item().is_none() && line.key_value().is_none();
        let of_manual = self.margin >= 4 && begins && (capitals || line.indent > 0) && !rest.is_empty();
        if !short || !outside || !of_manual {
            return None;
        }
        let level = self.underlines.len() + 1 + usize::from(line.indent > 0);
        self.open(level, words);
        Some(rest)
    }

    /// Begins a section at this level, counted from 1.
    pub(super) fn open(&mut self, level: usize, heading: &str) {
        self.in_contents = outline::is_contents(heading);
        // All others stand below those of a changelog.
        let level = level + usize::from(self.chronicle.is_one());
        let level = u8::try_from(level).unwrap_or(u8::MAX).saturating_add(self.above);
        self.draft.heading(level.min(TERM_LEVEL - 1), heading);
    }

    /// Reads an underlined title, perhaps with an overline. Returns the number of lines.
    pub(super) fn underlined(&mut self, lines: &[Line<'_>]) -> Option<usize> {
        let (over, rest) = match lines {
            [first, rest @ ..] if first.rule().is_some() && rest.len() >= 2 => (first.rule(), rest),
            _ => (None, lines),
        };
        let [title, under, ..] = rest else { return None };
        let rule = under.rule()?;
        let long = under.words().chars().count() * 2 >= title.words().chars().count();
        if title.rule().is_some()
            || !long
            || rest.len() > 2 && names_columns(title)
            || title.words().len() > 200
            || is_of_drawing(title.words())
            || rest.len() > 2 && title.indent != under.indent
            || over.is_some_and(|over| over != rule)
        {
            return None;
        }
        let at = self.underlines.iter().position(|c| *c == rule).unwrap_or_else(|| {
            self.underlines.push(rule);
            self.underlines.len() - 1
        });
        self.open(at + 1, title.words());
        Some(if over.is_some() { 3 } else { 2 })
    }

    /// Reads a heading: one line in capitals, or numbered, without a sentence's end.
    pub(super) fn heading(&mut self, lines: &[Line<'_>]) -> bool {
        let [line] = lines else { return false };
        let words = line.words();
        if line.is_title {
            self.open(self.underlines.len() + 1, set_in::words(line));
            return true;
        }
        let stars = words.bytes().take_while(|b| *b == b'*').count();
        if self.is_outline && stars > 0 && words[stars..].starts_with(' ') && !words.ends_with(['.', ':']) {
            self.open(stars, words[stars..].trim());
            return true;
        }
        if self.headings.are_told() {
            return false;
        }
        if let Some(depth) = self.outline.depth(line) {
            self.depth = depth;
            self.draft.title_by_name();
            self.open(self.underlines.len() + depth, words);
            return true;
        }
        let letters = words.chars().filter(|c| c.is_alphabetic()).count();
        // A name in capitals, in the contents of a glossary, is no heading of the text below.
        let may_be_name = self.glossary.is_one() && line.indent > 0;
        let capitals = letters >= 4
            && !may_be_name
            && !words.chars().any(char::is_lowercase)
            && words.chars().any(char::is_uppercase)
            && words.starts_with(|c: char| c.is_alphanumeric() || "\"([".contains(c))
            && !words.contains(MARKS_OF_CODE);
        // A line alone, further out than the text is.
        let outside = line.indent == 0
            && self.margin >= 2
            && words.len() <= LONGEST_TERM
            && words.starts_with(char::is_uppercase)
            && line.key_value().is_none();
        let colon = words.ends_with(':') && !(capitals && line.indent == 0);
        if words.len() > 80 || words.ends_with(['.', ',', ';', '!']) || colon || !capitals && !outside {
            return false;
        }
        // Beside numbered headings, those in capitals are the innermost.
        let above = if capitals && !outside && self.outline.has_tops { self.depth } else { 0 };
        self.open(self.underlines.len() + above + 1, words.trim_end_matches(':'));
        true
    }
}
