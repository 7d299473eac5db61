//! Delegation: hands out the tasks of a plan, and reads their progress from the transcript. The supervisor and every
//! editor below it use the same rules.
//!
//! Results are used as soon as they are in, but are read in the order of assignment names, so that the order of their
//! arrival changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::failure_policy::{Due, Failures};
use super::joining::LastHandoffs;
use run::checkpoint::question::Question;
use run::finding::{Finding, Standing};
use run::handoff::PlannedTask;
use run::id::{AssignmentId, Role, TaskId};
use run::join::Join;
use run::plan::{Group, Plan, Task, TaskEnd};
use run::transcript::{Did, Sent, Transcript, Turn};
use run::{Outcome, Payload};
use specialist::Sending;
use text::listed::Shared;
use text::{Clean, Named};

/// The tasks of a plan, and their progress.
pub(super) struct Delegation<'a> {
    /// The work handed out so far, with the failure policies of the team.
    pub failures: Failures<'a>,
    /// The person's question; each task gets the parts of it that concern the task.
    pub question: Clean,
    /// The things that the question names, as far as every task needs them.
    pub named: Option<Named>,
    /// The tasks.
    pub plan: &'a Plan,
    /// The tasks of each editor; empty if every task is handed out directly.
    pub groups: &'a [Group],
    /// The notes that go along with tasks that are worked on again.
    pub again: Option<Again<'a>>,
    /// Whether a failure that its policy does not accept ends all tasks at once. Otherwise the others are waited for,
    /// so that the report does not depend on timing.
    pub fails_at_once: bool,
    /// The join of the merger: the tasks that it needs.
    pub merge: Join,
    /// Whether tasks not handed out yet are left out, because there is enough without them.
    pub had_enough: bool,
}

/// A task that is worked on again.
#[derive(Clone, Copy)]
pub(super) struct Again<'a> {
    /// The findings so far.
    pub known: &'a [Finding],
    /// The wish of the person, in their words.
    pub wish: Option<&'a Clean>,
}

/// The next action for the tasks.
pub(super) enum Next {
    /// Hand these out.
    HandOut {
        /// The reason, in a sentence.
        why: &'static str,
        /// The handoffs.
        handoffs: Vec<Sending>,
    },
    /// Ask the person about a failed task.
    Ask(Question),
    /// Fail the assignment that leads the tasks, because one of them failed.
    Fail(String),
    /// End these assignments: there is enough without them.
    Enough {
        /// The open assignments.
        of: Vec<AssignmentId>,
        /// The reason, in a sentence.
        why: String,
    },
    /// Wait for tasks to come back.
    Wait,
    /// Every task has come back.
    AllIn,
}

/// One attempt at a task, and its end.
#[derive(Clone, Debug)]
pub(super) struct TaskAttempt {
    /// Its id; None if it is not in the plan.
    pub task: Option<TaskId>,
    /// Its title.
    pub title: Clean,
    /// The role that it was handed to, by the supervisor or by an editor.
    pub role: Role,
    /// Its end; None while it is open.
    pub end: Option<Outcome>,
    /// The reason why it was cancelled, or its gaps besides its findings, if that is known.
    pub note: Option<Clean>,
    /// Whether a later attempt was made.
    pub tried_again: bool,
}

impl TaskAttempt {
    fn is_done(&self) -> bool {
        self.end == Some(Outcome::Done)
    }

    /// Whether it ended with less than was asked for. "Nothing found" counts as an answer.
    pub fn is_short(&self) -> bool {
        !matches!(self.end, Some(Outcome::Done | Outcome::NothingFound))
    }
}

impl<'a> Delegation<'a> {
    /// Hands out every task that can begin, and failed ones as their policy demands.
    pub fn next(&self) -> Next {
        if !self.groups.is_empty() && task_handoffs(self.failures.transcript).next().is_none() {
            let why = "there are more tasks than one can lead: each group has an editor";
            return Next::HandOut { why, handoffs: self.to_groups() };
        }
        let handoffs = self.last_handoffs();
        if let Some((of, why)) = handoffs.as_ref().and_then(|handoffs| self.enough(handoffs)) {
            return Next::Enough { of, why };
        }
        let mut amends = self.amends();
        amends.extend(handoffs.iter().flat_map(|handoffs| self.missed(handoffs)));
        let amended: BTreeSet<TaskId> = amends.iter().filter_map(|(task, _)| *task).collect();
        let ready = if self.had_enough { Vec::new() } else { self.ready(handoffs.as_ref(), &amended) };
        let (mut why, mut handoffs) = ("each task can be worked on by itself", ready);
        let (mut ask, mut asked, mut failed) = (None, false, None);
        for (_, due) in amends {
            match due {
                Due::Nothing => {}
                Due::Again(sending) => {
                    why = "what failed is tried again";
                    handoffs.push(sending);
                }
                Due::Ask(question) => ask = ask.or(Some(question)),
                Due::Asked => asked = true,
                Due::Fail(why) => failed = failed.or(Some(why)),
            }
        }
        let is_open = asked || task_handoffs(self.failures.transcript).any(|sent| sent.report.is_none());
        match (failed, ask) {
            (Some(why), _) if self.fails_at_once => Next::Fail(why),
            _ if !handoffs.is_empty() => Next::HandOut { why, handoffs },
            (_, Some(question)) => Next::Ask(question),
            _ if is_open => Next::Wait,
            (Some(why), None) => Next::Fail(why),
            (None, None) => Next::AllIn,
        }
    }

    /// The actions that the failure policies demand for failed tasks.
    fn amends(&self) -> Vec<(Option<TaskId>, Due)> {
        let back = task_handoffs(self.failures.transcript).filter(|sent| sent.report.is_some());
        // A task that the plan no longer has is not needed.
        let is_planned = |sent: &&Sent| sent.task.is_none_or(|task| self.plan.task(task).is_some());
        let last = back.filter(is_planned).filter(|sent| !self.failures.is_tried_again(sent));
        let due = last.map(|sent| (sent.task, self.failures.due(sent)));
        due.filter(|(_, due)| !matches!(due, Due::Nothing)).collect()
    }

    /// Hands out all tasks again, with any outcome.
    pub(crate) fn all_again(&self) -> Vec<Sending> {
        let shared = Shared::new(&self.question);
        match self.groups.is_empty() {
            true => self.plan.tasks.iter().map(|task| self.to_one(&shared, task, Payload::default())).collect(),
            false => self.to_groups(),
        }
    }

    /// Tasks that can begin: not handed out yet, with their dependencies met.
    fn ready(&self, handoffs: Option<&LastHandoffs<'a>>, amended: &BTreeSet<TaskId>) -> Vec<Sending> {
        let mut is_back: BTreeMap<TaskId, bool> = BTreeMap::new();
        for sent in task_handoffs(self.failures.transcript) {
            is_back.extend(tasks_of(sent).map(|task| (task.id, sent.report.is_some())));
        }
        let is_settled = |id: &TaskId| is_back.get(id).copied().unwrap_or(false) && !amended.contains(id);
        let begins = |task: &&Task| {
            !is_back.contains_key(&task.id)
                && (!task.waits_for_all() || task.after.iter().all(is_settled))
                && self.is_met(handoffs, task)
        };
        let mut ready = self.plan.tasks.iter().filter(begins).peekable();
        if ready.peek().is_none() {
            return Vec::new();
        }
        let shared = Shared::new(&self.question);
        ready.map(|task| self.to_one(&shared, task, self.waited_for(task))).collect()
    }

    /// The findings of a task's dependencies.
    fn waited_for(&self, task: &Task) -> Payload {
        let waited =
            task_handoffs(self.failures.transcript).filter(|sent| sent.task.is_some_and(|id| task.after.contains(&id)));
        let found = waited.filter_map(|sent| sent.report.as_ref()).flat_map(|(_, report)| report.payload.findings());
        let found: Vec<Finding> = found.filter(|finding| finding.usable()).cloned().collect();
        Payload { findings: Some(found).filter(|found| !found.is_empty()), ..Payload::default() }
    }

    /// The handoff of one task.
    pub fn assignment(&self, task: &Task, more: Payload) -> Sending {
        self.to_one(&Shared::new(&self.question), task, more)
    }

    fn to_one(&self, shared: &Shared<'_>, task: &Task, mut more: Payload) -> Sending {
        if let Some(again) = &self.again {
            let known = again.known.iter().filter(|f| f.task == Some(task.id) && f.standing != Standing::Unquoted);
            let findings = more.findings().iter().chain(known).cloned().collect();
            more = Payload { findings: Some(findings), ..Payload::default() }.with_notes(again.note());
        }
        let payload = Payload {
            question: Some(shared.near([&*task.question]).into()),
            named: self.named.clone(),
            task: Some(PlannedTask { task: task.clone(), shape: self.plan.shape }),
            ..more
        };
        Sending::new(&task.role, task.title.clone(), payload).of_task(task.id)
    }

    /// The handoff of a part of the plan to each editor. A single task needs no editor.
    fn to_groups(&self) -> Vec<Sending> {
        let shared = Shared::new(&self.question);
        let to_group = |group: &Group| match &group.tasks[..] {
            [only] => self.plan.task(*only).map(|task| self.to_one(&shared, task, Payload::default())),
            _ => Some(self.to_group(&shared, group)),
        };
        self.groups.iter().filter_map(to_group).collect()
    }

    fn to_group(&self, shared: &Shared<'_>, group: &Group) -> Sending {
        let plan = self.plan.part(&group.tasks);
        let mut payload = Payload {
            question: Some(shared.near(plan.tasks.iter().map(|task| &*task.question)).into()),
            named: self.named.clone(),
            plan: Some(plan),
            groups: Some(group.groups.clone()).filter(|groups| !groups.is_empty()),
            ..Payload::default()
        };
        if let Some(again) = &self.again {
            let own: BTreeSet<TaskId> = group.tasks.iter().copied().collect();
            let known = again.known.iter().filter(|finding| finding.task.is_some_and(|task| own.contains(&task)));
            payload.findings = Some(known.cloned().collect());
            payload = payload.with_notes(again.note());
        }
        Sending::new(&Role::new(Role::EDITOR), group.title.clone(), payload)
    }

    /// The findings reported since a turn, in the order of the plan.
    pub fn found(&self, since: usize) -> Vec<&'a Finding> {
        let place: BTreeMap<TaskId, usize> = self.plan.tasks.iter().zip(0..).map(|(task, at)| (task.id, at)).collect();
        let place = |finding: &Finding| finding.task.and_then(|task| place.get(&task).copied()).unwrap_or(usize::MAX);
        let mut found: Vec<&Finding> = self.failures.transcript.turns
            [since.min(self.failures.transcript.turns.len())..]
            .iter()
            .flat_map(|turn| in_turn(turn))
            .filter(|sent| is_task(sent))
            .filter_map(|sent| sent.report.as_ref())
            .flat_map(|(_, report)| report.payload.findings())
            .collect();
        found.sort_by_key(|finding| (place(finding), finding.id));
        found
    }

    /// The outcome of the last attempt at each task, in the order of the plan.
    pub fn ends(&self, unfinished: &Outcome) -> Vec<TaskEnd> {
        let last: BTreeMap<Option<TaskId>, TaskAttempt> =
            task_attempts(self.failures).into_iter().map(|attempt| (attempt.task, attempt)).collect();
        let end = |task: &Task| {
            let outcome = last.get(&Some(task.id)).and_then(|attempt| attempt.end.clone());
            let outcome = outcome.unwrap_or_else(|| unfinished.clone());
            TaskEnd { task: task.id, title: task.title.clone(), outcome }
        };
        self.plan.tasks.iter().map(end).collect()
    }
}

/// The names of the question that every task needs: things and sides, not the other questions of its list.
pub(super) fn for_tasks(handed: &Payload) -> Option<Named> {
    let named = handed.named.as_ref()?.without_list();
    (!named.is_empty()).then_some(named)
}

impl Again<'_> {
    fn note(&self) -> Option<Clean> {
        self.wish.filter(|wish| !wish.trim().is_empty()).cloned()
    }
}

/// The handoffs of a turn.
pub(super) fn in_turn(turn: &Turn) -> &[Sent] {
    if let Did::HandOffs(sent) = &turn.did { sent } else { &[] }
}

/// Whether a handoff contains a task, or a section of the plan.
pub(super) fn is_task(sent: &Sent) -> bool {
    sent.handoff.payload.task.is_some() || sent.role.as_str() == Role::EDITOR
}

/// Every handoff of tasks so far, round by round, in the order of assignment names.
pub(super) fn task_handoffs(transcript: &Transcript) -> impl DoubleEndedIterator<Item = &Sent> {
    let mut round = 0;
    let mut all: Vec<(usize, &Sent)> = Vec::new();
    for turn in &transcript.turns {
        // The person's answer about findings ends a round: everything handed out before is in.
        round += usize::from(matches!(&turn.did, Did::Checkpoint(pause) if pause.of_findings().is_some()));
        all.extend(in_turn(turn).iter().filter(|sent| is_task(sent)).map(|sent| (round, sent)));
    }
    all.sort_by_key(|(round, sent)| (*round, sent.to));
    all.into_iter().map(|(_, sent)| sent)
}

/// The tasks in a handoff.
pub(super) fn tasks_of(sent: &Sent) -> impl Iterator<Item = &Task> {
    let task = sent.handoff.payload.task();
    let led = sent.handoff.payload.plan.as_ref().filter(|_| task.is_none());
    task.into_iter().chain(led.into_iter().flat_map(|plan| &plan.tasks))
}

/// The findings of a merger; if it failed, the findings handed to it.
pub(super) fn merged(merger: &Sent) -> &[Finding] {
    merger.usable().unwrap_or(&merger.handoff.payload).findings()
}

/// Every attempt at a task, handed out directly or in a section, in order.
pub(super) fn task_attempts(failures: Failures<'_>) -> Vec<TaskAttempt> {
    let mut all = Vec::new();
    for sent in task_handoffs(failures.transcript) {
        let end = sent.report.as_ref().map(|(outcome, _)| outcome.clone());
        let tried_again = failures.is_tried_again(sent);
        let Some(plan) = sent.handoff.payload.plan.as_ref().filter(|_| sent.role.as_str() == Role::EDITOR) else {
            let noted = |outcome: &Outcome| matches!(outcome, Outcome::Cancelled | Outcome::Done);
            let noted = sent.report.as_ref().filter(|(outcome, _)| noted(outcome));
            let note = noted.and_then(|(_, report)| report.payload.notes().first().map(|note| (*note).clone()));
            let (title, role) = (sent.handoff.title.clone(), sent.role.clone());
            all.push(TaskAttempt { task: sent.task, title, role, end, note, tried_again });
            continue;
        };
        // A task that its editor does not report on ended as the editor did.
        let reported: BTreeMap<TaskId, &Outcome> = match &sent.report {
            Some((_, report)) => report.payload.ends().iter().map(|end| (end.task, &end.outcome)).collect(),
            None => BTreeMap::new(),
        };
        all.extend(plan.tasks.iter().map(|task| TaskAttempt {
            task: Some(task.id),
            title: task.title.clone(),
            role: task.role.clone(),
            end: reported.get(&task.id).map(|outcome| (*outcome).clone()).or_else(|| end.clone()),
            note: None,
            tried_again,
        }));
    }
    all
}

/// Attempts whose outcome still counts: all but those at tasks that a later round has done, as when the person raised a
/// cap and asked for more.
pub(super) fn standing(failures: Failures<'_>) -> Vec<TaskAttempt> {
    let all = task_attempts(failures);
    let last_done: BTreeMap<Option<TaskId>, usize> =
        all.iter().enumerate().filter(|(_, attempt)| attempt.is_done()).map(|(n, attempt)| (attempt.task, n)).collect();
    let counts = |n: usize, attempt: &TaskAttempt| {
        attempt.is_done() || (last_done.get(&attempt.task).is_none_or(|last| *last < n) && !attempt.tried_again)
    };
    all.into_iter().enumerate().filter(|(n, attempt)| counts(*n, attempt)).map(|(_, attempt)| attempt).collect()
}

/// Whether a handoff to an editor was refused: then the tasks are handed out directly.
pub(super) fn may_not_group(transcript: &Transcript) -> bool {
    transcript.turns.iter().any(|turn| match &turn.did {
        Did::Refused { unsent: Some(unsent), .. } => unsent.role.as_str() == Role::EDITOR,
        _ => false,
    })
}
