//! The part of each cap of a run that is kept back for landing: merging, writing and checking the findings.

use super::amounts::Amounts;
use super::kind::Cap;

/// A percentage of each cap, and at the least a fixed amount. The default keeps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForLanding {
    /// The percentage, rounded down.
    pub percent: u64,
    /// At the least this much.
    pub least: Amounts,
    /// The amounts used before landing: the least is kept only of the part of a cap above them.
    pub beside: Amounts,
}

impl From<u64> for ForLanding {
    fn from(percent: u64) -> ForLanding {
        ForLanding { percent, ..ForLanding::default() }
    }
}

impl ForLanding {
    /// The part kept of a cap of this height.
    pub(super) fn of(&self, kind: Cap, cap: u64) -> u64 {
        let percent = u128::from(cap) * u128::from(self.percent.min(100)) / 100;
        let least = self.least.get(kind).min(cap.saturating_sub(self.beside.get(kind)));
        u64::try_from(percent).unwrap_or(cap).max(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_a_fixed_amount_is_kept_where_the_cap_is_higher_than_what_goes_before_it() {
        let of = |n| Amounts::of(Cap::Money, n);
        let kept = ForLanding { percent: 10, least: of(30), beside: of(50) };
        for (cap, keeps) in
            [(0, 0), (40, 4), (50, 5), (60, 10), (80, 30), (300, 30), (500, 50), (u64::MAX, u64::MAX / 10)]
        {
            assert_eq!(kept.of(Cap::Money, cap), keeps, "{cap}");
        }
        assert_eq!(kept.of(Cap::Tokens, 80), 8, "of other caps the percentage");
    }
}
