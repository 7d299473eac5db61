//! Input from all sides in one queue: threads that read the terminal, watch for its hang-up, wait for signals, and pass
//! on notices of the desk.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::Duration;

use crossterm::event::Event as TerminalEvent;
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::{Handle, Signals};

use super::link::Notice;
use super::live::Batch;
use super::terminal;

#[derive(Debug)]
pub enum Input {
    Terminal(TerminalEvent),
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

pub fn read_terminal(queue: Sender<Input>) -> io::Result<()> {
    spawn("terminal input", move || {
        while let Ok(event) = crossterm::event::read() {
            if queue.send(Input::Terminal(event)).is_err() {
                return;
            }
        }
        let _ = queue.send(Input::Gone);
    })
}

/// Waits until the terminal hangs up; the terminal library does not notice.
pub fn watch_terminal(queue: Sender<Input>) -> io::Result<()> {
    spawn("terminal watch", move || {
        let stdin = io::stdin();
        loop {
            // Nothing is asked for but what poll always reports: hang-up and error.
            let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut fds, None) {
                Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => break,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => break,
            }
        }
        let _ = queue.send(Input::Gone);
    })
}

/// Waits for signals. The screen sets `handled` when it has reacted to one that ends the process.
pub fn wait_for_signals(queue: Sender<Input>, handled: Arc<AtomicBool>) -> io::Result<Handle> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    let handle = signals.handle();
    spawn("signals", move || {
        for signal in signals.forever() {
            let input = match signal {
                SIGTSTP => Input::Suspend,
                SIGCONT => Input::Continued,
                signal => Input::Signal(signal),
            };
            let ends = matches!(input, Input::Signal(_));
            if queue.send(input).is_err() {
                return;
            }
            if ends {
                let handled = handled.clone();
                // A terminal that does not read may hold the screen for ever: then the process ends without it.
                let _ = thread::Builder::new().name("last resort".into()).spawn(move || {
                    thread::sleep(GRACE);
                    if !handled.load(Ordering::Acquire) {
                        let _ = thread::Builder::new().spawn(terminal::restore);
                        thread::sleep(Duration::from_millis(200));
                        std::process::exit(128 + signal);
                    }
                });
            }
        }
    })?;
    Ok(handle)
}

/// Passes notices on until the desk closes the channel. Streamed text is gathered until the screen takes it or another
/// notice comes, so that their order stays.
pub fn pass_on(link: u64, notices: Receiver<Notice>, queue: Sender<Input>) -> io::Result<()> {
    spawn("notices", move || {
        let mut open: Option<Batch> = None;
        for notice in notices {
            let input = match notice {
                Notice::Heard { call, text } => {
                    if open.as_ref().is_some_and(|batch| batch.add(call, &text)) {
                        continue;
                    }
                    let batch = Batch::of(call, &text);
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
    use run::{AssignmentId, CallId};

    #[test]
    fn tokens_are_gathered_and_stay_in_order_with_what_else_happens() {
        let (desk, notices) = std::sync::mpsc::channel();
        let (queue, inbox) = std::sync::mpsc::channel();
        let call = CallId::new(AssignmentId::nth(1), 1);
        let say = |text: &str| desk.send(Notice::Heard { call, text: text.into() }).unwrap();
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
        assert_eq!((first.take()[&call].text.len(), second.take()[&call].text.as_str()), (1_000, "bc"));
    }
}
