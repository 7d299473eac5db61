//! Plain text to blocks: detects headings, lists, tables and code by their layout.
//!
//! Hard-wrapped lines are joined. In doubt, text is a paragraph.

mod chronicle;
mod emphasis;
mod glossary;
mod line;
mod outline;
mod pages;
mod prose;
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
use self::outline::Outline;
use self::prose::{is_mostly_prose, is_prose, is_sentences};
use self::title::title;
use self::typeset::Headings;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    parse_lines(text.lines().zip(1u32..), draft);
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

/// Parses lines of typeset pages, whose fonts mark headings and program text.
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
    let lines = lines.as_slice();
    let margin = margin(lines);
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
        outline: Outline::of(lines),
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

/// The column of a sentence that is beside the first words of each line, if these are too few for a table.
fn column_of_sentences(lines: &[Line<'_>]) -> Option<usize> {
    let column = lines.first().filter(|_| lines.len() < table::LEAST_ROWS)?.second_column()?;
    let is_entry = |line: &Line<'_>| {
        line.second_column() == Some(column)
            && line
                .beside(column)
                .is_some_and(|(_, own)| own.words().starts_with(char::is_uppercase) && own.words().ends_with('.'))
    };
    lines.iter().all(is_entry).then_some(column)
}

/// Lines of program text without their common indent.
fn at_the_margin(lines: &[Line<'_>]) -> String {
    let indent = |line: &Line<'_>| line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
    let margin = lines.iter().map(indent).min().unwrap_or(0);
    lines.iter().map(|line| &line.text[margin..]).collect::<Vec<_>>().join("\n")
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

/// Characters that no heading in capitals has.
const MARKS_OF_CODE: [char; 10] = ['*', '=', '<', '>', '{', '}', '|', '$', ';', '\\'];
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
                Some(Mark::Code) => {
                    self.draft.push(BlockKind::Code, None, &at_the_margin(part), part[0].no);
                }
                _ => self.text(part),
            }
        }
    }

    /// Reads lines of text.
    fn text(&mut self, lines: &[Line<'_>]) {
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
            return self.text(rest);
        }
        let Some(first) = lines.first() else { return };
        if first.item().is_none() && self.definitions(lines) {
            self.in_list = false;
            return;
        }
        let list = first.item().is_some() || self.is_in_item(first);
        let is_marked = lines.len() == 1 && (self.is_outline || self.outline.is_single(first));
        if (!list || is_marked) && self.heading(lines) || self.key_values(lines) || table::read(lines, self.draft) {
            self.in_list = false;
            return;
        }
        if !list && self.code(lines) {
            return;
        }
        self.running(lines);
    }

    /// Skips a table of contents.
    fn contents(&mut self, lines: &[Line<'_>]) -> bool {
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

    /// Reads a heading that is directly followed by its text, further indented, as in manual pages. Returns the text.
    fn headed<'l, 't>(&mut self, lines: &'l [Line<'t>]) -> Option<&'l [Line<'t>]> {
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
    fn open(&mut self, level: usize, heading: &str) {
        self.in_contents = outline::is_contents(heading);
        // All others stand below those of a changelog.
        let level = level + usize::from(self.chronicle.is_one());
        let level = u8::try_from(level).unwrap_or(u8::MAX).saturating_add(self.above);
        self.draft.heading(level.min(TERM_LEVEL - 1), heading);
    }

    fn end_terms(&mut self) {
        while self.terms.pop().is_some() {
            self.draft.close(self.term_level());
        }
    }

    fn term_level(&self) -> u8 {
        self.term_level.saturating_add(u8::try_from(self.terms.len()).unwrap_or(u8::MAX))
    }

    /// Reads terms with their definitions indented below them, or beside them with a hanging indent.
    fn definitions(&mut self, lines: &[Line<'_>]) -> bool {
        let Some(indent) = lines.first().map(|line| line.indent) else { return false };
        let hanging = lines.iter().map(|line| line.indent).filter(|other| *other > indent).min();
        let Some(body) = hanging.or_else(|| column_of_sentences(lines)) else { return false };
        let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].indent <= indent).collect();
        if body < indent + 2 || starts.first() != Some(&0) || lines.iter().any(|line| line.indent < indent) {
            return false;
        }
        let mut found: Vec<(String, Vec<Line<'_>>)> = Vec::new();
        let mut terms: Vec<&str> = Vec::new();
        for (nth, at) in starts.iter().enumerate() {
            let end = starts.get(nth + 1).copied().unwrap_or(lines.len());
            let below = &lines[at + 1..end];
            let (term, beside) = match lines[*at].beside(body) {
                Some((term, beside)) => (term, Some(beside)),
                None => (lines[*at].words(), None),
            };
            let is_term = term.len() <= LONGEST_TERM
                && (term.ends_with("...") || !term.ends_with(['.', ';', '{', '}', '(', '?', '!']))
                && term.chars().any(char::is_alphanumeric);
            if !is_term {
                return false;
            }
            terms.push(term);
            let own: Vec<Line<'_>> = beside.into_iter().chain(below.iter().copied()).collect();
            if own.is_empty() {
                continue;
            }
            found.push((std::mem::take(&mut terms).join(", "), own));
        }
        if found.is_empty() || !terms.is_empty() || !found.iter().all(|(_, own)| is_prose(own)) {
            return false;
        }
        let level = self.term_level();
        let last = found.len() - 1;
        for (nth, (term, own)) in found.into_iter().enumerate() {
            self.draft.close(level);
            self.draft.term(level, &term);
            let mark = self.draft.mark();
            self.in_list = false;
            self.running(&own);
            if nth < last {
                self.draft.fold_short_definition(mark, level);
            }
        }
        self.terms.push(body);
        true
    }

    /// Reads an underlined title, perhaps with an overline. Returns the number of lines.
    fn underlined(&mut self, lines: &[Line<'_>]) -> Option<usize> {
        let (over, rest) = match lines {
            [first, rest @ ..] if first.rule().is_some() && rest.len() >= 2 => (first.rule(), rest),
            _ => (None, lines),
        };
        let [title, under, ..] = rest else { return None };
        let rule = under.rule()?;
        let long = under.words().chars().count() * 2 >= title.words().chars().count();
        if title.rule().is_some() || !long || title.words().len() > 200 || over.is_some_and(|over| over != rule) {
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
    fn heading(&mut self, lines: &[Line<'_>]) -> bool {
        let [line] = lines else { return false };
        let words = line.words();
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
        // A name in capitals, in the contents of a glossary, is no heading of what follows.
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
            self.draft.push(BlockKind::KeyValue, None, line.words(), line.no);
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
        without_marks(&text)
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
