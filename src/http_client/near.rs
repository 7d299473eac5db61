//! Which addresses are near: on this machine, or in the user's own network. Only there may anything go unencrypted.

use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

/// Whether a server is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|ip| ip.is_loopback())
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
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    match address(&host) {
        Some(IpAddr::V4(ip)) => {
            let [a, b, ..] = ip.octets();
            // The last is what providers and VPNs share among many (RFC 6598).
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || (a == 100 && (64..128).contains(&b))
        }
        Some(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        None => !host.contains('.') || NEAR_NAMES.iter().any(|end| host.ends_with(end)),
    }
}
