//! A line of plain text: its indent, and its kind by its first characters.

use super::super::pdf::Mark;

#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without mail quotation marks and trailing space.
    pub text: &'a str,
    pub indent: usize,
    pub no: u32,
    /// Whether a lone `o` at its beginning is a bullet, even without an indent.
    pub has_o_bullet: bool,
    /// Whether it is a title that is set in further than the text.
    pub is_title: bool,
    /// Its kind by its letters.
    pub mark: Option<Mark>,
}

/// The columns of a terminal between two tab stops.
const TAB: usize = 8;
/// Fewer spaces than this between a term and the text beside it may separate two sentences.
const LEAST_GAP: usize = 3;

/// The column behind a character in this column.
fn column_after(column: usize, c: char) -> usize {
    if c == '\t' { (column / TAB + 1) * TAB } else { column + 1 }
}

/// The characters of a text, each with its column and byte offset.
pub(super) fn columns(text: &str) -> impl Iterator<Item = (usize, usize, char)> {
    text.char_indices().scan(0, |column, (at, c)| {
        let own = *column;
        *column = column_after(own, c);
        Some((own, at, c))
    })
}

impl<'a> Line<'a> {
    pub fn new(raw: &'a str, no: u32) -> Self {
        let mut text = raw.trim_end();
        while let Some(rest) = text.strip_prefix("> ").or_else(|| text.strip_prefix('>')) {
            text = rest;
        }
        let indent = text.chars().take_while(|c| matches!(c, ' ' | '\t' | '\u{a0}')).fold(0, column_after);
        Line { text, indent, no, has_o_bullet: false, is_title: false, mark: None }
    }

    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub fn words(&self) -> &'a str {
        self.text.trim()
    }

    /// The character of a line that consists of only one character.
    pub fn rule(&self) -> Option<char> {
        let words = self.words();
        let first = words.chars().next()?;
        (words.len() >= 3 && "=-~^*#+_\"'`:.".contains(first) && words.chars().all(|c| c == first)).then_some(first)
    }

    /// Whether it is a divider like `----- forwarded -----`.
    pub fn is_divider(&self) -> bool {
        ["---", "===", "***"].iter().any(|rule| self.words().starts_with(rule) && self.words().ends_with(rule))
    }

    /// A term with its definition beside it, which begins in this column.
    pub fn beside(&self, column: usize) -> Option<(&'a str, Line<'a>)> {
        let (_, at, _) = columns(self.text).find(|(own, ..)| *own >= column).filter(|(own, ..)| *own == column)?;
        let (term, rest) = self.text.split_at(at);
        let parted = term.ends_with([' ', '\t']) && !rest.starts_with([' ', '\t']) && !term.trim().is_empty();
        parted.then_some((term.trim(), Line { text: rest, indent: column, ..*self }))
    }

    /// The column of the text beside the line's first words, behind a tab or several spaces.
    pub fn second_column(&self) -> Option<usize> {
        let mut gap = 0;
        columns(self.text).skip_while(|(.., c)| c.is_whitespace()).find_map(|(column, _, c)| match c {
            '\t' => {
                gap += LEAST_GAP;
                None
            }
            ' ' => {
                gap += 1;
                None
            }
            _ => (std::mem::take(&mut gap) >= LEAST_GAP).then_some(column),
        })
    }

    /// The text of a list item that begins here.
    pub fn item(&self) -> Option<&'a str> {
        let words = self.words();
        for bullet in ["- ", "* ", "+ ", "\u{2022} ", "\u{2013} ", "o "] {
            if let Some(rest) = words.strip_prefix(bullet) {
                let is_bullet = bullet != "o " || self.indent > 0 || self.has_o_bullet;
                return is_bullet.then(|| rest.trim_start());
            }
        }
        let digits = words.bytes().take_while(u8::is_ascii_digit).count();
        let marker = if digits > 0 && digits <= 3 {
            &words[digits..]
        } else if words.starts_with('(') && words.as_bytes().get(2) == Some(&b')') {
            words.get(2..)?
        } else if words.as_bytes().first().is_some_and(u8::is_ascii_lowercase) && words.as_bytes().get(1) == Some(&b')')
        {
            words.get(1..)?
        } else {
            return None;
        };
        let rest = marker.strip_prefix(['.', ')'])?;
        (rest.starts_with(' ') && rest.trim().chars().any(char::is_alphabetic)).then(|| rest.trim_start())
    }

    /// Whether its number or letter is the first of a list.
    pub fn is_first(&self) -> bool {
        let marker = self.words().trim_start_matches('(');
        marker.strip_prefix(['1', 'a']).is_some_and(|rest| rest.starts_with(['.', ')']))
    }

    /// Key and value of a line like `Port: 6333`.
    pub fn key_value(&self) -> Option<(&'a str, &'a str)> {
        let words = self.words();
        let (colon, _) = words.match_indices(':').find(|(at, _)| words[at + 1..].starts_with(char::is_whitespace))?;
        let (key, value) = (&words[..colon], words[colon + 1..].trim_start());
        let fits = (1..=48).contains(&key.len())
            && key.split(' ').count() <= 6
            && key.starts_with(char::is_alphanumeric)
            && !key.contains(['.', ',', ';', '"', '?', '!'])
            && value.chars().any(char::is_alphanumeric);
        fits.then_some((key, value))
    }
}
