//! The judge's preference of two briefs, asked in both orders: a judge may prefer the first that it reads.
//!
//! Never a measure: a judge's preference is a model's opinion, and is said to be one.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::state::Run;
use text::Clean;

/// The better one of two briefs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The first.
    First,
    /// The second.
    Second,
    /// Neither.
    Tie,
}

impl Better {
    /// The same where the two briefs stand the other way round.
    #[must_use]
    pub fn turned(self) -> Better {
        match self {
            Better::First => Better::Second,
            Better::Second => Better::First,
            Better::Tie => Better::Tie,
        }
    }
}

impl fmt::Display for Better {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Better::First => "the first brief",
            Better::Second => "the second brief",
            Better::Tie => "neither brief",
        })
    }
}

/// The preference of a judge between two briefs in one order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    /// The one that it prefers: for a judge in its own reading order, for a run in the order as given.
    pub better: Better,
    /// Its reason, in its words.
    pub why: Clean,
    /// Whether it has read the second one first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub swapped: bool,
}

/// The result of both orders together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// Both orders agree on this.
    Agreed(Better),
    /// They do not agree: it counts as a tie.
    Disagreed,
    /// Fewer than both orders were judged: it does not count.
    Unjudged,
}

impl Ruling {
    /// The ruling of these preferences, each as the run was given the briefs.
    pub fn of(preferences: &[Preference]) -> Ruling {
        let in_order = |swapped| preferences.iter().find(|one| one.swapped == swapped).map(|one| one.better);
        match (in_order(false), in_order(true)) {
            (Some(one), Some(other)) if one == other => Ruling::Agreed(one),
            (Some(_), Some(_)) => Ruling::Disagreed,
            _ => Ruling::Unjudged,
        }
    }
}

impl Run {
    /// The preferences of its judge, in the orders that were judged; empty in a run that judges nothing, or has not ended.
    pub fn preferences(&self) -> &[Preference] {
        let report = self.root().and_then(|root| root.ended.as_ref());
        report.and_then(|(_, report)| report.payload.preferences.as_deref()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_that_do_not_agree_are_a_tie_and_one_order_alone_does_not_count() {
        let said = |better, swapped| Preference { better, why: "".into(), swapped };
        for (preferences, ruling) in [
            (vec![said(Better::First, false), said(Better::First, true)], Ruling::Agreed(Better::First)),
            (vec![said(Better::Tie, true), said(Better::Tie, false)], Ruling::Agreed(Better::Tie)),
            (vec![said(Better::First, false), said(Better::Second, true)], Ruling::Disagreed),
            (vec![said(Better::First, false), said(Better::Tie, true)], Ruling::Disagreed),
            (vec![said(Better::First, true)], Ruling::Unjudged),
            (vec![], Ruling::Unjudged),
        ] {
            assert_eq!(Ruling::of(&preferences), ruling, "{preferences:?}");
        }
    }
}
