//! Sentences for the reports of several drills.

use run::{Outcome, Run};

pub(super) fn sentence(why: &str) -> String {
    let mut chars = why.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}

/// The end of the run, with the notes of its brief.
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
