//! Connections to the database: made when they are needed, and made anew when they were lost. Each is used by one thread of
//! its own, since the library may not wait on a thread that runs tasks.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use text::locked::Locked;

use postgres::error::SqlState;
use postgres::{Client, NoTls};

use super::super::JournalError;
use super::address::{Address, session_words};

/// A commit is on disk when it is reported; a statement that hangs ends, and so does the transaction of a process that was
/// suspended in the middle of it, whose locks would keep others out.
const SETTINGS: &str = "
    SET synchronous_commit = on;
    SET statement_timeout = '30s';
    SET idle_in_transaction_session_timeout = '5s';
    SET client_min_messages = 'warning';
";

/// A connection, or the means to make one.
pub(super) struct Session {
    address: Arc<Address>,
    client: Option<Client>,
}

impl Session {
    pub(super) fn to(address: Arc<Address>) -> Session {
        Session { address, client: None }
    }

    /// Does work that may have been done already when an error comes back. An idle connection that was lost meanwhile is made
    /// anew before.
    pub(super) fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Client, &Address) -> Result<T, DatabaseError>,
    ) -> Result<T, JournalError> {
        if self.client.as_mut().is_some_and(|client| client.is_closed() || client.check_connection().is_err()) {
            self.client = None;
        }
        let client = match &mut self.client {
            Some(client) => client,
            none => none.insert(connect(&self.address)?),
        };
        let done = work(client, &self.address).map_err(|failed| failed.in_words(&self.address));
        if matches!(done, Err(JournalError::Unreachable { .. })) || client.is_closed() {
            self.client = None;
        }
        done
    }

    /// Does work that changes nothing: if the connection is lost on the way, it is done again on another.
    pub(super) fn with_again<T>(
        &mut self,
        work: impl Fn(&mut Client, &Address) -> Result<T, DatabaseError>,
    ) -> Result<T, JournalError> {
        match self.with(&work) {
            Err(JournalError::Unreachable { .. }) => self.with(&work),
            done => done,
        }
    }
}

fn connect(address: &Address) -> Result<Client, JournalError> {
    let of = |error: postgres::Error| DatabaseError::from(error).in_words(address);
    let unread = |what| JournalError::Unreachable { place: address.to_string(), what };
    let mut client = match address.tls.connector().map_err(unread)? {
        Some(connector) => address.config.connect(connector),
        None => address.config.connect(NoTls),
    }
    .map_err(of)?;
    client.batch_execute(SETTINGS).map_err(of)?;
    Ok(client)
}

/// The reason why work on the database failed.
pub(super) enum DatabaseError {
    /// The database or the way to it.
    Database(postgres::Error),
    /// The state that was found there.
    Journal(JournalError),
}

impl From<postgres::Error> for DatabaseError {
    fn from(error: postgres::Error) -> DatabaseError {
        DatabaseError::Database(error)
    }
}

impl From<JournalError> for DatabaseError {
    fn from(error: JournalError) -> DatabaseError {
        DatabaseError::Journal(error)
    }
}

impl DatabaseError {
    /// Whether a table was not there.
    pub(super) fn is_without_tables(&self) -> bool {
        matches!(self, DatabaseError::Database(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE))
    }

    fn in_words(self, address: &Address) -> JournalError {
        let error = match self {
            DatabaseError::Database(error) => error,
            DatabaseError::Journal(error) => return error,
        };
        let (place, what) = (address.to_string(), session_words(&error));
        let Some(code) = error.code() else { return JournalError::Unreachable { place, what } };
        if *code == SqlState::DISK_FULL {
            return JournalError::DiskFull(place);
        }
        match passes(code.code()) {
            true => JournalError::Unreachable { place, what },
            false => JournalError::Other { place, what },
        }
    }
}

/// Whether the same work may succeed later, by its SQLSTATE: a connection that failed or was refused for now, a server that is ended
/// or not ready yet, and a transaction that the server undid for the sake of others or since it took too long.
/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn passes(state: &str) -> bool {
    ["08", "40", "57P"].iter().any(|class| state.starts_with(class))
        || ["25P03", "53300", "55P03", "57014"].contains(&state)
}

type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// A thread with a connection, which carries out calls of others. It is started with the first call.
pub(super) struct Calls {
    address: Arc<Address>,
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
}

impl Calls {
    pub(super) fn to(address: Arc<Address>) -> Calls {
        Calls { address, jobs: Mutex::new(None) }
    }

    /// Does work on the thread, and waits for it.
    pub(super) fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Session) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let other = |what: &str| JournalError::Other { place: self.address.to_string(), what: what.to_owned() };
        let (done, result) = mpsc::channel();
        let job: Job = Box::new(move |session| {
            // Nobody may wait for it any more.
            let _ = done.send(work(session));
        });
        let jobs = self.jobs().map_err(|error| other(&error.to_string()))?;
        jobs.send(job).map_err(|_| other("its thread has ended"))?;
        result.recv().unwrap_or_else(|_| Err(other("its thread has ended")))
    }

    fn jobs(&self) -> std::io::Result<mpsc::Sender<Job>> {
        let mut jobs = self.jobs.locked();
        if let Some(jobs) = &*jobs {
            return Ok(jobs.clone());
        }
        let (sender, asked) = mpsc::channel::<Job>();
        let mut session = Session::to(self.address.clone());
        let work = move || asked.into_iter().for_each(|job| job(&mut session));
        thread::Builder::new().name("journal: calls".into()).spawn(work)?;
        Ok(jobs.insert(sender).clone())
    }
}
