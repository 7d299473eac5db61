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

/// Processor time and memory that a process has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub processor: Duration,
    pub peak_kib: u64,
}

impl Usage {
    /// Of this process (`self`, or its number), while it is there.
    pub fn of(process: &str) -> Option<Usage> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let ticks: u64 = [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum();
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        let peak_kib = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(Usage { processor: Duration::from_millis(ticks * 10), peak_kib })
    }
}
