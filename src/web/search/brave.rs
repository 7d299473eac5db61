//! Brave Search.

use std::time::Duration;

use serde::Deserialize;

use super::{Answer, Api, Backend, Found, RESULTS, Request, Results, Trouble, or_default, query};

pub(super) struct Brave;

#[derive(Deserialize)]
struct Response {
    web: Option<Results<Hit>>,
}

#[derive(Deserialize)]
struct Hit {
    url: String,
    #[serde(default, deserialize_with = "or_default")]
    title: String,
    #[serde(default, deserialize_with = "or_default")]
    description: String,
    #[serde(default, deserialize_with = "or_default")]
    extra_snippets: Vec<String>,
}

impl Api for Brave {
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        let query = query::content(query).join(" ");
        let request = backend.get(&[("q", &query), ("count", RESULTS), ("result_filter", "web")]);
        let request = request.header("x-subscription-token", backend.exposed_key());
        vec![request.header("accept", "application/json")]
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        if answer.status == 429 {
            return Err(Trouble::Limit(answer.wait().or_else(|| reset(answer))));
        }
        let response: Response = answer.checked(backend)?.json()?;
        let found = |hit: Hit| {
            let snippets: Vec<String> = std::iter::once(hit.description).chain(hit.extra_snippets).collect();
            Found::excerpt(&hit.url, &hit.title, &snippets.join("<p>"))
        };
        Ok(response.web.map_or_else(Vec::new, |web| web.results.into_iter().filter_map(found).collect()))
    }
}

/// Its limits come as lists with an entry per window; the first one is the window of a second.
fn reset(answer: &Answer) -> Option<Duration> {
    let value = answer.headers.get("x-ratelimit-reset")?.to_str().ok()?;
    value.split(',').next()?.trim().parse().ok().map(Duration::from_secs)
}
