//! MediaWiki: Wikipedia in any language. No key. Articles are read through the API too, which returns their text
//! without the site around it.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use super::{Answer, Backend, Found, Request, Trouble, address, query, text};
use ::text::Clean;

/// The number of articles requested per search.
const ARTICLES: &str = "5";
/// A pause between requests that is short but keeps them sequential.
const PAUSE: Duration = Duration::from_millis(50);

/// One wiki.
pub(super) struct MediaWiki {
    name: String,
    api: Url,
    /// Hosts whose `/wiki/` paths are articles of this wiki.
    hosts: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Pages {
    error: Option<ApiError>,
    query: Option<Query>,
    parse: Option<Parsed>,
}

#[derive(Deserialize)]
struct ApiError {
    code: String,
    #[serde(default)]
    info: String,
}

#[derive(Deserialize)]
struct Query {
    #[serde(default)]
    pages: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    title: String,
    #[serde(default)]
    index: i64,
    #[serde(default)]
    extract: String,
    fullurl: Option<String>,
    #[serde(default)]
    pageprops: PageProps,
    #[serde(default)]
    missing: bool,
}

#[derive(Deserialize, Default)]
struct PageProps {
    disambiguation: Option<String>,
}

#[derive(Deserialize)]
struct Parsed {
    title: String,
    text: String,
}

impl MediaWiki {
    /// The wiki with `/w/api.php` below `base` and its articles at `host`.
    pub(super) fn new(name: String, base: &Url, host: String) -> Result<MediaWiki, String> {
        let api = base.join("w/api.php").map_err(|error| error.to_string())?;
        let hosts = [Some(host), base.host_str().map(str::to_owned)];
        Ok(MediaWiki { name, api, hosts: hosts.into_iter().flatten().collect() })
    }

    fn request(&self, parameters: &[(&str, &str)]) -> Request {
        let mut url = self.api.clone();
        url.query_pairs_mut().extend_pairs(parameters).extend_pairs([("format", "json"), ("formatversion", "2")]);
        Request::get(url)
    }

    fn checked(answer: &Answer) -> Result<Pages, Trouble> {
        let pages: Pages = match answer.status {
            // It refuses programs without a proper user agent, and ones that are too fast.
            403 => return Err(Trouble::Refused(403, answer.words())),
            _ => answer.checked("nothing: it takes no key")?.json()?,
        };
        // Errors come with a success status.
        match pages.error {
            Some(error) if matches!(error.code.as_str(), "ratelimited" | "maxlag") => {
                Err(Trouble::Limit(answer.wait()))
            }
            Some(error) if error.code.starts_with("internal_api_error") || error.code == "readonly" => {
                Err(Trouble::Upstream(Clean::line(&error.info)))
            }
            Some(error) => {
                Err(Trouble::Refused(answer.status, Clean::line(&format!("{}: {}", error.code, error.info))))
            }
            None => Ok(pages),
        }
    }
}

impl Backend for MediaWiki {
    fn name(&self) -> &str {
        &self.name
    }

    fn requests(&self, query: &str) -> Vec<Request> {
        let search = |words: String| {
            self.request(&[
                ("action", "query"),
                ("generator", "search"),
                ("gsrsearch", &words),
                ("gsrlimit", ARTICLES),
                ("gsrnamespace", "0"),
                ("prop", "extracts|info|pageprops"),
                ("ppprop", "disambiguation"),
                ("exintro", "1"),
                ("explaintext", "1"),
                ("exlimit", "max"),
                ("inprop", "url"),
            ])
        };
        query::narrowing(query).into_iter().map(search).collect()
    }

    fn found(&self, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let mut pages = MediaWiki::checked(answer)?.query.map(|query| query.pages).unwrap_or_default();
        pages.sort_by_key(|page| page.index);
        pages.retain(|page| page.pageprops.disambiguation.is_none() && !page.missing);
        let found = |page: Page| {
            let url = address(page.fullurl.as_deref()?)?;
            Some(Found { url, title: text::plain(&page.title), text: Clean::line(&page.extract), whole: false })
        };
        Ok(pages.into_iter().filter_map(found).collect())
    }

    /// Sequential requests, as its etiquette asks.
    fn pause(&self) -> Duration {
        PAUSE
    }

    fn page(&self, url: &Url) -> Option<Request> {
        let of_this_wiki = self.hosts.iter().any(|host| Some(host.as_str()) == url.host_str()) && url.query().is_none();
        let title = url.path().strip_prefix("/wiki/").filter(|title| of_this_wiki && !title.is_empty())?;
        let title = decoded(title).replace('_', " ");
        Some(self.request(&[
            ("action", "parse"),
            ("page", &title),
            ("prop", "text"),
            ("redirects", "1"),
            ("disableeditsection", "1"),
            ("disabletoc", "1"),
            ("disablelimitreport", "1"),
        ]))
    }

    fn page_text(&self, answer: &Answer) -> Result<(Clean, String), Trouble> {
        let parsed = MediaWiki::checked(answer)?.parse.ok_or(Trouble::Odd)?;
        Ok((text::plain(&parsed.title), parsed.text))
    }
}

/// A path segment without percent escapes.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
