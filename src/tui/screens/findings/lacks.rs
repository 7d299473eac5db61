//! The gaps of the tasks: shown above the findings, so that the person can ask for them.

use std::collections::BTreeMap;

use crate::prelude::*;
use run::{Assignment, Finding, Outcome, TaskId};

/// A line for each task that fell short, in the order of the plan: its end, or its gaps besides its findings.
pub(super) fn lacks(run: &Run, all: &[Finding]) -> Vec<String> {
    let tried = run.assignments().filter_map(|one| Some((one.task?, one)));
    // Of several attempts the last one counts.
    let last: BTreeMap<TaskId, &Assignment> = tried.filter(|(_, one)| one.ended.is_some()).collect();
    let mut last: Vec<(TaskId, &Assignment)> = last.into_iter().collect();
    last.sort_by_key(|(_, one)| one.order);
    last.into_iter().filter_map(|(task, one)| lack(task, one, all)).collect()
}

/// A line for work that fallbacks did in place of a model.
pub(super) fn taken_over(run: &Run) -> Vec<String> {
    run.takeovers()
        .iter()
        .map(|one| flat(&Clean::line(&format!("{} {one}", Mark::Warning.symbol()))).into_owned())
        .collect()
}

fn lack(task: TaskId, one: &Assignment, all: &[Finding]) -> Option<String> {
    let (outcome, report) = one.ended.as_ref()?;
    let title = one.subject()?.trim_end_matches('?');
    let has_findings =
        all.iter().any(|finding| finding.task == Some(task) || finding.subtopic.trim_end_matches('?') == title);
    let notes = || report.payload.notes().iter().map(|note| flat(note)).collect::<Vec<_>>().join(" ");
    let became = match outcome {
        Outcome::Done | Outcome::NothingFound if has_findings => Some(notes()).filter(|notes| !notes.is_empty())?,
        Outcome::Done | Outcome::NothingFound => [Outcome::NothingFound.word().to_owned(), notes()].join(". "),
        ended => flat(&Clean::line(&ended.to_string())).into_owned(),
    };
    Some(format!("○ {}: {}", flat(&Clean::line(title)), became.trim_end_matches(". ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Until};
    use run::{Event, Role};
    use std::sync::Arc;

    /// The gaps of a run's tasks whose researchers ended so, with these notes.
    fn told(ends: &[(Outcome, &str)], all: &[Finding]) -> Vec<String> {
        let mut ends = ends.iter();
        let events = fixture::events(Until::Checkpoint).into_iter().map(|envelope| {
            let mut envelope = (*envelope).clone();
            if let Event::Reported { outcome, handoff, .. } = &mut envelope.event
                && handoff.names.0.as_str() == Role::RESEARCHER
            {
                let (ended, note) = ends.next().expect("an end for each task");
                *outcome = ended.clone();
                let notes = (!note.is_empty()).then(|| vec![Clean::from(*note)]);
                Arc::make_mut(handoff).payload.notes = notes;
            }
            envelope
        });
        let events: Vec<_> = events.collect();
        lacks(&Run::fold(&events), all)
    }

    #[test]
    fn tasks_that_found_nothing_or_not_all_say_so_in_the_order_of_the_plan() {
        let all = fixture::findings();
        assert_eq!(told(&[(Outcome::Done, ""), (Outcome::Done, ""), (Outcome::Done, "")], &all), [""; 0]);
        let ends = [
            (Outcome::Done, "No price is given."),
            (Outcome::NothingFound, ""),
            (Outcome::OutOfBudget("the run's money cap".into()), ""),
        ];
        let lines = ["pgvector: No price is given.", "Pinecone: out of budget: the run's money cap"];
        assert_eq!(told(&ends, &all), lines.map(|line| format!("○ {line}")), "another task found it");
        let of_others: Vec<Finding> = all.into_iter().filter(|finding| finding.task != Some(TaskId(2))).collect();
        assert_eq!(told(&ends, &of_others)[1], "○ Qdrant: nothing found");
    }
}
