//! The world as the desk reaches it. The program has one; the simulation has another.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::{mpsc, oneshot};

use journal::Journal;
use run::attempt::{Class, Fault};
use run::command::Notice;
use run::evidence::Corpus;
use run::transcript::Round;
use run::{At, CallId, ModelRequest, Reply, ToolCall, ToolResult};
use supervisor::Roster;
use text::Clean;

pub use tool::Doing;

/// Everything the desk reaches.
#[derive(Clone)]
pub struct World {
    /// Where facts are recorded.
    pub journal: Arc<dyn Journal>,
    /// What specialists use.
    pub tools: Arc<dyn Tools>,
    /// What models answer.
    pub models: Arc<dyn Models>,
    /// Who does the work of each role.
    pub roster: Arc<dyn Roster>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// Told how far reading the sources is: files looked at, files there are.
pub type Reading = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Tools, and the collection they work on. Errors are words for a person.
pub trait Tools: Send + Sync {
    /// Reads the sources as far as they have changed, so that they can be searched.
    fn read_sources(&self, reading: Reading) -> Doing<Result<Corpus, Clean>>;

    /// Performs a call. One of a tool that is not safe to repeat is on record as started by then.
    fn perform(&self, call: Arc<ToolCall>) -> Doing<Result<ToolResult, Clean>>;

    /// How long a call may take before it has failed.
    fn patience(&self, _: &ToolCall) -> Duration {
        tool::PATIENCE
    }
}

/// One attempt of a model call, as it is to leave.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The logical call.
    pub call: CallId,
    /// The name of the logical call for its provider, the same for each of its attempts.
    pub key: String,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// Everything said and answered before, and last the request itself.
    pub rounds: Vec<Round>,
}

impl Outgoing {
    /// The request that is to be answered.
    ///
    /// # Panics
    /// Never: the desk makes no attempt without a request.
    pub fn request(&self) -> &ModelRequest {
        &self.rounds.last().expect("an attempt has a request").request
    }
}

/// Models. One attempt of one call; whatever is to be tried again is decided elsewhere.
pub trait Models: Send + Sync {
    /// Waits for its turn, tells the desk that it leaves, sends, and brings back the whole answer or why there is none.
    fn attempt(&self, outgoing: Outgoing, line: Line) -> Doing<Result<Reply, Fault>>;
}

/// For runs whose team asks no model.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoModels;

impl Models for NoModels {
    fn attempt(&self, outgoing: Outgoing, _: Line) -> Doing<Result<Reply, Fault>> {
        let what = format!("there is nobody to ask {} of", outgoing.request().model);
        Box::pin(async move { Err(Fault::before_sending(Class::Unreachable, what.into())) })
    }
}

/// The line from an attempt to the desk while it is under way.
#[derive(Clone)]
pub struct Line {
    pub(super) call: CallId,
    pub(super) attempt: u32,
    pub(super) leaving: mpsc::UnboundedSender<Leaving>,
    pub(super) audience: Arc<dyn Fn(Notice) + Send + Sync>,
}

/// An attempt that is about to leave; it waits until that is on record.
pub(super) struct Leaving {
    pub(super) call: CallId,
    pub(super) attempt: u32,
    pub(super) recorded: oneshot::Sender<()>,
}

/// The desk has stopped: nothing more may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl Line {
    /// Puts on record that the attempt leaves now. No byte may be sent before this has come back.
    ///
    /// # Errors
    /// The desk has stopped.
    pub async fn leaving(&self) -> Result<(), Stopped> {
        let (recorded, answer) = oneshot::channel();
        let leaving = Leaving { call: self.call, attempt: self.attempt, recorded };
        self.leaving.send(leaving).map_err(|_| Stopped)?;
        answer.await.map_err(|_| Stopped)
    }

    /// Says what it waits for, and until when if that is known. Not recorded.
    pub fn waiting(&self, why: Clean, until: Option<At>) {
        (self.audience)(Notice::Waiting { call: self.call, why, until });
    }

    /// Shows text as it comes, before the answer is whole. Not recorded.
    pub fn shows(&self, text: Clean) {
        (self.audience)(Notice::Heard { call: self.call, text });
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
