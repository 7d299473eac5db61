//! Words, their stems, and language detection.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

/// A language with a Snowball stemmer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Danish,
    Norwegian,
    Finnish,
    Hungarian,
    Russian,
}

impl Language {
    /// Detects the language of a text; English if the text is short or the guess weak.
    pub fn of(text: &str) -> Language {
        let sample = &text[..text.floor_char_boundary(4096)];
        if is_plainly_english(sample) {
            return Language::English;
        }
        let Some(guess) = whatlang::detect(sample).filter(whatlang::Info::is_reliable) else {
            return Language::English;
        };
        use whatlang::Lang;
        match guess.lang() {
            Lang::Deu => Language::German,
            Lang::Fra => Language::French,
            Lang::Spa => Language::Spanish,
            Lang::Ita => Language::Italian,
            Lang::Por => Language::Portuguese,
            Lang::Nld => Language::Dutch,
            Lang::Swe => Language::Swedish,
            Lang::Dan => Language::Danish,
            Lang::Nob => Language::Norwegian,
            Lang::Fin => Language::Finnish,
            Lang::Hun => Language::Hungarian,
            Lang::Rus => Language::Russian,
            _ => Language::English,
        }
    }

    fn stemmer(self) -> Stemmer {
        Stemmer::create(match self {
            Language::English => Algorithm::English,
            Language::German => Algorithm::German,
            Language::French => Algorithm::French,
            Language::Spanish => Algorithm::Spanish,
            Language::Italian => Algorithm::Italian,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Dutch => Algorithm::Dutch,
            Language::Swedish => Algorithm::Swedish,
            Language::Danish => Algorithm::Danish,
            Language::Norwegian => Algorithm::Norwegian,
            Language::Finnish => Algorithm::Finnish,
            Language::Hungarian => Algorithm::Hungarian,
            Language::Russian => Algorithm::Russian,
        })
    }
}

/// Words that are common in English and in no other of these languages.
const ENGLISH_ALONE: [&str; 16] = [
    "and", "are", "been", "from", "how", "that", "the", "their", "these", "they", "this", "when", "which", "with",
    "you", "your",
];

/// Whether at least two words, and one in ten, are of English alone. This look takes a tenth of the time of comparing the text with
/// seventy languages.
fn is_plainly_english(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let (all, english) = words.fold((0_usize, 0_usize), |(all, english), word| {
        let is_english = ENGLISH_ALONE.iter().any(|known| known.eq_ignore_ascii_case(word));
        (all + 1, english + usize::from(is_english))
    });
    english >= 2 && english * 10 >= all
}

/// The name of the language that a text is surely in: short texts are mostly in none for sure, but of those in another
/// script than the Latin one.
pub fn language_name(text: &str) -> Option<&'static str> {
    let guess = whatlang::detect(text)?;
    // Greek letters alone are mostly formulas.
    let is_told = guess.is_reliable() || !matches!(guess.script(), whatlang::Script::Latin | whatlang::Script::Greek);
    is_told.then(|| guess.lang().eng_name())
}

/// The words of a text in order (UAX 29 word boundaries).
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.unicode_words()
}

/// The words of a text with their byte offsets.
pub fn word_indices(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.unicode_word_indices()
}

/// A version without the letter before it: `v2.1` is 2.1. Other words, and `v2` alone, are left as they are.
pub fn plain_version(word: &str) -> &str {
    let digits = word.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    digits.filter(|rest| rest.contains('.')).unwrap_or(word)
}

/// The value of a number in letters, from "two" to "twelve".
pub fn numeral(word: &str) -> Option<u32> {
    const LETTERS: [&str; 11] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let word = fold(word);
    (2..).zip(LETTERS).find(|(_, letters)| *letters == word).map(|(value, _)| value)
}

/// A text without the brackets around the letters of a key within a word: "Extract a file" of "E[x]tract a [f]ile".
pub fn without_keys(text: &str) -> Cow<'_, str> {
    let (mut out, mut kept, mut from) = (String::new(), 0, 0);
    while let Some(at) = text[from..].find('[').map(|at| from + at) {
        from = at + 1;
        let key = text[from..].split_once(']').filter(|(key, next)| {
            !key.is_empty() && key.chars().all(char::is_alphabetic) && next.starts_with(char::is_alphabetic)
        });
        if let Some((key, _)) = key {
            out.extend([&text[kept..at], key]);
            kept = from + key.len() + 1;
            from = kept;
        }
    }
    if kept == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[kept..]) }
}

/// A word in lower case, of two English spellings always the same one.
pub fn fold(word: &str) -> Cow<'_, str> {
    match in_lower_case(word) {
        Cow::Borrowed(word) => Cow::Borrowed(american(word)),
        Cow::Owned(word) if american(&word) != word => Cow::Borrowed(american(&word)).into_owned().into(),
        folded => folded,
    }
}

/// The American spelling of words that questions and documents often spell differently: one that asks for the licence also
/// finds the license.
fn american(word: &str) -> &str {
    match word {
        "licence" => "license",
        "licences" => "licenses",
        "licenced" => "licensed",
        "colour" => "color",
        "colours" => "colors",
        "behaviour" => "behavior",
        "behaviours" => "behaviors",
        "defence" => "defense",
        "optimise" => "optimize",
        "optimisation" => "optimization",
        "organisation" => "organization",
        "organisations" => "organizations",
        "initialisation" => "initialization",
        "serialisation" => "serialization",
        "quantisation" => "quantization",
        "normalisation" => "normalization",
        other => other,
    }
}

fn in_lower_case(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase().replace('\u{2019}', "'"))
}

/// The stem of one word.
pub fn stem(word: &str, language: Language) -> String {
    language.stemmer().stem(&fold(word)).into_owned()
}

/// The stems of all words of a text in order, stop words included.
pub fn stems(text: &str, language: Language) -> Vec<String> {
    let stemmer = language.stemmer();
    words(text).map(|word| stemmer.stem(&fold(word)).into_owned()).collect()
}

/// The stems of all words of a text but stop words.
pub fn content_stems(text: &str, language: Language) -> Vec<String> {
    let stemmer = language.stemmer();
    words(text).filter(|word| !is_stop(word)).map(|word| stemmer.stem(&fold(word)).into_owned()).collect()
}

/// Whether a word is a stop word: article, pronoun, auxiliary, question word.
pub fn is_stop(word: &str) -> bool {
    word.len() <= LONGEST_STOP && STOP.binary_search(&fold(word).as_ref()).is_ok()
}

/// The number of words, and of stop words among them: their share tells English from other languages.
pub fn function_words<'w>(words: impl Iterator<Item = &'w str>) -> (usize, usize) {
    words.fold((0, 0), |(all, stop), word| (all + 1, stop + usize::from(is_stop(word))))
}

/// The most bytes of a stop word as it may be typed, with a curly apostrophe.
const LONGEST_STOP: usize = 11;

/// English function words and the question words of a request, also as they are typed in a hurry ("dont"); sorted.
const STOP: &[&str] = &[
    "a",
    "about",
    "above",
    "after",
    "again",
    "against",
    "all",
    "also",
    "although",
    "am",
    "an",
    "and",
    "any",
    "anybody",
    "anyone",
    "are",
    "aren't",
    "arent",
    "as",
    "asap",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "can't",
    "cannot",
    "cant",
    "could",
    "couldn't",
    "couldnt",
    "despite",
    "did",
    "didn't",
    "didnt",
    "do",
    "does",
    "doesn't",
    "doesnt",
    "doing",
    "don't",
    "dont",
    "down",
    "during",
    "each",
    "everybody",
    "everyone",
    "few",
    "for",
    "from",
    "further",
    "had",
    "has",
    "hasn't",
    "hasnt",
    "have",
    "haven't",
    "havent",
    "having",
    "he",
    "he'd",
    "he'll",
    "he's",
    "her",
    "here",
    "hers",
    "him",
    "his",
    "how",
    "i",
    "i'd",
    "i'll",
    "i'm",
    "i've",
    "if",
    "im",
    "in",
    "into",
    "is",
    "isn't",
    "isnt",
    "it",
    "it'd",
    "it'll",
    "it's",
    "its",
    "itself",
    "ive",
    "just",
    "let's",
    "lets",
    "me",
    "more",
    "most",
    "my",
    "no",
    "nobody",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "please",
    "pls",
    "plz",
    "same",
    "she",
    "she'd",
    "she'll",
    "she's",
    "should",
    "shouldn't",
    "shouldnt",
    "since",
    "so",
    "some",
    "somebody",
    "someone",
    "such",
    "than",
    "thanks",
    "that",
    "that's",
    "thats",
    "the",
    "their",
    "them",
    "then",
    "there",
    "there's",
    "theres",
    "these",
    "they",
    "they'd",
    "they'll",
    "they're",
    "they've",
    "theyre",
    "this",
    "those",
    "though",
    "through",
    "thx",
    "to",
    "too",
    "under",
    "unless",
    "until",
    "up",
    "us",
    "very",
    "was",
    "wasn't",
    "wasnt",
    "we",
    "we'd",
    "we'll",
    "we're",
    "we've",
    "were",
    "weren't",
    "werent",
    "what",
    "what's",
    "whats",
    "when",
    "where",
    "where's",
    "whereas",
    "wheres",
    "whether",
    "which",
    "while",
    "who",
    "who's",
    "whom",
    "whos",
    "whose",
    "why",
    "will",
    "with",
    "won't",
    "wont",
    "would",
    "wouldn't",
    "wouldnt",
    "yet",
    "you",
    "you'd",
    "you'll",
    "you're",
    "you've",
    "your",
    "youre",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_within_a_word_is_a_letter_of_it() {
        for (text, plain) in [
            ("E[x]tract a (compressed) archive [f]ile", "Extract a (compressed) archive file"),
            ("[c]reate it", "create it"),
            ("a[0] and a[i] stay, [Name]: too", "a[0] and a[i] stay, [Name]: too"),
            ("[a link] to it [", "[a link] to it ["),
            ("", ""),
        ] {
            assert_eq!(without_keys(text), plain, "{text}");
        }
    }

    #[test]
    fn numbers_in_letters_have_their_values() {
        assert_eq!(["two", "Six", "twelve", "thirteen", "6"].map(numeral), [Some(2), Some(6), Some(12), None, None]);
    }

    #[test]
    fn stop_words_are_sorted_so_that_they_can_be_found() {
        assert!(STOP.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(is_stop("The") && is_stop("which") && !is_stop("index"));
    }

    #[test]
    fn every_stop_word_is_one_however_it_is_typed() {
        for word in STOP {
            assert!(
                [(*word).to_owned(), word.to_uppercase(), word.replace('\'', "\u{2019}")].iter().all(|it| is_stop(it))
            );
        }
        assert!(!is_stop("vector") && !is_stop("understandings"));
    }

    #[test]
    fn stems_join_the_forms_of_a_word() {
        assert_eq!(stem("Indexes", Language::English), stem("index", Language::English));
        assert_eq!(content_stems("How does the filter work?", Language::English), ["filter", "work"]);
    }

    #[test]
    fn the_language_of_a_paragraph_is_found() {
        assert_eq!(
            Language::of(
                "Der Schreiber hält die Sperre, bis die Transaktion abgeschlossen ist und alle Leser fertig sind."
            ),
            Language::German
        );
        assert_eq!(Language::of("ok"), Language::English);
        let quotes_english = "Das Handbuch sagt dazu nur “read the manual from the start”, und damit ist den Leuten, die den Dienst \
                              betreiben, nicht geholfen: Die Sperre wird erst gelöst, wenn alle Leser fertig sind, und bis dahin \
                              wartet jeder Schreiber. Wer das ändern will, muss die Zahl der Leser begrenzen oder eine zweite \
                              Datei anlegen.";
        assert_eq!(Language::of(quotes_english), Language::German);
    }

    #[test]
    fn plain_english_is_known_by_its_most_common_words() {
        for english in [
            "The sorter moves up to 107 parcels an hour from hall 2 to the ramp.",
            "WHEN THE DISK IS FULL, WRITES ARE REFUSED.",
            "Tables and indexes are stored in files that are named after their identifiers.",
        ] {
            assert!(is_plainly_english(english), "{english}");
        }
        for other in [
            "",
            "the",
            "pg_dump writes one file",
            "Der Schreiber hält die Sperre, bis alle Leser fertig sind.",
            "L’écrivain tient le verrou jusqu’à la fin de la transaction.",
            "El escritor mantiene el bloqueo hasta que termina la transacción.",
            "De schrijver houdt het slot vast tot de transactie is afgerond en alle lezers klaar zijn.",
            "Skrivaren håller låset tills transaktionen är klar och alla läsare är färdiga.",
            "Az író addig tartja a zárat, amíg a tranzakció be nem fejeződik.",
            "Писатель держит блокировку до конца транзакции.",
        ] {
            assert!(!is_plainly_english(other), "{other}");
        }
    }
}
