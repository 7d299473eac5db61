//! The cost of supervising, on the real path: the program itself, started as a user starts it, answers a question of N parts over
//! documents on disk, with N researchers at work whose model is a server of fixed latency on loopback (200 ms to the first
//! token, 50 tokens at 1,000 a second); with its journal at full durability, on a screen and headless. Beside it, in the same
//! run, a bare loop that makes as many calls of the same server in the same order, and commits as many bytes.
//!
//! Wall time of the research phase over the longest path (four calls after one another), processor time a call, the most
//! memory, and bytes of the journal a call. The server is a process of its own: this program again.
//!
//! `cargo bench --bench overhead [-- N...]`; `-- streams` measures a hundred slow streams on a screen instead,
//! `-- keys [PROGRAM]` how long a key takes to its frame while 20,000 deltas a second come in, and
//! `-- telemetry [PROGRAM...]` the cost for a run of telling a collector on the same machine of it.

mod bare;
mod keys;
mod measured;
mod program;
mod server;
mod usage;

use std::time::Duration;

use measured::Measured;
use program::{Face, Work};
use server::{Server, Speed};

/// The program as it is shipped to users.
const PROGRAM: &str = env!("CARGO_BIN_EXE_masthead");

/// The server of the longest path.
const FIXED: Speed =
    Speed { first: Duration::from_millis(200), between: Duration::from_millis(1), tokens: 50, calls: 4 };

/// Four answers after one another.
const LONGEST_PATH: Duration = Duration::from_millis(4 * (200 + 50));

/// The screen of most terminals that are opened wide.
const SCREEN: Face = Face::Screen { columns: 120, rows: 40 };

/// Each is measured so often; the quickest counts.
const TIMES: usize = 3;

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench").peekable();
    match args.peek().map(String::as_str) {
        Some("serve") => return server::serve(args.skip(1)),
        Some("collect") => return server::collect(),
        Some("bare") => return bare::show(args.skip(1)),
        Some("streams") => return streams(100),
        Some("keys") => return keys::measure(args.nth(1).as_deref().unwrap_or(PROGRAM)),
        Some("telemetry") => return telemetry(&args.skip(1).collect::<Vec<_>>()),
        _ => {}
    }
    let wanted: Vec<usize> = args.filter_map(|arg| arg.parse().ok()).collect();
    let wanted = if wanted.is_empty() { vec![10, 100, 300, 1_000] } else { wanted };
    let server = Server::start(FIXED);
    println!("longest path {} ms; wall over it, the best of {TIMES}", LONGEST_PATH.as_millis());
    println!(
        "{:>6} {:<9} {:>8} {:>7} {:>13} {:>9} {:>10}",
        "N", "", "wall ms", "ratio", "cpu ms a call", "peak MiB", "kB a call"
    );
    for n in wanted {
        let work = Work::new(n, server.port);
        let best = |measure: &dyn Fn() -> Measured| {
            (0..TIMES).map(|_| measure()).min_by_key(|measured| measured.wall).expect("at least one")
        };
        let screen = best(&|| work.run(PROGRAM, SCREEN).measured);
        print(n, "screen", &screen);
        print(n, "headless", &best(&|| work.run(PROGRAM, Face::Headless).measured));
        print(n, "bare loop", &best(&|| bare::run(n, server.port, FIXED.calls, screen.bytes_a_call)));
    }
}

fn print(n: usize, name: &str, measured: &Measured) {
    println!(
        "{n:>6} {name:<9} {:>8} {:>7.3} {:>13.3} {:>9.1} {:>10.1}",
        measured.wall.as_millis(),
        measured.wall.as_secs_f64() / LONGEST_PATH.as_secs_f64(),
        measured.processor.as_secs_f64() * 1_000.0 / measured.calls.max(1) as f64,
        measured.peak_kib as f64 / 1_024.0,
        measured.bytes_a_call as f64 / 1_000.0,
    );
}

/// Answers that stream at a hundred tokens a second each, with the screen on: whether the program falls behind, and its processor
/// time and memory.
fn streams(streams: usize) {
    const TOKENS: u32 = 1_000;
    const BETWEEN: Duration = Duration::from_millis(10);
    let server = Server::start(Speed { first: BETWEEN, between: BETWEEN, tokens: TOKENS, calls: 2 });
    let mut ran = Work::new(streams, server.port).run(PROGRAM, Face::Screen { columns: 160, rows: 50 });
    // The first answers: those that report come in few words.
    ran.answers_ms.truncate(streams);
    ran.answers_ms.sort_unstable();
    let nominal = BETWEEN.as_millis() as u64 * u64::from(TOKENS);
    println!(
        "{streams} streams of {TOKENS} tokens in {nominal} ms: the last had come after {} ms, the middle one after {} ms; \
         {:.0} % of one processor, {} KiB written to the terminal",
        ran.answers_ms.last().unwrap_or(&0),
        ran.answers_ms.get(streams / 2).unwrap_or(&0),
        100.0 * ran.measured.processor.as_secs_f64() / ran.measured.wall.as_secs_f64(),
        ran.drawn / 1024,
    );
}

/// Research of 300 that is told to a collector, against the same that is not, in turns, with one program or several: medians.
fn telemetry(programs: &[String]) {
    const N: usize = 300;
    const TURNS: usize = 9;
    let (server, collector) = (Server::start(FIXED), Server::collector());
    let own = [PROGRAM.to_owned()];
    let programs = if programs.is_empty() { &own } else { programs };
    let mut work = Work::new(N, server.port);
    let mut measured: Vec<[Vec<Measured>; 2]> = programs.iter().map(|_| Default::default()).collect();
    for _ in 0..TURNS {
        for (program, measured) in programs.iter().zip(&mut measured) {
            for (collector, measured) in [None, Some(collector.port)].into_iter().zip(measured) {
                work.collector = collector;
                measured.push(work.run(program, Face::Headless).measured);
            }
        }
    }
    for (program, measured) in programs.iter().zip(measured) {
        let median = |of: &dyn Fn(&Measured) -> Duration| {
            measured.each_ref().map(|of_these| {
                let mut all: Vec<Duration> = of_these.iter().map(of).collect();
                all.sort_unstable();
                all[all.len() / 2].as_secs_f64() * 1e3
            })
        };
        let says = |what: &str, [alone, told]: [f64; 2]| {
            println!("  {what:<9} {alone:>7.0} ms alone, {told:>7.0} ms told: {:+.1} %", (told / alone - 1.0) * 100.0);
        };
        println!("{program}: {N} specialists, {TURNS} runs each in turns");
        says("wall", median(&|measured| measured.wall));
        says("processor", median(&|measured| measured.processor));
    }
}
