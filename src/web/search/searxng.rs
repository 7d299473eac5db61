//! SearXNG: a self-hosted metasearch engine. No key; needs the address of an instance.

use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Api, Backend, Found, Hit, MOST_RESULTS, Request, Trouble, or_default, query, readable};
use ::text::Clean;

pub(super) struct Searxng;

#[derive(Deserialize)]
struct Response {
    #[serde(deserialize_with = "readable")]
    results: Vec<Hit>,
    #[serde(default, deserialize_with = "or_default")]
    unresponsive_engines: Vec<Value>,
}

impl Api for Searxng {
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        vec![backend.get(&[("q", &query::content(query).join(" ")), ("format", "json")])]
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        if answer.status == 403 {
            return Err(Trouble::JsonDisabled);
        }
        let response: Response = answer.checked(backend)?.json()?;
        // All its engines may have failed: then the empty answer does not mean that nothing exists.
        if response.results.is_empty() && !response.unresponsive_engines.is_empty() {
            let names: Vec<String> = response.unresponsive_engines.iter().take(5).map(unresponsive).collect();
            return Err(Trouble::Upstream(Clean::line(&format!("its engines do not answer ({})", names.join(", ")))));
        }
        Ok(response.results.iter().filter_map(Hit::found).take(MOST_RESULTS).collect())
    }
}

/// `["brave", "timeout"]`, or only the name.
fn unresponsive(engine: &Value) -> String {
    match engine {
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(": "),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}
