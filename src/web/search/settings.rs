//! Makes a backend from its name, with address and key from the environment.

use std::time::Duration;

use http_client::near::is_loopback;
use http_client::secret::{NotASecret, Secret};
use reqwest::Url;

use super::arxiv::Arxiv;
use super::brave::Brave;
use super::crossref::Crossref;
use super::exa::Exa;
use super::mediawiki::MediaWiki;
use super::openalex::OpenAlex;
use super::searxng::Searxng;
use super::tavily::Tavily;
use super::{Api, Backend};
use text::Clean;

struct Kind {
    name: &'static str,
    /// Its usual address, with `{lang}` for the language; empty if each user has another one.
    base: &'static str,
    /// The path of its search below that address.
    path: &'static str,
    /// Environment variables with its key; the first one set counts.
    keys: &'static [&'static str],
    /// The least pause between two requests, in milliseconds.
    pause_ms: u64,
    api: &'static dyn Api,
}

const KINDS: [Kind; 8] = [
    Kind {
        name: "wikipedia",
        base: "https://{lang}.wikipedia.org",
        path: "w/api.php",
        keys: &[],
        // Its etiquette asks for sequential requests.
        pause_ms: 50,
        api: &MediaWiki,
    },
    Kind { name: "searxng", base: "", path: "search", keys: &[], pause_ms: 0, api: &Searxng },
    Kind {
        name: "brave",
        base: "https://api.search.brave.com",
        path: "res/v1/web/search",
        keys: &["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
        pause_ms: 0,
        api: &Brave,
    },
    Kind {
        name: "tavily",
        base: "https://api.tavily.com",
        path: "search",
        keys: &["TAVILY_API_KEY"],
        pause_ms: 0,
        api: &Tavily,
    },
    Kind { name: "exa", base: "https://api.exa.ai", path: "search", keys: &["EXA_API_KEY"], pause_ms: 0, api: &Exa },
    Kind {
        name: "arxiv",
        base: "https://export.arxiv.org",
        path: "api/query",
        keys: &[],
        // The pause that its terms of use demand.
        pause_ms: 3_000,
        api: &Arxiv,
    },
    Kind {
        name: "crossref",
        base: "https://api.crossref.org",
        path: "works",
        keys: &[],
        // Well within the limit for anonymous users.
        pause_ms: 500,
        api: &Crossref,
    },
    Kind {
        name: "openalex",
        base: "https://api.openalex.org",
        path: "works",
        keys: &["OPENALEX_API_KEY"],
        pause_ms: 0,
        api: &OpenAlex,
    },
];

const SEARXNG: [&str; 2] = ["SEARXNG_URL", "SEARXNG_API_BASE"];

/// Looks up a setting: in the environment, or in a test.
pub type Settings<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The reason why a backend cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    #[error("there is no search backend `{0}`. There are: {names}; and wikipedia in other languages, as in wikipedia:de", names = KINDS.map(|kind| kind.name).join(", "))]
    Name(Clean),
    #[error("`{0}` takes nothing after a colon: only wikipedia has languages, as in wikipedia:de")]
    Language(Clean),
    #[error("{backend} needs {what}: set {variable}")]
    Missing { backend: &'static str, what: &'static str, variable: &'static str },
    #[error("the key in {0} cannot be used: {1}")]
    Key(&'static str, NotASecret),
    #[error("{0} is no address of a web server: it should look like https://search.example.org")]
    Address(String),
    #[error("{0} begins with http://, and the key would be sent unencrypted: use https://")]
    Unencrypted(String),
}

/// The names of the backends.
pub fn backends() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name)
}

/// The backend with this name and its settings.
pub fn backend(name: &str, settings: Settings<'_>) -> Result<Backend, BackendError> {
    let unknown = || BackendError::Name(Clean::line(name));
    let (known, language) = name.split_once(':').map_or((name, None), |(known, language)| (known, Some(language)));
    let kind = KINDS.into_iter().find(|kind| kind.name == known).ok_or_else(unknown)?;
    if kind.name != "wikipedia" && language.is_some() {
        return Err(BackendError::Language(Clean::line(known)));
    }
    let language = language.unwrap_or("en");
    if !(1..=20).contains(&language.len()) || !language.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
        return Err(unknown());
    }
    let set = |variable: &str| settings(variable).filter(|value| !value.trim().is_empty());
    let missing = |what, variable| BackendError::Missing { backend: kind.name, what, variable };
    let key = kind.keys.iter().find_map(|variable| Some((*variable, set(variable)?)));
    if let (None, Some(variable)) = (&key, kind.keys.first()) {
        return Err(missing("a key", *variable));
    }
    let key = match key {
        Some((variable, raw)) => Secret::new(&raw).map_err(|why| BackendError::Key(variable, why))?,
        None => None,
    };
    let (variable, base) = if kind.base.is_empty() {
        let found = SEARXNG.iter().find_map(|name| Some((name.to_string(), set(name)?)));
        found.ok_or_else(|| missing("the address of an instance", SEARXNG[0]))?
    } else {
        let variable = format!("MASTHEAD_{}_URL", kind.name.to_uppercase());
        let base = set(&variable).unwrap_or_else(|| kind.base.to_owned());
        (variable, base.replace("{lang}", language))
    };
    let url = base_url(&base).and_then(|base| base.join(kind.path).ok());
    let url = url.ok_or_else(|| BackendError::Address(variable.clone()))?;
    if key.is_some() && url.scheme() != "https" && !is_loopback(&url) {
        return Err(BackendError::Unencrypted(variable));
    }
    Ok(Backend {
        name: name.to_owned(),
        url,
        key,
        key_variable: kind.keys.first().unwrap_or(&"nothing: it takes no key"),
        mail: set("CROSSREF_MAILTO"),
        pause: Duration::from_millis(kind.pause_ms),
        api: kind.api,
    })
}

/// A base URL, to which paths can be joined.
fn base_url(text: &str) -> Option<Url> {
    let mut url = Url::parse(text.trim()).ok().filter(|_| !text.contains('@'))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || url.query().is_some() {
        return None;
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Some(url)
}
