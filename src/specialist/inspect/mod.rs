//! The team that finds problems in data and logs by rule: no model, no key, no network.
//!
//! A tool counts over whole files, and each statement quotes a line that shows it. It never explains a problem beyond the words of
//! the lines.

mod inspector;
mod surveyor;
mod writer;

use super::{Specialist, Step, extractive};
use run::{Outcome, Payload, Role};
use text::Clean;

/// The member of this team for a role; None if it has none. Its gates are the extractive team's.
pub fn specialist(role: &Role) -> Option<&'static dyn Specialist> {
    Some(match role.as_str() {
        Role::SURVEYOR => &surveyor::Surveyor,
        Role::INSPECTOR => &inspector::Inspector,
        Role::WRITER => &writer::Writer,
        _ => return extractive::specialist(role),
    })
}

/// Reports a failure, with its reason as a note.
fn failed(why: Clean) -> Step {
    Step::Report { outcome: Outcome::Failed(why.clone()), title: "failed".into(), payload: Payload::note(why) }
}
