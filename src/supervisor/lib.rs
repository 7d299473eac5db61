//! The supervisor: decides on the next actions of a run, and leads its stages and the sections of its plan.
//!
//! Pure: nothing here keeps state. After a crash, [`decide`] makes the same decisions from the same journal.

mod decide;
mod delegation;
mod failure_policy;
mod fallback;
mod guard;
mod joining;
mod judging;
mod lead;
mod pipeline;
mod queue;
mod retry;
mod section;

pub use decide::{Action, Decided, decide, decide_after};
pub use fallback::{Elsewhere, elsewhere};
pub use judging::Judging;
pub use lead::Lead;
pub use pipeline::Pipeline;
pub use queue::AGEING;
pub use retry::LONGEST_WAIT_MS;
pub use section::Section;

use run::team::{Order, Worker};
use run::{Role, Team};
use specialist::model::ModelSpecialist;
use specialist::{Specialist, extractive, gate, inspect};

/// The specialists of a program, by role.
pub trait Roster: Send + Sync {
    /// The specialist of this role in this team, as this worker; None if there is none.
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, worker: Worker) -> Option<Box<dyn Specialist + 'a>>;
}

/// The roster of the program: a supervisor and editors that lead, and specialists that ask their models or follow
/// rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Staff;

impl Roster for Staff {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        let member = team.members.get(role)?;
        if role.as_str() == Role::SUPERVISOR && team.order.is_judging() {
            return Some(Box::new(Judging::new(team)));
        }
        if role.as_str() == Role::SUPERVISOR {
            return Some(match team.model_of(role, worker) {
                Some(model) => Box::new(Lead::new(team, model)),
                None => Box::new(Pipeline::new(team)),
            });
        }
        if role.as_str() == Role::EDITOR {
            return Some(Box::new(Section::new(team)));
        }
        if let Some(gate) = &member.gate {
            return Some(gate::specialist(gate));
        }
        if let Some(model) = team.model_of(role, worker) {
            return Some(Box::new(ModelSpecialist::new(team, role, member, model)));
        }
        let by_rule = match team.order {
            Order::Brief | Order::Alone | Order::Judge => extractive::specialist(role),
            Order::Inspect => inspect::specialist(role),
        };
        by_rule.map(|specialist| Box::new(specialist) as Box<dyn Specialist>)
    }
}
