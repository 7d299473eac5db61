//! `files` and `profile`: data and logs as a whole.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::{Reserve, ToolSpec};
use super::{BuiltIn, offered};
use crate::id::SourceId;

/// The files of the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFiles {}

impl BuiltIn for ListFiles {
    const NAME: &'static str = "files";

    fn spec() -> ToolSpec {
        let description = "List the files there are, with how long they are.";
        offered(Self::NAME, description, json!({}), Reserve::default(), "files")
    }
}

/// The look of a data file or a log as a whole, and its unusual parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileFile {
    /// The file.
    pub source: SourceId,
}

impl BuiltIn for ProfileFile {
    const NAME: &'static str = "profile";

    fn spec() -> ToolSpec {
        offered(
            Self::NAME,
            "Count what is unusual in a whole file (table, JSON lines, log): errors and what stands before them, gaps in time, \
             broken rows, values that do not fit. Each result comes with a line of the file.",
            json!({ "source": { "type": "string", "description": "the id or the path of the file" } }),
            Reserve::default(),
            "profile {@source}",
        )
    }
}
