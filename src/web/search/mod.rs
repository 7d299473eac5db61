//! Search backends, one a file: the requests of each, and how its answers are read.
//!
//! Backends are pure: a query becomes requests, an answer becomes results. Only [`ask`] sends; keys come from the
//! environment and go to their own backend alone.

mod arxiv;
mod ask;
mod brave;
mod crossref;
mod exa;
mod mediawiki;
mod openalex;
mod query;
mod searxng;
mod settings;
mod tavily;
mod text;

use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

use super::host_turns::retry_after;
use ::text::Clean;

pub use ask::Asker;
pub use settings::{BACKENDS, BackendError, Settings, backend};

/// The number of results requested from a backend.
const RESULTS: usize = 8;

/// One search backend.
pub trait Backend: Send + Sync {
    /// The name it is chosen by, as in `wikipedia:de`.
    fn name(&self) -> &str;

    /// Its requests for a query, tried in order until one finds something.
    fn requests(&self, query: &str) -> Vec<Request>;

    /// The results in an answer.
    ///
    /// # Errors
    /// The search failed, which is not the same as having found nothing.
    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble>;

    /// The least pause between two requests.
    fn pause(&self) -> Duration {
        Duration::ZERO
    }

    /// The request for a page through the backend's API; None for pages of other sites.
    fn page(&self, _url: &Url) -> Option<Request> {
        None
    }

    /// The title and text (HTML) of such a page.
    ///
    /// # Errors
    /// As for a search.
    fn page_text(&self, _answer: &Answer) -> Result<(Clean, String), Trouble> {
        Err(Trouble::Odd)
    }
}

/// A search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its address.
    pub url: Url,
    /// Its title.
    pub title: Clean,
    /// Its text as far as the backend returns it.
    pub text: Clean,
    /// Whether the text is all there is to read, such as an abstract: the page is not fetched.
    pub whole: bool,
}

/// A request to a backend.
#[derive(Clone)]
pub struct Request {
    /// The address; it may contain a key.
    url: Url,
    /// Additional headers; they may contain a key.
    headers: Vec<(&'static str, Secret)>,
    /// JSON to post; None for a GET.
    body: Option<serde_json::Value>,
}

/// A string that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl Request {
    fn get(url: Url) -> Request {
        Request { url, headers: Vec::new(), body: None }
    }

    fn post(url: Url, body: serde_json::Value) -> Request {
        Request { url, headers: Vec::new(), body: Some(body) }
    }

    fn header(mut self, name: &'static str, value: String) -> Request {
        self.headers.push((name, Secret(value)));
        self
    }

    /// Identifies the request among others.
    pub(super) fn key(&self) -> String {
        let body = self.body.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{} {body}", self.url)
    }

    fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

/// The answer of a backend.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// Why a search failed. Never treated as "nothing found".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// Too many requests.
    #[error("it has a limit on requests, and it is reached{}", wait_in_words(*.0))]
    Limit(Option<Duration>),
    /// The key is wrong or lacks a permission.
    #[error("it refuses the key ({0}); check {1}")]
    Key(u16, &'static str),
    /// The plan or the credit is used up.
    #[error("its plan or credit is used up ({0}); see the backend's own page")]
    Spent(u16),
    /// SearXNG returns JSON only if its settings allow it.
    #[error(
        "it gives no JSON: add `json` to `search: formats: [html, json]` in its settings.yml, or ask an instance of your own"
    )]
    JsonDisabled,
    /// It rejects the request as invalid.
    #[error("it refuses the request ({0}): {1}")]
    Refused(u16, Clean),
    /// It, or an engine behind it, is out of order.
    #[error("it is out of order: {0}")]
    Upstream(Clean),
    /// Its base URL redirects elsewhere.
    #[error("it has moved ({0}): check its base URL")]
    Moved(u16),
    /// The answer has the wrong format.
    #[error("its answer is not what this backend answers: check its base URL")]
    Odd,
    /// A network error.
    #[error("{0}")]
    Network(Clean),
}

fn wait_in_words(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!("; it asks to wait {} s", wait.as_secs().max(1)))
}

impl Answer {
    /// Checks the status, as most backends use it. `key` names the variable with the key.
    ///
    /// # Errors
    /// The status is no success.
    fn checked(&self, key: &'static str) -> Result<&Answer, Trouble> {
        match self.status {
            200..=299 => Ok(self),
            300..=399 => Err(Trouble::Moved(self.status)),
            401 | 403 => Err(Trouble::Key(self.status, key)),
            402 => Err(Trouble::Spent(self.status)),
            429 => Err(Trouble::Limit(self.wait())),
            400..=499 => Err(Trouble::Refused(self.status, self.words())),
            _ => Err(Trouble::Upstream(format!("status {}", self.status).into())),
        }
    }

    /// How long it asks to wait.
    fn wait(&self) -> Option<Duration> {
        retry_after(&self.headers, std::time::SystemTime::now())
    }

    fn json<T: DeserializeOwned>(&self) -> Result<T, Trouble> {
        serde_json::from_slice(&self.body).map_err(|_| Trouble::Odd)
    }

    /// The start of the body, for messages.
    fn words(&self) -> Clean {
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(400)]);
        text::plain(&text)
    }
}

/// A valid http(s) address of a result.
fn address(url: &str) -> Option<Url> {
    Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests;
