//! Checks that an edit of a quote is one of the closed list, and takes words only from the quote's context.

use crate::extractive::edit::is_reference;
use crate::words::WORDS;
use run::evidence::Block;
use run::finding::{Edit, EditRule};
use text::words::{fold, without_keys, words};

/// The text around a quote, from which a bracket may take its words.
pub(crate) struct Around<'a> {
    pub title: &'a str,
    /// The block, with its headings and introduction.
    pub block: &'a Block,
}

impl Around<'_> {
    /// Whether every word of a bracket is in the title, the headings, the introduction or the block.
    fn has_words_of(&self, bracket: &str) -> bool {
        let mut known: Vec<String> = words(self.title).map(|w| fold(w).into_owned()).collect();
        let texts = self
            .block
            .headings
            .iter()
            .map(|h| h.as_str())
            .chain(self.block.intro.as_deref())
            .chain([self.block.text.as_str()]);
        known.extend(texts.flat_map(words).map(|w| fold(w).into_owned()));
        for text in self.block.intro.iter().chain([&self.block.text]).map(|text| without_keys(text)) {
            known.extend(words(&text).map(|w| fold(w).into_owned()));
        }
        let mut any = false;
        words(bracket).all(|word| {
            any = true;
            let word = fold(word);
            // One of several things has their name without the plural.
            let is_it = |known: &String| *known == word || known.strip_suffix('s') == Some(&*word);
            known.iter().any(|known| is_it(known) || word.strip_suffix("'s").is_some_and(|stripped| known == stripped))
        }) && any
    }
}

/// Checks an edit against its rule. The error names its forbidden effect.
pub(crate) fn check_edit(edit: &Edit, quote: &str, around: Option<&Around<'_>>) -> Result<(), String> {
    let at = edit.at as usize;
    let (removed, inserted) = (edit.removed.as_str(), edit.inserted.as_str());
    let refuse = |what: &str| Err(format!("{what}: “{removed}” became “{inserted}”"));
    match edit.rule {
        EditRule::DropConnective => {
            let Some(connective) = WORDS.connectives.beginning(removed).filter(|_| at == 0) else {
                return refuse("not a connective at the beginning");
            };
            let rest = &removed[connective.len()..];
            let capital: String = rest.chars().flat_map(char::to_uppercase).collect();
            if rest.chars().count() == 1 && (inserted == rest || inserted == capital) {
                Ok(())
            } else {
                refuse("more than a connective went")
            }
        }
        EditRule::DropReference => {
            if inserted.is_empty() && is_reference(removed) {
                Ok(())
            } else {
                refuse("not a reference to another place")
            }
        }
        EditRule::NameReferent | EditRule::NameSubject => {
            let fits = if edit.rule == EditRule::NameReferent {
                at == 0
                    && matches!(removed, "It" | "He" | "She" | "Its" | "His" | "Her")
                    && inserted.starts_with('[')
                    && inserted.ends_with(']')
            } else {
                at == 0
                    && removed.is_empty()
                    && inserted.starts_with('[')
                    && (inserted.ends_with("] ") || inserted.ends_with("]: "))
            };
            let inner = inserted.trim_end_matches([' ', ':', ']']).trim_start_matches('[');
            if !fits || inner.contains(['[', ']']) {
                return refuse("not a name in brackets at the beginning");
            }
            match around {
                Some(around) if around.has_words_of(inner) => Ok(()),
                Some(_) => refuse("the name in brackets does not occur around the quote"),
                None => refuse("the passage is not there to check the name in brackets against"),
            }
        }
        EditRule::Punctuation => {
            let stop = inserted == "." && matches!(removed, "" | ";" | "," | ":") && at + removed.len() == quote.len();
            let capital = at == 0 && removed.chars().count() == 1 && removed.to_uppercase() == inserted;
            if stop || capital { Ok(()) } else { refuse("not a full stop at the end or a capital at the beginning") }
        }
    }
}
