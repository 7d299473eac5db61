//! Joins: whether work can begin that rests on other work, and what is done when what it needs cannot come any more.
//!
//! Where all are needed, results are read in the order in which the work was handed out, as everywhere. Where so many are
//! enough, they count as they come: then who was quick decides.

use std::collections::BTreeMap;

use super::Story;
use super::remedy::{Due, again, pause_ms, question};
use crate::run::id::TaskId;
use crate::run::inquiry::{Answer, Question};
use crate::run::join::Join;
use crate::run::plan::{Plan, Task};
use crate::run::team::Remedy;
use crate::run::transcript::Sent;
use crate::run::{AssignmentId, Outcome};
use crate::specialist::Step;
use crate::text::Clean;

/// How a task stands to those that rest on it.
#[derive(Clone, Copy)]
enum Stand<'a> {
    /// Its result, or another try at it, is still to come.
    Open,
    /// It brought something.
    Usable,
    /// It brought nothing, and nothing more is done about it: which handoff it was, counted from the first.
    Short(usize, &'a Sent),
    /// The same, and it is gone on without.
    GoneOn,
}

/// How far a join is.
enum Joined<'a> {
    Met,
    NotYet,
    /// What it needs cannot come any more because this one brought nothing.
    Missed(usize, &'a Sent),
}

/// The last handoff of each task, with its place among all.
pub(super) struct Given<'a> {
    last: BTreeMap<TaskId, (usize, &'a Sent)>,
    /// So many results have been read in the order in which the work was handed out.
    read: usize,
}

impl<'a> Story<'a> {
    /// What was handed out, where there is a join that asks; None where each waits for the end of all.
    pub(super) fn given(&self, plan: &Plan) -> Option<Given<'a>> {
        let asks = |task: &Task| !task.join.is_default();
        if !plan.tasks.iter().any(asks) && self.merge_needs().is_default() {
            return None;
        }
        let read = self.researchers().take_while(|sent| sent.report.is_some()).count();
        let last = self.researchers().enumerate().filter_map(|(n, sent)| Some((sent.task?, (n, sent)))).collect();
        Some(Given { last, read })
    }

    /// What the merging needs. When the person has asked for more of something, the end of that.
    fn merge_needs(&self) -> Join {
        if self.last_pause().is_some() { Join::BestEffort } else { self.team.joins.merge }
    }

    fn stand(&self, given: &Given<'a>, task: TaskId, before: usize) -> Stand<'a> {
        let Some((n, sent)) = given.last.get(&task).copied().filter(|(n, _)| *n < before) else { return Stand::Open };
        if sent.report.is_none() || !matches!(self.due(sent), Due::Nothing) {
            return Stand::Open;
        }
        let usable = |sent: &Sent| sent.report.as_ref().is_some_and(|(outcome, _)| outcome.usable());
        let skips =
            self.policy(sent).contains(&Remedy::Skip) || matches!(self.said_of(sent.to), Some(Answer::Chosen(0)));
        match usable(self.result(sent)) {
            true => Stand::Usable,
            false if skips => Stand::GoneOn,
            false => Stand::Short(n, sent),
        }
    }

    fn joined(&self, given: &Given<'a>, join: Join, inputs: impl Iterator<Item = TaskId>) -> Joined<'a> {
        let before = if matches!(join, Join::AtLeast(_)) { usize::MAX } else { given.read };
        let (mut usable, mut open, mut short, mut missed) = (0, 0, 0, None);
        for task in inputs {
            match self.stand(given, task, before) {
                Stand::Open => open += 1,
                Stand::Usable => usable += 1,
                Stand::GoneOn => {}
                Stand::Short(n, sent) => {
                    short += 1;
                    missed = missed.filter(|(first, _)| *first < n).or(Some((n, sent)));
                }
            }
        }
        // What is gone on without is not asked for any more.
        let needed = join.needs(usable + open + short);
        match missed {
            _ if usable >= needed => Joined::Met,
            Some((n, sent)) if usable + open < needed => Joined::Missed(n, sent),
            _ => Joined::NotYet,
        }
    }

    /// Whether what a task needs of those before it is there: of those whose ends it does not wait for anyway.
    pub(super) fn is_met(&self, given: Option<&Given<'a>>, task: &Task) -> bool {
        given.is_none_or(|given| matches!(self.joined(given, task.join, task.after.iter().copied()), Joined::Met))
    }

    /// What is to be done about work that brought too little for those that rest on it, as [`Story::amends`] tells it.
    pub(super) fn missed(&self, given: &Given<'a>, plan: &Plan) -> Vec<(usize, Option<TaskId>, Due)> {
        let mut missed = BTreeMap::new();
        let waiting = plan.tasks.iter().filter(|task| !task.join.is_default() && !given.last.contains_key(&task.id));
        for task in waiting {
            if let Joined::Missed(n, sent) = self.joined(given, task.join, task.after.iter().copied()) {
                let what = format!("“{}” needs {}", task.title, task.join.in_words(task.after.len()));
                missed.entry(n).or_insert((sent, what));
            }
        }
        let merge = self.merge_needs();
        if let Joined::Missed(n, sent) = self.joined(given, merge, plan.tasks.iter().map(|task| task.id)) {
            let what = format!("The merging needs {} tasks", merge.in_words(plan.tasks.len()));
            missed.entry(n).or_insert((sent, what));
        }
        missed.into_iter().map(|(n, (sent, what))| (n + 1, sent.task, self.due_for_want(sent, &what))).collect()
    }

    fn due_for_want(&self, sent: &'a Sent, what: &str) -> Due {
        let outcome = sent.report.as_ref().map_or(&Outcome::Cancelled, |(outcome, _)| outcome);
        let (tried, role) = (self.attempts(sent).len(), &sent.role);
        match self.said_of(sent.to) {
            Some(Answer::Chosen(1)) => Due::Again(again(sent, sent.worker, pause_ms(tried))),
            Some(_) => Due::Fail(format!("the {role} {}", came_to(outcome))),
            None => {
                let title = &sent.handoff.title;
                let text = format!("What becomes of “{title}”? The {role} {}. {what}.", came_to(outcome));
                Due::Ask(Question { text: text.into(), ..question(sent, outcome, tried) })
            }
        }
    }

    /// Where the merging has enough: ends those still at work, or merges what there is.
    pub(super) fn enough(&self, given: &Given<'a>, plan: &Plan) -> Option<Step> {
        let merge @ Join::AtLeast(_) = self.merge_needs() else { return None };
        if !matches!(self.joined(given, merge, plan.tasks.iter().map(|task| task.id)), Joined::Met) {
            return None;
        }
        let of: Vec<AssignmentId> =
            self.researchers().filter(|sent| sent.report.is_none()).map(|sent| sent.to).collect();
        let why = format!("{} tasks have brought something", merge.in_words(plan.tasks.len()));
        Some(if of.is_empty() { self.merge(plan, &why) } else { Step::Enough { of } })
    }

    /// Whether the findings are with the person though not every task was handed out: the others stay left out.
    pub(super) fn had_enough(&self) -> bool {
        self.last_pause().is_some() && matches!(self.team.joins.merge, Join::AtLeast(_))
    }

    /// Tasks that were never handed out because there was enough without them, one sentence each.
    pub(super) fn left_out(&self) -> Vec<Clean> {
        let Some(plan) = self.adopted().filter(|_| self.had_enough()) else { return Vec::new() };
        let given: std::collections::BTreeSet<_> = self.researchers().filter_map(|sent| sent.task).collect();
        let left = plan.tasks.iter().filter(|task| !given.contains(&task.id));
        left.map(|task| format!("{}: not begun (enough was in without it).", task.title).into()).collect()
    }
}

/// What somebody did who brought nothing, in words.
fn came_to(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NothingFound => "found nothing".into(),
        Outcome::Cancelled => "was cancelled".into(),
        other => other.to_string(),
    }
}
