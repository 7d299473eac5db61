//! Exa.

use serde::Deserialize;
use serde_json::json;

use super::{Answer, Api, Backend, Found, MOST_RESULTS, Request, Results, Trouble};

const MOST_BYTES: usize = 400;

pub(super) struct Exa;

#[derive(Deserialize)]
struct Hit {
    url: String,
    title: Option<String>,
    highlights: Option<Vec<String>>,
    text: Option<String>,
}

impl Api for Exa {
    /// It understands natural language, so it gets the whole question.
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        let query = &query[..query.floor_char_boundary(MOST_BYTES)];
        let body =
            json!({"query": query, "type": "auto", "numResults": MOST_RESULTS, "contents": {"highlights": true}});
        vec![backend.post(body).header("x-api-key", backend.exposed_key())]
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let hits: Results<Hit> = answer.checked(backend)?.json()?;
        let found = |hit: Hit| {
            let snippet = hit.highlights.map(|highlights| highlights.join("<p>")).or(hit.text).unwrap_or_default();
            Found::excerpt(&hit.url, &hit.title.unwrap_or_default(), &snippet)
        };
        Ok(hits.results.into_iter().filter_map(found).collect())
    }
}
