//! Overlays over a page: opened records, and dialogs for text, a choice or a yes. A module each, with its state.
//!
//! An overlay is a file here and a line in the list below: a type with its state, and a [`Screen`] of the name `SCREEN`.

use crate::prelude::*;
pub mod accepting;
pub mod answering;
pub mod approving;
pub mod beside;
pub mod breaks;
pub mod choosing;
pub mod commanding;
pub mod confirm;
pub mod filtering;
pub mod finding;
pub mod forking;
pub mod going;
pub mod help;
pub mod inspector;
pub mod passage;
pub mod raising;
pub mod writing;

macro_rules! overlays {
    ($($module:ident::$state:ident,)*) => {
        /// The overlay that is drawn over the page.
        #[derive(Clone, Debug, Default)]
        pub enum Overlay {
            #[default]
            None,
            $(#[allow(missing_docs, reason = "its module says what it is")] $state($module::$state),)*
        }

        impl Overlay {
            pub fn screen(&self) -> Option<&'static Screen> {
                match self {
                    Overlay::None => None,
                    $(Overlay::$state(_) => Some(&$module::SCREEN),)*
                }
            }
        }

        /// All overlays, in the order in which the help page has their keys.
        pub static ALL: &[&Screen] = &[$(&$module::SCREEN,)*];
    };
}

overlays! {
    help::Help,
    inspector::Inspector,
    beside::Beside,
    passage::Passage,
    writing::Writing,
    filtering::Filtering,
    finding::Finding,
    raising::Raising,
    choosing::Choosing,
    answering::Answering,
    breaks::Breaks,
    going::Going,
    commanding::Commanding,
    forking::Forking,
    confirm::Confirm,
    approving::Approving,
    accepting::Accepting,
}
