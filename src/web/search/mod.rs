//! Search backends, one a file: how each is asked, and what its answers mean.
//!
//! Adapters are pure: a query becomes requests, an answer becomes what was found. [`ask`] is the one place that
//! sends; keys come from the environment and go nowhere but to their own backend.

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

use super::polite::retry_after;
use ::text::Clean;

pub use ask::Asker;
pub use settings::{BACKENDS, BackendError, Settings, backend};

/// Results asked of a backend.
const RESULTS: usize = 8;

/// One search backend.
pub trait Backend: Send + Sync {
    /// What it was chosen by, as in `wikipedia:de`.
    fn name(&self) -> &str;

    /// How it is asked: in this order, until one request finds something.
    fn requests(&self, query: &str) -> Vec<Request>;

    /// What an answer says.
    ///
    /// # Errors
    /// [`Trouble`]: it says that nothing could be looked up, which is not the same as that nothing was found.
    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble>;

    /// How long it is left in peace between two requests.
    fn pause(&self) -> Duration {
        Duration::ZERO
    }

    /// How a page is read through the backend, if it is one of its own.
    fn page(&self, _url: &Url) -> Option<Request> {
        None
    }

    /// The title and text (HTML) of a page read so.
    ///
    /// # Errors
    /// [`Trouble`], as for a search.
    fn page_text(&self, _answer: &Answer) -> Result<(Clean, String), Trouble> {
        Err(Trouble::Odd)
    }
}

/// What a backend found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub url: Url,
    /// What it is called.
    pub title: Clean,
    /// What it says, as far as the backend tells.
    pub text: Clean,
    /// Whether the text is what there is to read, as the abstract of an article is: nothing is fetched.
    pub whole: bool,
}

/// A request to a backend.
#[derive(Clone)]
pub struct Request {
    /// Where; it may hold a key.
    url: Url,
    /// Besides the usual ones; they may hold a key.
    headers: Vec<(&'static str, Secret)>,
    /// JSON to post; a GET without.
    body: Option<serde_json::Value>,
}

/// What must not be printed.
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

    /// What tells it from other requests.
    pub(super) fn key(&self) -> String {
        let body = self.body.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{} {body}", self.url)
    }

    fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

/// What a backend answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// Why a backend could not be asked, or did not answer. It is never taken for "nothing found".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// Too many requests.
    #[error("it has a limit on requests, and it is reached{}", wait_in_words(*.0))]
    Limit(Option<Duration>),
    /// The key is wrong, or is not allowed this.
    #[error("it refuses the key ({0}); check {1}")]
    Key(u16, &'static str),
    /// The plan or the credit is used up.
    #[error("its plan or credit is used up ({0}); see the backend's own page")]
    Spent(u16),
    /// SearXNG gives JSON only where its settings say so.
    #[error(
        "it gives no JSON: add `json` to `search: formats: [html, json]` in its settings.yml, or ask an instance of your own"
    )]
    JsonDisabled,
    /// It says that what was asked is wrong.
    #[error("it refuses the request ({0}): {1}")]
    Refused(u16, Clean),
    /// It is out of order, or those it asks are.
    #[error("it is out of order: {0}")]
    Upstream(Clean),
    /// Its base URL leads elsewhere.
    #[error("it has moved ({0}): check its base URL")]
    Moved(u16),
    /// The answer is not one of this backend.
    #[error("its answer is not what this backend answers: check its base URL")]
    Odd,
    /// What the network says.
    #[error("{0}")]
    Network(Clean),
}

fn wait_in_words(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!("; it asks to wait {} s", wait.as_secs().max(1)))
}

impl Answer {
    /// What the status says, as most backends mean it. `key` names the variable that holds the key.
    ///
    /// # Errors
    /// [`Trouble`], if it is no success.
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

    /// The beginning of what it says, for a person.
    fn words(&self) -> Clean {
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(400)]);
        text::plain(&text)
    }
}

/// An address for a result, if it is one that a page can have.
fn address(url: &str) -> Option<Url> {
    Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests;
