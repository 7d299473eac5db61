//! arXiv: searches articles and reads their abstracts. No key; at most one request every three seconds.

use std::time::Duration;

use html5gum::{Token, Tokenizer};
use reqwest::Url;

use super::{Answer, Backend, Found, RESULTS, Request, Trouble, address, query};
use text::Clean;

/// The pause that its terms of use demand.
const PAUSE: Duration = Duration::from_secs(3);

/// arXiv.
pub(super) struct Arxiv {
    api: Url,
}

impl Arxiv {
    /// The API below `base`.
    pub(super) fn new(base: &Url) -> Result<Arxiv, String> {
        Ok(Arxiv { api: base.join("api/query").map_err(|error| error.to_string())? })
    }
}

impl Backend for Arxiv {
    fn name(&self) -> &str {
        "arxiv"
    }

    fn requests(&self, query: &str) -> Vec<Request> {
        let search = |words: String| {
            let all: Vec<String> = words.split(' ').map(|word| format!("all:{word}")).collect();
            let mut url = self.api.clone();
            url.query_pairs_mut()
                .append_pair("search_query", &all.join(" AND "))
                .append_pair("start", "0")
                .append_pair("max_results", &RESULTS.to_string());
            Request::get(url)
        };
        query::narrowing(query).into_iter().map(search).collect()
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let text = String::from_utf8_lossy(&answer.body);
        let entries = if text.contains("<feed") { entries(&text) } else { Vec::new() };
        // Errors are entries too, whatever the status.
        if let Some(error) = entries.iter().find(|entry| entry.title == "Error") {
            return Err(Trouble::Refused(answer.status, Clean::line(&error.summary)));
        }
        answer.checked("nothing: it takes no key")?;
        if !text.contains("<feed") {
            return Err(Trouble::Odd);
        }
        let found = |entry: Entry| {
            let url = address(&entry.id.replacen("http://", "https://", 1))?;
            let text = Clean::line(&entry.summary);
            (!text.is_empty()).then(|| Found { url, title: Clean::line(&entry.title), text, whole: true })
        };
        Ok(entries.into_iter().filter_map(found).collect())
    }

    fn pause(&self) -> Duration {
        PAUSE
    }
}

/// An article of the feed.
#[derive(Default)]
struct Entry {
    id: String,
    title: String,
    summary: String,
}

/// The entries of an Atom feed. An HTML parser is good enough for its few elements.
fn entries(feed: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut within, mut open) = (false, String::new());
    for Ok(token) in Tokenizer::new(feed) {
        match token {
            Token::StartTag(tag) => {
                open = String::from_utf8_lossy(&tag.name).into_owned();
                if open == "entry" {
                    within = true;
                    entries.push(Entry::default());
                }
            }
            Token::EndTag(tag) => {
                within &= *tag.name != *b"entry";
                open.clear();
            }
            Token::String(text) if within => {
                let Some(entry) = entries.last_mut() else { continue };
                let field = match open.as_str() {
                    "id" => &mut entry.id,
                    "title" => &mut entry.title,
                    "summary" => &mut entry.summary,
                    _ => continue,
                };
                field.push_str(&String::from_utf8_lossy(&text));
            }
            _ => {}
        }
    }
    for entry in &mut entries {
        entry.id = entry.id.trim().to_owned();
        entry.title = Clean::line(&entry.title).to_string();
    }
    entries
}
