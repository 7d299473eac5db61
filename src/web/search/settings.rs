//! Makes a backend from its name, with address and key from the environment.

use reqwest::Url;

use super::Backend;
use super::arxiv::Arxiv;
use super::brave::Brave;
use super::crossref::Crossref;
use super::exa::Exa;
use super::mediawiki::MediaWiki;
use super::openalex::OpenAlex;
use super::searxng::Searxng;
use super::tavily::Tavily;
use text::Clean;

/// The names of all backends.
pub const BACKENDS: &[&str] = &["wikipedia", "searxng", "brave", "tavily", "exa", "arxiv", "crossref", "openalex"];

/// Looks up a setting: in the environment, or in a test.
pub type Settings<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Why a backend cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The name is unknown.
    #[error("there is no search backend `{name}`. There are: {}; and wikipedia in other languages, as in wikipedia:de", BACKENDS.join(", "))]
    Name {
        /// The requested name.
        name: Clean,
    },
    /// Only Wikipedia has languages.
    #[error("`{0}` takes nothing after a colon: only wikipedia has languages, as in wikipedia:de")]
    Language(Clean),
    /// A required variable is not set.
    #[error("{backend} needs {what}: set {variable}")]
    Missing {
        /// The backend.
        backend: &'static str,
        /// A key, or an address.
        what: &'static str,
        /// The environment variable.
        variable: &'static str,
    },
    /// The variable holds no valid address.
    #[error("{0} is no address of a web server: it should look like https://search.example.org")]
    Address(String),
    /// A key must not be sent unencrypted.
    #[error("{0} begins with http://, and the key would be sent unencrypted: use https://")]
    Unencrypted(String),
}

/// The backend with this name and its settings.
///
/// # Errors
/// What is missing or invalid.
pub fn backend(name: &str, settings: Settings<'_>) -> Result<Box<dyn Backend>, BackendError> {
    let (known, language) = match name.split_once(':') {
        Some((known, language)) => (known, Some(language)),
        None => (name, None),
    };
    if !BACKENDS.contains(&known) {
        return Err(BackendError::Name { name: Clean::line(name) });
    }
    if known != "wikipedia" && language.is_some() {
        return Err(BackendError::Language(Clean::line(known)));
    }
    let set = |variable: &str| settings(variable).filter(|value| !value.trim().is_empty());
    let key = |backend, variables: &[&'static str]| {
        let found = variables.iter().find_map(|variable| set(variable));
        found.map(|key| key.trim().to_owned()).ok_or(BackendError::Missing {
            backend,
            what: "a key",
            variable: variables[0],
        })
    };
    let variable = format!("MASTHEAD_{}_URL", known.to_uppercase());
    let base = |usual: &str| base(&variable, set(&variable).as_deref().unwrap_or(usual));
    let keyed = |usual: &str| base(usual).and_then(|url| encrypted(&variable, url));
    let odd = |_| BackendError::Address(variable.clone());
    Ok(match known {
        "wikipedia" => {
            let language = language.unwrap_or("en");
            let fine = !language.is_empty() && language.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            if !fine || language.len() > 20 {
                return Err(BackendError::Name { name: Clean::line(name) });
            }
            let host = format!("{language}.wikipedia.org");
            let usual = set(&variable).unwrap_or_else(|| "https://{lang}.wikipedia.org".to_owned());
            let base = self::base(&variable, &usual.replace("{lang}", language))?;
            Box::new(MediaWiki::new(name.to_owned(), &base, host).map_err(odd)?)
        }
        "searxng" => {
            let missing = BackendError::Missing {
                backend: "searxng",
                what: "the address of an instance",
                variable: "SEARXNG_URL",
            };
            let found = ["SEARXNG_URL", "SEARXNG_API_BASE"].into_iter().find_map(|name| Some((name, set(name)?)));
            let (variable, url) = found.ok_or(missing)?;
            let base = self::base(variable, &url)?;
            Box::new(Searxng::new(&base).map_err(|_| BackendError::Address(variable.to_owned()))?)
        }
        "brave" => {
            let key = key("brave", &["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"])?;
            Box::new(Brave::new(&keyed("https://api.search.brave.com")?, key).map_err(odd)?)
        }
        "tavily" => {
            let key = key("tavily", &["TAVILY_API_KEY"])?;
            Box::new(Tavily::new(&keyed("https://api.tavily.com")?, key).map_err(odd)?)
        }
        "exa" => {
            let key = key("exa", &["EXA_API_KEY"])?;
            Box::new(Exa::new(&keyed("https://api.exa.ai")?, key).map_err(odd)?)
        }
        "arxiv" => Box::new(Arxiv::new(&base("https://export.arxiv.org")?).map_err(odd)?),
        "crossref" => Box::new(Crossref::new(&base("https://api.crossref.org")?, set("CROSSREF_MAILTO")).map_err(odd)?),
        _ => {
            let key = key("openalex", &["OPENALEX_API_KEY"])?;
            Box::new(OpenAlex::new(&keyed("https://api.openalex.org")?, key).map_err(odd)?)
        }
    })
}

/// A base URL, to which paths can be joined.
fn base(variable: &str, text: &str) -> Result<Url, BackendError> {
    let wrong = || BackendError::Address(variable.to_owned());
    if text.contains('@') {
        return Err(wrong());
    }
    let mut url = Url::parse(text.trim()).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || url.query().is_some() {
        return Err(wrong());
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

/// Requires https, except on the loopback.
fn encrypted(variable: &str, url: Url) -> Result<Url, BackendError> {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if url.scheme() == "http" && !here {
        return Err(BackendError::Unencrypted(variable.to_owned()));
    }
    Ok(url)
}
