//! Model providers over HTTP: two formats, a table of providers, one client.
//!
//! One attempt a call. Nothing here retries, redirects, waits its turn, spends or records anything: that is the
//! desk's. Keys stay in here; no fault, no log line and no `Debug` output holds one.

mod anthropic;
mod client;
mod conversation;
pub mod endpoint;
mod fault;
mod limits;
mod listing;
mod openai;
pub mod profile;
mod reading;
mod receive;
mod said;
mod schema;
pub mod secret;
mod sse;

pub use client::{Answer, Client, NoClient, Patience};
pub use endpoint::{Base, Endpoint, Key, Unusable};
pub use limits::{Allowance, RateHeaders};
pub use listing::Listed;
pub use profile::Profile;
pub use secret::Secret;
