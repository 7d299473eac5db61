//! A line of plain text: its indent, and its kind by its first characters.

use super::super::pdf::Mark;

#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without mail quotation marks and trailing space.
    pub text: &'a str,
    pub indent: usize,
    pub no: u32,
    /// Whether a lone `o` at its begin is a bullet, also where it is not set in.
    pub has_o_bullet: bool,
    /// Its kind by its letters.
    pub mark: Option<Mark>,
}

impl<'a> Line<'a> {
    pub fn new(raw: &'a str, no: u32) -> Self {
        let mut text = raw.trim_end();
        while let Some(rest) = text.strip_prefix("> ").or_else(|| text.strip_prefix('>')) {
            text = rest;
        }
        let indent = text.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { 8 } else { 1 }).sum();
        Line { text, indent, no, has_o_bullet: false, mark: None }
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

    /// A term and its definition beside it, which begins in this column.
    pub fn beside(&self, column: usize) -> Option<(&'a str, Line<'a>)> {
        if !self.text.is_char_boundary(column) || self.text.contains('\t') {
            return None;
        }
        let (term, rest) = self.text.split_at_checked(column)?;
        let parted = term.ends_with(' ') && !rest.starts_with(' ') && !rest.is_empty() && !term.trim().is_empty();
        parted.then_some((term.trim(), Line { text: rest, indent: column, ..*self }))
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
