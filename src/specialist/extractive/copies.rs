//! Copies: text that several documents contain verbatim, such as the pages, the plain text and the PDF of one manual.
//! One copy is kept.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::candidate::Candidate;
use super::claim::labelled;
use run::evidence::SourceRef;
use run::id::SourceId;
use text::words::{fold, words};

/// A text of at least this many words is a copy even under different names.
const TO_THE_LETTER: usize = 12;
/// The fewest copied sentences of a document that is a copy as a whole; they must be at least half of its candidates.
const LEAST_COPIED: usize = 4;
/// A document this many times longer than another of its form is the manual that contains the other as a page. Versions
/// of one document have about the same length.
const IN_ONE_PIECE: u32 = 3;

/// Keeps one candidate of those that several documents contain verbatim. `ranked` is best first. The kept one has the
/// rank, the score and the values `V` of the best, but comes from the better document ([`SourceRef::standing`]), or
/// from a page rather than from the whole manual. `lengths` are the numbers of blocks of the documents, by path.
///
/// A document that is mostly copied from better ones is dropped whole: the rest of it is the same text in a worse form,
/// or an earlier version.
pub(super) fn keep_one_copy<V>(ranked: Vec<(Candidate, V)>, lengths: &BTreeMap<String, u32>) -> Vec<(Candidate, V)> {
    let mut kept: Vec<(Candidate, V)> = Vec::with_capacity(ranked.len());
    // The index of each text in `kept`, and its other sources.
    let mut seen: BTreeMap<String, (usize, Vec<SourceRef>)> = BTreeMap::new();
    let mut candidates_of: BTreeMap<SourceId, usize> = BTreeMap::new();
    for (mut candidate, values) in ranked {
        *candidates_of.entry(candidate.source.id.clone()).or_default() += 1;
        let key = to_the_letter(&candidate);
        match seen.get_mut(&key).filter(|(at, _)| kept[*at].0.source.id != candidate.source.id) {
            Some((at, others)) => {
                let same = &mut kept[*at].0;
                if is_better(&candidate.source, &same.source, lengths) {
                    candidate.score = same.score;
                    std::mem::swap(same, &mut candidate);
                }
                others.push(candidate.source);
            }
            None => {
                seen.entry(key).or_insert((kept.len(), Vec::new()));
                kept.push((candidate, values));
            }
        }
    }
    let mut copied: BTreeMap<&SourceId, usize> = BTreeMap::new();
    for (at, others) in seen.values() {
        let best = &kept[*at].0.source;
        for other in others.iter().filter(|other| is_better(best, other, lengths)) {
            *copied.entry(&other.id).or_default() += 1;
        }
    }
    let is_copy = |(id, copies): (&SourceId, usize)| {
        (copies >= LEAST_COPIED && copies * 2 >= candidates_of.get(id).copied().unwrap_or(0)).then(|| id.clone())
    };
    let copies: BTreeSet<SourceId> = copied.into_iter().filter_map(is_copy).collect();
    kept.retain(|(candidate, _)| !copies.contains(&candidate.source.id));
    kept
}

/// The words by which copies are recognised. For program text, only the lead-in and the first line, because forms lay
/// out the rest differently.
fn to_the_letter(candidate: &Candidate) -> String {
    let text = candidate.claim.text.as_str();
    let text = if candidate.is_code() { text.lines().next().unwrap_or(text) } else { text };
    let bare = labelled(text).map_or(text, |(_, text)| text);
    let text = if words(bare).count() < TO_THE_LETTER { text } else { bare };
    words(text).map(fold).collect::<Vec<_>>().join(" ")
}

/// Whether a document is preferred over another with the same text.
fn is_better(a: &SourceRef, b: &SourceRef, lengths: &BTreeMap<String, u32>) -> bool {
    let length = |source: &SourceRef| lengths.get(source.path.as_str()).copied().unwrap_or(0);
    match a.standing().cmp(&b.standing()) {
        Ordering::Equal => length(a).saturating_mul(IN_ONE_PIECE) < length(b),
        order => order == Ordering::Less,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::{Block, SourceRef};

    /// The titles of the documents that are kept if each of these has the same two texts.
    fn kept_titles(documents: &[(&str, u32)], texts: [&str; 2]) -> Vec<String> {
        kept_of(documents.iter().map(|(title, blocks)| (*title, *blocks, &texts[..])))
    }

    /// The titles of the documents that are kept, each given by its number of blocks and its texts. Documents called
    /// "Old" are superseded.
    fn kept_of<'a>(documents: impl Iterator<Item = (&'a str, u32, &'a [&'a str])>) -> Vec<String> {
        let mut results = ToolResults::default();
        for (title, blocks, texts) in documents {
            let source = source(title);
            let superseded = title.starts_with("Old").then(|| "Superseded.".into());
            let source = SourceRef { path: source.path.trim_end_matches(".md").into(), superseded, ..source };
            results.lengths.insert(source.path.to_string(), blocks);
            for (text, no) in texts.iter().zip(0..) {
                let place = (source.path.to_string(), no);
                results.blocks.insert(place, (source.clone(), Arc::new(Block { no, ..block(text) })));
            }
        }
        let found = candidates(&results, &Topic::new(["links"], [""; 0]), Code::Allowed);
        let ranked = found.into_iter().map(|candidate| (candidate, ())).collect();
        keep_one_copy(ranked, &results.lengths).into_iter().map(|(c, ())| c.source.title.to_string()).collect()
    }

    #[test]
    fn what_several_documents_say_to_the_letter_is_kept_once_as_its_page_has_it() {
        let texts = ["A hard link is another name of one file.", "A soft link holds the name of a file."];
        let page = ["Its page", "Its page"];
        assert_eq!(kept_titles(&[("Its page", 9), ("Manual in one piece", 900), ("Next version", 8)], texts), page);
        assert_eq!(kept_titles(&[("A manual in one piece", 900), ("Its page", 9)], texts), page, "in whatever order");
        assert_eq!(kept_titles(&[("Its page", 90), ("Plain.txt", 8), ("Print.PDF", 7)], texts), page);
        assert_eq!(kept_titles(&[("A.pdf.gz", 9), ("B.txt", 90)], texts), ["B.txt", "B.txt"]);
        assert_eq!(kept_titles(&[("da/links", 9), ("en/links", 9)], texts), ["en/links", "en/links"]);
        let twice = ["A hard link is another name of one file."; 2];
        assert_eq!(kept_titles(&[("Its page", 9)], twice).len(), 2, "one document has no copy of its own");
    }
    #[test]
    fn of_a_document_that_is_mostly_copied_nothing_is_kept() {
        let texts = [
            "A hard link is another name of one file.",
            "A soft link holds the name of a file.",
            "A link to a folder is always a soft link.",
            "A hard link lasts as long as its folder does.",
            "A soft link may lead to another disk.",
            "A hard link may be of another owner.",
        ];
        let print = [&texts[..4], &["A link has the rights of its file."]].concat();
        let kept_titles =
            |title: &str, own: &[&str]| kept_of([("Its page", 9, &texts[..]), (title, 9, own)].into_iter());
        assert_eq!(kept_titles("Print.pdf", &print), ["Its page"; 6]);
        assert_eq!(kept_titles("Old rules", &print), ["Its page"; 6]);
        assert!(kept_titles("Next version", &print).contains(&"Next version".into()), "no version goes before another");
        assert!(kept_titles("Print.pdf", &print[2..]).contains(&"Print.pdf".into()), "two copies may be quotations");
        assert_eq!(kept_of([("Old rules", 9, &texts[..]), ("Rules.txt", 9, &texts[..])].into_iter()), ["Rules.txt"; 6]);
    }
}
