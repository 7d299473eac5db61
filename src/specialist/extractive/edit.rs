//! The edits that turn a quote into a claim: making them, and checking them. The list is closed, and none of them
//! changes the meaning.

use super::standalone::is_expletive;
use super::words::WORDS;
use run::evidence::Block;
use run::finding::{Edit, EditRule};
use text::words::{fold, words};

pub(super) fn insert(rule: EditRule, at: usize, inserted: String) -> Edit {
    Edit { rule, at: at as u32, removed: "".into(), inserted: inserted.as_str().into() }
}

/// "It stores" → "[Qdrant] stores".
pub(super) fn name_referent(sentence: &str, name: &str) -> Option<Edit> {
    let first = sentence.split_whitespace().next()?;
    // "It would be better …": this "it" has no referent.
    let supposes = sentence
        .split_whitespace()
        .nth(1)
        .is_some_and(|word| matches!(word, "would" | "could" | "might" | "should" | "may" | "follows" | "seems"));
    if supposes || is_expletive(&fold(sentence)) {
        return None;
    }
    let inserted = match first {
        "It" | "He" | "She" => format!("[{name}]"),
        "Its" | "His" | "Her" => format!("[{name}'s]"),
        _ => return None,
    };
    Some(Edit { rule: EditRule::NameReferent, at: 0, removed: first.into(), inserted: inserted.as_str().into() })
}

/// "However, it" → "It".
pub(super) fn drop_connective(quote: &str, subject: Option<&str>) -> Option<Edit> {
    let connective = WORDS.connectives.beginning(quote)?;
    let next = quote[connective.len()..].chars().next()?;
    let removed = &quote[..connective.len() + next.len_utf8()];
    let inserted: String = next.to_uppercase().collect();
    // A name keeps its spelling.
    let rest = &quote[connective.len()..];
    let named = subject.is_some_and(|name| rest.starts_with(name));
    let inserted = if named { next.to_string() } else { inserted };
    Some(Edit { rule: EditRule::DropConnective, at: 0, removed: removed.into(), inserted: inserted.as_str().into() })
}

/// "(see section 4)", and at the end ", as described in section 4".
pub(super) fn drop_references(quote: &str) -> Vec<Edit> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = quote[from..].find(" (").map(|at| from + at) {
        let Some(close) = quote[open..].find(')').map(|at| open + at + 1) else { break };
        let removed = &quote[open..close];
        if is_reference(removed) {
            found.push(Edit {
                rule: EditRule::DropReference,
                at: open as u32,
                removed: removed.into(),
                inserted: "".into(),
            });
        }
        from = close;
    }
    let end = quote.trim_end_matches('.').len();
    let begin = AT_THE_END.iter().filter_map(|cue| quote[..end].rfind(cue)).max();
    if let Some(at) = begin.filter(|at| *at >= from && is_reference(&quote[*at..end])) {
        let removed = quote[at..end].into();
        found.push(Edit { rule: EditRule::DropReference, at: at as u32, removed, inserted: "".into() });
    }
    found
}

/// The first words of a reference at the end of a sentence, and the most words of one.
const AT_THE_END: [&str; 8] = [
    ", as described ",
    ", as discussed ",
    ", as explained ",
    ", as mentioned ",
    ", as shown in ",
    ", see ",
    "; see ",
    "; for details see ",
];
const MOST_AT_THE_END: usize = 12;

pub(super) fn is_reference(removed: &str) -> bool {
    if let Some(rest) = AT_THE_END.iter().find_map(|cue| removed.strip_prefix(cue)) {
        return !rest.contains([',', ';', '(', ')']) && !rest.contains(". ") && words(rest).count() <= MOST_AT_THE_END;
    }
    let Some(inner) = removed.strip_prefix(" (").and_then(|r| r.strip_suffix(')')) else { return false };
    let inner = inner.to_lowercase();
    ["see ", "see also ", "cf. ", "refer to "].iter().any(|cue| inner.starts_with(cue))
        && !inner.contains(['(', ')', ';'])
}

/// Adds a final full stop if there is none.
pub(super) fn full_stop(quote: &str) -> Option<Edit> {
    let end = quote.trim_end().trim_end_matches(['"', '\'', '\u{2019}', '\u{201d}', ')', ']']);
    if end.ends_with(['.', '!', '?', '…']) {
        return None;
    }
    let removed = if quote.ends_with([';', ',', ':']) { &quote[quote.len() - 1..] } else { "" };
    let at = quote.len() - removed.len();
    Some(Edit { rule: EditRule::Punctuation, at: at as u32, removed: removed.into(), inserted: ".".into() })
}

/// The text around a quote, from which a bracket may take its words.
pub(super) struct Around<'a> {
    pub title: &'a str,
    /// The block, with its headings and introduction.
    pub block: &'a Block,
}

impl Around<'_> {
    /// Whether every word of a bracket stands in the title, the headings, the introduction or the block.
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
        let mut any = false;
        words(bracket).all(|word| {
            any = true;
            let word = fold(word);
            known.iter().any(|k| *k == word || word.strip_suffix("'s").is_some_and(|stripped| k == stripped))
        }) && any
    }
}

/// Checks an edit against its rule. The error says what it does instead.
pub(super) fn check_edit(edit: &Edit, quote: &str, around: Option<&Around<'_>>) -> Result<(), String> {
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
                Some(_) => refuse("the name in brackets stands nowhere around the quote"),
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
