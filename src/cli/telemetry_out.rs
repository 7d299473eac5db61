//! Telemetry: what the environment says of it, and the documents of a run that is over.

use std::sync::Arc;

use super::exit;
use collector::Settings;
use desk::{Clock, SystemClock};
use run::{At, Envelope};
use telemetry::Form;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn set(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where telemetry goes, if anything in the environment asks for it. What cannot be done is said, and keeps nobody from work.
pub fn settings() -> Option<Settings> {
    Settings::read(&set, VERSION, SystemClock.now()).unwrap_or_else(|wrong| {
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
