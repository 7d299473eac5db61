//! The pipeline leads a run by rules: plan → research in parallel → merge → \[you\] → write → gates and review → revise
//! → brief.
//!
//! One table, `stages.rs`, derives the next step from the supervisor's transcript, also after a model has led.

mod drafts;
mod landing;
mod memory;
mod planning;
mod quotes;
mod research;
mod reviewed;
mod stages;
mod whole;
mod withheld;

use std::cell::OnceCell;

use super::delegation::{TaskAttempt, in_turn, is_task, standing};
use super::failure_policy::{Due, Failures};
use run::checkpoint::{Approver, Subject, findings};
use run::finding::Finding;
use run::id::Role;
use run::plan::Plan;
use run::stage::Stage;
use run::team::{Order, Team};
use run::transcript::{Did, Pause, Sent, Transcript};
use run::{Outcome, Payload};
use specialist::{Assigned, Sending, Specialist, Step};
use text::Clean;
use text::listed::title_of;
use whole::Known;

pub(super) use drafts::{Judged, draft_of};
pub(super) use planning::plan_of;
pub(super) use stages::{Reached, has_findings};

/// Leads a run by a fixed order of stages.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline<'a> {
    team: &'a Team,
}

impl<'a> Pipeline<'a> {
    /// The pipeline of this team.
    pub fn new(team: &'a Team) -> Pipeline<'a> {
        Pipeline { team }
    }
}

impl Specialist for Pipeline<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let progress = Progress::new(transcript, self.team, assigned.turns_left);
        progress.keeping(progress.next_from(Reached::LastTurn))
    }
}

/// The progress of a run, read from the transcript of its supervisor.
pub(super) struct Progress<'a> {
    pub(super) transcript: &'a Transcript,
    pub(super) team: &'a Team,
    /// Turns that the supervisor has left.
    pub(super) turns_left: u32,
    /// The points of the question and the findings on them, read once.
    known: OnceCell<Option<Known>>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(transcript: &'a Transcript, team: &'a Team, turns_left: u32) -> Progress<'a> {
        Progress { transcript, team, turns_left, known: OnceCell::new() }
    }

    /// The progress of the same run with another transcript.
    pub(super) fn at<'t>(&self, transcript: &'t Transcript) -> Progress<'t>
    where
        'a: 't,
    {
        Progress::new(transcript, self.team, self.turns_left)
    }

    pub(super) fn order(&self) -> Order {
        self.team.order
    }

    pub(super) fn question(&self) -> Clean {
        self.transcript.handoff.payload.question.clone().unwrap_or_default()
    }

    /// The title of a brief without a writer.
    fn title(&self) -> Clean {
        title_of(&self.question())
    }

    pub(super) fn words(&self) -> u32 {
        self.transcript.handoff.payload.length.unwrap_or(500)
    }

    /// The question and the length as the writer last got them: the person may have changed them at a breakpoint.
    pub(super) fn for_writer(&self) -> (Clean, u32) {
        let last = self.last_to(self.order().writes()).map(|(_, sent)| &sent.handoff.payload);
        // One of many who share a long list is given a part of it.
        let question = last.filter(|last| last.task.is_none()).and_then(|last| last.question.clone());
        (question.unwrap_or_else(|| self.question()), last.and_then(|last| last.length).unwrap_or_else(|| self.words()))
    }

    /// Every handoff so far with the index of its turn, in order.
    fn handed_out(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Sent)> {
        let turns = self.transcript.turns.iter().enumerate();
        turns.flat_map(|(turn, it)| in_turn(it).iter().map(move |sent| (turn, sent)))
    }

    /// The last handoff to a role, with the index of its turn.
    fn last_to(&self, role: &str) -> Option<(usize, &'a Sent)> {
        self.handed_out().rfind(|(_, sent)| sent.role.as_str() == role)
    }

    /// Every plan that was adopted so far with the index of its turn, in order.
    fn plans(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Plan)> {
        let turns = self.transcript.turns.iter().enumerate();
        turns.filter_map(|(turn, it)| if let Did::Adopted(plan) = &it.did { Some((turn, &**plan)) } else { None })
    }

    /// The plan that was adopted last.
    pub(super) fn adopted(&self) -> Option<&'a Plan> {
        self.plans().next_back().map(|(_, plan)| plan)
    }

    /// The last answered checkpoint of a kind, with the index of its turn.
    fn last_pause<T>(&self, of: impl Fn(&'a Pause) -> Option<T>) -> Option<(usize, T)> {
        self.transcript.turns.iter().enumerate().rev().find_map(|(turn, it)| match &it.did {
            Did::Checkpoint(pause) => of(pause).map(|of| (turn, of)),
            _ => None,
        })
    }

    /// The last answer of the person about findings: the index of its turn, the answer, and the findings as they left
    /// them.
    pub(super) fn last_answer(&self) -> Option<(usize, &'a findings::Answer, &'a [Finding])> {
        self.last_pause(Pause::of_findings).map(|(turn, (answer, findings))| (turn, answer, findings))
    }

    /// The findings that a brief may rest on: those the person approved, or those of a single agent that does
    /// everything.
    pub(super) fn approved(&self) -> Vec<Finding> {
        if self.order().is_alone() {
            return self.drafts().last().map_or_else(Vec::new, |writer| self.findings_of(writer));
        }
        findings::approved(self.last_answer().map_or(&[], |(_, _, findings)| findings))
    }

    /// Whether the current leader took a turn, not a model that the rules have relieved.
    fn is_own(&self, turn: usize) -> bool {
        self.taken_over().is_none_or(|since| turn >= since)
    }

    /// The index of the turn at which the rules relieved a model.
    fn taken_over(&self) -> Option<usize> {
        self.transcript.turns.iter().position(|turn| matches!(turn.did, Did::Relieved { to: None }))
    }

    /// Whether a policy gave the last answer that the run asked for.
    pub(super) fn is_nobody_there(&self) -> bool {
        let answered = |pause: &'a Pause| pause.answer.as_ref().and(pause.by);
        self.last_pause(answered).is_some_and(|(_, by)| by == Approver::Policy)
    }

    fn is_led_by_model(&self) -> bool {
        self.transcript.exchanges().next().is_some() && self.taken_over().is_none()
    }

    /// Whether a handoff has no report yet.
    pub(super) fn is_waiting(&self) -> bool {
        self.transcript.sent().any(|sent| sent.report.is_none())
    }

    /// The attempts that count: not those at tasks of a model's plan that the rules dropped.
    fn counted(&self, of: Vec<TaskAttempt>) -> Vec<TaskAttempt> {
        let plan = self.adopted().filter(|_| self.taken_over().is_some());
        let is_given_up =
            |attempt: &TaskAttempt| plan.zip(attempt.task).is_some_and(|(plan, id)| plan.task(id).is_none());
        of.into_iter().filter(|attempt| !is_given_up(attempt)).collect()
    }

    /// Attempts whose outcome still counts.
    fn standing(&self) -> Vec<TaskAttempt> {
        self.counted(standing(self.failures()))
    }

    /// The work that was handed out, and the failure policies of the team.
    pub(super) fn failures(&self) -> Failures<'a> {
        Failures { transcript: self.transcript, team: self.team }
    }

    /// The next step of the failure policies for failed work other than tasks; None if there is none. Work that a model handed out
    /// before it was relieved is left as it is.
    fn failed_besides_tasks(&self) -> Option<Step> {
        let due = self.failed_since(self.taken_over().unwrap_or(0), |sent| !is_task(sent));
        let fails = due.iter().find_map(|(_, due)| if let Due::Fail(why) = due { Some(why) } else { None });
        if let Some(why) = fails.filter(|_| !self.is_waiting()) {
            return Some(self.land(why));
        }
        let ask = due.iter().find_map(|(_, due)| match due {
            Due::Ask(question) => Some(Step::Checkpoint(Subject::Question(question.clone()))),
            Due::Asked => Some(Step::Wait),
            _ => None,
        });
        again(due).or(ask)
    }

    /// Hands out again, of the work handed out since a turn, the part that its failure policy retries without asking. The leading
    /// model judges the rest.
    pub(super) fn tried_again(&self, since: usize) -> Option<Step> {
        again(self.failed_since(since, |_| true))
    }

    /// The due actions with their stages, for the last attempts at work handed out since a turn. A failed memory is ignored.
    fn failed_since(&self, since: usize, is: fn(&Sent) -> bool) -> Vec<(Stage, Due)> {
        let failures = self.failures();
        let handed_out =
            self.handed_out().filter(|(turn, sent)| *turn >= since && is(sent) && !memory::is_memory(sent));
        let last = handed_out.filter(|(_, sent)| !failures.is_tried_again(sent));
        last.map(|(turn, sent)| (self.transcript.turns[turn].stage, failures.due(sent))).collect()
    }
}

/// Hands out again the work that is due for a retry.
fn again(due: Vec<(Stage, Due)>) -> Option<Step> {
    let again = |(stage, due)| if let Due::Again(sending) = due { Some((stage, sending)) } else { None };
    let (stages, again): (Vec<Stage>, Vec<Sending>) = due.into_iter().filter_map(again).unzip();
    stages.first().map(|stage| hand_off(*stage, "what failed is tried again", again))
}

fn failed(why: String) -> Step {
    let payload = Payload::note(why.as_str());
    Step::Report { outcome: Outcome::Failed(why.into()), title: "failed".into(), payload }
}

pub(super) fn hand_off(stage: impl Into<Stage>, why: &str, handoffs: Vec<Sending>) -> Step {
    Step::HandOff { stage: stage.into(), why: why.into(), handoffs }
}

pub(super) fn sending(role: &str, title: &str, payload: Payload) -> Sending {
    Sending::new(&Role::new(role), title, payload)
}
