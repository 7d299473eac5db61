//! Model providers over HTTP: two formats, a table of providers, one client.
//!
//! One attempt a call. Nothing here retries, redirects, waits its turn, spends or records anything: that is the
//! desk's. Keys stay in here; no fault, no log line and no `Debug` output holds one.

pub mod endpoint;
pub mod profile;
pub mod secret;

pub use endpoint::{Base, Endpoint, Key, Unusable};
pub use profile::Profile;
pub use secret::Secret;
