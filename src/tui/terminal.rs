//! Takes the terminal and gives it back on every way out: repeatedly, from any thread, without a lock that drawing holds.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::OwnedFd;
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use text::locked::Locked;

/// The title kept aside, alternate screen, no cursor, paste in brackets, reports of focus.
const TAKE: &[u8] = b"\x1b[22;2t\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?2004h\x1b[?1004h";
/// Synchronised output, paste, mouse and focus reports off; plain style, cursor, the person's own screen.
const GIVE_BACK: &[u8] =
    b"\x1b[?2026l\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[0m\x1b[?25h\x1b[?1049l\x1b[23;2t";

/// Reports of the mouse's buttons and wheel, with columns beyond 223.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";
/// Asks for the background colour (OSC 11); a terminal that does not know it says nothing.
const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";
/// The longest wait for an answer: the shell that follows would take a later one as keys, so it is thrown away at the end.
const ANSWERS: Duration = Duration::from_secs(1);

/// Whether the mouse is reported.
static MOUSE: AtomicBool = AtomicBool::new(false);
/// The time at which the terminal was asked for its background, until it answers.
static ASKED: Mutex<Option<Instant>> = Mutex::new(None);

/// The terminal's settings before the program took it; None while it is not taken.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The target of standard error while the program has the terminal, and the one before.
static STANDARD_ERROR: Mutex<Aside> = Mutex::new(Aside { log: None, before: None });

struct Aside {
    log: Option<File>,
    before: Option<OwnedFd>,
}

/// Sets where standard error goes while the program has the terminal, since libraries would write over the screen.
pub fn log_standard_error_to(log: File) {
    STANDARD_ERROR.locked().log = Some(log);
}

fn set_standard_error_aside() -> io::Result<()> {
    let mut aside = STANDARD_ERROR.locked();
    let Aside { log: Some(log), before: None } = &*aside else { return Ok(()) };
    if io::stderr().is_terminal() {
        let before = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3)?;
        rustix::stdio::dup2_stderr(log)?;
        aside.before = Some(before);
    }
    Ok(())
}

fn put_standard_error_back() {
    let before = STANDARD_ERROR.locked().before.take();
    if let Some(before) = before {
        let _ = rustix::stdio::dup2_stderr(before);
    }
}

/// Takes the terminal. Repeated after the process was continued, it sets everything anew.
pub fn take() -> io::Result<()> {
    let stdin = io::stdin();
    let now = tcgetattr(&stdin)?;
    let mut raw = {
        let mut before = BEFORE.locked();
        before.get_or_insert(now).clone()
    };
    raw.make_raw();
    tcsetattr(&stdin, OptionalActions::Now, &raw)?;
    TAKEN.store(true, Ordering::Release);
    set_standard_error_aside()?;
    write(TAKE)?;
    if MOUSE.load(Ordering::Acquire) { write(TAKE_MOUSE) } else { Ok(()) }
}

/// Sets whether the mouse is reported once the terminal is taken. Without, the terminal selects text with it as ever.
pub fn use_mouse(uses: bool) {
    MOUSE.store(uses, Ordering::Release);
}

/// Asks the terminal for its background; nobody waits for the answer, which comes among the keys.
pub fn ask_background() -> io::Result<()> {
    *ASKED.locked() = Some(Instant::now());
    write(ASK_BACKGROUND)
}

/// The terminal has reported its background.
pub fn background_is_known() {
    *ASKED.locked() = None;
}

/// Gives the terminal back as it was. Does nothing if it is not taken.
pub fn restore() {
    if TAKEN.swap(false, Ordering::AcqRel) {
        // The terminal may be gone.
        let _ = write(GIVE_BACK);
    }
    let before = BEFORE.locked().take();
    if let Some(before) = before {
        let asked = ASKED.locked().take();
        // An answer that nobody has read yet is not for the shell.
        let open = asked.is_some_and(|asked| asked.elapsed() < ANSWERS);
        let how = if open { OptionalActions::Flush } else { OptionalActions::Now };
        let _ = tcsetattr(io::stdin(), how, &before);
    }
    put_standard_error_back();
}

/// The terminal's settings as they are; None if there is no terminal any more.
pub fn settings() -> Option<Termios> {
    tcgetattr(io::stdin()).ok()
}

/// Puts the terminal's settings back to these: a program that had it may have left others.
pub fn set(settings: Option<Termios>) {
    if let Some(settings) = settings {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &settings);
    }
}

/// Asks a child of this process to end, or ends it.
pub fn end(pid: u32, at_once: bool) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may have ended by itself.
        let _ = kill_process(pid, if at_once { Signal::KILL } else { Signal::TERM });
    }
}

/// Whether the process may write to the terminal, rather than being in its shell's background.
pub fn in_foreground() -> bool {
    rustix::termios::tcgetpgrp(io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Stops the whole process group, as Ctrl-Z does; returns when it is continued.
pub fn stop() {
    // SIGSTOP, since the kernel discards SIGTSTP for an orphaned process group.
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
}

/// Writes without the standard library's lock and buffer, which the drawing thread may hold.
fn write(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The effect of a panic while a screen is shown: on the screen's thread it first gives the terminal back; on another it goes to
/// the log only, since the failure is handled there.
pub struct PanicPolicy {
    before: Arc<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>,
}

impl PanicPolicy {
    pub fn install(screen: ThreadId) -> PanicPolicy {
        let before: Arc<dyn Fn(&PanicHookInfo<'_>) + Send + Sync> = panic::take_hook().into();
        let previous = before.clone();
        panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == screen {
                restore();
                previous(info);
            } else {
                tracing::error!(panic = %text::Clean::line(&info.to_string()), "a worker panicked");
            }
        }));
        PanicPolicy { before }
    }
}

impl Drop for PanicPolicy {
    fn drop(&mut self) {
        // Hooks cannot be changed by a thread that panics; then the process is on its way out.
        if !std::thread::panicking() {
            let before = self.before.clone();
            panic::set_hook(Box::new(move |info| before(info)));
        }
    }
}
