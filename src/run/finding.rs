//! A finding: one fact, the words it rests on, and the person's word on it.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

use super::evidence::Place;
use super::id::{FindingId, TaskId};
use text::Clean;

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name.
    pub id: FindingId,
    /// The task it was found for; none for one the person added to no task.
    pub task: Option<TaskId>,
    /// The sub-topic it belongs to: the title of its task.
    pub subtopic: Clean,
    /// Its statement, as it may stand in the brief.
    pub claim: Clean,
    /// The edits that made the claim out of the quote: undone, they give the quote back to the byte.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    /// The words of the source, to the letter. Empty only for a finding in the person's own words.
    pub quote: Clean,
    /// The place of the quote. None only for a finding in the person's own words.
    pub place: Option<Place>,
    /// The words behind a quote that ends in a colon, in the blocks that follow its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub announced: Vec<Announced>,
    /// What sort of statement it is.
    pub kind: FindingKind,
    /// Numbers with their units, as in the quote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<Number>,
    /// A date or version it is tied to, as in the quote (`2009`, `3.12`), by which histories are ordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Clean>,
    /// Its value as an answer, in thousandths; only the order matters.
    pub score: i32,
    /// Findings that say the same and were folded into this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<FindingId>,
    /// Places of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<Place>,
    /// Findings it contradicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// The decision of the checks and the person on it.
    #[serde(default)]
    pub standing: Standing,
    /// The author of the claim's words.
    #[serde(default)]
    pub words_of: WordsOf,
    /// The names of the columns, where the quote is of a row of a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Clean>,
    /// The run that the notes have it from, if no other specialist has found it in this one: "run 7f3k2m".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_from: Option<Clean>,
}

/// Words of a source that a quote announces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    /// To the letter: program text, or an item of a list.
    pub text: Clean,
    /// Their place.
    pub place: Place,
}

/// What sort of statement a finding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A definition of a thing.
    Definition,
    /// Anything else that is so.
    #[default]
    Fact,
    /// A point in favor of a thing.
    Advantage,
    /// A point against it.
    Drawback,
    /// An item of a list that answers whole: one of the kinds of a thing, a step, a difference of compared things.
    Member,
    /// The time at which something happened.
    Event,
    /// The reason why something is so.
    Cause,
    /// A step, or an instruction.
    Step,
    /// Program text: a command, a setting or an example, line by line as its source has it.
    Code,
    /// One of the passages that come closest to a question that no passage answers.
    Closest,
}

/// The decision on a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Found; its quote is in the stored source. Goes to the writer unless the person drops it.
    #[default]
    Proposed,
    /// Its quote is not in any source this run has read: may not reach a brief.
    Unquoted,
    /// The person took it out.
    Dropped,
}

/// The author of a claim's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordsOf {
    /// The source: quote after logged edits.
    #[default]
    Source,
    /// The person, at the findings checkpoint, over a quote of the source.
    PersonEdited,
    /// The person, who added it.
    Person,
    /// A model, over a quote of the source.
    Model,
    /// A tool, which counted it over the whole of a file; the quote shows one place of it.
    Tool,
}

impl WordsOf {
    /// Whether the words are the person's.
    pub fn is_of_person(self) -> bool {
        matches!(self, WordsOf::PersonEdited | WordsOf::Person)
    }

    /// Whether the person or a counting tool vouches for the claim beyond its quote.
    pub fn is_more_than_its_quote(self) -> bool {
        self.is_of_person() || self == WordsOf::Tool
    }
}

/// A number with its unit, as in the quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Number {
    /// Digits as written: `2,000`, `0.95`.
    pub value: Clean,
    /// The word after it, or the sign: `dimensions`, `%`, `GB`; empty if none.
    pub unit: Clean,
}

/// A contradicting finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The other one.
    pub with: FindingId,
    /// The difference, in words for a person.
    pub reason: Clean,
}

/// One logged edit of a quote on its way to a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The rule that allowed it; the list is closed.
    pub rule: EditRule,
    /// Byte offset in the quote.
    pub at: u32,
    /// The text it replaces.
    pub removed: Clean,
    /// The new text.
    pub inserted: Clean,
}

/// The edits a quote may undergo. None of them can change its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditRule {
    /// A leading connective goes ("However, ", "In addition, "), and the next letter becomes a capital.
    DropConnective,
    /// A reference to another place goes: "(see section 4)".
    DropReference,
    /// A leading pronoun is named by the thing that it stands for, in brackets: "[Qdrant]".
    NameReferent,
    /// A list item or a table row gets its subject or introduction in brackets.
    NameSubject,
    /// A closing full stop, or a capital at the beginning.
    Punctuation,
}

impl fmt::Display for EditRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EditRule::DropConnective => "leading connective dropped",
            EditRule::DropReference => "cross-reference dropped",
            EditRule::NameReferent => "pronoun named in brackets",
            EditRule::NameSubject => "subject named in brackets",
            EditRule::Punctuation => "capital or full stop",
        })
    }
}

/// Applies logged edits to a quote. None if an edit does not fit the quote.
///
/// Edits are in the order of their offsets and do not overlap.
pub fn apply(quote: &str, edits: &[Edit]) -> Option<String> {
    let mut claim = String::with_capacity(quote.len());
    let mut done = 0;
    for edit in edits {
        let at = edit.at as usize;
        claim.push_str(quote.get(done..at)?);
        quote.get(at..)?.strip_prefix(edit.removed.as_str())?;
        claim.push_str(&edit.inserted);
        done = at + edit.removed.len();
    }
    claim.push_str(quote.get(done..)?);
    Some(claim)
}

impl Finding {
    /// A proposed fact in the source's words, of no task, that rests on nothing yet.
    pub fn new(id: FindingId, claim: Clean) -> Finding {
        Finding {
            id,
            task: None,
            subtopic: Clean::default(),
            claim,
            edits: Vec::new(),
            quote: Clean::default(),
            place: None,
            announced: Vec::new(),
            kind: FindingKind::default(),
            numbers: Vec::new(),
            date: None,
            score: 0,
            also: Vec::new(),
            also_at: Vec::new(),
            conflicts: Vec::new(),
            standing: Standing::default(),
            words_of: WordsOf::default(),
            columns: None,
            kept_from: None,
        }
    }

    /// Whether its source says of itself that it no longer holds.
    pub fn is_superseded(&self) -> bool {
        self.place.as_ref().is_some_and(|place| place.source.superseded.is_some())
    }

    /// The note on its source, if that no longer holds.
    pub fn caveat(&self) -> Option<String> {
        self.place.as_ref()?.source.caveat()
    }

    /// Whether the writer may use it.
    pub fn usable(&self) -> bool {
        self.standing == Standing::Proposed
    }

    /// The words of its source: the quote, and below it what the quote announces.
    pub fn said(&self) -> Cow<'_, str> {
        match &self.announced[..] {
            [] => self.quote.as_str().into(),
            announced => {
                let lines = announced.iter().map(|one| one.text.as_str());
                std::iter::once(self.quote.as_str()).chain(lines).collect::<Vec<_>>().join("\n").into()
            }
        }
    }

    /// Every place it rests on, its own first.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.place.iter().chain(&self.also_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_order_and_only_where_they_fit() {
        let edit = |at, removed: &str, inserted: &str| Edit {
            rule: EditRule::NameReferent,
            at,
            removed: removed.into(),
            inserted: inserted.into(),
        };
        let quote = "It stores vectors (see section 4).";
        assert_eq!(
            apply(quote, &[edit(0, "It", "[Qdrant]"), edit(17, " (see section 4)", "")]).as_deref(),
            Some("[Qdrant] stores vectors.")
        );
        assert_eq!(apply(quote, &[edit(0, "They", "[x]")]), None);
        assert_eq!(apply(quote, &[edit(900, "", "x")]), None);
    }
}
