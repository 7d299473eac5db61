//! The desk: the one place that touches the world.
//!
//! It asks the supervisor for the next actions, records them, performs them, and records the results. An event is on disk before
//! anything acts on it and before a front end hears of it. It decides nothing, and remembers nothing that is not in the journal but
//! the calls it has started.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod library;
mod models;
mod recorded;
mod threads;
mod work;
mod world;

pub use library::LibraryTools;
pub use models::{ProviderModels, Room};
pub use recorded::Recorded;
pub use work::{Desk, Halt, Policy, opening_events};
pub use world::{
    AttemptReporter, BoxFuture, Clock, Models, NoModels, OnProgress, Outgoing, Stopped, SystemClock, ToolError, Tools,
    World,
};
