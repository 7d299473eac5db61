//! Tells where findings contradict each other: once for all that do, and with the reason. It never says which is right.

use std::collections::BTreeSet;

use super::Commission;
use super::layout::sentence;
use crate::extractive::edition::{Version, versions};
use crate::numbers::date_key;
use run::brief::{Draft, Piece, Section, Sentence};
use run::finding::Finding;
use run::id::FindingId;

/// The most sides of a contradiction that are shown.
const MOST_SIDES: usize = 4;
/// The heading over the differences between editions of one document.
const EDITIONS: &str = "In each edition";

impl Commission<'_> {
    /// One sentence for each group of findings that contradict each other: in forty versions of a document that is one sentence,
    /// and not one for each pair of versions.
    ///
    /// Those that stand in editions of one document are told apart from these ([`Commission::of_editions`]).
    pub(super) fn disagreements(&self) -> Vec<Sentence> {
        among(&self.findings)
    }

    /// The differences between editions of one document: each below the name of its edition, the newest first.
    pub(super) fn of_editions(&self) -> Option<Section> {
        let mut pieces = Vec::new();
        for group in contradicting(&self.findings).into_iter().filter(|group| are_of_editions(group)) {
            // Each beside the first, and the first beside the second.
            let version = |(at, f): (usize, &&Finding)| match at {
                0 => versions_of(f, group[1]).map(|(own, _)| own),
                _ => versions_of(group[0], f).map(|(_, own)| own),
            };
            let mut group: Vec<(Option<Version>, &Finding)> =
                group.iter().enumerate().map(|one| (version(one), *one.1)).collect();
            group.sort_by(|(a, _), (b, _)| b.cmp(a));
            group.truncate(MOST_SIDES);
            let group: Vec<&Finding> = group.into_iter().map(|(_, f)| f).collect();
            let titles: BTreeSet<&str> =
                group.iter().filter_map(|f| Some(f.place.as_ref()?.source.title.as_str())).collect();
            let name = |f: &Finding| {
                let source = &f.place.as_ref()?.source;
                Some(if titles.len() < group.len() { source.path.clone() } else { source.title.clone() })
            };
            pieces.extend(group.iter().map(|f| Piece::List {
                label: name(f),
                first: None,
                items: vec![sentence(f).into()],
            }));
        }
        (!pieces.is_empty()).then(|| Section { heading: EDITIONS.into(), pieces })
    }

    /// Both sides of all contradictions: reported once as a disagreement, and not also as facts.
    pub(super) fn contested(&self) -> BTreeSet<FindingId> {
        let is_contested = |f: &&&Finding| self.findings.iter().any(|other| is_against(f, other));
        self.findings.iter().filter(|f| !f.words_of.is_of_person()).filter(is_contested).map(|f| f.id).collect()
    }
}

/// The disagreements that a draft does not tell though it cites a side: of those neither of whose sides it has, nothing is to be told.
pub fn untold_disagreements(draft: &Draft, findings: &[Finding]) -> Vec<Sentence> {
    let findings: Vec<&Finding> = findings.iter().filter(|finding| finding.usable()).collect();
    let is_untold = |told: &Sentence| {
        let cites = |sentence: &Sentence, id: &FindingId| sentence.cites.contains(id);
        let has_both = |sentence: &Sentence| told.cites.iter().filter(|id| cites(sentence, id)).count() > 1;
        let is_begun = |sentence: &Sentence| told.cites.iter().any(|id| cites(sentence, id));
        draft.sentences().any(is_begun) && !draft.sentences().any(has_both)
    };
    among(&findings).into_iter().filter(is_untold).collect()
}

fn among(findings: &[&Finding]) -> Vec<Sentence> {
    contradicting(findings).into_iter().filter(|group| !are_of_editions(group)).map(disagreement).collect()
}

/// The groups of findings that contradict each other.
fn contradicting<'f>(findings: &[&'f Finding]) -> Vec<Vec<&'f Finding>> {
    let mut seen: BTreeSet<FindingId> = BTreeSet::new();
    let mut found = Vec::new();
    for finding in findings {
        let mut group = vec![*finding];
        let mut at = 0;
        while at < group.len() {
            let with = |f: &&&Finding| is_against(group[at], f);
            let is_new = |f: &&&Finding| !group.iter().any(|known| known.id == f.id);
            let more: Vec<&Finding> = findings.iter().filter(with).filter(is_new).copied().collect();
            group.extend(more);
            at += 1;
        }
        if group.len() > 1 && !group.iter().any(|f| seen.contains(&f.id)) {
            seen.extend(group.iter().map(|f| f.id));
            found.push(group);
        }
    }
    found
}

/// The versions of the documents of two findings, if these are editions of one.
fn versions_of(a: &Finding, b: &Finding) -> Option<(Version, Version)> {
    let (a, b) = (a.place.as_ref()?, b.place.as_ref()?);
    versions(&a.source, &b.source)
}

/// Whether all of these findings stand in editions of one document.
fn are_of_editions(group: &[&Finding]) -> bool {
    group.iter().skip(1).all(|other| versions_of(group[0], other).is_some())
}

/// Whether two findings contradict each other. A finding that holds and one that is superseded do not: the latter has a place of its own.
fn is_against(a: &Finding, b: &Finding) -> bool {
    a.conflicts.iter().any(|conflict| conflict.with == b.id) && a.is_superseded() == b.is_superseded()
}

/// One sentence for findings that contradict each other. Of many sides, those of the highest version or the latest date in their paths go first.
fn disagreement(mut group: Vec<&Finding>) -> Sentence {
    let place = |f: &Finding| f.place.as_ref().map_or_else(|| "you".to_string(), |place| place.source.path.to_string());
    if group.len() > 2 {
        group.sort_by_key(|f| (std::cmp::Reverse(date_key(&place(f))), f.id));
        // The second has to contradict the first itself: the reason is that of these two.
        let first = group[0];
        group[1..].sort_by_key(|f| !first.conflicts.iter().any(|conflict| conflict.with == f.id));
    }
    let said = |f: &Finding| format!("“{}” ({})", f.claim, place(f));
    let (first, second) = (group[0], group[1]);
    let reason = first.conflicts.iter().find(|conflict| conflict.with == second.id).map(|conflict| &conflict.reason);
    let mut text = format!("{} against {}", said(first), said(second));
    if let Some(reason) = reason {
        text.push_str(&format!(": {reason}"));
    }
    let told = group.len().min(MOST_SIDES);
    if told > 2 {
        let others: Vec<String> = group[2..told].iter().map(|f| said(f)).collect();
        text.push_str(&format!("; others say {}", others.join(", ")));
    }
    // Without their number, which no quote has.
    if group.len() > told {
        text.push_str("; more say otherwise");
    }
    text.push('.');
    Sentence { text: text.into(), cites: group[..told].iter().map(|f| f.id).collect() }
}

#[cfg(test)]
mod tests {
    use super::untold_disagreements;
    use crate::sample::finding;
    use run::brief::{Draft, Piece, Section, Sentence};
    use run::finding::{Conflict, Finding};

    #[test]
    fn a_disagreement_is_untold_where_a_side_is_cited_and_no_sentence_cites_both() {
        let (mut a, mut b) =
            (finding(0, "Widget", "A list holds 2000 rows."), finding(1, "Widget", "A list holds 5000 rows."));
        let against = |other: &Finding, reason: &str| vec![Conflict { with: other.id, reason: reason.into() }];
        a.conflicts = against(&b, "2000 rows here, 5000 rows there");
        b.conflicts = against(&a, "5000 rows here, 2000 rows there");
        let findings = [a.clone(), b.clone()];
        let draft = |cites: &[&[&Finding]]| {
            let sentence = |cites: &&[&Finding]| Sentence {
                text: "It holds rows.".into(),
                cites: cites.iter().map(|f| f.id).collect(),
            };
            let pieces = vec![Piece::Paragraph { sentences: cites.iter().map(sentence).collect() }];
            Draft { sections: vec![Section { heading: "Widget".into(), pieces }], ..Draft::default() }
        };
        for (cites, untold) in [(&[&[&a][..]][..], 1), (&[&[&a], &[&b]], 1), (&[&[&a, &b]], 0), (&[&[]], 0)] {
            let found = untold_disagreements(&draft(cites), &findings);
            assert_eq!(found.len(), untold, "{found:?}");
            assert!(
                found.iter().all(|told| told.text.contains("2000 rows here") && told.cites.len() == 2),
                "{found:?}"
            );
        }
    }
}
