//! Brave Search.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use super::{Answer, Backend, Found, RESULTS, Request, Trouble, address, query, text};

/// The environment variable with the key.
const KEY: &str = "BRAVE_API_KEY";

/// Brave with a key.
pub(super) struct Brave {
    search: Url,
    key: String,
}

#[derive(Deserialize)]
struct Results {
    web: Option<Web>,
}

#[derive(Deserialize)]
struct Web {
    #[serde(default)]
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    url: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    extra_snippets: Vec<String>,
}

impl Brave {
    /// The API below `base`.
    pub(super) fn new(base: &Url, key: String) -> Result<Brave, String> {
        Ok(Brave { search: base.join("res/v1/web/search").map_err(|error| error.to_string())?, key })
    }
}

impl Backend for Brave {
    fn name(&self) -> &str {
        "brave"
    }

    fn requests(&self, query: &str) -> Vec<Request> {
        let mut url = self.search.clone();
        url.query_pairs_mut()
            .append_pair("q", &query::content(query).join(" "))
            .append_pair("count", &RESULTS.to_string())
            .append_pair("result_filter", "web");
        vec![
            Request::get(url)
                .header("x-subscription-token", self.key.clone())
                .header("accept", "application/json".to_owned()),
        ]
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        if answer.status == 429 {
            return Err(Trouble::Limit(answer.wait().or_else(|| reset(answer))));
        }
        let results: Results = answer.checked(KEY)?.json()?;
        let found = |hit: Hit| {
            let url = address(&hit.url)?;
            let snippets: Vec<String> = std::iter::once(hit.description).chain(hit.extra_snippets).collect();
            Some(Found { url, title: text::plain(&hit.title), text: text::plain(&snippets.join("<p>")), whole: false })
        };
        Ok(results.web.map(|web| web.results).unwrap_or_default().into_iter().filter_map(found).collect())
    }
}

/// Its limits come as lists with an entry per window; the first one is the window of a second.
fn reset(answer: &Answer) -> Option<Duration> {
    let value = answer.headers.get("x-ratelimit-reset")?.to_str().ok()?;
    value.split(',').next()?.trim().parse().ok().map(Duration::from_secs)
}
