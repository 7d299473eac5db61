//! Parses documents in separate processes, with limits on time and memory and without the environment.
//!
//! A hostile document may make a parser run for ever, or out of memory or stack. That costs the document alone: its
//! process is ended, and a new one parses the rest. A process parses many documents, so that thousands of small files
//! need few starts.

mod child;
mod wire;

#[cfg(test)]
mod tests;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use text::locked::{Locked, Woken};

pub use child::child_main;
pub use wire::{Asked, Form};

use super::{Document, MOST_BYTES, Unread, packed, parse_here};
use wire::{Answer, GREETING, Request};

/// The hidden subcommand of the parsing process.
pub const SUBCOMMAND: &str = "read-documents";

/// The timeout of a document, plus [`PATIENCE_A_MIB`] for each MiB of it. A valid one takes a small part of that.
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_A_MIB: Duration = Duration::from_secs(1);
/// The timeout of a PDF file, an office document or an e-book: a few bytes may be many pages.
const PATIENCE_FOR_PAGES: Duration = Duration::from_secs(20);
/// The timeout of a process's start.
const PATIENCE_TO_START: Duration = Duration::from_secs(20);
/// The most bytes of an answer: text grows a little when serialised.
const MOST_ANSWER: usize = 128 << 20;
/// A process that has read this many bytes, or run this long, is replaced, so that earlier documents hardly affect the room of
/// later ones.
const MOST_READ: usize = 8 << 20;
const LONGEST_USE: Duration = Duration::from_secs(20);

/// Parses documents in separate processes. Clones share the processes.
#[derive(Clone, Debug)]
pub struct Readers(Arc<Place>);

#[derive(Debug)]
enum Place {
    Processes { program: PathBuf, most: usize, pool: Mutex<Pool>, freed: Condvar },
    Here,
}

#[derive(Debug, Default)]
struct Pool {
    idle: Vec<Reader>,
    at_work: usize,
}

impl Readers {
    /// Processes of this program, which must call [`child_main`] on [`SUBCOMMAND`].
    pub fn of_this_program() -> Readers {
        // The link is valid even if the program was replaced or removed since it was started.
        let link = Path::new("/proc/self/exe");
        let program = if link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() };
        Readers::of(program.unwrap_or_default())
    }

    /// Processes of `program`.
    pub fn of(program: PathBuf) -> Readers {
        let most = std::thread::available_parallelism().map_or(2, usize::from);
        Readers(Arc::new(Place::Processes { program, most, pool: Mutex::default(), freed: Condvar::new() }))
    }

    /// Parses in this process: only for tests, with documents of their own.
    pub fn in_this_process() -> Readers {
        Readers(Arc::new(Place::Here))
    }

    /// Parses a document.
    ///
    /// # Errors
    /// The document cannot be parsed; [`Unread::NoReader`] if no process can be started, which is not the document's
    /// fault.
    pub fn parse(&self, asked: &Asked, bytes: Vec<u8>) -> Result<Document, Unread> {
        match &*self.0 {
            Place::Here => parse_here(asked, bytes),
            Place::Processes { program, most, pool, freed } => {
                let mut slot = Slot::take(pool, freed, *most);
                parse_in(&mut slot.reader, program, asked, &bytes, patience(asked, &bytes))
            }
        }
    }

    /// Ends the idle processes.
    pub fn rest(&self) {
        if let Place::Processes { pool, .. } = &*self.0 {
            let idle = std::mem::take(&mut pool.locked().idle);
            drop(idle);
        }
    }
}

/// The permission to have one process at work; freed on drop.
struct Slot<'p> {
    pool: &'p Mutex<Pool>,
    freed: &'p Condvar,
    /// An idle process, which returns to the pool.
    reader: Option<Reader>,
}

impl<'p> Slot<'p> {
    /// Waits while the most processes allowed are at work.
    fn take(pool: &'p Mutex<Pool>, freed: &'p Condvar, most: usize) -> Slot<'p> {
        let mut state = pool.locked();
        while state.at_work >= most {
            state = freed.wait(state).woken();
        }
        state.at_work += 1;
        Slot { pool, freed, reader: state.idle.pop() }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut pool = self.pool.locked();
        pool.at_work -= 1;
        pool.idle.extend(self.reader.take().filter(Reader::is_fresh));
        self.freed.notify_one();
    }
}

fn patience(asked: &Asked, bytes: &[u8]) -> Duration {
    if asked.form == Form::Pdf || bytes.starts_with(super::PDF) || bytes.starts_with(super::office::MAGIC) {
        return PATIENCE_FOR_PAGES;
    }
    // A file that says too much of itself is held up by the limit of the processor's time (`child.rs`).
    let size = u64::try_from(packed::told_size(bytes)).unwrap_or(u64::MAX).min(MOST_BYTES);
    PATIENCE + PATIENCE_A_MIB * u32::try_from(size >> 20).unwrap_or(u32::MAX)
}

/// Parses a document in the idle process, or in a new one; keeps the process if it can continue.
fn parse_in(
    idle: &mut Option<Reader>,
    program: &Path,
    asked: &Asked,
    bytes: &[u8],
    patience: Duration,
) -> Result<Document, Unread> {
    let request = Request { asked: asked.clone(), bytes: bytes.len() };
    let mut head = serde_json::to_vec(&request).map_err(io::Error::other)?;
    head.push(b'\n');
    loop {
        let (mut reader, new) = match idle.take() {
            Some(reader) => (reader, false),
            None => (Reader::start(program).map_err(Unread::NoReader)?, true),
        };
        let begun = Instant::now();
        let lost = match reader.exchange(&head, bytes, begun + patience) {
            Ok(answer) => match serde_json::from_slice::<Answer>(&answer) {
                Ok(answer) => {
                    reader.read += bytes.len();
                    reader.used += begun.elapsed();
                    *idle = Some(reader);
                    return answer.map(Document::from).map_err(Unread::from);
                }
                Err(_) => return Err(Unread::Crashed),
            },
            // The process was ended while idle.
            Err(Lost::BeforeReading) if !new => continue,
            Err(lost) => lost,
        };
        return Err(match lost {
            Lost::Slow => Unread::Slow(patience.as_secs()),
            Lost::TooMuch => Unread::TooMuchText,
            Lost::BeforeReading | Lost::Ended => match reader.end()?.signal().and_then(Signal::from_named_raw) {
                // By the system, which had no memory left, or by somebody: not by itself.
                Some(Signal::KILL | Signal::TERM) => Unread::Interrupted,
                Some(Signal::XCPU) => Unread::Slow(patience.as_secs()),
                _ => Unread::Crashed,
            },
            Lost::Io(why) => Unread::Io(why),
        });
    }
}

/// A process that reads documents. Ends with this value.
#[derive(Debug)]
struct Reader {
    child: Child,
    requests: ChildStdin,
    answers: ChildStdout,
    /// Bytes and time of its documents so far.
    read: usize,
    used: Duration,
}

/// The reason why there is no answer.
enum Lost {
    /// The process was gone before it was asked.
    BeforeReading,
    /// It ended.
    Ended,
    Slow,
    TooMuch,
    Io(io::Error),
}

impl Reader {
    fn start(program: &Path) -> io::Result<Reader> {
        let mut child = Command::new(program)
            .arg0("masthead")
            .arg(SUBCOMMAND)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A person who interrupts the program does not interrupt a parser: the document would look broken.
            .process_group(0)
            .spawn()?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it has no pipes"));
        };
        let mut reader = Reader { child, requests, answers, read: 0, used: Duration::ZERO };
        unblocked(reader.requests.as_fd())?;
        unblocked(reader.answers.as_fd())?;
        match reader.line(Instant::now() + PATIENCE_TO_START) {
            Ok(greeting) if greeting == GREETING.as_bytes() => Ok(reader),
            Err(Lost::Io(why)) => Err(why),
            _ => Err(io::Error::other("it is another program")),
        }
    }

    /// Whether it can take another document.
    fn is_fresh(&self) -> bool {
        self.read < MOST_READ && self.used < LONGEST_USE
    }

    /// The answer to a request.
    fn exchange(&mut self, head: &[u8], bytes: &[u8], deadline: Instant) -> Result<Vec<u8>, Lost> {
        self.send(head, deadline).map_err(|lost| if let Lost::Ended = lost { Lost::BeforeReading } else { lost })?;
        self.send(bytes, deadline)?;
        self.line(deadline)
    }

    fn send(&mut self, mut bytes: &[u8], deadline: Instant) -> Result<(), Lost> {
        while !bytes.is_empty() {
            match rustix::io::write(&self.requests, bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(rustix::io::Errno::AGAIN) => wait(self.requests.as_fd(), PollFlags::OUT, deadline)?,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::PIPE) => return Err(Lost::Ended),
                Err(why) => return Err(Lost::Io(why.into())),
            }
        }
        Ok(())
    }

    /// Its next line: nothing follows it until it is asked again.
    fn line(&mut self, deadline: Instant) -> Result<Vec<u8>, Lost> {
        let (mut line, mut piece) = (Vec::new(), [0; 1 << 16]);
        while !line.ends_with(b"\n") {
            match rustix::io::read(&self.answers, &mut piece) {
                Ok(0) => return Err(Lost::Ended),
                Ok(read) => line.extend_from_slice(&piece[..read]),
                Err(rustix::io::Errno::AGAIN) => wait(self.answers.as_fd(), PollFlags::IN, deadline)?,
                Err(rustix::io::Errno::INTR) => {}
                Err(why) => return Err(Lost::Io(why.into())),
            }
            if line.len() > MOST_ANSWER {
                return Err(Lost::TooMuch);
            }
        }
        Ok(line)
    }

    /// Waits for its end, which has come or is near.
    fn end(mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It keeps nothing, and it may be deep in a document.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unblocked(pipe: BorrowedFd<'_>) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(pipe)?;
    Ok(rustix::fs::fcntl_setfl(pipe, flags | rustix::fs::OFlags::NONBLOCK)?)
}

/// Waits until a pipe is ready. One that is ready is never late.
fn wait(pipe: BorrowedFd<'_>, ready: PollFlags, deadline: Instant) -> Result<(), Lost> {
    let left = deadline.saturating_duration_since(Instant::now());
    let timeout = Timespec::try_from(left).map_err(|_| Lost::Slow)?;
    match poll(&mut [PollFd::from_borrowed_fd(pipe, ready)], Some(&timeout)) {
        Ok(0) => Err(Lost::Slow),
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(why) => Err(Lost::Io(why.into())),
    }
}
