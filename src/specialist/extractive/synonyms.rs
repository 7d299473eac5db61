//! Synonyms: words that documents may use for a word of the question (`prompts/thesaurus.txt`).
//!
//! A synonym never counts as much as the word itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::phrases::is_cue;
use super::topic::Tokens;
use text::common::is_common;
use text::words::{Language, is_stop, stem, words};

/// A word of a group: its search form, and its stem.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Other {
    pub stem: String,
    pub word: &'static str,
}

/// The groups of the file, with an index by word.
struct Thesaurus {
    /// The single words of each group.
    groups: Vec<Vec<Other>>,
    /// The groups that a stem is in.
    by_stem: BTreeMap<String, Vec<usize>>,
    /// Phrases of several words, each with its group.
    phrases: Vec<(String, usize)>,
}

static THESAURUS: LazyLock<Thesaurus> = LazyLock::new(|| read(include_str!("../prompts/thesaurus.txt")));

/// Reads groups of words, one up to each `;`.
fn read(text: &'static str) -> Thesaurus {
    let mut thesaurus = Thesaurus { groups: Vec::new(), by_stem: BTreeMap::new(), phrases: Vec::new() };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    for group in lines.flat_map(|line| line.split(';')).filter(|group| !group.trim().is_empty()) {
        let at = thesaurus.groups.len();
        let (mut single, mut phrases): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        group
            .split_whitespace()
            .for_each(|word| if word.contains('_') { phrases.push(word) } else { single.push(word) });
        let others: Vec<Other> =
            single.into_iter().map(|word| Other { stem: stem(word, Language::English), word }).collect();
        for other in &others {
            let of = thesaurus.by_stem.entry(other.stem.clone()).or_default();
            if of.last() != Some(&at) {
                of.push(at);
            }
        }
        thesaurus.phrases.extend(phrases.into_iter().map(|phrase| (format!(" {} ", phrase.replace('_', " ")), at)));
        thesaurus.groups.push(others);
    }
    thesaurus
}

/// The synonyms of each word of a text, by its stem.
pub(super) fn others(text: &str) -> BTreeMap<String, BTreeSet<&'static Other>> {
    let thesaurus = &*THESAURUS;
    let mut found: BTreeMap<String, BTreeSet<&'static Other>> = BTreeMap::new();
    let mut add = |asked: &str, group: usize| {
        let others = thesaurus.groups[group].iter().filter(|other| other.stem != asked);
        found.entry(asked.to_string()).or_default().extend(others);
    };
    let tokens = Tokens::of(text);
    for asked in tokens.in_order() {
        thesaurus.by_stem.get(asked).into_iter().flatten().for_each(|group| add(asked, *group));
    }
    let plain: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let plain = format!(" {} ", plain.join(" ").to_lowercase());
    for (phrase, group) in thesaurus.phrases.iter().filter(|(phrase, _)| plain.contains(phrase.as_str())) {
        // A phrase is asked for by those of its words that have a meaning of their own.
        Tokens::of(phrase).in_order().for_each(|asked| add(asked, *group));
    }
    found
}

/// The question with synonyms: for each of up to `most` words that have some, the rest of the question with those.
/// Words that are missing in the sources go first, then those that are rare in English, then those with few synonyms: they
/// are the most specific.
pub(super) fn reworded(question: &str, most: usize, is_missing: impl Fn(&str) -> bool) -> Vec<String> {
    let own: Vec<(String, &str)> =
        words(question).filter(|word| !is_stop(word)).map(|word| (stem(word, Language::English), word)).collect();
    let mut of: Vec<(String, BTreeSet<&'static Other>)> =
        others(question).into_iter().filter(|(asked, _)| !is_cue(asked)).collect();
    let missing: BTreeSet<&str> =
        own.iter().filter(|(_, word)| is_missing(word)).map(|(stem, _)| stem.as_str()).collect();
    of.sort_by_key(|(asked, of)| (!missing.contains(asked.as_str()), is_common(asked), of.len()));
    let query = |(asked, of): (String, BTreeSet<&'static Other>)| {
        let rest = own.iter().filter(|(stem, _)| *stem != asked).map(|(_, word)| *word);
        rest.chain(of.iter().map(|other| other.word)).collect::<Vec<_>>().join(" ")
    };
    of.into_iter().take(most).map(query).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str, asked: &str) -> Vec<&'static str> {
        others(question).get(asked).into_iter().flatten().map(|other| other.word).collect()
    }

    #[test]
    fn other_words_stand_for_what_was_said_and_for_nothing_else() {
        let undo = of("How do I undo it?", "undo");
        assert!(undo.contains(&"revert") && undo.contains(&"restore") && !undo.contains(&"undo"), "{undo:?}");
        assert!(of("Why did it fail?", "fail").contains(&"failure"), "a verb and its noun have other stems");
        assert!(others("Qdrant").is_empty());
    }

    #[test]
    fn a_question_is_put_in_the_other_words_of_one_word_at_a_time() {
        let queries = reworded("how can a journal get damaged", 2, |_| false);
        assert!(queries.iter().any(|query| query.starts_with("journal ") && query.contains("corrupt")), "{queries:?}");
        assert!(reworded("What is Qdrant?", 2, |_| false).is_empty());
        let first =
            |missing: &'static str| reworded("a broken disk of a journal", 1, move |word| word == missing).remove(0);
        assert!(first("disk").contains("drive") && first("broken").contains("corrupt"), "the missing word first");
    }

    #[test]
    fn a_phrase_counts_where_it_stands_whole() {
        assert!(of("how to get rid of a file", "rid").contains(&"delete"));
        assert_eq!(of("a rid of it", "rid"), Vec::<&str>::new());
    }
}
