//! Lists of steps: a question how to do something is answered by a whole list or by none of it. Without one step the
//! others are wrong.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::lists::{List, MOST_ITEMS, lists};
use super::tool_results::ToolResults;
use super::topic::Tokens;
use run::evidence::BlockKind;

/// The fewest chosen items from which the rest of the list is added.
const LEAST_CHOSEN: usize = 2;
/// The least share of a question in the headings and the title above a list that is about nothing else.
const HEADED_BY: f64 = 0.75;

/// The lists of steps that answer a question, and how far the words above the best of them have the question.
pub(super) struct Steps {
    /// The items of each list in order, the list with most of the question above it first.
    pub items: Vec<Candidate>,
    headed: f64,
}

impl Steps {
    /// The partly chosen lists, whole. One without an introduction has the question above it. `share` returns the share
    /// (0 to 1) of the question in a text.
    pub fn of(chosen: &[&Candidate], results: &ToolResults, share: impl Fn(&Tokens) -> f64) -> Steps {
        let is_partly_chosen = |list: &List<'_>| {
            let items: BTreeSet<u32> =
                chosen.iter().filter(|candidate| list.has(candidate)).map(|candidate| candidate.block.no).collect();
            items.len() >= LEAST_CHOSEN && list.items.len() <= MOST_ITEMS
        };
        let mut found: Vec<(f64, Vec<Candidate>)> = lists(results)
            .iter()
            .filter(|list| is_partly_chosen(list))
            .map(|list| (list.share_above(&share), list))
            .filter(|(headed, list)| list.intro().is_some() || *headed >= HEADED_BY)
            .filter_map(|(headed, list)| Some((headed, list.told(&share)?)))
            .collect();
        found.sort_by_key(|(headed, _)| Reverse((1000.0 * headed) as i32));
        let headed = found.first().map_or(0.0, |(headed, _)| *headed);
        found.retain(|(other, _)| headed < HEADED_BY || other * 2.0 >= headed);
        Steps { items: found.into_iter().flat_map(|(_, items)| items).collect(), headed }
    }

    /// Whether a candidate is an item of a list on another thing: the headings and the title above it have less than
    /// half as much of the question as those above these steps.
    pub fn are_of_another_thing(&self, candidate: &Candidate, share: impl Fn(&BTreeSet<String>) -> f64) -> bool {
        candidate.block.kind == BlockKind::ListItem
            && self.headed >= HEADED_BY
            && share(&candidate.above) * 2.0 < self.headed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::Block;

    /// The share of "join a network" in a text.
    fn share(text: &Tokens) -> f64 {
        let stems = text.content();
        ["join", "network"].iter().filter(|stem| stems.contains(**stem)).count() as f64 / 2.0
    }

    /// A page with the items of a list, of which each has two sentences.
    fn page(results: &mut ToolResults, title: &str, count: u32, intro: Option<&str>) {
        for no in 0..count {
            let item = Block {
                no,
                kind: BlockKind::ListItem,
                intro: intro.map(Into::into),
                headings: ["Directions".into()].into(),
                ..block(&format!("Button {no} of the window is chosen. Then it is pressed."))
            };
            results.blocks.insert((title.into(), no), (source(title), Arc::new(item)));
        }
    }

    /// The numbers of the items that are told of one page if these are chosen, and their label.
    fn told(title: &str, count: u32, intro: Option<&str>, chosen: &[u32]) -> (Vec<u32>, String) {
        let mut results = ToolResults::default();
        page(&mut results, title, count, intro);
        let all = candidates(&results, &Topic::new(["button"], [""; 0]), Code::Allowed);
        let chosen: Vec<&Candidate> = all.iter().filter(|candidate| chosen.contains(&candidate.block.no)).collect();
        let steps = Steps::of(&chosen, &results, share);
        let label = steps.items.first().and_then(|item| item.claim.text.split(": ").next()).unwrap_or_default();
        assert!(steps.items.iter().all(|item| item.claim.text.ends_with("is chosen. Then it is pressed.")));
        (steps.items.iter().map(|item| item.block.no).collect(), label.to_owned())
    }

    #[test]
    fn a_list_of_steps_of_which_two_answer_is_used_whole_and_in_order_below_its_introduction() {
        let intro = Some("To join a hidden network:");
        assert_eq!(told("Windows", 5, intro, &[3, 1]), (vec![0, 1, 2, 3, 4], "[To join a hidden network]".into()));
        assert!(told("Windows", 5, intro, &[3]).0.is_empty(), "one of them may stand alone");
        assert!(
            told("Windows", 11, Some("To join these networks:"), &[0, 1]).0.is_empty(),
            "a long list is a reference"
        );
    }

    #[test]
    fn a_list_directly_below_its_heading_is_one_of_steps_where_the_question_stands_above_it() {
        assert_eq!(told("Join a network", 3, None, &[0, 2]), (vec![0, 1, 2], "[Join a network]".into()));
        assert!(told("Windows", 3, None, &[0, 2]).0.is_empty());
    }

    #[test]
    fn steps_on_another_thing_do_not_stand_beside_those_that_were_asked_for() {
        let mut results = ToolResults::default();
        page(&mut results, "Join a network", 3, None);
        page(&mut results, "Print a page", 3, None);
        let all = candidates(&results, &Topic::new(["button"], [""; 0]), Code::Allowed);
        let steps = Steps::of(&all.iter().collect::<Vec<_>>(), &results, share);
        let of_stems =
            |stems: &BTreeSet<String>| share(&Tokens::of(&stems.iter().cloned().collect::<Vec<_>>().join(" ")));
        let (others, own): (Vec<&Candidate>, Vec<&Candidate>) =
            all.iter().partition(|candidate| steps.are_of_another_thing(candidate, of_stems));
        assert!(others.iter().all(|candidate| candidate.source.title == "Print a page") && !others.is_empty());
        assert!(own.iter().all(|candidate| candidate.source.title == "Join a network") && !own.is_empty());
    }
}
