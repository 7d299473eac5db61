//! Accounts: the caps of the run or of one assignment, and the amounts of them that are spent, reserved and in doubt.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::amounts::{Amounts, Limits};
use super::kind::Cap;
use super::landing::ForLanding;
use crate::id::AssignmentId;

/// A refusal: which cap, whose, and how high it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The cap.
    pub cap: Cap,
    /// The assignment whose cap it is; None for the run's.
    pub of: Option<AssignmentId>,
    /// The cap, in the smallest unit of its kind; None in journals from before it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.of.is_none() { "run" } else { "assignment" };
        write!(f, "the {whose}'s {}", self.cap)?;
        self.most.map_or(Ok(()), |most| write!(f, " of {}", self.cap.written(most)))
    }
}

/// Caps and the amounts taken from them, for the run or one assignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The caps.
    pub limits: Limits,
    /// The part of the run's caps that is kept for it, including its use so far; None for none. Of an assignment.
    pub allotted: Option<Limits>,
    /// The billed amounts.
    pub spent: Amounts,
    /// Of an assignment: the part billed for its own calls, and not for those of assignments below it.
    pub own: Amounts,
    /// Reserved for calls under way.
    pub reserved: Amounts,
    /// Reserved for calls in doubt.
    pub in_doubt: Amounts,
    /// The part of the spending that was billed above its reservation.
    pub overrun: Amounts,
}

impl Account {
    /// The amounts spent, reserved and in doubt.
    pub fn committed(&self) -> Amounts {
        self.spent.plus(self.reserved).plus(self.in_doubt)
    }

    /// Releases the reservation of a call, books its bill, and keeps `doubt` of the rest.
    pub(super) fn settle(&mut self, reserved: Amounts, billed: Amounts, doubt: Amounts) {
        self.reserved = self.reserved.minus(reserved);
        self.spent = self.spent.plus(billed);
        self.overrun = self.overrun.plus(billed.minus(reserved));
        self.in_doubt = self.in_doubt.plus(doubt.min(reserved.minus(billed)));
    }

    /// Whether no cap is passed but by bills above reservations.
    pub(super) fn holds(&self) -> bool {
        let (all, over) = (self.committed(), self.overrun);
        self.limits.caps().all(|(kind, cap)| all.get(kind) <= cap.saturating_add(over.get(kind)))
    }

    /// The rest of its caps, and of the amounts kept for it.
    pub fn left(&self) -> Limits {
        self.bounds().minus(self.committed())
    }

    /// The rest of its own caps; the amounts kept for it are not taken off.
    pub fn left_of_caps(&self) -> Limits {
        self.limits.minus(self.committed())
    }

    /// The amounts kept for it and not taken yet.
    pub fn kept(&self) -> Amounts {
        self.allotted.unwrap_or_default().minus(self.committed()).amounts()
    }

    /// The same with no part of the run's caps kept for it: its own caps alone bind it.
    pub(super) fn unallotted(self) -> Account {
        Account { allotted: None, ..self }
    }

    fn bounds(&self) -> Limits {
        self.limits.narrowed_by(self.allotted.unwrap_or_default())
    }

    /// Whether `more` fits when this much of each cap stays untouched.
    pub(super) fn fits(&self, more: Amounts, kept: ForLanding) -> Result<(), Cap> {
        let after = self.committed().plus(more);
        let passed = |(kind, cap): &(Cap, u64)| more.get(*kind) > 0 && after.get(*kind) > *cap;
        self.bounds().usable(kept).caps().find(passed).map_or(Ok(()), |(kind, _)| Err(kind))
    }
}
