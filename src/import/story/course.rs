//! The course of a story: its moments in order of time, each with the agent and the step that it is of. It makes no events.

use std::collections::BTreeMap;

use super::{Agent, Did, Ended, Step, Story};
use run::{AssignmentId, Work};
use text::Clean;

/// The most levels below the root that a name has room for.
pub(super) const MOST_DEPTH: usize = AssignmentId::MOST_STEPS;

/// One event before it is made: which part of which step of which agent it is, and when. There are millions of them.
pub(super) struct Moment {
    pub(super) at: i64,
    pub(super) agent: u32,
    /// None for the report of the agent.
    pub(super) step: Option<u32>,
    /// 0 for beginnings, and so on.
    pub(super) part: u32,
    /// The time at which the step began.
    pub(super) began: i64,
    /// The number of the last call before it.
    pub(super) calls: u32,
}

impl Moment {
    /// The order of moments at one time: steps by agent, then reports from the deepest up.
    fn rank(&self) -> (bool, i64) {
        match self.step {
            Some(_) => (false, i64::from(self.agent)),
            None => (true, -i64::from(self.agent)),
        }
    }
}

/// The course of a story.
pub(super) struct Course {
    /// Its moments in order.
    pub(super) moments: Vec<Moment>,
    /// The name of each agent: the root's for those deeper than names have room for.
    pub(super) ids: Vec<AssignmentId>,
    /// The time at which each agent ends; the last of all times for those at work.
    pub(super) ends: Vec<i64>,
}

pub(super) fn course(story: &Story) -> Course {
    let mut unfolding = Unfolding::of(story);
    for (index, agent) in story.agents.iter().enumerate() {
        unfolding.agent(index, agent);
    }
    let ends = unfolding.ends(story);
    let Unfolding { mut moments, ids, .. } = unfolding;
    moments.sort_by_key(|moment| (moment.at, moment.rank()));
    Course { moments, ids, ends }
}

/// A course as it is made, agent by agent.
struct Unfolding {
    moments: Vec<Moment>,
    ids: Vec<AssignmentId>,
    opened_at: Vec<i64>,
    /// The latest moment of each agent and of all below it.
    last: Vec<i64>,
}

impl Unfolding {
    fn of(story: &Story) -> Unfolding {
        let agents = story.agents.len();
        let parts = |step: &Step| match &step.did {
            Did::Noted(_) | Did::HandedOff(_) => 1,
            Did::Used(used) => used.len() + 1,
            Did::Asked(_) => 4,
        };
        let most = story.agents.iter().map(|agent| 1 + agent.steps.iter().map(parts).sum::<usize>()).sum();
        let mut opened_at = vec![0; agents];
        if let (Some(first), Some(root)) = (opened_at.first_mut(), story.agents.first()) {
            *first = root.at;
        }
        let (ids, last) = (vec![AssignmentId::ROOT; agents], vec![i64::MIN; agents]);
        Unfolding { moments: Vec::with_capacity(most), ids, opened_at, last }
    }

    /// The moments of an agent's steps. Those that it hands work to have their names and beginnings from here.
    fn agent(&mut self, index: usize, agent: &Agent) {
        let (mut now, id) = (self.opened_at[index], self.ids[index]);
        let (mut calls, mut handed) = (0, 0);
        for (n, step) in agent.steps.iter().enumerate() {
            now = now.max(step.at);
            let mut push = |at: i64, part: usize| {
                let at = at.max(now);
                self.last[index] = self.last[index].max(at);
                let (agent, step, part) = (index as u32, Some(n as u32), part as u32);
                self.moments.push(Moment { at, agent, step, part, began: now, calls });
            };
            push(now, 0);
            match &step.did {
                Did::Noted(_) => {}
                Did::Used(used) => {
                    for (used, part) in used.iter().zip(1..) {
                        if let Ended::At(at) | Ended::Failed(at, _) = used.end {
                            push(at, part);
                        }
                    }
                    calls += used.len() as u32;
                }
                Did::Asked(asked) => {
                    let end = match asked.end {
                        Ended::NotYet => None,
                        Ended::At(at) => Some((at, 1)),
                        Ended::Failed(at, _) => Some((at, 2)),
                    };
                    push(now, 1);
                    if let Some((at, parts)) = end {
                        (0..parts).for_each(|part| push(at, 2 + part));
                        // The next step follows from the answer.
                        now = now.max(at);
                    }
                    calls += 1;
                }
                Did::HandedOff(to) => {
                    for child in to {
                        handed += 1;
                        let Some(name) = id.child(Work::Step(handed), 1) else { continue };
                        (self.ids[*child], self.opened_at[*child]) = (name, now);
                    }
                }
            }
        }
        self.last[index] = self.last[index].max(now);
    }

    /// The moments at which agents end, and when each does.
    fn ends(&mut self, story: &Story) -> Vec<i64> {
        let mut ends = vec![i64::MAX; story.agents.len()];
        // Agents below end first: later ones stand behind those that they belong to.
        for (index, agent) in story.agents.iter().enumerate().rev() {
            let mut at = self.last[index];
            if let Some(end) = &agent.end {
                at = at.max(end.at);
                ends[index] = at;
                self.moments.push(Moment { at, agent: index as u32, step: None, part: 0, began: at, calls: 0 });
            }
            if let Some(parent) = agent.parent {
                // One that was still at work when its parent ended does not keep it.
                if agent.end.is_some() && story.agents[parent].end.as_ref().is_none_or(|end| end.at >= at) {
                    self.last[parent] = self.last[parent].max(at);
                }
            }
        }
        ends
    }
}

/// The role of the agent that handed out each of those that are shown below another.
pub(super) type Moved = BTreeMap<usize, Clean>;

/// Agents that stand deeper than a name has room for are shown below the deepest that it has, and that is said. Agents that
/// nobody handed out are handed out by their parent when they began.
pub(super) fn flatten(story: &mut Story) -> Moved {
    let mut depth = vec![0; story.agents.len()];
    let mut moved = Moved::new();
    let mut handed = vec![false; story.agents.len()];
    for index in 1..story.agents.len() {
        let mut parent = story.agents[index].parent.filter(|parent| *parent < index).unwrap_or(0);
        while depth[parent] >= MOST_DEPTH {
            parent = story.agents[parent].parent.unwrap_or(0);
        }
        if story.agents[index].parent != Some(parent) {
            let handed_by = story.agents[index].parent.filter(|by| *by < index).unwrap_or(0);
            moved.insert(index, story.agents[handed_by].role.clone());
            story.agents[index].parent = Some(parent);
        }
        depth[index] = depth[parent] + 1;
    }
    let parents: Vec<Option<usize>> = story.agents.iter().map(|agent| agent.parent).collect();
    for (index, agent) in story.agents.iter_mut().enumerate() {
        for step in &mut agent.steps {
            if let Did::HandedOff(to) = &mut step.did {
                to.retain(|child| {
                    parents.get(*child) == Some(&Some(index)) && !std::mem::replace(&mut handed[*child], true)
                });
            }
        }
        agent.steps.retain(|step| !matches!(&step.did, Did::HandedOff(to) if to.is_empty()));
    }
    let mut added: BTreeMap<usize, Vec<Step>> = BTreeMap::new();
    for index in (1..story.agents.len()).filter(|index| !handed[*index]) {
        let (at, parent) = (story.agents[index].at, parents[index].unwrap_or(0));
        added.entry(parent).or_default().push(Step { at, did: Did::HandedOff(vec![index]) });
    }
    for (parent, steps) in added {
        add(&mut story.agents[parent].steps, steps);
    }
    if !moved.is_empty() {
        let remark = format!(
            "{} stood deeper than {MOST_DEPTH} levels: they are shown below the deepest there is, each from the one that started it",
            moved.len()
        );
        story.origin.remarks.push(remark.into());
    }
    moved
}

/// Puts each step before the first that is later, all at once: there may be as many as there are spans in a trace.
fn add(steps: &mut Vec<Step>, mut more: Vec<Step>) {
    more.sort_by_key(|step| step.at);
    let mut more = more.into_iter().peekable();
    let mut all = Vec::with_capacity(steps.len() + more.len());
    for step in steps.drain(..) {
        while let Some(earlier) = more.next_if(|more| more.at < step.at) {
            all.push(earlier);
        }
        all.push(step);
    }
    all.extend(more);
    *steps = all;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_added_stand_before_the_first_that_is_later() {
        let steps = |times: &[i64]| -> Vec<Step> {
            times.iter().zip(0..).map(|(at, n)| Step { at: *at, did: Did::HandedOff(vec![n]) }).collect()
        };
        let names = |steps: &[Step]| -> Vec<(i64, String)> {
            steps.iter().map(|step| (step.at, format!("{:?}", step.did))).collect()
        };
        // Clocks run backwards in some of them.
        let known: [&[i64]; 4] = [&[], &[1, 2, 3], &[3, 1, 2, 2], &[2, 2, 5, 1]];
        let more: [&[i64]; 4] = [&[], &[2], &[4, 0, 2, 2], &[9, 3, 1, 3]];
        for (known, more) in known.iter().flat_map(|known| more.map(|more| (known, more))) {
            let (mut together, mut expected) = (steps(known), steps(known));
            for step in steps(more) {
                let place = expected.iter().position(|known| known.at > step.at).unwrap_or(expected.len());
                expected.insert(place, step);
            }
            add(&mut together, steps(more));
            assert_eq!(names(&together), names(&expected), "{known:?}, {more:?}");
        }
    }
}
