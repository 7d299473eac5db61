//! A cursor over LaTeX source: commands with their arguments, comments, the ends of environments.

use crate::line_count::LineCount;

/// The most bytes of an argument, and of a formula: the end of longer ones is not looked for.
const LONGEST: usize = 8 << 10;

pub(super) struct Source<'t> {
    text: &'t str,
    at: usize,
    lines: LineCount<'t>,
}

impl<'t> Source<'t> {
    pub fn new(text: &'t str) -> Source<'t> {
        Source { text, at: 0, lines: LineCount::new(text.as_bytes(), 1) }
    }

    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub fn skip(&mut self, bytes: usize) {
        self.at = self.text.floor_char_boundary(self.at + bytes);
    }

    /// The line of the cursor.
    pub fn line(&mut self) -> u32 {
        self.lines.at(self.at)
    }

    /// The next character; None at the end.
    pub fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Skips these characters, if they are next.
    pub fn take(&mut self, wanted: &str) -> bool {
        let is_next = self.rest().starts_with(wanted);
        self.at += if is_next { wanted.len() } else { 0 };
        is_next
    }

    /// Whether the line that begins here is blank.
    pub fn ends_paragraph(&self) -> bool {
        let rest = self.rest().trim_start_matches([' ', '\t']);
        rest.is_empty() || rest.starts_with('\n')
    }

    /// Text up to the next character that means something.
    pub fn words(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(['\\', '%', '{', '}', '$', '&', '~', '\n', '-', '`', '\'']).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Skips spaces within the line.
    pub fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    /// Skips a comment, with the end of its line and the indent of the next.
    pub fn comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').map_or(rest.len(), |at| at + 1);
        self.spaces();
    }

    /// The name of a command behind its backslash: letters with a star, or one other character.
    pub fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let end = match letters {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            _ => letters + usize::from(rest[letters..].starts_with('*')),
        };
        self.at += end;
        rest[..end].trim_end_matches('*')
    }

    /// The argument in braces that stands here.
    pub fn argument(&mut self) -> Option<&'t str> {
        self.within('{', '}')
    }

    /// The argument in brackets that stands here.
    pub fn option(&mut self) -> Option<&'t str> {
        self.within('[', ']')
    }

    fn within(&mut self, open: char, close: char) -> Option<&'t str> {
        let rest = self.rest();
        let begin = rest.len() - rest.trim_start().len();
        let inside = rest[begin..].strip_prefix(open)?;
        // A blank line ends what an argument can belong to.
        if rest[..begin].matches('\n').count() > 1 {
            return None;
        }
        let end = closing(inside, open, close)?;
        self.at += begin + open.len_utf8() + end + close.len_utf8();
        Some(&inside[..end])
    }

    /// Skips `\name#1{…}`.
    pub fn definition(&mut self) {
        let rest = self.rest();
        self.at += rest.find(['{', '\n']).unwrap_or(rest.len());
        self.argument();
    }

    /// All arguments that stand here.
    pub fn arguments(&mut self) {
        while self.option().or_else(|| self.argument()).is_some() {}
    }

    /// The text of an environment to its end.
    pub fn environment(&mut self, name: &str) -> &'t str {
        let rest = self.rest();
        // One search for both spellings: the one that is not there would be looked for to the end of the file.
        let mark = format!("\\end{{{name}");
        let is_end = |(at, _): &(usize, &str)| {
            let behind = &rest[at + mark.len()..];
            behind.starts_with('}') || behind.starts_with("*}")
        };
        let Some((end, _)) = rest.match_indices(&mark).find(is_end) else {
            self.at = self.text.len();
            return rest;
        };
        self.at += end;
        self.at += self.rest().find('}').map_or(0, |at| at + 1);
        &rest[..end]
    }

    /// The text up to this mark, which is skipped.
    pub fn until(&mut self, mark: &str) -> Option<&'t str> {
        let rest = self.rest();
        let end = rest[..rest.floor_char_boundary(LONGEST)].find(mark)?;
        self.at += end + mark.len();
        Some(&rest[..end])
    }
}

/// The offset at which the open bracket is closed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut escaped) = (0u32, false);
    for (at, c) in text[..text.floor_char_boundary(LONGEST)].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == close && depth == 0 => return Some(at),
            _ if c == close => depth -= 1,
            _ if c == open => depth += 1,
            _ => {}
        }
    }
    None
}
