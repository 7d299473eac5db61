//! The wire: where every HTTP client of the program comes from.
//!
//! A client made from [`builder`] follows no redirect and repeats no request behind its caller's back.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

/// Who asks, as every server is told.
pub const USER_AGENT: &str = concat!("masthead/", env!("CARGO_PKG_VERSION"), " (+https://masthead.example)");

/// The beginnings of a client, over rustls with ring.
pub fn builder() -> reqwest::ClientBuilder {
    // It is installed already if another client was built before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .user_agent(USER_AGENT)
}
