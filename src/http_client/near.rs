//! Near addresses: those on this machine, or in the user's own network. Only there may anything go unencrypted.

use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

/// Whether a server is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    let host = host(url);
    host == "localhost" || address(&host).is_some_and(|ip| ip.is_loopback())
}

/// Whether a server is reached without a proxy: it is on this machine, or near and unencrypted.
pub fn is_direct(url: &Url) -> bool {
    is_loopback(url) || url.scheme() == "http" && is_near(url)
}

/// The host of an address without the dot that may end it.
fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase()
}

/// The address that a host is, if it is no name.
fn address(host: &str) -> Option<IpAddr> {
    let ip = IpAddr::from_str(host.trim_start_matches('[').trim_end_matches(']')).ok()?;
    Some(ip.to_canonical())
}

/// Names that only resolve in the user's own network (RFC 6762, RFC 8375, ICANN 2024).
const NEAR_NAMES: [&str; 3] = [".local", ".internal", ".home.arpa"];

/// Whether it is this machine, a private address, or a name of the user's own network. A name without a dot is a container's
/// or a neighbour's.
pub fn is_near(url: &Url) -> bool {
    let host = host(url);
    match address(&host) {
        Some(IpAddr::V4(ip)) => {
            let [a, b, ..] = ip.octets();
            // The last is the range that providers and VPNs share among many (RFC 6598).
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || (a == 100 && (64..128).contains(&b))
        }
        Some(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        None => !host.contains('.') || NEAR_NAMES.iter().any(|end| host.ends_with(end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_on_this_machine_or_near_and_unencrypted_is_reached_directly() {
        for (url, here, direct) in [
            ("http://127.0.0.1:1", true, true),
            ("https://localhost:1", true, true),
            ("http://LocalHost.:1", true, true),
            ("http://[::1]:1", true, true),
            ("http://[::ffff:127.0.0.1]:1", true, true),
            ("http://192.168.0.7:1", false, true),
            ("http://searxng:8080", false, true),
            ("https://192.168.0.7:1", false, false),
            ("https://api.example", false, false),
            ("http://api.example", false, false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!((is_loopback(&url), is_direct(&url)), (here, direct), "{url}");
        }
    }
}
