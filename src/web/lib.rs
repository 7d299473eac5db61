//! The web: search backends are asked, the first pages they name are read, and their passages are ranked for the
//! query, so that a search over the web returns what a search over files does.
//!
//! What a search returns follows from the query, the backends' answers and the pages, never from what was searched
//! before. Asks nothing that was not chosen; knows nothing of runs.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod address;
mod beside;
mod fetch;
mod page;
mod polite;
mod robots;
mod search;
mod store;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::Url;
use tokio::sync::OnceCell;
use tokio::task::{JoinSet, spawn_blocking};

use documents::PageFormat;
use documents::index::{self, Loose};
use run::evidence::Hits;
use run::id::SourceId;
use text::Clean;

use fetch::{Fetcher, Kind};
use polite::Manners;
use search::{Asker, Backend, Found, Trouble};
use store::{Store, Stored};

pub use beside::beside;
pub use search::{BACKENDS, BackendError};

/// Pages read for one search.
const MOST_PAGES: usize = 5;
/// How old a kept page may be before it is fetched again, in milliseconds: a day.
const FRESH: i64 = 24 * 3_600_000;
/// The shortest excerpt worth a document, in bytes.
const SHORTEST_EXCERPT: usize = 60;
/// Documents held in memory; the rest are in the store.
const MOST_HELD: usize = 300;

/// Why the web cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// A backend that is not there, or lacks a setting.
    #[error("--web: {0}")]
    Backend(#[from] BackendError),
    /// What is read cannot be kept.
    #[error("{0}. Free some space, or choose another folder with --data-dir.")]
    Store(String),
    /// No client can be built.
    #[error("the network cannot be used: {0}")]
    Client(Clean),
}

/// The chosen backends, with everything needed to read what they find.
pub struct Web {
    backends: Vec<Box<dyn Backend>>,
    asker: Asker,
    fetcher: Fetcher,
    store: Arc<Store>,
    pdf_reader: PathBuf,
    /// Answers by request, and pages by address: what many researchers ask for at once is fetched once.
    answers: Shared<Vec<Found>>,
    pages: Shared<Option<Arc<Loose>>>,
    cited: Mutex<HashMap<SourceId, Arc<Loose>>>,
}

/// Values that are worked out once, by whoever asks first.
type Shared<T> = Mutex<HashMap<String, Arc<OnceCell<T>>>>;

impl Web {
    /// The backends of these names; their settings come from the environment. What is read is kept below `data_dir`.
    /// Sends nothing yet.
    ///
    /// # Errors
    /// There is no such backend, a setting is missing, or the data directory cannot be written.
    pub fn open(names: &[Clean], data_dir: &Path) -> Result<Web, WebError> {
        let manners = Arc::new(Manners::default());
        let fetcher = Fetcher::new(manners.clone()).map_err(client)?;
        Web::with(names, &|name| std::env::var(name).ok(), data_dir, manners, fetcher)
    }

    fn with(
        names: &[Clean],
        settings: search::Settings<'_>,
        data_dir: &Path,
        manners: Arc<Manners>,
        fetcher: Fetcher,
    ) -> Result<Web, WebError> {
        let mut backends: Vec<Box<dyn Backend>> = Vec::new();
        for name in names {
            let backend = search::backend(name, settings)?;
            if !backends.iter().any(|known| known.name() == backend.name()) {
                backends.push(backend);
            }
        }
        Ok(Web {
            backends,
            asker: Asker::new(manners).map_err(client)?,
            fetcher,
            store: Arc::new(Store::open(data_dir).map_err(WebError::Store)?),
            pdf_reader: std::env::current_exe().unwrap_or_default(),
            answers: Shared::default(),
            pages: Shared::default(),
            cited: Mutex::default(),
        })
    }

    /// The names of the backends.
    pub fn names(&self) -> Vec<Clean> {
        self.backends.iter().map(|backend| backend.name().into()).collect()
    }

    /// The passages of the first pages that match a query best. What could not be asked is in the notes.
    pub async fn search(self: &Arc<Self>, query: &Clean, limit: u32) -> Hits {
        let (found, notes) = self.find(query).await;
        let pages = self.read_all(found).await;
        let query = query.clone();
        let ranked = spawn_blocking(move || index::search(&pages, &query, limit)).await;
        let mut hits = ranked.unwrap_or_else(|error| {
            tracing::error!(%error, "ranking pages stopped with a fault");
            index::search(&[], "", 0)
        });
        hits.notes = notes;
        hits
    }

    /// A page that is cited under this id, if it was read from the web.
    pub async fn cited(self: &Arc<Self>, source: &SourceId) -> Option<Arc<Loose>> {
        if let Some(known) = held(&self.cited).get(source) {
            return Some(known.clone());
        }
        let (web, source) = (self.clone(), source.clone());
        let read = spawn_blocking(move || {
            let kept = web.store.cited(&source).map_err(|error| tracing::warn!(%error, "a kept page")).ok()??;
            web.take_apart(&kept)
        });
        read.await.ok().flatten()
    }

    /// What the backends name, the best of each in turn, each page once; and what went wrong.
    async fn find(self: &Arc<Self>, query: &Clean) -> (Vec<Found>, Vec<Clean>) {
        let mut asking = JoinSet::new();
        for at in 0..self.backends.len() {
            let (web, query) = (self.clone(), query.clone());
            asking.spawn(async move { (at, web.ask(&*web.backends[at], &query).await) });
        }
        let mut answers = asking.join_all().await;
        answers.sort_by_key(|(at, _)| *at);
        let mut notes = Vec::new();
        let mut lists: Vec<std::vec::IntoIter<Found>> = Vec::new();
        for (at, answer) in answers {
            match answer {
                Ok(found) => lists.push(found.into_iter()),
                Err(trouble) => {
                    let name = self.backends[at].name();
                    tracing::warn!(backend = name, %trouble, "a search on the web");
                    notes.push(Clean::line(&format!("{name} could not be searched: {trouble}")));
                }
            }
        }
        let mut found: Vec<Found> = Vec::new();
        let mut known: Vec<String> = Vec::new();
        while found.len() < MOST_PAGES && lists.iter().any(|list| list.len() > 0) {
            for next in lists.iter_mut().filter_map(Iterator::next) {
                let same = page::sameness(&next.url);
                if found.len() < MOST_PAGES && !known.contains(&same) {
                    known.push(same);
                    found.push(next);
                }
            }
        }
        (found, notes)
    }

    async fn ask(&self, backend: &dyn Backend, query: &str) -> Result<Vec<Found>, Trouble> {
        for request in backend.requests(query) {
            let cell = shared(&self.answers, request.key());
            let send = || self.asker.ask(backend, &request, |answer| backend.found(answer));
            let found = cell.get_or_try_init(send).await?;
            if !found.is_empty() {
                return Ok(found.clone());
            }
        }
        Ok(Vec::new())
    }

    /// The pages of what was found, in order. One that cannot be read costs itself only.
    async fn read_all(self: &Arc<Self>, found: Vec<Found>) -> Vec<Arc<Loose>> {
        let mut reading = JoinSet::new();
        for (at, found) in found.into_iter().enumerate() {
            let web = self.clone();
            reading.spawn(async move { (at, web.read(found).await) });
        }
        let mut pages = reading.join_all().await;
        pages.sort_by_key(|(at, _)| *at);
        pages.into_iter().filter_map(|(_, page)| page).collect()
    }

    async fn read(self: &Arc<Self>, found: Found) -> Option<Arc<Loose>> {
        let url = page::canonical(&found.url);
        if found.whole {
            return self.keep(page::of_text(&url, &found.title, &found.text, true)).await;
        }
        let cell = shared(&self.pages, url.to_string());
        if let Some(page) = cell.get_or_init(|| self.page(&url)).await {
            return Some(page.clone());
        }
        if found.text.len() < SHORTEST_EXCERPT {
            return None;
        }
        self.keep(page::of_text(&url, &found.title, &found.text, false)).await
    }

    /// A page: as it was kept, if that is not long ago; else as it is now; else as it was kept.
    async fn page(self: &Arc<Self>, url: &Url) -> Option<Arc<Loose>> {
        let kept = {
            let (store, asked) = (self.store.clone(), url.to_string());
            let kept = spawn_blocking(move || store.latest(&asked)).await.ok()?;
            kept.inspect_err(|error| tracing::warn!(%error, "the kept pages cannot be read")).ok().flatten()
        };
        let fresh = kept.as_ref().is_some_and(|kept| (0..FRESH).contains(&(page::now() - kept.retrieved)));
        if !fresh {
            match self.fetch(url).await {
                Ok(page) => {
                    if let Some(page) = self.keep(page).await {
                        return Some(page);
                    }
                }
                Err(why) => tracing::info!(host = url.host_str(), %why, "a page was not read"),
            }
        }
        let (web, kept) = (self.clone(), kept?);
        spawn_blocking(move || web.take_apart(&kept)).await.ok().flatten()
    }

    /// Through the backend whose page it is, or else as any reader would.
    async fn fetch(&self, url: &Url) -> Result<Stored, Clean> {
        let through = self.backends.iter().find_map(|backend| Some((&**backend, backend.page(url)?)));
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

    /// Keeps a page and takes it apart; none if there is nothing to read in it.
    async fn keep(self: &Arc<Self>, page: Stored) -> Option<Arc<Loose>> {
        let web = self.clone();
        let taken = spawn_blocking(move || {
            let document = web.take_apart(&page)?;
            if let Err(error) = web.store.keep(&page) {
                tracing::warn!(%error, "a page could not be kept");
            }
            Some(document)
        });
        taken.await.ok().flatten()
    }

    fn take_apart(&self, page: &Stored) -> Option<Arc<Loose>> {
        if let Some(known) = held(&self.cited).get(&page.source) {
            return Some(known.clone());
        }
        let document = match page::document(page, &self.pdf_reader) {
            Ok(document) => Arc::new(document),
            Err(why) => {
                tracing::info!(%why, "a page holds nothing to read");
                return None;
            }
        };
        let mut cited = held(&self.cited);
        if cited.len() >= MOST_HELD {
            cited.clear();
        }
        cited.insert(page.source.clone(), document.clone());
        Some(document)
    }
}

fn client(error: reqwest::Error) -> WebError {
    WebError::Client(Clean::line(&error.to_string()))
}

fn shared<T>(all: &Shared<T>, key: String) -> Arc<OnceCell<T>> {
    held(all).entry(key).or_default().clone()
}

/// A panic elsewhere leaves these values whole: each is replaced in one step.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
