//! A dump says how many events it has, and each of its lines has a digest over it and all lines before it, so that a reader
//! sees where a dump was cut or changed. This guards against accidents, not against forgers.

use serde::Deserialize;
use text::sha256::{self, Sha256};

/// The bytes of a digest that a line shows.
const SHOWN: usize = 8;
/// The text in a line between its event and its digest.
const BEFORE: &str = ",\"sum\":\"";
const AFTER: &str = "\"}";

/// The digests of the lines of a dump, from its first to its last.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    last: [u8; SHOWN],
    /// The number of lines so far.
    lines: u64,
    /// The number of events that the first line names.
    events: Option<u64>,
    /// Whether the first line names nothing: an earlier version wrote it.
    is_old: bool,
}

/// A line is not as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed;

impl Sums {
    /// Those of a run with `events` events.
    pub fn of(events: u64) -> Sums {
        Sums { events: Some(events), ..Sums::default() }
    }

    /// The next line as it stands in the dump. `line` is one event as JSON.
    pub fn stamp(&mut self, line: &str) -> String {
        let mut line = line.strip_suffix('}').unwrap_or(line).to_owned();
        if let Some(events) = self.events.filter(|_| self.lines == 0) {
            line.push_str(&format!(",\"events\":{events}"));
        }
        let sum = self.next(&line);
        line + BEFORE + &sum + AFTER
    }

    /// Compares the next line of a dump with its digest. Dumps of earlier versions have none.
    ///
    /// # Errors
    /// It is not as it was written, or the lines before it are not.
    pub fn check(&mut self, line: &str) -> Result<(), Changed> {
        #[derive(Deserialize)]
        struct First {
            events: Option<u64>,
            sum: Option<String>,
        }
        if self.lines == 0 {
            let First { events, sum } = serde_json::from_str(line).map_err(|_| Changed)?;
            (self.events, self.is_old) = (events, events.is_none() && sum.is_none());
        }
        if self.is_old {
            self.lines += 1;
            return Ok(());
        }
        match line.strip_suffix(AFTER).and_then(|line| line.rsplit_once(BEFORE)) {
            Some((line, sum)) if self.next(line) == sum => Ok(()),
            _ => Err(Changed),
        }
    }

    /// The number of events that are missing from the end, and of all that there were, once all lines have been compared.
    pub fn missing(&self) -> Option<(u64, u64)> {
        self.events.filter(|events| *events > self.lines).map(|events| (events - self.lines, events))
    }

    fn next(&mut self, line: &str) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.last);
        hasher.update(line);
        self.last.copy_from_slice(&hasher.finalize()[..SHOWN]);
        self.lines += 1;
        sha256::hex(&self.last)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dump(texts: &[String]) -> Vec<String> {
        let mut sums = Sums::of(texts.len() as u64);
        let line = |text: &String| serde_json::json!({ "v": 2, "text": text }).to_string();
        texts.iter().map(|text| sums.stamp(&line(text))).collect()
    }

    fn check(lines: &[String]) -> Result<Option<(u64, u64)>, usize> {
        let mut sums = Sums::default();
        for (n, line) in lines.iter().enumerate() {
            sums.check(line).map_err(|Changed| n)?;
        }
        Ok(sums.missing())
    }

    proptest! {
        #[test]
        fn a_change_of_one_character_is_found_in_its_line(
            texts in proptest::collection::vec("\\PC{0,20}", 1..6), at in any::<prop::sample::Index>(),
            place in any::<prop::sample::Index>(), to in "\\PC",
        ) {
            let mut lines = dump(&texts);
            prop_assert_eq!(check(&lines), Ok(None));
            let is_json = |line: &String| serde_json::from_str::<serde_json::Value>(line).is_ok();
            prop_assert!(lines.iter().all(is_json));
            let at = at.index(lines.len());
            let (from, old) = lines[at].char_indices().nth(place.index(lines[at].chars().count())).unwrap();
            prop_assume!(!to.starts_with(old));
            lines[at].replace_range(from..from + old.len_utf8(), &to);
            prop_assert_eq!(check(&lines), Err(at));
        }

        #[test]
        fn lines_cut_from_the_end_are_counted(texts in proptest::collection::vec("\\PC{0,20}", 2..8), gone in 1usize..6) {
            let mut lines = dump(&texts);
            prop_assume!(gone < texts.len());
            lines.truncate(texts.len() - gone);
            prop_assert_eq!(check(&lines), Ok(Some((gone as u64, texts.len() as u64))));
        }
    }

    #[test]
    fn a_line_taken_out_of_the_middle_or_put_in_is_found() {
        let lines = dump(&["a".into(), "b".into(), "c".into()]);
        assert_eq!(check(&[lines[0].clone(), lines[2].clone()]), Err(1));
        let between = "{\"v\":2,\"text\":\"x\"}".to_owned();
        assert_eq!(check(&[lines[0].clone(), between, lines[1].clone()]), Err(1));
    }

    #[test]
    fn a_dump_of_an_earlier_version_has_nothing_to_compare_with() {
        let lines = ["{\"v\":2,\"text\":\"a\"}".to_owned(), "{\"v\":2,\"text\":\"b\"}".to_owned()];
        assert_eq!(check(&lines), Ok(None));
    }
}
