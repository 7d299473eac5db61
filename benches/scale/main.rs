//! The cost of a run with many tasks: deciding on the next actions, folding its events, grouping its plan, drawing it.
//!
//! `cargo bench --bench scale`; with `-- screen` frames by themselves: the middle one, and the slowest of a hundred.

mod screen;
mod story;

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use run::Run;
use story::{Shared, done, waiting};
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

criterion_group!(benches, decide, fold, groups, frame);

fn main() {
    if std::env::args().any(|arg| arg == "screen") {
        return screen::measure();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
