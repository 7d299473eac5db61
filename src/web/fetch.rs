//! Fetches pages of the open web, one at a time at each host, as far as its robots.txt allows.
//!
//! Every hop of every fetch is checked: scheme, port, address, robots.txt. Never sends a cookie, a key or a referrer;
//! never goes through a proxy, which would resolve names unchecked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use reqwest::header::{self, HeaderMap};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::sync::OnceCell;

use super::address::{CheckedResolver, Reach, Refused};
use super::polite::{Manners, retry_after};
use super::robots::{self, Robots};
use documents::PageFormat;
use text::Clean;

/// Bytes of one page that are read, after decompression.
pub const MOST_BYTES: usize = 5 << 20;
/// How long one request may take, from its turn to its last byte.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a connection may take to stand.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// Redirects that are followed.
const MOST_REDIRECTS: usize = 5;
/// The pause between two requests to one host.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest wait that a host asks for and is given; beyond it the page is given up.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// What can be read.
const ACCEPT: &str = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/pdf;q=0.5";

/// Why a page was not read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FetchError {
    /// Where it is, or where it redirects to, is not fetched from.
    #[error("it is not fetched: {0}")]
    Refused(#[from] Refused),
    /// Its site does not want programs there.
    #[error("its robots.txt does not allow it")]
    Robots,
    /// Round and round.
    #[error("it redirects more than {MOST_REDIRECTS} times")]
    Redirects,
    /// To an address that is none, or from https to http.
    #[error("it redirects to where no reader may follow")]
    BadRedirect,
    /// Anything but success.
    #[error("its server answers {0}")]
    Status(u16),
    /// Not a document.
    #[error("it is no document that can be read ({0})")]
    Type(Clean),
    /// Longer than [`MOST_BYTES`].
    #[error("it is longer than {} MB", MOST_BYTES >> 20)]
    TooLarge,
    /// Longer than [`PATIENCE`].
    #[error("its server took longer than {} s", PATIENCE.as_secs())]
    Slow,
    /// What the network says.
    #[error("{0}")]
    Network(Clean),
}

/// What a fetched page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text in some format.
    Text(PageFormat),
    /// A PDF file.
    Pdf,
}

/// A page as it came.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// Where it was in the end.
    pub url: Url,
    /// What it is.
    pub kind: Kind,
    /// Its bytes; text is in UTF-8 if its server said in what it was.
    pub body: Vec<u8>,
}

/// Fetches pages.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    reach: Reach,
    pause: Duration,
    manners: Arc<Manners>,
    robots: Mutex<HashMap<String, Arc<OnceCell<Robots>>>>,
}

/// One answer, its body not yet read.
struct Hop {
    response: Response,
    /// Held until the body is read.
    turn: super::polite::Turn,
}

impl Fetcher {
    /// A fetcher of pages of the public web.
    ///
    /// # Errors
    /// No client can be built.
    pub fn new(manners: Arc<Manners>) -> reqwest::Result<Fetcher> {
        Fetcher::within(Reach::Public, PAUSE, manners)
    }

    /// A fetcher that reaches this machine and nothing else, for tests.
    #[cfg(test)]
    pub(super) fn on_loopback() -> Fetcher {
        Fetcher::within(Reach::Loopback, Duration::ZERO, Arc::default()).expect("a client")
    }

    fn within(reach: Reach, pause: Duration, manners: Arc<Manners>) -> reqwest::Result<Fetcher> {
        let client = http_client::builder()
            .no_proxy()
            .dns_resolver(CheckedResolver(reach).shared())
            .connect_timeout(CONNECT_PATIENCE)
            .pool_idle_timeout(Duration::from_secs(15))
            .build()?;
        Ok(Fetcher { client, reach, pause, manners, robots: Mutex::default() })
    }

    /// Fetches a page.
    ///
    /// # Errors
    /// [`FetchError`] says why it cannot be read.
    pub async fn fetch(&self, url: &Url) -> Result<Fetched, FetchError> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            self.reach.check(&url)?;
            let robots = self.robots(&url).await;
            if !robots.allows(&path_and_query(&url)) {
                return Err(FetchError::Robots);
            }
            let hop = self.patiently(&url, self.pause.max(robots.delay.unwrap_or_default())).await?;
            if let Some(next) = redirect(&url, &hop.response)? {
                url = next;
                continue;
            }
            let status = hop.response.status();
            if !status.is_success() {
                return Err(FetchError::Status(status.as_u16()));
            }
            let (kind, charset) = kind(hop.response.headers(), &url)?;
            let body = body(hop, MOST_BYTES).await?;
            let body = if body.whole { body.bytes } else { return Err(FetchError::TooLarge) };
            return Ok(Fetched { url, kind, body: in_utf8(body, kind, charset.as_deref()) });
        }
        Err(FetchError::Redirects)
    }

    /// Asks once; and once more if the host asks for a short wait.
    async fn patiently(&self, url: &Url, pause: Duration) -> Result<Hop, FetchError> {
        let mut hop = self.hop(url, pause).await?;
        let busy = matches!(hop.response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        let wait = retry_after(hop.response.headers(), SystemTime::now());
        let (true, Some(wait)) = (busy, wait) else { return Ok(hop) };
        hop.turn.wait(wait.min(LONGEST_WAIT));
        if wait > LONGEST_WAIT {
            return Ok(hop);
        }
        drop(hop);
        self.hop(url, pause).await
    }

    async fn hop(&self, url: &Url, pause: Duration) -> Result<Hop, FetchError> {
        let turn = self.manners.turn(url.host_str().unwrap_or_default(), pause).await;
        let request = self.client.get(url.clone()).header(header::ACCEPT, ACCEPT).timeout(PATIENCE);
        let response = request.send().await.map_err(network)?;
        Ok(Hop { response, turn })
    }

    /// The rules of a page's site, asked for once.
    async fn robots(&self, url: &Url) -> Robots {
        let origin = url.origin().ascii_serialization();
        let cell = {
            let mut known = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
            known.entry(origin).or_default().clone()
        };
        cell.get_or_init(|| self.fetch_robots(url)).await.clone()
    }

    async fn fetch_robots(&self, page: &Url) -> Robots {
        let Ok(mut url) = page.join("/robots.txt") else { return Robots::nothing() };
        for _ in 0..=MOST_REDIRECTS {
            if self.reach.check(&url).is_err() {
                return Robots::nothing();
            }
            let Ok(hop) = self.patiently(&url, self.pause).await else { return Robots::nothing() };
            match redirect(&url, &hop.response) {
                Ok(Some(next)) => {
                    url = next;
                    continue;
                }
                Ok(None) => {}
                // What cannot be followed is as if it were not there.
                Err(_) => return Robots::everything(),
            }
            let status = hop.response.status();
            return if status.is_success() {
                match body(hop, robots::MOST_BYTES).await {
                    Ok(body) => Robots::parse(&String::from_utf8_lossy(&body.bytes)),
                    Err(_) => Robots::nothing(),
                }
            } else if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
                Robots::everything()
            } else {
                Robots::nothing()
            };
        }
        Robots::everything()
    }
}

fn path_and_query(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// Where an answer sends its reader, if it does.
fn redirect(from: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
    let mut to = to.and_then(|to| from.join(to).ok()).ok_or(FetchError::BadRedirect)?;
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(FetchError::BadRedirect);
    }
    to.set_fragment(None);
    Ok(Some(to))
}

/// What the server says a page is. Its name helps where the server says no more than that it is text.
fn kind(headers: &HeaderMap, url: &Url) -> Result<(Kind, Option<String>), FetchError> {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = value.split(';');
    let media = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    });
    let format = match media.as_str() {
        "text/html" | "application/xhtml+xml" => PageFormat::Html,
        "text/markdown" | "text/x-markdown" => PageFormat::Markdown,
        "text/plain" if url.path().ends_with(".md") => PageFormat::Markdown,
        "text/plain" => PageFormat::Plain,
        "application/pdf" => return Ok((Kind::Pdf, None)),
        "" => return Err(FetchError::Type("its server does not say what it is".into())),
        other => return Err(FetchError::Type(Clean::line(other.get(..60).unwrap_or(other)))),
    };
    Ok((Kind::Text(format), charset))
}

struct Body {
    bytes: Vec<u8>,
    /// Whether nothing was left unread.
    whole: bool,
}

/// Reads a body up to a limit that counts what was unpacked.
async fn body(mut hop: Hop, most: usize) -> Result<Body, FetchError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = hop.response.chunk().await.map_err(network)? {
        let room = most - bytes.len();
        if chunk.len() > room {
            bytes.extend_from_slice(&chunk[..room]);
            return Ok(Body { bytes, whole: false });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Body { bytes, whole: true })
}

/// A text in the encoding that its server names; as it is if the server names none or is wrong.
fn in_utf8(body: Vec<u8>, kind: Kind, charset: Option<&str>) -> Vec<u8> {
    let encoding = charset.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    match encoding.filter(|_| kind != Kind::Pdf && std::str::from_utf8(&body).is_err()) {
        Some(encoding) if encoding != encoding_rs::UTF_8 => encoding.decode(&body).0.into_owned().into_bytes(),
        _ => body,
    }
}

/// What went wrong, without the URL: it may hold what is nobody's business.
pub(super) fn network(error: reqwest::Error) -> FetchError {
    if error.is_timeout() {
        return FetchError::Slow;
    }
    let error = error.without_url();
    let mut why = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<Refused>() {
            return FetchError::Refused(refused.clone());
        }
        why = inner.to_string();
        cause = inner.source();
    }
    FetchError::Network(Clean::line(&why))
}
