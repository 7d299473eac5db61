//! The headings of changelogs: lines that begin alike and name a version or a date, as `Changes in 2.1`, `store (1.2-3) unstable`,
//! `2021-03-04  Ada Lee`, `v2.1 2021-03-04  Ada Lee`.

use std::collections::HashMap;

use super::{Line, chunks};

/// A text with fewer such lines, or with none near its beginning, is not a changelog, though it may have one as an
/// appendix.
const LEAST: usize = 3;
const FIRST: usize = 12;
const LONGEST: usize = 100;
/// Words before numbers that are not versions.
const NUMBERED: [&str; 9] =
    ["appendix", "chapter", "equation", "example", "figure", "listing", "part", "section", "table"];

/// The common first word of a changelog's headings, if the text is one.
#[derive(Debug, Default)]
pub(super) struct Chronicle(Option<String>);

impl Chronicle {
    pub fn of(lines: &[Line<'_>]) -> Chronicle {
        let mut begins: HashMap<String, usize> =
            chunks(lines).take(FIRST).filter_map(begin).map(|begin| (begin, 0)).collect();
        for begin in chunks(lines).filter_map(begin) {
            begins.entry(begin).and_modify(|many| *many += 1);
        }
        let most = begins.into_iter().filter(|(_, many)| *many >= LEAST);
        Chronicle(most.max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0))).map(|(begin, _)| begin))
    }

    pub fn is_one(&self) -> bool {
        self.0.is_some()
    }

    /// Whether these lines begin with a heading of the changelog.
    pub fn heads(&self, lines: &[Line<'_>]) -> bool {
        self.0.is_some() && begin(lines) == self.0
    }
}

/// The first word of these lines, if the first may be such a heading. Empty if that is the version or date itself.
fn begin(lines: &[Line<'_>]) -> Option<String> {
    let [line, rest @ ..] = lines else { return None };
    let stands_out =
        rest.first().is_none_or(|below| below.indent > line.indent || below.rule().is_some() || below.item().is_some());
    let words = line.words();
    if line.indent > 0 || !stands_out || words.len() > LONGEST || words.ends_with(['.', ',', ':', '!', '?']) {
        return None;
    }
    let mut words = words.split_whitespace();
    let first = words.next()?;
    if is_version(first) {
        let is_dated = is_date(first) || words.clone().next().is_some_and(|second| is_date(bare(second)));
        let is_alone = words.all(|word| !word.chars().any(char::is_alphabetic) || is_version(word));
        return (is_alone || is_dated).then(String::new);
    }
    let begin = first.to_lowercase();
    let is_named = begin.starts_with(char::is_alphabetic) && !NUMBERED.contains(&begin.as_str());
    (is_named && words.any(is_version)).then_some(begin)
}

/// A word without the brackets around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| "[](),;".contains(c))
}

/// Whether a word is a version like `2.1`, `v1.0-rc1`, `[1.2.3]`, or a date.
fn is_version(word: &str) -> bool {
    let word = bare(word);
    let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let mut parts = word.split(['.', '-']);
    let begins = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    word.len() <= 40
        && parts.next().is_some_and(|part| begins(part) && part.len() <= 4)
        && parts.next().is_some_and(begins)
}

/// Whether a word is a date like `2021-03-04`.
fn is_date(word: &str) -> bool {
    let parts: Vec<usize> =
        word.split('-').filter(|part| part.bytes().all(|b| b.is_ascii_digit())).map(str::len).collect();
    parts == [4, 2, 2]
}
