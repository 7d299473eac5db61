//! Admits calls while a decision is made: each sees the reservations of those before it, and the ledger stays as it is recorded.

use std::collections::BTreeMap;

use super::{Account, Amounts, Cap, ForLanding, Ledger, Refusal};
use crate::id::AssignmentId;

/// A ledger with reservations that are not recorded yet. Only the accounts that changed are copied.
#[derive(Clone, Debug)]
pub struct Tentative<'a> {
    ledger: &'a Ledger,
    run: Account,
    changed: BTreeMap<AssignmentId, Account>,
}

impl<'a> Tentative<'a> {
    /// This ledger, with nothing more reserved.
    pub fn of(ledger: &'a Ledger) -> Tentative<'a> {
        Tentative { ledger, run: ledger.run, changed: BTreeMap::new() }
    }

    /// Reserves `most` for a call of `id`. `worked` is how long the run has worked (ms).
    ///
    /// # Errors
    /// The cap that it would pass; nothing is reserved.
    pub fn reserve(&mut self, id: AssignmentId, most: Amounts, worked: u64) -> Result<(), Refusal> {
        self.fits(id, most, worked)?;
        for above in self.ledger.chain(id) {
            let account = self.account(above);
            self.changed.insert(above, Account { reserved: account.reserved.plus(most), ..account });
        }
        self.run.reserved = self.run.reserved.plus(most);
        Ok(())
    }

    /// Whether that may be reserved.
    ///
    /// # Errors
    /// The cap that it would pass.
    pub fn fits(&self, id: AssignmentId, most: Amounts, worked: u64) -> Result<(), Refusal> {
        let keep = self.ledger.keeps(id);
        let of_run = |cap| Refusal { cap, of: None, most: self.run.limits.cap(cap) };
        // Narrowest first: the cap that refuses must not depend on the siblings' reservations at the moment.
        for above in self.ledger.chain(id) {
            let account = self.account(above);
            let own = |cap| Refusal { cap, of: Some(above), most: account.limits.cap(cap) };
            account.unallotted().fits(most, ForLanding::default()).map_err(own)?;
            account.fits(most, ForLanding::default()).map_err(of_run)?;
        }
        self.run.fits(most, keep).map_err(of_run)?;
        if self.ledger.is_time_up(id, worked) {
            return Err(of_run(Cap::Time));
        }
        Ok(())
    }

    /// Whether a call that does not fit now may fit once reservations are settled: the unused part comes back.
    pub fn may_fit_later(&self, id: AssignmentId, most: Amounts) -> bool {
        let fits =
            |account: Account, keep| Account { reserved: Amounts::default(), ..account }.fits(most, keep).is_ok();
        let chain = self.ledger.chain(id);
        chain.into_iter().all(|above| fits(self.account(above), ForLanding::default()))
            && fits(self.run, self.ledger.keeps(id))
    }

    /// Whether it may fit once more is kept for its assignment, and everything that is reserved came back.
    pub fn may_fit_with_more(&self, id: AssignmentId, most: Amounts) -> bool {
        let fits = |account: Account, keep| {
            Account { reserved: Amounts::default(), ..account.unallotted() }.fits(most, keep).is_ok()
        };
        let chain = self.ledger.chain(id);
        chain.into_iter().all(|above| fits(self.account(above), ForLanding::default()))
            && fits(self.run, self.ledger.keeps(id))
    }

    fn account(&self, id: AssignmentId) -> Account {
        self.changed.get(&id).copied().unwrap_or_else(|| self.ledger.assignment(id))
    }
}
