//! Crossref: searches scholarly articles and reads their abstracts; articles without one are skipped.

use serde::Deserialize;

use super::{Answer, Api, Backend, Found, RESULTS, Request, Trouble, address, or_default, query, readable, text};
use ::text::Clean;

pub(super) struct Crossref;

#[derive(Deserialize)]
struct Response {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "readable")]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "DOI")]
    doi: String,
    #[serde(default, deserialize_with = "or_default")]
    title: Vec<String>,
    #[serde(rename = "abstract")]
    summary: Option<String>,
}

impl Api for Crossref {
    /// With a mail address, it answers from its faster pool.
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        let query = query::content(query).join(" ");
        let mut parameters = vec![
            ("query", query.as_str()),
            ("rows", RESULTS),
            ("filter", "has-abstract:true"),
            ("select", "DOI,title,abstract"),
        ];
        parameters.extend(backend.mail.iter().map(|mail| ("mailto", mail.as_str())));
        vec![backend.get(&parameters)]
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let response: Response = answer.checked(backend)?.json()?;
        let found = |item: Item| {
            let url = address(&format!("https://doi.org/{}", item.doi))?;
            let title = text::plain(item.title.first().map_or("", String::as_str));
            Some(Found { url, title, text: without_label(&item.summary?), whole: true })
        };
        let found = response.message.items.into_iter().filter_map(found);
        Ok(found.filter(|found| !found.text.is_empty()).collect())
    }
}

/// An abstract without its heading "Abstract".
fn without_label(markup: &str) -> Clean {
    let text = text::plain(markup);
    let rest = ["Abstract ", "ABSTRACT ", "Summary "].iter().find_map(|label| text.strip_prefix(label));
    rest.map_or(text.clone(), Clean::line)
}
