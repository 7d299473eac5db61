//! What is taken from a ledger while it is decided what to take: seen by what is decided next, and by nobody else.

use std::collections::BTreeMap;

use super::{Account, Amounts, Ledger, Refusal};
use crate::id::AssignmentId;

/// A ledger with what was taken from it besides. Only accounts that were taken from are copied, however many there are.
#[derive(Clone, Debug)]
pub struct Tentative<'a> {
    ledger: &'a Ledger,
    run: Account,
    changed: BTreeMap<AssignmentId, Account>,
}

impl<'a> Tentative<'a> {
    /// Of a ledger, with nothing taken yet.
    pub fn of(ledger: &'a Ledger) -> Tentative<'a> {
        Tentative { ledger, run: ledger.run, changed: BTreeMap::new() }
    }

    /// What [`Ledger::reserve`] would do.
    pub fn reserve(&mut self, id: AssignmentId, most: Amounts, worked: u64) -> Result<(), Refusal> {
        self.ledger.admits(&self.run, |id| self.account(id), id, most, worked)?;
        for id in self.ledger.chain(id) {
            let account = self.account(id);
            self.changed.insert(id, Account { reserved: account.reserved.plus(most), ..account });
        }
        self.run.reserved = self.run.reserved.plus(most);
        Ok(())
    }

    /// What [`Ledger::may_fit_later`] would say.
    pub fn may_fit_later(&self, id: AssignmentId, most: Amounts) -> bool {
        self.ledger.may_fit(&self.run, |id| self.account(id), id, most)
    }

    fn account(&self, id: AssignmentId) -> Account {
        self.changed.get(&id).copied().unwrap_or_else(|| self.ledger.assignment(id))
    }
}
