//! The gates: checks of a draft in code, each with a veto, for every team alike.
//!
//! They trust neither writer nor researchers, and never mend a fault.

mod bounds;
mod built_in;
mod column;
mod computed;
mod custom;
mod dates;
pub(crate) mod denial;
pub(crate) mod edits;
mod figures;
pub(crate) mod gap;
pub(crate) mod label;
mod missing;
mod numerals;
mod ordinals;
mod pairing;
pub(crate) mod paraphrase;
mod reported;
mod scope;
pub(crate) mod subject;
mod subtopics;
pub(crate) mod support;
pub(crate) mod terms;
#[cfg(test)]
mod wordings;

use super::Specialist;
use run::gate::Gate;

pub use built_in::{Counted, measured};
pub use gap::{is_gap, names_what_is_missing};
pub use missing::is_found;

/// All built-in gates.
pub(crate) static BUILT_IN: &dyn Specialist = &built_in::Gates(built_in::ALL);

/// The specialist for a custom gate.
pub fn specialist(gate: &Gate) -> Box<dyn Specialist + '_> {
    match gate {
        Gate::Checks(concerns) => Box::new(built_in::Gates(concerns)),
        Gate::Rules(rules) => Box::new(custom::ByRules(rules)),
        Gate::Command(command) => Box::new(custom::ByCommand(command)),
    }
}
