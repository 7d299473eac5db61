//! The journal and the fold: opening a long run, the cost of one event, forking it, and 300 specialists reporting at once.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use journal::{self, Headline, Journal, Reader, SqliteJournal};
use run::budget::Draws;
use run::event::{Admission, Called, Envelope, Event, Opened, Opening};
use run::evidence::{Excerpt, SourceRef};
use run::fork::{Fork, prospect};
use run::stage::{Leading, Research};
use run::tool::builtin::{BuiltIn, Read};
use run::{
    AssignmentId, At, Block, BlockKind, CallId, Handoff, HandoffNo, Limits, Payload, Role, Run, RunId, Seq, SourceId,
    Timeline, ToolCall, ToolResult, record,
};

const MILLION: u64 = 1_000_000;
const SPECIALISTS: u32 = 300;

fn run_id() -> RunId {
    "bench1".parse().expect("an id")
}

fn handoff(no: u32, from: Option<u32>, to: u32) -> Arc<Handoff> {
    Arc::new(Handoff {
        no: HandoffNo(no),
        from: from.map(AssignmentId::nth),
        to: Some(AssignmentId::nth(to)),
        names: ("supervisor".into(), "researcher".into()),
        title: "a topic".into(),
        payload: Payload { question: Some("What is to be known?".into()), ..Payload::default() },
    })
}

fn opened(id: u32, role: &str) -> Opened {
    let handoff = handoff(id + 1, (id > 0).then_some(0), id);
    Opened::new(AssignmentId::nth(id), Role::new(role), Limits::default(), Draws::Work, handoff)
}

/// A run of `n` events in which 300 researchers search and read, over and over.
fn events(n: u64) -> impl Iterator<Item = Event> {
    let opening = Opening { run: run_id(), ..kit::opening(team::embedded(), Limits::default()) };
    let root = Event::HandedOff {
        by: None,
        stage: Leading::Open.into(),
        why: "asked".into(),
        opened: vec![opened(0, Role::SUPERVISOR)],
    };
    let fan_out = Event::HandedOff {
        by: Some(AssignmentId::nth(0)),
        stage: Leading::Research.into(),
        why: "in parallel".into(),
        opened: (1..=SPECIALISTS).map(|id| opened(id, Role::RESEARCHER)).collect(),
    };
    let mut calls = vec![0u32; SPECIALISTS as usize + 1];
    let work = (0..n.saturating_sub(3)).map(move |step| {
        let id = 1 + ((step / 2) % u64::from(SPECIALISTS)) as u32;
        if step % 2 == 0 {
            calls[id as usize] += 1;
            called(id, calls[id as usize])
        } else {
            returned(id, calls[id as usize])
        }
    });
    [Event::RunOpened(Arc::new(opening)), root, fan_out].into_iter().chain(work)
}

fn called(id: u32, n: u32) -> Event {
    let request = ToolCall::from(Read { source: SourceId("0123456789ab".into()), from: n, to: n + 1 });
    let admission = Admission::Reserved(Read::spec().reservation(&request));
    let call = Called { call: CallId::new(AssignmentId::nth(id), n), request: Arc::new(request), admission };
    Event::ToolsCalled {
        by: AssignmentId::nth(id),
        stage: Research::Search.into(),
        why: "to read on".into(),
        calls: vec![call],
    }
}

fn returned(id: u32, n: u32) -> Event {
    let text = "Payload indexes restrict the walk through the graph, so that a selective filter does not lower recall.";
    let block = Block {
        no: n % 64,
        kind: BlockKind::Paragraph,
        headings: Arc::new([]),
        intro: None,
        text: text.into(),
        line: n,
        start: 0,
        lead: false,
        breaks: vec![],
    };
    let source = SourceRef {
        id: SourceId("0123456789ab".into()),
        path: "qdrant/filtering.md".into(),
        title: "Filtering".into(),
        sha256: "00".repeat(32).as_str().into(),
        superseded: None,
    };
    let result = ToolResult::Excerpt(Excerpt { source, blocks: vec![Arc::new(block)], of: 64 });
    Event::ToolReturned { call: CallId::new(AssignmentId::nth(id), n), used: result.used(), result: Arc::new(result) }
}

fn envelopes(events: impl Iterator<Item = Event>) -> impl Iterator<Item = Envelope> {
    events.zip(1..).map(|(event, seq)| Envelope { seq: Seq(seq), at: At(seq as i64), event })
}

fn write(path: &Path, n: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let journal = SqliteJournal::open(path).expect("a journal");
    let mut waiting = Vec::new();
    for envelope in envelopes(events(n)) {
        waiting.push(envelope);
        if waiting.len() == 10_000 {
            runtime
                .block_on(journal.append(&run_id(), std::mem::take(&mut waiting), Headline::default()))
                .expect("appended");
        }
    }
    runtime.block_on(journal.append(&run_id(), waiting, Headline::default())).expect("appended");
}

fn open(path: &Path) -> Run {
    let mut run = Run::default();
    let reader = Reader::open(path).expect("readable").expect("there");
    reader.events(&run_id(), |envelope| run.apply(&envelope)).expect("sound");
    assert_eq!(run.misfits, 0);
    run
}

fn opening(c: &mut Criterion) {
    let mut group = c.benchmark_group("journal: load, verify and fold");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    for n in [100_000, MILLION] {
        let dir = tempfile::tempdir().expect("a folder");
        let path = journal::path(dir.path());
        write(&path, n);
        group.throughput(Throughput::Elements(n));
        group.bench_function(format!("{n} events"), |b| b.iter(|| open(&path)));
    }
    group.finish();
}

fn folding(c: &mut Criterion) {
    let mut group = c.benchmark_group("fold: 1,000 more events");
    for before in [10_000u64, 100_000, 500_000] {
        let all: Vec<Envelope> = envelopes(events(before + 2_000)).collect();
        let (past, next) = all.split_at(before as usize);
        // A copy has no room to grow: the first events after it pay for that, and are not measured.
        let (settling, next) = next.split_at(1_000);
        let run = Run::fold(past);
        group.throughput(Throughput::Elements(1_000));
        group.bench_function(format!("after {before}"), |b| {
            b.iter_batched_ref(
                || {
                    let mut run = run.clone();
                    settling.iter().for_each(|envelope| run.apply(envelope));
                    run
                },
                |run| next.iter().for_each(|envelope| run.apply(envelope)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// A fork of a long run, up to the beginning of its own work: the parent is loaded, verified and folded, and the kept events are
/// looked ahead from and recorded.
fn forking(c: &mut Criterion) {
    let mut group = c.benchmark_group("fork: a run of 100,000 events");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    let dir = tempfile::tempdir().expect("a folder");
    let path = journal::path(dir.path());
    write(&path, 100_000);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut forks = 0u32;
    group.bench_function("at its 90,000th", |b| {
        b.iter(|| {
            forks += 1;
            let (mut parent, mut run, mut events) = (Run::default(), Run::default(), Vec::new());
            let reader = Reader::open(&path).expect("readable").expect("there");
            let each = |envelope: Envelope| {
                parent.apply(&envelope);
                if parent.seq == Seq(90_000) {
                    run = parent.clone();
                }
                events.push(Arc::new(envelope));
            };
            reader.events(&run_id(), each).expect("sound");
            let id: RunId = format!("fork{forks}").parse().expect("an id");
            let mut kept: Vec<Envelope> = events[..90_000].iter().map(|envelope| (**envelope).clone()).collect();
            let opening = Arc::new(Opening { run: id.clone(), ..kit::opening(team::embedded(), Limits::default()) });
            kept[0].event = Event::RunOpened(opening.clone());
            run.opening = Some(opening);
            let again = run.out_here(|call| parent.has_end(call));
            let (from, limits) = (run_id().as_str().into(), Limits::default());
            let fork = Fork {
                parent: run_id(),
                from,
                at: Seq(90_000),
                instead_of: None,
                again,
                team: None,
                limits,
                changed: vec![],
                instead: None,
            };
            assert_eq!(prospect((&parent, &events), &run, &fork, false).kept, 90_000);
            kept.push(Envelope { seq: Seq(90_001), at: run.at, event: Event::Forked(Arc::new(fork)) });
            run.apply(&kept[90_000]);
            assert_eq!(run.misfits, 0);
            let journal = SqliteJournal::open(&path).expect("a journal");
            let headline = Headline::of(&run).expect("a headline");
            runtime.block_on(journal.append(&id, kept, headline)).expect("appended");
        });
    });
    group.finish();
}

/// Jumps to moments all over a run that is shown at its latest one, and steps back one after another as a held key does.
fn jumping(c: &mut Criterion) {
    let mut group = c.benchmark_group("time: a run of 100,000 events");
    group.sample_size(20);
    let mut timeline = Timeline::default();
    timeline.committed(envelopes(events(100_000)).map(Arc::new).collect());
    let mut to = 0;
    group.bench_function("a jump to any event", |b| {
        b.iter(|| {
            to = (to + 61_803) % 100_000;
            timeline.show(to);
            assert_eq!(timeline.run().seq, Seq(to as u64));
        });
    });
    let mut at = 100_000;
    group.bench_function("a step back", |b| {
        b.iter(|| {
            at = if at > 90_000 { at - 1 } else { 100_000 };
            timeline.show(at);
        });
    });
    group.finish();
}

/// The memory of this process that is in use, in bytes (Linux; 0 elsewhere).
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}

/// The memory of the kept moments of a run, beside the size of its journal. It runs first: memory freed by another bench would
/// hide it.
fn keeping(_: &mut Criterion) {
    let events: Vec<Arc<Envelope>> = envelopes(events(100_000)).map(Arc::new).collect();
    let mut timeline = Timeline::default();
    let before = resident();
    let run = Run::fold(events.iter().map(|event| &**event));
    let one = resident() - before;
    let shared = events.clone();
    let before = resident();
    timeline.committed(shared);
    let kept = (resident() - before).saturating_sub(one);
    let journal: usize = events.iter().map(|it| record::write(&it.event).map_or(0, |text| text.len())).sum();
    println!(
        "time: {} kept moments of a run of {} events take {} kB, a run {} kB, its journal {} kB: {:.1} %",
        timeline.kept(),
        run.seq.0,
        kept / 1000,
        one / 1000,
        journal / 1000,
        kept as f64 / journal as f64 * 100.0
    );
}

/// Each of 300 runs appends its next event and waits until it is on disk, ten times; all at once.
fn reporting(c: &mut Criterion) {
    let mut group = c.benchmark_group("journal: append, each on disk before the next");
    group.sample_size(10);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    for at_once in [1u64, 300] {
        group.throughput(Throughput::Elements(at_once * 10));
        group.bench_function(format!("{at_once} at once"), |b| {
            b.iter_batched(
                || {
                    let dir = tempfile::tempdir().expect("a folder");
                    let journal = Arc::new(SqliteJournal::open(&journal::path(dir.path())).expect("a journal"));
                    (dir, journal)
                },
                |(dir, journal)| {
                    runtime.block_on(async {
                        let reports = (0..at_once).map(|n| {
                            let journal = journal.clone();
                            tokio::spawn(async move {
                                let run: RunId = format!("run{n:03}").parse().expect("an id");
                                for (envelope, _) in envelopes(events(13)).skip(3).zip(0..10) {
                                    let event = Envelope { seq: Seq(envelope.seq.0 - 3), ..envelope };
                                    journal.append(&run, vec![event], Headline::default()).await.expect("appended");
                                }
                            })
                        });
                        for report in reports.collect::<Vec<_>>() {
                            report.await.expect("reported");
                        }
                    });
                    dir
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, keeping, opening, folding, reporting, jumping, forking);
criterion_main!(benches);
