//! The wire to models, against servers that do what servers do: refuse, break off, fall silent, lie. No test needs a
//! network; `real.rs` asks a real model server where one is named.

mod answers;
mod asks;
mod bodies;
mod fixture;
mod real;
mod rude;
mod server;
mod streams;
mod talk;
