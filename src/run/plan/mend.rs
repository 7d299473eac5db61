//! Mends a plan by rule instead of planning again: merges, splits, drops and reassigns tasks until it is workable.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Bounds;
use super::flaw::{Flaw, Several};
use super::{Plan, Task};
use crate::id::{Role, TaskId};
use text::Clean;

impl Plan {
    /// The plan without the flaws that [`Plan::check`] finds; None if no task has a question or no member takes tasks.
    pub fn mended(&self, bounds: &Bounds) -> Option<Plan> {
        let mut plan = self.clone();
        plan.number_anew();
        plan.put_questions();
        plan.give_to_known_roles(bounds)?;
        plan.leave_out_unrelated(bounds);
        plan.forget_unknown();
        // A merge can reveal another, and each removes a task.
        while plan.merge(bounds) {}
        // Joined tasks may wait for each other's dependents.
        plan.join_slivers(&bounds.named);
        plan.open_rounds();
        plan.split(bounds);
        plan.complete(bounds);
        plan.tasks.truncate(bounds.most);
        plan.forget_unknown();
        plan.blocking_flaws(bounds).is_empty().then_some(plan)
    }

    pub(super) fn next_id(&self) -> TaskId {
        TaskId(self.tasks.iter().map(|task| task.id.0).max().unwrap_or(0).saturating_add(1))
    }

    fn number_anew(&mut self) {
        let mut seen = BTreeSet::new();
        let mut next = self.next_id().0;
        for task in &mut self.tasks {
            if !seen.insert(task.id) {
                task.id = TaskId(next);
                seen.insert(task.id);
                next = next.saturating_add(1);
            }
        }
    }

    fn put_questions(&mut self) {
        for task in &mut self.tasks {
            if task.question.trim().is_empty() {
                task.question = task.title.clone();
            }
        }
        self.tasks.retain(|task| !task.question.trim().is_empty());
    }

    fn give_to_known_roles(&mut self, bounds: &Bounds) -> Option<()> {
        for task in &mut self.tasks {
            if !bounds.takes_tasks(&task.role) {
                task.role = bounds.nearest(&task.role)?;
            }
        }
        Some(())
    }

    /// Leaves out tasks that the question does not ask for.
    fn leave_out_unrelated(&mut self, bounds: &Bounds) {
        let unrelated = self.unrelated(bounds);
        self.tasks.retain(|task| !unrelated.iter().any(|flaw| flaw.is_about(task.id)));
    }

    /// Removes dependencies on unknown tasks, on the task itself, and repeated ones.
    pub(super) fn forget_unknown(&mut self) {
        let ids: BTreeSet<TaskId> = self.tasks.iter().map(|task| task.id).collect();
        for task in &mut self.tasks {
            let mut seen = BTreeSet::from([task.id]);
            task.after.retain(|id| ids.contains(id) && seen.insert(*id));
        }
    }

    /// Merges tasks that are one; returns whether there were any.
    fn merge(&mut self, bounds: &Bounds) -> bool {
        let mut into: BTreeMap<TaskId, TaskId> = BTreeMap::new();
        let mut targets = BTreeSet::new();
        for flaw in self.check(bounds) {
            let pair = match &flaw {
                Flaw::Twice { task, of } => Some((task.id, of.id)),
                Flaw::WrongCut { tasks } => Some((tasks[1].id, tasks[0].id)),
                Flaw::TooFine { task, .. } => self.neighbours(task.id),
                _ => None,
            };
            // One merge per task and round: its target may itself have been merged.
            if let Some((from, to)) = pair
                && !into.contains_key(&from)
                && !into.contains_key(&to)
                && !targets.contains(&from)
            {
                into.insert(from, to);
                targets.insert(to);
                self.fold_in(from, to, !matches!(flaw, Flaw::Twice { .. }));
            }
        }
        self.tasks.retain(|task| !into.contains_key(&task.id));
        for id in self.tasks.iter_mut().flat_map(|task| &mut task.after) {
            if let Some(to) = into.get(id) {
                *id = *to;
            }
        }
        self.forget_unknown();
        !into.is_empty()
    }

    /// A small task and its neighbour with the same specialist: the later one, and the earlier one that takes it in.
    fn neighbours(&self, id: TaskId) -> Option<(TaskId, TaskId)> {
        let at = self.tasks.iter().position(|task| task.id == id)?;
        let same = |task: &&Task| task.role == self.tasks[at].role;
        let before = self.tasks[..at].iter().rev().find(same).map(|task| (id, task.id));
        before.or_else(|| self.tasks[at + 1..].iter().find(same).map(|task| (task.id, id)))
    }

    /// Adds the question of another task to a task.
    pub(super) fn fold_in(&mut self, from: TaskId, to: TaskId, asks_more: bool) {
        let Some(other) = self.tasks.iter().find(|task| task.id == from).cloned() else { return };
        let Some(task) = self.tasks.iter_mut().find(|task| task.id == to) else { return };
        let says = |text: &Clean, more: &Clean| text.to_lowercase().contains(more.to_lowercase().trim_end_matches('?'));
        if asks_more && !says(&task.title, &other.title) {
            task.title = Clean::line(&format!("{} and {}", task.title, other.title));
        }
        if asks_more && !says(&task.question, &other.question) {
            task.question = Clean::line(&format!("{} {}", task.question, other.question));
        }
        task.after.extend(other.after);
        task.topic.extend(other.topic.into_iter().filter(|name| !task.topic.contains(name)).collect::<Vec<_>>());
        if task.aspects.is_empty() || other.aspects.is_empty() {
            task.aspects.clear();
        } else {
            task.aspects
                .extend(other.aspects.into_iter().filter(|aspect| !task.aspects.contains(aspect)).collect::<Vec<_>>());
        }
        if task.within != other.within {
            task.within = None;
        }
        task.estimate = match (task.estimate, other.estimate) {
            (Some(a), Some(b)) if asks_more => Some(a.plus(b)),
            (a, b) => a.or(b),
        };
    }

    /// Breaks cycles: no task in one waits for a later task of the plan.
    fn open_rounds(&mut self) {
        for round in self.rounds() {
            let within: BTreeMap<TaskId, usize> = round.iter().map(|at| (self.tasks[*at].id, *at)).collect();
            for at in round {
                self.tasks[at].after.retain(|id| within.get(id).is_none_or(|other| *other < at));
            }
        }
    }

    /// Splits tasks that contain several, as far as there is room for more tasks.
    fn split(&mut self, bounds: &Bounds) {
        for flaw in self.check(bounds) {
            let Flaw::TooCoarse { task, holds, what } = flaw else { continue };
            let Some(at) = self.tasks.iter().position(|known| known.id == task.id) else { continue };
            if self.tasks.len() + holds.len() - 1 > bounds.most {
                continue;
            }
            let whole = self.tasks[at].clone();
            let titled = |title: &Clean| self.tasks.iter().any(|task| task.title.eq_ignore_ascii_case(title));
            let mut next = self.next_id().0;
            let mut parts = Vec::with_capacity(holds.len());
            for part_name in holds {
                let mut part = whole.clone();
                // The first part keeps the number: dependents of the whole wait for it, and (below) for the others.
                if !parts.is_empty() {
                    part.id = TaskId(next);
                    next = next.saturating_add(1);
                }
                part.estimate = None;
                match what {
                    Several::Compared => {
                        let plain = part_name.clone();
                        part.title =
                            if titled(&plain) { Clean::line(&format!("{part_name}: {}", whole.title)) } else { plain };
                        part.question = Clean::line(&format!("{part_name}: {}", whole.question));
                        part.topic = vec![part_name];
                    }
                    Several::Domains => {
                        part.title = Clean::line(&format!("{} ({part_name})", whole.title));
                        part.role = Role::new(part_name.as_str());
                    }
                }
                parts.push(part);
            }
            let ids: Vec<TaskId> = parts.iter().map(|part: &Task| part.id).collect();
            self.tasks.splice(at..=at, parts);
            for other in self.tasks.iter_mut().filter(|task| task.after.contains(&whole.id)) {
                other.after.extend(ids.iter().filter(|id| **id != whole.id));
            }
        }
    }

    /// Adds the mended flaws to the plan's reason.
    #[must_use]
    pub fn noting_mended(mut self, flaws: &[Flaw]) -> Plan {
        if !flaws.is_empty() {
            let mended = Flaw::in_words(flaws);
            let more = if mended.len() > 3 { format!("; and {} more", mended.len() - 3) } else { String::new() };
            let why = self.why.trim_end_matches('.');
            let before = if why.is_empty() { String::new() } else { format!("{why}. ") };
            self.why =
                Clean::line(&format!("{before}Mended by rule: {}{more}.", mended[..mended.len().min(3)].join("; ")));
        }
        self
    }
}
