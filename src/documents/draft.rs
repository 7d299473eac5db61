//! Builds a [`Document`] from headings and blocks.
//!
//! All formats use it, so that titles, heading paths, introductions, positions and lengths follow the same rules.

use std::ops::Range;
use std::sync::Arc;

use super::pieces::{LONGEST_BLOCK, pieces_behind, prose_pieces};
use super::titles::{is_site, reconcile, shorten};
use super::{Document, Unread};
use run::evidence::{Block, BlockKind, Section};
use text::words::{Language, words};
use text::{Clean, sentence};

/// The most blocks of a document, and the most sections.
pub(super) const MOST_BLOCKS: usize = 250_000;
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
/// The level of the outermost terms in formats with at most nine levels of headings: terms open sections below all of them.
pub(super) const TERM_LEVEL: u8 = 10;
/// The most nested headings; deeper ones replace the deepest.
const DEEPEST: usize = 12;
#[derive(Clone, Default)]
pub(super) struct Draft {
    file_name: Clean,
    page_title: Option<Clean>,
    title: Option<Clean>,
    leads_elsewhere: bool,
    /// The field above the text by which the document no longer holds.
    pub(super) ended: Option<Clean>,
    /// The description in the line in front of the page, and its number, until it is a block.
    description: Option<(String, u32)>,
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
pub(super) struct Position(usize);

/// The element that running text belongs to.
#[derive(Clone, Copy)]
pub(super) enum Within<'a> {
    Body,
    /// An item of a list, with the introduction of that.
    Item(Option<&'a Clean>),
}

impl<'a> Within<'a> {
    /// An item of the innermost of the open lists, which are given by their introductions; the body if none is open.
    pub(super) fn innermost(lists: &'a [Option<Clean>]) -> Within<'a> {
        lists.last().map_or(Within::Body, |intro| Within::Item(intro.as_ref()))
    }
}

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

    /// Notes the description in front of a page: it is its first block.
    pub(super) fn describe(&mut self, raw: &str, line: u32) {
        if self.blocks.is_empty() && self.title.is_none() {
            self.description = Some((raw.trim().to_owned(), line));
        }
    }

    /// Adds the description as the first block, above all sections.
    fn add_description(&mut self) {
        if let Some((text, line)) = self.description.take() {
            self.push(BlockKind::KeyValue, None, &text, line);
        }
    }

    /// Whether a first heading is the name of the site, which follows the page's name in the declared title: "Heaps —
    /// The Site".
    pub(super) fn is_site(&self, heading: &str) -> bool {
        self.title.is_none() && self.page_title.as_ref().is_some_and(|page| is_site(page, heading.trim()))
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
                return self.add_description();
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
        self.add_description();
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
        self.add_description();
        let intro = if kind == BlockKind::Code { intro.or_else(|| self.sentence_above()) } else { intro };
        let (kind, text, pieces) = pieces_of(kind, raw);
        let whole = pieces.len() == 1;
        let above = self.headings_bytes() + intro.as_ref().map_or(0, |intro| intro.len());
        // Data within a line is cut without a loss, so that the line can be put together again: [`Block::continues`].
        let is_within_line = |at: usize| {
            let is_data = matches!(kind, BlockKind::Code | BlockKind::TableRow);
            is_data && at > 0 && at < text.len() && !text[..at].ends_with('\n')
        };
        let has_words = |piece: &Range<usize>| text[piece.clone()].chars().any(char::is_alphanumeric);
        let lines = pieces.chunk_by(|_, next| is_within_line(next.start));
        for piece in lines.filter(|line| line.iter().any(has_words)).flatten().cloned() {
            let (continues, goes_on) = (is_within_line(piece.start), is_within_line(piece.end));
            let text = match &text[piece] {
                _ if whole => text.clone(),
                piece if goes_on => Clean::new(piece),
                piece => Clean::new(piece.trim_end()),
            };
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
            let start = self.start - u64::from(continues);
            self.start = start + text.len() as u64 + 1;
            let (headings, intro) = (self.headings.clone(), intro.clone());
            self.blocks.push(Block { no, kind, headings, intro, text, line, breaks: Vec::new(), start, lead });
        }
    }

    /// Adds running text: an item of a list, or a paragraph.
    pub(super) fn text(&mut self, within: Within<'_>, raw: &str, line: u32) {
        match within {
            Within::Item(intro) => self.push(BlockKind::ListItem, intro.cloned(), raw, line),
            Within::Body => self.push(BlockKind::Paragraph, None, raw, line),
        }
    }

    /// The position of the next block.
    pub(super) fn position(&self) -> Position {
        Position(self.blocks.len())
    }

    /// If only one short paragraph was added since `begin`, below a term of this level: turns it into a `term: text`
    /// line of the enclosing section.
    pub(super) fn fold_short_definition(&mut self, begin: Position, level: u8) {
        const SHORT: usize = 240;
        let [block] = &self.blocks[begin.0.min(self.blocks.len())..] else { return };
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
        self.blocks.truncate(begin.0);
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
            ended: self.ended,
        })
    }
}

/// The text of a block, and where it is cut; a short paragraph may be a `key: value` line.
fn pieces_of(kind: BlockKind, raw: &str) -> (BlockKind, Clean, Vec<Range<usize>>) {
    match kind {
        BlockKind::Code => {
            let text = Clean::new(raw.trim_end().trim_start_matches(['\n', '\r']));
            let pieces = pieces_behind('\n', &text);
            (kind, text, pieces)
        }
        BlockKind::TableRow => {
            let text = Clean::line(raw);
            let pieces = pieces_behind(' ', &text);
            (kind, text, pieces)
        }
        _ => {
            let text = Clean::line(raw);
            let kind = if kind == BlockKind::Paragraph && is_pair(&text) { BlockKind::KeyValue } else { kind };
            let pieces = prose_pieces(&text);
            (kind, text, pieces)
        }
    }
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

/// Whether a block consists of sentences that may introduce the next block.
fn is_running(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Paragraph | BlockKind::ListItem | BlockKind::KeyValue)
}
