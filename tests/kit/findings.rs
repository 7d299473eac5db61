//! Findings, their documents, and handoffs.

use run::evidence::SourceRef;
use run::finding::{Finding, WordsOf};
use run::{AssignmentId, FindingId, Handoff, HandoffNo, Payload, Role, SourceId, TaskId};
use text::Clean;

/// The first finding of an assignment: in the person's words, so that no source has to hold it.
pub fn finding(by: AssignmentId, task: Option<TaskId>, claim: &str) -> Finding {
    Finding {
        task,
        subtopic: "all".into(),
        score: 1,
        words_of: WordsOf::Person,
        ..Finding::new(FindingId::new(by, 1), claim.into())
    }
}

/// A document with this id, at this path, with this title.
pub fn source(id: &str, path: &str, title: &str) -> SourceRef {
    let (id, sha256) = (SourceId(id.into()), Clean::default());
    SourceRef { id, path: path.into(), title: title.into(), sha256, superseded: None }
}

/// The first handoff of a run, from the supervisor to a researcher.
pub fn handoff(title: impl Into<Clean>, payload: Payload) -> Handoff {
    Handoff {
        no: HandoffNo(1),
        from: Some(AssignmentId::ROOT),
        to: Some(AssignmentId::nth(1)),
        names: (Role::SUPERVISOR.into(), Role::RESEARCHER.into()),
        title: title.into(),
        payload,
    }
}
