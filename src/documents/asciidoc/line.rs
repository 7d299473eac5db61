//! Classifies a line by its marks: a title, item, term, attribute, or the fence of a block.

#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without trailing space.
    pub(super) text: &'a str,
    pub(super) no: u32,
}

/// The content of a fenced block, up to a line like the fence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fence {
    Code,
    /// Comments, and text for another format.
    Skipped,
    Blocks,
    Table,
}

impl<'a> Line<'a> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn words(&self) -> &'a str {
        self.text.trim_start()
    }

    pub(super) fn is_indented(&self) -> bool {
        self.text.starts_with([' ', '\t'])
    }

    /// Whether it includes a file, or makes the lines below conditional.
    pub(super) fn is_directive(&self) -> bool {
        let directives = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"];
        self.text.ends_with(']') && directives.iter().any(|directive| self.text.starts_with(directive))
    }

    pub(super) fn is_comment(&self) -> bool {
        self.text.starts_with("//") && !self.text.starts_with("///")
    }

    /// Whether it is a picture, a table of contents or another block macro, a rule or a page break.
    pub(super) fn is_ornament(&self) -> bool {
        let is_macro = self.text.split_once("::").is_some_and(|(name, rest)| {
            let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_'));
            let target = rest.split('[').next().unwrap_or("");
            is_name && name != "xref" && rest.ends_with(']') && !target.contains(char::is_whitespace)
        });
        is_macro || matches!(self.text, "'''" | "<<<" | "---" | "***" | "* * *" | "- - -")
    }

    /// Whether it is the title of a block: `.Limits of lists`.
    pub(super) fn is_block_title(&self) -> bool {
        let rest = self.text.strip_prefix('.').map(|rest| rest.strip_prefix('.').unwrap_or(rest));
        rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with([' ', '\t', '.']))
    }

    /// The content of an attribute line for the next block, `[source,sh]`; empty for an anchor, `[[id]]`.
    pub(super) fn attributes(&self) -> Option<&'a str> {
        let inner = self.text.strip_prefix('[')?.strip_suffix(']')?;
        if let Some(id) = inner.strip_prefix('[') {
            let is_id = id.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | ':'));
            return (is_id && id.ends_with(']')).then_some("");
        }
        let begins = |c: char| c.is_alphanumeric() || "_.#%{,\"'".contains(c);
        (inner.is_empty() || inner.starts_with(begins) && !inner.contains("] ")).then_some(inner)
    }

    /// The anchor of the block below: `[[id]]` or `[#id]`.
    pub(super) fn anchor(&self) -> Option<&'a str> {
        let inner = self.text.strip_prefix("[[").and_then(|inner| inner.strip_suffix("]]"));
        let inner = inner.or_else(|| self.text.strip_prefix("[#")?.strip_suffix(']'));
        let inner = inner.or_else(|| self.text.strip_prefix("[id=\"")?.strip_suffix("\"]"));
        inner.and_then(|inner| inner.split([',', '.', '%']).next()).filter(|_| self.attributes().is_some())
    }

    /// Name and value of an entry like `:version: 2`. A name with `!` unsets the value.
    pub(super) fn entry(&self) -> Option<(&'a str, &'a str)> {
        let (name, value) = self.text.strip_prefix(':')?.split_once(':')?;
        let is_name = name.trim_matches('!').starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || "_-!".contains(c));
        (is_name && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (name, value.trim()))
    }

    /// Level and text of a title: `== Limits`.
    pub(super) fn title(&self) -> Option<(u8, &'a str)> {
        let mark = self.text.chars().next().filter(|c| matches!(c, '=' | '#'))?;
        let words = self.text.trim_start_matches(mark);
        let marks = &self.text[..self.text.len() - words.len()];
        let level = u8::try_from(marks.len()).ok().filter(|level| *level <= 6)?;
        let title = words.strip_prefix([' ', '\t'])?.trim();
        Some((level, title.strip_suffix(marks).filter(|title| title.ends_with(' ')).unwrap_or(title).trim()))
    }

    /// The level of a title that the next line underlines.
    pub(super) fn underlined(&self, under: &Line<'_>) -> Option<u8> {
        const LEVELS: &str = "=-~^+";
        let mark = under.text.chars().next()?;
        let level = LEVELS.find(mark)? + 1;
        let is_rule = under.text.len() >= 3 && under.text.chars().all(|c| c == mark);
        let fits = is_rule && self.text.chars().count().abs_diff(under.text.len()) <= 2;
        let is_title = fits
            && !self.is_indented()
            && self.text.chars().any(char::is_alphanumeric)
            && self.item().is_none()
            && self.term().is_none();
        u8::try_from(level).ok().filter(|_| is_title)
    }

    /// The marker of a list item, alike for all items of a list, and the text behind it.
    pub(super) fn item(&self) -> Option<(&'a str, &'a str)> {
        let (marker, text) = self.words().split_once([' ', '\t'])?;
        let label = marker.trim_end_matches(['.', ')', '>']).trim_start_matches('<');
        let is_number = !label.is_empty() && label.len() <= 4 && label.bytes().all(|b| b.is_ascii_digit());
        let kind = match marker {
            "-" | "\u{2022}" | "*" | "**" | "***" | "****" | "*****" | "." | ".." | "..." | "...." | "....." => marker,
            _ if marker.starts_with('<') && marker.ends_with('>') && (is_number || marker == "<.>") => "<>",
            _ if is_number && marker[label.len()..] == *"." => "1.",
            // "A. Person" begins a sentence more often than a list.
            _ if label.len() == 1 && label.as_bytes()[0].is_ascii_lowercase() && marker[1..] == *"." => "a.",
            _ if !label.is_empty() && label.bytes().all(|b| b"ivx".contains(&b)) && marker[label.len()..] == *")" => {
                "i)"
            }
            _ => return None,
        };
        Some((kind, text.trim_start())).filter(|(_, text)| !text.is_empty())
    }

    /// A term, the mark behind it, and the text beside it: `term:: text`.
    pub(super) fn term(&self) -> Option<(&'a str, &'a str, &'a str)> {
        let words = self.words();
        let mut rest = words;
        while let Some(at) = rest.find([':', ';']) {
            let (begin, tail) = (words.len() - rest.len() + at, &rest[at..]);
            let after = tail.trim_start_matches(if tail.starts_with(':') { ':' } else { ';' });
            let mark = &tail[..tail.len() - after.len()];
            let is_mark = matches!(mark, "::" | ":::" | "::::" | ";;");
            if begin > 0 && is_mark && (after.is_empty() || after.starts_with([' ', '\t'])) {
                return Some((words[..begin].trim_end(), mark, after.trim_start()));
            }
            rest = after;
        }
        None
    }

    pub(super) fn fence(&self) -> Option<Fence> {
        if let Some(language) = self.text.strip_prefix("```") {
            return (!language.contains(['`', ' '])).then_some(Fence::Code);
        }
        if self.text == "--" {
            return Some(Fence::Blocks);
        }
        let mark = self.text.chars().next().filter(|c| c.is_ascii_punctuation() && self.text.len() >= 4)?;
        match (mark, self.text.trim_start_matches(mark)) {
            ('-' | '.', "") => Some(Fence::Code),
            ('/' | '+', "") => Some(Fence::Skipped),
            ('=' | '*' | '_', "") => Some(Fence::Blocks),
            ('|' | ',' | ':' | '!', rest) if rest.len() >= 3 && rest.bytes().all(|b| b == b'=') => Some(Fence::Table),
            _ => None,
        }
    }

    /// The line that ends the block of this fence.
    pub(super) fn end(&self) -> &'a str {
        if self.text.starts_with("```") { "```" } else { self.text }
    }
}
