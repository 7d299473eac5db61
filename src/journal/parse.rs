//! Parses the records of a run in the order in which they come, a long run's on several threads: that is more than half of
//! the time that loading one takes.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope};

use run::record::{self, Records, Unreadable};
use run::{At, Envelope, Event, Seq};

/// Records that are parsed in one go. A run of fewer needs no thread.
const TOGETHER: usize = 2_048;
/// The most threads.
const MOST_THREADS: usize = 4;

/// A record that has been read from the store.
struct Row {
    seq: Seq,
    at: At,
    body: String,
}

/// A row once a thread has had it: its event, or its record, if its meaning depends on the records before it.
type Parsed = (Seq, At, Result<Result<Event, Unreadable>, String>);

struct Job {
    rows: Vec<Row>,
    done: Sender<Vec<Parsed>>,
}

/// The records of a run on their way to becoming events.
pub(super) struct Parser<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    /// Empty until there is work for threads.
    threads: Option<Sender<Job>>,
    filling: Vec<Row>,
    /// The jobs of the threads, in the order of the run.
    out: VecDeque<Receiver<Vec<Parsed>>>,
    records: Records,
}

impl<'scope, 'env> Parser<'scope, 'env> {
    /// One that has read `records` before.
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>, records: Records) -> Parser<'scope, 'env> {
        Parser { scope, threads: None, filling: Vec::new(), out: VecDeque::new(), records }
    }

    /// Takes the next record. Events that are there by now go to `each`, in order.
    ///
    /// # Errors
    /// The first record that cannot be read, with its number.
    pub(super) fn push(
        &mut self,
        (seq, at, body): (Seq, At, &str),
        each: &mut impl FnMut(Envelope),
    ) -> Result<(), (Seq, Unreadable)> {
        self.filling.push(Row { seq, at, body: body.to_owned() });
        if self.filling.len() < TOGETHER {
            return Ok(());
        }
        let count = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        let (done, parsed) = mpsc::channel();
        let job = Job { rows: std::mem::take(&mut self.filling), done };
        self.out.push_back(parsed);
        let threads = self.threads.get_or_insert_with(|| start(self.scope, count));
        // Its threads wait for as long as this end is there.
        let _ = threads.send(job);
        // Bounded: a slow `each` is not outrun by the whole journal.
        while self.out.len() > 2 * count {
            self.take(each)?;
        }
        Ok(())
    }

    /// Passes the rest to `each`; returns the reader for later records of the run.
    ///
    /// # Errors
    /// As [`Parser::push`].
    pub(super) fn finish(mut self, each: &mut impl FnMut(Envelope)) -> Result<Records, (Seq, Unreadable)> {
        while !self.out.is_empty() {
            self.take(each)?;
        }
        for Row { seq, at, body } in std::mem::take(&mut self.filling) {
            let event = self.records.read(&body).map_err(|error| (seq, error))?;
            each(Envelope { seq, at, event });
        }
        Ok(self.records)
    }

    fn take(&mut self, each: &mut impl FnMut(Envelope)) -> Result<(), (Seq, Unreadable)> {
        // A thread that panics ends the scope with a panic: nothing is left out in silence.
        let parsed = self.out.pop_front().and_then(|parsed| parsed.recv().ok());
        for (seq, at, parsed) in parsed.into_iter().flatten() {
            let event = match parsed {
                Ok(event) => event,
                Err(record) => self.records.read(&record),
            };
            each(Envelope { seq, at, event: event.map_err(|error| (seq, error))? });
        }
        Ok(())
    }
}

fn start<'scope>(scope: &'scope Scope<'scope, '_>, count: usize) -> Sender<Job> {
    let (jobs, waiting) = mpsc::channel::<Job>();
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..count {
        let waiting = waiting.clone();
        scope.spawn(move || {
            loop {
                // The lock is held while one waits: the next one takes the next job.
                let job = match waiting.lock() {
                    Ok(waiting) => waiting.recv(),
                    Err(_) => return,
                };
                let Ok(Job { rows, done }) = job else { return };
                let parse = |Row { seq, at, body }| (seq, at, record::read_alone(&body).ok_or(body));
                // The reader may have met an error before.
                let _ = done.send(rows.into_iter().map(parse).collect());
            }
        });
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events of both forms in turns.
    fn record(seq: u64) -> String {
        let event = if seq % 2 == 1 { Event::Paused } else { Event::Continued };
        let record = record::write(&event).unwrap();
        if seq.is_multiple_of(3) { record.replacen("\"v\":2,", "", 1) } else { record }
    }

    fn parsed(records: impl Iterator<Item = (u64, String)>) -> (Vec<Envelope>, Result<(), u64>) {
        let mut events = Vec::new();
        let mut each = |envelope| events.push(envelope);
        let end = thread::scope(|scope| {
            let mut parser = Parser::new(scope, Records::default());
            for (seq, record) in records {
                parser.push((Seq(seq), At(7), &record), &mut each)?;
            }
            parser.finish(&mut each).map(drop)
        });
        (events, end.map_err(|(seq, _)| seq.0))
    }

    #[test]
    fn events_of_a_long_run_come_in_their_order_whatever_version_wrote_them() {
        for n in [1, TOGETHER as u64, 40_000] {
            let (events, end) = parsed((1..=n).map(|seq| (seq, record(seq))));
            assert_eq!((events.len() as u64, end), (n, Ok(())));
            for (event, seq) in events.iter().zip(1..) {
                let odd = matches!(event.event, Event::Paused);
                assert_eq!((event.seq, event.at, odd), (Seq(seq), At(7), seq % 2 == 1));
            }
        }
    }

    #[test]
    fn a_record_that_cannot_be_read_is_named_and_only_what_is_before_it_is_passed_on() {
        for bad in [1, 5_000, 39_999] {
            let record = |seq| if seq == bad { "{\"v\":2,\"event\":\"unheard of\"}".into() } else { record(seq) };
            let (events, end) = parsed((1..=40_000).map(|seq| (seq, record(seq))));
            assert_eq!((events.len() as u64, end), (bad - 1, Err(bad)));
        }
    }
}
