//! The attempts at a piece of work that failed: each with its model, its failures, its wait and its cost. Read off the run; nothing
//! of it is recorded again.

use super::id::{AssignmentId, At};
use super::model::ModelId;
use super::transcript::Exchange;
use super::{Amounts, Assignment, Cap, Mark, Outcome, Run};
use text::{Clean, count};

/// One attempt at a piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The assignment.
    pub assignment: AssignmentId,
    /// The model that did the work; None where rules did.
    pub model: Option<ModelId>,
    /// Its end; None while it is open.
    pub outcome: Option<Outcome>,
    /// From when it was handed out until it ended (ms).
    pub took_ms: u64,
    /// The amounts used.
    pub used: Amounts,
    /// The cost in doubt beyond that.
    pub in_doubt: Amounts,
    /// The failures of its model calls, in order.
    pub faults: Vec<RepeatedFault>,
}

/// A model call of an attempt that went wrong, with the equal ones after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedFault {
    /// The failure, in words for the person.
    pub why: Clean,
    /// The number of times in a row.
    pub times: usize,
    /// From when it was sent until it was tried again, in all (ms).
    pub again_ms: u64,
}

impl Run {
    /// Every attempt at the work of an assignment up to that one, the first one first.
    pub fn tried(&self, last: AssignmentId) -> Vec<Tried> {
        let Some(one) = self.assignment(last) else { return Vec::new() };
        let parent = one.parent().and_then(|id| self.assignment(id));
        let sent = parent.and_then(|parent| Some((parent, parent.transcript.sent().find(|sent| sent.to == last)?)));
        let ids = match sent {
            Some((parent, sent)) => parent.transcript.attempts(sent).into_iter().map(|sent| sent.to).collect(),
            None => vec![last],
        };
        ids.into_iter().filter_map(|id| Some(self.attempt(self.assignment(id)?))).collect()
    }

    fn attempt(&self, one: &Assignment) -> Tried {
        let account = self.ledger.assignment(one.id);
        let ended_at = if one.ended.is_some() { one.touched_at } else { self.at };
        Tried {
            assignment: one.id,
            model: self.model_of(one).map(|model| model.id.clone()),
            outcome: one.ended.as_ref().map(|(outcome, _)| outcome.clone()),
            took_ms: ended_at.since(one.opened_at),
            used: account.spent,
            in_doubt: account.in_doubt,
            faults: faults(one.transcript.exchanges()),
        }
    }
}

fn faults<'a>(exchanges: impl Iterator<Item = &'a Exchange>) -> Vec<RepeatedFault> {
    let mut all: Vec<RepeatedFault> = Vec::new();
    for exchange in exchanges {
        let mut failed_at: Option<At> = None;
        for attempt in &exchange.attempts {
            // The wait before this attempt is that of the one that failed before it.
            if let (Some(before), Some(last)) = (failed_at.take(), all.last_mut()) {
                last.again_ms += attempt.not_before.since(before);
            }
            let Some(fault) = &attempt.fault else { continue };
            failed_at = attempt.sent_at.or(Some(attempt.not_before)).filter(|at| at.0 > 0);
            match all.last_mut().filter(|last| last.why == fault.what) {
                Some(last) => last.times += 1,
                None => all.push(RepeatedFault { why: fault.what.clone(), times: 1, again_ms: 0 }),
            }
        }
    }
    all
}

impl Tried {
    /// In lines for a person: the attempt, then its failures.
    pub fn lines(&self, n: usize) -> Vec<String> {
        let mut parts = vec![match &self.model {
            Some(model) => model.to_string(),
            None => "by rule".into(),
        }];
        parts.push(seconds(self.took_ms));
        let used = [Cap::Money, Cap::Tokens, Cap::ToolCalls, Cap::Calls].into_iter();
        parts.extend(used.filter(|cap| self.used.get(*cap) > 0).map(|cap| cap.counted(self.used.get(cap))));
        if self.in_doubt.money().0 > 0 {
            parts.push(format!("up to {} in doubt", self.in_doubt.money()));
        }
        let outcome = self.outcome.as_ref().map(|outcome| format!(" — {} {outcome}", Mark::from(outcome).symbol()));
        let first = format!("try {n}: {}{}", parts.join(" · "), outcome.unwrap_or_default());
        let faults = self.faults.iter().map(|failed| {
            let times = if failed.times > 1 { format!("{}: ", count(failed.times, "time")) } else { String::new() };
            let waited = match failed.again_ms {
                0 => String::new(),
                ms => format!(" (tried again {} later)", seconds(ms)),
            };
            format!("  {times}{}{waited}", failed.why)
        });
        std::iter::once(first).chain(faults).collect()
    }
}

fn seconds(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        ms => format!("{} s", ms / 1_000),
    }
}
