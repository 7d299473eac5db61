//! Detects near-duplicates: texts that state the same fact in nearly the same words.

use std::collections::{BTreeMap, BTreeSet};

use crate::gate::denial::is_negation;
use crate::numbers::{numbers, value};
use text::identifiers::identifiers;
use text::words::{Language, fold, stems, words};

/// A text prepared for comparison.
#[derive(Clone, Debug, Default)]
pub(super) struct Shingles {
    /// Its runs of five stems.
    grams: BTreeSet<String>,
    content: BTreeSet<String>,
    /// The first of its content words: most often its subject.
    first: Option<String>,
    /// The last of its content words: most often its object.
    last: Option<String>,
    /// The names of options, settings and programs in it.
    identifiers: BTreeSet<String>,
    numbers: BTreeSet<String>,
    /// The stems of the words that are counted, by their numbers: "30 seconds".
    units: BTreeMap<String, BTreeSet<String>>,
    /// Whether it denies something.
    negated: bool,
    /// The label in brackets at the start: the subject of the text.
    label: Option<String>,
}

/// The least share of common five-stem runs in near-duplicates.
const CONTAINED: f64 = 0.6;
/// From this many runs on, the common text of both is more than an object of each.
const MANY_RUNS: usize = 5;
/// A verbatim text under several labels with at least this many five-stem runs is boilerplate, and is kept once.
const BOILERPLATE: usize = 6;

impl Shingles {
    /// Prepares a text. Labels in brackets were added later and are not compared.
    pub fn of(text: &str) -> Shingles {
        let label = label(text).map(str::to_lowercase);
        let text = without_brackets(text);
        let all = stems(&text, Language::English);
        let n = all.len().clamp(1, 5);
        let of_content = words(&text).filter(|word| !text::words::is_stop(word));
        let content: Vec<String> = of_content.map(|word| text::words::stem(word, Language::English)).collect();
        let mut units: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for number in numbers(&text).iter().filter(|number| !number.unit.is_empty()) {
            units.entry(value(number)).or_default().insert(text::words::stem(&number.unit, Language::English));
        }
        Shingles {
            label,
            units,
            negated: words(&text).filter(|word| is_negation(&fold(word))).count() % 2 == 1,
            grams: all.windows(n).map(|run| run.join(" ")).collect(),
            first: content.first().cloned(),
            last: content.last().cloned(),
            identifiers: identifiers(&text).map(String::from).collect(),
            content: content.into_iter().collect(),
            numbers: words(&text)
                .filter(|w| w.starts_with(|c: char| c.is_ascii_digit()) && !matches!(*w, "2D" | "3D"))
                .map(|w| fold(w).into_owned())
                .collect(),
        }
    }

    /// Whether the smaller text is nearly contained in the other: most of its five-stem runs are there, and if it has only a few, all
    /// of its content words, for a few runs may be no more than an object that both have.
    fn is_contained(&self, other: &Shingles) -> bool {
        let (smaller, larger) = if self.grams.len() <= other.grams.len() { (self, other) } else { (other, self) };
        let share = smaller.grams.intersection(&larger.grams).count() as f64 / smaller.grams.len().max(1) as f64;
        share > CONTAINED && (smaller.grams.len() >= MANY_RUNS || smaller.content.is_subset(&larger.content))
    }

    /// The share of content words that both texts have, of those in either (Jaccard).
    pub fn overlap(&self, other: &Shingles) -> f64 {
        let both = self.content.intersection(&other.content).count();
        let either = self.content.len() + other.content.len() - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// Whether they count different things: the same number with a unit in each that the other lacks.
    fn counts_other_than(&self, other: &Shingles) -> bool {
        let lacks = |units: &BTreeSet<String>, text: &Shingles| units.is_disjoint(&text.content);
        self.units.iter().any(|(number, units)| {
            other.units.get(number).is_some_and(|others| lacks(units, other) && lacks(others, self))
        })
    }

    /// Whether each begins or ends with a word that the other lacks: the same is said of two things, or two things of the same.
    fn frames_other_than(&self, other: &Shingles) -> bool {
        let lacks =
            |word: &Option<String>, text: &Shingles| word.as_ref().is_some_and(|word| !text.content.contains(word));
        lacks(&self.first, other) && lacks(&other.first, self) || lacks(&self.last, other) && lacks(&other.last, self)
    }

    /// Whether each has an identifier that the other lacks.
    fn identifies_other_than(&self, other: &Shingles) -> bool {
        !self.identifiers.is_subset(&other.identifiers) && !other.identifiers.is_subset(&self.identifiers)
    }

    /// Whether both state the same fact: nearly the same words, no different numbers or units, and neither denies the other. Texts
    /// with two labels are about two things, unless they are long and identical.
    pub fn is_near_duplicate(&self, other: &Shingles) -> bool {
        let other_thing = self.label.is_some() && other.label.is_some() && self.label != other.label;
        let is_boilerplate = self.grams.len() >= BOILERPLATE && self.grams == other.grams;
        (!other_thing || is_boilerplate)
            && self.numbers == other.numbers
            && self.negated == other.negated
            && !self.counts_other_than(other)
            && !self.frames_other_than(other)
            && !self.identifies_other_than(other)
            && (self.is_contained(other) || self.overlap(other) > 0.7)
    }
}

/// The label in brackets that a claim begins with.
pub(super) fn label(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.split_once(']').map(|(label, _)| label)
}

/// A claim without its labels in brackets.
pub(super) fn without_brackets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_copies_are_one_family_and_other_numbers_are_not() {
        let a = Shingles::of(
            "Because pgvector data lives in PostgreSQL tables, every change passes through the write-ahead log.",
        );
        let b = Shingles::of(
            "Because pgvector data lives in PostgreSQL tables, each change passes through the write-ahead log.",
        );
        let c = Shingles::of("Qdrant keeps its points in segments and merges them in the background.");
        assert!(a.is_near_duplicate(&b) && !a.is_near_duplicate(&c));
        let [with, without] = [", a 3D viewer for boards", ""].map(|more| {
            Shingles::of(&format!(
                "The suite has a calculator for circuits, a viewer for files{more}, and a simulator for tests."
            ))
        });
        assert!(with.is_near_duplicate(&without), "the dimensions of a thing are no number");
        let depends = Shingles::of("[Depends]: This declares an absolute dependency.");
        let recommends = Shingles::of("[Recommends]: This declares a strong, but not absolute, dependency.");
        assert!(!depends.is_near_duplicate(&recommends), "they are about two things");
        let [first, second] = ["neg-cache-size", "key-cache-size"].map(|option| {
            Shingles::of(&format!(
                "[{option}]: A plain number is in bytes, append 'k' or 'm' for kilobytes or megabytes."
            ))
        });
        assert!(first.is_near_duplicate(&second), "it says nothing of either");
        let forty = Shingles::of("The default value of hnsw.ef_search is 40.");
        let hundred = Shingles::of("The default value of hnsw.ef_search is 100.");
        assert!(!forty.is_near_duplicate(&hundred), "a contradiction is not a copy");
    }

    #[test]
    fn a_denial_or_another_unit_makes_no_copy_and_other_words_around_them_do() {
        let are_copies = |first: &str, second: &str| Shingles::of(first).is_near_duplicate(&Shingles::of(second));
        for (first, second) in [
            (
                "The Widget lock is held until the end of the transaction by default.",
                "The Widget lock is never held until the end of the transaction by default.",
            ),
            (
                "The Widget lock is held until the end of the transaction by default.",
                "The Widget lock isnt held until the end of the transaction by default.",
            ),
            (
                "The default value of widget.timeout is 30 seconds.",
                "The default value of widget.timeout is 30 minutes.",
            ),
            (
                "The restic package makes incremental remote backups.",
                "The rdiff-backup package makes incremental remote backups.",
            ),
            (
                "Optional restrictions that the server applies in the context of a client connection request.",
                "Optional restrictions that the server applies in the context of a client RCPT TO command.",
            ),
            (
                "The checks in smtpd_relay_restrictions are applied in the order as specified.",
                "The checks in smtpd_client_restrictions are applied in the order as specified.",
            ),
            (
                "Defaults to the number of logical CPUs.",
                "If negative, it sets the maximum number of jobs to the number of logical CPUs plus the value given.",
            ),
        ] {
            assert!(!are_copies(first, second), "{first} / {second}");
        }
        for (first, second) in [
            ("The Widget server keeps 4 backups of the store.", "The Widget server keeps 4 old backups of the store."),
            ("The default value of widget.timeout is 30 seconds.", "The default value of widget.timeout is 30 second."),
            (
                "The checks in relay_restrictions are applied in the order as specified.",
                "The checks of the server in relay_restrictions are applied in the order as specified.",
            ),
            (
                "The Widget lock cannot be held until the end of the transaction.",
                "The Widget lock can not be held until the end of the transaction.",
            ),
        ] {
            assert!(are_copies(first, second), "{first} / {second}");
        }
    }
}
