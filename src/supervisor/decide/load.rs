//! Workers chosen by load: whoever has the fewest open assignments gets the next one.
//!
//! Depends on who has ended by then, so on who was quick. Who got what is part of the event that hands it out.

use std::collections::BTreeMap;

use super::Decision;
use run::Run;
use run::id::Role;
use run::team::{Team, Worker};

/// How many assignments are open with each worker of each role.
pub(super) struct Load(BTreeMap<(Role, Worker), u32>);

impl Load {
    fn of(run: &Run) -> Load {
        let mut open = BTreeMap::new();
        for assignment in run.open() {
            *open.entry((assignment.role.clone(), assignment.worker)).or_default() += 1;
        }
        Load(open)
    }

    /// The worker with the least to do, of equals the first in the order of the team; one more is open with it then.
    fn take(&mut self, team: &Team, role: &Role) -> Option<Worker> {
        let load = |worker: &Worker| self.0.get(&(role.clone(), *worker)).copied().unwrap_or_default();
        let worker = team.spread_over(role).min_by_key(load)?;
        *self.0.entry((role.clone(), worker)).or_default() += 1;
        Some(worker)
    }
}

impl Decision<'_> {
    /// Who does what is handed out for the first time.
    pub(super) fn worker_by_load(&mut self, role: &Role) -> Worker {
        let team = &self.opening.team;
        if team.spread_over(role).next().is_none() {
            return Worker::Member;
        }
        self.load.get_or_insert_with(|| Load::of(self.run)).take(team, role).unwrap_or_default()
    }
}
