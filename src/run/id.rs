//! Names of things. An id is not a string and not a number: each kind has a type of its own.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Position of an event in its run's journal: 1 for the first, no gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// The position after this one.
    pub fn next(self) -> Seq {
        Seq(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A moment: milliseconds since the Unix epoch, as the clock of the recording machine had it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct At(pub i64);

impl At {
    /// Milliseconds from `earlier` to this moment; zero if the clock went back.
    pub fn since(self, earlier: At) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

/// Names a run: four to twelve lower-case letters and digits, as a person types them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(Arc<str>);

/// Not the name of a run.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a run id: ids are 4 to 12 lower-case letters and digits, as `masthead runs` lists them")]
pub struct NotARunId(String);

impl RunId {
    /// Digits and letters without those that are mistaken for one another (`l`, `o`, `0`, `1`).
    const ALPHABET: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

    /// The id made from six random bytes.
    pub fn from_random(bytes: [u8; 6]) -> RunId {
        RunId(bytes.iter().map(|b| char::from(Self::ALPHABET[usize::from(b & 31)])).collect::<String>().into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunId {
    type Err = NotARunId;
    fn from_str(s: &str) -> Result<Self, NotARunId> {
        let fits = (4..=12).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if fits { Ok(RunId(s.into())) } else { Err(NotARunId(text::Clean::line(s).chars().take(40).collect())) }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {}", self.0)
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// One specialist given one piece of work. The supervisor at the root is 0; others count up as they are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AssignmentId(pub u32);

impl AssignmentId {
    /// The supervisor every run starts with.
    pub const ROOT: AssignmentId = AssignmentId(0);
}

impl fmt::Display for AssignmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a{}", self.0)
    }
}

/// Number of a handoff within its run, both ways counted, in the order in which they were recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HandoffNo(pub u32);

impl fmt::Display for HandoffNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A task of the plan, by its place in it (1 for the first).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub u32);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// A pause for the person, in the order in which they were opened (1 for the first).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckpointId(pub u32);

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

/// Declares an id made of an assignment and a number within it, written `<prefix><assignment>.<number>`.
macro_rules! id_within_assignment {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            /// The assignment it belongs to.
            pub assignment: AssignmentId,
            /// Its number there, from 1.
            pub n: u32,
        }

        impl $name {
            /// The `n`th of `assignment`.
            pub fn new(assignment: AssignmentId, n: u32) -> Self {
                Self { assignment, n }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}.{}"), self.assignment.0, self.n)
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(s: &str) -> Result<Self, String> {
                s.strip_prefix($prefix)
                    .and_then(|s| s.split_once('.'))
                    .and_then(|(a, n)| Some(Self { assignment: AssignmentId(a.parse().ok()?), n: n.parse().ok()? }))
                    .ok_or_else(|| format!(concat!("`{}` is not the id of a ", $what), s))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

id_within_assignment!(
    /// One logical call of a tool (or, later, a model): whatever is retried keeps its id.
    CallId, "k", "call");
id_within_assignment!(
    /// One finding, named after the assignment that found it, so that the name does not depend on who was first.
    FindingId, "f", "finding");

/// A document as it was when it was read: the first 12 hexadecimal digits of SHA-256 over its path and its content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceId(pub Arc<str>);

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The name of a specialist in its team: `researcher`, `writer`, ...
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Role(Arc<str>);

impl Role {
    /// The root of every run.
    pub const SUPERVISOR: &str = "supervisor";
    /// Cuts the question into tasks.
    pub const PLANNER: &str = "planner";
    /// Finds facts for one task.
    pub const RESEARCHER: &str = "researcher";
    /// Leads a section: some of the tasks, where they are too many for one to lead.
    pub const EDITOR: &str = "editor";
    /// Folds what several researchers found.
    pub const MERGER: &str = "merger";
    /// Composes the brief.
    pub const WRITER: &str = "writer";
    /// Checks by rule, with a veto.
    pub const GATES: &str = "gates";
    /// Judges the draft.
    pub const REVIEWER: &str = "reviewer";
    /// Keeps notes across runs.
    pub const MEMORY: &str = "memory";

    /// Looks over a folder of data and logs, and cuts what is to be looked at into tasks.
    pub const SURVEYOR: &str = "surveyor";
    /// Looks for what is wrong with one file.
    pub const INSPECTOR: &str = "inspector";

    /// The role of this name.
    pub fn new(name: &str) -> Role {
        Role(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_within_an_assignment_read_back_as_they_are_written() {
        let id = FindingId::new(AssignmentId(3), 12);
        assert_eq!(id.to_string(), "f3.12");
        assert_eq!("f3.12".parse::<FindingId>(), Ok(id));
        assert!("k3.12".parse::<FindingId>().is_err());
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"f3.12\"");
    }

    #[test]
    fn a_run_id_is_what_a_person_can_type() {
        assert!("7f3k".parse::<RunId>().is_ok());
        for bad in ["", "abc", "UPPER", "../../etc", "seventeenletters!"] {
            assert!(bad.parse::<RunId>().is_err(), "{bad}");
        }
        assert_eq!(RunId::from_random([0; 6]).as_str(), "222222");
    }
}
