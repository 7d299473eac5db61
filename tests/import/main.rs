//! Runs of other programs: the runs from their files, and the handling of files that are cut, shuffled or strange.

mod claude_code;
mod codex;
mod dialects;
mod hostile;
mod langfuse;
mod live;
mod openai_agents;
mod otlp;
mod samples;

use import::{Import, Teller, summary::Summary};
use run::foreign::Format;
use run::{Envelope, Run};
use serde_json::Value;

/// Reads files by name and content, and makes events of the runs in them.
fn runs_of(files: &[(&str, &[u8])]) -> Vec<Vec<Envelope>> {
    let mut import = Import::new(None);
    for (name, bytes) in files {
        import.begin(name);
        bytes.chunks(4096).for_each(|piece| import.push(piece));
    }
    import.finish();
    let teller = Teller { version: "0", rates: &|_| None };
    import.stories().into_iter().map(|story| import::events(story, &teller)).collect()
}

/// The one run of these files, folded; every event of it fits.
fn run_of(files: &[(&str, &[u8])]) -> Run {
    let mut runs = runs_of(files);
    assert_eq!(runs.len(), 1, "one run");
    fold(&runs.remove(0))
}

fn fold(events: &[Envelope]) -> Run {
    let run = Run::fold(events);
    assert_eq!(run.misfits, 0, "every event fits");
    assert!(events.windows(2).all(|two| two[0].at <= two[1].at && two[0].seq.next() == two[1].seq), "time goes on");
    run
}

fn summary(run: &Run) -> Value {
    serde_json::from_str(&Summary::of(run).json()).unwrap()
}

fn format_of(run: &Run) -> Format {
    run.origin().unwrap().format
}

/// A small generator of numbers, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for n in (1..list.len()).rev() {
            list.swap(n, self.below(n + 1));
        }
    }
}
