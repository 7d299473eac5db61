//! Sends spans and metrics to an OpenTelemetry collector by OTLP over HTTP, as protobuf or JSON.
//!
//! Only environment variables switch it on. It stands off a run's way: events are handed to it after they were committed, a run
//! waits for it only at its end and not for long, and events that a collector is too slow for are dropped and counted.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod settings;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use run::{At, Envelope};
use telemetry::{Span, Tracer};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use settings::To;
pub use settings::{Settings, Wrong, resource, wants_text};

/// The most spans that wait for the collector.
const MOST_WAITING: usize = 8_192;
/// The most spans of one request.
const MOST_TOGETHER: usize = 512;
/// The pause after it has taken all that came: waking for each event costs more than the spans do.
const PAUSE: Duration = Duration::from_millis(100);
/// The most commits that are taken at a time, so that no more spans come between two looks at the queue than fit into a request.
const MOST_AT_ONCE: usize = 64;
/// The most of an answer that is read.
const MOST_ANSWER: usize = 16 * 1024;

/// Events that were committed together.
type Committed = Vec<Arc<Envelope>>;

/// An exporter at work.
pub struct Exporter {
    commits: UnboundedSender<Committed>,
    /// Ends the work when it goes.
    goes_on: oneshot::Sender<()>,
    work: JoinHandle<()>,
    /// The longest wait at its end.
    at_the_end: Duration,
}

impl Exporter {
    /// Begins to export a run. The events in `exported` were exported by an earlier process.
    ///
    /// # Errors
    /// No client can be set up, as where the certificates of the system cannot be read.
    pub fn start(settings: Settings, runtime: &Runtime, exported: &[Arc<Envelope>]) -> Result<Exporter, Wrong> {
        let (commits, inbox) = unbounded_channel();
        let (goes_on, is_over) = oneshot::channel();
        let tracer = Tracer::after(exported.iter().map(|envelope| &**envelope), settings.with_text);
        let client = |to: Option<To>| to.map(|to| Receiver::new(to, settings.timeout)).transpose();
        let (traces, metrics) = (client(settings.traces.clone())?, client(settings.metrics.clone())?);
        let at_the_end = settings.at_the_end;
        let work = runtime.spawn(work(settings, (traces, metrics), tracer, inbox, is_over));
        Ok(Exporter { commits, goes_on, work, at_the_end })
    }

    /// The channel for committed events. Sending never waits.
    pub fn commits(&self) -> UnboundedSender<Committed> {
        self.commits.clone()
    }

    /// Sends the rest; for as long as the settings say, and no longer. Later commits are not sent.
    pub fn finish(self, runtime: &Runtime) {
        let Exporter { goes_on, work, at_the_end, .. } = self;
        drop(goes_on);
        let stop = work.abort_handle();
        if runtime.block_on(async { tokio::time::timeout(at_the_end, work).await }).is_err() {
            tracing::warn!("the collector of telemetry was too slow for what was left");
            stop.abort();
        }
    }
}

/// The receiver of one kind of telemetry, and the client that sends it.
#[derive(Clone)]
struct Receiver {
    to: To,
    client: reqwest::Client,
}

impl Receiver {
    fn new(to: To, timeout: Duration) -> Result<Receiver, Wrong> {
        let client = http_client::builder_for(&to.url).timeout(timeout).build();
        let client = client.map_err(|error| Wrong(format!("no connections can be made: {}", cause(&error))))?;
        Ok(Receiver { to, client })
    }
}

/// The innermost cause of an error: it has no address in it.
fn cause(error: &reqwest::Error) -> String {
    let causes: Vec<String> = http_client::causes(error).map(ToString::to_string).collect();
    causes.last().cloned().unwrap_or_else(|| "it cannot be reached".into())
}

type Export = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// The spans that wait for the collector, and how many were dropped.
struct Waiting {
    /// Whether spans are sent, and not metrics alone.
    are_sent: bool,
    spans: VecDeque<Span>,
    lost: u64,
}

impl Waiting {
    fn take(&mut self, tracer: &mut Tracer, commits: &mut Vec<Committed>) {
        for event in commits.drain(..).flatten() {
            // Metrics are counted of them in any case.
            let spans = tracer.event(&event);
            self.spans.extend(spans.into_iter().filter(|_| self.are_sent));
        }
        let beyond = self.spans.len().saturating_sub(MOST_WAITING);
        self.spans.drain(..beyond);
        self.lost += beyond as u64;
    }
}

async fn work(
    settings: Settings,
    (for_traces, for_metrics): (Option<Receiver>, Option<Receiver>),
    mut tracer: Tracer,
    mut inbox: UnboundedReceiver<Committed>,
    mut is_over: oneshot::Receiver<()>,
) {
    let mut waiting = Waiting { are_sent: for_traces.is_some(), spans: VecDeque::new(), lost: 0 };
    let mut failed = 0u64;
    let mut sending: Option<Export> = None;
    let mut beat = tokio::time::interval(settings.delay);
    let mut is_due = false;
    let mut commits: Vec<Committed> = Vec::with_capacity(MOST_AT_ONCE);
    let mut pause = pin!(sleep_until(Instant::now()));
    let mut pauses = false;
    loop {
        tokio::select! {
            taken = inbox.recv_many(&mut commits, MOST_AT_ONCE), if !pauses => {
                if taken == 0 {
                    break;
                }
                waiting.take(&mut tracer, &mut commits);
                if inbox.is_empty() {
                    pauses = true;
                    pause.as_mut().reset(Instant::now() + PAUSE);
                }
            }
            () = &mut pause, if pauses => pauses = false,
            _ = &mut is_over => break,
            _ = beat.tick() => is_due = true,
            sent = async { sending.as_mut().expect("only polled while there is one").await }, if sending.is_some() => {
                sending = None;
                failed += u64::from(told(sent).is_err());
            }
        }
        if sending.is_none() && !waiting.spans.is_empty() && (is_due || waiting.spans.len() >= MOST_TOGETHER) {
            is_due = false;
            sending = spans(&settings, for_traces.as_ref(), &mut waiting.spans);
        }
    }
    // The last commits are sent as well.
    while let Ok(last) = inbox.try_recv() {
        commits.push(last);
    }
    waiting.take(&mut tracer, &mut commits);
    let Waiting { spans: mut waiting, lost, .. } = waiting;
    if let Some(sending) = sending {
        failed += u64::from(told(sending.await).is_err());
    }
    while let Some(sending) = spans(&settings, for_traces.as_ref(), &mut waiting) {
        // A collector that takes nothing is not asked for every batch.
        if told(sending.await).is_err() {
            failed += 1;
            break;
        }
    }
    if let Some(receiver) = for_metrics.filter(|_| !tracer.metrics().is_empty()) {
        let now = At::after_1970(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        let body = telemetry::metrics(&settings.resource, tracer.metrics(), settings.since, now, receiver.to.form);
        failed += u64::from(told(send(receiver, body).await).is_err());
    }
    let left = waiting.len();
    if lost > 0 || failed > 0 || left > 0 {
        tracing::warn!(lost, failed, left, "telemetry is not whole: the collector did not take all of it");
    }
}

fn told(sent: Result<(), String>) -> Result<(), String> {
    sent.inspect_err(|why| tracing::warn!(why, "the collector of telemetry did not take spans"))
}

/// Takes the next batch; None if there is nothing to send, or nowhere.
fn spans(settings: &Settings, receiver: Option<&Receiver>, waiting: &mut VecDeque<Span>) -> Option<Export> {
    let batch: Vec<Span> = waiting.drain(..waiting.len().min(MOST_TOGETHER)).collect();
    let receiver = receiver.filter(|_| !batch.is_empty())?;
    let body = telemetry::spans(&settings.resource, &batch, receiver.to.form);
    Some(Box::pin(send(receiver.clone(), body)))
}

/// One request; the error names the collector's response, never the content.
async fn send(Receiver { to, client }: Receiver, body: Vec<u8>) -> Result<(), String> {
    let mut request = client.post(to.url).header("content-type", to.form.media()).body(body);
    for (name, value) in to.headers {
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|error| cause(&error))?;
    let status = response.status();
    let _ = http_client::body(response, MOST_ANSWER).await;
    if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
}
