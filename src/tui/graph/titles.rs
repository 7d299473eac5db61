//! Shortens titles by the words that they share at their beginning, so that their differences are seen.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::prelude::*;

/// For each title its rest without the words that others begin with as well, after `…`; empty if it shares none. No rest is the end
/// of another title.
///
/// `How does pgvector filter?`, `How does Qdrant filter?` become `…pgvector filter?`, `…Qdrant filter?`.
pub fn short(titles: &[&str]) -> Vec<Clean> {
    // The number of titles that begin with these words, and of those that end with them.
    let (mut begin, mut end): (HashMap<&str, usize>, HashMap<&str, usize>) = Default::default();
    for title in titles {
        for at in ends_of_words(title) {
            *begin.entry(&title[..at]).or_default() += 1;
            *end.entry(&title[at..]).or_default() += 1;
        }
    }
    let is_more_than_one = |counts: &HashMap<&str, usize>, words: &str| counts.get(words).is_some_and(|n| *n > 1);
    titles
        .iter()
        .map(|title| of(title, |words| is_more_than_one(&begin, words), |rest| is_more_than_one(&end, rest)))
        .collect()
}

/// A title in `cells` cells: of the words that `short` leaves out only as many are dropped as needed.
pub fn within<'a>(title: &'a str, short: &'a str, cells: usize) -> Cow<'a, str> {
    if width(title) <= cells || short.is_empty() {
        return cut(title, cells);
    }
    let rest = short.strip_prefix('…').unwrap_or(short);
    let longer = ends_of_words(title).map(|end| &title[end..]).take_while(|longer| longer.len() > rest.len());
    let mut longer = longer.filter(|longer| longer.ends_with(rest)).map(|longer| format!("…{longer}"));
    match longer.find(|longer| width(longer) <= cells) {
        Some(longer) => Cow::Owned(longer),
        None => cut(short, cells),
    }
}

fn of(title: &str, is_shared: impl Fn(&str) -> bool, is_end_of_others: impl Fn(&str) -> bool) -> Clean {
    let ends: Vec<usize> = ends_of_words(title).collect();
    let mut shared = ends.iter().take_while(|end| is_shared(&title[..**end])).count();
    // A title that others have too keeps its end: the words left tell it apart, and a number says nothing without the word before it.
    while shared > 0 {
        let rest = &title[ends[shared - 1]..];
        if rest.starts_with(char::is_alphabetic) && !is_end_of_others(rest) {
            break;
        }
        shared -= 1;
    }
    // One word is little to drop, and much to guess.
    if shared < 2 {
        return Clean::default();
    }
    match shared.checked_sub(1).map(|last| title[ends[last]..].trim_start()) {
        Some(rest) => Clean::line(&format!("…{rest}")),
        None => Clean::default(),
    }
}

fn ends_of_words(title: &str) -> impl Iterator<Item = usize> {
    title.split_inclusive(' ').scan(0, |end, word| {
        *end += word.len();
        Some(*end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_words_are_dropped_than_have_no_room() {
        let title = "What are the operating costs per month of pgvector?";
        for (short, cells, shown) in [
            ("…pgvector?", 60, title),
            ("…pgvector?", 50, "…are the operating costs per month of pgvector?"),
            ("…pgvector?", 39, "…operating costs per month of pgvector?"),
            ("…pgvector?", 12, "…pgvector?"),
            ("…pgvector?", 6, "…pgve…"),
            ("", 12, "What are th…"),
            ("1–10", 12, "1–10"),
        ] {
            assert_eq!(within(title, short, cells), shown, "{cells}");
        }
    }

    #[test]
    fn what_titles_share_at_their_beginning_is_dropped_and_what_tells_them_apart_stays() {
        let titles = [
            "How does pgvector handle limits?",
            "How does Qdrant handle limits?",
            "What is subject 1 good for?",
            "What is subject 2 good for?",
            "Costs",
            "Costs",
        ];
        assert_eq!(
            short(&titles),
            [
                "…pgvector handle limits?",
                "…Qdrant handle limits?",
                "…subject 1 good for?",
                "…subject 2 good for?",
                "",
                ""
            ]
        );
        assert_eq!(short(&["pgvector", "Qdrant"]), ["", ""]);
        let crossed = [
            "How does A handle cost?",
            "How does A handle limits?",
            "How does B handle cost?",
            "How does B handle limits?",
        ];
        assert_eq!(
            short(&crossed),
            ["…A handle cost?", "…A handle limits?", "…B handle cost?", "…B handle limits?"],
            "none is like another"
        );
        assert_eq!(short(&["What limits pgvector?", "What is Qdrant?", "What is Pinecone?"])[0], "", "one word stays");
    }
}
