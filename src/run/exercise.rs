//! Drills, as front ends know them: a run that plays a known failure, and whether it shows that the failure was caught.

use crate::{Cap, Outcome, Run};
use text::Clean;

/// A failure that is played by script, as a front end shows it.
#[derive(Clone, Copy, Debug)]
pub struct Exercise {
    /// Its name on the command line.
    pub name: &'static str,
    /// The failure that will happen, in a sentence.
    pub goes_wrong: &'static str,
    /// Reads the lesson off a run of it that has ended.
    pub learn: fn(&Run) -> Lesson,
}

impl Exercise {
    /// The lesson of the run; None before its end, and if it was cancelled.
    pub fn lesson(&self, run: &Run) -> Option<Lesson> {
        match run.ended()? {
            Outcome::Cancelled => None,
            _ => Some((self.learn)(run).with_cost(run)),
        }
    }
}

/// The lesson of a drill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Whether the guard that it is about has caught the failure.
    pub caught: bool,
    /// The events, a sentence each: the failure, the guard that stopped it, the end of the run, the cost.
    pub told: Vec<Clean>,
}

impl Lesson {
    /// A lesson of these sentences.
    pub fn new(caught: bool, told: Vec<String>) -> Lesson {
        Lesson { caught, told: told.into_iter().map(Clean::from).collect() }
    }

    fn with_cost(mut self, run: &Run) -> Lesson {
        let spent = run.ledger.run().spent;
        let worked = run.worked(run.at);
        self.told.push(
            format!(
                "It took {} and {} tokens, {}.{} s of work.",
                text::count(spent.get(Cap::ToolCalls) as usize, "tool call"),
                spent.tokens(),
                worked / 1_000,
                worked % 1_000 / 100
            )
            .into(),
        );
        self
    }

    /// In a word.
    pub fn word(&self) -> &'static str {
        if self.caught { "caught" } else { "not caught" }
    }
}
