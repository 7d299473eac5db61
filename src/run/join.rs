//! Joins: the dependencies that a task needs before it starts.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// The dependencies that a task needs before it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// All have a usable result.
    All,
    /// This many, or all if there are fewer, have a usable result; the task does not wait for the others.
    ///
    /// Timing decides which dependencies those are, and so everything after. The other joins do not depend on timing.
    AtLeast(NonZeroU32),
    /// All have ended, with any outcome.
    #[default]
    BestEffort,
}

impl Join {
    /// Whether it is the default.
    pub fn is_default(&self) -> bool {
        *self == Join::default()
    }

    /// The number of usable results needed of this many dependencies.
    pub fn needs(self, of: usize) -> usize {
        match self {
            Join::All => of,
            Join::AtLeast(n) => of.min(n.get() as usize),
            Join::BestEffort => 0,
        }
    }

    /// The dependencies that it waits for, in words, given their number.
    pub fn in_words(self, of: usize) -> String {
        match self {
            Join::All => format!("all {of}"),
            Join::AtLeast(_) => format!("at least {} of {of}", self.needs(of)),
            Join::BestEffort => format!("the end of all {of}"),
        }
    }
}

/// The joins of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joins {
    /// The tasks of the plan that merging needs. Once they are there, tasks that still run are ended.
    #[serde(default, skip_serializing_if = "Join::is_default")]
    pub merge: Join,
}

impl Joins {
    /// Whether they are the defaults.
    pub fn is_default(&self) -> bool {
        *self == Joins::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_reads_back_as_it_is_written_and_says_how_many_it_needs() {
        let three = Join::AtLeast(NonZeroU32::new(3).unwrap());
        for (join, json, needs) in
            [(Join::All, r#""all""#, 5), (three, r#"{"at_least":3}"#, 3), (Join::BestEffort, r#""best_effort""#, 0)]
        {
            assert_eq!(serde_json::to_string(&join).unwrap(), json);
            assert_eq!((serde_json::from_str::<Join>(json).unwrap(), join.needs(5)), (join, needs));
        }
        assert_eq!((three.needs(2), three.in_words(2)), (2, "at least 2 of 2".to_string()));
        assert!(serde_json::from_str::<Join>(r#"{"at_least":0}"#).is_err());
    }
}
