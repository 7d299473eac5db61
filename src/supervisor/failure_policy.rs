//! Failure policies: the next step for failed work, by the policy of its role.
//!
//! No state is kept: the attempts, their workers and the person's answers are read from the transcript.

use super::fallback::untried;
use run::Outcome;
use run::checkpoint::question::{self, AfterFailure, Question, Wants};
use run::id::AssignmentId;
use run::team::{FailureStep, Team, Worker};
use run::transcript::{Sent, Transcript};
use specialist::Sending;
use text::Clean;

/// The first pause before a retry; it doubles each time.
const FIRST_PAUSE_MS: u64 = 1_000;
/// The longest pause.
const LONGEST_PAUSE_MS: u64 = 60_000;

/// The next step for a piece of work.
#[expect(clippy::large_enum_variant, reason = "made once a turn and moved, never kept")]
pub(super) enum Due {
    /// Nothing: it is done, or the run continues without it.
    Nothing,
    /// Hand it out again.
    Again(Sending),
    /// Ask the person.
    Ask(Question),
    /// Wait: the person was asked and has not answered.
    Asked,
    /// Fail the assignment that handed it out, for this reason.
    Fail(String),
}

/// The work that an assignment has handed out, and the failure policies of its team.
#[derive(Clone, Copy)]
pub(super) struct Failures<'a> {
    /// The transcript of the assignment.
    pub transcript: &'a Transcript,
    /// The team, with a policy for each role.
    pub team: &'a Team,
}

impl<'a> Failures<'a> {
    /// Whether a later attempt was made.
    pub(super) fn is_tried_again(&self, sent: &Sent) -> bool {
        let settled = self.is_accepted(sent) && sent.is_usable();
        !settled && self.transcript.sent().any(|other| other.again == Some(sent.to))
    }

    /// The workers of the attempts up to this one, without repeats.
    pub(super) fn tried(&self, last: &'a Sent) -> Vec<Worker> {
        let mut tried: Vec<Worker> = Vec::new();
        for sent in self.transcript.attempts(last) {
            if !tried.contains(&sent.worker) {
                tried.push(sent.worker);
            }
        }
        tried
    }

    /// Whether its outcome is accepted before any later step of the policy.
    pub(super) fn is_accepted(&self, sent: &'a Sent) -> bool {
        match sent.report.as_ref().map(|(outcome, _)| outcome) {
            Some(Outcome::Failed(_)) | None => false,
            // A partial result by rule is not accepted while another model can still do the whole work.
            Some(Outcome::Partial(_))
                if (sent.failed_call.is_some() || sent.failed_answer) && self.has_untried(sent, &self.tried(sent)) =>
            {
                false
            }
            Some(Outcome::Partial(_)) => {
                self.policy(sent).iter().position(|step| *step == FailureStep::Partial).is_none_or(|at| at == 0)
            }
            Some(_) => true,
        }
    }

    /// Whether to hand out work that failed so to the same model again is of no use: it would fail again or may be paid for again,
    /// or the next model has not been asked, and the failed call was tried again already.
    fn is_no_use(&self, failed: &Sent, tried: &[Worker]) -> bool {
        failed.failed_call.is_some_and(|class| class.is_final() || self.has_untried(failed, tried))
    }

    /// Whether the policy has another model for this work, after these workers.
    fn has_untried(&self, sent: &Sent, tried: &[Worker]) -> bool {
        untried(self.team, &sent.role, tried).next().is_some()
    }

    pub(super) fn policy(&self, sent: &Sent) -> &'a [FailureStep] {
        self.team.members.get(&sent.role).map_or(&[], |member| &member.on_failure)
    }

    /// The next step for work, given its last attempt.
    pub(super) fn due(&self, sent: &'a Sent) -> Due {
        let policy = self.policy(sent);
        let Some((outcome, _)) = sent.report.as_ref().filter(|_| !self.is_accepted(sent) && !policy.is_empty()) else {
            return Due::Nothing;
        };
        let attempts = self.transcript.attempts(sent);
        let (mut made, mut worker) = (1, attempts.first().map_or(Worker::Member, |first| first.worker));
        let mut tried = vec![worker];
        let is_in_part = !policy.contains(&FailureStep::Partial) && attempts.iter().any(|sent| sent.is_usable());
        // After the last step of the policy, ask the person: the run does not fail.
        let mut steps = policy.iter().copied().chain(std::iter::repeat(FailureStep::Ask));
        loop {
            let next = match steps.next().unwrap_or(FailureStep::Ask) {
                FailureStep::Skip => return Due::Nothing,
                FailureStep::Fail => return Due::Fail(came_to_nothing(sent, outcome)),
                FailureStep::Partial => {
                    if attempts.iter().any(|sent| sent.is_usable()) {
                        return Due::Nothing;
                    }
                    continue;
                }
                FailureStep::Retry
                    if self.is_no_use(attempts[made - 1], &tried)
                        // A retry on record was made.
                        && attempts.get(made).is_none_or(|next| next.worker != worker) =>
                {
                    continue;
                }
                // Its answer was corrected as often as allowed; starting over would be no better.
                FailureStep::Retry if attempts[made - 1].failed_answer => continue,
                FailureStep::Retry => worker,
                FailureStep::Failover => match self.team.next_fallback(&sent.role, &tried) {
                    Some(other) => other,
                    None => continue,
                },
                // A partial result of an earlier attempt is enough if no step asks for more.
                FailureStep::Ask if is_in_part => return Due::Nothing,
                FailureStep::Ask => match attempts.get(made - 1).and_then(|attempt| self.answer_about(attempt.to)) {
                    None => return self.ask(attempts[made - 1], || question(sent, outcome, attempts.len())),
                    Some(AfterFailure::TryAgain) => worker,
                    Some(AfterFailure::Stop) => return Due::Fail(came_to_nothing(sent, outcome)),
                    Some(AfterFailure::GoOnWithout) => return Due::Nothing,
                },
            };
            if attempts.len() <= made {
                let pause = if next == worker { pause_ms(made) } else { 0 };
                return Due::Again(again(sent, next, pause));
            }
            // If a model refused all calls, the attempt had another worker.
            (made, worker) = (made + 1, attempts[made].worker);
            if !tried.contains(&worker) {
                tried.push(worker);
            }
        }
    }

    /// Asks the person about a failed assignment, once.
    pub(super) fn ask(&self, failed: &Sent, question: impl FnOnce() -> Question) -> Due {
        let is_asked = self.transcript.questions().any(|(question, _)| question.about == Some(failed.to));
        if is_asked { Due::Asked } else { Due::Ask(question()) }
    }

    /// The person's answer about a failed assignment.
    pub(super) fn answer_about(&self, failed: AssignmentId) -> Option<AfterFailure> {
        self.transcript.questions().find_map(|(question, answer)| match answer {
            Some(question::Answer::AfterFailure(what)) if question.about == Some(failed) => Some(*what),
            _ => None,
        })
    }
}

/// The end of work without a usable result, as a clause: "the writer failed: no luck". Where the person ended it, in their report's words.
pub(super) fn came_to_nothing(sent: &Sent, outcome: &Outcome) -> String {
    let said = sent.report.as_ref().and_then(|(_, report)| report.payload.notes().first());
    match (outcome, said) {
        (Outcome::Cancelled, Some(said)) => said.to_string(),
        _ => format!("the {} {}", sent.role, came_to(outcome)),
    }
}

/// An outcome without a usable result, in words.
pub(super) fn came_to(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NothingFound => "found nothing".into(),
        Outcome::Cancelled => "was cancelled".into(),
        other => other.to_string(),
    }
}

pub(super) fn again(sent: &Sent, worker: Worker, after_ms: u64) -> Sending {
    let (again, payload) = (Some(sent.to), sent.handoff.payload.clone());
    Sending {
        task: sent.task,
        worker,
        again,
        after_ms,
        ..Sending::new(&sent.role, sent.handoff.title.clone(), payload)
    }
}

pub(super) fn pause_ms(made: usize) -> u64 {
    let doublings = u32::try_from(made - 1).unwrap_or(u32::MAX);
    FIRST_PAUSE_MS.saturating_mul(2_u64.saturating_pow(doublings)).min(LONGEST_PAUSE_MS)
}

pub(super) fn question(sent: &Sent, outcome: &Outcome, tried: usize) -> Question {
    let (role, title) = (&sent.role, &sent.handoff.title);
    let times = if tried == 1 { String::new() } else { format!(" It was tried {tried} times.") };
    Question {
        title: Clean::line(&format!("{role} · {title} did not work out")),
        text: format!("What becomes of “{title}”? The {role} {}.{times}", came_to(outcome)).into(),
        about: Some(sent.to),
        wants: Wants::AfterFailure,
    }
}
