//! Finds the sentences of a long question that ask, beside the story, the log or the mail that was pasted with them.
//!
//! It goes by marks and first words alone; it does not interpret the question.

use std::borrow::Cow;

use crate::named::asks;
use crate::sentence::sentences;

/// The most words of a question that is read whole: a story of a page's half.
const READ_WHOLE: usize = 200;
/// The most words of a sentence that asks: a longer one is a log without full stops.
const MOST_OF_A_QUESTION: usize = 60;
/// The most words of the statement before it that is kept: it may name the thing asked about.
const MOST_OF_A_STATEMENT: usize = 30;

/// The part of a question that asks: of a long one the sentences with a question mark, or if there are none, those that begin as
/// questions do, each with the short statement before it in its paragraph. Other questions, and long ones that ask nowhere, are left as they are.
pub fn asking(question: &str) -> Cow<'_, str> {
    if question.split_whitespace().nth(READ_WHOLE).is_none() {
        return Cow::Borrowed(question);
    }
    let ranges = sentences(question);
    let said: Vec<&str> = ranges.iter().map(|range| &question[range.clone()]).collect();
    let is_short = |text: &str, most: usize| text.split_whitespace().nth(most).is_none();
    let is_marked = |text: &str| text.ends_with('?') && is_short(text, MOST_OF_A_QUESTION);
    let begins = |text: &str| asks(&text.to_ascii_lowercase()) && is_short(text, MOST_OF_A_QUESTION);
    let asked: Vec<bool> = match said.iter().any(|text| is_marked(text)) {
        true => said.iter().map(|text| is_marked(text)).collect(),
        false => said.iter().map(|text| begins(text)).collect(),
    };
    let is_of_paragraph = |at: usize| !question[ranges[at].end..ranges[at + 1].start].contains("\n\n");
    let leads =
        |at: usize| asked.get(at + 1) == Some(&true) && is_short(said[at], MOST_OF_A_STATEMENT) && is_of_paragraph(at);
    let kept: Vec<&str> = (0..said.len()).filter(|at| asked[*at] || leads(*at)).map(|at| said[at]).collect();
    if kept.is_empty() { Cow::Borrowed(question) } else { Cow::Owned(kept.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of more words than are read as a question.
    fn log() -> String {
        "The daemon was started by the user and wrote its state into the file as it does each day. ".repeat(20)
    }

    #[test]
    fn of_a_long_text_the_sentences_that_ask_are_the_question() {
        let asks = "So my question is: how do I set the quota of a user, and how do I see it?";
        for text in [
            format!("{asks}\n\n{}", log()),
            format!("{}\n\nI use borg 1.4. {asks}", log()),
            format!("{} {asks} {}", log(), log()),
        ] {
            let asked = asking(&text);
            assert!(asked.contains(asks) && asked.split_whitespace().count() < 60, "{asked}");
        }
    }

    #[test]
    fn without_a_mark_the_sentences_that_begin_as_questions_are_it() {
        let text = format!("{}\n\nHow do I set the quota of a user.\n\n{}", log(), log());
        assert!(asking(&text).contains("How do I set the quota of a user."));
        assert!(asking(&text).len() < 200);
    }

    #[test]
    fn a_short_question_and_a_text_that_asks_nowhere_are_left_as_they_are() {
        let long = format!("{}{}", "2026-11-30 error 17 in unit 4 ".repeat(60), "end?");
        for text in ["", "vector databases", "My disk is full. How do I make room? I use Debian.", &long, &log()] {
            assert_eq!(asking(text), *text);
        }
    }
}
