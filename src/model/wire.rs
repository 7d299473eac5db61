//! A provider's format without a network: the body of a request, and an answer read from its bytes. Pure.
//!
//! The client sends the one and receives the other; the simulation plays a provider with both.

use serde::Serialize;

use super::endpoint::Endpoint;
use super::fault::Scene;
use super::profile::{Format, Profile};
use super::reader::{AnswerReader, Asked};
use super::receive::Receiver;
use super::{anthropic, openai, responses};
use run::attempt::{Class, Fault};
use run::model::Reply;
use run::transcript::Round;
use text::Clean;

/// The path of requests below the base URL.
pub(super) fn path(profile: &Profile) -> &'static str {
    match profile.format {
        Format::Anthropic => anthropic::PATH,
        Format::OpenAi => openai::PATH,
        Format::Responses => responses::PATH,
    }
}

/// The body in which a conversation is sent, as JSON; None for one without a request.
pub fn body(profile: &Profile, rounds: &[Round]) -> Option<Vec<u8>> {
    let quirks = &profile.quirks;
    match profile.format {
        Format::Anthropic => written(&anthropic::body(rounds, quirks)?),
        Format::OpenAi => written(&openai::body(rounds, quirks)?),
        Format::Responses => written(&responses::body(rounds, quirks)?),
    }
}

/// The body as JSON, in no more memory than it needs: hundreds of calls hold theirs until their answers begin.
fn written(body: &impl Serialize) -> Option<Vec<u8>> {
    let mut json = serde_json::to_vec(body).ok()?;
    json.shrink_to_fit();
    Some(json)
}

pub(super) fn reader(profile: &Profile) -> Box<dyn AnswerReader> {
    match profile.format {
        Format::Anthropic => Box::new(anthropic::Answer::default()),
        Format::OpenAi => Box::new(openai::Answer::default()),
        Format::Responses => Box::new(responses::Answer::default()),
    }
}

/// The answer to a conversation that came as a stream, in these pieces.
///
/// # Errors
/// It is cut, reports an error, or breaks its format.
pub fn answer<'a>(
    endpoint: &Endpoint,
    rounds: &[Round],
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Reply, Box<Fault>> {
    let profile = &endpoint.profile;
    let (Some(round), Some(body)) = (rounds.last(), body(profile, rounds)) else {
        let fault = Fault::before_sending(Class::Malformed, "There is no request in this conversation.".into());
        return Err(Box::new(fault));
    };
    let (request, quirks) = (&round.request, &profile.quirks);
    let scene = Scene { endpoint, model: &request.model.model };
    let asked = Asked { request, quirks, turn: rounds.len(), bytes: body.len() };
    let nobody = |_: Clean| {};
    Receiver::new(scene, asked, reader(profile), &nobody).read(pieces)
}
