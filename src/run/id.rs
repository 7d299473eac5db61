//! Names of things. An id is not a string and not a number: each kind has a type of its own.

use std::cmp::Ordering;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

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
    /// The moment at this time after the beginning of 1970.
    pub fn after_1970(time: Duration) -> At {
        At(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
    }

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

/// One specialist given one piece of work, named by the path of delegation that led to it.
///
/// The supervisor at the root is `0`. Below it each step of the path names the piece of work, never when it was handed out: `0.t2`
/// works on task 2 of the plan, `0.t2~2` works on it a second time, `0.3` is the third piece of work of the supervisor that is no
/// task, and `0.t4.t5` works on task 5 in the section that begins with task 4. So names are the same in whatever order results
/// arrive. Names sort as a tree is walked: parents before children, attempts at the same work next to each other.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AssignmentId([Step; AssignmentId::MOST_STEPS]);

/// One step of a path, as one number, because names are compared again and again: whether it is a task, then which work, then
/// the attempt. Work that is no task sorts first. The default stands for no step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Step(u64);

impl Step {
    const MOST_ATTEMPTS: u32 = (1 << 31) - 1;

    /// An attempt above the most is the most.
    const fn new(work: Work, attempt: u32) -> Step {
        let (is_task, n) = match work {
            Work::Step(n) => (0, n),
            Work::Task(TaskId(n)) => (1, n),
        };
        let attempt = if attempt < Step::MOST_ATTEMPTS { attempt } else { Step::MOST_ATTEMPTS };
        Step(is_task << 63 | (n as u64) << 31 | attempt as u64)
    }

    fn work(self) -> Work {
        let n = (self.0 >> 31) as u32;
        if self.0 >> 63 == 1 { Work::Task(TaskId(n)) } else { Work::Step(n) }
    }

    fn attempt(self) -> u32 {
        self.0 as u32 & Step::MOST_ATTEMPTS
    }
}

/// A piece of work that one assignment hands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Work {
    /// Work that is no task of the plan: the first, second, third that was handed out.
    Step(u32),
    /// A task of the plan, or the section that begins with it.
    Task(TaskId),
}

impl PartialOrd for AssignmentId {
    fn partial_cmp(&self, other: &AssignmentId) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AssignmentId {
    fn cmp(&self, other: &AssignmentId) -> Ordering {
        for at in 0..AssignmentId::MOST_STEPS {
            let (a, b) = (self.0[at], other.0[at]);
            if a != b {
                return a.cmp(&b);
            }
            // Both end here: names are looked up by the million, and most are short.
            if a.attempt() == 0 {
                break;
            }
        }
        Ordering::Equal
    }
}

impl AssignmentId {
    /// The supervisor every run starts with.
    pub const ROOT: AssignmentId = AssignmentId([Step(0); AssignmentId::MOST_STEPS]);

    /// Levels below the root that a name has room for. No team may delegate as deep.
    pub const MOST_STEPS: usize = 7;

    /// The `n`th piece of work that the supervisor hands out and that is no task; the supervisor itself for 0.
    pub const fn nth(n: u32) -> AssignmentId {
        let mut id = AssignmentId::ROOT;
        id.0[0] = Step::new(Work::Step(n), if n == 0 { 0 } else { 1 });
        id
    }

    /// The `attempt`th (1 for the first) at a piece of work that this one hands out; None below the deepest level.
    pub fn child(self, work: Work, attempt: u32) -> Option<AssignmentId> {
        let mut child = self;
        *child.0.get_mut(self.depth())? = Step::new(work, attempt);
        Some(child)
    }

    /// The assignment that handed it out; None for the root.
    pub fn parent(self) -> Option<AssignmentId> {
        let mut parent = self;
        *parent.0.get_mut(self.depth().checked_sub(1)?)? = Step::default();
        Some(parent)
    }

    /// The piece of its parent's work that it is; None for the root.
    pub fn work(self) -> Option<Work> {
        self.last().map(Step::work)
    }

    /// The number of the attempt at its piece of work, from 1; 0 for the root.
    pub fn attempt(self) -> u32 {
        self.last().map_or(0, Step::attempt)
    }

    /// Whether it is below the other one, directly or further down.
    pub fn is_below(self, other: AssignmentId) -> bool {
        let depth = other.depth();
        self.depth() > depth && self.0[..depth] == other.0[..depth]
    }

    /// A number made of the whole name.
    pub fn fingerprint(self) -> u64 {
        self.0.iter().take(self.depth()).fold(0, |sum: u64, step| {
            let work = match step.work() {
                Work::Step(n) => u64::from(n) << 1,
                Work::Task(task) => u64::from(task.0) << 1 | 1,
            };
            sum.wrapping_mul(0x100_0000_01b3).wrapping_add(work << 16 ^ u64::from(step.attempt()))
        })
    }

    fn depth(self) -> usize {
        self.0.iter().take_while(|step| step.attempt() > 0).count()
    }

    fn last(self) -> Option<Step> {
        self.0.get(self.depth().checked_sub(1)?).copied()
    }
}

impl fmt::Debug for AssignmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "assignment {self}")
    }
}

impl fmt::Display for AssignmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0")?;
        for step in self.0.iter().take(self.depth()) {
            match step.work() {
                Work::Step(n) => write!(f, ".{n}")?,
                Work::Task(task) => write!(f, ".{task}")?,
            }
            if step.attempt() > 1 {
                write!(f, "~{}", step.attempt())?;
            }
        }
        Ok(())
    }
}

impl FromStr for AssignmentId {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let step = |id: AssignmentId, step: &str| {
            let (work, attempt) = step.split_once('~').unwrap_or((step, "1"));
            let work = match work.strip_prefix('t') {
                Some(task) => Work::Task(TaskId(task.parse().ok()?)),
                None => Work::Step(work.parse().ok()?),
            };
            id.child(work, attempt.parse().ok().filter(|attempt| (1..=Step::MOST_ATTEMPTS).contains(attempt))?)
        };
        let mut steps = s.split('.');
        let id = (steps.next() == Some("0")).then(|| steps.try_fold(AssignmentId::ROOT, step)).flatten();
        id.ok_or_else(|| format!("`{}` is not the name of an assignment", text::Clean::line(s)))
    }
}

/// A value that is written as the text it is shown as.
pub(crate) struct AsShown<'a, T>(pub(crate) &'a T);

impl<T: fmt::Display> Serialize for AsShown<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// Writes a name as the text that it is shown as, under the name of its type, and reads it back.
macro_rules! written_as_shown {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct(stringify!($name), &AsShown(self))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

written_as_shown!(RunId);
written_as_shown!(AssignmentId);

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

/// Declares an id made of an assignment and a number within it, written `<prefix><assignment>/<number>`.
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
                write!(f, concat!($prefix, "{}/{}"), self.assignment, self.n)
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(s: &str) -> Result<Self, String> {
                s.strip_prefix($prefix)
                    .and_then(|s| s.split_once('/'))
                    .and_then(|(a, n)| Some(Self { assignment: a.parse().ok()?, n: n.parse().ok()? }))
                    .ok_or_else(|| format!(concat!("`{}` is not the id of a ", $what), s))
            }
        }

        written_as_shown!($name);
    };
}

id_within_assignment!(
    /// One call of a tool or a model: its attempts share the id.
    CallId, "k", "call");
impl CallId {
    /// Every call that an assignment may make, in order.
    pub fn all_of(assignment: AssignmentId) -> RangeInclusive<CallId> {
        CallId::new(assignment, 0)..=CallId::new(assignment, u32::MAX)
    }
}

id_within_assignment!(
    /// One finding, named after the assignment that found it, so that the name does not depend on timing.
    FindingId, "f", "finding");

impl FindingId {
    /// The id for a draft's citation of a number that no finding has. It is not shown to anybody.
    pub const NOWHERE: FindingId = FindingId { assignment: AssignmentId::nth(u32::MAX), n: 0 };
}

/// A document as it was when it was read: the first 12 hexadecimal digits of SHA-256 over its path and its content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId(pub Arc<str>);

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The name of a specialist in its team: `researcher`, `writer`, ...
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// Folds the findings of several researchers.
    pub const MERGER: &str = "merger";
    /// Composes the brief.
    pub const WRITER: &str = "writer";
    /// Checks by rule, with a veto.
    pub const GATES: &str = "gates";
    /// Judges the draft.
    pub const REVIEWER: &str = "reviewer";
    /// Keeps notes across runs.
    pub const MEMORY: &str = "memory";

    /// Does all of it in one context: the baseline of a team.
    pub const AGENT: &str = "agent";

    /// Says which of two briefs is better.
    pub const JUDGE: &str = "judge";

    /// Looks over a folder of data and logs, and cuts the files to look at into tasks.
    pub const SURVEYOR: &str = "surveyor";
    /// Looks for faults in one file.
    pub const INSPECTOR: &str = "inspector";

    /// The role of this name.
    pub fn new(name: &str) -> Role {
        Role(name.into())
    }

    /// Whether it works by rule in every team: no model can do its work.
    pub fn is_by_rule(&self) -> bool {
        [Role::SURVEYOR, Role::EDITOR, Role::MERGER, Role::GATES, Role::MEMORY].contains(&self.as_str())
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

    fn id(path: &str) -> AssignmentId {
        path.parse().unwrap()
    }

    #[test]
    fn ids_within_an_assignment_read_back_as_they_are_written() {
        let id = FindingId::new(id("0.t3~2"), 12);
        assert_eq!(id.to_string(), "f0.t3~2/12");
        assert_eq!("f0.t3~2/12".parse::<FindingId>(), Ok(id));
        assert!("k0.t3/12".parse::<FindingId>().is_err());
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"f0.t3~2/12\"");
    }

    #[test]
    fn the_name_of_an_assignment_says_by_what_delegation_it_came_about() {
        let task = Work::Task(TaskId(2));
        let section = AssignmentId::ROOT.child(task, 1).unwrap();
        let again = section.child(task, 3).unwrap();
        assert_eq!([AssignmentId::ROOT, section, again].map(|id| id.to_string()), ["0", "0.t2", "0.t2.t2~3"]);
        assert_eq!(
            (again.parent(), section.parent(), AssignmentId::ROOT.parent()),
            (Some(section), Some(id("0")), None)
        );
        assert_eq!((again.work(), again.attempt()), (Some(task), 3));
        assert!(again.is_below(section) && again.is_below(id("0")) && !section.is_below(section));
        assert!(!id("0.t2~2.1").is_below(section));
        for bad in ["", "1", "0.", "0.t", "0.t2~0", "0.x", "0.1.1.1.1.1.1.1.1"] {
            assert!(bad.parse::<AssignmentId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn names_sort_as_a_tree_is_walked() {
        let sorted = ["0", "0.1", "0.1~2", "0.2", "0.t1", "0.t1.1", "0.t1.t1", "0.t1~2", "0.t2", "0.t10"].map(id);
        assert!(sorted.is_sorted(), "{sorted:?}");
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
