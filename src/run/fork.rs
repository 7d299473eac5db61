//! Forks: a run that begins as another was at one of its events, with something changed or nothing.
//!
//! The events up to that one are copied, so that a fork stands by itself; then one event names the parent and the changes from
//! there on. Later events are decided as in any run.

mod changed;
mod prospect;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::{Amounts, Limits};
use crate::handoff::Payload;
use crate::id::{CallId, HandoffNo, RunId, Seq};
use crate::state::{Intent, Run};
use crate::team::Team;
use text::Clean;

pub use changed::{Edited, edited, instead};
pub use prospect::{Prospect, prospect};

/// The origin of a fork, and the changes from there on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    /// The run that it begins as.
    pub parent: RunId,
    /// The source of that run: its id, or the absolute path of a file with its events.
    pub from: Clean,
    /// The last event of it that is kept. Journals from before have it under the name by which lines of a dump have the time.
    #[serde(rename = "kept", alias = "at")]
    pub at: Seq,
    /// The event after it in whose place a changed one stands; None where no event was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<Seq>,
    /// Calls that were out then, and whose end the fork does not wait for: they are made again, and the parent's later records
    /// answer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<CallId>,
    /// The team from here on; None for the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Arc<Team>>,
    /// Caps from here on, only those that change. The cost of the kept events counts towards them.
    #[serde(default)]
    pub limits: Limits,
    /// The changes, each in words for the person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Clean>,
    /// The next crossing, if its payload differs from the parent's. None if none does, and in journals from before this was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Instead>,
}

/// A handoff with a payload that the person put in place of the one that crossed in the parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instead {
    /// The number of the handoff.
    pub handoff: HandoffNo,
    /// Its payload in the parent.
    pub was: Box<Payload>,
}

impl Fork {
    /// The event at which it forks, as the person named it.
    pub fn named(&self) -> Seq {
        self.instead_of.unwrap_or(self.at)
    }
}

/// The fork that a run is, and the amounts that it took over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    /// The run and the event that it comes from.
    pub fork: Arc<Fork>,
    /// The amounts that its parent had spent by then.
    pub spent: Amounts,
    /// The possible cost of its parent's calls in doubt by then.
    pub in_doubt: Amounts,
}

impl Run {
    /// The amounts billed to this run itself, without those of the run that it was forked from.
    pub fn paid(&self) -> Amounts {
        self.ledger.run().spent.minus(self.forked.as_ref().map(|forked| forked.spent).unwrap_or_default())
    }

    /// The possible further cost of this run's own calls.
    pub fn may_owe(&self) -> Amounts {
        self.ledger.run().in_doubt.minus(self.forked.as_ref().map(|forked| forked.in_doubt).unwrap_or_default())
    }

    /// Calls that a fork would make again here: those that were sent to a model, and of those whose end is not seen in this
    /// run the ones that `is_recorded` knows the end of.
    pub fn out_here(&self, is_recorded: impl Fn(CallId) -> bool) -> Vec<CallId> {
        let is_model = |call: &CallId| matches!(self.intent(*call), Some(Intent::Model(_)));
        let sent = self.under_way.iter().filter(|(call, reserved)| match is_model(call) {
            true => self.is_out(**call),
            // A call that may not be done twice stays in doubt unless its result is there.
            false => reserved.started && is_recorded(**call),
        });
        let sent = sent.map(|(call, _)| *call);
        sent.chain(self.in_doubt.keys().copied().filter(|call| is_recorded(*call))).collect()
    }

    /// Whether the record says how a call ended, so that a fork need not make it again.
    pub fn has_end(&self, call: CallId) -> bool {
        let Some(assignment) = self.assignment(call.assignment) else { return false };
        let transcript = &assignment.transcript;
        let answered = transcript.exchanges().any(|one| one.call == call && one.reply().is_some());
        answered || transcript.calls().any(|one| one.id == call && one.result().is_some())
    }

    pub(crate) fn fork_fits(&self, fork: &Fork) -> bool {
        let is_there = |call: &CallId| self.under_way.contains_key(call) || self.in_doubt.contains_key(call);
        let taken = self.ledger.run().committed();
        let within = fork.limits.caps().all(|(kind, cap)| taken.get(kind) <= cap);
        self.opening.is_some() && self.ended().is_none() && fork.again.iter().all(is_there) && within
    }
}
