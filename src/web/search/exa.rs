//! Exa.

use reqwest::Url;
use serde::Deserialize;
use serde_json::json;

use super::{Answer, Backend, Found, RESULTS, Request, Trouble, address, text};

/// The environment variable with the key.
const KEY: &str = "EXA_API_KEY";
/// The most bytes of a query.
const MOST_BYTES: usize = 400;

/// Exa with a key.
pub(super) struct Exa {
    search: Url,
    key: String,
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    url: String,
    title: Option<String>,
    highlights: Option<Vec<String>>,
    text: Option<String>,
}

impl Exa {
    /// The API below `base`.
    pub(super) fn new(base: &Url, key: String) -> Result<Exa, String> {
        Ok(Exa { search: base.join("search").map_err(|error| error.to_string())?, key })
    }
}

impl Backend for Exa {
    fn name(&self) -> &str {
        "exa"
    }

    /// It understands natural language, so it gets the whole question.
    fn requests(&self, query: &str) -> Vec<Request> {
        let mut end = query.len().min(MOST_BYTES);
        while !query.is_char_boundary(end) {
            end -= 1;
        }
        let body = json!({
            "query": &query[..end], "type": "auto", "numResults": RESULTS, "contents": { "highlights": true },
        });
        vec![Request::post(self.search.clone(), body).header("x-api-key", self.key.clone())]
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let results: Results = answer.checked(KEY)?.json()?;
        let found = |hit: Hit| {
            let url = address(&hit.url)?;
            let snippet = hit.highlights.map(|highlights| highlights.join("<p>")).or(hit.text).unwrap_or_default();
            let title = text::plain(&hit.title.unwrap_or_default());
            Some(Found { url, title, text: text::plain(&snippet), whole: false })
        };
        Ok(results.results.into_iter().filter_map(found).collect())
    }
}
