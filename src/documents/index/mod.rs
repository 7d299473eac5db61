//! The search index of a collection: SQLite with FTS5, kept in the data directory and updated incrementally.
//!
//! It is only a cache: a damaged index is discarded and rebuilt. It never stores evidence.

mod catalogue;
mod defining;
mod indexed;
mod query;
mod refresh;
mod room;
mod schema;
#[cfg(feature = "encoder")]
mod sections;
mod shown;
mod spelling;
mod store;
mod terms;
mod unindexed;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};
use text::sha256::{Sha256, hex};

use super::reader::Readers;
use super::walk::{NoSuchRoot, Root, key_of, roots};
use text::Clean;

pub use catalogue::Catalogue;
pub use query::Reading;
pub use refresh::Progress;
pub use unindexed::{Unindexed, rate, search};

/// The result of a [`Reading`], or the error of its database.
pub type Answer<T> = rusqlite::Result<T>;

/// The timeout for another process that writes the same index.
const PATIENCE: Duration = Duration::from_secs(60);

/// Failures of the whole index. A file that cannot be read is skipped with a reason instead.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(transparent)]
    Root(#[from] NoSuchRoot),
    #[error("the search index {} cannot be used: {why}. Free some space, or choose another folder with --data-dir.", Clean::line(&path.to_string_lossy()))]
    Unwritable { path: PathBuf, why: Clean },
    #[error("the search index {} is damaged ({why}); it is built again when it is next opened", Clean::line(&path.to_string_lossy()))]
    Damaged { path: PathBuf, why: Clean },
    #[error("the search index {} was made by another version, or made anew", Clean::line(&path.to_string_lossy()))]
    Outdated { path: PathBuf },
    #[error("{0}")]
    NoReader(Clean),
}

/// The index of one set of sources.
#[derive(Debug)]
pub struct Index {
    file: PathBuf,
    roots: Vec<Root>,
    readers: Readers,
}

impl Index {
    /// Opens the index of `sources` below `data_dir`; `readers` parse the documents. Reads no file of the collection
    /// yet.
    ///
    /// # Errors
    /// A source is missing, or the data directory is not writable.
    pub fn open(sources: &[PathBuf], data_dir: &Path, readers: Readers) -> Result<Index, IndexError> {
        let roots = roots(sources)?;
        let mut hash = Sha256::new();
        for root in &roots {
            hash.update(key_of(root.path()));
            hash.update([0]);
        }
        let name = hex(&hash.finalize()[..8]);
        let folder = data_dir.join("index");
        let file = folder.join(format!("{name}.db"));
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|why| unwritable(&folder, &why))?;
        Ok(Index { file, roots, readers })
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Connects to an existing index of this version.
    fn connect(&self) -> Result<Connection, IndexError> {
        sqlite::make_private(&self.file).map_err(|why| unwritable(&self.file, &why))?;
        let connection = Connection::open(&self.file).map_err(|e| self.explain(e))?;
        sqlite::share(&connection, PATIENCE).map_err(|e| self.explain(e))?;
        schema::prepare(&connection).map_err(|e| self.explain(e))?;
        Ok(connection)
    }

    /// Deletes the index. The caller must hold the lock.
    fn discard(&self) -> Result<(), IndexError> {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let mut name = self.file.clone().into_os_string();
            name.push(ending);
            match std::fs::remove_file(&name) {
                Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                    return Err(unwritable(Path::new(&name), &why));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The result of a reading, or why the index could not be read.
    pub fn answered<T>(&self, answer: Answer<T>) -> Result<T, IndexError> {
        answer.map_err(|error| self.explain(error))
    }

    /// Distinguishes an index that cannot be written from a damaged one.
    fn explain(&self, error: rusqlite::Error) -> IndexError {
        let why = Clean::line(&error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::SchemaChanged) => IndexError::Outdated { path: self.file.clone() },
            Some(
                ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::OutOfMemory,
            ) => IndexError::Unwritable { path: self.file.clone(), why },
            _ => IndexError::Damaged { path: self.file.clone(), why },
        }
    }
}

fn unwritable(path: &Path, why: &std::io::Error) -> IndexError {
    IndexError::Unwritable { path: path.to_owned(), why: Clean::line(&why.to_string()) }
}
