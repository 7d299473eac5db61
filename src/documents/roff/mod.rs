//! Sources of manual pages to blocks: the macros of man(7) and mdoc(7), and tables of tbl(1). Layout is dropped.
//!
//! Runs nothing: macro definitions, conditions and equations are skipped.

mod escapes;
mod inline;
mod table;

use super::draft::{Draft, Position, TERM_LEVEL};
use super::titles::manual_title;
use run::evidence::BlockKind;
use text::Clean;

use self::escapes::plain;
use self::inline::Inline;

const LONGEST_TERM: usize = 70;
const LONGEST_TITLE: usize = 1_000;

/// Whether a text is the source of a manual page.
pub(super) fn is_source(text: &str) -> bool {
    let begins = text.trim_start().starts_with(['.', '\'']);
    begins && text.lines().take(400).any(|line| [".TH ", ".Dd", ".Dt "].iter().any(|macro_| line.starts_with(macro_)))
}

pub(super) fn parse(text: &str, draft: &mut Draft) {
    if let Some(title) = title(text) {
        draft.page_title(&title);
    }
    let mut reader = Reader {
        draft,
        inline: Inline::of(text),
        text: String::new(),
        line: 1,
        term: Term::None,
        indent: 0,
        open: Vec::new(),
        lists: Vec::new(),
        marked: None,
        literal: None,
    };
    let mut lines = text.lines().zip(1u32..);
    while let Some((line, no)) = lines.next() {
        match control(line) {
            Some((name @ ("de" | "de1" | "am" | "am1" | "ig"), rest)) => {
                let end = arguments(rest).into_iter().nth(usize::from(name != "ig"));
                let end = format!(".{}", end.as_deref().unwrap_or("."));
                lines.find(|(line, _)| line.trim_end() == end);
            }
            Some(("EQ", _)) => drop(lines.find(|(line, _)| line.starts_with(".EN"))),
            Some(("TS", _)) => {
                reader.flush();
                let rows = lines.by_ref().map(|(line, _)| line).take_while(|line| !line.starts_with(".TE"));
                table::rows(rows).into_iter().for_each(|(intro, row)| {
                    reader.draft.push(BlockKind::TableRow, intro, &row, no);
                });
            }
            Some(("if" | "ie" | "el" | "while", rest)) => {
                let mut depth = depth_of(rest);
                while depth > 0 {
                    let Some((line, _)) = lines.next() else { break };
                    depth += depth_of(line);
                }
            }
            Some((name, rest)) => reader.request(name, rest, no),
            None => reader.words(line, no),
        }
    }
    reader.end_literal();
    reader.close_terms(0);
}

/// Opening braces minus closing ones.
fn depth_of(line: &str) -> isize {
    line.matches("\\{").count().cast_signed() - line.matches("\\}").count().cast_signed()
}

/// The name of a request or macro, and its arguments.
fn control(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(['.', '\''])?.trim_start();
    let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    Some((&rest[..end], rest[end..].trim()))
}

/// The arguments of a macro. Quotes join several words into one; two quotes inside them are one quote.
fn arguments(rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = rest.trim_start();
    while !rest.is_empty() && !rest.starts_with("\\\"") {
        let quoted = rest.strip_prefix('"');
        let text = quoted.unwrap_or(rest);
        let (mut word, mut end) = (String::new(), text.len());
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let is_twice = quoted.is_some() && c == '"' && chars.next_if(|(_, next)| *next == '"').is_some();
            if !is_twice && (quoted.is_some() && c == '"' || quoted.is_none() && c.is_whitespace()) {
                end = at + c.len_utf8();
                break;
            }
            word.push(c);
            // An escaped space belongs to the word.
            if c == '\\'
                && let Some((_, next)) = chars.next()
            {
                word.push(next);
            }
        }
        found.push(word);
        rest = text[end..].trim_start();
    }
    found
}

/// "ls(1): list directory contents", as a formatted page is called.
fn title(text: &str) -> Option<String> {
    let (_, rest) = text.lines().filter_map(control).find(|(name, _)| matches!(*name, "TH" | "Dt"))?;
    let arguments = arguments(rest);
    let (name, section) = (plain(arguments.first()?).to_lowercase(), plain(arguments.get(1)?));
    let is_name = |line: &&str| {
        control(line).is_some_and(|(head, rest)| {
            matches!(head, "SH" | "Sh") && rest.trim_matches('"').eq_ignore_ascii_case("name")
        })
    };
    let mut said = String::new();
    for line in text.lines().skip_while(|line| !is_name(line)).skip(1) {
        match control(line) {
            _ if said.len() > LONGEST_TITLE => break,
            Some(("SH" | "Sh" | "SS" | "Ss", _)) => break,
            Some(("Nd", rest)) => said = format!("{name} - {}", plain(rest)),
            Some((head, rest)) if head.len() <= 2 => said = format!("{said} {}", plain(rest)),
            Some(_) => {}
            None => said = format!("{said} {}", plain(line)),
        }
    }
    // A page is called by one word: "restic backup" stands above all pages of some generators.
    let own = said.split_once(" - ").map(|(names, _)| names.split(',').next().unwrap_or(names).trim());
    let is_word = |name: &&str| !name.is_empty() && !name.contains(' ');
    let name = own.filter(|own| name.contains(' ') && is_word(own)).unwrap_or(&name);
    Some(manual_title(&format!("{name}({section})"), &said))
}

/// The use of the next line of text, set by macros that take their argument from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    None,
    /// A term: `.TP`.
    Next,
    /// A heading, on the line below its macro.
    Heading(u8),
}

/// A list of mdoc: of terms, or of items with their introduction.
enum List {
    Terms,
    Items(Option<Clean>),
}

struct Reader<'a> {
    draft: &'a mut Draft,
    inline: Inline,
    /// The paragraph so far, and where it begins.
    text: String,
    line: u32,
    term: Term,
    /// The indent of the text, in levels of `.RS` and of mdoc lists.
    indent: u8,
    /// The open terms: the indent of each, and where its definition begins.
    open: Vec<(u8, Position)>,
    lists: Vec<List>,
    /// The introduction of the current `.IP` items.
    marked: Option<Option<Clean>>,
    /// Verbatim lines.
    literal: Option<String>,
}

impl Reader<'_> {
    /// Reads a line of text.
    fn words(&mut self, line: &str, no: u32) {
        match &mut self.literal {
            Some(literal) => {
                literal.push_str(&plain(line));
                literal.push('\n');
            }
            None if line.trim().is_empty() => self.flush(),
            None => self.say(&plain(line), false, no),
        }
    }

    /// Adds text to the paragraph, or makes it the term or heading that is due. `is_glued`: without a space before it.
    fn say(&mut self, text: &str, is_glued: bool, no: u32) {
        match std::mem::replace(&mut self.term, Term::None) {
            Term::Next => return self.begin_term(text),
            Term::Heading(level) => return self.draft.heading(level, text),
            Term::None => {}
        }
        if self.text.is_empty() {
            self.line = no;
        } else if !is_glued {
            self.text.push(' ');
        }
        self.text.push_str(text.trim());
    }

    fn request(&mut self, name: &str, rest: &str, no: u32) {
        if self.literal.is_some() && !matches!(name, "fi" | "EE" | "Ed" | "Ve" | "SH" | "Sh" | "SS" | "Ss") {
            if let Some((text, _)) = self.inline.text(name, &arguments(rest)) {
                self.literal.iter_mut().for_each(|literal| *literal += &format!("{text}\n"));
            }
            return;
        }
        match name {
            "SH" | "Sh" => self.head(1, rest),
            "SS" | "Ss" => self.head(2, rest),
            "PP" | "P" | "LP" | "HP" | "Pp" => {
                self.flush();
                self.marked = None;
                if self.lists.is_empty() {
                    self.close_terms(self.indent);
                }
            }
            "TP" => {
                self.flush();
                self.marked = None;
                self.close_terms(self.indent);
                self.term = Term::Next;
            }
            "TQ" => self.term = Term::Next,
            "IP" => self.indented(&arguments(rest)),
            "RS" => {
                let term = self.take_term();
                self.flush();
                self.indent = self.indent.saturating_add(1);
                if let Some(term) = term {
                    self.begin_term(&term);
                }
            }
            "RE" => {
                self.flush();
                self.close_terms(self.indent);
                self.indent = self.indent.saturating_sub(1);
            }
            "Bl" => {
                self.flush();
                let has_terms = ["-tag", "-hang", "-ohang", "-inset", "-diag"].iter().any(|kind| rest.contains(kind));
                self.lists.push(if has_terms {
                    List::Terms
                } else {
                    List::Items(self.draft.list_intro(!self.lists.is_empty()))
                });
                self.indent = self.indent.saturating_add(1);
            }
            "El" => {
                self.flush();
                self.close_terms(self.indent);
                self.lists.pop();
                self.indent = self.indent.saturating_sub(1);
            }
            "It" => {
                self.flush();
                self.close_terms(self.indent);
                let text = self.inline.line(&arguments(rest));
                match self.lists.last() {
                    Some(List::Terms) => self.begin_term(&text),
                    _ => self.say(&text, false, no),
                }
            }
            "nf" | "EX" | "Vb" => self.begin_literal(no),
            "Bd" if rest.contains("-literal") || rest.contains("-unfilled") => self.begin_literal(no),
            "fi" | "EE" | "Ed" | "Ve" => self.end_literal(),
            "Bd" | "sp" | "Sp" => self.flush(),
            "Dl" | "D1" => {
                self.flush();
                let code = self.inline.line(&arguments(rest));
                self.draft.push(BlockKind::Code, None, &code, no);
            }
            _ => {
                if let Some((text, is_glued)) = self.inline.text(name, &arguments(rest)) {
                    self.say(&text, is_glued, no);
                }
            }
        }
    }

    fn head(&mut self, level: u8, rest: &str) {
        self.end_literal();
        self.close_terms(0);
        (self.indent, self.marked) = (0, None);
        self.lists.clear();
        match rest.is_empty() {
            true => self.term = Term::Heading(level),
            false => self.draft.heading(level, &self.inline.line(&arguments(rest))),
        }
    }

    /// `.IP`: a list item, a term, or an indented paragraph.
    fn indented(&mut self, arguments: &[String]) {
        self.flush();
        let tag = arguments.first().map(|tag| plain(tag)).unwrap_or_default();
        let is_mark = !tag.chars().any(char::is_alphabetic) || tag.len() <= 3 && tag.ends_with(['.', ')']);
        if tag.is_empty() {
            return;
        }
        self.close_terms(self.indent);
        if is_mark {
            self.marked.get_or_insert_with(|| self.draft.list_intro(false));
        } else {
            self.marked = None;
            self.begin_term(&tag);
        }
    }

    /// The paragraph before indented text, if it is a term, as in pages made from DocBook.
    fn take_term(&mut self) -> Option<String> {
        let text = self.text.trim();
        let is_term = !text.is_empty() && text.len() <= LONGEST_TERM && !text.ends_with(['.', ':', ',', ';', '!', '?']);
        is_term.then(|| std::mem::take(&mut self.text))
    }

    fn begin_term(&mut self, term: &str) {
        self.draft.term(TERM_LEVEL.saturating_add(self.indent), term);
        self.open.push((self.indent, self.draft.position()));
    }

    /// Ends the terms at this indent and deeper.
    fn close_terms(&mut self, indent: u8) {
        while let Some((own, mark)) = self.open.pop_if(|(own, _)| *own >= indent) {
            let level = TERM_LEVEL.saturating_add(own);
            self.draft.fold_short_definition(mark, level);
            self.draft.close(level);
        }
    }

    fn begin_literal(&mut self, no: u32) {
        self.flush();
        self.line = no;
        self.literal = Some(String::new());
    }

    fn end_literal(&mut self) {
        self.flush();
        if let Some(literal) = self.literal.take() {
            self.draft.push(BlockKind::Code, None, &literal, self.line);
        }
    }

    /// Ends the paragraph.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let intro = match self.lists.last() {
            Some(List::Items(intro)) => Some(intro),
            _ => self.marked.as_ref(),
        };
        match intro {
            Some(intro) => self.draft.push(BlockKind::ListItem, intro.clone(), &text, self.line),
            None => self.draft.push(BlockKind::Paragraph, None, &text, self.line),
        }
    }
}

#[cfg(test)]
mod tests;
