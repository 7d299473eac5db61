//! The file that `-o` names: opened before the work begins, written when there is something to write.
//!
//! A regular file is replaced at once, so that no half of a brief is ever seen, unless its folder does not let it; a link to it
//! stays. Other files (a device, a pipe, a descriptor of this process) are written into and never replaced.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::OFlags;

use super::exit::{self, Failure};
use text::Clean;

/// Links are followed this far, as the kernel does.
const MOST_LINKS: usize = 40;

/// The target of a result instead of standard output.
#[derive(Clone, Debug)]
pub struct Output {
    /// As the person named it.
    named: Clean,
    to: Arc<Target>,
}

#[derive(Debug)]
enum Target {
    /// A regular file, there or not yet: links are resolved.
    Replaced(PathBuf),
    /// A file that is not regular, or a descriptor of this process.
    Into(File),
    /// The file that standard output goes to: its position is kept by writing there.
    StandardOutput,
}

impl Output {
    /// Checks that a file can be written, and opens one that is not regular. A pipe is waited for until something reads it. `-` is
    /// standard output.
    ///
    /// # Errors
    /// The command line is wrong: a folder is missing, or something may not be written.
    pub fn open(path: &Path) -> Result<Output, Failure> {
        let named = shown(path);
        if path.as_os_str() == "-" {
            return Ok(Output { named, to: Arc::new(Target::StandardOutput) });
        }
        let to = target(path, &named)
            .map_err(|error| Failure::Usage(format!("{named} cannot be written: {}", reason(&error))))?;
        Ok(Output { named, to: Arc::new(to) })
    }

    /// The name of the file for messages; None if it is no regular file, or where standard output goes.
    pub fn named(&self) -> Option<&Clean> {
        matches!(*self.to, Target::Replaced(_)).then_some(&self.named)
    }

    /// Writes the whole text. A pipe that nobody reads any more is no error.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let written = match &*self.to {
            Target::Replaced(path) => write(path, text),
            Target::Into(file) => { file }.write_all(text.as_bytes()),
            Target::StandardOutput => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes()).and_then(|()| out.flush())
            }
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::NotWritten(format!("{} could not be written: {}", self.named, reason(&error))))
            }
            _ => Ok(()),
        }
    }
}

/// A path on one line, with nothing in it that drives a terminal.
pub fn shown(path: &Path) -> Clean {
    Clean::line(&path.to_string_lossy())
}

fn target(path: &Path, named: &Clean) -> io::Result<Target> {
    let (resolved, is_descriptor) = resolved(path)?;
    let there = match std::fs::metadata(path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match there {
        Some(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Some(there) if is_standard_output(&there) => Ok(Target::StandardOutput),
        Some(there) if is_descriptor || !there.is_file() => {
            let file = match there.file_type().is_fifo() && !is_descriptor {
                true => pipe(path, named)?,
                // Appending, since another process may have written to the same descriptor.
                false => OpenOptions::new().append(true).open(path)?,
            };
            Ok(Target::Into(file))
        }
        there => {
            if there.is_some() {
                rustix::fs::access(&resolved, rustix::fs::Access::WRITE_OK)?;
            } else if path.as_os_str().as_bytes().ends_with(b"/") || resolved.file_name().is_none() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            // Gone again at once: it shows that the folder is there and takes files.
            if there.is_none() {
                temporary(&resolved)?;
            }
            Ok(Target::Replaced(resolved))
        }
    }
}

/// Follows links to the file itself, which may be missing; and says whether it is a descriptor of a process, as
/// `/dev/stdout` and `/dev/fd/63` are.
fn resolved(path: &Path) -> io::Result<(PathBuf, bool)> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if folder(&path).canonicalize().is_ok_and(|folder| folder.starts_with("/proc") && folder.ends_with("fd")) {
            return Ok((path, true));
        }
        match std::fs::read_link(&path) {
            Ok(link) => path = folder(&path).join(link),
            Err(_) => return Ok((path, false)),
        }
    }
    Err(io::Error::other("too many links lead to it"))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_standard_output(there: &std::fs::Metadata) -> bool {
    let out = io::stdout().as_fd().try_clone_to_owned().and_then(|out| File::from(out).metadata());
    out.is_ok_and(|out| (out.dev(), out.ino()) == (there.dev(), there.ino()))
}

/// Opens a pipe, and says so if it has to wait for a reader. It is never opened to try and closed again: the reader would take that
/// for its end.
fn pipe(path: &Path, named: &Clean) -> io::Result<File> {
    let nonblock = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    if let Ok(pipe) = OpenOptions::new().append(true).custom_flags(nonblock).open(path) {
        let flags = rustix::fs::fcntl_getfl(&pipe)?;
        rustix::fs::fcntl_setfl(&pipe, flags - OFlags::NONBLOCK)?;
        return Ok(pipe);
    }
    exit::say(&format!("waiting until something reads the pipe {named}"));
    OpenOptions::new().append(true).open(path)
}

fn temporary(beside: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(".masthead-").tempfile_in(folder(beside))
}

/// Writes a regular file: as a whole, or else into the one that is there, where its folder lets no other take its place, as that
/// of a file that is mounted.
fn write(path: &Path, text: &str) -> io::Result<()> {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    let into = || {
        let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    match replace(path, text) {
        Err(error)
            if matches!(error.kind(), CrossesDevices | PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
                && path.is_file() =>
        {
            into()
        }
        written => written,
    }
}

/// Replaces a regular file, or makes one: the old one stays until the new one is whole. It keeps its permissions; a new
/// one is private.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = temporary(path)?;
    file.write_all(text.as_bytes())?;
    if let Ok(before) = std::fs::metadata(path) {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder(path))?.sync_all()
}

/// The failure, without the path of a temporary file that the system's own words may hold.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "its folder is not there".into(),
        io::ErrorKind::IsADirectory => "it is a folder; name a file".into(),
        io::ErrorKind::Other => error.to_string(),
        kind if error.raw_os_error().is_none() => kind.to_string(),
        _ => error.to_string(),
    }
}
