//! A roster of closures.

use std::collections::BTreeMap;

use run::team::Worker;
use run::{Role, Team, Transcript};
use specialist::{Assigned, Specialist, Step};
use supervisor::{Pipeline, Roster, Section};

/// A step to be taken: its assignment, and its input.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub team: &'a Team,
    pub role: &'a Role,
    pub worker: Worker,
    pub assigned: Assigned<'a>,
    pub transcript: &'a Transcript,
}

impl Scene<'_> {
    /// The number of its task, if it has one.
    pub fn task(&self) -> Option<u32> {
        self.assigned.handoff.payload.task().map(|task| task.id.0)
    }
}

/// The step of the program's supervisor without a model.
pub fn pipeline(scene: Scene<'_>) -> Step {
    Pipeline::new(scene.team).next(scene.assigned, scene.transcript)
}

/// The step of the program's editor in its section.
pub fn section(scene: Scene<'_>) -> Step {
    Section::new(scene.team).next(scene.assigned, scene.transcript)
}

type Play = Box<dyn Fn(Scene<'_>) -> Step + Send + Sync>;

/// The step of each role, as a function of the scene. Roles that are not in the team have no specialist.
pub struct Script {
    roles: BTreeMap<&'static str, Play>,
    others: Play,
}

impl Script {
    /// Every role does this.
    pub fn new(play: impl Fn(Scene<'_>) -> Step + Send + Sync + 'static) -> Script {
        Script { roles: BTreeMap::new(), others: Box::new(play) }
    }

    /// The supervisor leads as the program's does; all others do this.
    pub fn led(play: impl Fn(Scene<'_>) -> Step + Send + Sync + 'static) -> Script {
        Script::new(play).with(Role::SUPERVISOR, pipeline)
    }

    /// With another part for this role.
    #[must_use]
    pub fn with(mut self, role: &'static str, play: impl Fn(Scene<'_>) -> Step + Send + Sync + 'static) -> Script {
        self.roles.insert(role, Box::new(play));
        self
    }
}

struct Player<'a> {
    play: &'a Play,
    team: &'a Team,
    role: &'a Role,
    worker: Worker,
}

impl Specialist for Player<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        (self.play)(Scene { team: self.team, role: self.role, worker: self.worker, assigned, transcript })
    }
}

impl Roster for Script {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        let play = self.roles.get(role.as_str()).unwrap_or(&self.others);
        team.members.contains_key(role).then(|| Box::new(Player { play, team, role, worker }) as Box<dyn Specialist>)
    }
}
