//! The tokens that text makes with a model: a likely number and a careful one, learnt from servers' reports on answers.
//!
//! Pure: a fold of observations. Reservations rest on the careful number, forecasts on the likely one. Both are in the events of a
//! run: it begins with the numbers of its opening, and those that it learns follow from its answers.

use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::budget::Amounts;

/// Text by the classes that vocabularies treat alike, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bulk {
    /// Small letters of the Latin alphabet and spaces: the words of prose, of which a token holds several.
    pub plain: u64,
    /// All else: capitals, digits, marks, every other script. Each byte may be a token of its own.
    pub dense: u64,
}

impl Bulk {
    /// Of a text.
    pub fn of(text: &str) -> Bulk {
        Bulk::of_bytes(text.as_bytes())
    }

    /// Of bytes of a text.
    pub fn of_bytes(bytes: &[u8]) -> Bulk {
        let plain = text::plain_bytes(bytes);
        Bulk { plain: plain as u64, dense: (bytes.len() - plain) as u64 }
    }

    /// Of this many bytes of marks and names around a text.
    pub(crate) fn of_marks(bytes: u64) -> Bulk {
        Bulk { plain: 0, dense: bytes }
    }

    /// Of this many bytes of English prose, as it usually is.
    pub(crate) fn of_prose(bytes: u64) -> Bulk {
        let dense = bytes / 10;
        Bulk { plain: bytes - dense, dense }
    }

    /// All bytes.
    pub fn bytes(self) -> u64 {
        self.plain.saturating_add(self.dense)
    }
}

impl Add for Bulk {
    type Output = Bulk;
    fn add(self, other: Bulk) -> Bulk {
        let Bulk { plain, dense } = other;
        Bulk { plain: self.plain.saturating_add(plain), dense: self.dense.saturating_add(dense) }
    }
}

impl Sum for Bulk {
    fn sum<I: Iterator<Item = Bulk>>(all: I) -> Bulk {
        all.fold(Bulk::default(), Bulk::add)
    }
}

/// Tokens of a thousand bytes of text with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Density {
    /// The usual number for text.
    pub likely: u32,
    /// A number that plain text hardly ever exceeds. Dense text counts as a token a byte, or as this if it is more.
    pub careful: u32,
}

/// Before anything is known: four bytes a token are likely in English prose, and no token is less than a byte.
impl Default for Density {
    fn default() -> Density {
        Density { likely: 250, careful: WHOLE }
    }
}

/// A token a byte.
const WHOLE: u32 = 1_000;
/// The least and the most that servers are believed: below, they count only the uncached part; above, something else than the text.
const LEAST_BELIEVED: u32 = 100;
const MOST_BELIEVED: u32 = 4_000;
/// Tokens that servers add to a request: role marks, the text that introduces tools.
pub const FRAMING: u64 = 1_024;
/// Bytes of the shortest text that says something of others: in a shorter one, the marks that servers add weigh too much.
const LEAST: u64 = 4_000;

impl Density {
    /// Whether nothing was learnt.
    pub fn is_unlearnt(&self) -> bool {
        *self == Density::default()
    }

    /// Tokens that this many bytes probably make.
    pub fn tokens(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(self.likely.into()).div_ceil(WHOLE.into())
    }

    /// Bytes of text that this many tokens probably are.
    pub fn bytes(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(WHOLE.into()) / u64::from(self.likely.max(1))
    }

    /// Tokens that a text hardly ever exceeds.
    pub fn most_tokens(&self, text: Bulk) -> u64 {
        let of = |bytes: u64, density: u32| bytes.saturating_mul(density.into());
        of(text.plain, self.careful).saturating_add(of(text.dense, self.careful.max(WHOLE))).div_ceil(WHOLE.into())
    }

    /// Whether these numbers can be: as they are read from a file.
    pub fn is_sound(&self) -> bool {
        LEAST_BELIEVED <= self.likely && self.likely <= self.careful && self.careful <= MOST_BELIEVED
    }

    /// A server has told how many tokens a text made. The careful number rises at once where it was too low, and else moves
    /// slowly, as the likely one does.
    pub fn learn(&mut self, text: Bulk, tokens: u64) {
        let of_text = tokens.saturating_sub(FRAMING);
        let per_thousand = |tokens: u64| tokens.saturating_mul(WHOLE.into()).div_ceil(text.bytes().max(1));
        if of_text > self.most_tokens(text) {
            self.careful = with_margin(believed(per_thousand(of_text))).max(self.careful);
        }
        let told = per_thousand(tokens);
        if text.bytes() < LEAST || told < LEAST_BELIEVED.into() {
            return;
        }
        let told = believed(told);
        self.likely = quarter_of_the_way(self.likely, told);
        self.careful = quarter_of_the_way(self.careful, with_margin(told)).max(self.likely);
    }
}

fn believed(per_thousand: u64) -> u32 {
    u32::try_from(per_thousand).unwrap_or(u32::MAX).clamp(LEAST_BELIEVED, MOST_BELIEVED)
}

/// Half as much again: other texts of the same kind make more tokens.
fn with_margin(told: u32) -> u32 {
    told.saturating_mul(3).div_ceil(2).min(MOST_BELIEVED)
}

fn quarter_of_the_way(from: u32, to: u32) -> u32 {
    if to > from { from + (to - from).div_ceil(4) } else { from - (from - to).div_ceil(4) }
}

/// The tokens that text makes with a model, and the most it was billed beyond them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The density behind reservations. Within a run it only rises: the room for work must not depend on which answer came first.
    pub reserves: Density,
    /// The density of its answers so far, for later runs and for forecasts.
    pub learnt: Density,
    /// The highest excess of an answer's bill over the reservation by these numbers: it is reserved on top.
    pub above: Amounts,
}

impl Estimate {
    /// At the beginning of a run.
    pub fn new(known: Density) -> Estimate {
        Estimate { reserves: known, learnt: known, above: Amounts::default() }
    }

    /// A server has told how many tokens a text made.
    pub fn learn(&mut self, text: Bulk, tokens: u64) {
        self.learnt.learn(text, tokens);
        if tokens.saturating_sub(FRAMING) > self.reserves.most_tokens(text) {
            let mut raised = self.reserves;
            raised.learn(text, tokens);
            self.reserves.careful = self.reserves.careful.max(raised.careful);
        }
    }

    /// An answer was billed `used`; the numbers known now would reserve `reserved`.
    pub fn billed(&mut self, used: Amounts, reserved: Amounts) {
        self.above = self.above.max(used.minus(reserved));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The server's report on a text: its tokens, and those that it adds.
    fn told(text: Bulk, per_thousand: u64) -> u64 {
        text.bytes() * per_thousand / 1_000 + 200
    }

    #[test]
    fn text_is_measured_by_what_vocabularies_make_of_it() {
        for (text, plain, dense) in [
            ("", 0, 0),
            ("the index is in memory", 22, 0),
            ("In 2024, 40 %", 4, 9),
            ("向量数据库", 0, 15),
            ("let x = f(&y);", 9, 5),
        ] {
            assert_eq!(Bulk::of(text), Bulk { plain, dense }, "{text}");
            assert_eq!(Bulk::of(text).bytes(), text.len() as u64);
        }
    }

    #[test]
    fn what_is_reserved_comes_nearer_to_what_is_billed_with_each_answer_and_stays_above() {
        let mut known = Density::default();
        let prompt = Bulk::of_prose(20_000);
        assert_eq!((known.tokens(20_000), known.most_tokens(prompt)), (5_000, 20_000), "nothing is known");
        for _ in 0..12 {
            known.learn(prompt, told(prompt, 230));
        }
        assert_eq!((known.tokens(20_000), known.most_tokens(prompt)), (4_800, 8_822));
    }

    #[test]
    fn chinese_and_code_are_reserved_for_in_full_after_however_much_english() {
        let mut known = Density::default();
        let prose = Bulk::of_prose(30_000);
        (0..50).for_each(|_| known.learn(prose, told(prose, 220)));
        assert!(known.careful < 400, "{known:?}");
        let chinese = "向量数据库在内存中建立索引，然后写入磁盘。".repeat(200);
        // Vocabularies of today make half a token to one and a half of a sign of three bytes; none makes more than three.
        assert!(known.most_tokens(Bulk::of(&chinese)) >= chinese.len() as u64);
        let code = "    if (self.m_rows[i] != nil) { return HTTP_404; } // 0x1F3A\n".repeat(200);
        // Four bytes in ten are a token, in the worst vocabularies that are in use.
        let most = known.most_tokens(Bulk::of(&code));
        assert!(most >= code.len() as u64 * 4 / 10, "{most} of {}", code.len());
    }

    #[test]
    fn short_questions_and_counts_of_what_was_not_cached_teach_nothing() {
        let mut known = Density::default();
        known.learn(Bulk::of("Answer with one word"), 700);
        known.learn(Bulk::of_prose(50_000), 12);
        known.learn(Bulk::of_prose(50_000), 0);
        assert!(known.is_unlearnt(), "{known:?}");
    }

    #[test]
    fn within_a_run_reservations_never_fall_and_what_exceeds_the_numbers_is_reserved_on_top() {
        let mut known = Estimate::new(Density { likely: 240, careful: 360 });
        let prose = Bulk::of_prose(30_000);
        (0..9).for_each(|_| known.learn(prose, told(prose, 200)));
        assert_eq!(known.reserves.careful, 360);
        assert!(known.learnt.careful < 360);
        known.learn(prose, told(prose, 700));
        assert!(known.reserves.careful > 1_000 && known.reserves.likely == 240, "{known:?}");
        let of = |n| Amounts::of(crate::budget::Cap::Money, n);
        known.billed(of(12), of(10));
        known.billed(of(13), of(10));
        known.billed(of(9), of(10));
        assert_eq!(known.above, of(3));
    }

    fn bulk() -> impl Strategy<Value = Bulk> {
        (0u64..200_000, 0u64..200_000).prop_map(|(plain, dense)| Bulk { plain, dense })
    }

    proptest! {
        /// After any reports of servers the numbers are sound, and each seen amount would now be reserved for.
        #[test]
        fn what_was_seen_is_reserved_for_the_next_time(seen in proptest::collection::vec((bulk(), 0u64..1_000_000), 1..20)) {
            let mut known = Density::default();
            for (text, tokens) in seen {
                known.learn(text, tokens);
                prop_assert!(known.is_sound(), "{:?}", known);
                let most = text.bytes() * 4 + FRAMING;
                prop_assert!(known.most_tokens(text) + FRAMING >= tokens.min(most), "{:?}: {} of {:?}", known, tokens, text);
            }
        }

        /// However little English made: text of other scripts is reserved for with a token a byte.
        #[test]
        fn dense_text_is_never_reserved_for_with_less_than_a_token_a_byte(seen in proptest::collection::vec((bulk(), 0u64..1_000_000), 0..20), bytes in 0u64..1_000_000) {
            let mut known = Density::default();
            seen.into_iter().for_each(|(text, tokens)| known.learn(text, tokens));
            let text = Bulk { plain: 0, dense: bytes };
            prop_assert!(known.most_tokens(text) >= bytes);
        }

        /// In a run: the order of answers does not change reservations, unless one of them was beyond its own.
        #[test]
        fn within_a_run_what_is_reserved_only_rises(seen in proptest::collection::vec((bulk(), 0u64..400_000), 0..20)) {
            let mut known = Estimate::new(Density { likely: 200, careful: 300 });
            for (text, tokens) in seen {
                let before = known.reserves;
                let is_beyond = tokens.saturating_sub(FRAMING) > before.most_tokens(text);
                known.learn(text, tokens);
                prop_assert!(known.reserves.careful >= before.careful);
                prop_assert!(is_beyond || known.reserves == before);
            }
        }
    }
}
