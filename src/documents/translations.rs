//! Manuals in several languages: detects untranslated pages and passages among those in another language. Each is a
//! copy of an English one.
//!
//! Goes by the paths of pages and by their function words, so that translated text never counts as a copy.

use std::collections::HashSet;

use super::Document;
use run::evidence::BlockKind;
use text::words::{function_words, words};

/// The most words of a page that are counted.
const READ: usize = 400;
/// The fewest words of a passage that is judged.
const LEAST_WORDS: usize = 6;
/// An English passage has at least one function word in this many words. Text in some other languages has one in ten
/// that looks like an English one ("for", "at", "i").
const ONE_IN: usize = 4;
/// The same for a page: a half-translated page has fewer.
const ONE_IN_OF_A_PAGE: usize = 3;

impl Document {
    /// Whether it is in English, among pages of another language.
    pub(super) fn is_untranslated(&self, path: &str) -> bool {
        if paths(path, |code| code != "en").next().is_none() {
            return false;
        }
        let prose = self.blocks.iter().filter(|block| block.kind != BlockKind::Code);
        let (all, english) = function_words(prose.flat_map(|block| words(&block.text)).take(READ));
        english > 0 && english * ONE_IN_OF_A_PAGE >= all
    }
}

/// Whether a passage is in English, among those of another language.
pub(super) fn is_untranslated(passage: &str) -> bool {
    let (all, english) = function_words(words(passage).take(READ));
    all >= LEAST_WORDS && english * ONE_IN >= all
}

/// The English pages of a collection, by their paths without the language.
pub(super) struct EnglishPages(HashSet<String>);

impl EnglishPages {
    pub(super) fn among<'p>(every: impl Iterator<Item = &'p str>) -> EnglishPages {
        EnglishPages(every.flat_map(|path| paths(path, |code| code == "en")).collect())
    }

    /// Whether a page has the same path as one of them, apart from the language.
    pub(super) fn have(&self, path: &str) -> bool {
        !self.0.is_empty() && paths(path, |code| code != "en").any(|without| self.0.contains(&without))
    }
}

/// A path without its language, for each part that may be one: "html/de-DE/raid.html", "raid.html.de", "raid.de.html".
fn paths(path: &str, is_wanted: fn(&str) -> bool) -> impl Iterator<Item = String> {
    let mut end = 0;
    path.split(['/', '.']).filter_map(move |part| {
        let begin = end;
        end = begin + part.len() + 1;
        let is_language = language(part).is_some_and(is_wanted);
        is_language.then(|| format!("{}*{}", &path[..begin], &path[begin + part.len()..]))
    })
}

/// The language of a code with or without a country: "de" of "de", "de-DE", "pt_BR".
fn language(code: &str) -> Option<&str> {
    let (language, country) = code.split_once(['-', '_']).unwrap_or((code, ""));
    let is_language = language.len() == 2 && language.bytes().all(|b| b.is_ascii_lowercase());
    let is_country = matches!(country.len(), 0 | 2 | 4) && country.bytes().all(|b| b.is_ascii_alphabetic());
    (is_language && is_country).then_some(language)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_page_has_an_english_one_if_only_the_language_in_its_path_differs() {
        let english = ["html/en-US/raid.html", "mod/index.html.en", "guide.en.html", "man/en/x.txt"];
        let pages = EnglishPages::among(english.into_iter());
        for has in
            ["html/da-DK/raid.html", "html/pt-BR/raid.html", "mod/index.html.fr", "guide.de.html", "man/fr/x.txt"]
        {
            assert!(pages.have(has), "{has}");
        }
        for has_none in ["html/da-DK/lvm.html", "html/en-US/raid.html", "html/raid.html", "js/x.txt", "guide.html"] {
            assert!(!pages.have(has_none), "{has_none}");
        }
    }

    #[test]
    fn a_page_among_those_of_another_language_is_untranslated_if_it_is_in_english() {
        let english =
            "The system stays functional with up to one failed disk of the array, but with no more than that.";
        let danish =
            "Systemet fungerer stadig med en enkelt defekt disk, men ikke med flere, for så er alle data tabt.";
        let page = |said: &str| parse(said.as_bytes(), "raid.txt").unwrap();
        assert!(page(english).is_untranslated("html/da-DK/raid.txt"));
        assert!(!page(english).is_untranslated("html/en-US/raid.txt"));
        assert!(!page(english).is_untranslated("raid.txt"));
        assert!(!page(danish).is_untranslated("html/da-DK/raid.txt"));
    }
}
