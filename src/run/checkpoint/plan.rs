//! The plan checkpoint: the person goes through the tasks before they are worked on.

use serde::{Deserialize, Serialize};

use super::{Answered, Checkpoint, Edit, Subject, Topic};
use crate::id::TaskId;
use crate::plan::{Bounds, Plan, PlanEdit};
use crate::stage::Leading;
use crate::transcript::Pause;
use crate::{Run, Team};
use text::{Clean, count};

/// A person's answer to a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Work it as it was left.
    Approved,
    /// Plan anew.
    Another {
        /// The wish for another plan, in the person's words; may be empty.
        wish: Clean,
    },
}

impl Topic for Plan {
    type Edit = PlanEdit;
    type Answer = Answer;

    fn stage(&self) -> Leading {
        Leading::Plan
    }

    fn why(&self) -> &'static str {
        "the person decides which tasks are worked on"
    }

    fn title(&self) -> Clean {
        "plan".into()
    }

    fn asked(&self) -> String {
        format!("a plan of {} to approve", count(self.tasks.len(), "task"))
    }

    fn said(&self, answer: &Answer) -> String {
        match answer {
            Answer::Approved => format!("{} approved", count(self.tasks.len(), "task")),
            Answer::Another { wish } if wish.trim().is_empty() => "another plan was asked for".into(),
            Answer::Another { wish } => format!("another plan was asked for: {wish}"),
        }
    }

    fn approval(&self) -> Answer {
        Answer::Approved
    }

    fn by_policy(&self) -> String {
        "approves its plan and what it finds".into()
    }

    fn flaw(&self, team: &Team) -> Option<String> {
        self.blocking_flaws(&Bounds::of(team)).first().map(ToString::to_string)
    }

    fn allows(&self, answer: &Answer, run: &Run) -> Result<(), String> {
        match answer {
            Answer::Approved => Ok(()),
            Answer::Another { .. } => another(run),
        }
    }

    fn accepts(&self, edit: &PlanEdit, at: &Checkpoint, run: &Run) -> Result<(), String> {
        let bounds = run.opening.as_ref().map(|opening| Bounds::of(&opening.team)).unwrap_or_default();
        can_be_worked(self, edit, at.next_task(), &bounds)
    }

    fn take(&mut self, edit: &PlanEdit) -> Option<()> {
        Plan::take(self, edit)
    }
}

/// Whether another plan can still be asked for.
///
/// # Errors
/// The limit of the team is reached: in words for the person.
pub fn another(run: &Run) -> Result<(), String> {
    let most = run.opening.as_ref().map_or(0, |opening| opening.team.more_rounds) as usize;
    let another = |checkpoint: &&Checkpoint| {
        matches!(checkpoint.answer, Some(Answered { answer: super::Answer::Plan(Answer::Another { .. }), .. }))
    };
    let asked = run.checkpoints.iter().filter(another).count();
    match asked < most {
        true => Ok(()),
        false => Err(format!(
            "another plan was asked for {asked} times, which is the team's limit; change this one, and approve it"
        )),
    }
}

/// Whether a plan could be worked after an edit. A task that is added has the number `next`.
fn can_be_worked(plan: &Plan, edit: &PlanEdit, next: TaskId, bounds: &Bounds) -> Result<(), String> {
    match edit {
        PlanEdit::Add { task, .. } if *task != next => return Err(format!("the next task is number {}", next.0)),
        PlanEdit::Add { .. } => {}
        _ if plan.task(edit.task()).is_none() => return Err("the plan has no such task any more".into()),
        PlanEdit::Drop { .. } if plan.tasks.len() == 1 => {
            return Err("a plan needs a task: add another before this one goes".into());
        }
        _ => {}
    }
    if let PlanEdit::Add { title, .. } | PlanEdit::Reword { title, .. } = edit
        && title.trim().is_empty()
    {
        return Err("a task needs a title".into());
    }
    let mut edited = plan.clone();
    edited.take(edit);
    if edited == *plan {
        return Err("that is how it is already".into());
    }
    match edited.blocking_flaws(bounds).first() {
        Some(flaw) => Err(flaw.to_string()),
        None => Ok(()),
    }
}

impl Checkpoint {
    /// The plan as the person has left it, if it is about a plan.
    pub fn plan(&self) -> Option<&Plan> {
        if let Subject::Plan(plan) = &*self.subject { Some(plan) } else { None }
    }

    /// The number of the next task that is added to the plan.
    pub fn next_task(&self) -> TaskId {
        let put = if let Subject::Plan(plan) = &*self.put { &plan.tasks[..] } else { &[] };
        let added = self.edits.iter().filter_map(|edit| match edit {
            Edit::Plan(PlanEdit::Add { task, .. }) => Some(*task),
            _ => None,
        });
        let known = put.iter().map(|task| task.id).chain(added);
        TaskId(known.map(|id| id.0).max().unwrap_or(0).saturating_add(1))
    }
}

impl Run {
    /// Every plan checkpoint, in order, with the plan as the person has left it.
    pub fn plan_checkpoints(&self) -> impl DoubleEndedIterator<Item = (&Checkpoint, &Plan)> {
        self.checkpoints.iter().filter_map(|checkpoint| Some((checkpoint, checkpoint.plan()?)))
    }
}

impl Pause {
    /// The person's answer to a plan, and the plan as they left it.
    pub fn of_plan(&self) -> Option<(&Answer, &Plan)> {
        match (&*self.subject, self.answer.as_ref()?) {
            (Subject::Plan(plan), super::Answer::Plan(answer)) => Some((answer, plan)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::plan::{Shape, Task};
    use crate::{AssignmentId, CheckpointId, Role};

    fn team() -> Team {
        Team::sample()
    }

    fn checkpoint() -> Checkpoint {
        let task = |(n, title): (u32, &str)| Task {
            topic: vec![title.into()],
            ..Task::new(TaskId(n), title.into(), format!("What do {title} eat?").into())
        };
        let mut tasks: Vec<Task> = [(1, "dogs"), (2, "cats"), (3, "bees")].map(task).into();
        tasks[2].after = vec![TaskId(1)];
        let plan = Plan { shape: Shape::Facets, tasks, why: "".into() };
        Checkpoint::open(CheckpointId(1), AssignmentId::ROOT, Arc::new(Subject::Plan(plan)))
    }

    fn plan(checkpoint: &Checkpoint) -> &Plan {
        checkpoint.plan().unwrap()
    }

    fn accepts(checkpoint: &Checkpoint, edit: &PlanEdit, bounds: &Bounds) -> Result<(), String> {
        can_be_worked(plan(checkpoint), edit, checkpoint.next_task(), bounds)
    }

    fn take(checkpoint: &mut Checkpoint, edit: PlanEdit) {
        checkpoint.edited(&Edit::Plan(edit)).unwrap();
    }

    fn titles(checkpoint: &Checkpoint) -> Vec<&str> {
        plan(checkpoint).tasks.iter().map(|task| task.title.as_str()).collect()
    }

    fn reword(n: u32, title: &str, question: &str) -> PlanEdit {
        PlanEdit::Reword { task: TaskId(n), title: title.into(), question: question.into() }
    }

    fn add(n: u32, title: &str, question: &str, role: &str) -> PlanEdit {
        PlanEdit::Add { task: TaskId(n), title: title.into(), question: question.into(), role: Role::new(role) }
    }

    #[test]
    fn a_person_changes_a_plan_and_every_edit_can_be_taken_back() {
        let mut it = checkpoint();
        let before = plan(&it).clone();
        let edits = [
            PlanEdit::Drop { task: TaskId(1) },
            reword(2, "lions", "What do lions eat?"),
            add(4, "worms", "What do worms eat?", "researcher"),
            PlanEdit::Move { task: TaskId(4), to: 0 },
            PlanEdit::Wait { task: TaskId(4), after: vec![TaskId(2)] },
        ];
        let mut seen = Vec::new();
        for edit in &edits {
            assert_eq!(accepts(&it, edit, &Bounds::of(&team())), Ok(()), "{edit:?}");
            seen.push(plan(&it).clone());
            take(&mut it, edit.clone());
        }
        assert_eq!(titles(&it), ["worms", "lions", "bees"]);
        assert_eq!(plan(&it).tasks[2].after, [], "nobody waits for what was dropped");
        assert_eq!(plan(&it).tasks[1].topic, ["lions"], "what it is about goes with its words");
        while let Some(before) = seen.pop() {
            it.edited(&Edit::Undo).unwrap();
            assert_eq!(*plan(&it), before);
        }
        assert_eq!(*plan(&it), before);
        assert_eq!(it.accepts(&Edit::Undo, &Run::default()), Err("nothing to undo".into()));
    }

    #[test]
    fn what_could_not_be_worked_is_refused_with_the_reason() {
        let it = checkpoint();
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
            let refused = accepts(&it, &edit, &Bounds::of(&team())).unwrap_err();
            assert!(refused.contains(says), "{edit:?}: {refused}");
        }
        let mut one = checkpoint();
        take(&mut one, PlanEdit::Drop { task: TaskId(1) });
        take(&mut one, PlanEdit::Drop { task: TaskId(2) });
        assert!(
            accepts(&one, &PlanEdit::Drop { task: TaskId(3) }, &Bounds::of(&team()))
                .unwrap_err()
                .contains("needs a task")
        );
        let full = Bounds::of(&Team { most_tasks: 3, ..team() });
        assert!(accepts(&it, &add(4, "worms", "What?", "researcher"), &full).unwrap_err().contains("at most 3"));
    }

    fn edits() -> impl Strategy<Value = Edit> {
        let task = || (0u32..8).prop_map(TaskId);
        let words = || proptest::sample::select(vec!["", "dogs", "What do bees eat?"]).prop_map(Clean::from);
        let role = || proptest::sample::select(vec!["researcher", "writer"]).prop_map(Role::new);
        let edit = prop_oneof![
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
        ];
        prop_oneof![6 => edit.prop_map(Edit::Plan), 1 => Just(Edit::Undo)]
    }

    proptest! {
        /// After any edits, the plan that is left can be worked.
        #[test]
        fn what_is_accepted_leaves_a_plan_that_can_be_worked(tried in proptest::collection::vec(edits(), 0..20)) {
            let bounds = Bounds::of(&team());
            let mut it = checkpoint();
            for edit in tried {
                let accepted = match &edit {
                    Edit::Plan(edit) => accepts(&it, edit, &bounds),
                    other => it.accepts(other, &Run::default()),
                };
                if accepted.is_ok() {
                    it.edited(&edit).unwrap();
                    prop_assert_eq!(plan(&it).blocking_flaws(&bounds), []);
                }
            }
            let mut again = Checkpoint::open(it.id, it.by, it.put.clone());
            it.edits.iter().for_each(|edit| again.edited(edit).unwrap());
            prop_assert_eq!(again, it);
        }
    }
}
