//! Passages that say what a thing is: "A transport is a driver that …". A search for the name of one finds them first.

use text::words::{fold, is_stop, words};

/// The most words of a name.
pub(super) const MOST_WORDS: usize = 3;
/// So many of the best passages are looked at: a definition may hold its name once, and others hold it again and again.
pub(super) const LOOKED_AT: usize = 1_000;
/// What follows the name of a thing where it is said what it is.
const SAYS: [&str; 10] = [
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
];

/// A query that is a name and no more, as its words stand in texts; None for one that asks something.
pub(super) fn name(query: &str) -> Option<String> {
    let query = query.trim();
    let all: Vec<&str> = words(query).collect();
    let is_name =
        (1..=MOST_WORDS).contains(&all.len()) && !all.iter().any(|word| is_stop(word)) && !query.ends_with('?');
    is_name.then(|| fold(query).into_owned())
}

/// Whether a sentence of a text begins with the name, maybe behind an article and in the plural, and says what it is.
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
