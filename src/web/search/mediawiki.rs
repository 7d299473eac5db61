//! MediaWiki: Wikipedia in any language. No key. Articles are read through the API too, which returns their text
//! without the site around it.

use percent_encoding::percent_decode_str;
use reqwest::Url;
use serde::Deserialize;

use super::{Answer, Api, Backend, Found, Request, Trouble, or_default, query, readable, text};
use ::text::Clean;

/// The number of articles requested per search.
const ARTICLES: &str = "5";

pub(super) struct MediaWiki;

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
    #[serde(default, deserialize_with = "readable")]
    pages: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    title: String,
    #[serde(default)]
    index: i64,
    #[serde(default, deserialize_with = "or_default")]
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
    fn request(backend: &Backend, parameters: &[(&str, &str)]) -> Request {
        backend.get(&[parameters, &[("format", "json"), ("formatversion", "2")]].concat())
    }

    fn checked(backend: &Backend, answer: &Answer) -> Result<Pages, Trouble> {
        // It refuses programs without a proper user agent, and ones that are too fast.
        if answer.status == 403 {
            return Err(Trouble::Refused(403, answer.words()));
        }
        let pages: Pages = answer.checked(backend)?.json()?;
        // Errors come with a success status.
        let Some(ApiError { code, info }) = &pages.error else { return Ok(pages) };
        Err(match code.as_str() {
            "ratelimited" | "maxlag" => Trouble::Limit(answer.wait()),
            code if code.starts_with("internal_api_error") || code == "readonly" => {
                Trouble::Upstream(Clean::line(info))
            }
            code => Trouble::Refused(answer.status, Clean::line(&format!("{code}: {info}"))),
        })
    }
}

impl Api for MediaWiki {
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        let search = |words: String| {
            let parameters = [
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
            ];
            MediaWiki::request(backend, &parameters)
        };
        query::narrowing(query).into_iter().map(search).collect()
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        let mut pages = MediaWiki::checked(backend, answer)?.query.map(|query| query.pages).unwrap_or_default();
        pages.sort_by_key(|page| page.index);
        pages.retain(|page| page.pageprops.disambiguation.is_none() && !page.missing);
        let found = |page: Page| {
            let text = Clean::line(&page.extract);
            Some(Found { text, ..Found::excerpt(page.fullurl.as_deref()?, &page.title, "")? })
        };
        Ok(pages.into_iter().filter_map(found).collect())
    }

    fn page(&self, backend: &Backend, url: &Url) -> Option<Request> {
        let language = backend.name.split_once(':').map_or("en", |(_, language)| language);
        let hosts = [Some(format!("{language}.wikipedia.org")), backend.url.host_str().map(str::to_owned)];
        let of_this_wiki = hosts.iter().any(|host| host.as_deref() == url.host_str()) && url.query().is_none();
        let title = url.path().strip_prefix("/wiki/").filter(|title| of_this_wiki && !title.is_empty())?;
        let title = percent_decode_str(title).decode_utf8_lossy().replace('_', " ");
        let parameters = [
            ("action", "parse"),
            ("page", &title),
            ("prop", "text"),
            ("redirects", "1"),
            ("disableeditsection", "1"),
            ("disabletoc", "1"),
            ("disablelimitreport", "1"),
        ];
        Some(MediaWiki::request(backend, &parameters))
    }

    fn page_text(&self, backend: &Backend, answer: &Answer) -> Result<(Clean, String), Trouble> {
        let parsed = MediaWiki::checked(backend, answer)?.parse.ok_or(Trouble::NotItsFormat)?;
        Ok((text::plain(&parsed.title), parsed.text))
    }
}
