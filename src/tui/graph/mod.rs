//! The graph of a run: who there is, how far each is, and where the boxes go. Pure; painting is the view's.

mod boxes;
mod team;

pub use boxes::{Boxes, Directions, Placed, layout};
pub use team::{Graph, Layer, Node, of, progress, rank};
