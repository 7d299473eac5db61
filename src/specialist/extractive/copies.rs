//! Copies: what several documents say to the letter, as the pages, the plain text and the print of one manual do. One of them is told.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::candidate::Candidate;
use super::claim::labelled;
use text::words::{fold, words};

/// From so many words on, a text is a copy also where the two documents put it under different names.
const TO_THE_LETTER: usize = 12;
/// So many sentences of a document, and a half of those that may be told, have to be copies so that all of it is one.
const LEAST_COPIED: usize = 4;
/// A document that is so many times longer than another of its form is the manual that has the other as a page. Versions of one
/// document are about equally long.
const IN_ONE_PIECE: u32 = 3;

/// Of candidates, best first, that several documents have to the letter keeps one, in the place and with the score and the values `V`
/// of the best: the one in the best form ([`form`]), and of one form the page rather than the manual in one piece. `lengths` are the
/// numbers of blocks of the documents, by path.
///
/// What else a document says that is mostly copied from better ones is left out as well: it is what they say, with the words of
/// tables, titles and lists set otherwise.
pub(super) fn told_once<V>(ranked: Vec<(Candidate, V)>, lengths: &BTreeMap<String, u32>) -> Vec<(Candidate, V)> {
    let length = |c: &Candidate| lengths.get(c.source.path.as_str()).copied().unwrap_or(0);
    let is_better = |a: &Candidate, b: &Candidate| match form(&a.source.path).cmp(&form(&b.source.path)) {
        Ordering::Equal => length(a).saturating_mul(IN_ONE_PIECE) < length(b),
        order => order == Ordering::Less,
    };
    let mut kept: Vec<(Candidate, V)> = Vec::with_capacity(ranked.len());
    let mut said: BTreeMap<String, usize> = BTreeMap::new();
    // By path of a document: its candidates, and those that a better document has, too.
    let mut copied: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (mut candidate, values) in ranked {
        copied.entry(candidate.source.path.to_string()).or_default().0 += 1;
        let text = candidate.claim.text.as_str();
        let bare = labelled(text).map_or(text, |(_, text)| text);
        let text = if words(bare).count() < TO_THE_LETTER { text } else { bare };
        let text = words(text).map(fold).collect::<Vec<_>>().join(" ");
        match said.get(&text).map(|at| &mut kept[*at].0).filter(|same| same.source.id != candidate.source.id) {
            Some(same) => {
                let better = is_better(&candidate, same);
                if better {
                    candidate.score = same.score;
                    std::mem::swap(same, &mut candidate);
                }
                if better || is_better(same, &candidate) {
                    copied.entry(candidate.source.path.to_string()).or_default().1 += 1;
                }
            }
            None => {
                said.entry(text).or_insert(kept.len());
                kept.push((candidate, values));
            }
        }
    }
    let is_copy = |c: &(Candidate, V)| {
        copied.get(c.0.source.path.as_str()).is_some_and(|(all, copies)| *copies >= LEAST_COPIED && copies * 2 >= *all)
    };
    kept.retain(|candidate| !is_copy(candidate));
    kept
}

/// The place of a document's form, best first, by how well its headings are known: marked in pages, guessed in plain text, and in
/// print guessed from text whose words and lines may be broken as well.
fn form(path: &str) -> u8 {
    match fold(path).trim_end_matches(".gz").rsplit('.').next() {
        Some("pdf") => 2,
        Some("txt" | "text") => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::sample::{block, source};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use run::evidence::{Block, SourceRef};

    /// The titles of the documents that are told where each of these has the same two texts.
    fn told(documents: &[(&str, u32)], texts: [&str; 2]) -> Vec<String> {
        let mut results = ToolResults::default();
        for (title, blocks) in documents {
            let source = source(title);
            let source = SourceRef { path: source.path.trim_end_matches(".md").into(), ..source };
            results.lengths.insert(source.path.to_string(), *blocks);
            for (text, no) in texts.into_iter().zip(0..) {
                let place = (source.path.to_string(), no);
                results.blocks.insert(place, (source.clone(), Arc::new(Block { no, ..block(text) })));
            }
        }
        let found = candidates(&results, &Topic::new(["links"], [""; 0]), Code::Told);
        let ranked = found.into_iter().map(|candidate| (candidate, ())).collect();
        told_once(ranked, &results.lengths).into_iter().map(|(c, ())| c.source.title.to_string()).collect()
    }

    #[test]
    fn what_several_documents_say_to_the_letter_is_told_once_as_its_page_has_it() {
        let texts = ["A hard link is another name of one file.", "A soft link holds the name of a file."];
        let page = ["Its page", "Its page"];
        assert_eq!(told(&[("Its page", 9), ("Manual in one piece", 900), ("Next version", 8)], texts), page);
        assert_eq!(told(&[("A manual in one piece", 900), ("Its page", 9)], texts), page, "in whatever order");
        assert_eq!(told(&[("Its page", 90), ("Plain.txt", 8), ("Print.PDF", 7)], texts), page);
        assert_eq!(told(&[("A.pdf.gz", 9), ("B.txt", 90)], texts), ["B.txt", "B.txt"]);
        let twice = ["A hard link is another name of one file."; 2];
        assert_eq!(told(&[("Its page", 9)], twice).len(), 2, "one document has no copy of its own");
    }
}
