//! How the pipeline goes on where a model led before it: from what stands in the transcript, whoever put it there.

use super::Story;
use crate::delegation::is_given;
use run::TaskId;
use run::checkpoint::findings::Answer;
use run::plan::{Plan, Task};
use run::transcript::{Did, Sent, Turn};
use specialist::Step;

impl<'a> Story<'a> {
    /// The next step after the last thing that is done: nothing that was paid for is done twice.
    pub(super) fn take_over(&self) -> Step {
        if let Some(writer) = self.drafts().last() {
            let is_draft = |sent: &&Sent| {
                sent.report
                    .as_ref()
                    .is_some_and(|(outcome, report)| outcome.usable() && report.payload.draft.as_ref().is_some())
            };
            let stale = self.is_stale(writer) && self.may_be_revised() && self.is_approved();
            return match (is_draft(&writer) && !stale, self.unasked().is_empty()) {
                (true, true) => self.judge(),
                (true, false) => self.check(writer),
                // Written before, it is written again only as far as that is allowed.
                (false, _) if self.may_be_revised() && self.is_approved() => self.write(None),
                (false, _) => self.land("the writer brought no draft"),
            };
        }
        if self.is_approved() {
            return self.write(None);
        }
        let found = |sent: &Sent| sent.report.as_ref().is_none_or(|(_, report)| !report.payload.findings().is_empty());
        let waiting =
            |plan: &Plan| plan.tasks.iter().any(|task| self.researchers().all(|sent| sent.task != Some(task.id)));
        match self.adopted() {
            // A lead whose tasks brought nothing has cut the question badly.
            Some(plan) if waiting(plan) || self.researchers().any(found) => self.research(),
            Some(_) => match self.transcript.sent().rfind(|sent| self.is_unworked_plan(sent)) {
                Some(planner) => self.planned(planner),
                None => self.cut(),
            },
            None => match self.transcript.sent().rfind(|sent| sent.role.as_str() == self.order().plans()) {
                Some(planner) => self.planned(planner),
                None => self.cut(),
            },
        }
    }

    /// Whether it brought a plan of which nothing was handed out.
    fn is_unworked_plan(&self, sent: &Sent) -> bool {
        let plan = sent.report.as_ref().and_then(|(_, report)| report.payload.plan.as_ref());
        plan.is_some_and(|plan| self.unworked(plan).count() == plan.tasks.len())
    }

    /// What a model had planned and then handed to nobody.
    pub(crate) fn planned_and_not_handed_out(&self) -> Vec<&'a Task> {
        // Where rules lead alone, everything is handed out.
        if self.transcript.exchanges().next().is_none() {
            return Vec::new();
        }
        let planned =
            self.transcript.sent().filter_map(|sent| sent.report.as_ref()?.1.payload.plan.as_ref()).next_back();
        planned.map_or_else(Vec::new, |plan| self.unworked(plan).collect())
    }

    /// The tasks of a plan that nobody was given under their titles.
    fn unworked<'p>(&self, plan: &'p Plan) -> impl Iterator<Item = &'p Task> {
        let given: Vec<&str> = self.researchers().map(|sent| sent.handoff.title.as_str()).collect();
        plan.tasks.iter().filter(move |task| !given.iter().any(|title| task.title.eq_ignore_ascii_case(title)))
    }

    /// Whether the person has gone through the findings after this was written.
    fn is_stale(&self, writer: &Sent) -> bool {
        let turns = &self.transcript.turns;
        let wrote =
            |turn: &&Turn| matches!(&turn.did, Did::HandOffs(sent) if sent.iter().any(|sent| sent.to == writer.to));
        let since = turns.iter().rev().take_while(|turn| !wrote(turn));
        since.into_iter().any(|turn| matches!(&turn.did, Did::Checkpoint(pause) if pause.of_findings().is_some()))
    }

    /// The plan with its tasks numbered apart from those that a model handed out before it.
    pub(super) fn apart(&self, mut plan: Plan) -> Plan {
        let taken = match self.transcript.relieved() {
            Some(_) => self.researchers().filter_map(|sent| sent.task).map(|id| id.0).max().unwrap_or(0),
            None => 0,
        };
        for task in &mut plan.tasks {
            let Task { id, after, .. } = task;
            after.iter_mut().chain([id]).for_each(|id: &mut TaskId| id.0 += taken);
        }
        plan
    }

    /// Whether the person has approved what there is, and nothing was found since.
    pub(crate) fn is_approved(&self) -> bool {
        let Some((turn, Answer::Approved { .. }, _)) = self.last_answer() else { return false };
        let since = self.transcript.turns[turn..].iter();
        let mut sent = since.flat_map(|turn| if let Did::HandOffs(sent) = &turn.did { &sent[..] } else { &[] });
        !sent.any(|sent| is_given(sent) && sent.report.as_ref().is_some_and(|(_, r)| !r.payload.findings().is_empty()))
    }

    /// What comes next on the way to findings that the person has approved.
    pub(crate) fn approval(&self) -> Step {
        let Some(plan) = self.adopted() else { return self.land("there is no plan") };
        match self.transcript.turns.last().map(|turn| &turn.did) {
            Some(Did::Checkpoint(pause)) => match pause.of_findings() {
                Some((Answer::More { task, wish }, findings)) => self.more(*task, wish, findings),
                _ => self.merge(plan, "all research is in"),
            },
            Some(Did::HandOffs(sent))
                if sent.first().is_some_and(|sent| self.order().merges() == Some(sent.role.as_str())) =>
            {
                self.pause(&sent[0])
            }
            _ => self.merge(plan, "all research is in"),
        }
    }
}
