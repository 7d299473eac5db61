//! The tools of a run over a collection of documents: `search`, `read`, `outline` and `find`; `files` and `profile` for data
//! and logs.
//!
//! They only read. Safe to call from several threads; results depend on no hidden state.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod child;
pub mod command;
pub mod process_group;
mod profile;
mod registry;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use documents::index::{Answer, Catalogue, Index, IndexError, Reading, rate};
use run::Profile;
use run::evidence::{Corpus, Excerpt, Hits, Outline};
use run::id::SourceId;
use run::profile::Files;
use run::tool::builtin::{Search, SearchBy};
use text::Clean;
use text::locked::Locked;

pub use documents::index::Progress;
pub use documents::reader::Readers;
pub use registry::{BoxFuture, Entry, Executor, PATIENCE, Registry, Source, ToolError, Unregistered};

/// The reason why a request to the library failed.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// A document that is not in the collection, or no longer as it was.
    #[error("there is no document {0} in the collection: it was changed or removed since it was found; search again")]
    NoSuchSource(SourceId),
    /// No document of this name is in the collection.
    #[error("there is no {0} among the sources of this run")]
    NoSuchPath(Clean),
    /// The index.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl From<LibraryError> for ToolError {
    fn from(error: LibraryError) -> ToolError {
        let why = error.to_string().into();
        match error {
            LibraryError::NoSuchSource(_) | LibraryError::NoSuchPath(_) => ToolError::Call(why),
            LibraryError::Index(_) => ToolError::Run(why),
        }
    }
}

/// A collection of documents, ready to be queried. A request fails if the index cannot be read; a request for one
/// document also fails if the collection lacks it.
#[derive(Debug)]
pub struct Library {
    index: Index,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    idle: Mutex<Vec<Reading>>,
    mended: Mutex<Mended>,
}

/// Whether the index was damaged and rebuilt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mended {
    #[default]
    No,
    /// It was, and this has not been reported yet.
    Unreported,
    Told,
}

impl Library {
    /// Opens the collection below `sources`, parsed by `readers`, with its cache below `data_dir`. Reads no document
    /// yet.
    ///
    /// # Errors
    /// A source does not exist, or the data directory is not writable.
    pub fn open(sources: &[PathBuf], data_dir: &Path, readers: Readers) -> Result<Library, IndexError> {
        let index = Index::open(sources, data_dir, readers)?;
        Ok(Library { index, catalogue: Mutex::new(None), idle: Mutex::new(Vec::new()), mended: Mutex::default() })
    }

    /// Brings the index up to date and reports the contents of the collection.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn survey(&self, mut progress: impl FnMut(Progress)) -> Result<Corpus, IndexError> {
        let mut catalogue = self.catalogue.locked();
        let (corpus, loaded) = self.refresh(&mut progress)?;
        *catalogue = Some(Arc::new(loaded));
        Ok(corpus)
    }

    fn refresh(&self, progress: &mut dyn FnMut(Progress)) -> Result<(Corpus, Catalogue), IndexError> {
        match self.index.refresh(progress).and_then(|corpus| Ok((corpus, self.index.catalogue()?))) {
            Err(damaged @ IndexError::Damaged { .. }) => self.rebuild(damaged, progress),
            refreshed => refreshed,
        }
    }

    /// Takes the message that the index was damaged and rebuilt, if that happened; returns it once.
    pub fn take_remark(&self) -> Option<Clean> {
        let mut mended = self.mended.locked();
        if *mended != Mended::Unreported {
            return None;
        }
        *mended = Mended::Told;
        Some("the search index was damaged; it was built again from the documents, and nothing is lost".into())
    }

    /// The passages that match a query best.
    pub fn search(&self, query: &Clean, limit: u32) -> Result<Hits, LibraryError> {
        self.ask(|reading, catalogue| reading.search(catalogue, query, limit))
    }

    /// Searches by words or by meaning.
    pub fn searched(&self, it: &Search) -> Result<Hits, LibraryError> {
        match it.by {
            SearchBy::Words => self.search(&it.query, it.limit),
            SearchBy::Meaning { least } => {
                self.ask(|reading, catalogue| reading.sections_like(catalogue, &it.query, it.limit, least))
            }
        }
    }

    /// The passages that match a query best, with scores comparable to those of web pages.
    pub fn search_comparable(&self, query: &Clean, limit: u32) -> Result<Hits, LibraryError> {
        let mut hits = self.search(query, limit)?;
        for hit in &mut hits.hits {
            if let Some(block) = self.read(&hit.source.id, hit.block, hit.block + 1)?.blocks.first() {
                hit.score = rate(query, &hit.source, block);
            }
        }
        Ok(hits)
    }

    /// The blocks `from..to` of a document.
    pub fn read(&self, source: &SourceId, from: u32, to: u32) -> Result<Excerpt, LibraryError> {
        let excerpt = self.ask(|reading, catalogue| reading.read(catalogue, source, from, to))?;
        excerpt.ok_or_else(|| LibraryError::NoSuchSource(source.clone()))
    }

    /// The headings of a document.
    pub fn outline(&self, source: &SourceId) -> Result<Outline, LibraryError> {
        let outline = self.ask(|reading, catalogue| reading.outline(catalogue, source))?;
        outline.ok_or_else(|| LibraryError::NoSuchSource(source.clone()))
    }

    /// The blocks that contain a quote verbatim, in the document at a path.
    pub fn find(&self, path: &Clean, quote: &Clean) -> Result<Excerpt, LibraryError> {
        let found = self.ask(|reading, catalogue| reading.find(catalogue, path, quote))?;
        found.ok_or_else(|| LibraryError::NoSuchPath(path.clone()))
    }

    /// Whether a document of this name is in the collection.
    pub fn has(&self, path: &str) -> Result<bool, LibraryError> {
        self.ask(|_, catalogue| Ok(catalogue.has(path)))
    }

    /// The files of the collection.
    pub fn files(&self) -> Result<Files, LibraryError> {
        self.ask(|_, catalogue| Ok(files(catalogue)))
    }

    /// The summary of a data file or log, with its anomalies.
    pub fn profile(&self, source: &SourceId) -> Result<Profile, LibraryError> {
        let whole = self.ask(|reading, catalogue| reading.whole(catalogue, source, Profile::MOST_BLOCKS))?;
        whole.map(|whole| profile::of(&whole)).ok_or_else(|| LibraryError::NoSuchSource(source.clone()))
    }

    /// Queries the index; updates it before the first request, rebuilds it if it is damaged, and loads it again if it was
    /// made anew.
    fn ask<T>(&self, ask: impl Fn(&Reading, &Catalogue) -> Answer<T>) -> Result<T, LibraryError> {
        let catalogue = self.catalogue()?;
        match self.ask_once(&catalogue, &ask) {
            Err(damaged @ (IndexError::Damaged { .. } | IndexError::Outdated { .. })) => {
                let mended = self.mend(&catalogue, damaged)?;
                Ok(self.ask_once(&mended, &ask)?)
            }
            answer => Ok(answer?),
        }
    }

    fn ask_once<T>(
        &self,
        catalogue: &Catalogue,
        ask: impl Fn(&Reading, &Catalogue) -> Answer<T>,
    ) -> Result<T, IndexError> {
        let idle = self.idle_for(catalogue);
        let reading = match idle {
            Some(reading) => reading,
            None => self.index.reading()?,
        };
        let answer = self.index.answered(ask(&reading, catalogue))?;
        self.idle.locked().push(reading);
        Ok(answer)
    }

    /// A connection that is not in use. Those to an index that was made anew since are dropped.
    fn idle_for(&self, catalogue: &Catalogue) -> Option<Reading> {
        let mut idle = self.idle.locked();
        idle.retain(|reading| reading.is_for(catalogue));
        idle.pop()
    }

    fn catalogue(&self) -> Result<Arc<Catalogue>, IndexError> {
        let mut catalogue = self.catalogue.locked();
        if let Some(known) = &*catalogue {
            return Ok(known.clone());
        }
        let (_, loaded) = self.refresh(&mut |_| {})?;
        Ok(catalogue.insert(Arc::new(loaded)).clone())
    }

    /// Rebuilds or loads again the index that could not be read with this catalogue, unless another request already has.
    fn mend(&self, found: &Arc<Catalogue>, why: IndexError) -> Result<Arc<Catalogue>, IndexError> {
        let mut catalogue = self.catalogue.locked();
        if let Some(newer) = catalogue.as_ref().filter(|known| !Arc::ptr_eq(known, found)) {
            return Ok(newer.clone());
        }
        let (_, loaded) = match why {
            IndexError::Outdated { .. } => self.refresh(&mut |_| {})?,
            damaged => self.rebuild(damaged, &mut |_| {})?,
        };
        Ok(catalogue.insert(Arc::new(loaded)).clone())
    }

    /// Rebuilds a damaged index, once: if it is damaged again, the disk is at fault.
    fn rebuild(
        &self,
        damaged: IndexError,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Corpus, Catalogue), IndexError> {
        if *self.mended.locked() != Mended::No {
            return Err(damaged);
        }
        *self.mended.locked() = Mended::Unreported;
        let corpus = self.index.rebuild(progress)?;
        Ok((corpus, self.index.catalogue()?))
    }
}

/// The most files that are listed: as many as the tool's reservation covers.
const MOST_FILES: usize = 400;

fn files(catalogue: &Catalogue) -> Files {
    let mut files = catalogue.files();
    let left_out = files.len().saturating_sub(MOST_FILES);
    files.truncate(MOST_FILES);
    Files { files, left_out: u32::try_from(left_out).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests;
