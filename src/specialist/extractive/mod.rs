//! The extractive team: finds, selects and arranges sentences of the sources by rule.
//!
//! No model, no key, no network. Its members use tools through the desk like any other specialist; their reports are
//! pure functions of the tool results, without sentences of their own about the world.

mod aliases;
mod alike;
mod ask;
mod asked_of_each;
mod candidate;
mod changelog;
pub(super) mod claim;
mod clauses;
mod compose;
mod contradiction;
mod copies;
mod counted;
mod dangling;
mod differences;
pub(super) mod edit;
mod edition;
pub(crate) mod english;
mod entries;
mod headings;
mod kind;
mod kinds;
mod lists;
mod memory;
mod merger;
mod near_duplicates;
mod numbered;
mod overview;
mod parts;
mod phrases;
mod planner;
mod pointers;
mod program_text;
mod pros_and_cons;
mod question;
mod question_list;
mod rank;
mod researcher;
mod reviewer;
mod said;
mod select;
mod sought;
mod standalone;
mod steps;
mod synonyms;
mod tool_results;
mod topic;
mod verb;
mod wording;
mod writer;

use std::borrow::Cow;
use std::sync::LazyLock;

use super::{Specialist, gate};
use run::id::Role;
use text::{Clean, Named};

pub use compose::{note_what_is_yours, nothing_found, untold_disagreements};
pub use rank::{FEATURES, Ranking};
pub use researcher::{Weighed, closest_once, weighed};
pub(crate) use verb::is_verb;

/// The names in the question of a handoff: as read for the run; read here for older runs that did not record them.
fn named_in(payload: &run::Payload) -> Cow<'_, Named> {
    let question = payload.question.as_ref().map_or("", |question| question.as_str());
    payload.named.as_ref().map_or_else(|| Cow::Owned(Named::read(question)), Cow::Borrowed)
}

static RESEARCHER: LazyLock<researcher::Researcher<'static>> =
    LazyLock::new(|| researcher::Researcher(Ranking::built_in()));

/// The researcher, with other ranking weights than the built-in ones.
pub fn researcher(ranking: &Ranking) -> Box<dyn Specialist + '_> {
    Box::new(researcher::Researcher(ranking))
}

/// The extractive specialist for a role; None if there is none.
pub fn specialist(role: &Role) -> Option<&'static dyn Specialist> {
    Some(match role.as_str() {
        Role::PLANNER => &planner::Planner,
        Role::RESEARCHER => &*RESEARCHER,
        Role::MERGER => &merger::Merger,
        Role::WRITER => &writer::Writer,
        Role::GATES => gate::BUILT_IN,
        Role::REVIEWER => &reviewer::Reviewer,
        Role::MEMORY => &memory::Memory,
        _ => return None,
    })
}

/// The part of a question that asks; of most questions the whole.
fn asking(question: &Clean) -> Clean {
    match text::asking(question) {
        Cow::Borrowed(_) => question.clone(),
        Cow::Owned(part) => part.into(),
    }
}
