//! The program. Everything it does is in the crates beside this file; `cli` is the one that chooses among them.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
