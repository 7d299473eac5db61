//! The phase of a run, in one word. It decides nothing: `decide` reads the due steps from the state itself.

use super::Run;
use crate::handoff::Outcome;
use crate::id::Role;
use crate::stage::{Leading, Stage};

/// The phase of a run, in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The sources are being read.
    Reading,
    /// The question is being cut into tasks.
    Planning,
    /// The model that leads decides on the next step.
    Deciding,
    /// Researchers are at work.
    Researching,
    /// Findings are being merged.
    Merging,
    /// Another program works on it: it is imported, and has not ended.
    Elsewhere,
    /// It waits for the person.
    NeedsYou,
    /// The brief is being written.
    Writing,
    /// The draft is being checked.
    Reviewing,
    /// The findings are being kept for later runs.
    Keeping,
    /// The person has paused it.
    Paused,
    /// It has ended.
    Ended(Outcome),
}

impl Phase {
    /// The phase in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Planning => "planning",
            Phase::Deciding => "deciding",
            Phase::Researching => "researching",
            Phase::Merging => "merging",
            Phase::Elsewhere => "running",
            Phase::NeedsYou => "needs you",
            Phase::Writing => "writing",
            Phase::Reviewing => "reviewing",
            Phase::Keeping => "keeping notes",
            Phase::Paused => "paused",
            Phase::Ended(outcome) => outcome.word(),
        }
    }
}

impl Run {
    /// The phase of the run.
    pub fn phase(&self) -> Phase {
        if let Some(outcome) = self.ended() {
            return Phase::Ended(outcome.clone());
        }
        if self.is_imported() {
            return Phase::Elsewhere;
        }
        if self.is_at_a_checkpoint() || (self.under_way.is_empty() && self.asks().is_some()) {
            return Phase::NeedsYou;
        }
        if self.paused {
            return Phase::Paused;
        }
        if self.corpus.is_none() {
            return Phase::Reading;
        }
        let doing = |role: &str| self.open().any(|assignment| assignment.role.as_str() == role);
        if doing(Role::RESEARCHER) || self.open().any(|assignment| assignment.task.is_some()) {
            Phase::Researching
        } else if doing(Role::MERGER) {
            Phase::Merging
        } else if doing(Role::WRITER) {
            Phase::Writing
        } else if doing(Role::GATES) || doing(Role::REVIEWER) {
            Phase::Reviewing
        } else if doing(Role::MEMORY) && self.plan.is_some() {
            Phase::Keeping
        } else if self.is_led_by_model() && self.open().count() <= 1 {
            Phase::Deciding
        } else {
            self.last_led()
        }
    }

    /// The phase of the supervisor's last turn that belongs to one, while nothing that it handed out is open.
    fn last_led(&self) -> Phase {
        let of_turn = |stage| match stage {
            Stage::Leading(Leading::Plan) => Some(Phase::Planning),
            Stage::Leading(Leading::Research) => Some(Phase::Researching),
            Stage::Leading(Leading::Merge) => Some(Phase::Merging),
            Stage::Leading(Leading::Approve | Leading::Write) => Some(Phase::Writing),
            Stage::Leading(Leading::Check) => Some(Phase::Reviewing),
            Stage::Leading(Leading::Keep) => Some(Phase::Keeping),
            _ => None,
        };
        let turns = self.root().into_iter().flat_map(|root| root.transcript.turns.iter().rev());
        turns.map(|turn| turn.stage).find_map(of_turn).unwrap_or(Phase::Planning)
    }
}
