//! The form of a description: lines with a subject, a state and a sentence, and the kind of their event. It knows no run.

use crate::event::Event;
use crate::handoff::Outcome;
use crate::mark::Mark;

/// A description of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The kind of event.
    pub kind: Kind,
    /// Whether it is a stage of the run or a step within a stage.
    pub level: Level,
    /// The headline, then the details.
    pub lines: Vec<Line>,
}

impl Description {
    /// The states of its lines, without any text of the person or the sources: "○ opened, ○ ready".
    pub fn states(&self) -> String {
        self.lines.iter().map(Line::state).collect::<Vec<_>>().join(", ")
    }
}

/// One line of a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The assignment or part of the program it is about: "researcher · pgvector", "you", "sources".
    pub subject: String,
    /// Its state.
    pub mark: Mark,
    /// The state in one or two words: "started".
    pub word: &'static str,
    /// The sentence; may be empty. It can contain text of the person and of the sources.
    pub sentence: String,
}

impl Line {
    /// Symbol and word: "● started".
    pub fn state(&self) -> String {
        format!("{} {}", self.mark.symbol(), self.word)
    }
}

/// The importance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is a stage of the run: headless prints it.
    Stage,
    /// It is a step within one.
    Step,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The run, or a part of it, waits for the person.
    NeedsYou,
    /// The person did something.
    Person,
    /// Work was handed out, or ended because enough is in.
    Work,
    /// An assignment ended.
    Report,
    /// A fallback took over.
    Fallback,
    /// Something failed or was stopped.
    Failure,
    /// Anything else.
    Other,
}

impl Kind {
    /// The kind of an event.
    pub fn of(event: &Event) -> Kind {
        match event {
            Event::CheckpointOpened { .. } => Kind::NeedsYou,
            Event::Reported { .. } => Kind::Report,
            Event::HandedOff { .. } | Event::PlanAdopted { .. } | Event::NoLongerNeeded { .. } => Kind::Work,
            Event::CheckpointEdited { .. }
            | Event::CheckpointAnswered { .. }
            | Event::Forked(_)
            | Event::Steered { .. }
            | Event::BreakpointSet { .. }
            | Event::BreakpointCleared { .. }
            | Event::CapRaised { .. } => Kind::Person,
            Event::Relieved { .. } => Kind::Fallback,
            Event::Noted { note, .. } if note.kind.is_of_the_person() => Kind::Person,
            Event::Cancelled | Event::ToolFailed { .. } | Event::StepRefused { .. } => Kind::Failure,
            _ => Kind::Other,
        }
    }
}

pub(super) fn line(subject: impl Into<String>, mark: Mark, word: &'static str, sentence: impl Into<String>) -> Line {
    Line { subject: subject.into(), mark, word, sentence: sentence.into() }
}

pub(super) fn ended(subject: impl Into<String>, outcome: &Outcome, sentence: String) -> Line {
    line(subject, Mark::from(outcome), outcome.word(), sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_ended_is_said_to_have_ended_as_its_outcome_is_called() {
        let word = |outcome: Outcome| ended("writer", &outcome, String::new()).word;
        assert_eq!(word(Outcome::NothingFound), "nothing found");
        assert_eq!(word(Outcome::OutOfBudget("the token cap".into())), "out of budget");
        assert_eq!(word(Outcome::Partial("one task failed".into())), "partial");
    }
}
