//! The graph of a run: its nodes with their progress, and the layout of the boxes. Pure; the team page draws it.

mod boxes;
mod group;
mod imported;
mod layered;
mod node;
mod route;
mod team;
mod titles;
mod walk;

pub use boxes::{Boxes, MEMBER_NOTE, Placed, layout};
pub use group::Folds;
pub use node::{BREAKPOINT, Key, Node, Note, progress, rank};
pub use team::{Graph, of, short_titles, times};
pub use titles::within;
pub use walk::Way;
