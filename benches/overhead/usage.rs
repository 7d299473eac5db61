//! Reads the processor time and the memory of a process from the system.

use std::time::Duration;

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
