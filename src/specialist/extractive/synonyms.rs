//! Synonyms: everyday words of questions, and the words that manuals use instead.

use super::words::WORDS;

/// The manuals' words for a question's everyday words, all in one query; None without any.
pub(super) fn other_words(question: &str) -> Option<String> {
    let (_, other) = replaced(question);
    (!other.is_empty()).then(|| other.join(" "))
}

/// The everyday words in a question, and the manuals' words for them.
pub(super) fn replaced(question: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let lower = question.to_lowercase();
    let (mut everyday, mut manual) = (Vec::new(), Vec::new());
    for synonyms in &WORDS.synonyms {
        let found: Vec<&str> = synonyms.everyday.iter().map(String::as_str).filter(|way| lower.contains(way)).collect();
        if !found.is_empty() {
            everyday.extend(found);
            manual.extend(synonyms.manual.iter().map(String::as_str));
        }
    }
    (everyday, manual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_stand_for_what_was_said_and_for_nothing_else() {
        assert_eq!(replaced("How do I undo a commit?"), (vec!["undo"], vec!["revert", "rollback", "restore"]));
        assert_eq!(other_words("What is a commit?"), None);
    }
}
