//! Plain text to blocks: detects headings, lists, tables and code by their layout.
//!
//! Hard-wrapped lines are joined. In doubt, text is a paragraph.

mod chronicle;
mod comments;
mod definitions;
mod emphasis;
mod glossary;
mod headings;
mod line;
mod links;
mod outline;
mod pages;
mod prose;
mod questions;
mod set_in;
mod table;
mod title;
mod typeset;
mod vim_help;

use super::draft::{Draft, TERM_LEVEL};
use super::hyphens::Hyphens;
use super::pdf::Mark;
use run::evidence::BlockKind;
use text::Clean;

use self::chronicle::Chronicle;
use self::emphasis::without_marks;
use self::glossary::Glossary;
use self::line::Line;
use self::links::without_targets;
use self::outline::Outline;
use self::prose::{is_mostly_prose, is_sentences};
use self::questions::Questions;
use self::title::title;
use self::typeset::Headings;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    parse_lines(comments::without_signs(text.lines().zip(1u32..)).into_iter(), draft);
}

/// Parses lines with given line numbers.
pub(super) fn parse_lines<'a>(lines: impl Iterator<Item = (&'a str, u32)>, draft: &mut Draft) {
    let mut feeds = Vec::new();
    let lines: Vec<Line<'_>> = lines
        .enumerate()
        .map(|(at, (raw, no))| {
            if raw.contains(FORM_FEED) {
                feeds.push(at);
            }
            Line::new(raw, no)
        })
        .collect();
    if vim_help::is_one(&lines) {
        match vim_help::title(&lines) {
            Some(title) => draft.page_title(title),
            None => draft.title_by_name(),
        }
        return read(vim_help::read(&lines), 0, TERM_LEVEL, draft);
    }
    read_whole(pages::joined(&lines, &feeds), draft);
}

/// Parses lines of which headings and program text are marked: by the fonts of typeset pages, or by the marks of a wiki.
pub(super) fn parse_typeset<'a>(lines: impl Iterator<Item = (Option<Mark>, &'a str, u32)>, draft: &mut Draft) {
    read_whole(lines.map(|(mark, raw, no)| Line { mark, ..Line::new(raw, no) }).collect(), draft);
}

/// Reads the lines of a whole document, with its title.
fn read_whole(lines: Vec<Line<'_>>, draft: &mut Draft) {
    if let Some(title) = title(&lines) {
        draft.page_title(&title);
    }
    read(lines, 0, TERM_LEVEL, draft);
}

/// Parses lines of a larger document, whose headings are below this level.
pub(super) fn parse_below<'a>(lines: impl Iterator<Item = (&'a str, u32)>, above: u8, draft: &mut Draft) {
    read(lines.map(|(raw, no)| Line::new(raw, no)).collect(), above, TERM_LEVEL, draft);
}

/// Parses the preformatted text of a page from this line on, if it is mostly sentences, not program text or output. Its
/// headings are below those of the page, its terms at `term_level` and deeper. Returns whether it was parsed.
pub(super) fn parse_preformatted(text: &str, line: u32, term_level: u8, draft: &mut Draft) -> bool {
    let lines: Vec<Line<'_>> = text.lines().zip(line..).map(|(raw, no)| Line::new(raw, no)).collect();
    let is_read = is_mostly_prose(&lines);
    if is_read {
        read(lines, PAGE_LEVELS, term_level, draft);
        draft.close(term_level);
    }
    is_read
}

/// Reads lines whose headings are below this level.
fn read(mut lines: Vec<Line<'_>>, above: u8, term_level: u8, draft: &mut Draft) {
    let o_bullets = chunks(&lines).filter(|chunk| chunk[0].text.starts_with("o ")).count();
    if o_bullets >= LEAST_O_BULLETS {
        lines.iter_mut().for_each(|line| line.has_o_bullet = true);
    }
    let margin = margin(&lines);
    set_in::mark(&mut lines, margin);
    let lines = lines.as_slice();
    let is_outline = lines.iter().any(|line| line.text.starts_with("** "));
    let headings = Headings::of(lines);
    let chronicle = if headings.are_told() { Chronicle::default() } else { Chronicle::of(lines) };
    if chronicle.is_one() {
        draft.title_by_name();
    }
    let mut reader = Reader {
        draft,
        hyphens: Hyphens::of(lines.iter().map(Line::words)),
        above,
        term_level,
        underlines: Vec::new(),
        lists: Vec::new(),
        in_list: false,
        margin,
        is_outline,
        outline: Outline::of(lines, margin),
        questions: Questions::of(lines),
        headings,
        chronicle,
        glossary: Glossary::of(lines),
        depth: 0,
        in_contents: false,
        terms: Vec::new(),
    };
    chunks(lines).for_each(|chunk| reader.chunk(chunk));
}

/// The runs of lines between blank ones.
fn chunks<'l, 'a>(lines: &'l [Line<'a>]) -> impl Iterator<Item = &'l [Line<'a>]> {
    lines.split(Line::is_blank).filter(|chunk| !chunk.is_empty())
}

/// The fewest lines of a comment that is distinguished from headings and from commands behind a prompt.
const LEAST_COMMENTED: usize = 2;

/// The sentences in a comment above settings, without the comment signs, and the lines below: samples of configuration
/// have such comments.
fn commented<'l, 'a>(lines: &'l [Line<'a>]) -> Option<(Vec<Line<'a>>, &'l [Line<'a>])> {
    let said = |line: &Line<'a>| {
        let text = ["## ", "# "].iter().find_map(|sign| line.text.strip_prefix(sign))?;
        Some(Line { text, ..*line })
    };
    let comment: Vec<Line<'a>> = lines.iter().map_while(said).collect();
    let rest = &lines[comment.len()..];
    let text = comment.iter().map(Line::words).collect::<Vec<_>>().join(" ");
    (comment.len() >= LEAST_COMMENTED && is_sentences(&text)).then_some((comment, rest))
}

/// Whether words are the label of a framed note.
pub(super) fn is_label(words: &str) -> bool {
    matches!(words, "Note" | "Tip" | "Caution" | "Warning" | "Important")
}

/// Whether the first line of an item is a title: the next word would have fitted on it, and begins a sentence.
fn is_title(first: &Line<'_>, rest: &[Line<'_>]) -> bool {
    let Some(next) = rest.first().and_then(|line| line.words().split_whitespace().next()) else { return false };
    let width = rest.iter().map(|line| line.text.len()).max().unwrap_or(0);
    rest.len() > 1
        && first.text.len() + 2 + next.len() < width
        && next.starts_with(char::is_uppercase)
        && first.text.ends_with(char::is_alphanumeric)
}

/// The most frequent indent, which is that of running text; 0 if few lines share one.
fn margin(lines: &[Line<'_>]) -> usize {
    let mut counts = [0_usize; 12];
    let inked = lines.iter().filter(|line| !line.is_blank());
    let all = inked.clone().count();
    inked.for_each(|line| counts[line.indent.min(11)] += 1);
    let most = (0..11).max_by_key(|indent| (counts[*indent], 11 - indent)).unwrap_or(0);
    if all >= SHORT && counts[most] * 4 >= all { most } else { 0 }
}

/// Lines of program text without the indent that all have.
fn at_the_margin(lines: &[Line<'_>]) -> String {
    let indent = |line: &Line<'_>| line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
    let margin = lines.iter().map(indent).min().unwrap_or(0);
    lines.iter().map(|line| &line.text[margin..]).collect::<Vec<_>>().join("\n")
}

/// A text without the marks of emphasis and the targets of links.
fn words_of(text: &str) -> String {
    without_marks(&without_targets(text))
}

struct Reader<'a, 't> {
    draft: &'a mut Draft,
    hyphens: Hyphens<'t>,
    /// Headings open sections below this level.
    above: u8,
    /// The level of the outermost terms.
    term_level: u8,
    /// Underline characters of headings, by depth.
    underlines: Vec<char>,
    /// The open lists, the outermost first: their indents and introductions.
    lists: Vec<(usize, Option<Clean>)>,
    in_list: bool,
    /// The indent of running text.
    margin: usize,
    /// Whether stars mark headings.
    is_outline: bool,
    outline: Outline,
    questions: Questions,
    headings: Headings,
    chronicle: Chronicle,
    glossary: Glossary,
    /// The depth of the last numbered heading.
    depth: usize,
    /// Whether the entries of a table of contents may follow.
    in_contents: bool,
    /// The indents of the open definitions, the outermost first.
    terms: Vec<usize>,
}

const FORM_FEED: char = '\u{c}';
/// A lone `o` is a bullet if at least this many paragraphs begin with one: in some languages it is a word.
const LEAST_O_BULLETS: usize = 3;
/// A text with fewer lines has no margin of its own.
const SHORT: usize = 12;
/// The levels of headings in HTML.
const PAGE_LEVELS: u8 = 6;
/// The longest term of a definition list.
const LONGEST_TERM: usize = 70;

impl Reader<'_, '_> {
    /// Reads the lines between two blank ones.
    fn chunk(&mut self, lines: &[Line<'_>]) {
        if let Some((comment, rest)) = commented(lines) {
            self.text(&comment);
            return self.chunk(rest);
        }
        for part in lines.chunk_by(typeset::goes_on) {
            match part[0].mark {
                Some(Mark::Heading(level)) if part.len() <= typeset::LONGEST => {
                    let words = self.join(part[0].words(), &part[1..]);
                    if self.headings.is_entry(&words, self.in_contents) || is_label(&words) {
                        continue;
                    }
                    self.in_list = false;
                    self.end_terms();
                    let level = self.headings.level(&part[0], level);
                    self.open(level.into(), &words);
                }
                Some(Mark::Titled(level)) => {
                    self.in_list = false;
                    self.end_terms();
                    part.iter().for_each(|line| self.open(level.into(), line.words()));
                }
                Some(Mark::Code) => {
                    self.draft.push(BlockKind::Code, None, &at_the_margin(part), part[0].no);
                }
                _ => self.text(part),
            }
        }
    }

    /// Reads lines of text, perhaps with questions and answers or a table among them.
    fn text(&mut self, lines: &[Line<'_>]) {
        if self.questions(lines) {
            return;
        }
        match table::parts(lines) {
            Some(parts) => parts.into_iter().for_each(|part| self.lines_of_text(part)),
            None => self.lines_of_text(lines),
        }
    }

    fn lines_of_text(&mut self, lines: &[Line<'_>]) {
        let mut lines = lines;
        if let Some(name) = self.glossary.entry(lines) {
            self.in_list = false;
            self.end_terms();
            self.draft.close(self.term_level());
            return self.draft.term(self.term_level(), name);
        }
        if self.chronicle.heads(lines) {
            self.in_list = false;
            self.end_terms();
            self.draft.heading(self.above + 1, lines[0].words());
            lines = &lines[1..];
        }
        while let Some(used) = self.underlined(lines) {
            self.in_list = false;
            lines = &lines[used..];
        }
        while let [first, rest @ ..] = lines
            && (first.rule().is_some() || first.is_divider())
        {
            lines = rest;
        }
        // The label of a framed note adds nothing to the note.
        if let [label, rest @ ..] = lines
            && !rest.is_empty()
            && is_label(label.words())
        {
            lines = rest;
        }
        let Some(first) = lines.first() else { return };
        if self.contents(lines) {
            return;
        }
        while self.terms.last().is_some_and(|indent| first.indent < *indent) {
            self.terms.pop();
            self.draft.close(self.term_level());
        }
        if let Some(rest) = self.headed(lines) {
            self.in_list = false;
            return self.lines_of_text(rest);
        }
        let Some(first) = lines.first() else { return };
        if first.item().is_none() && self.definitions(lines) {
            self.in_list = false;
            return;
        }
        let list = first.item().is_some() || self.is_in_item(first);
        let is_marked = lines.len() == 1 && (self.is_outline || first.is_title || self.outline.is_single(first));
        if (!list || is_marked) && self.heading(lines) || self.key_values(lines) || table::read(lines, self.draft) {
            self.in_list = false;
            return;
        }
        if !list && self.code(lines) {
            return;
        }
        self.running(lines);
    }

    /// Reads lines of keys with values.
    fn key_values(&mut self, lines: &[Line<'_>]) -> bool {
        let all = lines.iter().all(|line| line.key_value().is_some() && line.item().is_none());
        let fits = match lines {
            [line] => line.key_value().is_some_and(|(_, value)| value.len() <= 60 && !value.ends_with(['.', '!', '?'])),
            _ => lines.iter().all(|line| line.words().len() <= 160),
        };
        if !all || !fits {
            return false;
        }
        for line in lines {
            self.draft.push(BlockKind::KeyValue, None, &without_targets(line.words()), line.no);
        }
        true
    }

    /// Reads code: indented lines that do not look like sentences.
    fn code(&mut self, lines: &[Line<'_>]) -> bool {
        let transcript = lines.iter().any(|line| ["$ ", "# ", ">>> "].iter().any(|p| line.words().starts_with(p)));
        // Text at the margin, or as far in as the definition that is open, is no code.
        let margin = self.terms.last().copied().unwrap_or(0).max(self.margin);
        if !transcript && lines.iter().any(|line| line.indent < margin + 2) {
            return false;
        }
        let text: String = lines.iter().map(|line| line.words()).collect::<Vec<_>>().join(" ");
        let all = text.chars().count();
        let plain = text.chars().filter(|c| c.is_alphabetic() || *c == ' ' || ",.'".contains(*c)).count();
        let sentence =
            text.starts_with(|c: char| c.is_uppercase() || c == '"') && text.ends_with(['.', '!', '?', ':', '"', ')']);
        let prose =
            sentence && plain * 100 >= all * 88 || plain * 100 >= all * 95 && lines.len() > 1 || is_sentences(&text);
        if !transcript && prose {
            return false;
        }
        self.draft.push(BlockKind::Code, None, &at_the_margin(lines), lines[0].no);
        true
    }

    /// Makes the list of an item the innermost one. A new list begins where an item is further indented, or where the
    /// numbering restarts.
    fn enter_list(&mut self, item: &Line<'_>) {
        if !self.in_list {
            self.lists.clear();
        }
        self.in_list = true;
        self.lists.retain(|(indent, _)| *indent <= item.indent);
        let is_new = self.lists.last().is_none_or(|(indent, _)| *indent < item.indent);
        if is_new {
            self.lists.push((item.indent, self.draft.list_intro(!self.lists.is_empty())));
        } else if let Some((_, intro)) = self.lists.last_mut().filter(|_| item.is_first()) {
            *intro = self.draft.list_intro(false);
        }
    }

    /// Whether a line without a bullet belongs to the list: it is further indented than the bullets.
    fn is_in_item(&self, line: &Line<'_>) -> bool {
        self.in_list && line.indent >= 2 && self.lists.first().is_some_and(|(indent, _)| line.indent > *indent)
    }

    fn intro(&self) -> Option<Clean> {
        self.lists.last().and_then(|(_, intro)| intro.clone())
    }

    fn join(&self, first: &str, rest: &[Line<'_>]) -> String {
        let mut text = first.to_owned();
        rest.iter().for_each(|line| self.hyphens.join(&mut text, line.words()));
        words_of(&text)
    }

    /// Reads paragraphs and list items.
    fn running(&mut self, lines: &[Line<'_>]) {
        let mut at = 0;
        while at < lines.len() {
            let item = lines[at].item();
            let end = at + 1 + lines[at + 1..].iter().take_while(|line| line.item().is_none()).count();
            let first = item.unwrap_or_else(|| lines[at].words());
            match item {
                Some(_) => {
                    self.enter_list(&lines[at]);
                    let rest = &lines[at + 1..end];
                    if is_title(&lines[at], rest) {
                        self.draft.push(BlockKind::ListItem, self.intro(), first, lines[at].no);
                        let text = self.join(rest[0].words(), &rest[1..]);
                        self.draft.push(BlockKind::ListItem, self.intro(), &text, rest[0].no);
                    } else {
                        self.draft.push(BlockKind::ListItem, self.intro(), &self.join(first, rest), lines[at].no);
                    }
                }
                None if self.is_in_item(&lines[at]) => {
                    let text = self.join(first, &lines[at + 1..end]);
                    self.draft.push(BlockKind::ListItem, self.intro(), &text, lines[at].no);
                }
                None => {
                    self.in_list = false;
                    let text = self.join(first, &lines[at + 1..end]);
                    self.draft.push(BlockKind::Paragraph, None, &text, lines[at].no);
                }
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests;
