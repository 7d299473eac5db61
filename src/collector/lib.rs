//! Sends spans and metrics to an OpenTelemetry collector by OTLP over HTTP, as protobuf or JSON.
//!
//! Only environment variables switch it on. It stands off a run's way: events are handed to it after they were committed, it never
//! makes anybody wait, and what a collector is too slow for is dropped and counted.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod protobuf;
mod settings;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use run::{At, Envelope};
use serde_json::Value;
use telemetry::{Span, Tracer, document};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use settings::{Form, To};
pub use settings::{Settings, Wrong, resource, wants_text};

/// The most spans that wait for the collector.
const MOST_WAITING: usize = 8_192;
/// The most spans of one request.
const MOST_TOGETHER: usize = 512;
/// The most of an answer that is read.
const MOST_ANSWER: usize = 16 * 1024;
/// How long the end of a run waits for what is left to be sent.
const AT_THE_END: Duration = Duration::from_millis(1_000);

/// An exporter at work.
pub struct Exporter {
    events: UnboundedSender<Arc<Envelope>>,
    work: JoinHandle<()>,
}

impl Exporter {
    /// Begins to export a run. What is on record of it was exported before.
    pub fn start(settings: Settings, runtime: &Runtime, recorded: &[Arc<Envelope>]) -> Exporter {
        let (events, inbox) = unbounded_channel();
        let mut tracer = Tracer::new(settings.with_text);
        recorded.iter().for_each(|envelope| drop(tracer.event(envelope)));
        let work = runtime.spawn(work(settings, tracer, inbox));
        Exporter { events, work }
    }

    /// Where committed events go. It never waits.
    pub fn events(&self) -> UnboundedSender<Arc<Envelope>> {
        self.events.clone()
    }

    /// Sends what is left; for a moment, and no longer.
    pub fn finish(self, runtime: &Runtime) {
        let Exporter { events, work } = self;
        drop(events);
        let stop = work.abort_handle();
        if runtime.block_on(async { tokio::time::timeout(AT_THE_END, work).await }).is_err() {
            tracing::warn!("the collector of telemetry was too slow for what was left");
            stop.abort();
        }
    }
}

type Sending = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

async fn work(settings: Settings, mut tracer: Tracer, mut inbox: UnboundedReceiver<Arc<Envelope>>) {
    let Ok(client) = http_client::builder().timeout(settings.timeout).build() else { return };
    let mut waiting: VecDeque<Span> = VecDeque::new();
    let (mut lost, mut failed) = (0u64, 0u64);
    let mut sending: Option<Sending> = None;
    let mut beat = tokio::time::interval(settings.delay);
    let mut is_due = false;
    loop {
        tokio::select! {
            event = inbox.recv() => match event {
                Some(event) => {
                    waiting.extend(tracer.event(&event));
                    while waiting.len() > MOST_WAITING {
                        waiting.pop_front();
                        lost += 1;
                    }
                }
                None => break,
            },
            _ = beat.tick() => is_due = true,
            sent = async { sending.as_mut().expect("only polled while there is one").await }, if sending.is_some() => {
                sending = None;
                failed += u64::from(told(sent).is_err());
            }
        }
        if sending.is_none() && !waiting.is_empty() && (is_due || waiting.len() >= MOST_TOGETHER) {
            is_due = false;
            sending = spans(&settings, &client, &mut waiting);
        }
    }
    if let Some(sending) = sending {
        failed += u64::from(told(sending.await).is_err());
    }
    while let Some(sending) = spans(&settings, &client, &mut waiting) {
        // A collector that takes nothing is not asked for every batch.
        if told(sending.await).is_err() {
            failed += 1;
            break;
        }
    }
    if let Some(to) = settings.metrics.clone().filter(|_| !tracer.metrics().is_empty()) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let now = At(i64::try_from(now).unwrap_or(i64::MAX));
        let document = tracer.metrics().document(&settings.resource, settings.since, now);
        failed += u64::from(told(send(client, to, document).await).is_err());
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
fn spans(settings: &Settings, client: &reqwest::Client, waiting: &mut VecDeque<Span>) -> Option<Sending> {
    let batch: Vec<Span> = waiting.drain(..waiting.len().min(MOST_TOGETHER)).collect();
    let to = settings.traces.clone().filter(|_| !batch.is_empty())?;
    Some(Box::pin(send(client.clone(), to, document(&settings.resource, &batch))))
}

/// One request; the error says what the collector did, never what was sent.
async fn send(client: reqwest::Client, to: To, document: Value) -> Result<(), String> {
    let (media, body) = match to.form {
        Form::Protobuf => ("application/x-protobuf", protobuf::written(&document)),
        Form::Json => ("application/json", document.to_string().into_bytes()),
    };
    let mut request = client.post(to.url).header("content-type", media).body(body);
    for (name, value) in to.headers {
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|error| {
        let causes: Vec<String> = http_client::causes(&error).map(ToString::to_string).collect();
        causes.last().cloned().unwrap_or_else(|| "it cannot be reached".into())
    })?;
    let status = response.status();
    let _ = http_client::body(response, MOST_ANSWER).await;
    if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
}
