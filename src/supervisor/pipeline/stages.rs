//! The stages of a brief as a table, from the last to the first: the first row whose need is met has the next step.
//!
//! What a row needs are facts of the supervisor's transcript, and nothing else. So the same table leads a run from its
//! beginning, goes on where a model that led was relieved, waits for work that is tried again, and lands a run that
//! can go no further.

use super::drafts::draft_of;
use super::planning::plan_of;
use super::{Progress, memory};
use crate::delegation::{given, is_task};
use run::checkpoint::findings::Answer;
use run::checkpoint::plan;
use run::finding::Finding;
use run::id::{Role, TaskId};
use run::plan::{Plan, Task};
use run::transcript::{Did, Pause, Sent};
use specialist::Step;
use text::Clean;

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// The supervisor has one turn left, so nothing more is begun.
    LastTurn,
    /// The last step was refused before it was done.
    Refused,
    /// Work besides tasks failed, and its failure policy has a step for it.
    Failed,
    /// Work besides tasks, or an answer of the person, is to come.
    UnderWay,
    /// The draft has been through every gate and the reviewer.
    Checked,
    /// There is a draft.
    Written,
    /// The writer brought no draft, and may not be asked again.
    Unwritten,
    /// The findings are approved, and nothing was found since.
    Approved,
    /// The person asked for more, and nothing was handed out since.
    MoreWanted,
    /// The findings are merged.
    Merged,
    /// There is a plan.
    Planned,
    /// The person answered about the plan.
    PlanAnswered,
    /// The planner has reported.
    PlannerBack,
    /// Memory was asked what earlier runs have kept.
    Recalled,
    /// The question is there.
    Opened,
}

/// A stage, and the step that follows if what the stage needs is there.
type Row = (Reached, fn(&Progress<'_>) -> Option<Step>);

const OUT_OF_TURNS: &str = "the supervisor ran out of turns";

const STAGES: [Row; 15] = [
    (Reached::LastTurn, |run| (run.turns_left <= 1).then(|| run.land_once_all_is_back(OUT_OF_TURNS))),
    (Reached::Refused, |run| run.refused().map(|why| run.land_once_all_is_back(why))),
    (Reached::Failed, |run| run.failed_besides_tasks()),
    (Reached::UnderWay, |run| run.is_under_way().then_some(Step::Wait)),
    (Reached::Checked, |run| run.draft().filter(|_| run.unasked().is_empty()).map(|_| run.judge())),
    (Reached::Written, |run| run.draft().map(|writer| run.check(writer))),
    (Reached::Unwritten, |run| run.no_draft().map(|why| run.land(&why))),
    (Reached::Approved, |run| run.is_approved().then(|| run.write(run.sent_back().as_ref()))),
    (Reached::MoreWanted, |run| run.wanted().map(|(task, wish, findings)| run.more(task, wish, findings))),
    (Reached::Merged, |run| run.merger().map(|merger| run.put_findings(merger))),
    (Reached::Planned, |run| run.plan_to_work_on().map(|plan| run.research(plan))),
    (Reached::PlanAnswered, |run| run.plan_answer().map(|(answer, plan)| run.answered(answer, plan))),
    (Reached::PlannerBack, |run| run.planner().map(|(turn, planner)| run.planned(turn, planner))),
    (Reached::Recalled, |run| run.handed_out().any(|(_, sent)| memory::is_memory(sent)).then(|| run.cut())),
    (Reached::Opened, |run| Some(run.begin())),
];

impl<'a> Progress<'a> {
    /// The step of the first row whose need is met, from a row on.
    pub(crate) fn next_from(&self, first: Reached) -> Step {
        // The last row needs nothing.
        self.stage_from(first).map_or(Step::Wait, |(_, step)| step)
    }

    fn stage_from(&self, first: Reached) -> Option<(Reached, Step)> {
        let mut rows = STAGES.iter().skip_while(|(reached, _)| *reached != first);
        rows.find_map(|(reached, step)| Some((*reached, step(self)?)))
    }

    /// Work that is under way is still taken in.
    fn land_once_all_is_back(&self, why: &str) -> Step {
        if self.is_waiting() { Step::Wait } else { self.land(why) }
    }

    /// Why the last step was refused, if it was; questions to the person and telling memory what to keep do not count. Without
    /// an editor its tasks are handed out one by one.
    fn refused(&self) -> Option<&'a Clean> {
        let is_question = |did: &Did| matches!(did, Did::Checkpoint(pause) if pause.of_question().is_some());
        let mut turns = self.transcript.turns.iter().rev();
        match &turns.find(|turn| !is_question(&turn.did) && !memory::is_keeping(turn))?.did {
            Did::Refused { unsent: Some(unsent), .. } if unsent.role.as_str() == Role::EDITOR => None,
            Did::Refused { why, .. } => Some(why),
            _ => None,
        }
    }

    fn is_under_way(&self) -> bool {
        self.transcript.waits() || self.transcript.sent().any(|sent| !is_task(sent) && sent.report.is_none())
    }

    /// The handoff to the writer that brought the last draft. One from before the person went through the findings again
    /// is none, if another may be written.
    fn draft(&self) -> Option<&'a Sent> {
        let (turn, writer) = self.last_writer()?;
        let is_stale = self.last_answer().is_some_and(|(answered, ..)| answered > turn);
        (draft_of(writer).is_some() && !(is_stale && self.may_be_revised())).then_some(writer)
    }

    /// Why there will be no draft: the writer brought none. One that a model had asked is asked again.
    fn no_draft(&self) -> Option<String> {
        // Where the same agent finds and writes, its failure is that of its task.
        if self.order().is_alone() {
            return None;
        }
        let (turn, writer) = self.last_writer().filter(|(_, writer)| draft_of(writer).is_none())?;
        let (outcome, _) = writer.report.as_ref()?;
        (self.is_own(turn) || !self.may_be_revised()).then(|| format!("the writer {outcome}"))
    }

    fn last_writer(&self) -> Option<(usize, &'a Sent)> {
        let writer = self.drafts().last()?;
        self.handed_out().find(|(_, sent)| sent.to == writer.to)
    }

    /// Whether the person has approved what there is, and nothing was found since.
    pub(crate) fn is_approved(&self) -> bool {
        let Some((answered, Answer::Approved { .. }, _)) = self.last_answer() else { return false };
        !self.handed_out().any(|(turn, sent)| turn > answered && is_task(sent) && has_findings(sent))
    }

    /// What the person wants more of, if nothing was handed out since: a task or all, in their words, and the findings.
    fn wanted(&self) -> Option<(Option<TaskId>, &'a Clean, &'a [Finding])> {
        match self.last_answer()? {
            (turn, Answer::More { task, wish }, findings) if self.last_task() < Some(turn) => {
                Some((*task, wish, findings))
            }
            _ => None,
        }
    }

    /// The merger, if it has all findings and the person has not seen what it merged.
    fn merger(&self) -> Option<&'a Sent> {
        let (turn, merger) = self.last_to(self.order().merges()?)?;
        let answered = self.last_answer().map(|(turn, ..)| turn);
        (Some(turn) > self.last_task().max(answered)).then_some(merger)
    }

    /// The index of the last turn at which tasks were handed out.
    fn last_task(&self) -> Option<usize> {
        self.handed_out().rfind(|(_, sent)| is_task(sent)).map(|(turn, _)| turn)
    }

    /// The plan, if the rules adopted it or it led to something: where the tasks of a model found nothing, it has cut the
    /// question badly.
    fn plan_to_work_on(&self) -> Option<&'a Plan> {
        let (turn, plan) = self.plans().next_back()?;
        let led_on = |sent: &Sent| sent.report.is_none() || has_findings(sent);
        let is_begun = |task: &Task| given(self.transcript).any(|sent| sent.task == Some(task.id));
        let counts = self.is_own(turn) || given(self.transcript).any(led_on) || !plan.tasks.iter().all(is_begun);
        counts.then_some(plan)
    }

    /// What the person answered about a plan, if nothing came of that yet.
    fn plan_answer(&self) -> Option<(&'a plan::Answer, &'a Plan)> {
        let (turn, answered) = self.last_pause(Pause::of_plan)?;
        let adopted = self.plans().next_back().map(|(turn, _)| turn);
        let planner = self.order().plans().and_then(|role| self.last_to(role)).map(|(turn, _)| turn);
        (Some(turn) > adopted.max(planner)).then_some(answered)
    }

    /// The last handoff to the planner, with the index of its turn. What a model had planned counts if it handed out
    /// nothing of it.
    fn planner(&self) -> Option<(usize, &'a Sent)> {
        let plans = self.order().plans()?;
        let planners = self.handed_out().filter(|(_, sent)| sent.role.as_str() == plans);
        let (turn, planner) = planners.rev().find(|(turn, sent)| self.is_own(*turn) || plan_of(sent).is_some())?;
        let is_unused = || plan_of(planner).is_some_and(|plan| self.is_unused(turn, plan));
        (self.is_own(turn) || is_unused()).then_some((turn, planner))
    }
}

/// Whether the report of a handoff has findings.
pub(crate) fn has_findings(sent: &Sent) -> bool {
    sent.report.as_ref().is_some_and(|(_, report)| !report.payload.findings().is_empty())
}

#[cfg(test)]
mod tests;
