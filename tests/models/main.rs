//! The wire to models, against servers with the faults of real ones: they refuse, break off, fall silent, lie. No test needs a
//! network; the tests of `real.rs` are ignored, because they need a real model server.

mod answers;
mod asks;
mod bodies;
mod fixture;
mod real;
mod responses;
mod rude;
mod server;
mod streams;
mod talk;
