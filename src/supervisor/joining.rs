//! Joins: whether the dependencies of work are met, and the consequence when they no longer can be.
//!
//! With `All` and `BestEffort` the order of results changes nothing. With `AtLeast`, results count in the order of
//! arrival.

use std::collections::BTreeMap;

use super::delegation::{Delegation, task_handoffs};
use super::failure_policy::{Due, again, came_to, came_to_nothing, pause_ms, question};
use run::checkpoint::question::{AfterFailure, Question};
use run::id::TaskId;
use run::join::Join;
use run::plan::Task;
use run::team::FailureStep;
use run::transcript::Sent;
use run::{AssignmentId, Outcome};

/// The state of a task, for the tasks that depend on it.
#[derive(Clone, Copy)]
enum InputState<'a> {
    /// Its result, or another attempt, is still to come.
    Open,
    /// A usable result.
    Usable,
    /// No usable result, and its failure policy is exhausted: the index of its handoff.
    Unusable(usize, &'a Sent),
    /// No usable result, and the policy or the person continues without it.
    Waived,
}

/// The progress of a join.
enum Joined<'a> {
    Met,
    NotYet,
    /// It can no longer be met, because this task has no usable result.
    Missed(usize, &'a Sent),
}

/// The last handoff of each task, with its index.
pub(super) struct LastHandoffs<'a> {
    last: BTreeMap<TaskId, (usize, &'a Sent)>,
}

impl<'a> Delegation<'a> {
    /// The last handoffs, if any join needs results; None if every join only waits for the end of all.
    pub(super) fn last_handoffs(&self) -> Option<LastHandoffs<'a>> {
        let asks = |task: &Task| !task.join.is_default();
        if !self.plan.tasks.iter().any(asks) && self.merge.is_default() {
            return None;
        }
        let transcript = self.failures.transcript;
        let last =
            task_handoffs(transcript).enumerate().filter_map(|(n, sent)| Some((sent.task?, (n, sent)))).collect();
        Some(LastHandoffs { last })
    }

    fn state_of(&self, handoffs: &LastHandoffs<'a>, task: TaskId) -> InputState<'a> {
        let Some((n, sent)) = handoffs.last.get(&task).copied() else { return InputState::Open };
        if sent.report.is_none() || !matches!(self.failures.due(sent), Due::Nothing) {
            return InputState::Open;
        }
        let skips = self.failures.policy(sent).contains(&FailureStep::Skip)
            || self.failures.answer_about(sent.to) == Some(AfterFailure::GoOnWithout);
        match self.failures.transcript.result_of(sent).is_usable() {
            true => InputState::Usable,
            false if skips => InputState::Waived,
            false => InputState::Unusable(n, sent),
        }
    }

    fn joined(&self, handoffs: &LastHandoffs<'a>, join: Join, inputs: impl Iterator<Item = TaskId>) -> Joined<'a> {
        let (mut usable, mut open, mut short, mut missed) = (0, 0, 0, None);
        for task in inputs {
            match self.state_of(handoffs, task) {
                InputState::Open => open += 1,
                InputState::Usable => usable += 1,
                InputState::Waived => {}
                InputState::Unusable(n, sent) => {
                    short += 1;
                    missed = missed.filter(|(first, _)| *first < n).or(Some((n, sent)));
                }
            }
        }
        // Waived tasks are not needed.
        let needed = join.needs(usable + open + short);
        match missed {
            _ if usable >= needed => Joined::Met,
            Some((n, sent)) if usable + open < needed => Joined::Missed(n, sent),
            _ => Joined::NotYet,
        }
    }

    /// Whether the join of a task is met.
    pub(super) fn is_met(&self, handoffs: Option<&LastHandoffs<'a>>, task: &Task) -> bool {
        handoffs
            .is_none_or(|handoffs| matches!(self.joined(handoffs, task.join, task.after.iter().copied()), Joined::Met))
    }

    /// The next step for each task without a usable result on which a join depends.
    pub(super) fn missed(&self, handoffs: &LastHandoffs<'a>) -> Vec<(Option<TaskId>, Due)> {
        let mut missed = BTreeMap::new();
        let waiting =
            self.plan.tasks.iter().filter(|task| !task.join.is_default() && !handoffs.last.contains_key(&task.id));
        for task in waiting {
            if let Joined::Missed(n, sent) = self.joined(handoffs, task.join, task.after.iter().copied()) {
                let what = format!("“{}” needs {}", task.title, task.join.in_words(task.after.len()));
                missed.entry(n).or_insert((sent, what));
            }
        }
        let (merge, plan) = (self.merge, self.plan);
        if let Joined::Missed(n, sent) = self.joined(handoffs, merge, plan.tasks.iter().map(|task| task.id)) {
            let what = format!("The merger needs {} tasks", merge.in_words(plan.tasks.len()));
            missed.entry(n).or_insert((sent, what));
        }
        missed.into_values().map(|(sent, what)| (sent.task, self.due_for_want(sent, &what))).collect()
    }

    fn due_for_want(&self, sent: &'a Sent, what: &str) -> Due {
        let outcome = sent.report.as_ref().map_or(&Outcome::Cancelled, |(outcome, _)| outcome);
        let (tried, role) = (self.failures.transcript.attempts(sent).len(), &sent.role);
        match self.failures.answer_about(sent.to) {
            Some(AfterFailure::TryAgain) => Due::Again(again(sent, sent.worker, pause_ms(tried))),
            Some(AfterFailure::GoOnWithout | AfterFailure::Stop) => Due::Fail(came_to_nothing(sent, outcome)),
            None => {
                let title = &sent.handoff.title;
                let text = format!("What becomes of “{title}”? The {role} {}. {what}.", came_to(outcome));
                self.failures.ask(sent, || Question { text: text.into(), ..question(sent, outcome, tried) })
            }
        }
    }

    /// The open assignments that the merger does not need any more, and the reason.
    pub(super) fn enough(&self, handoffs: &LastHandoffs<'a>) -> Option<(Vec<AssignmentId>, String)> {
        let (merge @ Join::AtLeast(_), plan) = (self.merge, self.plan) else { return None };
        if !matches!(self.joined(handoffs, merge, plan.tasks.iter().map(|task| task.id)), Joined::Met) {
            return None;
        }
        let open = task_handoffs(self.failures.transcript).filter(|sent| sent.report.is_none());
        let why = format!("{} tasks have results", merge.in_words(plan.tasks.len()));
        Some((open.map(|sent| sent.to).collect(), why))
    }
}
