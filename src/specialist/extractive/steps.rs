//! Lists of steps: a question how to do something is answered by a whole list or by none of it. Without one step the
//! others are wrong.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use run::evidence::BlockKind;

/// The fewest chosen items from which the rest of the list is added.
const LEAST_CHOSEN: usize = 2;
/// The most items of a list that is quoted whole; a longer one is a reference.
const MOST_ITEMS: usize = 10;

/// The missing items of partly chosen lists, each scored like the worst chosen item of its list.
pub(super) fn left_out<'c>(
    chosen: &[&'c Candidate],
    others: impl Iterator<Item = &'c Candidate> + Clone,
) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for (at, candidate) in chosen.iter().enumerate() {
        let of_list = |other: &&Candidate| are_of_a_list(candidate, other);
        let of_one_list: Vec<&Candidate> = chosen.iter().copied().filter(of_list).collect();
        let is_first = !chosen[..at].iter().any(|other| are_of_a_list(candidate, other));
        let items: BTreeSet<u32> = of_one_list.iter().map(|candidate| candidate.block.no).collect();
        if !is_first || items.len() < LEAST_CHOSEN {
            continue;
        }
        let is_missing = |other: &&Candidate| !items.contains(&other.block.no);
        let missing: Vec<&Candidate> = others.clone().filter(of_list).filter(is_missing).collect();
        let further: BTreeSet<u32> = missing.iter().map(|candidate| candidate.block.no).collect();
        if items.len() + further.len() > MOST_ITEMS {
            continue;
        }
        let worst = of_one_list.iter().map(|candidate| candidate.score).fold(f64::INFINITY, f64::min);
        let mut missing: Vec<Candidate> = missing.into_iter().cloned().collect();
        missing.iter_mut().for_each(|candidate| candidate.score = worst);
        found.append(&mut missing);
    }
    found
}

/// Whether two candidates are items below the same introduction.
fn are_of_a_list(a: &Candidate, b: &Candidate) -> bool {
    let (of_a, of_b) = (&a.block, &b.block);
    a.source.id == b.source.id
        && of_a.kind == BlockKind::ListItem
        && of_b.kind == BlockKind::ListItem
        && of_a.intro.is_some()
        && of_a.intro == of_b.intro
        && of_a.headings == of_b.headings
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::Block;

    /// The items of a list as candidates, each with a score.
    fn items(count: u32, intro: Option<&str>) -> Vec<Candidate> {
        let mut results = ToolResults::default();
        for no in 0..count {
            let item = Block {
                no,
                kind: BlockKind::ListItem,
                intro: intro.map(Into::into),
                ..block(&format!("Button {no} of the window is chosen."))
            };
            results.blocks.insert(("page".into(), no), (source("Page"), Arc::new(item)));
        }
        let mut items = candidates(&results, &Topic::new(["button"], [""; 0]), Code::Allowed);
        items.iter_mut().zip(0..).for_each(|(item, no)| item.score = 1.0 - 0.05 * f64::from(no));
        items
    }

    fn completed(items: &[Candidate], chosen: &[usize]) -> Vec<u32> {
        let chosen: Vec<&Candidate> = chosen.iter().map(|at| &items[*at]).collect();
        let found = left_out(&chosen, items.iter());
        assert!(found.iter().all(|item| chosen.iter().any(|chosen| chosen.score == item.score)));
        found.iter().map(|item| item.block.no).collect()
    }

    #[test]
    fn a_list_of_steps_of_which_two_answer_is_used_whole() {
        let steps = items(5, Some("To join a hidden network:"));
        assert_eq!(completed(&steps, &[3, 1]), [0, 2, 4]);
        assert!(completed(&steps, &[3]).is_empty(), "one of them may stand alone");
    }

    #[test]
    fn two_sentences_of_one_step_are_one_step() {
        let mut steps = items(5, Some("To join a hidden network:"));
        let mut again = steps[3].clone();
        again.claim.nth = 1;
        steps.push(again);
        assert!(completed(&steps, &[3, 5]).is_empty(), "one of them may stand alone");
        let mut long = items(9, Some("To join a hidden network:"));
        long.extend_from_within(2..6);
        assert_eq!(completed(&long, &[0, 1]).len(), 11, "nine steps, of which some have two sentences");
    }

    #[test]
    fn a_long_list_and_one_without_an_introduction_are_not_made_whole() {
        assert!(completed(&items(11, Some("These are known:")), &[0, 1]).is_empty());
        assert!(completed(&items(5, None), &[0, 1]).is_empty());
    }
}
