//! Amounts of everything that is counted, and caps on them. In JSON both are maps by the names of the kinds.

use std::array;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::kind::{Cap, KINDS};
use super::landing::ForLanding;
use super::money::Money;

/// Amounts of everything that is counted against a cap. Time is never among them: the run's clock counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts([u64; KINDS]);

impl Amounts {
    /// This much of one kind, in its smallest unit.
    pub fn of(kind: Cap, n: u64) -> Amounts {
        Amounts::default().with(kind, n)
    }

    /// The same but for this much of one kind.
    pub fn with(mut self, kind: Cap, n: u64) -> Amounts {
        self.0[kind as usize] = n;
        self
    }

    /// The amount of a kind, in its smallest unit.
    pub fn get(&self, kind: Cap) -> u64 {
        self.0[kind as usize]
    }

    /// The amount of money.
    pub fn money(&self) -> Money {
        Money(self.get(Cap::Money))
    }

    /// Tokens of text taken in and given out.
    pub fn tokens(&self) -> u64 {
        self.get(Cap::Tokens)
    }

    fn zip(self, other: Amounts, f: impl Fn(u64, u64) -> u64) -> Amounts {
        Amounts(array::from_fn(|n| f(self.0[n], other.0[n])))
    }

    /// The sum; it stops at the largest number rather than wrap.
    pub fn plus(self, other: Amounts) -> Amounts {
        self.zip(other, u64::saturating_add)
    }

    /// The difference; never below zero.
    pub fn minus(self, other: Amounts) -> Amounts {
        self.zip(other, u64::saturating_sub)
    }

    /// The smaller of the two, for each kind.
    pub fn min(self, other: Amounts) -> Amounts {
        self.zip(other, u64::min)
    }

    /// The larger of the two, for each kind.
    pub fn max(self, other: Amounts) -> Amounts {
        self.zip(other, u64::max)
    }

    /// The same, but for no more of each kind than its cap.
    pub fn within(self, caps: Limits) -> Amounts {
        caps.caps().fold(self, |all, (kind, cap)| all.with(kind, all.get(kind).min(cap)))
    }

    /// The amount of each kind; zeros are left out.
    fn kinds(&self) -> impl Iterator<Item = (Cap, u64)> {
        Cap::ALL.into_iter().zip(self.0).filter(|(_, n)| *n > 0)
    }

    /// The amounts in words: "$0.25, 300 tokens"; empty if all are zero.
    pub fn in_words(&self) -> String {
        self.kinds().map(|(kind, n)| kind.counted(n)).collect::<Vec<_>>().join(", ")
    }
}

impl Serialize for Amounts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.kinds())
    }
}

impl<'de> Deserialize<'de> for Amounts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let named = BTreeMap::<Cap, u64>::deserialize(from)?;
        Ok(named.into_iter().fold(Amounts::default(), |all, (kind, n)| all.with(kind, n)))
    }
}

/// Caps. A kind that is None is not capped. Time is in milliseconds of work; waiting for the person does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits([Option<u64>; KINDS]);

impl Limits {
    /// The cap of one kind alone.
    pub fn of(kind: Cap, n: u64) -> Limits {
        Limits::default().with(kind, Some(n))
    }

    /// The same but for the cap of one kind.
    pub fn with(mut self, kind: Cap, cap: Option<u64>) -> Limits {
        self.0[kind as usize] = cap;
        self
    }

    /// The cap of a kind, if there is one.
    pub fn cap(&self, kind: Cap) -> Option<u64> {
        self.0[kind as usize]
    }

    /// The cap on money.
    pub fn money(&self) -> Option<Money> {
        self.cap(Cap::Money).map(Money)
    }

    /// The caps there are.
    pub fn caps(&self) -> impl Iterator<Item = (Cap, u64)> {
        Cap::ALL.into_iter().filter_map(|kind| Some((kind, self.cap(kind)?)))
    }

    /// The caps there are, in words: "money cap $2.00, token cap 300k".
    pub fn in_words(&self) -> String {
        let caps: Vec<String> = self.caps().map(|(kind, n)| format!("{kind} {}", kind.written(n))).collect();
        caps.join(", ")
    }

    fn zip(self, other: Limits, f: impl Fn(Option<u64>, Option<u64>) -> Option<u64>) -> Limits {
        Limits(array::from_fn(|n| f(self.0[n], other.0[n])))
    }

    /// The lower cap of each kind.
    pub fn narrowed_by(self, other: Limits) -> Limits {
        self.zip(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        })
    }

    /// These caps, and those of `others` where there is none.
    pub fn or(self, others: Limits) -> Limits {
        self.zip(others, Option::or)
    }

    /// An even share for each of `n`; time is not shared but had by all at once.
    pub fn shared_by(self, n: u64) -> Limits {
        self.zip(self, |cap, _| cap.map(|cap| cap / n.max(1))).with(Cap::Time, self.cap(Cap::Time))
    }

    /// The same caps, each at least this much.
    pub fn at_least(self, amounts: Amounts) -> Limits {
        self.caps().fold(self, |all, (kind, cap)| all.with(kind, Some(cap.max(amounts.get(kind)))))
    }

    /// Each cap higher by this much.
    pub fn plus(self, amounts: Amounts) -> Limits {
        self.caps().fold(self, |all, (kind, cap)| all.with(kind, Some(cap.saturating_add(amounts.get(kind)))))
    }

    /// Whether caps as high as these others are within them.
    pub fn cover(&self, others: Limits) -> bool {
        let others = others.amounts();
        self.caps().all(|(kind, cap)| others.get(kind) <= cap)
    }

    /// Each cap lower by that of the others; never below zero.
    pub fn less(self, others: Limits) -> Limits {
        self.minus(others.amounts())
    }

    /// The cap of each kind as an amount; zero for a kind without a cap.
    pub fn amounts(&self) -> Amounts {
        self.caps().fold(Amounts::default(), |all, (kind, cap)| all.with(kind, cap))
    }

    /// The caps on these kinds alone.
    pub fn only(self, kinds: &[Cap]) -> Limits {
        kinds.iter().fold(Limits::default(), |all, kind| all.with(*kind, self.cap(*kind)))
    }

    /// The rest of each cap after these amounts; never below zero.
    pub fn minus(self, gone: Amounts) -> Limits {
        Limits(array::from_fn(|n| self.0[n].map(|cap| cap.saturating_sub(gone.0[n]))))
    }

    /// The rest of each for work when this is kept back.
    pub(super) fn usable(self, kept: ForLanding) -> Limits {
        self.caps().fold(self, |all, (kind, cap)| all.with(kind, Some(cap.saturating_sub(kept.of(kind, cap)))))
    }
}

/// A cap as it is written: in the smallest unit, as journals have it, or as people write it ("0.10", "200k", "5m").
#[derive(Deserialize)]
#[serde(untagged, expecting = "a whole number, or an amount in quotes as in \"0.10\", \"200k\" or \"5m\"")]
enum Written {
    Number(u64),
    Text(String),
}

impl Serialize for Limits {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.caps())
    }
}

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let named = BTreeMap::<Cap, Option<Written>>::deserialize(from)?;
        let read = |(kind, cap): (Cap, Option<Written>)| match cap {
            None => Ok((kind, None)),
            Some(Written::Number(n)) => Ok((kind, Some(n))),
            Some(Written::Text(text)) => kind.read(&text).map(|n| (kind, Some(n))).map_err(de::Error::custom),
        };
        let caps = named.into_iter().map(read).collect::<Result<Vec<_>, D::Error>>()?;
        Ok(caps.into_iter().fold(Limits::default(), |all, (kind, cap)| all.with(kind, cap)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_and_caps_are_written_by_the_names_of_their_kinds() {
        let amounts = Amounts::of(Cap::Money, 5).with(Cap::Tokens, 7).with(Cap::Calls, 1).with(Cap::ToolCalls, 2);
        let json = json!({"money": 5, "tokens": 7, "calls": 1, "tool_calls": 2});
        assert_eq!(serde_json::to_value(amounts).unwrap(), json);
        assert_eq!(serde_json::from_value::<Amounts>(json).unwrap(), amounts);
        assert_eq!(serde_json::to_string(&Amounts::default()).unwrap(), "{}", "what is nothing is not written");
        let limits = Limits::of(Cap::Tokens, 0).with(Cap::Time, Some(60_000));
        assert_eq!(serde_json::to_value(limits).unwrap(), json!({"tokens": 0, "millis": 60_000}));
        let read = json!({"tokens": 0, "millis": 60_000, "money": null});
        assert_eq!(serde_json::from_value::<Limits>(read).unwrap(), limits);
        let by_people = json!({"tokens": "0k", "millis": "1m"});
        assert_eq!(serde_json::from_value::<Limits>(by_people).unwrap(), limits);
        let dollars = json!({"money": "0.10"});
        assert_eq!(serde_json::from_value::<Limits>(dollars).unwrap().money(), Some(Money::micros(100_000)));
        let why = serde_json::from_value::<Limits>(json!({"money": "much"})).unwrap_err().to_string();
        assert!(why.contains("write it as in 0.50"), "{why}");
    }

    #[test]
    fn a_kind_that_is_not_there_is_refused_by_name() {
        let json = json!({"tokens": 1, "carbon": 2});
        let whys = [
            serde_json::from_value::<Amounts>(json.clone()).unwrap_err().to_string(),
            serde_json::from_value::<Limits>(json).unwrap_err().to_string(),
        ];
        for why in whys {
            assert!(why.contains("unknown variant `carbon`") && why.contains("`tool_calls`"), "{why}");
        }
    }
}
