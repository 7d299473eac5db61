//! The OpenAI Responses format, for OpenAI itself and for Azure: request bodies and streamed answers. Nothing is stored at
//! the provider: each request carries the whole conversation, with the model's own items as they came.

mod request;
mod stream;

pub(super) use request::{body, prefix};
pub(super) use stream::Answer;

/// The path of the API below the base URL.
pub(super) const PATH: &str = "/responses";

/// The field of [`run::model::Reply::raw`] with the items of an answer: by it an answer in this format is known.
const OUTPUT: &str = "output";
