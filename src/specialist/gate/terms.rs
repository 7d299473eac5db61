//! Terms of program text: commands, options, settings and paths. An invented one is the worst fault of an instruction.

use super::subject::Quoted;
use text::Clean;
use text::identifiers::{is_identifier, is_option};

/// The first term of a sentence that stands in none of its quotes, nor around them, nor in the question: of program text any, and
/// elsewhere one between backticks, an option, or a name with an underscore.
pub(crate) fn unknown_term<'s>(
    sentence: &'s str,
    is_code: bool,
    quoted: &[Quoted],
    things: &[Clean],
) -> Option<&'s str> {
    let known = |term: &str| {
        let around = |quoted: &Quoted| {
            [&quoted.said, &quoted.above, &quoted.passage, &quoted.asked].iter().any(|text| has_term(text, term))
        };
        quoted.iter().any(around) || things.iter().any(|thing| has_term(thing, term))
    };
    // Between backticks stands every second part.
    let parts = sentence.split('`').enumerate().map(|(n, part)| (is_code || n % 2 == 1, part));
    let terms =
        parts.flat_map(|(is_code, part)| terms(part).filter(move |term| is_code && is_term(term) || stands_out(term)));
    let mut terms = terms;
    terms.find(|term| !known(term))
}

/// Whether a text has a term, and not only as a part of a longer one.
pub(crate) fn has_term(text: &str, term: &str) -> bool {
    let name = term.trim_start_matches('-');
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    // A single letter is an option only with its hyphen, which some pages print as a dash.
    let is_its = |before: &str| name.len() > 1 || before.ends_with(['-', '–', '−']);
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    text.match_indices(&name).any(|(at, found)| {
        let (before, behind) = (&text[..at], &text[at + found.len()..]);
        !joins(before.chars().next_back()) && !joins(behind.chars().next()) && is_its(before)
    })
}

/// The words of program text, without the marks around them; a setting and its value are two.
fn terms(text: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| "\"'’‘“”()[]{}<>,;:!?*…|&$\\".contains(c);
    let words = text.split(|c: char| c.is_whitespace() || c == '=');
    words.map(move |word| word.trim_matches(is_mark).trim_end_matches('.')).filter(|word| !word.is_empty())
}

/// Whether a word of program text is a term: figures and plain words are judged like those of any sentence.
fn is_term(word: &str) -> bool {
    let is_joined = |c: char| matches!(c, '_' | '/' | '@') || c == '.' && word.contains(char::is_alphabetic);
    let is_figure = word.starts_with(|c: char| c.is_ascii_digit());
    !is_figure && (is_identifier(word) || word.contains(is_joined) && word.contains(char::is_alphanumeric))
}

/// Whether a word is a term also outside of program text.
fn stands_out(word: &str) -> bool {
    word.starts_with("--") && is_option(word) || word.contains('_') && is_identifier(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_that_neither_the_quotes_nor_what_is_around_them_has_is_found() {
        let quoted = [Quoted {
            said: "Limit it with borg prune --keep-daily 7 –P mine.".into(),
            above: "borg-prune usage/prune.rst".into(),
            passage: "See BORG_REPO and borg init -e repokey user@host:/path/to/repo.".into(),
            ..Quoted::default()
        }];
        let things = [Clean::from("work_mem")];
        let unknown = |text: &'static str, is_code: bool| unknown_term(text, is_code, &quoted, &things);
        for known in [
            "`borg prune` with `--keep-daily=7` limits it.",
            "Set `-P` and `BORG_REPO`.",
            "Use `work_mem`, see `usage/prune.rst`.",
            "It keeps 7 daily ones of the read/write kind.",
            "`yes` or `7`",
        ] {
            assert_eq!(unknown(known, false), None, "{known}");
        }
        assert_eq!(unknown("borg init -e repokey user@host:/path/to/repo", true), None);
        for (text, is_code, term) in [
            ("`borg prune` with `--glob-archives '{hostname}-*'` limits it.", false, "--glob-archives"),
            ("Use --glob-archives with it.", false, "--glob-archives"),
            ("Set `-k` too.", false, "-k"),
            ("Set maintenance_work_mem.", false, "maintenance_work_mem"),
            ("borg init --encryption repokey", true, "--encryption"),
            ("borg init -e repokey user@host:/other", true, "user@host:/other"),
        ] {
            assert_eq!(unknown(text, is_code), Some(term), "{text}");
        }
    }
}
