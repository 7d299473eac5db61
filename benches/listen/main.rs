//! The cost of traces that come in live: `masthead open --listen`, the program itself, takes 100,000 spans by OTLP over HTTP as
//! protobuf, 10,000 of them a second, of one team and of fifty; and as many as fast as it answers.
//!
//! Processor time of the program, the time from the last span until all are told, and its most memory. The sender is this program,
//! which shares the machine with the measured program.
//!
//! `cargo bench --bench listen [-- PROGRAM]`

mod program;
mod sender;
#[path = "../overhead/usage.rs"]
mod usage;

use std::time::{Duration, Instant};

use program::Listening;
use sender::Sender;
use usage::Usage;

/// The program as it is shipped to users.
const PROGRAM: &str = env!("CARGO_BIN_EXE_masthead");

/// The spans of each measurement.
const SPANS: usize = 100_000;
/// The spans of a request: exporters send up to 512.
const A_REQUEST: usize = 200;
/// The time between two requests of 10,000 spans a second.
const PACE: Duration = Duration::from_millis(20);

fn main() {
    let program = std::env::args().skip(1).find(|arg| arg != "--bench");
    let program = program.as_deref().unwrap_or(PROGRAM);
    println!(
        "{:<10} {:<8} {:>6} {:>9} {:>9} {:>11} {:>9} {:>12} {:>9}",
        "", "", "MB", "spans", "a second", "processor", "µs a span", "told after", "peak MiB"
    );
    for (traces, name) in [(1, "one trace"), (50, "50 traces")] {
        let requests = sender::requests(SPANS, traces, A_REQUEST);
        for (pace, how) in [(Some(PACE), "paced"), (None, "unpaced")] {
            let Taken { spans, took, sending, all, told_after } = taken(program, &requests, pace);
            let bytes: usize = requests.iter().map(Vec::len).sum();
            println!(
                "{name:<10} {how:<8} {:>6} {spans:>9} {:>9.0} {:>9.0} % {:>9.1} {:>10.1} s {:>9.0}",
                bytes / 1_000_000,
                spans as f64 / took.as_secs_f64(),
                100.0 * sending.as_secs_f64() / took.as_secs_f64(),
                all.processor.as_secs_f64() * 1e6 / spans as f64,
                told_after.as_secs_f64(),
                all.peak_kib as f64 / 1_024.0,
            );
        }
    }
}

/// The measurements of one sending.
struct Taken {
    /// The spans that were told.
    spans: usize,
    /// From the first request to the last answer.
    took: Duration,
    /// Processor time within that.
    sending: Duration,
    /// Processor time and memory until everything was told.
    all: Usage,
    /// From the last answer until everything was told.
    told_after: Duration,
}

/// Sends the requests, at this pace or each after the answer to the one before, to a program of their own.
fn taken(program: &str, requests: &[Vec<u8>], pace: Option<Duration>) -> Taken {
    let listening = Listening::start(program);
    let mut sender = Sender::connect(listening.address);
    let before = listening.usage();
    let begun = Instant::now();
    for (request, n) in requests.iter().zip(0..) {
        if let Some(due) = pace.map(|pace| pace * n) {
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
        }
        sender.send(request);
    }
    let (took, sent) = (begun.elapsed(), Instant::now());
    let sending = listening.usage().processor - before.processor;
    let (spans, told) = listening.tells(SPANS);
    Taken { spans, took, sending, all: listening.usage(), told_after: told.duration_since(sent) }
}
