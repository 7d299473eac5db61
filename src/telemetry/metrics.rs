//! What is counted of a run: tokens and durations as histograms, by the GenAI conventions.

use std::collections::BTreeMap;

use run::model::Usage;
use run::{At, ModelId};
use serde_json::{Value, json};

use super::span::{Resource, attribute, nanos};

/// Bounds of tokens.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
/// Bounds of durations in seconds.
const SECONDS: [f64; 14] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

#[derive(Clone, Debug, Default, PartialEq)]
struct Histogram {
    counts: [u64; 15],
    sum: f64,
}

impl Histogram {
    fn add(&mut self, bounds: &[f64; 14], value: f64) {
        let place = bounds.iter().position(|bound| value <= *bound).unwrap_or(bounds.len());
        self.counts[place] += 1;
        self.sum += value;
    }
}

/// The names of what a point is about.
type Labels = BTreeMap<&'static str, String>;

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    tokens: BTreeMap<Labels, Histogram>,
    calls: BTreeMap<Labels, Histogram>,
    workflows: BTreeMap<Labels, Histogram>,
}

impl Metrics {
    pub(super) fn call(&mut self, model: &ModelId, provider: &str, usage: &Usage, millis: u64) {
        let labels = BTreeMap::from([
            ("gen_ai.operation.name", "chat".to_string()),
            ("gen_ai.provider.name", provider.to_string()),
            ("gen_ai.request.model", model.model.to_string()),
        ]);
        for (kind, tokens) in [("input", usage.input_total()), ("output", usage.output)] {
            let labels = labels.clone().into_iter().chain([("gen_ai.token.type", kind.to_string())]).collect();
            self.tokens.entry(labels).or_default().add(&TOKENS, tokens as f64);
        }
        self.calls.entry(labels).or_default().add(&SECONDS, millis as f64 / 1e3);
    }

    pub(super) fn workflow(&mut self, millis: u64) {
        let labels = BTreeMap::from([("gen_ai.operation.name", "invoke_workflow".to_string())]);
        self.workflows.entry(labels).or_default().add(&SECONDS, millis as f64 / 1e3);
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.calls.is_empty() && self.workflows.is_empty()
    }

    /// As one OTLP document: sums from `start` to `now`.
    pub fn document(&self, resource: &Resource, start: At, now: At) -> Value {
        let metric = |name: &str, unit: &str, bounds: &[f64; 14], of: &BTreeMap<Labels, Histogram>| {
            let points: Vec<Value> = of
                .iter()
                .map(|(labels, histogram)| {
                    let attributes: Vec<Value> =
                        labels.iter().map(|(name, value)| attribute(name, &value.as_str().into())).collect();
                    let counts: Vec<String> = histogram.counts.iter().map(u64::to_string).collect();
                    json!({
                        "attributes": attributes, "startTimeUnixNano": nanos(start), "timeUnixNano": nanos(now),
                        "count": histogram.counts.iter().sum::<u64>().to_string(), "sum": histogram.sum,
                        "bucketCounts": counts, "explicitBounds": bounds,
                    })
                })
                .collect();
            json!({"name": name, "unit": unit, "histogram": {"aggregationTemporality": 2, "dataPoints": points}})
        };
        let all = [
            ("gen_ai.client.token.usage", "{token}", &TOKENS, &self.tokens),
            ("gen_ai.client.operation.duration", "s", &SECONDS, &self.calls),
            ("gen_ai.invoke_workflow.duration", "s", &SECONDS, &self.workflows),
        ];
        let metrics: Vec<Value> = all
            .into_iter()
            .filter(|(.., of)| !of.is_empty())
            .map(|(name, unit, bounds, of)| metric(name, unit, bounds, of))
            .collect();
        let scope = json!({"scope": resource.scope(), "metrics": metrics});
        json!({"resourceMetrics": [{"resource": resource.json(), "scopeMetrics": [scope]}]})
    }
}
