//! Undo and redo at a findings checkpoint: the change that the next undo takes back, and the edit that makes it again.

use super::{Checkpoint, Edit, findings};
use crate::finding::Finding;
use crate::id::FindingId;
use text::{Clean, count};

/// The change that the next undo takes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undoing {
    /// Its effect, in words without the claim: "your fact is gone".
    pub says: Clean,
    /// The claim that it is about, where it is one.
    pub claim: Option<Clean>,
    /// The finding that it changes: of several the first; of one that goes, one beside it. None where none is left.
    pub finding: Option<FindingId>,
    /// The edit that repeats the one taken back.
    pub again: findings::Edit,
    /// Whether it was done before the person asked for more, at an earlier checkpoint.
    pub is_earlier: bool,
}

impl Checkpoint {
    /// The change to findings that the next undo takes back; None without one.
    pub fn undoing(&self) -> Option<Undoing> {
        let mut undone = self.clone();
        undone.edited(&Edit::Undo)?;
        let (now, then) = (self.findings()?, undone.findings()?);
        let is_earlier = self.edits.is_empty();
        if let Some(at) = now.iter().position(|one| then.iter().all(|other| other.id != one.id)) {
            let fact = &now[at];
            return Some(Undoing {
                says: "your fact is gone".into(),
                claim: Some(fact.claim.clone()),
                finding: then.get(at.min(then.len().saturating_sub(1))).map(|beside| beside.id),
                again: findings::Edit::Add { task: fact.task, claim: fact.claim.clone() },
                is_earlier,
            });
        }
        let before = |one: &Finding| then.iter().find(|other| other.id == one.id);
        let changed: Vec<(&Finding, &Finding)> =
            now.iter().filter_map(|one| Some((one, before(one)?))).filter(|(now, then)| now != then).collect();
        let (first, was) = *changed.first()?;
        let undoing = |says: String, again| {
            let claim = (changed.len() == 1).then(|| was.claim.clone());
            Some(Undoing { says: says.into(), claim, finding: Some(was.id), again, is_earlier })
        };
        if first.claim != was.claim {
            let again = findings::Edit::Reword { finding: first.id, claim: first.claim.clone() };
            return undoing("its words as they were".into(), again);
        }
        let keep = first.usable();
        let all = changed.iter().map(|(now, _)| now.id).collect();
        let which = if changed.len() == 1 { String::new() } else { format!("{} ", count(changed.len(), "finding")) };
        let state = if keep { "left out again" } else { "taken in again" };
        undoing(format!("{which}{state}"), findings::Edit::Set { findings: all, keep })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Subject;
    use super::findings::{Edit as Change, earlier};
    use super::*;
    use crate::id::{AssignmentId, CheckpointId, TaskId};

    fn checkpoint(id: u32, findings: Vec<Finding>) -> Checkpoint {
        Checkpoint::open(CheckpointId(id), AssignmentId::ROOT, Arc::new(Subject::Findings(findings)))
    }

    fn id(n: u32) -> FindingId {
        FindingId::new(AssignmentId::nth(2), n)
    }

    #[test]
    fn what_an_undo_takes_back_is_said_before_and_the_edit_it_names_does_it_again() {
        let found: Vec<Finding> = (1..=3).map(|n| Finding::new(id(n), Clean::line(&format!("Fact {n}.")))).collect();
        let mut it = checkpoint(1, found);
        assert_eq!(it.undoing(), None);
        for (edit, says, claim, selects) in [
            (Change::Drop { finding: id(1) }, "taken in again", Some("Fact 1."), id(1)),
            (Change::Keep { finding: id(1) }, "left out again", Some("Fact 1."), id(1)),
            (
                Change::Set { findings: vec![id(1), id(2), id(3)], keep: false },
                "2 findings taken in again",
                None,
                id(2),
            ),
            (
                Change::Reword { finding: id(3), claim: "Mine.".into() },
                "its words as they were",
                Some("Fact 3."),
                id(3),
            ),
            (Change::Add { task: None, claim: "I know.".into() }, "your fact is gone", Some("I know."), id(3)),
        ] {
            if says == "2 findings taken in again" {
                it.edited(&Edit::Findings(Change::Drop { finding: id(1) })).unwrap();
            }
            it.edited(&Edit::Findings(edit.clone())).unwrap();
            let undoing = it.undoing().unwrap();
            assert_eq!((&*undoing.says, undoing.claim.as_deref()), (says, claim), "{edit:?}");
            assert_eq!((undoing.finding, undoing.is_earlier), (Some(selects), false), "{edit:?}");
            let left = it.subject.clone();
            it.edited(&Edit::Undo).unwrap();
            it.edited(&Edit::Findings(undoing.again)).unwrap();
            assert_eq!(it.subject, left, "{edit:?}");
        }
    }

    #[test]
    fn what_was_done_before_more_was_asked_for_is_known_as_such() {
        let mut first = checkpoint(1, vec![Finding::new(id(1), "Fact 1.".into())]);
        first.edited(&Edit::Findings(Change::Add { task: Some(TaskId(1)), claim: "I know.".into() })).unwrap();
        let mut it = checkpoint(2, first.findings().unwrap().to_vec());
        it.earlier = earlier(&first);
        let undoing = it.undoing().unwrap();
        assert_eq!((undoing.claim.as_deref(), undoing.is_earlier), (Some("I know."), true));
        assert_eq!(undoing.again, Change::Add { task: Some(TaskId(1)), claim: "I know.".into() });
    }
}
