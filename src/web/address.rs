//! Allows pages to be fetched from public addresses only: never from private networks, this machine's services or cloud
//! metadata services.
//!
//! [`CheckedResolver`] checks every address it resolves, so that the address checked is the address connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// IPv4 networks that are not public: network, bits.
const NOT_PUBLIC_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // shared by carriers
    ([127, 0, 0, 0], 8),     // this machine
    ([169, 254, 0, 0], 16),  // link-local; clouds keep their metadata there
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 31, 196, 0], 24), // AS112
    ([192, 52, 193, 0], 24), // AMT
    ([192, 88, 99, 0], 24),  // 6to4 relays
    ([192, 168, 0, 0], 16),  // private
    ([192, 175, 48, 0], 24), // AS112
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, broadcast
];

/// IPv6 networks within 2000::/3 that are not public; everything outside is not public either.
const NOT_PUBLIC_V6: &[([u16; 4], u32)] = &[
    ([0x2001, 0, 0, 0], 23),         // protocol assignments, Teredo
    ([0x2001, 0xdb8, 0, 0], 32),     // documentation
    ([0x2002, 0, 0, 0], 16),         // 6to4: embeds any IPv4 address
    ([0x2620, 0x4f, 0x8000, 0], 48), // AS112
    ([0x3fff, 0, 0, 0], 20),         // documentation
];

/// Name suffixes that exist only within private networks.
const INTERNAL_NAMES: &[&str] =
    &["localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "localdomain"];

/// The reason why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("only http and https pages are read")]
    Scheme,
    #[error("its host is not a public one")]
    Host,
    #[error("its address is not a public one")]
    Address,
    #[error("only the ports 80 and 443 are used")]
    Port,
    #[error("it holds a user name or a password")]
    Credentials,
}

/// The addresses that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses on ports 80 and 443.
    Public,
    /// The loopback on any port, for tests.
    #[cfg(test)]
    Loopback,
}

impl Reach {
    /// Whether an address may be connected to.
    pub fn allows(self, address: IpAddr) -> bool {
        match self {
            Reach::Public => is_public(address),
            #[cfg(test)]
            Reach::Loopback => address.is_loopback(),
        }
    }

    /// Checks everything about a URL that can be checked before its host is resolved.
    pub fn check(self, url: &Url) -> Result<(), Refused> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refused::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::Credentials);
        }
        let host = url.host_str().ok_or(Refused::Host)?;
        // The URL parser has normalised decimal, octal and hexadecimal forms.
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        match literal {
            Ok(address) if self.allows(address) => {}
            Ok(_) => return Err(Refused::Address),
            Err(_) if self == Reach::Public && is_internal(host) => return Err(Refused::Host),
            Err(_) => {}
        }
        match (self, url.port_or_known_default()) {
            (Reach::Public, Some(80 | 443)) => Ok(()),
            #[cfg(test)]
            (Reach::Loopback, Some(_)) => Ok(()),
            _ => Err(Refused::Port),
        }
    }
}

/// Whether a name has no dot or a private suffix.
fn is_internal(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    !host.contains('.') || INTERNAL_NAMES.iter().any(|name| host.strip_suffix(name).is_some_and(|h| h.ends_with('.')))
}

/// Whether an address is public.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    !NOT_PUBLIC_V4.iter().any(|(network, length)| {
        let mask = u32::MAX << (32 - length);
        bits & mask == u32::from(Ipv4Addr::from(*network))
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = u128::from(address);
    let within = |[a, b, c, d]: [u16; 4], length: u32| {
        let mask = u128::MAX << (128 - length);
        bits & mask == u128::from(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
    };
    within([0x2000, 0, 0, 0], 3) && !NOT_PUBLIC_V6.iter().any(|(network, length)| within(*network, *length))
}

/// The IPv4 address embedded in an IPv6 one: mapped, or translated by NAT64.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return Some(mapped);
    }
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))),
        _ => None,
    }
}

/// Resolves names; fails if any of the addresses is not allowed, since a name with both public and private addresses is
/// suspicious.
#[derive(Clone, Copy, Debug)]
pub struct CheckedResolver(pub Reach);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || {
                (name.as_str(), 0).to_socket_addrs().map(Iterator::collect::<Vec<SocketAddr>>)
            });
            let found = found.await??;
            if !found.iter().all(|address| reach.allows(address.ip())) {
                return Err(Refused::Address.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESSES: &[(&str, bool)] = &[
        ("0.0.0.0", false),
        ("0.1.2.3", false),
        ("1.1.1.1", true),
        ("8.8.8.8", true),
        ("9.255.255.255", true),
        ("10.0.0.0", false),
        ("10.255.255.255", false),
        ("11.0.0.1", true),
        ("100.63.255.255", true),
        ("100.64.0.1", false),
        ("100.127.255.255", false),
        ("100.128.0.1", true),
        ("127.0.0.1", false),
        ("127.255.255.254", false),
        ("169.253.1.1", true),
        ("169.254.169.254", false),
        ("172.15.255.255", true),
        ("172.16.0.1", false),
        ("172.31.255.255", false),
        ("172.32.0.1", true),
        ("192.0.0.8", false),
        ("192.0.2.1", false),
        ("192.88.99.1", false),
        ("192.167.255.255", true),
        ("192.168.1.1", false),
        ("192.169.0.1", true),
        ("198.17.255.255", true),
        ("198.18.0.1", false),
        ("198.19.255.255", false),
        ("198.20.0.1", true),
        ("198.51.100.7", false),
        ("203.0.113.9", false),
        ("223.255.255.255", true),
        ("224.0.0.1", false),
        ("239.255.255.255", false),
        ("240.0.0.1", false),
        ("255.255.255.255", false),
        ("::", false),
        ("::1", false),
        ("::8.8.8.8", false),
        ("::ffff:127.0.0.1", false),
        ("::ffff:10.1.2.3", false),
        ("::ffff:169.254.169.254", false),
        ("::ffff:8.8.8.8", true),
        ("64:ff9b::7f00:1", false),
        ("64:ff9b::a9fe:a9fe", false),
        ("64:ff9b::808:808", true),
        ("64:ff9b:1::1", false),
        ("100::1", false),
        ("2001::1", false),
        ("2001:db8::1", false),
        ("2001:4860:4860::8888", true),
        ("2002:7f00:1::1", false),
        ("2606:4700:4700::1111", true),
        ("3fff::1", false),
        ("4000::1", false),
        ("fc00::1", false),
        ("fd12:3456::1", false),
        ("fe80::1", false),
        ("fec0::1", false),
        ("ff02::1", false),
    ];

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for (address, public) in ADDRESSES {
            assert_eq!(is_public(address.parse().unwrap()), *public, "{address}");
        }
    }

    #[test]
    fn an_url_is_refused_for_what_can_be_seen_of_it() {
        for (url, refused) in [
            ("https://example.org/page", None),
            ("http://example.org:80/", None),
            ("https://8.8.8.8/", None),
            ("https://[2606:4700:4700::1111]/", None),
            ("ftp://example.org/", Some(Refused::Scheme)),
            ("file:///etc/passwd", Some(Refused::Scheme)),
            ("gopher://example.org/", Some(Refused::Scheme)),
            ("https://user@example.org/", Some(Refused::Credentials)),
            ("https://user:secret@example.org/", Some(Refused::Credentials)),
            ("https://example.org:8443/", Some(Refused::Port)),
            ("http://example.org:22/", Some(Refused::Port)),
            ("http://127.0.0.1/", Some(Refused::Address)),
            ("http://2130706433/", Some(Refused::Address)),
            ("http://0x7f000001/", Some(Refused::Address)),
            ("http://0177.0.0.1/", Some(Refused::Address)),
            ("http://127.1/", Some(Refused::Address)),
            ("http://[::1]/", Some(Refused::Address)),
            ("http://[::ffff:7f00:1]/", Some(Refused::Address)),
            ("http://169.254.169.254/latest/meta-data/", Some(Refused::Address)),
            ("http://localhost/", Some(Refused::Host)),
            ("http://LOCALHOST./", Some(Refused::Host)),
            ("http://metadata.google.internal/", Some(Refused::Host)),
            ("http://printer.local/", Some(Refused::Host)),
            ("http://wiki/", Some(Refused::Host)),
            ("https://mylocal/", Some(Refused::Host)),
            ("https://notlocal.example.org/", None),
        ] {
            assert_eq!(Reach::Public.check(&Url::parse(url).unwrap()).err(), refused, "{url}");
        }
    }

    #[test]
    fn the_reach_of_tests_is_this_machine_and_nothing_else() {
        assert_eq!(Reach::Loopback.check(&Url::parse("http://127.0.0.1:8080/").unwrap()), Ok(()));
        assert_eq!(Reach::Loopback.check(&Url::parse("http://8.8.8.8/").unwrap()), Err(Refused::Address));
        assert_eq!(Reach::Loopback.check(&Url::parse("http://10.0.0.1/").unwrap()), Err(Refused::Address));
    }
}
