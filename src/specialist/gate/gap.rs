//! Whether a line of the gaps only names something missing, and says nothing of the world: it has no quote.

use std::collections::BTreeSet;

use super::denial::{is_negation, negates};
use super::paraphrase::bare;
use crate::extractive::is_verb;
use crate::words::WORDS;
use text::words::{fold, is_stop, words};

/// A word of a line.
struct Word<'l> {
    written: &'l str,
    folded: String,
}

/// Whether a line only names something missing, and no name in it is unknown to its writer.
pub fn is_gap(line: &str, known: &str) -> bool {
    states_a_gap(line, known) && unknown_in_gap(line, known).is_none()
}

/// Whether a gap names the missing thing: more than "nothing found".
pub fn names_what_is_missing(gap: &str) -> bool {
    let tells = |word: &str| !is_stop(word) && !WORDS.of_finding.contains(word) && !WORDS.lacks.contains(word);
    words(gap).map(fold).any(|word| tells(&word) && !negates(&word))
}

/// A number or a name of a gap that nobody who wrote it was told: then it is a claim.
fn unknown_in_gap<'g>(gap: &'g str, known: &str) -> Option<&'g str> {
    let known: BTreeSet<String> = words(known).map(|word| bare(&fold(word)).to_owned()).collect();
    let is_name = |(at, word): &(usize, &str)| {
        word.contains(|c: char| c.is_ascii_digit()) || *at > 0 && word.starts_with(char::is_uppercase) && !is_stop(word)
    };
    let told = words(gap).enumerate().filter(is_name).map(|(_, word)| word);
    told.into_iter().find(|word| !known.contains(bare(&fold(word))))
}

/// Whether a line states a gap. `known` is all that its writer was told: it shows which words are names.
fn states_a_gap(line: &str, known: &str) -> bool {
    let all: Vec<Word<'_>> = words(line).map(|written| Word { written, folded: fold(written).into_owned() }).collect();
    denies_being_told(line, &all) || states_nothing(line, &all, known)
}

/// Whether it says that something was not found, or not told by the passages read.
fn denies_being_told(line: &str, all: &[Word<'_>]) -> bool {
    let has = |known: &BTreeSet<String>| all.iter().any(|word| known.contains(&word.folded));
    let lacks = negates(line) || has(&WORDS.lacks);
    // "No further information": the denial is right before the missing thing, not anywhere in the sentence.
    let is_denied = |at: usize| all[at.saturating_sub(2)..at].iter().any(|word| is_negation(&word.folded));
    let tells = |(at, word): (usize, &Word<'_>)| {
        WORDS.told.contains(&word.folded) && (has(&WORDS.lacks) || is_denied(at))
            || WORDS.telling.contains(&word.folded) && is_denied(at)
    };
    let begins = |first: &str| all.first().is_some_and(|word| word.folded == first);
    let is_found = |word: &Word<'_>| WORDS.telling.contains(&word.folded) || WORDS.found.contains(&word.folded);
    // "Nothing is faster than it" is a claim.
    let is_claim = matches!(all.get(1).map(|word| &*word.folded), Some("is" | "was" | "beats" | "matches"))
        && !all.iter().any(is_found);
    begins("nothing") && !is_claim
        || (begins("not") && all.get(1).is_some_and(is_found))
        || (all.first().is_some_and(asks) && (lacks || line.trim_end().ends_with('?')))
        || (lacks && has(&WORDS.of_what_was_read))
        || all.iter().enumerate().any(|(at, word)| word.folded == "found" && is_denied(at))
        || all.iter().enumerate().any(tells)
}

/// Whether a word begins an indirect question or a clause that says more of a noun.
fn asks(word: &Word<'_>) -> bool {
    WORDS.of_clauses.contains(&word.folded)
}

/// Whether it only names the missing thing: a noun with its attributes, "Iterative scans with IVFFlat indexes.", or an indirect
/// question, "Above which age action is needed."
fn states_nothing(line: &str, all: &[Word<'_>], known: &str) -> bool {
    let states = |at: usize| is_verb_of_statement(all, at, known);
    let begins = all.iter().position(asks).unwrap_or(all.len());
    if all.is_empty() || (0..begins).any(states) {
        return false;
    }
    // Each clause has one verb of its own, perhaps behind an auxiliary; another one is that of a statement.
    let is_behind_auxiliary = |at: usize| at > begins && is_auxiliary(&all[at - 1].folded);
    let verbs = (begins..all.len()).filter(|at| states(*at) && !is_behind_auxiliary(*at)).count();
    let clauses = all.iter().filter(|word| asks(word)).count();
    verbs <= clauses && (begins == all.len() || !goes_on_behind_a_comma(line, all[begins].written))
}

/// Whether a clause that begins with this word is followed by another, behind a comma, which may be a statement: "When the
/// cache is full, rows are deleted". Not so a list: "how to set up A, B and C".
fn goes_on_behind_a_comma(line: &str, first: &str) -> bool {
    let from = line.find(first).map_or(line, |at| &line[at..]);
    if from[first.len()..].trim_start().starts_with("to ") {
        return false;
    }
    let goes_on = |rest: &str| {
        let next = words(rest).next().map(|word| fold(word).into_owned()).unwrap_or_default();
        !matches!(&*next, "and" | "or") && !WORDS.of_clauses.contains(&next)
    };
    from.match_indices(", ").any(|(at, comma)| goes_on(&from[at + comma.len()..]))
}

/// Whether a word is the verb of a statement: a form of "be", "have" and the like; or a verb by its form, if a name or a pronoun
/// stands before it or an object behind it. A plural looks like a verb.
fn is_verb_of_statement(all: &[Word<'_>], at: usize, known: &str) -> bool {
    let word = &all[at].folded;
    if is_auxiliary(word) {
        return true;
    }
    // "With IVFFlat indexes": the name belongs to the noun.
    let is_governed = |at: usize| at > 0 && WORDS.prepositions.contains(&all[at - 1].folded);
    let is_subject = |at: usize| {
        WORDS.subjects.contains(&all[at].folded) || is_name(all[at].written, at == 0, known) && !is_governed(at)
    };
    let has_object = || all.get(at + 1).is_some_and(|next| WORDS.before_objects.contains(&next.folded));
    is_verb(word) && (at.checked_sub(1).is_some_and(is_subject) || has_object())
}

fn is_auxiliary(word: &str) -> bool {
    WORDS.auxiliaries.contains(word) || word == "cannot" || word.ends_with("n't")
}

/// Whether a word is a name. At the beginning of a line its capital shows nothing: there it is one if it is told with no small
/// letter, or stands in small letters.
fn is_name(word: &str, is_first: bool, known: &str) -> bool {
    if is_stop(word) {
        return false;
    }
    let is_capital = word.starts_with(char::is_uppercase);
    match is_first {
        true if is_capital && word.chars().skip(1).all(char::is_lowercase) => {
            let small = fold(word);
            words(known).any(|told| told == word) && !words(known).any(|told| told == small)
        }
        true => true,
        false => is_capital,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str =
        "What do pgvector and Qdrant cost? Widget deletes rows. Pinecone has regions. Indexes, iterative scans.";

    #[test]
    fn a_gap_without_what_is_missing_names_nothing() {
        for gap in ["Nothing found.", "None", "No results were found.", "It is unknown."] {
            assert!(!names_what_is_missing(gap), "{gap}");
        }
        for gap in ["Nothing on price.", "Its price was not found.", "The findings do not say which is cheaper."] {
            assert!(names_what_is_missing(gap), "{gap}");
        }
    }

    #[test]
    fn a_gap_has_no_number_and_no_name_that_its_writer_was_not_told() {
        let known = "What do Qdrant and pgvector cost in 2024? Qdrant has clusters.";
        for gap in
            ["Nothing on the cost of Qdrant.", "What Qdrant's cluster costs is unknown.", "Nothing is said on 2024."]
        {
            assert_eq!(unknown_in_gap(gap, known), None, "{gap}");
        }
        for (claim, what) in [
            ("Not said: that Widget costs nothing.", "Widget"),
            ("Nothing is said on the 5 dollars that it costs.", "5"),
        ] {
            assert_eq!(unknown_in_gap(claim, known), Some(what), "{claim}");
        }
    }

    #[test]
    fn a_gap_says_what_is_missing_and_nothing_of_the_world() {
        for gap in [
            "Nothing on price.",
            "Nothing is said about backups.",
            "Not stated: how large an index may become.",
            "The findings do not say which is cheaper.",
            "No information is provided about the price of either.",
            "Which one is cheaper under load?",
            "How fast each is under load is unknown.",
            "Prices of either were not given in the sources.",
            "Its price was not found either.",
            "There is no mention of backups in any of the documents.",
        ] {
            assert!(states_a_gap(gap, KNOWN), "{gap}");
        }
        for claim in [
            "pgvector is an extension, which is a feature that is not available in Pinecone.",
            "Pinecone is closed-source.",
            "Nothing is faster than Widget, which costs $5 a month.",
            "This means that Pinecone cannot be modified.",
            "No server has to be sized with Pinecone.",
            "Therefore, this comparison cannot be conducted.",
            "Qdrant filters during the search, while pgvector has no vendor to ask about version information.",
            "Pinecone, which has no servers to size, keeps data in one region.",
        ] {
            assert!(!states_a_gap(claim, KNOWN), "{claim}");
        }
    }

    #[test]
    fn a_noun_phrase_or_an_indirect_question_names_what_is_missing_and_a_statement_is_none() {
        for gap in [
            "Measured speed or recall of filtered queries in either system.",
            "Iterative scans with IVFFlat indexes.",
            "Every reason for which autovacuum may fail to clear old XIDs.",
            "When an index on an expression can be used.",
            "Indexes on expressions: when they can be used.",
            "How to replicate pgvector data to Elasticsearch.",
            "How to set up full-text search, replicas, or backups in Elasticsearch or beside pgvector.",
            "Above which age action is needed.",
            "It is not said above which age action is needed.",
            "The recovery time is not described.",
            "Which settings are used and how they are changed.",
        ] {
            assert!(states_a_gap(gap, KNOWN), "{gap}");
        }
        for claim in [
            "Qdrant filters with payload indexes.",
            "pgvector stores rows.",
            "Data of Pinecone keeps the order of rows.",
            "When the cache is full, rows vanish.",
            "What Qdrant stores is rows.",
            "The database that is used is Qdrant.",
            "It deletes rows.",
            "Rows can vanish.",
        ] {
            assert!(!states_a_gap(claim, KNOWN), "{claim}");
        }
    }
}
