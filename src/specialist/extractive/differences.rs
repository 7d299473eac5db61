//! Lists that the sources introduce as the differences of compared things: "The main differences between them are:".
//! They answer a comparison whole.

use super::candidate::Candidate;
use super::lists::{MOST_ITEMS, lists};
use super::tool_results::ToolResults;
use super::topic::{Tokens, Topic};
use text::words::{fold, words};

/// The fewest compared things in the introduction of such a list.
const LEAST_THINGS: usize = 2;

/// The items of the first list that is introduced as the differences of at least two of the things of a topic.
pub(super) fn listed(topic: &Topic, results: &ToolResults) -> Vec<Candidate> {
    let things = || topic.names.iter().chain(&topic.rivals);
    let share = |text: &Tokens| things().filter(|thing| thing.is_in(text)).count() as f64;
    let of_them = |intro: &str| {
        words(intro).any(|word| fold(word).starts_with("differ")) && share(&Tokens::of(intro)) >= LEAST_THINGS as f64
    };
    lists(results)
        .iter()
        .filter(|list| (2..=MOST_ITEMS).contains(&list.items.len()) && list.intro().is_some_and(of_them))
        .find_map(|list| list.told(share))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sample::{block, source};
    use run::evidence::{Block, BlockKind};

    fn told(intro: &str) -> Vec<String> {
        let mut results = ToolResults::default();
        for (no, text) in
            (0..).zip(["A project needs a lock file.", "`tool ci` installs whole projects.", "It never writes."])
        {
            let item = Block { no, kind: BlockKind::ListItem, intro: Some(intro.into()), ..block(text) };
            results.blocks.insert(("page".into(), no), (source("Tool ci"), Arc::new(item)));
        }
        let topic = Topic::new(["tool ci"], ["tool ci", "tool install"]);
        listed(&topic, &results).into_iter().map(|item| item.claim.text).collect()
    }

    #[test]
    fn a_list_of_the_differences_of_two_things_is_told_whole_below_its_introduction() {
        let label = "[The main differences between using tool install and tool ci]: ";
        assert_eq!(
            told("The main differences between using tool install and tool ci are:"),
            [
                format!("{label}A project needs a lock file."),
                format!("{label}`tool ci` installs whole projects."),
                format!("{label}It never writes.")
            ]
        );
        for other in ["The main differences of tool ci are:", "What tool install and tool ci need:"] {
            assert!(told(other).is_empty(), "{other}");
        }
    }
}
