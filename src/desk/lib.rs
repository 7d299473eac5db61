//! The desk: the one place that touches the world.
//!
//! It asks mind what ought to be under way, records it, performs it, and records what came back. A fact is on disk
//! before anything acts on it and before a face hears of it. It decides nothing, and remembers nothing that is not in
//! the journal but which calls it has started.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod library;
mod models;
mod recorded;
mod work;
mod world;

pub use library::LibraryTools;
pub use models::{ProviderModels, Room};
pub use recorded::Recorded;
pub use work::{Desk, Policy, Stop, opening_events};
pub use world::{Clock, Doing, Line, Models, NoModels, Outgoing, Reading, Stopped, SystemClock, Tools, World};
