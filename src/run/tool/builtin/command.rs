//! `run`: a program of the user's own.

use serde::{Deserialize, Serialize};

use super::super::{ReplaySafety, Reserve, ToolSpec};
use super::{BuiltIn, by_rule};
use text::Clean;

/// A program of the user's own that reads something. Its other effects are not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCommand {
    /// The program, then its arguments.
    pub command: Vec<Clean>,
    /// The input that it reads.
    pub input: Clean,
}

impl BuiltIn for RunCommand {
    const NAME: &'static str = "run";

    fn spec() -> ToolSpec {
        let description = "Run a program of the user's own, and read what it says.";
        let spec = by_rule(Self::NAME, description, Reserve::fixed(16_384), "run {command}");
        ToolSpec { replay: ReplaySafety::Unknown, ..spec }
    }
}
