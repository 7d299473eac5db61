//! The plan: a question cut into tasks.

mod check;
mod edit;
mod flaw;
mod group;
mod mend;
#[cfg(test)]
mod tests;
mod whole;
mod wording;

use serde::{Deserialize, Serialize};

use super::budget::Amounts;
use super::id::{Role, SourceId, TaskId};
use super::join::Join;
use super::steer::Priority;
use text::Clean;

pub use check::Bounds;
pub use edit::PlanEdit;
pub use flaw::{Flaw, Several, Which};
pub use group::{Group, TaskEnd};
pub(crate) use wording::{Wording, content};

/// The kind of question. It decides how the planner cuts it and how the writer lays out the brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The nature of a thing and its way of working.
    Overview,
    /// Several aspects of one thing.
    Facets,
    /// Several things compared.
    Comparison,
    /// Events, by date.
    History,
    /// The causes of something.
    Causes,
    /// Arguments for and against one thing.
    ProsAndCons,
    /// The way to do something.
    Procedure,
    /// The members of a group, each on its own.
    Each,
}

/// A range of blocks of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Within {
    pub source: SourceId,
    /// Its first block.
    pub from: u32,
    /// The block after its last.
    pub to: u32,
}

impl Within {
    /// Whether the range contains a block of a source.
    pub fn holds(&self, source: &SourceId, block: u32) -> bool {
        self.source == *source && (self.from..self.to).contains(&block)
    }
}

/// One piece of the question, for one specialist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its place in the plan.
    pub id: TaskId,
    /// Its title in the graph and as a section of the brief.
    pub title: Clean,
    /// Its question, which can be understood without the others.
    pub question: Clean,
    /// The role that works on it.
    pub role: Role,
    /// The terms of its subject, as the sources write them; every finding must be about them.
    pub topic: Vec<Clean>,
    /// The aspects asked for; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aspects: Vec<Clean>,
    /// The section of a source that the findings must come from; None for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    /// The sections covered by other tasks, which this task skips.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<Within>,
    /// Tasks that must end first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<TaskId>,
    /// The number of those tasks that it needs.
    #[serde(default, skip_serializing_if = "Join::is_default")]
    pub join: Join,
    /// Its expected cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Amounts>,
    /// Its acceptance criterion, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Clean>,
    /// Its priority; None for that of its specialist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The run's work time (ms) at which its assignment reports its findings so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// Whether it searches once more, by name, for points of the question without a finding.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows_up: bool,
    /// The content words of its question as the sources spell them; empty if they were not looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<AskedWord>,
}

/// A content word of a question, as the sources spell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedWord {
    /// The word as asked.
    pub word: Clean,
    /// Its share of the total weight of the task's words, in thousandths; a word that few passages contain weighs more.
    pub weight: u16,
    /// The similarly spelt word of the sources that replaces it, where the sources lack the word itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<Clean>,
    /// Whether the sources lack it, though it is not an everyday word. Names that the question asks about have their
    /// own gaps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nowhere: bool,
    /// A synonym that the sources have, where they lack the word itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Clean>,
}

impl AskedWord {
    /// The word by which the sources have it, as far as they do: in another spelling, or a synonym.
    pub fn in_sources(&self) -> &Clean {
        self.read_as.as_ref().or(self.instead.as_ref()).unwrap_or(&self.word)
    }
}

impl Task {
    /// A task for the researcher with a title and a question only.
    pub fn new(id: TaskId, title: Clean, question: Clean) -> Task {
        Task {
            id,
            title,
            question,
            role: Role::new(Role::RESEARCHER),
            topic: Vec::new(),
            aspects: Vec::new(),
            within: None,
            apart: Vec::new(),
            after: Vec::new(),
            join: Join::default(),
            estimate: None,
            acceptance: None,
            priority: None,
            deadline: None,
            follows_up: false,
            words: Vec::new(),
        }
    }

    /// Its title and question, in a line.
    pub fn in_words(&self) -> String {
        titled(&self.title, &self.question)
    }

    /// Whether it starts only when all its dependencies have ended.
    pub fn waits_for_all(&self) -> bool {
        !matches!(self.join, Join::AtLeast(_))
    }
}

/// A title with its question, in a line. A title that the question begins with is not repeated.
pub fn titled(title: &str, question: &str) -> String {
    let bare = |text: &str| -> Vec<String> {
        let words =
            text.split_whitespace().map(|word| word.trim_matches(['?', '.', '!', ':', ',', '…']).to_lowercase());
        words.filter(|word| !word.is_empty()).collect()
    };
    let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
    if bare(&question).starts_with(&bare(title)) { question } else { format!("{title}: {question}") }
}

/// The tasks that a question is cut into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub shape: Shape,
    /// The tasks, in the order of the brief.
    pub tasks: Vec<Task>,
    /// The planner's reason for this cut, in a sentence.
    pub why: Clean,
}

impl Plan {
    /// Most tasks of a plan if the team file sets no limit.
    pub const USUAL_MOST: u32 = 10;
    /// Most tasks of any plan, whatever the team file sets.
    pub const MOST: u32 = 10_000;

    /// The task with this id.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }
}
