//! AsciiDoc to blocks: titles, lists, terms, tables, and blocks fenced off by lines like `----`.
//!
//! Supports the syntax of documentation, not the whole language; unknown markup is text. Includes no other file, and keeps
//! conditional text under any condition.

mod characters;
mod detect;
mod inline;
mod line;
mod links;
mod table;

use super::draft::{Draft, Position, TERM_LEVEL, Within};
use super::margin::without_margin;
use super::plain;
use run::evidence::BlockKind;
use text::Clean;

pub(super) use self::detect::is_source;
use self::inline::Inline;
use self::line::{Fence, Line};

/// The most blocks and lists that are open at once; deeper ones are read without their marks.
const DEEPEST: usize = 24;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    let lines = lines(text);
    let mut inline = Inline::default();
    if let Some(title) = detect::manual(&lines) {
        draft.page_title(&inline.plain(&title));
    }
    entitle(&lines, &mut inline);
    let mut reader = Reader {
        draft,
        lines: &lines,
        at: 0,
        inline,
        open: Vec::new(),
        terms: 0,
        waiting: String::new(),
        gap: 0,
        is_attached: false,
        attributes: Vec::new(),
    };
    reader.front_matter();
    while reader.at < lines.len() {
        reader.block();
    }
    reader.close(0);
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let lines = text.lines().zip(1u32..).map(|(raw, no)| Line { text: raw.trim_end(), no });
    lines.filter(|line| !line.is_directive()).collect()
}

/// Records the titles shown for references to anchors.
fn entitle(lines: &[Line<'_>], inline: &mut Inline) {
    for (anchor, below) in lines.iter().zip(1..).filter_map(|(line, below)| Some((line.anchor()?, below))) {
        let Some(line) = lines.get(below) else { break };
        let under = lines.get(below + 1).and_then(|under| line.underlined(under)).map(|_| line.text);
        if let Some(title) = line.title().map(|(_, title)| title).or(under) {
            inline.entitle(anchor, title);
        }
    }
}

enum Open<'a> {
    /// A block, with the line that ends it.
    Block(&'a str),
    /// A list, with the marker of its items and its introduction.
    List(&'a str, Option<Clean>),
    /// A term, with the mark behind it, and the beginning of its definition, if that has begun.
    Term(&'a str, Option<Position>),
}

struct Reader<'a, 'd> {
    draft: &'d mut Draft,
    lines: &'a [Line<'a>],
    at: usize,
    inline: Inline,
    open: Vec<Open<'a>>,
    /// The number of open terms.
    terms: u8,
    /// The innermost term, or several with a common definition, until the definition begins.
    waiting: String,
    /// The blank lines before this one.
    gap: usize,
    /// Whether a `+` joins the next block to the open item.
    is_attached: bool,
    /// The attribute lines of the next block.
    attributes: Vec<&'a str>,
}

impl<'a> Reader<'a, '_> {
    /// Skips the fields that site generators keep at the top of a page.
    fn front_matter(&mut self) {
        const LONGEST: usize = 200;
        if self.lines.first().is_some_and(|line| line.text == "---") {
            let end = self.lines.iter().take(LONGEST).skip(1).position(|line| line.text == "---");
            self.at = end.map_or(0, |end| end + 2);
        }
    }

    /// Reads the element that begins at this line.
    fn block(&mut self) {
        let line = self.lines[self.at];
        let in_list = self.in_list();
        if line.is_blank() {
            self.gap += 1;
            self.at += 1;
        } else if let Some(depth) =
            self.open.iter().rposition(|open| matches!(open, Open::Block(end) if *end == line.text))
        {
            self.close(depth);
            self.pass();
        } else if line.is_comment() {
            self.at += 1;
        } else if let Some((name, value)) = line.entry() {
            self.entry(name, value);
        } else if line.attributes().is_some() || line.is_block_title() {
            // A list goes on behind an anchor.
            if self.gap > 0 && !self.is_attached && self.waiting.is_empty() && line.attributes() != Some("") {
                self.close(self.floor());
            }
            self.attributes.extend(line.attributes());
            self.at += 1;
        } else if line.is_ornament() {
            self.attributes.clear();
            self.pass();
        } else if line.text == "+" && in_list {
            // Blank lines before it lead to the items further out.
            let out = self.gap.min(self.open.len() - self.floor() - 1);
            self.close(self.open.len() - out);
            self.is_attached = true;
            self.pass();
        } else if let Some(fence) = line.fence() {
            self.fenced(fence);
        } else if let Some((level, title, used)) = self.title() {
            self.close(self.floor());
            let title = self.inline.plain(title);
            let is_first = self.draft.len() == 0 && level == 1;
            self.draft.heading(level, &title);
            self.attributes.clear();
            self.at += used - 1;
            self.pass();
            if is_first {
                self.authors();
            }
        } else if let Some((marker, text)) = line.item() {
            self.item(marker, text);
        } else if let Some((term, mark, text)) = line.term() {
            self.term(term, mark, text);
        } else {
            self.paragraph();
        }
    }

    /// Moves to the next line, which follows without a gap.
    fn pass(&mut self) {
        self.at += 1;
        self.gap = 0;
    }

    /// The number of open elements up to the innermost block, at whose end the lists above end too.
    fn floor(&self) -> usize {
        self.open.iter().rposition(|open| matches!(open, Open::Block(_))).map_or(0, |at| at + 1)
    }

    fn in_list(&self) -> bool {
        self.open.last().is_some_and(|open| !matches!(open, Open::Block(_)))
    }

    /// Level and text of the section title that begins here, and its number of lines.
    fn title(&mut self) -> Option<(u8, &'a str, usize)> {
        let line = self.lines[self.at];
        if let Some((level, title)) = line.title() {
            return Some((level, title, 1));
        }
        let level = line.underlined(self.lines.get(self.at + 1)?)?;
        self.inline.is_older |= level == 1;
        Some((level, line.text, 2))
    }

    /// Skips the lines of author and revision below the document's title.
    fn authors(&mut self) {
        let is_author = |text: &str| {
            let mut names = text.split("; ").map(|name| name.split(' ').count());
            text.ends_with('>') && text.contains('@')
                || text.starts_with(char::is_alphabetic)
                    && !text.ends_with(['.', ':', '?', '!'])
                    && names.all(|words| words <= 3)
        };
        let is_revision = |text: &str| {
            let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
            text.starts_with(|c: char| c.is_ascii_digit() || c == '{') && text.split(' ').count() <= 6
        };
        let is = |at: usize, what: &dyn Fn(&str) -> bool| {
            let is_element = |line: &Line<'_>| line.item().is_some() || line.term().is_some() || line.is_ornament();
            self.lines.get(at).is_some_and(|line| what(line.text) && !is_element(line))
        };
        if is(self.at, &is_author) {
            self.at += 1 + usize::from(is(self.at + 1, &is_revision));
        }
    }

    /// Sets an attribute, whose value may continue on further lines.
    fn entry(&mut self, name: &str, value: &str) {
        let mut value = value.to_owned();
        self.at += 1;
        while let Some(before) = value.strip_suffix('\\').map(str::len)
            && let Some(line) = self.lines.get(self.at).filter(|line| !line.is_blank())
        {
            value.truncate(before);
            value.push_str(line.words());
            self.at += 1;
        }
        self.inline.define(name, &value);
    }

    fn item(&mut self, marker: &'a str, text: &'a str) {
        let (floor, no) = (self.floor(), self.lines[self.at].no);
        let known = self.open[floor..].iter().position(|open| matches!(open, Open::List(own, _) if *own == marker));
        match known {
            Some(at) => self.close(floor + at + 1),
            None if self.open.len() < DEEPEST => {
                self.define();
                let is_within = self.open[floor..].iter().any(|open| matches!(open, Open::List(..)));
                self.open.push(Open::List(marker, self.draft.list_intro(is_within)));
            }
            None => {}
        }
        self.attributes.clear();
        self.is_attached = false;
        let text = ["[ ] ", "[x] ", "[*] "].iter().find_map(|check| text.strip_prefix(check)).unwrap_or(text);
        let text = self.running(text);
        self.say(&text, no);
    }

    fn term(&mut self, term: &str, mark: &'a str, text: &'a str) {
        let (floor, no) = (self.floor(), self.lines[self.at].no);
        let known = self.open[floor..].iter().position(|open| matches!(open, Open::Term(own, _) if *own == mark));
        let known = known.map(|at| floor + at);
        let term = self.inline.plain(term);
        if !self.waiting.is_empty() && known == Some(self.open.len() - 1) {
            self.waiting.push_str(", ");
            self.waiting.push_str(&term);
        } else {
            match known {
                Some(at) => self.close(at),
                None => self.define(),
            }
            if self.open.len() < DEEPEST {
                self.open.push(Open::Term(mark, None));
                self.terms += 1;
                self.waiting = term;
            } else {
                self.say(&term, no);
            }
        }
        self.attributes.clear();
        self.is_attached = false;
        let text = self.running(text);
        if !text.is_empty() {
            self.say(&text, no);
        }
    }

    /// Begins the definition of the terms that wait for it.
    fn define(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let term = std::mem::take(&mut self.waiting);
        self.draft.term(TERM_LEVEL.saturating_add(self.terms - 1), &term);
        if let Some(Open::Term(_, mark)) = self.open.last_mut() {
            *mark = Some(self.draft.position());
        }
    }

    /// Ends the open elements beyond this depth.
    fn close(&mut self, depth: usize) {
        while self.open.len() > depth {
            if let Some(Open::Term(_, mark)) = self.open.pop() {
                self.terms -= 1;
                let level = TERM_LEVEL.saturating_add(self.terms);
                match mark {
                    Some(mark) => self.draft.fold_short_definition(mark, level),
                    // A term without a definition is text.
                    None => {
                        let term = std::mem::take(&mut self.waiting);
                        let no = self.lines[self.at.min(self.lines.len() - 1)].no;
                        self.draft.push(BlockKind::Paragraph, None, &term, no);
                    }
                }
                self.draft.close(level);
            }
        }
    }

    /// Ends the lists that do not contain the block at this line, and begins the definition that does.
    fn settle(&mut self, is_part: bool) {
        if self.gap > 0 && !self.is_attached && !is_part && self.waiting.is_empty() {
            self.close(self.floor());
        }
        self.define();
        self.is_attached = false;
        self.gap = 0;
    }

    /// The style of the next block, the first of its attributes.
    fn style(&self) -> &'a str {
        let mut styles = self.attributes.iter().map(|inner| inner.split([',', '#', '.', '%']).next().unwrap_or(""));
        styles.rfind(|style| !style.is_empty() && !style.contains('=')).unwrap_or("")
    }

    fn paragraph(&mut self) {
        let line = self.lines[self.at];
        let style = self.style();
        let is_literal = line.is_indented() && self.waiting.is_empty() && style.is_empty();
        self.settle(is_literal);
        if is_literal || is_code(style) || is_skipped(style) {
            let lines = &self.lines[self.at..];
            let end = lines.iter().position(|line| line.is_blank() || line.text == "+" || line.fence().is_some());
            // It has its first line, which is neither blank nor a fence.
            let lines = &lines[..end.unwrap_or(lines.len()).max(1)];
            self.at += lines.len();
            // Indented lines may be sentences all the same, as in a web page.
            let text: String = lines.iter().flat_map(|line| [line.text, "\n"]).collect();
            let level = TERM_LEVEL.saturating_add(self.terms);
            if is_literal && plain::parse_preformatted(&text, line.no, level, self.draft) {
                return;
            }
            return self.code(lines, style);
        }
        self.attributes.clear();
        let text = self.running(line.words());
        let label =
            ["NOTE:", "TIP:", "IMPORTANT:", "WARNING:", "CAUTION:"].iter().find_map(|label| text.strip_prefix(label));
        self.say(label.filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(&text), line.no);
    }

    fn fenced(&mut self, fence: Fence) {
        let line = self.lines[self.at];
        let style = self.style();
        if fence != Fence::Skipped {
            self.settle(false);
        }
        self.pass();
        if fence == Fence::Blocks && !is_code(style) && !is_skipped(style) {
            self.attributes.clear();
            if self.open.len() < DEEPEST {
                self.open.push(Open::Block(line.end()));
            }
            return;
        }
        let lines = &self.lines[self.at..];
        let lines = &lines[..lines.iter().position(|other| other.text == line.end()).unwrap_or(lines.len())];
        self.at += lines.len() + 1;
        match fence {
            Fence::Code | Fence::Blocks => self.code(lines, style),
            Fence::Table => {
                let attributes = std::mem::take(&mut self.attributes).join(",");
                for (kind, intro, row, no) in table::rows(lines, line.text, &attributes, &mut self.inline) {
                    self.draft.push(kind, intro, &row, no);
                }
            }
            Fence::Skipped => self.attributes.clear(),
        }
    }

    /// Adds verbatim lines, without the marks of callouts.
    fn code(&mut self, lines: &[Line<'_>], style: &str) {
        let is_inline = matches!(style, "verse" | "synopsis");
        let has_attributes =
            self.attributes.iter().any(|inner| inner.contains("subs=") && inner.contains("attributes"));
        self.attributes.clear();
        let Some(first) = lines.iter().find(|line| !line.is_blank()).filter(|_| !is_skipped(style)) else { return };
        let mut code = String::new();
        for line in without_margin(lines.iter().map(|line| line.text)) {
            let text = without_callouts(line);
            match (is_inline, has_attributes) {
                (true, _) => code.push_str(&self.inline.plain(text)),
                (false, true) => code.push_str(&self.inline.expand(text)),
                (false, false) => code.push_str(text),
            }
            code.push('\n');
        }
        self.draft.push(BlockKind::Code, None, &code, first.no);
    }

    /// The text that begins at this line, with its continuation lines.
    fn running(&mut self, first: &str) -> String {
        let in_list = self.in_list();
        let ends = |line: &Line<'_>| {
            line.is_blank()
                || line.attributes().is_some()
                || line.fence().is_some()
                || in_list && (line.text == "+" || line.item().is_some() || line.term().is_some())
        };
        let mut text = without_break(first).to_owned();
        self.pass();
        while let Some(line) = self.lines.get(self.at).filter(|line| !ends(line)) {
            if !line.is_comment() {
                text.push(' ');
                text.push_str(without_break(line.words()));
            }
            self.at += 1;
        }
        text.trim_start().to_owned()
    }

    /// Adds text to the innermost item, definition or block; an open block is part of the one around it.
    fn say(&mut self, raw: &str, no: u32) {
        self.define();
        let text = self.inline.plain(raw);
        let within = match self.open.iter().rev().find(|open| !matches!(open, Open::Block("--"))) {
            Some(Open::List(_, intro)) => Within::Item(intro.as_ref()),
            _ => Within::Body,
        };
        self.draft.text(within, &text, no);
    }
}

fn is_code(style: &str) -> bool {
    matches!(style, "source" | "listing" | "literal" | "screen" | "verse" | "synopsis")
}

fn is_skipped(style: &str) -> bool {
    matches!(style, "comment" | "pass" | "stem" | "latexmath" | "asciimath")
}

/// A line of text without the mark that breaks it.
fn without_break(text: &str) -> &str {
    if text == "+" { "" } else { text.strip_suffix(" +").unwrap_or(text) }
}

/// A line of code without its references to the list below it: `open(path) // <1>`.
fn without_callouts(text: &str) -> &str {
    let mut rest = text;
    while let Some((before, label)) = rest.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        let is_label = label == "." || label.len() <= 2 && label.parse::<u8>().is_ok();
        if !is_label || !before.is_empty() && !before.ends_with([' ', '\t']) {
            break;
        }
        rest = before.trim_end();
    }
    if rest.len() == text.len() {
        return text;
    }
    let bare = ["//", "#", "--", ";;"].iter().find_map(|comment| rest.strip_suffix(comment)).unwrap_or(rest);
    bare.trim_end()
}

#[cfg(test)]
mod tests;
