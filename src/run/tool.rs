//! Tools as data: what a specialist may ask for and what comes back.

use serde::{Deserialize, Serialize};

use super::budget::Amounts;
use super::evidence::{Excerpt, Hits, Outline};
use super::id::SourceId;
use super::memory::{Entry, Recollection, Written};
use super::profile::{Files, Profile};
use text::Clean;

/// What a specialist asks of a tool. A call whose end nobody saw may be made again: all but one only read, and what
/// `remember` has written it does not write twice. (A program of the user's own is told to only read.)
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case")]
pub enum ToolRequest {
    /// Passages of the collection that match a query (BM25 over stems).
    Search {
        /// Words; their order does not matter.
        query: Clean,
        /// How many passages at most.
        limit: u32,
    },
    /// The same of the user's own documents alone: its words may be theirs, and go to no search service.
    SearchHere {
        /// Words; their order does not matter.
        query: Clean,
        /// How many passages at most.
        limit: u32,
    },
    /// Consecutive blocks of a document.
    Read {
        /// The document.
        source: SourceId,
        /// The first block.
        from: u32,
        /// The block after the last.
        to: u32,
    },
    /// The headings of a document.
    Outline {
        /// The document.
        source: SourceId,
    },
    /// A program of the user's own that reads something.
    Run {
        /// The program and its arguments.
        command: Vec<Clean>,
        /// What it is given to read.
        input: Clean,
    },
    /// The blocks of a document that hold a quote to the letter.
    Find {
        /// The document, as it is called: [`SourceRef::path`](super::SourceRef::path).
        path: Clean,
        /// The quote.
        quote: Clean,
    },
    /// What the notes of earlier runs say that bears on a question.
    Recall {
        /// The question.
        query: Clean,
        /// How many findings at most.
        limit: u32,
    },
    /// Adds to the notes what this run found, if that is not there already.
    Remember {
        /// What.
        entry: Entry,
    },
    /// The files of the collection.
    Files,
    /// What a file of data or a log looks like as a whole, and what is unusual in it.
    Profile {
        /// The file.
        source: SourceId,
    },
}

impl ToolRequest {
    /// Most passages one search returns.
    pub const MOST_HITS: u32 = 50;
    /// Most blocks one read returns.
    pub const MOST_BLOCKS: u32 = 60;
    /// Most blocks that one quote is looked for in.
    pub const MOST_FOUND: u32 = 4;
    /// Most findings that are recalled at once.
    pub const MOST_RECALLED: u32 = 12;
    /// Bytes that a recalled finding may take, and all that is recalled besides.
    pub const MOST_KEPT_BYTES: (usize, usize) = (1_600, 8_000);

    /// The tool's name.
    pub fn name(&self) -> &'static str {
        match self {
            ToolRequest::Search { .. } | ToolRequest::SearchHere { .. } => "search",
            ToolRequest::Read { .. } => "read",
            ToolRequest::Outline { .. } => "outline",
            ToolRequest::Run { .. } => "run",
            ToolRequest::Find { .. } => "find",
            ToolRequest::Recall { .. } => "recall",
            ToolRequest::Remember { .. } => "remember",
            ToolRequest::Files => "files",
            ToolRequest::Profile { .. } => "profile",
        }
    }

    /// The most this call may take: one tool call, and an upper bound of the text it brings back.
    pub fn reservation(&self) -> Amounts {
        let tokens = match self {
            ToolRequest::Search { limit, .. } | ToolRequest::SearchHere { limit, .. } => {
                80 * u64::from((*limit).min(Self::MOST_HITS))
            }
            ToolRequest::Read { from, to, .. } => {
                ToolResult::MOST_TOKENS.min(600 * u64::from(to.saturating_sub(*from).min(Self::MOST_BLOCKS)))
            }
            ToolRequest::Outline { .. } => 2_000,
            ToolRequest::Run { .. } => 16_384,
            ToolRequest::Find { .. } => 600 * u64::from(Self::MOST_FOUND),
            ToolRequest::Recall { limit, .. } => {
                let (each, besides) = Self::MOST_KEPT_BYTES;
                estimate_tokens(each) * u64::from((*limit).min(Self::MOST_RECALLED)) + estimate_tokens(besides)
            }
            ToolRequest::Remember { .. } => 0,
            ToolRequest::Files | ToolRequest::Profile { .. } => ToolResult::MOST_TOKENS,
        };
        Amounts { tokens, tool_calls: 1, ..Amounts::default() }
    }
}

/// What a tool brings back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolResult {
    /// Of `search`.
    Hits(Hits),
    /// Of `read` and of `find`.
    Excerpt(Excerpt),
    /// Of `outline`.
    Outline(Outline),
    /// Of `files`.
    Files(Files),
    /// Of `profile`.
    Profile(Profile),
    /// Of `run`.
    Ran(Ran),
    /// Of `recall`.
    Recollection(Recollection),
    /// Of `remember`.
    Written(Written),
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// How it ended.
    pub status: i32,
    /// What it said.
    pub said: Clean,
}

impl ToolResult {
    /// The most text one result may carry, in estimated tokens; the tool cuts at the block that would pass it.
    pub const MOST_TOKENS: u64 = 8_000;

    /// What the result took: one tool call and the estimated tokens of its text.
    pub fn used(&self) -> Amounts {
        let bytes: usize = match self {
            ToolResult::Hits(hits) => hits.hits.iter().map(|h| h.snippet.len() + h.source.path.len()).sum(),
            ToolResult::Excerpt(excerpt) => excerpt.blocks.iter().map(|b| b.text.len()).sum(),
            ToolResult::Outline(outline) => {
                outline.sections.iter().map(|s| s.headings.last().map_or(0, |h| h.len())).sum()
            }
            ToolResult::Ran(ran) => ran.said.len(),
            ToolResult::Recollection(recollection) => recollection.bytes(),
            ToolResult::Written(_) => 0,
            ToolResult::Files(files) => files.files.iter().map(|file| file.source.path.len() + 8).sum(),
            ToolResult::Profile(profile) => profile.measures.iter().map(|m| m.says.len() + m.line.text.len()).sum(),
        };
        Amounts { tokens: estimate_tokens(bytes), tool_calls: 1, ..Amounts::default() }
    }
}

/// Tokens in a text of this many bytes, estimated upwards: four bytes a token, as English prose has it.
pub fn estimate_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}
