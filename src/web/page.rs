//! A fetched page as a document: parsed by the same readers, with the same blocks and ids as files.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Url;
use text::sha256::{Sha256, hex};

use super::fetch::Kind;
use super::store::Stored;
use documents::index::Unindexed;
use documents::reader::{Asked, Form, Readers};
use documents::{PageFormat, Unread, source_id};
use run::evidence::SourceRef;
use run::id::{At, SourceId};
use text::Clean;

/// Tracking parameters, which do not identify the page.
const TRACKERS: &[&str] = &["fbclid", "gclid", "igshid", "mc_cid", "mc_eid", "msclkid", "ref_src", "yclid"];

/// The URL under which a page is fetched, stored and cited: without fragment and tracking parameters.
pub(super) fn canonical(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    let tracks = |name: &str| name.starts_with("utm_") || TRACKERS.contains(&name);
    if url.query_pairs().any(|(name, _)| tracks(&name)) {
        let kept: Vec<String> = url
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !tracks(pair.split('=').next().unwrap_or_default()))
            .map(str::to_owned)
            .collect();
        url.set_query(Some(kept.join("&")).filter(|query| !query.is_empty()).as_deref());
    }
    if url.query() == Some("") {
        url.set_query(None);
    }
    url
}

/// A key that is equal for URLs of the same page: without scheme, `www.` and a final slash.
pub(super) fn page_key(url: &Url) -> String {
    let url = canonical(url);
    let host = url.host_str().unwrap_or_default();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{}{query}", host.strip_prefix("www.").unwrap_or(host), url.path().trim_end_matches('/'))
}

/// A page to store, with its id made of path and content, as for files.
pub(super) fn stored(asked: &Url, url: &str, title: Option<String>, kind: Kind, body: Vec<u8>) -> Stored {
    let sha256 = hex(&Sha256::digest(&body));
    let source = SourceId(source_id(url, &sha256).into());
    Stored { source, url: url.to_owned(), asked: asked.to_string(), title, kind, retrieved: now(), sha256, body }
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    At::after_1970(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()).0
}

/// Parses a stored page.
pub(super) fn document(page: &Stored, readers: &Readers) -> Result<Unindexed, Unread> {
    let name = name(&page.url);
    let form = match page.kind {
        Kind::Text(format) => Form::Page(format),
        Kind::Pdf => Form::Pdf,
    };
    let document = readers.parse(&Asked { form, name, title: page.title.clone() }, page.body.clone())?;
    let source = SourceRef {
        id: page.source.clone(),
        path: Clean::line(&page.url),
        title: document.title.clone(),
        sha256: page.sha256.as_str().into(),
        superseded: document.superseded(),
    };
    Ok(Unindexed::new(source, document))
}

/// The share of a page that a backend returned: all of it, or an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    Excerpt,
}

/// Text of a page from a backend, as a page of plain text.
pub(super) fn of_text(url: &Url, title: &Clean, text: &Clean, extent: Extent) -> Stored {
    let body = text.as_bytes().to_vec();
    let title = Some(title.to_string()).filter(|title| !title.is_empty());
    let kind = Kind::Text(PageFormat::Plain);
    let page = stored(url, url.as_str(), title.clone(), kind, body);
    if extent == Extent::Whole {
        return page;
    }
    // Another search may return another excerpt of the same page: each is a document of its own.
    let cited = format!("{url}#excerpt-{}", &page.sha256[..8]);
    let mut excerpt = stored(url, &cited, title, kind, page.body);
    excerpt.asked = cited;
    excerpt
}

/// A fallback title: the last segment of the address.
fn name(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = url.rsplit('/').next().unwrap_or_default();
    let last = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    if last.is_empty() { url.to_owned() } else { last.replace(['-', '_'], " ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn an_address_is_cited_without_what_tracks_its_reader() {
        for (given, cited) in [
            ("https://A.example/Page?utm_source=x&id=2&utm_medium=y#part", "https://a.example/Page?id=2"),
            ("https://a.example/?gclid=1", "https://a.example/"),
            ("https://a.example/x/?", "https://a.example/x/"),
            ("https://a.example/x?q=a%20b&c", "https://a.example/x?q=a%20b&c"),
        ] {
            assert_eq!(canonical(&url(given)).as_str(), cited);
        }
    }

    #[test]
    fn one_page_under_two_addresses_is_one_page() {
        let same = page_key(&url("https://www.a.example/x/?utm_campaign=1#y"));
        assert_eq!(same, page_key(&url("http://a.example/x")));
        assert_ne!(same, page_key(&url("https://a.example/x?y")));
    }

    #[test]
    fn the_same_text_at_the_same_place_has_the_same_id() {
        let at = |address: &str, body: &str| stored(&url(address), address, None, Kind::Pdf, body.into()).source;
        assert_eq!(at("https://a.example/", "x"), at("https://a.example/", "x"));
        assert_ne!(at("https://a.example/", "x"), at("https://a.example/", "y"));
        assert_ne!(at("https://a.example/", "x"), at("https://b.example/", "x"));
    }

    #[test]
    fn an_excerpt_is_not_the_page_it_is_of() {
        let page = url("https://a.example/x");
        let excerpt = of_text(&page, &"X".into(), &"X is said to be large.".into(), Extent::Excerpt);
        assert!(excerpt.url.starts_with("https://a.example/x#excerpt-"), "{}", excerpt.url);
        let read = document(&excerpt, &Readers::in_this_process()).unwrap();
        assert_eq!(read.source().title, "X");
        assert_eq!(read.read(0, 5).blocks[0].text, "X is said to be large.");
        let whole = of_text(&page, &"X".into(), &"X is said to be large.".into(), Extent::Whole);
        assert_eq!(whole.url, "https://a.example/x");
    }

    #[test]
    fn a_page_without_a_title_is_called_by_its_address() {
        assert_eq!(name("https://a.example/guides/first-steps.html?x"), "first steps");
        assert_eq!(name("https://a.example/"), "a");
    }
}
