//! The world as the desk reaches it. The program has one; the simulation has another.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::journal::Journal;
use crate::run::evidence::Corpus;
use crate::run::{At, ToolRequest, ToolResult};
use crate::supervisor::Roster;
use crate::text::Clean;

/// Everything the desk reaches.
#[derive(Clone)]
pub struct World {
    /// Where facts are recorded.
    pub journal: Arc<dyn Journal>,
    /// What specialists use.
    pub tools: Arc<dyn Tools>,
    /// Who does the work of each role.
    pub roster: Arc<dyn Roster>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// Told how far reading the sources is: files looked at, files there are.
pub type Reading = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// A future of the world.
pub type Doing<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// How long a tool may usually take.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Tools, and the collection they work on. Errors are words for a person.
pub trait Tools: Send + Sync {
    /// Reads the sources as far as they have changed, so that they can be searched.
    fn read_sources(&self, reading: Reading) -> Doing<Result<Corpus, Clean>>;

    /// Performs a call. It only reads: performing it again does no harm.
    fn perform(&self, request: Arc<ToolRequest>) -> Doing<Result<ToolResult, Clean>>;

    /// How long a call may take before it has failed.
    fn patience(&self) -> Duration {
        PATIENCE
    }
}

/// What time it is.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> At;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> At {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        At(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
