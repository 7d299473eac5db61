//! Mind: the supervisor. Says what ought to be under way in a run, and leads its pipeline.
//!
//! Pure: nothing here remembers what it was about to do. A process that dies is replaced by one that reads
//! the same journal and is told the same by [`decide`].

mod decide;
mod pipeline;
mod retry;

pub use decide::{Action, MOST_DEPTH, decide};
pub use pipeline::Pipeline;

use crate::run::{Role, Team};
use crate::specialist::{Specialist, extractive};

/// Who does the work of each role.
pub trait Roster: Send + Sync {
    /// The specialist of this role in this team; None if there is none.
    fn specialist(&self, team: &Team, role: &Role) -> Option<Box<dyn Specialist + '_>>;
}

/// The roster of the program: the supervisor leads the pipeline, the others follow their rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Staff;

impl Roster for Staff {
    fn specialist(&self, team: &Team, role: &Role) -> Option<Box<dyn Specialist + '_>> {
        team.members.get(role)?;
        if role.as_str() == Role::SUPERVISOR {
            return Some(Box::new(Pipeline::new(team)));
        }
        extractive::specialist(role).map(|specialist| Box::new(specialist) as Box<dyn Specialist>)
    }
}
