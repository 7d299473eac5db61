//! Model providers over HTTP: two formats, a table of providers, one client; what they cost, and how to wait for one's
//! turn with them.
//!
//! One attempt a call. Nothing here retries, redirects, spends or records anything: that is the desk's. Keys stay in
//! here; no fault, no log line and no `Debug` output holds one.

pub mod allowance;
pub mod breaker;
pub mod choose;
pub mod discover;
pub mod endpoint;
pub mod gate;
pub mod prices;
pub mod profile;
pub mod secret;

pub use endpoint::{Base, Endpoint, Key, Unusable};
pub use profile::Profile;
pub use secret::Secret;
