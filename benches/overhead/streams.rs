//! A hundred answers that stream at a hundred tokens a second each, with the screen on: whether the program falls behind,
//! and what it takes. The screen is a real one, in a pseudo-terminal that somebody reads.

use std::io::Read;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desk::Policy;
use pty_process::Size;
use pty_process::blocking::{Command, open};
use run::Event;
use run::Notice;
use tui::{App, Link, Mode, Theme};

use super::server::{Server, Speed};
use super::{Work, processor_time, work};

const TOKENS: u32 = 1_000;
const BETWEEN: Duration = Duration::from_millis(10);

/// Measures in a terminal of its own, and prints what came of it.
pub fn measure(streams: usize) {
    let server = Server::start(Speed { first: BETWEEN, between: BETWEEN, tokens: TOKENS, search: false });
    let folder = tempfile::tempdir().expect("a folder for the result");
    let result = folder.path().join("result");
    let (mut pty, pts) = open().expect("a pseudo-terminal");
    pty.resize(Size::new(50, 160)).expect("its size");
    let program = std::env::current_exe().expect("this program has a path");
    let args = ["show".into(), server.port.to_string(), streams.to_string(), result.to_string_lossy().into_owned()];
    let mut child = Command::new(program).args(args).env("TERM", "xterm-256color").spawn(pts).expect("itself");
    let mut bytes = [0; 1 << 16];
    let mut drawn = 0;
    while let Ok(count @ 1..) = pty.read(&mut bytes) {
        drawn += count;
    }
    let _ = child.wait();
    let told = std::fs::read_to_string(&result).expect("the screen has told");
    println!("{told}, {} KiB written to the terminal", drawn / 1024);
}

/// The screen, and the work behind it.
pub fn show(port: u16, streams: usize, result: &Path) {
    let (notices, inbox) = channel();
    let slowest = Arc::new(Mutex::new(Vec::new()));
    let heard = slowest.clone();
    let audience = Arc::new(move |notice: Notice| {
        if let Notice::Committed(events) = &notice {
            let mut slowest = heard.lock().expect("nobody panics");
            for event in events {
                if let Event::ModelReplied { reply, .. } = &event.event {
                    slowest.push(reply.whole_ms);
                }
            }
        }
        let _ = notices.send(notice);
    });
    let mut screen = App::enter(Theme::load("default", None).expect("the theme"), drill::exercise).expect("a terminal");
    let done = result.to_path_buf();
    let worker = std::thread::spawn(move || {
        let began = processor_time();
        let measured = work(Work { n: streams, port, policy: Policy::Approve, audience });
        let cpu = (processor_time() - began).as_secs_f64();
        let times = slowest.lock().expect("nobody panics");
        let researched = &times[..streams.min(times.len())];
        let nominal = BETWEEN.as_millis() as u64 * u64::from(TOKENS);
        let told = format!(
            "{streams} streams of {TOKENS} tokens in {nominal} ms: the last had come after {} ms, the middle one after {} ms; {:.0} % of one processor",
            researched.iter().max().unwrap_or(&0),
            researched.get(researched.len() / 2).unwrap_or(&0),
            100.0 * cpu / measured.wall.as_secs_f64(),
        );
        std::fs::write(done, told).expect("the result can be written");
        // The screen is left as a person would be made to leave it.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
    });
    let link = Link { mode: Mode::Live, notices: inbox, commands: Some(Box::new(|_| {})) };
    screen.run(link).expect("the screen");
    drop(screen);
    let _ = worker.join();
}
