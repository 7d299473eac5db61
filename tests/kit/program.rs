//! The program as a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program `exe` with nothing of this machine's settings: no variables, `home` as its home, its data below that, and
/// no input.
pub fn program(exe: &str, home: &Path) -> Command {
    let mut command = Command::new(exe);
    command.env_clear().env("HOME", home).arg("--data-dir").arg(home.join("data")).stdin(Stdio::null());
    command
}

/// Runs a process to its end: its exit code (-1 if a signal ended it), its output, and its errors.
///
/// # Panics
/// If it does not start, or prints text that is not UTF-8.
pub fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("a process");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// Starts a process and kills it as soon as it has printed `lines` lines; whether it was still there to be killed.
pub fn kill_after(command: &mut Command, lines: usize) -> bool {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a process");
    let mut out = BufReader::new(child.stdout.take().expect("its output")).lines();
    let seen = out.by_ref().take(lines).filter_map(Result::ok).count();
    let _ = child.kill();
    child.wait().expect("its end");
    seen == lines
}
