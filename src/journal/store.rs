//! The store of runs: a file of this machine, or a database of several. All that the program does with a journal goes
//! through [`Store`]; nothing else knows which it is.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::claim::Claims;
use super::error::named;
#[cfg(feature = "postgres")]
use super::postgres;
use super::schema;
use super::{Journal, JournalError, Reader, SqliteJournal, Tag, tags, write};
use run::{At, RunId};

/// A journal that may not be there yet.
pub trait Store: Send + Sync {
    /// Its place, for a person: a path, or an address without its password.
    fn place(&self) -> String;

    /// Opens it to read; None if there is none yet.
    ///
    /// # Errors
    /// It cannot be read, or is no journal.
    fn read(&self) -> Result<Option<Reader>, JournalError>;

    /// Opens it to write; makes it if there is none. Only runs that are claimed of this store can be appended to.
    ///
    /// # Errors
    /// It cannot be written, is no journal, or a newer version wrote it.
    fn write(&self) -> Result<Arc<dyn Journal>, JournalError>;

    /// Claims a run, which need not have begun.
    ///
    /// # Errors
    /// It cannot be claimed, for another reason than that a process works on it.
    fn claim(&self, run: &RunId) -> Result<Claimed, JournalError>;

    /// Whether a process works on a run now.
    ///
    /// # Errors
    /// That cannot be told.
    fn is_claimed(&self, run: &RunId) -> Result<bool, JournalError>;

    /// Adds tags to a run and takes others from it; false if there is no run of that id.
    ///
    /// # Errors
    /// The journal cannot be written.
    fn tag(&self, run: &RunId, add: &[Tag], remove: &[Tag]) -> Result<bool, JournalError>;

    /// Deletes a claimed run with all its events and tags.
    ///
    /// # Errors
    /// The journal cannot be written.
    fn delete(&self, run: &RunId, claim: Claim) -> Result<Deleted, JournalError>;

    /// The reason why a missing journal means that data was lost; None if it may be missing.
    fn missed(&self) -> Option<&'static str> {
        None
    }
}

/// The store at a place that a person names: the path of a file, or the address of a PostgreSQL database. Nothing is
/// opened yet.
///
/// # Errors
/// It is no place where a journal can be, or this build has no such store.
pub fn at(place: &str) -> Result<Arc<dyn Store>, JournalError> {
    match place.split_once("://") {
        #[cfg(feature = "postgres")]
        Some(("postgres" | "postgresql", _)) => {
            let address = postgres::Address::read(place)?;
            return Ok(Arc::new(postgres::DatabaseStore::new(address)));
        }
        #[cfg(not(feature = "postgres"))]
        Some(("postgres" | "postgresql", _)) => return Err(JournalError::NoPostgres),
        Some((scheme, _)) => {
            let what =
                format!("`{scheme}://` is no kind of journal: name a file, or a database as postgres://HOST/DATABASE");
            return Err(JournalError::Address(what));
        }
        None => {}
    }
    if Path::new(place).is_dir() {
        return Err(JournalError::Folder(place.trim_end_matches('/').to_owned()));
    }
    Ok(Arc::new(FileStore::new(Path::new(place))))
}

/// A place that is written in a file of this folder: the path of a file is relative to it.
pub fn relative_to(folder: &Path, place: &str) -> String {
    match place.contains("://") {
        true => place.to_owned(),
        false => folder.join(place).to_string_lossy().into_owned(),
    }
}

/// The right to append to a run, until it is dropped or its process ends.
pub struct Claim {
    lock: Option<File>,
    _lease: Option<Box<dyn Send + Sync>>,
    worked_until: Option<At>,
}

impl Claim {
    /// A claim that lasts until this locked file is closed. The process before it worked until then, as far as it is known.
    pub(super) fn locks(file: File, worked_until: Option<At>) -> Claim {
        Claim { lock: Some(file), _lease: None, worked_until }
    }

    /// A claim that lasts until this lease is dropped.
    #[cfg(feature = "postgres")]
    pub(super) fn leases(lease: impl Send + Sync + 'static) -> Claim {
        Claim { lock: None, _lease: Some(Box::new(lease)), worked_until: None }
    }

    /// The last moment at which the process that had the claim before is known to have worked on the run; None if it is not known,
    /// as in a shared journal.
    pub fn worked_until(&self) -> Option<At> {
        self.worked_until
    }

    /// Leaves a sign on disk that this process works on the run now. It survives a kill, and costs no write to the journal.
    pub fn works_now(&self) {
        if let Some(file) = &self.lock {
            // Without it, time in which nothing happened before a kill counts as not worked.
            let _ = file.set_modified(SystemTime::now());
        }
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Claim")
    }
}

/// The result of claiming a run.
#[derive(Debug)]
pub enum Claimed {
    /// This process has the claim.
    Ours(Claim),
    /// Another process has it.
    Theirs(Worker),
}

/// The result of deleting a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// There is no run of that id.
    NoSuchRun,
    /// The run is gone. In a file its text is overwritten; a database overwrites it when it next cleans its tables up.
    WithText,
    /// The run is gone; its text is still in the file or the log beside it, until the process that uses the journal closes it.
    TextInLog,
}

/// The process that works on a run, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// Its process id.
    pub process: Option<u32>,
    /// The name of its machine, if runs of several machines are in the journal.
    pub machine: Option<String>,
}

impl fmt::Display for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.process {
            Some(process) => write!(f, "process {process}")?,
            None => f.write_str("another process")?,
        }
        match &self.machine {
            Some(machine) => write!(f, " on {machine}"),
            None => Ok(()),
        }
    }
}

/// The journal in an SQLite file of this machine.
#[derive(Clone, Debug)]
struct FileStore {
    path: PathBuf,
}

impl FileStore {
    fn new(path: &Path) -> FileStore {
        FileStore { path: path.to_path_buf() }
    }

    /// Whether the file is not there, or has nothing in it.
    fn has_nothing(&self) -> bool {
        std::fs::metadata(&self.path).map_or(0, |file| file.len()) == 0
    }

    /// A file that was emptied has lost runs. One that nothing was ever written to is no journal yet.
    fn check_not_emptied(&self) -> Result<(), JournalError> {
        match self.path.exists().then(|| self.missed()).flatten() {
            Some(what) => Err(JournalError::Unreadable { place: self.place(), what: format!("it {what}") }),
            None => Ok(()),
        }
    }
}

impl Store for FileStore {
    fn place(&self) -> String {
        named(&self.path)
    }

    fn read(&self) -> Result<Option<Reader>, JournalError> {
        match Reader::open(&self.path)? {
            None => self.check_not_emptied().map(|()| None),
            there => Ok(there),
        }
    }

    fn write(&self) -> Result<Arc<dyn Journal>, JournalError> {
        if self.has_nothing() {
            self.check_not_emptied()?;
        }
        Ok(Arc::new(SqliteJournal::open(&self.path)?))
    }

    fn claim(&self, run: &RunId) -> Result<Claimed, JournalError> {
        // Made before the first claim beside it: a claim without a journal says that there was one.
        if self.has_nothing() {
            self.check_not_emptied()?;
            drop(schema::open_to_write(&self.path)?);
        }
        Claims::beside(&self.path).take(run)
    }

    fn is_claimed(&self, run: &RunId) -> Result<bool, JournalError> {
        Ok(Claims::beside(&self.path).is_taken(run))
    }

    fn tag(&self, run: &RunId, add: &[Tag], remove: &[Tag]) -> Result<bool, JournalError> {
        let mut connection = schema::open_to_write(&self.path)?;
        tags::tag(&mut connection, run, add, remove).map_err(|error| JournalError::of(&self.path, &error))
    }

    fn delete(&self, run: &RunId, claim: Claim) -> Result<Deleted, JournalError> {
        let deleted = write::delete(&self.path, run)?;
        Claims::beside(&self.path).forget(run);
        drop(claim);
        Ok(deleted)
    }

    fn missed(&self) -> Option<&'static str> {
        match (self.path.exists(), Claims::beside(&self.path).any()) {
            (true, true) => Some("is empty, and there have been runs"),
            (false, true) => Some("is missing, and there have been runs"),
            (_, false) => None,
        }
    }
}
