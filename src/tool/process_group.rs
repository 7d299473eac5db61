//! Programs, each with all that it starts: none starts once their work is over, and none is left behind. Never reads
//! their output, and knows no time limit: callers do.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, kill_process_group};
use text::locked::Locked;

pub use rustix::process::Signal;

/// Programs that end together, each in a process group of its own; copies stand for the same ones.
#[derive(Clone, Debug, Default)]
pub struct ProcessGroups(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_over: bool,
    started: u64,
    /// The programs that were not waited for, by the order of their start: the number of any other may be another's.
    leaders: Vec<(u64, Pid)>,
}

/// A program that was started, and its place among the others.
#[derive(Clone, Debug)]
pub struct Member {
    all: ProcessGroups,
    nth: u64,
}

impl ProcessGroups {
    /// Starts a program in a group of its own; None once it is over.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(&self, command: &mut Command) -> std::io::Result<Option<(Child, Member)>> {
        let mut state = self.0.locked();
        if state.is_over {
            return Ok(None);
        }
        let child = command.process_group(0).spawn()?;
        state.started += 1;
        let nth = state.started;
        state.leaders.push((nth, Pid::from_child(&child)));
        Ok(Some((child, Member { all: self.clone(), nth })))
    }

    /// Ends all programs and all that they have started, and lets none start any more.
    pub fn stop(&self) {
        let mut state = self.0.locked();
        state.is_over = true;
        state.leaders.iter().for_each(|(_, leader)| signal(*leader, Signal::KILL));
    }
}

impl Member {
    /// Sends a signal to the program and all that it has started, unless it was waited for.
    pub fn signal(&self, what: Signal) {
        let state = self.all.0.locked();
        state.leaders.iter().filter(|(nth, _)| *nth == self.nth).for_each(|(_, leader)| signal(*leader, what));
    }

    /// Ends the program with all that it has started, and waits for it.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn end(&self, child: &mut Child) -> std::io::Result<ExitStatus> {
        self.all.0.locked().leaders.retain(|(nth, _)| *nth != self.nth);
        // Its number is its own until it is waited for.
        signal(Pid::from_child(child), Signal::KILL);
        child.wait()
    }
}

fn signal(leader: Pid, signal: Signal) {
    // There may be nobody left.
    let _ = kill_process_group(leader, signal);
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
        let all = ProcessGroups::default();
        let (mut child, _) = all.start(&mut sleeps()).unwrap().unwrap();
        all.clone().stop();
        assert!(!child.wait().unwrap().success());
        assert!(all.start(&mut sleeps()).unwrap().is_none());
    }

    #[test]
    fn the_end_of_one_program_leaves_the_one_in_its_place() {
        let all = ProcessGroups::default();
        let (mut first, of_first) = all.start(&mut sleeps()).unwrap().unwrap();
        let (mut second, of_second) = all.start(&mut sleeps()).unwrap().unwrap();
        of_first.signal(Signal::KILL);
        assert!(!of_first.end(&mut first).unwrap().success());
        // Its number may be another's.
        of_first.signal(Signal::KILL);
        assert!(second.try_wait().unwrap().is_none());
        of_second.signal(Signal::TERM);
        assert!(!of_second.end(&mut second).unwrap().success());
    }

    #[test]
    fn all_programs_end_together() {
        let all = ProcessGroups::default();
        let mut started: Vec<Child> = (0..3).map(|_| all.start(&mut sleeps()).unwrap().unwrap().0).collect();
        all.stop();
        assert!(started.iter_mut().all(|child| !child.wait().unwrap().success()));
    }
}
