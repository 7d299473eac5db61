//! The origin of an imported run: a file that another program wrote. Such a run is read only.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::budget::Money;
use super::model::Usage;
use text::Clean;

/// Defines [`Format`], each form with its name and its meaning.
macro_rules! formats {
    ($($form:ident $name:literal $words:literal;)*) => {
        /// The form of a file that another program wrote.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Format {
            $(#[doc = concat!($words, ".")] $form,)*
        }

        impl Format {
            /// Every form there is.
            pub const ALL: &[Format] = &[$(Format::$form),*];

            /// Its name, as a person types it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Format::$form => $name,)*
                }
            }

            /// Its meaning, in words for a person.
            pub fn in_words(self) -> &'static str {
                match self {
                    $(Format::$form => $words,)*
                }
            }
        }
    };
}

formats! {
    ClaudeCode "claude-code" "Sessions of Claude Code with their sub-agents";
    Otlp "otlp" "OpenTelemetry traces: OTLP as JSON or protobuf";
    Langsmith "langsmith" "Runs of LangSmith, as LangGraph writes them";
    OpenaiAgents "openai-agents" "Traces of the OpenAI Agents SDK";
    Langfuse "langfuse" "Traces of Langfuse with their observations";
    Codex "codex" "Rollouts of Codex with its sub-agents";
}

impl Format {
    /// Whether it is one file for each assignment, and not one list of all that happened.
    pub fn is_by_assignment(self) -> bool {
        matches!(self, Format::ClaudeCode | Format::Codex)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The origin of an imported run, and the part of it that was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The form of its files.
    pub format: Format,
    /// The name of the run in the other program.
    pub id: Clean,
    /// The version of the program that wrote it, as far as it says.
    #[serde(default)]
    pub version: Clean,
    /// Records that were read.
    #[serde(default)]
    pub records: u64,
    /// Records that could not be read: torn, too long, no JSON.
    #[serde(default)]
    pub unread: u64,
    /// Records that were read and whose kind this program does not know, by their own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown: BTreeMap<Clean, u64>,
    /// Further remarks on the reading, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Clean>,
}

impl Origin {
    /// Parts that were not understood and parts that were mended, a sentence each; empty if all was read as it stood.
    pub fn gaps(&self) -> Vec<Clean> {
        let unread = (self.unread > 0).then(|| {
            Clean::from(format!("{} of {} records could not be read", self.unread, self.records + self.unread))
        });
        let unknown = (!self.unknown.is_empty()).then(|| {
            let kinds: Vec<String> = self.unknown.iter().map(|(kind, n)| format!("{n} × {kind}")).collect();
            Clean::from(format!("of a kind that is not known here: {}", kinds.join(", ")))
        });
        unread.into_iter().chain(unknown).chain(self.remarks.iter().cloned()).collect()
    }
}

/// The name of an assignment where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Its id there.
    pub id: Clean,
    /// Its name there.
    pub name: Clean,
}

/// Something in an imported run that is none of the steps that specialists take here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The kind of note.
    pub kind: NoteKind,
    /// In words.
    pub text: Clean,
}

/// The kinds of note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// The person said something while it worked.
    Said,
    /// The person, or a rule of theirs, denied a tool call.
    Denied,
    /// The person was asked.
    Asked,
    /// The person interrupted it.
    Interrupted,
    /// The conversation was cut down to a summary.
    Compacted,
    /// A check said no.
    Vetoed,
    /// Something went wrong that is no failure of a call.
    Failed,
    /// Anything else that was told.
    Told,
}

impl NoteKind {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            NoteKind::Said => "said",
            NoteKind::Denied => "denied",
            NoteKind::Asked => "asked",
            NoteKind::Interrupted => "interrupted",
            NoteKind::Compacted => "compacted",
            NoteKind::Vetoed => "vetoed",
            NoteKind::Failed => "failed",
            NoteKind::Told => "told",
        }
    }

    /// Whether the person had a part in it.
    pub fn is_of_the_person(self) -> bool {
        matches!(self, NoteKind::Said | NoteKind::Denied | NoteKind::Asked | NoteKind::Interrupted)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.word(), self.text)
    }
}

/// The money of an imported run: told there, estimated by the price table, or not known. As JSON in pico-dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pricing {
    /// The sum of the prices that were told there.
    pub told: Money,
    /// Calls whose price was told.
    pub told_calls: u64,
    /// The sum by the price table where no price was told.
    pub estimated: Money,
    /// Calls whose price is by the table.
    pub estimated_calls: u64,
    /// Calls that took tokens, and whose price nobody knows.
    pub unknown_calls: u64,
}

impl Pricing {
    /// Counts one more answered call.
    pub fn count(&mut self, usage: &Usage) {
        match usage.cost {
            Some(cost) if usage.cost_estimated => {
                self.estimated = Money(self.estimated.0.saturating_add(cost.0));
                self.estimated_calls += 1;
            }
            Some(cost) => {
                self.told = Money(self.told.0.saturating_add(cost.0));
                self.told_calls += 1;
            }
            None if usage.total() > 0 => self.unknown_calls += 1,
            None => {}
        }
    }

    /// Counts those of another as well.
    #[must_use]
    pub fn plus(self, other: Pricing) -> Pricing {
        let sum = |a: Money, b: Money| Money(a.0.saturating_add(b.0));
        Pricing {
            told: sum(self.told, other.told),
            told_calls: self.told_calls.saturating_add(other.told_calls),
            estimated: sum(self.estimated, other.estimated),
            estimated_calls: self.estimated_calls.saturating_add(other.estimated_calls),
            unknown_calls: self.unknown_calls.saturating_add(other.unknown_calls),
        }
    }

    /// Whether nobody knows the price of any call.
    pub fn is_unknown(&self) -> bool {
        self.unknown_calls > 0 && self.told_calls + self.estimated_calls == 0
    }

    /// All money that is known of.
    pub fn known(&self) -> Money {
        Money(self.told.0.saturating_add(self.estimated.0))
    }
}

impl fmt::Display for Pricing {
    /// The sum, `~` before it where it is by the table, `?` after it where part of it is not known, `?` alone where none is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unknown() {
            return f.pad("?");
        }
        let about = if self.estimated_calls > 0 { "~" } else { "" };
        let more = if self.unknown_calls > 0 { " + ?" } else { "" };
        f.pad(&format!("{about}{}{more}", self.known()))
    }
}

/// An imported run, as lists of runs tell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The form of its files.
    pub format: Format,
    /// The part of its money that is known; None if an earlier version kept the run, which did not say.
    #[serde(default)]
    pub pricing: Option<Pricing>,
}

impl fmt::Display for Imported {
    /// "claude-code, read only".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}, read only", self.format))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_that_is_not_known_is_never_shown_as_nothing() {
        let usage = |cost: Option<u64>, cost_estimated| Usage {
            input: 10,
            cost: cost.map(Money::micros),
            cost_estimated,
            ..Usage::default()
        };
        let shown = |usages: &[Usage]| {
            let mut pricing = Pricing::default();
            usages.iter().for_each(|usage| pricing.count(usage));
            pricing.to_string()
        };
        let (told, estimated, unknown) = (usage(Some(500_000), false), usage(Some(250_000), true), usage(None, false));
        assert_eq!(shown(&[]), "$0");
        assert_eq!(shown(&[unknown]), "?");
        assert_eq!(shown(&[told]), "$0.50");
        assert_eq!(shown(&[told, estimated]), "~$0.75");
        assert_eq!(shown(&[told, unknown]), "$0.50 + ?");
        assert_eq!(shown(&[told, estimated, unknown]), "~$0.75 + ?");
    }

    #[test]
    fn what_was_not_read_is_said() {
        let origin = Origin {
            format: Format::Otlp,
            id: "t".into(),
            version: "".into(),
            records: 9,
            unread: 1,
            unknown: BTreeMap::from([("hologram".into(), 2)]),
            remarks: vec!["clocks ran backwards".into()],
        };
        let said = ["1 of 10 records could not be read", "of a kind that is not known here: 2 × hologram"];
        assert_eq!(origin.gaps(), [said[0], said[1], "clocks ran backwards"].map(Clean::from));
    }
}
