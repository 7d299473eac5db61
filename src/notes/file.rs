//! Reads the end of the notes file and appends to it.
//!
//! Appending is atomic (a temporary file replaces the old one) and limited to one process at a time by a lock. It
//! starts over if the file changed meanwhile, since editors ignore the lock.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{MOST_KEPT, NotesError};

/// The longest wait for another run that is writing.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most times that it starts over because the file changed.
const MOST_TRIES: usize = 20;

/// The notes, as far as they are read.
pub(super) struct Content {
    /// Their text.
    pub text: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// Whether the whole file was read.
    pub whole: bool,
}

/// Reads at most `most` bytes from the end of the file, starting at a section. None if there is no file.
pub(super) fn read(path: &Path, most: u64) -> Result<Option<Content>, NotesError> {
    let unreadable = |what: String| NotesError::Unreadable { path: path.to_owned(), what };
    let (bytes, size) = match end_of(path, most) {
        Ok(read) => read,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let whole = bytes.len() as u64 >= size;
    // The text starts in the middle of a line, perhaps of a character: skip to the next section.
    let from = match whole {
        true => 0,
        false => bytes.windows(4).position(|four| four == b"\n## ").map_or(bytes.len(), |at| at + 1),
    };
    let text = String::from_utf8(bytes[from..].to_vec()).ok().filter(|text| !text.contains('\0'));
    let text = text.ok_or_else(|| NotesError::NotText { path: path.to_owned() })?;
    Ok(Some(Content { text, size, whole }))
}

fn end_of(path: &Path, most: u64) -> io::Result<(Vec<u8>, u64)> {
    let mut file = open(path)?;
    let size = file.metadata()?.len();
    if size > most {
        file.seek(SeekFrom::Start(size - most))?;
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok((bytes, size))
}

/// Opens a regular file and nothing else: a pipe would block forever.
fn open(path: &Path) -> io::Result<File> {
    let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(nonblock).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no file")),
    }
}

/// Appends the text that `addition` returns for the current content, if it returns any.
pub(super) fn append(path: &Path, mut addition: impl FnMut(&str) -> Option<String>) -> Result<(), NotesError> {
    let not_written = |error: io::Error| NotesError::NotWritten { path: path.to_owned(), what: error.to_string() };
    // A symbolic link stays one: its target is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&path).map_err(not_written)?;
    let _lock = lock(&folder).map_err(not_written)?;
    for _ in 0..MOST_TRIES {
        let before = std::fs::metadata(&path).ok();
        if before.as_ref().is_some_and(|before| before.is_file() && before.len() >= MOST_KEPT) {
            return Err(NotesError::TooLarge { path: path.clone() });
        }
        let text = read(&path, MOST_KEPT)?.map(|content| content.text).unwrap_or_default();
        let Some(more) = addition(&text) else { return Ok(()) };
        let gap = match text.trim_end_matches('\n') {
            "" => "",
            lines if text.len() - lines.len() >= 2 => "",
            lines if text.len() - lines.len() == 1 => "\n",
            _ => "\n\n",
        };
        let text = format!("{text}{gap}{more}");
        if replace(&path, &folder, before.as_ref(), &text).map_err(not_written)? {
            return Ok(());
        }
    }
    Err(not_written(io::Error::other("another program keeps saving it")))
}

/// Replaces the file unless it changed since `before`; returns whether it did.
fn replace(path: &Path, folder: &Path, before: Option<&Metadata>, text: &str) -> io::Result<bool> {
    // An existing file keeps its permissions; a new one is private.
    if before.is_some_and(|before| before.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut temporary = tempfile::Builder::new().prefix(".masthead-notes-").tempfile_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    if let Some(before) = before {
        temporary.as_file().set_permissions(before.permissions())?;
    }
    temporary.as_file().sync_all()?;
    let stamp = |of: &Metadata| (of.ino(), of.len(), of.mtime(), of.mtime_nsec());
    if std::fs::metadata(path).ok().as_ref().map(stamp) != before.map(stamp) {
        return Ok(false);
    }
    temporary.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(true)
}

/// The folder of the file; created, private to this user, if missing.
fn folder_of(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    Ok(folder.to_owned())
}

/// Locks the folder, because the file itself is replaced by each write.
fn lock(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => return Err(io::Error::other("another run is writing them")),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
