//! Search backends, one a file: the requests of each, and how its answers are read.
//!
//! An [`Api`] is pure: a query becomes requests, an answer becomes results. Only [`ask`] sends; keys come from the
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

use http_client::secret::Secret;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use super::host_turns::retry_after;
use ::text::Clean;

pub use ask::Asker;
pub use settings::{BackendError, Settings, backend, backends};

/// The number of results requested from a backend.
const MOST_RESULTS: usize = 8;
/// The same, as a parameter.
const RESULTS: &str = "8";

/// A search backend: where it is, and how it is talked to.
pub struct Backend {
    /// The name it is chosen by, as in `wikipedia:de`.
    pub name: String,
    url: Url,
    /// None for one that takes no key.
    key: Option<Secret>,
    /// The variable with the key, for messages.
    key_variable: &'static str,
    /// The mail address that Crossref is told.
    mail: Option<String>,
    /// The least pause between two requests.
    pub pause: Duration,
    api: &'static dyn Api,
}

/// The protocol of a kind of backend.
trait Api: Send + Sync {
    /// The requests for a query, tried in order until one finds something.
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request>;

    /// The results in an answer. A search that failed is not the same as one that found nothing.
    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble>;

    /// The request for a page through the backend; None for pages of other sites.
    fn page(&self, _: &Backend, _: &Url) -> Option<Request> {
        None
    }

    /// The title and text (HTML) of such a page.
    fn page_text(&self, _: &Backend, _: &Answer) -> Result<(Clean, String), Trouble> {
        Err(Trouble::NotItsFormat)
    }
}

impl Backend {
    /// The requests for a query.
    pub fn requests(&self, query: &str) -> Vec<Request> {
        self.api.requests(self, query)
    }

    /// The results in an answer.
    ///
    /// # Errors
    /// The backend reports trouble, or the answer is not in its format.
    pub fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        self.api.found(self, answer)
    }

    /// The request for a page through the backend; None for pages of other sites.
    pub fn page(&self, url: &Url) -> Option<Request> {
        self.api.page(self, url)
    }

    /// The title and text (HTML) of such a page.
    ///
    /// # Errors
    /// As [`Backend::found`].
    pub fn page_text(&self, answer: &Answer) -> Result<(Clean, String), Trouble> {
        self.api.page_text(self, answer)
    }

    /// The key itself, for a request; empty for a backend that takes none.
    fn exposed_key(&self) -> &str {
        self.key.as_ref().map_or("", Secret::exposed)
    }

    fn get(&self, parameters: &[(&str, &str)]) -> Request {
        let mut url = self.url.clone();
        url.query_pairs_mut().extend_pairs(parameters);
        Request { url, headers: HeaderMap::new(), body: None }
    }

    fn post(&self, body: serde_json::Value) -> Request {
        Request { url: self.url.clone(), headers: HeaderMap::new(), body: Some(body) }
    }
}

/// A search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The address of its page.
    pub url: Url,
    /// The title of its page, as plain text.
    pub title: Clean,
    /// Its text as far as the backend returns it.
    pub text: Clean,
    /// Whether the text is all there is to read, such as an abstract: the page is not fetched.
    pub whole: bool,
}

impl Found {
    /// A result with a part of its page's text; None without a valid address. Title and text may be HTML.
    fn excerpt(url: &str, title: &str, text: &str) -> Option<Found> {
        Some(Found { url: address(url)?, title: text::plain(title), text: text::plain(text), whole: false })
    }
}

/// A request to a backend. It has no `Debug`: address and headers may contain a key.
#[derive(Clone)]
pub struct Request {
    /// The address; it may contain a key.
    url: Url,
    /// Additional headers; they may contain a key.
    headers: HeaderMap,
    /// JSON to post; None for a GET.
    body: Option<serde_json::Value>,
}

impl Request {
    /// With another header, which is never printed.
    fn header(mut self, name: &'static str, value: &str) -> Request {
        // A key is checked when it is read, so that it is valid in a header.
        if let Ok(mut value) = HeaderValue::from_str(value) {
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
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

/// A response of a backend, whole.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its bytes, at most 8 MB.
    pub body: Vec<u8>,
}

/// The reason why a search failed. Never treated as "nothing found".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("it has a limit on requests, and it is reached{}", wait_in_words(*.0))]
    Limit(Option<Duration>),
    #[error("it refuses the key ({0}); check {1}")]
    Key(u16, &'static str),
    #[error("its plan or credit is used up ({0}); see the backend's own page")]
    Spent(u16),
    #[error(
        "it gives no JSON: add `json` to `search: formats: [html, json]` in its settings.yml, or ask an instance of your own"
    )]
    JsonDisabled,
    #[error("it refuses the request ({0}): {1}")]
    Refused(u16, Clean),
    #[error("it is out of order: {0}")]
    Upstream(Clean),
    #[error("it has moved ({0}): check its base URL")]
    Moved(u16),
    #[error("its answer is not what this backend answers: check its base URL")]
    NotItsFormat,
    #[error("{0}")]
    Network(Clean),
}

fn wait_in_words(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!("; it asks to wait {} s", wait.as_secs().max(1)))
}

impl Answer {
    /// The same answer without the key, which error messages repeat. Of its headers nothing is shown.
    fn without_key(mut self, backend: &Backend) -> Answer {
        if let Some(key) = &backend.key {
            self.body = key.redact(&String::from_utf8_lossy(&self.body)).into_bytes();
        }
        self
    }

    /// Checks the status, as most backends use it.
    fn checked(&self, backend: &Backend) -> Result<&Answer, Trouble> {
        match self.status {
            200..=299 => Ok(self),
            300..=399 => Err(Trouble::Moved(self.status)),
            401 | 403 => Err(Trouble::Key(self.status, backend.key_variable)),
            402 => Err(Trouble::Spent(self.status)),
            429 => Err(Trouble::Limit(self.wait())),
            400..=499 => Err(Trouble::Refused(self.status, self.words())),
            _ => Err(Trouble::Upstream(format!("status {}", self.status).into())),
        }
    }

    fn wait(&self) -> Option<Duration> {
        retry_after(&self.headers, std::time::SystemTime::now())
    }

    fn json<T: DeserializeOwned>(&self) -> Result<T, Trouble> {
        serde_json::from_slice(&self.body).map_err(|_| Trouble::NotItsFormat)
    }

    /// The start of the body, for messages.
    fn words(&self) -> Clean {
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(400)]);
        text::plain(&text)
    }
}

/// Answers of several backends are a list under this name.
#[derive(Deserialize)]
struct Results<T> {
    #[serde(deserialize_with = "readable", bound = "T: DeserializeOwned")]
    results: Vec<T>,
}

/// A result of a service that tells an excerpt of each page.
#[derive(Deserialize)]
struct Hit {
    url: String,
    #[serde(default, deserialize_with = "or_default")]
    title: String,
    #[serde(default, deserialize_with = "or_default")]
    content: String,
}

impl Hit {
    /// The result; None if its address is none.
    fn found(&self) -> Option<Found> {
        Found::excerpt(&self.url, &self.title, &self.content)
    }
}

/// The entries of a list that can be read: one that cannot costs itself alone. Fails if there are entries and none can be.
fn readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(list: D) -> Result<Vec<T>, D::Error> {
    let all = Vec::<serde_json::Value>::deserialize(list)?;
    let count = all.len();
    let read: Vec<T> = all.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect();
    if read.is_empty() && count > 0 { Err(D::Error::custom("no entry of the list can be read")) } else { Ok(read) }
}

/// The value of a field; where it is null, that of a missing one.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(field: D) -> Result<T, D::Error> {
    Option::deserialize(field).map(Option::unwrap_or_default)
}

/// A valid http(s) address of a result.
fn address(url: &str) -> Option<Url> {
    Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests;
