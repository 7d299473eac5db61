//! A server as a child process: one message a line, on its standard input and output.
//!
//! It runs in a process group of its own, which is ended with it, and gets only the paths and certificates of our
//! environment ([`KEPT`]). Each pipe has a thread; its output is limited, and its standard error goes to the log.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use text::locked::Locked;
use tokio::sync::mpsc;
use tool::child::{self, LastWords};
use tool::process_group::{Member, ProcessGroups, Signal};

use super::hidden::Hidden;
use super::rpc::{self, Incoming, Meaning, Message, Outgoing, Sent, words};
use super::settings::Setting;
use super::{MOST_HEARD, MOST_MESSAGE, Trouble};

/// The most bytes of unsolicited messages over its whole life: progress notes, logs, requests.
const MOST_UNASKED: usize = 8 << 20;
/// The most messages waiting for it to read.
const MOST_UNREAD: usize = 256;
/// The most lines of its standard error that go to the log.
const MOST_LOGGED: usize = 200;
/// The most characters that are kept of such a line.
const LONGEST_LOGGED: usize = 500;
/// The wait for its last words once it has ended. Only processes that it left behind, outside of its group, keep them open.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The environment variables it gets: paths, and certificates.
pub(super) const KEPT: [&str; 13] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "USER",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// A process and its end.
pub(super) struct Pipes {
    process: Member,
    shared: Arc<Shared>,
    to_end: Duration,
}

/// The transport over the pipes of a process: each message is a line.
pub(super) struct Lines {
    /// None once its input was closed.
    input: Option<SyncSender<Vec<u8>>>,
    heard: mpsc::Receiver<Incoming>,
    shared: Arc<Shared>,
}

struct Shared {
    /// The requests under way, and whether each is the handshake.
    under_way: Mutex<BTreeMap<i64, bool>>,
    /// The reason why it ended.
    gone: Mutex<Option<String>>,
    /// The number of times that it reported a change of its tools.
    changes: AtomicU64,
    /// Whether it has sent invalid messages; logged once.
    babbles: AtomicBool,
}

impl Pipes {
    /// Starts the process of a server, unless the work of all of them is over.
    pub fn start(setting: &Setting, command: &mut Command, all: &ProcessGroups) -> Result<(Pipes, Lines), Trouble> {
        let program = command.get_program().to_string_lossy().into_owned();
        let env = match &setting.way {
            Ok(super::Way::Process { env, .. }) => Some(env),
            _ => None,
        };
        let started = child::start(command, &KEPT, env.into_iter().flatten(), all).map_err(|error| {
            Trouble::Gone(format!("{} could not be started: {error}", words(&setting.without_hidden(&program))))
        })?;
        let Some((mut child, process)) = started else { return Err(Trouble::Gone("the run is over".into())) };
        let (input, inbox) = sync_channel(MOST_UNREAD);
        let shared = Arc::new(Shared {
            under_way: Mutex::default(),
            gone: Mutex::default(),
            changes: AtomicU64::new(0),
            babbles: AtomicBool::new(false),
        });
        if let Some(stdin) = child.stdin.take() {
            std::thread::spawn(move || write_all(stdin, &inbox));
        }
        let last_words = logged(child.stderr.take(), setting.name.clone(), setting.hidden.clone());
        let (to_us, heard) = mpsc::channel(MOST_HEARD);
        let (shared_with, hidden) = (shared.clone(), setting.hidden.clone());
        let to_end = setting.to_end;
        let reader = Output { shared: shared_with, heard: to_us, last_words, hidden, to_end };
        let of_it = process.clone();
        std::thread::spawn(move || reader.read(child, &of_it));
        let lines = Lines { input: Some(input), heard, shared: shared.clone() };
        Ok((Pipes { process, shared, to_end }, lines))
    }

    /// The reason why it ended; None while it runs.
    pub fn gone(&self) -> Option<String> {
        self.shared.gone.locked().clone()
    }

    /// The number of times that it reported a change of its tools.
    pub fn changes(&self) -> u64 {
        self.shared.changes.load(Ordering::Acquire)
    }

    /// Waits a moment for it to end by itself, signals it, then kills its process group. Blocks until it has ended.
    ///
    /// Its input must be closed before ([`Lines`]).
    pub fn end(&self) {
        for signal in [Signal::TERM, Signal::KILL] {
            let patience = Instant::now() + self.to_end;
            while self.gone().is_none() && Instant::now() < patience {
                std::thread::sleep(Duration::from_millis(5));
            }
            self.process.signal(signal);
        }
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.process.signal(Signal::KILL);
    }
}

impl Transport<RoleClient> for Lines {
    type Error = Trouble;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = Result<(), Trouble>> + Send + 'static {
        std::future::ready(self.write(message))
    }

    async fn receive(&mut self) -> Option<Incoming> {
        self.heard.recv().await
    }

    async fn close(&mut self) -> Result<(), Trouble> {
        self.input = None;
        Ok(())
    }
}

impl Lines {
    fn write(&self, message: Outgoing) -> Result<(), Trouble> {
        let Sent { mut bytes, meaning } = Sent::new(message)?;
        match meaning {
            Meaning::Request { id, is_handshake } => {
                self.shared.under_way.locked().insert(id, is_handshake);
            }
            // It has been answered meanwhile.
            Meaning::Cancel(id) if self.shared.under_way.locked().remove(&id).is_none() => return Ok(()),
            Meaning::Cancel(_) | Meaning::Other => {}
        }
        bytes.push(b'\n');
        let is_sent = self.input.as_ref().is_some_and(|input| input.try_send(bytes).is_ok());
        let gone = self.shared.gone.locked().clone();
        match (is_sent, gone) {
            (true, _) => Ok(()),
            (false, Some(why)) => Err(Trouble::Gone(why)),
            (false, None) => Err(Trouble::Gone("it does not read what it is sent".into())),
        }
    }
}

fn write_all(mut stdin: ChildStdin, inbox: &Receiver<Vec<u8>>) {
    while let Ok(line) = inbox.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Logs its standard error, up to a limit; then reads on without logging, so that it never blocks.
fn logged(stderr: Option<ChildStderr>, server: String, hidden: Hidden) -> LastWords {
    let mut n = 0_usize;
    LastWords::of(stderr, 1, move |line| {
        // Cut only now: half a secret is not recognised.
        let text = hidden.taken_out_of(line);
        let text = words(&text.chars().take(LONGEST_LOGGED).collect::<String>());
        n += 1;
        if !text.is_empty() && n <= MOST_LOGGED {
            tracing::info!(server, said = text, "an MCP server says");
        }
        text
    })
}

/// The output of a process.
struct Output {
    shared: Arc<Shared>,
    /// Closed after the reason of the end is recorded.
    heard: mpsc::Sender<Incoming>,
    last_words: LastWords,
    hidden: Hidden,
    to_end: Duration,
}

impl Output {
    /// Reads to the end; then ends the rest of its processes, and notes the reason.
    fn read(self, mut child: Child, process: &Member) {
        let why = match child.stdout.take() {
            Some(stdout) => self.lines(BufReader::with_capacity(64 << 10, stdout)),
            None => None,
        };
        let status = self.wait(&mut child, process, why.is_none());
        let why = why.unwrap_or_else(|| ended(status));
        let why = self.last_words.after(&why, LAST_WORDS);
        *self.shared.gone.locked() = Some(why);
    }

    /// Waits for the process, for a moment if it goes by itself, and ends the rest of its group. Returns its own exit status if it
    /// ended by itself.
    fn wait(&self, child: &mut Child, process: &Member, goes: bool) -> Option<ExitStatus> {
        let patience = Instant::now() + self.to_end;
        while goes && !child::has_ended(child) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(2));
        }
        let by_itself = child::has_ended(child);
        process.end(child).ok().filter(|_| by_itself)
    }

    /// Reads lines to the end; returns why reading stopped early, if it exceeds a limit.
    fn lines(&self, mut reader: impl BufRead) -> Option<String> {
        let (mut line, mut unasked) = (Vec::new(), 0_usize);
        loop {
            let room = MOST_MESSAGE - line.len() + 1;
            match reader.by_ref().take(room as u64).read_until(b'\n', &mut line) {
                Err(_) | Ok(0) => return None,
                Ok(_) if line.last() != Some(&b'\n') && line.len() > MOST_MESSAGE => {
                    return Some(format!("it sent a line of more than {} MB, and was ended", MOST_MESSAGE >> 20));
                }
                Ok(_) if line.last() != Some(&b'\n') => continue,
                Ok(_) => {}
            }
            if !self.handle(&line) {
                unasked += line.len();
            }
            if unasked > MOST_UNASKED {
                return Some(format!(
                    "it sent more than {} MB that nobody had asked for, and was ended",
                    MOST_UNASKED >> 20
                ));
            }
            line.clear();
        }
    }

    /// Handles a line; returns whether it was expected.
    fn handle(&self, line: &[u8]) -> bool {
        if line.trim_ascii().is_empty() {
            return false;
        }
        let mut is_awaited = false;
        for message in rpc::messages(line) {
            match message {
                Message::Answer(id, answer) => {
                    let under_way = self.shared.under_way.locked().remove(&id);
                    match under_way {
                        Some(is_handshake) => {
                            is_awaited = true;
                            // The connection may have been dropped.
                            let _ = self.heard.blocking_send(rpc::answer(id, is_handshake, answer));
                        }
                        None => self.babbles("an answer to nothing that was asked"),
                    }
                }
                // Requests that come faster than they are answered are dropped.
                Message::Request(id, method) => drop(self.heard.try_send(rpc::request(id, method))),
                Message::ToolsChanged => {
                    self.shared.changes.fetch_add(1, Ordering::AcqRel);
                }
                Message::Notification => {}
                Message::Invalid => self.babbles(&words(&self.hidden.taken_out_of(&String::from_utf8_lossy(line)))),
            }
        }
        is_awaited
    }

    fn babbles(&self, what: &str) {
        if !self.shared.babbles.swap(true, Ordering::Relaxed) {
            tracing::info!(what, "an MCP server sends what is no message; such lines are passed over");
        }
    }
}

/// In words, how a process ended by itself, if it did.
fn ended(status: Option<ExitStatus>) -> String {
    let code = status.and_then(|status| status.code());
    let signal = status.and_then(|status| status.signal());
    match (code, signal) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) if signal == Signal::KILL.as_raw() => format!("it was killed (signal {signal})"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it closed its output".into(),
    }
}
