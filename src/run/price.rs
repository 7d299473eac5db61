//! Prices: the cost of a call, and its highest possible cost. Integers only.

use serde::{Deserialize, Serialize};

use super::attempt::Charge;
use super::budget::{Amounts, Cap, Money};
use super::density::{Bulk, Density, FRAMING};
use super::model::{self, Form, ModelRequest, Reply, Said, Usage};
use super::transcript::Exchange;
use text::Clean;

/// Prices of one model, in micro-dollars per million tokens, which is pico-dollars a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rates {
    /// Input that is neither read from a cache nor written to one.
    pub input: u64,
    /// Output, thinking included.
    pub output: u64,
    /// Input read from a cache.
    pub cache_read: u64,
    /// Input written to a cache for the usual time.
    pub cache_write: u64,
    /// Input written to a cache for the longer time.
    pub cache_write_long: u64,
    /// Rates of the whole request when its input is longer than [`Tier::over`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// The time at which the prices were looked up, and their origin: "2026-11-21", "your prices.toml".
    pub as_of: Clean,
}

/// Rates of long requests, in the unit of [`Rates`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// More tokens of input than this.
    pub over: u64,
    /// Input that is neither read from a cache nor written to one.
    pub input: u64,
    /// Output, thinking included.
    pub output: u64,
    /// Input read from a cache.
    pub cache_read: u64,
    /// Input written to a cache for the usual time.
    pub cache_write: u64,
    /// Input written to a cache for the longer time.
    pub cache_write_long: u64,
}

impl Rates {
    /// Of a model that costs nothing: one that runs on a machine of the user's.
    pub fn free() -> Rates {
        Rates { as_of: "local".into(), ..Rates::default() }
    }

    /// The cost of a call. The price the provider itself gave counts more than the table.
    pub fn cost(&self, usage: &Usage) -> Money {
        if let Some(cost) = usage.cost {
            return cost;
        }
        let base = [self.input, self.cache_read, self.cache_write, self.cache_write_long, self.output];
        let rates = match &self.tier {
            Some(t) if usage.input_total() > t.over => {
                [t.input, t.cache_read, t.cache_write, t.cache_write_long, t.output]
            }
            _ => base,
        };
        let tokens = [usage.input, usage.cache_read, usage.cache_write, usage.cache_write_long, usage.output];
        let cost = rates.iter().zip(tokens).fold(0u128, |sum, (rate, n)| sum + u128::from(*rate) * u128::from(n));
        Money(u64::try_from(cost).unwrap_or(u64::MAX))
    }

    /// The most that this many tokens may cost, with any caching and in any tier.
    pub fn most(&self, input: u64, output: u64) -> Money {
        let tier = self.tier.clone().unwrap_or_default();
        let base = [self.input, self.cache_read, self.cache_write, self.cache_write_long];
        let long = [tier.input, tier.cache_read, tier.cache_write, tier.cache_write_long];
        let dearest_input = base.into_iter().chain(long).max().unwrap_or(0);
        let cost = u128::from(dearest_input) * u128::from(input)
            + u128::from(self.output.max(tier.output)) * u128::from(output);
        Money(u64::try_from(cost).unwrap_or(u64::MAX))
    }
}

/// Bytes of marks that stand for the tokens that servers add to each message.
const PER_MESSAGE: u64 = 16;

/// The part of a conversation before a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before<'a> {
    /// All that was said and answered.
    pub all: Bulk,
    /// The last answer.
    pub answer: Bulk,
    /// The server's report on the last answer.
    pub told: Option<&'a Usage>,
}

/// The text that a request sends, measured.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    before: Before<'a>,
    said: Bulk,
    /// Tools that it offers, and the form of its answer.
    around: Bulk,
}

impl<'a> Input<'a> {
    /// Of a request that goes on from there.
    pub fn of(before: Before<'a>, request: &ModelRequest) -> Input<'a> {
        Input { before, said: bulk_said(&request.said), around: around(request) }
    }

    /// Of a request on record.
    pub(crate) fn of_exchange(before: Before<'a>, exchange: &Exchange) -> Input<'a> {
        Input { before, said: exchange.said(), around: around(&exchange.request) }
    }

    /// All of it.
    pub fn whole(self) -> Bulk {
        self.before.all + self.said + self.around
    }

    /// The tokens that it hardly ever exceeds.
    ///
    /// By the careful number of the model: a token a byte before anything is known of it, which no vocabulary of bytes exceeds. If
    /// the server has told how many tokens everything before the last answer took, only that answer and the new part are reckoned.
    /// Its count for that answer is not used: it may include thoughts that are not sent back.
    pub fn most(self, density: Density) -> u64 {
        let most = |text: Bulk| density.most_tokens(text).saturating_add(FRAMING);
        let whole = most(self.whole());
        let told = self.before.told.filter(|usage| !usage.estimated);
        let told = told.map(|usage| usage.input_total().saturating_add(most(self.before.answer + self.said)));
        told.map_or(whole, |told| told.min(whole))
    }

    /// The tokens that it probably is.
    pub fn likely(self, density: Density) -> u64 {
        let told = self.before.told.filter(|usage| !usage.estimated);
        match told {
            Some(usage) => usage.input_total().saturating_add(density.tokens((self.before.answer + self.said).bytes())),
            None => density.tokens(self.whole().bytes()),
        }
    }
}

fn around(request: &ModelRequest) -> Bulk {
    let form = match &request.form {
        Form::Json { schema, .. } => model::bulk_of(schema),
        _ => Bulk::default(),
    };
    request.offers.bulk() + form
}

/// The reservation of a request: one call, the most tokens it may take, and their price.
pub fn reservation(rates: &Rates, most_input: u64, max_tokens: u32) -> Amounts {
    let output = u64::from(max_tokens);
    Amounts::of(Cap::Money, rates.most(most_input, output).0)
        .with(Cap::Tokens, most_input.saturating_add(output))
        .with(Cap::Calls, 1)
}

/// The cost of an answered call.
pub fn billed(rates: &Rates, usage: &Usage) -> Amounts {
    Amounts::of(Cap::Money, rates.cost(usage).0).with(Cap::Tokens, usage.total()).with(Cap::Calls, 1)
}

/// The amounts of an answer: one that comes from a record takes its tokens once more, and no money.
pub fn billed_for(rates: &Rates, reply: &Reply) -> Amounts {
    match reply.recorded {
        Some(_) => billed(&Rates::free(), &Usage { cost: None, ..reply.usage }),
        None => billed(rates, &reply.usage),
    }
}

/// The cost of a failed attempt at an answer of at most `max_tokens`, and the part of its reservation that stays in doubt.
pub fn billed_for_failure(rates: &Rates, reserved: Amounts, max_tokens: u32, charge: Charge) -> (Amounts, Amounts) {
    let call = Amounts::of(Cap::Calls, reserved.get(Cap::Calls));
    match charge {
        Charge::Nothing => (call, Amounts::default()),
        Charge::Input => {
            let input = reserved.tokens().saturating_sub(max_tokens.into());
            let money = rates.most(input, 0).min(reserved.money());
            (call, Amounts::of(Cap::Money, money.0).with(Cap::Tokens, input))
        }
        Charge::Unknown => (call, reserved.minus(call)),
        Charge::AtLeast(usage) => {
            let billed = billed(rates, &usage);
            (billed, reserved.minus(billed))
        }
    }
}

/// Everything said, with the marks around each message.
pub(crate) fn bulk_said<'a>(said: impl IntoIterator<Item = &'a Said>) -> Bulk {
    said.into_iter().map(|said| said.bulk() + Bulk::of_marks(PER_MESSAGE)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rates() -> Rates {
        Rates {
            input: 2_000_000,
            output: 10_000_000,
            cache_read: 100_000,
            cache_write: 2_500_000,
            cache_write_long: 4_000_000,
            tier: Some(Tier { over: 272_000, input: 4_000_000, output: 15_000_000, ..Tier::default() }),
            as_of: "2026-11-21".into(),
        }
    }

    #[test]
    fn each_part_of_a_call_has_its_own_rate() {
        let usage = Usage { input: 1_000, cache_read: 10_000, cache_write: 400, output: 200, ..Usage::default() };
        // 2 + 1 + 1 + 2 thousandths of a dollar.
        assert_eq!(rates().cost(&usage), Money::micros(2_000 + 1_000 + 1_000 + 2_000));
        let long = Usage { input: 300_000, output: 10, ..Usage::default() };
        assert_eq!(rates().cost(&long), Money::micros(1_200_000 + 150));
        let told = Usage { cost: Some(Money::micros(7)), ..usage };
        assert_eq!(rates().cost(&told), Money::micros(7));
    }

    proptest! {
        /// Whatever is cached and whichever tier applies, in any order of rates: no usage within the bounds costs more than was
        /// reserved for it.
        #[test]
        fn no_call_costs_more_than_its_reservation(
            parts in proptest::array::uniform4(0u64..400_000), output in 0u32..128_000,
            base in proptest::array::uniform5(0u64..20_000_000), long in proptest::array::uniform5(0u64..20_000_000)
        ) {
            let [input, cache_read, cache_write, cache_write_long] = parts;
            let usage = Usage { input, cache_read, cache_write, cache_write_long, output: output.into(), ..Usage::default() };
            let tier = Tier {
                over: 272_000, input: long[0], output: long[1], cache_read: long[2], cache_write: long[3], cache_write_long: long[4],
            };
            let rates = Rates {
                input: base[0], output: base[1], cache_read: base[2], cache_write: base[3], cache_write_long: base[4],
                tier: Some(tier), as_of: "2026-11-21".into(),
            };
            let reserved = reservation(&rates, usage.input_total(), output);
            prop_assert!(rates.cost(&usage) <= reserved.money() && usage.total() <= reserved.tokens());
        }

        /// The cost of a failed attempt and its part in doubt are within its reservation, and never below the known cost.
        #[test]
        fn a_failed_attempt_is_billed_from_its_reservation(input in 0u64..10_000, output in 0u32..4_000, seen in 0u64..4_000) {
            let reserved = reservation(&rates(), input, output);
            let usage = Usage { input, output: seen.min(output.into()), ..Usage::default() };
            for charge in [Charge::Nothing, Charge::Input, Charge::Unknown, Charge::AtLeast(usage)] {
                let (billed, doubt) = billed_for_failure(&rates(), reserved, output, charge);
                let sum = billed.plus(doubt);
                prop_assert!(sum.money() <= reserved.money() && sum.tokens() <= reserved.tokens() && sum.get(Cap::Calls) <= reserved.get(Cap::Calls));
                if charge == Charge::Unknown { prop_assert_eq!(sum, reserved); }
            }
        }
    }

    #[test]
    fn an_error_in_place_of_an_answer_leaves_its_input_in_doubt_and_none_of_its_output() {
        let reserved = reservation(&rates(), 1_000, 4_000);
        let (billed, doubt) = billed_for_failure(&rates(), reserved, 4_000, Charge::Input);
        let input = reservation(&rates(), 1_000, 0);
        assert_eq!((doubt.money(), doubt.tokens(), billed.money()), (input.money(), 1_000, Money(0)));
        assert_eq!(billed.get(Cap::Calls) + doubt.get(Cap::Calls), 1);
    }

    #[test]
    fn what_the_server_told_of_before_makes_the_bound_tight() {
        let request = ModelRequest {
            model: "a/b".parse().unwrap(),
            afresh: false,
            said: vec![Said::User { text: "x".repeat(100).as_str().into() }],
            offers: vec![].into(),
            form: Form::Free,
            max_tokens: 500,
            thinking: Default::default(),
        };
        let prose = |bytes| Bulk { plain: bytes, dense: 0 };
        let nothing_told = Before { all: prose(40_000), answer: prose(700), told: None };
        let most = |before, density| Input::of(before, &request).most(density);
        let first = most(nothing_told, Density::default());
        assert_eq!(first, 40_000 + 116 + 1_024);
        let told = Usage { input: 9_000, output: 300, ..Usage::default() };
        let of = |told| most(Before { told: Some(told), ..nothing_told }, Density::default());
        assert_eq!(of(&told), 9_000 + 700 + 116 + 1_024);
        let learnt = Density { likely: 240, careful: 360 };
        assert_eq!(most(nothing_told, learnt), 40_100 * 360 / 1_000 + 16 + 1_024);
        assert_eq!(most(Before { told: Some(&told), ..nothing_told }, learnt), 9_000 + 800 * 360 / 1_000 + 16 + 1_024);
        let thought = Usage { output: 16_000, ..told };
        assert_eq!(of(&thought), of(&told), "what it thought is not sent back");
        let absurd = Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() };
        assert_eq!(of(&absurd), first, "a lie cannot block the run");
    }
}
