//! Builds every HTTP client of the program, and reads the bodies that they receive.
//!
//! A client follows no redirects and never retries.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod near;
pub mod retry_after;
pub mod secret;
pub mod sse;

use std::error::Error;
use std::io;

/// The `User-Agent` of all requests.
pub const USER_AGENT: &str = concat!("masthead/", env!("CARGO_PKG_VERSION"));

/// A client builder over rustls with ring. Its clients use the system's proxy, if one is set; for one server use [`builder_for`].
pub fn builder() -> reqwest::ClientBuilder {
    // This fails if it is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .user_agent(USER_AGENT)
}

/// A client builder for the servers of which [`near::is_direct`] says the same as of this one.
///
/// A server on this machine is called directly: a proxy would not find it, and would see the request in the clear.
pub fn builder_for(server: &reqwest::Url) -> reqwest::ClientBuilder {
    if near::is_direct(server) { builder().no_proxy() } else { builder() }
}

/// Reads a body up to `most` bytes, counted after decompression; returns them and whether they are all.
///
/// # Errors
/// The connection broke.
pub async fn body(mut response: reqwest::Response, most: usize) -> reqwest::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let is_all = body_into(&mut response, most, &mut bytes).await?;
    Ok((bytes, is_all))
}

/// The same into an empty `bytes`, which keeps the part received if the connection breaks or nobody waits any longer; returns
/// whether it is all.
///
/// # Errors
/// The connection broke.
pub async fn body_into(response: &mut reqwest::Response, most: usize, bytes: &mut Vec<u8>) -> reqwest::Result<bool> {
    while let Some(chunk) = response.chunk().await? {
        let room = most.saturating_sub(bytes.len());
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The causes of an error, outermost first.
pub fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    fn next<'a>(&cause: &&'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
        match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            // An I/O error can wrap another error: follow that one.
            Some(inner) => Some(inner),
            None => cause.source(),
        }
    }
    std::iter::successors(error.source(), next)
}
