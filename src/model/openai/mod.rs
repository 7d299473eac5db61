//! The OpenAI Chat Completions format, for OpenAI and all compatible servers: request bodies and streamed answers.

mod calls;
mod request;
mod stream;

pub(super) use request::{body, prefix};
pub(super) use stream::Answer;

/// The path of the API below the base URL.
pub(super) const PATH: &str = "/chat/completions";
