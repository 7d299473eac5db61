//! Joins words split at the end of a line. Other occurrences in the text decide whether the hyphen belongs to the word,
//! and else whether its two sides are words.

use std::collections::HashSet;

use super::dictionary::is_word;

/// The keyboard hyphen, and the typeset hyphen of, for example, formatted manual pages.
const HYPHENS: [char; 2] = ['-', TYPESET];
const TYPESET: char = '\u{2010}';

/// The words of a text, to distinguish split words from compounds.
#[derive(Default)]
pub(super) struct Hyphens<'a>(HashSet<&'a str>);

impl<'a> Hyphens<'a> {
    /// Empty if no line ends in a hyphen: then it is not needed.
    pub fn of(lines: impl Iterator<Item = &'a str> + Clone) -> Hyphens<'a> {
        if !lines.clone().any(|line| line.ends_with(HYPHENS)) {
            return Hyphens::default();
        }
        let plain = lines.clone().flat_map(|line| line.split(|c: char| !c.is_alphabetic()));
        let compound = lines.flat_map(|line| line.split(|c: char| !c.is_alphabetic() && c != TYPESET));
        Hyphens(plain.chain(compound.filter(|word| word.contains(TYPESET))).collect())
    }

    /// Adds the next line to a text: `manage-` and `ment` are `management` if the text has that word, `write-` and `ahead` are
    /// `write-ahead`. A typeset hyphen at the end of a line splits a word unless the text has the compound.
    pub fn join(&self, text: &mut String, line: &str) {
        let hyphen = text.chars().next_back().filter(|last| HYPHENS.contains(last));
        let before = hyphen.map_or(text.as_str(), |hyphen| &text[..text.len() - hyphen.len_utf8()]);
        let begin = &before[before.trim_end_matches(char::is_alphabetic).len()..];
        let end = &line[..line.len() - line.trim_start_matches(char::is_alphabetic).len()];
        let goes_on = !begin.is_empty() && line.starts_with(char::is_lowercase);
        match hyphen {
            Some(hyphen) if !begin.is_empty() && !end.is_empty() && self.is_split(begin, hyphen, end) => {
                text.truncate(text.len() - hyphen.len_utf8());
            }
            Some(_) if goes_on => {}
            _ => text.push(' '),
        }
        text.push_str(line);
    }

    fn is_split(&self, begin: &str, hyphen: char, end: &str) -> bool {
        self.0.contains(format!("{begin}{end}").as_str())
            || hyphen == TYPESET && !self.0.contains(format!("{begin}{hyphen}{end}").as_str())
            || is_known_split(&begin.to_lowercase(), &end.to_lowercase())
    }
}

/// Whether two parts are one word of the language and not two: "main" and "tenance", but not "on" and "line".
fn is_known_split(begin: &str, end: &str) -> bool {
    is_word(&format!("{begin}{end}")) && !(is_word(begin) && is_word(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        let hyphens = Hyphens::of(text.lines());
        let mut lines = text.lines();
        let mut whole = lines.next().unwrap_or_default().to_owned();
        lines.for_each(|line| hyphens.join(&mut whole, line));
        whole
    }

    #[test]
    fn words_split_at_the_end_of_a_line_are_whole_again() {
        for (text, whole) in [
            ("Good \u{201c}manage-\nment\u{201d} is management.", "Good \u{201c}management\u{201d} is management."),
            ("The write-\nahead log", "The write-ahead log"),
            ("To RE-\nDIRECT, say REDIRECT.", "To REDIRECT, say REDIRECT."),
            ("The con\u{2010}\nfigured server", "The configured server"),
            (
                "A long\u{2010}\nlasting, or long\u{2010}lasting, query",
                "A long\u{2010}lasting, or long\u{2010}lasting, query",
            ),
            ("A well-\nknown on-\nline server", "A well-known on-line server"),
            ("From 1 -\n2 of them", "From 1 - 2 of them"),
            ("-\n-", "- -"),
        ] {
            assert_eq!(joined(text), whole);
        }
    }

    #[cfg(feature = "encoder")]
    #[test]
    fn a_word_of_the_language_is_whole_again_though_the_text_has_it_nowhere_else() {
        assert_eq!(joined("Its main-\ntenance interval, to-\ngether"), "Its maintenance interval, together");
    }
}
