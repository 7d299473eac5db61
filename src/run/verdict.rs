//! The verdict of a reviewer or a gate on a draft.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::brief::Sentence;
use super::id::FindingId;
use text::{Clean, count};

/// PASS, or REVISE with the issues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The faults, certain and possible; a verdict without blocking issues is a PASS.
    pub issues: Vec<Issue>,
    /// The checks that were made, with their results, for the person.
    pub checks: Vec<Check>,
}

impl Verdict {
    /// Whether the draft may go out as it is.
    pub fn passes(&self) -> bool {
        !self.issues.iter().any(|issue| issue.blocking)
    }

    /// The suspicions of code that nobody has judged to be faults.
    pub fn doubts(&self) -> impl Iterator<Item = &Issue> {
        self.issues.iter().filter(|issue| issue.doubt && !issue.blocking)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocking = self.issues.iter().filter(|i| i.blocking).count();
        match blocking {
            0 => f.write_str("PASS")?,
            n => write!(f, "REVISE: {}", count(n, "issue"))?,
        }
        match self.doubts().count() {
            0 => Ok(()),
            n => write!(f, ", {}", count(n, "doubt")),
        }
    }
}

/// One check and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The check.
    pub concern: Concern,
    /// The measured result: "12 of 12 citations resolve".
    pub result: Clean,
    /// Whether it passed.
    pub holds: bool,
}

impl Check {
    /// "12 of 12 citations resolve": it holds if all are good.
    pub fn counted(concern: Concern, good: usize, all: usize, what: &str) -> Check {
        Check { concern, result: format!("{good} of {all} {what}").into(), holds: good == all }
    }
}

/// One issue, specific enough that the writer can fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// The check that it fails.
    pub concern: Concern,
    /// The fault, in words for a person.
    pub what: Clean,
    /// The sentence of the draft it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<Clean>,
    /// The findings it is about: unsupported ones, or ones that ought to be in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingId>,
    /// A thing that a reviewer finds neither in the draft nor under its gaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Clean>,
    /// Whether the draft may not go out with it.
    pub blocking: bool,
    /// Whether code only suspects it, by the words of the sentence. It blocks where no model judges the sentence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubt: bool,
}

impl Issue {
    /// A blocking issue, with a sentence of the draft or with the whole of it.
    pub fn new(concern: Concern, what: impl Into<Clean>, of: Option<&Sentence>, findings: Vec<FindingId>) -> Issue {
        let sentence = of.map(|of| of.text.clone());
        Issue { concern, what: what.into(), sentence, findings, missing: None, blocking: true, doubt: false }
    }

    /// The same as a doubt, which blocks only if no model judges the sentence.
    pub fn in_doubt(self) -> Issue {
        Issue { blocking: false, doubt: true, ..self }
    }
}

/// The sentences that the person remarked on.
pub fn remarks(verdicts: &[Verdict]) -> impl Iterator<Item = &Clean> {
    let issues = verdicts.iter().flat_map(|verdict| &verdict.issues);
    issues.filter(|issue| issue.concern == Concern::Person).filter_map(|issue| issue.sentence.as_ref())
}

/// The concern of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// Every citation leads to a finding with a source.
    Citations,
    /// Every quote is in its stored source to the letter.
    Quotes,
    /// Every factual sentence is cited.
    Cited,
    /// A claim is its quote after logged edits.
    Support,
    /// No number and no name that the cited quotes do not have.
    NumbersAndNames,
    /// Not much longer than was asked for.
    Length,
    /// Each sub-topic that has findings is in the brief.
    Coverage,
    /// Each sentence is about the question.
    Relevance,
    /// No fragment, no pronoun without its noun, nothing said twice.
    Clarity,
    /// Rules over the words.
    Style,
    /// A check by a program of the user's own.
    House,
    /// A remark of the person.
    Person,
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Concern::Citations => "citations resolve",
            Concern::Quotes => "quotes exist",
            Concern::Cited => "every fact cited",
            Concern::Support => "strict support",
            Concern::NumbersAndNames => "numbers and names",
            Concern::Length => "length",
            Concern::Coverage => "coverage",
            Concern::Relevance => "relevance",
            Concern::Clarity => "clarity",
            Concern::Style => "style",
            Concern::House => "house rules",
            Concern::Person => "remarks of the person",
        })
    }
}
