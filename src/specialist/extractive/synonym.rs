//! Other words for what a question says: what people say and what manuals call it.

/// What a question may be called in the sources: other words for what it says, one query for all that apply.
pub(super) fn other_words(question: &str) -> Option<String> {
    let (_, other) = replaced(question);
    (!other.is_empty()).then(|| other.join(" "))
}

/// What a question says that manuals call something else, and what they call it.
pub(super) fn replaced(question: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let lower = question.to_lowercase();
    let (mut said, mut other) = (Vec::new(), Vec::new());
    for (ways, words) in OTHER_WORDS {
        let found: Vec<&str> = ways.iter().filter(|way| lower.contains(**way)).copied().collect();
        if !found.is_empty() {
            said.extend(found);
            other.extend(words.split(' '));
        }
    }
    (said, other)
}

/// What people say, and what manuals call it. Only where hardly a manual uses the word that people use.
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
