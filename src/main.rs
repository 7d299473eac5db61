//! The program: reads the command line, chooses a front end, and says by its exit code how it went.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    masthead::cli::main()
}
