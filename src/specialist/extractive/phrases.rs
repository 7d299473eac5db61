//! Splits a question into phrases that may name its topic: runs of words between function words, cue words and verbs.
//! It does not look at the sources.

use crate::words::WORDS;
use text::words::{Language, is_stop, stem};

/// Runs of content words, cut at function words, cue words, verbs and punctuation.
pub(super) fn phrases(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut close = |run: &mut Vec<&str>| {
        let phrase = run.join(" ");
        if !phrase.is_empty() && !found.contains(&phrase) {
            found.push(phrase);
        }
        run.clear();
    };
    let tokens: Vec<&str> = text.split_whitespace().collect();
    for (at, token) in tokens.iter().enumerate() {
        let word = bare(token);
        let before = at.checked_sub(1).map(|at| bare(tokens[at]).to_lowercase()).unwrap_or_default();
        // "how do I list files", "how to set a limit": the next word is a verb.
        let done = matches!(before.as_str(), "i" | "we" | "you")
            || before == "to"
                && at > 1
                && matches!(bare(tokens[at - 2]).to_lowercase().as_str(), "how" | "way" | "want");
        let ends = token.ends_with([',', ':', ';', '?', '.']);
        let next = tokens.get(at + 1).map(|next| bare(next)).unwrap_or_default();
        let compound = WORDS.qualifiers.contains(&word.to_lowercase())
            && !(ends || next.is_empty() || is_stop(next) || is_cue(next) || is_action(next));
        let named = word.chars().any(char::is_uppercase) && at > 0;
        if word.is_empty()
            || is_stop(word)
            || !named && (done || is_action(&word.to_lowercase()))
            || is_cue(word) && (done || !compound)
        {
            close(&mut run);
            continue;
        }
        run.push(word);
        if ends {
            close(&mut run);
        }
    }
    close(&mut run);
    found
}

fn bare(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '_')
}

/// Whether a word is a cue: it names the kind of question about a topic, never the topic.
pub(super) fn is_cue(word: &str) -> bool {
    let word = word.to_lowercase();
    // The stem of "goes" is another than that of "go".
    let third_person = word.strip_suffix("es").unwrap_or(&word);
    [&word, third_person, &stem(&word, Language::English)].iter().any(|form| WORDS.cues.contains(*form))
}

/// Whether a word, as written, is only a verb.
pub(super) fn is_action(word: &str) -> bool {
    WORDS.actions.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_cut_at_verbs_cues_and_function_words() {
        for (question, wanted) in [
            ("the advantages of a global interpreter lock", &["global interpreter lock"] as &[&str]),
            ("What are the causes of war?", &["war"]),
            ("How did type hints develop over the years?", &["type hints", "years"]),
            ("How does the kernel manage memory?", &["kernel", "memory"]),
            ("How do I list files?", &["files"]),
            ("What is a list comprehension?", &["list comprehension"]),
            ("What are the risks of running testing?", &["testing"]),
            ("Which kind of data is it?", &["data"]),
            ("How does error handling work?", &["error handling"]),
            ("Why does one thread sometimes block another?", &["thread", "block"]),
        ] {
            assert_eq!(phrases(question), wanted, "{question}");
        }
    }
}
