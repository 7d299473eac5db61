//! SearXNG: a self-hosted metasearch engine. No key; needs the address of an instance.

use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Backend, Found, RESULTS, Request, Trouble, address, query, text};
use ::text::Clean;

/// One instance.
pub(super) struct Searxng {
    search: Url,
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Hit>,
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
struct Hit {
    url: String,
    #[serde(default)]
    title: String,
    content: Option<String>,
}

impl Searxng {
    /// The instance at `base`.
    pub(super) fn new(base: &Url) -> Result<Searxng, String> {
        Ok(Searxng { search: base.join("search").map_err(|error| error.to_string())? })
    }
}

impl Backend for Searxng {
    fn name(&self) -> &str {
        "searxng"
    }

    fn requests(&self, query: &str) -> Vec<Request> {
        let mut url = self.search.clone();
        url.query_pairs_mut().append_pair("q", &query::content(query).join(" ")).append_pair("format", "json");
        vec![Request::get(url)]
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        if answer.status == 403 {
            return Err(Trouble::JsonDisabled);
        }
        let results: Results = answer.checked("SEARXNG_URL")?.json()?;
        // All its engines may have failed: then the empty answer does not mean that nothing exists.
        if results.results.is_empty() && !results.unresponsive_engines.is_empty() {
            let names: Vec<String> = results.unresponsive_engines.iter().take(5).map(unresponsive).collect();
            return Err(Trouble::Upstream(Clean::line(&format!("its engines do not answer ({})", names.join(", ")))));
        }
        let found = |hit: Hit| {
            let url = address(&hit.url)?;
            let snippet = text::plain(&hit.content.unwrap_or_default());
            Some(Found { url, title: text::plain(&hit.title), text: snippet, whole: false })
        };
        Ok(results.results.into_iter().filter_map(found).take(RESULTS).collect())
    }
}

/// `["brave", "timeout"]`, or only the name.
fn unresponsive(engine: &Value) -> String {
    match engine {
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(": "),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}
