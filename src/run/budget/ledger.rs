//! The ledger: the accounts of a run and of its assignments, each below its parent's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::account::Account;
use super::amounts::{Amounts, Limits};
use super::kind::Cap;
use super::landing::ForLanding;
use crate::id::AssignmentId;
use crate::raise::Unraised;

/// Whether a call belongs to research or to landing: merging, writing, checking with the findings so far.
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
    pub(super) run: Account,
    for_landing: ForLanding,
    /// A ledger of another moment of the run shares those that are the same.
    assignments: BTreeMap<AssignmentId, Arc<AssignmentAccount>>,
    /// Those for which a part of the run's caps is kept.
    allotted: BTreeSet<AssignmentId>,
}

/// The account of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AssignmentAccount {
    account: Account,
    parent: Option<AssignmentId>,
    draws: Draws,
}

impl Ledger {
    /// A ledger that keeps this of the run's caps for landing; a number is a percentage.
    pub fn new(limits: Limits, for_landing: impl Into<ForLanding>) -> Ledger {
        let run = Account { limits, ..Account::default() };
        Ledger { run, for_landing: for_landing.into(), ..Ledger::default() }
    }

    /// Raises caps of the run, and with them the part kept for landing. Open assignments keep the caps they were given, so that
    /// refusals do not depend on timing.
    ///
    /// # Errors
    /// One of them would not be raised; then none is.
    pub fn raise(&mut self, to: Limits) -> Result<(), Unraised> {
        let higher = self.run.limits.raised(to)?;
        self.run.limits = higher.or(self.run.limits);
        Ok(())
    }

    /// Gives the run these caps in place of its own, of those that are given: of a fork, which may have lower ones too.
    pub(crate) fn cap_anew(&mut self, to: Limits) {
        self.run.limits = to.or(self.run.limits);
    }

    /// Opens an assignment's account below its parent's.
    pub fn open(&mut self, id: AssignmentId, parent: Option<AssignmentId>, limits: Limits, draws: Draws) {
        let account = Account { limits, ..Account::default() };
        self.assignments.insert(id, Arc::new(AssignmentAccount { account, parent, draws }));
    }

    /// The run's account.
    pub fn run(&self) -> &Account {
        &self.run
    }

    /// The part of the run's caps that is for work, taken or not. Time is not in it: the run's own clock counts it.
    pub fn for_work(&self) -> Limits {
        self.run.limits.usable(self.for_landing).with(Cap::Time, None)
    }

    /// The amounts of the run's caps that are kept for assignments and not taken yet.
    pub fn kept(&self) -> Amounts {
        self.allotted.iter().fold(Amounts::default(), |sum, id| sum.plus(self.assignment(*id).kept()))
    }

    /// The amounts of the run's caps that work may still take and that are kept for no assignment.
    pub fn free(&self) -> Limits {
        self.for_work().minus(self.run.committed().plus(self.kept()))
    }

    /// Keeps this part of the run's caps for an assignment, including its use so far, in place of the part kept for it before;
    /// nothing from now on if it is None.
    pub fn allot(&mut self, id: AssignmentId, part: Option<Limits>) {
        let Some(one) = self.assignments.get_mut(&id) else { return };
        Arc::make_mut(one).account.allotted = part;
        if part.is_some() {
            self.allotted.insert(id)
        } else {
            self.allotted.remove(&id)
        };
    }

    /// The assignments for which a part of the run's caps is kept.
    pub fn allotted(&self) -> impl Iterator<Item = AssignmentId> {
        self.allotted.iter().copied()
    }

    /// Whether an assignment works or lands.
    pub fn draws(&self, id: AssignmentId) -> Draws {
        self.assignments.get(&id).map_or(Draws::Work, |one| one.draws)
    }

    /// Whether the time for this kind of assignment has passed, when the run has worked for `worked` (ms).
    pub(crate) fn is_time_up(&self, id: AssignmentId, worked: u64) -> bool {
        self.time_left(id, worked) == Some(0)
    }

    /// The time (ms) that is left for this kind of assignment, when the run has worked for `worked`; None without a cap.
    pub fn time_left(&self, id: AssignmentId, worked: u64) -> Option<u64> {
        self.run.limits.usable(self.keeps(id)).cap(Cap::Time).map(|cap| cap.saturating_sub(worked))
    }

    /// An assignment's account.
    pub fn assignment(&self, id: AssignmentId) -> Account {
        self.assignments.get(&id).map(|one| one.account).unwrap_or_default()
    }

    /// The part of the run's caps that a call of `id` has to leave.
    pub(super) fn keeps(&self, id: AssignmentId) -> ForLanding {
        match self.assignments.get(&id).map(|one| one.draws) {
            Some(Draws::Landing) => ForLanding::default(),
            _ => self.for_landing,
        }
    }

    /// Reserves `most` for a call of `id`, without asking: [`Tentative::reserve`](super::Tentative::reserve) has admitted it.
    pub fn reserve(&mut self, id: AssignmentId, most: Amounts) {
        self.each(id, |account| account.reserved = account.reserved.plus(most));
    }

    /// Releases the reservation of a call and books its bill, even if that is higher. Of the rest, `doubt` stays reserved: it is
    /// not known whether it will be billed.
    pub fn settle(&mut self, id: AssignmentId, reserved: Amounts, billed: Amounts, doubt: Amounts) {
        self.each(id, |account| account.settle(reserved, billed, doubt));
        if let Some(one) = self.assignments.get_mut(&id) {
            let account = &mut Arc::make_mut(one).account;
            account.own = account.own.plus(billed);
        }
    }

    /// The assignment and those above it.
    pub(super) fn chain(&self, id: AssignmentId) -> Vec<AssignmentId> {
        std::iter::successors(Some(id), |id| self.assignments.get(id)?.parent)
            .filter(|id| self.assignments.contains_key(id))
            .take(16)
            .collect()
    }

    fn each(&mut self, id: AssignmentId, change: impl Fn(&mut Account)) {
        for id in self.chain(id) {
            if let Some(one) = self.assignments.get_mut(&id) {
                change(&mut Arc::make_mut(one).account);
            }
        }
        change(&mut self.run);
    }

    /// Whether every cap holds but for bills above reservations; the simulation asks after every event.
    pub fn holds(&self) -> bool {
        self.run.holds() && self.assignments.values().all(|one| one.account.holds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Money, Refusal, Tentative};
    use proptest::prelude::*;

    /// Makes the reservation if it is admitted, as a decision and its record do.
    fn reserve(ledger: &mut Ledger, id: u32, most: Amounts, worked: u64) -> Result<(), Refusal> {
        let id = AssignmentId::nth(id);
        Tentative::of(ledger).reserve(id, most, worked)?;
        ledger.reserve(id, most);
        Ok(())
    }

    fn amounts() -> impl Strategy<Value = Amounts> {
        (0u64..60, 0u64..60, 0u64..3, 0u64..3).prop_map(|(money, tokens, calls, tool_calls)| {
            let small = Amounts::of(Cap::Calls, calls).with(Cap::ToolCalls, tool_calls);
            small.with(Cap::Money, money).with(Cap::Tokens, tokens)
        })
    }

    fn limits() -> impl Strategy<Value = Limits> {
        let cap = |most| proptest::option::of(0..most);
        (cap(300u64), cap(300), cap(12), cap(12)).prop_map(|(money, tokens, calls, tool_calls)| {
            let small = Limits::default().with(Cap::Calls, calls).with(Cap::ToolCalls, tool_calls);
            small.with(Cap::Money, money).with(Cap::Tokens, tokens)
        })
    }

    #[derive(Clone, Debug)]
    enum Move {
        Reserve(u32, Amounts),
        Settle(usize, Amounts, Amounts),
        Doubt(usize),
        Raise(Limits),
    }

    fn moves() -> impl Strategy<Value = Vec<Move>> {
        let one = prop_oneof![
            3 => (0u32..8, amounts()).prop_map(|(id, most)| Move::Reserve(id, most)),
            2 => (0usize..8, amounts()).prop_map(|(n, used)| Move::Settle(n, used, Amounts::default())),
            1 => (0usize..8, amounts(), amounts()).prop_map(|(n, used, doubt)| Move::Settle(n, used, doubt)),
            1 => (0usize..8).prop_map(Move::Doubt),
            1 => limits().prop_map(Move::Raise),
        ];
        proptest::collection::vec(one, 0..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// However reservations, settlements, doubts and raised caps interleave, whichever assignment asks: no cap is ever passed
        /// but by bills above reservations, every bill is booked whole, and work leaves the landing reserve alone.
        #[test]
        fn no_interleaving_passes_a_cap(run in limits(), caps in proptest::collection::vec(limits(), 8), moves in moves(), keep in 0u64..50) {
            let mut ledger = Ledger::new(run, keep);
            for (n, cap) in caps.iter().enumerate() {
                let n = n as u32;
                // 0 is the root; 1 leads a section, and 3 one below it with 6 and 7; 2 and 4 work by themselves. 5 lands: it
                // is paid by the run, whichever assignment asked for it.
                let parent = [None, Some(0), Some(0), Some(1), Some(1), Some(0), Some(3), Some(3)];
                let parent = parent[n as usize].map(AssignmentId::nth);
                ledger.open(AssignmentId::nth(n), parent, *cap, if n == 5 { Draws::Landing } else { Draws::Work });
            }
            let mut under_way: Vec<(AssignmentId, Amounts)> = Vec::new();
            let mut billed = Amounts::default();
            for step in moves {
                match step {
                    Move::Reserve(id, most) => {
                        let before = ledger.run().committed();
                        let mut tentative = Tentative::of(&ledger);
                        let tried = tentative.reserve(AssignmentId::nth(id), most, 0);
                        let (later, twice) = (tentative.may_fit_later(AssignmentId::nth(id), most), tentative.reserve(AssignmentId::nth(id), most, 0));
                        match tried {
                            Ok(()) => {
                                ledger.reserve(AssignmentId::nth(id), most);
                                under_way.push((AssignmentId::nth(id), most));
                                if id != 5 && let (Some(cap), true) = (ledger.run().limits.usable(keep.into()).cap(Cap::Tokens), most.tokens() > 0) {
                                    prop_assert!(ledger.run().committed().tokens() <= cap);
                                }
                                for account in [*ledger.run(), ledger.assignment(AssignmentId::nth(id))] {
                                    let (cap, gone) = (account.limits.money(), account.committed().money());
                                    prop_assert!(most.money().0 == 0 || cap.is_none_or(|cap| gone <= cap), "taken above a cap");
                                }
                            }
                            Err(_) => prop_assert_eq!(before, ledger.run().committed(), "a refusal takes nothing"),
                        }
                        let mut afresh = Tentative::of(&ledger);
                        prop_assert_eq!(later, afresh.may_fit_later(AssignmentId::nth(id), most), "what is tried is what will be");
                        prop_assert_eq!(twice, afresh.reserve(AssignmentId::nth(id), most, 0), "and what follows from it");
                    }
                    Move::Settle(n, used, doubt) if n < under_way.len() => {
                        let (id, reserved) = under_way.swap_remove(n);
                        ledger.settle(id, reserved, used, doubt);
                        billed = billed.plus(used);
                    }
                    Move::Doubt(n) if n < under_way.len() => {
                        let (id, reserved) = under_way.swap_remove(n);
                        let before = ledger.run().committed();
                        ledger.settle(id, reserved, Amounts::default(), reserved);
                        prop_assert_eq!(before, ledger.run().committed(), "what is in doubt stays reserved");
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
                let reserved = under_way.iter().fold(Amounts::default(), |sum, (_, most)| sum.plus(*most));
                prop_assert_eq!(ledger.run().reserved, reserved, "what is reserved is what is under way");
            }
        }
    }

    #[test]
    fn what_is_billed_above_a_reservation_is_booked_and_nothing_more_is_admitted() {
        let dollars = |n: u64| Amounts::of(Cap::Money, Money::micros(n * 1_000_000).0);
        let mut ledger = Ledger::new(Limits::of(Cap::Money, dollars(10).money().0), 10);
        ledger.open(AssignmentId::nth(0), None, Limits::default(), Draws::Work);
        ledger.open(
            AssignmentId::nth(1),
            Some(AssignmentId::nth(0)),
            Limits::of(Cap::Money, dollars(5).money().0),
            Draws::Work,
        );
        ledger.open(AssignmentId::nth(2), Some(AssignmentId::nth(0)), Limits::default(), Draws::Landing);
        reserve(&mut ledger, 1, dollars(3), 0).unwrap();
        ledger.settle(AssignmentId::nth(1), dollars(3), dollars(8), dollars(0));
        for account in [*ledger.run(), ledger.assignment(AssignmentId::nth(0)), ledger.assignment(AssignmentId::nth(1))]
        {
            assert_eq!((account.spent, account.overrun, account.reserved), (dollars(8), dollars(5), dollars(0)));
        }
        assert!(ledger.holds());
        assert_eq!(reserve(&mut ledger, 1, dollars(1), 0).unwrap_err().of, Some(AssignmentId::nth(1)));
        assert_eq!(reserve(&mut ledger, 0, dollars(2), 0).unwrap_err().of, None, "what is kept for landing stays");
        reserve(&mut ledger, 2, dollars(2), 0).unwrap();
        ledger.settle(AssignmentId::nth(2), dollars(2), dollars(4), dollars(2));
        let account = ledger.run();
        assert_eq!((account.spent, account.overrun, account.in_doubt), (dollars(12), dollars(7), dollars(0)));
        assert!(ledger.holds() && reserve(&mut ledger, 2, dollars(1), 0).is_err());
    }

    #[test]
    fn the_landing_reserve_is_there_when_work_has_taken_all_it_may() {
        let mut ledger = Ledger::new(Limits::of(Cap::ToolCalls, 10), 20);
        ledger.open(AssignmentId::nth(1), None, Limits::default(), Draws::Work);
        ledger.open(AssignmentId::nth(2), None, Limits::default(), Draws::Landing);
        let one = Amounts::of(Cap::ToolCalls, 1);
        let taken = (0..20).filter(|_| reserve(&mut ledger, 1, one, 0).is_ok()).count();
        assert_eq!(taken, 8);
        assert_eq!(reserve(&mut ledger, 1, one, 0), Err(Refusal { cap: Cap::ToolCalls, of: None, most: Some(10) }));
        assert!(reserve(&mut ledger, 2, one, 0).is_ok() && reserve(&mut ledger, 2, one, 0).is_ok());
        assert!(reserve(&mut ledger, 2, one, 0).is_err());
    }

    #[test]
    fn a_raised_cap_raises_what_work_may_take_and_what_is_kept_for_landing() {
        let mut ledger = Ledger::new(Limits::of(Cap::ToolCalls, 10).with(Cap::Time, Some(1_000)), 20);
        ledger.open(AssignmentId::nth(1), None, Limits::default(), Draws::Work);
        ledger.open(AssignmentId::nth(2), None, Limits::default(), Draws::Landing);
        let one = Amounts::of(Cap::ToolCalls, 1);
        let take =
            |ledger: &mut Ledger, id: u32, worked| (0..50).filter(|_| reserve(ledger, id, one, worked).is_ok()).count();
        assert_eq!((take(&mut ledger, 1, 0), take(&mut ledger, 2, 0)), (8, 2));
        ledger.raise(Limits::of(Cap::ToolCalls, 20)).unwrap();
        assert_eq!((take(&mut ledger, 1, 0), take(&mut ledger, 2, 0)), (6, 4), "16 for work, 4 for landing");
        ledger.raise(Limits::of(Cap::ToolCalls, 30)).unwrap();
        assert_eq!(take(&mut ledger, 1, 1_000), 0, "time has a cap of its own");
        ledger.raise(Limits::of(Cap::Time, 2_000)).unwrap();
        assert_eq!(take(&mut ledger, 1, 1_000), 4);
    }

    #[test]
    fn time_stops_work_before_it_stops_landing() {
        let mut ledger = Ledger::new(Limits::of(Cap::Time, 1_000), 10);
        ledger.open(AssignmentId::nth(1), None, Limits::default(), Draws::Work);
        ledger.open(AssignmentId::nth(2), None, Limits::default(), Draws::Landing);
        assert!(reserve(&mut ledger, 1, Amounts::default(), 899).is_ok());
        assert_eq!(reserve(&mut ledger, 1, Amounts::default(), 900).unwrap_err().cap, Cap::Time);
        assert!(reserve(&mut ledger, 2, Amounts::default(), 999).is_ok());
        assert!(reserve(&mut ledger, 2, Amounts::default(), 1_000).is_err());
    }
}
