//! The budget of a run: what was spent, what is reserved, what may still be taken.
//!
//! A call is admitted only if everything spent, in doubt and reserved, with what it may cost at the most, stays within
//! every cap above it: its assignment's, those of the assignments that opened it, and the run's. Checking and
//! reserving are one step. What a call did cost is booked as it was billed, also above what was reserved for it: then
//! an account may stand above its cap by its overrun, and admits nothing more. Integers only.

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
