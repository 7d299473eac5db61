//! A program with all that it starts, as one group: it never starts once its work is over, and leaves nothing behind. Never
//! reads its output, and knows no time limit: callers do.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, kill_process_group};

pub use rustix::process::Signal;

/// The process group of a program; copies stand for the same one.
#[derive(Clone, Debug, Default)]
pub struct ProcessGroup(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_over: bool,
    /// None before it is started, and once it was waited for: then its number may be another's.
    leader: Option<Pid>,
}

impl ProcessGroup {
    /// Starts the program in a group of its own; None once it is over.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(&self, command: &mut Command) -> std::io::Result<Option<Child>> {
        let mut state = self.lock();
        if state.is_over {
            return Ok(None);
        }
        let child = command.process_group(0).spawn()?;
        state.leader = Some(Pid::from_child(&child));
        Ok(Some(child))
    }

    /// Sends a signal to the program and all that it has started, as long as it was not waited for.
    pub fn signal(&self, signal: Signal) {
        self.lock().signal(signal);
    }

    /// Ends the program and all that it has started, and lets none start any more.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.signal(Signal::KILL);
    }

    /// Ends a program that was started here with all that it has started, and waits for it.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn end(&self, child: &mut Child) -> std::io::Result<ExitStatus> {
        let leader = Pid::from_child(child);
        let mut state = self.lock();
        // Another may have been started in its place.
        if state.leader == Some(leader) {
            state.leader = None;
        }
        // Its number is its own until it is waited for. It may have ended by itself.
        let _ = kill_process_group(leader, Signal::KILL);
        child.wait()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // There may be nobody left.
            let _ = kill_process_group(leader, signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeps() -> Command {
        let mut command = Command::new("sleep");
        command.arg("60");
        command
    }

    #[test]
    fn nothing_starts_once_it_is_over() {
        let group = ProcessGroup::default();
        let mut child = group.start(&mut sleeps()).unwrap().unwrap();
        group.clone().stop();
        assert!(!child.wait().unwrap().success());
        assert!(group.start(&mut sleeps()).unwrap().is_none());
    }

    #[test]
    fn the_end_of_one_program_leaves_the_one_in_its_place() {
        let group = ProcessGroup::default();
        let mut first = group.start(&mut sleeps()).unwrap().unwrap();
        let mut second = group.start(&mut sleeps()).unwrap().unwrap();
        assert!(!group.end(&mut first).unwrap().success());
        assert!(second.try_wait().unwrap().is_none());
        group.signal(Signal::TERM);
        assert!(!group.end(&mut second).unwrap().success());
        // Its number may be another's.
        group.signal(Signal::KILL);
    }
}
