//! Telemetry: the settings of the environment, and the documents of a run that is over.

use std::sync::Arc;

use super::exit;
use collector::{Exporter, Settings};
use desk::{Clock, SystemClock};
use run::{At, Envelope};
use telemetry::Form;
use tokio::runtime::Runtime;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn set(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The sender of telemetry, if anything in the environment asks for it; the events in `exported` are sent already. A setting that
/// cannot be used is reported, and keeps nobody from work.
pub fn exporter(runtime: &Runtime, exported: &[Arc<Envelope>]) -> Option<Exporter> {
    let settings = Settings::read(&set, VERSION, SystemClock.now());
    let exporter =
        settings.and_then(|settings| settings.map(|settings| Exporter::start(settings, runtime, exported)).transpose());
    exporter.unwrap_or_else(|wrong| {
        exit::say(&wrong.to_string());
        None
    })
}

/// The traces and the metrics of a run, each as one document of JSON in a line.
pub fn documents(events: &[Arc<Envelope>]) -> Vec<String> {
    let (spans, metrics) = telemetry::trace(events.iter().map(|envelope| &**envelope), collector::wants_text(&set));
    let resource = collector::resource(&set, VERSION);
    let at = |envelope: Option<&Arc<Envelope>>| envelope.map_or(At::default(), |envelope| envelope.at);
    let (first, last) = (at(events.first()), at(events.last()));
    let traces = telemetry::spans(&resource, &spans, Form::Json);
    let metrics = (!metrics.is_empty()).then(|| telemetry::metrics(&resource, &metrics, first, last, Form::Json));
    // JSON is UTF-8.
    let text = |document: Vec<u8>| String::from_utf8(document).unwrap_or_default();
    [traces].into_iter().chain(metrics).map(text).collect()
}
