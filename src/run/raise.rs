//! Raising the caps of a run: how a person writes a cap, and whether it may take the place of the one in force.
//!
//! Only upwards, only what is capped, and only where the run needs the person: at a checkpoint, or when a model call does. Nothing here changes a cap: the
//! ledger does, when the fact is folded in.

use super::budget::{Cap, Limits, Money};
use super::state::Run;
use text::Clean;

/// Why caps are not raised. In words for the person, with what would do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unraised {
    /// Nothing comes of it any more.
    #[error("the run has ended: its caps stay what they were")]
    Ended,
    /// The run asks nothing of the person.
    #[error("caps are raised where the run needs you, and it does not now: it is {0}")]
    AtWork(&'static str),
    /// There is no cap of this kind, so any would be a lower one.
    #[error("the run has no {0}: there is nothing to raise")]
    NoCap(Cap),
    /// It would be lower.
    #[error("the {cap} is {is} and is only ever raised: {asked} is less")]
    Lower {
        /// Which cap.
        cap: Cap,
        /// The one in force.
        is: String,
        /// The one asked for.
        asked: String,
    },
    /// It is what was asked for already.
    #[error("the {cap} is {is} already")]
    Same {
        /// Which cap.
        cap: Cap,
        /// The one in force.
        is: String,
    },
    /// No cap was named.
    #[error("no cap was named")]
    Nothing,
}

impl Cap {
    /// Every kind, in the order in which they are named.
    pub const ALL: [Cap; 5] = [Cap::Money, Cap::Tokens, Cap::ToolCalls, Cap::Calls, Cap::Time];

    /// What it counts, as in "12k tokens".
    pub fn of_what(self) -> &'static str {
        match self {
            Cap::Money => "money",
            Cap::Tokens => "tokens",
            Cap::Calls => "model calls",
            Cap::ToolCalls => "tool calls",
            Cap::Time => "time",
        }
    }

    /// An amount of it as a person writes it; [`Cap::read`] reads it again, money up to a hundredth of a cent.
    pub fn written(self, n: u64) -> String {
        let in_units = |units: &[(u64, &str)]| {
            let fits = units.iter().find(|(unit, _)| n > 0 && n.is_multiple_of(*unit));
            fits.map_or_else(|| n.to_string(), |(unit, name)| format!("{}{name}", n / unit))
        };
        match self {
            Cap::Money => Money(n).to_string(),
            Cap::Tokens => in_units(&[(1_000_000, "M"), (1_000, "k")]),
            Cap::Calls | Cap::ToolCalls => n.to_string(),
            Cap::Time => in_units(&[(3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")]),
        }
    }

    /// An amount of it as people write it: `0.50` or `$2`, `200k`, `5m`.
    ///
    /// # Errors
    /// What would be right.
    pub fn read(self, text: &str) -> Result<u64, String> {
        match self {
            Cap::Money => text.parse().map(|Money(pico)| pico),
            Cap::Tokens | Cap::Calls | Cap::ToolCalls => amount(text),
            Cap::Time => millis(text),
        }
    }
}

/// A whole number as people write it: `60000`, `200k`, `1.5M`.
///
/// # Errors
/// What would be right.
pub fn amount(text: &str) -> Result<u64, String> {
    let wrong = || format!("write it as in 60000 or 200k: `{}` is no whole number", Clean::line(text));
    let digits = text.trim();
    let (digits, zeros) = match digits.strip_suffix(['k', 'K']) {
        Some(thousands) => (thousands, 3),
        None => digits.strip_suffix(['m', 'M']).map_or((digits, 0), |millions| (millions, 6)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > zeros || !all_digits(whole) || !all_digits(part) {
        return Err(wrong());
    }
    format!("{whole}{part:0<zeros$}").parse().map_err(|_| wrong())
}

/// Milliseconds of `90s`, `5m`, `1h`, `250ms` or plain seconds.
///
/// # Errors
/// What would be right.
pub fn millis(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit: u64 = match unit.trim() {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        other => {
            let other = Clean::line(other);
            return Err(format!("write it as in 90s or 5m: `{other}` is no unit of time; ms, s, m and h are"));
        }
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "write it as in 90s or 5m: a whole number and its unit".into())
}

impl Limits {
    /// The cap of one kind alone.
    pub fn of(cap: Cap, n: u64) -> Limits {
        let mut limits = Limits::default();
        match cap {
            Cap::Money => limits.money = Some(Money(n)),
            Cap::Tokens => limits.tokens = Some(n),
            Cap::Calls => limits.calls = Some(n),
            Cap::ToolCalls => limits.tool_calls = Some(n),
            Cap::Time => limits.millis = Some(n),
        }
        limits
    }

    /// The cap of a kind, if there is one.
    pub fn cap(&self, cap: Cap) -> Option<u64> {
        match cap {
            Cap::Money => self.money.map(|money| money.0),
            Cap::Tokens => self.tokens,
            Cap::Calls => self.calls,
            Cap::ToolCalls => self.tool_calls,
            Cap::Time => self.millis,
        }
    }

    /// The caps there are.
    pub fn caps(&self) -> impl Iterator<Item = (Cap, u64)> {
        Cap::ALL.into_iter().filter_map(|cap| Some((cap, self.cap(cap)?)))
    }

    /// The caps there are, in words: "money cap $2.00, token cap 300k".
    pub fn in_words(&self) -> String {
        let caps: Vec<String> = self.caps().map(|(cap, n)| format!("{cap} {}", cap.written(n))).collect();
        caps.join(", ")
    }

    /// Those of `to` that are higher than what is in force. All of it is right, or none is taken.
    ///
    /// # Errors
    /// One of them would be lower or is not capped at all, or none would be higher.
    pub fn raised(&self, to: Limits) -> Result<Limits, Unraised> {
        let mut higher = Limits::default();
        let mut nothing = Unraised::Nothing;
        for (cap, asked) in to.caps() {
            let is = self.cap(cap).ok_or(Unraised::NoCap(cap))?;
            match asked.cmp(&is) {
                std::cmp::Ordering::Greater => higher = higher.or(Limits::of(cap, asked)),
                std::cmp::Ordering::Equal => nothing = Unraised::Same { cap, is: cap.written(is) },
                std::cmp::Ordering::Less => {
                    return Err(Unraised::Lower { cap, is: cap.written(is), asked: cap.written(asked) });
                }
            }
        }
        if higher == Limits::default() { Err(nothing) } else { Ok(higher) }
    }
}

impl Run {
    /// What raising the caps to these would raise here and now.
    ///
    /// # Errors
    /// The run asks nothing of the person, or they are not higher: see [`Limits::raised`].
    pub fn raised(&self, to: Limits) -> Result<Limits, Unraised> {
        match self.ended() {
            Some(_) => Err(Unraised::Ended),
            None if self.asks().is_none() => Err(Unraised::AtWork(self.phase().word())),
            None => self.ledger.run().limits.raised(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn caps_are_read_as_people_write_them() {
        for (cap, text, n) in [
            (Cap::Money, "0.50", 500_000_000_000),
            (Cap::Money, " $2 ", 2_000_000_000_000),
            (Cap::Tokens, "60000", 60_000),
            (Cap::Tokens, "200k", 200_000),
            (Cap::Tokens, "1.5M", 1_500_000),
            (Cap::ToolCalls, " 40 ", 40),
            (Cap::Calls, "0", 0),
            (Cap::Time, "90s", 90_000),
            (Cap::Time, "5m", 300_000),
            (Cap::Time, "2h", 7_200_000),
            (Cap::Time, "250ms", 250),
            (Cap::Time, "7", 7_000),
        ] {
            assert_eq!(cap.read(text), Ok(n), "{text}");
        }
    }

    #[test]
    fn what_is_no_cap_is_answered_with_what_would_be_right() {
        for (cap, wrong, says) in [
            (Cap::Money, "much", "0.50"),
            (Cap::Money, "", "0.50"),
            (Cap::Tokens, "", "200k"),
            (Cap::Tokens, "k", "200k"),
            (Cap::Tokens, "-1", "200k"),
            (Cap::Tokens, "0.5", "200k"),
            (Cap::Tokens, "1.2345k", "200k"),
            (Cap::Tokens, "200,000", "200k"),
            (Cap::Tokens, "99999999999999999999", "200k"),
            (Cap::Tokens, "2\u{1b}[31m", "200k"),
            (Cap::Time, "", "90s"),
            (Cap::Time, "1.5h", "90s"),
            (Cap::Time, "5 parsecs", "90s"),
            (Cap::Time, "99999999999999999999h", "90s"),
        ] {
            let told = cap.read(wrong).unwrap_err();
            assert!(told.contains(says) && !told.contains('\u{1b}'), "{wrong}: {told}");
        }
    }

    #[test]
    fn only_upwards_and_all_or_nothing() {
        let now = Limits { money: Some(Money::micros(500_000)), tokens: Some(200_000), ..Limits::default() };
        let money = |micros| Limits { money: Some(Money::micros(micros)), ..Limits::default() };
        let both = |micros, tokens| Limits { tokens: Some(tokens), ..money(micros) };
        assert_eq!(now.raised(money(2_000_000)), Ok(money(2_000_000)));
        assert_eq!(now.raised(both(2_000_000, 200_000)), Ok(money(2_000_000)), "what stays is not raised");
        for (to, says) in [
            (money(400_000), "is only ever raised: $0.40 is less"),
            (both(2_000_000, 100), "the token cap is 200k"),
            (money(500_000), "the money cap is $0.50 already"),
            (Limits::of(Cap::ToolCalls, 9), "has no tool-call cap"),
            (Limits::default(), "no cap was named"),
        ] {
            let told = now.raised(to).unwrap_err().to_string();
            assert!(told.contains(says), "{told}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(n: u64, small in 0u64..10_000, zeros in 0u32..8) {
            for n in [n, small * 10u64.pow(zeros)] {
                for cap in [Cap::Tokens, Cap::Calls, Cap::ToolCalls, Cap::Time] {
                    prop_assert_eq!(cap.read(&cap.written(n)), Ok(n));
                }
            }
            let cents = small * 10_000_000_000;
            prop_assert_eq!(Cap::Money.read(&Cap::Money.written(cents)), Ok(cents));
        }
    }
}
