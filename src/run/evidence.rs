//! Documents as they were read: their blocks, the hits of searches in them, and the places of passages.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::id::SourceId;
use super::tool::{ToolResult, estimate_tokens};
use text::{Clean, count};

fn no_headings(headings: &Arc<[Clean]>) -> bool {
    headings.is_empty()
}

/// A document: its id, and its title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRef {
    /// Its id, made of path and content.
    pub id: SourceId,
    /// Its path below the folder that was given.
    pub path: Clean,
    /// Its title: the page's title, the first heading, or the file's name.
    pub title: Clean,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: Clean,
    /// The words in which it says of itself that it no longer holds: "Status: superseded by 007."
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded: Option<Clean>,
}

/// The beginning of the path of an answer by a tool of an MCP server: it is no file.
pub const OF_A_TOOL: &str = "mcp:";

impl SourceRef {
    /// Whether it is the answer of a tool, as it stands in the record.
    pub fn is_of_a_tool(&self) -> bool {
        self.path.starts_with(OF_A_TOOL)
    }

    /// Whether it is a document of a folder or a file that was given.
    pub fn is_file(&self) -> bool {
        !self.is_page() && !self.is_of_a_tool()
    }

    /// Whether it is a page of the web: its text is public.
    pub fn is_page(&self) -> bool {
        self.path.starts_with("https://") || self.path.starts_with("http://")
    }

    /// Its place among documents that say the same, the best to cite first: those that still hold before those that are superseded; then
    /// by the form that tells headings best (marked in pages, guessed in plain text, and in print from words and lines that may be
    /// broken); then the English pages of a manual, since those not translated yet stand among the pages of every language.
    pub fn standing(&self) -> (bool, u8, bool) {
        let is_english = |part: &str| part == "en" || part.starts_with("en-") || part.starts_with("en_");
        let path = self.path.to_lowercase();
        let form = match path.trim_end_matches(".gz").rsplit('.').next() {
            Some("pdf") => 2,
            Some("txt" | "text") => 1,
            _ => 0,
        };
        (self.superseded.is_some(), form, !path.split(['/', '.']).any(is_english))
    }

    /// A note for lists of sources, if it no longer holds: its own words on that.
    pub fn caveat(&self) -> Option<String> {
        self.superseded.as_ref().map(|said| format!("superseded: “{said}”"))
    }
}

#[cfg(test)]
impl SourceRef {
    /// A document with this id and title, whose path is its id.
    pub(crate) fn sample(id: &str, title: &str) -> SourceRef {
        let path = format!("{id}.md").into();
        SourceRef { id: SourceId(id.into()), path, title: title.into(), sha256: "0".into(), superseded: None }
    }
}

/// The kind of text of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Running text.
    Paragraph,
    /// One item of a list; its introducing sentence is in [`Block::intro`].
    ListItem,
    /// A `key: value` line or a term with its definition.
    KeyValue,
    /// One row of a table, cells parted by ` | `; the header row is in [`Block::intro`].
    TableRow,
    /// Program text, a transcript of a terminal, data: never quoted as a fact.
    Code,
}

/// A passage: the smallest piece of a document that is indexed, read and quoted from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its place in the document, from 0.
    pub no: u32,
    /// The kind of text.
    pub kind: BlockKind,
    /// The headings above it, outermost first, without the title.
    #[serde(default, skip_serializing_if = "no_headings")]
    pub headings: Arc<[Clean]>,
    /// The sentence that introduces the list or the program text, or the header row of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intro: Option<Clean>,
    /// The text, cleaned, hard wraps joined.
    pub text: Clean,
    /// Line of the file where it begins (from 1); for a PDF, the page.
    pub line: u32,
    /// Byte offsets in the text at which further lines of the file begin, at most [`Block::MOST_BREAKS`]; an offset is repeated for each
    /// line between that has no words of the text. None of rows of tables, and where lines are not those of a file of text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<u16>,
    /// Byte offset of the text within the document's cleaned text: its blocks joined by one line break each, pieces of
    /// one line by nothing.
    pub start: u64,
    /// Whether it is the first running text of its section (or of the document).
    #[serde(default)]
    pub lead: bool,
}

impl Block {
    /// The most line breaks that are noted of a block.
    pub const MOST_BREAKS: usize = 64;

    /// The line of the file that has the byte at this offset of the text; the line where the block begins, or a later one before that
    /// byte, where it is not known.
    pub fn line_at(&self, offset: usize) -> u32 {
        let breaks = self.breaks.iter().take_while(|at| usize::from(**at) <= offset).count();
        self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX))
    }

    /// The header row of its table, if it is a row of one.
    pub fn columns(&self) -> Option<&Clean> {
        self.intro.as_ref().filter(|_| self.kind == BlockKind::TableRow)
    }

    /// Whether it continues the line of the block before it: a long line of data or program text is several blocks.
    pub fn continues(&self, before: &Block) -> bool {
        self.start == before.end()
    }

    /// Byte offset of the end of its text within the document's cleaned text.
    pub fn end(&self) -> u64 {
        self.start + self.text.len() as u64
    }
}

/// Headings as one text, in this order.
pub fn heading_path<'a>(headings: impl Iterator<Item = &'a Clean>) -> String {
    headings.map(Clean::as_str).collect::<Vec<_>>().join(" / ")
}

/// Blocks of one document: consecutive ones as `read` returns them, those that hold a quote as `find` does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The document.
    pub source: SourceRef,
    /// The blocks, in order.
    pub blocks: Vec<Arc<Block>>,
    /// The number of blocks of the document.
    pub of: u32,
}

impl Excerpt {
    /// The first of these blocks of a document with `of` blocks: as many as fit a result of a tool.
    pub fn fitting(source: SourceRef, blocks: impl IntoIterator<Item = Arc<Block>>, of: u32) -> Excerpt {
        let mut bytes = 0;
        let fits = |block: &Arc<Block>| {
            bytes += block.text.len();
            estimate_tokens(bytes) <= ToolResult::MOST_TOKENS
        };
        Excerpt { source, blocks: blocks.into_iter().take_while(fits).collect(), of }
    }
}

/// A passage that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The document.
    pub source: SourceRef,
    /// The block in it.
    pub block: u32,
    /// The headings above the block.
    #[serde(default, skip_serializing_if = "no_headings")]
    pub headings: Arc<[Clean]>,
    /// The header row of the table that the block is a row of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Clean>,
    /// The block if it is short, else the sentences of it that match best, with “…” where it is cut.
    pub snippet: Clean,
    /// BM25 score, higher is better, in thousandths (an integer, so that it reads back exactly).
    pub score: u32,
}

/// The number of times that a word of a query occurs in the collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermCount {
    /// The word as it was asked.
    pub term: Clean,
    /// Blocks that hold its stem; of pages from the web, as many as general prose would have.
    pub blocks: u32,
    /// The correction that was searched for, where no block has the word itself: a word that is spelt nearly so, or the two that it joins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<Clean>,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// The best passages, best first; ties by path and place, so that the order is always the same.
    pub hits: Vec<Hit>,
    /// Documents whose title holds every content word of the query (at most 8, shortest title first).
    pub titled: Vec<SourceRef>,
    /// The content words of the query and how common they are.
    pub terms: Vec<TermCount>,
    /// Documents that were searched.
    pub documents: u32,
    /// Blocks among which the words are as common as `terms` says.
    pub blocks: u32,
    /// Backends that could not be searched, and why, in sentences for a person: that they found nothing means nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Clean>,
}

/// A document's headings with the blocks below each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The document.
    pub source: SourceRef,
    /// Its sections in order.
    pub sections: Vec<Section>,
    /// The number of blocks of the document.
    pub blocks: u32,
}

/// One section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The headings down to this one, outermost first; empty for the text before the first heading.
    pub headings: Arc<[Clean]>,
    /// Its first block.
    pub first: u32,
    /// The block after its last own one (sub-sections have entries of their own).
    pub end: u32,
}

/// The collection a run works on, as it was when the run began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corpus {
    /// Documents that can be searched.
    pub documents: u32,
    /// Blocks in them.
    pub blocks: u32,
    /// Bytes of cleaned text.
    pub bytes: u64,
    /// Files that were not taken in, and why; at most [`Corpus::NAMED`] are named.
    pub skipped: Vec<Skipped>,
    /// The number of files that were not taken in.
    pub skipped_count: u32,
    /// The number of files of data or source code besides, which are no documents by their names and were not opened.
    #[serde(default, skip_serializing_if = "are_none")]
    pub data: u32,
    /// Files that are no documents either, by kind.
    #[serde(default, skip_serializing_if = "LeftOut::is_empty")]
    pub left_out: LeftOut,
    /// Search backends on the web that are used as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<Clean>,
}

/// Files that were left out without a look into them. Hidden and ignored ones are counted only where there is nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Pictures.
    #[serde(default, skip_serializing_if = "are_none")]
    pub pictures: u32,
    /// Archives, which may have documents in them.
    #[serde(default, skip_serializing_if = "are_none")]
    pub archives: u32,
    /// Hidden files, and files in hidden folders.
    #[serde(default, skip_serializing_if = "are_none")]
    pub hidden: u32,
    /// Files that a `.gitignore` leaves out.
    #[serde(default, skip_serializing_if = "are_none")]
    pub ignored: u32,
}

impl LeftOut {
    fn is_empty(&self) -> bool {
        *self == LeftOut::default()
    }
}

/// Says of documents that they changed since a run read them: "a.md and 2 more changed or are gone since they were read".
pub fn changed_in_words(documents: &[Clean]) -> String {
    match documents {
        [one] => format!("{one} has changed or is gone since it was read"),
        [first, more @ ..] => format!("{first} and {} more have changed or are gone since they were read", more.len()),
        [] => String::new(),
    }
}

fn are_none(files: &u32) -> bool {
    *files == 0
}

impl Corpus {
    /// The most skipped files that are named one by one.
    pub const NAMED: usize = 50;

    /// The sources that are searched, in a few words: "14 documents", "the web (wikipedia)".
    pub fn searched(&self) -> String {
        let documents = match self.documents {
            1 => "1 document".to_owned(),
            n => format!("{n} documents"),
        };
        if self.web.is_empty() {
            return documents;
        }
        let names: Vec<&str> = self.web.iter().map(Clean::as_str).collect();
        let web = format!("the web ({})", names.join(", "));
        if self.documents == 0 { web } else { format!("{documents} and {web}") }
    }

    /// The files that were not read, by kind: "12 pictures, 2 archives (unpack them)"; empty if all were read.
    pub fn unread(&self) -> String {
        let LeftOut { pictures, archives, hidden, ignored } = self.left_out;
        let kinds = [
            (self.skipped_count, "file skipped", ""),
            (pictures, "picture", ""),
            (archives, "archive", if archives == 1 { " (unpack it)" } else { " (unpack them)" }),
            (self.data, "file of data or source code", ""),
            (hidden, "hidden file", ""),
            (ignored, "file", " that .gitignore leaves out"),
        ];
        let told = kinds.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, more)| match one.split_once(' ') {
            Some(("file", rest)) => format!("{} {rest}{more}", count(n as usize, "file")),
            _ => format!("{}{more}", count(n as usize, one)),
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// Whether there is nothing to search.
    pub fn is_empty(&self) -> bool {
        self.documents == 0 && self.web.is_empty()
    }
}

/// A file that was not taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The file, as in [`SourceRef::path`].
    pub path: Clean,
    /// The reason, in words for a person.
    pub why: Clean,
}

/// The place of a quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The document.
    pub source: SourceRef,
    /// The block.
    pub block: u32,
    /// The headings above the block.
    #[serde(default, skip_serializing_if = "no_headings")]
    pub headings: Arc<[Clean]>,
    /// Line of the file where the quote begins (from 1); for a PDF, the page.
    pub line: u32,
    /// Byte offset of the quote in the block's text.
    pub start: u32,
    /// Byte offset of its end there.
    pub end: u32,
}

impl Place {
    /// These bytes of a block's text.
    pub fn new(source: &SourceRef, block: &Block, bytes: Range<usize>) -> Place {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Place {
            source: source.clone(),
            block: block.no,
            headings: block.headings.clone(),
            line: block.line_at(bytes.start),
            start: offset(bytes.start),
            end: offset(bytes.end),
        }
    }

    /// Its words in its block; none if the block does not reach so far.
    pub fn words<'a>(&self, block: &'a Block) -> &'a str {
        block.text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.source.path, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_were_not_read_are_told_by_kind() {
        let left_out = LeftOut { pictures: 12, archives: 1, hidden: 3, ignored: 1 };
        let corpus = Corpus { left_out, skipped_count: 1, data: 380, ..Corpus::default() };
        assert_eq!(
            corpus.unread(),
            "1 file skipped, 12 pictures, 1 archive (unpack it), 380 files of data or source code, 3 hidden files, 1 file that .gitignore leaves out"
        );
        assert_eq!(Corpus::default().unread(), "");
    }

    #[test]
    fn a_byte_of_a_block_stands_in_the_line_of_the_last_break_before_it() {
        let block = |breaks: &[u16]| Block {
            no: 0,
            kind: BlockKind::Paragraph,
            headings: Arc::default(),
            intro: None,
            text: "one two three four".into(),
            line: 7,
            breaks: breaks.to_vec(),
            start: 0,
            lead: false,
        };
        let wrapped = block(&[4, 8, 8]);
        assert_eq!([0, 3, 4, 7, 8, 99].map(|at| wrapped.line_at(at)), [7, 7, 8, 8, 10, 10]);
        assert_eq!(block(&[]).line_at(9), 7, "of old journals no break is known");
    }
}
