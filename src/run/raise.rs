//! Raising the caps of a run: which caps a person may raise, and when.
//!
//! Only existing caps, only upwards, at any time until the run ends. Nothing here changes a cap: the ledger does, when the
//! event is folded, and work that waits for room has it at the next decision.

use super::budget::{Cap, Limits};
use super::state::Run;

/// The reason why caps cannot be raised, in words for the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unraised {
    /// The run has ended.
    #[error("the run has ended: its caps stay what they were")]
    Ended,
    /// There is no cap of this kind, so that any value would be lower.
    #[error("the run has no {0}: there is nothing to raise")]
    NoCap(Cap),
    /// The value is lower.
    #[error("the {cap} is {is} and is only ever raised: {asked} is less")]
    Lower {
        /// The cap.
        cap: Cap,
        /// Its present value.
        is: String,
        /// The requested value.
        asked: String,
    },
    /// The cap has that value already.
    #[error("the {cap} is {is} already")]
    Same {
        /// The cap.
        cap: Cap,
        /// Its present value.
        is: String,
    },
    /// No cap was named.
    #[error("no cap was named")]
    Nothing,
}

impl Limits {
    /// The caps of `to` that are higher than those in force.
    ///
    /// # Errors
    /// A value is lower than the present one or has no cap, or no value is higher.
    pub fn raised(&self, to: Limits) -> Result<Limits, Unraised> {
        let mut higher = Limits::default();
        let mut nothing = Unraised::Nothing;
        for (cap, asked) in to.caps() {
            let is = self.cap(cap).ok_or(Unraised::NoCap(cap))?;
            match asked.cmp(&is) {
                std::cmp::Ordering::Greater => higher = higher.or(Limits::of(cap, asked)),
                std::cmp::Ordering::Equal => nothing = Unraised::Same { cap, is: cap.written(is) },
                std::cmp::Ordering::Less => {
                    return Err(Unraised::Lower { cap, is: cap.written(is), asked: cap.written(asked) });
                }
            }
        }
        if higher == Limits::default() { Err(nothing) } else { Ok(higher) }
    }
}

impl Run {
    /// The caps that raising to `to` would change now.
    ///
    /// # Errors
    /// The run has ended, or the values are not higher: see [`Limits::raised`].
    pub fn raised(&self, to: Limits) -> Result<Limits, Unraised> {
        match self.ended() {
            Some(_) => Err(Unraised::Ended),
            None => self.ledger.run().limits.raised(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Money;

    #[test]
    fn only_upwards_and_all_or_nothing() {
        let now = Limits::of(Cap::Money, Money::micros(500_000).0).with(Cap::Tokens, Some(200_000));
        let money = |micros| Limits::of(Cap::Money, Money::micros(micros).0);
        let both = |micros, tokens| money(micros).with(Cap::Tokens, Some(tokens));
        assert_eq!(now.raised(money(2_000_000)), Ok(money(2_000_000)));
        assert_eq!(now.raised(both(2_000_000, 200_000)), Ok(money(2_000_000)), "what stays is not raised");
        for (to, says) in [
            (money(400_000), "is only ever raised: $0.40 is less"),
            (both(2_000_000, 100), "the token cap is 200k"),
            (money(500_000), "the money cap is $0.50 already"),
            (Limits::of(Cap::ToolCalls, 9), "has no tool-call cap"),
            (Limits::default(), "no cap was named"),
        ] {
            let message = now.raised(to).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
