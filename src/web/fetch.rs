//! Fetches web pages, one request at a time per host, as robots.txt allows.
//!
//! Scheme, port, address and robots.txt are checked at every redirect. It never sends a cookie, key or referrer, and
//! never uses a proxy, which would resolve names unchecked.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::{self, HeaderMap};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::Instant;

use super::address::{CheckedResolver, Reach, Refused};
use super::host_turns::{HostTurns, retry_after};
use super::kept::Shared;
use super::robots::{self, Robots};
use documents::PageFormat;
use text::Clean;

/// The most bytes of a page, after decompression.
pub const MOST_BYTES: usize = 5 << 20;
/// The timeout of a request, from its turn to its last byte.
const PATIENCE: Duration = Duration::from_secs(20);
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// The most redirects.
const MOST_REDIRECTS: usize = 5;
/// The most sites whose rules are kept.
const MOST_SITES: usize = 200;
/// The least pause between two requests to a host.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest `Retry-After` that is waited for; beyond it the page is given up.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// The time before a page that could not be read is fetched again; the same for a robots.txt.
const LEFT_ALONE: Duration = Duration::from_secs(60);
/// Formats that can be read.
const ACCEPT: &str = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/pdf;q=0.5";

/// The reason why a page could not be fetched.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FetchError {
    #[error("it is not fetched: {0}")]
    Refused(#[from] Refused),
    #[error("its robots.txt does not allow it")]
    Robots,
    #[error("it redirects more than {MOST_REDIRECTS} times")]
    Redirects,
    #[error("it redirects to where no reader may follow")]
    BadRedirect,
    #[error("its server answers {0}")]
    Status(u16),
    #[error("it is no document that can be read ({0})")]
    Type(Clean),
    #[error("it is longer than {} MB", MOST_BYTES >> 20)]
    TooLarge,
    #[error("its server took longer than {} s", PATIENCE.as_secs())]
    Slow,
    #[error("{0}")]
    Network(Clean),
}

/// The kind of a page, by its content type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text in some format.
    Text(PageFormat),
    /// A PDF file.
    Pdf,
}

/// A fetched page.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// Its final URL, after redirects.
    pub url: Url,
    /// Its kind.
    pub kind: Kind,
    /// Its bytes, at most 5 MB; text is converted to UTF-8 if the server named its encoding.
    pub body: Vec<u8>,
}

/// Fetches pages from public addresses, as far as the site permits programs to, one at a time per host.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    reach: Reach,
    pause: Duration,
    /// The time for which a page is left alone that could not be read, and a site whose robots.txt could not.
    pub left_alone: Duration,
    host_turns: Arc<HostTurns>,
    robots: Shared<Site>,
}

/// The rules of a site, or why they are not known, and since when.
#[derive(Debug)]
struct Site {
    robots: Result<Robots, FetchError>,
    since: Instant,
}

/// A response whose body is not yet read.
struct Hop {
    response: Response,
    /// Kept until the body is read, so that no other request to the host starts.
    turn: super::host_turns::Turn,
}

impl Fetcher {
    /// A fetcher for the public web.
    pub fn new(host_turns: Arc<HostTurns>) -> reqwest::Result<Fetcher> {
        Fetcher::within(Reach::Public, PAUSE, LEFT_ALONE, host_turns)
    }

    /// A fetcher for the loopback only.
    #[cfg(test)]
    pub(super) fn on_loopback() -> Fetcher {
        Fetcher::within(Reach::Loopback, Duration::ZERO, Duration::ZERO, Arc::default()).expect("a client")
    }

    fn within(
        reach: Reach,
        pause: Duration,
        left_alone: Duration,
        host_turns: Arc<HostTurns>,
    ) -> reqwest::Result<Fetcher> {
        let client = http_client::builder()
            .no_proxy()
            .dns_resolver(Arc::new(CheckedResolver(reach)))
            .connect_timeout(CONNECT_PATIENCE)
            .pool_idle_timeout(Duration::from_secs(15))
            .build()?;
        Ok(Fetcher { client, reach, pause, left_alone, host_turns, robots: Shared::at_most(MOST_SITES) })
    }

    /// Fetches a page.
    pub async fn fetch(&self, url: &Url) -> Result<Fetched, FetchError> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            self.reach.check(&url)?;
            let robots = self.robots(&url).await?;
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
            let (body, true) = http_client::body(hop.response, MOST_BYTES).await.map_err(network)? else {
                return Err(FetchError::TooLarge);
            };
            return Ok(Fetched { url, kind, body: in_utf8(body, kind, charset.as_deref()) });
        }
        Err(FetchError::Redirects)
    }

    /// Sends a request, and repeats it once if the host asks for a short wait.
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
        let turn = self.host_turns.turn(url.host_str().unwrap_or_default(), pause).await;
        let request = self.client.get(url.clone()).header(header::ACCEPT, ACCEPT).timeout(PATIENCE);
        let response = request.send().await.map_err(network)?;
        Ok(Hop { response, turn })
    }

    /// The robots.txt rules of a page's site, fetched once; anew after a while where that failed.
    async fn robots(&self, url: &Url) -> Result<Robots, FetchError> {
        let origin = url.origin().ascii_serialization();
        let cell = self.robots.cell(origin, |site| site.robots.is_ok() || site.since.elapsed() < self.left_alone);
        let site = cell.get_or_init(|| async {
            let robots = self.fetch_robots(url).await;
            Site { robots, since: Instant::now() }
        });
        site.await.robots.clone()
    }

    async fn fetch_robots(&self, page: &Url) -> Result<Robots, FetchError> {
        let mut url = page.join("/robots.txt").map_err(|_| FetchError::Robots)?;
        for _ in 0..=MOST_REDIRECTS {
            self.reach.check(&url)?;
            let hop = self.patiently(&url, self.pause).await?;
            let status = hop.response.status();
            match redirect(&url, &hop.response) {
                Ok(Some(next)) => url = next,
                // A redirect that cannot be followed counts as a missing file.
                Err(_) => break,
                Ok(None) if status.is_success() => {
                    let (text, _) = http_client::body(hop.response, robots::MOST_BYTES).await.map_err(network)?;
                    return Ok(Robots::parse(&String::from_utf8_lossy(&text)));
                }
                Ok(None) if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => break,
                // A site that fails to serve its rules allows nothing (RFC 9309).
                Ok(None) => return Err(FetchError::Robots),
            }
        }
        Ok(Robots::everything())
    }
}

fn path_and_query(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// The target of a redirect; None if the response is none.
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

/// The type of a page by its content type, or by its name if the content type is just text.
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

/// Converts text from the encoding its server names; unchanged if it names none or is wrong.
fn in_utf8(body: Vec<u8>, kind: Kind, charset: Option<&str>) -> Vec<u8> {
    let encoding = charset.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    match encoding.filter(|_| kind != Kind::Pdf && std::str::from_utf8(&body).is_err()) {
        Some(encoding) if encoding != encoding_rs::UTF_8 => encoding.decode(&body).0.into_owned().into_bytes(),
        _ => body,
    }
}

/// A network error without the URL, which may contain private data.
pub(super) fn network(error: reqwest::Error) -> FetchError {
    if error.is_timeout() {
        return FetchError::Slow;
    }
    let error = error.without_url();
    if let Some(refused) = http_client::causes(&error).find_map(|cause| cause.downcast_ref::<Refused>()) {
        return FetchError::Refused(refused.clone());
    }
    let why = http_client::causes(&error).last().map_or_else(|| error.to_string(), ToString::to_string);
    FetchError::Network(Clean::line(&why))
}
