//! The address that is listened on: a port of this machine's loopback, and nothing that others can reach.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// The port that exporters of OTLP over HTTP go to unless they are told otherwise.
pub const PORT: u16 = 4318;

/// A port of loopback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(SocketAddr);

impl Address {
    /// The address as sockets have it.
    pub fn socket(self) -> SocketAddr {
        self.0
    }

    /// The same with another port.
    pub(crate) fn with_port(self, port: u16) -> Address {
        Address((self.0.ip(), port).into())
    }
}

impl Default for Address {
    fn default() -> Address {
        Address((Ipv4Addr::LOCALHOST, PORT).into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The reason why an address is not listened on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is not one of loopback.
    #[error(
        "{0} can be reached from other machines, and traces hold what was said: only loopback is listened on, such as \
         127.0.0.1:4318. For a program on another machine: `ssh -R 4318:127.0.0.1:4318 MACHINE`"
    )]
    NotLoopback(String),
    /// It is no address.
    #[error("`{0}` is no address: write it like 127.0.0.1:4318, [::1]:4318, or only the port")]
    NoAddress(String),
}

impl FromStr for Address {
    type Err = Refused;

    /// Address and port, or one of the two.
    fn from_str(text: &str) -> Result<Address, Refused> {
        let wrong = || Refused::NoAddress(text.escape_default().to_string());
        let host = |host: &str| match host {
            "localhost" => Ok(IpAddr::from(Ipv4Addr::LOCALHOST)),
            host => host.trim_start_matches('[').trim_end_matches(']').parse().map_err(|_| wrong()),
        };
        let socket = match (text.parse::<SocketAddr>(), text.parse::<u16>(), text.rsplit_once(':')) {
            (Ok(socket), ..) => socket,
            (_, Ok(port), _) => (Ipv4Addr::LOCALHOST, port).into(),
            (.., Some((name, port))) if name == "localhost" => (host(name)?, port.parse().map_err(|_| wrong())?).into(),
            _ => (host(text)?, PORT).into(),
        };
        // An IPv4 address in the form of IPv6 is bound as IPv4.
        let socket = SocketAddr::new(socket.ip().to_canonical(), socket.port());
        match socket.ip().is_loopback() {
            true => Ok(Address(socket)),
            false => Err(Refused::NotLoopback(socket.ip().to_string())),
        }
    }
}

/// Whether a host, as a request names it, is this machine's loopback. A page in a browser can have its own name point here, and
/// then names itself.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, rest)) if is_port(rest) => name,
            _ => return false,
        },
        None => match host.split_once(':') {
            Some((name, port)) if is_port(&format!(":{port}")) => name,
            Some(_) => return false,
            None => host,
        },
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

fn is_port(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Whether the origin of a page in a browser is this machine's loopback.
pub(crate) fn is_origin_of_loopback(origin: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| origin.strip_prefix(scheme).is_some_and(is_loopback))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_listened_on() {
        let read = |text: &str| text.parse::<Address>().map(|address| address.to_string());
        for (text, expected) in [
            ("127.0.0.1:4318", "127.0.0.1:4318"),
            ("127.0.0.1", "127.0.0.1:4318"),
            ("127.8.0.1:1", "127.8.0.1:1"),
            ("localhost", "127.0.0.1:4318"),
            ("localhost:9", "127.0.0.1:9"),
            ("5000", "127.0.0.1:5000"),
            ("[::1]:4318", "[::1]:4318"),
            ("::1", "[::1]:4318"),
            ("[::1]", "[::1]:4318"),
            ("[::ffff:127.0.0.1]:9", "127.0.0.1:9"),
        ] {
            assert_eq!(read(text), Ok(expected.to_owned()), "{text}");
        }
        for text in ["0.0.0.0:4318", "[::]:4318", "192.168.1.5", "8.8.8.8:80", "::ffff:8.8.8.8", "169.254.169.254:4318"]
        {
            assert!(matches!(read(text), Err(Refused::NotLoopback(_))), "{text}");
        }
        for text in ["", "collector:4318", "http://127.0.0.1:4318", "127.0.0.1:99999", "localhost:x", "-1", "\u{1b}[2J"]
        {
            assert!(matches!(read(text), Err(Refused::NoAddress(_))), "{text:?}");
        }
        assert_eq!(Address::default().to_string(), "127.0.0.1:4318");
    }

    #[test]
    fn a_name_that_is_not_loopback_is_told_from_one_that_is() {
        for host in ["127.0.0.1:4318", "localhost", "LOCALHOST:1", "[::1]:4318", "[::1]", "127.9.9.9"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example:4318",
            "127.0.0.1.nip.io",
            "",
            "[::1",
            "[::1]x",
            "10.0.0.1",
            "localhost:",
            "a@localhost",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
        assert!(is_origin_of_loopback("http://localhost:3000") && is_origin_of_loopback("https://[::1]"));
        for origin in [
            "null",
            "http://evil.example",
            "file://",
            "localhost",
            "http://localhost.evil.example",
            "http://localhost/x",
        ] {
            assert!(!is_origin_of_loopback(origin), "{origin}");
        }
    }
}
