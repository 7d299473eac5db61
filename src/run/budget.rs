//! The ledger: what was spent, what is held, what may still be taken.
//!
//! A call is admitted only if everything spent, in doubt and held, with what it may cost at the most, stays within
//! every cap above it: its assignment's, those of the assignments that opened it, and the run's. Checking and
//! taking are one step. What a call did cost is booked as it was billed, also above what was held for it: then an
//! account may stand above its cap by its overrun, and admits nothing more. Integers only.

mod tentative;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::id::AssignmentId;
use super::raise::Unraised;
use text::Clean;

pub use tentative::Tentative;

/// Money in pico-dollars (10⁻¹² US dollars): tokens times micro-dollars per million tokens, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(pub u64);

impl Money {
    /// This many micro-dollars.
    pub fn micros(micros: u64) -> Money {
        Money(micros.saturating_mul(1_000_000))
    }
}

impl FromStr for Money {
    type Err = String;
    /// Dollars as people write them, `0.50`, taken digit by digit.
    fn from_str(s: &str) -> Result<Self, String> {
        let wrong = || format!("write it as in 0.50: `{}` is no amount of dollars", Clean::line(s));
        let digits = s.trim();
        let digits = digits.strip_prefix('$').unwrap_or(digits);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() && part.is_empty() || part.len() > 12 || !all_digits(whole) || !all_digits(part) {
            return Err(wrong());
        }
        // 10¹² pico-dollars are a dollar.
        format!("{whole}{part:0<12}").parse().map(Money).map_err(|_| wrong())
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.div_ceil(1_000_000);
        match micros {
            0 => f.write_str("$0"),
            1..10_000 => write!(f, "$0.{:04}", micros.div_ceil(100)),
            _ => {
                let cents = micros.div_ceil(10_000);
                write!(f, "${}.{:02}", cents / 100, cents % 100)
            }
        }
    }
}

/// Amounts of everything that is counted against a cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Amounts {
    /// Money.
    #[serde(skip_serializing_if = "is_zero_money")]
    pub money: Money,
    /// Tokens of text taken in and given out.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Calls of a model.
    #[serde(skip_serializing_if = "is_zero")]
    pub calls: u64,
    /// Calls of a tool.
    #[serde(skip_serializing_if = "is_zero")]
    pub tool_calls: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_zero_money(money: &Money) -> bool {
    money.0 == 0
}

impl Amounts {
    fn zip(self, other: Amounts, f: impl Fn(u64, u64) -> u64) -> Amounts {
        Amounts {
            money: Money(f(self.money.0, other.money.0)),
            tokens: f(self.tokens, other.tokens),
            calls: f(self.calls, other.calls),
            tool_calls: f(self.tool_calls, other.tool_calls),
        }
    }

    /// The sum; it stops at the largest number rather than wrap.
    pub fn plus(self, other: Amounts) -> Amounts {
        self.zip(other, u64::saturating_add)
    }

    /// The difference; never below zero.
    pub fn minus(self, other: Amounts) -> Amounts {
        self.zip(other, u64::saturating_sub)
    }

    /// The larger of the two, for each kind.
    pub fn max(self, other: Amounts) -> Amounts {
        self.zip(other, u64::max)
    }

    /// The smaller of the two, for each kind.
    pub fn min(self, other: Amounts) -> Amounts {
        self.zip(other, u64::min)
    }

    /// What there is of it, in words: "$0.02, 300 tokens"; nothing if it is nothing.
    pub fn in_words(&self) -> String {
        let of = |cap: Cap, n: u64| match cap {
            _ if n == 0 => None,
            Cap::Money => Some(Money(n).to_string()),
            _ => Some(format!("{} {}", cap.written(n), cap.of_what())),
        };
        let Amounts { money, tokens, calls, tool_calls } = *self;
        let all = [(Cap::Money, money.0), (Cap::Tokens, tokens), (Cap::Calls, calls), (Cap::ToolCalls, tool_calls)];
        all.into_iter().filter_map(|(cap, n)| of(cap, n)).collect::<Vec<_>>().join(", ")
    }
}

/// Caps. What is None is not capped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<Money>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Tool calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    /// Milliseconds of work; waiting for the person does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
}

impl Limits {
    fn zip(self, other: Limits, f: impl Fn(Option<u64>, Option<u64>) -> Option<u64>) -> Limits {
        Limits {
            money: f(self.money.map(|m| m.0), other.money.map(|m| m.0)).map(Money),
            tokens: f(self.tokens, other.tokens),
            calls: f(self.calls, other.calls),
            tool_calls: f(self.tool_calls, other.tool_calls),
            millis: f(self.millis, other.millis),
        }
    }

    /// The lower cap of each kind.
    pub fn narrowed_by(self, other: Limits) -> Limits {
        self.zip(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        })
    }

    /// These caps, and those of `others` where there is none.
    pub fn or(self, others: Limits) -> Limits {
        self.zip(others, Option::or)
    }

    /// So many even shares together; time is not shared but had by all at once.
    pub fn times(self, n: u64) -> Limits {
        let millis = self.millis;
        Limits { millis, ..self.zip(self, |cap, _| cap.map(|cap| cap.saturating_mul(n))) }
    }

    /// An even share for each of `n`; time is not shared but had by all at once.
    pub fn shared_by(self, n: u64) -> Limits {
        let millis = self.millis;
        Limits { millis, ..self.zip(self, |cap, _| cap.map(|cap| cap / n.max(1))) }
    }
}

/// The cap that a call would pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    /// [`Limits::money`]
    Money,
    /// [`Limits::tokens`]
    Tokens,
    /// [`Limits::calls`]
    Calls,
    /// [`Limits::tool_calls`]
    ToolCalls,
    /// [`Limits::millis`]
    Time,
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cap::Money => "money cap",
            Cap::Tokens => "token cap",
            Cap::Calls => "call cap",
            Cap::ToolCalls => "tool-call cap",
            Cap::Time => "time cap",
        })
    }
}

/// A refusal: which cap, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The cap.
    pub cap: Cap,
    /// The assignment whose cap it is; None for the run's.
    pub of: Option<AssignmentId>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            None => write!(f, "the run's {}", self.cap),
            Some(_) => write!(f, "the assignment's {}", self.cap),
        }
    }
}

/// Caps and what was taken from them, for the run or one assignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The caps.
    pub limits: Limits,
    /// Settled.
    pub spent: Amounts,
    /// Held by calls under way.
    pub held: Amounts,
    /// Held by calls whose end nobody saw.
    pub in_doubt: Amounts,
    /// The part of what was spent that was billed above what had been held for it.
    pub overrun: Amounts,
}

impl Account {
    /// Everything that is gone or may go.
    pub fn committed(&self) -> Amounts {
        self.spent.plus(self.held).plus(self.in_doubt)
    }

    /// Releases what was held for a call, books what it was billed, and keeps `doubt` of the rest.
    fn settle(&mut self, held: Amounts, billed: Amounts, doubt: Amounts) {
        self.held = self.held.minus(held);
        self.spent = self.spent.plus(billed);
        self.overrun = self.overrun.plus(billed.minus(held));
        self.in_doubt = self.in_doubt.plus(doubt.min(held.minus(billed)));
    }

    /// Whether no cap is passed but by what was billed above reservations.
    fn holds(&self) -> bool {
        let most = |cap: u64, overrun: u64| cap.saturating_add(overrun);
        let (all, over) = (self.committed(), self.overrun);
        let ok = |cap: Option<u64>, n: u64, over: u64| cap.is_none_or(|cap| n <= most(cap, over));
        ok(self.limits.money.map(|m| m.0), all.money.0, over.money.0)
            && ok(self.limits.tokens, all.tokens, over.tokens)
            && ok(self.limits.calls, all.calls, over.calls)
            && ok(self.limits.tool_calls, all.tool_calls, over.tool_calls)
    }

    /// What is left of its caps.
    pub fn left(&self) -> Limits {
        let gone = self.committed();
        let left = |cap: Option<u64>, gone: u64| cap.map(|cap| cap.saturating_sub(gone));
        Limits {
            money: left(self.limits.money.map(|m| m.0), gone.money.0).map(Money),
            tokens: left(self.limits.tokens, gone.tokens),
            calls: left(self.limits.calls, gone.calls),
            tool_calls: left(self.limits.tool_calls, gone.tool_calls),
            millis: self.limits.millis,
        }
    }

    /// Whether `more` fits when `keep_percent` of each cap stays untouched.
    fn fits(&self, more: Amounts, keep_percent: u64) -> Result<(), Cap> {
        let after = self.committed().plus(more);
        let within = |cap: Option<u64>, adds: u64, after: u64| match cap {
            Some(cap) if adds > 0 => after <= usable(cap, keep_percent),
            _ => true,
        };
        for (cap, fits) in [
            (Cap::Money, within(self.limits.money.map(|m| m.0), more.money.0, after.money.0)),
            (Cap::Tokens, within(self.limits.tokens, more.tokens, after.tokens)),
            (Cap::Calls, within(self.limits.calls, more.calls, after.calls)),
            (Cap::ToolCalls, within(self.limits.tool_calls, more.tool_calls, after.tool_calls)),
        ] {
            if !fits {
                return Err(cap);
            }
        }
        Ok(())
    }
}

/// What is left of a cap when this many percent are kept back, rounded down.
fn usable(cap: u64, keep_percent: u64) -> u64 {
    cap - u64::try_from(u128::from(cap) * u128::from(keep_percent.min(100)) / 100).unwrap_or(0)
}

/// Whether a call belongs to finding things out or to landing: merging, writing, checking with what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// May not touch the landing reserve.
    Work,
    /// May use everything up to the cap.
    Landing,
}

/// All accounts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    run: Account,
    landing_percent: u64,
    assignments: BTreeMap<AssignmentId, (Account, Option<AssignmentId>, Draws)>,
}

impl Ledger {
    /// A ledger that keeps `landing_percent` of the run's caps for landing.
    pub fn new(limits: Limits, landing_percent: u64) -> Ledger {
        Ledger { run: Account { limits, ..Account::default() }, landing_percent, assignments: BTreeMap::new() }
    }

    /// Raises caps of the run, and with them what is kept for landing. What open assignments were given of it stays
    /// as it was given: who is refused is no race.
    ///
    /// # Errors
    /// One of them would not be raised; then none is.
    pub fn raise(&mut self, to: Limits) -> Result<(), Unraised> {
        let higher = self.run.limits.raised(to)?;
        self.run.limits = higher.or(self.run.limits);
        Ok(())
    }

    /// Opens an assignment's account below its parent's.
    pub fn open(&mut self, id: AssignmentId, parent: Option<AssignmentId>, limits: Limits, draws: Draws) {
        self.assignments.insert(id, (Account { limits, ..Account::default() }, parent, draws));
    }

    /// The run's account.
    pub fn run(&self) -> &Account {
        &self.run
    }

    /// What work may still take from the run's caps. Time is not in it: the run's own clock holds it.
    pub fn left_for_work(&self) -> Limits {
        let gone = self.run.committed();
        let left = |cap: Option<u64>, gone: u64| cap.map(|cap| usable(cap, self.landing_percent).saturating_sub(gone));
        let caps = self.run.limits;
        Limits {
            money: left(caps.money.map(|m| m.0), gone.money.0).map(Money),
            tokens: left(caps.tokens, gone.tokens),
            calls: left(caps.calls, gone.calls),
            tool_calls: left(caps.tool_calls, gone.tool_calls),
            millis: None,
        }
    }

    /// An assignment's account.
    pub fn assignment(&self, id: AssignmentId) -> Account {
        self.assignments.get(&id).map(|(account, ..)| *account).unwrap_or_default()
    }

    /// Holds `most` for a call of `id`, or says which cap it would pass. `worked` is how long the run has worked (ms).
    pub fn hold(&mut self, id: AssignmentId, most: Amounts, worked: u64) -> Result<(), Refusal> {
        self.admits(&self.run, |id| self.assignment(id), id, most, worked)?;
        self.each(id, |account| account.held = account.held.plus(most));
        Ok(())
    }

    /// Whether these accounts admit a call of `id`.
    fn admits(
        &self,
        run: &Account,
        account: impl Fn(AssignmentId) -> Account,
        id: AssignmentId,
        most: Amounts,
        worked: u64,
    ) -> Result<(), Refusal> {
        let keep = if self.lands(id) { 0 } else { self.landing_percent };
        // Narrowest first: which cap refuses must not depend on what siblings happen to hold just now.
        for above in self.chain(id) {
            account(above).fits(most, 0).map_err(|cap| Refusal { cap, of: Some(above) })?;
        }
        run.fits(most, keep).map_err(|cap| Refusal { cap, of: None })?;
        if run.limits.millis.is_some_and(|cap| worked >= usable(cap, keep)) {
            return Err(Refusal { cap: Cap::Time, of: None });
        }
        Ok(())
    }

    /// Whether a call that does not fit now may fit once what is held is settled: what is not used comes back.
    pub fn may_fit_later(&self, id: AssignmentId, most: Amounts) -> bool {
        self.may_fit(&self.run, |id| self.assignment(id), id, most)
    }

    fn may_fit(
        &self,
        run: &Account,
        account: impl Fn(AssignmentId) -> Account,
        id: AssignmentId,
        most: Amounts,
    ) -> bool {
        let keep = if self.lands(id) { 0 } else { self.landing_percent };
        let settled = |account: Account| Account { held: Amounts::default(), ..account };
        let chain = self.chain(id).into_iter().all(|id| settled(account(id)).fits(most, 0).is_ok());
        chain && settled(*run).fits(most, keep).is_ok()
    }

    fn lands(&self, id: AssignmentId) -> bool {
        self.assignments.get(&id).is_some_and(|(_, _, draws)| *draws == Draws::Landing)
    }

    /// Takes a reservation that the journal says was made, without asking again.
    pub fn replay_hold(&mut self, id: AssignmentId, most: Amounts) {
        self.each(id, |account| account.held = account.held.plus(most));
    }

    /// Releases what was held for a call and books what it was billed, also what was not held for it.
    pub fn settle(&mut self, id: AssignmentId, held: Amounts, billed: Amounts) {
        self.settle_in_part(id, held, billed, Amounts::default());
    }

    /// The same for a call of which more may be billed: `doubt` of what was held for it stays held.
    pub fn settle_in_part(&mut self, id: AssignmentId, held: Amounts, billed: Amounts, doubt: Amounts) {
        self.each(id, |account| account.settle(held, billed, doubt));
    }

    /// The reservation stays, but nobody knows whether it was spent.
    pub fn doubt(&mut self, id: AssignmentId, held: Amounts) {
        self.each(id, |account| {
            account.held = account.held.minus(held);
            account.in_doubt = account.in_doubt.plus(held);
        });
    }

    /// The assignment and those above it.
    fn chain(&self, id: AssignmentId) -> Vec<AssignmentId> {
        std::iter::successors(Some(id), |id| self.assignments.get(id)?.1)
            .filter(|id| self.assignments.contains_key(id))
            .take(16)
            .collect()
    }

    fn each(&mut self, id: AssignmentId, change: impl Fn(&mut Account)) {
        for id in self.chain(id) {
            if let Some((account, ..)) = self.assignments.get_mut(&id) {
                change(account);
            }
        }
        change(&mut self.run);
    }

    /// Whether every cap holds but for what was billed above reservations; the simulation asks after every event.
    pub fn holds(&self) -> bool {
        self.run.holds() && self.assignments.values().all(|(account, ..)| account.holds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amounts() -> impl Strategy<Value = Amounts> {
        (0u64..60, 0u64..60, 0u64..3, 0u64..3).prop_map(|(money, tokens, calls, tool_calls)| Amounts {
            money: Money(money),
            tokens,
            calls,
            tool_calls,
        })
    }

    fn limits() -> impl Strategy<Value = Limits> {
        let cap = |most| proptest::option::of(0..most);
        (cap(300u64), cap(300), cap(12), cap(12)).prop_map(|(money, tokens, calls, tool_calls)| Limits {
            money: money.map(Money),
            tokens,
            calls,
            tool_calls,
            millis: None,
        })
    }

    #[derive(Clone, Debug)]
    enum Move {
        Hold(u32, Amounts),
        Settle(usize, Amounts),
        SettleInPart(usize, Amounts, Amounts),
        Doubt(usize),
        Raise(Limits),
    }

    fn moves() -> impl Strategy<Value = Vec<Move>> {
        let one = prop_oneof![
            3 => (0u32..8, amounts()).prop_map(|(id, most)| Move::Hold(id, most)),
            2 => (0usize..8, amounts()).prop_map(|(n, used)| Move::Settle(n, used)),
            1 => (0usize..8, amounts(), amounts()).prop_map(|(n, used, doubt)| Move::SettleInPart(n, used, doubt)),
            1 => (0usize..8).prop_map(Move::Doubt),
            1 => limits().prop_map(Move::Raise),
        ];
        proptest::collection::vec(one, 0..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// However holds, settlements, doubts and raised caps interleave, and whoever asks: no cap is ever passed but by what
        /// was billed above reservations, every bill is booked whole, and work leaves the landing reserve alone.
        #[test]
        fn no_interleaving_passes_a_cap(run in limits(), caps in proptest::collection::vec(limits(), 8), moves in moves(), keep in 0u64..50) {
            let mut ledger = Ledger::new(run, keep);
            for (n, cap) in caps.iter().enumerate() {
                let n = n as u32;
                // 0 is the root; 1 leads a section, and 3 one below it with 6 and 7; 2 and 4 work by themselves. 5 lands: it
                // is paid by the run, whoever asked for it.
                let parent = [None, Some(0), Some(0), Some(1), Some(1), Some(0), Some(3), Some(3)];
                let parent = parent[n as usize].map(AssignmentId::nth);
                ledger.open(AssignmentId::nth(n), parent, *cap, if n == 5 { Draws::Landing } else { Draws::Work });
            }
            let mut under_way: Vec<(AssignmentId, Amounts)> = Vec::new();
            let mut billed = Amounts::default();
            for step in moves {
                match step {
                    Move::Hold(id, most) => {
                        let before = ledger.run().committed();
                        let mut tentative = Tentative::of(&ledger);
                        let tried = tentative.hold(AssignmentId::nth(id), most, 0);
                        let (twice, later) = (tentative.hold(AssignmentId::nth(id), most, 0), tentative.may_fit_later(AssignmentId::nth(id), most));
                        let held = ledger.hold(AssignmentId::nth(id), most, 0);
                        prop_assert_eq!(tried, held, "what is tried is what will be");
                        prop_assert_eq!(twice, ledger.clone().hold(AssignmentId::nth(id), most, 0), "and what follows from it");
                        prop_assert_eq!(later, ledger.may_fit_later(AssignmentId::nth(id), most));
                        match held {
                            Ok(()) => {
                                under_way.push((AssignmentId::nth(id), most));
                                if id != 5 && let (Some(cap), true) = (ledger.run().limits.tokens, most.tokens > 0) {
                                    prop_assert!(ledger.run().committed().tokens <= usable(cap, keep));
                                }
                                for account in [*ledger.run(), ledger.assignment(AssignmentId::nth(id))] {
                                    let (cap, gone) = (account.limits.money, account.committed().money);
                                    prop_assert!(most.money.0 == 0 || cap.is_none_or(|cap| gone <= cap), "taken above a cap");
                                }
                            }
                            Err(_) => prop_assert_eq!(before, ledger.run().committed(), "a refusal takes nothing"),
                        }
                    }
                    Move::Settle(n, used) if n < under_way.len() => {
                        let (id, held) = under_way.swap_remove(n);
                        ledger.settle(id, held, used);
                        billed = billed.plus(used);
                    }
                    Move::SettleInPart(n, used, doubt) if n < under_way.len() => {
                        let (id, held) = under_way.swap_remove(n);
                        ledger.settle_in_part(id, held, used, doubt);
                        billed = billed.plus(used);
                    }
                    Move::Doubt(n) if n < under_way.len() => {
                        let (id, held) = under_way.swap_remove(n);
                        ledger.doubt(id, held);
                    }
                    Move::Raise(to) => {
                        let (before, given) = (*ledger.run(), ledger.assignment(AssignmentId::nth(1)).limits);
                        let raised = ledger.raise(to).is_ok();
                        let after = ledger.run();
                        for cap in Cap::ALL {
                            prop_assert!(after.limits.cap(cap) >= before.limits.cap(cap));
                            prop_assert_eq!(after.limits.cap(cap).is_some(), before.limits.cap(cap).is_some());
                        }
                        prop_assert_eq!(raised, after.limits != before.limits, "all of it or nothing");
                        prop_assert_eq!(after.committed(), before.committed());
                        prop_assert_eq!(ledger.assignment(AssignmentId::nth(1)).limits, given);
                    }
                    _ => {}
                }
                prop_assert!(ledger.holds());
                prop_assert_eq!(ledger.run().spent, billed, "what is spent is what was billed");
                let held = under_way.iter().fold(Amounts::default(), |sum, (_, most)| sum.plus(*most));
                prop_assert_eq!(ledger.run().held, held, "what is held is what is under way");
            }
        }
    }

    #[test]
    fn what_is_billed_above_a_reservation_is_booked_and_nothing_more_is_admitted() {
        let dollars = |n: u64| Amounts { money: Money::micros(n * 1_000_000), ..Amounts::default() };
        let mut ledger = Ledger::new(Limits::of(Cap::Money, dollars(10).money.0), 10);
        ledger.open(AssignmentId::nth(0), None, Limits::default(), Draws::Work);
        ledger.open(
            AssignmentId::nth(1),
            Some(AssignmentId::nth(0)),
            Limits::of(Cap::Money, dollars(5).money.0),
            Draws::Work,
        );
        ledger.open(AssignmentId::nth(2), Some(AssignmentId::nth(0)), Limits::default(), Draws::Landing);
        ledger.hold(AssignmentId::nth(1), dollars(3), 0).unwrap();
        ledger.settle(AssignmentId::nth(1), dollars(3), dollars(8));
        for account in [*ledger.run(), ledger.assignment(AssignmentId::nth(0)), ledger.assignment(AssignmentId::nth(1))]
        {
            assert_eq!((account.spent, account.overrun, account.held), (dollars(8), dollars(5), dollars(0)));
        }
        assert!(ledger.holds());
        assert_eq!(ledger.hold(AssignmentId::nth(1), dollars(1), 0).unwrap_err().of, Some(AssignmentId::nth(1)));
        assert_eq!(
            ledger.hold(AssignmentId::nth(0), dollars(2), 0).unwrap_err().of,
            None,
            "what is kept for landing stays"
        );
        ledger.hold(AssignmentId::nth(2), dollars(2), 0).unwrap();
        ledger.settle_in_part(AssignmentId::nth(2), dollars(2), dollars(4), dollars(2));
        let account = ledger.run();
        assert_eq!((account.spent, account.overrun, account.in_doubt), (dollars(12), dollars(7), dollars(0)));
        assert!(ledger.holds() && ledger.hold(AssignmentId::nth(2), dollars(1), 0).is_err());
    }

    #[test]
    fn the_landing_reserve_is_there_when_work_has_taken_all_it_may() {
        let mut ledger = Ledger::new(Limits { tool_calls: Some(10), ..Limits::default() }, 20);
        ledger.open(AssignmentId::nth(1), None, Limits::default(), Draws::Work);
        ledger.open(AssignmentId::nth(2), None, Limits::default(), Draws::Landing);
        let one = Amounts { tool_calls: 1, ..Amounts::default() };
        let taken = (0..20).filter(|_| ledger.hold(AssignmentId::nth(1), one, 0).is_ok()).count();
        assert_eq!(taken, 8);
        assert_eq!(ledger.hold(AssignmentId::nth(1), one, 0), Err(Refusal { cap: Cap::ToolCalls, of: None }));
        assert!(ledger.hold(AssignmentId::nth(2), one, 0).is_ok() && ledger.hold(AssignmentId::nth(2), one, 0).is_ok());
        assert!(ledger.hold(AssignmentId::nth(2), one, 0).is_err());
    }

    #[test]
    fn a_raised_cap_raises_what_work_may_take_and_what_is_kept_for_landing() {
        let mut ledger = Ledger::new(Limits { tool_calls: Some(10), millis: Some(1_000), ..Limits::default() }, 20);
        ledger.open(AssignmentId::nth(1), None, Limits::default(), Draws::Work);
        ledger.open(AssignmentId::nth(2), None, Limits::default(), Draws::Landing);
        let one = Amounts { tool_calls: 1, ..Amounts::default() };
        let take = |ledger: &mut Ledger, id: u32, worked| {
            (0..50).filter(|_| ledger.hold(AssignmentId::nth(id), one, worked).is_ok()).count()
        };
        assert_eq!((take(&mut ledger, 1, 0), take(&mut ledger, 2, 0)), (8, 2));
        ledger.raise(Limits { tool_calls: Some(20), ..Limits::default() }).unwrap();
        assert_eq!((take(&mut ledger, 1, 0), take(&mut ledger, 2, 0)), (6, 4), "16 for work, 4 for landing");
        ledger.raise(Limits { tool_calls: Some(30), ..Limits::default() }).unwrap();
        assert_eq!(take(&mut ledger, 1, 1_000), 0, "time has a cap of its own");
        ledger.raise(Limits::of(Cap::Time, 2_000)).unwrap();
        assert_eq!(take(&mut ledger, 1, 1_000), 4);
    }

    #[test]
    fn time_stops_work_before_it_stops_landing() {
        let mut ledger = Ledger::new(Limits { millis: Some(1_000), ..Limits::default() }, 10);
        ledger.open(AssignmentId::nth(1), None, Limits::default(), Draws::Work);
        ledger.open(AssignmentId::nth(2), None, Limits::default(), Draws::Landing);
        assert!(ledger.hold(AssignmentId::nth(1), Amounts::default(), 899).is_ok());
        assert_eq!(ledger.hold(AssignmentId::nth(1), Amounts::default(), 900).unwrap_err().cap, Cap::Time);
        assert!(ledger.hold(AssignmentId::nth(2), Amounts::default(), 999).is_ok());
        assert!(ledger.hold(AssignmentId::nth(2), Amounts::default(), 1_000).is_err());
    }

    #[test]
    fn money_is_shown_rounded_up() {
        for (pico, shown) in [(0, "$0"), (1, "$0.0001"), (12_000_000_000, "$0.02"), (1_500_000_000_000, "$1.50")] {
            assert_eq!(Money(pico).to_string(), shown);
        }
    }

    #[test]
    fn dollars_are_read_digit_by_digit() {
        for (text, pico) in [
            ("0.50", 500_000_000_000),
            ("$2", 2_000_000_000_000),
            (".000000000001", 1),
            ("0", 0),
            ("1.", 1_000_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Money(pico)), "{text}");
        }
        for wrong in ["", ".", "-1", "+1", "1e3", "0.0000000000001", "1,5", "$", "1_000", "99999999999", "nan", "٣"] {
            assert!(wrong.parse::<Money>().unwrap_err().contains("dollars"), "{wrong}");
        }
    }
}
