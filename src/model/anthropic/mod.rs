//! The Anthropic Messages format: request bodies and streamed answers.

mod request;
mod stream;

pub(super) use request::{body, prefix};
pub(super) use stream::Answer;

/// The path of the API below the base URL.
pub(super) const PATH: &str = "/v1/messages";
