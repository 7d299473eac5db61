//! Groups of a plan with more tasks than one supervisor can lead: each group becomes the section of an editor.
//!
//! By rule, so that a plan always gives the same groups: dependent tasks stay together, the order of the plan is kept,
//! and groups are as even as possible. In about linear time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Plan;
use crate::handoff::Outcome;
use crate::id::TaskId;
use text::Clean;

/// Characters of a task's title in the title of its group.
const TITLE: usize = 40;
/// The most stretches of tasks that are named by their places.
const MOST_STRETCHES: usize = 3;

/// The tasks of one editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its title: the places of its tasks in the plan, and the first of them: "7–12: Costs".
    pub title: Clean,
    /// All its tasks, in the order of the plan.
    pub tasks: Vec<TaskId>,
    /// The groups that it is cut into in turn; empty if its tasks are led directly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// The outcome of a task, as its editor reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEnd {
    /// The task, by its number in the plan.
    pub task: TaskId,
    /// Its title.
    pub title: Clean,
    /// The end of the work on it.
    pub outcome: Outcome,
}

/// Tasks that stay together, as indexes in the plan.
type Block = Vec<usize>;

impl Plan {
    /// The groups, if one supervisor leads at most `span` tasks and there are at most `depth` levels of supervisors,
    /// the one with this plan included. Empty if it leads all tasks directly: they are few, there is one level only, or
    /// all depend on each other.
    ///
    /// If there are more tasks than that many levels can lead, groups become wider than `span`, not deeper.
    pub fn groups(&self, span: u32, depth: u32) -> Vec<Group> {
        let (count, span) = (self.tasks.len(), span.max(2) as usize);
        if count <= span || depth < 2 {
            return Vec::new();
        }
        let levels = (2..=depth).find(|levels| reach(span, *levels) >= count).unwrap_or(depth);
        let width = (span..).find(|width| reach(*width, levels) >= count).unwrap_or(count);
        self.cut(&self.blocks(), width, levels)
    }

    /// The part of the plan with these tasks.
    #[must_use]
    pub fn part(&self, tasks: &[TaskId]) -> Plan {
        let wanted: std::collections::BTreeSet<&TaskId> = tasks.iter().collect();
        let tasks = self.tasks.iter().filter(|task| wanted.contains(&task.id)).cloned().collect();
        Plan { tasks, shape: self.shape, why: self.why.clone() }
    }

    /// The places of tasks in the plan, from 1: "7–12", "1–3, 5, 8–9, …".
    pub fn places(&self, tasks: &[TaskId]) -> String {
        let wanted: std::collections::BTreeSet<&TaskId> = tasks.iter().collect();
        let places: Vec<usize> =
            (1..).zip(&self.tasks).filter(|(_, task)| wanted.contains(&task.id)).map(|(place, _)| place).collect();
        let stretches: Vec<&[usize]> = places.chunk_by(|one, next| one + 1 == *next).collect();
        let more = if stretches.len() > MOST_STRETCHES { ", …" } else { "" };
        let named: Vec<String> = stretches
            .into_iter()
            .take(MOST_STRETCHES)
            .filter_map(|stretch| match (stretch.first()?, stretch.last()?) {
                (first, last) if first == last => Some(first.to_string()),
                (first, last) => Some(format!("{first}–{last}")),
            })
            .collect();
        format!("{}{more}", named.join(", "))
    }

    /// Tasks that depend on one another, directly or not; blocks in the order of their first task.
    fn blocks(&self) -> Vec<Block> {
        let place: BTreeMap<TaskId, usize> = self.tasks.iter().zip(0..).map(|(task, at)| (task.id, at)).collect();
        let mut leader: Vec<usize> = (0..self.tasks.len()).collect();
        fn find(leader: &mut [usize], mut at: usize) -> usize {
            while leader[at] != at {
                leader[at] = leader[leader[at]];
                at = leader[at];
            }
            at
        }
        for (at, task) in self.tasks.iter().enumerate() {
            for before in task.after.iter().filter_map(|id| place.get(id)) {
                let (a, b) = (find(&mut leader, at), find(&mut leader, *before));
                leader[a.max(b)] = a.min(b);
            }
        }
        let mut blocks: BTreeMap<usize, Block> = BTreeMap::new();
        for at in 0..self.tasks.len() {
            blocks.entry(find(&mut leader, at)).or_default().push(at);
        }
        blocks.into_values().collect()
    }

    /// Cuts blocks into groups for `levels` levels of supervisors, this one included.
    fn cut(&self, blocks: &[Block], width: usize, levels: u32) -> Vec<Group> {
        let count: usize = blocks.iter().map(Vec::len).sum();
        if levels < 2 || count <= width {
            return Vec::new();
        }
        let groups = split(blocks, count.div_ceil(reach(width, levels - 1)).max(2));
        // A supervisor of a single group would only add a level.
        if groups.len() < 2 {
            return Vec::new();
        }
        groups.into_iter().map(|blocks| self.group(blocks, width, levels - 1)).collect()
    }

    fn group(&self, blocks: &[Block], width: usize, levels: u32) -> Group {
        let mut places: Vec<usize> = blocks.iter().flatten().copied().collect();
        places.sort_unstable();
        let tasks: Vec<TaskId> = places.iter().map(|at| self.tasks[*at].id).collect();
        let first = places.first().map(|at| shortened(&self.tasks[*at].title)).unwrap_or_default();
        let title = match places.len() {
            0 | 1 => first,
            _ => format!("{}: {first}", self.places(&tasks)),
        };
        Group { title: Clean::line(&title), tasks, groups: self.cut(blocks, width, levels) }
    }
}

/// The number of tasks that this many levels of supervisors can lead if each leads `width`.
fn reach(width: usize, levels: u32) -> usize {
    width.saturating_pow(levels)
}

/// Cuts blocks, in order, into at most `most` runs: the largest as small as possible, and the others as even as that
/// allows.
fn split(blocks: &[Block], most: usize) -> Vec<&[Block]> {
    let sizes: Vec<usize> = blocks.iter().map(Vec::len).collect();
    let count: usize = sizes.iter().sum();
    let largest = sizes.iter().copied().max().unwrap_or(0);
    // The least room with which a greedy cut takes at most as many runs.
    let (mut low, mut high) = (largest.max(count.div_ceil(most.max(1))), count);
    while low < high {
        let room = usize::midpoint(low, high);
        if runs_needed(&sizes, room)[0] <= most { high = room } else { low = room + 1 }
    }
    let needed = runs_needed(&sizes, low);
    let mut runs = Vec::new();
    let (mut at, mut left) = (0, count);
    while at < blocks.len() {
        let runs_left = most.saturating_sub(runs.len()).max(1);
        let target = left.div_ceil(runs_left);
        let (from, mut size) = (at, 0);
        while at < blocks.len()
            && (size == 0 || size + sizes[at] <= target || (needed[at] >= runs_left && size + sizes[at] <= low))
        {
            size += sizes[at];
            at += 1;
        }
        left -= size;
        runs.push(&blocks[from..at]);
    }
    runs
}

/// For each block, the number of runs from there on if each takes as many as it has room for. One more entry than
/// blocks.
fn runs_needed(sizes: &[usize], room: usize) -> Vec<usize> {
    let mut needed = vec![0; sizes.len() + 1];
    let (mut end, mut inside) = (sizes.len(), 0);
    for at in (0..sizes.len()).rev() {
        inside += sizes[at];
        while inside > room && end > at + 1 {
            end -= 1;
            inside -= sizes[end];
        }
        needed[at] = 1 + needed[end];
    }
    needed
}

/// A title of few words, without its question mark.
fn shortened(title: &str) -> String {
    let title = title.trim_end_matches(['?', '.', ' ']);
    if title.chars().count() <= TITLE {
        return title.to_string();
    }
    let mut short = String::new();
    for word in title.split_whitespace() {
        if !short.is_empty() && short.chars().count() + word.chars().count() + 1 > TITLE {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    format!("{} …", short.trim_end_matches([',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Shape, Task};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn plan(afters: &[Vec<usize>]) -> Plan {
        let task = |(n, after): (usize, &Vec<usize>)| Task {
            after: after.iter().map(|n| TaskId(*n as u32 + 1)).collect(),
            ..Task::new(TaskId(n as u32 + 1), format!("part {}", n + 1).as_str().into(), "What of it?".into())
        };
        Plan { shape: Shape::Overview, tasks: afters.iter().enumerate().map(task).collect(), why: "".into() }
    }

    fn free(tasks: usize) -> Plan {
        plan(&vec![vec![]; tasks])
    }

    fn leaves(groups: &[Group]) -> Vec<&Group> {
        groups.iter().flat_map(|g| if g.groups.is_empty() { vec![g] } else { leaves(&g.groups) }).collect()
    }

    fn levels(groups: &[Group]) -> u32 {
        groups.iter().map(|group| 1 + levels(&group.groups)).max().unwrap_or(0)
    }

    /// A number of tasks; each waits for some of the few before it.
    fn afters(most: usize) -> impl Strategy<Value = Vec<Vec<usize>>> {
        let waits = proptest::option::weighted(0.3, proptest::collection::vec(1usize..5, 1..3));
        proptest::collection::vec(waits, 0..most).prop_map(|tasks| {
            let back = |(n, waits): (usize, Option<Vec<usize>>)| {
                let waits: BTreeSet<usize> = waits.into_iter().flatten().filter_map(|by| n.checked_sub(by)).collect();
                waits.into_iter().collect()
            };
            tasks.into_iter().enumerate().map(back).collect()
        })
    }

    #[test]
    fn tasks_that_one_can_lead_are_not_grouped() {
        for tasks in 0..=10 {
            assert_eq!(free(tasks).groups(10, 3), [], "{tasks}");
        }
        assert_eq!(free(100).groups(10, 1), [], "there is but one level");
    }

    #[test]
    fn groups_are_even_and_as_few_as_the_span_allows() {
        let sizes = |tasks, span, depth| -> Vec<usize> {
            free(tasks).groups(span, depth).iter().map(|group| group.tasks.len()).collect()
        };
        assert_eq!(sizes(12, 10, 3), [6, 6]);
        assert_eq!(sizes(13, 6, 3), [5, 4, 4]);
        assert_eq!(sizes(36, 6, 3), [6; 6]);
        assert_eq!(sizes(40, 10, 3), [10; 4]);
        assert_eq!(sizes(37, 6, 3), [19, 18], "a third level");
        assert_eq!(sizes(37, 6, 2), [7, 6, 6, 6, 6, 6], "wider, where there may be no third");
        let wide = free(10_000).groups(6, 3);
        assert_eq!((wide.len(), levels(&wide)), (21, 2));
        assert!(leaves(&wide).iter().all(|group| group.tasks.len() <= 22));
    }

    #[test]
    fn a_group_is_named_after_its_tasks() {
        let mut plan = free(12);
        plan.tasks[6].title = "What does a package have to declare before it may replace the files of another?".into();
        let titles: Vec<Clean> = plan.groups(6, 2).into_iter().map(|group| group.title).collect();
        assert_eq!(titles, ["1–6: part 1", "7–12: What does a package have to declare …"]);
    }

    #[test]
    fn tasks_that_wait_for_one_another_are_led_by_the_same() {
        let mut afters = vec![vec![]; 12];
        afters[9] = vec![0];
        let groups = plan(&afters).groups(6, 3);
        assert!(groups[0].tasks.contains(&TaskId(1)) && groups[0].tasks.contains(&TaskId(10)));
        // One that waits for all of them leaves nothing to group.
        afters[11] = (0..11).collect();
        assert_eq!(plan(&afters).groups(6, 3), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn every_task_is_in_one_group_with_all_it_waits_for(afters in afters(300), span in 0u32..12, depth in 0u32..4) {
            let plan = plan(&afters);
            let groups = plan.groups(span, depth);
            prop_assert_eq!(&groups, &plan.groups(span, depth));
            prop_assert!(levels(&groups) < depth.max(1));
            if groups.is_empty() {
                return Ok(());
            }
            prop_assert!(groups.len() > 1);
            let mut seen = BTreeSet::new();
            for group in leaves(&groups) {
                let own: BTreeSet<TaskId> = group.tasks.iter().copied().collect();
                prop_assert!(group.tasks.is_sorted(), "the order of the plan");
                for id in &group.tasks {
                    prop_assert!(seen.insert(*id), "each task once");
                    prop_assert!(plan.task(*id).unwrap().after.iter().all(|after| own.contains(after)));
                }
            }
            prop_assert_eq!(seen.len(), plan.tasks.len());
        }

        #[test]
        fn nobody_leads_more_than_needed_and_free_tasks_are_shared_evenly(tasks in 0usize..3_000, span in 2u32..12, depth in 1u32..4) {
            let groups = free(tasks).groups(span, depth);
            let levels = levels(&groups) + 1;
            prop_assert!(levels <= depth.max(1));
            let width = (span as usize..).find(|width| reach(*width, levels) >= tasks).unwrap();
            prop_assert!(width == span as usize || levels == depth, "wider only where it may not go deeper");
            fn check(groups: &[Group], width: usize) -> Result<(), TestCaseError> {
                prop_assert!(groups.len() <= width);
                let sizes = groups.iter().map(|group| group.tasks.len());
                prop_assert!(sizes.clone().max().unwrap_or(0) - sizes.min().unwrap_or(0) <= 1);
                for group in groups {
                    prop_assert!(!group.groups.is_empty() || group.tasks.len() <= width);
                    check(&group.groups, width)?;
                }
                Ok(())
            }
            check(&groups, width)?;
        }

        #[test]
        fn a_run_is_as_long_as_needed_and_no_longer(sizes in proptest::collection::vec(1usize..9, 1..60), most in 1usize..9) {
            let blocks: Vec<Block> = sizes.iter().map(|size| vec![0; *size]).collect();
            let runs = split(&blocks, most);
            prop_assert!(runs.len() <= most);
            prop_assert_eq!(runs.iter().map(|run| run.len()).sum::<usize>(), blocks.len());
            let largest = runs.iter().map(|run| run.iter().map(Vec::len).sum::<usize>()).max().unwrap();
            let even = sizes.iter().sum::<usize>().div_ceil(most);
            prop_assert!(largest < even + 8 || largest == *sizes.iter().max().unwrap());
        }
    }
}
