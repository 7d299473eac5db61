//! Identifiers: names of options, settings and programs, which are no words of a language.

/// The identifiers of a text in order: words with an underscore, with a digit behind a letter or with a capital behind a small
/// letter, and options. Marks around them are left out.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(without_marks).filter(|word| is_identifier(word))
}

/// Whether a word without marks around it is an identifier.
pub fn is_identifier(word: &str) -> bool {
    let pairs = || word.chars().zip(word.chars().skip(1));
    let is_joined = || word.contains('_') && word.contains(char::is_alphanumeric);
    let is_numbered = || {
        word.starts_with(char::is_alphabetic) && pairs().any(|(one, next)| one.is_alphabetic() && next.is_ascii_digit())
    };
    let has_capital_within = || pairs().any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    is_option(word) || is_joined() || is_numbered() || has_capital_within()
}

/// Whether a word is an option of a program: `-c`, `--encryption`.
pub fn is_option(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let hyphens = word.len() - name.len();
    (1..=2).contains(&hyphens) && name.starts_with(char::is_alphabetic)
}

/// A word without the marks around it; the hyphens before an option are none.
fn without_marks(word: &str) -> &str {
    let is_within = |c: char| c.is_alphanumeric() || c == '_';
    word.trim_start_matches(|c: char| !is_within(c) && c != '-').trim_end_matches(|c: char| !is_within(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_options_settings_and_programs_are_identifiers_and_words_are_none() {
        let text = "The `work_mem` of PostgreSQL, lz4 and (`--encryption`) or -c: 4GB, RCPT TO, write-ahead, the 2nd one - e.g. it.";
        let found: Vec<&str> = identifiers(text).collect();
        assert_eq!(found, ["work_mem", "PostgreSQL", "lz4", "--encryption", "-c"]);
    }
}
