//! Model providers over HTTP: three formats, a table of providers, one client; their prices, and the wait for one's turn with them.
//!
//! One attempt a call. Nothing here retries, redirects, spends or records anything: that is the desk's. Keys stay in
//! here; no fault, no log line and no `Debug` output holds one.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod anthropic;
pub mod base_url;
pub mod breaker;
mod cause;
pub mod choose;
mod class;
mod client;
mod conversation;
pub mod discover;
pub mod endpoint;
mod error_body;
mod fault;
mod gathered;
pub mod health;
pub mod key_command;
pub mod learnt;
mod limits;
mod listing;
mod openai;
pub mod prefix;
pub mod prices;
pub mod profile;
pub mod quota;
pub mod rate_limit;
mod reader;
mod receive;
mod redact;
pub mod renewing;
mod repeats;
mod responses;
mod schema;
pub mod wire;

pub use base_url::BaseUrl;
pub use client::{Answer, Client, Patience};
pub use endpoint::{Endpoint, Key, Unusable};
pub use http_client::secret::Secret;
pub use limits::{Allowance, Counted, RateHeaders};
pub use listing::Listed;
pub use profile::Profile;
pub use reader::Listener;
