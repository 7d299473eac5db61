//! The outside world of the desk (journal, tools, models, clock), as traits: the program and the simulation implement them.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::{mpsc, oneshot};

use journal::Journal;
use run::attempt::{Class, Fault};
use run::command::Notice;
use run::evidence::Corpus;
use run::progress::{Progress, Saying};
use run::transcript::Round;
use run::{At, CallId, ModelRequest, Reply, ToolCall, ToolResult};
use supervisor::{Elsewhere, Roster};
use text::Clean;

pub use tool::{BoxFuture, ToolError};

/// Everything the desk acts on.
#[derive(Clone)]
pub struct World {
    /// Records events.
    pub journal: Arc<dyn Journal>,
    /// Performs tool calls.
    pub tools: Arc<dyn Tools>,
    /// Performs model calls.
    pub models: Arc<dyn Models>,
    /// The specialists, by role.
    pub roster: Arc<dyn Roster>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// Called with the progress of reading the sources: files done, files in total.
pub type OnProgress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// The tools and their collection. Errors are messages for a person.
pub trait Tools: Send + Sync {
    /// Reads the sources as far as they have changed, so that they can be searched.
    fn read_sources(&self, on_progress: OnProgress) -> BoxFuture<Result<Corpus, Clean>>;

    /// Performs a call. The start of a call that is not safe to repeat has been recorded.
    fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>>;

    /// Takes a message of the tools for the person; returns each once. It is not recorded.
    fn take_remark(&self) -> Option<Clean> {
        None
    }

    /// The timeout of a call.
    fn patience(&self, _: &ToolCall) -> Duration {
        tool::PATIENCE
    }
}

/// One attempt of a model call, ready to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The call.
    pub call: CallId,
    /// The idempotency key of the call, the same for each of its attempts with the same body.
    pub key: String,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// The whole conversation, with the request itself last.
    pub rounds: Vec<Round>,
    /// The fallbacks: if another model can take over, this call is not waited for long.
    pub elsewhere: Elsewhere,
}

impl Outgoing {
    /// The request to be answered.
    ///
    /// # Panics
    /// Never: the desk makes no attempt without a request.
    pub fn request(&self) -> &ModelRequest {
        &self.rounds.last().expect("an attempt has a request").request
    }
}

/// Performs single attempts of model calls; retries are decided elsewhere.
pub trait Models: Send + Sync {
    /// Waits for the rate limit, has the start recorded, sends, and returns the whole answer or the failure.
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>>;
}

/// For runs whose team has no models.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoModels;

impl Models for NoModels {
    fn attempt(&self, outgoing: Outgoing, _: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let what = format!("this run has no models, so {} cannot be called", outgoing.request().model);
        Box::pin(async move { Err(Fault::before_sending(Class::Unreachable, what.into())) })
    }
}

/// The connection of an attempt under way to the desk.
#[derive(Clone)]
pub struct AttemptReporter {
    pub(super) call: CallId,
    pub(super) attempt: u32,
    pub(super) sending: mpsc::UnboundedSender<PendingSend>,
    pub(super) audience: Arc<dyn Fn(Notice) + Send + Sync>,
}

/// An attempt that is about to be sent; it waits until that is recorded.
pub(super) struct PendingSend {
    pub(super) call: CallId,
    pub(super) attempt: u32,
    pub(super) recorded: oneshot::Sender<()>,
}

/// The desk has stopped: nothing more may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl AttemptReporter {
    /// Has the start of the attempt recorded. No byte may be sent before this returns.
    ///
    /// # Errors
    /// The desk has stopped.
    pub async fn sending(&self) -> Result<(), Stopped> {
        let (recorded, answer) = oneshot::channel();
        let sending = PendingSend { call: self.call, attempt: self.attempt, recorded };
        self.sending.send(sending).map_err(|_| Stopped)?;
        answer.await.map_err(|_| Stopped)
    }

    /// Shows why it waits, and until when if that is known. Not recorded.
    pub fn waiting(&self, why: Clean, until: Option<At>) {
        (self.audience)(Notice::Waiting { call: self.call, why, until });
    }

    /// Shows the person a message about this call. Not recorded.
    pub fn says(&self, what: Clean) {
        (self.audience)(Notice::Said(what));
    }

    /// Shows the progress of the answer. Not recorded.
    pub fn goes_on(&self, progress: Progress) {
        (self.audience)(Notice::GoesOn { call: self.call, progress });
    }

    /// Shows a piece of the answer as it arrives. Not recorded.
    pub fn shows(&self, what: Saying, text: Clean) {
        (self.audience)(Notice::Heard { call: self.call, what, text });
    }
}

/// Returns the time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> At;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> At {
        At::after_1970(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}
