//! The cause of a failed request on the network, from the error chain of `reqwest`. Never includes the URL: it may hold a key.

use http_client::causes;
use text::Clean;

/// The innermost two causes in words, without the URL.
pub(super) fn why(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in causes(error) {
        let part = Clean::line(&cause.to_string()).to_string();
        if !parts.iter().any(|known| known.contains(&part)) {
            parts.push(part);
        }
    }
    // The outer errors only say that an inner one failed.
    let inner = parts.split_off(parts.len().saturating_sub(2));
    if inner.is_empty() { "no reason given".to_owned() } else { inner.join(": ") }
}

/// The fault of the certificate; None if the certificate is not the cause.
pub(super) fn certificate(error: &reqwest::Error) -> Option<String> {
    causes(error).find_map(|cause| match cause.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(reason) => Some(Clean::line(&reason.to_string()).to_string()),
        rustls::Error::NoCertificatesPresented => Some("it has none".to_owned()),
        _ => None,
    })
}

pub(super) fn is_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.is::<rustls::Error>())
}

/// The name of the environment variable that sets the proxy, in parentheses, or nothing.
pub(super) fn proxy_variable() -> String {
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"];
    let set = names.iter().find(|name| std::env::var(name).is_ok_and(|value| !value.is_empty()));
    set.map(|name| format!(" ({name})")).unwrap_or_default()
}
