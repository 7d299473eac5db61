//! Whether a text is in English, by its function words. It does not distinguish other languages.

use std::collections::BTreeMap;

use crate::words::WORDS;
use text::words::{fold, function_words, is_stop, language_name, words};

/// The words for passages in another language, and for those that a question in one finds.
pub(super) const NOT_JUDGED: &str = "only English is read, so that it cannot be judged what answers the question";

/// The fewest words from which the function words of a text show its language.
const LEAST_TO_TELL: usize = 10;
/// English has at least one function word in this many words, or in the second number of them if another language
/// shares each one.
const ONE_IN: usize = 10;
const ONE_IN_IF_SHARED: usize = 5;
/// The fewest words of another language that show it.
const LEAST_OF_A_LANGUAGE: usize = 2;

/// Whether a text may be English: a short one, or one with function words.
pub(super) fn reads_as_english(text: &str) -> bool {
    is_english(text) != Some(false)
}

/// Whether a text is English, by its function words; None for one too short to tell.
fn is_english(text: &str) -> Option<bool> {
    let (all, of_english) = function_words(words(text));
    let is_shared = |word: &str| !is_stop(word) || WORDS.of_other_languages.contains(&*fold(word));
    let one_in = if words(text).all(is_shared) { ONE_IN_IF_SHARED } else { ONE_IN };
    (all >= LEAST_TO_TELL).then_some(of_english * one_in >= all)
}

/// Flags those of these texts that may be English. One too short to tell (`None`: program text, which is in no language) is in the
/// language of most others of its source: a page in German has short lines, too.
pub(super) fn may_be_english<S: Ord, T: AsRef<str>>(texts: impl Iterator<Item = (S, Option<T>)>) -> Vec<bool> {
    let told: Vec<(S, Option<bool>)> =
        texts.map(|(source, text)| (source, text.and_then(|text| is_english(text.as_ref())))).collect();
    let mut more_in_english: BTreeMap<&S, i64> = BTreeMap::new();
    for (source, is_english) in told.iter().filter_map(|(source, told)| Some((source, (*told)?))) {
        *more_in_english.entry(source).or_default() += if is_english { 1 } else { -1 };
    }
    let of_source = |source: &S| more_in_english.get(source).is_none_or(|more| *more >= 0);
    told.iter().map(|(source, told)| told.unwrap_or_else(|| of_source(source))).collect()
}

/// Whether a question is in English, by its function words: at least three, and a quarter of its words.
pub(crate) fn is_in_english(question: &str) -> bool {
    let (all, of_english) = function_words(words(question));
    of_english >= 3 && of_english * 4 >= all
}

/// The language of a question or sentence that is surely not in English.
pub(crate) fn other_language(text: &str) -> Option<&'static str> {
    let by_letters = language_name(text).filter(|name| *name != "English" && !is_in_english(text));
    by_letters.or_else(|| language_by_words(text))
}

/// The language whose words a short text has: more of them than of English, and more than of the others.
fn language_by_words(text: &str) -> Option<&'static str> {
    let words: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
    let counts = WORDS.languages.iter().map(|(name, known)| {
        let of_it = words.iter().filter(|word| known.contains(*word)).count();
        let of_english =
            |word: &&String| is_stop(word) && !known.contains(*word) && !WORDS.of_other_languages.contains(*word);
        (of_it, words.iter().filter(of_english).count(), name.as_str())
    });
    let (of_it, of_english, name) = counts.max_by_key(|(of_it, ..)| *of_it)?;
    (of_it >= LEAST_OF_A_LANGUAGE && of_it > of_english).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_in_another_language_are_told_from_names_and_english() {
        for (question, language) in [
            ("Wie funktioniert die Sicherung einer Datenbank und wann wird sie wiederhergestellt?", Some("German")),
            (
                "\u{30c7}\u{30fc}\u{30bf}\u{30d9}\u{30fc}\u{30b9}\u{306e}\u{5236}\u{9650}\u{306f}\u{4f55}\u{3067}\u{3059}\u{304b}",
                Some("Japanese"),
            ),
            ("¿Cómo se hace una copia de seguridad de la base de datos y cuándo se restaura?", Some("Spanish")),
            ("Wie lang ist die Arbeitszeit?", Some("German")),
            ("Wie viele Tage Urlaub habe ich?", Some("German")),
            ("Wann muss der Urlaub beantragt werden?", Some("German")),
            ("Die Arbeitszeit beträgt 38 Stunden in der Woche.", Some("German")),
            ("Combien de jours de congés ai-je ?", Some("French")),
            ("Chaque salarié a droit à 25 jours de congés par an.", Some("French")),
            ("¿Cuántos días de vacaciones tengo?", Some("Spanish")),
            ("Hoeveel dagen vakantie heb ik?", Some("Dutch")),
            ("Quanti giorni di ferie ho?", Some("Italian")),
            ("Quantos dias de férias tenho?", Some("Portuguese")),
            ("\u{52e4}\u{52d9}\u{6642}\u{9593}\u{306f}?", Some("Japanese")),
            ("Сколько дней отпуска?", Some("Russian")),
            ("What does Die Hard say of the war?", None),
            ("Where is the Rio de la Plata?", None),
            ("El Niño", None),
            ("es module en route", None),
            ("How do I set LC_ALL=de_DE?", None),
            ("What are the limits of a database, and when is it restored?", None),
            ("sqlite vacuum journal", None),
            ("qqqx zzzy wwwv", None),
            ("postgres max_connections", None),
        ] {
            assert_eq!(other_language(question), language, "{question}");
        }
    }

    #[test]
    fn a_short_text_is_in_the_language_of_its_source() {
        let german =
            "Der Filter blendet Meldungen von Benutzern aus, die in den letzten Minuten nichts geschrieben haben.";
        let english = "The filter hides messages of users who have said nothing for the last few minutes.";
        let texts =
            [("de", german), ("de", "Typ: integer"), ("en", english), ("en", "type: integer"), ("x", "Typ: integer")];
        let found = may_be_english(texts.map(|(source, text)| (source, Some(text))).into_iter());
        assert_eq!(found, [false, false, true, true, true]);
        let code = may_be_english([("de", Some(german)), ("de", None), ("en", None)].into_iter());
        assert_eq!(code, [false, false, true], "so is program text, with its comments");
    }

    #[test]
    fn only_english_has_function_words() {
        for text in [
            "The worker is based on the first one, with two threads for each process.",
            "Le module est fondé sur le premier, qui a deux fils pour chaque processus.",
            "Windows tilbyder en funktion, kaldt “fast boot” i Windows 8, “fast startup” i Windows 10, til at formindske tiden.",
            "Write-Ahead Logging (WAL) is a standard method for ensuring data integrity.",
            "Le module vite.",
        ] {
            assert_eq!(reads_as_english(text), !text.contains("fondé") && !text.contains("tilbyder"), "{text}");
        }
    }
}
