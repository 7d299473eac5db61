//! The content of the inspector, made from the run and not drawn here: anything that crossed, was asked or came back as a tree, the
//! origin of each part, and the changes since the one before of its kind.

pub mod changes;
pub mod origin;
mod parts;
mod sheet;
pub mod subject;
mod tree;

pub use origin::From;
pub use sheet::{Cursor, Shape, Sheet};
pub use tree::{Kind, Node, Tree, in_a_row, telling};

#[cfg(test)]
mod tests;
