//! OpenAlex: searches scholarly works and reads their abstracts; works without one are skipped.

use std::collections::BTreeMap;

use reqwest::Url;
use serde::Deserialize;

use super::{Answer, Backend, Found, RESULTS, Request, Trouble, address, query, text};
use ::text::Clean;

/// The environment variable with the key.
const KEY: &str = "OPENALEX_API_KEY";
/// The most words of an abstract; a longer one is invalid.
const MOST_WORDS: usize = 5_000;

/// OpenAlex with a key.
pub(super) struct OpenAlex {
    works: Url,
    key: String,
}

#[derive(Deserialize)]
struct Works {
    results: Vec<Work>,
}

#[derive(Deserialize)]
struct Work {
    id: String,
    display_name: Option<String>,
    abstract_inverted_index: Option<BTreeMap<String, Vec<usize>>>,
}

impl OpenAlex {
    /// The API below `base`.
    pub(super) fn new(base: &Url, key: String) -> Result<OpenAlex, String> {
        Ok(OpenAlex { works: base.join("works").map_err(|error| error.to_string())?, key })
    }
}

impl Backend for OpenAlex {
    fn name(&self) -> &str {
        "openalex"
    }

    fn requests(&self, query: &str) -> Vec<Request> {
        let mut url = self.works.clone();
        url.query_pairs_mut()
            .append_pair("search", &query::content(query).join(" "))
            .append_pair("filter", "has_abstract:true")
            .append_pair("per_page", &RESULTS.to_string())
            .append_pair("select", "id,display_name,abstract_inverted_index")
            .append_pair("api_key", &self.key);
        vec![Request::get(url)]
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let works: Works = match answer.status {
            // Here 403 means: too many requests.
            403 => return Err(Trouble::Limit(answer.wait())),
            _ => answer.checked(KEY)?.json()?,
        };
        let found = |work: Work| {
            let text = in_order(work.abstract_inverted_index?)?;
            let title = text::plain(&work.display_name.unwrap_or_default());
            // The work's page at OpenAlex shows the abstract; the publisher's may not.
            Some(Found { url: address(&work.id)?, title, text, whole: true })
        };
        Ok(works.results.into_iter().filter_map(found).collect())
    }
}

/// The abstract from an inverted index of its words.
fn in_order(places: BTreeMap<String, Vec<usize>>) -> Option<Clean> {
    let mut words: BTreeMap<usize, String> = BTreeMap::new();
    for (word, places) in places {
        for place in places.into_iter().filter(|place| *place < MOST_WORDS) {
            words.insert(place, word.clone());
        }
    }
    let text = words.into_values().collect::<Vec<_>>().join(" ");
    Some(text::plain(&text)).filter(|text| !text.is_empty())
}
