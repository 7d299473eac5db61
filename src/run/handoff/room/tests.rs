use std::sync::Arc;

use super::*;
use crate::AssignmentId;
use crate::brief::{Draft, Piece, Section, Sentence};
use crate::evidence::{Block, BlockKind, Place, SourceRef};
use crate::handoff::Passage;

/// Finding `n` with a quote of 400 bytes, in block `n`.
pub(crate) fn finding(n: u32, score: i32) -> Finding {
    Finding {
        subtopic: "all".into(),
        quote: "x".repeat(400).as_str().into(),
        place: Some(Place {
            source: SourceRef::sample("s", "S"),
            block: n,
            start: 0,
            end: 400,
            line: 1,
            headings: Arc::from([]),
        }),
        score,
        ..Finding::new(FindingId::new(AssignmentId::nth(1), n), "".into())
    }
}

/// The block `n`, of 800 bytes.
fn passage(n: u32) -> Passage {
    let block = Block {
        no: n,
        kind: BlockKind::Paragraph,
        headings: Arc::from([]),
        intro: None,
        text: "y".repeat(800).as_str().into(),
        line: 1,
        breaks: Vec::new(),
        start: 0,
        lead: false,
    };
    Passage { source: SourceRef::sample("s", "S"), block: Arc::new(block) }
}

fn payload(scores: &[i32], cites: &[u32]) -> Payload {
    let findings: Vec<Finding> = scores.iter().zip(0..).map(|(score, n)| finding(n, *score)).collect();
    let cites = cites.iter().map(|n| FindingId { assignment: AssignmentId::nth(1), n: *n }).collect();
    let piece = Piece::Paragraph { sentences: vec![Sentence { text: "So.".into(), cites }] };
    let draft = Draft { sections: vec![Section { heading: "".into(), pieces: vec![piece] }], ..Draft::default() };
    Payload {
        question: Some("why?".into()),
        draft: Some(draft),
        passages: Some((0..scores.len() as u32 + 2).map(passage).collect()),
        findings: Some(findings),
        shortfalls: Some(vec!["z".repeat(40).as_str().into(); 3]),
        ..Payload::default()
    }
}

#[test]
fn what_goes_goes_whole_and_in_the_order_of_what_it_matters() {
    // A finding takes 100 tokens, its passage 200, a shortfall 10; two passages belong to no finding.
    for (what, scores, cites, most, kept, shortfalls, passages) in [
        ("it fits", &[5, 5, 5][..], &[][..], 9_999, &[0, 1, 2][..], 3, 5),
        ("idle passages first", &[5, 5, 5], &[], 1_000, &[0, 1, 2], 3, 3),
        ("then what fell short", &[5, 5, 5], &[], 905, &[0, 1, 2], 0, 3),
        ("then the weakest", &[5, 1, 9], &[], 700, &[0, 2], 0, 2),
        ("of equal ones the last", &[5, 5, 5], &[], 700, &[0, 1], 0, 2),
        ("the cited stay", &[5, 1, 9], &[1], 400, &[1], 0, 1),
        ("one stays", &[5, 1, 9], &[], 1, &[2], 0, 1),
    ] {
        let mut payload = payload(scores, cites);
        let before = payload.clone();
        payload.fit(most);
        let left: Vec<u32> = payload.findings().iter().map(|finding| finding.id.n).collect();
        assert_eq!(
            (left.as_slice(), payload.shortfalls().len(), payload.passages().len()),
            (kept, shortfalls, passages),
            "{what}"
        );
        assert!(payload.findings().iter().all(|finding| finding.quote.len() == 400), "{what}");
        let gone = |of| payload.left_out().iter().find(|left| left.of == of).map_or(0, |left| left.items as usize);
        assert_eq!(gone(PartName::Findings), scores.len() - kept.len(), "{what}: it says so");
        assert_eq!(gone(PartName::Passages), before.passages().len() - passages, "{what}");
        assert_eq!(payload == before, payload.left_out().is_empty(), "{what}");
        assert_eq!(payload.draft, before.draft, "{what}");
    }
}
