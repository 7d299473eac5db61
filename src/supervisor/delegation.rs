//! Delegation: handing out the tasks of a plan, and what has come of them, read from the transcript of whoever leads
//! them. The supervisor of the run and every editor under it go by the same rules.
//!
//! Results are read in the order in which work was handed out, never in the order in which it came back.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::finding::{Finding, Standing};
use crate::run::handoff::Parts;
use crate::run::id::{Role, TaskId};
use crate::run::plan::{Group, Plan, Task, TaskEnd};
use crate::run::transcript::{Did, Sent, Transcript, Turn};
use crate::run::{Outcome, Part};
use crate::specialist::Sending;
use crate::text::Clean;

/// The tasks of a plan, and how far they are.
pub(super) struct Delegation<'a> {
    /// Of whoever leads them.
    pub transcript: &'a Transcript,
    /// What the person asked.
    pub question: Clean,
    /// The tasks.
    pub plan: &'a Plan,
    /// Who leads which of them; empty where each goes to the one who does it.
    pub groups: &'a [Group],
    /// What goes along with tasks that are worked on once more.
    pub again: Option<Again<'a>>,
    /// Whether tasks that rest on different results are handed out one after another: where others lead at the same
    /// time, each hands out in its turn.
    pub in_turn: bool,
}

/// A task that is worked on once more.
#[derive(Clone, Copy)]
pub(super) struct Again<'a> {
    /// What there is already.
    pub known: &'a [Finding],
    /// What the person wishes of it; may be empty.
    pub wish: &'a Clean,
}

/// What is to be done about the tasks.
pub(super) enum Next {
    /// These can be worked on.
    HandOut(Vec<Sending>),
    /// Others have to come back first.
    Wait,
    /// All are back.
    AllIn,
}

/// A task that was given to somebody, and how it ended.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// Which; None where it is none of the plan.
    pub task: Option<TaskId>,
    /// What it is called.
    pub title: Clean,
    /// How it ended; None while it is open.
    pub end: Option<Outcome>,
}

impl Given {
    fn is_done(&self) -> bool {
        self.end == Some(Outcome::Done)
    }

    /// Whether it ended with less than was asked for. That nothing is there is an answer.
    pub fn is_short(&self) -> bool {
        !matches!(self.end, Some(Outcome::Done | Outcome::NothingFound))
    }
}

impl<'a> Delegation<'a> {
    /// Hands out every task whose own inputs are in.
    pub fn next(&self) -> Next {
        let ready = match self.groups.is_empty() || given(self.transcript).next().is_some() {
            true => self.ready().into_iter().map(|task| self.assignment(task, self.waited_for(task))).collect(),
            false => self.to_groups(),
        };
        if !ready.is_empty() {
            return Next::HandOut(ready);
        }
        if given(self.transcript).any(|sent| sent.report.is_none()) { Next::Wait } else { Next::AllIn }
    }

    /// Hands out all tasks once more, whatever came of them.
    pub fn all_again(&self) -> Vec<Sending> {
        match self.groups.is_empty() {
            true => self.plan.tasks.iter().map(|task| self.assignment(task, Vec::new())).collect(),
            false => self.to_groups(),
        }
    }

    /// Tasks that can begin. Results are read in the order in which the work was handed out, so that the order in which
    /// tasks are handed out is the same whoever ends first: by the last result that a task waits for, then by the plan.
    fn ready(&self) -> Vec<&'a Task> {
        let mut place: BTreeMap<TaskId, usize> = BTreeMap::new();
        let (mut read, mut missing) = (0, false);
        for (n, sent) in given(self.transcript).enumerate() {
            for task in tasks(sent) {
                place.entry(task).or_insert(n);
            }
            missing |= sent.report.is_none();
            read = if missing { read } else { n + 1 };
        }
        let begins = |task: &'a Task| {
            if place.contains_key(&task.id) {
                return None;
            }
            let waits = task.after.iter().map(|id| place.get(id).map(|at| at + 1));
            let last = waits.collect::<Option<Vec<usize>>>()?.into_iter().max().unwrap_or(0);
            (last <= read).then_some((last, task))
        };
        let mut ready: Vec<(usize, &Task)> = self.plan.tasks.iter().filter_map(begins).collect();
        ready.sort_by_key(|(last, _)| *last);
        if let (true, Some(first)) = (self.in_turn, ready.first().map(|(last, _)| *last)) {
            ready.retain(|(last, _)| *last == first);
        }
        ready.into_iter().map(|(_, task)| task).collect()
    }

    /// What the tasks found that this one waited for.
    fn waited_for(&self, task: &Task) -> Vec<Part> {
        if task.after.is_empty() {
            return Vec::new();
        }
        let waited = given(self.transcript).filter(|sent| sent.task.is_some_and(|id| task.after.contains(&id)));
        let reports = waited.filter_map(|sent| sent.report.as_ref());
        let found: Vec<Finding> =
            reports.flat_map(|(_, report)| report.findings()).filter(|finding| finding.usable()).cloned().collect();
        if found.is_empty() { Vec::new() } else { vec![Part::Findings { findings: found }] }
    }

    fn assignment(&self, task: &Task, mut besides: Vec<Part>) -> Sending {
        if let Some(again) = &self.again {
            let known = again.known.iter().filter(|f| f.task == Some(task.id) && f.standing != Standing::Unquoted);
            let waited = besides.iter().flat_map(|part| match part {
                Part::Findings { findings } => &findings[..],
                _ => &[],
            });
            let findings = waited.chain(known).cloned().collect();
            besides = vec![Part::Findings { findings }];
            besides.extend(again.note());
        }
        let mut parts = vec![
            Part::Question { text: self.question.clone() },
            Part::Task { task: task.clone(), shape: self.plan.shape },
        ];
        parts.extend(besides);
        Sending { role: task.role.clone(), task: Some(task.id), title: task.title.clone(), parts }
    }

    /// A part of the plan for each editor. One task alone needs nobody to lead it.
    fn to_groups(&self) -> Vec<Sending> {
        let to_group = |group: &Group| match &group.tasks[..] {
            [only] => self.plan.task(*only).map(|task| self.assignment(task, Vec::new())),
            _ => Some(self.to_group(group)),
        };
        self.groups.iter().filter_map(to_group).collect()
    }

    fn to_group(&self, group: &Group) -> Sending {
        let plan = self.plan.part(&group.tasks);
        let mut parts = vec![Part::Question { text: self.question.clone() }, Part::Plan { plan }];
        if !group.groups.is_empty() {
            parts.push(Part::Groups { groups: group.groups.clone() });
        }
        if let Some(again) = &self.again {
            let own: BTreeSet<TaskId> = group.tasks.iter().copied().collect();
            let known = again.known.iter().filter(|finding| finding.task.is_some_and(|task| own.contains(&task)));
            parts.push(Part::Findings { findings: known.cloned().collect() });
            parts.extend(again.note());
        }
        Sending { role: Role::new(Role::EDITOR), task: None, title: group.title.clone(), parts }
    }

    /// What was found since this turn, in the order of the plan.
    pub fn found(&self, since: usize) -> Vec<&'a Finding> {
        let place: BTreeMap<TaskId, usize> = self.plan.tasks.iter().zip(0..).map(|(task, at)| (task.id, at)).collect();
        let place = |finding: &Finding| finding.task.and_then(|task| place.get(&task).copied()).unwrap_or(usize::MAX);
        let mut found: Vec<&Finding> = self.transcript.turns[since.min(self.transcript.turns.len())..]
            .iter()
            .flat_map(in_turn)
            .filter(|sent| is_given(sent))
            .filter_map(|sent| sent.report.as_ref())
            .flat_map(|(_, report)| report.findings())
            .collect();
        found.sort_by_key(|finding| (place(finding), finding.id));
        found
    }

    /// How each task of the plan stands after the last time it was given, in the order of the plan.
    pub fn ends(&self, unfinished: &Outcome) -> Vec<TaskEnd> {
        let last: BTreeMap<Option<TaskId>, Given> =
            all_given(self.transcript).into_iter().map(|given| (given.task, given)).collect();
        let end = |task: &Task| {
            let outcome = last.get(&Some(task.id)).and_then(|given| given.end.clone());
            let outcome = outcome.unwrap_or_else(|| unfinished.clone());
            TaskEnd { task: task.id, title: task.title.clone(), outcome }
        };
        self.plan.tasks.iter().map(end).collect()
    }
}

impl Again<'_> {
    fn note(&self) -> Option<Part> {
        (!self.wish.trim().is_empty()).then(|| Part::Note { text: self.wish.clone() })
    }
}

fn in_turn(turn: &Turn) -> &[Sent] {
    if let Did::HandOffs(sent) = &turn.did { sent } else { &[] }
}

/// Whether tasks of the plan went with it.
pub(super) fn is_given(sent: &Sent) -> bool {
    sent.handoff.task().is_some() || sent.role.as_str() == Role::EDITOR
}

/// Every handoff of tasks so far, in order.
pub(super) fn given(transcript: &Transcript) -> impl Iterator<Item = &Sent> {
    transcript.sent().filter(|sent| is_given(sent))
}

fn tasks(sent: &Sent) -> impl Iterator<Item = TaskId> {
    let led = sent.handoff.plan().filter(|_| sent.task.is_none());
    sent.task.into_iter().chain(led.into_iter().flat_map(|plan| plan.tasks.iter().map(|task| task.id)))
}

/// Every task that was given to somebody, directly or in a group, in order; as often as it was.
pub(super) fn all_given(transcript: &Transcript) -> Vec<Given> {
    let mut all = Vec::new();
    for sent in given(transcript) {
        let end = sent.report.as_ref().map(|(outcome, _)| outcome.clone());
        let Some(plan) = sent.handoff.plan().filter(|_| sent.role.as_str() == Role::EDITOR) else {
            all.push(Given { task: sent.task, title: sent.handoff.title.clone(), end });
            continue;
        };
        // An editor that ended without a word on a task took it along.
        let told: BTreeMap<TaskId, &Outcome> = match &sent.report {
            Some((_, report)) => report.ends().iter().map(|end| (end.task, &end.outcome)).collect(),
            None => BTreeMap::new(),
        };
        all.extend(plan.tasks.iter().map(|task| Given {
            task: Some(task.id),
            title: task.title.clone(),
            end: told.get(&task.id).map(|outcome| (*outcome).clone()).or_else(|| end.clone()),
        }));
    }
    all
}

/// Tasks whose end still counts: all but what a later round on the same task has made good, as when the person raised a
/// cap and asked for more.
pub(super) fn standing(transcript: &Transcript) -> Vec<Given> {
    let all = all_given(transcript);
    let last_done: BTreeMap<Option<TaskId>, usize> =
        all.iter().enumerate().filter(|(_, given)| given.is_done()).map(|(n, given)| (given.task, n)).collect();
    let counts = |n: usize, given: &Given| given.is_done() || last_done.get(&given.task).is_none_or(|last| *last < n);
    all.into_iter().enumerate().filter(|(n, given)| counts(*n, given)).map(|(_, given)| given).collect()
}

/// Whether a handoff to an editor was refused: then whoever wanted to send it leads the tasks directly.
pub(super) fn may_not_group(transcript: &Transcript) -> bool {
    transcript.turns.iter().any(|turn| match &turn.did {
        Did::Refused { unsent: Some(unsent), .. } => unsent.role.as_str() == Role::EDITOR,
        _ => false,
    })
}

/// So many of them, in words.
pub(super) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
