//! Waits and measures that a slow or busy machine does not change.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The longest wait: only one that is in vain takes so long.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something is so. Between two looks it sleeps: a wait that spins takes the processor from the awaited work.
///
/// # Panics
/// If it is not so within [`PATIENCE`]; the message has `what` in it.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processor time that this thread has used since a moment: other processes on the machine do not count.
pub struct Spent(Duration);

impl Spent {
    /// From now on.
    pub fn now() -> Spent {
        Spent(Spent::by_now())
    }

    /// The time since then.
    pub fn elapsed(&self) -> Duration {
        Spent::by_now() - self.0
    }

    fn by_now() -> Duration {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}
