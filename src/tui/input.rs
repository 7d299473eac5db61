//! Input from all sides in one queue: threads that read the terminal, wait for signals, and pass on notices of the desk.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
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
use super::screens::traces::Listing;
use super::terminal;
use text::locked::{Locked, Woken};

#[derive(Debug)]
pub enum Input {
    /// From the terminal, and when it was read.
    Typed(Typed, Instant),
    Resized,
    Desk(u64, Notice),
    /// Streamed text of model calls, with the number of the link; more may be added before it is taken.
    Streamed(u64, Batch),
    /// The traces that come in, with the number of the link.
    Traces(u64, Listing),
    Signal(i32),
    Suspend,
    Continued,
    /// A program that had the terminal has ended.
    Ended(io::Result<ExitStatus>),
    Gone,
}

/// The time that the screen has to react to a signal that ends the process.
const GRACE: Duration = Duration::from_secs(2);
/// The time limit for the process to end after that: it stops its run, and says so.
const LEAVES: Duration = Duration::from_secs(8);

/// The thread that reads the terminal, from outside of it: it rests while another program has the terminal.
pub struct Keyboard {
    shared: Arc<Shared>,
    wake: PipeWriter,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// Whether it is to rest.
    rests: bool,
    /// Whether it reads nothing: it rests, or has ended.
    is_idle: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.locked()
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    fn wait_while(&self, waits: impl Fn(&State) -> bool) {
        drop(self.changed.wait_while(self.state(), |state| waits(state)).woken());
    }
}

impl Keyboard {
    /// Lets the keys be: returns when none is read any more.
    pub fn rest(&mut self) {
        self.shared.set(|state| state.rests = true);
        // A thread that has ended holds the other end no more.
        let _ = self.wake.write_all(b".");
        self.shared.wait_while(|state| !state.is_idle);
    }

    /// Reads on.
    pub fn go_on(&self) {
        self.shared.set(|state| state.rests = false);
    }
}

/// Reads the terminal until it hangs up.
pub fn read_terminal(queue: Sender<Input>) -> io::Result<Keyboard> {
    let (woken, wake) = io::pipe()?;
    let shared = Arc::new(Shared::default());
    let keyboard = Keyboard { shared: shared.clone(), wake };
    spawn("terminal input", move || {
        read_until_gone(&queue, &shared, woken);
        shared.set(|state| state.is_idle = true);
        let _ = queue.send(Input::Gone);
    })?;
    Ok(keyboard)
}

fn read_until_gone(queue: &Sender<Input>, shared: &Shared, mut woken: PipeReader) {
    let (mut keys, mut typed) = (Keys::default(), Vec::new());
    while let Ok(is_woken) = read(&mut keys, &mut typed, &mut woken) {
        let now = Instant::now();
        if typed.drain(..).any(|typed| queue.send(Input::Typed(typed, now)).is_err()) {
            return;
        }
        if is_woken {
            shared.set(|state| state.is_idle = state.rests);
            shared.wait_while(|state| state.rests);
            shared.set(|state| state.is_idle = false);
            keys = Keys::default();
        }
    }
}

/// Waits for bytes, or for the silence that settles the meaning of earlier ones. True: it is to rest.
fn read(keys: &mut Keys, typed: &mut Vec<Typed>, woken: &mut PipeReader) -> Result<bool, Errno> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&*woken, PollFlags::IN)];
    let patience = keys.patience().and_then(|time| Timespec::try_from(time).ok());
    let polled = poll(&mut fds, patience.as_ref());
    let [from_terminal, from_screen] = [fds[0].revents(), fds[1].revents()];
    match polled {
        Ok(0) => keys.silence(typed),
        // Also if keys wait: they are for the program that is about to have the terminal.
        Ok(_) if from_screen.contains(PollFlags::IN) => {
            let _ = rustix::io::read(&*woken, &mut [0; 64]);
            return Ok(true);
        }
        Ok(_) if from_terminal.contains(PollFlags::IN) => {
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
    Ok(false)
}

/// Waits for a program that has the terminal, elsewhere.
pub fn wait_for(mut child: Child, queue: Sender<Input>) -> io::Result<()> {
    spawn("program outside", move || drop(queue.send(Input::Ended(child.wait()))))
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
    *watch.screen.locked() = Some(Screen { queue, handled });
    [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGCONT, SIGWINCH]
        .into_iter()
        .try_for_each(|signal| watch.signals.add_signal(signal))
}

/// The screen is closed: signals have their usual effect again.
pub fn leave_signals() {
    if let Some(watch) = WATCH.get() {
        *watch.screen.locked() = None;
    }
}

/// Until when keys that interrupt are for another program, which has the terminal.
static LENT: Mutex<Lent> = Mutex::new(Lent::No);

#[derive(Clone, Copy)]
enum Lent {
    No,
    Yes,
    /// It has ended; the key that interrupted it may still be on its way here.
    Until(Instant),
}

/// The time after its end in which an interrupt still belongs to the program.
const AFTERWARDS: Duration = Duration::from_millis(200);

/// Another program has the terminal, and an interrupt by key is not for this one; or it has it no more.
pub fn lend(lends: bool) {
    let lent = if lends { Lent::Yes } else { Lent::Until(Instant::now() + AFTERWARDS) };
    *LENT.locked() = lent;
}

fn is_lent() -> bool {
    match *LENT.locked() {
        Lent::No => false,
        Lent::Yes => true,
        Lent::Until(end) => Instant::now() < end,
    }
}

impl Watch {
    fn on(&self, signal: i32) {
        if matches!(signal, SIGINT | SIGQUIT) && is_lent() {
            return;
        }
        let screen = self.screen.locked();
        let Some(Screen { queue, handled }) = &*screen else {
            drop(screen);
            match signal {
                SIGTSTP => terminal::stop(),
                SIGCONT | SIGWINCH => {}
                // The default action cannot fail for these signals.
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

/// A terminal that does not read may hold the screen for ever, or the last words after it: then the process ends without them.
fn end_without_the_screen(signal: i32, handled: Arc<AtomicBool>) {
    let _ = thread::Builder::new().name("last resort".into()).spawn(move || {
        thread::sleep(GRACE);
        match handled.load(Ordering::Acquire) {
            true => thread::sleep(LEAVES),
            false => {
                let _ = thread::Builder::new().spawn(terminal::restore);
                thread::sleep(Duration::from_millis(200));
            }
        }
        std::process::exit(128 + signal);
    });
}

/// The time for which notices gather before they are passed on, if they come in numbers: far less than a frame. Each by itself
/// would wake this thread and the screen's.
const GATHERING: Duration = Duration::from_millis(4);

/// Passes notices on until the desk closes the channel. Streamed text is gathered until the screen takes it or another
/// notice comes, so that their order stays. The first notice after a silence is passed on at once.
pub fn pass_on(link: u64, notices: Receiver<Notice>, queue: Sender<Input>) -> io::Result<()> {
    spawn("notices", move || {
        let mut open: Option<Batch> = None;
        while let Ok(first) = notices.recv() {
            for notice in std::iter::once(first).chain(notices.try_iter()) {
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
            thread::sleep(GATHERING);
        }
    })
}

/// Passes on news of traces until their senders are gone.
pub fn pass_on_traces(link: u64, news: Receiver<Listing>, queue: Sender<Input>) -> io::Result<()> {
    spawn("traces", move || {
        for listing in news {
            if queue.send(Input::Traces(link, listing)).is_err() {
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
