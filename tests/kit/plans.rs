//! Plans and their tasks.

use run::TaskId;
use run::plan::{Plan, Shape, Task};

/// Task `n`, titled “task n”, which asks “what of n?” and waits for no other.
pub fn task(n: u32) -> Task {
    Task::new(TaskId(n), format!("task {n}").as_str().into(), format!("what of {n}?").as_str().into())
}

/// [`task`] `n`, which waits for others.
pub fn waiting_for(n: u32, after: &[u32]) -> Task {
    Task { after: after.iter().copied().map(TaskId).collect(), ..task(n) }
}

/// A plan of these tasks.
pub fn plan(tasks: Vec<Task>) -> Plan {
    Plan { shape: Shape::Overview, tasks, why: "so".into() }
}
