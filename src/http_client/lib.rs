//! Builds every HTTP client of the program.
//!
//! A client from [`builder`] follows no redirects and never retries.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

/// The `User-Agent` of all requests.
pub const USER_AGENT: &str = concat!("masthead/", env!("CARGO_PKG_VERSION"), " (+https://masthead.example)");

/// A client builder over rustls with ring.
pub fn builder() -> reqwest::ClientBuilder {
    // This fails if it is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .user_agent(USER_AGENT)
}
