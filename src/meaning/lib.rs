//! Compares texts by meaning: a small sentence encoder, built in (`prompts/encoder.md`: its origin and licence).
//!
//! It knows which texts are about the same; whether one of them is true, or denies the other, it does not know. So likeness
//! only ranks sentences, and never decides what is said. The same text has the same meaning on every machine of a kind.

mod encoder;
mod file;
mod pieces;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;

use encoder::Encoder;

static FILE: &[u8] = include_bytes!("prompts/encoder.bin");

static ENCODER: LazyLock<Option<Encoder>> = LazyLock::new(|| Encoder::read(FILE));

/// So many texts whose meanings were just worked out are kept by each thread: the steps of a specialist read the same again.
const KEPT: usize = 1_000;

thread_local! {
    static KNOWN: RefCell<BTreeMap<String, Rc<[f32]>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The vector of a text: of length 1, or empty if nothing is known of it.
#[derive(Clone, Debug)]
pub struct Meaning(Rc<[f32]>);

impl Meaning {
    /// The meaning of a text: of its first 62 pieces of words. It takes 7 to 50 ms for a sentence, by how the build was optimised.
    pub fn of(text: &str) -> Meaning {
        let Some(encoder) = &*ENCODER else { return Meaning(Rc::new([])) };
        KNOWN.with_borrow_mut(|known| {
            if let Some(vector) = known.get(text) {
                return Meaning(vector.clone());
            }
            if known.len() == KEPT {
                known.clear();
            }
            let vector: Rc<[f32]> = encoder.vector(text).into();
            known.insert(text.to_owned(), vector.clone());
            Meaning(vector)
        })
    }

    /// The cosine of two meanings, 0 to 1: what points away from another is as little like it as what has nothing to do with it.
    pub fn likeness(&self, other: &Meaning) -> f64 {
        f64::from(self.0.iter().zip(&*other.0).map(|(a, b)| a * b).sum::<f32>().clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f64 {
        Meaning::of(a).likeness(&Meaning::of(b))
    }

    #[test]
    fn the_file_is_whole() {
        assert!(ENCODER.is_some());
        assert!(Encoder::read(&FILE[..FILE.len() - 1]).is_none(), "a file that is cut off is no encoder");
        assert!(Encoder::read(&[]).is_none());
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
