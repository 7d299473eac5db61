//! The program's own tools: a library of documents, asked off the runtime's threads, a few at a time.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::world::{Doing, Reading, Tools};
use crate::run::evidence::Corpus;
use crate::run::{ToolRequest, ToolResult};
use crate::text::Clean;
use crate::tool::Library;

/// Calls that work at the same time: more would only wait for the same two or four cores.
const AT_ONCE: usize = 8;

/// Tools over a library.
pub struct LibraryTools {
    library: Arc<Library>,
    places: Arc<Semaphore>,
}

impl LibraryTools {
    /// Tools over `library`.
    pub fn new(library: Library) -> LibraryTools {
        LibraryTools { library: Arc::new(library), places: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl Tools for LibraryTools {
    fn read_sources(&self, reading: Reading) -> Doing<Result<Corpus, Clean>> {
        let library = self.library.clone();
        blocking(move || {
            library
                .survey(|progress| reading(progress.files_done.into(), progress.files_total.into()))
                .map_err(|error| error.to_string().into())
        })
    }

    fn perform(&self, request: Arc<ToolRequest>) -> Doing<Result<ToolResult, Clean>> {
        let library = self.library.clone();
        let places = self.places.clone();
        Box::pin(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await;
            blocking(move || library.perform(&request).map_err(|error| error.to_string().into())).await
        })
    }
}

fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Clean> + Send + 'static) -> Doing<Result<T, Clean>> {
    let work = tokio::task::spawn_blocking(work);
    Box::pin(async move {
        work.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a tool stopped with a fault");
            Err("a fault in the tool; the log says more".into())
        })
    })
}
