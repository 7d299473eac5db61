//! Custom gates as data: checks with a veto that a team file gives to a member.

use serde::{Deserialize, Serialize};

use super::verdict::Concern;
use text::Clean;

/// The subject of a gate's check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Gate {
    /// Some of the built-in checks.
    Checks(Vec<Concern>),
    /// Rules over the words of a draft.
    Rules(Vec<Rule>),
    /// A program of the user's own and its arguments. It reads the draft as Markdown and exits with 0 if the draft
    /// passes, or with 1 and one issue a line if not. Any other exit code means that it could not check.
    Command(Vec<Clean>),
}

/// A rule over the words of a draft. Its words are compared without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Words that may not stand in a sentence, one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbid: Option<Clean>,
    /// The most words of a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence_words: Option<u32>,
    /// The most words of the draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
    /// A heading that has to be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<Clean>,
    /// The instruction for the writer: the text of the issue.
    pub why: Clean,
    /// Whether breaking it is reported without a veto.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advice: bool,
}

impl Rule {
    /// Whether it names nothing that a draft could break.
    pub fn is_empty(&self) -> bool {
        self.forbid.is_none() && self.sentence_words.is_none() && self.words.is_none() && self.heading.is_none()
    }
}
