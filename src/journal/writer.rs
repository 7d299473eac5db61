//! The thread that writes a journal. All appends that wait for it are committed together.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::{BoxFuture, Headline, Journal, JournalError};
use run::{At, Envelope, RunId, Seq, record};

/// The most appends in one commit.
const MOST_TOGETHER: usize = 1024;

/// Nothing to write for so long after a commit is a rest.
const REST: Duration = Duration::from_millis(20);

/// The target of the writing thread.
pub(super) trait Commits: Send + 'static {
    /// Puts all of these on disk, or none.
    fn commit(&mut self, together: &[Append]) -> Result<(), JournalError>;

    /// There is nothing to write just now: the moment for work that need not be done within a commit.
    fn rest(&mut self) {}
}

/// Hands appends to the thread that writes.
pub(super) struct Writer {
    /// Taken when the journal is dropped, which ends the writing thread.
    appends: Option<mpsc::Sender<Append>>,
    thread: Option<thread::JoinHandle<()>>,
    place: String,
}

/// Events of one run that are to be written.
pub(super) struct Append {
    pub(super) run: RunId,
    /// Serialised by the sender, so that the thread only writes.
    pub(super) rows: Vec<Row>,
    pub(super) headline: Headline,
    done: oneshot::Sender<Result<(), JournalError>>,
}

/// The row of an event.
pub(super) struct Row {
    pub(super) seq: Seq,
    pub(super) at: At,
    pub(super) body: String,
}

impl Writer {
    /// Starts a thread that writes to `store`.
    pub(super) fn start(place: String, store: impl Commits) -> Result<Writer, JournalError> {
        let (appends, waiting) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("journal".into())
            .spawn(move || write(store, &waiting))
            .map_err(|error| JournalError::Other { place: place.clone(), what: error.to_string() })?;
        Ok(Writer { appends: Some(appends), thread: Some(thread), place })
    }
}

impl Drop for Writer {
    /// Waits until all appends are on disk.
    fn drop(&mut self) {
        drop(self.appends.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Journal for Writer {
    fn append(&self, run: &RunId, events: Vec<Envelope>, headline: Headline) -> BoxFuture<Result<(), JournalError>> {
        let other = |what: String| JournalError::Other { place: self.place.clone(), what };
        let rows: Result<Vec<Row>, _> = events
            .iter()
            .map(|e| Ok(Row { seq: e.seq, at: e.at, body: record::write(&e.event)? }))
            .collect::<Result<_, serde_json::Error>>();
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => {
                let error = other(error.to_string());
                return Box::pin(async move { Err(error) });
            }
        };
        let gone = other("the writing thread has ended".into());
        let (done, committed) = oneshot::channel();
        let append = Append { run: run.clone(), rows, headline, done };
        let handed = self.appends.as_ref().is_some_and(|appends| appends.send(append).is_ok());
        Box::pin(async move {
            if !handed {
                return Err(gone);
            }
            committed.await.unwrap_or(Err(gone))
        })
    }
}

fn write(mut store: impl Commits, waiting: &mpsc::Receiver<Append>) {
    let mut rested = true;
    loop {
        let next = if rested { waiting.recv().map_err(RecvTimeoutError::from) } else { waiting.recv_timeout(REST) };
        let first = match next {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => {
                store.rest();
                rested = true;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        rested = false;
        let mut together = vec![first];
        together.extend(waiting.try_iter().take(MOST_TOGETHER - 1));
        if let Err(error) = store.commit(&together) {
            if together.len() == 1 {
                finish(together, Err(error));
                continue;
            }
            // One rejected append must not fail the others.
            for append in together {
                let one = [append];
                let result = store.commit(&one);
                finish(one, result);
            }
            continue;
        }
        finish(together, Ok(()));
    }
}

fn finish(appends: impl IntoIterator<Item = Append>, result: Result<(), JournalError>) {
    for append in appends {
        // The caller may be gone; the events are on disk all the same.
        let _ = append.done.send(result.clone());
    }
}
