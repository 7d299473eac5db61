//! Actions of the person that `--yes` does not do: changes and other answers at checkpoints, messages to specialists.

use std::collections::BTreeSet;

use serde::Serialize;

use super::checkpoint::findings::Edit as OfFindings;
use super::checkpoint::stop::Edit as OfStop;
use super::checkpoint::{Answered, Approver, Checkpoint, Edit, Subject};
use super::describe;
use super::handoff::{Part, PartName, Payload};
use super::id::FindingId;
use super::state::Run;
use text::{Clean, count};

/// One thing that the person did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deed {
    /// The place: the checkpoint with its subject, or the specialist.
    pub at: Clean,
    /// The kind of action.
    pub did: Did,
    /// The action, in words for a person.
    pub words: Clean,
}

/// A kind of thing that a person does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    /// Changed the subject of a checkpoint.
    Changed,
    /// Answered otherwise than `--yes` does.
    Answered,
    /// Sent a message to a specialist.
    Told,
}

impl Run {
    /// The person's actions in this run that `--yes` does not do: at checkpoints in their order, then messages.
    pub fn deeds(&self) -> Vec<Deed> {
        let at_checkpoints = self.checkpoints.iter().flat_map(at_checkpoint);
        let told = self.assignments().flat_map(|one| {
            let at: Clean = Clean::line(&describe::name(one));
            let deed = move |words: &Clean| Deed { at: at.clone(), did: Did::Told, words: words.clone() };
            one.transcript.messages.iter().map(move |message| deed(&message.text))
        });
        at_checkpoints.chain(told).collect()
    }
}

fn at_checkpoint(checkpoint: &Checkpoint) -> Vec<Deed> {
    let at: Clean = Clean::line(&format!("{}, {}", checkpoint.id, checkpoint.subject.title()));
    let deed = |did, words: String| Deed { at: at.clone(), did, words: words.into() };
    let changes = checkpoint.edits.iter().map(|edit| deed(Did::Changed, changed(checkpoint, edit)));
    let other = checkpoint
        .answer
        .as_ref()
        .filter(|Answered { by, answer }| *by == Approver::Person && *answer != checkpoint.subject.approval());
    let answers = other.and_then(|answered| checkpoint.subject.said(&answered.answer));
    changes.chain(answers.map(|says| deed(Did::Answered, says))).collect()
}

fn changed(checkpoint: &Checkpoint, edit: &Edit) -> String {
    let claim = |id: &FindingId| {
        let all = checkpoint.findings().unwrap_or_default();
        all.iter().find(|finding| finding.id == *id).map_or_else(|| id.to_string(), |one| one.claim.to_string())
    };
    match edit {
        Edit::Findings(OfFindings::Drop { finding }) => format!("dropped: {}", claim(finding)),
        Edit::Findings(OfFindings::Keep { finding }) => format!("taken back in: {}", claim(finding)),
        Edit::Findings(OfFindings::Set { findings, keep: true }) => {
            format!("{} taken back in", count(findings.len(), "finding"))
        }
        Edit::Findings(OfFindings::Set { findings, keep: false }) => {
            format!("{} dropped", count(findings.len(), "finding"))
        }
        Edit::Findings(OfFindings::Reword { claim, .. }) => format!("reworded: {claim}"),
        Edit::Findings(OfFindings::Add { claim, .. }) => format!("added: {claim}"),
        Edit::Stop(OfStop::Payload { of, payload }) => {
            let put = if let Subject::Stop(put) = &*checkpoint.put { put.payloads() } else { Vec::new() };
            let changes = put.get(*of as usize).map(|one| differences(one.payload, payload)).unwrap_or_default();
            format!("changed the {}: {}", checkpoint.subject.title(), changes.join(", "))
        }
        Edit::Stop(OfStop::Drop { .. }) => "dropped what stood there".into(),
        Edit::Stop(OfStop::Keep { .. }) => "took it back in".into(),
        _ => format!("changed the {}", checkpoint.subject.title()),
    }
}

/// The parts in which a payload is another than it was: "length from 500 to 150, question".
fn differences(was: &Payload, now: &Payload) -> Vec<String> {
    let part = |of: &Payload, name: PartName| of.parts().any(|part| part.name() == name);
    let names: BTreeSet<PartName> = was.parts().chain(now.parts()).map(Part::name).collect();
    let is_same = |name: PartName| {
        let mut then = was.parts().filter(|part| part.name() == name);
        let mut now = now.parts().filter(|part| part.name() == name);
        then.next() == now.next()
    };
    let change = |name: PartName| match (name, was.length, now.length) {
        (PartName::Length, Some(then), Some(now)) => format!("length from {then} to {now}"),
        _ if !part(now, name) => format!("{name} taken out"),
        _ => name.to_string(),
    };
    names.into_iter().filter(|name| !is_same(*name)).map(change).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::checkpoint::{Answer, findings};
    use crate::finding::Finding;
    use crate::id::{AssignmentId, CheckpointId};

    #[test]
    fn what_is_changed_of_a_payload_is_named_part_by_part_and_what_is_the_same_is_not() {
        let (question, shortfalls) = (Some(Clean::from("why?")), Some(vec![Clean::from("cost: not researched.")]));
        let was = Payload { question: question.clone(), shortfalls, length: Some(500), ..Payload::note("so") };
        let now = Payload { question, length: Some(150), ..Payload::note("not so") };
        assert_eq!(differences(&was, &now), ["length from 500 to 150", "shortfalls taken out", "note"]);
        assert!(differences(&was, &was).is_empty());
    }

    #[test]
    fn what_differs_from_approving_all_is_told_in_words() {
        let id = FindingId::new(AssignmentId::nth(1), 1);
        let found = vec![Finding::new(id, "A heap is a tree.".into())];
        let mut it = Checkpoint::open(CheckpointId(1), AssignmentId::ROOT, Arc::new(Subject::Findings(found)));
        let answered = |it: &Checkpoint, answer| {
            let answer = Some(Answered { by: Approver::Person, answer });
            let deeds = at_checkpoint(&Checkpoint { answer, ..it.clone() });
            deeds.into_iter().map(|deed| (deed.did, deed.words.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(answered(&it, it.subject.approval()), []);
        it.edited(&Edit::Findings(OfFindings::Drop { finding: id })).unwrap();
        let more = Answer::Findings(findings::Answer::More { task: None, wish: "index limits".into() });
        let dropped = (Did::Changed, "dropped: A heap is a tree.".to_owned());
        let asked = (Did::Answered, "more was asked for: index limits".to_owned());
        assert_eq!(answered(&it, more), [dropped.clone(), asked]);
        assert_eq!(answered(&it, it.subject.approval()), [dropped]);
    }
}
