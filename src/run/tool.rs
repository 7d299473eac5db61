//! Tools as data: a call by name with its arguments, the facts about each tool, and the result of a call.
//!
//! A tool is registered, not enumerated: [`ToolSpec`] holds the facts that the program needs, [`builtin`] holds the program's own.
//! Those that a source registered at the start of a run stand in its [`Team`](super::Team).

pub mod builtin;
mod json;
mod spec;

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::budget::{Amounts, Cap};
use super::evidence::{Excerpt, Hits, Outline};
use super::memory::{Recollection, Written};
use super::profile::{Files, Profile};
use builtin::BuiltIn;
use text::Clean;

pub use json::CleanJson;
pub use spec::{Counted, Each, ReplaySafety, Reserve, ToolSpec, object_schema};

/// The name by which a tool is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ToolName(Clean);

impl ToolName {
    /// This name, on one line.
    pub fn new(name: &str) -> ToolName {
        ToolName(Clean::line(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether every model provider takes it: at most 64 letters, digits, `_` and `-`.
    pub fn is_valid(&self) -> bool {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        (1..=64).contains(&self.len()) && self.chars().all(fits)
    }
}

impl Deref for ToolName {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ToolName {
    fn from(name: &str) -> ToolName {
        ToolName::new(name)
    }
}

impl PartialEq<str> for ToolName {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for ToolName {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A call of a tool. The program's own tools are called with the types of [`builtin`], which become this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool, by its name in the registry.
    pub name: ToolName,
    /// The arguments: a JSON object.
    #[serde(default)]
    pub arguments: CleanJson,
}

/// The reason why a tool cannot take the arguments of a call, in words for the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{tool}` cannot take these arguments: {why}")]
pub struct BadArguments {
    tool: ToolName,
    why: Clean,
}

impl ToolCall {
    /// The arguments, as this tool takes them.
    ///
    /// # Errors
    /// They do not fit the tool, or another tool is called.
    pub fn arguments_of<T: BuiltIn>(&self) -> Result<T, BadArguments> {
        let bad = |why: &str| BadArguments { tool: self.name.clone(), why: Clean::line(why) };
        if self.name != T::NAME {
            return Err(bad(&format!("they are for `{}`", T::NAME)));
        }
        T::deserialize(self.arguments.get()).map_err(|error| bad(&error.to_string()))
    }

    /// The arguments, if they are valid arguments of this tool.
    pub fn of<T: BuiltIn>(&self) -> Option<T> {
        self.arguments_of().ok()
    }
}

impl<T: BuiltIn> From<T> for ToolCall {
    fn from(call: T) -> ToolCall {
        // Plain data with string keys: writing it as JSON cannot fail.
        let arguments = serde_json::to_value(&call).unwrap_or_default();
        ToolCall { name: ToolName::new(T::NAME), arguments: CleanJson::new(arguments) }
    }
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolResult {
    /// Passages that match a query.
    Hits(Hits),
    /// Blocks of a document.
    Excerpt(Excerpt),
    /// The headings of a document.
    Outline(Outline),
    /// The files there are.
    Files(Files),
    /// The profile of a file as a whole.
    Profile(Profile),
    /// The output of a program.
    Ran(Ran),
    /// The notes of earlier runs.
    Recollection(Recollection),
    /// The addition to the notes.
    Written(Written),
    /// Text of a tool that is not built in.
    Text { text: Clean },
    /// JSON of a tool that is not built in.
    Json { value: CleanJson },
}

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Its exit code.
    pub status: i32,
    /// Its standard output, cleaned and bounded.
    pub said: Clean,
    /// The last lines of its standard error, if it could not check; journals of older versions have none.
    #[serde(default, skip_serializing_if = "spec::no_text")]
    pub last_words: Clean,
}

impl Ran {
    /// The last code of a program that could check: 0 for a draft without a fault, 1 for one with faults.
    pub const LAST_CHECKED: i32 = 1;
}

impl ToolResult {
    /// The most text one result may carry, in estimated tokens; the tool cuts at the block that would pass it.
    pub const MOST_TOKENS: u64 = 8_000;

    /// Text from outside as a result; the part beyond [`ToolResult::MOST_TOKENS`] is cut off, and that is said.
    pub fn text(text: impl Into<Clean>) -> ToolResult {
        const MOST_BYTES: usize = ToolResult::MOST_TOKENS as usize * 4;
        const CUT: &str = "\n[cut here: the rest is longer than one result may be]";
        let text = text.into();
        let text = match text.len() <= MOST_BYTES {
            true => text,
            false => format!("{}{CUT}", &text[..text.floor_char_boundary(MOST_BYTES - CUT.len())]).into(),
        };
        ToolResult::Text { text }
    }

    /// The amounts that the result took: one tool call and the estimated tokens of its text.
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
            ToolResult::Text { text } => text.len(),
            ToolResult::Json { value } => value.get().to_string().len(),
        };
        Amounts::of(Cap::Tokens, estimate_tokens(bytes)).with(Cap::ToolCalls, 1)
    }
}

/// Tokens in a text of this many bytes, estimated upwards: four bytes a token, as English prose has it.
pub fn estimate_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

#[cfg(test)]
mod tests;
