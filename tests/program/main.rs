//! The program as a person starts it: the real binary, on a command line, in a terminal, against scripted servers.

mod binary;
mod canary;
mod failures;
mod inspect;
mod led;
mod memory;
mod pdf;
mod questions;
mod recorded;
mod terminal;
mod web;
