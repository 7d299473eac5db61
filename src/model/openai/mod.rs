//! OpenAI Chat Completions, as OpenAI and everybody who speaks like it has it: requests and answers.

mod calls;
mod request;
mod stream;

pub(super) use request::{body, prefix};
pub(super) use stream::Answer;

/// Where conversations go, below the base URL.
pub(super) const PATH: &str = "/chat/completions";
