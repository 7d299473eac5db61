//! The program's own tools: a library of documents, asked off the runtime's threads, a few at a time; and beside it,
//! where that was chosen, the web and the notes of earlier runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::world::{Doing, PATIENCE, Reading, Tools};
use notes::{Notes, NotesError};
use run::evidence::Corpus;
use run::memory::Recollection;
use run::{RunId, ToolRequest, ToolResult};
use text::Clean;
use tool::{Library, ToolError, command};
use web::{Web, beside};

/// Calls that work at the same time: more would only wait for the same two or four cores.
const AT_ONCE: usize = 8;
/// How long a call to the web may take: most of it is waiting for its turn, since each host is asked one thing at a
/// time, whoever asks. Every single request has its own, shorter time.
const WEB_PATIENCE: Duration = Duration::from_secs(600);

/// Tools over a library, and the web and the notes beside it.
pub struct LibraryTools {
    library: Arc<Library>,
    places: Arc<Semaphore>,
    web: Option<Arc<Web>>,
    notes: Option<(Arc<Notes>, RunId)>,
}

impl LibraryTools {
    /// Tools over `library`.
    pub fn new(library: Library) -> LibraryTools {
        LibraryTools { library: Arc::new(library), places: Arc::new(Semaphore::new(AT_ONCE)), web: None, notes: None }
    }

    /// With the web beside the library.
    #[must_use]
    pub fn and_web(mut self, web: Web) -> LibraryTools {
        self.web = Some(Arc::new(web));
        self
    }

    /// With the notes of earlier runs, to which this run adds.
    #[must_use]
    pub fn and_notes(mut self, notes: Notes, run: RunId) -> LibraryTools {
        self.notes = Some((Arc::new(notes), run));
        self
    }
}

impl Tools for LibraryTools {
    fn read_sources(&self, reading: Reading) -> Doing<Result<Corpus, Clean>> {
        let library = self.library.clone();
        let web = self.web.as_ref().map(|web| web.names()).unwrap_or_default();
        blocking(move || {
            let corpus = library.survey(|progress| reading(progress.files_done.into(), progress.files_total.into()));
            corpus.map(|corpus| Corpus { web, ..corpus }).map_err(|error| error.to_string().into())
        })
    }

    fn perform(&self, request: Arc<ToolRequest>) -> Doing<Result<ToolResult, Clean>> {
        if let ToolRequest::Run { command, input } = &*request {
            let (command, input) = (command.clone(), input.clone());
            return blocking(move || {
                let ran = command::run(&command, &input, command::PATIENCE);
                ran.map(ToolResult::Ran).map_err(Clean::from)
            });
        }
        if matches!(*request, ToolRequest::Recall { .. } | ToolRequest::Remember { .. }) {
            return self.with_notes(request);
        }
        match self.web.clone() {
            None => self.of_files(move |library| library.perform(&request)),
            Some(web) => self.with_web(web, &request),
        }
    }

    fn patience(&self) -> Duration {
        if self.web.is_some() { WEB_PATIENCE } else { PATIENCE }
    }
}

impl LibraryTools {
    /// Asks the library when it is its turn.
    fn of_files<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Library) -> Result<T, ToolError> + Send + 'static,
    ) -> Doing<Result<T, Clean>> {
        let (library, places) = (self.library.clone(), self.places.clone());
        Box::pin(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await;
            blocking(move || ask(&library).map_err(|error| error.to_string().into())).await
        })
    }

    fn with_notes(&self, request: Arc<ToolRequest>) -> Doing<Result<ToolResult, Clean>> {
        let Some((notes, run)) = self.notes.clone() else {
            return Box::pin(async { Err("this run keeps no notes".into()) });
        };
        blocking(move || of_notes(&notes, &run, &request).map_err(|error| error.to_string().into()))
    }

    fn with_web(&self, web: Arc<Web>, request: &Arc<ToolRequest>) -> Doing<Result<ToolResult, Clean>> {
        let (query, limit) = match &**request {
            ToolRequest::Search { query, limit } => (query.clone(), *limit),
            ToolRequest::SearchHere { query, limit } => {
                let (query, limit) = (query.clone(), *limit);
                let of_files = self.of_files(move |library| library.search_beside(&query, limit));
                return Box::pin(async move { of_files.await.map(ToolResult::Hits) });
            }
            _ => {
                let request = request.clone();
                let asked = request.clone();
                let of_files = self.of_files(move |library| library.perform(&asked));
                return Box::pin(async move {
                    match of_page(&web, &request).await {
                        Some(result) => Ok(result),
                        None => of_files.await,
                    }
                });
            }
        };
        let asked = query.clone();
        let of_files = self.of_files(move |library| library.search_beside(&asked, limit));
        Box::pin(async move {
            let (files, pages) = tokio::join!(of_files, web.search(&query, limit));
            let hits = beside(files?, pages, limit);
            // Nothing could be asked and nothing is there: that is no empty answer.
            if hits.blocks == 0 && !hits.notes.is_empty() {
                return Err(Clean::new(&hits.notes.join("; ")));
            }
            Ok(ToolResult::Hits(hits))
        })
    }
}

fn of_notes(notes: &Notes, run: &RunId, request: &ToolRequest) -> Result<ToolResult, NotesError> {
    match request {
        ToolRequest::Remember { entry } => {
            let today = jiff::Zoned::now().date().to_string();
            notes.remember(run, &today, entry).map(ToolResult::Written)
        }
        ToolRequest::Recall { query, limit } => notes.recall(query, *limit).map(ToolResult::Recollection),
        // Nothing else is asked of notes.
        _ => Ok(ToolResult::Recollection(Recollection::default())),
    }
}

/// What is asked of a page that was read from the web; none if it is not one.
async fn of_page(web: &Arc<Web>, request: &ToolRequest) -> Option<ToolResult> {
    match request {
        ToolRequest::Read { source, from, to } => {
            web.cited(source).await.map(|page| ToolResult::Excerpt(page.read(*from, *to)))
        }
        ToolRequest::Outline { source } => web.cited(source).await.map(|page| ToolResult::Outline(page.outline())),
        _ => None,
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
