//! Anthropic Messages: requests and answers.

mod request;
mod stream;

pub(super) use request::{body, prefix};
pub(super) use stream::Answer;

/// Where messages go, below the base URL.
pub(super) const PATH: &str = "/v1/messages";
