//! From a key to the frame that shows its effect, on the program in a pseudo-terminal while many models stream.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use pty_process::blocking::Pty;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::program::Work;
use crate::server::{Server, Speed};

/// Models that answer at once, each with a delta a millisecond.
const STREAMS: usize = 20;
const DELTAS: u32 = 40_000;
/// Keys that are measured.
const KEYS: usize = 400;
/// More than any key takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal as a person sees it.
struct Screen {
    pty: Pty,
    shown: vt100::Parser,
    drawn: usize,
}

impl Screen {
    /// Reads until the screen is so, or for this long; whether it is.
    fn until(&mut self, is_so: impl Fn(&str) -> bool, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut bytes = [0; 1 << 16];
        while !is_so(&self.shown.screen().contents()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let wait = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            if poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&wait)).expect("the terminal") == 0 {
                return false;
            }
            let count = self.pty.read(&mut bytes).expect("the program is there");
            self.shown.process(&bytes[..count]);
            self.drawn += count;
        }
        true
    }
}

/// Prints the middle, the 99th of a hundred and the slowest.
pub fn measure(program: &str) {
    let speed = Speed { first: Duration::from_millis(50), between: Duration::from_millis(1), tokens: DELTAS, calls: 2 };
    let server = Server::start(speed);
    let work = Work::new(STREAMS, server.port);
    let (rows, columns) = (60, 200);
    let (mut child, pty) = work.on_screen(program, columns, rows);
    let size = |cells| std::num::NonZero::new(cells).expect("a size");
    let mut screen = Screen { pty, shown: vt100::Parser::new(size(rows), size(columns), 0), drawn: 0 };
    let answer = screen.until(|shown| shown.contains("· answers"), PATIENCE);
    assert!(answer, "no model answers:\n{}", screen.shown.screen().contents());
    let mut took = Vec::new();
    for n in 0..KEYS {
        // The pause varies, so that keys meet frames at any point.
        screen.until(|_| false, Duration::from_millis(13 + (n as u64 * 7) % 29));
        let is_raw = |shown: &str| shown.contains("  raw ");
        let was = is_raw(&screen.shown.screen().contents());
        let pressed = Instant::now();
        screen.pty.write_all(b"u").expect("the program is there");
        assert!(screen.until(|shown| is_raw(shown) != was, PATIENCE), "the key does something");
        took.push(pressed.elapsed());
    }
    let drawn = screen.drawn;
    // The answers show whether the deltas came in as they were due.
    let due = u64::from(DELTAS);
    screen.until(|_| false, Duration::from_millis(due));
    let mut answers = work.answers_ms();
    let _ = child.kill();
    let _ = child.wait();
    answers.retain(|ms| *ms > due / 2);
    answers.sort_unstable();
    took.sort_unstable();
    let ms = |at: usize| took[at].as_secs_f64() * 1_000.0;
    println!(
        "{KEYS} keys on {columns} x {rows} while {STREAMS} models stream a delta a millisecond each: to the frame {:.1} ms in \
         the middle, {:.1} ms for 99 of 100, {:.1} ms at most; {} KiB drawn meanwhile; {} answers due after {due} ms, the \
         middle one came after {} ms",
        ms(KEYS / 2),
        ms(KEYS * 99 / 100),
        ms(KEYS - 1),
        drawn / 1024,
        answers.len(),
        answers.get(answers.len() / 2).unwrap_or(&0),
    );
}
