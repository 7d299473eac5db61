//! Input from all sides in one queue: threads that read the terminal, wait for signals, and pass on notices of the desk.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;

use super::keys::{Keys, Typed};
use super::link::Notice;
use super::live::Batch;
use super::terminal;

#[derive(Debug)]
pub enum Input {
    /// From the terminal, and when it was read.
    Typed(Typed, Instant),
    Resized,
    Desk(u64, Notice),
    /// Streamed text of model calls, with the number of the link; more may be added before it is taken.
    Streamed(u64, Batch),
    Signal(i32),
    Suspend,
    Continued,
    Gone,
}

/// How long the screen has to react to a signal that ends the process.
const GRACE: Duration = Duration::from_secs(2);

/// Reads the terminal until it hangs up.
pub fn read_terminal(queue: Sender<Input>) -> io::Result<()> {
    spawn("terminal input", move || {
        let (mut keys, mut typed) = (Keys::default(), Vec::new());
        while read(&mut keys, &mut typed).is_ok() {
            let now = Instant::now();
            if typed.drain(..).any(|typed| queue.send(Input::Typed(typed, now)).is_err()) {
                return;
            }
        }
        let _ = queue.send(Input::Gone);
    })
}

/// Waits for bytes, or for the silence that decides what those before them were.
fn read(keys: &mut Keys, typed: &mut Vec<Typed>) -> Result<(), Errno> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = keys.patience().and_then(|time| Timespec::try_from(time).ok());
    match poll(&mut fds, patience.as_ref()) {
        Ok(0) => keys.silence(typed),
        Ok(_) if fds[0].revents().contains(PollFlags::IN) => {
            let mut bytes = [0; 4096];
            match rustix::io::read(&stdin, &mut bytes) {
                Ok(0) => return Err(Errno::PIPE),
                Ok(count) => keys.take(&bytes[..count], typed),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error),
            }
        }
        // It has hung up.
        Ok(_) => return Err(Errno::PIPE),
        Err(Errno::INTR) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The signals of the process, from its start to its end: for the screen while there is one.
struct Watch {
    screen: Mutex<Option<Screen>>,
    signals: Handle,
}

struct Screen {
    queue: Sender<Input>,
    /// Set by the screen when it has reacted to a signal that ends the process.
    handled: Arc<AtomicBool>,
}

static WATCH: OnceLock<Watch> = OnceLock::new();

/// Heeds a request to stop (SIGTSTP) from now on, also before there is a screen and where no shell controls the job, so that
/// the kernel would discard it.
pub fn heed_stop_requests() -> io::Result<()> {
    watch().map(drop)
}

fn watch() -> io::Result<&'static Watch> {
    if let Some(watch) = WATCH.get() {
        return Ok(watch);
    }
    let mut signals = Signals::new([SIGTSTP])?;
    let watch = WATCH.get_or_init(|| Watch { screen: Mutex::new(None), signals: signals.handle() });
    spawn("signals", move || signals.forever().for_each(|signal| watch.on(signal)))?;
    Ok(watch)
}

/// Gives the signals of the process to a screen, until [`leave_signals`].
pub fn wait_for_signals(queue: Sender<Input>, handled: Arc<AtomicBool>) -> io::Result<()> {
    let watch = watch()?;
    *watch.screen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Screen { queue, handled });
    [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGCONT, SIGWINCH]
        .into_iter()
        .try_for_each(|signal| watch.signals.add_signal(signal))
}

/// The screen is closed: signals do again what they do to any process.
pub fn leave_signals() {
    if let Some(watch) = WATCH.get() {
        *watch.screen.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Watch {
    fn on(&self, signal: i32) {
        let screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Screen { queue, handled }) = &*screen else {
            drop(screen);
            match signal {
                SIGTSTP => terminal::stop(),
                SIGCONT | SIGWINCH => {}
                // What it does by itself cannot fail for these signals.
                signal => drop(emulate_default_handler(signal)),
            }
            return;
        };
        let input = match signal {
            SIGTSTP => Input::Suspend,
            SIGCONT => Input::Continued,
            SIGWINCH => Input::Resized,
            signal => {
                end_without_the_screen(signal, handled.clone());
                Input::Signal(signal)
            }
        };
        // The screen is on its way out if it takes nothing.
        let _ = queue.send(input);
    }
}

/// A terminal that does not read may hold the screen for ever: then the process ends without it.
fn end_without_the_screen(signal: i32, handled: Arc<AtomicBool>) {
    let _ = thread::Builder::new().name("last resort".into()).spawn(move || {
        thread::sleep(GRACE);
        if !handled.load(Ordering::Acquire) {
            let _ = thread::Builder::new().spawn(terminal::restore);
            thread::sleep(Duration::from_millis(200));
            std::process::exit(128 + signal);
        }
    });
}

/// Passes notices on until the desk closes the channel. Streamed text is gathered until the screen takes it or another
/// notice comes, so that their order stays.
pub fn pass_on(link: u64, notices: Receiver<Notice>, queue: Sender<Input>) -> io::Result<()> {
    spawn("notices", move || {
        let mut open: Option<Batch> = None;
        for notice in notices {
            let input = match notice {
                Notice::Heard { call, what, text } => {
                    if open.as_ref().is_some_and(|batch| batch.add(call, what, &text)) {
                        continue;
                    }
                    let batch = Batch::of(call, what, &text);
                    open = Some(batch.clone());
                    Input::Streamed(link, batch)
                }
                notice => {
                    open = None;
                    Input::Desk(link, notice)
                }
            };
            if queue.send(input).is_err() {
                return;
            }
        }
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.into()).spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::progress::Saying;
    use run::{AssignmentId, CallId};

    #[test]
    fn tokens_are_gathered_and_stay_in_order_with_what_else_happens() {
        let (desk, notices) = std::sync::mpsc::channel();
        let (queue, inbox) = std::sync::mpsc::channel();
        let call = CallId::new(AssignmentId::nth(1), 1);
        let say = |text: &str| desk.send(Notice::Heard { call, what: Saying::Answer, text: text.into() }).unwrap();
        (0..1_000).for_each(|_| say("a"));
        desk.send(Notice::Refused("no".into())).unwrap();
        say("b");
        say("c");
        drop(desk);
        pass_on(7, notices, queue).unwrap();
        let inputs: Vec<Input> = inbox.iter().collect();
        let [Input::Streamed(7, first), Input::Desk(7, Notice::Refused(_)), Input::Streamed(7, second)] = &inputs[..]
        else {
            panic!("{inputs:?}")
        };
        assert_eq!((first.take()[&call].answer.text.len(), second.take()[&call].answer.text.as_str()), (1_000, "bc"));
    }
}
