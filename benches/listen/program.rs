//! The program that listens, without a screen, with a home of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::usage::Usage;

/// More than anything takes.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Listening {
    child: Child,
    pub address: SocketAddr,
    /// The spans of each trace that is told, and when that was.
    told: Receiver<(usize, Instant)>,
    _home: tempfile::TempDir,
}

impl Listening {
    pub fn start(program: &str) -> Listening {
        let home = tempfile::tempdir().expect("a folder");
        let mut command = kit::program(program, home.path());
        command.args(["open", "--listen", "127.0.0.1:0", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let (out, mut says) =
            (child.stdout.take().expect("piped"), child.stderr.take().map(BufReader::new).expect("piped"));
        let mut line = String::new();
        says.read_line(&mut line).expect("it says where it listens");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next()).expect("an address");
        let address = address.parse().expect("an address");
        // All its other output is read, so that it never waits for that.
        std::thread::spawn(move || says.lines().map_while(Result::ok).for_each(drop));
        let (tell, told) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let now = Instant::now();
                let spans = serde_json::from_str::<Value>(&line).expect("a line of JSON")["spans"].as_u64();
                if tell.send((spans.unwrap_or(0) as usize, now)).is_err() {
                    break;
                }
            }
        });
        Listening { child, address, told, _home: home }
    }

    pub fn usage(&self) -> Usage {
        Usage::of(&self.child.id().to_string()).expect("it is there")
    }

    /// Waits until this many spans are told; returns their number, and the time of the last.
    pub fn tells(&self, spans: usize) -> (usize, Instant) {
        let (mut sum, mut last) = (0, Instant::now());
        while sum < spans {
            let (more, at) = self.told.recv_timeout(PATIENCE).expect("all spans are told");
            (sum, last) = (sum + more, at);
        }
        (sum, last)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
