//! A run without a terminal: turns events into lines of text, one per stage (time, specialist, state, result, cost).
//!
//! Pure: it writes nothing and decides nothing.

use std::collections::BTreeMap;

use run::describe::{self, Level, Line, describe};
use run::event::{Envelope, Event};
use run::{At, CallId, Mark, Run};
use text::Clean;

/// Folds the events of a run and describes those that are a stage of it.
#[derive(Debug, Default)]
pub struct Trace {
    run: Run,
    /// The reason for which each model call was last reported to wait.
    waiting: BTreeMap<CallId, Clean>,
}

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
            self.waiting.remove(call);
        }
        let description = describe(envelope, &self.run);
        match description.level {
            Level::Stage => description.lines.iter().map(|line| self.written(line)).collect(),
            Level::Step => Vec::new(),
        }
    }

    /// A line for the reason why a model call waits; None if it was reported already.
    pub fn waits(&mut self, call: CallId, why: &Clean, until: Option<At>) -> Option<String> {
        if self.waiting.insert(call, why.clone()).as_ref() == Some(why) {
            return None;
        }
        let left = until.map_or(0, |until| until.since(self.run.at).div_ceil(1_000));
        let left = if left == 0 { String::new() } else { format!(", about {left} s") };
        let subject = describe::caller(call, &self.run);
        Some(self.written(&Line {
            subject,
            mark: Mark::Waiting,
            word: "waits",
            sentence: format!("{call}: {why}{left}"),
        }))
    }

    fn written(&self, line: &Line) -> String {
        let elapsed = self.run.at.since(self.run.opened_at);
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
    fn a_wait_is_said_once_until_it_is_another_or_the_call_has_left() {
        let mut trace = Trace::default();
        let call = CallId::new(AssignmentId::nth(2), 1);
        let limit: Clean = "rate limit of anthropic".into();
        let said = trace.waits(call, &limit, Some(At(11_001))).unwrap();
        assert!(said.contains("○ waits") && said.contains("rate limit of anthropic, about 12 s"), "{said}");
        assert_eq!(trace.waits(call, &limit, Some(At(10_000))), None);
        assert!(trace.waits(call, &"a place at ollama".into(), None).is_some());
        let event = Event::AttemptSent { call, attempt: 1 };
        trace.lines(&Envelope { seq: run::Seq(1), at: At(0), event });
        assert!(trace.waits(call, &"a place at ollama".into(), None).is_some());
    }
}
