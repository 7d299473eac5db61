//! The clauses of a question that asks for several things in one sentence, or two: "how much vacation do they get, how is severance
//! paid and which insurance is provided". Cautious: clauses that share a word, or of which one points back at another ("what does it
//! cost"), are one question and name nothing here.

use std::collections::BTreeSet;

use super::{asks, asks_or_orders};
use crate::capital;
use crate::common::{EVERYWHERE, share};
use crate::words::{Language, fold, is_stop, stem, words};

/// Between two clauses.
const JOINTS: [&str; 6] = ["? ", "; ", ", and ", ", ", " and ", " & "];

/// Words that point at what another clause names.
const POINT_BACK: &[&str] = &[
    "it", "its", "they", "them", "their", "this", "that", "these", "those", "each", "both", "either", "neither", "one",
    "ones", "such", "same", "else", "there", "he", "she", "his", "her", "him", "so", "other", "others", "another",
];

/// The most clauses: a longer sentence is a list of something else.
const MOST: usize = 12;

/// The fewest letters of a word that tells clauses apart.
const SHORTEST: usize = 3;

/// The clauses of a question, as written there; none unless it has several, each on something else.
pub(super) fn clauses(question: &str) -> Vec<String> {
    let pieces = cut(question);
    let told: Vec<BTreeSet<String>> =
        pieces.iter().map(|piece| telling(piece).iter().map(|word| stem(word, Language::English)).collect()).collect();
    let is_apart = |at: usize| !told[at].is_empty() && told[at + 1..].iter().all(|other| told[at].is_disjoint(other));
    let points_back = |piece: &str| words(&piece.to_lowercase()).any(|word| POINT_BACK.contains(&word));
    let asks = |piece: &&str| asks_or_orders(&piece.to_ascii_lowercase());
    let are_several = (2..=MOST).contains(&pieces.len())
        && pieces.iter().all(asks)
        && !pieces.iter().skip(1).any(|piece| points_back(piece))
        && (0..pieces.len()).all(is_apart);
    if are_several { pieces.into_iter().map(capital).collect() } else { Vec::new() }
}

/// The words that tell a clause from others: those that are rare in prose on any topic; if it has none, those that are not everywhere.
pub fn telling(clause: &str) -> Vec<String> {
    let is_word = |word: &&str| word.chars().nth(SHORTEST - 1).is_some() && !is_stop(word);
    let mut told: Vec<&str> = words(clause).filter(is_word).collect();
    let rarest = told.iter().map(|word| share(word)).fold(EVERYWHERE, f64::min);
    told.retain(|word| share(word) <= rarest && share(word) < EVERYWHERE);
    told.into_iter().map(|word| fold(word).into_owned()).collect()
}

/// The question, cut where another question begins.
fn cut(question: &str) -> Vec<&str> {
    let lower = question.to_ascii_lowercase();
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = question.get(at..).and_then(|rest| rest.chars().next()) {
        let joint = JOINTS.iter().find(|joint| lower[at..].starts_with(**joint) && asks(&lower[at + joint.len()..]));
        at += match joint {
            Some(joint) => {
                pieces.push(&question[from..at]);
                from = at + joint.len();
                joint.len()
            }
            None => found.len_utf8(),
        };
    }
    pieces.push(&question[from..]);
    pieces.into_iter().map(|piece| piece.trim().trim_end_matches(['?', '.', '!', ',', ' '])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_of_several_clauses_is_read_as_its_clauses() {
        for (question, read) in [
            (
                "How much vacation do 37signals employees get, how does the sabbatical work, what severance is paid, which insurance is \
                 provided, and how does profit sharing work?",
                "How much vacation do 37signals employees get | How does the sabbatical work | What severance is paid | Which insurance is \
                 provided | How does profit sharing work",
            ),
            ("How do I bind a key? Which plugins play music?", "How do I bind a key | Which plugins play music"),
            ("what is a tablespace and how do I vacuum a table", "What is a tablespace | How do I vacuum a table"),
        ] {
            assert_eq!(clauses(question).join(" | "), read, "{question}");
        }
    }

    #[test]
    fn one_question_in_several_clauses_is_not_cut() {
        for question in [
            "What is a checkpoint and when does it run?",
            "What is a checkpoint and when is the checkpoint written?",
            "How do I install nginx, and what else should I configure?",
            "What is pgvector?",
            "My disk is full. How do I free space and which files can go?",
            "At what temperature and how long do I bake bread?",
            "Which database is fast and cheap?",
            "What happened and why?",
        ] {
            assert_eq!(clauses(question), Vec::<String>::new(), "{question}");
        }
    }
}
