//! `recall` and `remember`: the notes of earlier runs.

use serde::{Deserialize, Serialize};

use super::super::{Counted, Each, Reserve, ToolSpec, estimate_tokens};
use super::{BuiltIn, by_rule};
use crate::memory::Entry;
use text::Clean;

/// The notes of earlier runs that bear on a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recall {
    /// The question.
    pub query: Clean,
    /// The most findings; [`Recall::MOST`] at the most.
    pub limit: u32,
}

impl Recall {
    /// Most findings that are recalled at once.
    pub const MOST: u32 = 12;
    /// The most bytes of one recalled finding, and of all else that is recalled.
    pub const MOST_BYTES: (usize, usize) = (1_600, 8_000);
}

impl BuiltIn for Recall {
    const NAME: &'static str = "recall";

    fn spec() -> ToolSpec {
        let (each, rest) = Self::MOST_BYTES;
        let of = Counted::Argument("limit".into());
        let each = Each { tokens: estimate_tokens(each), of, most: Self::MOST };
        let reserves = Reserve { tokens: estimate_tokens(rest), each: Some(each) };
        by_rule(Self::NAME, "Look up what notes of earlier runs say.", reserves, "recall \"{query}\"")
    }
}

/// Adds the findings of this run to the notes, if they are not there already: nothing is written twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remember {
    /// The entry that is added.
    pub entry: Entry,
}

impl BuiltIn for Remember {
    const NAME: &'static str = "remember";

    fn spec() -> ToolSpec {
        let description = "Add what this run found to the notes.";
        by_rule(Self::NAME, description, Reserve::fixed(0), "remember {#entry.findings finding}")
    }
}
