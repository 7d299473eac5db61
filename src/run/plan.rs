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
pub(crate) use wording::Wording;

/// What kind of question it is, which decides how it is cut and how the brief is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// What a thing is and how it works.
    Overview,
    /// Several sides of one thing.
    Facets,
    /// Several things compared.
    Comparison,
    /// What happened when.
    History,
    /// Why something is so.
    Causes,
    /// What speaks for and against one thing.
    ProsAndCons,
    /// How something is done.
    Procedure,
    /// Members of a group, one by one.
    Each,
}

/// A run of blocks of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Within {
    pub source: SourceId,
    /// Its first block.
    pub from: u32,
    /// The block after its last one.
    pub to: u32,
}

impl Within {
    /// Whether a block of a source is in it.
    pub fn holds(&self, source: &SourceId, block: u32) -> bool {
        self.source == *source && (self.from..self.to).contains(&block)
    }
}

/// One piece of the question, for one specialist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its place in the plan.
    pub id: TaskId,
    /// What it is called in the graph and as a section of the brief.
    pub title: Clean,
    /// What is asked, so that it can be understood alone.
    pub question: Clean,
    /// The role that works on it.
    pub role: Role,
    /// The thing it is about, as the sources name it; what is found must be about this.
    pub topic: Vec<Clean>,
    /// The sides of it that were asked for; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aspects: Vec<Clean>,
    /// The section of a source that it is about, where it is about one: its findings come from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    /// The sections that other tasks are about, which this one leaves to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<Within>,
    /// Tasks that must end first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<TaskId>,
    /// What it needs of those.
    #[serde(default, skip_serializing_if = "Join::is_default")]
    pub join: Join,
    /// What it is expected to cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Amounts>,
    /// What counts as done, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Clean>,
    /// Its priority; None for that of its member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The run's work time (ms) at which its assignment reports what it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// Whether it asks once more, by its own name, for what the question names and nothing was found on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows_up: bool,
    /// The content words of its question as the sources have them; empty where nobody has looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<AskedWord>,
}

/// A content word of a question, as the sources have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedWord {
    /// The word as it was asked.
    pub word: Clean,
    /// How much it tells apart in the sources, in thousandths of what all words of its task do.
    pub weight: u16,
    /// The word of the sources that it was read as: it is spelt nearly so, and the sources do not have the word itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<Clean>,
    /// Whether the sources do not have it at all, though it is no everyday word; what is asked for by name has gaps of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nowhere: bool,
}

impl Task {
    /// A task for the researcher that says no more than what is asked.
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

    /// What it is called and what it asks, in a line.
    pub fn in_words(&self) -> String {
        titled(&self.title, &self.question)
    }

    /// Whether it starts only when all tasks it waits for have ended.
    pub fn waits_for_all(&self) -> bool {
        !matches!(self.join, Join::AtLeast(_))
    }
}

/// A question below its title, in a line. A title that the question begins with is said once.
pub fn titled(title: &str, question: &str) -> String {
    let bare = |text: &str| -> Vec<String> {
        let words =
            text.split_whitespace().map(|word| word.trim_matches(['?', '.', '!', ':', ',', '…']).to_lowercase());
        words.filter(|word| !word.is_empty()).collect()
    };
    let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
    if bare(&question).starts_with(&bare(title)) { question } else { format!("{title}: {question}") }
}

/// How the question is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub shape: Shape,
    /// The tasks, in the order of the brief.
    pub tasks: Vec<Task>,
    /// Why it was cut so, in a sentence.
    pub why: Clean,
}

impl Plan {
    /// Most tasks of a plan where the team file does not say.
    pub const USUAL_MOST: u32 = 10;
    /// Most tasks of any plan, whatever the team file says.
    pub const MOST: u32 = 10_000;

    /// The task of this id.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }
}
