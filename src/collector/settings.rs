//! The settings of the environment for telemetry: `OTEL_EXPORTER_OTLP_ENDPOINT` and its family.

use std::collections::BTreeMap;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use reqwest::Url;
use run::At;
use telemetry::{Form, Resource};

/// The receivers of telemetry, and its content.
#[derive(Clone)]
pub struct Settings {
    /// The receiver of spans; None for nowhere.
    pub(crate) traces: Option<To>,
    /// The receiver of metrics; None for nowhere.
    pub(crate) metrics: Option<To>,
    pub(crate) timeout: Duration,
    /// The time for which spans wait for others to go with them.
    pub(crate) delay: Duration,
    /// The longest wait at the end of a run for unsent telemetry.
    pub(crate) at_the_end: Duration,
    /// Whether the texts of messages go with them.
    pub(crate) with_text: bool,
    pub(crate) resource: Resource,
    /// From when metrics count.
    pub(crate) since: At,
}

/// The receiver of one kind of telemetry, and the form.
#[derive(Clone)]
pub(crate) struct To {
    pub(crate) url: Url,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) form: Form,
}

/// A variable that says something that cannot be done.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong(pub String);

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no telemetry is sent: {}", self.0)
    }
}

impl Settings {
    /// The settings of the environment; None if nothing in it asks for telemetry.
    ///
    /// # Errors
    /// It asks for something that cannot be done.
    pub fn read(get: &dyn Fn(&str) -> Option<String>, version: &str, since: At) -> Result<Option<Settings>, Wrong> {
        let set = |name: &str| get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let is_off = |name: &str| set(name).is_some_and(|value| value.eq_ignore_ascii_case("none"));
        if set("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let to = |signal: &str, path: &str| {
            if is_off(&format!("OTEL_{signal}_EXPORTER")) {
                return Ok(None);
            }
            // The variable of a signal is taken as it is; to that of all, the path is added.
            let own = format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT");
            let (name, address) = match (set(&own), set("OTEL_EXPORTER_OTLP_ENDPOINT")) {
                (Some(own_address), _) => (own.as_str(), own_address),
                (None, Some(all)) => ("OTEL_EXPORTER_OTLP_ENDPOINT", format!("{}/{path}", all.trim_end_matches('/'))),
                (None, None) => return Ok(None),
            };
            let url = Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let url = url.ok_or_else(|| Wrong(format!("{name} is no address as in http://localhost:4318")))?;
            let own = format!("OTEL_EXPORTER_OTLP_{signal}_PROTOCOL");
            let form = form([own.as_str(), "OTEL_EXPORTER_OTLP_PROTOCOL"], set)?;
            let own = set(&format!("OTEL_EXPORTER_OTLP_{signal}_HEADERS"));
            let headers = pairs(&own.or_else(|| set("OTEL_EXPORTER_OTLP_HEADERS")).unwrap_or_default());
            Ok(Some(To { url, headers, form }))
        };
        let (traces, metrics) = (to("TRACES", "v1/traces")?, to("METRICS", "v1/metrics")?);
        if traces.is_none() && metrics.is_none() {
            return Ok(None);
        }
        let millis = |name: &str, usual: u64| {
            let said = set(name).and_then(|value| value.parse().ok()).filter(|millis: &u64| *millis > 0);
            Duration::from_millis(said.unwrap_or(usual))
        };
        Ok(Some(Settings {
            traces,
            metrics,
            timeout: millis("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000),
            delay: millis("OTEL_BSP_SCHEDULE_DELAY", 5_000),
            // Elsewhere it is 30 s if it is not set: nobody waits so long here for a collector that is silent.
            at_the_end: millis("OTEL_BSP_EXPORT_TIMEOUT", 1_000),
            with_text: wants_text(get),
            resource: resource(get, version),
            since,
        }))
    }
}

/// The form that the first of these variables that is set asks for.
fn form(names: [&str; 2], set: impl Fn(&str) -> Option<String>) -> Result<Form, Wrong> {
    let asked = names.into_iter().find_map(|name| Some((name, set(name)?)));
    match asked.as_ref().map(|(name, value)| (name, value.as_str())) {
        None | Some((_, "http/protobuf")) => Ok(Form::Protobuf),
        Some((_, "http/json")) => Ok(Form::Json),
        Some((name, other)) => {
            Err(Wrong(format!("{name} is {other}, and only http/protobuf and http/json are spoken here")))
        }
    }
}

/// Whether spans are to hold the texts of messages: `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`.
pub fn wants_text(get: &dyn Fn(&str) -> Option<String>) -> bool {
    let said = get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").map(|value| value.trim().to_ascii_lowercase());
    matches!(said.as_deref(), Some("true" | "span_only" | "span_and_event"))
}

/// The sender: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
pub fn resource(get: &dyn Fn(&str) -> Option<String>, version: &str) -> Resource {
    let mut attributes: BTreeMap<String, String> =
        pairs(&get("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default()).into_iter().collect();
    let name = get("OTEL_SERVICE_NAME").filter(|name| !name.trim().is_empty());
    if let Some(name) = name.or_else(|| (!attributes.contains_key("service.name")).then(|| "masthead".into())) {
        attributes.insert("service.name".into(), name);
    }
    Resource { attributes, version: version.into() }
}

/// Pairs as in `a=1,b=2`, values with `%20` and the like for forbidden characters.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?.into_owned();
        (!name.trim().is_empty()).then(|| (name.trim().to_owned(), value))
    };
    text.split(',').filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(of: &[(&str, &str)]) -> Result<Option<Settings>, Wrong> {
        let get = |name: &str| of.iter().find(|(other, _)| *other == name).map(|(_, value)| value.to_string());
        Settings::read(&get, "1", At(0))
    }

    #[test]
    fn only_an_endpoint_switches_it_on() {
        for off in [
            &[][..],
            &[("OTEL_SERVICE_NAME", "x"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=b"), ("OTEL_TRACES_EXPORTER", "otlp")],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"), ("OTEL_SDK_DISABLED", "true")],
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"),
                ("OTEL_TRACES_EXPORTER", "none"),
                ("OTEL_METRICS_EXPORTER", "none"),
            ],
        ] {
            assert!(read(off).unwrap().is_none(), "{off:?}");
        }
        let on = read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318/")]).unwrap().unwrap();
        assert_eq!(on.traces.unwrap().url.as_str(), "http://h:4318/v1/traces");
        assert_eq!(on.metrics.unwrap().url.as_str(), "http://h:4318/v1/metrics");
        assert!(!on.with_text, "no text unless it is asked for");
        let own = read(&[
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://h/own"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=b%20c,d=e"),
        ]);
        let own = own.unwrap().unwrap();
        let traces = own.traces.unwrap();
        assert_eq!((traces.url.as_str(), own.metrics.is_none()), ("https://h/own", true));
        assert_eq!(traces.headers, [("a".to_string(), "b c".to_string()), ("d".into(), "e".into())]);
    }

    #[test]
    fn protobuf_is_sent_unless_json_is_asked_for() {
        let at = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h");
        let forms = |more: &[(&str, &str)]| {
            let read = read(&[&[at], more].concat()).unwrap().unwrap();
            (read.traces.unwrap().form, read.metrics.unwrap().form)
        };
        assert_eq!(forms(&[]), (Form::Protobuf, Form::Protobuf));
        assert_eq!(forms(&[("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")]), (Form::Json, Form::Json));
        assert_eq!(forms(&[("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json")]), (Form::Json, Form::Protobuf));
    }

    #[test]
    fn the_end_of_a_run_waits_a_second_unless_another_time_is_set() {
        let at = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h");
        let waits = |more: &[(&str, &str)]| read(&[&[at], more].concat()).unwrap().unwrap().at_the_end.as_millis();
        assert_eq!(waits(&[]), 1_000);
        assert_eq!(waits(&[("OTEL_BSP_EXPORT_TIMEOUT", "60000")]), 60_000);
        assert_eq!(waits(&[("OTEL_BSP_EXPORT_TIMEOUT", "soon")]), 1_000);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let at = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4317");
        let no_address = "OTEL_EXPORTER_OTLP_ENDPOINT is no address as in http://localhost:4318";
        let no_form = |what: &str| format!("{what}, and only http/protobuf and http/json are spoken here");
        for (set, says) in [
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318")][..], no_address.to_owned()),
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "file:///etc")], no_address.into()),
            (&[at, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")], no_form("OTEL_EXPORTER_OTLP_PROTOCOL is grpc")),
            (
                &[at, ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")],
                no_form("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL is grpc"),
            ),
            (&[at, ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/jsn")], no_form("OTEL_EXPORTER_OTLP_PROTOCOL is http/jsn")),
        ] {
            let wrong = read(set).map(|_| "nothing is wrong").unwrap_err();
            assert_eq!(wrong.to_string(), format!("no telemetry is sent: {says}"));
        }
    }
}
