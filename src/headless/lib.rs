//! A run without a terminal: turns events into lines of text, one per stage (time, specialist, state, result, cost).
//!
//! Pure: it writes nothing and decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use run::attempt::Class;
use run::describe::{self, Line};
use run::event::{Envelope, Event};
use run::forecast;
use run::progress::Progress;
use run::state::Intent;
use run::{At, CallId, Mark, Run};
use text::Clean;

/// Folds the events of a run and describes those that are a stage of it.
#[derive(Debug, Default)]
pub struct Trace {
    run: Run,
    /// The reasons why calls wait, as last said, and the ends of the waits. Nothing is said again for another call.
    waiting: BTreeMap<Clean, Option<At>>,
    /// The failures of attempts since a model last answered: said in full once.
    failed: BTreeSet<Clean>,
    /// The number of progress lines printed so far for each model call under way.
    told: BTreeMap<CallId, u64>,
}

/// Milliseconds between two lines about the same call under way.
const TELLING_MS: u64 = 15_000;

/// A shorter wait is not worth a line.
const SHORT_MS: u64 = 5_000;
/// Moments this near are the same one.
const SAME_MS: u64 = 3_000;

impl Trace {
    /// Takes in an event that was recorded earlier, without a line.
    pub fn skip(&mut self, envelope: &Envelope) {
        self.run.apply(envelope);
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Takes in an event and returns its lines.
    pub fn lines(&mut self, envelope: &Envelope) -> Vec<String> {
        self.run.apply(envelope);
        if let Event::AttemptSent { call, .. } = &envelope.event {
            self.told.remove(call);
        }
        if let Event::ModelReplied { .. } = &envelope.event {
            self.waiting.clear();
            self.failed.clear();
        }
        let stage = describe::stage(envelope, &self.run);
        if stage.is_empty() {
            return Vec::new();
        }
        let fault = if let Event::AttemptFailed { fault, .. } = &envelope.event { Some(fault) } else { None };
        // An address that cannot be reached is so for all calls: that one more found it out is no news.
        let is_known = fault.is_some_and(|fault| fault.class == Class::Unreachable && self.is_said(&fault.what));
        let told = stage.iter().filter(|line| !(is_known && line.word == "failed"));
        // The end of the run is told whole.
        let ends = self.run.ended().is_some();
        let lines = told.map(|line| self.written(&if ends { line.clone() } else { self.shortened(line) })).collect();
        self.failed.extend(fault.map(|fault| fault.what.clone()));
        lines
    }

    /// Whether a failure, or the one it is about, was said.
    fn is_said(&self, what: &Clean) -> bool {
        self.failed.iter().any(|said| what.contains(said.as_str()))
    }

    /// A line without the parts that were said in full before.
    fn shortened(&self, line: &Line) -> Line {
        let longest = self.failed.iter().filter(|said| !said.is_empty() && line.sentence.contains(said.as_str()));
        let Some(said) = longest.max_by_key(|said| said.len()) else { return line.clone() };
        Line { sentence: line.sentence.replace(said.as_str(), "as before"), ..line.clone() }
    }

    /// A line for the reason why a model call waits; None if it was said already, of this call or another, or is short.
    pub fn waits(&mut self, call: CallId, why: &Clean, until: Option<At>) -> Option<String> {
        if until.is_some_and(|until| until.since(self.run.at) < SHORT_MS) {
            return None;
        }
        let is_same = |known: &Option<At>| match (known, until) {
            (Some(known), Some(until)) => known.0.abs_diff(until.0) < SAME_MS,
            (known, until) => *known == until,
        };
        if self.waiting.get(why).is_some_and(is_same) {
            return None;
        }
        self.waiting.insert(why.clone(), until);
        let left = until.map_or(0, |until| until.since(self.run.at).div_ceil(1_000));
        let left = if left == 0 { String::new() } else { format!(", about {left} s") };
        let subject = describe::caller(call, &self.run);
        let sentence = format!("{}: {why}{left}", describe::nth(call));
        Some(self.written(&self.shortened(&Line { subject, mark: Mark::Waiting, word: "waits", sentence })))
    }

    /// A line for how far the answer to a model call is, every 15 seconds; None between them.
    pub fn goes_on(&mut self, call: CallId, progress: &Progress) -> Option<String> {
        let due = progress.ms / TELLING_MS;
        if self.told.insert(call, due).unwrap_or(0) >= due {
            return None;
        }
        let subject = describe::caller(call, &self.run);
        let left = forecast::rest_ms(&self.run).map(|ms| format!("; about {} min to go", ms.div_ceil(60_000)));
        let sentence = format!("{}: {progress}{}", describe::nth(call), left.unwrap_or_default());
        let line = Line { subject, mark: Mark::Running, word: "goes on", sentence };
        let sent = self.run.intent(call).and_then(|intent| match intent {
            Intent::Model(exchange) => exchange.attempts.last()?.sent_at,
            Intent::Tool(_) => None,
        });
        let at = sent.map_or(self.run.at, |sent| At(sent.0.saturating_add(i64::try_from(progress.ms).unwrap_or(0))));
        Some(self.written_at(&line, at))
    }

    fn written(&self, line: &Line) -> String {
        self.written_at(line, self.run.at)
    }

    fn written_at(&self, line: &Line, at: At) -> String {
        let elapsed = self.run.worked(at);
        let (subject, state, sentence) = (&line.subject, line.state(), &line.sentence);
        let line = format!("{:>3}.{:03}s  {subject:<28}  {state:<12}  {sentence}", elapsed / 1_000, elapsed % 1_000);
        line.trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::AssignmentId;

    #[test]
    fn what_goes_on_is_said_every_fifteen_seconds() {
        let mut trace = Trace::default();
        let call = CallId::new(AssignmentId::nth(2), 1);
        let mut said = |ms: u64| trace.goes_on(call, &Progress { ms, ..Progress::default() });
        assert_eq!(said(14_999), None);
        let line = said(15_000).unwrap();
        assert!(line.contains("goes on") && line.contains("15 s, nothing has come yet"), "{line}");
        assert_eq!((said(16_000), said(29_000)), (None, None));
        assert!(said(31_000).is_some());
    }

    #[test]
    fn a_wait_is_said_once_for_all_calls_until_it_is_another_or_a_model_has_answered() {
        let mut trace = Trace::default();
        let call = CallId::new(AssignmentId::nth(2), 1);
        let limit: Clean = "rate limit of anthropic".into();
        let said = trace.waits(call, &limit, Some(At(11_001))).unwrap();
        assert!(said.contains("○ waits") && said.contains("rate limit of anthropic, about 12 s"), "{said}");
        assert_eq!(trace.waits(call, &limit, Some(At(10_000))), None);
        let other = CallId::new(AssignmentId::nth(3), 1);
        assert_eq!(trace.waits(other, &limit, Some(At(11_500))), None);
        assert!(trace.waits(other, &limit, Some(At(60_000))).is_some(), "it takes longer now");
        assert_eq!(trace.waits(call, &"to try again".into(), Some(At(2_000))), None, "it is short");
        let place: Clean = "a place at ollama".into();
        assert!(trace.waits(call, &place, None).is_some());
        assert_eq!(trace.waits(other, &place, None), None);
    }
}
