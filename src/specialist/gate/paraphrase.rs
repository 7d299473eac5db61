//! Checks whether a paraphrase says no more than its quotes, as far as code can tell.
//!
//! A model's sentences are not quotes after logged edits, so the strict check does not apply. This one looks for
//! numbers, names, negations and words that are in none of the quotes, and for denials, units, limits and conditions of
//! the quotes that it lacks. The reviewer judges the rest.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::column::{in_other_column, of_other_column};
use super::dates::{MONTHS, month, months_of};
use super::denial::{affirms_what_is_denied, denies_what_is_not_denied, lost_condition};
use super::figures::{changed_figure, unit, unknown_figure};
use super::pairing::{mixed_up, other_row};
use super::reported::reported_only;
use super::scope::changed_scope;
use super::subject::{Quoted, mistaken};
use crate::extractive::english::{is_in_english, other_language};
use crate::words::WORDS;
use text::Clean;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, stem, word_indices, words};

/// The least share of a sentence's content words that are in its quotes.
const LEAST_SHARED: f64 = 0.5;
/// The fewest words that tell the language of a sentence.
const LEAST_OF_A_LANGUAGE: usize = 8;
/// The least content words of a clause that is checked on its own.
const CLAUSE: usize = 3;

/// A number, a name or an address in `text` that is neither in the quotes nor in their context. The capital at the beginning of a
/// sentence makes no name, unless the word is one of `names` or has another capital.
pub(super) fn unknown(text: &str, quoted: &[Quoted], names: &BTreeSet<String>) -> Option<String> {
    if let Some(figure) = unknown_figure(text, quoted) {
        return Some(figure);
    }
    let known = || quoted.iter().flat_map(|quoted| [&quoted.said, &quoted.above, &quoted.passage]);
    let is_address = |word: &&str| word.contains("://") && !known().any(|known| known.contains(*word));
    if let Some(address) = text.split(|c: char| c.is_whitespace() || "()<>".contains(c)).find(is_address) {
        return Some(address.into());
    }
    let asked = quoted.iter().map(|quoted| &quoted.asked);
    let known_words: BTreeSet<Cow<'_, str>> =
        known().chain(asked).flat_map(|text| words(text)).flat_map(with_parts).map(fold).collect();
    let is_known = |word: &str| {
        let folded = fold(word);
        let singular = folded.strip_suffix("'s").unwrap_or(&folded);
        known_words.contains(singular)
            || known_words.iter().any(|known| stem(known, Language::English) == stem(singular, Language::English))
            || word.chars().all(char::is_uppercase) && known().any(|text| has_initials(text, singular))
    };
    let months: BTreeSet<u32> = known().flat_map(|text| months_of(text)).collect();
    let is_month = |word: &str| month(word).is_some_and(|month| months.contains(&month));
    // "4 MB" is told by its figure.
    let is_unit = |at: usize, word: &str| {
        unit(&fold(word)).is_some() && text[..at].trim_end().ends_with(|c: char| c.is_ascii_digit())
    };
    let is_name = |at: usize, word: &str| {
        word.starts_with(char::is_uppercase)
            && !is_stop(word)
            && !is_unit(at, word)
            && (!begins_a_sentence(text, at)
                || word.chars().skip(1).any(char::is_uppercase)
                || names.contains(&*fold(word)))
    };
    let mut told = word_indices(text).filter(|(at, word)| is_name(*at, word));
    told.find(|(_, word)| !is_known(word) && !is_month(word)).map(|(_, word)| word.into())
}

/// A word with its parts: "Orphan" of "Accounts:Orphan", "RPM" of "7200RPM".
fn with_parts(word: &str) -> impl Iterator<Item = &str> {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let parts =
        word.split([':', '-', '/', '.']).chain([unit]).filter(|part| part.len() < word.len() && !part.is_empty());
    std::iter::once(word).chain(parts)
}

/// Whether a name in lower case is made of the initials of words that stand side by side: "SLA" of "service level agreement".
pub(super) fn has_initials(text: &str, name: &str) -> bool {
    let initials: String = words(text).filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect();
    name.chars().nth(2).is_some() && initials.contains(name)
}

/// Whether a sentence, or the words behind a colon, begin at this place of a text.
fn begins_a_sentence(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(|c: char| c.is_whitespace() || "“\"'(_*>`".contains(c));
    // The full stop of "Mr." ends none.
    let begins = || sentences(text).iter().any(|sentence| sentence.start <= at && sentence.start >= before.len());
    before.is_empty() || before.ends_with(':') || before.ends_with(['.', '!', '?']) && begins()
}

/// The names that texts have: words that they write with a capital within a sentence, and never without.
pub(super) fn names_of<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let (mut names, mut others) = (BTreeSet::new(), BTreeSet::new());
    for text in texts {
        for (at, word) in word_indices(text).filter(|(_, word)| !is_stop(word)) {
            let folded = fold(word).into_owned();
            match word.starts_with(char::is_uppercase) {
                true if begins_a_sentence(text, at) => {}
                true => drop(names.insert(folded)),
                false => drop(others.insert(folded)),
            }
        }
    }
    names.retain(|name| !others.contains(name));
    names
}

/// A text with the figures of its quotes, and the words that bound them. One that `compares` may have figures of several.
fn changes(text: &str, quoted: &[Quoted], compares: bool) -> Option<String> {
    changed_figure(text, quoted)
        .or_else(|| changed_scope(text, quoted))
        .or_else(|| mixed_up(text, quoted).filter(|_| !compares))
        .or_else(|| of_other_column(text, quoted))
}

/// The statement of a table cell, below `column` and beside `name`, beyond its quotes.
pub(super) fn objection_to_cell(
    (name, column): (&str, &str),
    cell: &str,
    quoted: &[Quoted],
    things: &[Clean],
) -> Option<Objection> {
    if let Some(misplaced) = in_other_column(cell, column, quoted).or_else(|| other_row(name, cell, quoted)) {
        return Some(Objection::certain(misplaced));
    }
    // Whether "yes" is right, code cannot tell.
    let folded = cell.to_lowercase();
    let folded = folded.trim().trim_end_matches('.');
    let is_bare = WORDS.bare_answers.contains(folded);
    // "Needed" where the quotes say "must".
    let said = || quoted.iter().flat_map(|quoted| words(&quoted.said)).map(fold);
    let is_modal = WORDS.modal_answers.get(folded).is_some_and(|verbs| said().any(|word| verbs.contains(&*word)));
    if is_bare || is_modal { None } else { objection(cell, quoted, things) }
}

/// The objections of code to a paraphrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Objection {
    /// Its statement beyond the quotes, in words for a person.
    pub what: String,
    /// Whether it is a guess by the words: the same may be said in others.
    pub is_doubt: bool,
}

impl Objection {
    pub(super) fn certain(what: String) -> Objection {
        Objection { what, is_doubt: false }
    }

    pub(super) fn doubt(what: String) -> Objection {
        Objection { what, is_doubt: true }
    }
}

/// Checks that a paraphrase says no more than its quotes, and states nothing of one of `things` that they state of
/// another.
///
/// # Errors
/// The error is its statement, certain or possible, beyond the quotes, in words for a person.
pub(crate) fn is_covered(sentence: &str, quoted: &[Quoted], things: &[Clean]) -> Result<(), String> {
    objection(sentence, quoted, things).map_or(Ok(()), |objection| Err(objection.what))
}

/// The statement of a paraphrase beyond its quotes. A certain one comes before a doubt.
pub(crate) fn objection(sentence: &str, quoted: &[Quoted], things: &[Clean]) -> Option<Objection> {
    objection_to(sentence, quoted, things, false)
}

/// The same of a sentence that tells what each of several sources says.
pub(super) fn objection_to_comparison(sentence: &str, quoted: &[Quoted], things: &[Clean]) -> Option<Objection> {
    objection_to(sentence, quoted, things, true)
}

fn objection_to(sentence: &str, quoted: &[Quoted], things: &[Clean], compares: bool) -> Option<Objection> {
    let what = certain(sentence, quoted, things, compares).map(Objection::certain);
    let objection = what.or_else(|| doubt(sentence, quoted).map(Objection::doubt))?;
    let said = quoted.iter().map(|quoted| quoted.said.as_str()).collect::<Vec<_>>().join(" ");
    let other = other_language_than(sentence, &said).filter(|_| is_long_and_unknown(sentence, &said));
    Some(other.map_or(objection, Objection::certain))
}

/// Says that a text is in another language than its quotes, which code cannot compare.
pub(super) fn other_language_than(text: &str, said: &str) -> Option<String> {
    let language = |text: &str| other_language(text).or_else(|| is_in_english(text).then_some("English"));
    let (own, of_quotes) = (language(text)?, language(said)?);
    (own != of_quotes).then(|| format!("it is in {own}, and its quotes are in {of_quotes}: write it in {of_quotes}"))
}

/// Whether a sentence has enough words to tell its language, and most of them stand in none of its quotes.
fn is_long_and_unknown(sentence: &str, said: &str) -> bool {
    let known: BTreeSet<Cow<'_, str>> = words(said).map(fold).collect();
    let all = words(sentence).count();
    all >= LEAST_OF_A_LANGUAGE && words(sentence).filter(|word| !known.contains(&fold(word))).count() * 2 > all
}

/// All that the sources of these quotes say around them.
fn known(quoted: &[Quoted]) -> String {
    let parts = quoted.iter().flat_map(|quoted| [quoted.said.as_str(), &quoted.above, &quoted.passage]);
    parts.collect::<Vec<_>>().join(" ")
}

/// A figure, a name, a bound, a scope, a thing or a condition that the quotes have otherwise.
fn certain(sentence: &str, quoted: &[Quoted], things: &[Clean], compares: bool) -> Option<String> {
    if let Some(what) = unknown(sentence, quoted, &BTreeSet::new()) {
        return Some(format!("“{what}” stands in none of the quotes"));
    }
    if let Some(thing) = mistaken(sentence, quoted, things) {
        return Some(format!("none of the quotes is about {thing}"));
    }
    let lost = || {
        let word = lost_condition(sentence, quoted, Language::of(&known(quoted)))?;
        Some(format!("it leaves out the condition of the quotes (“{word} …”)"))
    };
    changes(sentence, quoted, compares).or_else(lost)
}

/// Words that the quotes do not have, or a denial on one side only: the quotes may say the same in other words.
fn doubt(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    if denies_what_is_not_denied(sentence, quoted, Language::of(sentence)) {
        return Some("it denies something that the quotes do not deny".into());
    }
    let known = known(quoted);
    let language = Language::of(&known);
    if affirms_what_is_denied(sentence, quoted, language) {
        return Some("it affirms something that the quotes deny".into());
    }
    if let Some(reported) = reported_only(sentence, quoted.iter().map(|quoted| quoted.said.as_str())) {
        return Some(reported);
    }
    // If all its words are in the quotes, so are its stems, in any language.
    let known_words: BTreeSet<Cow<'_, str>> = words(&known).map(fold).collect();
    if words(sentence).all(|word| known_words.contains(&fold(word))) {
        return None;
    }
    let mut there: BTreeSet<String> = content_stems(&known, language).into_iter().collect();
    there.extend(months_of(&known).map(|month| stem(MONTHS[month as usize - 1], language)));
    // Each substantial clause must be covered on its own.
    let clauses = sentence.split([':', ';']).filter(|clause| content_stems(clause, language).len() >= CLAUSE);
    for part in std::iter::once(sentence).chain(clauses) {
        let stems = content_stems(part, language);
        // Figures are known by now, and an hour may be told by either clock.
        let is_known = |stem: &str| stem.contains(|c: char| c.is_ascii_digit()) || matches!(stem, "a.m" | "p.m");
        let shared = stems.iter().filter(|stem| there.contains(*stem) || is_known(stem)).count();
        if (shared as f64) < LEAST_SHARED * stems.len() as f64 {
            let is_alien = |word: &&str| content_stems(word, language).iter().any(|stem| !there.contains(stem));
            let alien: Vec<&str> = words(part).filter(is_alien).take(5).collect();
            return Some(format!("most of its words stand in none of the quotes ({}, …)", alien.join(", ")));
        }
    }
    None
}

/// A name without the endings of another number or case.
pub(super) fn bare(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix('s')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn only_what_other_words_may_say_is_a_doubt_and_what_is_certain_comes_first() {
        let joins = "Widget does not support joins across collections.";
        let rows = "A table holds at most 2,000 rows if the disk is full.";
        for (quote, sentence, is_doubt) in [
            (joins, "Widget supports joins.", true),
            ("Fires are forbidden.", "Fires may not be lit.", true),
            ("The work was paid for by its maker.", "A manufacturer funded the work.", true),
            // Bad ones of the same kinds: a name, a figure, a bound and a condition are no matter of words.
            (joins, "Widget supports joins of Redis.", false),
            (joins, "Widget supports 3 joins.", false),
            (rows, "A table holds at least 2,000 rows if the disk is full.", false),
            ("Widget deletes old rows only if the flag is set.", "Widget deletes old rows.", false),
            ("Fires are forbidden for 3 days.", "Fires may not be lit for 4 days.", false),
        ] {
            let quoted = [Quoted { said: quote.into(), ..Quoted::default() }];
            let objection = objection(sentence, &quoted, &[]).unwrap_or_else(|| panic!("{sentence}"));
            assert_eq!(objection.is_doubt, is_doubt, "{sentence}: {}", objection.what);
        }
    }

    #[test]
    fn a_name_of_the_question_a_part_of_a_word_and_the_unit_at_a_figure_are_known() {
        let question = "How do I use NUT with Btrfs or ZFS?";
        let compared = [Clean::from("Btrfs"), Clean::from("ZFS")];
        let said = "The driver waits for a 7200RPM drive of the account Special:Orphan-XXX.";
        let known = |sentence: &str, things: &[Clean]| {
            let quoted = Quoted { said: said.into(), ..Quoted::default() }.answering(question, things);
            unknown(sentence, &[quoted], &BTreeSet::new())
        };
        for sentence in [
            "The driver of NUT waits for it.",
            "The driver waits for a drive with 7200 RPM.",
            "It belongs to the account Orphan-XXX.",
        ] {
            assert_eq!(known(sentence, &compared), None, "{sentence}");
        }
        assert_eq!(
            known("The driver waits for Btrfs.", &compared).as_deref(),
            Some("Btrfs"),
            "it is compared with another"
        );
        assert_eq!(known("The driver waits for Btrfs.", &compared[..1]), None, "it is all that is asked about");
        assert_eq!(known("The driver waits for Redis.", &compared).as_deref(), Some("Redis"));
        assert_eq!(known("The driver waits for 7300 RPM.", &compared).as_deref(), Some("7300"));
    }

    fn covered(sentence: &str, quotes: &[&str]) -> Result<(), String> {
        let quoted = quotes.iter().map(|quote| Quoted { said: (*quote).into(), ..Quoted::default() });
        is_covered(sentence, &quoted.collect::<Vec<_>>(), &[])
    }

    #[test]
    fn a_denial_figure_unit_limit_or_condition_that_is_lost_or_changed_is_seen() {
        let cases = [
            ("Widget does not support joins across collections.", "Widget does support joins across collections."),
            ("Widget does not support joins across collections.", "Widget supports joins."),
            ("Widget doesn't support joins across collections.", "It supports joins across collections."),
            (
                "The lock is never held until the end of the transaction.",
                "The lock is held until the end of the transaction.",
            ),
            ("Pinecone has no joins.", "Pinecone has joins."),
            ("Backups are not automatically deleted.", "Backups are deleted."),
            ("Backups are not always exact.", "Backups are exact."),
            ("Logs are not kept unless the flag is set.", "Logs are kept unless the flag is set."),
            ("Neither Qdrant nor Pinecone supports joins.", "Qdrant supports joins."),
            ("Widget works without a server, and it is free.", "Widget works with a server."),
            ("The window of maintenance is 3-5 hours each week.", "The window of maintenance is 8-9 hours each week."),
            ("The window of maintenance is 3-5 hours each week.", "The window of maintenance is 3-5 hours each month."),
            (
                "The window of maintenance is 3–5 hours each week.",
                "The window of maintenance is 3 to 5 days each week.",
            ),
            ("The lower bound of the offset is -20 degrees.", "The lower bound of the offset is -90 degrees."),
            ("The lower bound of the offset is -20 degrees.", "The lower bound of the offset is 20 degrees."),
            ("Widget stores vectors in 32-bit floats.", "Widget stores vectors in 64-bit floats."),
            ("Widget stores vectors as f32.", "Widget stores vectors as f64."),
            ("A session ends after 5 minutes without traffic.", "A session ends after 5 hours without traffic."),
            ("It moves 100MB/s from disk.", "It moves 100 MB per minute from disk."),
            ("It moves 100MB/s from disk.", "It moves 100 GB/s from disk."),
            ("Widget costs $5 a month.", "Widget costs 5 euros a month."),
            ("Widget was released on 2021-03-04.", "Widget was released on 2021-04-05."),
            ("A table holds at most 2^32 rows.", "A table holds at most 232 rows."),
            ("The ratio is 1,5 in all.", "The ratio is 15 in all."),
            ("Qdrant accepts up to 65,535 dimensions.", "Qdrant accepts 65,535 dimensions."),
            ("Qdrant accepts up to 65,535 dimensions.", "Qdrant accepts at least 65,535 dimensions."),
            ("A password has at least 8 letters.", "A password has 8 letters."),
            ("A request waits 5 seconds or less.", "A request waits 5 seconds."),
            ("Widget deletes old rows only if the flag is set.", "Widget deletes old rows."),
            ("Filters work only on indexed fields.", "Filters work."),
            ("All vector types are supported except sparse vectors.", "All vector types are supported."),
            ("Unless the cache is full, Widget answers queries in order.", "Widget answers queries in order."),
        ];
        let passed: Vec<_> =
            cases.into_iter().filter(|(quote, sentence)| covered(sentence, &[*quote]).is_ok()).collect();
        assert!(passed.is_empty(), "{passed:#?}");
    }

    #[test]
    fn a_part_that_is_an_object_and_a_condition_that_a_thing_is_there_limit_nothing() {
        for (sentence, said, is_right) in [
            ("New commits are recorded.", "Record some new commits.", true),
            (
                "The check covers the directory and the file.",
                "The check covers the directory (and the file, if there is any).",
                true,
            ),
            ("The check covers the file.", "The check covers the file, if present.", true),
            ("Jobs are kept for a day.", "Some jobs are kept for a day.", false),
            ("The check covers the file.", "The check covers the file, if the flag is set.", false),
        ] {
            assert_eq!(
                covered(sentence, &[said]).is_ok(),
                is_right,
                "{sentence} / {said}: {:?}",
                covered(sentence, &[said])
            );
        }
    }

    #[test]
    fn a_cell_may_answer_with_the_word_for_a_verb_of_its_quotes() {
        for (cell, said, is_right) in [
            ("needed", "Beds must be booked.", true),
            ("Not possible", "Beds cannot be booked.", true),
            ("required", "The licence has to be shown.", false),
            ("not possible", "Beds must be booked.", false),
            ("needed", "Beds can be booked.", false),
        ] {
            let quoted = [Quoted { said: said.into(), ..Quoted::default() }];
            assert_eq!(
                objection_to_cell(("Torran", "Booking"), cell, &quoted, &[]).is_none(),
                is_right,
                "{cell}: {said}"
            );
        }
    }

    #[test]
    fn a_right_paraphrase_passes() {
        let cases = [
            ("Widget does not support joins across collections.", "Widget lacks support for joins across collections."),
            (
                "Widget does not support joins across collections.",
                "Joins across collections are unsupported in Widget.",
            ),
            ("pgvector has no servers to size and runs within Postgres.", "pgvector runs within Postgres."),
            ("The lock is not released until the transaction ends.", "The lock is held until the transaction ends."),
            ("It does not filter after the walk, it filters during the walk.", "It filters during the walk."),
            ("Pinecone has no joins, but pgvector supports joins.", "pgvector supports joins."),
            ("Pinecone has no joins, but pgvector supports them.", "pgvector supports joins."),
            ("Logs are not kept unless the debug flag is set.", "Logs are kept only if the debug flag is set."),
            ("Logs are not kept unless the debug flag is set.", "Logs are kept when the debug flag is set."),
            ("Rows cannot be read without a key.", "Rows can be read with a key."),
            ("Rows are not deleted until day 5.", "Rows are deleted after day 5."),
            ("Backups are not automatically deleted.", "Backups are deleted manually."),
            ("It is documented since pre-2020 times.", "It is documented since times before 2020."),
            ("Widget is not only fast but also small.", "Widget is fast and small."),
            ("The cache is never faster than the disk.", "The cache is at best as fast as the disk."),
            ("The window of maintenance is 3-5 hours each week.", "The weekly window of maintenance is 3 to 5 hours."),
            ("The window is 3–5 hours a week.", "The window is between 3 and 5 hours per week."),
            ("The lower bound of the offset is −20 degrees.", "The offset has a lower bound of minus 20 degrees."),
            ("Widget stores vectors in 32-bit floats.", "Widget stores vectors as floats of 32 bits."),
            ("A session ends after 5 minutes without traffic.", "A session ends after 5 idle minutes without traffic."),
            ("It moves 100 MB/s from disk.", "It moves 100 megabytes per second from disk."),
            ("Widget costs $5 a month.", "Widget costs 5 dollars per month."),
            ("Widget was released on 2021-03-04.", "In 2021 Widget was released, on 03-04."),
            ("Widget keeps 2,000 rows since the 1990s.", "Since the 1990s Widget keeps 2000 rows."),
            ("It speaks HTTP/2 and GPT-4.", "It speaks HTTP 2 and GPT 4."),
            ("Since v2.0 it takes 1,536 dimensions.", "It takes 1536 dimensions since v2."),
            ("Qdrant accepts up to 65,535 dimensions.", "The limit of dimensions that Qdrant accepts is 65,535."),
            ("Qdrant accepts up to 65,535 dimensions.", "Qdrant accepts no more than 65,535 dimensions."),
            ("Qdrant accepts up to 65,535 dimensions.", "Qdrant accepts vectors that can have 65,535 dimensions."),
            ("An index holds at most 2,000 dimensions.", "2,000 is the largest number of dimensions an index holds."),
            ("A password has at least 8 letters.", "A password has a minimum of 8 letters."),
            ("A password has at least 8 letters.", "8 or more letters are what a password has."),
            ("Widget deletes old rows only if the flag is set.", "Widget deletes old rows if the flag is set."),
            ("Widget deletes old rows only if the flag is set.", "The flag makes old rows go."),
            ("Filters work only on indexed fields.", "Filters work on indexed fields."),
            ("Only admins can delete rows.", "Admins can delete rows."),
            ("The free plan has only 1 pod.", "The free plan has 1 pod."),
            (
                "All vector types are supported except sparse vectors.",
                "All vector types but sparse ones are supported.",
            ),
            (
                "Unless the cache is full, Widget answers queries at once.",
                "Widget answers queries at once if the cache is not full.",
            ),
            ("Qdrant stores vectors in memory, and it deletes rows only if asked.", "Qdrant stores vectors in memory."),
        ];
        let why = |(quote, sentence)| Some((sentence, covered(sentence, &[quote]).err()?));
        let refused: Vec<(&str, String)> = cases.into_iter().filter_map(why).collect();
        assert!(refused.is_empty(), "{refused:#?}");
        let two = ["Widget deletes rows only if asked to.", "Widget deletes rows each night."];
        assert_eq!(covered("Widget deletes rows each night.", &two), Ok(()));
        let joins = ["Pinecone has no joins.", "Qdrant has joins."];
        assert_eq!(covered("Qdrant has joins.", &joins), Ok(()));
    }
}
