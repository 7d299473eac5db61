//! The progress of a model's answer while it comes. Shown to people, never recorded.

use std::fmt;

/// The present activity of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// It was sent its question, and nothing has come back.
    #[default]
    Waits,
    /// It reads its input: the tokens read, and all of them.
    Reads {
        /// Tokens read.
        done: u64,
        /// Tokens there are.
        all: u64,
    },
    /// It thinks before it answers.
    Thinks,
    /// It answers.
    Answers,
}

/// The kind of a piece of an answer, as it comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Saying {
    /// A part of its answer.
    #[default]
    Answer,
    /// A part of its thinking.
    Thought,
    /// A part of the arguments of a tool call.
    Arguments,
}

/// The progress of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The activity of its model.
    pub doing: Doing,
    /// Milliseconds since the question was sent.
    pub ms: u64,
    /// Tokens that have come, thinking included; estimated.
    pub tokens: u64,
    /// The most tokens that may come.
    pub most: u32,
    /// Milliseconds since the question was sent after which it is given up if nothing has come; 0 if that is not known.
    pub gives_up_ms: u32,
    /// Milliseconds since the first of them came.
    pub writing_ms: u64,
}

impl Progress {
    /// Tokens a second since the first one; None before there is something to measure.
    pub fn rate(&self) -> Option<u64> {
        (self.writing_ms >= 1_000).then(|| self.tokens.saturating_mul(1_000) / self.writing_ms)
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = match self.doing {
            Doing::Waits => "nothing has come yet",
            Doing::Reads { .. } => "reading",
            Doing::Thinks => "thinking",
            Doing::Answers => "answering",
        };
        write!(f, "{} s, {doing}", self.ms / 1_000)?;
        if self.doing == Doing::Waits && self.gives_up_ms > 0 {
            write!(f, ", given up after {} s", self.gives_up_ms / 1_000)?;
        }
        if let Doing::Reads { done, all } = self.doing {
            write!(f, " {done} of {all} tokens")?;
        }
        if self.tokens > 0 {
            write!(f, ", about {} of at most {} tokens", self.tokens, self.most)?;
        }
        match self.rate().filter(|rate| *rate > 0) {
            Some(rate) => write!(f, ", {rate} a second"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_as_far_as_it_is_known() {
        let sent = Progress { ms: 15_400, most: 4_000, ..Progress::default() };
        assert_eq!(sent.to_string(), "15 s, nothing has come yet");
        let with_end = Progress { gives_up_ms: 180_000, ..sent };
        assert_eq!(with_end.to_string(), "15 s, nothing has come yet, given up after 180 s");
        let reads = Progress { doing: Doing::Reads { done: 512, all: 2_048 }, ..sent };
        assert_eq!(reads.to_string(), "15 s, reading 512 of 2048 tokens");
        let thinks = Progress { doing: Doing::Thinks, tokens: 300, writing_ms: 10_000, ..sent };
        assert_eq!(thinks.to_string(), "15 s, thinking, about 300 of at most 4000 tokens, 30 a second");
        let at_once = Progress { doing: Doing::Answers, tokens: 3, writing_ms: 10, ..sent };
        assert_eq!(at_once.to_string(), "15 s, answering, about 3 of at most 4000 tokens");
    }
}
