//! Suggests the intended word for a misspelled one.

use super::edits::distance;

/// The candidate closest to `word`, if close enough: at most a third of its letters differ, or one is a prefix of the
/// other.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let letters = word.chars().count().max(other.chars().count());
            let apart = distance(&word, &other);
            let begins = word.len() >= 3 && other.len() >= 3 && (other.starts_with(&word) || word.starts_with(&other));
            (apart * 3 <= letters || begins).then_some((apart, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_understood_and_another_word_is_not() {
        let names = ["anthropic", "openai", "openrouter", "ollama", "groq"];
        for (word, meant) in [
            ("antropic", Some("anthropic")),
            ("OpenAI", Some("openai")),
            ("olama", Some("ollama")),
            ("open", Some("openai")),
            ("grok", Some("groq")),
            ("bedrock", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, names), meant, "{word}");
        }
    }
}
