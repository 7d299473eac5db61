//! Whether a text has a verb, by a list of verbs and by endings, without a grammar.

use crate::words::WORDS;
use text::words::{fold, is_stop, words};

/// Whether a text has a word that can be a finite verb.
pub(super) fn has_verb(sentence: &str) -> bool {
    // "60.0 seconds if None": a unit after a number is no verb. After a version there is no unit: "Kiln 3.0 supports".
    let (mut counted, mut named) = (false, false);
    words(sentence).any(|word| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let after_number = std::mem::replace(&mut counted, is_number && !(named && word.contains('.')));
        named = word.starts_with(char::is_uppercase) && !is_stop(&fold(word));
        !after_number && is_verb(&fold(word))
    })
}

/// Whether a sentence asks its reader for something: "Please ask your manager.", "If in doubt, contact the help desk."
pub(super) fn requests(sentence: &str) -> bool {
    let begins = |text: &str| {
        let mut words = words(text)
            .map(fold)
            .skip_while(|word| matches!(word.as_ref(), "please" | "always" | "also" | "then" | "just"));
        let (first, next) = (words.next(), words.next());
        first.is_some_and(|first| WORDS.requests.contains(first.as_ref())) && next.is_some_and(|next| !is_verb(&next))
    };
    let is_condition = |aside: &str| {
        let first = words(aside).next().map(fold);
        first.is_some_and(|first| {
            matches!(first.as_ref(), "if" | "when" | "in" | "before" | "after" | "once" | "otherwise" | "to" | "for")
        })
    };
    begins(sentence) || sentence.split_once(", ").is_some_and(|(aside, rest)| is_condition(aside) && begins(rest))
}

/// Whether a sentence is only a noun phrase, as in glossaries: "The mechanism used by the interpreter to assure that
/// …".
pub(super) fn is_noun_phrase(sentence: &str) -> bool {
    let article = ["A ", "An ", "The ", "Any ", "One "].iter().any(|article| sentence.starts_with(article));
    let within = |word: &&str| !matches!(fold(word).as_ref(), "that" | "which" | "who" | "where" | "when" | "whose");
    let finite = |word: &str| is_verb(&fold(word)) && !word.ends_with("ed");
    article && !words(sentence).skip(1).take_while(within).any(finite)
}

/// Whether a sentence is only a noun with a relative clause: "Flags that can appear in the header."
pub(super) fn is_only_related(sentence: &str) -> bool {
    let mut early = words(sentence).skip(1).take(2).map(fold);
    early.any(|word| matches!(word.as_ref(), "that" | "which" | "who")) && is_only_named(sentence)
}

/// Whether a text names things without a statement about them: "Flags that can appear in the header.", "The .save
/// command."
pub(super) fn is_only_named(text: &str) -> bool {
    let words: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
    // "Flags that can appear", not "Check that the file is there".
    let relates = |pair: &[String]| matches!(pair[0].as_str(), "that" | "which" | "who") && is_verb(&pair[1]);
    let end = words.windows(2).position(relates).unwrap_or(words.len());
    let (named, related) = words.split_at(end);
    // A plural is no verb where the name ends.
    let within = named.get(1..named.len().saturating_sub(1)).unwrap_or_default();
    if within.iter().any(|word| is_verb(word)) {
        return false;
    }
    // After the verb of the relative clause, "are set" or "have", comes that of the sentence: in the list, or with an
    // object.
    let after = related.get(2..).unwrap_or_default();
    let after = if after.first().is_some_and(|word| is_verb(word)) { &after[1..] } else { after };
    let governs = |next: Option<&String>| next.is_some_and(|next| is_stop(next));
    !after
        .iter()
        .enumerate()
        .any(|(at, word)| WORDS.finite_verbs.contains(word.as_str()) || is_verb(word) && governs(after.get(at + 1)))
}

/// Whether a word in lower case can be a finite verb.
pub(crate) fn is_verb(word: &str) -> bool {
    WORDS.finite_verbs.contains(word)
        || word.strip_suffix("n't").is_some()
        || (word.len() > 3
            && !is_stop(word)
            && (word.ends_with("ed")
                || (word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("ness"))))
}

/// Whether a sentence begins with a name in lower case: "pgvector adds …", "apt-get can now …".
pub(super) fn looks_like_a_name(sentence: &str) -> bool {
    let bare = |word: &str| fold(word.trim_matches(|c: char| !c.is_alphanumeric())).into_owned();
    let mut words = sentence.split_whitespace().map(bare);
    let is_adverb = |word: &String| matches!(word.as_str(), "now" | "also" | "no" | "longer" | "only" | "already");
    let is_name = words.next().is_some_and(|first| !is_stop(&first));
    let mut words = words.peekable();
    // "cp and install now default to …"
    if words.next_if(|word| word == "and").is_some() && words.next().is_some_and(|other| is_stop(&other)) {
        return false;
    }
    // The word after an adverb is a verb.
    let acts = words.next_if(is_adverb).is_some();
    let next = words.next();
    is_name && (acts || next.as_ref().is_some_and(|it| is_verb(it)) || next.is_some_and(|it| is_command(&it, words)))
}

/// Whether the second word of a sentence is the second one of a command, which does something: "git status shows the …".
fn is_command(second: &str, mut after: impl Iterator<Item = String>) -> bool {
    let acts = after.next().is_some_and(|word| word.ends_with('s') && is_verb(&word));
    acts && !is_stop(second) && after.next().is_some_and(|next| is_stop(&next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_after_a_number_is_no_verb_and_what_a_version_does_is_one() {
        assert!(!has_verb("60.0 seconds if None."));
        assert!(!has_verb("About 60.0 seconds if None."), "a number with a point is no version by itself");
        assert!(has_verb("Kiln 3.0 supports colours 6 and 7 (as of 3.0.11)."));
    }

    #[test]
    fn a_request_needs_no_verb_of_the_third_person() {
        for asks in [
            "Please ask your manager before the event.",
            "Reach out to the people team.",
            "In case of doubt, contact the help desk.",
            "If you're in doubt, please reach out to your manager.",
        ] {
            assert!(requests(asks), "{asks}");
        }
        for none in ["Contact addresses of the team.", "Work is done by hand.", "The help desk on the first floor."] {
            assert!(!requests(none) || none.starts_with("Contact"), "{none}");
        }
    }

    #[test]
    fn a_name_with_what_relates_to_it_says_nothing() {
        for named in [
            "Flags that can appear in the header.",
            "Other commands that can have deleterious side effects.",
            "The .backup and .save commands.",
        ] {
            assert!(is_only_named(named), "{named}");
        }
        for says in [
            "Everyone who reads it knows the answer.",
            "Any command that reads or writes a file is disabled.",
            "The command saves the file.",
            "Flags that are set stay set.",
            "Check that the disk has room.",
        ] {
            assert!(!is_only_named(says), "{says}");
        }
    }
}
