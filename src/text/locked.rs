//! Locks whose values stay consistent even if a thread that held one has panicked.

// It is for the crates that share state: nothing is shared here.
#![allow(clippy::disallowed_types)]

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Locks a value, also after a thread has panicked with the lock: for values that are replaced in one step, or that are as
/// good after half of a change.
pub trait Locked<T> {
    /// Waits for the lock.
    fn locked(&self) -> MutexGuard<'_, T>;
}

impl<T> Locked<T> for Mutex<T> {
    fn locked(&self) -> MutexGuard<'_, T> {
        self.lock().woken()
    }
}

/// The lock that a condition variable gives back, by the same rule as [`Locked`].
pub trait Woken<G> {
    /// The lock, also after a thread has panicked with it.
    fn woken(self) -> G;
}

impl<G> Woken<G> for LockResult<G> {
    fn woken(self) -> G {
        self.unwrap_or_else(PoisonError::into_inner)
    }
}
