//! Compares texts by meaning with a small, built-in sentence encoder (`prompts/encoder.md`: its origin and licence).
//!
//! It detects texts about the same subject, not whether one is true or contradicts another. So likeness ranks sentences
//! and drops those off the subject, and never decides what is true. The same text has the same meaning on every machine
//! of a kind: the cache and the threads only affect speed.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod encoder;
mod file;
mod pieces;
mod sketch;

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::available_parallelism;

use encoder::Encoder;
pub use sketch::Sketches;

static FILE: &[u8] = include_bytes!("prompts/encoder.bin");

static ENCODER: LazyLock<Option<Encoder>> = LazyLock::new(|| Encoder::read(FILE));

/// The most cached meanings: successive steps of a specialist read the same texts.
const KEPT: usize = 2_000;
/// The number of texts in a batch.
const TOGETHER: usize = 8;

static KNOWN: Mutex<BTreeMap<String, Meaning>> = Mutex::new(BTreeMap::new());

/// The vector of a text: of length 1, or empty if the text is unknown.
#[derive(Clone, Debug)]
pub struct Meaning(Arc<[f32]>);

impl Meaning {
    /// The meanings of texts, in order, from the first 62 word pieces of each. A new text takes 5 to 9 ms of one
    /// processor; all processors share the work.
    pub fn of_all(texts: &[&str]) -> Vec<Meaning> {
        // A panic leaves the cache consistent.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + texts.len() > KEPT {
            known.clear();
        }
        let mut new: Vec<&str> = texts.iter().copied().filter(|text| !known.contains_key(*text)).collect();
        new.sort_unstable();
        new.dedup();
        known.extend(new.iter().map(ToString::to_string).zip(encoded(&new)));
        texts.iter().map(|text| known.get(*text).cloned().unwrap_or_else(Meaning::unknown)).collect()
    }

    fn unknown() -> Meaning {
        Meaning([].into())
    }

    /// The cosine of two meanings, at least 0: opposite directions count like unrelated ones.
    pub fn likeness(&self, other: &Meaning) -> f64 {
        f64::from(self.0.iter().zip(&*other.0).map(|(a, b)| a * b).sum::<f32>().clamp(0.0, 1.0))
    }
}

/// Whether a lower-case word is one of the some 30,000 English words and names that the encoder knows whole.
pub fn is_word(word: &str) -> bool {
    ENCODER.as_ref().is_some_and(|encoder| encoder.is_word(word))
}

/// The meanings of texts, in order; none without an encoder.
fn encoded(texts: &[&str]) -> Vec<Meaning> {
    let Some(encoder) = &*ENCODER else { return Vec::new() };
    let processors = available_parallelism().map_or(1, usize::from);
    let share = texts.len().div_ceil(processors).max(1);
    let encode =
        |texts: &[&str]| -> Vec<Vec<f32>> { texts.chunks(TOGETHER).flat_map(|texts| encoder.vectors(texts)).collect() };
    let vectors: Vec<Vec<f32>> = std::thread::scope(|scope| {
        let shares: Vec<_> = texts.chunks(share).map(|texts| scope.spawn(move || encode(texts))).collect();
        shares.into_iter().flat_map(|share| share.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    vectors.into_iter().map(|vector| Meaning(vector.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(text: &str) -> Meaning {
        Meaning::of_all(&[text]).pop().unwrap()
    }

    fn likeness(a: &str, b: &str) -> f64 {
        alone(a).likeness(&alone(b))
    }

    #[test]
    fn the_file_is_whole() {
        assert!(ENCODER.is_some());
        assert!(Encoder::read(&FILE[..FILE.len() - 1]).is_none(), "a file that is cut off is no encoder");
        assert!(Encoder::read(&[]).is_none());
    }

    #[test]
    fn words_are_known_as_they_are_spelt() {
        for word in ["spring", "millennium", "licence", "colour", "received"] {
            assert!(is_word(word), "{word}");
        }
        for word in ["millenium", "recieved", "quantizaton", "Spring", ""] {
            assert!(!is_word(word), "{word}");
        }
    }

    #[test]
    fn what_is_said_in_other_words_is_more_alike_than_what_shares_words() {
        for (asked, other_words, shared_words) in [
            ("is there a way to undo the last change", "Reverting a modification", "The last train leaves at nine"),
            (
                "how much value does my car lose every year",
                "Depreciation spreads the price of a vehicle over its life",
                "Last year the car was parked in the street every day",
            ),
        ] {
            let (near, far) = (likeness(asked, other_words), likeness(asked, shared_words));
            assert!(near > far, "{asked}: {near} {far}");
        }
    }

    #[test]
    fn a_text_has_the_same_meaning_alone_and_among_others() {
        let texts: Vec<String> = (0..30).map(|n| format!("{} or one of {n} words", "very ".repeat(n))).collect();
        let together = Meaning::of_all(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        KNOWN.lock().unwrap().clear();
        for (text, meaning) in texts.iter().zip(together) {
            assert_eq!(alone(text).0, meaning.0, "{text}");
        }
    }

    #[test]
    fn the_order_of_words_counts() {
        assert!(likeness("the dog bites the man", "the man bites the dog") < 0.999);
    }

    #[test]
    fn a_text_of_any_kind_has_a_meaning_of_length_one_or_none() {
        for text in ["", " \n", "\u{e000}", "a", "naïve café", "数据库", &"long ".repeat(10_000), &"x".repeat(100_000)]
        {
            let own = likeness(text, text);
            assert!((own - 1.0).abs() < 1e-3 || own == 0.0, "{own} {text:.20}");
        }
        assert_eq!(likeness("", "database"), 0.0);
    }
}
