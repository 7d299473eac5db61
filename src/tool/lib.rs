//! The tools of a run over a collection of documents: `search`, `read`, `outline` and `find`; `files` and `profile` for data
//! and logs.
//!
//! They only read. Safe to call from several threads; never keeps state that an answer depends on.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod command;
mod profile;
mod registry;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use documents::index::{Answer, Catalogue, Index, IndexError, Reading, rate};
use run::Profile;
use run::evidence::{Corpus, Excerpt, Hits, Outline};
use run::id::SourceId;
use run::profile::Files;
use text::Clean;

pub use documents::index::Progress;
pub use documents::reader::Readers;
pub use registry::{Doing, Entry, Executor, PATIENCE, Registry, Source, Unregistered};

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

/// A collection of documents, ready to be asked. A request fails if the index cannot be read, and a request for one
/// document also if the collection does not have it.
#[derive(Debug)]
pub struct Library {
    index: Index,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    idle: Mutex<Vec<Reading>>,
}

impl Library {
    /// The collection below `sources`, parsed by `readers`; what is cached goes below `data_dir`. Reads no document yet.
    ///
    /// # Errors
    /// A source is not there, or the data directory cannot be written.
    pub fn open(sources: &[PathBuf], data_dir: &Path, readers: Readers) -> Result<Library, IndexError> {
        let index = Index::open(sources, data_dir, readers)?;
        Ok(Library { index, catalogue: Mutex::new(None), idle: Mutex::new(Vec::new()) })
    }

    /// Brings the index up to date and says what the collection holds.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn survey(&self, mut progress: impl FnMut(Progress)) -> Result<Corpus, IndexError> {
        let mut catalogue = locked(&self.catalogue);
        // Connections of before might hold on to a file that is thrown away.
        locked(&self.idle).clear();
        let mut corpus = self.index.refresh(&mut progress)?;
        let loaded = match self.index.catalogue() {
            Err(IndexError::Damaged { .. }) => {
                corpus = self.index.rebuild(&mut progress)?;
                self.index.catalogue()?
            }
            loaded => loaded?,
        };
        *catalogue = Some(Arc::new(loaded));
        Ok(corpus)
    }

    /// The passages that match a query best.
    pub fn search(&self, query: &Clean, limit: u32) -> Result<Hits, ToolError> {
        self.ask(|reading, catalogue| reading.search(catalogue, query, limit))
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
        match self.ask_once(&ask) {
            Err(IndexError::Damaged { .. }) => {
                self.mend()?;
                Ok(self.ask_once(&ask)?)
            }
            answer => Ok(answer?),
        }
    }

    fn ask_once<T>(&self, ask: impl Fn(&Reading, &Catalogue) -> Answer<T>) -> Result<T, IndexError> {
        let catalogue = self.catalogue()?;
        let idle = locked(&self.idle).pop();
        let reading = match idle {
            Some(reading) => reading,
            None => self.index.reading()?,
        };
        let answer = self.index.answered(ask(&reading, &catalogue))?;
        locked(&self.idle).push(reading);
        Ok(answer)
    }

    fn catalogue(&self) -> Result<Arc<Catalogue>, IndexError> {
        if let Some(catalogue) = &*locked(&self.catalogue) {
            return Ok(catalogue.clone());
        }
        self.survey(|_| {})?;
        locked(&self.catalogue).clone().map_or_else(|| self.index.catalogue().map(Arc::new), Ok)
    }

    /// Builds a damaged index again.
    fn mend(&self) -> Result<(), IndexError> {
        let mut catalogue = locked(&self.catalogue);
        locked(&self.idle).clear();
        self.index.rebuild(&mut |_| {})?;
        *catalogue = Some(Arc::new(self.index.catalogue()?));
        Ok(())
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
