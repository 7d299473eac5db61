//! The program at work: the binary as a user starts it, on documents of its own, with a team file and a model server of its own, on
//! a screen or headless; and the records of its journal and the system about it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use run::{Event, Role};
use rusqlite::{Connection, OpenFlags};
use rustix::process::{Pid, Signal, kill_process};

use crate::measured::Measured;
use crate::usage::Usage;

/// The front end that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    Screen { columns: u16, rows: u16 },
    Headless,
}

/// A question of `n` parts, with documents that answer each.
pub struct Work {
    folder: tempfile::TempDir,
    n: usize,
    /// The port of the collector that it tells of its runs.
    pub collector: Option<u16>,
}

/// The measurements of a run, with its journal.
pub struct Ran {
    pub measured: Measured,
    /// Duration of each answer of the model, in milliseconds.
    pub answers_ms: Vec<u64>,
    /// Bytes that were written to the terminal.
    pub drawn: usize,
}

impl Work {
    /// Documents, team file and configuration for `n` researchers whose model is at this port.
    pub fn new(n: usize, port: u16) -> Work {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: PathBuf, text: String| {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
            fs::write(path, text).expect("a file can be written");
        };
        let root = folder.path();
        let config = root.join("config/masthead");
        let provider = format!(
            "[providers.mine]\nlike = \"openai-compatible\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nfree = true\nslots = 10000\n"
        );
        write(config.join("config.toml"), provider);
        // As many at work as there are tasks, under one leader.
        let team = include_str!("../../prompts/brief/team.toml");
        let team = [
            ("parallel = 8 ", "parallel = 10000 "),
            ("most_tasks = 40 ", "most_tasks = 10000 "),
            ("span = 10 ", "span = 10000 "),
        ]
        .iter()
        .fold(team.to_owned(), |team, (usual, wanted)| {
            assert!(team.contains(usual), "the team file has `{usual}`");
            team.replace(usual, wanted)
        });
        write(config.join("teams/brief/team.toml"), team);
        for page in 0..n.div_ceil(10) {
            let parts = (page * 10 + 1..=page * 10 + 10).map(|part| {
                let name = name(part);
                let (limit, owner) = (part * 7 % 900 + 100, part % 13 + 1);
                format!(
                    "## {name}\n\n{name} moves up to {limit} parcels an hour from hall {owner} to the ramp. \
                     It stops by itself when a parcel is heavier than {owner} kilograms.\n\nIts keeper is group {owner}, which \
                     looks at it every {owner} days and writes down what it found.\n\n"
                )
            });
            write(
                root.join(format!("documents/page-{page:04}.md")),
                format!("# Page {page}\n\n{}", parts.collect::<String>()),
            );
        }
        Work { folder, n, collector: None }
    }

    fn question(&self) -> String {
        let parts = (1..=self.n).map(|n| format!("- What does {} do?\n", name(n)));
        format!("About the machines:\n{}", parts.collect::<String>())
    }

    fn arguments(&self, binary: &str, face: Face) -> Vec<String> {
        let documents = self.folder.path().join("documents").to_string_lossy().into_owned();
        let mut arguments: Vec<String> =
            [binary, "brief", &self.question(), "--sources", &documents, "--words", "2000"]
                .iter()
                .chain(&["--yes", "--no-memory", "--model", "researcher=mine/fixed", "--model", "writer=mine/fixed"])
                .map(ToString::to_string)
                .collect();
        arguments.extend((face == Face::Headless).then(|| "--headless".into()));
        arguments
    }

    fn settings(&self) -> Vec<(&'static str, PathBuf)> {
        let root = self.folder.path();
        let _ = fs::remove_dir_all(self.data());
        let endpoint = self.collector.map(|port| format!("http://127.0.0.1:{port}").into());
        let places =
            [("HOME", root.into()), ("XDG_CONFIG_HOME", root.join("config")), ("MASTHEAD_DATA_DIR", self.data())];
        places.into_iter().chain(endpoint.map(|endpoint| ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint))).collect()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Starts it on a screen, which is the caller's to read.
    pub fn on_screen(&self, binary: &str, columns: u16, rows: u16) -> (Child, Pty) {
        let arguments = self.arguments(binary, Face::Screen { columns, rows });
        let (pty, pts) = open().expect("a pseudo-terminal");
        pty.resize(Size::new(rows, columns)).expect("its size");
        let command = Command::new(&arguments[0]).args(&arguments[1..]).env_clear().envs(self.settings());
        (command.env("TERM", "xterm-256color").spawn(pts).expect("the program"), pty)
    }

    /// The duration of each answer of the model so far, in milliseconds.
    pub fn answers_ms(&self) -> Vec<u64> {
        let reader = journal::Reader::open(&self.data().join("journal.db")).expect("the journal can be read");
        let reader = reader.expect("there is a journal");
        let mut answers = Vec::new();
        let replied = |envelope: run::Envelope| {
            if let Event::ModelReplied { reply, .. } = &envelope.event {
                answers.push(reply.whole_ms);
            }
        };
        reader.events(&reader.runs().expect("its runs")[0].id, replied).expect("its events");
        answers
    }

    /// Runs it to its end.
    pub fn run(&self, binary: &str, face: Face) -> Ran {
        let root = self.folder.path();
        let data = self.data();
        let arguments = self.arguments(binary, face);
        let (mut child, drawn) = match face {
            Face::Headless => {
                let mut command = std::process::Command::new(&arguments[0]);
                command.args(&arguments[1..]).env_clear().envs(self.settings());
                let output = fs::File::create(root.join("output")).expect("a file");
                let errors = fs::File::create(root.join("errors")).expect("a file");
                (command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn().expect("the program"), None)
            }
            Face::Screen { columns, rows } => {
                let (child, mut pty) = self.on_screen(binary, columns, rows);
                let reader = thread::spawn(move || {
                    let (mut bytes, mut drawn) = ([0; 1 << 16], 0);
                    while let Ok(count @ 1..) = pty.read(&mut bytes) {
                        drawn += count;
                    }
                    drawn
                });
                (child, Some(reader))
            }
        };
        let watch = Watch::start(child.id());
        wait_for_its_end(&data.join("journal.db"), &mut child);
        let watched = watch.stop();
        let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        let _ = child.wait();
        let drawn = drawn.map_or(0, |reader| reader.join().unwrap_or(0));
        let (measured, answers_ms) = self.read(&data, &watched);
        Ran { measured, answers_ms, drawn }
    }

    /// The figures of the journal and of the system together.
    fn read(&self, data: &Path, watched: &[(i64, Usage)]) -> (Measured, Vec<u64>) {
        let reader = journal::Reader::open(&data.join("journal.db")).expect("the journal can be read");
        let reader = reader.expect("there is a journal");
        let id = reader.runs().expect("its runs")[0].id.clone();
        let mut run = Vec::new();
        reader.events(&id, |envelope| run.push(envelope)).expect("its events");
        let bytes: i64 = sum(&data.join("journal.db"));
        let is_researcher = |role: &Role| role.as_str() == Role::RESEARCHER;
        let (mut began, mut ended, mut calls, mut of_phase, mut reported) = (i64::MAX, 0, 0, 0, 0);
        let mut answers_ms = Vec::new();
        for envelope in &run {
            match &envelope.event {
                Event::HandedOff { opened, .. } if opened.iter().any(|opened| is_researcher(&opened.role)) => {
                    began = began.min(envelope.at.0);
                }
                Event::Reported { handoff, .. } if handoff.names.0.as_str() == Role::RESEARCHER => {
                    assert_eq!(handoff.payload.findings().len(), 1, "each finds what its page says: {handoff:?}");
                    (ended, of_phase, reported) = (envelope.at.0, calls, reported + 1);
                }
                Event::ModelReplied { reply, .. } => {
                    calls += 1;
                    answers_ms.push(reply.whole_ms);
                }
                _ => {}
            }
        }
        assert_eq!(reported, self.n, "every researcher reports");
        let usage = |at: i64| {
            let after = watched.partition_point(|(then, _)| *then < at).min(watched.len() - 1);
            watched[after].1
        };
        let measured = Measured {
            wall: Duration::from_millis((ended - began).unsigned_abs()),
            processor: usage(ended).processor.saturating_sub(usage(began).processor),
            peak_kib: watched.iter().map(|(_, usage)| usage.peak_kib).max().unwrap_or(0),
            calls: of_phase,
            bytes_a_call: bytes.unsigned_abs() / calls.max(1),
        };
        (measured, answers_ms)
    }
}

/// The unique name of the `n`th machine.
fn name(n: usize) -> String {
    const PARTS: [&str; 16] =
        ["ba", "ke", "li", "mo", "nu", "pra", "sto", "vel", "tik", "dor", "gan", "hum", "jul", "rax", "zim", "wob"];
    let name = format!("{}{}{}", PARTS[n / 256 % 16], PARTS[n / 16 % 16], PARTS[n % 16]);
    format!("{}{}", name[..1].to_uppercase(), &name[1..])
}

/// Bytes of all records of the journal.
fn sum(journal: &Path) -> i64 {
    let connection = Connection::open_with_flags(journal, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the journal");
    connection.query_row("SELECT sum(length(body)) FROM events", [], |row| row.get(0)).expect("its size")
}

/// Waits until the run has ended, or the program.
fn wait_for_its_end(journal: &Path, child: &mut Child) {
    let mut waited = 0;
    loop {
        thread::sleep(Duration::from_millis(100));
        let ended = child.try_wait().expect("its state").is_some();
        let state =
            Connection::open_with_flags(journal, OpenFlags::SQLITE_OPEN_READ_ONLY).ok().and_then(|connection| {
                connection.query_row("SELECT state FROM runs", [], |row| row.get::<_, String>(0)).ok()
            });
        let state = state.unwrap_or_default();
        if ["done", "partial"].contains(&state.as_str()) {
            return;
        }
        // At its checkpoints it waits for the moment in which they are approved.
        waited = if state == "needs you" { waited + 1 } else { 0 };
        let gone_wrong = waited > 100 || ["failed", "out of budget", "nothing found"].contains(&state.as_str());
        assert!(!ended && !gone_wrong, "the run does not come to its end: {state:?}");
    }
}

/// Looks at a process again and again until it is stopped: the times, and its use of the machine by then.
struct Watch {
    stopped: Arc<AtomicBool>,
    seen: Arc<Mutex<Vec<(i64, Usage)>>>,
    thread: thread::JoinHandle<()>,
}

impl Watch {
    fn start(process: u32) -> Watch {
        let (stopped, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (stop, log) = (stopped.clone(), seen.clone());
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
                if let Some(usage) = Usage::of(&process.to_string()) {
                    log.lock().expect("nobody panics").push((now, usage));
                }
                thread::sleep(Duration::from_millis(5));
            }
        });
        Watch { stopped, seen, thread }
    }

    fn stop(self) -> Vec<(i64, Usage)> {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
        std::mem::take(&mut *self.seen.lock().expect("nobody panics"))
    }
}
