//! Synonyms: everyday words of questions, and the words that manuals use instead.

/// The manuals' words for a question's everyday words, all in one query; None without any.
pub(super) fn other_words(question: &str) -> Option<String> {
    let (_, other) = replaced(question);
    (!other.is_empty()).then(|| other.join(" "))
}

/// The everyday words in a question, and the manuals' words for them.
pub(super) fn replaced(question: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let lower = question.to_lowercase();
    let (mut everyday, mut manual) = (Vec::new(), Vec::new());
    for (ways, words) in OTHER_WORDS {
        let found: Vec<&str> = ways.iter().filter(|way| lower.contains(**way)).copied().collect();
        if !found.is_empty() {
            everyday.extend(found);
            manual.extend(words.split(' '));
        }
    }
    (everyday, manual)
}

/// Everyday words and the manuals' words, only where manuals hardly use the everyday one.
const OTHER_WORDS: &[(&[&str], &str)] = &[
    (&["start up", "starts up", "startup", "power-on", "power on", "switch on"], "boot initialization bootstrap"),
    (&["shut down", "turn off", "power off", "switch off"], "shutdown halt poweroff"),
    (&["delete", "get rid of", "throw away"], "remove removal"),
    (&["folder"], "directory"),
    (&["speed up", "faster", "make fast"], "performance optimization"),
    (&["crash", "goes wrong", "broken"], "failure error recovery"),
    (&["log in", "sign in", "password"], "authentication login"),
    (&["set up", "setting up"], "installation configuration"),
    (&["undo", "go back"], "revert rollback restore"),
    (&["cheap", "expensive", "price"], "cost"),
    (&["safe", "secure", "attack"], "security"),
    (&["connect to the internet", "wifi", "go online"], "network configuration"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_stand_for_what_was_said_and_for_nothing_else() {
        assert_eq!(replaced("How do I undo a commit?"), (vec!["undo"], vec!["revert", "rollback", "restore"]));
        assert_eq!(other_words("What is a commit?"), None);
    }
}
