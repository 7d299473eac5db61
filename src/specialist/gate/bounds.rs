//! Whether a number is an upper or a lower limit, and whether a sentence tells it as one.

use super::denial::{is_negation, negates};
use text::words::{fold, words};

/// A limit that a number is said to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Upper,
    Lower,
    /// "exactly 5"
    Exact,
}

/// Before a number, denied, they make an upper limit of it; and a lower one.
const BEYOND: &[&str] = &[
    "exceed",
    "exceeds",
    "exceeding",
    "over",
    "above",
    "beyond",
    "later than",
    "longer than",
    "larger than",
    "greater than",
    "higher than",
    "bigger than",
];
const SHORT_OF: &[&str] =
    &["under", "below", "earlier than", "sooner than", "shorter than", "smaller than", "lower than"];

impl Bound {
    /// The bound that the words right before and behind a number make of it.
    pub fn of(before: &str, follows: &[String]) -> Option<Bound> {
        let tail = &before[before.floor_char_boundary(before.len().saturating_sub(60))..];
        // Words of the sentence before do not count.
        let tail = tail.rsplit([',', ';', ':', '.', '(', ')']).next().unwrap_or_default();
        let mut before: Vec<String> = words(tail).map(|word| fold(word).into_owned()).collect();
        before.pop_if(|word| matches!(word.as_str(), "about" | "around" | "roughly" | "approximately" | "some" | "a"));
        let is_denied = before.iter().any(|word| is_negation(word));
        let before = before.join(" ");
        let ends = |cues: &[&str]| {
            cues.iter().any(|cue| before.strip_suffix(*cue).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
        };
        if ends(&["up to", "at most", "maximum of"]) {
            return Some(Bound::Upper);
        }
        if ends(&["at least", "minimum of"]) {
            return Some(Bound::Lower);
        }
        // "Do not take more than 5" allows no more than 5.
        let over = ends(&["more than"]) || is_denied && ends(BEYOND);
        let under = ends(&["less than", "fewer than"]) || is_denied && ends(SHORT_OF);
        if over || under {
            return Some(if over == is_denied { Bound::Upper } else { Bound::Lower });
        }
        if ends(&["exactly", "precisely"]) {
            return Some(Bound::Exact);
        }
        let has = |first: &str, seconds: &[&str]| {
            let mut pairs = follows.iter().zip(follows.iter().skip(1)).take(4);
            pairs.any(|(a, b)| a == first && seconds.contains(&b.as_str()))
        };
        if has("at", &["most"]) || has("or", &["less", "fewer"]) {
            return Some(Bound::Upper);
        }
        (has("at", &["least"]) || has("or", &["more"])).then_some(Bound::Lower)
    }

    /// Whether a sentence tells such a limit in any words: "its limit is", "can hold", "within", "5 or fewer".
    pub fn is_told_in(self, sentence: &str) -> bool {
        let upper = |word: &str| {
            matches!(
                word,
                "most"
                    | "max"
                    | "up"
                    | "cap"
                    | "caps"
                    | "capped"
                    | "ceiling"
                    | "within"
                    | "under"
                    | "below"
                    | "less"
                    | "fewer"
                    | "highest"
                    | "largest"
                    | "biggest"
                    | "longest"
                    | "upper"
                    | "top"
                    | "bound"
                    | "bounded"
                    | "bounds"
                    | "range"
                    | "ranges"
                    | "between"
                    | "threshold"
                    | "can"
                    | "may"
                    | "could"
                    | "might"
                    | "cannot"
                    | "until"
                    | "beyond"
                    | "smaller"
                    | "shorter"
                    | "lower"
                    | "latest"
                    | "exceed"
                    | "exceeds"
                    | "exceeding"
                    | "restricted"
                    | "restricts"
            ) || word.starts_with("maxim")
                || word.starts_with("limit")
        };
        let lower = |word: &str| {
            matches!(
                word,
                "least"
                    | "min"
                    | "more"
                    | "over"
                    | "above"
                    | "from"
                    | "onward"
                    | "onwards"
                    | "later"
                    | "earlier"
                    | "earliest"
                    | "sooner"
                    | "advance"
                    | "beforehand"
                    | "after"
                    | "wait"
                    | "without"
                    | "newer"
                    | "higher"
                    | "beyond"
                    | "greater"
                    | "longer"
                    | "larger"
                    | "lowest"
                    | "smallest"
                    | "shortest"
                    | "starting"
                    | "starts"
                    | "exceed"
                    | "exceeds"
                    | "exceeding"
                    | "must"
                    | "upwards"
                    | "between"
                    | "range"
                    | "ranges"
                    | "threshold"
            ) || ["minim", "need", "requir"].iter().any(|stem| word.starts_with(stem))
        };
        if self == Bound::Exact {
            return true;
        }
        let negated = negates(sentence);
        let signs = if self == Bound::Upper { ['≤', '<'] } else { ['≥', '>'] };
        sentence.contains(signs)
            || words(sentence).any(|word| {
                let word = fold(word);
                match self {
                    Bound::Upper => upper(&word) || negated && lower(&word),
                    Bound::Lower => lower(&word) || negated && upper(&word),
                    Bound::Exact => true,
                }
            })
    }
}
