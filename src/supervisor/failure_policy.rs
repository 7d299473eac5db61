//! What is done about work that failed: the failure policy of its role, step by step, read off the transcript.
//!
//! Nothing is remembered: how often a piece of work was tried, by which workers, and what the person answered stands there.

use super::fallback::untried;
use run::Outcome;
use run::attempt::Class;
use run::checkpoint::question::{self, AfterFailure, Question, Wants};
use run::id::AssignmentId;
use run::team::{FailureStep, Team, Worker};
use run::transcript::{Sent, Transcript};
use specialist::Sending;
use text::Clean;

/// The first pause before work is tried again; it doubles with each further time.
const FIRST_PAUSE_MS: u64 = 1_000;
/// The longest pause.
const LONGEST_PAUSE_MS: u64 = 60_000;

/// What is to be done about a piece of work.
#[expect(clippy::large_enum_variant, reason = "made once a turn and moved, never kept")]
pub(super) enum Due {
    /// Nothing: it was done, or the run goes on without it.
    Nothing,
    /// It is handed out again.
    Again(Sending),
    /// The person is asked.
    Ask(Question),
    /// The person was asked, and has not answered.
    Asked,
    /// The assignment that handed it out fails too, for this reason.
    Fail(String),
}

/// The work that an assignment has handed out, with the failure policies of its team.
#[derive(Clone, Copy)]
pub(super) struct Failures<'a> {
    /// The transcript of the assignment.
    pub transcript: &'a Transcript,
    /// The team, with a policy for each role.
    pub team: &'a Team,
}

impl<'a> Failures<'a> {
    /// Whether it was tried again since.
    pub(super) fn is_tried_again(&self, sent: &Sent) -> bool {
        let settled = self.is_accepted(sent) && sent.is_usable();
        !settled && self.transcript.sent().any(|other| other.again == Some(sent.to))
    }

    /// The workers who tried the same work up to this attempt, each once.
    pub(super) fn tried(&self, last: &'a Sent) -> Vec<Worker> {
        let mut tried: Vec<Worker> = Vec::new();
        for sent in self.transcript.attempts(last) {
            if !tried.contains(&sent.worker) {
                tried.push(sent.worker);
            }
        }
        tried
    }

    /// Whether its outcome is accepted before any other step of the policy.
    pub(super) fn is_accepted(&self, sent: &'a Sent) -> bool {
        match sent.report.as_ref().map(|(outcome, _)| outcome) {
            Some(Outcome::Failed(_)) | None => false,
            // What the rules made of what there was is not the end where another model can do the whole work.
            Some(Outcome::Partial(_))
                if (sent.failed_call.is_some() || sent.failed_answer)
                    && untried(self.team, &sent.role, &self.tried(sent)).next().is_some() =>
            {
                false
            }
            Some(Outcome::Partial(_)) => {
                self.policy(sent).iter().position(|step| *step == FailureStep::Partial).is_none_or(|at| at == 0)
            }
            Some(_) => true,
        }
    }

    pub(super) fn policy(&self, sent: &Sent) -> &'a [FailureStep] {
        self.team.members.get(&sent.role).map_or(&[], |member| &member.on_failure)
    }

    /// What is to be done about work whose last attempt this is.
    pub(super) fn due(&self, sent: &'a Sent) -> Due {
        let policy = self.policy(sent);
        let Some((outcome, _)) = sent.report.as_ref().filter(|_| !self.is_accepted(sent) && !policy.is_empty()) else {
            return Due::Nothing;
        };
        let attempts = self.transcript.attempts(sent);
        let (mut made, mut worker) = (1, attempts.first().map_or(Worker::Member, |first| first.worker));
        let mut tried = vec![worker];
        let is_in_part = !policy.contains(&FailureStep::Partial) && attempts.iter().any(|sent| sent.is_usable());
        // After the last step of the policy the person is asked; the run does not fail.
        let mut steps = policy.iter().copied().chain(std::iter::repeat(FailureStep::Ask));
        loop {
            let next = match steps.next().unwrap_or(FailureStep::Ask) {
                FailureStep::Skip => return Due::Nothing,
                FailureStep::Fail => return Due::Fail(format!("the {} {outcome}", sent.role)),
                FailureStep::Partial => {
                    if attempts.iter().any(|sent| sent.is_usable()) {
                        return Due::Nothing;
                    }
                    continue;
                }
                // The same model would fail at it again.
                FailureStep::Retry if attempts[made - 1].failed_call.is_some_and(Class::is_permanent) => continue,
                // It was corrected as often as it may be: from scratch it would do no better.
                FailureStep::Retry if attempts[made - 1].failed_answer => continue,
                FailureStep::Retry => worker,
                FailureStep::Failover => match self.team.next_fallback(&sent.role, &tried) {
                    Some(other) => other,
                    None => continue,
                },
                // What an earlier attempt brought in part is enough where no step asks for more.
                FailureStep::Ask if is_in_part => return Due::Nothing,
                FailureStep::Ask => match attempts.get(made - 1).and_then(|attempt| self.answer_about(attempt.to)) {
                    None => return self.ask(attempts[made - 1], || question(sent, outcome, attempts.len())),
                    Some(AfterFailure::TryAgain) => worker,
                    Some(AfterFailure::Stop) => return Due::Fail(format!("the {} {outcome}", sent.role)),
                    Some(AfterFailure::GoOnWithout) => return Due::Nothing,
                },
            };
            if attempts.len() <= made {
                let pause = if next == worker { pause_ms(made) } else { 0 };
                return Due::Again(again(sent, next, pause));
            }
            // Where its model refused all calls, another one was given the work.
            (made, worker) = (made + 1, attempts[made].worker);
            if !tried.contains(&worker) {
                tried.push(worker);
            }
        }
    }

    /// Asks the person about an assignment that failed, once.
    pub(super) fn ask(&self, failed: &Sent, question: impl FnOnce() -> Question) -> Due {
        let is_asked = self.transcript.questions().any(|(question, _)| question.about == Some(failed.to));
        if is_asked { Due::Asked } else { Due::Ask(question()) }
    }

    /// What the person answered about an assignment that failed.
    pub(super) fn answer_about(&self, failed: AssignmentId) -> Option<AfterFailure> {
        self.transcript.questions().find_map(|(question, answer)| match answer {
            Some(question::Answer::AfterFailure(what)) if question.about == Some(failed) => Some(*what),
            _ => None,
        })
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
        text: format!("What becomes of “{title}”? The {role} {outcome}.{times}").into(),
        about: Some(sent.to),
        wants: Wants::AfterFailure,
    }
}
