//! Shortens titles by the words that they share at their beginning, so that what tells them apart is seen.

use std::collections::BTreeMap;

use crate::prelude::*;

/// For each title what is left without the words it begins with as others do, after `…`; empty where it shares none.
///
/// `How does pgvector filter?`, `How does Qdrant filter?` become `…pgvector filter?`, `…Qdrant filter?`.
pub fn short(titles: &[&str]) -> Vec<Clean> {
    // How many titles begin with these words.
    let mut begin: BTreeMap<&str, usize> = BTreeMap::new();
    for title in titles {
        for end in ends_of_words(title) {
            *begin.entry(&title[..end]).or_default() += 1;
        }
    }
    titles.iter().map(|title| of(title, |words| begin.get(words).copied().unwrap_or(0) > 1)).collect()
}

fn of(title: &str, is_shared: impl Fn(&str) -> bool) -> Clean {
    let ends: Vec<usize> = ends_of_words(title).collect();
    let mut shared = ends.iter().take_while(|end| is_shared(&title[..**end])).count();
    // A title that others have too keeps its end, and a number says nothing without the word before it.
    while shared > 0 {
        let rest = title[ends[shared - 1]..].trim_start();
        if rest.starts_with(char::is_alphabetic) {
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
        assert_eq!(short(&["What limits pgvector?", "What is Qdrant?", "What is Pinecone?"])[0], "", "one word stays");
    }
}
