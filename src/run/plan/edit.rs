//! Edits of a plan by the person.

use serde::{Deserialize, Serialize};

use super::wording::Wording;
use super::{Plan, Task};
use crate::id::{Role, TaskId};
use text::Clean;

/// A change that a person makes to a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum PlanEdit {
    /// Adds a task, as the last.
    Add {
        /// Its number, new in this plan.
        task: TaskId,
        title: Clean,
        question: Clean,
        role: Role,
    },
    /// Removes a task, also as a dependency of others.
    Drop { task: TaskId },
    /// Rewords a task.
    Reword { task: TaskId, title: Clean, question: Clean },
    /// Moves a task to another place in the brief.
    Move {
        task: TaskId,
        /// Its new place; 0 is the first.
        to: u32,
    },
    /// Gives a task to another specialist.
    Give { task: TaskId, role: Role },
    /// Sets the dependencies of a task.
    Wait {
        task: TaskId,
        /// The tasks that must end before it begins.
        after: Vec<TaskId>,
    },
}

impl PlanEdit {
    /// The task that it changes.
    pub fn task(&self) -> TaskId {
        match self {
            PlanEdit::Add { task, .. }
            | PlanEdit::Drop { task }
            | PlanEdit::Reword { task, .. }
            | PlanEdit::Move { task, .. }
            | PlanEdit::Give { task, .. }
            | PlanEdit::Wait { task, .. } => *task,
        }
    }
}

impl Plan {
    /// Applies an edit; None, without any change, if its task does not exist.
    pub(crate) fn take(&mut self, edit: &PlanEdit) -> Option<()> {
        if let PlanEdit::Add { task, title, question, role } = edit {
            let topic = vec![title.clone()];
            let role = role.clone();
            self.tasks.push(Task { topic, role, ..Task::new(*task, title.clone(), question.clone()) });
            return Some(());
        }
        let at = self.tasks.iter().position(|task| task.id == edit.task())?;
        match edit {
            PlanEdit::Drop { task } => {
                self.tasks.remove(at);
                self.tasks.iter_mut().for_each(|other| other.after.retain(|id| id != task));
            }
            PlanEdit::Reword { title, question, .. } => self.tasks[at].reword(title, question),
            PlanEdit::Move { to, .. } => {
                let task = self.tasks.remove(at);
                self.tasks.insert((*to as usize).min(self.tasks.len()), task);
            }
            PlanEdit::Give { role, .. } => {
                self.tasks[at].role = role.clone();
                self.tasks[at].estimate = None;
            }
            PlanEdit::Wait { after, .. } => self.tasks[at].after.clone_from(after),
            PlanEdit::Add { .. } => {}
        }
        Some(())
    }
}

impl Task {
    /// Rewords the task; of the data on its old words, keeps the parts that the new words name.
    fn reword(&mut self, title: &Clean, question: &Clean) {
        let says = Wording::of(title).with(&Wording::of(question));
        let named = |name: &Clean| says.names(&Wording::of(name));
        self.topic.retain(named);
        if self.topic.is_empty() {
            self.topic.push(title.clone());
        }
        if self.question != *question {
            self.aspects.retain(named);
            self.within = None;
            self.acceptance = None;
        }
        (self.title, self.question) = (title.clone(), question.clone());
    }
}
