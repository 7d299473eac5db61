//! Web search: asks search backends, reads the top pages they find, and ranks their passages like those of files.
//!
//! The result depends on the query, the backends' answers and the pages only, never on earlier searches. It contacts
//! only the chosen backends and knows nothing of runs.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod address;
mod fetch;
mod host_turns;
mod kept;
mod merge;
mod page;
mod robots;
mod search;
mod store;

use std::path::Path;
use std::sync::Arc;

use reqwest::Url;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::Instant;

use documents::index::{self, Unindexed};
use documents::reader::Readers;
use documents::{PageFormat, Unread};
use run::evidence::Hits;
use run::id::SourceId;
use text::Clean;

use fetch::{Fetcher, Kind};
use host_turns::HostTurns;
use kept::{Kept, Shared};
use page::Extent;
use search::{Asker, Backend, Found, Trouble};
use store::{Store, Stored};

pub use merge::merged;
pub use search::{BackendError, backends};

/// The most pages read for one search.
const MOST_PAGES: usize = 5;
/// The time for which a stored page is used before it is fetched again, in milliseconds: a day.
const FRESH: i64 = 24 * 3_600_000;
/// The least bytes of an excerpt that counts as a document.
const SHORTEST_EXCERPT: usize = 60;
/// The most documents kept in memory, which are all in the store, and the most answers of backends.
const MOST_IN_MEMORY: usize = 300;
/// The most addresses of which it is kept which page they lead to.
const MOST_ADDRESSES: usize = 10_000;

/// The reason why web search cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// A backend is unknown, or a setting of it is missing or wrong.
    #[error("--web: {0}")]
    Backend(#[from] BackendError),
    /// The store of pages cannot be written.
    #[error("{0}. Free some space, or choose another folder with --data-dir.")]
    Store(String),
    /// No HTTP client can be made.
    #[error("the network cannot be used: {0}")]
    Client(Clean),
}

/// The base of all pages failed: the store of pages, or the process that reads them. In words for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub Clean);

/// Web search through the chosen backends, with the pages that it has read.
pub struct Web {
    backends: Vec<Backend>,
    asker: Asker,
    fetcher: Fetcher,
    store: Store,
    readers: Readers,
    /// Answers by request and pages by address: concurrent researchers share one fetch.
    answers: Shared<Vec<Found>>,
    pages: Shared<PageRead>,
    cited: Kept<SourceId, Arc<Unindexed>>,
}

/// The backends with these names, each once.
fn chosen(names: &[Clean], settings: search::Settings<'_>) -> Result<Vec<Backend>, WebError> {
    let mut backends: Vec<Backend> = Vec::new();
    for name in names {
        let backend = search::backend(name, settings)?;
        if !backends.iter().any(|known| known.name == backend.name) {
            backends.push(backend);
        }
    }
    Ok(backends)
}

/// The page that an address leads to; None if it could not be read then.
struct PageRead {
    source: Option<SourceId>,
    at: Instant,
}

impl Web {
    /// Opens the backends with these names; their settings come from the environment, their pages are stored below
    /// `data_dir`, and parsed by `readers`. Sends nothing yet.
    ///
    /// # Errors
    /// A backend is unknown, a setting is missing, or the data directory is not writable.
    pub fn open(names: &[Clean], data_dir: &Path, readers: Readers) -> Result<Web, WebError> {
        let host_turns = Arc::new(HostTurns::default());
        let fetcher = Fetcher::new(host_turns.clone()).map_err(client)?;
        let backends = chosen(names, &|name| std::env::var(name).ok())?;
        Web::with(backends, data_dir, readers, Asker::new(host_turns), fetcher)
    }

    fn with(
        backends: Vec<Backend>,
        data_dir: &Path,
        readers: Readers,
        asker: Asker,
        fetcher: Fetcher,
    ) -> Result<Web, WebError> {
        Ok(Web {
            backends,
            asker,
            fetcher,
            store: Store::open(data_dir).map_err(WebError::Store)?,
            readers,
            answers: Kept::at_most(MOST_IN_MEMORY),
            pages: Kept::at_most(MOST_ADDRESSES),
            cited: Kept::at_most(MOST_IN_MEMORY),
        })
    }

    /// The names of its backends, in the order in which they were chosen.
    pub fn names(&self) -> Vec<Clean> {
        self.backends.iter().map(|backend| backend.name.as_str().into()).collect()
    }

    /// The best passages of the top pages for a query. Failed backends are listed in the notes.
    ///
    /// # Errors
    /// Pages cannot be stored or read: a search without them would only look whole.
    pub async fn search(self: &Arc<Self>, query: &Clean, limit: u32) -> Result<Hits, Broken> {
        let (found, notes) = self.find(query).await;
        let pages = self.read_all(found).await?;
        let query = query.clone();
        let ranked = spawn_blocking(move || index::search(&pages, &query, limit)).await;
        let mut hits = ranked.unwrap_or_else(|error| {
            tracing::error!(%error, "ranking pages stopped with a fault");
            index::search(&[], "", 0)
        });
        hits.notes = notes;
        Ok(hits)
    }

    /// The page that is cited under this id, if it is a web page.
    ///
    /// # Errors
    /// The stored pages cannot be read.
    pub async fn cited(self: &Arc<Self>, source: &SourceId) -> Result<Option<Arc<Unindexed>>, Broken> {
        if let Some(known) = self.cited.get(source) {
            return Ok(Some(known));
        }
        let source = source.clone();
        self.blocking(move |web| match web.store.cited(&source)? {
            Some(kept) => web.parse_stored(&kept),
            None => Ok(None),
        })
        .await
    }

    /// Works on a thread of its own; a fault there costs one page.
    async fn blocking<T: Default + Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Web) -> Result<T, Broken> + Send + 'static,
    ) -> Result<T, Broken> {
        let web = self.clone();
        spawn_blocking(move || work(&web)).await.unwrap_or_else(|error| {
            tracing::error!(%error, "reading a page stopped with a fault");
            Ok(T::default())
        })
    }

    /// The results of all backends interleaved by rank, each page once; and notes on failed backends.
    async fn find(self: &Arc<Self>, query: &Clean) -> (Vec<Found>, Vec<Clean>) {
        let mut asking = JoinSet::new();
        for at in 0..self.backends.len() {
            let (web, query) = (self.clone(), query.clone());
            asking.spawn(async move { (at, web.ask(&web.backends[at], &query).await) });
        }
        let mut answers = asking.join_all().await;
        answers.sort_by_key(|(at, _)| *at);
        let mut notes = Vec::new();
        let mut lists: Vec<std::vec::IntoIter<Found>> = Vec::new();
        for (at, answer) in answers {
            match answer {
                Ok(found) => lists.push(found.into_iter()),
                Err(trouble) => {
                    let name = &self.backends[at].name;
                    tracing::warn!(backend = name, %trouble, "a web search failed");
                    notes.push(Clean::line(&format!("{name} could not be searched: {trouble}")));
                }
            }
        }
        let mut found: Vec<Found> = Vec::new();
        let mut known: Vec<String> = Vec::new();
        while found.len() < MOST_PAGES && lists.iter().any(|list| list.len() > 0) {
            for next in lists.iter_mut().filter_map(Iterator::next) {
                let same = page::page_key(&next.url);
                if found.len() < MOST_PAGES && !known.contains(&same) {
                    known.push(same);
                    found.push(next);
                }
            }
        }
        (found, notes)
    }

    async fn ask(&self, backend: &Backend, query: &str) -> Result<Vec<Found>, Trouble> {
        for request in backend.requests(query) {
            let cell = self.answers.cell(request.key(), |_| true);
            let send = || self.asker.ask(backend, &request, |answer| backend.found(answer));
            let found = cell.get_or_try_init(send).await?;
            if !found.is_empty() {
                return Ok(found.clone());
            }
        }
        Ok(Vec::new())
    }

    /// The pages of the results, in order, without those that cannot be read.
    async fn read_all(self: &Arc<Self>, found: Vec<Found>) -> Result<Vec<Arc<Unindexed>>, Broken> {
        let mut reading = JoinSet::new();
        for (at, found) in found.into_iter().enumerate() {
            let web = self.clone();
            reading.spawn(async move { (at, web.read(found).await) });
        }
        let mut pages = reading.join_all().await;
        pages.sort_by_key(|(at, _)| *at);
        pages.into_iter().filter_map(|(_, page)| page.transpose()).collect()
    }

    async fn read(self: &Arc<Self>, found: Found) -> Result<Option<Arc<Unindexed>>, Broken> {
        let url = page::canonical(&found.url);
        if found.whole {
            return self.keep(page::of_text(&url, &found.title, &found.text, Extent::Whole)).await;
        }
        if let Some(page) = self.shared_page(&url).await? {
            return Ok(Some(page));
        }
        if found.text.len() < SHORTEST_EXCERPT {
            return Ok(None);
        }
        self.keep(page::of_text(&url, &found.title, &found.text, Extent::Excerpt)).await
    }

    /// A page that is read once in this run, unless it could not be read a while ago.
    async fn shared_page(self: &Arc<Self>, url: &Url) -> Result<Option<Arc<Unindexed>>, Broken> {
        let is_of_use = |read: &PageRead| read.source.is_some() || read.at.elapsed() < self.fetcher.left_alone;
        let cell = self.pages.cell(url.to_string(), is_of_use);
        let mut own = None;
        let read = cell
            .get_or_try_init(async || {
                own = self.page(url).await?;
                let source = own.as_ref().map(|page| page.source().id.clone());
                Ok::<_, Broken>(PageRead { source, at: Instant::now() })
            })
            .await?;
        match (own, &read.source) {
            (Some(page), _) => Ok(Some(page)),
            (None, Some(source)) => self.cited(source).await,
            (None, None) => Ok(None),
        }
    }

    /// A page: the stored copy if it is fresh, else fetched, else the stored copy.
    async fn page(self: &Arc<Self>, url: &Url) -> Result<Option<Arc<Unindexed>>, Broken> {
        let asked = url.to_string();
        let kept = self.blocking(move |web| web.store.latest(&asked)).await?;
        let fresh = kept.as_ref().is_some_and(|kept| (0..FRESH).contains(&(page::now() - kept.retrieved)));
        if !fresh {
            match self.fetch(url).await {
                Ok(page) => {
                    if let Some(page) = self.keep(page).await? {
                        return Ok(Some(page));
                    }
                }
                Err(why) => tracing::info!(host = url.host_str(), %why, "a page was not read"),
            }
        }
        match kept {
            Some(kept) => self.blocking(move |web| web.parse_stored(&kept)).await,
            None => Ok(None),
        }
    }

    /// Fetches a page through the API of its backend if it has one, else from the web.
    async fn fetch(&self, url: &Url) -> Result<Stored, Clean> {
        let through = self.backends.iter().find_map(|backend| Some((backend, backend.page(url)?)));
        if let Some((backend, request)) = through {
            let read = self.asker.ask(backend, &request, |answer| backend.page_text(answer)).await;
            let (title, text) = read.map_err(|trouble| Clean::line(&trouble.to_string()))?;
            let kind = Kind::Text(PageFormat::Fragment);
            return Ok(page::stored(url, url.as_str(), Some(title.to_string()), kind, text.into_bytes()));
        }
        let fetched = self.fetcher.fetch(url).await.map_err(|why| Clean::line(&why.to_string()))?;
        let ended_at = page::canonical(&fetched.url);
        Ok(page::stored(url, ended_at.as_str(), None, fetched.kind, fetched.body))
    }

    /// Stores a page and parses it; None if it has no text.
    async fn keep(self: &Arc<Self>, page: Stored) -> Result<Option<Arc<Unindexed>>, Broken> {
        self.blocking(move |web| {
            let document = web.parse_stored(&page)?;
            if document.is_some() {
                web.store.keep(&page)?;
            }
            Ok(document)
        })
        .await
    }

    fn parse_stored(&self, page: &Stored) -> Result<Option<Arc<Unindexed>>, Broken> {
        if let Some(known) = self.cited.get(&page.source) {
            return Ok(Some(known));
        }
        let document = match page::document(page, &self.readers) {
            Ok(document) => Arc::new(document),
            Err(why @ Unread::NoReader(_)) => return Err(Broken(Clean::line(&why.to_string()))),
            Err(why) => {
                tracing::info!(%why, "a page has no text to read");
                return Ok(None);
            }
        };
        self.cited.keep(page.source.clone(), document.clone());
        Ok(Some(document))
    }
}

fn client(error: reqwest::Error) -> WebError {
    WebError::Client(Clean::line(&error.to_string()))
}

#[cfg(test)]
mod tests;
