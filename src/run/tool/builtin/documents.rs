//! `search`, `read`, `outline` and `find` over documents and, where that was chosen, pages of the web.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::{BadArguments, CleanJson, Counted, Each, Reserve, ToolSpec, estimate_tokens};
use super::{BuiltIn, by_rule, offered};
use crate::id::SourceId;
use text::Clean;

/// Passages of the collection that match a query (BM25 over stems), or sections that are like it in meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Words; their order does not matter.
    pub query: Clean,
    /// The most passages.
    #[serde(default = "hits_of_model")]
    pub limit: u32,
    /// Only the user's own documents: the words of the query may be theirs, and go to no search service.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub here: bool,
    /// Words or meaning.
    #[serde(default, skip_serializing_if = "SearchBy::is_words")]
    pub by: SearchBy,
}

/// The way in which a search compares its query with documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchBy {
    /// The words of the query in passages.
    #[default]
    Words,
    /// Its meaning in the sections of the user's own documents, by their headings and first words. A build without the encoder
    /// finds none.
    Meaning {
        /// The least likeness of a section, in thousandths.
        least: u32,
    },
}

impl SearchBy {
    fn is_words(&self) -> bool {
        *self == SearchBy::Words
    }
}

fn hits_of_model() -> u32 {
    Search::HITS_OF_MODEL
}

impl Search {
    /// Most passages one search returns.
    pub const MOST: u32 = 50;
    /// Passages that one search brings a model.
    pub const HITS_OF_MODEL: u32 = 8;
    /// Most bytes of path and snippet of a passage, on average over a result.
    const HIT_BYTES: usize = 320;
    /// Most documents that are listed for their title.
    pub const MOST_TITLED: usize = 8;

    /// Of documents and the web.
    pub fn new(query: impl Into<Clean>, limit: u32) -> Search {
        Search { query: query.into(), limit, here: false, by: SearchBy::Words }
    }

    /// Of sections by their meaning, at least so alike to the query, in thousandths.
    pub fn by_meaning(query: impl Into<Clean>, limit: u32, least: u32) -> Search {
        Search { by: SearchBy::Meaning { least }, ..Search::here(query, limit) }
    }

    /// Of the user's own documents alone.
    pub fn here(query: impl Into<Clean>, limit: u32) -> Search {
        Search { here: true, ..Search::new(query, limit) }
    }
}

impl BuiltIn for Search {
    const NAME: &'static str = "search";

    fn spec() -> ToolSpec {
        offered(
            Self::NAME,
            "Find passages by the words they hold (ranked; word forms and order do not matter). Use two to six \
             distinctive words. Each result names a source and a block. A short passage is shown whole, of a longer one \
             what matches, with … where it is cut.",
            json!({ "query": { "type": "string", "description": "two to six distinctive words" } }),
            Reserve {
                tokens: 0,
                each: Some(Each {
                    tokens: estimate_tokens(Self::HIT_BYTES),
                    of: Counted::Argument("limit".into()),
                    most: Self::MOST,
                }),
            },
            "search{?by  by meaning} \"{query}\"",
        )
    }

    fn of_model(arguments: CleanJson) -> Result<Search, BadArguments> {
        let given = super::ToolCall { name: Self::NAME.into(), arguments }.arguments_of::<Search>()?;
        Ok(Search::new(Clean::line(&given.query), Self::HITS_OF_MODEL))
    }
}

/// The bytes that are left for the hits of a result: those that its reservation covers.
#[derive(Clone, Copy, Debug)]
pub struct HitRoom(usize);

impl HitRoom {
    /// Room for `limit` hits.
    pub fn of(limit: usize) -> HitRoom {
        HitRoom(Search::HIT_BYTES.saturating_mul(limit))
    }

    /// The most bytes of the snippet of a hit in the document with this path; None if there is no room for the path.
    pub fn for_snippet(&self, path: &str) -> Option<usize> {
        self.0.checked_sub(path.len())
    }

    /// Whether a hit has room, which it takes. Once one has none, no other has.
    pub fn takes(&mut self, path: &str, snippet: &str) -> bool {
        let left = self.0.checked_sub(path.len() + snippet.len());
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// Consecutive blocks of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// The document.
    pub source: SourceId,
    /// The first block.
    pub from: u32,
    /// The block after the last.
    pub to: u32,
}

impl Read {
    /// Most blocks one read returns.
    pub const MOST: u32 = 60;
    /// Most blocks that one read brings a model, and how many where it does not say.
    const OF_MODEL: (u32, u32) = (40, 12);
}

impl BuiltIn for Read {
    const NAME: &'static str = "read";

    fn spec() -> ToolSpec {
        offered(
            Self::NAME,
            "Read consecutive blocks of a source as they stand: around a passage, or where a result is cut.",
            json!({
                "source": { "type": "string", "description": "the id of the source, as a search result names it" },
                "from": { "type": "integer", "description": "number of the first block" },
                "to": { "type": "integer", "description": "number of the block after the last; at most 40 more than `from`" },
            }),
            Reserve {
                tokens: 0,
                each: Some(Each { tokens: 600, of: Counted::Between("from".into(), "to".into()), most: Self::MOST }),
            },
            "read {@source} [{from}..{to}]",
        )
    }

    fn of_model(arguments: CleanJson) -> Result<Read, BadArguments> {
        let number = |name: &str| arguments.get()[name].as_u64().and_then(|n| u32::try_from(n).ok());
        let (most, usual) = Self::OF_MODEL;
        let from = number("from").unwrap_or(0);
        let to = number("to").filter(|to| *to > from).unwrap_or(from.saturating_add(usual));
        let source = SourceId(arguments.get()["source"].as_str().unwrap_or_default().into());
        Ok(Read { source, from, to: to.min(from.saturating_add(most)) })
    }
}

/// The headings of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The document.
    pub source: SourceId,
}

impl BuiltIn for Outline {
    const NAME: &'static str = "outline";

    fn spec() -> ToolSpec {
        offered(
            Self::NAME,
            "List the headings of a source with their block numbers.",
            json!({ "source": { "type": "string", "description": "the id of the source" } }),
            Reserve::fixed(2_000),
            "outline {@source}",
        )
    }
}

/// The blocks of a document that hold a quote to the letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Find {
    /// The document, as it is called: [`SourceRef::path`](crate::SourceRef::path).
    pub path: Clean,
    /// The words that are looked for, from one block.
    pub quote: Clean,
}

impl Find {
    /// Most blocks that one quote is looked for in.
    pub const MOST: u32 = 4;
}

impl BuiltIn for Find {
    const NAME: &'static str = "find";

    fn spec() -> ToolSpec {
        by_rule(
            Self::NAME,
            "Find the blocks of a document that hold a quote to the letter.",
            Reserve::fixed(600 * u64::from(Self::MOST)),
            "find \"{quote}\" in {path}",
        )
    }
}
