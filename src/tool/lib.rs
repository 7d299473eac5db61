//! The tools of a run over a collection of documents: `search`, `read`, `outline` and `find`; `files` and `profile` for data
//! and logs.
//!
//! They only read. Safe to call from several threads; never keeps state that an answer depends on.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod command;
mod profile;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use documents::index::{Catalogue, Index, IndexError, Reading, rate};
use run::Profile;
use run::evidence::{Corpus, Hits};
use run::id::SourceId;
use run::profile::Files;
use run::tool::{ToolRequest, ToolResult};
use text::Clean;

pub use documents::index::Progress;

/// Why a tool brought nothing back.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// A document that is not in the collection, or no longer as it was.
    #[error("there is no document {0} in the collection: it was changed or removed since it was found; search again")]
    NoSuchSource(SourceId),
    /// No document of this name is in the collection.
    #[error("there is no {0} among the sources of this run")]
    NoSuchPath(Clean),
    /// Not a question about documents.
    #[error("the documents do not know `{0}`")]
    NotOfDocuments(&'static str),
    /// The index.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// A collection of documents, ready to be asked.
#[derive(Debug)]
pub struct Library {
    index: Index,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    idle: Mutex<Vec<Reading>>,
}

impl Library {
    /// The collection below `sources`; what is cached goes below `data_dir`. Reads no document yet.
    ///
    /// # Errors
    /// A source is not there, or the data directory cannot be written.
    pub fn open(sources: &[PathBuf], data_dir: &Path) -> Result<Library, IndexError> {
        let index = Index::open(sources, data_dir)?;
        Ok(Library { index, catalogue: Mutex::new(None), idle: Mutex::new(Vec::new()) })
    }

    /// Reads PDF files with `program read-pdf FILE` instead of the running program: for tests, whose running
    /// program is the test.
    #[must_use]
    pub fn with_pdf_reader(mut self, program: PathBuf) -> Library {
        self.index = self.index.with_pdf_reader(program);
        self
    }

    /// Brings the index up to date and says what the collection holds.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn survey(&self, mut progress: impl FnMut(Progress)) -> Result<Corpus, IndexError> {
        let mut catalogue = held(&self.catalogue);
        // Connections of before might hold on to a file that is thrown away.
        held(&self.idle).clear();
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

    /// Performs one request. Brings the index up to date first if that was not done yet.
    ///
    /// # Errors
    /// There is no such document, or the index cannot be read.
    pub fn perform(&self, request: &ToolRequest) -> Result<ToolResult, ToolError> {
        match self.ask(request) {
            Err(ToolError::Index(IndexError::Damaged { .. })) => {
                self.mend()?;
                self.ask(request)
            }
            answer => answer,
        }
    }

    /// The passages that match a query best, scored so that they can be held against passages from elsewhere.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn search_beside(&self, query: &Clean, limit: u32) -> Result<Hits, ToolError> {
        let ToolResult::Hits(mut hits) = self.perform(&ToolRequest::Search { query: query.clone(), limit })? else {
            return Ok(Hits::default());
        };
        for hit in &mut hits.hits {
            let block = ToolRequest::Read { source: hit.source.id.clone(), from: hit.block, to: hit.block + 1 };
            if let ToolResult::Excerpt(excerpt) = self.perform(&block)?
                && let Some(block) = excerpt.blocks.first()
            {
                hit.score = rate(query, &hit.source, block);
            }
        }
        Ok(hits)
    }

    fn ask(&self, request: &ToolRequest) -> Result<ToolResult, ToolError> {
        let catalogue = self.catalogue()?;
        let reading = held(&self.idle).pop();
        let reading = match reading {
            Some(reading) => reading,
            None => self.index.reading()?,
        };
        let missing = |source: &SourceId| ToolError::NoSuchSource(source.clone());
        let result = match request {
            ToolRequest::Search { query, limit } | ToolRequest::SearchHere { query, limit } => {
                reading.search(&catalogue, query, *limit).map(|hits| Ok(ToolResult::Hits(hits)))
            }
            ToolRequest::Read { source, from, to } => reading
                .read(&catalogue, source, *from, *to)
                .map(|excerpt| excerpt.map(ToolResult::Excerpt).ok_or_else(|| missing(source))),
            ToolRequest::Files => Ok(Ok(ToolResult::Files(files(&catalogue)))),
            ToolRequest::Profile { source } => reading.whole(&catalogue, source, Profile::MOST_BLOCKS).map(|whole| {
                whole.map(|whole| ToolResult::Profile(profile::of(&whole))).ok_or_else(|| missing(source))
            }),
            ToolRequest::Outline { source } => reading
                .outline(&catalogue, source)
                .map(|outline| outline.map(ToolResult::Outline).ok_or_else(|| missing(source))),
            ToolRequest::Find { path, quote } => reading
                .find(&catalogue, path, quote)
                .map(|found| found.map(ToolResult::Excerpt).ok_or_else(|| ToolError::NoSuchPath(path.clone()))),
            ToolRequest::Recall { .. } | ToolRequest::Remember { .. } | ToolRequest::Run { .. } => {
                Ok(Err(ToolError::NotOfDocuments(request.name())))
            }
        };
        let result = result.map_err(|error| self.index.explain(error))?;
        held(&self.idle).push(reading);
        result
    }

    fn catalogue(&self) -> Result<Arc<Catalogue>, IndexError> {
        if let Some(catalogue) = &*held(&self.catalogue) {
            return Ok(catalogue.clone());
        }
        self.survey(|_| {})?;
        held(&self.catalogue).clone().map_or_else(|| self.index.catalogue().map(Arc::new), Ok)
    }

    /// Builds a damaged index again.
    fn mend(&self) -> Result<(), IndexError> {
        let mut catalogue = held(&self.catalogue);
        held(&self.idle).clear();
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
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
