//! The reasons to call a person: the run waits for them, or comes near a cap.

use super::budget::Cap;
use super::state::{Asks, Run};

/// The share of a cap, in percent, from which on a run is near it.
pub const NEAR: u64 = 80;

/// The reason to call a person now, in a few words; None while nothing needs them.
pub fn of(run: &Run) -> Option<String> {
    if run.ended().is_some() {
        return None;
    }
    let asks = run.asks().map(|asks| match asks {
        Asks::Latch(latch) => format!("{latch} refuses every call"),
        Asks::Doubt(_) => format!("a {} is in doubt", run.kind_of_doubts()),
        Asks::Checkpoint(checkpoint) => checkpoint.subject.asked(),
    });
    asks.or_else(|| near(run).map(|cap| format!("near the {cap}")))
}

/// The cap that the run is near, the most important one.
pub fn near(run: &Run) -> Option<Cap> {
    let account = run.ledger.run();
    [Cap::Money, Cap::Tokens, Cap::ToolCalls, Cap::Calls].into_iter().find(|kind| {
        let taken = account.spent.get(*kind) + account.in_doubt.get(*kind);
        account.limits.cap(*kind).is_some_and(|cap| taken.saturating_mul(100) >= cap.saturating_mul(NEAR))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Ledger, Limits};

    #[test]
    fn a_cap_is_near_before_it_is_reached_and_a_run_without_caps_is_near_none() {
        let mut run = Run::default();
        assert_eq!(of(&run), None);
        run.ledger = Ledger::new(Limits::of(Cap::Tokens, 100), 10);
        assert_eq!(of(&run), None, "nothing is spent");
        run.ledger = Ledger::new(Limits::of(Cap::Tokens, 0), 10);
        assert_eq!(near(&run), Some(Cap::Tokens));
        assert_eq!(of(&run).unwrap(), "near the token cap");
    }
}
