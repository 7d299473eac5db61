//! Tags: words by which a person finds runs again. They are beside the events of a run and no part of its history.

use std::fmt;
use std::str::FromStr;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use run::RunId;

/// A tag: a word of at most 32 letters, digits, `-`, `_`, `.` and `/`, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(String);

impl Tag {
    const MOST: usize = 32;

    /// The word, without `#`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl FromStr for Tag {
    type Err = String;
    /// With or without `#` before it.
    fn from_str(typed: &str) -> Result<Tag, String> {
        let word = typed.strip_prefix('#').unwrap_or(typed).to_lowercase();
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        match (1..=Tag::MOST).contains(&word.chars().count()) && word.chars().all(fits) {
            true => Ok(Tag(word)),
            false => Err(format!("a tag is one word of at most {} letters, digits, -, _, . and /", Tag::MOST)),
        }
    }
}

/// Adds tags to a run in an SQLite file and takes others from it; false if there is no run of that id.
pub(super) fn tag(connection: &mut Connection, run: &RunId, add: &[Tag], remove: &[Tag]) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let no = "SELECT no FROM runs WHERE id = ?1";
    let no: Option<i64> = transaction.query_row(no, [run.as_str()], |row| row.get(0)).optional()?;
    let Some(no) = no else { return Ok(false) };
    for Tag(word) in remove {
        transaction.execute("DELETE FROM tags WHERE run = ?1 AND tag = ?2", params![no, word])?;
    }
    for Tag(word) in add {
        let insert = "INSERT OR IGNORE INTO tags (run, tag) VALUES (?1, ?2)";
        transaction.execute(insert, params![no, word])?;
    }
    transaction.commit()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_one_word() {
        let tag: Tag = "#Databases/2026".parse().unwrap();
        assert_eq!(tag.to_string(), "#databases/2026");
        for wrong in ["", "#", "two words", "\u{1b}[2J", "a,b", &"x".repeat(33)] {
            assert!(wrong.parse::<Tag>().is_err(), "{wrong:?}");
        }
    }
}
