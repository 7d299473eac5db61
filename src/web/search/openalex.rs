//! OpenAlex: searches scholarly works and reads their abstracts; works without one are skipped.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Answer, Api, Backend, Found, RESULTS, Request, Results, Trouble, address, query, text};
use ::text::Clean;

/// The most words of an abstract; a longer one is invalid.
const MOST_WORDS: usize = 5_000;

pub(super) struct OpenAlex;

#[derive(Deserialize)]
struct Work {
    id: String,
    display_name: Option<String>,
    abstract_inverted_index: Option<BTreeMap<String, Vec<usize>>>,
}

impl Api for OpenAlex {
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        vec![backend.get(&[
            ("search", &query::content(query).join(" ")),
            ("filter", "has_abstract:true"),
            ("per_page", RESULTS),
            ("select", "id,display_name,abstract_inverted_index"),
            ("api_key", backend.exposed_key()),
        ])]
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        // Here 403 means: too many requests.
        if answer.status == 403 {
            return Err(Trouble::Limit(answer.wait()));
        }
        let works: Results<Work> = answer.checked(backend)?.json()?;
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
