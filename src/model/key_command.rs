//! Keys that a command of the user's prints (`api_key_cmd`). A process runs it when it first needs the key, and again when
//! the provider has refused that key. Its output is never shown.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use http_client::secret::Secret;
use rustix::process::{Pid, Signal, kill_process_group};
use text::Clean;
use text::locked::Locked;

/// The longest that a command may take to print a key, a passphrase that it asks for included.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes that are read of its output.
const MOST_SAID: u64 = 64 * 1024;

/// The keys that commands have printed to this process.
static KNOWN: Mutex<BTreeMap<Vec<String>, Printed>> = Mutex::new(BTreeMap::new());

/// A key, and when it was printed.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The key.
    pub secret: Secret,
    /// The time at which the command was started.
    pub at: Instant,
}

/// A command that prints the key of a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyCommand {
    provider: String,
    /// The program and its arguments.
    command: Vec<String>,
}

/// Whether a command has the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Terminal {
    /// It may ask for a passphrase.
    Has,
    /// The screen of a run may be on it.
    HasNot,
}

impl Terminal {
    /// Ends a command, and all that it has started where it has a process group of its own.
    fn end(self, child: &mut Child) {
        // Its number is its own until it is waited for. It may have ended by itself.
        if self == Terminal::HasNot {
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl KeyCommand {
    /// The command of this provider: a program and its arguments.
    pub fn new(provider: &str, command: &[String]) -> KeyCommand {
        KeyCommand { provider: provider.to_owned(), command: command.to_owned() }
    }

    /// Its program as it is started: a path, or a name that is looked up in `PATH`.
    pub fn path(&self) -> Option<&str> {
        self.command.first().map(String::as_str)
    }

    /// Its program alone, to be shown: arguments may hold secrets.
    pub fn program(&self) -> Clean {
        self.path().map(Clean::line).unwrap_or_default()
    }

    /// The key. The command is run if it has not yet printed one to this process, on the person's terminal.
    ///
    /// # Errors
    /// The error is the reason why there is none, with the remedy.
    pub fn key(&self) -> Result<Printed, String> {
        // Held meanwhile: of two that need the key at once, one asks the person.
        let mut known = KNOWN.locked();
        if let Some(key) = known.get(&self.command) {
            return Ok(key.clone());
        }
        let key = self.run(Terminal::Has, PATIENCE)?;
        known.insert(self.command.clone(), key.clone());
        Ok(key)
    }

    /// Another key in place of a refused one. The command is run away from the terminal. Blocks for ten seconds at most.
    ///
    /// # Errors
    /// The error is the reason why there is none, with the remedy.
    pub fn renewed(&self) -> Result<Printed, String> {
        let key = self.run(Terminal::HasNot, PATIENCE)?;
        let mut known = KNOWN.locked();
        known.insert(self.command.clone(), key.clone());
        Ok(key)
    }

    fn failed(&self, why: &str) -> String {
        format!("the key of {} is to come from `{}`, which {why}", self.provider, self.program())
    }

    /// Runs it for so long at the most.
    fn run(&self, terminal: Terminal, patience: Duration) -> Result<Printed, String> {
        let (program, arguments) = self.command.split_first().ok_or_else(|| self.failed("is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::piped());
        if terminal == Terminal::HasNot {
            // In a process group of its own it cannot read from the terminal by another way either.
            command.stdin(Stdio::null()).stderr(Stdio::null()).process_group(0);
        }
        let mut child = command.spawn().map_err(|error| self.failed(&format!("cannot be run: {error}")))?;
        let stdout = child.stdout.take();
        let (sender, receiver) = mpsc::channel();
        // A child of its own may keep the output open: the thread is not waited for.
        std::thread::spawn(move || {
            let mut said = Vec::new();
            let heard = stdout.map_or(Ok(0), |stdout| stdout.take(MOST_SAID).read_to_end(&mut said));
            // The receiver is gone if the time was up.
            let _ = sender.send(heard.map(|_| said));
        });
        let begun = Instant::now();
        let said = receiver.recv_timeout(patience);
        let status = loop {
            match child.try_wait().map_err(|error| self.failed(&format!("was lost: {error}")))? {
                Some(status) if said.is_ok() => break status,
                None if said.is_ok() && begun.elapsed() < patience => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    terminal.end(&mut child);
                    let most = patience.as_secs_f32();
                    return Err(self.failed(&format!(
                        "did not end within {most} s and was stopped: run it in a shell to see what it waits for"
                    )));
                }
            }
        };
        if !status.success() {
            let away = match terminal {
                Terminal::Has => "",
                Terminal::HasNot => " away from the terminal: leave and resume the run, if it has to ask you",
            };
            return Err(self.failed(&format!("failed ({status}){away}")));
        }
        let said = said.ok().and_then(Result::ok).ok_or_else(|| self.failed("could not be heard"))?;
        let text = String::from_utf8(said).map_err(|_| self.failed("printed no text"))?;
        let key = Secret::new(text.lines().next().unwrap_or_default());
        let key = key.map_err(|why| self.failed(&format!("printed no key: {why}")))?;
        Ok(Printed { secret: key.ok_or_else(|| self.failed("printed nothing"))?, at: begun })
    }
}

impl fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyCommand({} …)", self.program())
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn a_command_that_hangs_is_stopped_and_the_error_says_so_without_what_it_printed() {
        for line in ["sleep 600", "echo sk-canary-0123456789; exec >&-; sleep 600", "sleep 600 & wait"] {
            let command = KeyCommand::new("mine", &["sh".into(), "-c".into(), line.into()]);
            let begun = Instant::now();
            let why = command.run(Terminal::HasNot, Duration::from_millis(100)).unwrap_err();
            assert!(
                why.contains("the key of mine is to come from `sh`, which did not end within 0.1 s"),
                "{line}: {why}"
            );
            assert!(begun.elapsed().as_secs() < 300 && !why.contains("canary"), "{line}: {why}");
        }
    }

    #[test]
    fn what_a_command_that_hangs_has_started_is_stopped_with_it() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let line = format!("exec 3>/proc/{}/fd/{}; sleep 600 & wait", std::process::id(), writer.as_raw_fd());
        let command = KeyCommand::new("mine", &["sh".into(), "-c".into(), line]);
        let begun = Instant::now();
        command.run(Terminal::HasNot, Duration::from_secs(1)).unwrap_err();
        drop(writer);
        // The pipe ends once nobody holds it.
        assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
        assert!(begun.elapsed().as_secs() < 300);
    }

    #[test]
    fn a_command_is_run_once_a_process_and_again_when_its_key_is_to_be_renewed() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let line = format!("echo x >> '{0}'; echo sk-canary-$(wc -l < '{0}' | tr -d ' ')", log.display());
        let command = ["sh".to_owned(), "-c".to_owned(), line];
        let ran = || std::fs::read_to_string(&log).unwrap().len() / 2;
        let key = |printed: Printed| printed.secret.exposed().to_owned();
        assert_eq!(key(KeyCommand::new("mine", &command).key().unwrap()), "sk-canary-1");
        assert_eq!((key(KeyCommand::new("mine", &command).key().unwrap()), ran()), ("sk-canary-1".into(), 1));
        assert_eq!(key(KeyCommand::new("mine", &command).renewed().unwrap()), "sk-canary-2");
        assert_eq!((key(KeyCommand::new("mine", &command).key().unwrap()), ran()), ("sk-canary-2".into(), 2));
        assert_eq!(format!("{:?}", KeyCommand::new("mine", &command)), "KeyCommand(sh …)");
    }
}
