//! Flaws of a plan, as data: for the planner that plans again, for the rules that mend them, and in words for people.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Task;
use crate::id::{Role, TaskId};
use text::{Clean, count};

/// The task of a flaw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Which {
    /// Its number in the plan.
    pub id: TaskId,
    /// Its title, for messages: numbers change when a plan is mended.
    pub title: Clean,
}

/// A flaw of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "flaw", rename_all = "snake_case")]
pub enum Flaw {
    /// It has no task.
    NoTask,
    /// It has more tasks than the team allows.
    TooMany { tasks: u64, most: u64 },
    /// A task has the id of one before it.
    SameId {
        /// The later one.
        task: Which,
    },
    /// A task asks nothing.
    Unasked { task: Which },
    /// A task waits for one that is not in the plan.
    Unknown { task: Which, after: TaskId },
    /// A task waits for itself, or at least three tasks wait for each other.
    Cycle {
        /// The tasks, in the order of the plan.
        tasks: Vec<Which>,
    },
    /// Two tasks wait for each other: they are one task.
    WrongCut {
        /// The two, in the order of the plan.
        tasks: Box<[Which; 2]>,
    },
    /// No member of the team takes tasks with this role.
    Nobody {
        task: Which,
        role: Role,
        /// The nearest role that takes tasks, if there is any.
        nearest: Option<Role>,
    },
    /// Two tasks ask the same, apart from words that add nothing.
    Twice {
        /// The later one.
        task: Which,
        /// The earlier one.
        of: Which,
    },
    /// A task is so small that handing it over costs more than doing it.
    TooFine {
        task: Which,
        /// Its estimated tokens.
        tokens: u64,
        /// Tokens that its supervisor has room for.
        room: u64,
    },
    /// One task contains several that could be worked on separately.
    TooCoarse {
        task: Which,
        /// The compared things it names that have no task of their own, or the specialists whose domains it crosses.
        holds: Vec<Clean>,
        /// The kind of its contents.
        what: Several,
    },
    /// No task asks about something that the question names.
    Missing {
        /// The points.
        names: Vec<Clean>,
    },
    /// A task about one thing leaves out sides that the question asks for.
    LacksSides {
        task: Which,
        /// The sides, as the question names them.
        lacks: Vec<Clean>,
    },
    /// A side of several things has a task of its own, as if it were a thing.
    SideAlone {
        task: Which,
        /// The things.
        of: Vec<Clean>,
    },
    /// Several tasks are slivers of one fact.
    Slivers {
        /// The tasks, in the order of the plan.
        tasks: Vec<Which>,
        /// Their common subject.
        of: Clean,
    },
    /// A task shares no word with the question.
    Unrelated { task: Which },
    /// There are fewer tasks than the question has things to compare.
    TooFew { tasks: u64, asked: u64 },
}

/// The kind of the contents of a task that is too coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Several {
    /// Things that the question compares.
    Compared,
    /// Domains of specialists.
    Domains,
}

impl Which {
    pub(super) fn of(task: &Task) -> Which {
        Which { id: task.id, title: task.title.clone() }
    }
}

impl Flaw {
    /// Flaws in words, a line each. All unknown dependencies of one task share a line: a model that numbers its tasks
    /// wrongly may name ten.
    pub fn in_words(flaws: &[Flaw]) -> Vec<String> {
        let task_of = |flaw: &Flaw| if let Flaw::Unknown { task, .. } = flaw { Some(task.clone()) } else { None };
        let same = |a: &Flaw, b: &Flaw| task_of(a).is_some() && task_of(a) == task_of(b);
        let in_words = |group: &[Flaw]| match group {
            [Flaw::Unknown { task, .. }, _, ..] => {
                let waited: Vec<String> =
                    group.iter().filter_map(Flaw::waited_for).map(|id| id.0.to_string()).collect();
                format!("{task} waits for tasks {}, which are not in the plan", waited.join(", "))
            }
            [flaw, ..] => flaw.to_string(),
            [] => String::new(),
        };
        flaws.chunk_by(same).map(in_words).collect()
    }

    fn waited_for(&self) -> Option<TaskId> {
        if let Flaw::Unknown { after, .. } = self { Some(*after) } else { None }
    }

    /// Whether it names this task.
    pub fn is_about(&self, id: TaskId) -> bool {
        match self {
            Flaw::NoTask | Flaw::TooMany { .. } | Flaw::Missing { .. } | Flaw::TooFew { .. } => false,
            Flaw::Cycle { tasks } | Flaw::Slivers { tasks, .. } => tasks.iter().any(|task| task.id == id),
            Flaw::WrongCut { tasks } => tasks.iter().any(|task| task.id == id),
            Flaw::SameId { task }
            | Flaw::Unasked { task }
            | Flaw::Unknown { task, .. }
            | Flaw::Nobody { task, .. }
            | Flaw::Twice { task, .. }
            | Flaw::TooFine { task, .. }
            | Flaw::TooCoarse { task, .. }
            | Flaw::LacksSides { task, .. }
            | Flaw::Unrelated { task }
            | Flaw::SideAlone { task, .. } => task.id == id,
        }
    }

    /// Whether a plan with this flaw is unworkable. Other flaws only make it worse.
    pub fn blocks(&self) -> bool {
        match self {
            Flaw::NoTask
            | Flaw::TooMany { .. }
            | Flaw::SameId { .. }
            | Flaw::Unasked { .. }
            | Flaw::Unknown { .. }
            | Flaw::Cycle { .. }
            | Flaw::WrongCut { .. }
            | Flaw::Nobody { .. } => true,
            Flaw::Twice { .. }
            | Flaw::TooFine { .. }
            | Flaw::TooCoarse { .. }
            | Flaw::Missing { .. }
            | Flaw::LacksSides { .. }
            | Flaw::SideAlone { .. }
            | Flaw::Slivers { .. }
            | Flaw::Unrelated { .. }
            | Flaw::TooFew { .. } => false,
        }
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.title.trim().is_empty() { write!(f, "task {}", self.id.0) } else { write!(f, "“{}”", self.title) }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::NoTask => f.write_str("the plan has no task"),
            Flaw::TooMany { tasks, most } => {
                write!(f, "the plan has {}, and this team takes at most {most}", count(*tasks, "task"))
            }
            Flaw::SameId { task } => write!(f, "{task} has the number of a task before it, {}", task.id.0),
            Flaw::Unasked { task } => write!(f, "{task} asks nothing"),
            Flaw::Unknown { task, after } => write!(f, "{task} waits for task {}, which is not in the plan", after.0),
            Flaw::Cycle { tasks } => match &tasks[..] {
                [one] => write!(f, "{one} waits for itself"),
                _ => write!(f, "{} wait for each other, so none of them could begin", list(tasks)),
            },
            Flaw::WrongCut { tasks } => {
                write!(f, "{} and {} need each other's results: they are one task", tasks[0], tasks[1])
            }
            Flaw::Nobody { task, role, nearest } => {
                write!(f, "no member of the team can do {task}: no `{role}` takes tasks")?;
                match nearest {
                    Some(nearest) => write!(f, "; `{nearest}` comes nearest"),
                    None => f.write_str(", and neither does any other member"),
                }
            }
            Flaw::Twice { task, of } => write!(f, "{task} asks what {of} asks: they are one task"),
            Flaw::TooFine { task, tokens, room } => write!(
                f,
                "{task} is too fine: about {tokens} tokens of work fit into the {room} of its supervisor, with room to spare"
            ),
            Flaw::TooCoarse { task, holds, what: Several::Compared } => {
                write!(
                    f,
                    "{task} is too coarse: it holds {}, which are compared; each is a task of its own",
                    list(holds)
                )
            }
            Flaw::TooCoarse { task, holds, what: Several::Domains } => {
                write!(f, "{task} is too coarse: it crosses the domains of {}; each is a task of its own", list(holds))
            }
            Flaw::Missing { names } => {
                let quoted: Vec<String> = names.iter().map(|name| format!("“{name}”")).collect();
                write!(f, "the question names {}, and no task asks about that", list(&quoted))
            }
            Flaw::LacksSides { task, lacks } => {
                write!(f, "{task} leaves out what is asked for of it: {}", list(lacks))
            }
            Flaw::SideAlone { task, of } => {
                write!(f, "{task} is a side of {}, and no thing of its own: it belongs into their tasks", list(of))
            }
            Flaw::Slivers { tasks, of } => {
                write!(f, "{} are slivers of one thing, {of}: they are one task", list(tasks))
            }
            Flaw::Unrelated { task } => write!(f, "{task} shares no word with the question, which does not ask for it"),
            Flaw::TooFew { tasks, asked } => {
                write!(
                    f,
                    "the question asks to compare {asked} things, and the plan has {}",
                    count(*tasks as usize, "task")
                )
            }
        }
    }
}

/// "a, b and c".
fn list<T: fmt::Display>(of: &[T]) -> String {
    let parts: Vec<String> = of.iter().map(ToString::to_string).collect();
    match parts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}
