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

const fn kind(
    name: &'static str,
    base: &'static str,
    path: &'static str,
    keys: &'static [&'static str],
    pause_ms: u64,
    api: &'static dyn Api,
) -> Kind {
    Kind { name, base, path, keys, pause_ms, api }
}

const KINDS: [Kind; 8] = [
    // Its etiquette asks for sequential requests.
    kind("wikipedia", "https://{lang}.wikipedia.org", "w/api.php", &[], 50, &MediaWiki),
    kind("searxng", "", "search", &[], 0, &Searxng),
    kind(
        "brave",
        "https://api.search.brave.com",
        "res/v1/web/search",
        &["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
        0,
        &Brave,
    ),
    kind("tavily", "https://api.tavily.com", "search", &["TAVILY_API_KEY"], 0, &Tavily),
    kind("exa", "https://api.exa.ai", "search", &["EXA_API_KEY"], 0, &Exa),
    // The pause that its terms of use demand.
    kind("arxiv", "https://export.arxiv.org", "api/query", &[], 3_000, &Arxiv),
    // Well within the limit for anonymous users.
    kind("crossref", "https://api.crossref.org", "works", &[], 500, &Crossref),
    kind("openalex", "https://api.openalex.org", "works", &["OPENALEX_API_KEY"], 0, &OpenAlex),
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
