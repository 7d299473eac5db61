//! `masthead serve --mcp`: lets another agent request briefs over standard input and output, by the Model Context
//! Protocol.
//!
//! Sources and caps are set when the server starts. A run stops at its checkpoints as on the command line: a person
//! answers them, unless they have allowed the agent to. Standard output carries only messages.

mod asked;
mod tools;

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::args::Serve;
use super::engine::{self, Audience, Prepared};
use super::exit::{self, Failure};
use super::output::shown;
use super::place::Places;
use ::mcp::VERSIONS;
use asked::{Asked, Unanswered};
use desk::Policy;
use run::{Notice, RunId};
use text::locked::Locked;

/// The most bytes of a message.
const MOST_MESSAGE: u64 = 1 << 20;
/// The most simultaneous calls.
const MOST_CALLS: usize = 16;
/// The most runs that are worked on at a time.
const MOST_RUNS: usize = 4;
/// The longest wait for the first events of a run to be in the journal.
const LONGEST_START: Duration = Duration::from_secs(10);
/// The longest wait for a run that is to stop.
const LONGEST_STOP: Duration = Duration::from_secs(20);

const INSTRUCTIONS: &str = "masthead researches a question in documents with a supervised team, and writes a brief in which every claim \
                            is cited. Call `brief`; it returns the id of a run. A run takes minutes: ask `run` how it stands. It stops \
                            where a person has to look at its findings. `stop` stops it before that.";

/// The server: its permissions, and the runs that it works on.
struct Server {
    places: Places,
    args: Serve,
    /// The folders and files that agents may ask about.
    sources: Vec<PathBuf>,
    runs: Mutex<BTreeMap<String, Work>>,
    /// Whether agents may look at a run: those that searched nothing else than these sources. It never changes.
    visible: Mutex<BTreeMap<RunId, bool>>,
    /// The calls that are not answered yet.
    unanswered: Unanswered,
}

/// A run that is worked on.
struct Work {
    /// Ends the work.
    end: Sender<()>,
    thread: JoinHandle<()>,
    phase: Arc<Phase>,
}

/// The stage of the work on a run: not yet in the journal, under way, or stopped.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    #[default]
    Start,
    Work,
    Stop,
}

/// The stage, and the signal that the next one is reached.
#[derive(Default)]
struct Phase(Mutex<Reached>, Condvar);

impl Phase {
    fn reach(&self, at: Reached) {
        let mut now = self.0.locked();
        *now = at.max(*now);
        self.1.notify_all();
    }

    /// Waits until this stage is reached, the patience is over, or the call that waits is cancelled.
    fn wait(&self, there: Reached, patience: Duration, call: &Asked) {
        let goes_on = |now: &mut Reached| *now < there && !call.is_cancelled();
        drop(self.1.wait_timeout_while(self.0.locked(), patience, goes_on));
    }

    /// Has all that wait look whether their calls were cancelled.
    fn wake(&self) {
        drop(self.0.locked());
        self.1.notify_all();
    }
}

/// An event of the loop.
enum Heard {
    Line(Vec<u8>),
    TooLong,
    /// The client is gone, or a signal asks the program to stop.
    Over,
}

pub fn serve(places: &Places, args: Serve) -> Result<u8, Failure> {
    let open = |path: &PathBuf| {
        let opened = path.canonicalize();
        opened.map_err(|error| Failure::Usage(format!("the source {} cannot be opened: {error}", shown(path))))
    };
    let sources = args.sources.iter().map(open).collect::<Result<_, _>>()?;
    let (runs, visible, unanswered) = Default::default();
    let server = Arc::new(Server { places: places.clone(), args, sources, runs, visible, unanswered });
    let (heard, inbox) = channel();
    let runtime = engine::runtime()?;
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let heard = heard.clone();
        runtime.spawn(async move {
            if let Ok(mut signal) = signal(kind) {
                signal.recv().await;
                let _ = heard.send(Heard::Over);
            }
        });
    }
    std::thread::spawn(move || listen(&heard));
    let calls = Arc::new(Mutex::new(0_usize));
    while let Ok(heard) = inbox.recv() {
        match heard {
            Heard::Over => break,
            Heard::TooLong => say(&error(&Value::Null, -32700, "a message is longer than 1 MiB")),
            Heard::Line(line) => match serde_json::from_slice::<Value>(&line) {
                Ok(message) => server.clone().take(message, &calls),
                Err(_) => say(&error(&Value::Null, -32700, "not valid JSON")),
            },
        }
    }
    server.end();
    runtime.shutdown_background();
    Ok(exit::DONE)
}

fn listen(heard: &Sender<Heard>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MOST_MESSAGE).read_until(b'\n', &mut line);
        let is_whole = line.last() == Some(&b'\n') || (line.len() as u64) < MOST_MESSAGE;
        let heard_now = match read {
            Err(_) | Ok(0) => Heard::Over,
            Ok(_) if is_whole && line.trim_ascii().is_empty() => continue,
            Ok(_) if is_whole => Heard::Line(line),
            Ok(_) => {
                // The rest of the line is not a message either.
                while line.last() != Some(&b'\n') {
                    line.clear();
                    if !matches!(input.by_ref().take(MOST_MESSAGE).read_until(b'\n', &mut line), Ok(1..)) {
                        break;
                    }
                }
                Heard::TooLong
            }
        };
        let is_over = matches!(heard_now, Heard::Over);
        if heard.send(heard_now).is_err() || is_over {
            return;
        }
    }
}

/// Writes a message. If the client is gone, its input ends too.
fn say(message: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}

fn answer(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

impl Server {
    /// Handles a message of the client; answers at once, except for calls.
    fn take(self: Arc<Self>, message: Value, calls: &Arc<Mutex<usize>>) {
        // Clients of one protocol version send batches.
        if let Value::Array(all) = message {
            all.into_iter().for_each(|message| self.clone().take(message, calls));
            return;
        }
        let id = message.get("id").cloned();
        let (Some(method), true) = (message["method"].as_str(), message.is_object()) else {
            // An answer: this server asks nothing, so ignore it.
            if message.get("result").is_none() && message.get("error").is_none() {
                say(&error(&id.unwrap_or_default(), -32600, "not a valid request"));
            }
            return;
        };
        let Some(id) = id.filter(|id| !id.is_null()) else {
            // Of the notifications, only this one matters here.
            if method == "notifications/cancelled" {
                self.cancel(&message["params"]["requestId"]);
            }
            return;
        };
        match method {
            "initialize" => say(&answer(&id, &initialized(&message["params"]))),
            "ping" => say(&answer(&id, &json!({}))),
            "tools/list" => say(&answer(&id, &json!({ "tools": tools::listed(self.args.let_agents_approve) }))),
            "tools/call" => {
                let mut under_way = calls.locked();
                if *under_way >= MOST_CALLS {
                    say(&error(&id, -32000, "too many calls at the same time"));
                    return;
                }
                *under_way += 1;
                let calls = calls.clone();
                let params = message["params"].clone();
                let asked = self.unanswered.add(&id);
                std::thread::spawn(move || {
                    // A panic in one call must not affect the others.
                    let called =
                        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tools::call(&self, &params, &asked)));
                    // A cancelled call gets no answer.
                    if self.unanswered.take(&id, &asked) {
                        say(&match called {
                            Ok(Some(result)) => answer(&id, &result),
                            Ok(None) => error(&id, -32602, "there is no such tool"),
                            Err(_) => error(&id, -32603, "a fault in masthead; its log says more"),
                        });
                    }
                    *calls.locked() -= 1;
                });
            }
            _ => say(&error(&id, -32601, "not offered here")),
        }
    }

    /// Ends the wait of a call; a run that it began stops.
    fn cancel(&self, id: &Value) {
        if let Some(began) = self.unanswered.cancel(id) {
            self.stop(&began);
        }
        self.runs.locked().values().for_each(|work| work.phase.wake());
    }

    /// Works on a run, for this call, until it ends or parks. It is in the journal when this returns.
    ///
    /// # Errors
    /// It cannot be worked on; or the call was cancelled, and nothing was begun.
    fn work_on(&self, prepared: Prepared, policy: Policy, call: &Asked) -> Result<RunId, Failure> {
        if call.is_cancelled() {
            return Err(Failure::Usage("the call was cancelled before its run began".into()));
        }
        let mut runs = self.runs.locked();
        runs.retain(|_, work| !work.thread.is_finished());
        if runs.len() >= MOST_RUNS {
            return Err(Failure::Usage(format!(
                "{MOST_RUNS} runs are at work: ask again when one of them has stopped"
            )));
        }
        let id = prepared.id.clone();
        let (end, ends) = channel();
        let stops = end.clone();
        let phase = Arc::new(Phase::default());
        let told = phase.clone();
        let audience: Audience = Arc::new(move |notice| match notice {
            Notice::Committed(_) => told.reach(Reached::Work),
            Notice::Stopped(_) => {
                let _ = stops.send(());
            }
            Notice::Said(what) => exit::say(&what),
            _ => {}
        });
        let working = engine::start(prepared, policy, audience);
        let told = phase.clone();
        let thread = std::thread::spawn(move || {
            // It has stopped by itself, or the server ends.
            let _ = ends.recv();
            working.leave();
            told.reach(Reached::Stop);
        });
        runs.insert(id.to_string(), Work { end, thread, phase: phase.clone() });
        drop(runs);
        if !call.begins(&id) {
            self.stop(&id);
        }
        phase.wait(Reached::Work, LONGEST_START, call);
        Ok(id)
    }

    /// Waits for a call, at most `patience`, until a run has stopped.
    fn wait_for(&self, id: &RunId, patience: Duration, call: &Asked) {
        let phase = self.runs.locked().get(id.as_str()).map(|work| work.phase.clone());
        // The journal records how it ended.
        if let Some(phase) = phase {
            phase.wait(Reached::Stop, patience, call);
        }
    }

    /// Has the work on a run end where it stands, if this server does it: `masthead resume` goes on with it.
    fn stop(&self, id: &RunId) {
        if let Some(work) = self.runs.locked().get(id.as_str()) {
            // A stopped run no longer receives.
            let _ = work.end.send(());
        }
    }

    fn end(&self) {
        let all = std::mem::take(&mut *self.runs.locked());
        for work in all.values() {
            // A stopped run no longer receives.
            let _ = work.end.send(());
        }
        all.into_values().for_each(|work| drop(work.thread.join()));
    }
}

fn initialized(params: &Value) -> Value {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let version = VERSIONS.iter().find(|version| **version == asked).unwrap_or(&VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "masthead", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}
