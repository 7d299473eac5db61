//! Specialists that use a language model.
//!
//! They share one kernel (`kernel.rs`): it asks, runs tools, winds down in time and reads the report. The craft of each
//! role, in a file of its own, puts the assignment to the model and reads its report. Pure, like every specialist: the
//! desk makes the calls, and a model's answer is checked here before it is used.

mod agent;
mod conversation;
mod craft;
mod fence;
mod headed;
mod inspector;
mod judge;
mod kernel;
mod located;
mod markdown;
mod marks;
mod offer;
mod planner;
mod reading;
mod researcher;
mod reviewer;
mod unwrapped;
mod writer;
mod written;

pub use conversation::{Asking, Converses, End, Held, add, answer, answer_all, not_made};
pub use craft::line_of;
pub use fence::{Element, fenced};
pub use kernel::ModelSpecialist;
pub use offer::object;
pub use researcher::begins_with_pronoun;
pub use reviewer::{UNJUDGED, doubted_labels, is_quote, to_judge};
pub use written::{calls_in, without_thoughts};
