//! Numbers in words that are no counts: "the third day", "twice", "two thirds". A sentence may tell none that its quotes contradict.

use super::numerals::numerals;
use super::subject::Quoted;
use crate::words::WORDS;
use text::words::{Language, fold, is_stop, stem, word_indices, words};

/// "The first day", with the stem of the word behind it.
struct Ordinal<'a> {
    written: &'a str,
    rank: u64,
    noun: Option<String>,
}

/// An ordinal, "once" or "twice", or a fraction of a text where its quotes have another one of the same.
pub(super) fn unknown_ordinal(text: &str, quoted: &[Quoted]) -> Option<String> {
    let said: Vec<&str> = quoted.iter().map(|quoted| quoted.said.as_str()).collect();
    other_rank(text, &said).or_else(|| other_count(text, &said)).or_else(|| other_fraction(text, &said))
}

/// The ranks that a text has: "first", "3rd".
pub(super) fn ranks(text: &str) -> Vec<u64> {
    ordinals(text).into_iter().map(|ordinal| ordinal.rank).collect()
}

fn other_rank(text: &str, said: &[&str]) -> Option<String> {
    let known: Vec<Ordinal<'_>> = said.iter().flat_map(|said| ordinals(said)).collect();
    let stated = ordinals(text);
    let is_told = |rank: u64| stated.iter().any(|ordinal| ordinal.rank == rank);
    let contradicts = |own: &&Ordinal<'_>| {
        let mut others = known.iter().filter(|other| other.noun.is_some() && other.noun == own.noun).peekable();
        others.peek().is_some()
            && !known.iter().any(|other| other.rank == own.rank)
            && !others.any(|other| is_told(other.rank))
    };
    stated.iter().find(contradicts).map(|ordinal| ordinal.written.to_owned())
}

fn ordinals(text: &str) -> Vec<Ordinal<'_>> {
    let all: Vec<(usize, &str)> = word_indices(text).collect();
    let of = |n: usize| {
        let (_, word) = all[n];
        let rank = rank(&fold(word))?;
        // "Two thirds" and "a third of it" are fractions.
        let next = all.get(n + 1).map(|(_, next)| *next);
        let is_fraction = next.is_none_or(|next| fold(next) == "of");
        let noun = next.filter(|next| !is_stop(next)).map(|next| stem(next, Language::English));
        (!is_fraction || word.starts_with(|c: char| c.is_ascii_digit())).then_some(Ordinal {
            written: word,
            rank,
            noun,
        })
    };
    (0..all.len()).filter_map(of).collect()
}

/// The number of "third" and "3rd".
fn rank(word: &str) -> Option<u64> {
    let digits =
        ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).and_then(|digits| digits.parse().ok());
    digits.or_else(|| WORDS.ordinals.get(word).copied())
}

/// "Twice" where the quotes say "once". "Twice as many" compares.
fn other_count(text: &str, said: &[&str]) -> Option<String> {
    let has = |text: &str, word: &str| words(text).any(|own| fold(own) == word);
    let is_in_quotes = |word: &str| said.iter().any(|said| has(said, word));
    let compares = |next: Option<&str>| matches!(next, Some("as" | "that" | "the" | "what" | "those"));
    let all: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
    [("twice", "once"), ("once", "twice")].into_iter().find_map(|(own, other)| {
        let at = all.iter().position(|word| word == own)?;
        let is_changed = is_in_quotes(other) && !is_in_quotes(own) && !has(text, other);
        (is_changed && !compares(all.get(at + 1).map(String::as_str))).then(|| own.to_owned())
    })
}

/// A fraction that the quotes do not have, nor its remainder of the whole, where they have others.
fn other_fraction(text: &str, said: &[&str]) -> Option<String> {
    let known: Vec<f64> = said.iter().flat_map(|said| fractions(said)).map(|(_, value)| value).collect();
    let is_known =
        |value: f64| known.iter().any(|known| [*known, 1.0 - known].iter().any(|it| (it - value).abs() < 1e-9));
    let mut stated = fractions(text).into_iter();
    let (written, _) = stated.find(|(_, value)| !known.is_empty() && !is_known(*value))?;
    Some(written)
}

/// The fractions of a text with their values: "half", "two thirds", "a quarter".
pub(super) fn fractions(text: &str) -> Vec<(String, f64)> {
    let all: Vec<(usize, &str)> = word_indices(text).collect();
    let of = |n: usize| {
        let word = fold(all[n].1);
        let before = n.checked_sub(1).map(|before| fold(all[before].1));
        if word == "half" {
            // "The first half", "half an hour"
            let is_of = all.get(n + 1).is_some_and(|(_, next)| matches!(&*fold(next), "of" | "the"));
            return is_of.then(|| (word.into_owned(), 0.5));
        }
        let parts = *WORDS.fractions.get(&*word)?;
        let before = before?;
        let count = match &*before {
            "a" | "one" => Some(1),
            other => {
                numerals(other).first().and_then(|(_, value)| value.parse::<u64>().ok()).filter(|_| word.ends_with('s'))
            }
        }?;
        Some((format!("{before} {word}"), count as f64 / parts as f64))
    };
    (0..all.len()).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(text: &str, said: &str) -> Option<String> {
        unknown_ordinal(text, &[Quoted { said: said.into(), ..Quoted::default() }])
    }

    #[test]
    fn an_ordinal_a_count_or_a_fraction_that_the_quotes_contradict_is_seen() {
        for (text, said, wanted) in [
            ("It runs on the first working day.", "It runs on the third working day.", "first"),
            ("It runs on the 2nd working day.", "It runs on the third working day.", "2nd"),
            ("It may be renewed twice.", "It may be renewed once.", "twice"),
            ("It may be renewed once a month.", "It may be renewed twice a month.", "once"),
            ("Three quarters of the rows were lost.", "Two thirds of the rows were lost.", "three quarters"),
            ("Half of the rows were lost.", "Two thirds of the rows were lost.", "half"),
        ] {
            assert_eq!(unknown(text, said).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn one_that_they_do_not_contradict_is_known() {
        for (text, said) in [
            ("It runs on the 3rd working day.", "It runs on the third working day."),
            ("The first tablet comes before the second tablet.", "A second tablet may be taken later."),
            ("First, it runs.", "It runs on the third day."),
            ("Twice as many rows were lost.", "A row is lost once."),
            ("A third of the rows was kept.", "Two thirds of the rows were lost."),
            ("Half of the rows were lost.", "Of 10 rows 5 were lost."),
            ("Once it runs, it stays.", "It runs as long as it stays."),
        ] {
            assert_eq!(unknown(text, said), None, "{text}");
        }
    }
}
