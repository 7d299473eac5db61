//! Search terms of a text: stems of its content words, with compounds also in parts.

use std::collections::HashMap;

use text::words::{self, Language};

/// Stems texts of one language, with a cache.
pub(super) struct Stems {
    language: Language,
    /// The text written for each word: its stem and a space, or nothing for a function word.
    known: HashMap<Box<str>, Box<str>>,
}

impl Stems {
    /// The most cached words: enough for a natural vocabulary, and a bound for a hostile one.
    const MOST: usize = 40_000;

    pub(super) fn new(language: Language) -> Self {
        Stems { language, known: HashMap::new() }
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    /// The stems of a language among those known, made on first use.
    pub(super) fn of(language: Language, known: &mut Vec<Stems>) -> &mut Stems {
        let at = known.iter().position(|stems| stems.language == language).unwrap_or_else(|| {
            known.push(Stems::new(language));
            known.len() - 1
        });
        &mut known[at]
    }

    /// The stems of `text`, as [`Stems::append`] writes them.
    pub(super) fn stemmed(&mut self, text: &str) -> String {
        let mut stems = String::new();
        self.append(text, &mut stems);
        stems
    }

    /// Appends the stems of `text` to `out`, each followed by a space, without function words.
    pub(super) fn append(&mut self, text: &str, out: &mut String) {
        for part in parts(&words::without_keys(text)) {
            if let Some(written) = self.known.get(part) {
                out.push_str(written);
                continue;
            }
            let written = if words::is_stop(part) { String::new() } else { stem(part, self.language) + " " };
            out.push_str(&written);
            if self.known.len() < Self::MOST {
                self.known.insert(part.into(), written.into());
            }
        }
    }
}

/// A word of a query with all forms under which the collection may contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The word as written.
    pub(super) word: String,
    /// Its stem in each language, as an FTS5 phrase.
    pub(super) phrase: String,
    /// The same forms, each as stems separated by spaces.
    pub(super) forms: Vec<String>,
}

/// The content words of a query, without repeats.
pub(super) fn terms(query: &str, languages: &[Language]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for word in words::words(query).filter(|word| !words::is_stop(word)) {
        let Some(term) = term(word, languages) else { continue };
        if !terms.iter().any(|known| known.phrase == term.phrase) {
            terms.push(term);
        }
    }
    terms
}

/// The term for a word, or for several that must be adjacent. None if it has no content word.
pub(super) fn term(word: &str, languages: &[Language]) -> Option<Term> {
    let mut forms: Vec<String> = Vec::new();
    for language in languages {
        let stems: Vec<String> = parts(word).filter(|p| !words::is_stop(p)).map(|p| stem(p, *language)).collect();
        let form = stems.join(" ");
        if !stems.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    }
    let phrase = match forms.as_slice() {
        [] => return None,
        [only] => format!("\"{only}\""),
        several => format!("(\"{}\")", several.join("\" OR \"")),
    };
    Some(Term { word: word.to_owned(), phrase, forms })
}

/// The number of content words of a text.
pub(super) fn weight(text: &str) -> usize {
    parts(&words::without_keys(text)).filter(|part| !words::is_stop(part)).count()
}

fn stem(part: &str, language: Language) -> String {
    let mut stem = words::stem(part, language);
    stem.retain(|c| c != '\'' && c != '"');
    stem
}

/// Words; compounds like `work_mem` and `os.path` are split. A version is the same with and without its letter
/// (`v2.1`).
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '\'';
    let mut rest = text;
    text.split_inclusive(is_between)
        .map(move |piece| {
            rest = &rest[piece.len()..];
            let chunk = piece.trim_end_matches(is_between);
            let goes_on = piece.ends_with('.') && rest.starts_with(|c: char| c.is_ascii_digit());
            let digits =
                chunk.strip_prefix(['v', 'V']).filter(|digits| goes_on && digits.bytes().all(|b| b.is_ascii_digit()));
            digits.unwrap_or(chunk)
        })
        .map(|chunk| chunk.trim_matches('\''))
        .filter(|chunk| !chunk.is_empty())
        .flat_map(|chunk| {
            let (ascii, other) = if chunk.is_ascii() { (Some(chunk), None) } else { (None, Some(words::words(chunk))) };
            ascii.into_iter().chain(other.into_iter().flatten())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_searched_by_its_stems() {
        let mut out = String::new();
        Stems::new(Language::English)
            .append("E[x]tract the indexes of work_mem don't use os.path, caf\u{e9}s or \u{6771}\u{4eac}.", &mut out);
        assert_eq!(out, "extract index work mem use os path caf\u{e9} \u{6771} \u{4eac} ");
    }

    #[test]
    fn a_version_is_found_with_and_without_its_letter() {
        let of = |text: &str| terms(text, &[Language::English]).remove(0).phrase;
        assert_eq!(of("v2.3.19"), of("2.3.19"));
        assert_ne!(of("v2"), of("2"), "the second kind of a thing");
        assert_ne!(of("v2. 3 of them"), of("2. 3"));
    }

    #[test]
    fn a_query_has_each_word_once_in_every_language() {
        let terms = terms("How do filters filter work_mem?", &[Language::English, Language::German]);
        let phrases: Vec<&str> = terms.iter().map(|t| t.phrase.as_str()).collect();
        assert_eq!(phrases, ["(\"filter\" OR \"filt\")", "\"work mem\""]);
    }
}
