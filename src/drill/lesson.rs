//! What a drill has shown, read off its run.

use crate::run::{Outcome, Run};
use crate::text::Clean;

/// What a drill has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Whether the guard that it is about has caught the failure.
    pub caught: bool,
    /// What happened, a sentence each: what went wrong, what stopped it, what came of the run, what it cost.
    pub told: Vec<Clean>,
}

impl Lesson {
    pub(super) fn new(caught: bool, told: Vec<String>) -> Lesson {
        Lesson { caught, told: told.into_iter().map(Clean::from).collect() }
    }

    pub(super) fn with_cost(mut self, run: &Run) -> Lesson {
        let spent = run.ledger.run().spent;
        let worked = run.worked(run.at);
        self.told.push(
            format!(
                "It took {} and {} tokens, {}.{} s of work.",
                count(spent.tool_calls, "tool call"),
                spent.tokens,
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

/// What a guard said, as a sentence.
pub(super) fn sentence(why: &str) -> String {
    let mut chars = why.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}

/// How the run ended, with what its brief says of itself.
pub(super) fn the_end(run: &Run) -> String {
    let outcome = run.ended().unwrap_or(&Outcome::Cancelled);
    let labels: Vec<String> = run
        .brief()
        .map(|(draft, _)| &draft.notes[..])
        .unwrap_or_default()
        .iter()
        .filter(|note| ["Best effort", "Partial"].iter().any(|label| note.starts_with(label)))
        .map(|note| format!("“{note}”"))
        .collect();
    let outcome = match outcome {
        Outcome::Partial(_) => "partial".to_string(),
        other => other.to_string(),
    };
    match (run.brief(), labels.is_empty()) {
        (None, _) => format!("The run ended without a brief: {outcome}."),
        (Some(_), true) => format!("The run ended with its brief: {outcome}."),
        (Some(_), false) => format!("The run ended ({outcome}), and its brief says: {}", labels.join(" ")),
    }
}

pub(super) fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
