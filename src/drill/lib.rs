//! Drills: classic failures of a supervised team, played by scripted specialists, to show how each is caught.
//!
//! A drill is a run like any other, with the same supervisor, guards, ledger, desk, journal and screens. Only its
//! specialists (`scripted.rs`, and one file a drill for the one that fails) and its documents (`sources.rs`) are its own.
//! Whether the failure was caught is read off the run's events, never assumed.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod delegation_loop;
mod infinite_delegation;
mod lesson;
mod lost_handoff;
mod runaway_specialist;
mod scripted;
mod sources;

use run::event::Opening;
use run::team::Worker;
use run::{Cap, Limits, Role, Run, RunId, Team};
use specialist::Specialist;
use supervisor::{Pipeline, Roster};

pub use run::exercise::{Exercise, Lesson};
pub use sources::DrillTools;

/// A scripted failure that a run is led into.
#[derive(Clone, Copy, Debug)]
pub struct Drill {
    /// Its name, its failure, and its lesson.
    pub exercise: Exercise,
    /// The question that its team is asked.
    pub question: &'static str,
    /// The failing specialist for a role; None for the well-behaved one.
    plays: fn(&Team, &Role) -> Option<Box<dyn Specialist>>,
}

/// The cap on the tool calls of a drill.
pub const MOST_CALLS: u64 = 80;
/// The cap on the tokens of all its calls.
pub const MOST_TOKENS: u64 = 40_000;

/// All drills, in the order in which they are listed.
pub static ALL: [Drill; 5] = [
    infinite_delegation::DRILL,
    lost_handoff::DRILL,
    runaway_specialist::DRILL,
    delegation_loop::OF_TWO,
    delegation_loop::OF_THREE,
];

/// The exercise of the drill with this name.
pub fn exercise(name: &str) -> Option<Exercise> {
    Some(named(name)?.exercise)
}

/// The drill with this name.
pub fn named(name: &str) -> Option<&'static Drill> {
    ALL.iter().find(|drill| drill.exercise.name == name)
}

impl Drill {
    /// The drill that a run is of, if it is one.
    pub fn of(run: &Run) -> Option<&'static Drill> {
        named(run.opening.as_ref()?.drill.as_deref()?)
    }

    /// The opening of a run of it: a brief of 100 words, at most [`MOST_CALLS`] tool calls and [`MOST_TOKENS`] tokens.
    pub fn opening(&self, run: RunId, team: Team) -> Opening {
        Opening {
            words: 100,
            limits: Limits::of(Cap::ToolCalls, MOST_CALLS).with(Cap::Tokens, Some(MOST_TOKENS)),
            drill: Some(self.exercise.name.into()),
            ..Opening::new(run, self.question.into(), team)
        }
    }
}

impl Roster for Drill {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, _worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        if !team.members.contains_key(role) {
            return None;
        }
        match (self.plays)(team, role) {
            Some(other) => Some(other),
            None if role.as_str() == Role::SUPERVISOR => Some(Box::new(Pipeline::new(team))),
            None => scripted::plays(role),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
