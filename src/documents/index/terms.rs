//! What a text is searched by: the stems of its words that carry meaning, compounds in their parts.

use std::collections::HashMap;

use text::words::{self, Language};

/// Turns texts of one language into stems, and remembers the stems it has seen.
pub(super) struct Stems {
    language: Language,
    known: HashMap<Box<str>, Box<str>>,
}

impl Stems {
    /// Words remembered at most: a natural vocabulary fits, a hostile one does not fill the memory.
    const MOST: usize = 40_000;

    pub(super) fn new(language: Language) -> Self {
        Stems { language, known: HashMap::new() }
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    /// Appends the stems of `text` to `out`, each followed by a space. Function words are left out.
    pub(super) fn append(&mut self, text: &str, out: &mut String) {
        for part in parts(text) {
            if words::is_stop(part) {
                continue;
            }
            if let Some(stem) = self.known.get(part) {
                out.push_str(stem);
            } else {
                let stem = stem(part, self.language);
                out.push_str(&stem);
                if self.known.len() < Self::MOST {
                    self.known.insert(part.into(), stem.into());
                }
            }
            out.push(' ');
        }
    }
}

/// One word of a query and every form under which the collection may hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The word as it was asked.
    pub(super) word: String,
    /// Its stem by each language, as a phrase of FTS5.
    pub(super) phrase: String,
    /// The same, each form by itself: stems parted by a space.
    pub(super) forms: Vec<String>,
}

/// The words of a query that carry meaning, each once.
pub(super) fn terms(query: &str, languages: &[Language]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for word in words::words(query).filter(|word| !words::is_stop(word)) {
        let mut forms: Vec<String> = Vec::new();
        for language in languages {
            let stems: Vec<String> = parts(word).filter(|p| !words::is_stop(p)).map(|p| stem(p, *language)).collect();
            let form = stems.join(" ");
            if !stems.is_empty() && !forms.contains(&form) {
                forms.push(form);
            }
        }
        let phrase = match forms.as_slice() {
            [] => continue,
            [only] => format!("\"{only}\""),
            several => format!("(\"{}\")", several.join("\" OR \"")),
        };
        if !terms.iter().any(|term| term.phrase == phrase) {
            terms.push(Term { word: word.to_owned(), phrase, forms });
        }
    }
    terms
}

/// How many words of a text carry meaning.
pub(super) fn weight(text: &str) -> usize {
    parts(text).filter(|part| !words::is_stop(part)).count()
}

fn stem(part: &str, language: Language) -> String {
    let mut stem = words::stem(part, language);
    stem.retain(|c| c != '\'' && c != '"');
    stem
}

/// Words, with compounds like `work_mem` and `os.path` in their parts.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '\'')
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
            .append("The indexes of work_mem don't use os.path, caf\u{e9}s or \u{6771}\u{4eac}.", &mut out);
        assert_eq!(out, "index work mem use os path caf\u{e9} \u{6771} \u{4eac} ");
    }

    #[test]
    fn a_query_has_each_word_once_in_every_language() {
        let terms = terms("How do filters filter work_mem?", &[Language::English, Language::German]);
        let phrases: Vec<&str> = terms.iter().map(|t| t.phrase.as_str()).collect();
        assert_eq!(phrases, ["(\"filter\" OR \"filt\")", "\"work mem\""]);
    }
}
