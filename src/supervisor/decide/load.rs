//! Chooses workers by load: the one with the fewest open assignments gets the next one.
//!
//! The choice depends on which assignments have ended by then, so it is recorded with the handoff event.

use std::collections::BTreeMap;

use super::Decision;
use run::Run;
use run::id::Role;
use run::team::{Team, Worker};

/// The number of open assignments of each worker of each role.
pub(super) struct Load(BTreeMap<(Role, Worker), u32>);

impl Load {
    fn of(run: &Run) -> Load {
        let mut open = BTreeMap::new();
        for assignment in run.open() {
            *open.entry((assignment.role.clone(), assignment.worker)).or_default() += 1;
        }
        Load(open)
    }

    /// The worker with the fewest open assignments, the first in the order of the team if equal; counts one more for
    /// it.
    fn take(&mut self, team: &Team, role: &Role) -> Option<Worker> {
        let load = |worker: &Worker| self.0.get(&(role.clone(), *worker)).copied().unwrap_or_default();
        let worker = team.spread_over(role).min_by_key(load)?;
        *self.0.entry((role.clone(), worker)).or_default() += 1;
        Some(worker)
    }
}

impl Decision<'_> {
    /// The worker for work that is handed out for the first time.
    pub(super) fn worker_by_load(&mut self, role: &Role) -> Worker {
        let team = &self.opening.team;
        if team.spread_over(role).next().is_none() {
            return Worker::Member;
        }
        self.load.get_or_insert_with(|| Load::of(self.run)).take(team, role).unwrap_or_default()
    }
}
