//! Checks whether a paraphrase says no more than its quotes, as far as code can tell.
//!
//! A model's sentences are not quotes after logged edits, so the strict check does not apply. This one looks for
//! numbers, names, negations and words that are in none of the quotes. The reviewer judges the rest.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::subject::{Quoted, mistaken};
use crate::numbers::{numbers, value};
use crate::words::WORDS;
use text::Clean;
use text::words::{Language, content_stems, fold, is_stop, words};

/// The least share of a sentence's content words that are in its quotes.
const LEAST_SHARED: f64 = 0.5;
/// The least content words of a clause that is checked on its own.
const CLAUSE: usize = 3;

/// A number or a name in `text` that is neither in the quotes nor in their context.
pub(super) fn unknown(text: &str, quoted: &[Quoted]) -> Option<String> {
    let known = quoted.iter().flat_map(|quoted| [&quoted.said, &quoted.above]);
    let known_numbers: BTreeSet<String> = known.flat_map(|text| numbers(text)).map(|number| value(&number)).collect();
    if let Some(number) = numbers(text).iter().find(|number| !known_numbers.contains(&value(number))) {
        return Some(number.value.to_string());
    }
    let known = quoted.iter().flat_map(|quoted| [&quoted.said, &quoted.above, &quoted.passage]);
    let known_words: BTreeSet<Cow<'_, str>> = known.flat_map(|text| words(text)).map(fold).collect();
    words(text)
        .filter(|word| word.starts_with(char::is_uppercase) && !is_stop(word))
        .find(|word| {
            let folded = fold(word);
            !known_words.contains(&folded) && folded.strip_suffix("'s").is_none_or(|stem| !known_words.contains(stem))
        })
        .map(String::from)
}

/// Checks that a paraphrase says no more than its quotes, and states nothing of one of `things` that they state of
/// another.
///
/// # Errors
/// What it states beyond the quotes, as an issue for the writer.
pub(crate) fn is_covered(sentence: &str, quoted: &[Quoted], things: &[Clean]) -> Result<(), String> {
    // The capital at the start of a sentence does not make a name.
    if let Some(what) = unknown(&uncapitalised(sentence), quoted) {
        return Err(format!("“{what}” stands in none of the quotes"));
    }
    if let Some(thing) = mistaken(sentence, quoted, things) {
        return Err(format!("none of the quotes is about {thing}"));
    }
    if negates(sentence) && !quoted.iter().any(|quoted| negates(&quoted.said)) {
        return Err("it denies something that the quotes do not deny".into());
    }
    let parts = quoted.iter().flat_map(|quoted| [quoted.said.as_str(), &quoted.above, &quoted.passage]);
    let known = parts.collect::<Vec<_>>().join(" ");
    // If all its words are in the quotes, so are its stems, in any language.
    let known_words: BTreeSet<Cow<'_, str>> = words(&known).map(fold).collect();
    if words(sentence).all(|word| known_words.contains(&fold(word))) {
        return Ok(());
    }
    let language = Language::of(&known);
    let there: BTreeSet<String> = content_stems(&known, language).into_iter().collect();
    // Each substantial clause must be covered on its own.
    let clauses = sentence.split([':', ';']).filter(|clause| content_stems(clause, language).len() >= CLAUSE);
    for part in std::iter::once(sentence).chain(clauses) {
        let stems = content_stems(part, language);
        let shared = stems.iter().filter(|stem| there.contains(*stem)).count();
        if (shared as f64) < LEAST_SHARED * stems.len() as f64 {
            let is_alien = |word: &&str| content_stems(word, language).iter().any(|stem| !there.contains(stem));
            let alien: Vec<&str> = words(part).filter(is_alien).take(5).collect();
            return Err(format!("most of its words stand in none of the quotes ({}, …)", alien.join(", ")));
        }
    }
    Ok(())
}

/// Whether a line states a gap, and nothing about the world: it has no quote.
pub(crate) fn states_a_gap(line: &str) -> bool {
    let words: Vec<String> = words(line).map(|word| fold(word).into_owned()).collect();
    let has = |known: &BTreeSet<String>| words.iter().any(|word| known.contains(word));
    let lacks = negates(line) || has(&WORDS.lacks);
    // "No further information": the denial is right before what is missing, not anywhere in the sentence.
    let is_denied = |at: usize| words[at.saturating_sub(2)..at].iter().any(|word| negates(word));
    let tells = |(at, word): (usize, &String)| WORDS.told.contains(word) && (has(&WORDS.lacks) || is_denied(at));
    let begins = |first: &str| words.first().is_some_and(|word| word == first);
    let not_found = ["found", "stated", "covered", "known", "said", "given", "mentioned", "answered"];
    begins("nothing")
        || (begins("not") && words.get(1).is_some_and(|word| not_found.contains(&word.as_str())))
        || (["whether", "how", "what", "which", "when", "why", "who", "where"].iter().any(|word| begins(word))
            && (lacks || line.trim_end().ends_with('?')))
        || (lacks && has(&WORDS.of_what_was_read))
        || words.iter().enumerate().any(tells)
}

fn uncapitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(chars).collect(),
        _ => sentence.into(),
    }
}

fn negates(text: &str) -> bool {
    words(text).any(|word| {
        let word = fold(word);
        matches!(&*word, "not" | "no" | "never" | "none" | "cannot" | "without" | "neither" | "nor" | "nothing")
            || word.ends_with("n't")
            || word.ends_with("n’t")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_says_what_is_missing_and_nothing_of_the_world() {
        for gap in [
            "Nothing on price.",
            "Not stated: how large an index may become.",
            "The findings do not say which is cheaper.",
            "No information is provided about the price of either.",
            "Which one is cheaper under load?",
            "How fast each is under load is unknown.",
            "Prices of either were not given in the sources.",
            "There is no mention of backups in any of the documents.",
        ] {
            assert!(states_a_gap(gap), "{gap}");
        }
        for claim in [
            "pgvector is an extension, which is a feature that is not available in Pinecone.",
            "Pinecone is closed-source.",
            "This means that Pinecone cannot be modified.",
            "No server has to be sized with Pinecone.",
            "Therefore, this comparison cannot be conducted.",
            "Qdrant filters during the search, while pgvector has no vendor to ask about version information.",
            "Pinecone, which has no servers to size, keeps data in one region.",
        ] {
            assert!(!states_a_gap(claim), "{claim}");
        }
    }

    #[test]
    fn what_the_quotes_do_not_say_is_seen() {
        let quote = "The default value of ef is 40, and a higher value improves recall at the cost of speed.";
        let passage = "The walk has 7 steps, says Malkov.".into();
        let above = "HNSW 2 tuning pgvector".into();
        let quoted = [Quoted { said: quote.into(), above, passage, ..Quoted::default() }];
        let check = |sentence: &str| is_covered(sentence, &quoted, &[]);
        assert_eq!(check("Raising ef improves recall, as Malkov says of HNSW 2."), Ok(()));
        assert!(check("Raising ef by 7 improves recall.").unwrap_err().contains("7"));
        assert_eq!(check("Raising ef improves recall but costs speed."), Ok(()));
        assert_eq!(check("By default, ef has the value 40 in pgvector."), Ok(()));
        assert!(check("The default value of ef is 100.").unwrap_err().contains("100"));
        assert!(check("A higher ef improves recall in Qdrant.").unwrap_err().contains("Qdrant"));
        assert!(check("A higher value does not improve recall.").unwrap_err().contains("denies"));
        assert!(
            check("Then each database runs one statement: a higher value improves recall at the cost of speed.")
                .is_err()
        );
        assert_eq!(check("The trade-off of ef: a higher value improves recall at the cost of speed."), Ok(()));
        assert!(check("Databases embrace embeddings.").unwrap_err().contains("(Databases, embrace, "));
        assert!(check("Databases store embeddings for semantic retrieval workloads.").is_err());
    }
}
