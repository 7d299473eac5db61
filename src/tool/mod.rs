//! The tools of a run: `search`, `read` and `outline` over a collection of documents.
//!
//! They only read. Safe to call from several threads; never keeps state that an answer depends on.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::run::evidence::Corpus;
use crate::run::id::SourceId;
use crate::run::tool::{ToolRequest, ToolResult};
use crate::source::index::{Catalogue, Index, IndexError, Reading};

pub use crate::source::index::Progress;

/// Why a tool brought nothing back.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// A document that is not in the collection, or no longer as it was.
    #[error("there is no document {0} in the collection: it was changed or removed since it was found; search again")]
    NoSuchSource(SourceId),
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

    /// Brings the index up to date and says what the collection holds.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn survey(&self, mut progress: impl FnMut(Progress)) -> Result<Corpus, IndexError> {
        let mut catalogue = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
        // Connections of before might hold on to a file that is thrown away.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let corpus = self.index.refresh(&mut progress)?;
        *catalogue = Some(Arc::new(self.index.catalogue()?));
        Ok(corpus)
    }

    /// Performs one request. Brings the index up to date first if that was not done yet.
    ///
    /// # Errors
    /// There is no such document, or the index cannot be read.
    pub fn perform(&self, request: &ToolRequest) -> Result<ToolResult, ToolError> {
        let catalogue = self.catalogue()?;
        let reading = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reading = match reading {
            Some(reading) => reading,
            None => self.index.reading()?,
        };
        let result = match request {
            ToolRequest::Search { query, limit } => {
                reading.search(&catalogue, query, *limit).map(|hits| Ok(ToolResult::Hits(hits)))
            }
            ToolRequest::Read { source, from, to } => reading
                .read(&catalogue, source, *from, *to)
                .map(|excerpt| excerpt.map(ToolResult::Excerpt).ok_or_else(|| ToolError::NoSuchSource(source.clone()))),
            ToolRequest::Outline { source } => reading
                .outline(&catalogue, source)
                .map(|outline| outline.map(ToolResult::Outline).ok_or_else(|| ToolError::NoSuchSource(source.clone()))),
        };
        let result = result.map_err(|error| self.index.explain_query(error))?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reading);
        result
    }

    fn catalogue(&self) -> Result<Arc<Catalogue>, IndexError> {
        let mut catalogue = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(catalogue) = &*catalogue {
            return Ok(catalogue.clone());
        }
        self.index.refresh(&mut |_| {})?;
        let loaded = Arc::new(self.index.catalogue()?);
        *catalogue = Some(loaded.clone());
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests;
