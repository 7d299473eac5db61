//! Ranks notes by relevance to a question: by the stems they share, weighted by how rare each word is.

use std::collections::{BTreeMap, BTreeSet};

use text::common;
use text::words::{Language, content_stems, is_stop, stem, words};

/// The least share of the question that a relevant note covers.
const LEAST_SHARE: f64 = 0.5;
/// The same for a note that covers one of the things named in the question; the other names need not be covered.
const LEAST_SHARE_FOR_A_NAME: f64 = 0.3;
/// The least similarity of the note's own question for which a single distinctive word is enough.
const SIMILAR_QUESTION: f64 = 0.6;
/// The weight of the note's own question relative to its text.
const OWN_QUESTION_WEIGHT: f64 = 0.3;
/// Notes with less than this share of the best note's score are dropped.
const SHARE_OF_BEST: f64 = 0.5;

/// The names of a question that a note has to cover.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    All,
    /// Those that the note mentions: it may be about one of several.
    Mentioned,
}

/// A question as weighted stems.
pub(super) struct Asked {
    language: Language,
    /// Stems by weight: the rarer the word in general prose, the higher.
    stems: BTreeMap<String, f64>,
    /// The distinctive stems: a note without any of them is not relevant.
    telling: BTreeSet<String>,
    /// Stems of names, as far as capital letters show.
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
        // A question of only ordinary words treats them as distinctive.
        if telling.is_empty() {
            telling.extend(stems.keys().cloned());
        }
        Asked { language, stems, telling, names }
    }

    /// The relevant items, the most relevant first; ties in the order of the file. `texts` returns an item's own words
    /// and the question it was written for.
    pub(super) fn rank<T>(&self, items: impl Iterator<Item = T>, texts: impl Fn(&T) -> (String, String)) -> Vec<T> {
        let mut ranked: Vec<(f64, T)> = items
            .filter_map(|item| {
                let (own, asked_for) = texts(&item);
                Some((self.relevance(&own, &asked_for)?, item))
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = ranked.first().map_or(0.0, |(score, _)| *score);
        ranked.retain(|(score, _)| *score >= best * SHARE_OF_BEST);
        ranked.into_iter().map(|(_, item)| item).collect()
    }

    /// The relevance of a note; None if it is not relevant.
    fn relevance(&self, own: &str, asked_for: &str) -> Option<f64> {
        let own: BTreeSet<String> = content_stems(own, self.language).into_iter().collect();
        let asked_for: BTreeSet<String> = content_stems(asked_for, self.language).into_iter().collect();
        let (own_share, asked_share) = (self.share(&own, Names::All), self.share(&asked_for, Names::All));
        let named = self.names.iter().any(|name| own.contains(name));
        let covers = own_share >= LEAST_SHARE
            || named && self.share(&own, Names::Mentioned) >= LEAST_SHARE_FOR_A_NAME
            || asked_share >= SIMILAR_QUESTION;
        (covers && self.telling.iter().any(|stem| own.contains(stem)))
            .then_some(own_share + OWN_QUESTION_WEIGHT * asked_share)
    }

    /// The share of the question that these stems cover.
    fn share(&self, stems: &BTreeSet<String>, names: Names) -> f64 {
        let (mut covered, mut all) = (0.0, 0.0);
        for (stem, weight) in &self.stems {
            let here = stems.contains(stem);
            covered += if here { *weight } else { 0.0 };
            all += if here || names == Names::All || !self.names.contains(stem) { *weight } else { 0.0 };
        }
        if all > 0.0 { covered / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bears(question: &str, own: &str, asked_for: &str) -> bool {
        Asked::new(question).relevance(own, asked_for).is_some()
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
