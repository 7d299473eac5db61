//! Admits calls while a decision is made: each sees what those before it reserved, and the ledger stays as it is recorded.

use std::collections::BTreeMap;

use super::{Account, Amounts, Cap, Ledger, Refusal};
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
        let keep = self.ledger.keeps(id);
        let chain = self.ledger.chain(id);
        // Narrowest first: which cap refuses must not depend on what siblings happen to have reserved just now.
        for above in &chain {
            self.account(*above).fits(most, 0).map_err(|cap| Refusal { cap, of: Some(*above) })?;
        }
        self.run.fits(most, keep).map_err(|cap| Refusal { cap, of: None })?;
        if self.run.limits.usable(keep).cap(Cap::Time).is_some_and(|cap| worked >= cap) {
            return Err(Refusal { cap: Cap::Time, of: None });
        }
        for above in chain {
            let account = self.account(above);
            self.changed.insert(above, Account { reserved: account.reserved.plus(most), ..account });
        }
        self.run.reserved = self.run.reserved.plus(most);
        Ok(())
    }

    /// Whether a call that does not fit now may fit once what is reserved is settled: what is not used comes back.
    pub fn may_fit_later(&self, id: AssignmentId, most: Amounts) -> bool {
        let fits =
            |account: Account, keep| Account { reserved: Amounts::default(), ..account }.fits(most, keep).is_ok();
        let chain = self.ledger.chain(id);
        chain.into_iter().all(|above| fits(self.account(above), 0)) && fits(self.run, self.ledger.keeps(id))
    }

    fn account(&self, id: AssignmentId) -> Account {
        self.changed.get(&id).copied().unwrap_or_else(|| self.ledger.assignment(id))
    }
}
