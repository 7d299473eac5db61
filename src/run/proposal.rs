//! A plan before the person, who changes it, approves it, or asks for another.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checkpoint::Approver;
use super::id::{AssignmentId, CheckpointId, TaskId};
use super::plan::{Bounds, Plan, PlanEdit};
use text::Clean;

/// A plan checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its number among all checkpoints of the run.
    pub id: CheckpointId,
    /// Who paused.
    pub assignment: AssignmentId,
    /// The plan as it was put before the person.
    pub put: Arc<Plan>,
    /// What the person did, in order, taken back edits left out.
    pub edits: Vec<PlanEdit>,
    /// The plan as the person has left it so far.
    pub plan: Arc<Plan>,
    /// How it was closed; None while it is open.
    pub answer: Option<PlanAnswer>,
}

/// How a plan checkpoint was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum PlanAnswer {
    /// Work it as it was left.
    Approved {
        /// Who: a person, or the policy `--yes`.
        by: Approver,
    },
    /// Plan anew.
    Another {
        /// What is wished of it, in the person's words; may be empty.
        wish: Clean,
    },
}

impl Proposal {
    /// A plan just put before the person.
    pub fn open(id: CheckpointId, assignment: AssignmentId, plan: Arc<Plan>) -> Proposal {
        Proposal { id, assignment, put: plan.clone(), edits: Vec::new(), plan, answer: None }
    }

    /// Whether an edit makes sense here; the error says why not, for the person. Nothing is lost by asking.
    ///
    /// # Errors
    /// The checkpoint is closed, there is no such task, or the plan could not be worked afterwards.
    pub fn accepts(&self, edit: &PlanEdit, bounds: &Bounds) -> Result<(), String> {
        if self.answer.is_some() {
            return Err("this checkpoint is closed".into());
        }
        match edit {
            PlanEdit::Undo if self.edits.is_empty() => return Err("nothing to undo".into()),
            PlanEdit::Undo => return Ok(()),
            PlanEdit::Add { task, .. } if *task != self.next_task() => {
                return Err(format!("the next task is number {}", self.next_task().0));
            }
            PlanEdit::Add { .. } => {}
            _ if edit.task().is_none_or(|id| self.plan.task(id).is_none()) => {
                return Err("the plan has no such task any more".into());
            }
            PlanEdit::Drop { .. } if self.plan.tasks.len() == 1 => {
                return Err("a plan needs a task: add another before this one goes".into());
            }
            _ => {}
        }
        if let PlanEdit::Add { title, .. } | PlanEdit::Reword { title, .. } = edit
            && title.trim().is_empty()
        {
            return Err("a task needs a title".into());
        }
        let mut plan = (*self.plan).clone();
        plan.take(edit);
        if plan == *self.plan {
            return Err("that is how it is already".into());
        }
        match plan.what_blocks(bounds).first() {
            Some(flaw) => Err(flaw.to_string()),
            None => Ok(()),
        }
    }

    /// Applies an edit that was recorded.
    pub fn apply(&mut self, edit: PlanEdit) {
        if edit == PlanEdit::Undo {
            self.edits.pop();
            let mut plan = (*self.put).clone();
            self.edits.iter().for_each(|edit| plan.take(edit));
            self.plan = Arc::new(plan);
        } else {
            Arc::make_mut(&mut self.plan).take(&edit);
            self.edits.push(edit);
        }
    }

    /// The number of the next task that is added.
    pub fn next_task(&self) -> TaskId {
        let added = self.edits.iter().filter(|edit| matches!(edit, PlanEdit::Add { .. })).filter_map(PlanEdit::task);
        let known = self.put.tasks.iter().map(|task| task.id).chain(added);
        TaskId(known.map(|id| id.0).max().unwrap_or(0).saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plan::{Shape, Task};
    use crate::{Role, Team};

    fn team() -> Team {
        Team::sample()
    }

    fn proposal() -> Proposal {
        let task = |(n, title): (u32, &str)| Task {
            topic: vec![title.into()],
            ..Task::new(TaskId(n), title.into(), format!("What do {title} eat?").into())
        };
        let mut tasks: Vec<Task> = [(1, "dogs"), (2, "cats"), (3, "bees")].map(task).into();
        tasks[2].after = vec![TaskId(1)];
        let plan = Plan { shape: Shape::Facets, tasks, why: "".into() };
        Proposal::open(CheckpointId(1), AssignmentId::ROOT, Arc::new(plan))
    }

    fn titles(proposal: &Proposal) -> Vec<&str> {
        proposal.plan.tasks.iter().map(|task| task.title.as_str()).collect()
    }

    fn reword(n: u32, title: &str, question: &str) -> PlanEdit {
        PlanEdit::Reword { task: TaskId(n), title: title.into(), question: question.into() }
    }

    fn add(n: u32, title: &str, question: &str, role: &str) -> PlanEdit {
        PlanEdit::Add { task: TaskId(n), title: title.into(), question: question.into(), role: Role::new(role) }
    }

    #[test]
    fn a_person_changes_a_plan_and_every_edit_can_be_taken_back() {
        let mut it = proposal();
        let before = it.plan.clone();
        let edits = [
            PlanEdit::Drop { task: TaskId(1) },
            reword(2, "lions", "What do lions eat?"),
            add(4, "worms", "What do worms eat?", "researcher"),
            PlanEdit::Move { task: TaskId(4), to: 0 },
            PlanEdit::Wait { task: TaskId(4), after: vec![TaskId(2)] },
        ];
        let mut seen = Vec::new();
        for edit in &edits {
            assert_eq!(it.accepts(edit, &Bounds::of(&team())), Ok(()), "{edit:?}");
            seen.push(it.plan.clone());
            it.apply(edit.clone());
        }
        assert_eq!(titles(&it), ["worms", "lions", "bees"]);
        assert_eq!(it.plan.tasks[2].after, [], "nobody waits for what was dropped");
        assert_eq!(it.plan.tasks[1].topic, ["lions"], "what it is about goes with its words");
        while let Some(before) = seen.pop() {
            it.apply(PlanEdit::Undo);
            assert_eq!(it.plan, before);
        }
        assert_eq!(it.plan, before);
        assert_eq!(it.accepts(&PlanEdit::Undo, &Bounds::of(&team())), Err("nothing to undo".into()));
    }

    #[test]
    fn what_could_not_be_worked_is_refused_with_the_reason() {
        let it = proposal();
        for (edit, says) in [
            (reword(1, "dogs", "  "), "“dogs” asks nothing"),
            (reword(1, "", "What?"), "needs a title"),
            (reword(9, "x", "y"), "no such task"),
            (reword(1, "dogs", "What do dogs eat?"), "how it is already"),
            (
                PlanEdit::Give { task: TaskId(1), role: Role::new("reseacher") },
                "no `reseacher` takes tasks; `researcher`",
            ),
            (PlanEdit::Give { task: TaskId(1), role: Role::new(Role::WRITER) }, "no `writer` takes tasks"),
            (PlanEdit::Wait { task: TaskId(1), after: vec![TaskId(3)] }, "“dogs” and “bees” need each other's results"),
            (PlanEdit::Wait { task: TaskId(1), after: vec![TaskId(1)] }, "waits for itself"),
            (PlanEdit::Wait { task: TaskId(1), after: vec![TaskId(7)] }, "task 7, which is not in the plan"),
            (PlanEdit::Move { task: TaskId(1), to: 0 }, "how it is already"),
            (add(4, "worms", "", "researcher"), "“worms” asks nothing"),
            (add(4, "worms", "What?", "astrologer"), "no `astrologer` takes tasks"),
            (add(2, "worms", "What?", "researcher"), "next task is number 4"),
        ] {
            let refused = it.accepts(&edit, &Bounds::of(&team())).unwrap_err();
            assert!(refused.contains(says), "{edit:?}: {refused}");
        }
        let mut one = proposal();
        one.apply(PlanEdit::Drop { task: TaskId(1) });
        one.apply(PlanEdit::Drop { task: TaskId(2) });
        assert!(
            one.accepts(&PlanEdit::Drop { task: TaskId(3) }, &Bounds::of(&team()))
                .unwrap_err()
                .contains("needs a task")
        );
        let full = Bounds::of(&Team { most_tasks: 3, ..team() });
        assert!(it.accepts(&add(4, "worms", "What?", "researcher"), &full).unwrap_err().contains("at most 3"));
    }

    fn edits() -> impl Strategy<Value = PlanEdit> {
        let task = || (0u32..8).prop_map(TaskId);
        let words = || proptest::sample::select(vec!["", "dogs", "What do bees eat?"]).prop_map(Clean::from);
        let role = || proptest::sample::select(vec!["researcher", "writer"]).prop_map(Role::new);
        prop_oneof![
            (task(), words(), words(), role()).prop_map(|(task, title, question, role)| PlanEdit::Add {
                task,
                title,
                question,
                role
            }),
            task().prop_map(|task| PlanEdit::Drop { task }),
            (task(), words(), words()).prop_map(|(task, title, question)| PlanEdit::Reword { task, title, question }),
            (task(), 0u32..9).prop_map(|(task, to)| PlanEdit::Move { task, to }),
            (task(), role()).prop_map(|(task, role)| PlanEdit::Give { task, role }),
            (task(), proptest::collection::vec(task(), 0..3)).prop_map(|(task, after)| PlanEdit::Wait { task, after }),
            Just(PlanEdit::Undo),
        ]
    }

    proptest! {
        /// Whatever is tried, the plan that is left can be worked.
        #[test]
        fn what_is_accepted_leaves_a_plan_that_can_be_worked(tried in proptest::collection::vec(edits(), 0..20)) {
            let bounds = Bounds::of(&team());
            let mut it = proposal();
            for edit in tried {
                if it.accepts(&edit, &bounds).is_ok() {
                    it.apply(edit);
                    prop_assert_eq!(it.plan.what_blocks(&bounds), []);
                }
            }
            let mut again = Proposal::open(it.id, it.assignment, it.put.clone());
            it.edits.iter().for_each(|edit| again.apply(edit.clone()));
            prop_assert_eq!(again, it);
        }
    }
}
