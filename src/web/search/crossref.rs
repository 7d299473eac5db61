//! Crossref: searches scholarly articles and reads their abstracts; articles without one are skipped.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use super::{Answer, Backend, Found, RESULTS, Request, Trouble, address, query, text};

/// Well within the limit for anonymous users.
const PAUSE: Duration = Duration::from_millis(500);

/// Crossref, with a mail address for its faster pool if set.
pub(super) struct Crossref {
    works: Url,
    mail: Option<String>,
}

#[derive(Deserialize)]
struct Works {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "DOI")]
    doi: String,
    #[serde(default)]
    title: Vec<String>,
    #[serde(rename = "abstract")]
    summary: Option<String>,
}

impl Crossref {
    /// The API below `base`.
    pub(super) fn new(base: &Url, mail: Option<String>) -> Result<Crossref, String> {
        Ok(Crossref { works: base.join("works").map_err(|error| error.to_string())?, mail })
    }
}

impl Backend for Crossref {
    fn name(&self) -> &str {
        "crossref"
    }

    fn requests(&self, query: &str) -> Vec<Request> {
        let mut url = self.works.clone();
        url.query_pairs_mut()
            .append_pair("query", &query::content(query).join(" "))
            .append_pair("rows", &RESULTS.to_string())
            .append_pair("filter", "has-abstract:true")
            .append_pair("select", "DOI,title,abstract")
            .extend_pairs(self.mail.iter().map(|mail| ("mailto", mail)));
        vec![Request::get(url)]
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let works: Works = answer.checked("nothing: it takes no key")?.json()?;
        let found = |item: Item| {
            let url = address(&format!("https://doi.org/{}", item.doi))?;
            let title = text::plain(item.title.first().map_or("", String::as_str));
            Some(Found { url, title, text: without_label(&item.summary?), whole: true })
        };
        let mut found: Vec<Found> = works.message.items.into_iter().filter_map(found).collect();
        found.retain(|found| !found.text.is_empty());
        Ok(found)
    }

    fn pause(&self) -> Duration {
        PAUSE
    }
}

/// An abstract without its heading "Abstract".
fn without_label(markup: &str) -> ::text::Clean {
    let text = text::plain(markup);
    let rest = ["Abstract ", "ABSTRACT ", "Summary "].iter().find_map(|label| text.strip_prefix(label));
    rest.map_or(text.clone(), ::text::Clean::line)
}
