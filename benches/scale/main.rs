//! What a run with many tasks costs: saying what ought to be under way, folding its events, grouping its plan, drawing it.
//!
//! `cargo bench --bench scale`

mod story;

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use run::progress::Saying;
use run::transcript::Did;
use run::{CallId, Run};
use story::{Shared, done, streaming, waiting};
use text::Clean;
use tui::{Cache, Mode, Scene, Theme, Ui, draw};

const BOTH: [(Shared, &str); 2] = [(Shared::FannedOut, "fan-out"), (Shared::InSections, "sections")];

fn decide(c: &mut Criterion) {
    let mut group = c.benchmark_group("scale/decide");
    for tasks in [1_000, 10_000] {
        for (shared, name) in BOTH {
            let none = waiting(tasks, shared);
            let half = done(tasks, shared, tasks / 2);
            for (story, how) in [(&none, "waiting"), (&half, "half done")] {
                group.bench_function(BenchmarkId::new(format!("{name}, {how}"), tasks), |b| {
                    b.iter(|| story.decided());
                });
            }
        }
    }
    group.finish();
}

fn fold(c: &mut Criterion) {
    let mut group = c.benchmark_group("scale/fold");
    group.sample_size(20);
    for (shared, name) in BOTH {
        let half = done(10_000, shared, 5_000);
        group.bench_function(BenchmarkId::new(name, 10_000), |b| {
            b.iter(|| Run::fold(&half.events));
        });
    }
    group.finish();
}

fn groups(c: &mut Criterion) {
    let story = waiting(10_000, Shared::InSections);
    let plan = story.run.plan.clone().expect("a plan");
    c.bench_function("scale/groups/10000", |b| b.iter(|| plan.groups(10, 3)));
}

fn frame(c: &mut Criterion) {
    let mut group = c.benchmark_group("scale/frame");
    group.sample_size(20);
    let theme = Theme::load(Theme::default_name(false), None).expect("the usual theme");
    for (shared, name) in BOTH {
        let half = done(10_000, shared, 5_000);
        let ui = Ui::new(Mode::Replay, half.run.at);
        let events: Vec<_> = half.events.into_iter().map(Arc::new).collect();
        let scene = Scene { ui: &ui, run: &half.run, events: &events, theme: &theme };
        let area = Rect::new(0, 0, 160, 50);
        let (mut buf, mut cache) = (Buffer::empty(area), Cache::default());
        group.bench_function(BenchmarkId::new(name, 10_000), |b| b.iter(|| draw(&mut buf, area, scene, &mut cache)));
    }
    group.finish();
}

/// A frame of 200 × 60 while six models stream into their panes, a piece of each between two frames; and one of a run with
/// 300 assignments.
fn screens(c: &mut Criterion) {
    let mut group = c.benchmark_group("scale/screen");
    let theme = Theme::load(Theme::default_name(false), None).expect("the usual theme");
    let area = Rect::new(0, 0, 200, 60);
    let six = streaming(6);
    let calls: Vec<CallId> = six
        .run
        .open()
        .filter_map(|open| match &open.transcript.turns.last()?.did {
            Did::Asked(asked) => Some(asked.call),
            _ => None,
        })
        .collect();
    assert_eq!(calls.len(), 6, "each researcher has asked its model");
    let events: Vec<_> = six.events.iter().cloned().map(Arc::new).collect();
    for (name, said, piece) in [
        ("six streams of text", "", "The index is kept in **memory** [3], so that\n\n- it is fast, "),
        (
            "six streams of findings",
            "{\"findings\": [",
            "{\"claim\": \"It is kept in memory.\", \"quote\": \"x\", \"source\": \"a\"}, ",
        ),
    ] {
        let mut ui = Ui::new(Mode::Live, six.run.at);
        calls.iter().for_each(|call| ui.hears(*call, Saying::Answer, &said.into()));
        let (mut buf, mut cache, piece) = (Buffer::empty(area), Cache::default(), Clean::new(piece));
        group.bench_function(name, |b| {
            b.iter(|| {
                calls.iter().for_each(|call| ui.hears(*call, Saying::Answer, &piece));
                buf.reset();
                draw(&mut buf, area, Scene { ui: &ui, run: &six.run, events: &events, theme: &theme }, &mut cache);
                cache.sweep();
            });
        });
    }
    for (shared, name) in BOTH {
        let half = done(300, shared, 150);
        let ui = Ui::new(Mode::Live, half.run.at);
        let events: Vec<_> = half.events.into_iter().map(Arc::new).collect();
        let (mut buf, mut cache) = (Buffer::empty(area), Cache::default());
        group.bench_function(BenchmarkId::new(name, 300), |b| {
            b.iter(|| {
                buf.reset();
                draw(&mut buf, area, Scene { ui: &ui, run: &half.run, events: &events, theme: &theme }, &mut cache);
                cache.sweep();
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decide, fold, groups, frame, screens);
criterion_main!(benches);
