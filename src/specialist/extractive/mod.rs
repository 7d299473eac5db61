//! The extractive team: finds, selects and arranges the sources' own sentences by rule.

use super::Specialist;
use crate::run::Role;
use crate::run::brief::Draft;
use crate::run::evidence::Corpus;
use crate::text::Clean;

/// The member of this role.
pub fn specialist(_role: &Role) -> Option<&'static dyn Specialist> {
    None
}

/// The brief that says that there is nothing.
pub fn nothing_found(question: &Clean, _corpus: &Corpus, _looked_for: &[Clean]) -> Draft {
    Draft { title: question.clone(), ..Draft::default() }
}
