//! The graph of a run: who there is, how far each is, and where the boxes go. Pure; painting is the view's.

mod boxes;
mod group;
mod team;

pub use boxes::{Boxes, Directions, Placed, layout};
pub use group::{Fold, Folds, GroupKey};
pub use team::{Graph, Layer, Node, of, progress, rank};
