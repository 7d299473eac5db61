//! Misspelt words: corrects a word that no document has to the nearest word of the collection, or to the two words that
//! it joins.
//!
//! It does not correct short words, names with digits, or to words with another beginning: those are more often unknown
//! than misspelt.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::terms::Term;
use crate::dictionary::is_word;
use text::common::is_common;
use text::edits::{distance, prefix_distances};
use text::words::{Language, fold, words};

/// The fewest letters of a word with one edit, and with two.
const ONE_EDIT: usize = 5;
const TWO_EDITS: usize = 8;
/// The fewest letters of each of two joined words, and the most of both.
const LEAST_OF_JOINED: usize = 3;
const MOST_OF_BOTH: usize = 30;
/// The most stems whose words are compared, and the most passages in which those are looked up.
const MOST_STEMS: usize = 24;
const LOOKED_UP: u32 = 20;

/// Corrects a term that no passage has: to the two words of the collection that it joins, else to the nearest word.
pub(super) fn meant(connection: &Connection, asked: &Term) -> rusqlite::Result<Option<String>> {
    match parted(connection, asked)? {
        Some(meant) => Ok(Some(meant)),
        None => nearest(connection, asked),
    }
}

/// The two words that a word joins, as the collection writes them: "cronjobs" is "cron jobs", "nonfree" is "non-free".
fn parted(connection: &Connection, asked: &Term) -> rusqlite::Result<Option<String>> {
    let word = fold(&asked.word).into_owned();
    let fits = (2 * LEAST_OF_JOINED..=MOST_OF_BOTH).contains(&word.len());
    if !fits || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) || is_common(&word) {
        return Ok(None);
    }
    let stem = |word: &str| text::words::stem(word, Language::English);
    let mut best: Option<(usize, String)> = None;
    for at in LEAST_OF_JOINED..=word.len() - LEAST_OF_JOINED {
        let (first, second) = word.split_at(at);
        let texts = texts(connection, &format!("\"{} {}\"", stem(first), stem(second)))?;
        // The second word may be in the plural, here or there.
        let singular = second.strip_suffix('s').unwrap_or(second);
        let written = |mark: &str| {
            let together = format!("{first}{mark}{singular}");
            texts.iter().any(|text| is_in(&together, &fold(text))).then(|| format!("{first}{mark}{second}"))
        };
        let written = written("-").or_else(|| written(" "));
        if let Some(written) = written.filter(|_| best.as_ref().is_none_or(|(most, _)| texts.len() > *most)) {
            best = Some((texts.len(), written));
        }
    }
    Ok(best.map(|(_, written)| written))
}

/// Whether a text contains words whole, or in the plural: "block chain" is not in "block chaining".
fn is_in(words: &str, text: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let after = &text[at + words.len()..];
        let after = after.strip_prefix('s').unwrap_or(after);
        !text[..at].ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    })
}

/// The word nearest to a term that no passage has: fewest edits, of which a doubled letter is the likeliest ("loosing" for "losing"), then
/// most passages, then the alphabet. A known word is only
/// corrected to a longer form of itself: "throw" to "thrown", but not "spring" to "string".
fn nearest(connection: &Connection, asked: &Term) -> rusqlite::Result<Option<String>> {
    let word = fold(&asked.word).into_owned();
    let fits = |form: &String| !is_word(&word) || form.starts_with(&word);
    let length = word.chars().count();
    let is_plain = length >= ONE_EDIT && word.chars().all(char::is_alphabetic) && !is_common(&word);
    let Some(first) = word.chars().next().filter(|_| is_plain) else { return Ok(None) };
    let most = if length >= TWO_EDITS { 2 } else { 1 };
    connection.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'passages', 'row')",
    )?;
    let mut rows = connection.prepare_cached("SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ?")?;
    let next = char::from_u32(first as u32 + 1).unwrap_or(char::MAX);
    let mut rows = rows.query(params![first.to_string(), next.to_string()])?;
    let once = undoubled(&word);
    let mut stems: Vec<(usize, i64, String)> = Vec::new();
    while let Some(row) = rows.next()? {
        let (stem, passages): (String, i64) = (row.get(0)?, row.get(1)?);
        if stem.chars().count() * 2 < length || !stem.chars().all(char::is_alphabetic) {
            continue;
        }
        // The stem of a misspelt ending differs from the stem of the word: compare it with the beginning of the word.
        let edits_of = |word: &str| prefix_distances(word, &stem).iter().filter_map(|row| row.last().copied()).min();
        let edits = edits_of(&word).min(edits_of(&once)).unwrap_or(usize::MAX);
        if edits <= most {
            stems.push((edits, -passages, stem));
        }
    }
    stems.sort_unstable();
    let mut best: Option<(usize, bool, i64, String)> = None;
    for (_, passages, stem) in stems.into_iter().take(MOST_STEMS) {
        for form in forms(connection, &stem)?.into_iter().filter(fits) {
            let edits = distance(&word, &form);
            let found = (edits, once != undoubled(&form), passages, form);
            if edits <= most && best.as_ref().is_none_or(|known| found < *known) {
                best = Some(found);
            }
        }
    }
    Ok(best.map(|(.., form)| form))
}

/// A word with each letter once where it stands several times in a row.
fn undoubled(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// The words of the collection with this stem.
fn forms(connection: &Connection, stem: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut forms = BTreeSet::new();
    for text in texts(connection, &format!("\"{stem}\""))? {
        let is_form = |word: &&str| text::words::stem(word, Language::English) == stem;
        forms.extend(words(&text).filter(is_form).map(|word| fold(word).into_owned()));
    }
    Ok(forms)
}

/// The texts of some passages that match a phrase.
fn texts(connection: &Connection, phrase: &str) -> rusqlite::Result<Vec<String>> {
    let mut rows = connection.prepare_cached(
        "SELECT text FROM blocks WHERE id IN (SELECT rowid FROM passages WHERE passages MATCH ? LIMIT ?)",
    )?;
    rows.query_map(params![phrase, LOOKED_UP], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_words_stand_in_a_text_whole() {
        for (text, wanted) in [
            ("the block chain is long", true),
            ("two block chains", true),
            ("cipher block chaining", false),
            ("a sub-block chain", true),
            ("a subblock chain", false),
        ] {
            assert_eq!(is_in("block chain", text), wanted, "{text}");
        }
    }
}
