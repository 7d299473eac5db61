//! Tavily.

use reqwest::Url;
use serde::Deserialize;
use serde_json::json;

use super::{Answer, Backend, Found, RESULTS, Request, Trouble, address, query, text};

/// The environment variable with the key.
const KEY: &str = "TAVILY_API_KEY";

/// Tavily with a key.
pub(super) struct Tavily {
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
    #[serde(default)]
    title: String,
    #[serde(default)]
    content: String,
}

impl Tavily {
    /// The API below `base`.
    pub(super) fn new(base: &Url, key: String) -> Result<Tavily, String> {
        Ok(Tavily { search: base.join("search").map_err(|error| error.to_string())?, key })
    }
}

impl Backend for Tavily {
    fn name(&self) -> &str {
        "tavily"
    }

    fn requests(&self, query: &str) -> Vec<Request> {
        let query = query::content(query).join(" ");
        let body = json!({ "query": query, "search_depth": "basic", "max_results": RESULTS, "include_answer": false });
        vec![Request::post(self.search.clone(), body).header("authorization", format!("Bearer {}", self.key))]
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let results: Results = match answer.status {
            // The limits of the plan and of pay-as-you-go.
            432 | 433 => return Err(Trouble::Spent(answer.status)),
            _ => answer.checked(KEY)?.json()?,
        };
        let found = |hit: Hit| {
            let url = address(&hit.url)?;
            Some(Found { url, title: text::plain(&hit.title), text: text::plain(&hit.content), whole: false })
        };
        Ok(results.results.into_iter().filter_map(found).collect())
    }
}
