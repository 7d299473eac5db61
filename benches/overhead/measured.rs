//! Wall time, processor time and memory of one run, for the program and the bare loop alike.

use std::time::Duration;

/// The measurements of one run with `n` researchers.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// From the first handoff to a researcher to the last report.
    pub wall: Duration,
    /// Processor time of the process within that.
    pub processor: Duration,
    /// The most memory that the process held, from its start to its end.
    pub peak_kib: u64,
    /// Answers of models within that.
    pub calls: u64,
    /// Bytes of the journal for each call.
    pub bytes_a_call: u64,
}
