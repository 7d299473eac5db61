//! The plan: a question cut into tasks.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::id::{Role, SourceId, TaskId};
use crate::text::Clean;

/// What kind of question it is, which decides how it is cut and how the brief is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// What a thing is and how it works.
    Overview,
    /// Several sides of one thing.
    Facets,
    /// Several things held against one another.
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
    /// The source.
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
    /// Who can do it.
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
}

/// How the question is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The kind of question.
    pub shape: Shape,
    /// The tasks, in the order of the brief.
    pub tasks: Vec<Task>,
    /// Why it was cut so, in a sentence.
    pub why: Clean,
}

impl Plan {
    /// Most tasks a plan may have.
    pub const MOST_TASKS: usize = 10;

    /// Whether the plan can be worked: one to ten tasks with distinct ids, dependencies that exist and do not go round.
    pub fn check(&self) -> Result<(), String> {
        if self.tasks.is_empty() {
            return Err("the plan has no task".into());
        }
        if self.tasks.len() > Self::MOST_TASKS {
            return Err(format!("the plan has {} tasks, more than {}", self.tasks.len(), Self::MOST_TASKS));
        }
        let mut done = BTreeSet::new();
        let mut left: Vec<&Task> = self.tasks.iter().collect();
        if left.iter().map(|t| t.id).collect::<BTreeSet<_>>().len() != left.len() {
            return Err("two tasks of the plan have the same id".into());
        }
        while !left.is_empty() {
            let before = left.len();
            left.retain(|task| {
                let ready = task.after.iter().all(|id| done.contains(id));
                if ready {
                    done.insert(task.id);
                }
                !ready
            });
            if left.len() == before {
                let names: Vec<_> = left.iter().map(|t| t.title.as_str()).collect();
                return Err(format!(
                    "these tasks wait for each other or for a task that is not there: {}",
                    names.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The task of this id.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(edges: &[(u32, &[u32])]) -> Plan {
        let task = |(id, after): &(u32, &[u32])| Task {
            id: TaskId(*id),
            title: format!("task {id}").into(),
            question: "?".into(),
            role: Role::new(Role::RESEARCHER),
            topic: vec![],
            aspects: vec![],
            within: None,
            apart: vec![],
            after: after.iter().map(|n| TaskId(*n)).collect(),
        };
        Plan { shape: Shape::Overview, tasks: edges.iter().map(task).collect(), why: "".into() }
    }

    #[test]
    fn a_plan_that_goes_round_or_waits_for_nothing_is_refused() {
        assert!(plan(&[(1, &[]), (2, &[1])]).check().is_ok());
        for (edges, says) in [
            (&[] as &[(u32, &[u32])], "no task"),
            (&[(1, &[2]), (2, &[1])], "wait for each other"),
            (&[(1, &[9])], "not there"),
            (&[(1, &[]), (1, &[])], "same id"),
        ] {
            let error = plan(edges).check().unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
