//! The stages of a brief as a table, from the last to the first: the first row whose condition holds gives the next
//! step.
//!
//! Conditions read only the supervisor's transcript. So the same table leads a run from the beginning, takes over from
//! a relieved model, waits for retried work, and lands a run that cannot continue.

use super::drafts::draft_of;
use super::planning::plan_of;
use super::{Progress, memory};
use crate::delegation::{is_task, task_handoffs};
use crate::failure_policy::came_to_nothing;
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
    /// The supervisor has one turn left, so nothing more begins.
    LastTurn,
    /// The last step was refused.
    Refused,
    /// Work other than tasks failed, and its failure policy has a step for it.
    Failed,
    /// Work other than tasks, or an answer of the person, is pending.
    UnderWay,
    /// Every gate and the reviewer have checked the draft.
    Checked,
    /// There is a draft.
    Written,
    /// The writer returned no draft, and may not be asked again.
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
    /// The planner reported.
    PlannerBack,
    /// Memory was asked for its notes.
    Recalled,
    /// The run has its question.
    Opened,
}

/// A stage, and its step if its condition holds.
type Row = (Reached, fn(&Progress<'_>) -> Option<Step>);

const OUT_OF_TURNS: &str = "the supervisor ran out of turns";

const STAGES: [Row; 15] = [
    (Reached::LastTurn, |run| (run.turns_left <= 1).then(|| run.land_once_all_is_back(OUT_OF_TURNS))),
    (Reached::Refused, |run| run.refused().map(|why| run.land_once_all_is_back(why))),
    (Reached::Failed, |run| run.failed_besides_tasks()),
    (Reached::UnderWay, |run| run.is_under_way().then_some(Step::Wait)),
    (Reached::Checked, |run| run.draft().filter(|_| run.unasked().is_empty()).map(|_| run.judge())),
    (Reached::Written, |run| run.draft().map(|writer| run.check(writer))),
    (Reached::Unwritten, |run| run.no_draft().map(|why| run.written_by_rule().unwrap_or_else(|| run.land(&why)))),
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
    /// The step of the first row, starting at a given one, whose condition holds.
    pub(crate) fn next_from(&self, first: Reached) -> Step {
        // The last row has no condition.
        self.stage_from(first).map_or(Step::Wait, |(_, step)| step)
    }

    fn stage_from(&self, first: Reached) -> Option<(Reached, Step)> {
        let mut rows = STAGES.iter().skip_while(|(reached, _)| *reached != first);
        rows.find_map(|(reached, step)| Some((*reached, step(self)?)))
    }

    /// Waits for work under way, then lands.
    fn land_once_all_is_back(&self, why: &str) -> Step {
        if self.is_waiting() { Step::Wait } else { self.land(why) }
    }

    /// The reason why the last step was refused, if it was. Questions to the person and handoffs to memory do not count. A refused
    /// editor's tasks are handed out directly.
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

    /// The writer's handoff that returned the last draft; not one from before the person's last answer about findings,
    /// if another draft may be written.
    fn draft(&self) -> Option<&'a Sent> {
        let (turn, writer) = self.last_writer()?;
        let is_stale = self.last_answer().is_some_and(|(answered, ..)| answered > turn);
        (draft_of(writer).is_some() && !(is_stale && self.may_be_revised())).then_some(writer)
    }

    /// The reason why there will be no draft: the writer returned none. A relieved model's draft is requested again.
    fn no_draft(&self) -> Option<String> {
        // If the same agent finds and writes, its failure is that of its task.
        if self.order().is_alone() {
            return None;
        }
        let (turn, writer) = self.last_writer().filter(|(_, writer)| draft_of(writer).is_none())?;
        let (outcome, _) = writer.report.as_ref()?;
        (self.is_own(turn) || !self.may_be_revised()).then(|| came_to_nothing(writer, outcome))
    }

    fn last_writer(&self) -> Option<(usize, &'a Sent)> {
        let writer = self.drafts().last()?;
        self.handed_out().find(|(_, sent)| sent.to == writer.to)
    }

    /// Whether the person has approved the findings, and nothing was found since.
    pub(crate) fn is_approved(&self) -> bool {
        let Some((answered, Answer::Approved { .. }, _)) = self.last_answer() else { return false };
        !self.handed_out().any(|(turn, sent)| turn > answered && is_task(sent) && has_findings(sent))
    }

    /// The person's request for more, if nothing was handed out since: the task or None for all, their words, and the
    /// findings.
    fn wanted(&self) -> Option<(Option<TaskId>, &'a Clean, &'a [Finding])> {
        match self.last_answer()? {
            (turn, Answer::More { task, wish }, findings) if self.last_task() < Some(turn) => {
                Some((*task, wish, findings))
            }
            _ => None,
        }
    }

    /// The merger, if it has all findings and the person has not seen the result.
    fn merger(&self) -> Option<&'a Sent> {
        let (turn, merger) = self.last_to(self.order().merges()?)?;
        let answered = self.last_answer().map(|(turn, ..)| turn);
        (Some(turn) > self.last_task().max(answered)).then_some(merger)
    }

    /// The index of the last turn that handed out tasks.
    fn last_task(&self) -> Option<usize> {
        self.handed_out().rfind(|(_, sent)| is_task(sent)).map(|(turn, _)| turn)
    }

    /// The plan, if the rules adopted it or it produced something. A model's plan whose tasks found nothing is dropped
    /// as badly cut.
    fn plan_to_work_on(&self) -> Option<&'a Plan> {
        let (turn, plan) = self.plans().next_back()?;
        let led_on = |sent: &Sent| sent.report.is_none() || has_findings(sent);
        let is_begun = |task: &Task| task_handoffs(self.transcript).any(|sent| sent.task == Some(task.id));
        let counts =
            self.is_own(turn) || task_handoffs(self.transcript).any(led_on) || !plan.tasks.iter().all(is_begun);
        counts.then_some(plan)
    }

    /// The person's answer about a plan, if nothing has followed from it yet.
    fn plan_answer(&self) -> Option<(&'a plan::Answer, &'a Plan)> {
        let (turn, answered) = self.last_pause(Pause::of_plan)?;
        let adopted = self.plans().next_back().map(|(turn, _)| turn);
        let planner = self.order().plans().and_then(|role| self.last_to(role)).map(|(turn, _)| turn);
        (Some(turn) > adopted.max(planner)).then_some(answered)
    }

    /// The last handoff to the planner, with the index of its turn. One by a relieved model counts if no task of it was
    /// handed out.
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
