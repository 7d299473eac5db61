//! Which notes bear on a question: those that share the words that tell, by their stems.

use std::collections::{BTreeMap, BTreeSet};

use text::common;
use text::words::{Language, content_stems, is_stop, stem, words};

/// The share of what a question asks that a note has to speak of.
const BEARS: f64 = 0.5;
/// The same where the note speaks of one of the things that the question names; the others it need not speak of.
const BEARS_ON_A_NAME: f64 = 0.3;
/// How much of it the question has in common for which a note was made, where one of the words that tell is enough.
const MUCH_THE_SAME: f64 = 0.6;
/// How much the question that a note was made for counts beside its own words.
const BESIDE: f64 = 0.3;
/// What says less than this share of what the best note says is left out.
const BESIDE_THE_BEST: f64 = 0.5;

/// A question, by what its words tell.
pub(super) struct Asked {
    language: Language,
    /// Stems with their weight: the rarer a word is in general prose, the more it tells.
    stems: BTreeMap<String, f64>,
    /// Those that are no ordinary words: without one of them nothing is about the question.
    telling: BTreeSet<String>,
    /// Those that name things, as far as capitals tell.
    names: BTreeSet<String>,
}

impl Asked {
    pub(super) fn new(question: &str) -> Asked {
        let language = Language::of(question);
        let (mut stems, mut telling, mut names) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        for (at, word) in words(question).enumerate().filter(|(_, word)| !is_stop(word)) {
            let stem = stem(word, language);
            if !common::is_common(word) {
                telling.insert(stem.clone());
                // Every question begins with a capital.
                if word.chars().skip(usize::from(at == 0)).any(char::is_uppercase) {
                    names.insert(stem.clone());
                }
            }
            stems.insert(stem, -common::share(word).ln());
        }
        // A question of ordinary words alone is about those.
        if telling.is_empty() {
            telling.extend(stems.keys().cloned());
        }
        Asked { language, stems, telling, names }
    }

    /// The items that bear on the question, what bears on it most first; ties in the order of the file. `texts` gives an
    /// item's own words and the question it was made for.
    pub(super) fn rank<T>(&self, items: impl Iterator<Item = T>, texts: impl Fn(&T) -> (String, String)) -> Vec<T> {
        let mut ranked: Vec<(f64, T)> = items
            .filter_map(|item| {
                let (own, beside) = texts(&item);
                Some((self.bears(&own, &beside)?, item))
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = ranked.first().map_or(0.0, |(score, _)| *score);
        ranked.retain(|(score, _)| *score >= best * BESIDE_THE_BEST);
        ranked.into_iter().map(|(_, item)| item).collect()
    }

    /// How much a note bears on the question; None if it does not.
    fn bears(&self, own: &str, beside: &str) -> Option<f64> {
        let own: BTreeSet<String> = content_stems(own, self.language).into_iter().collect();
        let beside: BTreeSet<String> = content_stems(beside, self.language).into_iter().collect();
        let (said, asked_for) = (self.share(&own, false), self.share(&beside, false));
        let named = self.names.iter().any(|name| own.contains(name));
        let bears = said >= BEARS || named && self.share(&own, true) >= BEARS_ON_A_NAME || asked_for >= MUCH_THE_SAME;
        (bears && self.telling.iter().any(|stem| own.contains(stem))).then_some(said + BESIDE * asked_for)
    }

    /// The share of what the question asks that these words speak of; of one thing only, the other names are not asked.
    fn share(&self, stems: &BTreeSet<String>, of_one: bool) -> f64 {
        let (mut said, mut all) = (0.0, 0.0);
        for (stem, weight) in &self.stems {
            let here = stems.contains(stem);
            said += if here { *weight } else { 0.0 };
            all += if here || !(of_one && self.names.contains(stem)) { *weight } else { 0.0 };
        }
        if all > 0.0 { said / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bears(question: &str, own: &str, beside: &str) -> bool {
        Asked::new(question).bears(own, beside).is_some()
    }

    #[test]
    fn what_shares_the_words_that_tell_bears_on_a_question_and_nothing_else_does() {
        const ASKED: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";
        for (question, own, related) in [
            ("How does Qdrant filter?", "Qdrant filters during the HNSW walk, not after it.", true),
            ("How do filters work in Qdrant and pgvector?", "Filtering happens in Qdrant while it walks.", true),
            ("What are the limits of Pinecone?", "Pinecone limits metadata to 40 KB.", true),
            (ASKED, "pgvector stores vectors in ordinary tables.", true),
            ("Weaviate, Milvus or Qdrant: which is faster?", "Qdrant is written in Rust.", true),
            ("What is the default value of ef_search?", "The default value of hnsw.ef_search is 40.", true),
            ("How long does sourdough bread need to proof?", "Pinecone needs no time to warm up.", false),
            ("How long does sourdough bread need to proof?", "A long index build needs memory.", false),
            ("What is the default port of Redis?", "The default value of hnsw.ef_search is 40.", false),
            ("Why do volcanoes erupt?", "pgvector stores vectors in ordinary tables.", false),
            ("", "pgvector stores vectors.", false),
        ] {
            assert_eq!(bears(question, own, ASKED), related, "{question} | {own}");
        }
    }

    #[test]
    fn what_bears_on_it_most_comes_first_and_what_hardly_does_is_left_out() {
        let asked = Asked::new("How does Qdrant filter?");
        let notes =
            ["Qdrant is an engine.", "Qdrant filters early.", "pgvector is an extension.", "Filters of Qdrant."];
        let ranked = asked.rank(notes.into_iter(), |note| (note.to_string(), String::new()));
        assert_eq!(ranked[..2], ["Qdrant filters early.", "Filters of Qdrant."]);
        assert!(!ranked.contains(&"pgvector is an extension."));
    }
}
