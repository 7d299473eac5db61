//! Marks: how far a run, an assignment or a call is, as a symbol of one cell and a word, never by colour alone.

use self::Mark::{Cancelled, Done, Failed, Limited, NeedsYou, Partial, Paused, Running, SentBack, Waiting};
use crate::handoff::{Ended, Outcome};
use crate::id::Role;
use crate::state::{Assignment, Phase};

/// The progress of something, or its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Not begun, or waiting for others of the run.
    #[default]
    Waiting,
    /// At work.
    Running,
    /// Would go on, and waits for its provider: a rate limit, a server that has too much to do.
    Limited,
    /// Waits for the person.
    NeedsYou,
    /// Ended with all that was asked.
    Done,
    /// Ended with less than was asked.
    Partial,
    /// A draft was checked and has to be revised.
    SentBack,
    /// Ended without a result of use.
    Failed,
    /// Ended by the person, or because its work is not needed.
    Cancelled,
    /// Stopped by the person, or at a breakpoint, and able to go on.
    Paused,
    /// No state: something on the way went wrong.
    Warning,
}

impl Mark {
    /// The phase, in lists, of an imported run whose record tells of no end: no process here works on it.
    pub const NOT_ENDED: &str = "not ended";
    /// The phase, in lists, of a run on which no process works, though it neither ended nor waits for the person.
    pub const STOPPED: &str = "stopped";

    /// Every state, in the order of the legend.
    pub const STATES: [Mark; 10] =
        [Waiting, Running, Limited, NeedsYou, Done, Partial, SentBack, Failed, Cancelled, Paused];

    fn shown(self) -> (&'static str, &'static str) {
        match self {
            Mark::Waiting => ("○", "waiting"),
            Mark::Running => ("●", "running"),
            Mark::Limited => ("◌", "limited"),
            Mark::NeedsYou => ("◆", "needs you"),
            Mark::Done => ("✓", "done"),
            Mark::Partial => ("◐", "partial"),
            Mark::SentBack => ("↺", "sent back"),
            Mark::Failed => ("✗", "failed"),
            Mark::Cancelled => ("⊘", "cancelled"),
            Mark::Paused => ("‖", "paused"),
            Mark::Warning => ("!", "warning"),
        }
    }

    /// One cell wide.
    pub fn symbol(self) -> &'static str {
        self.shown().0
    }

    /// In a word or two: "sent back".
    pub fn word(self) -> &'static str {
        self.shown().1
    }

    /// The mark of an assignment that has ended, by its outcome and its verdicts; None while it is open.
    pub fn of_ended(assignment: &Assignment) -> Option<Mark> {
        let (outcome, report) = assignment.ended.as_ref()?;
        let is_sent_back = outcome.usable() && report.payload.verdicts().iter().any(|verdict| !verdict.passes());
        Some(match outcome {
            _ if is_sent_back => Mark::SentBack,
            // Nothing is wrong with having nothing to remember.
            Outcome::NothingFound if assignment.role.as_str() == Role::MEMORY => Mark::Done,
            outcome => Mark::from(outcome),
        })
    }

    /// The mark of a run whose state lists call this: [`Phase::word`](crate::Phase::word), or `stopped` if no process
    /// works on it.
    pub fn of_word(phase: &str) -> Mark {
        let is = |one: Phase| one.word() == phase;
        match Ended::ALL.into_iter().find(|ended| ended.word() == phase) {
            Some(ended) => Mark::from(ended),
            None if is(Phase::NeedsYou) => Mark::NeedsYou,
            None if is(Phase::Paused) || phase == Mark::STOPPED || phase == Mark::NOT_ENDED => Mark::Paused,
            None => Mark::Running,
        }
    }
}

impl From<Ended> for Mark {
    fn from(ended: Ended) -> Mark {
        match ended {
            Ended::Done => Mark::Done,
            Ended::Partial | Ended::NothingFound | Ended::OutOfBudget => Mark::Partial,
            Ended::Failed => Mark::Failed,
            Ended::Cancelled => Mark::Cancelled,
        }
    }
}

impl From<&Outcome> for Mark {
    fn from(outcome: &Outcome) -> Mark {
        Mark::from(outcome.ended())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_in_a_list_has_the_mark_of_its_outcome_or_phase() {
        let outcomes = [Outcome::Done, Outcome::NothingFound, Outcome::Cancelled];
        let why = [Outcome::Partial("x".into()), Outcome::OutOfBudget("x".into()), Outcome::Failed("x".into())];
        for outcome in outcomes.into_iter().chain(why) {
            let mark = Mark::from(&outcome);
            assert_eq!(Mark::of_word(Phase::Ended(outcome).word()), mark);
        }
        let of = |word: &str| Mark::of_word(word);
        assert_eq!([of("needs you"), of("paused"), of("stopped")], [Mark::NeedsYou, Mark::Paused, Mark::Paused]);
        assert_eq!([of("writing"), of("running"), of("keeping notes")], [Mark::Running; 3]);
    }
}
