//! The tools of a run: over documents (on threads of their own, a few calls at a time), the web and the notes of earlier
//! runs where chosen, and those of tool sources.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use text::locked::{Locked, Woken};

use super::threads::Threads;
use super::world::{BoxFuture, OnProgress, ToolError, Tools};
use documents::index::Unindexed;
use notes::Notes;
use run::evidence::Corpus;
use run::id::SourceId;
use run::tool::builtin::{
    BuiltIn, Find, ListFiles, Outline, ProfileFile, Read, Recall, Remember, RunCommand, Search, SearchBy,
};
use run::{RunId, Team, ToolCall, ToolResult};
use text::Clean;
use tool::{Entry, Library, LibraryError, Registry, Source, Unregistered, command};
use web::{Broken, Web, merged};

/// The most calls at the same time. Each takes a thread and a reader of the index, with its cache.
const MOST_AT_ONCE: usize = 8;
/// The timeout of a call to the web: most of it is waiting, since each host gets one request at a time. Each single
/// request has a shorter timeout of its own.
const WEB_PATIENCE: Duration = Duration::from_secs(600);

/// The tools of a run over a library.
pub struct LibraryTools {
    documents: Documents,
    web: Vec<Clean>,
    registry: Registry,
    /// Messages for the person that were not shown yet.
    remarks: Mutex<Vec<Clean>>,
}

impl LibraryTools {
    /// Tools over `library`.
    pub fn new(library: Library) -> LibraryTools {
        let documents = Documents { library: Arc::new(library), threads: Threads::new(at_once()) };
        let mut registry = Registry::default();
        registry.add(documents.entries());
        registry.add([Entry::of(|it: RunCommand| {
            // The program ends with the call, however the call ends.
            let programs = command::KillOnDrop::default();
            let groups = programs.groups();
            let ran =
                blocking(move || command::run(&it.command, &it.input, command::PATIENCE, &groups).map(ToolResult::Ran));
            Box::pin(async move {
                let ran = ran.await;
                drop(programs);
                ran
            })
        })]);
        LibraryTools { documents, web: Vec::new(), registry, remarks: Mutex::default() }
    }

    /// Adds the web to the sources.
    #[must_use]
    pub fn and_web(mut self, web: Web) -> LibraryTools {
        self.web = web.names();
        let entries = self.documents.entries_with_web(&Arc::new(web));
        self.registry.add(entries.map(|entry| entry.within(WEB_PATIENCE)));
        self
    }

    /// Adds the notes of earlier runs, which this run extends.
    #[must_use]
    pub fn and_notes(mut self, notes: Notes, run: RunId) -> LibraryTools {
        let (notes, library) = (Arc::new(notes), self.documents.library.clone());
        let written = notes.clone();
        self.registry.add([
            Entry::of(move |it: Recall| {
                let (notes, library) = (notes.clone(), library.clone());
                blocking(move || {
                    // Web pages are looked up by their address.
                    let has = |path: &str| path.contains("://") || library.has(path).unwrap_or(true);
                    notes.recall(&it.query, it.limit, has).map(ToolResult::Recollection).map_err(in_words)
                })
            }),
            Entry::of(move |it: Remember| {
                let (notes, run) = (written.clone(), run.clone());
                let today = jiff::Zoned::now().date().to_string();
                blocking(move || notes.remember(&run, &today, &it.entry).map(ToolResult::Written).map_err(in_words))
            }),
        ]);
        self
    }

    /// Adds the tools of these sources; asks each source once.
    ///
    /// # Errors
    /// A source does not answer, or has a tool that cannot be registered.
    pub async fn and_sources(mut self, sources: &[Box<dyn Source>]) -> Result<LibraryTools, Unregistered> {
        for source in sources {
            self.registry.fill(&**source).await?;
        }
        Ok(self)
    }

    /// Adds messages about the tools for the person, in sentences.
    #[must_use]
    pub fn and_remarks(mut self, remarks: Vec<Clean>) -> LibraryTools {
        self.remarks.get_mut().woken().extend(remarks);
        self
    }

    /// Adds the specs of the sources' tools to a new team.
    ///
    /// # Errors
    /// A member names a tool that is not registered.
    pub fn equip(&self, team: &mut Team) -> Result<(), Unregistered> {
        self.registry.equip(team)
    }
}

impl Tools for LibraryTools {
    fn read_sources(&self, on_progress: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        let (library, web) = (self.documents.library.clone(), self.web.clone());
        let survey = blocking(move || {
            let corpus =
                library.survey(|progress| on_progress(progress.files_done.into(), progress.files_total.into()));
            corpus.map(|corpus| Corpus { web, ..corpus }).map_err(in_words)
        });
        Box::pin(async move { survey.await.map_err(|failed| failed.to_string().into()) })
    }

    fn take_remark(&self) -> Option<Clean> {
        let remarks = std::mem::take(&mut *self.remarks.locked());
        let all: Vec<Clean> = remarks.into_iter().chain(self.documents.library.take_remark()).collect();
        (!all.is_empty()).then(|| Clean::new(&all.join("\n")))
    }

    fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        self.registry.perform(call)
    }

    fn patience(&self, call: &ToolCall) -> Duration {
        self.registry.patience(call)
    }
}

/// The number of simultaneous calls: at most the number of processors.
fn at_once() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).clamp(2, MOST_AT_ONCE)
}

/// The library, and the threads of its calls.
#[derive(Clone)]
struct Documents {
    library: Arc<Library>,
    threads: Threads,
}

impl Documents {
    /// The tools that read documents only.
    fn entries(&self) -> [Entry; 6] {
        [
            self.entry(|library, it: Search| library.searched(&it).map(ToolResult::Hits)),
            self.entry(|library, it: Read| library.read(&it.source, it.from, it.to).map(ToolResult::Excerpt)),
            self.entry(|library, it: Outline| library.outline(&it.source).map(ToolResult::Outline)),
            self.entry(|library, it: Find| library.find(&it.path, &it.quote).map(ToolResult::Excerpt)),
            self.entry(|library, _: ListFiles| library.files().map(ToolResult::Files)),
            self.entry(|library, it: ProfileFile| library.profile(&it.source).map(ToolResult::Profile)),
        ]
    }

    fn entry<T: BuiltIn + Send + 'static>(&self, ask: fn(&Library, T) -> Result<ToolResult, LibraryError>) -> Entry {
        let documents = self.clone();
        Entry::of(move |asked| documents.ask(move |library| ask(library, asked)))
    }

    /// The tools that read documents and the web.
    fn entries_with_web(&self, web: &Arc<Web>) -> impl Iterator<Item = Entry> + use<> {
        let (documents, searched) = (self.clone(), web.clone());
        let search = Entry::of(move |it: Search| documents.search_with_web(&searched, it));
        let (documents, read) = (self.clone(), web.clone());
        let read = Entry::of(move |it: Read| {
            let page = move |page: &Unindexed| ToolResult::Excerpt(page.read(it.from, it.to));
            let source = it.source.clone();
            let of_files = documents.ask(move |library| library.read(&it.source, it.from, it.to));
            of_page(&read, source, page, Box::pin(async move { of_files.await.map(ToolResult::Excerpt) }))
        });
        let (documents, outlined) = (self.clone(), web.clone());
        let outline = Entry::of(move |it: Outline| {
            let page = |page: &Unindexed| ToolResult::Outline(page.outline());
            let source = it.source.clone();
            let of_files = documents.ask(move |library| library.outline(&it.source));
            of_page(&outlined, source, page, Box::pin(async move { of_files.await.map(ToolResult::Outline) }))
        });
        [search, read, outline].into_iter()
    }

    fn search_with_web(&self, web: &Arc<Web>, it: Search) -> BoxFuture<Result<ToolResult, ToolError>> {
        if let SearchBy::Meaning { .. } = it.by {
            return self.ask(move |library| library.searched(&it).map(ToolResult::Hits));
        }
        let Search { query, limit, here, .. } = it;
        let asked = query.clone();
        let of_files = self.ask(move |library| library.search_comparable(&asked, limit));
        let web = web.clone();
        Box::pin(async move {
            if here {
                return of_files.await.map(ToolResult::Hits);
            }
            let (files, pages) = tokio::join!(of_files, web.search(&query, limit));
            let hits = merged(files?, pages.map_err(broken)?, limit);
            // No backend answered and no file matches: a failure, not an empty result.
            if hits.blocks == 0 && !hits.notes.is_empty() {
                return Err(Clean::new(&hits.notes.join("; ")).into());
            }
            Ok(ToolResult::Hits(hits))
        })
    }

    /// Calls the library, at most [`at_once`] times at once.
    fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Library) -> Result<T, LibraryError> + Send + 'static,
    ) -> BoxFuture<Result<T, ToolError>> {
        let (library, threads) = (self.library.clone(), self.threads.clone());
        Box::pin(async move {
            let result = threads.outcome_of(move || ask(&library)).await;
            result.map_or_else(|| Err(FAULT.into()), |result| result.map_err(Into::into))
        })
    }
}

/// The error for a tool that panicked.
const FAULT: &str = "a fault in the tool; the log says more";

/// Reads the page with this id if it comes from the web, else the files.
fn of_page(
    web: &Arc<Web>,
    source: SourceId,
    ask: impl FnOnce(&Unindexed) -> ToolResult + Send + 'static,
    of_files: BoxFuture<Result<ToolResult, ToolError>>,
) -> BoxFuture<Result<ToolResult, ToolError>> {
    let web = web.clone();
    Box::pin(async move {
        match web.cited(&source).await.map_err(broken)? {
            Some(page) => Ok(ask(&page)),
            None => of_files.await,
        }
    })
}

fn broken(broken: Broken) -> ToolError {
    ToolError::Run(broken.0)
}

fn in_words(error: impl ToString) -> ToolError {
    error.to_string().into()
}

fn blocking<T: Send + 'static, E: Into<ToolError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> BoxFuture<Result<T, ToolError>> {
    Box::pin(async move {
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result.map_err(Into::into),
            Err(error) => {
                tracing::error!(%error, "a tool stopped with a fault");
                Err(FAULT.into())
            }
        }
    })
}
