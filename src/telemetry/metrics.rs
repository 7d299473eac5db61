//! The metrics of a run: tokens and durations as histograms, by the GenAI conventions.

use std::collections::BTreeMap;

use run::model::Usage;
use text::Clean;

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

/// A count of values for each pair of bounds, and their sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Histogram {
    pub(super) counts: [u64; 15],
    pub(super) sum: f64,
}

impl Histogram {
    fn add(&mut self, bounds: &[f64; 14], value: f64) {
        let place = bounds.iter().position(|bound| value <= *bound).unwrap_or(bounds.len());
        self.counts[place] += 1;
        self.sum += value;
    }
}

/// The provider and the model of calls.
pub(super) type Model = (Clean, Clean);

/// The counts so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// By model, and whether they were read or written.
    tokens: BTreeMap<(Model, &'static str), Histogram>,
    /// By model, and by the word for the failure of those that failed.
    calls: BTreeMap<(Model, Option<&'static str>), Histogram>,
    workflows: Option<Histogram>,
}

/// A metric as it is written.
pub(super) struct Points<'a> {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) bounds: &'static [f64; 14],
    /// The labels of each point, in the order of names, and the point.
    pub(super) points: Vec<(Vec<(&'static str, &'a str)>, &'a Histogram)>,
}

fn labels((provider, model): &Model) -> Vec<(&'static str, &str)> {
    vec![("gen_ai.operation.name", "chat"), ("gen_ai.provider.name", provider), ("gen_ai.request.model", model)]
}

impl Metrics {
    /// Counts the tokens of an answer.
    pub(super) fn tokens(&mut self, of: Model, usage: &Usage) {
        for (kind, tokens) in [("input", usage.input_total()), ("output", usage.output)] {
            self.tokens.entry((of.clone(), kind)).or_default().add(&TOKENS, tokens as f64);
        }
    }

    /// Counts the time that a call took, also one that failed.
    pub(super) fn call(&mut self, of: Model, error: Option<&'static str>, millis: u64) {
        self.calls.entry((of, error)).or_default().add(&SECONDS, millis as f64 / 1e3);
    }

    pub(super) fn workflow(&mut self, millis: u64) {
        self.workflows.get_or_insert_default().add(&SECONDS, millis as f64 / 1e3);
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.calls.is_empty() && self.workflows.is_none()
    }

    /// The metrics of which something was counted.
    pub(super) fn all(&self) -> impl Iterator<Item = Points<'_>> {
        let tokens = self.tokens.iter().map(|((model, kind), histogram)| {
            let labels = labels(model).into_iter().chain([("gen_ai.token.type", *kind)]);
            (labels.collect(), histogram)
        });
        let tokens = tokens.collect();
        let calls = self.calls.iter().map(|((model, error), histogram)| {
            let failed = error.map(|error| ("error.type", error));
            (failed.into_iter().chain(labels(model)).collect(), histogram)
        });
        let calls = calls.collect();
        let is_workflow = || vec![("gen_ai.operation.name", "invoke_workflow")];
        let workflows = self.workflows.iter().map(|histogram| (is_workflow(), histogram)).collect();
        let metric = |(name, unit, bounds, points)| Points { name, unit, bounds, points };
        let all = [
            ("gen_ai.client.token.usage", "{token}", &TOKENS, tokens),
            ("gen_ai.client.operation.duration", "s", &SECONDS, calls),
            ("gen_ai.invoke_workflow.duration", "s", &SECONDS, workflows),
        ];
        all.into_iter().map(metric).filter(|metric: &Points<'_>| !metric.points.is_empty())
    }
}
