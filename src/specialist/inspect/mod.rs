//! The team that finds out what is wrong with data and logs, by rule: no model, no key, no network.
//!
//! What it says was counted by a tool over whole files, and each statement quotes a line that shows it. It never says why
//! something is wrong beyond what stands in the lines.

mod inspector;
mod surveyor;
mod writer;

use super::{Specialist, extractive};
use run::Role;

/// The member of this team for a role; None if it has none. Gates are those of every team.
pub fn specialist(role: &Role) -> Option<&'static dyn Specialist> {
    Some(match role.as_str() {
        Role::SURVEYOR => &surveyor::Surveyor,
        Role::INSPECTOR => &inspector::Inspector,
        Role::WRITER => &writer::Writer,
        _ => return extractive::specialist(role),
    })
}
