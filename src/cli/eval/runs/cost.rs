//! The money of an evaluation: the forecast of all its runs together, and their cap. It asks nobody and prints nothing.

use run::event::Opening;
use run::forecast::Forecast;
use run::{Money, Run, forecast};

/// The cap and the cost of all runs of the evaluation.
pub(super) struct Purse {
    pub(super) cap: Option<Money>,
    /// The cap of each run, if the whole evaluation has one.
    pub(super) share: Option<Money>,
    pub(super) spent: u64,
}

impl Purse {
    /// Whether a run that may cost this much more can begin.
    pub(super) fn allows(&self, most: Option<Money>) -> bool {
        let Some(cap) = self.cap else { return true };
        most.is_none_or(|most| self.spent.saturating_add(most.0) <= cap.0)
    }

    /// The reason why a run that it does not allow is left out.
    pub(super) fn refuses(&self) -> String {
        let cap = self.cap.unwrap_or_default();
        format!("not begun: it might pass the cap of {cap} (--max-cost)")
    }
}

/// The money that a run has cost, with the possible cost of its calls in doubt, in pico-dollars.
pub(super) fn paid(run: &Run) -> u64 {
    run.ledger.run().spent.money().0.saturating_add(run.ledger.run().in_doubt.money().0)
}

/// The forecast of all runs together, in pico-dollars.
pub(super) struct CostOfAll {
    low: u64,
    likely: u64,
    pub(super) high: u64,
    /// The most by their caps; None where one has none.
    most: Option<u64>,
}

impl Default for CostOfAll {
    fn default() -> CostOfAll {
        CostOfAll { low: 0, likely: 0, high: 0, most: Some(0) }
    }
}

impl CostOfAll {
    /// Adds this many runs with this opening.
    pub(super) fn add(&mut self, opening: &Opening, runs: usize) {
        let Some(forecast) = forecast::before(opening).filter(|forecast| forecast.high > Money::default()) else {
            return;
        };
        let forecast = forecast.within(opening.limits.money());
        let times = |money: Money| money.0.saturating_mul(runs as u64);
        self.low = self.low.saturating_add(times(forecast.low));
        self.likely = self.likely.saturating_add(times(forecast.likely));
        self.high = self.high.saturating_add(times(forecast.high));
        self.most = self.most.zip(opening.limits.money()).map(|(most, cap)| most.saturating_add(times(cap)));
    }

    pub(super) fn in_words(&self, purse: &Purse) -> String {
        let most = purse.cap.map(|cap| cap.0).into_iter().chain(self.most).min();
        let all = Forecast { low: Money(self.low), likely: Money(self.likely), high: Money(self.high) };
        let Forecast { low, likely, high } = all.within(most.map(Money));
        let at_most =
            most.map_or_else(String::new, |most| format!(", at most {} (--max-cost sets another cap)", Money(most)));
        let each = purse.share.map_or_else(String::new, |share| format!(", {share} for each run"));
        format!("all: probably {likely} ({low} to {high}){at_most}{each}")
    }
}
