//! Model providers over HTTP: two formats, a table of providers, one client; what they cost, and how to wait for one's
//! turn with them.
//!
//! One attempt a call. Nothing here retries, redirects, spends or records anything: that is the desk's. Keys stay in
//! here; no fault, no log line and no `Debug` output holds one.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod anthropic;
pub mod base;
pub mod breaker;
mod cause;
pub mod choose;
mod class;
mod client;
mod conversation;
pub mod discover;
pub mod endpoint;
mod fault;
pub mod gate;
mod limits;
mod listing;
mod openai;
pub mod prefix;
pub mod prices;
pub mod profile;
pub mod quota;
mod reading;
mod receive;
mod said;
mod schema;
pub mod secret;
mod sse;
mod veil;

pub use base::Base;
pub use client::{Answer, Client, Patience};
pub use endpoint::{Endpoint, Key, Unusable};
pub use limits::{Allowance, RateHeaders};
pub use listing::Listed;
pub use profile::Profile;
pub use reading::Listener;
pub use secret::Secret;
