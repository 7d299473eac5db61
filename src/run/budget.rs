//! The budget of a run: the amounts that are spent, reserved and left.
//!
//! A call is admitted only if everything spent, in doubt and reserved, with its own highest cost, stays within every cap above it:
//! its assignment's, those of the assignments that opened it, and the run's. Checking and reserving are one step. The cost of a
//! call is booked as billed, also above its reservation: then an account may stand above its cap by its overrun, and admits nothing
//! more. Integers only.

mod account;
mod amounts;
mod kind;
mod landing;
mod ledger;
mod money;
mod tentative;

pub use account::{Account, Refusal};
pub use amounts::{Amounts, Limits};
pub use kind::{Cap, amount, millis};
pub use landing::ForLanding;
pub use ledger::{Draws, Ledger};
pub use money::Money;
pub use tentative::Tentative;
