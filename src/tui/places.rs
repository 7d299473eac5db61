//! Named places in the time of a run: where its stages begin, checkpoints, handoffs, failures; and the way to the next one.

use std::sync::Arc;

use crate::prelude::*;
use run::checkpoint::Subject;
use run::describe::Kind;
use run::stage::{Leading, Stage};
use run::{AssignmentId, Envelope, Event};

/// The kinds of place to go to, onwards or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Stage,
    Checkpoint,
    Handoff,
    Failure,
}

impl Sort {
    /// "checkpoint".
    pub fn named(self) -> &'static str {
        match self {
            Sort::Stage => "stage",
            Sort::Checkpoint => "checkpoint",
            Sort::Handoff => "handoff",
            Sort::Failure => "failure",
        }
    }
}

/// A place with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The number of events up to it, its own included.
    pub at: usize,
    pub name: &'static str,
    pub mark: Mark,
}

/// The stage of the leader that an event begins or goes on with; None where it is none of the leader's.
fn stage_of(event: &Event) -> Option<&'static str> {
    let leading = |stage: &Stage| match stage {
        Stage::Leading(Leading::Recall) => Some("memory"),
        Stage::Leading(Leading::Plan) => Some("plan"),
        Stage::Leading(Leading::Research) => Some("research"),
        Stage::Leading(Leading::Merge) => Some("merge"),
        Stage::Leading(Leading::Write) => Some("write"),
        Stage::Leading(Leading::Check) => Some("check"),
        Stage::Leading(Leading::Keep) => Some("keep"),
        _ => None,
    };
    match event {
        Event::RunOpened(_) => Some("begin"),
        Event::HandedOff { by: Some(AssignmentId::ROOT), stage, .. } => leading(stage),
        Event::CheckpointOpened { subject, .. } => match &**subject {
            Subject::Findings(_) => Some("findings"),
            Subject::Plan(_) => Some("plan"),
            Subject::Draft(_) => Some("draft"),
            Subject::Question(_) | Subject::Budget(_) | Subject::Stop(_) => None,
        },
        Event::Reported { by: AssignmentId::ROOT, .. } => Some("end"),
        _ => None,
    }
}

/// The beginnings of the stages, in order.
pub fn stages(events: &[Arc<Envelope>]) -> Vec<Named> {
    let mut stages: Vec<Named> = Vec::new();
    for (at, envelope) in (1..).zip(events) {
        if let Some(name) = stage_of(&envelope.event)
            && stages.last().is_none_or(|last| last.name != name)
        {
            stages.push(Named { at, name, mark: Mark::Running });
        }
    }
    stages
}

/// The stages, checkpoints and failures of a run, in order.
pub fn all(events: &[Arc<Envelope>]) -> Vec<Named> {
    let mut all = stages(events);
    for (at, envelope) in (1..).zip(events) {
        let named = match &envelope.event {
            Event::CheckpointOpened { subject, .. } => match &**subject {
                Subject::Question(_) => Some(("question", Mark::NeedsYou)),
                Subject::Budget(_) => Some(("cap", Mark::NeedsYou)),
                Subject::Stop(_) => Some(("breakpoint", Mark::NeedsYou)),
                Subject::Findings(_) | Subject::Plan(_) | Subject::Draft(_) => None,
            },
            _ if is(&envelope.event, Sort::Failure) => Some(("failure", Mark::Failed)),
            _ => None,
        };
        all.extend(named.map(|(name, mark)| Named { at, name, mark }));
    }
    all.sort_by_key(|named| named.at);
    all
}

/// Whether an event is a place of this sort.
pub fn is(event: &Event, sort: Sort) -> bool {
    match sort {
        Sort::Stage => false,
        Sort::Checkpoint => Kind::of(event) == Kind::NeedsYou,
        Sort::Handoff => matches!(event, Event::HandedOff { .. } | Event::Reported { .. }),
        Sort::Failure => match event {
            Event::Reported { outcome, .. } => Mark::from(outcome) == Mark::Failed,
            Event::AttemptFailed { .. } | Event::ModelFailed { .. } => true,
            // It tells the model which of its calls were not made.
            Event::ModelCalled { request, .. } => request.answers().any(|answer| answer.not_made),
            event => Kind::of(event) == Kind::Failure,
        },
    }
}

/// The next place of a sort after the moment with this many events, or the last one before it.
pub fn next(events: &[Arc<Envelope>], shown: usize, sort: Sort, onwards: bool) -> Option<usize> {
    if sort == Sort::Stage {
        let stages = stages(events);
        return match onwards {
            true => stages.iter().map(|stage| stage.at).find(|at| *at > shown),
            false => stages.iter().map(|stage| stage.at).rfind(|at| *at < shown),
        };
    }
    let is = |at: &usize| is(&events[*at - 1].event, sort);
    match onwards {
        true => (shown + 1..=events.len()).find(is),
        false => (1..shown.min(events.len() + 1)).rev().find(is),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Until};

    #[test]
    fn the_stages_of_a_run_are_named_in_order_each_where_it_begins() {
        let events = fixture::events(Until::Done);
        let stages = stages(&events);
        let names: Vec<&str> = stages.iter().map(|stage| stage.name).collect();
        assert_eq!(names.first(), Some(&"begin"));
        assert_eq!(names.last(), Some(&"end"));
        for name in ["research", "findings"] {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
        assert!(stages.windows(2).all(|two| two[0].at < two[1].at && two[0].name != two[1].name));
    }

    #[test]
    fn the_next_place_is_after_the_moment_shown_and_the_one_before_before_it() {
        let events = fixture::events(Until::Done);
        for sort in [Sort::Stage, Sort::Checkpoint, Sort::Handoff] {
            let mut on = Vec::new();
            let mut at = 0;
            while let Some(next) = next(&events, at, sort, true) {
                assert!(next > at);
                on.push(next);
                at = next;
            }
            let mut back = Vec::new();
            let mut at = events.len() + 1;
            while let Some(before) = next(&events, at, sort, false) {
                assert!(before < at);
                back.push(before);
                at = before;
            }
            back.reverse();
            assert!(!on.is_empty() && on == back, "{sort:?}: {on:?} {back:?}");
        }
        let failed = next(&events, 0, Sort::Failure, true).expect("a call fails in this run");
        assert_eq!(next(&events, failed, Sort::Failure, true), None);
        assert_eq!(next(&events, events.len() + 1, Sort::Failure, false), Some(failed));
    }
}
