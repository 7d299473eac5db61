//! Lists that the sources introduce as advantages or drawbacks: "But there are also disadvantages:". They answer such
//! questions whole.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::Candidate;
use crate::words::WORDS;
use run::evidence::{Block, BlockKind};
use run::finding::FindingKind;
use text::sentence::sentences;
use text::words::{Language, stem, words};

/// The most items of a list that is quoted whole.
const MOST_ITEMS: usize = 12;

/// The side that a text names; None if it names neither or both.
pub(super) fn side_of(text: &str) -> Option<FindingKind> {
    match asked(text) {
        [true, false] => Some(FindingKind::Advantage),
        [false, true] => Some(FindingKind::Drawback),
        _ => None,
    }
}

/// Whether a text names advantages, and whether it names drawbacks.
fn asked(text: &str) -> [bool; 2] {
    let lower = text.to_lowercase();
    [&WORDS.over_advantages, &WORDS.over_drawbacks].map(|list| words(&lower).any(|word| list.contains(word)))
}

/// The side named above a list item. The closest sentence counts: "There are advantages and disadvantages. Advantages
/// include:".
pub(super) fn over(block: &Block) -> Option<FindingKind> {
    if block.kind != BlockKind::ListItem {
        return None;
    }
    let intro = block.intro.as_deref().unwrap_or_default();
    let closest = sentences(intro).into_iter().rev().find_map(|range| side_of(&intro[range]));
    closest.or_else(|| block.headings.last().and_then(|heading| side_of(heading)))
}

/// The least share of the question in a list and the words above it for the list to be about the question.
const LEAST_SHARE: f64 = 0.4;

/// For each side that the question asks for, the list with most of the question's words, as the first sentence of each
/// item. `share` returns the share (0 to 1) of the question in a set of stems.
pub(super) fn lists<'c>(
    question: &str,
    candidates: impl Iterator<Item = &'c Candidate> + Clone,
    share: impl Fn(&BTreeSet<&str>) -> f64,
) -> Vec<Candidate> {
    // A list of drawbacks contains the word for drawbacks, under any heading.
    let is_side = |word: &&str| [&WORDS.over_advantages, &WORDS.over_drawbacks].iter().any(|list| list.contains(*word));
    let lower = question.to_lowercase();
    let asked_for: Vec<String> = words(&lower).filter(is_side).map(|word| stem(word, Language::English)).collect();
    let sides = [FindingKind::Advantage, FindingKind::Drawback].into_iter().zip(asked(question));
    let mut found = Vec::new();
    for (side, _) in sides.filter(|(_, is_asked)| *is_asked) {
        let of_side = candidates.clone().filter(|candidate| over(&candidate.block) == Some(side));
        let lists =
            of_side.map(|item| candidates.clone().filter(|other| are_of_a_side(item, other)).collect::<Vec<_>>());
        let about = |list: &Vec<&Candidate>| {
            let stems = list.iter().flat_map(|item| [&item.own, &*item.above, &*item.title]).flatten();
            share(&stems.chain(&asked_for).map(String::as_str).collect())
        };
        let weighed = lists.map(|list| (about(&list), list)).filter(|(share, _)| *share >= LEAST_SHARE);
        // Of equal lists, the first.
        let best = weighed.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let mut items: BTreeMap<u32, &Candidate> = BTreeMap::new();
        for item in best.into_iter().flat_map(|(_, list)| list) {
            let first = items.entry(item.block.no).or_insert(item);
            if item.claim.range.start < first.claim.range.start {
                *first = item;
            }
        }
        if items.len() <= MOST_ITEMS {
            found.extend(items.into_values().cloned());
        }
    }
    found
}

/// Whether two candidates are items of the same list, below the same introduction or heading.
fn are_of_a_side(a: &Candidate, b: &Candidate) -> bool {
    let (of_a, of_b) = (&a.block, &b.block);
    a.source.id == b.source.id && of_a.intro == of_b.intro && of_a.headings == of_b.headings && over(of_a) == over(of_b)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};

    fn item(no: u32, intro: &str, text: &str) -> Block {
        Block { no, kind: BlockKind::ListItem, intro: Some(intro.into()), ..block(text) }
    }

    #[test]
    fn the_closest_words_above_a_list_say_which_side_it_is_of() {
        for (intro, side) in [
            ("There are advantages and disadvantages to it. Advantages include:", Some(FindingKind::Advantage)),
            ("But there are also disadvantages:", Some(FindingKind::Drawback)),
            ("It has pros and cons:", None),
            ("The console shows:", None),
        ] {
            assert_eq!(over(&item(0, intro, "It is fast.")), side, "{intro}");
        }
    }

    #[test]
    fn a_list_of_the_side_that_is_asked_for_is_used_whole() {
        let mut results = ToolResults::default();
        let texts = [
            ("Advantages of the log include:", "Writing is fast in most cases."),
            ("Advantages of the log include:", "Readers do not wait for a writer."),
            ("But there are also disadvantages:", "All programs run on one machine."),
        ];
        for ((intro, text), no) in texts.into_iter().zip(0..) {
            results.blocks.insert(("page".into(), no), (source("Page"), Arc::new(item(no, intro, text))));
        }
        let topic = Topic::new(["log"], [""; 0]);
        let all = candidates(&results, &topic, Code::Allowed);
        let chosen = |question: &str| -> Vec<u32> {
            lists(question, all.iter(), |_| 1.0).iter().map(|item| item.block.no).collect()
        };
        assert_eq!(chosen("what are the benefits of the log"), [0, 1]);
        assert_eq!(chosen("the pros and cons of the log"), [0, 1, 2]);
        assert!(chosen("what is the log").is_empty());
        assert!(lists("the benefits of tea", all.iter(), |_| 0.1).is_empty(), "it is about something else");
        let below = Block {
            no: 3,
            kind: BlockKind::ListItem,
            headings: Arc::new(["Benefits".into()]),
            ..block("Every change is kept for a day.")
        };
        results.blocks.insert(("other".into(), 3), (source("Other"), Arc::new(below)));
        let with_heading = candidates(&results, &topic, Code::Allowed);
        let of_other = with_heading.iter().filter(|item| item.block.no == 3);
        assert_eq!(lists("the benefits of the log", of_other, |_| 1.0).len(), 1, "a heading names the side, too");
        let has_cons =
            |stems: &BTreeSet<&str>| f64::from(u8::from(stems.contains(stem("cons", Language::English).as_str())));
        assert_eq!(lists("the cons of the log", all.iter(), has_cons).len(), 1, "it calls them disadvantages");
    }
}
