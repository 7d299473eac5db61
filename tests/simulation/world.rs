//! A world made of chance: the answers of tools are a function of their arguments; the times of the answers are not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desk::{Clock, OnProgress, ToolError, Tools};
use journal::{Headline, Journal, JournalError, MemoryJournal};
use run::event::DoubtAnswer;
use run::evidence::{Corpus, Excerpt, Hits, Outline};
use run::memory::{Kept, Recollection, Written};
use run::state::Intent;
use run::tool::Ran;
use run::tool::builtin::{self, Find, Outline as Headings, Read, Recall, Remember, RunCommand, Search};
use run::{At, Block, BlockKind, CallId, Envelope, Event, Hit, RunId, SourceId, SourceRef, ToolCall, ToolResult};
use text::Clean;
use tokio::sync::Notify;

use crate::record::Record;

/// Random numbers that a seed determines (SplitMix64).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }
}

/// A number that a text and a seed determine.
pub fn hash(seed: u64, text: &str) -> u64 {
    text.bytes()
        .fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        >> 7
}

/// The failures of tools, in percent of requests.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    pub failing: u64,
    pub panicking: u64,
}

pub struct SimTools {
    seed: u64,
    chance: Mutex<Chance>,
    faults: Faults,
    record: Arc<Record>,
    /// Calls that must not happen twice, as far as this process has performed them.
    performed: Mutex<Vec<CallId>>,
}

impl SimTools {
    pub fn new(seed: u64, delays: u64, faults: Faults, record: Arc<Record>) -> SimTools {
        SimTools { seed, chance: Mutex::new(Chance::new(delays)), faults, record, performed: Mutex::default() }
    }

    /// A call that must not happen twice is performed by a process only after that process has recorded its start, and started
    /// again only after the person has said so.
    fn performs_once(&self, intended: &[CallId], events: &[Envelope]) {
        let mut performed = self.performed.lock().unwrap();
        let call = intended.iter().find(|call| !performed.contains(call));
        let call = *call.unwrap_or_else(|| panic!("seed {}: {intended:?} are performed twice", self.seed));
        performed.push(call);
        let last = |is: &dyn Fn(&Event) -> bool| events.iter().rposition(|envelope| is(&envelope.event));
        let count = |is: &dyn Fn(&Event) -> bool| events.iter().filter(|envelope| is(&envelope.event)).count();
        let starts = |event: &Event| matches!(event, Event::ToolStarted { call: started } if *started == call);
        let retried = |event: &Event| matches!(event, Event::DoubtAnswered { call: doubted, answer: DoubtAnswer::Retry } if *doubted == call);
        let attached = last(&|event| matches!(event, Event::Attached { .. }));
        assert!(last(&starts) > attached, "seed {}: {call} is performed without being on record as started", self.seed);
        assert_eq!(count(&starts), 1 + count(&retried), "seed {}: {call} is started again unasked", self.seed);
    }

    fn delay(&self) -> Duration {
        Duration::from_millis(self.chance.lock().unwrap().below(400))
    }
}

pub fn source(n: u64) -> SourceRef {
    SourceRef {
        id: SourceId(format!("{n:012x}").into()),
        path: format!("doc{n}.md").as_str().into(),
        title: format!("Document {n}").as_str().into(),
        sha256: format!("{n:064x}").as_str().into(),
        superseded: None,
    }
}

fn block(source: u64, no: u32) -> Arc<Block> {
    let text = format!("Engine {source} keeps fact {no} in an index. The index of engine {source} holds more.");
    let headings: Arc<[Clean]> = Arc::new([]);
    Arc::new(Block {
        no,
        kind: BlockKind::Paragraph,
        headings,
        intro: None,
        text: text.as_str().into(),
        line: no + 1,
        breaks: Vec::new(),
        start: u64::from(no) * 80,
        lead: no == 0,
    })
}

impl Tools for SimTools {
    fn read_sources(&self, _on_progress: OnProgress) -> desk::BoxFuture<Result<Corpus, Clean>> {
        let delay = self.delay();
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            Ok(Corpus { documents: 9, blocks: 90, bytes: 7_200, ..Corpus::default() })
        })
    }

    fn perform(&self, request: Arc<ToolCall>) -> desk::BoxFuture<Result<ToolResult, ToolError>> {
        // Intent before bytes, and no ended call again: the call must stand in the journal, still open.
        let on_disk = self.record.now();
        let is_intended =
            |call: &CallId| matches!(on_disk.run.intent(*call), Some(Intent::Tool(intended)) if *intended == request);
        let intended: Vec<CallId> = on_disk.run.under_way.keys().copied().filter(is_intended).collect();
        assert!(!intended.is_empty(), "seed {}: {request:?} went out without an open intent in the journal", self.seed);
        if !builtin::spec(&request.name).unwrap().may_be_repeated() {
            self.performs_once(&intended, &on_disk.events);
        }
        drop(on_disk);
        let fate = hash(self.seed, &format!("{request:?}")) % 100;
        let faults = self.faults;
        let delay = self.delay();
        let seed = self.seed;
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            assert!(fate >= faults.panicking, "a tool panics");
            if fate < faults.panicking + faults.failing {
                return Err("the tool failed".into());
            }
            Ok(answer(seed, &request))
        })
    }
}

fn answer(seed: u64, call: &ToolCall) -> ToolResult {
    if let Some(Search { query, limit, .. }) = call.of() {
        let first = hash(seed, &query) % 9;
        let hits = (0..u64::from(limit).min(4)).map(|n| Hit {
            source: source((first + n) % 9),
            block: (n % 3) as u32,
            headings: Arc::new([]),
            columns: None,
            snippet: "Document".into(),
            score: 1_000 - n as u32,
        });
        let (hits, documents, blocks) = (hits.collect(), 9, 90);
        return ToolResult::Hits(Hits { hits, documents, blocks, ..Hits::default() });
    }
    if let Some(Read { source: id, from, to }) = call.of() {
        let n = u64::from_str_radix(&id.0, 16).unwrap();
        let blocks = (from..to.min(10)).map(|no| block(n, no)).collect();
        return ToolResult::Excerpt(Excerpt { source: source(n), blocks, of: 10 });
    }
    if let Some(Headings { source: id }) = call.of() {
        let n = u64::from_str_radix(&id.0, 16).unwrap();
        return ToolResult::Outline(Outline { source: source(n), sections: vec![], blocks: 10 });
    }
    // A program that passes most drafts, finds something in some, and breaks over others.
    if let Some(RunCommand { input, .. }) = call.of() {
        let status = [0, 0, 1, 2][(hash(seed, &input) % 4) as usize];
        return ToolResult::Ran(Ran { status, said: "not as we say it here".into(), last_words: "".into() });
    }
    // Notes of half of the seeds know something; some of it no longer stands.
    if let Some(Recall { limit, .. }) = call.of() {
        let known = if hash(seed, "notes").is_multiple_of(2) { u64::from(limit).min(6) } else { 0 };
        let findings = (0..known).map(|n| {
            let quote: Clean = format!("Engine {n} keeps fact {} in an index.", n % 3).into();
            Kept { claim: quote.clone(), quote, path: source(n).path, line: None, from: "run 7f3k".into() }
        });
        let own_words = (0..known.min(1)).map(|_| "I know something of topic 1.".into()).collect();
        let findings = findings.collect();
        return ToolResult::Recollection(Recollection { findings, own_words, ..Recollection::default() });
    }
    if let Some(Find { path, quote }) = call.of() {
        let n: u64 = path.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
        let blocks = (0..10).map(|no| block(n, no)).filter(|block| block.text.contains(quote.as_str()));
        let blocks = blocks.filter(|_| !hash(seed, &quote).is_multiple_of(4)).collect();
        return ToolResult::Excerpt(Excerpt { source: source(n), blocks, of: 10 });
    }
    let Remember { entry } = call.of().expect("nobody of the default team profiles files");
    let added = entry.findings.len() as u32;
    ToolResult::Written(Written { notes: "/notes.md".into(), added, known: 0, gaps: 0 })
}

/// A clock that goes with the simulation's time.
pub struct SimClock(tokio::time::Instant);

impl Default for SimClock {
    fn default() -> Self {
        SimClock(tokio::time::Instant::now())
    }
}

impl Clock for SimClock {
    fn now(&self) -> At {
        At(1_700_000_000_000 + self.0.elapsed().as_millis() as i64)
    }
}

/// A disk that the power can leave: before an append is on it, or right after.
pub struct SimJournal {
    disk: MemoryJournal,
    chance: Mutex<Chance>,
    appends_left: Option<AtomicU64>,
    killed: Arc<Notify>,
}

impl SimJournal {
    pub fn new(disk: MemoryJournal, chance: u64, appends_left: Option<u64>) -> SimJournal {
        SimJournal {
            disk,
            chance: Mutex::new(Chance::new(chance)),
            appends_left: appends_left.map(AtomicU64::new),
            killed: Arc::new(Notify::new()),
        }
    }

    pub async fn killed(&self) {
        self.killed.notified().await;
    }
}

impl Journal for SimJournal {
    fn append(
        &self,
        run: &RunId,
        events: Vec<Envelope>,
        headline: Headline,
    ) -> journal::BoxFuture<Result<(), JournalError>> {
        let (delay, written_first) = {
            let mut chance = self.chance.lock().unwrap();
            (Duration::from_millis(chance.below(20)), chance.below(2) == 0)
        };
        let dies = self.appends_left.as_ref().is_some_and(|left| left.fetch_sub(1, Ordering::Relaxed) == 0);
        let append = self.disk.append(run, events, headline);
        // The memory journal takes the events when it is asked to: a power cut before that must not ask it.
        let (append, lost) = if dies && !written_first { (None, true) } else { (Some(append), dies) };
        let killed = self.killed.clone();
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            let result = match append {
                Some(append) => append.await,
                None => Ok(()),
            };
            if lost {
                killed.notify_one();
                std::future::pending::<()>().await;
            }
            result
        })
    }
}
