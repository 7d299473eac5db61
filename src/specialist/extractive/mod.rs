//! The extractive team: finds, selects and arranges the sources' own sentences by rule.
//!
//! No model, no key, no network. Its members use tools through the desk like any other specialist, and what they
//! return is a pure function of what came back. It never writes a sentence of its own about the world.

mod candidate;
mod chronicle;
mod claim;
mod compose;
mod conflict;
mod edit;
mod family;
mod gates;
mod house;
mod landscape;
mod listing;
mod material;
mod memory;
mod merger;
mod naming;
pub(super) mod number;
mod phrase;
mod plain;
mod planner;
mod question;
mod researcher;
mod reviewer;
pub(super) mod reworded;
#[cfg(test)]
mod sample;
mod score;
mod select;
mod support;
mod synonym;
mod topic;
mod writer;

use super::Specialist;
use run::gate::Gate;
use run::id::Role;
use text::Clean;

pub use compose::nothing_found;
pub use listing::title as title_of_list;

/// The things that a question compares, as it names them; empty if it compares nothing.
pub fn compared(question: &str) -> Vec<Clean> {
    // What one of several questions compares is that question's own.
    if listing::read(question).is_some() {
        return Vec::new();
    }
    question::Asked::read(question).items.iter().map(|item| Clean::line(item)).collect()
}

/// A gate that a team has besides.
pub fn gate(gate: &Gate) -> Box<dyn Specialist + '_> {
    match gate {
        Gate::Checks(concerns) => Box::new(gates::Gates(concerns)),
        Gate::Rules(rules) => Box::new(house::ByRules(rules)),
        Gate::Command(command) => Box::new(house::ByCommand(command)),
    }
}

/// The member of the extractive team for a role; None if it has none.
pub fn specialist(role: &Role) -> Option<&'static dyn Specialist> {
    Some(match role.as_str() {
        Role::PLANNER => &planner::Planner,
        Role::RESEARCHER => &researcher::Researcher,
        Role::MERGER => &merger::Merger,
        Role::WRITER => &writer::Writer,
        Role::GATES => &gates::Gates(gates::ALL),
        Role::REVIEWER => &reviewer::Reviewer,
        Role::MEMORY => &memory::Memory,
        _ => return None,
    })
}
