//! arXiv: searches articles and reads their abstracts. No key.

use html5gum::Token;

use super::{Answer, Api, Backend, Found, RESULTS, Request, Trouble, address, query, text::tokens};
use ::text::Clean;

pub(super) struct Arxiv;

impl Api for Arxiv {
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        let search = |words: String| {
            let all: Vec<String> = words.split(' ').map(|word| format!("all:{word}")).collect();
            backend.get(&[("search_query", &all.join(" AND ")), ("start", "0"), ("max_results", RESULTS)])
        };
        query::narrowing(query).into_iter().map(search).collect()
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let text = String::from_utf8_lossy(&answer.body);
        let entries = if text.contains("<feed") { entries(&text) } else { Vec::new() };
        // Errors are entries too, with any status.
        if let Some(error) = entries.iter().find(|entry| entry.title == "Error") {
            return Err(Trouble::Refused(answer.status, Clean::line(&error.summary)));
        }
        answer.checked(backend)?;
        if !text.contains("<feed") {
            return Err(Trouble::NotItsFormat);
        }
        let found = |entry: Entry| {
            let url = address(&entry.id.replacen("http://", "https://", 1))?;
            let text = Clean::line(&entry.summary);
            (!text.is_empty()).then(|| Found { url, title: Clean::line(&entry.title), text, whole: true })
        };
        Ok(entries.into_iter().filter_map(found).collect())
    }
}

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
    tokens(feed, |token| match token {
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
            let Some(entry) = entries.last_mut() else { return };
            let field = match open.as_str() {
                "id" => &mut entry.id,
                "title" => &mut entry.title,
                "summary" => &mut entry.summary,
                _ => return,
            };
            field.push_str(&String::from_utf8_lossy(&text));
        }
        _ => {}
    });
    for entry in &mut entries {
        entry.id = entry.id.trim().to_owned();
        entry.title = Clean::line(&entry.title).to_string();
    }
    entries
}
