//! The file itself: read its end, add to its end.
//!
//! Adding is whole or not at all (a file beside it, flushed, takes its place), one process at a time, and looks again
//! whether somebody saved the file meanwhile: an editor knows nothing of our lock.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{MOST_KEPT, NotesError};

/// How long to wait for another run that writes.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often to begin again because the file was saved meanwhile.
const MOST_TRIES: usize = 20;

/// What was read.
pub(super) struct Content {
    pub text: String,
    /// Bytes of the file.
    pub size: u64,
    /// Whether the text is all of it.
    pub whole: bool,
}

/// Reads the end of the file, at most so many bytes of it, from the beginning of a section on. None if there is no file.
pub(super) fn read(path: &Path, most: u64) -> Result<Option<Content>, NotesError> {
    let unreadable = |what: String| NotesError::Unreadable { path: path.to_owned(), what };
    let (bytes, size) = match end_of(path, most) {
        Ok(read) => read,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let whole = bytes.len() as u64 >= size;
    // Cut in the middle of a line, perhaps of a character: what is whole begins with the next section.
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

/// Opens a plain file and nothing else: a pipe in its place would keep us waiting for ever.
fn open(path: &Path) -> io::Result<File> {
    let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(nonblock).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no file")),
    }
}

/// Adds what `addition` makes of the text that is there, if it makes anything of it.
pub(super) fn append(path: &Path, mut addition: impl FnMut(&str) -> Option<String>) -> Result<(), NotesError> {
    let not_written = |error: io::Error| NotesError::NotWritten { path: path.to_owned(), what: error.to_string() };
    // A link stays one: what it names is written.
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
    Err(not_written(io::Error::other("somebody else saves it again and again")))
}

/// Puts a file with this text in the place of the one that was there `before`; false if that has changed since.
fn replace(path: &Path, folder: &Path, before: Option<&Metadata>, text: &str) -> io::Result<bool> {
    // The rights that the person gave the file are theirs to give; a new one is for them alone.
    if before.is_some_and(|before| before.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut beside = tempfile::Builder::new().prefix(".masthead-notes-").tempfile_in(folder)?;
    beside.write_all(text.as_bytes())?;
    if let Some(before) = before {
        beside.as_file().set_permissions(before.permissions())?;
    }
    beside.as_file().sync_all()?;
    let stamp = |of: &Metadata| (of.ino(), of.len(), of.mtime(), of.mtime_nsec());
    if std::fs::metadata(path).ok().as_ref().map(stamp) != before.map(stamp) {
        return Ok(false);
    }
    beside.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(true)
}

/// The folder of the file; made, for this user alone, if it is not there.
fn folder_of(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    Ok(folder.to_owned())
}

/// Locks the folder: the file itself is another one after each write.
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
