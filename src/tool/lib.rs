//! The tools of a run over a collection of documents: `search`, `read`, `outline` and `find`; `files` and `profile` for data
//! and logs.
//!
//! They only read. Safe to call from several threads; never keeps state that an answer depends on.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod command;
pub mod process_group;
mod profile;
mod registry;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use documents::index::{Answer, Catalogue, Index, IndexError, Reading, rate};
use run::Profile;
use run::evidence::{Corpus, Excerpt, Hits, Outline};
use run::id::SourceId;
use run::profile::Files;
use run::tool::builtin::{Search, SearchBy};
use text::Clean;

pub use documents::index::Progress;
pub use documents::reader::Readers;
pub use registry::{Doing, Entry, Executor, Failed, PATIENCE, Registry, Source, Unregistered};

/// Why a tool brought nothing back.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
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

impl From<ToolError> for Failed {
    fn from(error: ToolError) -> Failed {
        let why = error.to_string().into();
        match error {
            ToolError::NoSuchSource(_) | ToolError::NoSuchPath(_) => Failed::Call(why),
            ToolError::Index(_) => Failed::Run(why),
        }
    }
}

/// A collection of documents, ready to be asked. A request fails if the index cannot be read, and a request for one
/// document also if the collection does not have it.
#[derive(Debug)]
pub struct Library {
    index: Index,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    idle: Mutex<Vec<Reading>>,
    mended: Mutex<Mended>,
}

/// Whether the index was found damaged, and was built again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mended {
    #[default]
    No,
    /// It was, and nobody was told yet.
    Untold,
    Told,
}

impl Library {
    /// The collection below `sources`, parsed by `readers`; what is cached goes below `data_dir`. Reads no document yet.
    ///
    /// # Errors
    /// A source is not there, or the data directory cannot be written.
    pub fn open(sources: &[PathBuf], data_dir: &Path, readers: Readers) -> Result<Library, IndexError> {
        let index = Index::open(sources, data_dir, readers)?;
        Ok(Library { index, catalogue: Mutex::new(None), idle: Mutex::new(Vec::new()), mended: Mutex::default() })
    }

    /// Brings the index up to date and says what the collection holds.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn survey(&self, mut progress: impl FnMut(Progress)) -> Result<Corpus, IndexError> {
        let mut catalogue = locked(&self.catalogue);
        let (corpus, loaded) = self.refresh(&mut progress)?;
        *catalogue = Some(Arc::new(loaded));
        Ok(corpus)
    }

    fn refresh(&self, progress: &mut dyn FnMut(Progress)) -> Result<(Corpus, Catalogue), IndexError> {
        // Connections of before might hold on to a file that is thrown away.
        locked(&self.idle).clear();
        match self.index.refresh(progress).and_then(|corpus| Ok((corpus, self.index.catalogue()?))) {
            Err(damaged @ IndexError::Damaged { .. }) => self.rebuild(damaged, progress),
            refreshed => refreshed,
        }
    }

    /// What a person should know of the index, once: that it was damaged.
    pub fn said(&self) -> Option<Clean> {
        let mut mended = locked(&self.mended);
        if *mended != Mended::Untold {
            return None;
        }
        *mended = Mended::Told;
        Some("the search index was damaged; it was built again from the documents, and nothing is lost".into())
    }

    /// The passages that match a query best.
    pub fn search(&self, query: &Clean, limit: u32) -> Result<Hits, ToolError> {
        self.ask(|reading, catalogue| reading.search(catalogue, query, limit))
    }

    /// The answer to a search by words or by meaning.
    pub fn searched(&self, it: &Search) -> Result<Hits, ToolError> {
        match it.by {
            SearchBy::Words => self.search(&it.query, it.limit),
            SearchBy::Meaning { least } => {
                self.ask(|reading, catalogue| reading.sections_like(catalogue, &it.query, it.limit, least))
            }
        }
    }

    /// The passages that match a query best, with scores that compare with those of passages of web pages.
    pub fn search_comparable(&self, query: &Clean, limit: u32) -> Result<Hits, ToolError> {
        let mut hits = self.search(query, limit)?;
        for hit in &mut hits.hits {
            if let Some(block) = self.read(&hit.source.id, hit.block, hit.block + 1)?.blocks.first() {
                hit.score = rate(query, &hit.source, block);
            }
        }
        Ok(hits)
    }

    /// The blocks `from..to` of a document.
    pub fn read(&self, source: &SourceId, from: u32, to: u32) -> Result<Excerpt, ToolError> {
        let excerpt = self.ask(|reading, catalogue| reading.read(catalogue, source, from, to))?;
        excerpt.ok_or_else(|| ToolError::NoSuchSource(source.clone()))
    }

    /// The headings of a document.
    pub fn outline(&self, source: &SourceId) -> Result<Outline, ToolError> {
        let outline = self.ask(|reading, catalogue| reading.outline(catalogue, source))?;
        outline.ok_or_else(|| ToolError::NoSuchSource(source.clone()))
    }

    /// The blocks that contain a quote verbatim, in the document at a path.
    pub fn find(&self, path: &Clean, quote: &Clean) -> Result<Excerpt, ToolError> {
        let found = self.ask(|reading, catalogue| reading.find(catalogue, path, quote))?;
        found.ok_or_else(|| ToolError::NoSuchPath(path.clone()))
    }

    /// Whether a document of this name is in the collection.
    pub fn has(&self, path: &str) -> Result<bool, ToolError> {
        self.ask(|_, catalogue| Ok(catalogue.has(path)))
    }

    /// The files of the collection.
    pub fn files(&self) -> Result<Files, ToolError> {
        self.ask(|_, catalogue| Ok(files(catalogue)))
    }

    /// The summary of a data file or log, with its anomalies.
    pub fn profile(&self, source: &SourceId) -> Result<Profile, ToolError> {
        let whole = self.ask(|reading, catalogue| reading.whole(catalogue, source, Profile::MOST_BLOCKS))?;
        whole.map(|whole| profile::of(&whole)).ok_or_else(|| ToolError::NoSuchSource(source.clone()))
    }

    /// Asks the index; updates it before the first request, and repairs it if it is damaged.
    fn ask<T>(&self, ask: impl Fn(&Reading, &Catalogue) -> Answer<T>) -> Result<T, ToolError> {
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
        let idle = locked(&self.idle).pop();
        let reading = match idle {
            Some(reading) => reading,
            None => self.index.reading()?,
        };
        let answer = self.index.answered(ask(&reading, catalogue))?;
        locked(&self.idle).push(reading);
        Ok(answer)
    }

    fn catalogue(&self) -> Result<Arc<Catalogue>, IndexError> {
        let mut catalogue = locked(&self.catalogue);
        if let Some(known) = &*catalogue {
            return Ok(known.clone());
        }
        let (_, loaded) = self.refresh(&mut |_| {})?;
        Ok(catalogue.insert(Arc::new(loaded)).clone())
    }

    /// Builds the index again that was found damaged with this catalogue, unless another request already did.
    fn mend(&self, found: &Arc<Catalogue>, damaged: IndexError) -> Result<Arc<Catalogue>, IndexError> {
        let mut catalogue = locked(&self.catalogue);
        if let Some(newer) = catalogue.as_ref().filter(|known| !Arc::ptr_eq(known, found)) {
            return Ok(newer.clone());
        }
        locked(&self.idle).clear();
        let (_, loaded) = self.rebuild(damaged, &mut |_| {})?;
        Ok(catalogue.insert(Arc::new(loaded)).clone())
    }

    /// Builds a damaged index again, once: what is damaged then as well is no cache that went bad but a disk that does.
    fn rebuild(
        &self,
        damaged: IndexError,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Corpus, Catalogue), IndexError> {
        if *locked(&self.mended) != Mended::No {
            return Err(damaged);
        }
        *locked(&self.mended) = Mended::Untold;
        let corpus = self.index.rebuild(progress)?;
        Ok((corpus, self.index.catalogue()?))
    }
}

/// Most files that are listed one by one: as many as fit what the tool reserves.
const MOST_FILES: usize = 400;

fn files(catalogue: &Catalogue) -> Files {
    let mut files = catalogue.files();
    let left_out = files.len().saturating_sub(MOST_FILES);
    files.truncate(MOST_FILES);
    Files { files, left_out: u32::try_from(left_out).unwrap_or(u32::MAX) }
}

/// A panic elsewhere leaves these values whole: each is replaced in one step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
