//! The program as a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The program `exe` with nothing of this machine's settings: no variables, `home` as its home, its data below that, and
/// no input.
pub fn program(exe: &str, home: &Path) -> Command {
    let mut command = Command::new(exe);
    command.env_clear().env("HOME", home).arg("--data-dir").arg(home.join("data")).stdin(Stdio::null());
    command
}

/// The longest time of a process, far beyond what any takes on a busy machine.
const LONGEST: Duration = Duration::from_secs(600);

/// Kills a process after a time that none takes, so that a test that waits for it fails by its name and does not hang. There is
/// no limit any more once this is dropped.
#[derive(Debug)]
pub struct TimeLimit {
    ends: Sender<()>,
    kills: JoinHandle<bool>,
}

impl TimeLimit {
    /// The limit of a process that has just started.
    pub fn of(child: &Child) -> TimeLimit {
        let (pid, (ends, ended)) = (child.id().to_string(), channel());
        let kills = std::thread::spawn(move || {
            let is_over = ended.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout);
            is_over && Command::new("kill").args(["-KILL", &pid]).status().is_ok_and(|killed| killed.success())
        });
        TimeLimit { ends, kills }
    }

    /// Whether the process, which has ended now, was killed.
    fn was_reached(self) -> bool {
        drop(self.ends);
        self.kills.join().unwrap_or_default()
    }
}

/// Runs a process to its end: its exit code (-1 if a signal ended it), its output, and its errors.
///
/// # Panics
/// If it does not start, does not end, or prints text that is not UTF-8.
#[track_caller]
pub fn run(command: &mut Command) -> (i32, String, String) {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    let limit = TimeLimit::of(&child);
    let Output { status, stdout, stderr } = child.wait_with_output().expect("its end");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let (out, err) = (text(stdout), text(stderr));
    assert!(!limit.was_reached(), "it did not end: {command:?}\n{out}\n{err}");
    (status.code().unwrap_or(-1), out, err)
}

/// Starts a process and kills it as soon as it has printed `lines` lines; whether it was still there to be killed.
pub fn kill_after(command: &mut Command, lines: usize) -> bool {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a process");
    let _limit = TimeLimit::of(&child);
    let mut out = BufReader::new(child.stdout.take().expect("its output")).lines();
    let seen = out.by_ref().take(lines).filter_map(Result::ok).count();
    let is_there = child.try_wait().expect("its state").is_none();
    let _ = child.kill();
    child.wait().expect("its end");
    seen == lines && is_there
}
