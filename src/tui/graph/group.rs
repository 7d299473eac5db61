//! Groups of tasks in the graph: the section of an editor, folded to one box with counts, or open with its members.

use std::collections::BTreeMap;

use super::node::{Key, Node, Note};
use super::team::{Rounds, of_task, short_titles, shorten};
use crate::mark;
use crate::prelude::*;
use run::{Assignment, Plan, Role, TaskId, plan};

/// From this many tasks on, groups that do not fit as a whole are folded until the person opens them.
const MANY: usize = 24;

/// Identifies a group: its first task and its number of tasks (its first inner group begins with the same task).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupKey(TaskId, usize);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    said: BTreeMap<GroupKey, bool>,
    all: Option<bool>,
}

impl Folds {
    fn is_open(&self, key: GroupKey, tasks: usize) -> bool {
        self.said.get(&key).copied().or(self.all).unwrap_or(tasks < MANY)
    }

    /// Whether the person has neither folded nor opened it.
    fn is_untouched(&self, key: GroupKey) -> bool {
        self.all.is_none() && !self.said.contains_key(&key)
    }

    pub fn turn(&mut self, group: &Fold) {
        self.said.insert(group.key, !group.is_open);
    }

    pub fn turn_all(&mut self, open: bool) {
        self.said.clear();
        self.all = Some(open);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    pub key: GroupKey,
    pub is_open: bool,
}

/// The tasks of a plan as nodes, grouped by the editors that lead them. Folded groups show as many of their tasks as fit into
/// `rows` rows.
pub(super) fn tasks(ui: &Ui, run: &Run, plan: &Plan, rows: usize) -> Vec<Node> {
    let folds = &ui.team.folds;
    let groups = run.opening.as_ref().map(|opening| opening.team.groups(plan)).unwrap_or_default();
    let rounds = Rounds::of(plan);
    if groups.is_empty() {
        let tasks = plan.tasks.iter().filter(|task| !rounds.has(task));
        return tasks.map(|task| of_task(ui, run, plan, &rounds, task)).collect();
    }
    let by_id: BTreeMap<TaskId, &plan::Task> = plan.tasks.iter().map(|task| (task.id, task)).collect();
    // The editors by their work: the first of its tasks and their number; of several rounds the last.
    let editors = run.assignments().filter(|assignment| assignment.role.as_str() == Role::EDITOR);
    let led: BTreeMap<GroupKey, &Assignment> = editors.filter_map(|editor| Some((key_of(editor)?, editor))).collect();
    let mut shown = Shown { ui, run, plan, rounds, folds, by_id, led, slots: 0 };
    let mut folded = Vec::new();
    let fixed: usize = groups.iter().map(|group| shown.fixed_rows(group, &mut folded)).sum();
    shown.slots = slots(rows.saturating_sub(fixed), &folded);
    groups.iter().map(|group| shown.node(group)).collect()
}

/// The members that each of these folded groups, given by their numbers of tasks, shows in `rows` rows: as many as fit, and at
/// least one. A group that does not show all of them has a row that says so.
fn slots(rows: usize, folded: &[usize]) -> usize {
    let taken =
        |slots: usize| folded.iter().map(|tasks| if *tasks > slots { slots + 1 } else { *tasks }).sum::<usize>();
    let most = folded.iter().copied().max().unwrap_or(0);
    (1..=most).rev().find(|slots| taken(*slots) <= rows).unwrap_or(1)
}

fn key_of(editor: &Assignment) -> Option<GroupKey> {
    let tasks = &editor.transcript.handoff.payload.plan.as_ref()?.tasks;
    Some(GroupKey(tasks.first()?.id, tasks.len()))
}

struct Shown<'a> {
    ui: &'a Ui,
    run: &'a Run,
    plan: &'a Plan,
    rounds: Rounds<'a>,
    folds: &'a Folds,
    by_id: BTreeMap<TaskId, &'a plan::Task>,
    led: BTreeMap<GroupKey, &'a Assignment>,
    /// The number of members that a folded group shows. It comes from the plan and the room, so that no row below moves as work goes on.
    slots: usize,
}

impl<'a> Shown<'a> {
    fn tasks_of(&self, group: &plan::Group) -> Vec<&'a plan::Task> {
        group.tasks.iter().filter_map(|id| self.by_id.get(id).copied()).collect()
    }

    /// The tasks that are no further rounds of others: each has a row of its own.
    fn with_rows(&self, tasks: &[&plan::Task]) -> usize {
        tasks.iter().filter(|task| !self.rounds.has(task)).count()
    }

    /// The rows that a group takes, without those of folded groups' members: these groups' numbers of tasks go to `folded`.
    fn fixed_rows(&self, group: &plan::Group, folded: &mut Vec<usize>) -> usize {
        let tasks = self.tasks_of(group);
        let (Some(first), true) = (tasks.first(), tasks.len() > 1) else { return 1 };
        let key = GroupKey(first.id, tasks.len());
        let below = match self.folds.is_open(key, self.plan.tasks.len()) {
            false if self.folds.is_untouched(key) => {
                folded.push(self.with_rows(&tasks));
                0
            }
            false => 0,
            true if group.groups.is_empty() => self.with_rows(&tasks),
            true => group.groups.iter().map(|group| self.fixed_rows(group, folded)).sum(),
        };
        1 + below
    }

    fn node(&self, group: &plan::Group) -> Node {
        let tasks = self.tasks_of(group);
        let (Some(first), true) = (tasks.first(), tasks.len() > 1) else {
            return tasks.first().map_or_else(|| empty(group), |task| self.task(task));
        };
        let key = GroupKey(first.id, tasks.len());
        let is_untouched = self.folds.is_untouched(key);
        let own = self.with_rows(&tasks);
        // One that shows all of its tasks is open, for a plan of any size.
        let is_whole = is_untouched && group.groups.is_empty() && own <= self.slots;
        let is_open = is_whole || self.folds.is_open(key, self.plan.tasks.len());
        let marks: Vec<Mark> = tasks.iter().map(|task| self.mark(task)).collect();
        let mut members = match (is_open, group.groups.is_empty()) {
            (false, _) if is_untouched => self.worth_a_look(&tasks, &marks),
            (false, _) => Vec::new(),
            (true, false) => group.groups.iter().map(|group| self.node(group)).collect(),
            (true, true) => {
                let tasks = tasks.iter().filter(|task| !self.rounds.has(task));
                tasks.map(|task| self.task(task)).collect()
            }
        };
        // Its tasks are told apart from one another: the heading above them says which they are of all.
        if group.groups.is_empty() {
            let short = short_titles(tasks.iter().copied());
            members.iter_mut().for_each(|member| shorten(member, &short));
        }
        let hidden = match members.is_empty() || is_open {
            true => 0,
            false => own - members.len(),
        };
        let counts = Counts::of(&marks);
        let editor = self.led.get(&key).copied();
        // Its places tell it apart; its first task stands for the others only beside them.
        let places = self.plan.places(&group.tasks);
        Node {
            key: Key::Group(key),
            label: Clean::line(&format!("{places}: {}", first.title)),
            short: Clean::line(&places),
            note: Note { short: counts.in_short(), ..counts.in_words().into() },
            mark: match editor.map(|editor| mark::shown(self.ui, self.run, editor)) {
                // An editor works through its members, and they may all wait.
                Some(Mark::Running) if counts.nobody_works() => counts.mark(),
                Some(mark) => mark,
                None => counts.mark(),
            },
            assignment: editor.map(|editor| editor.id),
            fold: Some(Fold { key, is_open }),
            members,
            hidden,
            ..Node::default()
        }
    }

    fn task(&self, task: &plan::Task) -> Node {
        of_task(self.ui, self.run, self.plan, &self.rounds, task)
    }

    /// The state of a task: of its last assignment, or waiting.
    fn mark(&self, task: &plan::Task) -> Mark {
        let last = self.run.given(task.id).next_back();
        last.map_or(Mark::Waiting, |assignment| mark::shown(self.ui, self.run, assignment))
    }

    /// The members of a folded group that its slots show, in the plan's order: first those that need the person, failed or are at
    /// work, then those that come next, then those that ended last.
    fn worth_a_look(&self, tasks: &[&plan::Task], marks: &[Mark]) -> Vec<Node> {
        let weigh = |at: usize| match marks[at] {
            Mark::NeedsYou => (0, at, at),
            Mark::Failed => (1, at, at),
            Mark::Running | Mark::Limited | Mark::Paused => (2, at, at),
            Mark::Waiting => (3, at, at),
            _ => (4, usize::MAX - at, at),
        };
        let own = (0..tasks.len()).filter(|at| !self.rounds.has(tasks[*at]));
        let mut weighed: Vec<_> = own.map(weigh).collect();
        weighed.sort_unstable();
        let mut shown: Vec<usize> = weighed.into_iter().take(self.slots).map(|(_, _, at)| at).collect();
        shown.sort_unstable();
        shown.into_iter().map(|at| self.task(tasks[at])).collect()
    }
}

fn empty(group: &plan::Group) -> Node {
    Node { label: group.title.clone(), ..Node::default() }
}

#[derive(Default)]
struct Counts([usize; Mark::STATES.len()]);

impl Counts {
    fn of(marks: &[Mark]) -> Counts {
        let mut counts = Counts::default();
        for mark in marks {
            if let Some(at) = Mark::STATES.iter().position(|known| known == mark) {
                counts.0[at] += 1;
            }
        }
        counts
    }

    fn each(&self) -> impl Iterator<Item = (Mark, usize)> {
        Mark::STATES.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }

    /// "4 tasks: 3 done, 1 running".
    fn in_words(&self) -> Clean {
        let all: usize = self.0.iter().sum();
        let mut parts: Vec<(Mark, usize)> = self.each().filter(|(mark, _)| *mark != Mark::Waiting).collect();
        // The work that is over first, then the work that goes on.
        parts.sort_by_key(|(mark, _)| matches!(mark, Mark::Running | Mark::Limited | Mark::NeedsYou | Mark::Paused));
        let parts: Vec<String> = parts.into_iter().map(|(mark, count)| format!("{count} {}", mark.word())).collect();
        let parts = if parts.is_empty() { "waiting".to_string() } else { parts.join(", ") };
        Clean::line(&format!("{}: {parts}", count(all, "task")))
    }

    /// "3 ● 3 ✓ 1 ✗": the label has the total, and the rest waits.
    fn in_short(&self) -> String {
        let told = self.each().filter(|(mark, _)| *mark != Mark::Waiting);
        let parts: Vec<String> = told.map(|(mark, count)| format!("{count} {}", mark.symbol())).collect();
        if parts.is_empty() { Mark::Waiting.word().into() } else { parts.join(" ") }
    }

    /// Whether some of them still have to do something, and nobody is at it.
    fn nobody_works(&self) -> bool {
        let is_any = |wanted: &[Mark]| self.each().any(|(mark, _)| wanted.contains(&mark));
        is_any(&[Mark::Waiting, Mark::Limited, Mark::NeedsYou, Mark::Paused]) && !is_any(&[Mark::Running])
    }

    /// The state of a group without an editor: open work counts first, then failures.
    fn mark(&self) -> Mark {
        use Mark::{Cancelled, Done, Failed, Limited, NeedsYou, Partial, Paused, Running, Waiting};
        let order = [NeedsYou, Running, Limited, Paused, Waiting, Failed, Partial, Cancelled, Done];
        order.into_iter().find(|wanted| self.each().any(|(mark, _)| mark == *wanted)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_groups_show_as_many_of_their_tasks_as_there_are_rows_and_at_least_one() {
        for (rows, folded, shown) in [
            (0, [10, 10].as_slice(), 1),
            (10, &[10, 10], 4),
            (19, &[10, 10], 8),
            (20, &[10, 10], 10),
            (100, &[10, 10], 10),
            (14, &[10, 2, 2], 10),
            (13, &[10, 2, 2], 8),
            (5, &[], 1),
        ] {
            assert_eq!(slots(rows, folded), shown, "{rows} rows, {folded:?}");
        }
    }
}
