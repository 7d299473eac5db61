//! Orders that follow a list or a question: "…, and tell me which to use", "…, then recommend one". They name no further thing.

use super::{AGAINST, COMPARISONS, asks_or_orders, first_of, last_end};

/// Begin such an order.
const VERBS: &[&str] = &[
    "tell",
    "recommend",
    "explain",
    "suggest",
    "say",
    "give",
    "show",
    "list",
    "advise",
    "decide",
    "describe",
    "help",
    "let",
    "pick",
    "choose",
    "propose",
    "summarise",
    "summarize",
    "conclude",
    "discuss",
    "outline",
    "rank",
    "mention",
];

/// Follow its verb: the names "Show and Tell" and "ask and tell" are followed by other words, or none.
const OBJECTS: &[&str] = &[
    "me", "us", "one", "a", "an", "the", "which", "what", "how", "why", "when", "where", "who", "whether", "your",
    "my", "our", "their", "its", "each", "all", "any", "some", "both",
];

/// Between a question and an order.
const JOINTS: &[&str] = &[" and ", ", ", ". ", "; ", " then "];

/// A question without the orders at its end. Behind a statement an order is the question.
pub(super) fn without(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let is_asked = |at: usize| {
        let before = &lower[..at];
        asks_or_orders(before) || last_end(before, COMPARISONS).is_some() || first_of(before, AGAINST).is_some()
    };
    let places = JOINTS.iter().flat_map(|joint| lower.match_indices(joint).map(|(at, joint)| (at, at + joint.len())));
    let end = places.filter(|(at, after)| is_order(&text[*after..]) && is_asked(*at)).map(|(at, _)| at).min();
    end.map_or(text, |end| text[..end].trim_end_matches([',', ' ', ';']))
}

/// Whether a text begins with an order. Its verb is in small letters, or it is part of a name.
fn is_order(text: &str) -> bool {
    let mut words = text
        .split_whitespace()
        .skip_while(|word| matches!(*word, "and" | "then" | "also" | "please" | "finally" | "briefly"));
    words.next().is_some_and(|verb| VERBS.contains(&verb)) && words.next().is_some_and(|word| OBJECTS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_ends_a_question_and_a_name_that_begins_like_one_does_not() {
        for (text, before) in [
            ("Compare A with B and tell me which to use", "Compare A with B"),
            ("Compare A and B, then recommend one", "Compare A and B"),
            ("Compare A, B and C, and please also give a recommendation", "Compare A, B and C"),
            ("Compare A and B. then explain the differences, and list their limits", "Compare A and B"),
            ("Compare \u{130} and \u{e9}\u{212b} and tell me which", "Compare \u{130} and \u{e9}\u{212b}"),
        ] {
            assert_eq!(without(text), before);
        }
        for same in [
            "Compare Show and Tell and Tell Me More",
            "Compare Tell Me More and Rosetta",
            "Compare ask and tell",
            "Compare ask and tell in Smalltalk",
            "Compare git show and list",
            "Compare set and list with tuple",
            "I run Kafka. tell me about A and B",
            "I have A and B, tell me which to use",
            "tell me about A and B",
        ] {
            assert_eq!(without(same), same);
        }
    }
}
