//! Outside: models. What they cost, which there are, and how to wait for one's turn with them.

pub mod allowance;
pub mod breaker;
pub mod gate;
pub mod prices;
