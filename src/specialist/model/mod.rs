//! Specialists that think with a language model.
//!
//! One kernel for all of them (`kernel.rs`): it asks, lets the model use tools, winds down in time and takes the report.
//! What a role is told and how its report is read is its craft, one file each. Pure, like every specialist: the desk
//! makes the calls, and what a model says is checked here before anything is made of it.

mod agent;
mod conversation;
mod craft;
mod fence;
mod inspector;
mod judge;
mod kernel;
mod located;
mod offer;
mod planner;
mod reading;
mod researcher;
mod reviewer;
mod writer;

pub use conversation::{Asking, Converses, End, add, answer, answer_all};
pub use craft::{json_in, line_of};
pub use fence::fenced;
pub use kernel::ModelSpecialist;
pub use offer::object;
