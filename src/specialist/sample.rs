//! Hand-made sources for the tests of work by rule.

use std::sync::Arc;

use run::evidence::{Block, BlockKind, Place, SourceRef};
use run::finding::{Finding, FindingKind, apply};
use run::handoff::Handoff;
use run::id::{AssignmentId, FindingId, SourceId, TaskId};
use run::{HandoffNo, Limits, Payload};

use crate::Assigned;

/// A document with this title.
pub(crate) fn source(title: &str) -> SourceRef {
    let id: Arc<str> = title.to_lowercase().replace(' ', "-").into();
    SourceRef {
        path: format!("{id}.md").as_str().into(),
        id: SourceId(id),
        title: title.into(),
        sha256: "0".into(),
        superseded: None,
    }
}

/// A paragraph.
pub(crate) fn block(text: &str) -> Block {
    Block {
        no: 0,
        kind: BlockKind::Paragraph,
        headings: Arc::new([]),
        intro: None,
        text: text.into(),
        line: 1,
        breaks: Vec::new(),
        start: 0,
        lead: true,
    }
}

/// A handoff with this payload.
pub(crate) fn handoff(payload: Payload) -> Arc<Handoff> {
    let names = ("supervisor".into(), "specialist".into());
    Arc::new(Handoff { no: HandoffNo(1), from: None, to: None, names, title: "work".into(), payload })
}

/// The assignment of this handoff, with eight turns left.
pub(crate) fn assigned(handoff: &Arc<Handoff>) -> Assigned<'_> {
    Assigned { id: AssignmentId::nth(1), handoff, turns_left: 8, is_over: false, left: Limits::default(), known: None }
}

/// A finding that quotes a whole block of the page `title`.
pub(crate) fn finding(n: u32, title: &str, quote: &str) -> Finding {
    Finding {
        id: FindingId::new(AssignmentId::nth(1), n),
        task: Some(TaskId(1)),
        subtopic: title.into(),
        claim: apply(quote, &[]).unwrap().as_str().into(),
        edits: vec![],
        quote: quote.into(),
        place: Some(Place {
            source: source(title),
            block: n,
            headings: Arc::new([]),
            line: n,
            start: 0,
            end: quote.len() as u32,
        }),
        announced: vec![],
        kind: FindingKind::Fact,
        numbers: crate::numbers::numbers(quote),
        date: None,
        score: 1000 - n as i32,
        also: vec![],
        also_at: vec![],
        conflicts: vec![],
        standing: Default::default(),
        words_of: Default::default(),
        columns: None,
        kept_from: None,
    }
}
