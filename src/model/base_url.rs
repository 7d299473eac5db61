//! Base URLs of APIs: parsed from people's input, refused if they would leak a key.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

use super::profile::Format;
use http_client::near;
use text::Clean;

/// The base URL of an API: `https`, or `http` on this machine or in the user's own network. It never ends in a slash.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Parses the base URL of an API of this format, with or without its usual path. `path` is added to an address without one;
    /// empty for the usual one of the format.
    ///
    /// # Errors
    /// The error is its fault, as a message for the person.
    pub fn new(raw: &str, format: Format, path: &str) -> Result<BaseUrl, String> {
        let raw = raw.trim();
        // Anywhere in the text: a key with a `/` before the `@` would be taken for host and path.
        if raw.contains('@') {
            return Err("a key has no place in an address, where every log would show it: set the variable of \
                        the key instead"
                .to_owned());
        }
        let mut url = Url::parse(raw).map_err(|error| match error.to_string().contains("port") {
            true => no_port(raw),
            false => no_scheme(raw),
        })?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(no_scheme(raw));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it ends in a query or a fragment: give it without what begins at `?` or `#`".to_owned());
        }
        if url.scheme() == "http" && !near::is_near(&url) {
            return Err("a key and a question would cross the network for all to read: use https, or a tunnel \
                        that ends on this machine. http:// is for servers on this machine and in your own network: a \
                        private address, a name in .local or .internal, a container"
                .to_owned());
        }
        let path = own_path(url.path(), format, path);
        url.set_path(&path);
        Ok(BaseUrl(url))
    }

    /// Parses `OLLAMA_HOST`: a host, a port, both, or an address with a path.
    pub fn of_host(raw: &str, port: u16) -> Result<BaseUrl, String> {
        let raw = raw.trim().trim_matches(['"', '\'']);
        let (scheme, rest, otherwise) = match raw.split_once("://") {
            Some(("http", rest)) => ("http", rest, 80),
            Some(("https", rest)) => ("https", rest, 443),
            Some(_) => return Err(no_scheme(raw)),
            None => ("http", raw, port),
        };
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let (host, port) = match host.parse::<IpAddr>() {
            Ok(IpAddr::V6(ip)) => (format!("[{ip}]"), otherwise),
            _ => match host.rsplit_once(':') {
                Some((name, digits)) if !name.contains(':') || name.ends_with(']') => {
                    let port = digits.parse().ok().filter(|port| *port > 0);
                    (name.to_owned(), port.ok_or_else(|| no_port(raw))?)
                }
                _ => (host.to_owned(), otherwise),
            },
        };
        // The address to listen on is not the one to connect to.
        let host = match host.as_str() {
            "" | "0.0.0.0" => "127.0.0.1",
            "[::]" => "[::1]",
            other => other,
        };
        let path = path.trim_end_matches('/');
        BaseUrl::new(&format!("{scheme}://{host}:{port}{path}/v1"), Format::OpenAi, "")
    }

    /// The address of a path below the base.
    pub(super) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path().trim_end_matches('/')));
        url
    }

    /// The address of a path at the root of the server.
    pub(super) fn at_root(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(path);
        url
    }

    /// The host, with the port if it is not the default one.
    pub fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether it is reached by TLS.
    pub(crate) fn is_secured(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether requests can be read on the way: by `http`, to another machine.
    pub fn is_open_to_readers(&self) -> bool {
        !self.is_secured() && !self.is_loopback()
    }

    /// Whether the server is on this machine or in the user's own network.
    pub fn is_near(&self) -> bool {
        near::is_near(&self.0)
    }

    /// Whether the server is reached without a proxy.
    pub fn is_direct(&self) -> bool {
        near::is_direct(&self.0)
    }

    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        near::is_loopback(&self.0)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn no_scheme(raw: &str) -> String {
    let bare = raw.split_once("://").map_or(raw, |(_, rest)| rest);
    let scheme = if bare.starts_with("localhost") || bare.starts_with("127.") { "http" } else { "https" };
    let bare: String = Clean::line(bare).chars().filter(|c| *c != ' ').take(80).collect();
    // Text before an @ may be a key: never show it.
    let bare = bare.rsplit('@').next().unwrap_or_default();
    format!("it has to begin with https://, or with http:// for a server on this machine, as in {scheme}://{bare}")
}

fn no_port(raw: &str) -> String {
    let bare = raw.split_once("://").map_or(raw, |(_, rest)| rest);
    let host = bare.rsplit('@').next().unwrap_or_default().split('/').next().unwrap_or_default();
    let port: String = Clean::line(host.rsplit(':').next().unwrap_or_default()).chars().take(20).collect();
    format!("`{port}` is no port: a port is a number from 1 to 65535, as in http://localhost:8000")
}

/// The path as the API expects it, however the person wrote the URL.
fn own_path(path: &str, format: Format, usual: &str) -> String {
    let path = path.trim_end_matches('/');
    match format {
        Format::Anthropic => {
            let path = path.strip_suffix("/messages").unwrap_or(path);
            path.strip_suffix("/v1").unwrap_or(path).trim_end_matches('/').to_owned()
        }
        Format::OpenAi | Format::Responses => {
            let ends = ["/chat/completions", "/responses"];
            let path = ends.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
            match (path, usual) {
                ("", "") => "/v1".to_owned(),
                ("" | "/openai", usual) if !usual.is_empty() => usual.to_owned(),
                (path, _) => path.to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_goes_no_further_than_the_users_own_network() {
        let near = |host: &str| BaseUrl::new(&format!("http://{host}:8000/v1"), Format::OpenAi, "");
        for host in [
            "10.1.2.3",
            "172.16.0.9",
            "192.168.1.5",
            "169.254.7.7",
            "100.101.1.1",
            "[fd00::5]",
            "[fe80::1]",
            "ollama",
            "gpu.local",
            "host.docker.internal",
            "box.home.arpa",
            "[::ffff:192.168.1.5]",
            "GPU.LOCAL",
        ] {
            let base = near(host).unwrap_or_else(|why| panic!("{host}: {why}"));
            assert!(base.is_near() && base.is_open_to_readers() && !base.is_loopback(), "{host}");
        }
        for host in [
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "[2001:db8::1]",
            "models.example",
            "local.example",
            "1.local.example",
        ] {
            assert!(near(host).unwrap_err().contains("use https"), "{host}");
        }
        assert!(!near("localhost").unwrap().is_open_to_readers());
    }

    #[test]
    fn a_bad_port_is_said_to_be_one() {
        for raw in ["http://localhost:99999/v1", "https://models.example:abc/v1"] {
            let why = BaseUrl::new(raw, Format::OpenAi, "").unwrap_err();
            assert!(why.contains("is no port"), "{raw}: {why}");
        }
        for raw in ["localhost:99999", "0.0.0.0:0", "gpu:x1"] {
            assert!(BaseUrl::of_host(raw, 11434).unwrap_err().contains("is no port"), "{raw}");
        }
        assert_eq!(BaseUrl::of_host("gpu", 11434).unwrap().to_string(), "http://gpu:11434/v1");
        assert_eq!(BaseUrl::of_host("[fd00::5]:9", 11434).unwrap().to_string(), "http://[fd00::5]:9/v1");
    }

    #[test]
    fn a_base_url_is_understood_however_it_was_written() {
        let anthropic = [
            ("https://api.anthropic.com", "https://api.anthropic.com"),
            ("https://api.anthropic.com/", "https://api.anthropic.com"),
            ("https://api.anthropic.com/v1/", "https://api.anthropic.com"),
            ("https://gate.example/anthropic/v1/messages", "https://gate.example/anthropic"),
            ("http://127.0.0.1:18080", "http://127.0.0.1:18080"),
        ];
        for (raw, base) in anthropic {
            assert_eq!(BaseUrl::new(raw, Format::Anthropic, "").unwrap().to_string(), base);
        }
        let openai = [
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            ("https://api.openai.com/v1//", "https://api.openai.com/v1"),
            ("http://localhost:8000", "http://localhost:8000/v1"),
            ("http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1"),
            ("https://gate.example/openai/v4", "https://gate.example/openai/v4"),
        ];
        for (raw, base) in openai {
            let base_url = BaseUrl::new(raw, Format::OpenAi, "").unwrap();
            assert_eq!(base_url.to_string(), base);
            assert_eq!(base_url.join("/models").to_string(), format!("{base}/models"));
        }
        for raw in [
            "https://mine.openai.azure.com",
            "https://mine.openai.azure.com/openai/",
            "https://mine.openai.azure.com/openai/v1/responses",
        ] {
            let base_url = BaseUrl::new(raw, Format::Responses, "/openai/v1").unwrap();
            assert_eq!(base_url.to_string(), "https://mine.openai.azure.com/openai/v1");
        }
    }
}
