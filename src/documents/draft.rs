//! Builds a [`Document`] from headings and blocks.
//!
//! All formats use it, so that titles, heading paths, introductions, positions and lengths follow the same rules.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Document, Unread};
use run::evidence::{Block, BlockKind, Section};
use text::words::{Language, words};
use text::{Clean, sentence};

/// The most blocks of a document, and the most sections.
pub(super) const MOST_BLOCKS: usize = 250_000;
/// The most bytes of a block; longer ones are split between sentences. 600 estimated tokens, as the `read` tool
/// reserves for one.
const LONGEST_BLOCK: usize = 2400;
/// A sentence that ends with one of these continues in the list below it.
const GO_ON: [&str; 9] = ["may", "can", "cannot", "must", "shall", "should", "will", "not", "to"];
/// The most bytes of an introduction, such as the column names of a table: as many as of a passage.
const LONGEST_INTRO: usize = LONGEST_BLOCK;
/// A sentence of at most this many words only announces ("For example:"); its meaning is in the sentence before it.
const MOST_OF_ANNOUNCEMENT: usize = 3;
/// An item of at most this many words may be the name of a nested list.
const MOST_OF_A_NAME: usize = 5;
/// The most bytes of headings and introductions over all passages: each passage is indexed with everything above it.
pub(super) const MOST_ABOVE: usize = 128 << 20;
/// The most bytes of a heading; longer ones are mistakes in the markup.
const LONGEST_HEADING: usize = 300;
/// The level of the outermost terms in formats with at most nine levels of headings: terms open sections below all of them.
pub(super) const TERM_LEVEL: u8 = 10;
/// The most nested headings; deeper ones replace the deepest.
const DEEPEST: usize = 12;
/// Separators between a page's title and the name of its site.
const SITE_SEPARATORS: [&str; 7] = [" \u{2014} ", " | ", " - ", " \u{2013} ", " \u{b7} ", " :: ", " \u{bb} "];

#[derive(Clone, Default)]
pub(super) struct Draft {
    file_name: Clean,
    page_title: Option<Clean>,
    title: Option<Clean>,
    leads_elsewhere: bool,
    path: Vec<(u8, Clean)>,
    headings: Arc<[Clean]>,
    blocks: Vec<Block>,
    sections: Vec<Section>,
    start: u64,
    lead: bool,
    /// Bytes of headings and introductions so far, counted with each section and passage.
    above: usize,
}

/// A position in a [`Draft`].
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl Draft {
    pub(super) fn new(file_name: &str) -> Self {
        Draft { file_name: Clean::line(file_name), lead: true, ..Draft::default() }
    }

    /// A page that only redirects to another.
    pub(super) fn elsewhere() -> Self {
        Draft { leads_elsewhere: true, ..Draft::default() }
    }

    /// Sets the title that a page declares apart from its headings. The first call counts.
    pub(super) fn page_title(&mut self, raw: &str) {
        let title = Clean::line(raw);
        if self.page_title.is_none() && !title.is_empty() {
            self.page_title = Some(shorten(title));
        }
    }

    /// Makes the file's name the title, unless one was declared: the first heading of this text names a part of it.
    pub(super) fn title_by_name(&mut self) {
        self.page_title.get_or_insert_with(|| self.file_name.clone());
    }

    /// Whether a first heading is the name of the site, which follows the page's name in the declared title: "Heaps —
    /// The Site".
    pub(super) fn is_site(&self, heading: &str) -> bool {
        let heading = heading.trim();
        let Some(before) = self.page_title.as_ref().and_then(|title| title.strip_suffix(heading)) else { return false };
        self.title.is_none() && SITE_SEPARATORS.iter().any(|separator| before.ends_with(separator))
    }

    /// Begins a section. Levels count from 1, the outermost.
    pub(super) fn heading(&mut self, level: u8, raw: &str) {
        let heading = Clean::line(raw);
        if !heading.chars().any(char::is_alphanumeric) {
            return;
        }
        let heading = shorten(heading);
        self.lead = true;
        let first = self.title.is_none();
        if first {
            let (title, is_title) = match &self.page_title {
                Some(page) => reconcile(page, &heading),
                None => (heading.clone(), true),
            };
            self.title = Some(title);
            if is_title && self.blocks.is_empty() {
                return;
            }
        }
        self.open(level, heading);
    }

    /// Begins a section below the current ones, for a term with its definition; [`Draft::close`] ends it.
    pub(super) fn term(&mut self, level: u8, raw: &str) {
        let term = Clean::line(raw);
        if term.is_empty() {
            return;
        }
        self.lead = true;
        self.open(level, shorten(term));
    }

    fn open(&mut self, level: u8, heading: Clean) {
        self.path.retain(|(l, _)| *l < level);
        self.path.truncate(DEEPEST - 1);
        self.path.push((level, heading));
        self.headings = self.path.iter().map(|(_, h)| h.clone()).collect();
        self.above += self.headings_bytes();
        if self.sections.len() <= MOST_BLOCKS && self.above <= MOST_ABOVE {
            let at = self.next_no();
            self.sections.push(Section { headings: self.headings.clone(), first: at, end: at });
        }
    }

    /// Ends all sections of this level and deeper.
    pub(super) fn close(&mut self, level: u8) {
        if self.path.iter().any(|(l, _)| *l >= level) {
            self.path.retain(|(l, _)| *l < level);
            self.headings = self.path.iter().map(|(_, h)| h.clone()).collect();
        }
    }

    fn headings_bytes(&self) -> usize {
        self.headings.iter().map(|heading| heading.len()).sum()
    }

    fn next_no(&self) -> u32 {
        u32::try_from(self.blocks.len()).unwrap_or(u32::MAX)
    }

    /// Adds a block, unless its text has no letter or digit.
    pub(super) fn push(&mut self, kind: BlockKind, intro: Option<Clean>, raw: &str, line: u32) {
        if self.blocks.len() > MOST_BLOCKS || self.above > MOST_ABOVE || !raw.chars().any(char::is_alphanumeric) {
            return;
        }
        let mut intro = intro;
        let (kind, text, pieces) = if kind == BlockKind::Code {
            intro = intro.or_else(|| self.sentence_above());
            let text = Clean::new(raw.trim_end().trim_start_matches(['\n', '\r']));
            let pieces = code_pieces(&text);
            (kind, text, pieces)
        } else {
            let text = Clean::line(if kind == BlockKind::TableRow { without_blank_end(raw) } else { raw });
            let kind = if kind == BlockKind::Paragraph && is_pair(&text) { BlockKind::KeyValue } else { kind };
            let pieces = prose_pieces(&text);
            (kind, text, pieces)
        };
        let whole = pieces.len() == 1;
        let above = self.headings_bytes() + intro.as_ref().map_or(0, |intro| intro.len());
        for piece in pieces {
            let text = if whole { text.clone() } else { Clean::new(text[piece].trim_end()) };
            if !text.chars().any(char::is_alphanumeric) {
                continue;
            }
            self.above += above;
            if self.above > MOST_ABOVE {
                return;
            }
            let no = self.next_no();
            if self.sections.last().is_none_or(|section| section.headings != self.headings) {
                self.sections.push(Section { headings: self.headings.clone(), first: no, end: no });
            }
            let lead = self.lead && kind == BlockKind::Paragraph;
            self.lead &= !lead;
            if let Some(section) = self.sections.last_mut() {
                section.end = no + 1;
            }
            let start = self.start;
            self.start += text.len() as u64 + 1;
            let (headings, intro) = (self.headings.clone(), intro.clone());
            self.blocks.push(Block { no, kind, headings, intro, text, line, start, lead });
        }
    }

    /// Adds running text: an item of the innermost of the open lists, given by their introductions, or a paragraph.
    pub(super) fn text(&mut self, in_item: bool, list: Option<&Option<Clean>>, raw: &str, line: u32) {
        match in_item {
            true => self.push(BlockKind::ListItem, list.cloned().flatten(), raw, line),
            false => self.push(BlockKind::Paragraph, None, raw, line),
        }
    }

    /// The position of the next block.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.blocks.len())
    }

    /// If only one short paragraph was added since `mark`, below a term of this level: turns it into a `term: text`
    /// line of the enclosing section.
    pub(super) fn fold_short_definition(&mut self, mark: Mark, level: u8) {
        const SHORT: usize = 240;
        let [block] = &self.blocks[mark.0.min(self.blocks.len())..] else { return };
        let Some((own, term)) = self.path.last() else { return };
        let alone = self.sections.last().is_some_and(|s| s.first == block.no && s.headings == self.headings);
        let fits = alone
            && *own == level
            && block.kind == BlockKind::Paragraph
            && block.headings == self.headings
            && term.len() <= 80
            && block.text.len() <= SHORT;
        if !fits {
            return;
        }
        let colon = if term.ends_with([':', '?', '.', '!']) { "" } else { ":" };
        let text = format!("{term}{colon} {}", block.text);
        let line = block.line;
        self.blocks.truncate(mark.0);
        self.start = self.blocks.last().map_or(0, |b| b.start + b.text.len() as u64 + 1);
        self.sections.pop();
        self.close(level);
        self.lead = false;
        self.push(BlockKind::KeyValue, None, &text, line);
    }

    /// The introduction of a list that begins now: the last sentence of the text right before it, if it announces
    /// something or continues in the list. For a nested list, also the enclosing item, if that is only a name ("Removed
    /// features").
    pub(super) fn list_intro(&self, is_within: bool) -> Option<Clean> {
        let block = self.blocks.last()?;
        if block.headings != self.headings || !matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem) {
            return None;
        }
        let last = sentence::sentences(&block.text).pop()?;
        let last = &block.text[last];
        let bare = block.text.trim_matches(['*', '_', ' ']);
        let is_name = bare.ends_with(char::is_alphanumeric) && (1..=MOST_OF_A_NAME).contains(&words(bare).count());
        if is_within && block.kind == BlockKind::ListItem && is_name {
            return Some(Clean::new(&format!("{bare}:")));
        }
        let goes_on = words(last).last().is_some_and(|word| GO_ON.contains(&word) && last.ends_with(word));
        let announces = goes_on
            || last.ends_with(':')
            || [" following", " below", "include", " these ", "as follows"].iter().any(|cue| last.contains(cue));
        (announces && last.len() <= 600).then(|| Clean::new(last))
    }

    /// The sentence above program text, with the one before if it only announces ("For example:").
    fn sentence_above(&self) -> Option<Clean> {
        let of_section = |block: &&Block| block.headings == self.headings && is_running(block.kind);
        let above = self.blocks.iter().rev().take_while(of_section).take(2);
        let mut above =
            above.flat_map(|block| sentence::sentences(&block.text).into_iter().rev().map(|range| &block.text[range]));
        let last = above.next()?;
        let announces = last.ends_with(':') && words(last).count() <= MOST_OF_ANNOUNCEMENT;
        let before = above.next().filter(|_| announces);
        let text = before.map_or_else(|| last.to_string(), |before| format!("{before} {last}"));
        (text.len() <= LONGEST_INTRO).then(|| Clean::line(&text))
    }

    /// Bytes of text so far.
    pub(super) fn len(&self) -> u64 {
        self.start
    }

    pub(super) fn finish(self) -> Result<Document, Unread> {
        if self.blocks.len() > MOST_BLOCKS || self.sections.len() > MOST_BLOCKS {
            return Err(Unread::TooManyBlocks);
        }
        if self.above > MOST_ABOVE {
            return Err(Unread::TooMuchAbove);
        }
        if self.leads_elsewhere {
            return Err(Unread::Elsewhere);
        }
        if self.blocks.is_empty() {
            return Err(Unread::NoText);
        }
        let mut sample = String::new();
        for block in self.blocks.iter().filter(|block| block.kind != BlockKind::Code) {
            sample.push_str(&block.text);
            sample.push('\n');
            if sample.len() >= 4096 {
                break;
            }
        }
        Ok(Document {
            title: self.title.or(self.page_title).unwrap_or(self.file_name),
            language: Language::of(&sample),
            blocks: self.blocks,
            sections: self.sections,
            bytes: self.start.saturating_sub(1),
        })
    }
}

/// The title of the document, and whether its first heading only repeats it.
fn reconcile(page: &Clean, heading: &Clean) -> (Clean, bool) {
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    if same(page, heading) {
        return (page.clone(), true);
    }
    for separator in SITE_SEPARATORS {
        for (at, _) in page.match_indices(separator) {
            let (before, after) = (&page[..at], &page[at + separator.len()..]);
            if same(before, heading) || same(after, heading) {
                return (heading.clone(), true);
            }
        }
    }
    // "What search costs: a comparison" over "What search costs": the longer one is the title.
    let begins = page.get(..heading.len()).is_some_and(|begin| same(begin, heading))
        && !page[heading.len()..].starts_with(char::is_alphanumeric);
    if begins {
        return (page.clone(), true);
    }
    let title = SITE_SEPARATORS
        .iter()
        .filter_map(|separator| page.rfind(separator))
        .max()
        .map_or_else(|| page.clone(), |at| Clean::new(&page[..at]));
    (title, false)
}

/// Whether a short line is a key with its value, like `Source code: Lib/heapq.py`.
fn is_pair(text: &str) -> bool {
    const SHORT: usize = 100;
    let Some((key, value)) = text.split_once(": ") else { return false };
    text.len() <= SHORT
        && key.len() <= 40
        && key.split(' ').count() <= 4
        && !key.contains(['.', ',', ';', '?', '!', '\u{201c}', '"'])
        && !value.ends_with(['.', '!', '?', ':', '\u{201d}', '"'])
}

/// A row of a table: its cells between bars.
pub(super) fn table_row<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    let written = |cell: S| without_lone_bars(cell.as_ref()).into_owned();
    cells.into_iter().map(written).collect::<Vec<_>>().join(" | ")
}

/// A cell in which no bar stands alone, which would part it: "number | null" becomes "number|null", and a bar alone is quoted.
pub(super) fn without_lone_bars(cell: &str) -> Cow<'_, str> {
    if !cell.split_whitespace().any(|word| word == "|") {
        return cell.trim().into();
    }
    let mut out = String::with_capacity(cell.len());
    let mut is_behind_bar = true;
    for word in cell.split_whitespace() {
        if word != "|" && !is_behind_bar {
            out.push(' ');
        }
        out.push_str(word);
        is_behind_bar = word == "|";
    }
    if out == "|" { "\"|\"".into() } else { out.into() }
}

fn shorten(heading: Clean) -> Clean {
    if heading.len() <= LONGEST_HEADING {
        return heading;
    }
    cut(&heading, LONGEST_HEADING)
}

/// The title of a manual page, "ls(1): list directory contents", from its name and its first line, "ls - list directory
/// contents".
pub(super) fn manual_title(name: &str, said: &str) -> String {
    match said.split_once(" - ").map(|(_, purpose)| purpose.trim()).filter(|purpose| !purpose.is_empty()) {
        Some(purpose) => format!("{name}: {purpose}"),
        None => name.to_owned(),
    }
}

/// Whether the declared title is a real title: many programs declare a file name or their own name.
pub(super) fn is_title(title: &str) -> bool {
    let title = title.trim();
    let lower = title.to_ascii_lowercase();
    title.chars().filter(|c| c.is_alphabetic()).count() >= 3
        && !lower.starts_with("untitled")
        && !lower.starts_with("microsoft word")
        && ![".doc", ".docx", ".tex", ".dvi", ".pdf", ".indd", ".odt"].iter().any(|ending| lower.ends_with(ending))
}

/// The column names of a table, which introduce each of its rows.
pub(super) fn column_names(row: &str) -> Clean {
    let names = Clean::line(without_blank_end(row));
    if names.len() > LONGEST_INTRO { cut(&names, LONGEST_INTRO) } else { names }
}

/// A row with its cells separated by bars, without trailing blank cells.
fn without_blank_end(row: &str) -> &str {
    row.trim_end_matches(" | ")
}

/// Lines of program text without their common indent.
pub(super) fn without_margin<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> Vec<&'l str> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let margin = lines.clone().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    lines.map(|line| line.get(margin..).unwrap_or("")).collect()
}

fn cut(text: &str, most: usize) -> Clean {
    Clean::line(&text[..text.floor_char_boundary(most)])
}

/// Whether a block consists of sentences that may introduce what follows.
fn is_running(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Paragraph | BlockKind::ListItem | BlockKind::KeyValue)
}

/// Pieces of at most [`LONGEST_BLOCK`] bytes, cut between sentences where there are any.
fn prose_pieces(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    if text.len() <= LONGEST_BLOCK {
        pieces.push(0..text.len());
        return pieces;
    }
    let mut from = 0;
    let mut end = 0;
    for sentence in sentence::sentences(text) {
        if sentence.end - from > LONGEST_BLOCK && end > from {
            pieces.push(from..end);
            from = sentence.start;
        }
        while sentence.end - from > LONGEST_BLOCK {
            let limit = text.floor_char_boundary(from + LONGEST_BLOCK);
            let cut = text[from..limit].rfind(' ').map_or(limit, |at| from + at + 1);
            let cut = if cut > from { cut } else { limit };
            pieces.push(from..cut);
            from = cut;
        }
        end = sentence.end;
    }
    if end > from {
        pieces.push(from..end);
    }
    pieces
}

/// Pieces of at most [`LONGEST_BLOCK`] bytes, cut between lines.
fn code_pieces(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while text.len() - from > LONGEST_BLOCK {
        let limit = text.floor_char_boundary(from + LONGEST_BLOCK);
        let cut = text[from..limit].rfind('\n').map_or(limit, |at| from + at + 1);
        pieces.push(from..cut);
        from = cut;
    }
    pieces.push(from..text.len());
    pieces
}
