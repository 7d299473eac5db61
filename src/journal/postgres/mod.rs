//! The journal in a PostgreSQL database: several machines have the same runs. A process that works on a run has a lease on it in
//! the database, by the clock of the database, with a token that each append shows; one that lost its lease writes nothing more.
//!
//! A follower of a run asks for new events; it is not told of them. The password is in the address and nowhere else.

mod address;
mod lease;
mod passfile;
mod rows;
mod schema;
mod session;
mod tls;
mod write;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::store::{Claimed, Deleted, Store};
use super::{Claim, Journal, JournalError, Reader, Tag};
use run::RunId;

pub(super) use address::Address;
use lease::Leases;
use rows::DatabaseRows;
use session::Calls;
use write::DatabaseJournal;

/// The journal in the database at an address.
pub(super) struct DatabaseStore {
    address: Arc<Address>,
    calls: Arc<Calls>,
    leases: Leases,
    /// Whether this process has seen to it that the tables are there.
    is_made: AtomicBool,
}

impl DatabaseStore {
    pub(super) fn new(address: Address) -> DatabaseStore {
        let address = Arc::new(address);
        let calls = Arc::new(Calls::to(address.clone()));
        let leases = Leases::of(address.clone());
        DatabaseStore { address, calls, leases, is_made: AtomicBool::new(false) }
    }

    fn make(&self) -> Result<(), JournalError> {
        if !self.is_made.load(Ordering::Acquire) {
            self.calls.call(|session| session.with(schema::make))?;
            self.is_made.store(true, Ordering::Release);
        }
        Ok(())
    }
}

impl Store for DatabaseStore {
    fn place(&self) -> String {
        self.address.to_string()
    }

    fn read(&self) -> Result<Option<Reader>, JournalError> {
        let there = self.calls.call(|session| session.with_again(schema::is_there))?;
        Ok(there.then(|| Reader::of(DatabaseRows::new(self.place(), self.calls.clone()))))
    }

    fn write(&self) -> Result<Arc<dyn Journal>, JournalError> {
        self.make()?;
        Ok(Arc::new(DatabaseJournal::open(&self.address, &self.leases)?))
    }

    fn claim(&self, run: &RunId) -> Result<Claimed, JournalError> {
        self.make()?;
        self.leases.take(run)
    }

    fn is_claimed(&self, run: &RunId) -> Result<bool, JournalError> {
        let run = run.to_string();
        self.calls.call(move |session| session.with_again(|client, _| lease::is_held(client, &run)))
    }

    fn tag(&self, run: &RunId, add: &[Tag], remove: &[Tag]) -> Result<bool, JournalError> {
        self.make()?;
        let run = run.to_string();
        let words = |tags: &[Tag]| tags.iter().map(|tag| tag.as_str().to_owned()).collect::<Vec<_>>();
        let (add, remove) = (words(add), words(remove));
        self.calls.call(move |session| session.with(|client, _| write::tag(client, &run, &add, &remove)))
    }

    fn delete(&self, run: &RunId, claim: Claim) -> Result<Deleted, JournalError> {
        let (run, token) = (run.clone(), self.leases.token(run));
        let deleted = self.calls.call(move |session| session.with(|client, _| write::delete(client, &run, token)));
        drop(claim);
        deleted
    }
}
