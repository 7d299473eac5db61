//! Detects definitions: "A transport is a driver that …". A search for a name ranks them first.

use text::words::{fold, is_stop, words};

/// The most words of a name.
const MOST_WORDS: usize = 3;
/// The number of best passages by words that are checked: a definition may contain the name only once.
pub(super) const LOOKED_AT: usize = 1_000;
/// Words that follow a name in a definition.
const SAYS: [&str; 16] = [
    " is a ",
    " is an ",
    " is the ",
    " is one ",
    " are a ",
    " are an ",
    " are the ",
    " are ",
    " means ",
    " refers to ",
    " provides a ",
    " allows ",
    " lets ",
    " enables ",
    " is used to ",
    " are used to ",
];

/// The name that a query consists of, in lower case; None for a question or a longer query.
pub(super) fn name(query: &str) -> Option<String> {
    let query = query.trim();
    let all: Vec<&str> = words(query).collect();
    let is_name =
        (1..=MOST_WORDS).contains(&all.len()) && !all.iter().any(|word| is_stop(word)) && !query.ends_with('?');
    is_name.then(|| fold(query).into_owned())
}

/// Whether a sentence of a text defines the name: it begins with the name, with an optional article or in the plural,
/// followed by one of [`SAYS`].
pub(super) fn defines(text: &str, name: &str) -> bool {
    let text = fold(text);
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| !c.is_alphanumeric() && !".!?:".contains(c));
        let before = ["a", "an", "the"]
            .iter()
            .find_map(|article| before.strip_suffix(article).filter(|rest| !rest.ends_with(char::is_alphanumeric)))
            .unwrap_or(before);
        let begins = before.trim_end().is_empty() || before.trim_end().ends_with(['.', '!', '?', ':']);
        let after = &text[at + name.len()..];
        let after = after.strip_prefix('s').unwrap_or(after).trim_start_matches(['"', '\u{201d}', '’', '\'', ')']);
        begins && SAYS.iter().any(|says| after.starts_with(says))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_few_words_that_ask_nothing() {
        assert_eq!(name("Read Committed").as_deref(), Some("read committed"));
        assert_eq!(name("transport").as_deref(), Some("transport"));
        for other in ["what is a transport", "transport?", "one two three four", ""] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn a_sentence_that_begins_with_a_name_may_say_what_it_is() {
        for defines_it in [
            "A transport is a driver that sends mail.",
            "There are two. Transports are drivers that send mail.",
            "The “transport” is the last step.",
            "TRANSPORT means the last step.",
            "A transport provides a way to send mail.",
            "Transports are used to send mail.",
        ] {
            assert!(defines(defines_it, "transport"), "{defines_it}");
        }
        for other in [
            "The first transport is a driver.",
            "A transport sends mail.",
            "A transporter is a driver.",
            "If a transport is a driver, it sends mail.",
        ] {
            assert!(!defines(other, "transport"), "{other}");
        }
    }
}
