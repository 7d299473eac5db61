//! Why a request failed on the network, from the error chain of `reqwest`. Never includes the URL: it may hold a key.

use std::error::Error as _;
use std::io;

use text::Clean;

type Cause = dyn std::error::Error + 'static;

/// The causes of an error, outermost first.
fn chain(error: &reqwest::Error) -> impl Iterator<Item = &Cause> {
    fn next<'a>(&cause: &&'a Cause) -> Option<&'a Cause> {
        match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            // An I/O error can wrap another error: follow that one.
            Some(inner) => Some(inner),
            None => cause.source(),
        }
    }
    std::iter::successors(error.source(), next)
}

/// The innermost two causes in words, without the URL.
pub(super) fn why(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in chain(error) {
        let part = Clean::line(&cause.to_string()).to_string();
        if !parts.iter().any(|known| known.contains(&part)) {
            parts.push(part);
        }
    }
    // The outer errors only say that an inner one failed.
    let inner = parts.split_off(parts.len().saturating_sub(2));
    if inner.is_empty() { "no reason given".to_owned() } else { inner.join(": ") }
}

/// What is wrong with the certificate; None if the certificate is not the cause.
pub(super) fn certificate(error: &reqwest::Error) -> Option<String> {
    chain(error).find_map(|cause| match cause.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(reason) => Some(Clean::line(&reason.to_string()).to_string()),
        rustls::Error::NoCertificatesPresented => Some("it has none".to_owned()),
        _ => None,
    })
}

pub(super) fn is_tls(error: &reqwest::Error) -> bool {
    chain(error).any(|cause| cause.is::<rustls::Error>())
}

/// The name of the environment variable that sets the proxy, in parentheses, or nothing.
pub(super) fn proxy_variable() -> String {
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"];
    let set = names.iter().find(|name| std::env::var(name).is_ok_and(|value| !value.is_empty()));
    set.map(|name| format!(" ({name})")).unwrap_or_default()
}
