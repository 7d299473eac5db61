//! The program as a person starts it: the real binary, on a command line, in a terminal, against scripted servers.

mod against_one;
mod binary;
mod breakpoints;
mod canary;
mod caps;
mod ends;
mod evaluated;
mod failover;
mod failures;
mod forks;
mod hostile;
mod inspect;
mod json;
mod led;
mod listen;
mod manual;
mod mcp;
mod memory;
mod modelled;
mod open;
mod output;
mod overview;
mod pages;
mod pdf;
mod place;
mod plain;
mod proxies;
mod questions;
mod recorded;
mod redacted;
mod runs;
mod serve;
#[cfg(feature = "postgres")]
mod shared;
mod small_context;
mod telemetry;
mod terminal;
mod unread;
mod web;
mod whole;

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_masthead");

/// The program, writing below `home` and seeing nothing of this machine's settings.
fn masthead(home: &Path) -> Command {
    kit::program(PROGRAM, home)
}
