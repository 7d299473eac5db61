//! The check of titles, headings and names in tables: they have no citation, so they may name the content below them and state
//! nothing of their own.

use std::collections::BTreeSet;

use super::denial::{is_negation, negates};
use super::paraphrase::is_covered;
use super::subject::Quoted;
use crate::extractive::is_verb;
use crate::words::WORDS;
use run::handoff::Payload;
use text::Clean;
use text::words::{Language, content_stems, fold, is_stop, stem, words};

/// Before a figure that only counts: "Step 2".
const COUNTED: [&str; 6] = ["case", "option", "part", "phase", "question", "step"];

/// The names in a handoff: in its question and tasks, and in the titles and headings of its sources.
pub(crate) fn named_in(payload: &Payload) -> String {
    let mut named: Vec<&str> = payload.question.as_deref().into_iter().collect();
    named.extend(payload.things().iter().map(|thing| &**thing));
    for task in payload.plan.iter().flat_map(|plan| &plan.tasks) {
        named.extend([&*task.title, &*task.question]);
    }
    for finding in payload.findings() {
        named.push(&finding.subtopic);
        for place in finding.places() {
            named.extend(place.headings.iter().chain([&place.source.title, &place.source.path]).map(|text| &**text));
        }
    }
    named.join(" ")
}

/// A word by which a label states something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stating<'l> {
    pub word: &'l str,
    /// Whether it may only name all the same: a verb may be a noun, and a denial a condition.
    pub is_doubt: bool,
}

/// The word by which a label states something that these quotes do not say; None if it only names, or they say it.
pub(super) fn unfounded<'l>(label: &'l str, named: &str, quoted: &[Quoted], things: &[Clean]) -> Option<Stating<'l>> {
    let word = stating(label, named)?;
    let said = quoted.iter().flat_map(|quoted| [quoted.said.as_str(), &quoted.above, &quoted.passage]);
    let known = said.chain([named]).collect::<Vec<_>>().join(" ");
    let is_said = unknown_words(label, &known).next().is_none() && is_covered(label, quoted, things).is_ok();
    (!is_said).then_some(word)
}

/// The word of a label that makes a statement of it: its first figure or rank, or else its first denial or verb. A label whose words are
/// all named states nothing.
fn stating<'l>(label: &'l str, named: &str) -> Option<Stating<'l>> {
    let label = unnumbered(label);
    if unknown_words(label, named).next().is_none() && (negates(named) || !negates(label)) {
        return None;
    }
    let language = Language::of(named);
    let known: BTreeSet<String> = content_stems(named, language).into_iter().collect();
    let asks = label.trim_end().ends_with('?');
    // "Why it is slow, and what helps", "Speed: what gets faster": each part names or states on its own.
    let parts = || label.split(", ").flat_map(|part| part.split(": ")).filter(|_| !asks);
    let certain =
        figure_in(label, &known, language).or_else(|| parts().find_map(|part| rank_in(part, &known, language)));
    let word = certain.or_else(|| parts().find_map(|part| claim_in(part, &known, language)))?;
    Some(Stating { word, is_doubt: certain.is_none() })
}

/// The first figure of a label that is not named, and does not only count.
fn figure_in<'l>(label: &'l str, known: &BTreeSet<String>, language: Language) -> Option<&'l str> {
    let all: Vec<&str> = words(label).collect();
    let counts = |at: usize| at > 0 && COUNTED.contains(&&*fold(all[at - 1]));
    let states = |at: usize| all[at].contains(|c: char| c.is_ascii_digit()) && all.len() > 1 && !counts(at);
    (0..all.len()).find(|at| states(*at) && !known.contains(&stem(all[*at], language))).map(|at| all[at])
}

/// The first rank of a part of a label. "What gets faster" asks what it is; "When Qdrant is fastest" says that it is.
fn rank_in<'l>(part: &'l str, known: &BTreeSet<String>, language: Language) -> Option<&'l str> {
    let asks_which = words(part)
        .find(|word| fold(word) != "and")
        .is_some_and(|first| matches!(&*fold(first), "what" | "which" | "who"));
    words(part).find(|word| WORDS.ranks.contains(&*fold(word)) && !asks_which && !known.contains(&stem(word, language)))
}

/// The first denial or verb of a part of a label.
fn claim_in<'l>(part: &'l str, known: &BTreeSet<String>, language: Language) -> Option<&'l str> {
    let mut all: Vec<&str> = words(part).collect();
    // "And what helps"
    if all.first().is_some_and(|first| matches!(&*fold(first), "and" | "or")) {
        all.remove(0);
    }
    // What stands behind "that was" or "that you can" says which one is meant.
    let relates = |pair: &[&str]| {
        let next = fold(pair[1]);
        matches!(&*fold(pair[0]), "that" | "which" | "who")
            && (is_verb(&next) || matches!(&*next, "you" | "they" | "it"))
    };
    let of_clause = all.windows(2).skip(1).position(relates).map(|at| at + 1);
    all.truncate(of_clause.unwrap_or(all.len()));
    let is_question = all.first().is_some_and(|first| WORDS.asking.contains(&*fold(first)));
    // "Before you go"
    let is_of_the_reader = is_of_the_reader(&all);
    let is_known = |word: &str| known.contains(&stem(word, language));
    let states = |at: usize, word: &str| {
        let folded = fold(word);
        let before = at.checked_sub(1).map(|before| fold(all[before]));
        let is_after = |words: &[&str]| before.as_ref().is_some_and(|before| words.contains(&&**before));
        // "What goes wrong" asks. "How it works" says that it does, and nothing of it.
        let is_last = at + 1 == all.len();
        let is_asked = is_question || is_last && matches!(&*fold(all[0]), "how" | "why") || is_of_the_reader;
        // "Weak spots of it": the plural of a noun, where nothing that is named stands before it and no object behind it.
        let is_plural = folded.ends_with('s')
            && !WORDS.finite_verbs.contains(&*folded)
            && before.as_ref().is_some_and(|before| !is_stop(before) && !is_known(before))
            && all.get(at + 1).is_none_or(|next| is_stop(next))
            || is_noun(&all, at);
        // Verbs are told by their English endings; "to choose" states nothing.
        let acts = at > 0
            && !is_participle(&all, at)
            && language == Language::English
            && is_verb(&folded)
            && !is_after(&["to"])
            && !is_asked
            && !is_plural;
        // "In neither list" names a place.
        let denies = is_negation(&folded) && folded != "neither";
        denies || acts && !WORDS.of_headings.contains(&*folded)
    };
    let found = all.iter().enumerate().find(|(at, word)| states(*at, word) && !is_known(word));
    found.map(|(_, word)| *word)
}

/// Whether a word that looks like a verb is a noun by its place: the plural behind a number or behind "and", and the last word of
/// "of unknown cause".
fn is_noun(all: &[&str], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|before| fold(all[before]));
    let is_numeral = |word: &str| WORDS.numerals.contains_key(word) || WORDS.quantities.contains_key(word);
    let joins = |word: &str| is_numeral(word) || matches!(word, "and" | "or" | "of" | "for");
    let is_governed = |n: usize| before(n).is_some_and(|word| WORDS.prepositions.contains(&*word));
    fold(all[at]).ends_with('s')
        && !WORDS.auxiliaries.contains(&*fold(all[at]))
        && before(1).is_some_and(|word| joins(&word))
        || at + 1 == all.len() && (is_governed(1) || is_governed(2) && before(1).is_some_and(|word| !is_stop(&word)))
}

/// Whether a label names what its reader is to do: "Before you go".
fn is_of_the_reader(all: &[&str]) -> bool {
    let [first, second, ..] = all else { return false };
    matches!(&*fold(first), "after" | "before" | "if" | "when" | "while") && fold(second) == "you"
}

/// Whether a verb by its form describes a noun: "several attached databases", "space returned".
fn is_participle(all: &[&str], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| fold(all[before])) else { return false };
    let is_name =
        all[at - 1].chars().skip(1).any(char::is_uppercase) || at > 1 && all[at - 1].starts_with(char::is_uppercase);
    let describes_next =
        is_stop(&before) && !WORDS.auxiliaries.contains(&*before) || WORDS.quantities.contains_key(&*before);
    let is_last = at + 1 == all.len() && !is_stop(&before) && !is_name;
    fold(all[at]).ends_with("ed") && (is_last || describes_next && at + 1 < all.len())
}

/// The words of a text, but for stop words, that are in no form among these.
fn unknown_words<'t>(text: &'t str, known: &str) -> impl Iterator<Item = &'t str> {
    let language = Language::of(known);
    let known: BTreeSet<String> = content_stems(known, language).into_iter().collect();
    words(text).filter(move |word| !is_stop(word) && !known.contains(&stem(word, language)))
}

/// A heading without the number before it: "2. Limits".
fn unnumbered(label: &str) -> &str {
    let rest = label.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(bare) if rest.len() < label.len() => bare,
        _ => label,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMED: &str = "Compare pgvector 0.7 and Qdrant: trade-offs, filtering. Indexes without quantization";

    #[test]
    fn what_only_names_states_nothing() {
        for label in [
            "Comparison: pgvector vs Qdrant",
            "Operational Model",
            "Overview",
            "Pricing",
            "1. Costs and limits",
            "Key differences between the two",
            "Strengths and weaknesses of pgvector",
            "New in pgvector 0.7",
            "Indexes without quantization",
            "Trade-offs",
            "Step 2: Filtering",
            "Total cost of ownership",
            "Memory use",
            "What is Qdrant",
            "When should I use it?",
            "How to choose",
            "What goes wrong",
            "Which costs more",
            "What holds vacuum back",
            "How it works",
            "Weak spots",
            "Weak spots of pgvector",
            "Several attached databases",
            "Space returned",
            "In neither list",
            "What gets faster",
            "Why the space stays",
            "Before you go",
            "Team plan, others",
            "Common failures",
            "Two lists for relay and recipients",
            "Three dangers of the second test",
            "A discrepancy of unknown cause",
            "A transaction that was taken back by accident",
            "A query that you can repeat, and what helps",
            "40",
            "",
        ] {
            assert_eq!(stating(label, NAMED), None, "{label}");
        }
    }

    #[test]
    fn a_figure_a_denial_a_rank_or_a_verb_states_something() {
        for (label, word) in [
            ("Qdrant beats pgvector", "beats"),
            ("Limit: 2,000 dims", "2,000"),
            ("Best choice: Qdrant", "Best"),
            ("Qdrant, the fastest", "fastest"),
            ("No joins", "No"),
            ("Why Qdrant is popular", "is"),
            ("pgvector 0.8", "0.8"),
            ("Qdrant has been replaced", "has"),
            ("Is Qdrant 3 times larger?", "3"),
            ("When Qdrant is fastest", "fastest"),
            ("Where pgvector has no joins", "no"),
            ("How Qdrant beats pgvector", "beats"),
            ("Qdrant wins", "wins"),
            ("pgvector lags behind", "lags"),
            ("Both lists are sorted", "are"),
            ("Engineers removed the joins", "removed"),
            ("None of the lists", "None"),
            ("Before Qdrant stops", "stops"),
            ("Before you go, Qdrant is fastest", "fastest"),
            ("Limit: 40", "40"),
            ("Proof that Qdrant beats pgvector", "beats"),
            ("The modes that are fastest", "fastest"),
            ("Two lists, and Qdrant wins", "wins"),
        ] {
            let is_doubt = !WORDS.ranks.contains(&*fold(word)) && !word.contains(|c: char| c.is_ascii_digit());
            assert_eq!(stating(label, NAMED), Some(Stating { word, is_doubt }), "{label}");
        }
    }

    #[test]
    fn a_label_may_state_what_the_quotes_below_it_say() {
        let quoted = |said: &str| [Quoted { said: said.into(), ..Quoted::default() }];
        let says = quoted("An index of pgvector holds at most 2,000 dimensions.");
        assert_eq!(unfounded("pgvector holds at most 2,000 dimensions", NAMED, &says, &[]), None);
        let unfounded = |label: &'static str, quoted: &[Quoted]| unfounded(label, NAMED, quoted, &[]).map(|it| it.word);
        assert_eq!(unfounded("pgvector is fastest", &says), Some("fastest"));
        let else_says = quoted("Qdrant filters during the walk.");
        assert_eq!(unfounded("pgvector holds at most 2,000 dimensions", &else_says), Some("2,000"));
        assert_eq!(unfounded("pgvector holds at most 2,000 dimensions", &[]), Some("2,000"));
        assert_eq!(unfounded("pgvector holds more", &else_says), Some("holds"));
    }
}
