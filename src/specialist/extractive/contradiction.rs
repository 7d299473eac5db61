//! Detects contradictions: two statements about the same thing that cannot both be true.

use std::collections::BTreeSet;

use super::near_duplicates::{label, without_brackets};
use super::verb::has_verb;
use crate::gate::denial::is_negation;
use crate::numbers::{date, numbers, value};
use crate::words::WORDS;
use text::words::{Language, fold, is_stop, stem, words};

/// A statement prepared for comparison.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// The label in front of it: its subject.
    label: Option<String>,
    content: BTreeSet<String>,
    values: Vec<Value>,
    negated: bool,
    date: Option<String>,
    identifiers: BTreeSet<String>,
    /// Whether it names its subject: with a word that is not a unit and does not fit every setting.
    is_named: bool,
    /// Words that contain a number: a 5-dimensional tree is not a 1-dimensional one.
    kinds: BTreeSet<String>,
    length: usize,
    /// Whether it is a full sentence; fragments contradict nothing.
    full: bool,
    /// Stems of its first words.
    subject: BTreeSet<String>,
}

impl Statement {
    /// Prepares a claim.
    pub fn of(claim: &str) -> Statement {
        let text = without_brackets(claim);
        let numbers = numbers(&text);
        let units: BTreeSet<String> = numbers.iter().map(|n| fold(&n.unit).into_owned()).collect();
        let is_content = |word: &&str| {
            !is_stop(word) && !word.starts_with(|c: char| c.is_ascii_digit()) && !is_negation(&fold(word))
        };
        // "No longer" and "not any more" deny, and say nothing else.
        let content: Vec<&str> = match negates_from_now_on(&text) {
            true => words(&text).filter(is_content).filter(|word| !is_of_now_on(word)).collect(),
            false => words(&text).filter(is_content).collect(),
        };
        // "Backups are kept": a word before the first auxiliary is no verb.
        let before: BTreeSet<_> = subject_before_auxiliary(&text);
        let is_name = |word: &&str| {
            let word = fold(word);
            (!has_verb(&word) || before.contains(&*word))
                && !units.contains(&*word)
                && !WORDS.of_any_setting.contains(word.trim_end_matches('s'))
        };
        Statement {
            label: label(claim).map(|label| fold(label).into_owned()),
            is_named: content.iter().any(is_name),
            content: content.into_iter().map(|word| stem(word, Language::English)).collect(),
            values: numbers.iter().map(|n| (value(n), fold(&n.unit).into_owned())).collect(),
            negated: words(&text).filter(|word| is_negation(&fold(word))).count() % 2 == 1,
            date: date(&text),
            identifiers: words(&text)
                .filter(|w| w.contains(['_', '.']) && w.contains(|c: char| c.is_alphabetic()))
                .map(|w| fold(w).into_owned())
                .collect(),
            kinds: text.split_whitespace().map(fold).filter_map(|word| kind(&word)).collect(),
            length: text.split_whitespace().count(),
            full: has_verb(&text),
            subject: words(&text)
                .filter(|word| !is_stop(word))
                .take(3)
                .map(|word| stem(word, Language::English))
                .collect(),
        }
    }

    /// Whether it contains a value that another statement could contradict.
    pub fn gives_a_value(&self) -> bool {
        self.values.len() == 1 && self.length <= 20 && self.date.is_none()
    }

    /// Whether it has a value that one title has and another does not: it is of that page's thing.
    pub fn has_value_of(&self, title: &str, other: &str) -> bool {
        let has = |title: &str, value: &str| words(title).any(|word| word == value);
        self.values.iter().any(|(value, _)| has(title, value) && !has(other, value))
    }

    /// The contradiction between two statements, in words; None if there is none.
    pub fn against(&self, other: &Statement) -> Option<String> {
        let smaller = self.content.len().min(other.content.len());
        // "The default value is 6" is about its label, and without a label about nothing in particular.
        let are_named = self.is_named && other.is_named;
        let are_labelled = self.label.is_some() && other.label.is_some();
        let is_same = self.label == other.label;
        let may_be_of_one = if are_named { is_same || !are_labelled } else { is_same && are_labelled };
        // Statements about different dates or versions may both be true.
        if smaller < 2
            || !may_be_of_one
            || !self.full
            || !other.full
            || self.date != other.date
            || self.kinds != other.kinds
            || self.length.abs_diff(other.length) > 12
        {
            return None;
        }
        // Most pairs differ in too much for a contradiction, and this is quicker to check than whether they share a
        // subject.
        let differ = self.differ(other)?;
        if self.subject.is_disjoint(&other.subject) {
            return None;
        }
        let both = self.content.intersection(&other.content).count();
        let either = self.content.len() + other.content.len() - both;
        let alike = both as f64 / either as f64;
        let same_thing = !self.identifiers.is_empty() && self.identifiers == other.identifiers;
        match differ {
            Differ::InValue(a, b) if alike >= 0.75 || same_thing && alike >= 0.6 => {
                let told = |(value, unit): &Value| format!("{value} {unit}").trim_end().to_owned();
                Some(format!("{} here, {} there", told(a), told(b)))
            }
            // With their equal value, if they have one.
            Differ::InDenial if alike >= 0.85 && smaller + self.values.len() >= 3 => {
                let (here, there) = if self.negated { ("denied", "affirmed") } else { ("affirmed", "denied") };
                Some(format!("{here} here, {there} there"))
            }
            _ => None,
        }
    }

    /// The one point in which two statements may contradict each other, if they have the same subject.
    fn differ<'a>(&'a self, other: &'a Statement) -> Option<Differ<'a>> {
        if self.values == other.values {
            return (self.negated != other.negated).then_some(Differ::InDenial);
        }
        if self.values.len() != other.values.len() || self.values.len() > 2 {
            return None;
        }
        let mut differing =
            self.values.iter().zip(&other.values).filter(|(a, b)| a.0 != b.0 || are_other_measures(&a.1, &b.1));
        match (differing.next(), differing.next()) {
            (Some((a, b)), None) if a.1 == b.1 || a.0 == b.0 => Some(Differ::InValue(a, b)),
            _ => None,
        }
    }
}

/// The words of a sentence before its first auxiliary: "backups" of "Backups are kept for 3 days." Empty without one.
fn subject_before_auxiliary(text: &str) -> BTreeSet<String> {
    let all: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
    let auxiliary = all.iter().position(|word| WORDS.auxiliaries.contains(word.as_str()));
    all.into_iter().take(auxiliary.unwrap_or(0)).collect()
}

/// Whether a text denies an earlier state: "no longer", "not … any more".
fn negates_from_now_on(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["no longer", "any longer", "any more", "anymore"].iter().any(|words| lower.contains(words))
}

fn is_of_now_on(word: &str) -> bool {
    matches!(&*fold(word), "longer" | "more" | "anymore")
}

/// A value with its unit.
type Value = (String, String);

/// The point in which two statements differ.
enum Differ<'a> {
    /// One value of the same unit, or one number of another unit.
    InValue(&'a Value, &'a Value),
    /// One denies the statement of the other.
    InDenial,
}

/// A word that contains a number and letters, unless it is a number with its unit.
fn kind(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let has = |what: fn(char) -> bool| word.contains(what);
    let named = word.starts_with(char::is_alphabetic) || word.contains('-');
    (named && has(|c| c.is_ascii_digit()) && has(char::is_alphabetic)).then(|| word.to_owned())
}

/// Units of time and of size, those of one kind together, each with the other ways to write it.
const MEASURES: &[&[&[&str]]] = &[
    &[
        &["ns", "nanosecond"],
        &["us", "µs", "μs", "microsecond"],
        &["ms", "msec", "millisecond"],
        &["s", "sec", "second"],
        &["min", "minute"],
        &["h", "hr", "hour"],
        &["day"],
        &["week"],
        &["month"],
        &["year"],
    ],
    &[
        &["bit"],
        &["byte"],
        &["kb", "kib", "kilobyte"],
        &["mb", "mib", "megabyte"],
        &["gb", "gib", "gigabyte"],
        &["tb", "tib", "terabyte"],
    ],
];

/// Whether these are two units of one kind: seconds and minutes.
fn are_other_measures(first: &str, second: &str) -> bool {
    let place = |units: &[&[&str]], unit: &str| {
        units.iter().position(|names| names.contains(&unit) || names.contains(&unit.trim_end_matches('s')))
    };
    MEASURES.iter().any(|units| match (place(units, first), place(units, second)) {
        (Some(first), Some(second)) => first != second,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(a: &str, b: &str) -> Option<String> {
        Statement::of(a).against(&Statement::of(b))
    }

    #[test]
    fn a_contradiction_is_named_and_other_differences_are_not() {
        assert_eq!(
            conflict("The default value of `hnsw.ef_search` is 40.", "The default value of hnsw.ef_search is 100.")
                .as_deref(),
            Some("40 here, 100 there")
        );
        assert_eq!(
            conflict("Retention is 30 days.", "Retention is 90 days.").as_deref(),
            Some("30 days here, 90 days there")
        );
        assert_eq!(
            conflict("The server can rebalance shards alone.", "The server can not rebalance shards alone.").as_deref(),
            Some("affirmed here, denied there")
        );
        assert_eq!(
            conflict(
                "The default value of widget.timeout is 30 seconds.",
                "The default value of widget.timeout is 30 minutes."
            )
            .as_deref(),
            Some("30 seconds here, 30 minutes there")
        );
        assert_eq!(
            conflict(
                "The Widget lock is held until the end of the transaction by default.",
                "The Widget lock is never held until the end of the transaction by default."
            )
            .as_deref(),
            Some("affirmed here, denied there")
        );
        for denied in ["The printer is no longer in room 12.", "The printer is not in room 12 any more."] {
            let told = conflict("The printer is in room 12.", denied);
            assert_eq!(told.as_deref(), Some("affirmed here, denied there"), "{denied}");
        }
        let labelled = conflict("[crf]: The default value is 1.", "[crf]: The default value is 0.");
        assert_eq!(labelled.as_deref(), Some("1 here, 0 there"));
        for (a, b) in [
            ("The default value of ef_search is 40.", "The default value of ef_construct is 100."),
            ("In 1990 it had 200 members.", "In 2000 it had 300 members."),
            ("Qdrant accepts 65,535 dimensions.", "Pinecone accepts 20,000 dimensions."),
            ("A 5-dimensional tree has 11 columns.", "A 1-dimensional tree thus has 3 columns."),
            ("Default value is 1.", "Default value is 0."),
            ("Default is 2 minutes.", "Default is 4 minutes."),
            ("[crf]: The default value is 1.", "[qp]: The default value is 0."),
            ("[crf]: The default value is 1.", "The default value is 0."),
            ("60.0 seconds if None (default).", "30.0 seconds if None (default)."),
            ("The limit is 40 KB per record.", "The limit is 40 KB per record."),
            ("The limit of a call is 30 s in all.", "The limit of a call is 30 seconds in all."),
            ("The limit of a call is 1 minute in all.", "The limit of a call is 60 seconds in all."),
            ("The table of a store has 4 old segments.", "The table of a store has 4 segments."),
            (
                "Scalar quantization reduces memory by a factor of 4.",
                "Binary quantization reduces memory by a factor of 32.",
            ),
        ] {
            assert_eq!(conflict(a, b), None, "{a} / {b}");
        }
    }
}
