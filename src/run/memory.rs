//! Notes across runs, as data: their answer to a question, and the addition of a run.
//!
//! Notes are not trusted: a finding of an earlier run counts only if its quote is still in the sources of this one.

use serde::{Deserialize, Serialize};

use text::Clean;

/// A finding of an earlier run, as the notes have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its statement; the person may have reworded it in the notes.
    pub claim: Clean,
    /// The words it rests on.
    pub quote: Clean,
    /// The document they were in, as [`SourceRef::path`](super::SourceRef::path).
    pub path: Clean,
    /// The line of it at which the passage began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The origin in the notes: "run 7f3k2m".
    pub from: Clean,
}

impl Kept {
    /// Whether it quotes the same words of the same document, however their lines are broken.
    pub fn is_same(&self, other: &Kept) -> bool {
        self.path == other.path && Clean::line(&self.quote) == Clean::line(&other.quote)
    }
}

/// The notes on a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recollection {
    /// The file.
    pub notes: Clean,
    /// Findings of earlier runs, the most relevant first.
    pub findings: Vec<Kept>,
    /// Sentences that the person wrote into the notes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_words: Vec<Clean>,
    /// The gaps: things that earlier runs looked for in vain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Clean>,
    /// The number of findings in the notes.
    pub of: u32,
    /// The notes that were left aside, with the reasons, in sentences for a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_aside: Vec<Clean>,
}

impl Recollection {
    /// Whether the notes say nothing about the question.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.own_words.is_empty() && self.gaps.is_empty()
    }

    /// Bytes of text that it brings.
    pub fn bytes(&self) -> usize {
        let findings = self.findings.iter().map(|it| it.claim.len() + it.quote.len() + it.path.len() + it.from.len());
        let lines = self.own_words.iter().chain(&self.gaps).chain(&self.left_aside).map(|line| line.len());
        findings.chain(lines).sum()
    }
}

/// The addition of a run to the notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The question.
    pub question: Clean,
    /// The findings, in the order of the brief. `from` is empty: the notes know which run writes.
    pub findings: Vec<Kept>,
    /// The person's own words, without a quote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_words: Vec<Clean>,
    /// The gaps: things that were not found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Clean>,
}

/// The result of writing an entry: its additions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The file.
    pub notes: Clean,
    /// Findings that were added.
    pub added: u32,
    /// Findings that were in the notes already.
    pub known: u32,
    /// Gaps that were added.
    #[serde(default)]
    pub gaps: u32,
}
