//! The graph of a run: its nodes with their progress, and the layout of the boxes. Pure; the team page draws it.

mod boxes;
mod group;
mod team;

pub use boxes::{Boxes, Placed, layout};
pub use group::Folds;
pub use team::{Graph, Layer, Node, of, progress, rank};
