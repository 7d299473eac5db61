//! Progress of open model calls: streamed text and reasons to wait. Shown, bounded, never recorded; dropped with the call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use run::progress::Saying;
use run::{AssignmentId, At, CallId, Envelope, Event};
use text::Clean;
use text::locked::Locked;

/// The most streamed text that is kept of one call: its end.
pub const MOST_STREAMED: usize = 32 * 1024;

#[derive(Clone, Debug, Default)]
pub struct Live {
    calls: BTreeMap<CallId, Progress>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub heard: Heard,
    /// The reason why it waits; None once it is sent.
    pub waits: Option<Wait>,
    /// The progress of its answer, once reported.
    pub goes_on: Option<run::progress::Progress>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    pub why: Clean,
    /// None if unknown.
    pub until: Option<At>,
    /// Since when, for any reason.
    pub since: At,
}

/// The pieces of a call's answer so far, each kind by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub answer: Streamed,
    pub thought: Streamed,
    pub arguments: Streamed,
}

impl Heard {
    pub fn of(&mut self, what: Saying) -> &mut Streamed {
        match what {
            Saying::Answer => &mut self.answer,
            Saying::Thought => &mut self.thought,
            Saying::Arguments => &mut self.arguments,
        }
    }

    fn append(&mut self, later: &Heard) {
        self.answer.append(&later.answer);
        self.thought.append(&later.thought);
        self.arguments.append(&later.arguments);
    }
}

/// Streamed text, and the length that was dropped at its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Streamed {
    pub text: String,
    /// Bytes dropped from the beginning.
    pub gone: usize,
}

impl Streamed {
    /// Adds a piece. Clean pieces stay clean when joined.
    pub fn push(&mut self, piece: &Clean) {
        self.extend(piece);
    }

    fn extend(&mut self, piece: &str) {
        self.text.push_str(piece);
        if self.text.len() > MOST_STREAMED {
            // Half of it goes at once, so that this happens seldom; at the end of a line if there is one near.
            let least = self.text.ceil_char_boundary(self.text.len() - MOST_STREAMED / 2);
            let near = self.text.ceil_char_boundary((least + MOST_STREAMED / 4).min(self.text.len()));
            let cut = self.text[least..near].find('\n').map_or(least, |at| least + at + 1);
            self.text.drain(..cut);
            self.gone += cut;
        }
    }

    fn append(&mut self, later: &Streamed) {
        if later.gone > 0 {
            self.gone += self.text.len() + later.gone;
            self.text.clear();
        }
        self.extend(&later.text);
    }
}

impl Live {
    pub fn of(&self, call: CallId) -> Option<&Progress> {
        self.calls.get(&call)
    }

    pub fn waits(&mut self, call: CallId, wait: Wait) {
        let known = &mut self.calls.entry(call).or_default().waits;
        let since = known.as_ref().map_or(wait.since, |known| known.since);
        *known = Some(Wait { since, ..wait });
    }

    pub fn goes_on(&mut self, call: CallId, progress: run::progress::Progress) {
        let known = self.calls.entry(call).or_default();
        known.waits = None;
        known.goes_on = Some(progress);
    }

    pub fn streams(&mut self, said: &BTreeMap<CallId, Heard>) {
        for (call, heard) in said {
            let progress = self.calls.entry(*call).or_default();
            progress.waits = None;
            progress.heard.append(heard);
        }
    }

    /// Drops the progress of calls that were settled: recorded answers are shown from the run.
    pub fn recorded(&mut self, events: &[Arc<Envelope>]) {
        for envelope in events {
            match &envelope.event {
                // It leaves: the words of an earlier attempt are not part of this one's.
                Event::AttemptSent { call, .. }
                | Event::AttemptFailed { call, .. }
                | Event::ModelReplied { call, .. }
                | Event::ModelFailed { call, .. }
                | Event::DoubtAnswered { call, .. } => drop(self.calls.remove(call)),
                Event::Reported { by, .. } if *by == AssignmentId::ROOT => self.calls.clear(),
                Event::Reported { by, .. } => self.calls.retain(|call, _| call.assignment != *by),
                Event::Forked(_) | Event::Attached { .. } | Event::Cancelled => self.calls.clear(),
                _ => {}
            }
        }
    }

    pub fn clear(&mut self) {
        self.calls.clear();
    }
}

/// Streamed text between two frames: grows until it is taken, so that a frame handles many tokens at once.
#[derive(Clone, Debug, Default)]
pub struct Batch(Arc<Mutex<Option<BTreeMap<CallId, Heard>>>>);

impl Batch {
    pub fn of(call: CallId, what: Saying, piece: &Clean) -> Batch {
        let batch = Batch(Arc::new(Mutex::new(Some(BTreeMap::new()))));
        batch.add(call, what, piece);
        batch
    }

    /// Adds a piece; false if the batch was taken already.
    pub fn add(&self, call: CallId, what: Saying, piece: &Clean) -> bool {
        match &mut *self.0.locked() {
            Some(said) => {
                said.entry(call).or_default().of(what).push(piece);
                true
            }
            None => false,
        }
    }

    /// Takes the text; from now on nothing can be added.
    pub fn take(&self) -> BTreeMap<CallId, Heard> {
        self.0.locked().take().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use run::Seq;
    use text::is_forbidden;

    fn call(n: u32) -> CallId {
        CallId::new(AssignmentId::nth(2), n)
    }

    fn streamed(live: &mut Live, call: CallId, text: &str) {
        live.streams(&Batch::of(call, Saying::Answer, &text.into()).take());
    }

    fn recorded(live: &mut Live, event: Event) {
        live.recorded(&[Arc::new(Envelope { seq: Seq(1), at: At(0), event })]);
    }

    #[test]
    fn a_wait_is_counted_down_and_gone_when_the_call_leaves() {
        let mut live = Live::default();
        live.waits(call(1), Wait { why: "rate limit of anthropic".into(), until: Some(At(12_000)), since: At(0) });
        let until = |live: &Live| live.of(call(1)).unwrap().waits.as_ref().unwrap().until;
        let left = |live: &Live, now| crate::stall::left(until(live), At(now));
        assert_eq!(left(&live, 0), ", again in 0:12");
        assert_eq!(left(&live, 11_001), ", again in 0:01");
        assert_eq!(left(&live, 13_000), "");
        recorded(&mut live, Event::AttemptSent { call: call(1), attempt: 1 });
        assert_eq!(live.of(call(1)), None);
    }

    #[test]
    fn what_was_heard_dies_with_its_call_and_with_its_attempt() {
        let mut live = Live::default();
        streamed(&mut live, call(1), "Qdr");
        streamed(&mut live, call(1), "ant");
        streamed(&mut live, call(2), "other");
        assert_eq!(live.of(call(1)).unwrap().heard.answer.text, "Qdrant");
        recorded(&mut live, Event::AttemptSent { call: call(1), attempt: 2 });
        streamed(&mut live, call(1), "again");
        assert_eq!(live.of(call(1)).unwrap().heard.answer.text, "again");
        recorded(&mut live, Event::ModelFailed { call: call(1), error: "no".into() });
        assert_eq!(live.of(call(1)), None);
        assert!(live.of(call(2)).is_some());
        recorded(&mut live, Event::Cancelled);
        assert_eq!(live.of(call(2)), None);
    }

    #[test]
    fn a_batch_grows_until_it_is_taken() {
        let batch = Batch::of(call(1), Saying::Answer, &"a".into());
        assert!(batch.add(call(1), Saying::Answer, &"b".into()) && batch.add(call(2), Saying::Answer, &"c".into()));
        let said = batch.take();
        assert_eq!((said[&call(1)].answer.text.as_str(), said[&call(2)].answer.text.as_str()), ("ab", "c"));
        assert!(!batch.add(call(1), Saying::Answer, &"late".into()));
    }

    proptest! {
        #[test]
        fn however_much_is_said_little_is_kept_of_it_and_that_is_its_end(
            pieces in prop::collection::vec(("[\\x00-\\x7f\u{9b}\u{202e}é日\n]{0,40}", 1usize..400), 0..40),
            at_a_time in 1usize..9,
        ) {
            let (mut live, mut all) = (Live::default(), String::new());
            for some in pieces.chunks(at_a_time) {
                let batch = Batch::of(call(1), Saying::Answer, &"".into());
                for (piece, times) in some {
                    let piece = Clean::new(&piece.repeat(*times));
                    all.push_str(&piece);
                    batch.add(call(1), Saying::Answer, &piece);
                }
                live.streams(&batch.take());
            }
            let Some(progress) = live.of(call(1)) else { return Ok(()) };
            let text = &progress.heard.answer.text;
            prop_assert!(text.len() <= MOST_STREAMED);
            prop_assert!(text.len() >= all.len().min(MOST_STREAMED / 4 - 4));
            prop_assert!(all.ends_with(text));
            prop_assert_eq!(progress.heard.answer.gone + text.len(), all.len());
            prop_assert!(!text.chars().any(|c| is_forbidden(c) && c != '\n'));
        }
    }
}
