//! Joins: whether work can begin that needs the results of other work, and what is done when those cannot come any more.
//!
//! Where all or the end of all is needed, the order in which results come changes nothing. Where a number is enough, they
//! count as they come.

use std::collections::BTreeMap;

use super::delegation::{Delegation, given};
use super::failure_policy::{Due, again, pause_ms, question};
use run::checkpoint::question::{AfterFailure, Question};
use run::id::TaskId;
use run::join::Join;
use run::plan::Task;
use run::team::FailureStep;
use run::transcript::Sent;
use run::{AssignmentId, Outcome};

/// What a task has for those that wait for it.
#[derive(Clone, Copy)]
enum Stand<'a> {
    /// Its result, or another try at it, is still to come.
    Open,
    /// A usable result.
    Usable,
    /// No usable result, and its failure policy is done: the index of its handoff among all.
    Short(usize, &'a Sent),
    /// The same, and the policy or the person goes on without it.
    GoneOn,
}

/// The progress of a join.
enum Joined<'a> {
    Met,
    NotYet,
    /// It cannot be met any more, because this one has no usable result.
    Missed(usize, &'a Sent),
}

/// The last handoff of each task, with its place among all.
pub(super) struct Stands<'a> {
    last: BTreeMap<TaskId, (usize, &'a Sent)>,
}

impl<'a> Delegation<'a> {
    /// What was handed out, where a join needs results; None where every join waits for the end of all.
    pub(super) fn stands(&self) -> Option<Stands<'a>> {
        let asks = |task: &Task| !task.join.is_default();
        if !self.plan.tasks.iter().any(asks) && self.merge.is_default() {
            return None;
        }
        let transcript = self.failures.transcript;
        let last = given(transcript).enumerate().filter_map(|(n, sent)| Some((sent.task?, (n, sent)))).collect();
        Some(Stands { last })
    }

    fn stand(&self, given: &Stands<'a>, task: TaskId) -> Stand<'a> {
        let Some((n, sent)) = given.last.get(&task).copied() else { return Stand::Open };
        if sent.report.is_none() || !matches!(self.failures.due(sent), Due::Nothing) {
            return Stand::Open;
        }
        let skips = self.failures.policy(sent).contains(&FailureStep::Skip)
            || self.failures.answer_about(sent.to) == Some(AfterFailure::GoOnWithout);
        match self.failures.transcript.result_of(sent).is_usable() {
            true => Stand::Usable,
            false if skips => Stand::GoneOn,
            false => Stand::Short(n, sent),
        }
    }

    fn joined(&self, given: &Stands<'a>, join: Join, inputs: impl Iterator<Item = TaskId>) -> Joined<'a> {
        let (mut usable, mut open, mut short, mut missed) = (0, 0, 0, None);
        for task in inputs {
            match self.stand(given, task) {
                Stand::Open => open += 1,
                Stand::Usable => usable += 1,
                Stand::GoneOn => {}
                Stand::Short(n, sent) => {
                    short += 1;
                    missed = missed.filter(|(first, _)| *first < n).or(Some((n, sent)));
                }
            }
        }
        // Tasks that are gone on without are not needed.
        let needed = join.needs(usable + open + short);
        match missed {
            _ if usable >= needed => Joined::Met,
            Some((n, sent)) if usable + open < needed => Joined::Missed(n, sent),
            _ => Joined::NotYet,
        }
    }

    /// Whether the join of a task is met.
    pub(super) fn is_met(&self, given: Option<&Stands<'a>>, task: &Task) -> bool {
        given.is_none_or(|given| matches!(self.joined(given, task.join, task.after.iter().copied()), Joined::Met))
    }

    /// What is due for tasks without a usable result whose results are needed.
    pub(super) fn missed(&self, given: &Stands<'a>) -> Vec<(Option<TaskId>, Due)> {
        let mut missed = BTreeMap::new();
        let waiting =
            self.plan.tasks.iter().filter(|task| !task.join.is_default() && !given.last.contains_key(&task.id));
        for task in waiting {
            if let Joined::Missed(n, sent) = self.joined(given, task.join, task.after.iter().copied()) {
                let what = format!("“{}” needs {}", task.title, task.join.in_words(task.after.len()));
                missed.entry(n).or_insert((sent, what));
            }
        }
        let (merge, plan) = (self.merge, self.plan);
        if let Joined::Missed(n, sent) = self.joined(given, merge, plan.tasks.iter().map(|task| task.id)) {
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
            Some(AfterFailure::GoOnWithout | AfterFailure::Stop) => {
                Due::Fail(format!("the {role} {}", came_to(outcome)))
            }
            None => {
                let title = &sent.handoff.title;
                let text = format!("What becomes of “{title}”? The {role} {}. {what}.", came_to(outcome));
                self.failures.ask(sent, || Question { text: text.into(), ..question(sent, outcome, tried) })
            }
        }
    }

    /// The assignments that are still open where the merger has enough, and why.
    pub(super) fn enough(&self, given_so_far: &Stands<'a>) -> Option<(Vec<AssignmentId>, String)> {
        let (merge @ Join::AtLeast(_), plan) = (self.merge, self.plan) else { return None };
        if !matches!(self.joined(given_so_far, merge, plan.tasks.iter().map(|task| task.id)), Joined::Met) {
            return None;
        }
        let open = given(self.failures.transcript).filter(|sent| sent.report.is_none());
        let why = format!("{} tasks have results", merge.in_words(plan.tasks.len()));
        Some((open.map(|sent| sent.to).collect(), why))
    }
}

/// An outcome without a usable result, in words.
fn came_to(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NothingFound => "found nothing".into(),
        Outcome::Cancelled => "was cancelled".into(),
        other => other.to_string(),
    }
}
