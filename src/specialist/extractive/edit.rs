//! The edits that turn a quote into a claim. The list is closed, and no edit changes the meaning: `gate/edits.rs`
//! checks each.

use super::dangling::is_expletive;
use crate::words::WORDS;
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
    // A name keeps its spelling, and so does program text.
    let rest = &quote[connective.len()..];
    let first = rest.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':', '.']);
    let is_code = first.starts_with('-') || first.contains(|c: char| c.is_ascii_digit() || "._(/=`$@".contains(c));
    let named = is_code || subject.is_some_and(|name| rest.starts_with(name));
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
    let end = quote.trim_end_matches(['.', ':']).len();
    let begin = AT_THE_END.iter().filter_map(|cue| quote[..end].rfind(cue)).max();
    if let Some(at) = begin.filter(|at| *at >= from && is_reference(&quote[*at..end])) {
        let removed = quote[at..end].into();
        found.push(Edit { rule: EditRule::DropReference, at: at as u32, removed, inserted: "".into() });
    }
    found
}

/// The first words of a reference at the end of a sentence, and the most words of one.
const AT_THE_END: [&str; 10] = [
    ", as described ",
    ", as discussed ",
    ", as explained ",
    ", as mentioned ",
    ", as shown in ",
    ", see ",
    "; see ",
    "; for details see ",
    ", because of the following ",
    ", for the following ",
];
const MOST_AT_THE_END: usize = 12;

/// Whether a text only points to another place.
pub(crate) fn is_reference(removed: &str) -> bool {
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
