//! A program that gets nothing of our environment but paths, and its words on standard error.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use text::locked::Locked;

use super::process_group::{Member, ProcessGroups};

/// The most bytes of a line of standard error that are looked at; the rest of it is skipped.
const MOST_OF_A_LINE: usize = 64 << 10;

/// Starts a program with pipes for its input, output and standard error. It gets these variables of our environment, and
/// `env`. None once the work of the group is over.
///
/// # Errors
/// It cannot be started.
pub fn start<'a>(
    command: &mut Command,
    kept: &[&str],
    env: impl IntoIterator<Item = (&'a String, &'a String)>,
    all: &ProcessGroups,
) -> std::io::Result<Option<(Child, Member)>> {
    command
        .env_clear()
        .envs(kept.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .envs(env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    all.start(command)
}

/// Whether a program has ended. It stays a zombie until it is waited for, so that its number is not reused.
pub fn has_ended(child: &Child) -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), how), Ok(None))
}

/// Tells when a program has ended, which is not waited for: see [`has_ended`].
pub(crate) fn when_ended(child: &Child, tell: impl FnOnce() + Send + 'static) {
    let leader = WaitId::Pid(Pid::from_child(child));
    std::thread::spawn(move || {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(leader.clone(), how), Err(rustix::io::Errno::INTR)) {}
        tell();
    });
}

/// The last lines that a program wrote on its standard error.
pub struct LastWords {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Ends when nobody can write there any more.
    end: Receiver<()>,
}

impl LastWords {
    /// Reads all of it, and keeps the last `most` lines: each as `kept` returns it, unless that is empty.
    pub fn of(
        stderr: Option<ChildStderr>,
        most: usize,
        mut kept: impl FnMut(&str) -> String + Send + 'static,
    ) -> LastWords {
        let lines: Arc<Mutex<VecDeque<String>>> = Arc::default();
        let (sender, end) = channel::<()>();
        let shared = lines.clone();
        std::thread::spawn(move || {
            if let Some(stderr) = stderr {
                each_line(stderr, |line| {
                    let line = kept(line);
                    let mut lines = shared.locked();
                    if !line.is_empty() {
                        lines.push_back(line);
                    }
                    let over = lines.len().saturating_sub(most);
                    lines.drain(..over);
                });
            }
            drop(sender);
        });
        LastWords { lines, end }
    }

    /// The lines, of a program that has ended. Its children may go on writing: they are waited for no longer than this.
    pub fn hear(&self, patience: Duration) -> String {
        let _ = self.end.recv_timeout(patience);
        self.lines.locked().make_contiguous().join("; ")
    }

    /// The reason why a program failed, with its last words if there are any.
    pub fn after(&self, why: &str, patience: Duration) -> String {
        match self.hear(patience) {
            words if words.is_empty() => why.to_owned(),
            words => format!("{why}. Its last words: {words}"),
        }
    }
}

fn each_line(stderr: ChildStderr, mut tell: impl FnMut(&str)) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        let Ok(read) = reader.by_ref().take(MOST_OF_A_LINE as u64).read_until(b'\n', &mut line) else { return };
        let is_cut = read == MOST_OF_A_LINE && line.last() != Some(&b'\n');
        if read == 0 || is_cut && reader.skip_until(b'\n').is_err() {
            return;
        }
        tell(&String::from_utf8_lossy(&line));
    }
}
