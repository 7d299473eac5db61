//! Drills: the classic failures of a supervised team, played by specialists that follow a script, so that a person sees
//! how each is caught.
//!
//! A drill is a run like any other: the same supervisor, guards, ledger, desk, journal and screens. Its own are only who
//! works (`cast.rs`, and one file a drill for whoever misbehaves) and what is read (`shelf.rs`). Whether it was caught is
//! read off the run: no drill takes its own end for granted.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod cast;
mod circle;
mod infinite_delegation;
mod lesson;
mod lost_handoff;
mod runaway_specialist;
mod shelf;

use run::event::Opening;
use run::team::Worker;
use run::{Cap, Limits, Role, Run, RunId, Team};
use specialist::Specialist;
use supervisor::{Pipeline, Roster};

pub use run::exercise::{Exercise, Lesson};
pub use shelf::Shelf;

/// One failure, played and caught.
#[derive(Clone, Copy, Debug)]
pub struct Drill {
    /// Its name, what goes wrong in it, and what it shows.
    pub exercise: Exercise,
    /// What stands where a run has its question.
    pub question: &'static str,
    /// Who plays a part otherwise than the cast does; None where the cast does.
    plays: fn(&Team, &Role) -> Option<Box<dyn Specialist>>,
}

/// Every drill.
pub static ALL: [Drill; 5] =
    [infinite_delegation::DRILL, lost_handoff::DRILL, runaway_specialist::DRILL, circle::OF_TWO, circle::OF_THREE];

/// The exercise of this name, for a front end.
pub fn exercise(name: &str) -> Option<Exercise> {
    Some(named(name)?.exercise)
}

/// The drill of this name.
pub fn named(name: &str) -> Option<&'static Drill> {
    ALL.iter().find(|drill| drill.exercise.name == name)
}

impl Drill {
    /// The drill that a run is, if it is one that is known here.
    pub fn of(run: &Run) -> Option<&'static Drill> {
        named(run.opening.as_ref()?.drill.as_deref()?)
    }

    /// How a run of it begins.
    pub fn opening(&self, run: RunId, team: Team) -> Opening {
        Opening {
            run,
            question: self.question.into(),
            sources: Vec::new(),
            web: Vec::new(),
            team,
            words: 100,
            limits: Limits::of(Cap::ToolCalls, 80).with(Cap::Tokens, Some(40_000)),
            version: env!("CARGO_PKG_VERSION").into(),
            answers_from: None,
            drill: Some(self.exercise.name.into()),
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
            None => cast::plays(role),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
