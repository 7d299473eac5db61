//! The cost of holding a plan against its team: a wide plan of 10, 1,000 and 10,000 tasks, each of which waits for a few before it,
//! and the same with a fault in every tenth task.
//!
//! `cargo bench --bench plan`

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use run::plan::{Bounds, Plan, Shape, Task};
use run::{Role, TaskId};

fn plan(tasks: u32, flawed: bool) -> Plan {
    let task = |n: u32| {
        let mut task = Task::new(
            TaskId(n),
            format!("part {n}").as_str().into(),
            format!("Which limits, costs and trade-offs does part {n} of the collection have, and since when?")
                .as_str()
                .into(),
        );
        task.after = [n / 2, n / 3].into_iter().filter(|id| *id > 0 && *id < n).map(TaskId).collect();
        match n % 40 {
            0 if flawed => task.role = Role::new("astrologer"),
            10 if flawed => task.question = "What of it?".into(),
            20 if flawed => task.after.push(TaskId((n + 1).min(tasks))),
            30 if flawed => task.after.push(TaskId(tasks + 7)),
            _ => {}
        }
        task
    };
    Plan { shape: Shape::Overview, tasks: (1..=tasks).map(task).collect(), why: "so".into() }
}

fn check(c: &mut Criterion) {
    let mut team = team::embedded();
    team.most_tasks = Plan::MOST;
    let bounds = Bounds::of(&team).naming(text::Named::read("Compare part 1 and part 2"));
    let mut group = c.benchmark_group("plan/check");
    for tasks in [10, 1_000, 10_000] {
        for flawed in [false, true] {
            let plan = plan(tasks, flawed);
            assert_eq!(plan.check(&bounds).is_empty(), !flawed || tasks < 40);
            let name = if flawed { "flawed" } else { "sound" };
            group.bench_function(BenchmarkId::new(name, tasks), |b| b.iter(|| plan.check(&bounds)));
        }
    }
    group.finish();
}

criterion_group!(benches, check);
criterion_main!(benches);
